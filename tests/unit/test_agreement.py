"""z-scores against exact rates: normal where counts are binomial, loud where they are not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng

from ldp_auditor.studies.agreement import agreement

RATES = [1e-6, 1e-4, 0.003, 0.2, 0.5, 0.999, 1.0]


def rows_with(bias: float = 0.0, cells: int = 300, trials: int = 100_000) -> list[dict[str, Any]]:
    rng = default_rng(7)
    rates = rng.choice(RATES, size=(cells, 2))
    counts = rng.binomial(trials, np.minimum(1.0, rates * (1 + bias)))
    return [
        {
            "key": str(i),
            "trials": trials,
            "true_positives": int(hits),
            "false_positives": int(alarms),
            "exact_true_positive_rate": float(first),
            "exact_false_positive_rate": float(second),
        }
        for i, ((first, second), (hits, alarms)) in enumerate(zip(rates, counts, strict=True))
    ]


def test_binomial_counts_agree() -> None:
    """Null hypothesis: z-scores are standard normal, for any rate; fails by chance once in 1e6."""
    found = agreement(rows_with())
    assert (found.counts, found.unknown, found.impossible) == (600, 0, 0)
    assert found.p_value is not None
    assert found.p_value > 1e-6
    assert found.largest < 6


def test_wrong_rates_are_loud() -> None:
    found = agreement(rows_with(bias=0.02))
    assert found.p_value is not None
    assert found.p_value < 1e-6
    assert found.largest > 6


def test_impossible_and_unknown_counts_are_told() -> None:
    rows = rows_with(cells=30)
    rows[0] |= {"exact_true_positive_rate": 0.0, "true_positives": 1}
    rows[1]["exact_false_positive_rate"] = None
    found = agreement(rows)
    assert (found.counts, found.unknown, found.impossible) == (58, 1, 1)
    assert "1 counts are impossible" in agreement(rows).words
    assert "1 counts have no exact rate" in agreement(rows).words


def test_rows_of_one_cell_count_once_in_the_test() -> None:
    shared = [{**row, "key": "one cell"} for row in rows_with(cells=30)]
    assert agreement(shared).p_value is None
    assert agreement(rows_with(cells=30)).p_value is not None


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [
            {
                **rows_with(cells=1)[0],
                "exact_true_positive_rate": None,
                "exact_false_positive_rate": None,
            }
        ],
    ],
)
def test_nothing_to_compare(rows: list[dict[str, Any]]) -> None:
    assert agreement(rows).counts == 0
    assert agreement(rows).words == "no exact rates to compare with"
