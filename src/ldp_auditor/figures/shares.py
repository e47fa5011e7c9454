"""What part of its promise was proven of every mechanism, whatever its settings."""

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from ldp_auditor.figures.data import Bars, BarSeries
from ldp_auditor.figures.points import AXES, Point, varied, words_of
from ldp_auditor.figures.series import attack_places, attack_title
from ldp_auditor.figures.words import (
    claim_in_words,
    inputs_in_words,
    share_in_words,
    short,
)
from ldp_auditor.results.check_result import CheckResult

EACH_AT_ITS_WORST = "each where it proves the most of its promise"
SEARCH = "search for events"
"""What a check does instead of an attack."""

MOST_DRAWN = 3.0
"""Promises beyond which a bar is cut, so that one gross violation leaves room for the others."""


@dataclass(frozen=True)
class Share:
    """Epsilons of one mechanism under one attack as parts of what it promises."""

    proven: float
    exact: float | None
    worst: float | None


def alarm_of(points: Sequence[Point], by_chance: bool = False) -> int:
    """Sort mechanisms: proven in violation, broken by theory, `by_chance`, others, no promise."""
    if by_chance:
        return 2
    if any(point.violations for point in points):
        return 0
    if not points[0].promises:
        return 4
    return 1 if any(point.broken_by_theory for point in points) else 3


def shares_of(
    points: Mapping[str, Sequence[Point]],
    checks: Sequence[CheckResult],
    by_chance: Set[str] = frozenset(),
) -> Bars:
    """Bars of every mechanism and check: the most that was proven, as a part of the promise.

    Mechanisms of `by_chance` are measured above their promise by chance.
    """
    rows: list[tuple[int, str, str, dict[str, Share | None]]] = []
    for mechanism, mine in points.items():
        worst = max(mine, key=proven_part)
        names = [name for name in varied(mine) if name in AXES]
        more = words_of(worst.setting, names) if worst.promises else "promises nothing"
        by_attack = {point.first.attack: _share(point) for point in sorted(mine, key=proven_part)}
        name = short(f"{mechanism}, {more}" if more else mechanism, 60)
        rows.append((alarm_of(mine, mechanism in by_chance), name, mechanism, by_attack))
    for check in checks:
        proven = check.best.empirical_epsilon if check.findings else 0.0
        claimed = check.claim.epsilon
        found = Share(proven / claimed, None, None) if 0 < claimed < math.inf else None
        rank = 0 if check.verdict == "violation" else 3
        rows.append((rank, _name_among(check, checks), check.name, {SEARCH: found}))
    rows.sort(key=lambda row: (row[0], -_most(row[3])))
    attacks = dict.fromkeys(attack for *_, by_attack in rows for attack in by_attack)
    places = attack_places(list(attacks))
    every = [share for *_, by_attack in rows for share in by_attack.values() if share]
    known = [
        value
        for share in every
        for value in (share.proven, share.exact)
        if value is not None and value < math.inf
    ]
    return Bars(
        title="The part of its promise that was proven of every mechanism",
        names=[name for _, name, _, _ in rows],
        claimed=[1.0 if any(found.values()) else math.inf for *_, found in rows],
        worst=[next((s.worst for s in found.values() if s), None) for *_, found in rows],
        series=[
            _series(attack, places[attack], [found.get(attack) for *_, found in rows])
            for attack in attacks
        ],
        claimed_name="the promise",
        unclaimed_name="",
        top=1.12 * min(max(1.0, *known, 1.0), MOST_DRAWN),
        value_title="proven epsilon / claimed epsilon",
        mechanisms=[mechanism for _, _, mechanism, _ in rows],
    )


def _name_among(check: CheckResult, checks: Sequence[CheckResult]) -> str:
    """The name of a check, and what tells it from others of the same name."""
    same = [other for other in checks if other.name == check.name]
    more = [
        claim_in_words(check.claim) if len({other.claim for other in same}) > 1 else "",
        inputs_in_words(check) if len({repr(other.values) for other in same}) > 1 else "",
    ]
    return short(", ".join([check.name, *filter(None, more)]), 60)


def proven_part(point: Point) -> float:
    """The part of its promise that was proven; 0 where nothing is promised."""
    return point.measured / point.claimed if point.promises and point.claimed else 0.0


def _share(point: Point) -> Share | None:
    if not point.promises or not point.claimed:
        return None
    parts = [None if v is None else v / point.claimed for v in (point.exact, point.worst)]
    return Share(proven_part(point), *parts)


def _most(by_attack: Mapping[str, Share | None]) -> float:
    return max((share.proven for share in by_attack.values() if share), default=0.0)


def _series(attack: str, place: int, found: Sequence[Share | None]) -> BarSeries:
    name = attack if attack == SEARCH else attack_title(attack)
    return BarSeries(
        name=f"{name}, proven",
        place=place,
        measured=[share.proven if share else None for share in found],
        words=["" if share is None else share_in_words(share.proven, 1) for share in found],
        exact=[share.exact if share else None for share in found],
        exact_name=f"{name}, unlimited trials",
    )
