"""What a foreign randomizer looks like from here, in whatever form it exists."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, get_args

from numpy.random import Generator


class Randomizer(Protocol):
    """Anything that turns values into reports, opened in the process that will run it.

    Two methods are optional. `supports(report, value)` tells whether a report speaks for a value,
    for protocols whose reports have to be evaluated, such as a hash and its seed. `reseed(seed)`
    seeds generators that neither `random.seed` nor `numpy.random.seed` reaches.
    """

    def sample(self, value: Any, n: int, rng: Generator) -> Sequence[Any]:
        """Return `n` reports of a value, drawing from `rng` if the foreign code lets us."""


@dataclass(frozen=True)
class Terms:
    """What a mechanism of a foreign package is made for: a claim and a number of values."""

    epsilon: float
    delta: float
    domain_size: int


Variant = Callable[..., Randomizer]
"""Makes one mechanism of a foreign package, called with `Terms` and options by their names."""


def options_of(variant: Variant) -> Mapping[str, type]:
    """Names and types of the options of a variant: its parameters that have to be named."""
    parameters = inspect.signature(variant, eval_str=True).parameters.values()
    return {
        p.name: (get_args(p.annotation) or (p.annotation,))[0]  # int of int | None
        for p in parameters
        if p.kind is p.KEYWORD_ONLY
    }


@dataclass(frozen=True)
class Adapter:
    """A foreign package and its mechanisms, named `package:variant` on the command line.

    Its name is that of the package and of the extra of ldp-auditor that installs it. The module of
    an adapter must not import the package: variants do when they are called, so that listing what
    there is needs nothing installed.
    """

    name: str
    variants: Mapping[str, Variant]
    note: str = ""
    """What a user of the package should know: what it needs, what cannot be repeated."""

    @property
    def module(self) -> str:
        """What Python imports."""
        return self.name.replace("-", "_")
