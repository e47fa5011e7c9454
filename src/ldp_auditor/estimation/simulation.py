"""A collection from end to end: users with known values, their reports, and what a server finds.

Reports are made, tallied and forgotten batch by batch, so that memory does not grow with users.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from ldp_auditor.core import Floats, Reports
from ldp_auditor.errors import must, require, seed_number, whole_input, whole_number
from ldp_auditor.mechanisms import RecordMechanism
from ldp_auditor.mechanisms.capabilities import (
    Estimates,
    HasOptions,
    RemembersUsers,
    bytes_of_report,
    estimated_frequencies,
    needed,
)
from ldp_auditor.mechanisms.estimation import BATCH_BYTES
from ldp_auditor.seeding import chunk_generator, stream_key

Population = Mapping[Any, int]
"""How many users hold each value, or each record."""


@dataclass(frozen=True)
class Collection:
    """True and estimated frequencies of one attribute, with the exact standard errors."""

    users: int
    reports: int
    frequencies: Floats
    estimated: Floats
    standard_errors: Floats


def simulate(
    mechanism: Any, population: Sequence[int] | Population, *, reports: int = 1, seed: int = 42
) -> tuple[Collection, ...]:
    """Let every user of `population` send `reports` reports, and estimate frequencies from them.

    `population` has the number of users who hold each value, or is a mapping from values, or from
    records, to numbers of users. The answer has a collection for every attribute: one, if inputs
    are values and not records.
    """
    return next(simulated(mechanism, population, reports, seed))


def simulated(
    mechanism: Any, population: Sequence[int] | Population, reports: int, seed: int
) -> Iterator[tuple[Collection, ...]]:
    """Independent collections of the same population, without end; `simulate` gives the first."""
    counts, seed = checked_population(mechanism, population), seed_number(seed)
    reports, users = whole_number("reports", reports, 1), sum(counts.values())
    estimator: Estimates = needed(mechanism, Estimates, "simulate")
    exact = [
        (true, standard_errors(mechanism, j, users, true, reports))
        for j, true in enumerate(true_frequencies(mechanism, counts))
    ]
    stream = stream_key(_identity(mechanism, reports))
    for number in itertools.count():
        tally = np.zeros(estimator.tally_size)
        for batch in _batches(mechanism, counts, reports, chunk_generator(seed, stream, 0, number)):
            tally += estimator.tally(batch)
        estimated = estimator.frequencies_from(tally, users * reports)
        of_attributes = estimated if isinstance(mechanism, RecordMechanism) else (estimated,)
        yield tuple(
            Collection(users, reports, true, found, errors)
            for (true, errors), found in zip(exact, of_attributes, strict=True)
        )


def _identity(mechanism: Any, reports: int) -> dict[str, Any]:
    """Return what is sampled, by which a stream is named: other settings get unrelated ones."""
    return {
        "collection of": mechanism.name,
        "claim": [mechanism.claim.epsilon, mechanism.claim.delta],
        "domain_size": mechanism.domain_size,
        "options": dict(mechanism.options if isinstance(mechanism, HasOptions) else {}),
        "reports": reports,
    }


def checked_population(mechanism: Any, population: Sequence[int] | Population) -> Population:
    """Return how many users hold each value, for values with users; raise if there is no user."""
    pairs: Any = population.items() if isinstance(population, Mapping) else enumerate(population)
    counts = {value: whole_number("a number of users", count, 0, 2**53) for value, count in pairs}
    require(
        sum(counts.values()) > 0, "population must have a user, got none", argument="population"
    )
    return {_checked_input(mechanism, value): n for value, n in counts.items() if n}


def _checked_input(mechanism: Any, value: Any) -> Any:
    """Return a value or a record, or raise unless the mechanism takes it."""
    if not isinstance(mechanism, RecordMechanism):
        return whole_input("value", value, 0, mechanism.domain_size - 1)
    sizes = mechanism.domain_sizes
    fits = isinstance(value, tuple) and len(value) == len(sizes)
    must(fits, f"have records of {len(sizes)} values", population=value)
    both = zip(value, sizes, strict=True)
    return tuple(whole_input("value", v, 0, size - 1) for v, size in both)


def _batches(mechanism: Any, counts: Population, reports: int, rng: Generator) -> Iterator[Reports]:
    """The reports of all users, in batches that stay in the cache."""
    size = max(1, BATCH_BYTES // (bytes_of_report(mechanism) * reports))
    for value, count in counts.items():
        for start in range(0, count, size):
            users = min(size, count - start)
            if reports > 1 and isinstance(mechanism, RemembersUsers):
                yield mechanism.collect(mechanism.enroll(value, users, rng), reports, rng)
            else:
                yield mechanism.privatize(value, users * reports, rng)


def true_frequencies(mechanism: Any, counts: Population) -> list[Floats]:
    """The frequencies that are estimated, for every attribute."""
    if not isinstance(mechanism, RecordMechanism):
        return [_shares(mechanism, counts)]
    attributes = []
    for j, part in enumerate(mechanism.parts):
        of_part: dict[int, int] = {}
        for record, count in counts.items():
            of_part[record[j]] = of_part.get(record[j], 0) + count
        attributes.append(_shares(part, of_part))
    return attributes


def _shares(mechanism: Any, counts: Population) -> Floats:
    """The share of every value, or of every group of them that is estimated."""
    held = np.zeros(mechanism.domain_size)
    held[list(counts)] = list(counts.values())
    return estimated_frequencies(mechanism, held / held.sum())


def standard_errors(
    mechanism: Any, attribute: int, users: int, frequencies: Floats, reports: int
) -> Floats:
    """The exact standard errors of the estimates of an attribute."""
    which = {"attribute": attribute} if isinstance(mechanism, RecordMechanism) else {}
    variances = mechanism.frequency_variance(users, np.minimum(frequencies, 1.0), reports, **which)
    roots: Floats = np.sqrt(variances)
    return roots
