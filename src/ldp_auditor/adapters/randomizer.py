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
        ...


@dataclass(frozen=True)
class Variant:
    """One mechanism of a foreign package."""

    make: Callable[..., Randomizer]
    """Called with the keyword arguments epsilon, delta, domain_size and the variant's options."""

    @property
    def options(self) -> Mapping[str, type]:
        """Names and types of the parameters of `make` beyond these three."""
        parameters = inspect.signature(self.make, eval_str=True).parameters.values()
        return {
            p.name: (get_args(p.annotation) or (p.annotation,))[0]  # int of int | None
            for p in parameters
            if p.name not in ("epsilon", "delta", "domain_size")
        }


@dataclass(frozen=True)
class Adapter:
    """A foreign package and its mechanisms, named `package:variant` on the command line.

    Its name is that of the package and of the extra of ldp-auditor that installs it. The module of
    an adapter must not import the package: `make` does, so that listing what there is needs nothing
    installed.
    """

    name: str
    makers: Mapping[str, Callable[..., Randomizer]]
    """The function `make` of every variant."""
    note: str = ""
    """What a user of the package should know: what it needs, what cannot be repeated."""

    @property
    def variants(self) -> Mapping[str, Variant]:
        """The mechanisms by their names."""
        return {name: Variant(make) for name, make in self.makers.items()}

    @property
    def module(self) -> str:
        """What Python imports."""
        return self.name.replace("-", "_")
