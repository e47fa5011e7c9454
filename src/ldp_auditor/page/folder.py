"""What a results folder holds, read without changing anything in it."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ldp_auditor.choosing.choice import Choice
from ldp_auditor.errors import AuditError, require
from ldp_auditor.figures.words import shown
from ldp_auditor.results.audit_result import AuditResult
from ldp_auditor.results.check_result import CheckResult
from ldp_auditor.results.journal import JOURNAL, PORTION, digest, entries_in

CHECK, CHOICE, RUN = "check", "choice", "run"
"""What tells plans of checks and choices from those of audits, and one run of a check from another.
"""

ANSWER = "answer"
"""What holds a choice, as JSON."""

MOST_BYTES = 2**30
"""Size of a journal at most."""


@dataclass(frozen=True)
class Contents:
    """The results of a folder."""

    audits: Sequence[tuple[str, AuditResult]]
    """Each with the key of its cell."""
    checks: Sequence[CheckResult]
    choices: Sequence[Choice]
    versions: Sequence[str]
    """Of this package, that made them."""
    left_out: Sequence[str]
    """What is not among them, and why."""
    changed: str = ""
    """The day on which the journal was last written to, in UTC."""
    tables: Sequence[str] = ()
    """Names of the tables beside the journal."""

    @property
    def every(self) -> list[AuditResult | CheckResult]:
        """Audits and checks, without keys."""
        return [*(result for _, result in self.audits), *self.checks]


def read_folder(folder: Path) -> Contents:
    """Read the journal of a folder; what is no result is left out, with the reason."""
    content = _read(folder)
    audits: list[tuple[str, AuditResult]] = []
    checks: dict[str, CheckResult] = {}
    choices: list[Choice] = []
    versions: set[str] = set()
    reasons: Counter[str] = Counter()
    seen: set[str] = set()
    for entry in entries_in([line for line in content.split(b"\n") if line.strip()]):
        if entry is None or not isinstance(entry["plan"], Mapping):
            reasons["damaged line of the journal"] += 1
            continue
        if PORTION in entry["plan"] or entry["key"] in seen:
            continue
        seen.add(entry["key"])
        for plain in entry["results"]:
            try:
                if CHOICE in entry["plan"]:
                    choices.append(Choice.from_dict(json.loads(plain[ANSWER])))
                elif CHECK in entry["plan"]:
                    about = _about(entry["plan"])
                    if about in checks:
                        reasons["earlier run of a check that was run again"] += 1
                    checks[about] = CheckResult.from_dict(plain)
                else:
                    audits.append((entry["key"], AuditResult.from_dict(plain)))
            except (AuditError, OverflowError, KeyError, TypeError, ValueError) as error:
                reasons[f"unreadable result: {_short(str(error))}"] += 1
                continue
            versions.add(_short(str(plain.get("version", "unknown"))))
    require(
        bool(audits or checks or choices),
        f"{folder} has no finished results"
        + "".join(f"; left out: {_counted(*found)}" for found in reasons.most_common(1)),
    )
    left_out = [_counted(*found) for found in reasons.most_common()]
    changed = datetime.fromtimestamp((folder / JOURNAL).stat().st_mtime, UTC).date().isoformat()
    made_by = sorted(versions)
    tables = sorted(shown(path.name) for path in folder.glob("*.csv"))
    return Contents(audits, list(checks.values()), choices, made_by, left_out, changed, tables)


def _read(folder: Path) -> bytes:
    path = folder / JOURNAL
    require(folder.is_dir(), f"{str(folder)!r} is not a folder of results")
    require(
        path.is_file(),
        f"{str(folder)!r} has no {JOURNAL}; audit, compare, check, sweep and reproduce write one "
        "with --out",
    )
    try:
        size = path.stat().st_size
        require(size <= MOST_BYTES, f"{path} is too large for a page: {size:,} bytes")
        return path.read_bytes()
    except OSError as error:
        raise AuditError(f"cannot read {path}: {error}") from None


def _about(plan: Mapping[str, Any]) -> str:
    """What a check is about, whichever run it is: a later one takes the place of the earlier."""
    return digest({name: value for name, value in plan.items() if name != RUN})


def _counted(reason: str, count: int) -> str:
    return reason if count == 1 else f"{reason} ({count:,} times)"


def _short(text: str) -> str:
    """As long as a line of the page can be."""
    return shown(" ".join(text.split()), 160)
