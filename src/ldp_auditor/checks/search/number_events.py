"""Events about two columns of numbers: compared, their difference, sum or ratio."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ldp_auditor.checks.search.events import Bools, Event, number_text
from ldp_auditor.checks.search.layout import Column, Table
from ldp_auditor.core import Floats

DECIMALS = 9
"""Digits after the point to which differences of floats are looked at."""


@dataclass(frozen=True)
class Compared(Event):
    """Two columns of numbers are equal, or the first is less."""

    first: Column
    second: Column
    is_less: bool

    @property
    def words(self) -> str:
        return f"{self.first.words} {'<' if self.is_less else '=='} {self.second.words}"

    @property
    def negated_words(self) -> str:
        if not (self.first.is_everywhere and self.second.is_everywhere):
            return super().negated_words
        return f"{self.first.words} {'>=' if self.is_less else '!='} {self.second.words}"

    @property
    def size(self) -> float:
        return 1.75

    def holds(self, reports: Sequence[Any], table: Table) -> Bools:
        first, second = table.of(self.first), table.of(self.second)
        return first < second if self.is_less else first == second


@dataclass(frozen=True)
class Difference(Event):
    """Two columns of numbers differ by a value, whole numbers also in steps of a modulus."""

    first: Column
    second: Column
    value: float
    modulus: int = 0
    """0 for the difference itself."""
    sign: int = -1
    """1 for the sum of both, which a modulus makes a difference from its other side."""

    @property
    def words(self) -> str:
        shown = number_text(self.value)
        both = f"{self.second.words} {'+' if self.sign > 0 else '-'} {self.first.words}"
        return f"({both}) mod {self.modulus} is {shown}" if self.modulus else f"{both} is {shown}"

    @property
    def size(self) -> float:
        return 2.25 if self.modulus else 2.0

    def holds(self, reports: Sequence[Any], table: Table) -> Bools:
        found: Bools = self.differences(table) == self.value
        return found

    def differences(self, table: Table) -> Floats:
        """Differences of all reports."""
        first, second = (table.of(c).astype(np.float64) for c in (self.first, self.second))
        return self.between(first, second)

    def between(self, first: Floats, second: Floats) -> Floats:
        """Differences of numbers; floats are rounded to what their common noise leaves."""
        with np.errstate(invalid="ignore", over="ignore"):
            apart: Floats = second + self.sign * first
            return apart % self.modulus if self.modulus else np.round(apart, DECIMALS)


@dataclass(frozen=True)
class Apart(Event):
    """What two columns of numbers make together is at least, or at most, a threshold."""

    first: Column
    second: Column
    sign: int
    """-1 for the second minus the first, 1 for their sum, 0 for the second divided by the first."""
    threshold: float
    at_least: bool
    scale: float = 1.0
    """What the first is multiplied by before."""

    @property
    def words(self) -> str:
        sign = {-1: "-", 0: "/", 1: "+"}[self.sign]
        scale = "" if self.scale == 1 else f"{number_text(self.scale)} * "
        both = f"{self.second.words} {sign} {scale}{self.first.words}"
        return f"{both} {'>=' if self.at_least else '<='} {number_text(self.threshold)}"

    @property
    def size(self) -> float:
        return 2.1 if self.scale == 1 else 2.2

    def holds(self, reports: Sequence[Any], table: Table) -> Bools:
        entries = self.entries(table)
        return entries >= self.threshold if self.at_least else entries <= self.threshold

    def entries(self, table: Table) -> Floats:
        """Differences, sums or ratios of all reports; NaN where a number is missing."""
        return self.between(*(table.of(c).astype(np.float64) for c in (self.first, self.second)))

    def between(self, first: Floats, second: Floats) -> Floats:
        """What two numbers make together, for many of each."""
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            return second + self.sign * (self.scale * first) if self.sign else second / first
