"""The search: every kind of report becomes columns, nothing raises, exact leaks are found."""

from __future__ import annotations

import collections
import datetime
import enum
import fractions
import json
import math
import pathlib
import re
import uuid
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np
import pandas
import pytest

from ldp_auditor.adapters.canonical import canonical
from ldp_auditor.checks.search.events import Equals, Not, OddSum
from ldp_auditor.checks.search.finder import Candidate, Pilot, find_events
from ldp_auditor.checks.search.layout import Column, Layout
from ldp_auditor.checks.search.odd_sums import related, walsh_hadamard
from ldp_auditor.checks.search.packed_events import joint, odd_of_three, pack
from ldp_auditor.checks.search.strength import largest, screen, strength
from ldp_auditor.core import Claim


class Hostile:
    """An object that raises wherever it is touched."""

    def __repr__(self) -> str:
        raise RuntimeError("no text")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no comparison")

    def __hash__(self) -> int:
        raise RuntimeError("no hash")


class HostileLength(list[int]):
    """A list without a length."""

    def __len__(self) -> int:
        raise RuntimeError("no length")


class Unreadable:
    """An object that denies all its attributes."""

    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError(name)


@dataclass(frozen=True, slots=True)
class Slotted:
    nonce: float
    answer: int


class Point(NamedTuple):
    x: int
    y: float


class Colour(enum.Enum):
    RED = 1
    LIST = (2, 3)


SELF: list[Any] = [1]
SELF.append(SELF)
MANY_SELVES: list[Any] = []
MANY_SELVES.extend([MANY_SELVES] * 6)
SELF_MAPPING: dict[str, Any] = {}
SELF_MAPPING["again"] = SELF_MAPPING

ODD_REPORTS: list[Any] = [
    *(True, -0.0, math.nan, math.inf, 10**400, -(10**400), 2**64, 1 + 2j, complex(math.nan, 1)),
    *("", "\0", "\ud800", "long" * 300, "1e999", "nan", b"", b"\xff" * 1000, bytearray(b"ab")),
    *(None, Ellipsis, [], (), {}, set(), frozenset([1]), [[[[[[[[[[[[[[1]]]]]]]]]]]]]]),
    *(SELF, MANY_SELVES, SELF_MAPPING, [1, "a", None, 2.0], Point(1, 2.0), Colour.RED, Colour.LIST),
    *(collections.deque([1, 2]), collections.Counter("aab"), collections.UserList([1])),
    *(collections.UserString("ab"), collections.ChainMap({1: 2}), range(3), range(3000)),
    *(Decimal("1.50"), Decimal("sNaN"), Decimal("Infinity"), Decimal("1e999999")),
    *(fractions.Fraction(10**400, 3), fractions.Fraction(1, 10**400)),
    *(datetime.datetime(2024, 1, 1), datetime.datetime(1, 1, 1, tzinfo=datetime.UTC)),
    *(datetime.date(2020, 1, 1), datetime.time(1, 2, 3), datetime.timedelta.max, datetime.UTC),
    *(np.int8(1), np.uint64(2**64 - 1), np.float16(1), np.longdouble("0.1"), np.complex64(1j)),
    *(np.bool_(True), np.str_("a"), np.datetime64("NaT", "s"), np.timedelta64(3, "s")),
    np.void(b"abc"),
    *(np.array(1), np.array([]), np.zeros((0, 3)), np.array([2**64 - 1], np.uint64)),
    *(np.array([[1.0, np.nan]]), np.array(["a"]), np.array([None, {}], object), np.zeros((2,) * 6)),
    np.array([(1, 2.0)], dtype=[("a", int), ("b", float)]),
    np.ma.masked_array([1, 2], [False, True]),
    *(uuid.UUID(int=5), pathlib.Path("/a"), ValueError("x", 1), slice(1, 2), int, len, object()),
    *(Slotted(0.5, 1), Hostile(), HostileLength([1]), Unreadable(), {1: Hostile()}, [Hostile(), 1]),
    *({(1, 2): {3: {4}}}, {1: 1, 1.5: 2, "a": 3, None: 4}, {frozenset([1]), (1, 2)}),
]


def pilot(*reports: list[Any], epsilon: float = 1.0, delta: float = 0.0) -> Pilot:
    return Pilot(reports, Claim(epsilon, delta), list(range(len(reports))))


def found(*reports: list[Any]) -> list[Candidate]:
    return find_events(pilot(*reports), 3, learn=False, seed=0)[1]


@pytest.mark.parametrize("number", range(len(ODD_REPORTS)))
def test_no_report_makes_the_search_raise(number: int) -> None:
    report = ODD_REPORTS[number]  # pytest itself cannot take some of them
    reports = [report, report, 7, report]
    layout, table = Layout.fitted(reports)
    again = layout.table(reports)
    alone = [layout.table([each]) for each in reports]
    for column in layout.columns:
        seen = table.of(column).astype(float)
        assert np.array_equal(seen, again.of(column).astype(float), equal_nan=True)
        single = [float(one.of(column)[0]) for one in alone]
        assert np.array_equal(seen, single, equal_nan=True)  # whatever the other reports are
    candidates = found([report] * 40 + [7] * 10, [7] * 50)
    assert candidates
    assert all(candidate.event.words for candidate in candidates)
    assert found([report] * 40, [report] * 40) == []


def test_all_odd_reports_together() -> None:
    assert found(ODD_REPORTS, ODD_REPORTS[::-1])


RECORD = np.array([(1, 0.5), (2, 0.5)], dtype=[("a", int), ("b", float)])


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        (-0.0, 0.0, "sign of zero in report"),
        (Decimal("1.0"), Decimal(1), "report.exponent"),
        (fractions.Fraction(1, 3), fractions.Fraction(2, 6 + 1), "report.denominator"),
        (1 + 2j, 1 + 3j, "report.imag"),
        (datetime.datetime(2024, 1, 1), datetime.datetime(2024, 1, 1, 1), "report.seconds"),
        (Slotted(0.5, 1), Slotted(0.5, 0), "report.answer"),
        (Point(1, 2.0), Point(0, 2.0), "report.x"),
        (Colour.RED, Colour.LIST, "report.name"),
        (2**81, 2**81 + 1, "bit 0 of report"),
        (2**200, 2**200 + 2**77, "bit 77 of report"),
        (uuid.UUID(int=0, version=1), uuid.UUID(int=0, version=4), "report.version"),
        (10**6, 10**6 + 101, "report mod 16"),
        (np.zeros(2, np.int32), np.zeros(2, np.int64), "dtype(report)"),
        ([[[[[[[0]]]]]]], [[[[[[[1]]]]]]], "report[0][0][0][0][0][0][0]"),
        ("a" * 199 + "b", "a" * 200, "report[199]"),
        (b"a" * 100, b"a" * 99 + b"b", "report[99]"),
        ([0] * 900, [0] * 899 + [1], "report[899]"),
        ({1: "a"}, {1: "b"}, "report[1]"),
        (collections.deque([1]), collections.deque([2]), "report[0]"),
        (0.123, 0.124, "round(report * 1e3) mod 10"),
        ("12", "13", "float(report)"),
        (np.datetime64(1, "s"), np.datetime64(2, "s"), "report.astype(int)"),
        (np.timedelta64(1, "s"), np.timedelta64(1, "ms"), "report.dtype"),
        (True, np.True_, "type(report)"),
        (RECORD[0], RECORD[1], "report['a']"),
        (RECORD[:1], RECORD[1:], "report[0]['a']"),
        (np.ma.array([1, 2]), np.ma.array([1, 2], mask=[False, True]), "report.mask[1]"),
        (pandas.Series([1], ["a"]), pandas.Series([1], ["b"]), "report.index.to_list()[0]"),
        (pandas.Series([1, 2]), pandas.Series([1, 3]), "report.to_list()[1]"),
        (
            pandas.DataFrame({"a": [1]}),
            pandas.DataFrame({"a": [2]}),
            "report.to_dict('list')['a'][0]",
        ),
        (pandas.DataFrame({"a": [1]}), pandas.DataFrame({"a": [1.0]}), "report.dtypes[0]"),
        ({1, 5}, {2, 5}, "sum(report)"),
        (datetime.date(2024, 1, 1), datetime.date(2024, 1, 2), "report.weekday()"),
        (datetime.time(1), datetime.time(2), "report.hour"),
        (pandas.Timestamp(1), pandas.Timestamp(2), "report.nanosecond"),
    ],
)
def test_columns(first: Any, second: Any, words: str) -> None:
    wide = [first, second, first]
    if words.startswith(("bit", "report mod")):
        wide.append(0)  # bits and residues are for integers that are far apart
    assert words in {column.words for column in Layout.fitted(wide)[0].columns}


def test_whole_tells_what_only_looks_alike() -> None:
    alike: list[Any] = [0, 0.0, -0.0, False, "0", b"0", [0], (0,), {0}, [0.0], [-0.0], {"str", "a"}]
    alike += [{"a"}, np.int32(0), np.int64(0), np.zeros(1, np.int32), np.zeros(1, np.int64)]
    assert len({canonical(report) for report in alike}) == len(alike)
    assert canonical([1, {"a": {2}}]) == canonical([1, {"a": {2}}])


def test_counts_of_several_bits() -> None:
    rng = np.random.default_rng(1)
    rows = rng.random((6, 131)) < 0.4
    pairs = [np.sum(rows[i] & rows[j]) for i, j in combinations(range(6), 2)]
    assert joint(pack(rows)).tolist() == pairs
    triples = [np.sum(rows[i] ^ rows[j] ^ rows[k]) for i, j, k in combinations(range(6), 3)]
    assert odd_of_three(pack(rows)).tolist() == triples


def test_transform_of_walsh_and_hadamard() -> None:
    counts = np.arange(8.0)
    for i, balance in enumerate(walsh_hadamard(counts)):
        assert balance == sum((-1) ** (i & j).bit_count() * counts[j] for j in range(8))


def test_screening_finds_the_best_pair_whatever_the_number_of_inputs() -> None:
    """Twenty inputs are screened by extremes, which hold the best of all pairs."""
    rng = np.random.default_rng(2)
    trials = np.full(20, 500.0)
    counts = rng.integers(0, 120, (20, 40)).astype(float)
    factor = math.exp(0.5)
    best = max(
        (float(strength(side[a, e], 500.0, side[b, e], 500.0, factor, 0.0)), e, a, b)
        for side in (counts, 500 - counts)
        for e, a, b in product(range(40), range(20), range(20))
    )
    top = screen([counts], trials, factor, 0.0)[0][0]
    assert (top.strength, top.event, top.first, top.second) == best


def test_inputs_may_have_different_numbers_of_reports() -> None:
    candidates = found([0, 1] * 4000, [0, 0, 0, 1] * 1000)
    best = candidates[0]
    assert best.strength < 0  # a ratio of 2 is within a claim of 1
    assert found([0, 1] * 4000, [0] * 39 + [1] + [0] * 3960)[0].strength > 10


def test_a_constant_report_has_no_events() -> None:
    layout, candidates = find_events(pilot([3] * 50, [3] * 50), 3, learn=False, seed=0)
    assert (layout.columns, candidates) == ((), [])


def test_a_value_that_one_input_never_has_gets_a_proof() -> None:
    """Four reports of 20000 are too few to be sure of, and still one of three events is theirs."""
    tight = [0] * 14622 + [1] * 5378  # randomized response with epsilon = 1
    first = [7] * 4 + tight[4:]
    second = [1 - bit for bit in tight]
    rng = np.random.default_rng(3)
    mixed = [[reports[i] for i in rng.permutation(20000)] for reports in (first, second)]
    words = [candidate.event.words for candidate in found(*mixed)]
    assert any("report is 7" in event for event in words)


def test_the_layout_keeps_only_what_its_events_need() -> None:
    reports = [[[i % 2, i % 3, i % 5, (i // 2) % 2] for i in range(500)] for _ in range(2)]
    reports[1] = [[0, *report[1:]] for report in reports[1]]
    layout, candidates = find_events(pilot(*reports), 3, learn=False, seed=0)
    needed = {column.name for c in candidates for column in c.event.columns}
    assert {column.name for column in layout.columns} == needed
    table = layout.table(reports[0])
    held = [int(c.event.holds(reports[0], table).sum()) for c in candidates if c.first == 0]
    assert held == [c.hits for c in candidates if c.first == 0]


def test_of_equal_values_the_first_are_the_largest() -> None:
    """Whichever way a processor sorts: `np.argpartition` keeps others with AVX-512."""
    rng = np.random.default_rng(1)
    values = rng.integers(0, 5, 1000).astype(np.float64)
    for most in (1, 150, 999, 1000, 2000):
        expected = sorted(sorted(range(1000), key=lambda i: -values[i])[:most])
        assert largest(values, most).tolist() == expected


def answers(value: int, epsilons: list[float], n: int, seed: int) -> list[Any]:
    """Independent answers to one question of two values, each with an epsilon of its own."""
    rng = np.random.default_rng([seed, value])
    right = rng.random((n, len(epsilons))) < 1 / (1 + np.exp(-np.array(epsilons)))
    rows: list[Any] = np.where(right, value, 1 - value).tolist()
    return rows


def unary(value: int, size: int, epsilon: float, n: int, seed: int) -> list[Any]:
    """OUE: the value's bit is 1 half of the time."""
    rng = np.random.default_rng([seed, value])
    bits = rng.random((n, size)) < 1 / (math.exp(epsilon) + 1)
    bits[:, value] = rng.random(n) < 0.5
    rows: list[Any] = bits.astype(int).tolist()
    return rows


def test_one_bit_without_another_among_a_hundred_is_found() -> None:
    """The best event is of a kind that is proposed late and in large numbers."""
    candidates = found(*(unary(value, 100, 2.0, 6000, seed=1) for value in (0, 1)))
    assert {c.event.words for c in candidates} & {
        "report[0] is 1 and report[1] is not 1",
        "report[1] is not 1 and report[0] is 1",
        "report[0] is not 1 and report[1] is 1",
    }
    assert max(candidate.expected for candidate in candidates) > 1.5


@pytest.mark.parametrize("epsilons", [[0.1] * 40, [0.4] * 6, [0.2] * 10 + [0.0] * 30])
def test_many_weak_answers_are_found_together(epsilons: list[float]) -> None:
    """No answer breaks a claim of 1 alone, nor do two of them."""
    best = found(*(answers(value, epsilons, 8000, seed=2) for value in (0, 1)))[0]
    assert best.strength > 3
    assert best.expected > 1


def test_ratios_of_parts_that_say_nothing_add_nothing() -> None:
    """Forty fair coins and one answer: the event is about the answer."""
    best = found(*(answers(value, [2.0] + [0.0] * 40, 4000, seed=3) for value in (0, 1)))[0]
    assert best.event.columns[0].words == "report[0]"
    assert len(best.event.columns) == 1


def test_added_ratios_know_missing_entries_and_ranges() -> None:
    """A number that is often missing, and more often for one input, beside a shifted one."""

    def reports(value: int) -> list[Any]:
        rng = np.random.default_rng([4, value])
        noise = rng.laplace(0.8 * value, 1.0, 8000)
        there = rng.random(8000) < (0.65 if value else 0.35)
        return [
            {"a": float(x), "b": 1.0} if kept else {"a": float(x)}
            for x, kept in zip(noise, there, strict=True)
        ]

    best = max(found(reports(0), reports(1)), key=lambda candidate: candidate.expected)
    assert best.expected > 1.05


def test_of_too_many_bits_those_that_differ_are_paired() -> None:
    """Only the last of 500 bits, beyond the limit of 420, say something, and only together."""

    def reports(value: int) -> list[Any]:
        rng = np.random.default_rng([5, value])
        bits = rng.random((2500, 500)) < 0.5
        bits[:, -2:] = rng.random((2500, 2)) < (0.8 if value else 0.2)
        return list(bits.astype(np.int8))

    first = found(reports(0), reports(1))[0]
    assert {column.words for column in first.event.columns} == {"report[498]", "report[499]"}


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda bit, rng: f"{rng.bytes(7).hex()}{bit:02x}", "bit 0 of report.hex[7]"),
        (lambda bit, rng: json.dumps([{"a": int(rng.integers(99))}, bit]), "report.json[1]"),
        (lambda bit, rng: "".join("ab"[i] for i in rng.integers(0, 2, 9)) + "ca" * bit, "'ca' in"),
        (lambda bit, rng: bytes([*rng.bytes(3), bit]), "bit 0 of report[3]"),
        (lambda bit, rng: rng.bytes(4), "bits set in report[2] mod 2"),
        (lambda bit, rng: int(rng.integers(9**9)), "report.bit_count() mod 2"),
        (lambda bit, rng: int(rng.integers(9**9)), "report mod 86400"),
        (lambda bit, rng: rng.normal(), "last bits of report mod 16"),
        (lambda bit, rng: rng.normal(size=3).tolist(), "sum(x**2 for x in report)"),
        (lambda bit, rng: rng.normal(size=3), "max(report)"),
        (lambda bit, rng: [*rng.integers(0, 9, 3 + bit).tolist(), 5], "report[-2]"),
        (lambda bit, rng: rng.integers(0, 999, 250).tolist(), "report[240] mod 2"),
        (lambda bit, rng: "".join("aB"[i] for i in rng.integers(0, 2, 5)), "capitals in report"),
        (lambda bit, rng: "".join("aB"[i] for i in rng.integers(0, 2, 5)), "report.count('a')"),
        (
            lambda bit, rng: "a b c".replace("c", "abc"[int(rng.integers(3))]),
            "len(set(report.split",
        ),
        (lambda bit, rng: "a b " + "a b " * int(rng.integers(2)), "report.split(' ').count('a')"),
        (lambda bit, rng: json.dumps({"k": int(rng.integers(9))}).encode(), "report.decode().json"),
        (lambda bit, rng: rng.bytes(4 + bit), "bits set in report mod 2"),
        (lambda bit, rng: [*rng.permutation(9).tolist(), 9 - bit], "len(set(report))"),
        (lambda bit, rng: (["abcd", "abzd"], ["abcd", "azcd"])[bit], "first differ"),
        (lambda bit, rng: [[bit, 1], [bit, 0], [bit, 1]], "sum(x[0] for x in report)"),
        (lambda bit, rng: sorted(rng.random(3).tolist(), reverse=bool(bit)), "rises in report"),
        (lambda bit, rng: f"2024-01-0{bit + 1}T00:00:00", "report.time.seconds"),
        (lambda bit, rng: (-1) ** bit * int.from_bytes(rng.bytes(9)) >> 16 * bit, "bit 66 of"),
    ],
)
def test_more_columns(make: Any, words: str) -> None:
    rng = np.random.default_rng(8)
    reports = [make(i % 2, rng) for i in range(60)]
    columns = Layout.fitted(reports)[0].columns
    (chosen,) = [column for column in columns if words in column.words][:1]
    alone = [float(Layout((chosen,)).table([report]).of(chosen)[0]) for report in reports]
    together = Layout((chosen,)).table(reports).of(chosen)
    assert np.array_equal(together.astype(float), alone, equal_nan=True)
    assert len(set(alone)) > 1


def test_a_field_of_json_is_shown_before_the_letter_where_it_stands() -> None:
    rng = np.random.default_rng(8)

    def made(value: int) -> list[str]:
        digits = 2 * rng.integers(0, 5, 150) + (value ^ (rng.random(150) < 0.05))
        others = rng.integers(10**6, 10**7, 150).tolist()
        both = zip(others, digits.tolist(), strict=True)
        return [json.dumps({"a": other, "b": digit}) for other, digit in both]

    best = found(made(0), made(1))[0]
    assert best.event.words.startswith("report.json['b']")


def test_three_of_hundreds_of_bits_are_found_by_hashing() -> None:
    rng = np.random.default_rng(9)
    bits = rng.random((2, 200, 400)) < 0.5
    bits[0, 150] = bits[0, 30] ^ bits[0, 77] ^ (rng.random(400) < 0.12)
    triples = related([pack(rows) for rows in bits], np.array([400.0, 400.0]), 3)
    assert [30, 77, 150] in triples.tolist()
    assert len(triples) < 40_000  # of 1.3 million


def test_a_counter_and_a_clock_tell_nothing() -> None:
    """Reports of the first input were all made before those of the second."""

    def reports(value: int) -> list[Any]:
        rng = np.random.default_rng([10, value])
        start = 1000 * value
        times = [
            datetime.datetime(2024, 1, 1) + datetime.timedelta(0, start + i) for i in range(300)
        ]
        drawn = rng.random(300).tolist()
        return [
            (x, start + i, at, {"at": at.isoformat()})
            for i, (x, at) in enumerate(zip(drawn, times, strict=True))
        ]

    layout, candidates = find_events(pilot(reports(0), reports(1)), 3, learn=False, seed=0)
    assert not any(c.expected > 1 for c in candidates)
    (note,) = [note for note in layout.notes if "clock" in note]
    assert "report[1]" in note


def test_what_is_given_up_is_told() -> None:
    rng = np.random.default_rng(11)
    reports = [list(rng.integers(0, 2, (25, 430), dtype=np.int8)) for _ in range(2)]
    layout, _ = find_events(pilot(*reports), 3, learn=False, seed=0)
    assert any("420 events that differ most" in note for note in layout.notes)


def test_the_same_noise_in_two_numbers_gives_their_difference() -> None:
    rng = np.random.default_rng(12)
    noise = rng.laplace(0, 9, (2, 400)).tolist()
    reports = [[(x + 0.25, x + 1.0 + value) for x in noise[value]] for value in (0, 1)]
    assert found(*reports)[0].event.words in {
        "report[1] - report[0] is 0.75",
        "report[1] - report[0] is 1.75",
    }


def test_what_one_input_made_before_tells_it_though_no_report_is_common() -> None:
    """A salt and what it makes of the value, without noise: no two inputs share a report."""
    rng = np.random.default_rng(4)
    made = [[(s, s * (i + 3) % 251) for s in rng.integers(1, 9000, 1500).tolist()] for i in (0, 1)]
    best = found(*made)[0]
    assert re.fullmatch(
        r"the report is one of 1,\d+ that were seen before for value \d, but not for value \d",
        best.event.words,
    )
    assert best.alarms == 0
    later = [(s, s * (best.first + 3) % 251) for s in rng.integers(1, 9000, 1500).tolist()]
    held = best.event.holds(later, Layout(()).table(later))
    assert 150 < held.sum() < 350  # about 1,380 of 9,000
    assert held.tolist() == [report in made[best.first] for report in later]


def test_the_opposite_of_an_odd_number_is_told_without_not() -> None:
    a, b, c = (Column("report", f"report[{i}]", "number") for i in range(3))
    ones = [Equals(column, 1.0) for column in (a, b, c)]
    assert Not(OddSum(tuple(ones[:2]))).words == "report[0] and report[1] are both 1, or neither is"
    assert (
        Not(OddSum(tuple(ones))).words == "an even number of report[0], report[1], report[2] are 1"
    )
    mixed = Not(OddSum((ones[0], Equals(b, 2.0))))
    assert mixed.words == "both or neither of two: report[0] is 1; report[1] is 2"
