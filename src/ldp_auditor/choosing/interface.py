"""Chooses a protocol and its setting under limits: what Python users call."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from ldp_auditor.choosing.choice import Choice
from ldp_auditor.choosing.columns import Question
from ldp_auditor.choosing.limits import Limits
from ldp_auditor.choosing.population import MOST_VALUES, Population
from ldp_auditor.choosing.simulation import check_size
from ldp_auditor.choosing.task import Steps, Task
from ldp_auditor.core import Floats
from ldp_auditor.errors import must, number, one_of, require, seed_number, whole_number

ERRORS_OF = ("round", "mean")
"""Whose error is limited: that of each round of reports, or of the mean over all of them."""


def choose(
    *,
    users: int,
    domain_size: int | None = None,
    reports: int = 1,
    max_epsilon: float | None = None,
    max_epsilon_1: float | None = None,
    max_error: float | None = None,
    max_worst_error: float | None = None,
    max_attack_success: float | None = None,
    max_bits: float | None = None,
    objective: str | None = None,
    protocols: Sequence[str] = (),
    delta: float = 0.0,
    attributes: int | None = None,
    domain_sizes: Sequence[int] = (),
    frequencies: Population | Path | str | Sequence[float] | Floats | None = None,
    fingerprint: bool = True,
    error_of: str = "round",
    measure: bool = False,
    verify: bool = False,
    seed: int = 42,
    progress: Callable[[int, int], None] | None = None,
) -> Choice:
    """Find the protocol and the setting that keep all limits with the least error, or epsilon.

    `max_epsilon` limits the exact worst case of all `reports` of a user (at `delta`),
    `max_epsilon_1` that of one report, `max_error` the standard error of a frequency of so many
    `users`, `max_worst_error` that of the value that is known worst. `objective` is "error",
    "epsilon" or "epsilon-1". Records have `attributes` of `domain_size` values, or `domain_sizes`.
    `frequencies` are those of the values, counts, or a file of them. `fingerprint=False` leaves out
    protocols that send a part that never changes. `verify` audits the choice and simulates a
    collection; `measure` times every protocol. `progress` hears how much is done, and of how much.

    >>> found = choose(domain_size=100, users=1_000_000, max_epsilon=1.0)
    >>> found.choice.mechanism, found.choice.options
    ('SS', {'subset_size': 27})
    """
    limits = Limits(
        max_epsilon=max_epsilon,
        max_epsilon_1=max_epsilon_1,
        max_attack_success=max_attack_success,
        max_error=max_error,
        max_worst_error=max_worst_error,
        max_bits=max_bits,
    )
    one_of("error_of", error_of, ERRORS_OF)
    question = ask(
        domain_size=domain_size,
        users=users,
        reports=reports,
        delta=delta,
        attributes=attributes,
        domain_sizes=domain_sizes,
        frequencies=frequencies,
        of_mean=error_of == "mean",
    )
    seed = seed_number(seed)
    task = Task.of(question, limits, objective, protocols, fingerprint, Steps(progress))
    return task.answer(measure=measure, verify_by=seed if verify else None)


def ask(
    *,
    users: int,
    domain_size: int | None,
    reports: int = 1,
    delta: float = 0.0,
    attributes: int | None = None,
    domain_sizes: Sequence[int] = (),
    frequencies: Any = None,
    of_mean: bool = False,
) -> Question:
    """Return the question that these settings ask, or raise."""
    population = None if frequencies is None else Population.of(frequencies)
    listed = isinstance(domain_sizes, Iterable) and not isinstance(domain_sizes, str)
    must(listed, "be a list of numbers", domain_sizes=repr(domain_sizes))
    sizes = tuple(whole_number("domain_sizes", size, 2, MOST_VALUES) for size in domain_sizes)
    require(
        len(sizes) != 1,
        "a record has two attributes at least; give domain_size for one",
        argument="domain_sizes",
    )
    if attributes is not None:
        require(
            not sizes, "give attributes and domain_size, or domain_sizes", argument="attributes"
        )
        require(domain_size is not None, "attributes needs domain_size", argument="domain_size")
        sizes = (domain_size or 0,) * whole_number("attributes", attributes, 2, 1000)
    if domain_size is None and not sizes and population is not None:
        domain_size = len(population.shares)
    require(
        domain_size is not None or bool(sizes),
        "domain_size is missing: the number of values",
        argument="domain_size",
    )
    k = whole_number("domain_size", max(sizes) if sizes else domain_size, 2, MOST_VALUES)
    reports = whole_number("reports", reports, 1, 10_000)
    require(
        reports == 1 or not sizes,
        f"records are reported once here, got reports={reports}",
        argument="reports",
    )
    delta = number("delta", delta)
    must(0 <= delta < 1, "lie in [0, 1)", delta=delta)
    if population is not None:
        require(not sizes, "frequencies are for one attribute", argument="frequencies")
        check_size(population, k)
    users = whole_number("users", users, 1, 10**12)
    return Question(k, users, reports, delta, population, sizes, of_mean)
