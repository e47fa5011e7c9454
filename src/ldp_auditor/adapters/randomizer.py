"""What a foreign randomizer looks like from here, in whatever form it exists."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

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

    summary: str
    make: Callable[..., Randomizer]
    """Called with the keyword arguments epsilon, delta, domain_size and the variant's options."""
    options: Mapping[str, type] = field(default_factory=dict)
    """Names and types of options beyond those three; the defaults are those of `make`."""


@dataclass(frozen=True)
class Adapter:
    """A foreign package and its mechanisms, named `package:variant` on the command line.

    The module of an adapter must not import the package: `make` does, so that listing what there is
    needs nothing installed.
    """

    name: str
    distribution: str
    """What pip calls the package."""
    module: str
    """What Python imports."""
    extra: str
    """Extra of ldp-auditor that installs it."""
    variants: Mapping[str, Variant]
    note: str = ""
    """What a user should know, such as versions that do not work together."""
