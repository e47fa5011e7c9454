"""The only place where a random generator is made.

Every chunk of an audit owns a generator that depends on the seed, on what is audited and on the
chunk's position, and on nothing else: not on the worker, the engine or the order of execution.
"""

import hashlib
import json
import random
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.random import PCG64, Generator, SeedSequence
from numpy.typing import NDArray


def stream_key(identity: Mapping[str, Any]) -> int:
    """Return a 64-bit number that is the same for the same identity on any machine.

    Different cells of a study get unrelated streams from one seed, and the same cell gets the same
    stream whichever command asks for it.
    """
    canonical = json.dumps(identity, sort_keys=True, default=repr)
    return int.from_bytes(hashlib.sha256(canonical.encode()).digest()[:8], "little")


def chunk_generator(seed: int, stream: int, side: int, chunk: int) -> Generator:
    """Return the generator of one chunk: reports of input `side`, chunk number `chunk`."""
    return Generator(PCG64(SeedSequence(seed, spawn_key=(stream, side, chunk))))


def seed_globals(rng: Generator) -> None:
    """Seed the generators of `random` and `numpy.random`, from which foreign code may draw."""
    random.seed(int(rng.integers(2**63)))
    np.random.seed(rng.integers(2**32, size=4))  # noqa: NPY002


def random_order(rng: Generator, n: int) -> NDArray[np.int64]:
    """Return 0..n-1 in random order, the same with every version of NumPy."""
    return np.argsort(rng.bit_generator.random_raw(n), kind="stable")
