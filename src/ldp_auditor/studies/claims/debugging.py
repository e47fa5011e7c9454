"""Section 5.7: pure-ldp 1.1.2, whose unary encoding forgets to clear a bit.

Its exact rates follow from that: the true bit is 1 if either of two draws says so.
"""

from ldp_auditor.adapters.oracles import ForeignUnaryEncoding, unary_probabilities
from ldp_auditor.core import FIRST_TWO_VALUES
from ldp_auditor.studies.claims.comparisons import Answer, at_most
from ldp_auditor.studies.claims.readings import estimate, of_theory
from ldp_auditor.studies.claims.statement import Settings, every
from ldp_auditor.studies.claims.view import Estimate, View, paper_limit
from ldp_auditor.studies.settings import DOMAIN_SIZES, EPSILONS

PACKAGE = "pure-ldp:"
CAUGHT = [epsilon for epsilon in EPSILONS if epsilon < 1]


def old_version(protocol: str, epsilon: float, domain_size: int = 25) -> ForeignUnaryEncoding:
    """Return the unary encoding that forgets to clear the bit."""
    target = PACKAGE + protocol.removeprefix(PACKAGE)
    return ForeignUnaryEncoding(
        target=target, version="1.1.2", epsilon=epsilon, domain_size=domain_size
    )


def exact_epsilon(protocol: str, epsilon: float, domain_size: int) -> float:
    """Epsilon of the paper's attack on it."""
    rates = old_version(protocol, epsilon, domain_size).guess_rates(FIRST_TWO_VALUES)
    assert rates is not None
    return rates.epsilon(0.0)


def with_bug(view: View, place: Settings) -> Estimate:
    """The epsilon of the place's protocol; the table has no exact ones."""
    if not view.exact:
        return estimate(view, place)
    value = exact_epsilon(place["mechanism"], place["epsilon"], place["domain_size"])
    return Estimate(value, 0.0, paper_limit(0.0))


def _bit_intended(place: Settings) -> float:
    return unary_probabilities(place["mechanism"].removeprefix(PACKAGE), place["epsilon"])[0]


def _worst_case(place: Settings) -> float:
    law = old_version(place["mechanism"], place["epsilon"]).loss_law(FIRST_TWO_VALUES)
    return law.epsilon(0.0)


TRUE_BIT = of_theory(_bit_intended)
"""The probability that the true bit is meant to be sent as 1."""
TRUE_BIT_EXCESS = of_theory(
    lambda place: old_version(place["mechanism"], place["epsilon"]).p - _bit_intended(place)
)
WORST_CASE_WITH_BUG = of_theory(_worst_case)


def _detected_somewhere(view: View, place: Settings) -> Answer:
    """The estimate exceeds the claim at some epsilon < 1 and some k."""
    cells = [{**place, **cell} for cell in every(epsilon=CAUGHT, domain_size=DOMAIN_SIZES)]
    found = [at_most(with_bug(view, cell), cell["epsilon"]).negated for cell in cells]
    worst = min(found, key=lambda finding: finding.off)
    caught = sum(finding.holds for finding in found)
    return Answer(caught > 0, f"at {caught} of {len(cells)} cells; most: {worst.numbers}")


TESTS = {"detected_somewhere": _detected_somewhere}
