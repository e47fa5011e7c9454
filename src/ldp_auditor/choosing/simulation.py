"""A collection simulated end to end: everybody reports, the server estimates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ldp_auditor import estimation
from ldp_auditor.audits.interface import make_mechanism
from ldp_auditor.choosing.population import MOST_VALUES, Population
from ldp_auditor.core import Floats, Mechanism
from ldp_auditor.errors import error_probability, require, seed_number, whole_number
from ldp_auditor.inputs import Categories
from ldp_auditor.mechanisms.capabilities import (
    Estimates,
    HasOptions,
    inputs_of,
    needed,
)
from ldp_auditor.mechanisms.records import RecordMechanism
from ldp_auditor.results.fields import Plain, plain_value, reading, real, whole_entry
from ldp_auditor.results.showing import Shown

MOST_USERS = 10**10


@dataclass(frozen=True)
class Simulation(Shown):
    """True and estimated frequencies of a simulated collection."""

    mechanism: str
    epsilon: float
    options: dict[str, Any]
    users: int
    reports: int
    seed: int
    alpha: float
    names: tuple[str, ...]
    true: tuple[float, ...]
    estimated: tuple[float, ...]
    errors: tuple[float, ...]
    """Exact standard error of every estimate, at the true frequency."""
    half_width: tuple[float, ...]
    """Of the intervals: what a server would state that knows the estimates alone."""

    @property
    def standard_error(self) -> float:
        """Exact standard error, root mean square over the values."""
        return math.sqrt(math.fsum(e * e for e in self.errors) / len(self.errors))

    @property
    def measured_error(self) -> float:
        """Root mean square of what the estimates were off by."""
        off = zip(self.true, self.estimated, strict=True)
        return math.sqrt(math.fsum((t - e) ** 2 for t, e in off) / len(self.true))

    @property
    def covered(self) -> int:
        """How many intervals contain the true frequency."""
        triples = zip(self.true, self.estimated, self.half_width, strict=True)
        return sum(abs(t - e) <= w for t, e, w in triples)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        told = ("standard_error", "measured_error", "covered")
        plain = {name: plain_value(value) for name, value in vars(self).items()}
        return {**plain, **{name: getattr(self, name) for name in told}}

    @classmethod
    @reading("simulation")
    def from_dict(cls, plain: Plain) -> Simulation:
        """Read what `to_dict` wrote, or raise."""
        lists = {
            name: tuple(plain[name])
            for name in ("names", "true", "estimated", "errors", "half_width")
        }
        return cls(
            mechanism=str(plain["mechanism"]),
            epsilon=real(plain, "epsilon"),
            options=dict(plain["options"]),
            users=whole_entry(plain, "users", 1),
            reports=whole_entry(plain, "reports", 1),
            seed=whole_entry(plain, "seed", 0),
            alpha=real(plain, "alpha"),
            **lists,
        )

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row for every value."""
        columns = (self.true, self.estimated, self.errors, self.half_width)
        names = self.names or tuple(map(str, range(len(self.true))))
        heads = ("value", "true", "estimated", "standard_error", "half_width")
        return [dict(zip(heads, row, strict=True)) for row in zip(names, *columns, strict=True)]


def simulate(
    mechanism: str | Mechanism,
    *,
    users: int,
    domain_size: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    reports: int = 1,
    frequencies: Population | Path | str | Sequence[float] | Floats | None = None,
    alpha: float = 0.05,
    seed: int = 42,
    **options: Any,
) -> Simulation:
    """Simulate `users` users who report by a protocol, and the server's estimates.

    `frequencies` are those of the values, or counts, or a file of them; without any, value number i
    is i times as rare as the first. With several `reports` the estimate is that of all of them.
    Every interval misses the truth with probability `alpha`, up to the normal approximation.

    >>> found = simulate("OUE", epsilon=1.0, domain_size=10, users=10_000)
    >>> found.measured_error < 4 * found.standard_error
    True
    """
    population = None if frequencies is None else Population.of(frequencies)
    made: Any = mechanism
    if isinstance(mechanism, str):
        size = len(population.shares) if domain_size is None and population else domain_size
        made = make_mechanism(mechanism, epsilon=epsilon, delta=delta, domain_size=size, **options)
    inputs = inputs_of(made)
    require(
        isinstance(inputs, Categories),
        f"{made.name} is for {inputs.noun}; simulate takes categories, one attribute at a time",
        argument="mechanism",
    )
    users, alpha = whole_number("users", users, 1, MOST_USERS), error_probability(alpha)
    reports, seed = whole_number("reports", reports, 1, 10**5), seed_number(seed)
    whole_number("domain_size", made.domain_size, 2, MOST_VALUES)
    if population is None:
        population = Population.zipf(made.domain_size)
    check_size(population, made.domain_size)
    (found,) = estimation.simulate(
        made, population.holders(users).tolist(), reports=reports, seed=seed
    )
    require(
        len(found.estimated) == made.domain_size,
        f"{made.name} does not tell values of one bucket apart; give as many buckets as values",
    )
    return _shown(made, found, population.names, alpha, seed)


def simulate_records(mechanism: RecordMechanism, *, users: int, seed: int) -> Simulation | None:
    """Simulate a collection of records, and return the attribute that is known worst.

    Attribute j of record number i is i modulo the attribute's size, and record number i is i times
    as rare as the first. None if so few users report that nobody drew some attribute.
    """
    sizes = mechanism.domain_sizes
    holders = Population.zipf(max(sizes)).holders(users).tolist()
    records = {tuple(i % size for size in sizes): count for i, count in enumerate(holders)}
    every = estimation.simulate(mechanism, records, seed=seed)
    if not all(np.isfinite(found.estimated).all() for found in every):
        return None
    worst = max(range(len(every)), key=lambda j: float(np.mean(every[j].standard_errors ** 2)))
    return _shown(mechanism, every[worst], (), 0.05, seed, attribute=worst)


def _shown(
    made: Any,
    found: estimation.Collection,
    names: tuple[str, ...],
    alpha: float,
    seed: int,
    **which: int,
) -> Simulation:
    """A collection with the intervals that a server would state."""
    server: Any = needed(made, Estimates, "simulate")
    plugged = server.frequency_variance(
        found.users, np.clip(found.estimated, 0.0, 1.0), found.reports, **which
    )
    from scipy.special import ndtri

    width = -float(ndtri(alpha / 2))
    return Simulation(
        made.name,
        made.claim.epsilon,
        dict(made.options) if isinstance(made, HasOptions) else {},
        found.users,
        found.reports,
        seed,
        alpha,
        names,
        tuple(found.frequencies.tolist()),
        tuple(found.estimated.tolist()),
        tuple(found.standard_errors.tolist()),
        tuple((width * np.sqrt(plugged)).tolist()),
    )


def check_size(population: Population, domain_size: int) -> None:
    """Raise unless there is a frequency for every value."""
    have = len(population.shares)
    require(
        have == domain_size,
        f"frequencies must have a number for each of the domain_size={domain_size} values, "
        f"got {have}",
        argument="frequencies",
    )
