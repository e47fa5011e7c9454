"""Sections 4.1 and 5.1: what an audit can find at most."""

from __future__ import annotations

import math
from typing import Any

from ldp_auditor.attacks.paper import PaperAttack
from ldp_auditor.bounds.clopper_pearson import lower_limit, two_sided_bound, upper_limit
from ldp_auditor.core import Counts
from ldp_auditor.interface import plan_audit
from ldp_auditor.studies.claims.comparisons import ROUNDING, Finding, at_most
from ldp_auditor.studies.claims.shapes import of_claim, single
from ldp_auditor.studies.claims.statement import Place, Statement, every
from ldp_auditor.studies.claims.view import Estimate, NotKnownError, NotMeasuredError, View
from ldp_auditor.studies.figure_07 import FAKE_DATA
from ldp_auditor.studies.settings import DOMAIN_SIZES, EPSILONS, FINITE, HIGH_PRIVACY, PURE
from ldp_auditor.studies.study import ALPHA

TRIALS = 10_000


def _perfect_rates(exact: bool) -> tuple[float, float]:
    """Limits of both rates after a perfect attack: by a formula, or by the bound that we use."""
    tail = ALPHA / 4
    if exact:
        return tail ** (1 / TRIALS), -math.expm1(math.log(tail) / TRIALS)
    return lower_limit(TRIALS, TRIALS, tail), upper_limit(0, TRIALS, tail)


def _rates_as_printed(view: View, place: Place) -> Finding:
    first, second = _perfect_rates(view.exact)
    return Finding(
        (round(first, 4), round(second, 4)) == (0.9994, 0.0006), f"{first:.6f}, {second:.6f}"
    )


def _limit_as_printed(view: View, place: Place) -> Finding:
    trials: int = place["trials"]
    if view.exact:
        log_rate = math.log(ALPHA / 4) / trials
        limit = log_rate - math.log(-math.expm1(log_rate))
    else:
        limit = two_sided_bound(Counts(trials, trials, 0), ALPHA, 0.0)
    printed = {10_000: "7.42", 1_000_000: "12.025"}[trials]
    digits = len(printed.partition(".")[2])
    return Finding(f"{limit:.{digits}f}" == printed, f"{limit:.6f} against {printed}")


def _below_limit(found: Estimate) -> Finding:
    return at_most(found, found.limit)


def _other_second_value(view: View, place: Place) -> Finding:
    """All pairs have the same rates; tables have the pair of the first two values alone."""
    if not view.exact:
        raise NotMeasuredError("the studies have one pair of values")
    usual, other = (_attack_epsilon(place, second) for second in (1, place["domain_size"] * 4 // 5))
    return Finding(math.isclose(usual, other, rel_tol=ROUNDING), f"{usual:.6f} and {other:.6f}")


def _attack_epsilon(place: Place, second: int) -> float:
    plan = plan_audit(**place, pair=(0, second))
    mechanism: Any = plan.mechanism
    rates = PaperAttack(mechanism, plan.pair).rates()
    if rates is None:
        raise NotKnownError(f"the rates of {place} are not known")
    return rates.epsilon(mechanism.claim.delta)


CELLS = [
    *every(mechanism=[*PURE, *FINITE, "AGM"], epsilon=EPSILONS, domain_size=DOMAIN_SIZES),
    *every(mechanism=["GM"], epsilon=HIGH_PRIVACY, domain_size=DOMAIN_SIZES),
]
"""All of figures 2 and 3."""

STATEMENTS = [
    Statement(
        name="limit-rates",
        section="4.1",
        words="10,000 trials without an error leave 0.9994 and 0.0006 as limits of the rates "
        "(alpha = 0.01)",
        studies=(),
        places=every(trials=[TRIALS]),
        test=_rates_as_printed,
    ),
    Statement(
        name="limit-10k",
        section="4.1",
        words="10,000 trials prove 7.42 at most",
        studies=(),
        places=every(trials=[TRIALS]),
        test=_limit_as_printed,
    ),
    Statement(
        name="second-value",
        section="4.1",
        words="Another second value than the usual one makes no difference "
        "(tested: the value at 4/5 of the domain)",
        studies=(),
        places=CELLS,
        test=_other_second_value,
    ),
    Statement(
        name="below-claim",
        section="4.1",
        words="The estimate never exceeds the claimed epsilon (figures 2 and 3)",
        studies=("figure-2", "figure-3"),
        places=CELLS,
        test=of_claim(at_most),
    ),
    Statement(
        name="below-claim-records",
        section="4.1",
        words="The estimate never exceeds the claimed epsilon (records, figures 7 and 12)",
        studies=("figure-7", "figure-12"),
        places=every(
            mechanism=FAKE_DATA, epsilon=EPSILONS, domain_size=[2, 25, 50, 100], attributes=[2, 10]
        ),
        test=of_claim(at_most),
    ),
    Statement(
        name="below-limit",
        section="4.1",
        words="The estimate never exceeds the limit of the number of trials (figures 2 and 3)",
        studies=("figure-2", "figure-3"),
        places=CELLS,
        test=single(_below_limit),
    ),
    Statement(
        name="limit-million",
        section="5.1",
        words="10^6 trials prove 12.025 at most",
        studies=(),
        places=every(trials=[1_000_000]),
        test=_limit_as_printed,
    ),
]
