"""Writes the table of result fields into a document: `python -m tests.result_fields FILE`."""

from __future__ import annotations

import sys
from pathlib import Path

from ldp_auditor.results.audit_result import AuditResult
from ldp_auditor.results.fields import described

MARK = "<!-- fields -->\n"


def table() -> str:
    """Return the table of all fields in Markdown."""
    rows = [f"| `{name}` | {kind} | {unit} | {what} |" for name, kind, unit, what in FIELDS]
    head = ["| key | type | unit | meaning |", "| --- | --- | --- | --- |"]
    return "\n".join([*head, *rows]) + "\n"


FIELDS = list(described(AuditResult))


if __name__ == "__main__":
    document = Path(sys.argv[1])
    start, mark, _ = document.read_text().partition(MARK)
    document.write_text(start + mark + "\n" + table())
