"""Results in words, as HTML for notebooks and as figures: one entry for each kind."""

from __future__ import annotations

import html
import math
from collections import Counter
from functools import singledispatch
from typing import TYPE_CHECKING, Any

from ldp_auditor.audits.comparison import Comparison
from ldp_auditor.audits.gap import Explanation, Profile
from ldp_auditor.choosing.choice import Choice
from ldp_auditor.choosing.simulation import Simulation
from ldp_auditor.errors import AuditError
from ldp_auditor.extras import require_package
from ldp_auditor.figures.files import save
from ldp_auditor.figures.points import points_of
from ldp_auditor.figures.results import figure_of
from ldp_auditor.figures.styles import style_of
from ldp_auditor.figures.words import share_in_words, value_in_words
from ldp_auditor.report import tables
from ldp_auditor.report.choices import choice_content, simulation_content
from ldp_auditor.report.evidence import evidence_lines
from ldp_auditor.report.text_table import Column, Screen, TextTable, Verbatim
from ldp_auditor.report.verdicts import summary_of_audits
from ldp_auditor.results.audit_result import AuditResult, AuditResults
from ldp_auditor.results.check_result import CheckResult
from ldp_auditor.studies.agreement import agreement
from ldp_auditor.studies.claims import Judgement, claims_lines
from ldp_auditor.studies.reproduction import Reproduction, StudyResult
from ldp_auditor.sweeps import Sweep

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

__all__ = ["as_figure", "as_html", "as_text", "content_of", "save"]

WIDTH = 120
"""Columns of what a result prints by itself; a command knows its terminal."""

ROUNDING = 1e-12
"""A delta that is no more than this is an error of rounding."""


@singledispatch
def content_of(result: Any) -> list[TextTable | str]:
    """Return what the command line prints of a result: tables and lines."""
    raise AuditError(f"{type(result).__name__} has no words")


@content_of.register
def _(result: AuditResult) -> list[TextTable | str]:
    return [tables.result_table(result), *_in_words([result]), *tables.notes(result.mechanism)]


@content_of.register
def _(results: AuditResults) -> list[TextTable | str]:
    first = results[0]
    if len(results) == 1:
        return content_of(first)
    alike = {(result.mechanism, result.attack) for result in results}
    if first.is_over_time and len(alike) == 1:
        return [tables.over_time_table(results), *_in_words(results), results.violations.words]
    return [tables.comparison_table(results), *_extremes(results), results.violations.words]


@content_of.register
def _(comparison: Comparison) -> list[TextTable | str]:
    found = comparison.results
    return [tables.comparison_table(found), *_extremes(found), *comparison.remarks]


@content_of.register
def _(explanation: Explanation) -> list[TextTable | str]:
    table = tables.explanation_table(explanation)
    lines = [tables.certificate_lines(explanation), explanation.violations.words]
    return [table, *_in_words(explanation.results), *lines]


@content_of.register
def _(profile: Profile) -> list[TextTable | str]:
    return [tables.profile_table(profile.title, profile.points), *_delta_in_words(profile)]


def _in_words(results: Sequence[AuditResult]) -> list[str]:
    """What was found about every mechanism, in the words of its page."""
    found = points_of(("", result) for result in results)
    return [summary_of_audits(name, points).words for name, points in found.items()]


def _extremes(results: Sequence[AuditResult]) -> list[str]:
    """Of which mechanism the most of its promise was proven, and of which the least."""
    most: dict[str, float] = {}
    for result in results:
        if result.claim.epsilon < math.inf:
            share = result.empirical_epsilon / result.claim.epsilon
            most[result.mechanism] = max(share, most.get(result.mechanism, 0.0))
    if len(most) < 2:
        return []
    first, last = max(most, key=most.__getitem__), min(most, key=most.__getitem__)
    high, low = (share_in_words(most[name], 1) for name in (first, last))
    if most[first] == most[last]:
        return [f"The same share of every promise is proven: {high}."]
    return [f"The most of its promise is proven of {first} ({high}), the least of {last} ({low})."]


def _delta_in_words(profile: Profile) -> list[str]:
    """What the profile says of the claim."""
    if profile.smallest_delta is None:
        return []
    claimed, delta = value_in_words(profile.claim.epsilon), value_in_words(profile.claim.delta)
    if profile.smallest_delta < ROUNDING:
        return [f"At the claimed epsilon = {claimed} no delta is needed; {delta} is claimed."]
    smallest = value_in_words(float(f"{profile.smallest_delta:.4g}"))
    return [
        f"At the claimed epsilon = {claimed} the smallest delta is {smallest}; {delta} is claimed."
    ]


@content_of.register
def _(result: CheckResult) -> list[TextTable | str]:
    repeat = [Verbatim(f"to repeat: {result.repeat}")] if result.repeat else []
    return [evidence_lines(result), *tables.notes(result.target), *repeat]


@content_of.register
def _(found: Choice) -> list[TextTable | str]:
    return choice_content(found)


@content_of.register
def _(found: Simulation) -> list[TextTable | str]:
    return simulation_content(found)


@content_of.register
def _(sweep: Sweep) -> list[TextTable | str]:
    where = f"; table in {' and '.join(map(str, sweep.files))}" if sweep.files else ""
    return [f"{sweep.cells:,} cells, {sweep.run:,} of them run now{where}", sweep.violations.words]


@content_of.register
def _(result: StudyResult) -> list[TextTable | str]:
    if result.left_out is not None:
        return [f"{result.name} was left out: {result.left_out}"]
    files = " ".join(map(str, [*result.figures, *result.sweep.files]))
    lines = [files, agreement(result.sweep.rows).words, result.sweep.violations.words]
    return [f"{result.name}: {line}" for line in lines]


@content_of.register
def _(found: Reproduction) -> list[TextTable | str]:
    return [*(part for result in found.studies for part in content_of(result)), *together(found)]


def together(found: Reproduction) -> list[TextTable | str]:
    """Return what is said of all studies together, and of the paper's statements."""
    parts: list[TextTable | str] = []
    if len(found.studies) > 1:
        lines = [agreement(found.rows).words, found.violations.words]
        parts += [f"all studies: {line}" for line in lines]
    if not found.judgements:
        return parts
    return [*parts, claims_table(found.judgements), claims_in_words(found.judgements)]


PLURALS = {"holds": "hold", "holds in part": "hold in part", "does not hold": "do not hold"}
"""How rulings are said of several statements."""


def claims_in_words(judgements: Sequence[Judgement]) -> str:
    """How many of the paper's statements hold, as measured and exactly."""
    parts = []
    for name in ("measured", "exact"):
        rulings = Counter(getattr(judgement, name).ruling for judgement in judgements)
        words = (f"{n:,} {PLURALS.get(ruling, ruling)}" for ruling, n in rulings.most_common())
        parts.append(f"{'by exact theory' if name == 'exact' else name}: {', '.join(words)}")
    return f"{len(judgements):,} statements of the paper; {'; '.join(parts)}"


def claims_table(judgements: Sequence[Judgement]) -> TextTable:
    """Return the outcomes of the paper's statements; the document has the exceptions too."""
    columns = {"section": 0, "measured": 3, "exact": 4, "statement": 2}
    lines = claims_lines(judgements)
    return TextTable(
        "What the paper says, checked",
        [Column(heading, wraps=heading != "section") for heading in columns],
        [tuple(line[place] for place in columns.values()) for line in lines],
    )


def as_text(result: Any) -> str:
    """Return a result as the command line prints it into a file."""
    parts = content_of(result)
    return "\n".join(part if isinstance(part, str) else part.draw(Screen(WIDTH)) for part in parts)


def as_html(result: Any) -> str:
    """Return a result for a notebook: the same words in fixed width."""
    return f"<pre>{html.escape(as_text(result))}</pre>"


def as_figure(result: Any, style: str = "screen", columns: int | None = None) -> Figure:
    """Draw a result in a style, for so many columns of a journal."""
    require_package("a figure", "matplotlib")
    from ldp_auditor.figures.drawing import draw

    return draw(figure_of(result), style_of(style, columns))
