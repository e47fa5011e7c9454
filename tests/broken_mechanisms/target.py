"""Entries of the catalogue as targets of a check."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from numpy.random import Generator

from ldp_auditor.adapters.callables import Function
from ldp_auditor.adapters.randomizer import Randomizer
from tests.broken_mechanisms.catalogue import CATALOGUE
from tests.broken_mechanisms.entry import Entry

BY_NAME = {entry.name: entry for entry in CATALOGUE}


@dataclass(frozen=True)
class CatalogueTarget:
    """The broken or the correct side of an entry, found by its name in every process."""

    entry: str
    side: str

    @property
    def name(self) -> str:
        """What reports call it."""
        return f"{self.entry} ({self.side})"

    def open(self) -> Randomizer:
        """Find the entry."""
        entry = BY_NAME[self.entry]
        mechanism = getattr(entry, self.side)
        function = Function.of(getattr(mechanism, "batch", mechanism))
        return function if entry.supports is None else WithSupports(entry, function)


@dataclass(frozen=True)
class WithSupports:
    """A mechanism whose reports have to be evaluated."""

    entry: Entry
    function: Function

    def sample(self, value: Any, n: int, rng: Generator) -> Sequence[Any]:
        """Reports of the mechanism."""
        return self.function.sample(value, n, rng)

    def supports(self, report: Any, value: Any) -> bool:
        """What the entry says."""
        assert self.entry.supports is not None
        return bool(self.entry.supports(report, value))
