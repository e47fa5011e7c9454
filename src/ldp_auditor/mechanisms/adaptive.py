"""The adaptive choice: whichever of GRR and OUE estimates rare values with the smaller variance."""

from functools import cached_property

from numpy.random import Generator

from ldp_auditor.core import Floats, InputPair, Rates, Reports, Values
from ldp_auditor.mechanisms.estimation import FrequencyEstimator
from ldp_auditor.mechanisms.frequency_oracle import FrequencyOracle
from ldp_auditor.mechanisms.randomized_response import GRR
from ldp_auditor.mechanisms.unary_encoding import OUE
from ldp_auditor.portable_math import exp
from ldp_auditor.theory.discrete_laws import OneLevelLaw
from ldp_auditor.theory.estimation import ScoreLaw


class ADP(FrequencyOracle, FrequencyEstimator):
    """GRR below 3 e^epsilon + 2 values, else OUE [Wang17, Arcolezi21].

    There (e^epsilon + k - 2) and 4 e^epsilon, the variances of a rare value up to a common factor,
    are equal. The choice depends on nothing that a user holds, so that the claim is theirs.
    """

    name = "ADP"
    summary = "adaptive choice of GRR or OUE by their variance"
    family = "sketches"

    @cached_property
    def choice(self) -> GRR | OUE:
        """The protocol that is used."""
        smaller = self.domain_size < 3 * exp(self.epsilon) + 2
        protocol = GRR if smaller else OUE
        return protocol(epsilon=self.epsilon, domain_size=self.domain_size, delta=self.delta)

    @property
    def report_bytes(self) -> int:
        return self.choice.report_bytes

    def privatize(self, value: int, n: int, rng: Generator) -> Reports:
        return self.choice.privatize(value, n, rng)

    def guess(self, reports: Reports, rng: Generator) -> Values:
        return self.choice.guess(reports, rng)

    def guess_rates_over(self, pair: InputPair, reports: int) -> Rates | None:
        return self.choice.guess_rates_over(pair, reports)

    def add_scores(self, reports: Reports, totals: Floats) -> None:
        self.choice.add_scores(reports, totals)

    def add_to_tally(self, reports: Reports, tally: Floats) -> None:
        """Add the scores of a batch as the protocol that is used does."""
        self.choice.add_to_tally(reports, tally)

    def loss_law(self, pair: InputPair) -> OneLevelLaw:
        """Return the exact law of the loss of a report."""
        return self.choice.loss_law(pair)

    def log_likelihood_ratio(self, reports: Reports, pair: InputPair) -> Floats:
        """Return ln P(report | first) - ln P(report | second) for every report."""
        return self.choice.log_likelihood_ratio(reports, pair)

    @property
    def score_law(self) -> ScoreLaw:
        return self.choice.score_law

    def attack_success(self, prior: Floats | None = None) -> float | None:
        """How often the best guess of a value from one report is right."""
        return self.choice.attack_success(prior)

    def attack_success_over(self, reports: int, prior: Floats | None = None) -> float | None:
        """How often the best guess of a value from many reports is right."""
        return self.choice.attack_success_over(reports, prior)

    def wire_bits(self, reports: int = 1) -> tuple[float, float | None]:
        """Return bits of a report."""
        return self.choice.wire_bits(reports)
