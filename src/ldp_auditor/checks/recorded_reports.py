"""`check_recorded`: reports that were collected elsewhere, against a claim."""

import math
import pickle
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from ldp_auditor.checks.bets import Bet, ChosenEvent
from ldp_auditor.checks.evidence import result_of
from ldp_auditor.checks.plan import LEAST, CheckPlan, most_searched
from ldp_auditor.checks.search.finder import Pilot
from ldp_auditor.checks.search.layout import Table, tables
from ldp_auditor.checks.search.scores import can_learn
from ldp_auditor.checks.searching import search
from ldp_auditor.checks.sequence import conduct, part
from ldp_auditor.core import Counts
from ldp_auditor.errors import AuditError, describe, require
from ldp_auditor.results.check_result import CheckResult
from ldp_auditor.seeding import chunk_generator, random_order, stream_key


@dataclass
class Recorded:
    """Reports that are there already, in the order in which they are looked at."""

    plan: CheckPlan
    made: Sequence[Sequence[Any]]
    """Reports of every input."""
    supports: Callable[[Any, Any], bool] | None
    learn: bool
    shares = False
    is_full = False
    reports: int = 0
    notes: tuple[str, ...] = ()
    drawn: list[int] = field(default_factory=list)
    """How many reports of every input were looked at."""
    found: list[tuple[Any, Sequence[Any]]] = field(default_factory=list)
    """Layout and events of every search."""

    def __post_init__(self) -> None:
        self.drawn = [0 for _ in self.made]

    def left(self, inputs: Sequence[int]) -> int:
        """How many more reports of each of these inputs there are."""
        return min(len(self.made[i]) - self.drawn[i] for i in inputs)

    @property
    def most_searched(self) -> int:
        """Largest number of reports of one input that a search looks at."""
        first = self.made[0][:2]
        try:
            return most_searched(len(pickle.dumps(first)) / max(1, len(first)))
        except Exception:  # they may be anything
            return most_searched(math.inf)

    def draw(
        self, inputs: Sequence[int], n: int, bets: Sequence[Bet], keep: bool
    ) -> Iterator[list[tuple[Bet, Counts]]]:
        """Look at `n` more reports of each of these inputs, in parts."""
        at_once = part(n, len(inputs), bool(bets))
        for start in range(0, n, at_once):
            count = min(at_once, n - start)
            parts = {i: self.following(i, count, keep) for i in inputs}
            self.reports += count * len(inputs)
            yield list(self._counted(parts, bets, count))

    def following(self, i: int, n: int, keep: bool) -> Sequence[Any]:
        """The next `n` reports of an input."""
        self.drawn[i] += n
        return self.made[i][self.drawn[i] - n : self.drawn[i]]

    def _counted(
        self, parts: Mapping[int, Sequence[Any]], bets: Sequence[Bet], n: int
    ) -> Iterator[tuple[Bet, Counts]]:
        searches = sorted({bet.search for bet in bets})
        layouts = [self.found[search][0] for search in searches]

        @cache
        def made(i: int) -> Mapping[int, Table]:
            return dict(zip(searches, tables(layouts, parts[i]), strict=True))

        def count(bet: Bet, i: int) -> int:
            event = self.found[bet.search][1][bet.place]
            return int(np.count_nonzero(event.holds(parts[i], made(i)[bet.search])))

        for bet in bets:
            yield bet, Counts(n, count(bet, bet.event.first), count(bet, bet.event.second))

    def search(self) -> tuple[ChosenEvent, ...]:
        """Propose events from the reports that were looked at so far."""
        ends = [min(drawn, self.most_searched) for drawn in self.drawn]
        seen = [made[:end] for made, end in zip(self.made, ends, strict=True)]
        plan = self.plan
        pilot = Pilot(seen, plan.claim, plan.values, self.supports, plan.score, plan.distances)
        layout, events, chosen = search(pilot, self.learn, plan.seed)
        self.notes = layout.notes
        self.found.append((layout, events))
        return chosen

    def finish(self) -> None:
        """Nothing is under way."""


def check_recorded(
    name: str,
    reports: Mapping[Any, Sequence[Any]] | Sequence[tuple[Any, Sequence[Any]]],
    *,
    supports: Callable[[Any, Any], bool] | None = None,
    **settings: Any,
) -> CheckResult:
    """Check reports that were collected elsewhere: events are bet on as the reports are read.

    They are read in random order, because files may be sorted. An event is bet on with as many
    reports of each of its two inputs as the rarer one has.
    """
    started = time.perf_counter()
    pairs = list(reports.items() if isinstance(reports, Mapping) else reports)
    values = tuple(value for value, _ in pairs)
    plan = CheckPlan(name=name, values=values, **{"trials": LEAST * len(values), **settings})
    rng = chunk_generator(plan.seed, stream_key({"recorded": plan.plain_values}), 0, 0)
    learned = can_learn(plan.learn)
    shuffled: list[list[Any]] = []
    for value, made in pairs:
        require(
            len(made) >= 50,
            f"every value needs 50 recorded reports at least, got {len(made)} of {value!r}",
        )
        shuffled.append([made[i] for i in random_order(rng, len(made))])
    try:
        course = conduct(plan, Recorded(plan, shuffled, supports, learned))
    except AuditError:
        raise
    except Exception as error:  # they may be anything
        raise AuditError(
            f"the reports of {name} cannot be looked into: {describe(error)}"
        ) from error
    return result_of(course, started, learned)
