"""Results in words, as HTML for notebooks and as figures: one entry for each kind."""

from __future__ import annotations

import io
from functools import singledispatch
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from ldp_auditor.audits.comparison import Comparison
from ldp_auditor.audits.gap import Explanation, Profile
from ldp_auditor.errors import AuditError
from ldp_auditor.figures.files import save
from ldp_auditor.figures.results import figure_of
from ldp_auditor.report import tables
from ldp_auditor.report.evidence import evidence_lines, repeat_line
from ldp_auditor.report.text_table import TextTable, Verbatim
from ldp_auditor.results.audit_result import AuditResult, AuditResults
from ldp_auditor.results.check_result import CheckResult
from ldp_auditor.sweeps import Sweep

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["as_figure", "as_html", "as_text", "content_of", "save"]

WIDTH = 120
"""Columns of what a result prints by itself; a command knows its terminal."""


@singledispatch
def content_of(result: Any) -> list[TextTable | str]:
    """Return what the command line prints of a result: tables and lines."""
    raise AuditError(f"{type(result).__name__} has no words")


@content_of.register
def _(result: AuditResult) -> list[TextTable | str]:
    return [tables.result_table(result)]


@content_of.register
def _(results: AuditResults) -> list[TextTable | str]:
    first = results[0]
    if len(results) == 1:
        return [tables.result_table(first)]
    alike = {(result.mechanism, result.attack) for result in results}
    if first.is_over_time and len(alike) == 1:
        return [tables.over_time_table(results), results.violations.words]
    return [tables.comparison_table(results), results.violations.words]


@content_of.register
def _(comparison: Comparison) -> list[TextTable | str]:
    return [tables.comparison_table(comparison.results), *comparison.remarks]


@content_of.register
def _(explanation: Explanation) -> list[TextTable | str]:
    table = tables.explanation_table(explanation)
    return [table, tables.certificate_lines(explanation), explanation.violations.words]


@content_of.register
def _(profile: Profile) -> list[TextTable | str]:
    return [tables.profile_table(profile.title, profile.points)]


@content_of.register
def _(result: CheckResult) -> list[TextTable | str]:
    return [evidence_lines(result), *map(Verbatim, repeat_line(result))]


@content_of.register
def _(sweep: Sweep) -> list[TextTable | str]:
    cells = len({row["key"] for row in sweep.rows})
    return [f"{cells:,} cells, {sweep.run:,} of them run now", sweep.violations.words]


def as_text(result: Any) -> str:
    """Return a result as the command line prints it into a file."""
    console = Console(file=io.StringIO(), width=WIDTH)
    parts = content_of(result)
    return "\n".join(part if isinstance(part, str) else part.draw(console) for part in parts)


def as_html(result: Any) -> str:
    """Return a result for a notebook: the same words in fixed width."""
    console = Console(file=io.StringIO(), width=WIDTH, record=True)
    console.print(Text(as_text(result)))
    return console.export_html(inline_styles=True, code_format="<pre>{code}</pre>")


def as_figure(result: Any) -> Figure:
    """Draw a result."""
    from ldp_auditor.figures.drawing import draw

    return draw(figure_of(result))
