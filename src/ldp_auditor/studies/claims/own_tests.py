"""Tests that only one statement has."""

import math
from collections.abc import Callable
from statistics import fmean

from ldp_auditor.bounds.clopper_pearson import lower_limit, two_sided_bound, upper_limit
from ldp_auditor.core import Counts
from ldp_auditor.mechanisms.frequency_oracle import ScoreOracle
from ldp_auditor.studies.claims.comparisons import (
    ROUNDING,
    TOLERANCE,
    Answer,
    at_most,
    difference,
    higher,
    lower,
    much_higher,
    tell,
)
from ldp_auditor.studies.claims.readings import ALARMS, HITS, alarms_without, estimate, made
from ldp_auditor.studies.claims.shapes import against
from ldp_auditor.studies.claims.statement import Settings, Test
from ldp_auditor.studies.claims.view import Estimate, View
from ldp_auditor.studies.settings import DELTA, EPSILONS, FINITE, GAUSSIAN, HIGH_PRIVACY
from ldp_auditor.studies.study import ALPHA, PAPER_TRIALS

TRIALS = 10_000
"""Of the limits that the paper prints."""

REGIMES = (HIGH_PRIVACY, [epsilon for epsilon in EPSILONS if epsilon not in HIGH_PRIVACY])


def _more_in_high_privacy(
    of: Callable[[View, Settings], float], show: Callable[[float], str] = tell, what: str = ""
) -> Test:
    """Test that the mean of a number is larger for epsilon <= 1 than above."""

    def test(view: View, place: Settings) -> Answer:
        high, rest = (
            fmean([of(view, {**place, "epsilon": epsilon}) for epsilon in regime])
            for regime in REGIMES
        )
        numbers = f"{what}{show(high)} in high privacy, {show(rest)} in mid to low"
        return Answer(high - rest > ROUNDING, numbers, rest - high)

    return test


def _gap(view: View, place: Settings) -> float:
    return float(place["epsilon"]) - estimate(view, place).value


def _loss(view: View, place: Settings) -> float:
    """Share of the estimate at k = 25 that is lost at k = 200."""
    small, large = (estimate(view, {**place, "domain_size": k}).value for k in (25, 200))
    return 1 - large / small if small > 0 else 0.0


def _differently_sensitive(view: View, place: Settings) -> Answer:
    """Of two protocols, the changes from k = 25 to 200 are not similar."""
    losses = [_loss(view, {**place, "mechanism": place[role]}) for role in ("mechanism", "against")]
    one, other = (Estimate(1 - loss, 0.0, 0.0) for loss in losses)
    apart = difference(one, other)
    numbers = " and ".join(f"times {change.value:.3f}" for change in (one, other))
    return Answer(apart > TOLERANCE, numbers, TOLERANCE - apart)


def _told_apart_in_the_end(view: View, place: Settings) -> Answer:
    """Every report favours the true value, so by the law of large numbers the attack cannot fail.

    Scores of reports are added up; the mean score is the probability to be supported, or the entry
    of the histogram.
    """
    view.only_exact()
    mechanism = made(place)
    scored = isinstance(mechanism, ScoreOracle)
    true, other = (1.0, 0.0) if scored else (mechanism.p, mechanism.q)
    return Answer(true > other, f"mean scores {true:.6g} and {other:.6g}", other - true)


def _more_right_and_less_wrong(view: View, place: Settings) -> Answer:
    right = against(higher, of=HITS)(view, place)
    wrong = against(lower, of=ALARMS)(view, place)
    return Answer(
        right.holds and wrong.holds,
        f"right {right.numbers}; wrong, other first, {wrong.numbers}",
        max(right.off, wrong.off),
        all(side.holds or side.noisy for side in (right, wrong)),
    )


def _alarms_much_higher(view: View, place: Settings) -> Answer:
    """Fake data make false positives more frequent than they are without, exactly."""
    return much_higher(ALARMS(view, place), Estimate(alarms_without(place), 0.0, 1.0))


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
    "gap_wider_relatively": _more_in_high_privacy(
        lambda view, place: _gap(view, place) / place["epsilon"]
    ),
    "gap_wider_absolutely": _more_in_high_privacy(_gap),
    "loses_more_in_high_privacy": _more_in_high_privacy(_loss, "{:.1%}".format, "a loss of "),
    "differently_sensitive": _differently_sensitive,
    "told_apart_in_the_end": _told_apart_in_the_end,
    "more_right_and_less_wrong": _more_right_and_less_wrong,
    "alarms_much_higher": _alarms_much_higher,
}
