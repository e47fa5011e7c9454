"""Randomized response whose answer hides in how parts of a report, each random, go together."""

from __future__ import annotations

import base64
import itertools
import json
import string
from typing import Any

import numpy as np

from tests.broken_mechanisms.carriers import Carrier, carrier
from tests.broken_mechanisms.entry import Entry

LETTERS = np.array(list(string.ascii_lowercase))


def letters(rng: np.random.Generator, n: int, different: int = 26) -> str:
    """Random small letters."""
    return "".join(LETTERS[rng.integers(0, different, n)])


class InEightBytes(Carrier):
    """The sum of three of the 64 bits of eight bytes."""

    PLACES: tuple[tuple[int, int], ...] = ((1, 5), (4, 0), (6, 3))

    def wrap(self, bit: int, rng: np.random.Generator) -> bytes:
        made = bytearray(rng.bytes(8))
        made[6] ^= (self.bit_of(made) ^ bit) << 3
        return bytes(made)

    @classmethod
    def bit_of(cls, report: bytes | bytearray) -> int:
        return sum(report[place] >> shift & 1 for place, shift in cls.PLACES) % 2


class InFourBits(InEightBytes):
    """The sum of four of the 64 bits of eight bytes."""

    PLACES = ((0, 2), *InEightBytes.PLACES)


class InChecksum(Carrier):
    """The lowest bit of the exclusive or of eleven bytes."""

    def wrap(self, bit: int, rng: np.random.Generator) -> bytes:
        made = rng.bytes(10)
        return made + bytes([int(rng.integers(128)) * 2 ^ (sum(made) & 1) ^ bit])

    @staticmethod
    def bit_of(report: bytes) -> int:
        return sum(report) % 2


class InSixthByteFromTheEnd(Carrier):
    """The sixth byte from the end, after a text of any length."""

    def wrap(self, bit: int, rng: np.random.Generator) -> bytes:
        return rng.bytes(int(rng.integers(1, 30))) + bytes([bit]) + rng.bytes(5)

    @staticmethod
    def bit_of(report: bytes) -> int:
        return report[-6]


class InNumberOfWords(Carrier):
    """Whether the number of words is odd."""

    def wrap(self, bit: int, rng: np.random.Generator) -> str:
        words = ["the", "cat", "dog", "house", "tree", "runs", "over"]
        return " ".join(rng.choice(words, 2 * int(rng.integers(2, 5)) + bit).tolist())

    @staticmethod
    def bit_of(report: str) -> int:
        return len(report.split()) % 2


class InBase64(Carrier):
    """The sum of two bits of nine bytes in base64."""

    def wrap(self, bit: int, rng: np.random.Generator) -> str:
        made = bytearray(rng.bytes(9))
        made[8] = made[8] & 0xEF | ((made[2] & 1) ^ bit) << 4
        return base64.b64encode(made).decode()

    @staticmethod
    def bit_of(report: str) -> int:
        made = base64.b64decode(report)
        return (made[2] & 1) ^ (made[8] >> 4 & 1)


class InJsonText(Carrier):
    """One of fifty fields of a text in JSON."""

    def wrap(self, bit: int, rng: np.random.Generator) -> str:
        made = {f"field{i}": x for i, x in enumerate(rng.integers(0, 10**6, 50).tolist())}
        made["field37"] = 2 * made["field37"] + bit
        return json.dumps(made)

    @staticmethod
    def bit_of(report: str) -> int:
        return int(json.loads(report)["field37"]) % 2


class InThreeOfHundreds(Carrier):
    """The sum of three of 300 bits."""

    def wrap(self, bit: int, rng: np.random.Generator) -> Any:
        bits = rng.integers(0, 2, 300, dtype=np.int8)
        bits[251] = bits[40] ^ bits[133] ^ bit
        return bits

    @staticmethod
    def bit_of(report: Any) -> int:
        return int(report[40] ^ report[133] ^ report[251])


class InSameNoise(Carrier):
    """The difference of two numbers with the same noise."""

    def wrap(self, bit: int, rng: np.random.Generator) -> tuple[int, int]:
        noise = int(rng.geometric(0.01))
        return noise, noise + (7 if bit else 3)

    @staticmethod
    def bit_of(report: tuple[int, int]) -> int:
        return int(report[1] - report[0] == 7)


class InSameFloatNoise(Carrier):
    """The difference of two numbers with the same noise, to the last digits of a float."""

    def wrap(self, bit: int, rng: np.random.Generator) -> dict[str, float]:
        noise = float(rng.laplace(0.0, 10.0))
        return {"age": noise + 0.25, "height": noise + (1.75 if bit else 0.75)}

    @staticmethod
    def bit_of(report: dict[str, float]) -> int:
        return int(report["height"] - report["age"] > 1)


class InKeystream(Carrier):
    """A number that is hidden by a key, and the key beside it."""

    def wrap(self, bit: int, rng: np.random.Generator) -> dict[str, int]:
        key = int(rng.integers(2**32))
        return {"key": key, "answer": (key % 97 + (40 if bit else 11)) % 97}

    @staticmethod
    def bit_of(report: dict[str, int]) -> int:
        return int((report["answer"] - report["key"]) % 97 == 40)


class InThreeLetters(Carrier):
    """Whether three letters stand together anywhere in a text."""

    def wrap(self, bit: int, rng: np.random.Generator) -> str:
        while "bad" in (made := letters(rng, 24, different=8)):
            pass
        at = int(rng.integers(22))
        return f"{made[:at]}bad{made[at + 3 :]}" if bit else made

    @staticmethod
    def bit_of(report: str) -> int:
        return int("bad" in report)


class InFirstDifference(Carrier):
    """Where two texts differ for the first time."""

    def wrap(self, bit: int, rng: np.random.Generator) -> tuple[str, str]:
        first = letters(rng, 40)
        at = int(rng.integers(20)) + 20 * bit
        other = chr((ord(first[at]) - 97 + int(rng.integers(1, 26))) % 26 + 97)
        return first, first[:at] + other + letters(rng, 39 - at)

    @staticmethod
    def bit_of(report: tuple[str, str]) -> int:
        return int(report[0][:20] == report[1][:20])


class InDuplicate(Carrier):
    """Whether two of twenty entries are the same."""

    def wrap(self, bit: int, rng: np.random.Generator) -> list[int]:
        made: list[int] = rng.permutation(1000)[:20].tolist()
        first, second = rng.permutation(20)[:2].tolist()
        if bit:
            made[first] = made[second]
        return made

    @staticmethod
    def bit_of(report: list[int]) -> int:
        return int(len(set(report)) < 20)


class InLargestPlace(Carrier):
    """Whether the largest of forty numbers is among the first twenty."""

    def wrap(self, bit: int, rng: np.random.Generator) -> list[int]:
        made = rng.permutation(1000)[:40]
        at = int(rng.integers(20)) + 20 * (1 - bit)
        largest = int(made.argmax())
        made[[at, largest]] = made[[largest, at]]
        reports: list[int] = made.tolist()
        return reports

    @staticmethod
    def bit_of(report: list[int]) -> int:
        return int(report.index(max(report)) < 20)


class InRises(Carrier):
    """Whether twelve numbers rise at more than half of the steps."""

    def wrap(self, bit: int, rng: np.random.Generator) -> list[int]:
        while True:
            made: list[int] = rng.permutation(1000)[:12].tolist()
            if self.bit_of(made) == bit:
                return made

    @staticmethod
    def bit_of(report: list[int]) -> int:
        return int(sum(a < b for a, b in itertools.pairwise(report)) > 5)


class InTimeBetween(Carrier):
    """How long it is from one time to another, each of which says nothing."""

    def wrap(self, bit: int, rng: np.random.Generator) -> dict[str, float]:
        start = 1.7e9 + 1e6 * float(rng.random())
        return {"start": start, "end": start + (7 if bit else 5) + float(rng.random())}

    @staticmethod
    def bit_of(report: dict[str, float]) -> int:
        return int(report["end"] - report["start"] >= 6.5)


class InWordOrder(Carrier):
    """Which of two words comes first, anywhere among five words."""

    def wrap(self, bit: int, rng: np.random.Generator) -> str:
        words: list[str] = rng.permutation(["a", "bb", "ccc", "dd", "e"]).tolist()
        first, second = sorted((words.index("a"), words.index("e")))
        words[first], words[second] = ("a", "e") if bit else ("e", "a")
        return " ".join(words)

    @staticmethod
    def bit_of(report: str) -> int:
        return int(report.index("a") < report.index("e"))


ENTRIES: tuple[Entry, ...] = (
    carrier("three_bits_of_eight_bytes", "parity of three coordinates", InEightBytes),
    carrier("four_bits_of_eight_bytes", "parity of four coordinates", InFourBits),
    carrier("checksum_of_bytes", "parity of many coordinates", InChecksum),
    carrier("sixth_byte_from_the_end", "a character of a string", InSixthByteFromTheEnd),
    carrier("number_of_words", "length", InNumberOfWords),
    carrier("two_bits_in_base64", "a pair of coordinates", InBase64),
    carrier("field_in_json_text", "a field of an object", InJsonText),
    carrier("three_bits_of_300", "parity of three coordinates", InThreeOfHundreds),
    carrier("same_noise_twice", "shared randomness", InSameNoise),
    carrier("same_float_noise_twice", "shared randomness", InSameFloatNoise),
    carrier("key_beside_answer", "a public parameter", InKeystream),
    carrier("three_letters_anywhere", "a character of a string", InThreeLetters),
    carrier("first_difference_of_texts", "a pair of coordinates", InFirstDifference),
    carrier("duplicate_entry", "sampling with replacement", InDuplicate),
    carrier("place_of_largest", "order of entries", InLargestPlace),
    carrier("rising_entries", "order of entries", InRises, 1.5),
    carrier("time_between", "a pair of coordinates", InTimeBetween),
    carrier("order_of_words", "order of entries", InWordOrder),
)
