"""Randomized response whose answer hides in a part of a report that is random for the rest."""

from __future__ import annotations

import datetime
from abc import ABC, abstractmethod
from collections import deque
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from tests.broken_mechanisms.entry import Entry
from tests.broken_mechanisms.exact import Law, logistic

DAWN = datetime.datetime(2024, 1, 1)


@dataclass(frozen=True)
class Carrier(ABC):
    """A bit which is the value with probability `truth`, hidden among random things."""

    truth: float

    @abstractmethod
    def wrap(self, bit: int, rng: np.random.Generator) -> Any:
        """The report."""

    @staticmethod
    @abstractmethod
    def bit_of(report: Any) -> int:
        """The bit, read from the report."""

    def __call__(self, value: int, rng: np.random.Generator) -> Any:
        return self.wrap(int(value ^ (rng.random() >= self.truth)), rng)

    def law(self, value: int) -> Law:
        yield value, self.truth
        yield 1 - value, 1 - self.truth


class InThreeBits(Carrier):
    """The sum of three of twenty bits."""

    def wrap(self, bit: int, rng: np.random.Generator) -> list[int]:
        bits: list[int] = rng.integers(0, 2, 20).tolist()
        bits[7] = bits[15] ^ bits[2] ^ bit
        return bits

    @staticmethod
    def bit_of(report: list[int]) -> int:
        return report[2] ^ report[7] ^ report[15]


class InZeroSign(Carrier):
    """A zero with or without a sign."""

    def wrap(self, bit: int, rng: np.random.Generator) -> tuple[float, float]:
        return (-0.0 if bit else 0.0, rng.random())

    @staticmethod
    def bit_of(report: tuple[float, float]) -> int:
        return int(np.signbit(report[0]))


class InDepth(Carrier):
    """An entry six levels down."""

    def wrap(self, bit: int, rng: np.random.Generator) -> list[Any]:
        return [rng.random(), [[[[[bit]]]]]]

    @staticmethod
    def bit_of(report: Any) -> int:
        return int(report[1][0][0][0][0][0])


class InLateByte(Carrier):
    """The lowest bit of byte 90 of 100."""

    def wrap(self, bit: int, rng: np.random.Generator) -> bytes:
        made = bytearray(rng.bytes(100))
        made[90] = made[90] & 0xFE | bit
        return bytes(made)

    @staticmethod
    def bit_of(report: bytes) -> int:
        return report[90] & 1


class InLateLetter(Carrier):
    """Letter 150 of 200."""

    def wrap(self, bit: int, rng: np.random.Generator) -> str:
        made = f"{int.from_bytes(rng.bytes(25), 'big'):0200b}"
        return f"{made[:150]}{bit}{made[151:]}"

    @staticmethod
    def bit_of(report: str) -> int:
        return int(report[150])


class InArrayType(Carrier):
    """The type of an array's entries."""

    def wrap(self, bit: int, rng: np.random.Generator) -> Any:
        return rng.integers(0, 10**6, 4).astype(np.int64 if bit else np.int32)

    @staticmethod
    def bit_of(report: Any) -> int:
        return int(report.dtype == np.int64)


@dataclass(frozen=True, slots=True)
class Slotted:
    """A report without a dictionary of its fields."""

    nonce: float
    answer: int


class InSlot(Carrier):
    """A field of an object with slots."""

    def wrap(self, bit: int, rng: np.random.Generator) -> Slotted:
        return Slotted(rng.random(), bit)

    @staticmethod
    def bit_of(report: Slotted) -> int:
        return report.answer


class InTimeZone(Carrier):
    """A time with or without a zone."""

    def wrap(self, bit: int, rng: np.random.Generator) -> datetime.datetime:
        made = DAWN + datetime.timedelta(seconds=int(rng.integers(10**6)))
        return made.replace(tzinfo=datetime.UTC if bit else None)

    @staticmethod
    def bit_of(report: datetime.datetime) -> int:
        return int(report.tzinfo is not None)


class InDecimal(Carrier):
    """A decimal with or without a last zero."""

    def wrap(self, bit: int, rng: np.random.Generator) -> Decimal:
        return Decimal(int(rng.integers(10**6))).scaleb(-3).quantize(Decimal(10) ** -(3 + bit))

    @staticmethod
    def bit_of(report: Decimal) -> int:
        return int(report.as_tuple().exponent == -4)


class InImaginaryPart(Carrier):
    """The sign of the imaginary part of a complex number."""

    def wrap(self, bit: int, rng: np.random.Generator) -> complex:
        return complex(rng.random(), (1 - 2 * bit) * rng.random())

    @staticmethod
    def bit_of(report: complex) -> int:
        return int(report.imag < 0)


class InNumerator(Carrier):
    """The lowest bit of a numerator."""

    def wrap(self, bit: int, rng: np.random.Generator) -> Fraction:
        return Fraction(2 * int(rng.integers(10**6)) + bit, 1_000_003)

    @staticmethod
    def bit_of(report: Fraction) -> int:
        return report.numerator * (1_000_003 // report.denominator) % 2


class InParity(Carrier):
    """The parity of a large integer."""

    def wrap(self, bit: int, rng: np.random.Generator) -> int:
        return 2 * int(rng.integers(2**30)) + bit

    @staticmethod
    def bit_of(report: int) -> int:
        return report % 2


class InLowestBit(InParity):
    """The lowest bit of an integer of 82 bits."""

    def wrap(self, bit: int, rng: np.random.Generator) -> int:
        return (int(rng.integers(2**62)) << 20) + bit


class InHugeInteger(InParity):
    """The parity of an integer that no float can hold."""

    def wrap(self, bit: int, rng: np.random.Generator) -> int:
        return 10**400 + 2 * int(rng.integers(2**40)) + bit


class InDeque(Carrier):
    """The first entry of a deque."""

    def wrap(self, bit: int, rng: np.random.Generator) -> deque[float]:
        return deque([bit, rng.random()])

    @staticmethod
    def bit_of(report: deque[float]) -> int:
        return int(report[0])


class InLateEntry(Carrier):
    """Entry 310 of 400 bits."""

    def wrap(self, bit: int, rng: np.random.Generator) -> Any:
        bits = rng.integers(0, 2, 400, dtype=np.int8)
        bits[310] = bit
        return bits

    @staticmethod
    def bit_of(report: Any) -> int:
        return int(report[310])


class InLatePair(InLateEntry):
    """Whether entries 7 and 390 of 400 bits are equal."""

    def wrap(self, bit: int, rng: np.random.Generator) -> Any:
        bits = rng.integers(0, 2, 400, dtype=np.int8)
        bits[390] = bits[7] ^ bit
        return bits

    @staticmethod
    def bit_of(report: Any) -> int:
        return int(report[7] ^ report[390])


def carrier(name: str, place: str, kind: type[Carrier], odds: float = 2.0) -> Entry:
    """An entry for a way to hide the bit, with the odds e^`odds` that it is the value."""
    assert kind.__doc__ is not None
    return Entry(
        name=name,
        family="GRR",
        place=place,
        epsilon=1.0,
        values=(0, 1),
        broken=kind(logistic(odds)),
        correct=kind(logistic(1.0)),
        true_epsilon=odds,
        correct_epsilon=1.0,
        view=kind.bit_of,
        why=f"{kind.__doc__[0].lower()}{kind.__doc__[1:-1]} tells the value: odds e^{odds}",
    )


ENTRIES: tuple[Entry, ...] = (
    carrier("sum_of_three_of_twenty", "parity of three coordinates", InThreeBits, 1.5),
    carrier("sign_of_zero", "sign of a zero", InZeroSign),
    carrier("six_levels_down", "one unprotected coordinate", InDepth),
    carrier("late_byte", "a character of a string", InLateByte, 1.5),
    carrier("late_letter", "a character of a string", InLateLetter),
    carrier("array_dtype", "type", InArrayType),
    carrier("slots", "a field of an object", InSlot),
    carrier("time_zone", "a field of an object", InTimeZone),
    carrier("last_zero_of_decimal", "last digits of a number", InDecimal),
    carrier("imaginary_part", "one unprotected coordinate", InImaginaryPart),
    carrier("numerator", "last digits of a number", InNumerator),
    carrier("integer_parity", "last digits of a number", InParity, 1.5),
    carrier("lowest_bit_of_82", "last digits of a number", InLowestBit),
    carrier("huge_integer", "last digits of a number", InHugeInteger),
    carrier("deque", "one unprotected coordinate", InDeque),
    carrier("entry_310_of_400", "one unprotected coordinate", InLateEntry),
    carrier("pair_of_400", "a pair of coordinates", InLatePair),
)
