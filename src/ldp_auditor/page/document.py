"""The page itself: sections of HTML around the data, in one file that loads nothing."""

from __future__ import annotations

import base64
import hashlib
import platform
import shlex
from collections.abc import Sequence
from functools import partial
from importlib import metadata
from pathlib import Path

from ldp_auditor import __version__, mechanisms
from ldp_auditor.errors import AuditError, require
from ldp_auditor.figures.cases import bar_cases, curve_cases, gap_cases
from ldp_auditor.figures.data import Cases
from ldp_auditor.figures.points import Point, points_of
from ldp_auditor.page.evidence import evidence_of
from ldp_auditor.page.folder import Contents, read_folder
from ldp_auditor.page.library import assets, plotting_library
from ldp_auditor.page.markup import Html, element, join, packed, packed_json, shown, text
from ldp_auditor.page.overview import overview_section
from ldp_auditor.page.proof import evidence_section
from ldp_auditor.page.sections import (
    figure,
    glossary,
    making_section,
    masthead,
    verdict_section,
)
from ldp_auditor.page.summaries import CHANCE, Summary, summary_of_audits, summary_of_check
from ldp_auditor.results.files import replace_file

STYLES = ("page.css", "figures.css", "print.css")
SCRIPTS = ("theme.js", "drawing.js", "figures.js", "table.js", "start.js")

MOST_BYTES = 5_000_000
"""Weight of a page at most."""


def write_page(folder: Path, out: Path, title: str | None = None) -> Sequence[str]:
    """Make the page of a results folder, and return what was left out of it."""
    require(
        out.suffix.lower() in (".html", ".htm"),
        f"cannot write the page to {str(out)!r}: its name must end in .html",
    )
    require(
        out.parent.is_dir() and not out.is_dir(),
        f"cannot write the page to {str(out)!r}: {str(out.parent)!r} is not a folder",
    )
    contents = read_folder(folder)
    words = ["ldp-auditor", "report", str(folder), "--out", str(out)]
    command = shlex.join([*words, *(["--title", title] if title else [])])
    page = page_of(contents, title or "", command)
    try:
        replace_file(out, page)
    except OSError as error:
        raise AuditError(f"cannot write the page to {out}: {error}") from None
    return contents.left_out


def page_of(contents: Contents, title: str, command: str) -> bytes:
    """Make the page of some results."""
    points = points_of(contents.audits)
    verdicts = _verdicts(contents, points)
    figures, one_by_one = _mechanisms(points)
    by_chance = {verdict.name for verdict in verdicts if verdict.kind == CHANCE}
    evidence = evidence_of(points, contents.checks, by_chance)
    comparison = None
    bars = bar_cases(points)
    if bars is not None:
        figures.append(bars)
        place = figure(len(figures) - 1, bars)
        comparison = element(
            "section", element("h2", "All mechanisms side by side"), place, id="comparison"
        )
    code, version = plotting_library() if figures else ("", "")
    main = element(
        "main",
        verdict_section(verdicts, [entry.name for entry in evidence]),
        glossary(),
        comparison,
        overview_section(points, contents.checks, by_chance),
        one_by_one,
        evidence_section(evidence),
        making_section(contents, _versions(contents, version), command),
        id="main",
    )
    body = [masthead(title, contents, points, verdicts), main]
    page = _page(title or "Privacy audit", join(body), figures, code).encode()
    require(
        len(page) < MOST_BYTES,
        f"the page would weigh {len(page):,} bytes, more than {MOST_BYTES:,}; "
        "make one of fewer results",
    )
    return page


def _verdicts(contents: Contents, points: dict[str, list[Point]]) -> list[Summary]:
    """All verdicts, the worst first."""
    found = [summary_of_audits(name, mine) for name, mine in points.items()]
    found += [summary_of_check(result) for result in contents.checks]
    return sorted(found, key=lambda verdict: verdict.kind)


def _mechanisms(points: dict[str, list[Point]]) -> tuple[list[Cases], Html | None]:
    """The figures of every mechanism, and the section that has a place for each."""
    figures: list[Cases] = []
    parts: list[Html] = []
    for number, (name, mine) in enumerate(points.items()):
        curve = curve_cases(name, mine)
        found = [cases for cases in (curve, gap_cases(name, mine)) if cases is not None]
        places = [figure(len(figures) + place, cases) for place, cases in enumerate(found)]
        figures += found
        if not places:
            continue
        title = element("h3", text(name), _what_it_is(name))
        inner = element("div", *places, class_="pair" if len(places) > 1 else None)
        wide = "wide" if curve is not None else None
        parts.append(element("article", title, inner, id=f"mechanism-{number}", class_=wide))
    if not parts:
        return figures, None
    grid = element("div", *parts, class_="mechanisms")
    return figures, element("section", element("h2", "Mechanism by mechanism"), grid)


def _what_it_is(name: str) -> Html | None:
    """The full name of a protocol that is known here."""
    try:
        summary = mechanisms.find(name).summary
    except AuditError:
        return None
    return join([" ", element("small", text(summary))])


def _versions(contents: Contents, plotly: str) -> list[tuple[str, str]]:
    return [
        ("results made by", ", ".join(f"ldp-auditor {v}" for v in contents.versions)),
        ("page made by", f"ldp-auditor {__version__}"),
        ("Python", platform.python_version()),
        *((name, metadata.version(name)) for name in ("numpy", "scipy", "numba")),
        ("figures", f"plotly.js {plotly} (MIT), inside this page" if plotly else ""),
    ]


def _page(title: str, body: Html, figures: Sequence[Cases], library: str) -> str:
    """Put all of it into one file, with a policy that lets nothing in or out."""
    script, style = assets(SCRIPTS), assets(STYLES)
    policy = (
        "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; "
        f"style-src 'unsafe-inline'; script-src {_hash(script)} {_hash(library)}"
    )
    head = [
        Html('<meta charset="utf-8">'),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        Html('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Html('<meta name="color-scheme" content="light dark">'),
        Html('<meta name="referrer" content="no-referrer">'),
        Html('<link rel="icon" href="data:,">'),
        element("title", f"{shown(title)} - LDP-Auditor"),
        element("style", Html(style)),
    ]
    data = [
        _data(
            "figures", packed_json([cases.to_plain(partial(shown, most=300)) for cases in figures])
        ),
        _data("library", packed(library)),
        element("script", Html(script)),
    ]
    skip = element("a", "Skip to the findings", href="#main", class_="skip")
    closed = join(head, "\n").replace("</meta>", "")
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{closed}\n</head>\n'
        f"<body>\n{skip}\n{body}\n{join(data)}\n</body>\n</html>\n"
    )


def _data(name: str, content: str) -> Html:
    return element("script", Html(content), type="application/octet-stream", id=f"data-{name}")


def _hash(script: str) -> str:
    """Name a script in the policy: no other one runs."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
