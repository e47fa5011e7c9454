"""Reports that are rows of one array are the same reports, and are taken apart alike."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from ldp_auditor.adapters.reports import gathered, require_reports, sent
from ldp_auditor.checks.search.finder import Pilot, find_events
from ldp_auditor.checks.search.layout import Layout
from ldp_auditor.core import Claim
from ldp_auditor.errors import AuditError

RNG = np.random.default_rng(7)

ARRAYS: dict[str, Any] = {
    "bits": RNG.random((60, 5)) < 0.3,
    "small integers": RNG.integers(-3, 4, (60, 4), dtype=np.int16),
    "large integers": RNG.integers(0, 2**62, (60, 2)),
    "unsigned": RNG.integers(2**63, 2**64, (60, 2), dtype=np.uint64),
    "floats": np.round(RNG.normal(size=(60, 3)), 1),
    "single precision": RNG.normal(size=(60, 2)).astype(np.float32),
    "matrices": RNG.integers(0, 3, (60, 2, 2)),
    "numbers": RNG.integers(0, 300, 60),
    "unsigned numbers": RNG.integers(2**63, 2**64, 60, dtype=np.uint64),
    "truths": RNG.random(60) < 0.4,
    "float numbers": RNG.normal(size=60),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_an_array_and_the_list_of_its_rows_are_taken_apart_alike(name: str) -> None:
    array = ARRAYS[name]
    rows = list(array)
    layouts, tables = zip(*(Layout.fitted(reports) for reports in (array, rows)), strict=True)
    assert layouts[0] == layouts[1]
    assert len(layouts[0].columns) > 0
    for column in layouts[0].columns:
        some = layouts[0].only([column])
        whole, again, listed = tables[0], some.table(array[:9]), some.table(rows[:9])
        np.testing.assert_array_equal(whole.of(column), tables[1].of(column))
        np.testing.assert_array_equal(again.of(column), whole.of(column)[:9])
        np.testing.assert_array_equal(listed.of(column), whole.of(column)[:9])


def test_lists_of_numbers_are_read_by_the_columns_that_are_wanted() -> None:
    reports = RNG.integers(0, 2, (40, 6)).tolist()
    layout, table = Layout.fitted(reports)
    assert {"report[3]", "sum(report)"} < {column.words for column in layout.columns}
    for column in layout.columns:
        alone = layout.only([column]).table(reports)
        np.testing.assert_array_equal(alone.of(column), table.of(column))


WRITTEN: dict[str, Any] = {
    "numbers in a line": lambda rng: ",".join(map(str, rng.integers(0, 1000, 40).tolist())),
    "addresses": lambda rng: ".".join(map(str, rng.integers(0, 256, 4).tolist())),
    "times": lambda rng: 1e9 * float(rng.random()),
    "mappings with names that are made up": lambda rng: {
        str(name): float(rng.normal()) for name in rng.integers(0, 10**9, 3)
    },
    "sets of pairs": lambda rng: {(int(rng.integers(9)), int(rng.integers(9))) for _ in range(4)},
    "permutations": lambda rng: rng.permutation(9).tolist(),
    "arrays without order": lambda rng: rng.permutation(20)[:6],
    "lists of any length": lambda rng: rng.integers(-9, 9, int(rng.integers(1, 5))).tolist(),
    "records in any order": lambda rng: [
        {"id": str(i), "on": int(rng.integers(2))} for i in rng.permutation(4)
    ],
    "numbers of two types": lambda rng: (
        float(rng.integers(1000)) if rng.random() < 0.5 else int(rng.integers(1000))
    ),
}


@pytest.mark.parametrize("kind", WRITTEN)
def test_a_column_that_is_wanted_alone_is_made_as_it_was_with_all_others(kind: str) -> None:
    """An event whose column is not made on later reports is bet on for nothing."""
    rng = np.random.default_rng(3)
    reports = [WRITTEN[kind](rng) for _ in range(60)]
    layout, table = Layout.fitted(reports)
    assert len(layout.columns) > 3
    for column in layout.columns:
        alone = layout.only([column]).table(reports)
        np.testing.assert_array_equal(alone.of(column), table.of(column))


def test_the_same_events_are_found_in_arrays() -> None:
    rates = [[0.8, 0.1, 0.3], [0.1, 0.8, 0.3]]
    made = [(np.random.default_rng(i).random((300, 3)) < rates[i]).astype(int) for i in (0, 1)]
    forms: list[Any] = [made, [list(rows) for rows in made]]
    found = [
        find_events(Pilot(reports, Claim(1.0), (0, 1)), 3, learn=False, seed=1)[1]
        for reports in forms
    ]
    words = [[candidate.event.words for candidate in events] for events in found]
    assert words[0] == words[1]
    assert words[0]


@pytest.mark.parametrize(
    ("batches", "is_array"),
    [
        ([np.zeros((1, 3)), np.ones((2, 3))], True),
        ([[np.zeros(3)], [np.ones(3), np.ones(3)]], True),
        ([np.arange(2), np.arange(3)], True),
        ([np.zeros((1, 3)), np.ones((2, 3), dtype=np.int64)], False),
        ([np.zeros((1, 3)), np.ones((2, 4))], False),
        ([[np.zeros(3)], [[0.0, 0.0, 0.0]]], False),
        ([np.array(["a", "b"])], False),
        ([np.zeros((2, 3), dtype=np.longdouble)], False),
        ([np.zeros((2, 3), dtype=">i4")], False),
        ([np.zeros((2, 0))], False),
        ([[1, 2], (3,)], False),
        ([], False),
    ],
)
def test_only_numbers_of_one_type_and_shape_become_an_array(
    batches: list[Any], is_array: bool
) -> None:
    found = gathered(batches)
    assert isinstance(found, np.ndarray) == is_array
    expected = [report for batch in batches for report in batch]
    assert len(found) == len(expected)
    for report, other in zip(found, expected, strict=True):
        assert type(report) is type(other)
        np.testing.assert_array_equal(report, other)
        assert getattr(report, "dtype", None) == getattr(other, "dtype", None)


def test_nan_in_an_array_is_told_with_its_report() -> None:
    array: Any = np.zeros((4, 3))
    array[2, 1] = np.nan
    with pytest.raises(AuditError, match=r"returned nan for value 'a' \(report 13, "):
        require_reports(array, "a", before=10)
    require_reports(array[:2], "a")


def test_arrays_are_sent_whole() -> None:
    array: Any = np.arange(6).reshape(2, 3)
    packed = sent(array, 0)
    np.testing.assert_array_equal(pickle.loads(packed), array)
    with pytest.raises(AuditError, match=r"reports of value 0 take 2\.0 MB each"):
        sent(gathered([np.zeros((1, 2**18))]), 0)
