"""Random numbers that are used again: whether a report is the one of so many calls earlier.

How many calls is learned from earlier reports. Of the next two reports of one input the first is
as likely the one that is equal to a report of the past as the second, whichever that is and however
it was chosen.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ldp_auditor.adapters.canonical import canonical
from ldp_auditor.checks.dependence import AGAIN, Coin, Flips
from ldp_auditor.core import Floats

FIRST_LAG, MOST_LAG = 5, 512
"""Calls after which a report may come again; all calls count, also those with other inputs. What
comes again sooner is told by nearness."""

BLOCK = 32
"""Calls after which the lags are judged anew; an even number."""

CLEAR = 3.0
"""Standard errors by which a lag has more equal reports than all lags have, before it is used."""

Ints = NDArray[np.int64]
LAGS: Ints = np.arange(FIRST_LAG, MOST_LAG + 1)


@dataclass
class Repeats:
    """Reports of one input by the number of their call, and how often lags had equal ones."""

    input: int
    end: int = 0
    """The number of the next call."""
    names: dict[Hashable, int] = field(default_factory=dict)
    """Numbers of all different reports."""
    window: Ints = field(default_factory=lambda: np.full(MOST_LAG, -1))
    """The last calls before `end`; -1 where they were with another input."""
    tries: Ints = field(default_factory=lambda: np.zeros(len(LAGS), dtype=np.int64))
    equal: Ints = field(default_factory=lambda: np.zeros(len(LAGS), dtype=np.int64))
    """How often a report was held against the one of a lag, and was equal to it."""

    def add(self, reports: Sequence[object], at: int, flips: Flips) -> None:
        """Add reports of calls from number `at` on; what falls is added to `flips`."""
        gap = min(max(0, at - self.end), MOST_LAG)
        forms = map(canonical, reports)
        made = [self.names.setdefault(form, len(self.names)) for form in forms]
        line = np.concatenate([self.window[gap:], np.full(gap, -1), np.array(made, dtype=np.int64)])
        for start in range(MOST_LAG, len(line), BLOCK):
            calls = np.arange(start, min(start + BLOCK, len(line)))
            before = line[calls[:, None] - LAGS]
            self._throw(line[calls], before, flips)
            self.tries += (before >= 0).sum(axis=0)
            self.equal += (before == line[calls, None]).sum(axis=0)
        self.window = line[-MOST_LAG:]
        self.end = at + len(reports)

    def _throw(self, made: Ints, before: Ints, flips: Flips) -> None:
        """Of every two reports, which is the one that the clearest lag promised for the first."""
        scores = self._scores()
        if scores.max() < CLEAR:
            return
        for i in range(0, len(made) - 1, 2):
            lag = int(np.argmax(np.where(before[i] >= 0, scores, -np.inf)))
            promised = before[i, lag]
            fell = int(made[i] == promised) - int(made[i + 1] == promised)
            if fell and promised >= 0 and scores[lag] >= CLEAR:
                flips[Coin(AGAIN, input=self.input), fell > 0] += 1

    def _scores(self) -> Floats:
        """Standard errors by which every lag has more equal reports than all lags together."""
        share = self.equal.sum() / max(1, int(self.tries.sum()))
        spread = np.sqrt(np.maximum(self.tries, 1) * (share * (1 - share)))
        found: Floats = (self.equal - share * self.tries) / np.maximum(spread, 1e-9)
        return found
