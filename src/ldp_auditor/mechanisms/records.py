"""Records of several attributes, each reported by a single-attribute protocol.

A report is a structured array with a field for every attribute. The paper's attack guesses an
attribute, then its value (Algorithms 3 and 4 of [Arcolezi24]): a guess is a pair of both, and it
names a record if the value is the record's value of that attribute.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ldp_auditor.core import Claim, Floats, InputPair, Rates, Record, Reports, Values, exceeds
from ldp_auditor.errors import AuditError, number, one_of, require, whole_number
from ldp_auditor.inputs import Records
from ldp_auditor.mechanisms.capabilities import (
    KnowsAttackSuccess,
    KnowsLikelihood,
    TellsWireBits,
    loss_law_of,
    needed,
)
from ldp_auditor.mechanisms.frequency_oracle import FrequencyOracle
from ldp_auditor.mechanisms.kernels.xoshiro import draw_values
from ldp_auditor.mechanisms.local_mechanism import Listed
from ldp_auditor.theory.attack_success import uniform
from ldp_auditor.theory.loss_law import LossLaw

MOST_ATTRIBUTES = 10_000

RELATIONS = ("all", "one")
"""Which records are compared: records that differ in every attribute, or in one."""


SMALL_REPORT = 512
"""Bytes of a report up to which a batch stays in the cache."""

UNKNOWN = -(2**40)
"""Stands for a number that was not given."""

NOT_GIVEN = -math.inf
"""Stands for a parameter that takes the protocol's own default."""


@dataclass(frozen=True, kw_only=True)
class RecordMechanism(Listed, ABC):
    """A mechanism for records; give `attributes` and `domain_size`, or all `domain_sizes`."""

    takes = Records

    protocol: ClassVar[type[FrequencyOracle]]
    """What reports one attribute."""

    epsilon: float = NOT_GIVEN
    domain_size: int = UNKNOWN
    attributes: int = UNKNOWN
    domain_sizes: Record = ()
    delta: float = NOT_GIVEN
    own_options: tuple[tuple[str, Any], ...] = ()
    """Options of the protocol inside."""

    def __init_subclass__(cls, listed: bool = True) -> None:
        super().__init_subclass__(listed)
        if "name" in vars(cls):
            cls.approximate = cls.protocol.approximate
            cls.promises_nothing = cls.protocol.promises_nothing

    def __post_init__(self) -> None:
        sizes = self._sizes()
        object.__setattr__(self, "domain_sizes", sizes)
        object.__setattr__(self, "attributes", len(sizes))
        object.__setattr__(self, "domain_size", max(sizes))
        claim = self._claim()
        object.__setattr__(self, "epsilon", claim.epsilon)
        object.__setattr__(self, "delta", claim.delta)
        _ = self.parts

    def _sizes(self) -> Record:
        """Sizes of all attributes, from whichever way they were given."""
        if self.domain_sizes:
            try:
                sizes = tuple(whole_number("a domain size", s, 2) for s in self.domain_sizes)
            except AuditError as error:
                raise AuditError(str(error), argument="domain_sizes") from None
            require(
                self.attributes in (UNKNOWN, len(sizes))
                and self.domain_size in (UNKNOWN, max(sizes)),
                f"domain_sizes={','.join(map(str, sizes))} does not fit the other sizes given; "
                "give domain_sizes alone",
            )
        else:
            require(
                UNKNOWN not in (self.domain_size, self.attributes),
                f"{self.name} needs attributes and domain_size, or domain_sizes",
            )
            size = whole_number("domain_size", self.domain_size, at_least=2)
            sizes = (size,) * whole_number("attributes", self.attributes, 2, MOST_ATTRIBUTES)
        require(
            2 <= len(sizes) <= MOST_ATTRIBUTES,
            f"a record has two attributes at least and {MOST_ATTRIBUTES} at most, got {len(sizes)}",
        )
        return sizes

    def _claim(self) -> Claim:
        """The promise, with the protocol's own defaults."""
        epsilon = number("epsilon", self.epsilon)
        if epsilon == NOT_GIVEN:
            require(self.protocol.promises_nothing, f"{self.name} needs epsilon")
            epsilon = math.inf
        delta = number("delta", self.delta)
        if delta == NOT_GIVEN:
            delta = self.protocol.delta
        return Claim(epsilon, delta)

    @property
    def claim(self) -> Claim:
        """The promise for any two records."""
        return Claim(self.epsilon, self.delta)

    @classmethod
    def option_types(cls) -> Mapping[str, type]:
        """Names and types of the options beyond epsilon, delta and the domain size."""
        return {"attributes": int, "domain_sizes": tuple, **cls.protocol.option_types()}

    @classmethod
    def required(cls) -> list[str]:
        """Names of the parameters that have no default, beyond the sizes of the attributes."""
        return [] if cls.promises_nothing else ["epsilon"]

    @property
    def options(self) -> Mapping[str, Any]:
        """Values of those options."""
        sizes = {"attributes": self.attributes, "domain_sizes": list(self.domain_sizes)}
        return {**sizes, **self.parts[0].options}

    @property
    def inputs(self) -> Records:
        """Records; by default two that differ in every attribute are compared, as in the paper."""
        return Records(self.domain_sizes)

    def neighbours(self, relation: str, attribute: int = 0) -> InputPair:
        """Return two records that differ in every attribute, or in one of them."""
        one_of("neighbours", relation, RELATIONS)
        attribute = whole_number("attribute", attribute, 0, self.attributes - 1)
        first = (0,) * self.attributes
        second = tuple(int(relation == "all" or j == attribute) for j in range(self.attributes))
        return InputPair(first, second)

    @cached_property
    def parts(self) -> tuple[FrequencyOracle, ...]:
        """The protocol of every attribute."""
        try:
            made = {size: self.part(size) for size in set(self.domain_sizes)}
        except AuditError as error:
            raise AuditError(f"an attribute of {self.name} cannot be reported: {error}") from error
        return tuple(made[size] for size in self.domain_sizes)

    @property
    def shares(self) -> int:
        """Parts that the budget is split into."""
        return 1

    def part(self, domain_size: int) -> FrequencyOracle:
        """The protocol of an attribute of that size, with its share of the budget."""
        given: dict[str, Any] = {"domain_size": domain_size, **dict(self.own_options)}
        if not self.protocol.promises_nothing:
            given["epsilon"] = self.epsilon / self.shares
        if self.protocol.approximate:
            given["delta"] = self.delta / self.shares
        return self.protocol(**given)

    @property
    def report_bytes(self) -> int:
        """Memory that the attack on one report needs, to size batches for the cache.

        Of many attributes it is told as an eighth, for batches eight times as large: each attribute
        is a call of its kernel, which takes as long as a thousand reports of one.
        """
        needed = 16 + sum(part.report_bytes for part in self.parts)
        return max(min(needed, SMALL_REPORT), needed // 8)

    @abstractmethod
    def privatize(self, value: Record, n: int, rng: Generator) -> Reports:
        """Return `n` independent reports of a record."""

    def guess(self, reports: Reports, rng: Generator) -> Values:
        """Return an attribute and the guess of its value for every report."""
        attributes = self.guess_attribute(reports, rng)
        guesses = np.empty((len(reports), 2), np.int64)
        guesses[:, 0] = attributes
        for j, (part, rows) in enumerate(
            zip(self.parts, rows_of_each(attributes, self.attributes), strict=True)
        ):
            if rows.size:
                guesses[rows, 1] = part.guess(attribute_of(reports, j, rows), rng)
        return guesses

    def guess_attribute(self, reports: Reports, rng: Generator) -> Values:
        """Return the attribute that the attack looks at: any, if none is better."""
        return draw_values(rng, self.attributes, len(reports))

    def guess_rates(self, pair: InputPair) -> Rates | None:
        """Return the exact rates at which a guess names the pair's first record, where known."""
        hits, alarms = [], []
        for part, first, second in zip(self.parts, pair.first, pair.second, strict=True):
            other = second if second != first else (first + 1) % part.domain_size
            rates = part.guess_rates(InputPair(first, other))
            if rates is None:
                return None
            hits.append(rates.true_positive)
            alarms.append(rates.true_positive if first == second else rates.false_positive)
        return Rates(float(np.mean(hits)), float(np.mean(alarms)))

    def attack_success(self, prior: Floats | None = None) -> float | None:
        """Return how often the best guess of an attribute's value is right, the worst of all.

        The guess looks at what the report says of that attribute. A `prior` is for attributes that
        all have its size.
        """
        parts = {part.domain_size: part for part in self.parts}
        if prior is not None and set(parts) != {len(prior)}:
            return None
        found = [
            self.success_of(part, uniform(size) if prior is None else prior)
            for size, part in parts.items()
        ]
        known = [success for success in found if success is not None]
        return max(known) if len(known) == len(found) else None

    def success_of(self, part: FrequencyOracle, prior: Floats) -> float | None:
        """Return how often the value of an attribute is guessed that `part` reports."""
        return part.attack_success(prior) if isinstance(part, KnowsAttackSuccess) else None

    def wire_bits(self, reports: int = 1) -> tuple[float, float | None]:
        """Return the bits of all attributes together."""
        bits = [
            needed(part, TellsWireBits, "the size of a report").wire_bits(reports)
            for part in self.parts
        ]
        least = [low for _, low in bits if low is not None]
        return sum(sent for sent, _ in bits), sum(least) if len(least) == len(bits) else None

    @abstractmethod
    def loss_law(self, pair: InputPair) -> LossLaw | None:
        """Return the exact law of the log-likelihood ratio of a report, where known."""

    def worst_case(self, pair: InputPair) -> float | None:
        """Return the exact smallest epsilon that is kept for a pair of records, where known."""
        law = self.loss_law(pair)
        return None if law is None else law.epsilon(self.delta)

    def worst_cases(self) -> Mapping[str, float | None]:
        """Return the exact smallest epsilon for records that differ in one attribute, and in all.

        With attributes of different sizes the first is the largest over all of them.
        """
        one = [
            self.worst_case(self.neighbours("one", self.domain_sizes.index(size)))
            for size in sorted(set(self.domain_sizes))
        ]
        known = [w for w in one if w is not None]
        return {
            "one": max(known) if len(known) == len(one) else None,
            "all": self.worst_case(self.neighbours("all")),
        }

    def about(self, pair: InputPair) -> dict[str, Any]:
        """Tell which relation a pair stands for, and the exact worst case of each relation."""
        count = len(self.differing(pair))
        relation = {1: "one", self.attributes: "all"}.get(count, "some")
        facts: dict[str, Any] = {"neighbours": relation}
        for name, loss in self.worst_cases().items():
            facts[f"worst_case_{name}"] = loss
            facts[f"holds_for_{name}"] = None if loss is None else not exceeds(loss, self.epsilon)
        return facts

    def _laws(self, pair: InputPair) -> list[LossLaw] | None:
        """The laws of the attributes that differ, where all of them are known."""
        laws = [loss_law_of(self.parts[j], v) for j, v in self.differing(pair)]
        known = [law for law in laws if law is not None]
        return known if len(known) == len(laws) else None

    def _ratio(self, attribute: int, reports: Reports, pair: InputPair) -> Floats:
        """The log-likelihood ratio of the reports of one attribute."""
        part = needed(self.parts[attribute], KnowsLikelihood, f"the optimal attack on {self.name}")
        ratio: Floats = part.log_likelihood_ratio(reports, pair)
        return ratio

    def differing(self, pair: InputPair) -> list[tuple[int, InputPair]]:
        """Attributes in which two records differ, with their values there."""
        both = enumerate(zip(pair.first, pair.second, strict=True))
        return [(j, InputPair(a, b)) for j, (a, b) in both if a != b]


def join_attributes(columns: Sequence[NDArray[Any]]) -> Reports:
    """Put the reports of all attributes beside each other."""
    layout = [(f"a{j}", column.dtype, column.shape[1:]) for j, column in enumerate(columns)]
    reports = np.empty(len(columns[0]), np.dtype(layout))
    for j, column in enumerate(columns):
        reports[f"a{j}"] = column
    return reports


def attribute_of(reports: Reports, attribute: int, rows: Any = slice(None)) -> Reports:
    """Return the reports of one attribute, of all records or of some."""
    return np.ascontiguousarray(reports[f"a{attribute}"][rows])


def rows_of_each(drawn: Values, attributes: int) -> list[NDArray[np.int64]]:
    """Return, for every attribute, the rows in which it was drawn, in ascending order."""
    counts = np.bincount(drawn, minlength=attributes)
    numbers = drawn.astype(np.uint16)  # `MOST_ATTRIBUTES` fit; sorted by digits, in linear time
    return np.split(np.argsort(numbers, kind="stable"), np.cumsum(counts)[:-1])
