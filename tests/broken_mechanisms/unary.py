"""SUE and OUE."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tests.broken_mechanisms.entry import Entry, contains, has_bit, pair
from tests.broken_mechanisms.exact import Law, bits_law, logistic


@dataclass(frozen=True)
class Unary:
    """Bit v is 1 with probability p, the others with q; bits in `exposed` are not perturbed."""

    size: int
    p: float
    q: float
    exposed: tuple[int, ...] = ()

    def ones(self, value: int) -> list[float]:
        """The probability of 1 at every position."""
        rates = [self.q] * self.size
        rates[value] = self.p
        for position in self.exposed:
            rates[position] = float(position == value)
        return rates

    def __call__(self, value: int, rng: np.random.Generator) -> NDArray[np.int8]:
        return (rng.random(self.size) < self.ones(value)).astype(np.int8)

    def batch(self, value: int, n: int, rng: np.random.Generator) -> NDArray[np.int8]:
        return (rng.random((n, self.size)) < self.ones(value)).astype(np.int8)

    def law(self, value: int) -> Law:
        for bits, chance in bits_law(self.ones(value)):
            yield np.array(bits, dtype=np.int8), chance


@dataclass(frozen=True)
class NoiseUnderTrueBit(Unary):
    """Draws every bit with q and then sets bit v with probability p, as pure-ldp 1.1.2 does."""

    def __call__(self, value: int, rng: np.random.Generator) -> NDArray[np.int8]:
        bits = (rng.random(self.size) < self.q).astype(np.int8)
        if rng.random() < self.p:
            bits[value] = 1
        return bits

    def batch(self, value: int, n: int, rng: np.random.Generator) -> NDArray[np.int8]:
        bits = (rng.random((n, self.size)) < self.q).astype(np.int8)
        bits[rng.random(n) < self.p, value] = 1
        return bits

    def law(self, value: int) -> Law:
        return Unary(self.size, self.p + (1 - self.p) * self.q, self.q).law(value)


@dataclass(frozen=True)
class SharedDraw(Unary):
    """Compares all bits with one and the same uniform number."""

    def __call__(self, value: int, rng: np.random.Generator) -> NDArray[np.int8]:
        return (rng.random() < np.array(self.ones(value))).astype(np.int8)

    def batch(self, value: int, n: int, rng: np.random.Generator) -> NDArray[np.int8]:
        return (rng.random((n, 1)) < np.array(self.ones(value))).astype(np.int8)

    def law(self, value: int) -> Law:
        only = np.zeros(self.size, dtype=np.int8)
        only[value] = 1
        yield np.ones(self.size, dtype=np.int8), self.q
        yield only, self.p - self.q
        yield np.zeros(self.size, dtype=np.int8), 1 - self.p


@dataclass(frozen=True)
class UnaryIndices:
    """Unary encoding that sends the positions of the ones, so reports differ in length."""

    size: int
    p: float
    q: float

    def __call__(self, value: int, rng: np.random.Generator) -> tuple[int, ...]:
        uniform = rng.random(self.size).tolist()
        return tuple(
            index
            for index, number in enumerate(uniform)
            if number < (self.p if index == value else self.q)
        )

    def law(self, value: int) -> Law:
        for bits, chance in bits_law(Unary(self.size, self.p, self.q).ones(value)):
            yield tuple(index for index, bit in enumerate(bits) if bit), chance


@dataclass(frozen=True)
class UnaryBytes:
    """Unary encoding packed into one byte."""

    p: float
    q: float

    def __call__(self, value: int, rng: np.random.Generator) -> bytes:
        uniform = rng.random(8).tolist()
        byte = 0
        for index, number in enumerate(uniform):
            byte |= (number < (self.p if index == value else self.q)) << index
        return bytes((byte,))

    def law(self, value: int) -> Law:
        for bits, chance in bits_law(Unary(8, self.p, self.q).ones(value)):
            yield bytes((sum(bit << index for index, bit in enumerate(bits)),)), chance


@dataclass(frozen=True)
class MaskedBit:
    """The true bit as the parity of some of six bits which are uniform one by one."""

    places: tuple[int, ...]
    truth: float

    def __call__(self, value: int, rng: np.random.Generator) -> list[int]:
        bits = [int(number < 0.5) for number in rng.random(6).tolist()]
        last, parity = self.places[-1], value ^ (rng.random() >= self.truth)
        for place in self.places[:-1]:
            parity ^= bits[place]
        bits[last] = int(parity)
        return bits

    def batch(self, value: int, n: int, rng: np.random.Generator) -> list[list[int]]:
        bits = (rng.random((n, 6)) < 0.5).astype(np.int64)
        parity = value ^ (rng.random(n) >= self.truth).astype(np.int64)
        for place in self.places[:-1]:
            parity ^= bits[:, place]
        bits[:, self.places[-1]] = parity
        reports: list[list[int]] = bits.tolist()
        return reports

    def law(self, value: int) -> Law:
        for bits, chance in bits_law([0.5] * 6):
            honest = sum(bits[place] for place in self.places) % 2 == value
            yield list(bits), 2 * chance * (self.truth if honest else 1 - self.truth)


def sue(epsilon: float, size: int) -> Unary:
    """Correct SUE."""
    return Unary(size, logistic(epsilon / 2), logistic(-epsilon / 2))


def oue(epsilon: float, size: int) -> Unary:
    """Correct OUE."""
    return Unary(size, 0.5, logistic(-epsilon))


ENTRIES: tuple[Entry, ...] = (
    pair(
        name="sue_noise_under_true_bit",
        family="SUE",
        place="a missing step",
        epsilon=1.0,
        values=(0, 2, 4),
        broken=NoiseUnderTrueBit(5, logistic(0.5), logistic(-0.5)),
        correct=sue(1.0, 5),
        supports=has_bit,
        why="pure-ldp 1.1.2 forgets to clear bit v, which is 1 with p + (1 - p) q",
    ),
    pair(
        name="oue_noise_under_true_bit",
        family="OUE",
        place="a missing step",
        epsilon=2.0,
        values=(0, 2, 4),
        broken=NoiseUnderTrueBit(5, 0.5, logistic(-2.0)),
        correct=oue(2.0, 5),
        supports=has_bit,
        why="pure-ldp 1.1.2 forgets to clear bit v, so the ratio is 1/q + 1 = e^epsilon + 2",
    ),
    pair(
        name="sue_epsilon_not_halved",
        family="SUE",
        place="sensitivity halved",
        epsilon=0.5,
        values=(0, 1, 3),
        broken=UnaryIndices(4, logistic(0.5), logistic(-0.5)),
        correct=UnaryIndices(4, logistic(0.25), logistic(-0.25)),
        supports=contains,
        why="two values differ in two bits and each costs epsilon instead of epsilon/2",
    ),
    pair(
        name="oue_with_p_of_sue",
        family="OUE",
        place="a parameter of another protocol",
        epsilon=1.0,
        values=(0, 3, 7),
        broken=UnaryBytes(logistic(0.5), logistic(-1.0)),
        correct=UnaryBytes(0.5, logistic(-1.0)),
        why="bit v costs epsilon/2 by SUE's p, the other bit epsilon by OUE's q",
    ),
    pair(
        name="oue_first_bit_exposed",
        family="OUE",
        place="one unprotected coordinate",
        epsilon=1.0,
        values=(0, 1, 2),
        broken=Unary(6, 0.5, logistic(-1.0), exposed=(0,)),
        correct=oue(1.0, 6),
        supports=has_bit,
        why="the loop starts at 1, so bit 0 says whether the value is 0",
    ),
    pair(
        name="sue_shared_draw",
        family="SUE",
        place="shared randomness",
        epsilon=1.0,
        values=(0, 1, 2),
        broken=SharedDraw(3, logistic(0.5), logistic(-0.5)),
        correct=sue(1.0, 3),
        supports=has_bit,
        why="with one uniform number for all bits only v's one-hot vector can appear",
    ),
    pair(
        name="sue_rounded_probability",
        family="SUE",
        place="rounded probabilities",
        epsilon=1.0,
        values=(0, 1, 2),
        broken=Unary(3, 0.63, 0.37),
        correct=sue(1.0, 3),
        supports=has_bit,
        must_be_caught=False,
        why="p = 0.6225 is rounded up to 0.63, and epsilon is 2 log(0.63/0.37)",
    ),
    pair(
        name="masked_bit_pair",
        family="SUE",
        place="a pair of coordinates",
        epsilon=1.0,
        values=(0, 1),
        broken=MaskedBit((1, 4), logistic(1.3)),
        correct=MaskedBit((1, 4), logistic(1.0)),
        why="bit 1 xor bit 4 tells the truth with the odds e^1.3; single bits are uniform",
    ),
    pair(
        name="masked_bit_triple",
        family="OUE",
        place="parity of three coordinates",
        epsilon=1.0,
        values=(0, 1),
        broken=MaskedBit((0, 2, 5), logistic(math.log(2 * math.e))),
        correct=MaskedBit((0, 2, 5), logistic(1.0)),
        why="the parity of bits 0, 2 and 5 has the odds 2e; singles and pairs are uniform",
    ),
)
