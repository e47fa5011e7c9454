"""Randomized response whose answer hides in what programs write: records, texts, times."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np

from tests.broken_mechanisms.carriers import Carrier, carrier
from tests.broken_mechanisms.entry import Entry
from tests.broken_mechanisms.relations import letters

RECORD = np.dtype([("id", "i8"), ("noise", "f8"), ("flag", "u1")])
DAY = 86_400


class InRecord(Carrier):
    """A field of a structured record beside the parity of another."""

    def wrap(self, bit: int, rng: np.random.Generator) -> Any:
        flag = int(rng.integers(2))
        number = 2 * int(rng.integers(10**6)) + (flag ^ bit)
        return np.array([(number, rng.random(), flag)], dtype=RECORD)[0]

    @staticmethod
    def bit_of(report: Any) -> int:
        return int(report["id"] % 2) ^ int(report["flag"])


class InMask(Carrier):
    """Whether an entry of a masked array is hidden."""

    def wrap(self, bit: int, rng: np.random.Generator) -> Any:
        return np.ma.array(rng.random(6), mask=np.arange(6) == (3 if bit else -1))

    @staticmethod
    def bit_of(report: Any) -> int:
        return int(np.ma.getmaskarray(report)[3])


class InCapital(Carrier):
    """Whether one of twenty letters is a capital."""

    def wrap(self, bit: int, rng: np.random.Generator) -> str:
        made, at = letters(rng, 20), int(rng.integers(20))
        return f"{made[:at]}{made[at].upper()}{made[at + 1 :]}" if bit else made

    @staticmethod
    def bit_of(report: str) -> int:
        return int(not report.islower())


class InLetterCount(Carrier):
    """Whether a letter is there an odd number of times."""

    def wrap(self, bit: int, rng: np.random.Generator) -> str:
        made = letters(rng, 15, different=6)
        return made + ("a" if made.count("a") % 2 != bit else "b")

    @staticmethod
    def bit_of(report: str) -> int:
        return report.count("a") % 2


class InRepeatedWord(Carrier):
    """Whether one of six words is there twice."""

    def wrap(self, bit: int, rng: np.random.Generator) -> str:
        words: list[str] = []
        while len(set(words)) < 6:
            words = [letters(rng, 3) for _ in range(6)]
        if bit:
            words[3 + int(rng.integers(3))] = words[int(rng.integers(3))]
        return " ".join(words)

    @staticmethod
    def bit_of(report: str) -> int:
        return int(len(set(report.split())) < 6)


class InHour(Carrier):
    """Whether a time in seconds is in the second half of a day."""

    def wrap(self, bit: int, rng: np.random.Generator) -> int:
        return DAY * int(rng.integers(10**4)) + DAY // 2 * bit + int(rng.integers(DAY // 2))

    @staticmethod
    def bit_of(report: int) -> int:
        return int(report % DAY >= DAY // 2)


class InOnes(Carrier):
    """Whether an odd number of the bits of an integer is set."""

    def wrap(self, bit: int, rng: np.random.Generator) -> int:
        made = int(rng.integers(2**32))
        return made ^ ((made.bit_count() ^ bit) & 1)

    @staticmethod
    def bit_of(report: int) -> int:
        return report.bit_count() % 2


class InLateBitOfFloat(Carrier):
    """The last bit but three of a float."""

    def wrap(self, bit: int, rng: np.random.Generator) -> float:
        pattern = np.float64(rng.normal()).view(np.int64) & ~np.int64(8) | np.int64(8 * bit)
        return float(pattern.view(np.float64))

    @staticmethod
    def bit_of(report: float) -> int:
        return int(np.float64(report).view(np.int64) >> 3 & 1)


class InLength(Carrier):
    """Whether a vector of any direction is longer than 1.5."""

    def wrap(self, bit: int, rng: np.random.Generator) -> list[float]:
        direction = rng.normal(size=5)
        length = 1 + 0.5 * (rng.random() + bit)
        made: list[float] = (direction * length / np.sqrt((direction**2).sum())).tolist()
        return made

    @staticmethod
    def bit_of(report: list[float]) -> int:
        return int(sum(x * x for x in report) > 1.5**2)


class InLastButOne(Carrier):
    """The parity of the last entry but one of a sequence of any length."""

    def wrap(self, bit: int, rng: np.random.Generator) -> list[int]:
        made: list[int] = rng.integers(0, 100, int(rng.integers(4, 10))).tolist()
        return [*made, 2 * int(rng.integers(50)) + bit, int(rng.integers(100))]

    @staticmethod
    def bit_of(report: list[int]) -> int:
        return report[-2] % 2


class InSetSum(Carrier):
    """The parity of the sum of a set."""

    def wrap(self, bit: int, rng: np.random.Generator) -> frozenset[int]:
        while True:
            made = frozenset(rng.permutation(40)[:6].tolist())
            if self.bit_of(made) == bit:
                return made

    @staticmethod
    def bit_of(report: frozenset[int]) -> int:
        return sum(report) % 2


class InThreeParities(Carrier):
    """The sum of three of 200 numbers is odd."""

    def wrap(self, bit: int, rng: np.random.Generator) -> list[int]:
        made: list[int] = rng.integers(0, 1000, 200).tolist()
        made[150] = made[150] // 2 * 2 + (made[10] + made[77] + bit) % 2
        return made

    @staticmethod
    def bit_of(report: list[int]) -> int:
        return (report[10] + report[77] + report[150]) % 2


class InJsonInBase64(Carrier):
    """One of twelve fields of JSON in base64."""

    def wrap(self, bit: int, rng: np.random.Generator) -> str:
        made = {f"field{i}": x for i, x in enumerate(rng.integers(0, 1000, 12).tolist())}
        made["field7"] = made["field7"] // 2 * 2 + bit
        return base64.b64encode(json.dumps(made).encode()).decode()

    @staticmethod
    def bit_of(report: str) -> int:
        return int(json.loads(base64.b64decode(report))["field7"] % 2)


ENTRIES: tuple[Entry, ...] = (
    carrier("structured_record", "a pair of coordinates", InRecord),
    carrier("masked_entry", "a field of an object", InMask),
    carrier("capital_letter", "a character of a string", InCapital),
    carrier("count_of_a_letter", "a character of a string", InLetterCount),
    carrier("repeated_word", "sampling with replacement", InRepeatedWord),
    carrier("hour_of_day", "last digits of a number", InHour),
    carrier("ones_of_integer", "parity of many coordinates", InOnes),
    carrier("late_bit_of_float", "last bits of a float", InLateBitOfFloat),
    carrier("length_of_vector", "length", InLength),
    carrier("last_entry_but_one", "one unprotected coordinate", InLastButOne),
    carrier("sum_of_set", "parity of many coordinates", InSetSum),
    carrier("three_parities_of_200", "parity of three coordinates", InThreeParities),
    carrier("json_in_base64", "a field of an object", InJsonInBase64),
)
