"""diffprivlib, IBM's mechanisms: `Mechanism(...).randomise(x)`.

With `random_state` an integer, which is how `sample` makes its runs repeatable, the package draws
from numpy's Mersenne Twister; without it, from the operating system. It was tried with scikit-learn
1.5 to 1.8; with 1.9 its import fails.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.random import Generator

from ldp_auditor.adapters.foreign import import_foreign, plain, refusals
from ldp_auditor.adapters.randomizer import Adapter, Randomizer
from ldp_auditor.errors import must, whole_number

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
        value = whole_number("value", value, 0, self.domain_size - 1)
        return self._reports(value, n, int(rng.integers(2**32)))

    def _reports(self, value: int, n: int, seed: int) -> Sequence[Any]:
        made = getattr(import_foreign(NAME, "diffprivlib.mechanisms"), self.mechanism)
        with refusals(f"{NAME}'s {self.mechanism}"):
            mechanism = made(**self.arguments(value), random_state=seed)
        item = self.encode(value)
        return [self.decode(mechanism.randomise(item)) for _ in range(n)]


def _numeric(
    name: str, kind: type = float, *, budget: tuple[str, ...] = ("epsilon",), bounded: bool = False
) -> Callable[..., Randomizer]:
    """A mechanism for numbers in 0..k-1, whose sensitivity is k-1."""

    def make(*, epsilon: float, delta: float, domain_size: int) -> Randomizer:
        top = kind(domain_size - 1)
        given: dict[str, Any] = {"epsilon": epsilon, "delta": delta}
        arguments = {key: given[key] for key in budget} | {"sensitivity": top}
        if bounded:
            arguments |= {"lower": kind(0), "upper": top}
        return Seeded(domain_size, name, lambda value: arguments, kind, plain)

    return make


def _binary(*, epsilon: float, delta: float, domain_size: int) -> Randomizer:
    must(domain_size == 2, "be 2 for Binary", domain_size=domain_size)
    arguments = {"epsilon": epsilon, "value0": "0", "value1": "1"}
    return Seeded(domain_size, "Binary", lambda value: arguments)


def _categorical(*, epsilon: float, delta: float, domain_size: int) -> Randomizer:
    """All pairs of values are equally far apart, so this is randomized response."""
    distances = [(str(a), str(b), 1.0) for a in range(domain_size) for b in range(a)]
    arguments = {"epsilon": epsilon, "utility_list": distances}
    return Seeded(domain_size, "ExponentialCategorical", lambda value: arguments)


def _hierarchical(
    *, epsilon: float, delta: float, domain_size: int, group_size: int = 2
) -> Randomizer:
    """Values in groups of neighbours; a report is likelier to stay in the group."""
    group_size = whole_number("group_size", group_size, 1, domain_size)
    labels = [str(value) for value in range(domain_size)]
    groups = [labels[start : start + group_size] for start in range(0, domain_size, group_size)]
    arguments = {"epsilon": epsilon, "hierarchy": groups}
    return Seeded(domain_size, "ExponentialHierarchical", lambda value: arguments)


def _selection(name: str) -> Callable[..., Randomizer]:
    """A choice among 0..k-1 where the utility, of sensitivity 1, is 1 for the value, else 0."""

    def make(*, epsilon: float, delta: float, domain_size: int) -> Randomizer:
        candidates = list(range(domain_size))

        def arguments(value: int) -> dict[str, Any]:
            utility = [float(candidate == value) for candidate in candidates]
            return {
                "epsilon": epsilon,
                "sensitivity": 1,
                "utility": utility,
                "candidates": candidates,
            }

        return Seeded(domain_size, name, arguments, lambda value: None, plain)

    return make


BOTH = ("epsilon", "delta")

ADAPTER = Adapter(
    NAME,
    {
        "Binary": _binary,
        "ExponentialCategorical": _categorical,
        "ExponentialHierarchical": _hierarchical,
        "Exponential": _selection("Exponential"),
        "PermuteAndFlip": _selection("PermuteAndFlip"),
        "Geometric": _numeric("Geometric", int),
        "GeometricTruncated": _numeric("GeometricTruncated", int, bounded=True),
        "GeometricFolded": _numeric("GeometricFolded", int, bounded=True),
        "Laplace": _numeric("Laplace", budget=BOTH),
        "LaplaceTruncated": _numeric("LaplaceTruncated", budget=BOTH, bounded=True),
        "LaplaceFolded": _numeric("LaplaceFolded", budget=BOTH, bounded=True),
        "LaplaceBoundedDomain": _numeric("LaplaceBoundedDomain", budget=BOTH, bounded=True),
        "LaplaceBoundedNoise": _numeric("LaplaceBoundedNoise", budget=BOTH),  # delta > 0
        "Snapping": _numeric("Snapping", bounded=True),
        "Staircase": _numeric("Staircase"),
        "Gaussian": _numeric("Gaussian", budget=BOTH),  # delta > 0, epsilon <= 1
        "GaussianAnalytic": _numeric("GaussianAnalytic", budget=BOTH),  # delta > 0
        "GaussianDiscrete": _numeric("GaussianDiscrete", int, budget=BOTH),  # delta > 0
        "Uniform": _numeric("Uniform", budget=("delta",)),  # delta > 0; claims epsilon 0
    },
    note="needs scikit-learn < 1.9 (1.5 to 1.8 work, 1.9 fails at import)",
)
