"""Pairs and numbers of categories in words."""

import math

from ldp_auditor.core import InputPair

SHOWN = 3
"""Coordinates of a vector that is shown."""


def in_words(pair: InputPair) -> str:
    """A pair for people, by the kind of its inputs."""
    first, second = pair.first, pair.second
    if isinstance(first, str):
        return f"words {first} and {second}"
    if not isinstance(first, tuple):
        noun = "numbers" if isinstance(first, float) else "values"
        return f"{noun} {str(pair).replace(',', ' and ')}"
    if all(isinstance(value, int) for value in first):
        differing = sum(a != b for a, b in zip(first, second, strict=True))
        return f"records that differ in {differing} of {len(first)} attributes"
    if isinstance(first[0], int):
        return f"keys and values {str(pair).replace(':', ' and ')}"
    if len(first) <= SHOWN:
        return f"vectors {str(pair).replace(':', ' and ')}"
    apart = math.dist(first, second)
    return f"vectors in {len(first)} dimensions, {apart:g} apart"


def size_in_words(*sizes: int | None) -> list[str]:
    """The first number of categories that there is, or nothing, for a list of settings."""
    return [f"k = {size}" for size in sizes if size is not None][:1]
