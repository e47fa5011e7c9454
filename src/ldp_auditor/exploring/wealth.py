"""The wealth of the bet against a claim, while a measurement counts.

A bet may be looked at as often as one likes, so that it can be shown while it grows and a
measurement may be stopped at any moment: what is proven then stays proven (docs/betting.md).
"""

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ldp_auditor.audits.chunks import Chunks, Piece
from ldp_auditor.bounds.betting import Wealth
from ldp_auditor.core import Counts
from ldp_auditor.figures.data import Cases, Curves, Line
from ldp_auditor.figures.words import digits, value_in_words

PARTS = (0.5, 0.9, 0.99)
"""Weaker epsilons that are bet against too: parts of what the attack can show. These bets win."""

TIMES_NEEDED = 4.0
"""Wealth is drawn up to the fourth power of what is needed: beyond, nothing is left to prove."""

MORE_TRIALS = 1.05
"""A bet is looked at again after 5% more trials: a hundred looks in all."""


@dataclass
class Bet:
    """The counts of one audit as they grow, and what betting on them has made of 1."""

    chunks: Chunks
    protocol: str
    place: int
    claimed: float
    """The epsilon that is promised."""
    shown: float
    """What the attack shows in the end, or what is promised if that is not known."""
    hits: dict[tuple[int, int], int] = field(default_factory=dict)
    """Of every side and chunk that is counted."""
    counted: int = 0
    """Chunks of which both sides are there, from the first one on: bets are placed in order."""
    counts: Counts = field(default_factory=lambda: Counts(0, 0, 0))
    trials: list[int] = field(default_factory=list)
    """After how many the bets were looked at, the wealth before them being 1."""
    logs: list[list[float]] = field(default_factory=list)
    """Decimal logarithms of the wealth at every look, in the order of `against`."""
    proven: float = 0.0
    proven_after: int = 0
    """Trials after which the most was proven; it stays proven, though later bounds be lower."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def against(self) -> tuple[float, ...]:
        """Epsilons that are bet against: what is promised, and less than what the attack shows."""
        return (self.claimed, *(part * self.shown for part in PARTS))

    def add(self, piece: Piece, hits: int) -> None:
        """Take one chunk of one side, and look at the bets if enough is new."""
        self.hits[piece.side, piece.first_chunk] = hits
        while (0, self.counted) in self.hits and (1, self.counted) in self.hits:
            chunk, self.counted = self.counted, self.counted + 1
            trials = self.chunks.trials_of(chunk, chunk + 1)
            found = (self.hits.pop((side, chunk)) for side in (0, 1))
            self.counts += Counts(trials, *found)
        last = self.trials[-1] if self.trials else 0
        is_end = self.counted == self.chunks.chunks and self.counts.trials > last
        if self.counts.trials > MORE_TRIALS * last or is_end:
            self._look()

    def _look(self) -> None:
        plan = self.chunks.plan.looks[0]
        wealth = Wealth.of([(1.0, self.counts)], plan.claim.delta)
        logs = [wealth.log_against(each * plan.distance) / math.log(10) for each in self.against]
        with self._lock:
            proven = wealth.bound(plan.alpha) / plan.distance
            if proven >= self.proven:
                self.proven, self.proven_after = proven, self.counts.trials
            self.trials.append(self.counts.trials)
            self.logs.append(logs)

    @property
    def has_begun(self) -> bool:
        """Whether there is something to show."""
        return bool(self.trials)

    @property
    def words(self) -> str:
        """How the bet stands, in a sentence."""
        with self._lock:
            earlier = self.proven_after < self.trials[-1]
            when = f" (after {self.proven_after:,} of them)" if earlier else ""
            return (
                f"{self.protocol}, {self.trials[-1]:,} trials: proven so far ε ≥ "
                f"{digits(self.proven)}{when}; a bet of 1 against the claim "
                f"ε = {value_in_words(self.claimed)} is now worth {_amount(self.logs[-1][0])}."
            )

    @property
    def figure(self) -> Curves:
        """The wealth over the trials, a line for every epsilon that is bet against."""
        nothing_won = [0.0] * len(self.against)
        with self._lock:
            trials, logs = [0, *self.trials], [nothing_won, *self.logs]
        needed = -math.log10(self.chunks.plan.alpha)
        most = TIMES_NEEDED * needed
        lines = [
            Line(
                _name(index, epsilon),
                "exact" if index else "claimed",
                trials,
                [max(-most, min(look[index], most)) for look in logs],
                place=self.place + index if index else None,
                marks="full" if index else "",
            )
            for index, epsilon in enumerate(self.against)
        ]
        words = f"enough: 1 / alpha = {value_in_words(10**needed)}"
        enough = Line(words, "limit", trials, [needed] * len(trials))
        return Curves(
            f"Wealth of the bets against {self.protocol}",
            "trials of each input",
            [*lines, enough],
            y_title=f"wealth, powers of ten, up to {most:g}",
        )


def _amount(log: float) -> str:
    """A wealth, of which its decimal logarithm is known.

    >>> _amount(-1.2), _amount(2.0), _amount(40.2)
    ('0.063', '100', '10^40')
    """
    return value_in_words(float(f"{10**log:.2g}")) if -4 < log < 6 else f"10^{log:.0f}"


def _name(index: int, epsilon: float) -> str:
    if index == 0:
        return f"against the claim ε = {value_in_words(epsilon)}"
    return f"against {PARTS[index - 1]:.0%} of what the attack shows, ε = {digits(epsilon)}"


def wealth_for_page(bets: Sequence[Bet]) -> dict[str, Any] | None:
    """The bets of a measurement as a figure for every protocol; the latest one is shown."""
    begun = [bet for bet in bets if bet.has_begun]
    if not begun:
        return None
    names = [bet.protocol for bet in begun]
    figures = [bet.figure for bet in begun]
    cases = Cases("wealth of the bets", "", names, figures, len(begun) - 1)
    return {"figure": cases.to_plain(), "words": [bet.words for bet in begun]}
