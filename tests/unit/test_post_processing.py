"""Frequencies after their estimation, and simulated collections."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import optimize

from ldp_auditor import AuditError, make
from ldp_auditor.estimation import MeasuredError, clip, measure_errors, norm_sub, simulate


@pytest.mark.parametrize("size", [1, 2, 5, 9])
def test_norm_sub_is_the_nearest_point_of_the_simplex(size: int) -> None:
    """The nearest point lowers all entries alike and cuts at 0; how far, a root finder tells."""
    given = np.random.Generator(np.random.PCG64(size)).normal(1 / size, 0.4, size)
    level = optimize.brentq(lambda t: np.maximum(given - t, 0).sum() - 1, -9, 9, xtol=1e-14)
    found = norm_sub(given)
    np.testing.assert_allclose(found, np.maximum(given - level, 0), atol=1e-12)
    # No point of the simplex near it is nearer.
    others = np.random.Generator(np.random.PCG64(size + 1)).dirichlet(np.ones(size), 200)
    steps = found + 0.01 * (others - found)
    assert (((steps - given) ** 2).sum(axis=1) >= ((found - given) ** 2).sum()).all()


@pytest.mark.parametrize("given", [[1.0], [0.25, 0.75], [5.0, -5.0], [-3.0, -3.0], [0.0] * 4])
def test_norm_sub_at_its_edges(given: list[float]) -> None:
    found = norm_sub(np.array(given))
    assert found.sum() == pytest.approx(1)
    np.testing.assert_allclose(norm_sub(found), found)


def test_clipping_only_moves_what_lies_outside() -> None:
    assert clip(np.array([-1.0, 0.2, 3.0])).tolist() == [0.0, 0.2, 1.0]


@pytest.mark.parametrize("process", [clip, norm_sub])
@pytest.mark.parametrize("given", [[], [[0.5, 0.5]], [np.nan, 1.0], [np.inf]])
def test_no_frequencies(process: Any, given: Any) -> None:
    with pytest.raises(AuditError, match="frequencies must be"):
        process(given)


def test_simulated_frequencies_are_those_of_the_population() -> None:
    grr = make("GRR", epsilon=3.0, domain_size=4)
    (found,) = simulate(grr, [0, 300, 0, 100], reports=2, seed=1)
    assert (found.users, found.reports) == (400, 2)
    assert found.frequencies.tolist() == [0.0, 0.75, 0.0, 0.25]
    told = grr.frequency_variance(400, found.frequencies, 2)
    np.testing.assert_allclose(found.standard_errors**2, told)
    (again,) = simulate(grr, {3: 100, 1: 300}, reports=2, seed=1)
    assert again.frequencies.tolist() == found.frequencies.tolist()
    (other,) = simulate(grr, [0, 300, 0, 100], reports=2, seed=2)
    assert other.estimated.tolist() != found.estimated.tolist()


def test_simulated_groups_and_records() -> None:
    buckets = make("dBitFlipPM", epsilon=1.0, domain_size=5, buckets=2, bits=1)
    (found,) = simulate(buckets, [10, 20, 30, 40, 50])
    assert found.frequencies.tolist() == [0.4, 0.6]  # values 0, 1, 2 and 3, 4
    record = make("SMP[GRR]", epsilon=1.0, domain_sizes=(2, 3))
    first, second = simulate(record, {(0, 2): 30, (1, 2): 10})
    assert first.frequencies.tolist() == [0.75, 0.25]
    assert second.frequencies.tolist() == [0.0, 0.0, 1.0]


def test_errors_are_marked_as_measured() -> None:
    oue = make("OUE", epsilon=1.0, domain_size=8)
    none, clipped, nearest = measure_errors(oue, [50, 0, 0, 0, 0, 0, 0, 50], collections=30)
    held = np.array([0.5, 0, 0, 0, 0, 0, 0, 0.5])
    assert none.exact == pytest.approx(np.mean(oue.frequency_variance(100, held)), rel=1e-12)
    assert clipped.exact is nearest.exact is None
    assert nearest.mean_squared_error < clipped.mean_squared_error < none.mean_squared_error
    assert str(nearest).endswith("(measured on 30 collections)")
    assert isinstance(none, MeasuredError)


def test_populations_that_are_none() -> None:
    grr = make("GRR", epsilon=1.0, domain_size=3)
    record = make("SMP[GRR]", epsilon=1.0, domain_sizes=(2, 3))
    wrong: list[tuple[str, Any]] = [
        ("population must have a user, got none", lambda: simulate(grr, [0, 0, 0])),
        ("value must be at most 2", lambda: simulate(grr, [0, 0, 0, 4])),
        ("a number of users must be at least 0", lambda: simulate(grr, [-1, 2, 3])),
        ("population must have records of 2 values", lambda: simulate(record, [5, 5])),
        ("value must be at most 1", lambda: simulate(record, {(2, 0): 5})),
        ("collections must be at least 2",
         lambda: measure_errors(grr, [1, 1, 1], collections=1)),
        ("attribute must be at most 0", lambda: measure_errors(grr, [1, 1, 1], attribute=1)),
    ]  # fmt: skip
    for sentence, ask in wrong:
        with pytest.raises(AuditError, match=sentence):
            ask()
