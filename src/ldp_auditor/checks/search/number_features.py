"""Columns derived from a column of numbers: low bits, residues, signs of zeros, last digits."""

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_auditor.checks.search.differing import (
    MOST_OF_ARRAYS,
    differences,
    first_of_each,
    most_different,
)
from ldp_auditor.checks.search.sequence_features import MOST_ENTRIES
from ldp_auditor.core import Floats

MOST_BITS = 256
"""Bits of an integer that are columns of their own; of more, those that differ most by input."""

LONGEST = 2**16
"""The lowest bits of an integer, among which those are that become columns."""

WORD = 64
"""Bits of numpy's integers: longer ones are cut into words."""

WIDE = 64
"""Range of integers from which residues and bits tell more than the values themselves."""

DECIMALS = range(1, 8)
"""Decimal places of a float after which its last digit is looked at."""

RICH_PLACES = 4
"""Numbers in a report up to which single bits and fractional parts are looked at."""

MODULI: Mapping[int, int] = {
    2: MOST_ENTRIES,
    **dict.fromkeys((16, 10, 3, 7), 100),
    **dict.fromkeys((11, 12, 13, 60, 1000, 3600, 86_400), RICH_PLACES),
}
"""Moduli of which residues are looked at, and the numbers in a report up to which they are.

Sets of residues cover the divisors; the last ones are digits and parts of a day.
"""

WHOLE_BITS = 53
"""Bits of the whole numbers that a float holds."""

LAST_BITS = 16
"""The last bits of a float are looked at modulo this."""

Feature = tuple[str, NDArray[Any]]


def lowest_bits(numbers: Floats) -> Floats:
    """Exponents of the lowest set bits: the finest powers of two that divide the numbers."""
    mantissa, exponent = np.frexp(np.abs(numbers))
    whole_mantissa = np.where(np.isfinite(mantissa), mantissa * 2.0**53, 0.0).astype(np.int64)
    lowest = whole_mantissa & -whole_mantissa
    bits = np.frexp(np.maximum(lowest, 1))[1] - 1.0 + exponent - 53
    return np.where(lowest == 0, 1100.0, bits)


def as_float(number: int) -> float:
    """An integer as a float; the largest float where it is too large."""
    try:
        return float(number)
    except OverflowError:
        return sys.float_info.max if number > 0 else -sys.float_info.max


def integers(parts: Sequence[Any]) -> NDArray[Any]:
    """Integers as an array; as an array of Python ints where they are too large for numpy."""
    try:
        return np.array(parts, dtype=np.int64)
    except OverflowError:
        return np.array([int(part) for part in parts], dtype=object)


@dataclass(frozen=True)
class Due:
    """Whether a column is made: by its name where some are wanted, else by a rule."""

    places: int
    """The number of numbers in a report: the more there are, the fewer columns are derived."""
    wanted: Set[str] | None
    """Names of the columns that are made, besides the number itself; None for a choice."""
    owners: NDArray[np.int64]
    """The input of each number, in rising order."""
    note: Callable[[str], None]
    """Tell what is not looked into."""

    @property
    def may_look_at_bits(self) -> bool:
        """Whether single bits may become columns."""
        return self.wanted is not None or self.places <= RICH_PLACES

    def __call__(self, name: str, most_places: float, rule: bool = True) -> bool:
        """Tell whether a column is made, with up to `most_places` numbers in a report."""
        if self.wanted is not None:
            return name in self.wanted
        return rule and self.places <= most_places


def number_features(words: str, numbers: NDArray[Any], due: Due) -> Iterator[Feature]:
    """The column `numbers` and the columns derived from it that are `due`, each with its words."""
    if numbers.dtype.kind == "f":
        numbers = numbers.astype(np.float64, copy=False)
        yield words, numbers
        derive = _of_floats
    else:
        big = numbers.dtype.kind == "O"
        yield words, np.array([as_float(n) for n in numbers]) if big else numbers
        derive = _of_integers
    if due.wanted is None or not due.wanted <= {words}:
        yield from derive(words, numbers, due)


def _of_floats(words: str, numbers: Floats, due: Due) -> Iterator[Feature]:
    small = np.all(np.abs(numbers) < 2.0**WHOLE_BITS)
    are_whole = bool(small and np.array_equal(np.floor(numbers), numbers))
    if due(name := f"lowest bit of {words}", np.inf, not are_whole):  # residues say it in words
        yield name, lowest_bits(numbers)
    if due(name := f"last bits of {words} mod {LAST_BITS}", RICH_PLACES):
        patterns = np.ascontiguousarray(numbers).view(np.int64)
        yield name, (patterns % LAST_BITS).astype(np.int8)
    negative = np.signbit(numbers)
    if due(name := f"sign of zero in {words}", np.inf, bool(np.any((numbers == 0) & negative))):
        yield name, np.where(numbers == 0, np.where(negative, -1.0, 1.0), 0.0)
    if due(name := f"{words} mod 1", RICH_PLACES):
        with np.errstate(invalid="ignore"):
            yield name, np.where(np.isfinite(numbers), numbers % 1, 0.0)
    yield from _residues_of_floats(words, numbers, are_whole, due)
    for places_kept in DECIMALS:
        name = f"round({words} * 1e{places_kept}) mod 10"
        if due(name, RICH_PLACES, _has_decimals(numbers, places_kept)):
            scaled = np.where(np.abs(numbers) < 1e9, numbers, 0.0) * 10.0**places_kept
            yield name, np.round(scaled) % 10


def _residues_of_floats(
    words: str, numbers: Floats, are_whole: bool, due: Due
) -> Iterator[Feature]:
    """Residues of the whole part, which is named if there is another: it tells a time's second."""
    floors = np.floor(np.where(np.abs(numbers) < 2.0**WHOLE_BITS, numbers, 0.0))
    span = float(np.ptp(floors))
    for modulus, most in MODULI.items():
        names = f"{words} // 1 mod {modulus}", f"{words} mod {modulus}"
        for name in names if due.wanted is not None else names[are_whole:][:1]:
            if due(name, most, span >= max(WIDE, 2 * modulus)):
                yield name, floors % modulus


def _of_integers(words: str, numbers: NDArray[Any], due: Due) -> Iterator[Feature]:
    span = int(numbers.max()) - int(numbers.min())
    if due.wanted is None and span < WIDE:
        return
    for modulus, most in MODULI.items():
        if due(name := f"{words} mod {modulus}", most, span >= 2 * modulus):
            yield name, (numbers % modulus).astype(np.int8 if modulus < 128 else np.int32)
    names = f"{words}.bit_count()", f"{words}.bit_count() mod 2"
    chosen = [due(name, RICH_PLACES) for name in names]
    if any(chosen):
        ones = np.array([int(n).bit_count() for n in numbers.tolist()], dtype=np.int64)
        both = (ones, ones % 2)
        yield from (
            pair for pair, one in zip(zip(names, both, strict=True), chosen, strict=True) if one
        )
    word_of = cache(partial(_word, numbers))
    for bit in _bits_looked_at(words, numbers, due) if due.may_look_at_bits else ():
        word = word_of(bit // WORD)
        shifted = word >> word.dtype.type(bit % WORD)
        yield f"bit {bit} of {words}", (shifted & word.dtype.type(1)).astype(np.int8)


def _bits_looked_at(words: str, numbers: NDArray[Any], due: Due) -> Sequence[int]:
    """Numbers of the bits that become columns, the lowest first."""
    if due.wanted is not None:
        found = (re.fullmatch(rf"bit (\d+) of {re.escape(words)}", name) for name in due.wanted)
        return sorted(int(one[1]) for one in found if one)
    if numbers.dtype.kind != "O":
        return range(WORD)
    longest = min(LONGEST, max(int(n).bit_length() for n in numbers))
    if longest <= MOST_BITS:
        return range(WORD * -(-longest // WORD))
    due.note(
        f"Of {longest:,} bits of {words} the {MOST_BITS} that differ most between inputs were "
        "looked at."
    )
    octets = -(-longest // 8)
    first = first_of_each(due.owners, 8 * octets, MOST_OF_ARRAYS)
    low = b"".join((int(n) % 2 ** (8 * octets)).to_bytes(octets, "little") for n in numbers[first])
    rows = np.frombuffer(low, np.uint8).reshape(len(first), octets)
    bits = np.unpackbits(rows, axis=1, bitorder="little")
    return most_different(differences(bits, due.owners[first]), MOST_BITS)


def _word(numbers: NDArray[Any], place: int) -> NDArray[Any]:
    """The word of integers at a place, 0 for the lowest."""
    if numbers.dtype.kind != "O":
        low = numbers.astype(np.int64)
        return low >> (WORD - 1) if place else low
    found: NDArray[Any] = (numbers >> WORD * place) & (2**WORD - 1)
    return found.astype(np.uint64)


def _has_decimals(numbers: Floats, places: int) -> bool:
    """Whether numbers are decimal fractions with exactly `places` places."""
    some = numbers[:200]
    with np.errstate(invalid="ignore", over="ignore"):
        fits = [bool(np.all(np.round(some, d) == some)) for d in (places - 1, places)]
    return fits[1] and not fits[0]
