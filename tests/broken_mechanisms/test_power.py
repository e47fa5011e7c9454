"""Every broken mechanism is caught, and no correct twin is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from ldp_auditor.checks.recorded_reports import check_recorded
from ldp_auditor.core import Claim
from ldp_auditor.results.check_result import CheckResult
from tests.broken_mechanisms.catalogue import CATALOGUE
from tests.broken_mechanisms.entry import Entry
from tests.broken_mechanisms.exact import separation
from tests.broken_mechanisms.target import CatalogueTarget
from tests.statistical.evidence import FALSE_ALARM

FAR = 8.0
"""Standard errors by which the best event should break the claim in the half that proves it."""

FEWEST, MOST = 4_000, 1_000_000
"""Reports in all of a first try, and reports within which a broken mechanism must be caught."""

MOST_OF_TWINS = 30_000
"""Reports in all up to which a correct twin is looked at."""


def tries(entry: Entry) -> Iterator[int]:
    """Reports in all: as many as the exact law asks for, then twice as many again and again."""
    standard = 100_000
    errors = separation(entry.broken.law, entry.values, entry.epsilon, entry.delta, standard)
    reports = round(2 * len(entry.values) * standard * (FAR / errors) ** 2)
    reports = min(max(reports, FEWEST), MOST)
    while reports < MOST:
        yield reports
        reports *= 2
    yield MOST


def checked(entry: Entry, side: str, reports: int, alpha: float, seed: int) -> CheckResult:
    """Check one side of an entry on reports that are made here."""
    opened = CatalogueTarget(entry.name, side).open()
    rng = np.random.default_rng(seed)
    made: dict[Any, Any] = {
        value: list(opened.sample(value, reports // len(entry.values), rng))
        for value in entry.values
    }
    return check_recorded(
        entry.name,
        made,
        supports=entry.supports,
        claim=Claim(entry.epsilon, entry.delta),
        alpha=alpha,
        seed=seed,
        learn=False,
    )


@pytest.mark.parametrize(
    "entry", [e for e in CATALOGUE if e.must_be_caught], ids=lambda entry: entry.name
)
def test_broken_mechanisms_are_caught(entry: Entry) -> None:
    """A try that catches it ends the test: to be caught by fewer reports is the stronger finding.

    A mechanism that kept its claim would be called broken with probability 1e-6 at each try, of
    which there are nine at most.
    """
    for reports in tries(entry):
        result = checked(entry, "broken", reports, alpha=1e-6, seed=5)
        if result.verdict == "violation":
            assert result.best.empirical_epsilon <= entry.true_epsilon * (1 + 1e-9)
            assert result.best.p_value < 1e-5
            return
    pytest.fail(f"not caught: {result.best}")


@pytest.mark.parametrize("entry", CATALOGUE, ids=lambda entry: entry.name)
def test_correct_twins_are_not_flagged(entry: Entry) -> None:
    """Null hypothesis: the twin keeps its claim; rejected with probability `FALSE_ALARM`.

    With as many reports as tell a broken mechanism from its claim. More would not make a wrong
    verdict likelier: at the claim, the best event's standard errors are the same for any number.
    """
    reports = min(next(tries(entry)), MOST_OF_TWINS)
    result = checked(entry, "correct", reports, alpha=FALSE_ALARM, seed=6)
    assert result.verdict == "no-violation-found", result.best
