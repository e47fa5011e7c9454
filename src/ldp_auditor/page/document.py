"""The page of a results folder: its data, put into one file that loads nothing."""

import base64
import hashlib
import importlib
import json
import platform
import shlex
from collections.abc import Sequence
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

from ldp_auditor import __version__
from ldp_auditor.choosing.choice import Choice
from ldp_auditor.errors import AuditError, require
from ldp_auditor.figures.data import Cases
from ldp_auditor.figures.files import DRAWING, check_place, save
from ldp_auditor.figures.points import Point
from ldp_auditor.figures.styles import style_of
from ldp_auditor.figures.words import large_number, shown, value_in_words
from ldp_auditor.page.evidence import MOST_OF_ONE, evidence_of
from ldp_auditor.page.findings import Findings
from ldp_auditor.page.folder import Contents, read_folder
from ldp_auditor.page.markup import packed
from ldp_auditor.page.overview import losses_of, overview_of
from ldp_auditor.page.rendering import assets, plotting_library, rendered
from ldp_auditor.page.summaries import headline, setting_in_words
from ldp_auditor.report.choices import choice_content
from ldp_auditor.report.verdicts import (
    BROKEN,
    VIOLATION,
    Kind,
    confidence,
)
from ldp_auditor.results.audit_result import AuditResult
from ldp_auditor.results.check_result import CheckResult
from ldp_auditor.results.files import replace_file
from ldp_auditor.results.journal import JOURNAL
from ldp_auditor.results.violations import Audited, ViolationCount

STYLES = ("page.css", "figures.css", "print.css")
SCRIPTS = (
    *("theme.js", "drawing.js", "figures.js", "filters.js", "commands.js", "saving.js"),
    "table.js",
    "start.js",
)

MOST_BYTES = 5_000_000
"""Weight of a page at most."""


def write_page(folder: Path, out: Path, title: str | None = None) -> Sequence[str]:
    """Make the page of a results folder, and return what was left out of it."""
    check_place("the page", out, ("html", "htm"))
    contents = read_folder(folder)
    page = page_of(contents, title or "", ["ldp-auditor", "report", str(folder)], str(out))
    try:
        replace_file(out, page)
    except OSError as error:
        raise AuditError(f"cannot write the page to {out}: {error}") from None
    return contents.left_out


def draw_figure(
    folder: Path,
    number: str,
    figure: Path,
    style: str | None = None,
    columns: int | None = None,
) -> None:
    """Draw the figure of that number on the page of a results folder."""
    data = Findings(read_folder(folder)).figure(number)
    drawing = importlib.import_module(DRAWING)
    save(drawing.draw(data, style_of(style or "screen", columns)), figure)


def page_of(contents: Contents, title: str, command: Sequence[str], out: str) -> bytes:
    """Make the page of some results, which `command` writes to `out`."""
    found = Findings(contents)
    points, checks, verdicts = found.points, contents.checks, found.verdicts
    figures = found.figures
    library, plotly = plotting_library() if figures else ("", "")
    plain = [cases.to_plain(partial(shown, most=300)) for cases in figures]
    script = assets(SCRIPTS)
    page = rendered(
        "report.html",
        policy="default-src 'none'; base-uri 'none'; form-action 'none'; img-src data: blob:; "
        f"style-src 'unsafe-inline'; script-src {_hash(script)} {_hash(library)}",
        style=assets(STYLES),
        script=script,
        library=packed(library),
        figures=figures,
        data=packed(json.dumps(plain, separators=(",", ":"), allow_nan=False)),
        title=title or "Privacy audit",
        given_title=title,
        choices=[_choice(*each) for each in zip(contents.choices, found.choices, strict=True)],
        headline=headline(verdicts) if verdicts else _headline_of(contents.choices),
        setting=setting_in_words([p for mine in points.values() for p in mine], checks),
        worst=found.worst,
        size=_size_of(contents, points, list(found.worst.values())),
        changed=contents.changed,
        left_out=contents.left_out,
        verdicts=verdicts,
        bars=found.bars,
        overview=overview_of(points, checks, found.by_chance),
        losses=losses_of(points, checks),
        mechanisms=found.mechanisms,
        evidence=evidence_of(points, checks, found.by_chance),
        most_of_one=MOST_OF_ONE,
        making=_making_of(contents, plotly),
        report_command=shlex.join(command),
        made_by=shlex.join([*command, "--out", out, *(["--title", title] if title else [])]),
    ).encode()
    require(
        len(page) < MOST_BYTES,
        f"the page would weigh {len(page):,} bytes, more than {MOST_BYTES:,}; "
        "make one of fewer results",
    )
    return page


def _choice(found: Choice, figure: Cases | None) -> dict[str, Any]:
    """A choice in words, its trade-off and its tables."""
    parts = choice_content(found, every=True)
    return {
        "sentences": [part for part in parts if isinstance(part, str)],
        "tables": [part for part in parts if not isinstance(part, str)],
        "figure": figure,
    }


def _headline_of(choices: Sequence[Choice]) -> str:
    """What stands above a page that has nothing but choices."""
    chosen = [found.choice.mechanism for found in choices if found.choice is not None]
    return f"The choice: {', '.join(chosen)}" if chosen else "Nothing keeps all limits"


def _hash(script: str) -> str:
    """Name a script in the policy: no other one runs."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _size_of(
    contents: Contents, points: dict[str, list[Point]], kinds: Sequence[Kind]
) -> dict[str, Any]:
    """How much was looked at, and how many mechanisms are of the bad `kinds`."""
    settings = sum(len({repr(point.setting) for point in mine}) for mine in points.values())
    reports = sum(2 * result.counts.trials * result.reports for _, result in contents.audits)
    alphas = sorted({result.alpha for result in contents.every})
    return {
        "mechanisms": len(kinds),
        "settings": settings + len(contents.checks),
        "violations": kinds.count(VIOLATION),
        "broken": kinds.count(BROKEN),
        "reports": large_number(reports + sum(check.reports for check in contents.checks)),
        "confidence": [confidence(alpha) for alpha in alphas],
    }


def _violations(contents: Contents) -> ViolationCount:
    """How many of all results are violations, beside what chance alone shows."""
    named: list[tuple[str, AuditResult | CheckResult]] = [
        (result.mechanism, result) for _, result in contents.audits
    ]
    named += [(check.name, check) for check in contents.checks]
    return ViolationCount.of_audits(
        Audited(
            name,
            result.verdict,
            result.alpha,
            result.claim.epsilon,
            result.bound if isinstance(result, AuditResult) else "betting",
        )
        for name, result in named
    )


def _making_of(contents: Contents, plotly: str) -> dict[str, Sequence[str]]:
    """Settings, seeds and versions, each value once."""
    audits = [result for _, result in contents.audits]
    found: dict[str, Sequence[str]] = {
        "attacks": [result.attack for result in audits],
        "bounds": [result.bound for result in audits],
        "all results": [_violations(contents).words] if contents.every else [],
        "alpha": [value_in_words(result.alpha) for result in contents.every],
        "trials of each input": [f"{result.counts.trials:,}" for result in audits],
        "reports of each check": [f"{check.reports:,}" for check in contents.checks],
        "seeds": [str(result.seed) for result in contents.every],
        "raw data, every count": [f"{JOURNAL} in the results folder"],
        "as tables": contents.tables,
        "last result of": [contents.changed] if contents.changed else [],
        "results made by": [f"ldp-auditor {version}" for version in contents.versions],
        "page made by": [f"ldp-auditor {__version__}"],
        "Python": [platform.python_version()],
        **{name: [metadata.version(name)] for name in ("numpy", "scipy", "numba")},
        "figures": [f"plotly.js {plotly} (MIT), inside this page"] if plotly else [],
    }
    return {name: list(dict.fromkeys(values)) for name, values in found.items()}
