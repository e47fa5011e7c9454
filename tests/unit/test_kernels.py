"""Compiled building blocks against plain Python."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng

from ldp_auditor import mechanisms, portable_math
from ldp_auditor.audits.plan import AuditPlan
from ldp_auditor.mechanisms.capabilities import default_pair
from ldp_auditor.mechanisms.kernels.bits import (
    choose_member,
    last_word_mask,
    position_of_one,
    unpack,
)
from ldp_auditor.mechanisms.kernels.compilation import compiled
from ldp_auditor.mechanisms.kernels.eights import (
    EIGHT,
    draw_lanes,
    largest_of_row,
    place_eight,
    reached_in_row,
)
from ldp_auditor.mechanisms.kernels.noise import (
    LAPLACE,
    NORMAL,
    SHARES,
    NoiseShape,
    _exp_of_some,
    _fill,
    draw_noise,
)
from ldp_auditor.mechanisms.kernels.scores import choose_best
from ldp_auditor.mechanisms.kernels.sums import FULL, Lottery
from ldp_auditor.mechanisms.kernels.xoshiro import (
    LANES,
    LINE,
    advance,
    aligned_words,
    draw_values,
    fresh_lanes,
    fresh_stream,
    next_word,
    raw_words,
    scale_down,
    threshold,
)
from ldp_auditor.mechanisms.local_hashing import LocalHashing, first_number, hash_value
from ldp_auditor.theory.guessing import binomial
from tests.protocols import NAMES, OTHERS, make, make_any


def python_xoshiro(state: list[int]) -> int:
    """xoshiro256++ with Python's unbounded integers."""
    mask = 2**64 - 1

    def rotate(x: int, by: int) -> int:
        return (x << by | x >> (64 - by)) & mask

    word = (rotate((state[0] + state[3]) & mask, 23) + state[0]) & mask
    shifted = state[1] << 17 & mask
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= shifted
    state[3] = rotate(state[3], 45)
    return word


def test_generator_is_xoshiro256_plus_plus() -> None:
    python_state = [1, 2, 3, 4]
    compiled_state: list[int] = [1, 2, 3, 4]
    words = []
    for _ in range(1000):
        word, *compiled_state = advance(*map(np.uint64, compiled_state))
        assert int(word) == python_xoshiro(python_state)
        words.append(int(word))
    # The start of the published test vector for this state.
    assert words[:4] == [41943041, 58720359, 3588806011781223, 3591011842654386]


@pytest.mark.parametrize("n", [1, 2, 3, 1000, 2**31 + 11, 2**32 - 1])
def test_scaling_is_exact(n: int) -> None:
    for word in (0, 1, 2**32 - 1, 2**32, 0x9E3779B97F4A7C15, 2**63, 2**64 - 1):
        assert int(scale_down(np.uint64(word), np.uint64(n))) == word * n >> 64


@pytest.mark.parametrize("probability", [0.0, 1e-15, 0.25, 0.7, 1 - 1e-15, 1.0])
def test_threshold(probability: float) -> None:
    assert abs(int(threshold(probability)) - probability * 2**64) <= 1


def test_position_of_one() -> None:
    rng = default_rng(1)
    for word in [1, 2**63, 2**64 - 1, *map(int, rng.integers(1, 2**64, 200, dtype=np.uint64))]:
        ones = [i for i in range(64) if word >> i & 1]
        found = [int(position_of_one(np.uint64(word), np.uint64(r))) for r in range(len(ones))]
        assert found == ones


@pytest.mark.parametrize("domain_size", [2, 63, 64, 65, 128, 200])
def test_last_word_mask(domain_size: int) -> None:
    bits_in_last_word = (domain_size - 1) % 64 + 1
    assert int(last_word_mask(domain_size)).bit_count() == bits_in_last_word


def test_unpack_names_the_members() -> None:
    sets = np.array([[0b101, 1], [0, 0b10]], dtype=np.uint64)
    members = unpack(sets, 66)
    assert members.shape == (2, 66)
    assert np.flatnonzero(members[0]).tolist() == [0, 2, 64]
    assert np.flatnonzero(members[1]).tolist() == [65]


def density(shape: NoiseShape, x: np.ndarray) -> np.ndarray:
    """The density of a shape, 1 at 0."""
    heights: np.ndarray = np.exp(-0.5 * x * x if shape.gaussian else -x)
    return heights


@pytest.mark.parametrize("count", [1, 7, 64, 4096])
def test_aligned_words_begin_where_a_line_of_the_cache_does(count: int) -> None:
    kept = [aligned_words(count) for _ in range(20)]
    assert all(len(words) == count and words.ctypes.data % LINE == 0 for words in kept)
    starts = sorted(words.ctypes.data for words in kept)
    assert all(after - before >= 8 * count for before, after in pairwise(starts))


@pytest.mark.parametrize(("domain_size", "least"), [(25, 2**16), (2000, 40_000), (10**6, 100)])
def test_batches_of_local_hashing_are_large_but_take_no_more_than_a_moment(
    domain_size: int, least: int
) -> None:
    """A report does not depend on the domain, but the attack looks at all of it."""
    plan = AuditPlan(mechanism=mechanisms.make("OLH", epsilon=1.0, domain_size=domain_size))
    assert least <= plan.batch_trials <= max(2**16, 2**24 // domain_size)


@pytest.mark.parametrize("shape", [NORMAL, LAPLACE], ids=["normal", "laplace"])
def test_layers_of_noise_have_equal_area_and_lie_under_the_density(shape: NoiseShape) -> None:
    edges, heights = shape.corners
    areas = edges[:-1] * np.diff(heights, prepend=0.0)[:-1]
    np.testing.assert_allclose(areas, shape.half_area / SHARES, rtol=1e-11)
    np.testing.assert_allclose(heights, density(shape, edges), rtol=1e-13)
    assert shape.layers >= SHARES - 6
    assert (shape.widths[: shape.layers] * 2.0**52 == edges[:-1]).all()


@pytest.mark.parametrize("shape", [NORMAL, LAPLACE], ids=["normal", "laplace"])
def test_boxes_hold_what_the_layers_of_noise_leave_over(shape: NoiseShape) -> None:
    boxes, columns, _ = shape.rest
    assert len(boxes) <= len(columns) == SHARES  # the low bits of a word choose a column
    places = np.linspace(0.0, 1.0, 101)
    left_over = 0.0
    for left, width, low, height in boxes[1:]:
        curve = (density(shape, left + places * width) - low) / height
        left_over += float(np.trapezoid(np.clip(curve, 0.0, 1.0), places)) * width * height
        assert curve[-1] == pytest.approx(0.0, abs=1e-9)  # none of the density is outside
        if left > 0.0:
            assert curve[0] == pytest.approx(1.0, abs=1e-9)
    tail = (
        math.sqrt(math.pi / 2) * math.erfc(shape.tail_start / math.sqrt(2))
        if shape.gaussian
        else math.exp(-shape.tail_start)
    )
    share = (left_over + tail) / shape.half_area
    assert share == pytest.approx(1 - shape.layers / SHARES, rel=1e-3)


def test_exponential_of_many_is_that_of_one() -> None:
    """The one that decides what is left over of noise: to two units in the last place."""
    places = np.linspace(-60.0, 3.0, 10_001).tolist()
    each = [_exp_of_some(x) / portable_math.exp(x) - 1.0 for x in places]
    assert np.abs(each).max() <= 2.0**-51


@compiled
def places(words: Any, widths: Any, layers: Any, out: Any) -> Any:
    """Return what `place_eight` tells of the first eight words and of the next eight."""
    return place_eight(words, np.uint64(0), widths, layers, out), place_eight(
        words, np.uint64(EIGHT), widths, layers, out
    )


def test_a_place_in_a_layer_has_53_random_bits() -> None:
    """A sign and the 52 digits above it, none of which is lost, times the width of the layer."""
    widths = np.array([0.375, 1.5, 2.0**-60, 3.0])
    for first in range(0, 1600, 2 * EIGHT):
        words = raw_words(default_rng(4), 1600)[first : first + 2 * EIGHT]
        found = np.empty(2 * EIGHT)
        outside = places(words, widths, np.uint64(3), found)
        for word, place in zip(words.tolist(), found.tolist(), strict=True):
            sign = -1.0 if word >> 11 & 1 else 1.0
            assert place == sign * (word >> 12) * widths[word & 3]
        bits = [int(outside[i // EIGHT]) >> i % EIGHT & 1 for i in range(2 * EIGHT)]
        assert bits == [word & 3 == 3 for word in words.tolist()]


@compiled
def drawn(lanes: Any, words: Any) -> Any:
    """Draw words of all lanes, as kernels do."""
    return draw_lanes(lanes, words)


def test_words_of_lanes_are_those_of_their_streams() -> None:
    """One of each in turn; the state of every lane goes on."""
    lanes, words = fresh_lanes(default_rng(5)), np.zeros(7 * LANES, np.uint64)
    streams = [lanes[:, lane].copy() for lane in range(LANES)]
    for _ in range(2):
        assert drawn(lanes, words) == words.size
        for lane, stream in enumerate(streams):
            assert [next_word(stream) for _ in range(7)] == words[lane::LANES].tolist()
    assert (lanes == np.column_stack(streams)).all()


@pytest.mark.parametrize("columns", [8, 9, 15, 16, 17, 24, 25, 31, 32, 33, 48, 200])
def test_the_best_of_a_row_are_counted_once(columns: int) -> None:
    """Where eights of a row overlap, and where all of it, some or one reaches the threshold."""
    rng = default_rng(columns)
    scores = rng.integers(0, 4, (60, columns)) / 1.0
    scores[0], scores[1] = -np.inf, 0.0
    for row, entries in enumerate(scores):
        assert best_of(scores, np.uint64(row)) == entries.max()
        for level in (-np.inf, 0.0, 2.5, 3.0, 5.0):
            (reached,) = np.nonzero(entries >= level)
            found = reached_by(scores, np.uint64(row), level)
            assert found == (len(reached) << 32) + int(reached.sum())


@compiled
def best_of(scores: Any, row: Any) -> Any:
    """Return the largest entry of a row."""
    return largest_of_row(scores, row)


@compiled
def reached_by(scores: Any, row: Any, threshold: float) -> Any:
    """Return how many entries reach a threshold, and the sum of their columns."""
    return reached_in_row(scores, row, threshold)


@pytest.mark.parametrize("shape", [NORMAL, LAPLACE], ids=["normal", "laplace"])
@pytest.mark.parametrize("times_as_high", [1, 1000])
def test_no_size_that_is_left_over_is_used_twice(shape: NoiseShape, times_as_high: int) -> None:
    """They are drawn many at a time; a kernel with nothing but them, in blocks and a rest.

    Of points in boxes so high, mostly none of those that are drawn at a time is one.
    """
    gaussian, scale, widths, _, (boxes, *lottery) = shape.tables(1.0)
    sizes = np.empty(10_011)
    rest = boxes * [1, 1, 1, times_as_high], *lottery
    only = gaussian, scale, np.zeros_like(widths), np.uint64(0), rest
    _fill(fresh_lanes(default_rng(8)), only, np.uint64(sizes.size), np.uint64(1), sizes)
    assert len(set(np.abs(sizes).tolist())) == sizes.size
    assert np.abs(sizes).min() > 0.0
    assert 4_600 < np.count_nonzero(sizes < 0.0) < 5_400  # 8 standard deviations


@pytest.mark.parametrize("columns", [2, 25, 300])
def test_noise_about_one_is_that_about_zero_and_one(columns: int) -> None:
    """In the one column of every row; blocks of words end within rows."""
    for one in (0, columns - 1):
        about_zero = draw_noise(LAPLACE, 2.0, (41, columns), default_rng(3))
        about_zero[:, one] += 1.0
        about_one = draw_noise(LAPLACE, 2.0, (41, columns), default_rng(3), one=one)
        assert (about_one == about_zero).all()


@pytest.mark.parametrize(
    ("row", "low", "high", "winners"),
    [
        ([0.3, 0.9, 0.1], -math.inf, math.inf, {1}),
        ([0.5, 0.5, 0.1], -math.inf, math.inf, {0, 1}),
        ([1.2, 5.0, 0.9], 0.0, 1.0, {0, 1}),
        ([-1.0, -0.1, -7.0], 0.0, 1.0, {0, 1, 2}),
        ([-1.0, 0.0, -7.0], 0.0, 1.0, {0, 1, 2}),
        ([-1.0, 0.1, 0.1], 0.0, 1.0, {1, 2}),
        ([-0.0, 0.0, -1.0], -math.inf, math.inf, {0, 1}),
        ([-3.0, -math.inf, -2.0], -math.inf, math.inf, {2}),
    ],
)
def test_best_score(row: list[float], low: float, high: float, winners: set[int]) -> None:
    scores = np.tile(row, (200, 1))
    chosen = choose_best(fresh_stream(default_rng(5)), scores, low, high)
    assert set(chosen.tolist()) == winners


@pytest.mark.parametrize("values", [*range(2, 10), 31, 32, 33, 70])
def test_the_best_score_is_found_at_every_place(values: int) -> None:
    """Also below zero, and in rows of a larger array, as the totals of many reports are."""
    scores = np.full((values, values + 3), -5.0)[:, :values]
    np.fill_diagonal(scores, -1.0)
    chosen = choose_best(fresh_stream(default_rng(5)), scores, -math.inf, math.inf)
    assert chosen.tolist() == list(range(values))
    mixed = default_rng(6).normal(size=(50, values))
    found = choose_best(fresh_stream(default_rng(5)), mixed, -math.inf, math.inf)
    assert found.tolist() == mixed.argmax(axis=1).tolist()


@pytest.mark.parametrize("g", [2, 3, 7, 64, 1000, 2**31 + 11, 2**32 - 1])
def test_first_number_is_where_the_hash_begins(g: int) -> None:
    for hashed in {0, 1, g // 2, g - 1}:
        first = int(first_number(np.uint64(hashed), np.uint64(g)))
        assert first * g >> 64 == hashed
        assert first == 0 or (first - 1) * g >> 64 == hashed - 1
    assert int(first_number(np.uint64(g), np.uint64(g))) == 0  # 2**64


@pytest.mark.parametrize("domain_size", [25, 130, 2000])
def test_guess_by_hash_is_that_of_all_sets_at_once(domain_size: int) -> None:
    """Sets are made for some reports at a time; 70,000 are more than that, with a rest."""
    protocol = mechanisms.make("OLH", epsilon=1.0, domain_size=domain_size)
    reports = protocol.privatize(3, 70_001, default_rng(3))
    assert isinstance(protocol, LocalHashing)
    at_once = choose_member(default_rng(9), protocol.support(reports), domain_size)
    assert (protocol.guess(reports, default_rng(9)) == at_once).all()


@pytest.mark.parametrize("g", [2, 3, 4, 10, 1000, 2**32 - 1])
@pytest.mark.parametrize("domain_size", [2, 64, 70])
def test_support_is_the_set_of_values_with_that_hash(domain_size: int, g: int) -> None:
    protocol = mechanisms.make("LHO", domain_size=domain_size, hash_range=g)
    reports = protocol.privatize(domain_size - 1, 20, default_rng(3))
    support = unpack(protocol.support(reports), domain_size)
    for report, members in zip(reports, support, strict=True):
        hashes = [
            int(hash_value(report["hash_seed"], np.uint64(v), np.uint64(g)))
            for v in range(domain_size)
        ]
        assert [hashed == report["value"] for hashed in hashes] == members.tolist()
        assert max(hashes) < g


@pytest.mark.parametrize("domain_size", [2, 31, 32, 33, 64, 65, 130])
@pytest.mark.parametrize("name", NAMES)
def test_batches_of_any_size_hold_reports_of_the_domain(name: str, domain_size: int) -> None:
    protocol = make(name, 1.0, domain_size)
    rng = default_rng(7)
    for n in (0, 1, 63, 64, 65, 1000):
        reports = protocol.privatize(domain_size - 1, n, rng)
        guesses = protocol.guess(reports, rng)
        assert len(reports) == len(guesses) == n
        assert all(0 <= guess < domain_size for guess in guesses.tolist())
        if name in {"SS", "SUE", "OUE", "ASUE", "THE"}:
            last = int(last_word_mask(domain_size))
            assert all(int(word) & ~last == 0 for word in reports[:, -1])


@pytest.mark.parametrize("name", OTHERS)
def test_batches_of_any_size_hold_guesses_of_their_kind(name: str) -> None:
    protocol, rng = make_any(name, epsilon=1.0), default_rng(7)
    for n in (0, 1, 63, 64, 65, 1000):
        for value in vars(default_pair(protocol)).values():
            reports = protocol.privatize(value, n, rng)
            guesses = protocol.guess(reports, rng)
            assert len(reports) == len(guesses) == n
            assert protocol.inputs.are_guesses(guesses)


@pytest.mark.parametrize(("trials", "p"), [(1, 0.5), (12, 0.5), (40, 0.125), (1000, 0.25)])
def test_binomial_law_is_exact_in_every_digit(trials: int, p: float) -> None:
    """Against fractions, down to the rarest numbers that floats can hold."""
    law = binomial(trials, p, 1 - p)
    chance = Fraction(p)
    for successes, probability in enumerate(law.tolist()):
        exact = (
            math.comb(trials, successes) * chance**successes * (1 - chance) ** (trials - successes)
        )
        if exact > 1e-300:
            assert probability == pytest.approx(float(exact), rel=1e-12)
    assert binomial(3, 0.0, 1.0).tolist() == [1, 0, 0, 0]
    assert binomial(3, 1.0, 0.0).tolist() == [0, 0, 0, 1]


def test_a_lottery_of_equal_shares_needs_no_alias() -> None:
    """With p = 1/2 the shares of one report tie at 1, where rounding must not decide."""
    lottery = Lottery.of(binomial(1, 0.5, 0.5))
    assert lottery.aliases.tolist() == [[0, 1]]
    assert set(lottery.thresholds.ravel().tolist()) == {FULL - 1}


def test_streams_are_the_words_of_the_bit_generator() -> None:
    raw = default_rng(3).bit_generator.random_raw(8)
    assert fresh_stream(default_rng(3)).tolist() == raw[:4].tolist()
    assert fresh_lanes(default_rng(3))[0, :8].tolist() == raw.tolist()


def test_drawn_values_are_scaled_words() -> None:
    state = [int(word) for word in default_rng(3).bit_generator.random_raw(4)]
    expected = [python_xoshiro(state) * 7 >> 64 for _ in range(100)]
    assert draw_values(default_rng(3), 7, 100).tolist() == expected
    assert set(expected) == set(range(7))
