"""Places of the page's figures: what is drawn there, under which words, and how high."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ldp_auditor import mechanisms
from ldp_auditor.errors import AuditError
from ldp_auditor.page.figures import bars_figure, curve_figure, gap_figure
from ldp_auditor.page.points import Point


@dataclass(frozen=True, eq=False)
class Place:
    """A place for one figure."""

    figure: dict[str, Any]
    caption: str
    note: str
    height: int


@dataclass(frozen=True)
class Mechanism:
    """The figures of one mechanism."""

    number: int
    name: str
    places: Sequence[Place]
    has_curve: bool

    @property
    def summary(self) -> str:
        """What the protocol is, if it is known here."""
        try:
            return mechanisms.find(self.name).summary
        except AuditError:
            return ""


def comparison_of(points: dict[str, list[Point]]) -> Place | None:
    """The place of the bars of all mechanisms, if two of them share a setting."""
    bars = bars_figure(points)
    if bars is None:
        return None
    return Place(
        bars,
        "Proven epsilon of every mechanism",
        "The longer the bar, the more of the promise an attacker really gets. Diamonds are what "
        "the same attack would prove with unlimited trials.",
        len(bars["cases"][0]["names"]) * 38 + 66,
    )


def mechanisms_of(points: dict[str, list[Point]]) -> list[Mechanism]:
    """The mechanisms that have a figure: a curve, the account of the gap, or both."""
    found = []
    for number, (name, mine) in enumerate(points.items()):
        places = []
        curve, gap = curve_figure(name, mine), gap_figure(name, mine)
        if curve is not None:
            whiskers = (
                "Whiskers are one standard deviation over seeds."
                if curve["seeds"] > 1
                else "Whiskers reach from the proven bound up to what the counts alone suggest."
            )
            places.append(Place(curve, f"Epsilon over the {curve['axis']}", whiskers, 400))
        if gap is not None:
            note = (
                "Claimed, minus slack (or plus what the worst case exceeds it by), minus weakness "
                "of the attack, minus Monte Carlo, is what was proven."
            )
            height = 168 * len(gap["cases"][0]["attacks"]) + 48
            places.append(Place(gap, "From the promise to the proof", note, height))
        if places:
            found.append(Mechanism(number, name, places, curve is not None))
    return found
