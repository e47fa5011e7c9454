"""Success of the best guess from sketches, filters and fields, against enumeration."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from ldp_auditor import mechanisms
from ldp_auditor.core import Floats
from ldp_auditor.theory.attack_success import uniform
from ldp_auditor.theory.lines import lines_that_avoid
from tests.enumeration import Reports, best_guess

CLOSE = 1e-12


def sketch_reports(name: str, k: int, width: int) -> tuple[Any, Reports]:
    """A sketch, and all of its reports by its definition, over all hash functions."""
    own = {"width": width} if name.endswith("CMS") else {}
    sketch = mechanisms.make(name, epsilon=1.1, domain_size=k, **own)

    def entry(row: int, column: int) -> int:
        return -1 if (row & column).bit_count() % 2 else 1

    if name == "HR":
        places = [sketch.place(v) for v in range(k)]
        every = itertools.product(range(sketch.block_count), range(sketch.size))
        speaks = [[b == block and entry(row, c) > 0 for b, row in places] for block, c in every]
        return sketch, [
            tuple(sketch.likely if s else sketch.unlikely for s in row) for row in speaks
        ]
    flips = {True: 1 - sketch.flip, False: sketch.flip}
    if name == "HRR":
        return sketch, [
            tuple(flips[entry(v, c) == said] / sketch.columns for v in range(k))
            for c in range(sketch.columns)
            for said in (1, -1)
        ]
    reports = []
    for function in itertools.product(range(width), repeat=k):
        share = 1 / width**k
        if name == "HCMS":
            for c, said in itertools.product(range(width), (1, -1)):
                row = [share / width * flips[entry(function[v], c) == said] for v in range(k)]
                reports.append(tuple(row))
            continue
        for bits in itertools.product((0, 1), repeat=width):
            agree = [[(j == function[v]) == bool(b) for j, b in enumerate(bits)] for v in range(k)]
            reports.append(tuple(share * math.prod(flips[a] for a in row) for row in agree))
    return sketch, reports


@pytest.mark.parametrize("prior", [(1 / 3, 1 / 3, 1 / 3), (0.5, 0.2, 0.3), (0.05, 0.9, 0.05)])
@pytest.mark.parametrize(
    ("name", "width"), [("HR", 0), ("HRR", 0), ("CMS", 2), ("CMS", 3), ("HCMS", 2), ("HCMS", 4)]
)
def test_sketches(name: str, width: int, prior: tuple[float, ...]) -> None:
    sketch, reports = sketch_reports(name, 3, width)
    assert sum(row[1] for row in reports) == pytest.approx(1)
    expected = best_guess(prior, reports)
    assert sketch.attack_success(np.array(prior)) == pytest.approx(expected, abs=CLOSE)


@pytest.mark.parametrize(("blocks", "k"), [(1, 6), (2, 7), (4, 6)])
def test_blocks_of_hadamard_response(blocks: int, k: int) -> None:
    response = mechanisms.make("HR", epsilon=1.5, domain_size=k, blocks=blocks)
    prior = np.arange(1, k + 1) / (k * (k + 1) / 2)
    rows = [
        [response.likely if s else response.unlikely for s in speaks]
        for speaks in zip(
            *(response.supports(np.arange(response.tally_size), v) for v in range(k)), strict=True
        )
    ]
    for given in (prior, uniform(k)):
        expected = best_guess(given.tolist(), [tuple(row) for row in rows])
        assert response.attack_success(given) == pytest.approx(expected, abs=CLOSE)
    assert response.attack_success() == pytest.approx(response.attack_success(uniform(k)))


def filter_reports(own: float, other: float, k: int, width: int, hashes: int) -> Floats:
    """Probabilities of all filters over all hash functions, a row for each of k values."""
    filters = np.array(list(itertools.product((0, 1), repeat=width)))
    functions = np.array(list(itertools.product(range(width), repeat=k * hashes)))
    functions = functions.reshape(-1, k, hashes)
    sets = (functions[..., None] == np.arange(width)).any(axis=2)
    ones = np.where(sets, own, other)[:, :, None, :]
    chances = np.where(filters == 1, ones, 1 - ones).prod(axis=3) / len(functions)
    rows: Floats = chances.transpose(1, 0, 2).reshape(k, -1)
    return rows


@pytest.mark.parametrize(("width", "hashes"), [(3, 2), (2, 3), (4, 1)])
@pytest.mark.parametrize("prior", [(1 / 3, 1 / 3, 1 / 3), (0.5, 0.2, 0.3), (0.9, 0.1, 0.0)])
def test_filters_with_several_hashes(width: int, hashes: int, prior: tuple[float, ...]) -> None:
    options: dict[str, Any] = {"domain_size": 3, "width": width, "hashes": hashes}
    flipped = mechanisms.make("Bloom-SUE", epsilon=2.0, **options)
    memoized = mechanisms.make("Bloom-RAPPOR", f=0.3, p=0.4, q=0.9, **options)
    true, other = 0.85 * 0.9 + 0.15 * 0.4, 0.15 * 0.9 + 0.85 * 0.4
    for protocol, own, rest in (
        (flipped, 1 - flipped.flip, flipped.flip),
        (memoized, true, other),
    ):
        reports = filter_reports(own, rest, 3, width, hashes)
        expected = (reports * np.array(prior)[:, None]).max(axis=0).sum()
        assert protocol.attack_success(np.array(prior)) == pytest.approx(expected, abs=CLOSE)


def test_filters_of_a_prior_with_very_many_numbers_are_not_summed() -> None:
    wide = mechanisms.make("Bloom-SUE", epsilon=8.0, domain_size=10**5, hashes=16)
    assert wide.attack_success() is not None
    prior = np.arange(1.0, 10**5 + 1)
    assert wide.attack_success(prior / prior.sum()) is None


@pytest.mark.parametrize(("field", "k"), [(5, 4), (2, 6), (3, 5), (3, 13), (3, 20)])
def test_points_of_a_projective_space(field: int, k: int) -> None:
    response = mechanisms.make("PGR", epsilon=1.5, domain_size=k, field=field)
    vectors = response.vectors(response.every)
    speaks = vectors[:k] @ vectors.T % field == 0
    reports = np.where(speaks, response.likely, response.unlikely)
    prior = np.arange(1, k + 1) / (k * (k + 1) / 2)
    for given in (prior, prior**5 / (prior**5).sum()):
        expected = (reports * given[:, None]).max(axis=0).sum()
        assert response.attack_success(given) == pytest.approx(expected, abs=CLOSE)
    assert response.attack_success() == pytest.approx(reports.max(axis=0).sum() / k, abs=CLOSE)


def test_points_of_a_large_space() -> None:
    response = mechanisms.make("PGR", epsilon=4.0, domain_size=10**6)
    held = response.own * response.likely  # a supported value is guessed, of about own / every
    assert response.attack_success() == pytest.approx(held * response.every / response.own / 10**6)
    assert response.attack_success(uniform(10**6)) is None


@pytest.mark.parametrize("field", [2, 3, 7, 23, 53])
def test_lines_that_avoid_all_values(field: int) -> None:
    slope, offset = np.indices((field, field))
    for limit in {1, 2, field // 4, field // 2, field - 1} - {0, field}:
        avoids = np.ones((field, field), bool)
        for value in range(field):
            avoids &= (slope * value + offset) % field >= limit
            assert lines_that_avoid(field, limit, value + 1) == avoids.sum()


@pytest.mark.parametrize(("field", "k", "epsilon"), [(7, 5, 1.0), (23, 4, 3.0), (13, 13, 0.2)])
def test_lines_as_reports(field: int, k: int, epsilon: float) -> None:
    protocol = mechanisms.make("PI-RAPPOR", epsilon=epsilon, domain_size=k, field=field)
    slope, offset = np.indices((field, field)).reshape(2, -1)
    speaks = (slope * np.arange(k)[:, None] + offset) % field < protocol.limit
    high = protocol.p / speaks[0].sum()
    reports = np.where(speaks, high, high * math.exp(-epsilon))
    assert reports[1].sum() == pytest.approx(1, abs=CLOSE)
    assert protocol.attack_success() == pytest.approx(reports.max(axis=0).sum() / k, abs=CLOSE)
    assert protocol.attack_success(uniform(k)) == protocol.attack_success()
    assert protocol.attack_success(np.eye(k)[0]) is None  # known for uniform frequencies alone


def test_lines_over_a_large_field() -> None:
    """Of many values some are supported, and few lines of a steep epsilon are looked at."""
    protocol = mechanisms.make("PI-RAPPOR", epsilon=4.0, domain_size=10**6)
    assert protocol.attack_success() == pytest.approx(protocol.p / protocol.q / 10**6, rel=1e-4)
    assert mechanisms.make("PI-RAPPOR", epsilon=9.0, domain_size=10**6).attack_success() is None
