"""diffprivlib, IBM's mechanisms: `Mechanism(...).randomise(x)`.

With `random_state` an integer, which is how `sample` makes its runs repeatable, the package draws
from numpy's Mersenne Twister; without it, from the operating system. It was tried with scikit-learn
1.5 to 1.8; with 1.9 its import fails.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from numpy.random import Generator

from ldp_auditor.adapters.foreign import import_foreign, plain, refusals
from ldp_auditor.adapters.randomizer import Adapter, Randomizer, Terms
from ldp_auditor.errors import must, whole_input, whole_number

NAME = "diffprivlib"


@dataclass(frozen=True)
class Seeded:
    """A mechanism that is made anew, with a seed from `rng`, for every batch of reports."""

    domain_size: int
    mechanism: str
    """What the package calls its class."""
    arguments: Callable[[int], dict[str, Any]]
    """What the class is given to report a value, beside a seed."""
    encode: Callable[[int], Any] = str
    decode: Callable[[Any], Any] = int

    def __post_init__(self) -> None:
        with refusals(NAME):  # the package checks arguments when it makes a report
            self._reports(0, 1, seed=0)

    def sample(self, value: Any, n: int, rng: Generator) -> Sequence[Any]:
        """Return `n` reports of the value."""
        value = whole_input("value", value, 0, self.domain_size - 1)
        return self._reports(value, n, int(rng.integers(2**32)))

    def _reports(self, value: int, n: int, seed: int) -> Sequence[Any]:
        made = getattr(import_foreign(NAME, "diffprivlib.mechanisms"), self.mechanism)
        with refusals(f"{NAME}'s {self.mechanism}"):
            mechanism = made(**self.arguments(value), random_state=seed)
        item = self.encode(value)
        return [self.decode(mechanism.randomise(item)) for _ in range(n)]


def _numeric(
    name: str, kind: type, budget: Sequence[str], bounded: bool, terms: Terms
) -> Randomizer:
    """A mechanism for numbers in 0..k-1, whose sensitivity is k-1."""
    top = kind(terms.domain_size - 1)
    arguments = {key: getattr(terms, key) for key in budget} | {"sensitivity": top}
    if bounded:
        arguments |= {"lower": kind(0), "upper": top}
    return Seeded(terms.domain_size, name, lambda value: arguments, kind, plain)


def _binary(terms: Terms) -> Randomizer:
    must(terms.domain_size == 2, "be 2 for Binary", domain_size=terms.domain_size)
    arguments = {"epsilon": terms.epsilon, "value0": "0", "value1": "1"}
    return Seeded(terms.domain_size, "Binary", lambda value: arguments)


def _categorical(terms: Terms) -> Randomizer:
    """All pairs of values are equally far apart, so this is randomized response."""
    distances = [(str(a), str(b), 1.0) for a in range(terms.domain_size) for b in range(a)]
    arguments = {"epsilon": terms.epsilon, "utility_list": distances}
    return Seeded(terms.domain_size, "ExponentialCategorical", lambda value: arguments)


def _hierarchical(terms: Terms, *, group_size: int = 2) -> Randomizer:
    """Values in groups of neighbours; a report is likelier to stay in the group."""
    size = terms.domain_size
    each = whole_number("group_size", group_size, 1, size)
    labels = [str(value) for value in range(size)]
    groups = [labels[start : start + each] for start in range(0, size, each)]
    arguments = {"epsilon": terms.epsilon, "hierarchy": groups}
    return Seeded(size, "ExponentialHierarchical", lambda value: arguments)


def _selection(name: str, terms: Terms) -> Randomizer:
    """A choice among 0..k-1 where the utility, of sensitivity 1, is 1 for the value, else 0."""
    candidates = list(range(terms.domain_size))
    always = {"epsilon": terms.epsilon, "sensitivity": 1, "candidates": candidates}

    def arguments(value: int) -> dict[str, Any]:
        return {**always, "utility": [float(candidate == value) for candidate in candidates]}

    return Seeded(terms.domain_size, name, arguments, lambda value: None, plain)


PURE, BOTH = ("epsilon",), ("epsilon", "delta")

NUMERIC: dict[str, tuple[type, Sequence[str], bool]] = {
    "Geometric": (int, PURE, False),
    "GeometricTruncated": (int, PURE, True),
    "GeometricFolded": (int, PURE, True),
    "Laplace": (float, BOTH, False),
    "LaplaceTruncated": (float, BOTH, True),
    "LaplaceFolded": (float, BOTH, True),
    "LaplaceBoundedDomain": (float, BOTH, True),
    "LaplaceBoundedNoise": (float, BOTH, False),  # delta > 0
    "Snapping": (float, PURE, True),
    "Staircase": (float, PURE, False),
    "Gaussian": (float, BOTH, False),  # delta > 0, epsilon <= 1
    "GaussianAnalytic": (float, BOTH, False),  # delta > 0
    "GaussianDiscrete": (int, BOTH, False),  # delta > 0
    "Uniform": (float, ("delta",), False),  # delta > 0; claims epsilon 0
}
"""Mechanisms for numbers: of which kind, what they keep, whether they are told the limits."""

ADAPTER = Adapter(
    NAME,
    {
        "Binary": _binary,
        "ExponentialCategorical": _categorical,
        "ExponentialHierarchical": _hierarchical,
        "Exponential": partial(_selection, "Exponential"),
        "PermuteAndFlip": partial(_selection, "PermuteAndFlip"),
        **{name: partial(_numeric, name, *about) for name, about in NUMERIC.items()},
    },
    note="needs scikit-learn < 1.9 (1.5 to 1.8 work, 1.9 fails at import)",
)
