"""multi-freq-ldpy, protocols for one attribute, for many reports and for many attributes.

The package's clients are functions, many of them compiled by numba, whose generator neither
`random.seed` nor `numpy.random.seed` reaches: `reseed` does. For mechanisms for records, a value
stands for the record that holds it in every attribute.
"""

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

from ldp_auditor.adapters.foreign import (
    Hashing,
    OneByOne,
    import_foreign,
    import_xxhash,
    refusals,
    with_integers,
)
from ldp_auditor.adapters.randomizer import Adapter, Randomizer, Terms, Variant
from ldp_auditor.errors import must, number, whole_number
from ldp_auditor.portable_math import exp

NAME = "multi-freq-ldpy"

Optimal = tuple[bool, ...]
"""Whether a client takes the optimal parameters; empty if it does not ask."""


class Reseeding:
    """Seeding for all generators that the package draws from."""

    def reseed(self, seed: int) -> None:
        """Seed Python's, numpy's and, in the calling thread, numba's global generators."""
        seed = int(seed) % 2**32
        random.seed(seed)
        np.random.seed(seed)  # noqa: NPY002 - the package draws from the global generator
        _compiled_seeding()(seed)


@cache
def _compiled_seeding() -> Callable[[int], None]:
    import numba

    def seed_from_inside(seed: int) -> None:
        np.random.seed(seed)  # noqa: NPY002 - numba's generator has no other name

    seeding: Callable[[int], None] = numba.njit()(seed_from_inside)
    return seeding


@dataclass(frozen=True)
class Client(Reseeding, OneByOne):
    """A client that is called once per report."""


@dataclass(frozen=True)
class HashingClient(Reseeding, Hashing):
    """A client that is called once per report and sends a hash with its seed."""


def _finish(terms: Terms, draw: Callable[[int], Any], hash_range: int = 0) -> Randomizer:
    """Return the randomizer after a first report, which is when the package checks arguments."""
    with refusals(NAME):
        draw(0)
    if not hash_range:
        return Client(terms.domain_size, draw)
    xxhash = import_xxhash(NAME)

    def matches(report: Any, value: int) -> bool:
        """Read (hash, seed), (attribute, (hash, seed)), or a (hash, seed) for every attribute."""
        if isinstance(report[0], tuple):
            return all(matches(part, value) for part in report)
        if isinstance(report[1], tuple):
            return matches(report[1], value)
        hashed, seed = report
        return bool(xxhash.xxh32(str(value), seed=seed).intdigest() % hash_range == hashed)

    return HashingClient(terms.domain_size, draw, matches)


def _client(
    terms: Terms,
    module: str,
    function: str,
    settings: Sequence[Any],
    hash_range: int = 0,
    attributes: int | None = None,
) -> Randomizer:
    """Return a client of the package, given a value and its domain, or records of them."""
    client = getattr(import_foreign(NAME, f"multi_freq_ldpy.{module}"), f"{function}_Client")
    import_xxhash(NAME)
    size = terms.domain_size

    def draw(value: int) -> Any:
        if attributes is None:
            return with_integers(client(value, size, *settings))
        records = [value] * attributes, [size] * attributes, attributes
        return with_integers(client(*records, *settings))

    return _finish(terms, draw, hash_range)


def _hash_range(family: str, optimal: Optimal, best: Callable[[], int]) -> int:
    """Return to how many values local hashing hashes; 0 if the family does not hash."""
    if not family.endswith("LH"):
        return 0
    return best() if optimal == (True,) else 2


def _pure(family: str, optimal: Optimal, terms: Terms) -> Randomizer:
    hash_range = _hash_range(family, optimal, lambda: round(exp(terms.epsilon)) + 1)
    module = f"pure_frequency_oracles.{family}"
    return _client(terms, module, family, (terms.epsilon, *optimal), hash_range)


def _histogram(threshold: bool, terms: Terms) -> Randomizer:
    module = import_foreign(NAME, "multi_freq_ldpy.pure_frequency_oracles.HE")

    def histogram(value: int) -> Any:
        return module.HE_Client(value, terms.domain_size, terms.epsilon)

    if not threshold:
        return _finish(terms, histogram)
    from scipy.optimize import minimize_scalar

    variance, epsilon = module.find_tresh, (terms.epsilon,)
    cut = minimize_scalar(variance, args=epsilon, bounds=(0.5, 1), method="bounded")
    return _finish(terms, lambda value: with_integers(histogram(value) > cut.x))


def _longitudinal(
    family: str, optimal: Optimal, terms: Terms, *, epsilon_infinity: float | None = None
) -> Randomizer:
    """The first report of a new user; epsilon is what one report may leak."""
    limit = _limit(terms, epsilon_infinity)
    hash_range = _hash_range(family, optimal, lambda: _optimal_range(terms.epsilon, limit))
    settings = (limit, terms.epsilon, *optimal)
    return _client(terms, f"long_freq_est.{family}", family, settings, hash_range)


def _optimal_range(epsilon: float, epsilon_infinity: float) -> int:
    from ldp_auditor.mechanisms.memoized_values import OLOLOHA

    return OLOLOHA(domain_size=2, epsilon=epsilon, epsilon_infinity=epsilon_infinity).hash_size


def _limit(terms: Terms, epsilon_infinity: float | None) -> float:
    """Return what all reports together may leak; by default twice what one may."""
    one = terms.epsilon
    limit = 2 * one if epsilon_infinity is None else number("epsilon_infinity", epsilon_infinity)
    must(limit > one, f"exceed epsilon={one}", epsilon_infinity=limit)
    return limit


def _bucket_flipping(
    terms: Terms, *, buckets: int | None = None, bits: int | None = None
) -> Randomizer:
    """Randomized bits of the chosen buckets and -1 for the others; by default all buckets."""
    size = terms.domain_size
    buckets = whole_number("buckets", size if buckets is None else buckets, 1, size)
    bits = whole_number("bits", buckets if bits is None else bits, 1, buckets)
    settings = (buckets, bits, terms.epsilon)
    return _client(terms, "long_freq_est.dBitFlipPM", "dBitFlipPM", settings)


def _records(
    solution: str, family: str, optimal: Optimal, terms: Terms, *, attributes: int = 2
) -> Randomizer:
    """A solution for records (SPL, SMP, RSpFD) with a protocol."""
    attributes = whole_number("attributes", attributes, 1)
    share = terms.epsilon / attributes if solution == "SPL" else terms.epsilon
    hash_range = _hash_range(family, optimal, lambda: round(exp(share)) + 1)
    module, function = f"mdim_freq_est.{solution}_solution", f"{solution}_{family}"
    return _client(terms, module, function, (terms.epsilon, *optimal), hash_range, attributes)


def _longitudinal_records(
    solution: str,
    family: str,
    optimal: Optimal,
    terms: Terms,
    *,
    attributes: int = 2,
    epsilon_infinity: float | None = None,
) -> Randomizer:
    attributes = whole_number("attributes", attributes, 1)
    settings = (_limit(terms, epsilon_infinity), terms.epsilon, *optimal)
    module, function = f"long_mdim_freq_est.L_{solution}_Solution", f"{solution}_{family}"
    return _client(terms, module, function, settings, attributes=attributes)


PROTOCOLS = ("GRR", "SUE", "OUE", "SS", "BLH", "OLH", "ADP")
"""Protocols for one report; ADP is GRR or OUE, whichever varies less."""

MEMOIZED = ("L_GRR", "L_SUE", "L_OUE", "L_OSUE", "L_SOUE", "L_ADP")
"""Memoized protocols, of which one report is sampled; L_SUE is RAPPOR, L_ADP is L_GRR or L_OSUE."""

FAKE_DATA = ("GRR", "SUE_zero", "OUE_zero", "SUE_rnd", "OUE_rnd", "ADP")
"""Protocols for one attribute among fake data: zeros, or random values."""

FAMILIES: dict[str, tuple[str, Optimal]] = {
    "SUE": ("UE", (False,)),
    "OUE": ("UE", (True,)),
    "BLH": ("LH", (False,)),
    "OLH": ("LH", (True,)),
    "L_BLH": ("L_LH", (False,)),
    "L_OLH": ("L_LH", (True,)),
    "SUE_zero": ("UE_zero", (False,)),
    "OUE_zero": ("UE_zero", (True,)),
    "SUE_rnd": ("UE_rnd", (False,)),
    "OUE_rnd": ("UE_rnd", (True,)),
}
"""What the package calls protocols that it has by another name."""


def _variants() -> dict[str, Variant]:
    """Every protocol, and for records every combination the package has."""

    def each(variant: Variant, names: Iterable[str], *before: str) -> dict[str, Variant]:
        return {
            "_".join((*before, name)): partial(variant, *before, *FAMILIES.get(name, (name, ())))
            for name in names
        }

    found = each(_pure, PROTOCOLS)
    found |= {"SHE": partial(_histogram, False), "THE": partial(_histogram, True)}
    found |= each(_longitudinal, (*MEMOIZED, "L_BLH", "L_OLH"))
    found["dBitFlipPM"] = _bucket_flipping
    for solution in ("SPL", "SMP"):  # the budget split, one attribute
        found |= each(_records, PROTOCOLS, solution)
        found |= each(_longitudinal_records, MEMOIZED, solution)  # without local hashing
    return found | each(_records, FAKE_DATA, "RSpFD")


ADAPTER = Adapter(
    NAME,
    _variants(),
    note="needs xxhash < 4; compiled clients draw from numba's generator, one per thread",
)
