"""Mechanisms for records that are made of any protocol P: `SPL[P]` and `SMP[P]`.

SPL splits the budget over the attributes; SMP reports one attribute that is drawn and disclosed.
"""

from functools import cache, partial
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ldp_auditor.core import Floats, InputPair, Record, Reports, Values
from ldp_auditor.errors import require
from ldp_auditor.mechanisms.frequency_oracle import FrequencyOracle, unlisted
from ldp_auditor.mechanisms.kernels.xoshiro import draw_values
from ldp_auditor.mechanisms.records import RecordMechanism, attribute_of, join_attributes
from ldp_auditor.theory.loss_law import LossLaw, MixtureLaw, sum_of_laws


class Splitting(RecordMechanism):
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


class Sampling(RecordMechanism):
    """One attribute is drawn, disclosed and reported under the whole budget."""

    def privatize(self, value: Record, n: int, rng: Generator) -> Reports:
        drawn = draw_values(rng, self.attributes, n)
        columns: list[NDArray[Any]] = []
        for j, (part, v) in enumerate(zip(self.parts, value, strict=True)):
            rows = np.flatnonzero(drawn == j)
            reported = part.privatize(v, max(1, rows.size), rng)
            column = np.zeros((n, *reported.shape[1:]), reported.dtype)
            column[rows] = reported[: rows.size]
            columns.append(column)
        return join_attributes([*columns, drawn])

    def guess_attribute(self, reports: Reports, rng: Generator) -> Values:
        return attribute_of(reports, self.attributes)

    def log_likelihood_ratio(self, reports: Reports, pair: InputPair) -> Floats:
        """Return the ratio of the attribute that was drawn."""
        drawn = attribute_of(reports, self.attributes)
        ratio = np.zeros(len(reports))
        for j, values in self.differing(pair):
            rows = np.flatnonzero(drawn == j)
            if rows.size:
                ratio[rows] = self._ratio(j, attribute_of(reports[rows], j), values)
        return ratio

    def loss_law(self, pair: InputPair) -> LossLaw | None:
        laws = self._laws(pair)
        return None if laws is None else MixtureLaw.of(laws, 1 / self.attributes)


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
