"""Exact rates of the paper's attacks: guess the value with the best score, ties at random.

With many reports of one user the scores are sums over the reports (Algorithm 2 of [Arcolezi24]).
All protocols treat values alike, so a wrong guess falls on each of the k - 1 other values with
the same probability and FPR = (1 - TPR) / (k - 1). The probability 1 - TPR is computed on its
own, never as a difference, so that it keeps its digits when the attack nearly always succeeds.
"""

import math
from functools import lru_cache
from itertools import pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ldp_auditor.core import Floats, Rates
from ldp_auditor.theory.gaussian import log_normal_below
from ldp_auditor.theory.noise_sums import MOST_SUMMED, chances_of_events, event_weights
from ldp_auditor.theory.quadrature import UNIT_NODES, UNIT_WEIGHTS, integrate


def _symmetric(domain_size: int, hit: float, miss: float) -> Rates:
    return Rates(min(1.0, hit), miss / (domain_size - 1))


def binomial(trials: int, p: float, absence: float) -> Floats:
    """Return the probabilities of 0..trials successes; `absence` is 1 - p, in full precision.

    From the likeliest number outwards by the ratio of neighbours, all terms positive, so that the
    bits are the same on every machine: sums of reports are drawn from this law.
    """
    weights = np.zeros(trials + 1)
    if p == 0 or absence == 0:
        weights[0 if p == 0 else trials] = 1.0
        return weights
    mode = min(trials, int((trials + 1) * p))
    weights[mode] = 1.0
    up = np.arange(mode, trials, dtype=np.float64)
    weights[mode + 1 :] = np.cumprod((trials - up) / (up + 1) * (p / absence))
    down = np.arange(mode, 0, -1, dtype=np.float64)
    weights[:mode] = np.cumprod(down / (trials - down + 1) * (absence / p))[::-1]
    return weights / math.fsum(weights.tolist())


def independent_count_rates(domain_size: int, true_count: Floats, other_count: Floats) -> Rates:
    """Rates where values have independent whole scores: the true one's law, and that of others.

    Given the true score z, the guess is right with probability E[1 / (1 + J)] where J others tie
    and none is larger: the mean of (P(other < z) + u P(other = z))^(k - 1) over u in (0, 1).
    """
    others = domain_size - 1
    ties = other_count
    below = np.concatenate([[0.0], np.cumsum(ties)[:-1]])
    above = np.concatenate([np.cumsum(ties[::-1])[::-1][1:], [0.0]])
    reach = below + ties
    with np.errstate(divide="ignore", invalid="ignore"):
        log_reach = np.where(above < 0.5, np.log1p(-above), np.log(reach))
        share = np.minimum(ties / reach, 1.0)
        hit = np.exp(domain_size * log_reach) * -np.expm1(domain_size * np.log1p(-share))
        # A tie that rare decides nothing, and near the smallest float its share has few digits.
        hit = np.where(ties > 1e-290, hit / (domain_size * ties), np.exp(others * log_reach))
    # Where few others are expected to tie or to be larger, 1 - hit is an integral without
    # cancellation, of a function that is almost linear.
    rival = above[:, None] + ties[:, None] * UNIT_NODES
    rare = others * (above + ties) < 0.5
    lost = -np.expm1(others * np.log1p(-np.minimum(rival, 0.5))) @ UNIT_WEIGHTS
    miss = np.where(rare, lost, 1 - hit)
    return _symmetric(domain_size, float(true_count @ hit), float(true_count @ miss))


@lru_cache(maxsize=256)
def multinomial_guess_rates(domain_size: int, p: float, q: float, reports: int) -> Rates | None:
    """Rates where every report names one value: the true one with probability p, others with q.

    The counts of the values are multinomial. They are handled as powers of polynomials: with
    a_i = e^-s s^i / i!, the coefficient of x^m in (a_0 + ... + a_z x^z)^n is, up to known factors,
    the probability that m reports spread over n values leave none with more than z. Powers are
    split by the number of values that have z exactly: none, one, or more (`_Power`); all terms are
    positive, so no digit is lost.
    """
    if reports == 1:
        return Rates(p, q)
    if reports > MOST_SUMMED:
        return None
    if q == 0:
        return Rates(1.0, 0.0)
    from scipy.special import gammaln

    k, tau = domain_size, reports
    counts = np.arange(tau + 1)
    log_factorials = gammaln(counts + 1)
    log_p, log_q = math.log(p), math.log(q)
    matters = _counts_that_matter(k, p, q, tau)
    hit = alarm = 0.0
    for z in range(max(1, -(-tau // k)), tau + 1):
        if not matters[z]:
            continue
        m = tau - z
        rate = max(m, 1) / (k - 1)
        log_rate = math.log(rate)
        weights = np.exp(counts * log_rate - log_factorials - rate)
        single = _Power.of(weights[:z], float(weights[z]), tau)
        almost = single.raised(k - 1)
        full = almost.times(single)
        start = math.lgamma(tau + 1) - log_factorials[z]
        # The true value has z reports and wins against k - 1 others with m reports among them.
        spread = full.at_least_one()[m] / k
        hit += float(spread) * math.exp(start + z * log_p + m * (log_q - log_rate) + (k - 1) * rate)
        # A given other value has z, the true value c <= z, the k - 2 remaining ones r = m - c. With
        # J ties among those, the chance to be drawn is 1 / (1 + J), or 1 / (2 + J) if c = z.
        c = counts[: min(z, m) + 1]
        r = m - c
        drawn = almost.at_least_one()[r] / (k - 1)
        if z <= m:
            drawn[z] -= full.more[m - z] / (k * (k - 1))
        log_terms = start - log_factorials[c] + c * log_p + (z + r) * log_q - r * log_rate
        alarm += float(drawn @ np.exp(log_terms + (k - 2) * rate))
    return Rates(min(hit, 1.0), alarm)


NEGLIGIBLE = -92.0
"""Log of 1e-40: counts whose share of a rate is less than this are left out."""


def _counts_that_matter(k: int, p: float, q: float, tau: int) -> NDArray[np.bool_]:
    """Which numbers of reports of the guessed value have a share in either rate.

    A right guess has z reports of the true value. A wrong one has z of another, and at most as many
    of the true value: however rare that is, among false positives it may be all there is. If it is
    possible at all then some wrong guess is right in one of 2 k such cases, so that the likeliest z
    tells what the others must be compared with.
    """
    from scipy.special import bdtr, gammaln, xlog1py

    z = np.arange(tau + 1)
    others = tau - z
    log_choose = gammaln(tau + 1) - gammaln(z + 1) - gammaln(others + 1)
    right = log_choose + z * math.log(p) + xlog1py(others, -p)
    # Each of the others names the true value with probability p / (1 - q); z of them do at most.
    with np.errstate(divide="ignore"):
        few = np.log(bdtr(np.minimum(z, others), others, min(1.0, p / (1 - q))))
    wrong = log_choose + z * math.log(q) + xlog1py(others, -q) + few
    found = (right > right.max() + NEGLIGIBLE) | (wrong > wrong.max() + NEGLIGIBLE)
    return np.asarray(found)


class _Power:
    """(G + f x^z)^n up to a degree, split by how many factors f x^z a term has.

    `none` is G^n, `one` the terms with one factor, without it, and `more` those with two or more,
    without two of them.
    """

    def __init__(self, z: int, f: float, none: Floats, one: Floats, more: Floats) -> None:
        self.z, self.f, self.none, self.one, self.more = z, f, none, one, more

    @classmethod
    def of(cls, g: Floats, f: float, degree: int) -> Self:
        """The first power; z is the number of coefficients of G."""
        none, one, more = np.zeros((3, degree + 1))
        none[: len(g)] = g
        one[0] = 1.0
        return cls(len(g), f, none, one, more)

    def times(self, other: Self) -> Self:
        """The product of two powers of the same polynomial."""
        size = len(self.none)

        def product(a: Floats, b: Floats) -> Floats:
            out = np.zeros(size)
            (in_a,), (in_b,) = a.nonzero(), b.nonzero()
            if in_a.size and in_b.size:
                terms = np.convolve(a[: in_a[-1] + 1], b[: in_b[-1] + 1])[:size]
                out[: len(terms)] = terms
            return out

        def shifted(a: Floats, by: int) -> Floats:
            return np.concatenate([np.zeros(by), a])[:size]

        mixed = product(self.one, other.more) + product(self.more, other.one)
        return type(self)(
            self.z,
            self.f,
            product(self.none, other.none),
            product(self.none, other.one) + product(self.one, other.none),
            product(self.none, other.more)
            + product(self.more, other.none)
            + product(self.one, other.one)
            + self.f * shifted(mixed, self.z)
            + self.f**2 * shifted(product(self.more, other.more), 2 * self.z),
        )

    def raised(self, n: int) -> Self:
        """The n-th power, by repeated squaring."""
        if n == 1:
            return self
        half = self.raised(n // 2)
        square = half.times(half)
        return square.times(self) if n % 2 else square

    def at_least_one(self) -> Floats:
        """Terms with at least one factor f x^z, without it."""
        return self.one + self.f * np.concatenate([np.zeros(self.z), self.more])[: len(self.one)]


def laplace_guess_rates(domain_size: int, scale: float, reports: int = 1) -> Rates | None:
    """Rates for sums of one-hot histograms with Laplace noise: the true sum is the largest, or not.

    One report guessed by its largest entry has the same rates as one guessed by its likelihood,
    where entries above 1, and below 0, tie: any choice among equally likely values is as good.
    """
    if reports > MOST_SUMMED:
        return None
    others, tau = domain_size - 1, reports
    tail_weights, density_weights = event_weights(tau)

    def survival(x: Floats) -> Floats:
        return chances_of_events(x, tau) @ tail_weights

    def density(x: Floats) -> Floats:
        return chances_of_events(np.abs(x), tau) @ density_weights

    def log_all_below(x: Floats) -> Floats:
        tail = survival(np.abs(x))
        with np.errstate(divide="ignore"):
            return others * np.where(x < 0, np.log(tail), np.log1p(-tail))

    shift = tau / scale
    reach = 40 + 12 * math.sqrt(2 * tau)  # beyond, the density is below 1e-17 of what matters
    kinks = [-reach - shift, -shift, 0.0, reach]
    edges = np.unique(np.concatenate([np.linspace(a, b, 41) for a, b in pairwise(kinks)]))
    return _symmetric(
        domain_size,
        hit=integrate(lambda x: density(x) * np.exp(log_all_below(x + shift)), edges),
        miss=integrate(lambda x: density(x) * -np.expm1(log_all_below(x + shift)), edges),
    )


def gaussian_guess_rates(domain_size: int, scale: float) -> Rates:
    """Rates for one-hot histograms with normal noise: the true entry is the largest, or not."""
    others = domain_size - 1
    shift = 1 / scale

    def density(z: Floats) -> Floats:
        return np.exp(-0.5 * z * z) / math.sqrt(2 * math.pi)

    def log_all_below(z: Floats) -> Floats:
        return others * log_normal_below(z + shift)

    edges = np.linspace(-40.0, 12.0, 105)
    return _symmetric(
        domain_size,
        hit=integrate(lambda z: density(z) * np.exp(log_all_below(z)), edges),
        miss=integrate(lambda z: density(z) * -np.expm1(log_all_below(z)), edges),
    )
