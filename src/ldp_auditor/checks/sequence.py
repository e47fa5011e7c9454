"""The course of a check: draw some reports, search them, bet on later ones, draw twice as many.

It ends when the bets are sure, or with the budget. Where reports come from it does not know.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from ldp_auditor.checks.bets import Bet, Bets, ChosenEvent
from ldp_auditor.checks.plan import CheckPlan
from ldp_auditor.core import Counts

LOOKS = 8
"""Into how many parts reports are drawn at least, where an event is bet on."""

CHUNK = 40_000
"""Reports of all inputs that are drawn in one part."""


def part(n: int, inputs: int, is_bet_on: bool) -> int:
    """How many of `n` reports of each of some inputs are drawn before the next look."""
    return max(1, min(-(-n // (LOOKS if is_bet_on else 1)), max(50, CHUNK // inputs)))


class Source(Protocol):
    """Reports of every input, one after the other, and a search that has seen those drawn."""

    reports: int
    """Reports that were drawn so far, of all inputs."""
    notes: tuple[str, ...]
    """How the last search took the reports apart, and what it gave up."""
    shares: bool
    """Whether inputs share one budget, so that fewer inputs can have more reports each."""

    def left(self, inputs: Sequence[int]) -> int:
        """How many more reports of each of these inputs can be drawn."""

    is_full: bool
    """Whether the search has seen what it can keep."""

    @property
    def most_searched(self) -> int:
        """Largest number of reports of one input that a search looks at."""

    def draw(
        self, inputs: Sequence[int], n: int, bets: Sequence[Bet], keep: bool
    ) -> Iterator[list[tuple[Bet, Counts]]]:
        """Draw `n` reports of each of these inputs, in parts; count the events of bets in each.

        They are seen by later searches if `keep` says so.
        """

    def search(self) -> tuple[ChosenEvent, ...]:
        """Propose events from the reports that were drawn so far, the strongest first."""

    def finish(self) -> None:
        """Make no more reports, because the check is over."""


@dataclass
class Course:
    """A check on its way."""

    plan: CheckPlan
    source: Source
    bets: Bets
    searched: int = 0
    """Reports of every input that the last search had."""
    since_search: int = 0
    """Reports of each of the inputs of bets, since the last search."""
    sure_after: int | None = None
    """Reports after which the verdict fell."""

    def run(self, sizes: Sequence[int]) -> None:
        """Go on to the verdict, or to the end of the budget; searches are at these `sizes`."""
        everyone = range(len(self.plan.values))
        for size in sizes:
            if size > self.source.most_searched:
                break
            more, self.searched = size - self.searched, size
            if self._draw(everyone, more):
                return
            self.bets.place(self.source.search())
            self.since_search = 0
            inputs = self.bets.inputs
            some = self.source.shares and 0 < len(inputs) < len(everyone)
            if some and self._draw(inputs, more * len(everyone) // len(inputs)):
                return
            if self.source.is_full:
                break
        while inputs := self._inputs_left():
            if self._draw(inputs, self.source.left(inputs), keep=False):
                return
        self.bets.prove()

    def _inputs_left(self) -> tuple[int, ...]:
        """The inputs of bets that can go on; others end."""
        self.bets.live = [
            bet
            for bet in self.bets.live
            if self.source.left((bet.event.first, bet.event.second)) > 0
        ]
        inputs = self.bets.inputs
        return inputs if inputs and self.source.left(inputs) > 0 else ()

    def _draw(self, inputs: Sequence[int], n: int, keep: bool = True) -> bool:
        """Draw reports, looking after every part; whether that ends the check."""
        for counted in self.source.draw(inputs, n, self.bets.live, keep):
            self.since_search += counted[0][1].trials if counted else 0
            if self.bets.add(counted) and self.sure_after is None:
                self.sure_after = self.source.reports
                self.bets.prove()
                if self.plan.stop:
                    self.source.finish()
                    return True
        return False


def conduct(plan: CheckPlan, source: Source, money: float = 1.0) -> Course:
    """Carry out a check on reports of a source.

    What is missing in `money` to 1 is spared for a check that may begin again (docs/betting.md).
    """
    inputs = len(plan.values)
    left = source.left(range(inputs))
    # What is proposed late has to be proven yet; with more than two inputs as much again as for
    # all of them is spent on those of the bets.
    share = 3 if source.shares and inputs > 2 else 2
    sizes = plan.searches(left // share)
    bets = Bets(plan.claim, plan.alpha, len(sizes), plan.distances, cash=money)
    course = Course(plan, source, bets)
    course.run(sizes)
    return course
