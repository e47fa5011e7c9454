"""Correct answers whose wrapping leaks: length, type, keys, padding, order."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.broken_mechanisms.direct import Response
from tests.broken_mechanisms.entry import Entry, pair
from tests.broken_mechanisms.exact import Law, grr_keep, logistic, smallest_epsilon


@dataclass(frozen=True)
class SideBit(ABC):
    """GRR and a bit which is the value's parity with probability `truth`, wrapped together."""

    answer: Response
    truth: float

    @abstractmethod
    def wrap(self, answer: int, bit: int) -> Any:
        """The report."""

    def __call__(self, value: int, rng: np.random.Generator) -> Any:
        lies = rng.random() >= self.truth
        return self.wrap(self.answer(value, rng), (value % 2) ^ lies)

    def law(self, value: int) -> Law:
        for answer, chance in self.answer.law(value):
            yield self.wrap(answer, value % 2), chance * self.truth
            yield self.wrap(answer, 1 - value % 2), chance * (1 - self.truth)


class InLength(SideBit):
    """Bytes of one of two lengths."""

    def wrap(self, answer: int, bit: int) -> bytes:
        return bytes((answer,)) + b"\0" * (1 + bit)


class InType(SideBit):
    """An integer or the equal float."""

    def wrap(self, answer: int, bit: int) -> int | float:
        return float(answer) if bit else answer


class InKey(SideBit):
    """A key that is there or not."""

    def wrap(self, answer: int, bit: int) -> dict[str, Any]:
        return {"answer": answer, "note": None} if bit else {"answer": answer}


class InKeyOrder(SideBit):
    """The order of two keys."""

    def wrap(self, answer: int, bit: int) -> dict[str, Any]:
        return {"version": 1, "answer": answer} if bit else {"answer": answer, "version": 1}


class InNesting(SideBit):
    """An item deep inside of lists."""

    def wrap(self, answer: int, bit: int) -> list[Any]:
        return [answer, [0, [int(bit)]]]


class InListLength(SideBit):
    """Zeros at the end of an array."""

    def wrap(self, answer: int, bit: int) -> Any:
        return np.array([answer] + [0] * (2 + bit), dtype=np.int64)


@dataclass(frozen=True)
class KeptFlag(ABC):
    """GRR whose wrapping tells whether the value was kept, if `tells`."""

    answer: Response
    tells: bool

    @abstractmethod
    def wrap(self, answer: int, replaced: bool) -> Any:
        """The report."""

    def __call__(self, value: int, rng: np.random.Generator) -> Any:
        answer = self.answer(value, rng)
        return self.wrap(answer, self.tells and answer != value)

    def law(self, value: int) -> Law:
        for answer, chance in self.answer.law(value):
            yield self.wrap(answer, self.tells and answer != value), chance


class InPadding(KeptFlag):
    """Spaces at the end of a string."""

    def wrap(self, answer: int, replaced: bool) -> str:
        return ("no", "yes", "unsure")[answer].ljust(9 if replaced else 8)


class InNumpyType(KeptFlag):
    """An int of Python if kept, of numpy if it came from the generator."""

    def wrap(self, answer: int, replaced: bool) -> Any:
        return np.int64(answer) if replaced else answer


def answer_and_residue(report: str) -> tuple[str, int]:
    """What matters in a token: the answer, and the last digit modulo 4."""
    return report[0], int(report[-1], 16) % 4


@dataclass(frozen=True)
class Token:
    """An answer and a random token, whose checksum digit is that of the value with `truth`."""

    answer: Response
    truth: float

    def __call__(self, value: int, rng: np.random.Generator) -> str:
        token = int(rng.random() * 2**28)
        residue = value % 4 if rng.random() < self.truth else int(rng.random() * 4)
        digit = 4 * int(rng.random() * 4) + residue
        return f"{self.answer(value, rng)}-{token:07x}{digit:x}"

    def law(self, value: int) -> Law:
        for answer, chance in self.answer.law(value):
            yield (str(answer), value % 4), chance * self.truth
            for residue in range(4):
                yield (str(answer), residue), chance * (1 - self.truth) / 4


GRR = Response(3, grr_keep(1.0, 3))


def _side(
    name: str, family: str, place: str, wrapping: type[SideBit], odds: float, why: str
) -> Entry:
    return pair(
        name=name,
        family=family,
        place=place,
        epsilon=1.0,
        values=(0, 1, 2),
        broken=wrapping(GRR, logistic(odds)),
        correct=wrapping(GRR, 0.5),
        why=f"the answer costs 1, and {why} costs {odds} more",
    )


ENTRIES: tuple[Entry, ...] = (
    _side("bytes_length", "GRR", "length", InLength, 0.3, "one byte of padding"),
    _side("array_length", "GRR", "length", InListLength, 0.2, "one more zero"),
    _side("int_or_float", "GRR", "type", InType, 0.4, "1 or 1.0"),
    _side("optional_key", "GRR", "a dictionary key", InKey, 0.2, "the presence of a key"),
    _side("key_order", "GRR", "order of keys", InKeyOrder, 0.25, "which key comes first"),
    _side("nested_flag", "GRR", "one unprotected coordinate", InNesting, 0.15, "a nested flag"),
    pair(
        name="padding_of_replaced",
        family="GRR",
        place="string padding",
        epsilon=1.0,
        values=(0, 1, 2),
        broken=InPadding(GRR, tells=True),
        correct=InPadding(GRR, tells=False),
        why="replaced answers are padded to nine characters, kept ones to eight",
    ),
    pair(
        name="numpy_type_of_replaced",
        family="GRR",
        place="type",
        epsilon=1.0,
        values=(0, 1, 2),
        broken=InNumpyType(GRR, tells=True),
        correct=InNumpyType(GRR, tells=False),
        why="replaced answers are numpy integers, kept ones Python's",
    ),
    Entry(
        name="token_checksum",
        family="GRR",
        place="a character of a string",
        epsilon=1.0,
        values=(0, 1, 2),
        broken=Token(GRR, 0.1),
        correct=Token(GRR, 0.0),
        true_epsilon=smallest_epsilon(Token(GRR, 0.1).law, (0, 1, 2), 0.0),
        correct_epsilon=smallest_epsilon(Token(GRR, 0.0).law, (0, 1, 2), 0.0),
        view=answer_and_residue,
        why="the digit modulo 4 is the value's with 0.325 and another with 0.225",
    ),
)
