"""What sketches share: public hash functions, a row of them in each report, and inputs in words.

A row is a seed of `local_hashing`. By default there are 2**64 of them, so that everybody has
functions of their own; with `rows` there are as many as that, known in advance. What is hashed is a
64-bit key: that of a value is its number, that of a word is a digest with the highest bit set. So
nobody needs a list of all values to make a report.
"""

import hashlib
from abc import abstractmethod
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ldp_auditor.core import Floats, InputPair, Reports
from ldp_auditor.errors import require, whole_number
from ldp_auditor.inputs import Names
from ldp_auditor.mechanisms.estimation import FrequencyEstimator, check_form
from ldp_auditor.mechanisms.frequency_oracle import MAX_INDEX, FrequencyOracle
from ldp_auditor.mechanisms.kernels.xoshiro import Words
from ldp_auditor.mechanisms.local_hashing import SEED_BITS
from ldp_auditor.mechanisms.local_mechanism import CHOSEN
from ldp_auditor.portable_math import log2

MOST_BITS = 2**16
"""Width of a row at most."""


def key_of(value: int | str) -> np.uint64:
    """Return the number that stands for a value or a word in all hash functions."""
    if isinstance(value, str):
        digest = hashlib.blake2b(value.encode(), digest_size=8).digest()
        value = int.from_bytes(digest) | 1 << 63
    return np.uint64(value)


@dataclass(frozen=True, kw_only=True)
class HashedRows(FrequencyOracle, FrequencyEstimator):
    """A protocol whose report has a row, the functions of which hash the value to `width` places.

    An input is the number of a value or any word. The first values may be `named` by words, so that
    they are guessed and estimated as these.
    """

    family = "sketches"

    width: int = 1024
    rows: int = CHOSEN
    named: tuple[str, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        self._set("width", whole_number("width", self.width, 2, MOST_BITS))
        self._set("rows", whole_number("rows", self.rows, CHOSEN, MAX_INDEX))
        super().__post_init__()
        self._set("named", tuple(self.inputs.check(word, "a word") for word in self.named))
        count = len(self.named)
        require(
            count == len(set(self.named)) <= self.domain_size,
            f"named must be {self.domain_size} different words at most, got {count}",
            argument="named",
        )

    @property
    def inputs(self) -> Names:
        return Names(self.domain_size, self.named)

    def naming(self, pair: InputPair) -> Self:
        """Return the protocol with the words of a pair, if it is one, among the values."""
        words = [side for side in (pair.first, pair.second) if isinstance(side, str)]
        more = [word for word in words if word not in self.named]
        return replace(self, named=(*self.named, *more)) if more else self

    @cached_property
    def keys(self) -> Words:
        """Keys of the values that are named by words; those of the others are their numbers."""
        return np.array([key_of(word) for word in self.named], np.uint64)

    def key(self, value: Any) -> np.uint64:
        """Return the key of an input: a word, or the number of a value that may be named by one."""
        checked = self.check_value(value)
        named = isinstance(checked, int) and checked < len(self.named)
        return key_of(self.named[checked] if named else checked)

    def supports(self, reports: Reports, value: Any) -> NDArray[np.bool_]:
        """Tell for every report whether it supports a value."""
        scores = np.zeros((len(reports), 1))
        self.add_supports(reports, np.array([self.key(value)]), scores)
        return scores[:, 0] > 0

    def add_scores(self, reports: Reports, totals: Floats) -> None:
        self.add_supports(reports, self.keys, totals)

    @abstractmethod
    def add_supports(self, reports: Reports, keys: Words, totals: Floats) -> None:
        """Add 1 for every value that a report supports, a column for each.

        The first have these `keys`; the keys of the others are their numbers.
        """

    def estimate_of(self, reports: Reports, values: Any) -> Floats:
        """Estimate the frequencies of some values or words alone: nothing has a place for all."""
        check_form(self, reports, 0)
        shares = [np.count_nonzero(self.supports(reports, value)) for value in values]
        return self.score_law.frequencies(np.array(shares) / len(reports))

    def frequency_variance(self, users: int, frequency: Any, reports: int = 1) -> Any:
        """Return the exact variance of an estimated frequency, over rows that are all different."""
        require(
            self.rows == CHOSEN,
            f"{self.name} with rows={self.rows} has no variance of its own: values that collide in "
            "these rows stay mixed up, which is a bias and not noise; leave out rows",
        )
        return super().frequency_variance(users, frequency, reports)

    @property
    def row_bits(self) -> float:
        """Bits that name a row."""
        return SEED_BITS if self.rows == CHOSEN else log2(self.rows)
