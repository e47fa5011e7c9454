"""The paper's distinguishability attack: guess the value behind a report [Arcolezi24]."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ldp_auditor.core import GuessableMechanism, InputPair, Rates, Reports
from ldp_auditor.errors import require


@dataclass(frozen=True)
class PaperAttack:
    """Accuses the pair's first value of exactly the reports whose guess it is."""

    mechanism: GuessableMechanism
    pair: InputPair

    def __post_init__(self) -> None:
        require(
            hasattr(self.mechanism, "guess"),
            f"{self.mechanism.name} has no method guess(reports, rng), which the paper's attack "
            "needs: it returns the value that each report most likely came from",
        )

    def accuse(self, reports: Reports, rng: Generator) -> NDArray[np.bool_]:
        """Tell for every report whether the guess is the pair's first value."""
        accused: NDArray[np.bool_] = self.mechanism.guess(reports, rng) == self.pair.first
        return accused

    def rates(self) -> Rates | None:
        """The mechanism's `guess_rates`, where it knows them."""
        exact: Callable[[], Rates] | None = getattr(self.mechanism, "guess_rates", None)
        return None if exact is None else exact()
