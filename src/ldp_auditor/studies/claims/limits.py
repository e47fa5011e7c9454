"""Sections 4.1 and 5.1: what an audit can find at most."""

import math

from ldp_auditor.bounds.clopper_pearson import lower_limit, two_sided_bound, upper_limit
from ldp_auditor.core import Counts
from ldp_auditor.studies.claims.comparisons import Answer, at_most
from ldp_auditor.studies.claims.readings import ALARMS, HITS, estimate
from ldp_auditor.studies.claims.statement import Settings
from ldp_auditor.studies.claims.view import Estimate, View
from ldp_auditor.studies.settings import (
    DELTA,
    FINITE,
    GAUSSIAN,
)
from ldp_auditor.studies.study import ALPHA, PAPER_TRIALS

TRIALS = 10_000


def _perfect_rates(exact: bool) -> tuple[float, float]:
    """Limits of both rates after a perfect attack: by a formula, or by the bound that we use."""
    tail = ALPHA / 4
    if exact:
        return tail ** (1 / TRIALS), -math.expm1(math.log(tail) / TRIALS)
    return lower_limit(TRIALS, TRIALS, tail), upper_limit(0, TRIALS, tail)


def _rates_as_printed(view: View, place: Settings) -> Answer:
    first, second = _perfect_rates(view.exact)
    return Answer(
        (round(first, 4), round(second, 4)) == (0.9994, 0.0006), f"{first:.6f}, {second:.6f}"
    )


def _limit_as_printed(view: View, place: Settings) -> Answer:
    trials: int = place["trials"]
    if view.exact:
        log_rate = math.log(ALPHA / 4) / trials
        limit = log_rate - math.log(-math.expm1(log_rate))
    else:
        limit = two_sided_bound(Counts(trials, trials, 0), ALPHA, 0.0)
    printed = {10_000: "7.42", 1_000_000: "12.025"}[trials]
    digits = len(printed.partition(".")[2])
    return Answer(f"{limit:.{digits}f}" == printed, f"{limit:.6f} against {printed}")


def _below_limit(view: View, place: Settings) -> Answer:
    """With unlimited trials there is no limit: exact are the counts that 10^6 trials expect."""
    found = estimate(view, place)
    if not view.exact:
        return at_most(found, found.limit)
    delta = place.get("delta", DELTA if place["mechanism"] in (*FINITE, *GAUSSIAN) else 0.0)
    hits, alarms = (round(PAPER_TRIALS * rate(view, place).value) for rate in (HITS, ALARMS))
    proven = two_sided_bound(Counts(PAPER_TRIALS, hits, alarms), ALPHA, delta)
    return at_most(Estimate(proven, 0.0, found.limit), found.limit)


TESTS = {
    "rates_as_printed": _rates_as_printed,
    "limit_as_printed": _limit_as_printed,
    "below_limit": _below_limit,
}
