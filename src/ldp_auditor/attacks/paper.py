"""The paper's distinguishability attack: guess the value behind a report [Arcolezi24]."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ldp_auditor.core import Goal, InputPair, Rates, Reports
from ldp_auditor.errors import require
from ldp_auditor.mechanisms.capabilities import Guesses, KnowsRates


@dataclass(frozen=True)
class PaperAttack:
    """Accuses the pair's first value of exactly the reports whose guess it is."""

    needs: ClassVar[type] = Guesses
    pilot_trials: ClassVar[int] = 0

    mechanism: Any
    pair: InputPair

    @classmethod
    def prepare(cls, mechanism: Any, pair: InputPair, goal: Goal) -> Self:
        """Take the attack as it is; it needs no choice."""
        return cls(mechanism, pair)

    def accuse(self, reports: Reports, rng: Generator) -> NDArray[np.bool_]:
        """Tell for every report whether the guess is the pair's first value."""
        guesses = np.asarray(self.mechanism.guess(reports, rng))
        is_record = isinstance(self.pair.first, tuple)
        require(
            guesses.shape == ((len(reports), 2) if is_record else (len(reports),))
            and np.issubdtype(guesses.dtype, np.integer),
            f"{self.mechanism.name}.guess must return "
            f"{'an attribute and its value' if is_record else 'one whole number'} for each of "
            f"{len(reports)} reports, got shape {guesses.shape} of {guesses.dtype}",
        )
        accused: NDArray[np.bool_]
        if is_record:
            accused = guesses[:, 1] == np.array(self.pair.first)[guesses[:, 0]]
        else:
            accused = guesses == self.pair.first
        return accused

    def rates(self) -> Rates | None:
        """The mechanism's `guess_rates`, where it knows them."""
        knows = isinstance(self.mechanism, KnowsRates)
        return self.mechanism.guess_rates(self.pair) if knows else None
