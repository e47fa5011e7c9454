"""Sections 4.1 and 5.1: what an audit can find at most."""

from __future__ import annotations

import math

from ldp_auditor.bounds.clopper_pearson import lower_limit, two_sided_bound, upper_limit
from ldp_auditor.core import Counts
from ldp_auditor.studies.claims.comparisons import Finding, at_most
from ldp_auditor.studies.claims.shapes import estimate, of_claim, rate
from ldp_auditor.studies.claims.statement import Place, Statement, every
from ldp_auditor.studies.claims.view import Estimate, View
from ldp_auditor.studies.figure_04 import DELTAS
from ldp_auditor.studies.figure_06 import REPORTS
from ldp_auditor.studies.figure_07 import FAKE_DATA
from ldp_auditor.studies.settings import (
    DELTA,
    DOMAIN_SIZES,
    EPSILONS,
    FINITE,
    GAUSSIAN,
    HIGH_PRIVACY,
    PURE,
)
from ldp_auditor.studies.study import ALPHA, PAPER_TRIALS

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


def _below_limit(view: View, place: Place) -> Finding:
    """With unlimited trials there is no limit: exact are the counts that 10^6 trials expect."""
    found = estimate(view, place)
    if not view.exact:
        return at_most(found, found.limit)
    delta = place.get("delta", DELTA if place["mechanism"] in (*FINITE, *GAUSSIAN) else 0.0)
    hits, alarms = (
        round(PAPER_TRIALS * rate(side)(view, place).value)
        for side in ("true_positive", "false_positive")
    )
    proven = two_sided_bound(Counts(PAPER_TRIALS, hits, alarms), ALPHA, delta)
    return at_most(Estimate(proven, 0.0, found.limit), found.limit)


def _below_composition(view: View, place: Place) -> Finding:
    return at_most(estimate(view, place), place["epsilon"] * place["reports"])


CELLS = [
    *every(mechanism=[*PURE, *FINITE, "AGM"], epsilon=EPSILONS, domain_size=DOMAIN_SIZES),
    *every(mechanism=["GM"], epsilon=HIGH_PRIVACY, domain_size=DOMAIN_SIZES),
]
"""All of figures 2 and 3."""

DELTAS_TOO = every(
    mechanism=[*FINITE, *GAUSSIAN],
    epsilon=HIGH_PRIVACY,
    delta=DELTAS,
    domain_size=[25, 100, 150, 200],
)
"""Approximate protocols of figures 4 and 10."""

OVER_TIME = every(
    mechanism=[*PURE, *GAUSSIAN],
    epsilon=HIGH_PRIVACY,
    domain_size=[2, 25, 50, 100],
    reports=REPORTS,
)
"""All of figures 6 and 11."""

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
        name="below-claim",
        section="4.1",
        words="The estimate never exceeds the claimed epsilon (figures 2, 3, 4 and 10)",
        studies=("figure-2", "figure-3", "figure-4", "figure-10"),
        places=[*CELLS, *DELTAS_TOO],
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
        name="below-claim-over-time",
        section="4.1",
        words="The estimate never exceeds the claimed epsilon times reports (figures 6 and 11)",
        studies=("figure-6", "figure-11"),
        places=OVER_TIME,
        test=_below_composition,
    ),
    Statement(
        name="below-limit",
        section="4.1",
        words="The estimate never exceeds the limit of the number of trials (figures 2, 3, 6 and "
        "11; exact: at the counts that 10^6 trials expect)",
        studies=("figure-2", "figure-3", "figure-6", "figure-11"),
        places=[*CELLS, *OVER_TIME],
        test=_below_limit,
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
