"""Writes the table of result fields into a document: `python -m tests.result_fields FILE`."""

from __future__ import annotations

import sys
from pathlib import Path

from ldp_auditor.results.audit_result import AuditResult
from ldp_auditor.results.check_result import CheckResult, Finding, Power
from ldp_auditor.results.fields import described

MARK = "<!-- fields -->\n"

HEADINGS = {
    AuditResult: "",
    CheckResult: "## A check",
    Finding: "### `findings` of a check",
    Power: "### `power` of a check",
}


def table() -> str:
    """Return the tables of all fields in Markdown."""
    head = ["| key | type | unit | meaning |", "| --- | --- | --- | --- |"]
    lines: list[str] = []
    for result, heading in HEADINGS.items():
        entries = described(result)
        rows = [f"| `{name}` | {kind} | {unit} | {what} |" for name, kind, unit, what in entries]
        lines += [*([heading, ""] if heading else []), *head, *rows, ""]
    return "\n".join(lines[:-1]) + "\n"


if __name__ == "__main__":
    document = Path(sys.argv[1])
    start, mark, _ = document.read_text().partition(MARK)
    document.write_text(start + mark + "\n" + table())
