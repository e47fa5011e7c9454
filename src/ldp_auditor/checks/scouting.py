"""Which inputs of a range to check: the ends, and whatever is near the worst pair.

A few rounds draw reports of some points of the ranges, search them as a check does, and go on with
points that are ever closer to those of the strongest events. The check that follows has a fixed
list of inputs and reports of its own, so nothing has to be paid for but these reports.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ldp_auditor.checks.bets import ChosenEvent
from ldp_auditor.checks.plan import CheckPlan
from ldp_auditor.checks.ranges import Point, Range
from ldp_auditor.checks.sampling import OpenTarget, Sampling, Searching
from ldp_auditor.execution.contract import Engine
from ldp_auditor.seeding import stream_key

ROUNDS = 8
"""Rounds at most; each halves the distance at which neighbours are tried."""

REPORTS = (30, 250)
"""Reports of every point in a round: fewest and most."""

PLACES = 4
"""Points of every range that are new in each round, wherever the worst pair is."""

SHARE = 5
"""At most this part of the budget is spent: one in so many."""


@dataclass(frozen=True)
class _Input:
    """A value that is tried, and where in which range it lies."""

    value: Any
    within: Range | None = None
    point: Point = ()

    def around(self, halvings: int) -> list["_Input"]:
        """Its neighbours."""
        if self.within is None:
            return []
        return [_input(self.within, point) for point in self.within.around(self.point, halvings)]

    @property
    def name(self) -> str:
        """The same for the same value."""
        return repr(self.value)


def _input(within: Range, point: Point) -> _Input:
    return _Input(within.value(point), within, point)


def _unique(inputs: Iterable[_Input]) -> list[_Input]:
    return list({one.name: one for one in inputs}.values())


def ends_of(values: Sequence[Any]) -> list[Any]:
    """Values, with both ends and the middle in place of a range."""
    found = [
        [_input(v, point) for point in v.first[:3]] if isinstance(v, Range) else [_Input(v)]
        for v in values
    ]
    return [one.value for one in _unique(one for several in found for one in several)]


def refined(
    plan: CheckPlan, engine: Engine, opener: OpenTarget, progress: Callable[[int], None] | None
) -> tuple[CheckPlan, int]:
    """A plan with values in place of its ranges, and how many reports were spent on finding them.

    They are those of the strongest events of the last round, and the ends.
    """
    scouts = _Scouts(plan, engine, opener, progress)
    lasting = [_Input(v) for v in plan.values if not isinstance(v, Range)]
    ranges = [v for v in plan.values if isinstance(v, Range)]
    lasting += [_input(v, point) for v in ranges for point in v.first[:2]]
    tried = _unique([*lasting, *(_input(v, point) for v in ranges for point in v.first)])
    worst: list[_Input] = []
    for turn in range(ROUNDS):
        events = scouts.events(tried, turn)
        if not events:
            break
        worst = _unique(tried[i] for event in events for i in (event.first, event.second))
        closer = [near for one in worst[:2] for near in one.around(turn + 1)]
        anywhere = [
            _input(v, v.between(place))
            for v in ranges
            for place in range(PLACES * turn + 1, PLACES * turn + PLACES + 1)
        ]
        tried = _unique([*worst, *lasting, *closer, *anywhere])
    chosen = _unique([*worst, *lasting])
    values = tuple(one.value for one in chosen) if worst else tuple(ends_of(plan.values))
    return replace(plan, values=values, trials=plan.trials - scouts.reports), scouts.reports


@dataclass
class _Scouts:
    """Reports that serve to choose inputs, and nothing else."""

    plan: CheckPlan
    engine: Engine
    opener: OpenTarget
    progress: Callable[[int], None] | None
    reports: int = 0
    made: dict[str, list[bytes]] = field(default_factory=dict)
    """Reports of every input that was tried, by its name."""

    def events(self, tried: Sequence[_Input], turn: int) -> Sequence[ChosenEvent]:
        """Draw more reports of some inputs and search all of theirs; none if all is spent."""
        plan, left = self.plan, self.plan.trials // SHARE - self.reports
        n = min(REPORTS[1], left // (len(tried) * max(1, ROUNDS - turn)))
        n = n if n >= REPORTS[0] else min(REPORTS[0], left // len(tried))
        if n < REPORTS[0]:
            return ()
        stream = stream_key({"range": [one.name for one in tried], "claim": repr(plan.claim)})
        inputs = tuple((i, one.value) for i, one in enumerate(tried))
        drawing = Sampling(inputs, n, plan.seed, stream, turn, keep=True)
        outcome = self._done(drawing)
        self.reports += n * len(tried)
        if self.progress is not None:
            self.progress(n * len(tried))
        for one, packed in zip(tried, outcome.reports, strict=True):
            self.made.setdefault(one.name, []).append(packed)
        reports = tuple(tuple(self.made[one.name]) for one in tried)
        values = tuple(one.value for one in tried)
        apart = replace(plan, values=values).distances
        searching = Searching(reports, plan.claim, values, plan.seed, apart)
        found: Sequence[ChosenEvent] = self._done(searching)[1]
        return found

    def _done(self, task: Any) -> Any:
        """Have one worker carry out a task."""
        one = replace(self.engine, most=1)
        [(_, outcome)] = one.map(self.opener, [task], limits=self.plan.limits)
        return outcome
