"""Mechanisms for records that are made of any protocol P: `SPL[P]` and `SMP[P]`.

SPL splits the budget over the attributes; SMP reports one attribute that is drawn and disclosed.
"""

import math
from collections.abc import Iterator, Sequence
from functools import cache, cached_property, partial
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ldp_auditor.core import Floats, InputPair, Record, Reports, Values
from ldp_auditor.errors import require
from ldp_auditor.mechanisms.frequency_oracle import FrequencyOracle
from ldp_auditor.mechanisms.kernels.xoshiro import draw_values
from ldp_auditor.mechanisms.local_mechanism import unlisted
from ldp_auditor.mechanisms.record_estimation import (
    Frequencies,
    RecordEstimator,
    count_attributes,
    variance_of_sampled,
)
from ldp_auditor.mechanisms.records import RecordMechanism, attribute_of, join_attributes
from ldp_auditor.portable_math import log2
from ldp_auditor.theory.attack_success import blind_success
from ldp_auditor.theory.discrete_laws import MixtureLaw, sum_of_laws
from ldp_auditor.theory.loss_law import LossLaw


class Splitting(RecordEstimator):
    """Every attribute is reported, under its share of epsilon and delta."""

    @property
    def shares(self) -> int:
        return self.attributes

    def privatize(self, value: Record, n: int, rng: Generator) -> Reports:
        return join_attributes(
            [part.privatize(v, n, rng) for part, v in zip(self.parts, value, strict=True)]
        )

    def log_likelihood_ratio(self, reports: Reports, pair: InputPair) -> Floats:
        """Return the sum of the ratios of the attributes that differ."""
        total = np.zeros(len(reports))
        for j, values in self.differing(pair):
            total += self._ratio(j, attribute_of(reports, j), values)
        return total

    def loss_law(self, pair: InputPair) -> LossLaw | None:
        laws = self._laws(pair)
        return None if laws is None else sum_of_laws(laws)

    def worst_case(self, pair: InputPair) -> float | None:
        laws = self._laws(pair)
        if self.delta == 0 and laws is not None:
            return sum(law.supremum for law in laws)
        return super().worst_case(pair)

    def _frequencies(self, tallies: list[Floats], reports: int) -> Frequencies:
        both = zip(self.estimators, tallies, strict=True)
        return tuple(part.frequencies_from(tally, reports) for part, tally in both)

    def _variance(self, senders: int, frequency: Floats, attribute: int) -> Floats:
        variance: Floats = self.estimators[attribute].frequency_variance(senders, frequency)
        return variance


class Sampling(RecordEstimator):
    """One attribute is drawn, disclosed and reported under the whole budget.

    A report has a field for every size of an attribute, not for every attribute: the one that was
    drawn fills the field of its size. So the cost of a report does not grow with their number.
    """

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The different sizes of attributes, which are the fields of a report."""
        return tuple(dict.fromkeys(self.domain_sizes))

    @property
    def report_bytes(self) -> int:
        return 16 + sum(self._part(size).report_bytes for size in self.sizes)

    def _part(self, size: int) -> FrequencyOracle:
        return self.parts[self.domain_sizes.index(size)]

    def _alike(self, values: Sequence[Any]) -> Iterator[tuple[int, Any, Values]]:
        """Yield every size and value among the attributes, with a mark for each that has both."""
        both = list(zip(self.domain_sizes, values, strict=True))
        for size, value in dict.fromkeys(both):
            yield size, value, np.array([pair == (size, value) for pair in both])

    def privatize(self, value: Record, n: int, rng: Generator) -> Reports:
        drawn = draw_values(rng, self.attributes, n)
        columns: dict[int, NDArray[Any]] = {}
        for size, v, marks in self._alike(value):
            rows = np.flatnonzero(marks[drawn])
            reported = self._part(size).privatize(v, max(1, rows.size), rng)
            if size not in columns:
                columns[size] = np.zeros((n, *reported.shape[1:]), reported.dtype)
            columns[size][rows] = reported[: rows.size]
        return join_attributes([*columns.values(), drawn])

    def success_of(self, part: FrequencyOracle, prior: Floats) -> float | None:
        told = super().success_of(part, prior)
        drawn = 1 / self.attributes
        return None if told is None else drawn * told + (1 - drawn) * blind_success(prior)

    def wire_bits(self, reports: int = 1) -> tuple[float, float | None]:
        """Return the bits of the attribute that is drawn, on average, and of its number."""
        sent, least = super().wire_bits(reports)
        number = log2(self.attributes)
        mean = None if least is None else least / self.attributes + number
        return sent / self.attributes + math.ceil(number), mean

    def guess(self, reports: Reports, rng: Generator) -> Values:
        """Return the attribute that was drawn and the guess of its value for every report."""
        drawn = self._drawn(reports)
        guesses = np.column_stack([drawn, drawn])
        for size, _, marks in self._alike((None,) * self.attributes):
            rows = np.flatnonzero(marks[drawn])
            if rows.size:
                guesses[rows, 1] = self._part(size).guess(self._of_size(reports, size, rows), rng)
        return guesses

    def log_likelihood_ratio(self, reports: Reports, pair: InputPair) -> Floats:
        """Return the ratio of the attribute that was drawn."""
        drawn = self._drawn(reports)
        ratio = np.zeros(len(reports))
        values = list(zip(pair.first, pair.second, strict=True))
        for size, (first, second), marks in self._alike(values):
            rows = np.flatnonzero(marks[drawn])
            if rows.size and first != second:
                attribute = self.domain_sizes.index(size)
                of_size = self._of_size(reports, size, rows)
                ratio[rows] = self._ratio(attribute, of_size, InputPair(first, second))
        return ratio

    def _drawn(self, reports: Reports) -> Values:
        return attribute_of(reports, len(self.sizes))

    def _of_size(self, reports: Reports, size: int, rows: Any) -> Reports:
        return attribute_of(reports, self.sizes.index(size), rows)

    def loss_law(self, pair: InputPair) -> LossLaw | None:
        laws = self._laws(pair)
        return None if laws is None else MixtureLaw.of(laws, 1 / self.attributes)

    @property
    def _tally_sizes(self) -> list[int]:
        return [*super()._tally_sizes, self.attributes]

    def _tallies(self, reports: Reports) -> list[Floats]:
        drawn = self._drawn(reports)
        counts = count_attributes(drawn, self.attributes)
        tallies = [
            part.tally(self._of_size(reports, size, drawn == j))
            for j, (part, size) in enumerate(zip(self.estimators, self.domain_sizes, strict=True))
        ]
        return [*tallies, counts]

    def _frequencies(self, tallies: list[Floats], reports: int) -> Frequencies:
        """Estimate the frequencies among those who drew the attribute: NaN where nobody did."""
        *of_attributes, drawn = tallies
        frequencies = []
        for part, tally, own in zip(self.estimators, of_attributes, drawn, strict=True):
            estimated = part.frequencies_from(tally, max(1, int(own)))
            frequencies.append(estimated if own else np.full_like(estimated, np.nan))
        return tuple(frequencies)

    def _variance(self, senders: int, frequency: Floats, attribute: int) -> Floats:
        """Return the variance given that somebody drew the attribute."""
        one = self.estimators[attribute].frequency_variance(1, frequency)
        return variance_of_sampled(one, senders, frequency, self.attributes)


def _combined(
    kind: type[RecordMechanism], name: str, what: str, protocol: type[FrequencyOracle]
) -> type[RecordMechanism]:
    """Make a mechanism for records of a protocol."""
    require(
        not protocol.memoizes,
        f"{name}[{protocol.name}] is not offered: {protocol.name} memoizes, which is about many "
        "reports",
    )
    body = {"name": f"{name}[{protocol.name}]", "protocol": protocol, "summary": what}
    return unlisted(f"{name}{protocol.__name__}", (kind,), **body)  # type: ignore[no-any-return]


splitting_of = cache(partial(_combined, Splitting, "SPL", "budget split over the attributes"))
"""Makes SPL of a protocol."""

sampling_of = cache(partial(_combined, Sampling, "SMP", "one attribute, drawn and disclosed"))
"""Makes SMP of a protocol."""
