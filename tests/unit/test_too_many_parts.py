"""Reports with more parts than become columns: those that differ most between inputs do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ldp_auditor.checks.search.differing import differences, differences_of_bytes, first_of_each
from ldp_auditor.checks.search.layout import Layout

REPORTS = 120
"""Reports of each of two inputs."""


def a_list(bit: int, rng: np.random.Generator) -> list[int]:
    """Two thousand bits."""
    made: list[int] = rng.integers(0, 2, 2000).tolist()
    made[1700] = bit
    return made


def a_list_of_two_types(bit: int, rng: np.random.Generator) -> list[Any]:
    """Thirteen hundred letters and one number."""
    made = rng.choice(list("ab"), 1300).tolist()
    return [*made[:1250], bit, *made[1250:]]


def an_array(bit: int, rng: np.random.Generator) -> Any:
    """A pixel of an image."""
    made = rng.integers(0, 256, (40, 40), dtype=np.uint8)
    made[33, 7] = made[33, 7] // 2 * 2 + bit
    return made


def some_bytes(bit: int, rng: np.random.Generator) -> bytes:
    """Bit 4 of a byte."""
    made = bytearray(rng.bytes(900))
    made[800] = made[800] & ~16 | bit << 4
    return bytes(made)


def a_text(bit: int, rng: np.random.Generator) -> str:
    """One of a thousand letters."""
    made = "".join(rng.choice(list("pqrs"), 1000).tolist())
    return made[:777] + "ps"[bit] + made[778:]


def an_integer(bit: int, rng: np.random.Generator) -> int:
    """One of a thousand bits."""
    return (int.from_bytes(rng.bytes(125), "little") | 1 << 999) & ~(1 << 700) | bit << 700


def lines(bit: int, rng: np.random.Generator) -> str:
    """One of a hundred and fifty words."""
    made = rng.choice(["ab", "cd"], 150).tolist()
    return "\n".join([*made[:120], ["ab", "cd"][bit], *made[120:]])


def a_mapping(bit: int, rng: np.random.Generator) -> dict[str, int]:
    """One of thirteen hundred values."""
    made = {f"k{i}": x for i, x in enumerate(rng.integers(0, 2, 1300).tolist())}
    return made | {"k1250": bit}


def a_set(bit: int, rng: np.random.Generator) -> set[int]:
    """One of fifteen hundred members, half of which are there."""
    return (set(np.flatnonzero(rng.random(1500) < 0.5).tolist()) - {3}) | ({3} if bit else set())


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (a_list, "report[1700]"),
        (a_list_of_two_types, "report[1250]"),
        (an_array, "report[33][7]"),
        (some_bytes, "bit 4 of report[800]"),
        (a_text, "report[777]"),
        (an_integer, "bit 700 of report"),
        (lines, "report.split('\\n')[120]"),
        (a_mapping, "report['k1250']"),
        (a_set, "3 in report"),
    ],
)
def test_what_is_left_out_is_what_differs_least(make: Callable[..., Any], words: str) -> None:
    rng = np.random.default_rng(8)
    reports = [make(bit, rng) for bit in (0, 1) for _ in range(REPORTS)]
    layout, table = Layout.fitted(reports, np.repeat([0, 1], REPORTS))
    assert any("that differ most between inputs were looked at" in note for note in layout.notes)
    found = next(column for column in layout.columns if column.words == words)
    later = [*reports[:3], *reports[-3:]]  # as it is read when events are counted
    again = layout.only([found]).table(later).of(found)
    expected = table.of(found)[[0, 1, 2, -3, -2, -1]]
    if found.codes is None:
        np.testing.assert_array_equal(again, expected)
    assert len(set(again[:3].tolist()) & set(again[3:].tolist())) == 0 or make is an_array


def test_differences_are_those_of_the_best_question() -> None:
    rng = np.random.default_rng(4)
    owners = np.repeat([0, 1], 500)
    wide = rng.integers(0, 1000, (1000, 5))
    wide[:, 2] = wide[:, 2] // 2 * 2 + owners
    wide[:, 3] += 300 * owners
    assert set(np.argsort(-differences(wide, owners))[:2].tolist()) == {2, 3}
    octets = rng.integers(0, 256, (1000, 6), dtype=np.uint8)
    octets[:, 4] = octets[:, 4] & 0xDF | (owners << 5).astype(np.uint8)
    assert int(np.argmax(differences_of_bytes(octets, owners))) == 4
    with_gaps = rng.normal(size=(1000, 3))
    with_gaps[:400, 1] = np.nan
    assert int(np.argmax(differences(with_gaps, owners))) == 1


def test_of_many_inputs_one_that_differs_is_enough() -> None:
    rng = np.random.default_rng(5)
    owners = np.repeat(np.arange(50), 40)
    bits = rng.random((2000, 30)) < 0.5
    bits[owners == 17, 21] = True
    assert int(np.argmax(differences(bits, owners))) == 21


def test_the_first_reports_of_every_input_are_looked_at() -> None:
    owners = np.repeat([0, 1, 4], [300, 50, 1000])
    some = first_of_each(owners, parts=1000, most=600_000)
    assert [int((owners[some] == i).sum()) for i in (0, 1, 4)] == [200, 50, 200]
