"""How often the best guess of a value from one report is right: exact, for any prior.

Who sees a report y and knows how frequent the values are, the prior, guesses the value with the
largest prior(v) P(y | v), by the rule of Bayes. No guess is right more often, and this one is right
with probability sum over y of max over v of prior(v) P(y | v). Reports are grouped by the most
frequent value that they speak for: only that value and the most frequent one of all can win.
"""

import math
from collections.abc import Callable

import numpy as np

from ldp_auditor.core import Floats
from ldp_auditor.theory.guessing import binomial
from ldp_auditor.theory.quadrature import integrate

PANELS = 200
"""Intervals of an integral at least; its kinks are edges too."""

MOST_DIFFERENT = 1000
"""Different numbers of a prior for which integrals are carried out."""

MOST_EDGES = 4000
"""Edges of an integral at most: with more kinks than that, it is smooth between any two of them."""


def uniform(domain_size: int) -> Floats:
    """The prior of somebody who knows nothing."""
    return np.full(domain_size, 1 / domain_size)


def is_uniform(prior: Floats) -> bool:
    """Tell whether all values are as frequent; sums over them have a closed form then."""
    return bool((prior == prior[0]).all())


def blind_success(prior: Floats) -> float:
    """How often the most frequent value is right, without any report."""
    return float(prior.max())


def randomized_response_success(prior: Floats, p: float, q: float) -> float:
    """A report is the value with probability p, each of the others with probability q."""
    top = int(prior.argmax())
    rival = np.full(len(prior), prior[top])
    rival[top] = np.delete(prior, top).max()
    return float(np.maximum(p * prior, q * rival).sum())


def subset_success(prior: Floats, omega: int, p: float, absence: float) -> float:
    """A report is a set of `omega` values: with the true one (probability p) or without it."""
    k = len(prior)
    if is_uniform(prior):  # a member of the set is guessed
        return p / omega
    ranked = np.sort(prior)[::-1][: k - omega + 1]  # some member is among these
    # Share of the sets with the first value whose most frequent member is number 1, 2, ...; all
    # sets whose most frequent member is the i-th are as many as C(k - i, omega - 1).
    i = np.arange(1, len(ranked), dtype=np.float64)
    shares = np.concatenate([[1.0], np.cumprod((k - i - omega + 1) / (k - i))])
    outside = absence * omega / (k - omega)
    return float(shares @ np.maximum(p * ranked, outside * ranked[0]))


def independent_success(prior: Floats, high: float, low: float, q: float) -> float:
    """A report supports every value on its own, one that is not the truth with probability q.

    The likelihood of a value, against a report of nothing, is `high` if it is supported and `low`
    if not: p / q and (1 - p) / (1 - q) where the true value is supported with probability p.
    """
    if is_uniform(prior):
        log_none = len(prior) * math.log1p(-q)
        return (low * math.exp(log_none) - high * math.expm1(log_none)) * float(prior[0])
    ranked = np.sort(prior)[::-1]
    chances = _first_supported(len(ranked), q)
    found = float(chances @ np.maximum(high * ranked, low * ranked[0]))
    return found + math.exp(len(ranked) * math.log1p(-q)) * low * float(ranked[0])


def _first_supported(k: int, q: float) -> Floats:
    """Probabilities that number i is the first of k values that is supported."""
    chances: Floats = q * np.exp(np.arange(k) * math.log1p(-q))
    return chances


def mixed_success(prior: Floats, high: float, low: float, q: float, drawn: float) -> float:
    """The report of `independent_success` with probability `drawn`, else that of a random value.

    With m supported values the likelihood of the latter is the mean m high + (k - m) low over k.
    Given the first supported one, the number of those after it is binomial, and which of the two
    candidates wins changes once as it grows.
    """
    from scipy.special import bdtr

    ranked = np.sort(prior)[::-1]
    k, top = len(ranked), float(ranked[0])
    step = (1 - drawn) * (high - low) / k
    rest = (1 - drawn) * low
    after = np.arange(k - 1, -1, -1)

    def with_supported(m: Floats) -> Floats:
        """Likelihood of the made-up report."""
        return rest + step * m

    # The supported value wins while more ones do not favour the more frequent value too much.
    lead = drawn * (high * ranked - low * top)
    with np.errstate(divide="ignore", invalid="ignore"):
        turn = (lead / (top - ranked) - rest) / step - 1 if step > 0 else np.full(k, np.inf)
    turn = np.where(top - ranked > 0, np.floor(np.nan_to_num(turn, posinf=k)), k)
    turn = np.where(lead < 0, -1, np.clip(turn, -1, after)).astype(np.int64)
    below = np.where(turn >= 0, bdtr(np.maximum(turn, 0), after, q), 0.0)
    shifted = np.maximum(after - 1, 0)
    ones_below = np.where(turn >= 1, after * q * bdtr(np.clip(turn - 1, 0, shifted), shifted, q), 0)
    wins = ranked * (below * (drawn * high + with_supported(np.ones(k))) + step * ones_below)
    above, ones_above = 1 - below, after * q - ones_below
    loses = top * (above * (drawn * low + with_supported(np.ones(k))) + step * ones_above)
    found = float(_first_supported(k, q) @ (wins + loses))
    return found + math.exp(k * math.log1p(-q)) * top * (drawn * low + rest)


def bucket_success(best: Floats, bits: int, flip: float) -> float:
    """A report has a bit for each of `bits` buckets that were drawn, flipped with probability flip.

    `best` is the prior of the most frequent value of every bucket. Against a report of nothing, a
    bucket has the likelihood (1 - flip) / flip if its bit is 1, the inverse if it is 0, and 1 if it
    was not drawn. The mean of the largest product is summed over its possible values.
    """
    odds = (1 - flip) / flip
    levels = np.unique(np.concatenate([best / odds, best, best * odds]))
    at_most = np.array([_none_above(best, level, odds, bits, flip) for level in levels])
    return float(levels @ np.diff(at_most, prepend=0.0))


def _none_above(best: Floats, level: float, odds: float, bits: int, flip: float) -> float:
    """Probability that no bucket's prior times likelihood exceeds `level`."""
    from scipy.special import gammaln

    limit = level * (1 + 1e-12)
    if (best / odds > limit).any():
        return 0.0
    must = int((best > limit).sum())  # to be drawn, with a 0
    zero = int(((best <= limit) & (best * odds > limit)).sum())  # if it is drawn, with a 0
    free = len(best) - must - zero

    def log_ways(n: int, chosen: Floats) -> Floats:
        ways: Floats = gammaln(n + 1) - gammaln(chosen + 1) - gammaln(n - chosen + 1)
        return ways

    least, most = max(0, bits - must - free), min(zero, bits - must)
    if most < least:
        return 0.0
    j = np.arange(least, most + 1, dtype=np.float64)
    every = log_ways(len(best), np.array([float(bits)]))
    logs = log_ways(zero, j) + log_ways(free, bits - must - j) - every
    return float(np.exp(logs + (must + j) * math.log1p(-flip)).sum())


def laplace_success(prior: Floats, epsilon: float) -> float | None:
    """A report is the one-hot histogram with Laplace noise of scale 2 / epsilon.

    Against noise alone the log-likelihood of a value is epsilon (c - 1/2), c its entry clipped to
    [0, 1]. The mean of the largest prior times likelihood is the integral of the probability that
    it exceeds t; below e^(-epsilon / 2) times the largest prior it always does. None for a prior
    with too many different numbers.
    """
    if len(np.unique(prior)) > MOST_DIFFERENT:
        return None
    half = epsilon / 2

    def log_below(logs: Floats) -> Floats:
        """Log of the probability that a likelihood is at most e^logs."""
        entry = logs / epsilon + 0.5
        with np.errstate(divide="ignore", over="ignore"):
            inside = np.log1p(-0.5 * np.exp(-half * np.clip(entry, 0.0, 1.0)))
            return np.where(entry < 0, -np.inf, np.where(entry >= 1, 0.0, inside))

    return _mean_of_largest(prior, log_below, -half, half)


def _mean_of_largest(
    prior: Floats, log_below: Callable[[Floats], Floats], least: float, most: float
) -> float:
    """Mean of the largest prior(v) e^L(v), L independent between `least` and `most`."""
    values, numbers = np.unique(prior[prior > 0], return_counts=True)
    logs = np.log(values)
    start, end = float(logs[-1]) + least, float(logs[-1]) + most
    kinks = np.concatenate([logs + least, logs + most])
    kinks = kinks[(kinks > start) & (kinks < end)]
    if len(kinks) > MOST_EDGES:
        kinks = kinks[:: -(-len(kinks) // MOST_EDGES)]
    edges = np.unique(np.concatenate([np.linspace(start, end, PANELS + 1), kinks]))

    def exceeded(s: Floats) -> Floats:
        log_all = np.zeros(s.shape)
        for log, number in zip(logs, numbers, strict=True):
            if log + most > start:  # others never win
                log_all += number * log_below(s - log)
        return np.exp(s) * -np.expm1(log_all)

    return math.exp(start) + integrate(exceeded, edges)


def gaussian_success(prior: Floats, scale: float) -> float | None:
    """A report is the one-hot histogram with normal noise of a scale.

    The value with the largest entry + scale^2 ln prior is guessed. With u the noise below which
    a value stays under a threshold, the threshold being that of the true value, all others must
    stay under it; the mean over the true value is taken first. None for a prior with too many
    different numbers.
    """
    if len(np.unique(prior)) > MOST_DIFFERENT:
        return None
    from scipy.special import log_ndtr

    values, numbers = np.unique(prior[prior > 0], return_counts=True)
    shifts = scale * np.log(values / values[-1])
    reach = 12.0
    start, end = -40.0, 1 / scale + reach

    def density(u: Floats) -> Floats:
        log_all = np.zeros(u.shape)
        for shift, number in zip(shifts, numbers, strict=True):
            log_all += number * log_ndtr(u - shift)
        total = np.zeros(u.shape)
        for value, shift, number in zip(values, shifts, numbers, strict=True):
            own = u - shift
            log_density = -0.5 * (own - 1 / scale) ** 2 - log_ndtr(own)
            total += number * value * np.exp(log_all + log_density)
        return total / math.sqrt(2 * math.pi)

    return integrate(density, np.linspace(start, end, 4 * PANELS + 1))


def entropy_of_bits(size: int, p: float, absence: float, q: float) -> float:
    """Entropy, in bits, of a report of `size` bits over a uniform value.

    The bit of the value is 1 with probability p = 1 - `absence`, each other one with q. All reports
    with the same number of ones are equally likely.
    """
    others = binomial(size - 1, q, 1 - q)
    ones = p * np.append(0.0, others) + absence * np.append(others, 0.0)
    return entropy_by_ones(ones)


def entropy_by_ones(ones: Floats) -> float:
    """Entropy, in bits, of exchangeable bits whose number of ones has the law `ones`."""
    from scipy.special import gammaln

    size = len(ones) - 1
    m = np.arange(size + 1)
    log_ways = gammaln(size + 1) - gammaln(m + 1) - gammaln(size - m + 1)
    seen = ones > 0
    return float(ones[seen] @ (log_ways[seen] - np.log(ones[seen]))) / math.log(2)
