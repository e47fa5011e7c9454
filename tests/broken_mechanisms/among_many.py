"""Randomized response whose answer hides among many things of one sort."""

from __future__ import annotations

import ipaddress

import numpy as np

from tests.broken_mechanisms.carriers import Carrier, carrier
from tests.broken_mechanisms.entry import Entry
from tests.broken_mechanisms.relations import letters


class InEqualNumbers(Carrier):
    """Whether two of 200 numbers are the same."""

    def wrap(self, bit: int, rng: np.random.Generator) -> list[int]:
        made: list[int] = rng.integers(0, 1000, 200).tolist()
        made[150] = (made[17] + (0 if bit else int(rng.integers(1, 1000)))) % 1000
        return made

    @staticmethod
    def bit_of(report: list[int]) -> int:
        return int(report[17] == report[150])


class InOrderOfTwo(Carrier):
    """Which of two of 100 numbers is the larger one."""

    def wrap(self, bit: int, rng: np.random.Generator) -> list[float]:
        made: list[float] = rng.random(100).tolist()
        made[37], made[90] = sorted((made[37], made[90]), reverse=not bit)
        return made

    @staticmethod
    def bit_of(report: list[float]) -> int:
        return int(report[37] < report[90])


class InDifferenceOfTwo(Carrier):
    """Whether one of 100 numbers is another one and 5."""

    def wrap(self, bit: int, rng: np.random.Generator) -> list[int]:
        made: list[int] = rng.integers(0, 10**6, 100).tolist()
        if self.bit_of(made) != bit:
            made[90] = made[33] + (5 if bit else 4)
        return made

    @staticmethod
    def bit_of(report: list[int]) -> int:
        return int(report[90] - report[33] == 5)


class InNumberMinusKey(Carrier):
    """A number from which a key was subtracted, and the key beside it."""

    def wrap(self, bit: int, rng: np.random.Generator) -> dict[str, int]:
        key = int(rng.integers(2**32))
        return {"key": key, "answer": ((40 if bit else 11) - key) % 97}

    @staticmethod
    def bit_of(report: dict[str, int]) -> int:
        return int((report["answer"] + report["key"]) % 97 == 40)


class InSecond(Carrier):
    """Whether the second of a time is odd, to the microsecond."""

    def wrap(self, bit: int, rng: np.random.Generator) -> float:
        return 2 * int(rng.integers(8 * 10**8, 9 * 10**8)) + bit + float(rng.random())

    @staticmethod
    def bit_of(report: float) -> int:
        return int(report) % 2


class InLine(Carrier):
    """Whether the number in column 43 of 50 of a line is odd."""

    def wrap(self, bit: int, rng: np.random.Generator) -> str:
        made = rng.integers(0, 1000, 50)
        made[43] = made[43] // 2 * 2 + bit
        return ",".join(map(str, made.tolist()))

    @staticmethod
    def bit_of(report: str) -> int:
        return int(report.split(",")[43]) % 2


class InAddress(Carrier):
    """Whether the third number of an address is odd."""

    def wrap(self, bit: int, rng: np.random.Generator) -> str:
        made = int(rng.integers(2**32)) & ~256 | bit << 8
        return str(ipaddress.IPv4Address(made))

    @staticmethod
    def bit_of(report: str) -> int:
        return int(report.split(".")[2]) % 2


class InMadeUpNames(Carrier):
    """The last value of a mapping whose keys are drawn anew for each report."""

    def wrap(self, bit: int, rng: np.random.Generator) -> dict[str, int]:
        return {letters(rng, 8): x for x in (*rng.integers(0, 100, 4).tolist(), bit)}

    @staticmethod
    def bit_of(report: dict[str, int]) -> int:
        return list(report.values())[-1]


ENTRIES: tuple[Entry, ...] = (
    carrier("two_equal_of_200", "a pair of coordinates", InEqualNumbers, 1.3),
    carrier("order_of_two_of_100", "a pair of coordinates", InOrderOfTwo, 1.3),
    carrier("difference_of_two_of_100", "a pair of coordinates", InDifferenceOfTwo, 1.3),
    carrier("number_minus_key", "a public parameter", InNumberMinusKey, 1.5),
    carrier("second_of_time", "last digits of a number", InSecond, 1.5),
    carrier("column_of_a_line", "last digits of a number", InLine, 1.3),
    carrier("number_of_an_address", "last digits of a number", InAddress, 1.3),
    carrier("made_up_names", "one unprotected coordinate", InMadeUpNames),
)
