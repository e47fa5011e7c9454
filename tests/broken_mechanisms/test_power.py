"""Every broken mechanism is caught, and no correct twin is."""

from __future__ import annotations

import pytest

from tests.broken_mechanisms.catalogue import CATALOGUE
from tests.broken_mechanisms.entry import Entry
from tests.broken_mechanisms.sampled import sampled_check
from tests.statistical.evidence import FALSE_ALARM

MOST = 1_000_000
"""Reports within which a broken mechanism must be caught."""

MOST_OF_TWINS = 1_000
"""Reports in all up to which a correct twin is looked at."""


@pytest.mark.parametrize(
    "entry", [e for e in CATALOGUE if e.must_be_caught], ids=lambda entry: entry.name
)
def test_broken_mechanisms_are_caught(entry: Entry) -> None:
    """A mechanism that kept its claim would be called broken with probability 1e-6."""
    course = sampled_check(entry, "broken", MOST, alpha=1e-6, seed=5)
    assert course.sure_after is not None, course.bets.p_value
    assert course.bets.p_value <= 1e-6
    assert entry.epsilon < course.bets.bound <= entry.true_epsilon * (1 + 1e-9)


@pytest.mark.parametrize("entry", CATALOGUE, ids=lambda entry: entry.name)
def test_correct_twins_are_not_flagged(entry: Entry) -> None:
    """Null hypothesis: the twin keeps its claim; rejected with probability `FALSE_ALARM`."""
    reports = max(MOST_OF_TWINS, 100 * len(entry.values))
    course = sampled_check(entry, "correct", reports, alpha=FALSE_ALARM, seed=6)
    assert course.sure_after is None
    assert course.bets.bound <= entry.correct_epsilon * (1 + 1e-9)
