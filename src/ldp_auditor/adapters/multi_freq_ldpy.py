"""multi-freq-ldpy, protocols for one attribute, for many reports and for many attributes.

The package's clients are functions, many of them compiled by numba, whose generator neither
`random.seed` nor `numpy.random.seed` reaches: `reseed` does. For mechanisms for records, a value
stands for the record that holds it in every attribute.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
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
from ldp_auditor.adapters.randomizer import Adapter, Randomizer
from ldp_auditor.errors import must, number, whole_number
from ldp_auditor.portable_math import exp

NAME = "multi-freq-ldpy"
Make = Callable[..., Randomizer]


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

    return numba.njit()(seed_from_inside)


@dataclass(frozen=True)
class Client(Reseeding, OneByOne):
    """A client that is called once per report."""


@dataclass(frozen=True)
class HashingClient(Reseeding, Hashing):
    """A client that is called once per report and sends a hash with its seed."""


def _client(module: str, function: str) -> Callable[..., Any]:
    found = getattr(import_foreign(NAME, f"multi_freq_ldpy.{module}"), f"{function}_Client")
    import_xxhash(NAME)
    return lambda *arguments: with_integers(found(*arguments))


def _finish(domain_size: int, draw: Callable[[int], Any], hash_range: int = 0) -> Randomizer:
    """Return the randomizer after a first report, which is when the package checks arguments."""
    with refusals(NAME):
        draw(0)
    if not hash_range:
        return Client(domain_size, draw)
    xxhash = import_xxhash(NAME)

    def matches(report: Any, value: int) -> bool:
        """Read (hash, seed), (attribute, (hash, seed)), or a (hash, seed) for every attribute."""
        if isinstance(report[0], tuple):
            return all(matches(part, value) for part in report)
        if isinstance(report[1], tuple):
            return matches(report[1], value)
        hashed, seed = report
        return bool(xxhash.xxh32(str(value), seed=seed).intdigest() % hash_range == hashed)

    return HashingClient(domain_size, draw, matches)


def _hash_range(family: str, optimal: tuple[bool, ...], epsilon: float) -> int:
    """Return to how many values local hashing hashes; 0 if the family does not hash."""
    if family != "LH":
        return 0
    return round(exp(epsilon)) + 1 if optimal == (True,) else 2


def _pure(family: str, *optimal: bool) -> Make:
    def make(*, epsilon: float, delta: float, domain_size: int) -> Randomizer:
        client = _client(f"pure_frequency_oracles.{family}", family)
        return _finish(
            domain_size,
            lambda value: client(value, domain_size, epsilon, *optimal),
            _hash_range(family, optimal, epsilon),
        )

    return make


def _histogram(threshold: bool) -> Make:
    def make(*, epsilon: float, delta: float, domain_size: int) -> Randomizer:
        module = import_foreign(NAME, "multi_freq_ldpy.pure_frequency_oracles.HE")

        def histogram(value: int) -> Any:
            return module.HE_Client(value, domain_size, epsilon)

        if not threshold:
            return _finish(domain_size, histogram)
        from scipy.optimize import minimize_scalar

        cut = minimize_scalar(module.find_tresh, args=(epsilon,), bounds=(0.5, 1), method="bounded")
        return _finish(domain_size, lambda value: with_integers(histogram(value) > cut.x))

    return make


def _longitudinal(family: str, *optimal: bool) -> Make:
    """The first report of a new user; epsilon is what one report may leak."""

    def make(
        *, epsilon: float, delta: float, domain_size: int, epsilon_infinity: float | None = None
    ) -> Randomizer:
        limit = _epsilon_infinity(epsilon, epsilon_infinity)
        client = _client(f"long_freq_est.{family}", family)
        hash_range = 0
        if family == "L_LH":
            hash_range = _optimal_range(epsilon, limit) if optimal == (True,) else 2
        return _finish(
            domain_size,
            lambda value: client(value, domain_size, limit, epsilon, *optimal),
            hash_range,
        )

    return make


def _optimal_range(epsilon: float, epsilon_infinity: float) -> int:
    from ldp_auditor.mechanisms.memoized_values import OLOLOHA

    return OLOLOHA(domain_size=2, epsilon=epsilon, epsilon_infinity=epsilon_infinity).hash_size


def _epsilon_infinity(epsilon: float, given: float | None) -> float:
    """Return what all reports together may leak; by default twice what one may."""
    limit = 2 * epsilon if given is None else number("epsilon_infinity", given)
    must(limit > epsilon, f"exceed epsilon={epsilon}", epsilon_infinity=limit)
    return limit


def _bucket_flipping(
    *,
    epsilon: float,
    delta: float,
    domain_size: int,
    buckets: int | None = None,
    bits: int | None = None,
) -> Randomizer:
    """Randomized bits of the chosen buckets and -1 for the others; by default all buckets."""
    buckets = whole_number("buckets", domain_size if buckets is None else buckets, 1, domain_size)
    bits = whole_number("bits", buckets if bits is None else bits, 1, buckets)
    client = _client("long_freq_est.dBitFlipPM", "dBitFlipPM")
    return _finish(domain_size, lambda value: client(value, domain_size, buckets, bits, epsilon))


def _records(solution: str, family: str, *optimal: bool) -> Make:
    """A solution for records (SPL, SMP, RSpFD) with a protocol."""

    def make(*, epsilon: float, delta: float, domain_size: int, attributes: int = 2) -> Randomizer:
        attributes = whole_number("attributes", attributes, 1)
        client = _client(f"mdim_freq_est.{solution}_solution", f"{solution}_{family}")
        sizes = [domain_size] * attributes
        share = epsilon / attributes if solution == "SPL" else epsilon
        return _finish(
            domain_size,
            lambda value: client([value] * attributes, sizes, attributes, epsilon, *optimal),
            _hash_range(family, optimal, share),
        )

    return make


def _longitudinal_records(solution: str, family: str) -> Make:
    def make(
        *,
        epsilon: float,
        delta: float,
        domain_size: int,
        attributes: int = 2,
        epsilon_infinity: float | None = None,
    ) -> Randomizer:
        attributes = whole_number("attributes", attributes, 1)
        limit = _epsilon_infinity(epsilon, epsilon_infinity)
        client = _client(f"long_mdim_freq_est.L_{solution}_Solution", f"{solution}_{family}")
        sizes = [domain_size] * attributes
        return _finish(
            domain_size,
            lambda value: client([value] * attributes, sizes, attributes, limit, epsilon),
        )

    return make


PROTOCOLS: dict[str, tuple[Any, ...]] = {
    "GRR": ("GRR",),
    "SUE": ("UE", False),
    "OUE": ("UE", True),
    "SS": ("SS",),
    "BLH": ("LH", False),
    "OLH": ("LH", True),
    "ADP": ("ADP",),  # GRR or OUE, whichever varies less
}
"""What the package calls protocols for one report, and whether it takes the optimal parameters."""

LONGITUDINAL: dict[str, tuple[Any, ...]] = {
    "L_GRR": ("L_GRR",),
    "L_SUE": ("L_SUE",),  # RAPPOR
    "L_OUE": ("L_OUE",),
    "L_OSUE": ("L_OSUE",),
    "L_SOUE": ("L_SOUE",),
    "L_ADP": ("L_ADP",),  # L_GRR or L_OSUE, whichever varies less
    "L_BLH": ("L_LH", False),
    "L_OLH": ("L_LH", True),
}
"""The same for memoized protocols; one report of them is sampled."""

FAKE_DATA: dict[str, tuple[Any, ...]] = {
    "GRR": ("GRR",),
    "SUE_zero": ("UE_zero", False),
    "OUE_zero": ("UE_zero", True),
    "SUE_rnd": ("UE_rnd", False),
    "OUE_rnd": ("UE_rnd", True),
    "ADP": ("ADP",),
}
"""The same for one attribute among fake data: zeros, or random values."""


def _makers() -> dict[str, Make]:
    """Every protocol, and for records every combination the package has."""
    found = {name: _pure(*protocol) for name, protocol in PROTOCOLS.items()}
    found |= {"SHE": _histogram(threshold=False), "THE": _histogram(threshold=True)}
    found |= {name: _longitudinal(*protocol) for name, protocol in LONGITUDINAL.items()}
    found["dBitFlipPM"] = _bucket_flipping
    for solution in ("SPL", "SMP"):  # the budget split, one attribute
        for name, protocol in PROTOCOLS.items():
            found[f"{solution}_{name}"] = _records(solution, *protocol)
        for name, (family, *optimal) in LONGITUDINAL.items():
            if not optimal:  # the package has no local hashing here
                found[f"{solution}_{name}"] = _longitudinal_records(solution, family)
    for name, protocol in FAKE_DATA.items():
        found[f"RSpFD_{name}"] = _records("RSpFD", *protocol)
    return found


ADAPTER = Adapter(
    NAME,
    _makers(),
    note="needs xxhash < 4; compiled clients draw from numba's generator, one per thread",
)
