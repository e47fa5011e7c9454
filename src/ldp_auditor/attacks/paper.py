"""The paper's distinguishability attack: guess the value behind a report [Arcolezi24]."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ldp_auditor.core import Goal, InputPair, Rates, Reports
from ldp_auditor.errors import AuditError
from ldp_auditor.mechanisms.capabilities import Guesses, KnowsRates, inputs_of


@dataclass(frozen=True)
class PaperAttack:
    """Accuses the pair's first input of exactly the reports whose guess names it."""

    needs: ClassVar[type] = Guesses
    pilot_trials: ClassVar[int] = 0

    mechanism: Any
    pair: InputPair

    @classmethod
    def prepare(cls, mechanism: Any, pair: InputPair, goal: Goal) -> Self:
        """Take the attack as it is; it needs no choice."""
        return cls(mechanism, pair)

    def accuse(self, reports: Reports, rng: Generator) -> NDArray[np.bool_]:
        """Tell for every report whether the guess names the pair's first input."""
        guesses = np.asarray(self.mechanism.guess(reports, rng))
        inputs = inputs_of(self.mechanism)
        if guesses.ndim == 0 or len(guesses) != len(reports) or not inputs.are_guesses(guesses):
            raise AuditError(  # words are made for an error alone: this is done for every batch
                f"{self.mechanism.name}.guess must return {inputs.guess_words} for each of "
                f"{len(reports)} reports, got shape {guesses.shape} of {guesses.dtype}"
            )
        return inputs.attributed(guesses, self.pair, rng)

    def rates(self) -> Rates | None:
        """The mechanism's `guess_rates`, where it knows them."""
        knows = isinstance(self.mechanism, KnowsRates)
        return self.mechanism.guess_rates(self.pair) if knows else None
