"""Writes the table of result fields into a document: `python -m tests.result_fields FILE`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

from ldp_auditor.results.audit_result import AuditResult
from ldp_auditor.results.check_result import CheckResult, Finding, Power

MARK = "<!-- fields -->\n"

HEADINGS = {
    AuditResult: "",
    CheckResult: "## A check",
    Finding: "### `findings` of a check",
    Power: "### `power` of a check",
}


TYPES = {
    "tuple[str, ...]": "list of texts",
    "str": "text",
    "float": "number",
    "int": "whole number",
    "bool": "true or false",
    "Any": "any value",
    "InputPair": "two inputs: values, numbers, records or vectors",
    "Mapping[str, Any]": "the protocol's own options, each under its name",
    "tuple[Any, ...]": "list of values",
}
"""Types of entries in words."""


def described(result: type) -> Iterator[tuple[str, str, str, str]]:
    """Yield name, type, unit and meaning of every entry of a result, for documents."""
    for declaration in fields(result):
        about, name = declaration.metadata, str(declaration.type)
        kind = TYPES.get(name.removesuffix(" | None"), "list of objects, see below")
        if name.endswith("| None"):
            kind = "true, false or null" if name.startswith("bool") else f"{kind} or null"
        meaning = about["meaning"] + (f" ({about['part']} only)" if about["part"] else "")
        yield declaration.name, kind, about["unit"], meaning


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
