"""What the paper says of its experiments, sentence by sentence, and whether it is so."""

from __future__ import annotations

import importlib
import pkgutil

from ldp_auditor.studies.claims.document import HEADINGS, claims_document, claims_lines
from ldp_auditor.studies.claims.statement import (
    Instance,
    Judgement,
    Outcome,
    Statement,
    judge,
)

__all__ = [
    "HEADINGS",
    "Instance",
    "Judgement",
    "Outcome",
    "Statement",
    "available",
    "claims_document",
    "claims_lines",
    "judge",
]


def available() -> tuple[Statement, ...]:
    """Return every statement, section by section: those in the modules of this package."""
    modules = [
        importlib.import_module(f"{__name__}.{module.name}")
        for module in pkgutil.iter_modules(__path__)
    ]
    statements: list[Statement] = [
        statement for module in modules for statement in getattr(module, "STATEMENTS", ())
    ]
    return tuple(sorted(statements, key=lambda statement: _place_of(statement.section)))


def _place_of(section: str) -> list[int]:
    return [int(part) for part in section.split(".")]
