"""What was found in a results folder, and the figures of its page with their numbers."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property

from ldp_auditor import mechanisms
from ldp_auditor.errors import AuditError, require
from ldp_auditor.figures.cases import bar_cases, curve_cases, gap_cases
from ldp_auditor.figures.data import Cases, FigureData
from ldp_auditor.figures.points import Point, points_of
from ldp_auditor.figures.results import figure_of
from ldp_auditor.figures.shares import proven_part
from ldp_auditor.page.evidence import command_of
from ldp_auditor.page.folder import Contents
from ldp_auditor.page.summaries import worst_of
from ldp_auditor.report.verdicts import (
    CHANCE,
    Kind,
    Summary,
    summary_of_audits,
    summary_of_check,
)


@dataclass(frozen=True)
class MechanismFigures:
    """The figures of one mechanism, and what it is if it is a protocol that is known here."""

    name: str
    summary: str
    curve: Cases | None
    gap: Cases | None
    repeat: str
    """The command that repeats its strongest result, if it is known."""


@dataclass(frozen=True)
class Findings:
    """The verdicts on all mechanisms, worst first, and their figures in the order of the page."""

    contents: Contents

    @cached_property
    def _points(self) -> dict[str, list[Point]]:
        return points_of(self.contents.audits)

    @cached_property
    def verdicts(self) -> list[Summary]:
        """A verdict on every mechanism and check."""
        verdicts = [summary_of_audits(name, mine) for name, mine in self._points.items()]
        verdicts += [summary_of_check(result) for result in self.contents.checks]
        return sorted(verdicts, key=lambda verdict: verdict.kind)

    @cached_property
    def worst(self) -> Mapping[str, Kind]:
        """The worst verdict on every name."""
        return worst_of(self.verdicts)

    @cached_property
    def by_chance(self) -> Set[str]:
        """Mechanisms that were measured above their promise by chance."""
        return {verdict.name for verdict in self.verdicts if verdict.kind == CHANCE}

    @cached_property
    def points(self) -> dict[str, list[Point]]:
        """The points of every mechanism, in the order of the verdicts."""
        return dict(sorted(self._points.items(), key=lambda item: self.worst[item[0]]))

    @cached_property
    def choices(self) -> list[Cases | None]:
        """The trade-off of every choice, if it has one."""
        note = "Shaded is what the limits do not allow."
        return [
            Cases("trade-off", note, [""], [figure_of(found)], 0) if found.curves else None
            for found in self.contents.choices
        ]

    @cached_property
    def bars(self) -> Cases | None:
        """All mechanisms side by side."""
        return bar_cases(self.points, self.contents.checks, self.by_chance)

    @cached_property
    def mechanisms(self) -> list[MechanismFigures]:
        """The figures of every mechanism."""
        return [_figures_of(name, mine) for name, mine in self.points.items()]

    @cached_property
    def figures(self) -> Sequence[Cases]:
        """All figures in the order of the page."""
        pairs = [figure for mine in self.mechanisms for figure in (mine.curve, mine.gap)]
        return [figure for figure in (*self.choices, self.bars, *pairs) if figure is not None]

    def figure(self, number: str) -> FigureData:
        """Return a figure by its number on the page: 3, or 3.2 for the second of its settings."""
        require(bool(self.figures), "this page has no figures", argument="of")
        first, point, second = number.partition(".")
        of, at = (_place(digits) for digits in (first, second if point else "0"))
        require(
            of is not None and 1 <= of <= len(self.figures),
            f"of must be the number of a figure of the page, from 1 to {len(self.figures)}, such "
            f"as 1, or 1.2 for the second of its settings; got {number!r}",
            argument="of",
        )
        cases = self.figures[(of or 1) - 1]
        require(
            at is not None and at <= len(cases.figures) and (at > 0 or not point),
            f"figure {of} has settings 1 to {len(cases.figures)}, got of={number!r}",
            argument="of",
        )
        place = at - 1 if at else cases.start
        title = ", ".join(filter(None, (cases.name, cases.labels[place])))
        return replace(cases.figures[place], title=title)


def _place(digits: str) -> int | None:
    """A number of a few digits, or none."""
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 9 else None


def _figures_of(name: str, points: Sequence[Point]) -> MechanismFigures:
    curve = curve_cases(name, points)
    try:
        summary = mechanisms.find(name).summary
    except AuditError:
        summary = ""
    strongest = max(points, key=lambda point: (proven_part(point), point.measured))
    audits = zip(strongest.keys, strongest.results, strict=True)
    repeat = command_of(*max(audits, key=lambda audit: audit[1].empirical_epsilon))
    return MechanismFigures(name, summary, curve, gap_cases(name, points), repeat)
