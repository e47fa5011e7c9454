"""The settings of a protocol that are searched: lines on which all that leaks grows.

On a line one number grows, and with it the loss and the success of a guess, while the error
shrinks; so the settings that keep the limits are an interval whose ends are found by root finding.
What else is free, a whole number or the share of a memoized protocol's budget that one report may
spend, picks the line.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from ldp_auditor import mechanisms
from ldp_auditor.choosing.columns import Question
from ldp_auditor.errors import AuditError, must
from ldp_auditor.mechanisms.bloom_filters import BloomFilters
from ldp_auditor.mechanisms.bucket_flipping import BitFlipsOfBuckets
from ldp_auditor.mechanisms.hadamard_response import HR
from ldp_auditor.mechanisms.hadamard_sketch import HCMS
from ldp_auditor.mechanisms.local_hashing import OLH
from ldp_auditor.mechanisms.local_mechanism import MIN_EPSILON
from ldp_auditor.mechanisms.memoization import MemoizedOracle, RepeatedForever
from ldp_auditor.mechanisms.memoized_bits import RAPPOR, second_q
from ldp_auditor.mechanisms.memoized_values import OLOLOHA
from ldp_auditor.mechanisms.pairwise_rappor import PIRAPPOR, is_prime
from ldp_auditor.mechanisms.subset_selection import SS
from ldp_auditor.mechanisms.unary_encoding import flip_probability

MOST_EPSILON = 20.0
"""Larger ones are not looked at: whoever allows them needs no protection."""

MOST_MEMOIZED = 11.0
"""The same of memoized protocols, of which OLOLOHA hashes to e^epsilon values."""

TRIED = 8
"""Steps in which a line is looked through for where it is defined."""

LARGEST_SHARE = 0.999
"""Of epsilon_infinity that one report may spend; it must be below 1, so there is no largest."""

STEPS = 32
"""Settings of RAPPOR with the same two guarantees, from one extreme to the other."""

MOST_HASHES = range(2, 2**16 + 1)
"""Numbers of hashes that are looked at."""

SHARES = (LARGEST_SHARE, 0.9, 0.7, 0.5, 0.3, 0.1)
"""From which the search for the best share starts."""


def short(value: float) -> float:
    """Return `value` rounded to ten digits."""
    return float(f"{value:.10g}")


@dataclass(frozen=True)
class Line:
    """Settings by one number, up to `most`; it raises where the protocol is not defined."""

    make: Callable[[float], Any]
    most: float = MOST_EPSILON

    def at(self, place: float) -> Any:
        """The mechanism at a place, whose number has ten digits."""
        return self.make(short(place))

    def is_defined(self, place: float) -> bool:
        """Tell whether there is a mechanism at a place."""
        try:
            self.at(place)
        except AuditError:
            return False
        return True

    def span(self) -> tuple[float, float] | None:
        """The smallest and the largest place with a mechanism; None if there is none at all."""
        if self.is_defined(MIN_EPSILON) and self.is_defined(self.most):
            return MIN_EPSILON, self.most
        tried = [MIN_EPSILON * (self.most / MIN_EPSILON) ** (i / TRIED) for i in range(TRIED)]
        tried.append(self.most)
        inside = [place for place in tried if self.is_defined(place)]
        if not inside:
            return None
        low, high = tried.index(inside[0]), tried.index(inside[-1])
        first = inside[0] if low == 0 else self._edge(tried[low - 1], inside[0])
        last = inside[-1] if high == TRIED else self._edge(tried[high + 1], inside[-1])
        return first, last

    def _edge(self, outside: float, inside: float) -> float:
        """The place next to `outside` that is still defined, between it and `inside`."""
        while abs(math.log(inside / outside)) > 1e-9:
            middle = math.sqrt(inside * outside)
            inside, outside = (middle, outside) if self.is_defined(middle) else (inside, middle)
        return inside


class Family(ABC):
    """All settings of one protocol."""

    def __init__(self, name: str, question: Question) -> None:
        self.name, self.question = name, question
        self.protocol: Any = mechanisms.find(name, outside=True)

    @property
    def common(self) -> dict[str, Any]:
        """The arguments that every setting has."""
        question = self.question
        if question.sizes:
            return {"domain_sizes": question.sizes, "delta": question.delta}
        shared: dict[str, Any] = {"domain_size": question.domain_size}
        if self.protocol.approximate:  # as much for all reports as is allowed
            together = issubclass(self.protocol, RepeatedForever)
            shared["delta"] = question.delta / (1 if together else question.reports)
        return shared

    @abstractmethod
    def first_line(self, budget: float) -> Line:
        """Return the line with the protocol's own options, and `budget` for all reports."""

    def drawn_lines(self, budget: float, found: Any) -> list[Line]:
        """The lines whose best setting is drawn; `found` is the best one within the limits."""
        return [self.first_line(budget)]


class ByEpsilon(Family):
    """A protocol whose only free number is epsilon."""

    def first_line(self, budget: float) -> Line:
        """Return all settings by epsilon."""
        return Line(lambda t: self.protocol(epsilon=t, **self.common))


class ByWholeNumber(Family):
    """A protocol with a whole number besides: hashes, members of a set, the width of a sketch."""

    def __init__(self, name: str, question: Question) -> None:
        super().__init__(name, question)
        self.option, self.numbers = _whole_number(self.protocol, question.domain_size)

    def line(self, number: int) -> Line:
        """Return the settings with that `number`, by epsilon."""
        own = {self.option: number}
        if issubclass(self.protocol, BitFlipsOfBuckets):  # fewer buckets blur the values
            own["buckets"] = self.question.domain_size
        return Line(lambda t: self.protocol(epsilon=t, **own, **self.common))

    def first_line(self, budget: float) -> Line:
        """Return all settings with the number that the protocol chooses itself."""
        if issubclass(self.protocol, BitFlipsOfBuckets):
            return self.line(self.question.domain_size)
        return Line(lambda t: self.protocol(epsilon=t, **self.common))

    def drawn_lines(self, budget: float, found: Any) -> list[Line]:
        """Return the protocol's own choice, and that of the setting that was found."""
        return [self.first_line(budget), self.line(getattr(found, self.option))]


def _whole_number(protocol: Any, k: int) -> tuple[str, Sequence[int]]:
    """The option of a protocol that is a whole number, and all numbers that make sense."""
    if issubclass(protocol, OLH):
        return "hash_range", MOST_HASHES
    if issubclass(protocol, SS):
        return "subset_size", range(1, k)
    if issubclass(protocol, BitFlipsOfBuckets):
        return "bits", range(1, k + 1)
    if issubclass(protocol, HR):
        return "blocks", [2**i for i in range(k.bit_length() + 1)]
    if issubclass(protocol, PIRAPPOR):  # as few bits as tell all values apart, and more
        return "field", [field for field in _largest_primes() if field >= k]
    return "width", [2**i for i in range(1, 11)]


@cache
def _largest_primes() -> list[int]:
    """The largest prime number of every number of bits."""
    sizes = range(2, 33)
    return [next(n for n in range(2**size - 1, 1, -1) if is_prime(n)) for size in sizes]


class Memoized(Family):
    """A protocol with two guarantees, and perhaps a number that shapes its second round."""

    def __init__(self, name: str, question: Question) -> None:
        super().__init__(name, question)
        self.shapes: Sequence[int] = ()
        """What may shape it: numbers of hashes, or steps between extremes of RAPPOR."""
        if issubclass(self.protocol, OLOLOHA):
            self.shapes = MOST_HASHES
        elif issubclass(self.protocol, RAPPOR):
            self.shapes = range(STEPS + 1)

    def fixed(self, epsilon_infinity: float, shape: int | None = None) -> Line:
        """Return the settings with `epsilon_infinity` for all reports, by the epsilon of one."""
        together = min(short(epsilon_infinity), MOST_MEMOIZED)
        return Line(lambda t: self._make(t, together, shape), LARGEST_SHARE * together)

    def ray(self, share: float, shape: int | None = None) -> Line:
        """Return the settings whose one report spends `share` of what all may, by the latter."""
        return Line(lambda t: self._make(short(share * t), t, shape), MOST_MEMOIZED)

    def _make(self, epsilon: float, epsilon_infinity: float, shape: int | None) -> Any:
        if issubclass(self.protocol, RAPPOR):
            own = rappor_options(epsilon, epsilon_infinity, STEPS // 2 if shape is None else shape)
            return self.protocol(**own, **self.common)
        own = {"epsilon": epsilon, "epsilon_infinity": epsilon_infinity}
        if shape is not None:
            own["hash_range"] = shape
        return self.protocol(**own, **self.common)

    def shape_of(self, mechanism: Any) -> int:
        """The shape of a setting."""
        if isinstance(mechanism, RAPPOR):
            options = {"f": mechanism.f, "p": mechanism.p, "q": mechanism.q}
            epsilons = mechanism.epsilon, mechanism.epsilon_infinity
            return min(
                self.shapes,
                key=lambda step: abs(rappor_options(*epsilons, step)["q"] - options["q"]),
            )
        return int(mechanism.hash_size)

    def first_line(self, budget: float) -> Line:
        """Return the settings that spend the whole budget on all reports."""
        return self.fixed(budget)

    def drawn_lines(self, budget: float, found: Any) -> list[Line]:
        """Return the settings that spend the whole `budget`, with some shapes."""
        if not self.shapes:
            return [self.fixed(budget)]
        own = self.shape_of(found)
        some = (0, STEPS // 4, own, STEPS) if issubclass(self.protocol, RAPPOR) else (None, own)
        return [self.fixed(budget, shape) for shape in some]


def rappor_options(epsilon: float, epsilon_infinity: float, step: int) -> dict[str, float]:
    """Return f, p and q of RAPPOR with two guarantees.

    There is one for every q, how often a permanent 1 is reported, from that at which a permanent 0
    is never reported as 1 (step 0) up to 1 (the last step).
    """
    rest = flip_probability(epsilon_infinity / 2)
    # With p = 0 and a small q a report loses half of epsilon_infinity. If it may lose more, it
    # loses ln((1 - f/2) (1 - q f/2) / (f/2 (1 - q (1 - f/2)))), which is solved for the least q.
    growth, odds = math.exp(epsilon), (1 - rest) / rest
    least = max(0.0, (growth - odds) / (growth * (1 - rest) - odds * rest))
    q = least + (1 - least) * min(max(step / STEPS, 1e-6), 1 - 1e-6)
    must(0 < q < 1, "leave room for epsilon_1", epsilon_infinity=epsilon_infinity)
    p = second_q(epsilon, 1 - rest, rest, rest, q)
    return {name: float(f"{v:.12g}") for name, v in (("f", 2 * rest), ("p", p), ("q", q))}


def family_of(name: str, question: Question) -> Family:
    """Return the settings of the protocol of that name."""
    protocol = mechanisms.find(name, outside=True)
    if issubclass(protocol, MemoizedOracle):
        return Memoized(name, question)
    sketches = HR | HCMS | BloomFilters | PIRAPPOR
    whole = issubclass(protocol, OLH | SS | BitFlipsOfBuckets | sketches)
    return (ByWholeNumber if whole else ByEpsilon)(name, question)
