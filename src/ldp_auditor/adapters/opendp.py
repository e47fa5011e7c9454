"""OpenDP: randomized response and additive noise as measurements, called with a value.

Noise is added to values 0..k-1, whose sensitivity is k-1. The package draws from the operating
system and cannot be seeded: no run can be repeated exactly.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.random import Generator

from ldp_auditor.adapters.foreign import OneByOne, import_foreign, refusals
from ldp_auditor.adapters.randomizer import Adapter, Randomizer, Terms
from ldp_auditor.errors import must, whole_input
from ldp_auditor.portable_math import exp

NAME = "opendp"


@contextmanager
def _opendp() -> Iterator[Any]:
    """Yield OpenDP, with measurements that are not yet proven; what it refuses is an AuditError."""
    dp = import_foreign(NAME, "opendp.prelude")
    dp.enable_features("contrib")
    with refusals(NAME, (TypeError, ValueError, dp.OpenDPException)):
        yield dp


@dataclass(frozen=True)
class Noise:
    """A measurement on vectors that adds noise of its own to every entry."""

    domain_size: int
    measurement: Any
    kind: type

    def sample(self, value: Any, n: int, rng: Generator) -> Sequence[Any]:
        """Return `n` reports from one call on `n` copies of the value; `rng` is not used."""
        value = whole_input("value", value, 0, self.domain_size - 1)
        return list(self.measurement([self.kind(value)] * n)) if n else []


def _randomized_response(terms: Terms) -> Randomizer:
    probability = 1 / (1 + (terms.domain_size - 1) * exp(-terms.epsilon))
    with _opendp() as dp:
        values = list(range(terms.domain_size))
        measurement = dp.m.make_randomized_response(values, probability)
    return OneByOne(terms.domain_size, measurement)


def _randomized_response_bool(terms: Terms, *, constant_time: bool = False) -> Randomizer:
    must(terms.domain_size == 2, "be 2 for a bool", domain_size=terms.domain_size)
    probability = 1 / (1 + exp(-terms.epsilon))
    with _opendp() as dp:
        measurement = dp.m.make_randomized_response_bool(probability, constant_time)
    return OneByOne(terms.domain_size, lambda value: int(measurement(bool(value))))


def _randomized_response_bitvec(terms: Terms, *, constant_time: bool = False) -> Randomizer:
    """One-hot vectors in packed bytes; the bits that pad the last byte are dropped again."""
    f, size = 2 / (1 + exp(terms.epsilon / 2)), terms.domain_size
    with _opendp() as dp:
        measurement = dp.m.make_randomized_response_bitvec(
            dp.bitvector_domain(max_weight=1), dp.discrete_distance(), f, constant_time
        )
    one_hot = [np.packbits(row).tobytes() for row in np.eye(size, dtype=np.uint8)]

    def draw(value: int) -> Any:
        packed = np.frombuffer(measurement(one_hot[value]), np.uint8)
        return np.unpackbits(packed, count=size)

    return OneByOne(size, draw)


def _laplace(kind: type, terms: Terms) -> Randomizer:
    with _opendp() as dp:
        space = _vectors(dp, kind), dp.l1_distance(T=kind)
        measurement = dp.m.make_laplace(*space, scale=(terms.domain_size - 1) / terms.epsilon)
    return Noise(terms.domain_size, measurement, kind)


def _gaussian(kind: type, terms: Terms) -> Randomizer:
    """The smallest scale for which OpenDP's own accounting claims epsilon and delta."""
    delta, sensitivity = _positive_delta(terms), kind(terms.domain_size - 1)
    with _opendp() as dp:
        space = _vectors(dp, kind), dp.l2_distance(T=kind)

        def accounted(scale: float) -> Any:
            approximate = dp.c.make_zCDP_to_approxDP(dp.m.make_gaussian(*space, scale=scale))
            return dp.c.make_fix_delta(approximate, delta)

        claim = (terms.epsilon, delta)
        scale = dp.binary_search_param(accounted, d_in=sensitivity, d_out=claim, T=float)
        measurement = dp.m.make_gaussian(*space, scale=scale)
    return Noise(terms.domain_size, measurement, kind)


def _canonical_noise(terms: Terms) -> Randomizer:
    claim = (terms.epsilon, _positive_delta(terms))  # with delta = 0, OpenDP 0.16 crashes
    with _opendp() as dp:
        space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
        sensitivity = float(terms.domain_size - 1)
        measurement = dp.m.make_canonical_noise(*space, d_in=sensitivity, d_out=claim)
    return OneByOne(terms.domain_size, lambda value: measurement(float(value)))


def _positive_delta(terms: Terms) -> float:
    must(0 < terms.delta < 1, "lie strictly between 0 and 1", delta=terms.delta)
    return terms.delta


def _geometric(terms: Terms) -> Randomizer:
    largest = terms.domain_size - 1
    with _opendp() as dp:
        space = dp.atom_domain(T=int), dp.absolute_distance(T=int)
        scale = largest / terms.epsilon
        measurement = dp.m.make_geometric(*space, scale=scale, bounds=(0, largest))
    return OneByOne(terms.domain_size, measurement)


def _vectors(dp: Any, kind: type) -> Any:
    limits = {"nan": False} if kind is float else {}
    return dp.vector_domain(dp.atom_domain(T=kind, **limits))


ADAPTER = Adapter(
    NAME,
    {
        "randomized_response": _randomized_response,
        "randomized_response_bool": _randomized_response_bool,
        "randomized_response_bitvec": _randomized_response_bitvec,
        "laplace": partial(_laplace, float),
        "laplace_integer": partial(_laplace, int),
        "geometric": _geometric,
        "gaussian": partial(_gaussian, float),
        "gaussian_integer": partial(_gaussian, int),
        "canonical_noise": _canonical_noise,
    },
    note="draws from the operating system and cannot be seeded: no run can be repeated exactly",
)
