"""Randomized response whose answer hides in one of thousands of parts, or in how parts go together.

A report has too many parts for a column each, or names them anew in every report.
"""

from __future__ import annotations

import datetime
import math
from typing import Any

import numpy as np

from tests.broken_mechanisms.carriers import Carrier, carrier
from tests.broken_mechanisms.entry import Entry

EPOCH = datetime.date(2000, 1, 1)


class InLateBit(Carrier):
    """Bit 1,400 of a list of 1,500."""

    def wrap(self, bit: int, rng: np.random.Generator) -> list[int]:
        made: list[int] = rng.integers(0, 2, 1500).tolist()
        made[1400] = bit
        return made

    @staticmethod
    def bit_of(report: list[int]) -> int:
        return report[1400]


class InPixel(Carrier):
    """The parity of one pixel of an image of 36 by 36."""

    def wrap(self, bit: int, rng: np.random.Generator) -> Any:
        made = rng.integers(0, 256, (36, 36), dtype=np.uint8)
        made[30, 33] = made[30, 33] // 2 * 2 + bit
        return made

    @staticmethod
    def bit_of(report: Any) -> int:
        return int(report[30, 33] % 2)


class InFarByte(Carrier):
    """Bit 4 of byte 1,500 of 2,000."""

    def wrap(self, bit: int, rng: np.random.Generator) -> bytes:
        made = bytearray(rng.bytes(2000))
        made[1500] = made[1500] & ~16 | bit << 4
        return bytes(made)

    @staticmethod
    def bit_of(report: bytes) -> int:
        return report[1500] >> 4 & 1


class InFarLetter(Carrier):
    """Letter 800 of a text of 1,000 zeros and ones."""

    def wrap(self, bit: int, rng: np.random.Generator) -> str:
        made = "".join(map(str, rng.integers(0, 2, 1000).tolist()))
        return f"{made[:800]}{bit}{made[801:]}"

    @staticmethod
    def bit_of(report: str) -> int:
        return int(report[800])


class InHighBit(Carrier):
    """Bit 900 of an integer of 1,000 bits."""

    def wrap(self, bit: int, rng: np.random.Generator) -> int:
        made = int.from_bytes(rng.bytes(125), "little") | 1 << 999
        return made & ~(1 << 900) | bit << 900

    @staticmethod
    def bit_of(report: int) -> int:
        return report >> 900 & 1


class InFarLine(Carrier):
    """The digit in line 200 of 300."""

    def wrap(self, bit: int, rng: np.random.Generator) -> str:
        made = rng.integers(0, 1000, 300)
        made[200] = bit
        return "\n".join(map(str, made.tolist()))

    @staticmethod
    def bit_of(report: str) -> int:
        return int(report.split("\n")[200])


class InPad(Carrier):
    """Which of two strings of 16 bytes, each random, has one more bit than the other."""

    def wrap(self, bit: int, rng: np.random.Generator) -> dict[str, bytes]:
        pad, data = rng.bytes(16), bytearray(rng.bytes(16))
        data[5] = data[5] & 0xFE | pad[5] & 1 ^ bit
        return {"nonce": pad, "data": bytes(data)}

    @staticmethod
    def bit_of(report: dict[str, bytes]) -> int:
        return (report["nonce"][5] ^ report["data"][5]) & 1


class InScaledNoise(Carrier):
    """The difference of one number and twice another, with the same noise at two scales."""

    def wrap(self, bit: int, rng: np.random.Generator) -> dict[str, float]:
        noise = float(rng.laplace(0.0, 10.0))
        return {"height": noise, "weight": 2 * noise + bit + 0.5 * float(rng.random())}

    @staticmethod
    def bit_of(report: dict[str, float]) -> int:
        return int(report["weight"] - 2 * report["height"] > 0.75)


class InCommonFactor(Carrier):
    """The ratio of two numbers, each multiplied with the same random factor."""

    def wrap(self, bit: int, rng: np.random.Generator) -> tuple[float, float]:
        factor = math.exp(float(rng.normal(0.0, 3.0)))
        return factor, factor * (1 + bit + 0.5 * float(rng.random()))

    @staticmethod
    def bit_of(report: tuple[float, float]) -> int:
        return int(report[1] / report[0] > 1.75)


class InMember(Carrier):
    """Whether 40 is in a list of any length and order."""

    def wrap(self, bit: int, rng: np.random.Generator) -> list[int]:
        made = rng.permutation(100)[: int(rng.integers(10, 20))]
        made = made[made != 40]
        if bit:
            made[int(rng.integers(len(made)))] = 40
        found: list[int] = made.tolist()
        return found

    @staticmethod
    def bit_of(report: list[int]) -> int:
        return int(40 in report)


class InShuffledRecords(Carrier):
    """One of six records in random order."""

    def wrap(self, bit: int, rng: np.random.Generator) -> list[dict[str, Any]]:
        made = [{"id": name, "on": int(rng.integers(2))} for name in "abcdef"]
        made[2]["on"] = bit
        return [made[i] for i in rng.permutation(6).tolist()]

    @staticmethod
    def bit_of(report: list[dict[str, Any]]) -> int:
        return next(int(one["on"]) for one in report if one["id"] == "c")


class InMonth(Carrier):
    """Whether a date is in the second half of its year."""

    def wrap(self, bit: int, rng: np.random.Generator) -> datetime.date:
        month = int(rng.integers(1, 7)) + 6 * bit
        return EPOCH.replace(2000 + int(rng.integers(25)), month, int(rng.integers(1, 29)))

    @staticmethod
    def bit_of(report: datetime.date) -> int:
        return int(report.month > 6)


ENTRIES: tuple[Entry, ...] = (
    carrier("bit_1400_of_1500", "one unprotected coordinate", InLateBit),
    carrier("pixel_of_an_image", "one unprotected coordinate", InPixel),
    carrier("byte_1500_of_2000", "a character of a string", InFarByte),
    carrier("letter_800_of_1000", "a character of a string", InFarLetter),
    carrier("bit_900_of_an_integer", "last digits of a number", InHighBit),
    carrier("line_200_of_300", "a character of a string", InFarLine),
    carrier("pad_beside_what_it_hides", "a pair of coordinates", InPad),
    carrier("same_noise_at_two_scales", "shared randomness", InScaledNoise),
    carrier("same_factor_twice", "shared randomness", InCommonFactor),
    carrier("member_of_a_list", "one unprotected coordinate", InMember),
    carrier("records_in_any_order", "a field of an object", InShuffledRecords),
    carrier("month_of_a_date", "last digits of a number", InMonth),
)
