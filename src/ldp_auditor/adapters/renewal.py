"""Fresh objects: a target whose calls depend on each other is made anew for every report."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.random import Generator

from ldp_auditor.adapters.callables import Construction, ObjectTarget
from ldp_auditor.adapters.command import CommandTarget
from ldp_auditor.adapters.randomizer import Randomizer

Renewal = Callable[[Generator], Randomizer]
"""Makes a fresh object, drawing what its constructor asks for."""


def renewal_of(target: Any) -> Renewal | None:
    """How to make a target anew; None for a function, an object, or a program."""
    if isinstance(target, CommandTarget):
        return None
    if not isinstance(target, ObjectTarget):
        return lambda rng: target.open()
    found = target.found()
    if not isinstance(found, Construction):
        return None
    return lambda rng: target.opened(found(rng))


@dataclass(frozen=True)
class Fresh:
    """A randomizer whose every report is what one fresh object says, `reports` times."""

    opened: Randomizer
    """An object, where none can be made anew."""
    renew: Renewal | None
    reports: int

    def sample(self, value: Any, n: int, rng: Generator) -> Sequence[Any]:
        """Return `n` reports; of several answers of one object each is a tuple."""
        made = []
        for _ in range(n):
            one = self.opened if self.renew is None else self.renew(rng)
            answers = one.sample(value, self.reports, rng)
            made.append(answers[0] if self.reports == 1 else tuple(answers))
        return made

    def __getattr__(self, name: str) -> Any:
        """The optional methods of a randomizer, where the object has them."""
        if name == "reseed" or (name == "supports" and self.reports == 1):
            return getattr(self.opened, name)
        raise AttributeError(name)
