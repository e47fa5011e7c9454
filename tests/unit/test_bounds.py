"""Bounds against the definition of the Clopper-Pearson interval, and at their edges."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from pathlib import Path

import mpmath
import numpy as np
import pytest
from mpmath import mp
from scipy import special, stats

from ldp_auditor.attacks.optimal import NEARLY_BEST
from ldp_auditor.bounds import BOUNDS, find_bound
from ldp_auditor.bounds.clopper_pearson import log_odds as limits_in_log_odds
from ldp_auditor.bounds.clopper_pearson import lower_limit, upper_limit
from ldp_auditor.core import Counts, Rates
from ldp_auditor.errors import SMALLEST_ALPHA, AuditError


@pytest.mark.parametrize(("trials", "limit"), [(10**6, 12.025), (10**4, 7.42)])
def test_monte_carlo_limit_of_the_paper(trials: int, limit: float) -> None:
    bound = find_bound("clopper-pearson")(Counts(trials, trials, 0), 0.01, 0.0)
    assert bound == pytest.approx(limit, abs=5e-4 if limit > 10 else 5e-3)


@pytest.mark.parametrize(("successes", "trials"), [(0, 10), (3, 10), (10, 10), (40_000, 10**6)])
@pytest.mark.parametrize("tail", [0.0025, 0.005, 0.3])
def test_limits_solve_the_binomial_tail(successes: int, trials: int, tail: float) -> None:
    low, high = lower_limit(successes, trials, tail), upper_limit(successes, trials, tail)
    if successes > 0:
        assert stats.binom.sf(successes - 1, trials, low) == pytest.approx(tail, rel=1e-9)
    else:
        assert low == 0
    if successes < trials:
        assert stats.binom.cdf(successes, trials, high) == pytest.approx(tail, rel=1e-9)
    else:
        assert high == 1


@pytest.mark.parametrize("successes", [1000, 123_456_789])
def test_limits_at_ten_to_the_ninth(successes: int) -> None:
    # SciPy's inverse is wrong at exactly 1000.
    trials, tail = 10**9, 0.0025
    a, b = successes, trials - successes + 1
    with mp.workdps(30):
        low = mpmath.mpf(lower_limit(successes, trials, tail))
        log_beta = mpmath.loggamma(a) + mpmath.loggamma(b) - mpmath.loggamma(a + b)
        spread = mpmath.sqrt(mpmath.mpf(a) * b / mpmath.mpf(a + b) ** 3)
        reached = mpmath.quad(
            lambda x: mpmath.exp((a - 1) * mpmath.log(x) + (b - 1) * mpmath.log(1 - x) - log_beta),
            [low - j * spread for j in (12, 6, 3, 1, 0)],
        )
    assert float(reached) == pytest.approx(tail, rel=1e-6)


def test_equal_counts_prove_nothing_where_scipy_errs() -> None:
    for bound in BOUNDS.values():
        assert bound(Counts(10**9, 1000, 1000), 0.01, 0.0) == 0
        assert bound(Counts(10**9, 999, 999), 0.01, 0.0) == 0
    neighbours = [upper_limit(fp, 10**9, 0.005) for fp in (998, 999, 1000)]
    assert neighbours[1] - neighbours[0] == pytest.approx(neighbours[2] - neighbours[1], rel=1e-2)


def test_conventions_differ_by_the_tail() -> None:
    counts = Counts(1000, 300, 100)
    two_sided = find_bound("clopper-pearson")(counts, 0.02, 0.01)
    one_sided = find_bound("clopper-pearson-one-sided")(counts, 0.01, 0.01)
    low = stats.beta.ppf(0.005, 300, 701)
    high = stats.beta.ppf(0.995, 101, 900)
    assert two_sided == pytest.approx(math.log((low - 0.01) / high), abs=1e-12)
    assert one_sided == pytest.approx(two_sided, abs=1e-12)


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("delta", [0.0, 1e-5, 0.5])
@pytest.mark.parametrize(
    "counts",
    [
        Counts(1, 0, 0),
        Counts(1, 1, 1),
        Counts(1, 1, 0),
        Counts(100, 0, 100),
        Counts(100, 50, 50),
        Counts(10**9, 10**9, 0),
        Counts(10**9, 10, 0),
    ],
)
def test_no_bound_is_negative_or_undefined(bound: str, delta: float, counts: Counts) -> None:
    epsilon = find_bound(bound)(counts, 0.01, delta)
    assert 0 <= epsilon < math.inf


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize(
    "counts", [Counts(1, 1, 0), Counts(100, 90, 0), Counts(10**9, 10**9, 0), Counts(10**9, 700, 5)]
)
def test_every_alpha_has_a_bound_and_a_smaller_one_a_smaller(bound: str, counts: Counts) -> None:
    alphas = [1e-100, 1e-20, 1e-16, 1e-6, 0.01, 0.49, 1 - 1e-12, 1 - 2**-53]
    proven = [find_bound(bound)(counts, alpha, 0.0) for alpha in alphas]
    if bound == "likelihood-ratio":
        assert proven[-2:] == [0, 0]  # at one half or more it proves nothing
        del proven[-2:]
    assert proven[-1] < math.inf
    assert all(less <= more for less, more in pairwise([0.0, *proven]))


@pytest.mark.parametrize("counts", [Counts(40, 40, 0), Counts(60, 57, 0)])
@pytest.mark.parametrize("alpha", [0.01, 1e-16])
def test_the_posterior_below_the_credible_bound_is_alpha(counts: Counts, alpha: float) -> None:
    proven = find_bound("jeffreys")(counts, alpha, 0.0)
    hits, alarms = counts.true_positives, counts.false_positives
    with mp.workdps(20):
        grow, b1, b2 = mpmath.exp(proven), counts.trials - hits + 0.5, counts.trials - alarms + 0.5

        def density(root: mpmath.mpf) -> mpmath.mpf:
            """Of the root of the false positive rate, times P(TPR <= e^epsilon rate)."""
            rate = root * root
            posterior = rate ** (alarms - 0.5) * (1 - rate) ** (b2 - 1)
            most = min(mpmath.mpf(1), grow * rate)
            below = mpmath.betainc(hits + 0.5, b1, 0, most, regularized=True)
            return 2 * root * posterior * below / mpmath.beta(alarms + 0.5, b2)

        sure = mpmath.sqrt(1 / grow)
        ends = sorted(
            {min(mpmath.mpf(1), sure * share) for share in (0, 0.25, 0.5, 1, 2, 4, 8, 1e9)}
        )
        below = mpmath.quad(density, ends)
    assert float(below) == pytest.approx(alpha, rel=1e-5, abs=0)


def test_rates_below_delta_prove_nothing() -> None:
    assert Rates(1e-6, 1e-9).epsilon(1e-5) == 0
    assert Rates(0.2, 0.3).epsilon(0) == 0
    assert Rates(0.2, 0.0).epsilon(0) == math.inf
    assert Rates(0.3, 0.1).epsilon(0.1) == pytest.approx(math.log(2))


def test_unknown_bound_is_refused() -> None:
    with pytest.raises(AuditError, match="the bounds are: clopper-pearson"):
        find_bound("wald")


def test_the_document_says_what_the_bounds_say() -> None:
    """`docs/bounds.md` and `docs/command-line.md` have the guarantee of every bound."""
    root = Path(__file__).parents[2]
    document = (root / "docs/bounds.md").read_text()
    measured = re.findall(r"^\| ([\w-]+) \| (\w+) \| 1", document, re.M)
    assert set(measured) == {(name, bound.guarantee) for name, bound in BOUNDS.items()}
    commands = (root / "docs/command-line.md").read_text()
    for name, bound in BOUNDS.items():
        assert re.search(rf"^\| `{name}`(?: \(default\))? \| {bound.guarantee}\b", commands, re.M)
    assert BOUNDS["likelihood-ratio"].guarantee == "asymptotic"


@pytest.mark.parametrize("trials", [1, 7, 1000, 10**6, 10**9])
@pytest.mark.parametrize("bound", BOUNDS)
def test_many_counts_at_once_prove_what_each_does(bound: str, trials: int) -> None:
    """Also 999 false positives of 1e9, whose limit SciPy 1.17 gets wrong."""
    some = sorted({min(trials, n) for n in (0, 1, 3, 998, 999, trials // 10, trials // 2, trials)})
    counts = [Counts(trials, hits, alarms) for hits in some for alarms in some]
    found = find_bound(bound)
    each = [found(seen, 0.01, 1e-5) for seen in counts]
    together = list(found.of_each(counts, 0.01, 1e-5))
    if bound == "jeffreys":  # finds those that are nearly the largest, and 0 instead of others
        left_out = [place for place, value in enumerate(together) if value == 0]
        for place in left_out:
            assert each[place] == 0 or each[place] < max(each) * (1 - NEARLY_BEST)
            together[place] = each[place]
    assert together == pytest.approx(each, rel=1e-8, abs=1e-12)
    table = np.reshape(each, (len(some), len(some)))  # true positives by false ones
    assert (np.diff(table, axis=0) >= -1e-9).all()
    assert (np.diff(table, axis=1) <= 1e-9).all()


def test_of_equally_good_counts_jeffreys_finds_all() -> None:
    good, poor = Counts(1000, 500, 100), Counts(1000, 110, 100)
    jeffreys = find_bound("jeffreys")
    one = jeffreys(good, 0.01, 0.0)
    assert list(jeffreys.of_each([poor, good, good], 0.01, 0.0)) == [0, one, one]


@pytest.mark.parametrize(
    ("successes", "trials", "tail"),
    [
        *((1, 2, 0.49), (1, 30, 0.49), (29, 30, 1e-30), (5, 1000, 1e-100)),
        *((1000, 10**9, 0.005), (7, 10**12, 0.0025), (10**12 - 3, 10**12, 1e-9)),
    ],
)
def test_limits_are_exact_to_twelve_digits(successes: int, trials: int, tail: float) -> None:
    """Newton's step from a limit, with 40 digits, is next to nothing; the terms are summed up."""
    with mp.workdps(40):
        log_odds = mpmath.mpf(float(limits_in_log_odds(np.array([successes]), trials, tail)[0]))
        odds, term, terms = mpmath.exp(log_odds), mpmath.mpf(1), mpmath.mpf(1)
        for s in range(successes, trials):
            term *= odds * (trials - s) / (s + 1)
            terms += term
            if term < terms * mpmath.mpf(10) ** -25:
                break
        others = trials - successes
        log_choose = mpmath.log(trials + 1) * -1 - mpmath.log(
            mpmath.beta(others + 1, successes + 1)
        )
        log_tail = (
            log_choose + successes * log_odds - trials * mpmath.log1p(odds) + mpmath.log(terms)
        )
        step = (log_tail - mpmath.log(tail)) * terms * (1 + odds) / successes
    assert abs(float(step)) < 1e-12


def likelihood_ratio_by_definition(counts: Counts, alpha: float, delta: float) -> float:
    """The bound of `likelihood_ratio.py` with 60 digits, by halving everything."""
    with mp.workdps(60):
        trials = mpmath.mpf(counts.trials)
        tpr, fpr = (
            (counts.true_positives - mpmath.mpf("0.5")) / trials,
            (counts.false_positives + 1) / trials,
        )
        quantile = -mpmath.sqrt(2) * mpmath.erfinv(2 * mpmath.mpf(alpha) - 1)

        def kl(a: mpmath.mpf, b: mpmath.mpf) -> mpmath.mpf:
            return a * mpmath.log(a / b) + (1 - a) * mpmath.log((1 - a) / (1 - b))

        def is_rejected(epsilon: mpmath.mpf) -> bool:
            ratio = mpmath.exp(epsilon)
            low, high = fpr, (tpr - delta) / ratio
            for _ in range(180):
                q = (low + high) / 2
                p = ratio * q + delta
                rises = ratio * (tpr - p) / (p * (1 - p)) > (q - fpr) / (q * (1 - q))
                low, high = (q, high) if rises else (low, q)
            apart = kl(tpr, ratio * low + delta) + kl(fpr, low)
            return bool(2 * trials * apart > quantile**2)

        low, high = mpmath.mpf(0), mpmath.log((tpr - delta) / fpr)
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (middle, high) if is_rejected(middle) else (low, middle)
        return float(low)


@pytest.mark.parametrize(
    ("trials", "missing", "alarms", "alpha", "delta"),
    [
        *((10**6, 0, 0, 0.01, 0.0), (10**9, 1, 0, 0.01, 0.0), (10**9, 0, 0, 0.3, 0.1)),
        *(
            (10**10, 0, 5, 0.01, 0.0),
            (10**12, 0, 0, 0.01, 0.0),
            (10**12, 5 * 10**11, 7, 0.01, 1e-5),
        ),
        *((10**15, 0, 5, 0.3, 0.1), (10**15, 3, 10**15 // 3, 0.01, 0.0), (7, 2, 1, 0.3, 0.1)),
    ],
)
def test_likelihood_ratio_keeps_its_digits(
    trials: int, missing: int, alarms: int, alpha: float, delta: float
) -> None:
    """Also where hardly a trial of very many missed: 25.9 at 10^12 trials, not 13.8."""
    counts = Counts(trials, trials - missing, alarms)
    wanted = likelihood_ratio_by_definition(counts, alpha, delta)
    found = find_bound("likelihood-ratio")(counts, alpha, delta)
    assert found == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("bound", BOUNDS)
def test_a_smaller_alpha_proves_less_down_to_the_smallest(bound: str) -> None:
    alphas = [0.01, 1e-9, 1e-15, 1e-17, 1e-30, SMALLEST_ALPHA]
    proven = [find_bound(bound)(Counts(10**6, 10**6, 0), alpha, 0.0) for alpha in alphas]
    assert all(more > less > 0 for more, less in pairwise(proven))


@pytest.mark.parametrize(
    ("counts", "alpha"),
    [
        *((Counts(1, 1, 0), 0.3), (Counts(10, 10, 0), 0.01), (Counts(100, 100, 0), 0.3)),
        *((Counts(20, 15, 2), 0.01), (Counts(1000, 1000, 0), 1e-30)),
    ],
)
def test_jeffreys_leaves_mass_alpha_below(counts: Counts, alpha: float) -> None:
    """Over the angle whose squared sine is the first rate, where its posterior is smooth.

    The mass was 0.298 in place of 0.3 where all of 100 hit, and that of an alpha below 1e-15 left
    out.
    """
    epsilon = find_bound("jeffreys")(counts, alpha, 0.0)
    nodes, weights = np.polynomial.legendre.leggauss(1000)
    angles = (nodes + 1) * math.pi / 4
    a, b = counts.true_positives + 0.5, counts.trials - counts.true_positives + 0.5
    c, d = counts.false_positives + 0.5, counts.trials - counts.false_positives + 0.5
    logs = (2 * a - 1) * np.log(np.sin(angles)) + (2 * b - 1) * np.log(np.cos(angles))
    density = np.exp(logs - special.betaln(a, b)) * math.pi / 2
    above = special.betaincc(c, d, np.sin(angles) ** 2 * math.exp(-epsilon))
    assert float(weights @ (density * above)) == pytest.approx(alpha, rel=1e-6)


@pytest.mark.parametrize("trials", [10**12, 10**14])
@pytest.mark.parametrize(("hits", "alarms"), [(0.5, 1 / 3), (0.9, 0.1)])
@pytest.mark.parametrize("alpha", [0.01, 0.4])
def test_jeffreys_is_normal_at_very_many_trials(
    trials: int, hits: float, alarms: float, alpha: float
) -> None:
    """It was off by a quarter of a standard deviation at 10^14 trials, and none came at 10^15."""
    counts = Counts(trials, int(hits * trials), int(alarms * trials))
    spread = math.sqrt(((1 - hits) / hits + (1 - alarms) / alarms) / trials)
    wanted = math.log(counts.true_positives / counts.false_positives)
    wanted -= float(stats.norm.isf(alpha)) * spread
    found = find_bound("jeffreys")(counts, alpha, 0.0)
    assert found == pytest.approx(wanted, abs=1e-3 * spread)
    assert find_bound("jeffreys")(Counts(10**15, 5 * 10**14, 10**14), alpha, 0.0) > 1.6
