"""The settings of a protocol that are searched: lines on which all that leaks grows.

On a line one number grows, and with it the loss and the success of a guess, while the error
shrinks; so the settings that keep the limits are an interval whose ends are found by root finding.
What else is free, a whole number or the share of a memoized protocol's budget that one report may
spend, picks the line.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from ldp_auditor import mechanisms
from ldp_auditor.choosing.columns import Question
from ldp_auditor.errors import AuditError
from ldp_auditor.inputs import Records
from ldp_auditor.mechanisms.bucket_flipping import BitFlipsOfBuckets
from ldp_auditor.mechanisms.local_hashing import OLH
from ldp_auditor.mechanisms.local_mechanism import MIN_EPSILON
from ldp_auditor.mechanisms.memoization import MemoizedOracle, RepeatedForever
from ldp_auditor.mechanisms.records import RecordMechanism
from ldp_auditor.mechanisms.subset_selection import SS

MOST_EPSILON = 20.0
"""Larger ones are not looked at: whoever allows them needs no protection."""

MOST_MEMOIZED = 11.0
"""The same of memoized protocols, of which OLOLOHA hashes to e^epsilon values."""

TRIED = 8
"""Steps in which a line is looked through for where it is defined."""

MOST_SUMMED = 100
"""Reports with Laplace noise whose loss at a delta is worked out unasked."""

LARGEST_SHARE = 0.999
"""Of epsilon_infinity that one report may spend; it must be below 1, so there is no largest."""

SHARES = (LARGEST_SHARE, 0.9, 0.7, 0.5, 0.3, 0.1)
"""From which the search for the best share starts."""


def short(value: float) -> float:
    """A number in ten digits."""
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
        """What every setting has."""
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
        """The line that is good enough for a curve, with so much for all reports."""


class ByEpsilon(Family):
    """A protocol whose only free number is epsilon."""

    def first_line(self, budget: float) -> Line:
        """Return all settings by epsilon."""
        return Line(lambda t: self.protocol(epsilon=t, **self.common))


class ByWholeNumber(Family):
    """A protocol with a whole number besides: hashes, members of a set, bits of buckets."""

    option: str = "hash_range"

    @property
    def largest(self) -> int:
        """The largest whole number that makes sense."""
        if issubclass(self.protocol, OLH):
            return 2**16
        return self.question.domain_size - (not issubclass(self.protocol, BitFlipsOfBuckets))

    @property
    def smallest(self) -> int:
        """The smallest one."""
        return 2 if issubclass(self.protocol, OLH) else 1

    def line(self, number: int) -> Line:
        """All settings with that number, by epsilon."""
        return Line(lambda t: self.protocol(epsilon=t, **self._options(number), **self.common))

    def _options(self, number: int) -> dict[str, int]:
        if issubclass(self.protocol, BitFlipsOfBuckets):  # fewer buckets blur the values
            return {"buckets": self.question.domain_size, "bits": number}
        return {"subset_size" if issubclass(self.protocol, SS) else "hash_range": number}

    def first_line(self, budget: float) -> Line:
        """Return all settings with the number that the protocol chooses itself."""
        if issubclass(self.protocol, BitFlipsOfBuckets):
            return self.line(self.largest)
        return Line(lambda t: self.protocol(epsilon=t, **self.common))

    def starts(self) -> Iterator[int]:
        """Whole numbers from which the search starts, ascending."""
        number, last = self.smallest, self.largest
        while number < last:
            yield number
            number = max(number + 1, 3 * number)
        yield last


class Memoized(Family):
    """A protocol with two guarantees."""

    def fixed(self, epsilon_infinity: float) -> Line:
        """All settings with that guarantee for all reports, by that of one."""
        together = min(short(epsilon_infinity), MOST_MEMOIZED)
        make = partial(self._make, epsilon_infinity=together)
        return Line(lambda t: make(epsilon=t), LARGEST_SHARE * together)

    def ray(self, share: float) -> Line:
        """All settings whose report spends a share of what all may, by what all may."""
        return Line(lambda t: self._make(short(share * t), t), MOST_MEMOIZED)

    def _make(self, epsilon: float, epsilon_infinity: float) -> Any:
        both = {"epsilon": epsilon, "epsilon_infinity": epsilon_infinity}
        return self.protocol(**both, **self.common)

    def first_line(self, budget: float) -> Line:
        """Return the settings that spend the whole budget on all reports."""
        return self.fixed(budget)


def family_of(name: str, question: Question) -> Family:
    """Return the settings of the protocol of that name."""
    protocol = mechanisms.find(name, outside=True)
    if issubclass(protocol, MemoizedOracle):
        return Memoized(name, question)
    whole = issubclass(protocol, OLH | SS | BitFlipsOfBuckets)
    return (ByWholeNumber if whole else ByEpsilon)(name, question)


def considered(question: Question) -> list[str]:
    """Names of all protocols that apply to a question."""
    fresh = [
        name
        for name, protocol in mechanisms.in_the_paper().items()
        if not (protocol.memoizes or protocol.promises_nothing)
        and (question.delta > 0 or not protocol.approximate)
    ]
    if question.sizes:
        mixed = [f"{way}[{name}]" for way in ("SPL", "SMP") for name in fresh]
        return [*mixed, *mechanisms.available(Records)]
    if question.reports == 1:
        return fresh
    kept = [n for n, p in mechanisms.in_the_paper().items() if p.memoizes and n != "RAPPOR"]
    return [*fresh, *kept, *(f"Memo[{name}]" for name in fresh)]


def too_slow(question: Question) -> dict[str, str]:
    """Return protocols that are considered only if they are named, and why."""
    if question.delta == 0 or question.reports <= MOST_SUMMED:
        return {}
    return {"SHE": f"because the loss of more than {MOST_SUMMED} reports at a delta takes minutes"}


def takes_records(name: str) -> bool:
    """Tell whether a protocol is for records."""
    return issubclass(mechanisms.find(name, outside=True), RecordMechanism)
