"""diffprivlib, IBM's mechanisms: `Mechanism(...).randomise(x)`.

With `random_state` an integer, which is how `sample` makes its runs repeatable, the package draws
from numpy's Mersenne Twister; without it, from the operating system.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.random import Generator

from ldp_auditor.adapters.foreign import import_foreign, plain, refusals
from ldp_auditor.adapters.randomizer import Adapter, Randomizer, Variant
from ldp_auditor.errors import require, whole_number

NAME = "diffprivlib"
Build = Callable[[int, int], Any]


@dataclass(frozen=True)
class Seeded:
    """A mechanism that is built anew, with a seed from `rng`, for every batch of reports."""

    domain_size: int
    build: Build
    """Makes the mechanism for a value and a seed."""
    encode: Callable[[int], Any]
    decode: Callable[[Any], Any] = plain

    def sample(self, value: Any, n: int, rng: Generator) -> Sequence[Any]:
        """Return `n` reports of the value."""
        value = whole_number("value", value, 0, self.domain_size - 1)
        mechanism = self.build(value, int(rng.integers(2**32)))
        item = self.encode(value)
        return [self.decode(mechanism.randomise(item)) for _ in range(n)]


def _mechanism(name: str, **arguments: Any) -> Any:
    mechanisms = import_foreign(NAME, "diffprivlib.mechanisms", NAME)
    with refusals(f"{NAME}'s {name}"):
        return getattr(mechanisms, name)(**arguments)


def _checked(randomizer: Seeded) -> Randomizer:
    """Return the randomizer if the package accepts what it is built of."""
    with refusals(NAME):
        randomizer.build(0, 0).randomise(randomizer.encode(0))
    return randomizer


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

        def build(value: int, seed: int) -> Any:
            return _mechanism(name, **arguments, random_state=seed)

        return _checked(Seeded(domain_size, build, kind))

    return make


def _binary(*, epsilon: float, delta: float, domain_size: int) -> Randomizer:
    require(
        domain_size == 2,
        f"domain_size must be 2 for Binary, got domain_size={domain_size}",
        argument="domain_size",
    )

    def build(value: int, seed: int) -> Any:
        return _mechanism("Binary", epsilon=epsilon, value0="0", value1="1", random_state=seed)

    return _checked(Seeded(domain_size, build, str, int))


def _categorical(*, epsilon: float, delta: float, domain_size: int) -> Randomizer:
    """All pairs of values are equally far apart, so this is randomized response."""
    distances = [(str(a), str(b), 1.0) for a in range(domain_size) for b in range(a)]

    def build(value: int, seed: int) -> Any:
        return _mechanism(
            "ExponentialCategorical", epsilon=epsilon, utility_list=distances, random_state=seed
        )

    return _checked(Seeded(domain_size, build, str, int))


def _hierarchical(
    *, epsilon: float, delta: float, domain_size: int, group_size: int = 2
) -> Randomizer:
    """Values in groups of neighbours; a report is likelier to stay in the group."""
    group_size = whole_number("group_size", group_size, 1, domain_size)
    labels = [str(value) for value in range(domain_size)]
    groups = [labels[start : start + group_size] for start in range(0, domain_size, group_size)]

    def build(value: int, seed: int) -> Any:
        return _mechanism(
            "ExponentialHierarchical", epsilon=epsilon, hierarchy=groups, random_state=seed
        )

    return _checked(Seeded(domain_size, build, str, int))


def _selection(name: str) -> Callable[..., Randomizer]:
    """A choice among 0..k-1 where the utility, of sensitivity 1, is 1 for the value, else 0."""

    def make(*, epsilon: float, delta: float, domain_size: int) -> Randomizer:
        def build(value: int, seed: int) -> Any:
            utility = [float(candidate == value) for candidate in range(domain_size)]
            return _mechanism(
                name,
                epsilon=epsilon,
                sensitivity=1,
                utility=utility,
                candidates=list(range(domain_size)),
                random_state=seed,
            )

        return _checked(Seeded(domain_size, build, lambda value: None))

    return make


BOTH = ("epsilon", "delta")
NUMBERS = "of numbers 0..k-1, sensitivity k-1"

ADAPTER = Adapter(
    name=NAME,
    distribution="diffprivlib",
    module="diffprivlib",
    extra=NAME,
    variants={
        "Binary": Variant("randomized response over two values", _binary),
        "ExponentialCategorical": Variant("exponential mechanism, all values alike", _categorical),
        "ExponentialHierarchical": Variant(
            "exponential mechanism, values in groups", _hierarchical, {"group_size": int}
        ),
        "Exponential": Variant(
            "exponential mechanism on the one-hot vector", _selection("Exponential")
        ),
        "PermuteAndFlip": Variant(
            "permute-and-flip on the one-hot vector", _selection("PermuteAndFlip")
        ),
        "Geometric": Variant(f"geometric noise {NUMBERS}", _numeric("Geometric", int)),
        "GeometricTruncated": Variant(
            f"geometric noise {NUMBERS}, truncated",
            _numeric("GeometricTruncated", int, bounded=True),
        ),
        "GeometricFolded": Variant(
            f"geometric noise {NUMBERS}, folded", _numeric("GeometricFolded", int, bounded=True)
        ),
        "Laplace": Variant(f"Laplace noise {NUMBERS}", _numeric("Laplace", budget=BOTH)),
        "LaplaceTruncated": Variant(
            f"Laplace noise {NUMBERS}, truncated",
            _numeric("LaplaceTruncated", budget=BOTH, bounded=True),
        ),
        "LaplaceFolded": Variant(
            f"Laplace noise {NUMBERS}, folded",
            _numeric("LaplaceFolded", budget=BOTH, bounded=True),
        ),
        "LaplaceBoundedDomain": Variant(
            f"Laplace noise {NUMBERS}, conditioned on the bounds",
            _numeric("LaplaceBoundedDomain", budget=BOTH, bounded=True),
        ),
        "LaplaceBoundedNoise": Variant(
            f"bounded Laplace noise {NUMBERS}, needs delta",
            _numeric("LaplaceBoundedNoise", budget=BOTH),
        ),
        "Snapping": Variant(f"snapping {NUMBERS}", _numeric("Snapping", bounded=True)),
        "Staircase": Variant(f"staircase noise {NUMBERS}", _numeric("Staircase")),
        "Gaussian": Variant(
            f"Gaussian noise {NUMBERS}, needs delta and epsilon <= 1",
            _numeric("Gaussian", budget=BOTH),
        ),
        "GaussianAnalytic": Variant(
            f"Gaussian noise {NUMBERS}, analytic scale, needs delta",
            _numeric("GaussianAnalytic", budget=BOTH),
        ),
        "GaussianDiscrete": Variant(
            f"discrete Gaussian noise {NUMBERS}, needs delta",
            _numeric("GaussianDiscrete", int, budget=BOTH),
        ),
        "Uniform": Variant(
            f"uniform noise {NUMBERS}, needs delta; claims epsilon 0",
            _numeric("Uniform", budget=("delta",)),
        ),
    },
    note="needs scikit-learn < 1.9 (1.5 to 1.8 work, 1.9 fails at import)",
)
