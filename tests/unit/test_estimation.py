"""Estimated frequencies: without bias, and with the variance that is told, by full enumeration."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

from ldp_auditor import AuditError, make
from ldp_auditor.core import Floats
from ldp_auditor.mechanisms.capabilities import Estimates
from ldp_auditor.mechanisms.kernels.bits import unpack
from ldp_auditor.mechanisms.record_solutions import splitting_of
from ldp_auditor.seeding import chunk_generator
from ldp_auditor.theory.estimation import mean_inverse_count
from tests.estimators import ALL, PROTOCOLS, RECORDS, made, made_record
from tests.protocols import find
from tests.score_enumeration import collections, moments

DISCRETE = [name for name in PROTOCOLS if not find(name).family
            and name.removeprefix("Memo[").rstrip("]") not in
            ("SHE", "GM", "AGM", "hadamard_response:HR")]  # fmt: skip
"""What sends one of a few reports, over a small domain; `test_sketches.py` has the sketches."""


@pytest.mark.parametrize("name", ALL)
def test_every_protocol_estimates(name: str) -> None:
    mechanism = made(name, 4) if name in PROTOCOLS else made_record(name, (2, 3))
    assert isinstance(mechanism, Estimates)


@pytest.mark.parametrize(("values", "reports"), [((0, 0, 2), 1), ((0, 1), 2), ((2,), 3)])
@pytest.mark.parametrize("name", DISCRETE)
def test_enumerated(name: str, values: tuple[int, ...], reports: int) -> None:
    mechanism = made(name, 3)
    mean, variance = moments(*collections(mechanism, values, reports))
    cells = [getattr(mechanism, "bucket", int)(v) for v in values]
    shares = np.bincount(cells, minlength=len(mean)) / len(values)
    told = [mechanism.frequency_variance(len(values), float(f), reports) for f in shares]
    np.testing.assert_allclose(mean, shares, atol=1e-9)
    np.testing.assert_allclose(variance, told, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        *((name, ((0, 2), (1, 2))) for name in RECORDS),
        *((name, ((1, 1),)) for name in RECORDS),
        ("SMP[GRR]", ((0, 2), (0, 0), (1, 2), (0, 2))),
    ],
)
def test_enumerated_records(name: str, values: tuple[tuple[int, int], ...]) -> None:
    mechanism = made_record(name, (2, 3))
    estimated, chances = collections(mechanism, values, 1)
    for attribute in (0, 1):
        mean, variance = moments([row[attribute] for row in estimated], chances)
        held = [record[attribute] for record in values]
        shares = np.bincount(held, minlength=len(mean)) / len(values)
        told = mechanism.frequency_variance(len(values), shares, attribute=attribute)
        np.testing.assert_allclose(mean, shares, atol=1e-9)
        np.testing.assert_allclose(variance, told, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("hashes", [2, 3, 5])
def test_hashing_to_any_number_of_hashes(hashes: int) -> None:
    """Without randomization, too, because a hash alone is an estimate."""
    mechanism = make("LHO", domain_size=3, hash_range=hashes)
    mean, variance = moments(*collections(mechanism, (0, 0, 1), 1))
    shares = np.array([2, 1, 0]) / 3
    np.testing.assert_allclose(mean, shares, atol=1e-12)
    np.testing.assert_allclose(variance, mechanism.frequency_variance(3, shares), rtol=1e-9)


@pytest.mark.parametrize(
    ("name", "law"), [("SHE", stats.laplace), ("GM", stats.norm), ("AGM", stats.norm)]
)
def test_noise_integrated(name: str, law: Any) -> None:
    mechanism = make(name, epsilon=0.8, domain_size=4)
    density = law(scale=mechanism.scale).pdf
    half, _ = integrate.quad(lambda x: x * x * density(x), 0, 60 * mechanism.scale, limit=200)
    for frequency in (0.0, 0.3, 1.0):
        told = mechanism.frequency_variance(10, frequency, 7)
        assert told == pytest.approx(2 * half / 70, rel=1e-7)


@pytest.mark.parametrize("reports", [1, 2, 1000])
def test_what_is_kept_does_not_shrink(reports: int) -> None:
    """With ever more reports the variance is that of a memo that is sent as it is."""
    plain = make("SUE", epsilon=2.0, domain_size=4).frequency_variance(10, 0.3)
    longer = make("L-SUE", epsilon_1=1.0, epsilon_infinity=2.0, domain_size=4)
    assert longer.frequency_variance(10, 0.3, reports) > plain
    assert longer.frequency_variance(10, 0.3, 10**12) == pytest.approx(plain, rel=1e-9)
    memo = make("Memo[SUE]", epsilon=2.0, domain_size=4)
    assert memo.frequency_variance(10, 0.3, reports) == plain


def test_published_variances() -> None:
    """The table of [Wang17]: the variance of a rare value, n times as large for counts."""
    e = np.exp(1.3)
    settings: dict[str, Any] = {"epsilon": 1.3, "domain_size": 8}
    assert make("OUE", **settings).frequency_variance(50, 0.0) == pytest.approx(
        4 * e / (e - 1) ** 2 / 50
    )
    assert make("GRR", **settings).frequency_variance(50, 0.0) == pytest.approx(
        (e + 6) / (e - 1) ** 2 / 50
    )
    assert make("SUE", **settings).frequency_variance(50, 0.0) == pytest.approx(
        np.sqrt(e) / (np.sqrt(e) - 1) ** 2 / 50
    )
    assert make("SHE", **settings).frequency_variance(50, 0.0) == pytest.approx(8 / 1.3**2 / 50)


@pytest.mark.parametrize("domain_size", [2, 63, 64, 65, 200])
@pytest.mark.parametrize("name", ["SUE", "OLH", "SS", "BiLOLOHA"])
def test_tallies_count_supports(name: str, domain_size: int) -> None:
    mechanism = made(name, domain_size)
    reports = mechanism.privatize(1, 1000, chunk_generator(1, 0, 0, 0))
    one_by_one = unpack(mechanism.support(reports), domain_size).sum(axis=0)
    assert mechanism.tally(reports).tolist() == one_by_one.tolist()


@pytest.mark.parametrize("name", ALL)
def test_batches_add_up(name: str) -> None:
    """Also those that are larger than what is looked at at once."""
    mechanism = made(name, 70) if name in PROTOCOLS else made_record(name, (70, 3))
    value: Any = 1 if name in PROTOCOLS else (1, 0)
    reports = mechanism.privatize(value, 5000, chunk_generator(2, 0, 0, 0))
    total = sum(mechanism.tally(part) for part in np.array_split(reports, 3))
    np.testing.assert_allclose(total, mechanism.tally(reports), rtol=1e-12, atol=1e-9)
    for once, again in zip(
        mechanism.estimate(reports), mechanism.frequencies_from(total, 5000), strict=True
    ):
        np.testing.assert_allclose(once, again, atol=1e-9)


@pytest.mark.parametrize("name", ["OUE", "SMP[GRR]"])
def test_many_frequencies_at_once(name: str) -> None:
    mechanism = made(name, 5) if name in PROTOCOLS else made_record(name, (5, 5))
    shares = np.array([0.0, 0.25, 1.0])
    one_by_one = [mechanism.frequency_variance(8, float(f)) for f in shares]
    assert mechanism.frequency_variance(8, shares).tolist() == one_by_one
    assert isinstance(one_by_one[0], float)


@pytest.mark.parametrize(("trials", "chance"), [(1, 0.5), (3, 0.1), (50, 0.5), (2000, 0.001)])
def test_mean_inverse_count(trials: int, chance: float) -> None:
    counts = np.arange(1, trials + 1)
    law: Floats = stats.binom(trials, chance).pmf(counts)
    assert mean_inverse_count(trials, chance) == pytest.approx(
        (law / counts).sum() / law.sum(), rel=1e-11
    )
    assert mean_inverse_count(10**15, chance) * 10**15 * chance == pytest.approx(1, rel=1e-9)


def test_an_attribute_that_nobody_drew_has_no_estimate() -> None:
    mechanism = made_record("SMP[GRR]", (2, 3))
    reports = mechanism.privatize((0, 0), 1, chunk_generator(3, 0, 0, 0))
    nobody = [np.isnan(frequencies).all() for frequencies in mechanism.estimate(reports)]
    assert sorted(nobody) == [False, True]


def test_what_is_wrong_is_named() -> None:
    oue, grr, she = (make(n, epsilon=1.0, domain_size=5) for n in ("OUE", "GRR", "SHE"))
    record = made_record("SMP[GRR]", (2, 3))
    outside = record.privatize((0, 0), 2, chunk_generator(4, 0, 0, 0))
    outside["a2"] = 2
    wrong: list[tuple[str, Any]] = [
        (r"as OUE makes them, an array of shape \(n, 1\) of uint64, got list",
         lambda: oue.estimate([1, 2])),
        (r"got shape \(3, 5\) of bool", lambda: oue.estimate(np.zeros((3, 5), bool))),
        ("be values of the domain, got reports=5", lambda: grr.estimate(np.array([0, 5]))),
        ("be values of the domain, got reports=-1", lambda: grr.estimate(np.array([-1, 0]))),
        ("reports must be finite numbers", lambda: she.estimate(np.full((1, 5), np.nan))),
        ("reports must be at least 1", lambda: grr.estimate(np.zeros(0, np.int64))),
        ("tally must have 5 numbers, got tally=an array of shape",
         lambda: grr.frequencies_from(np.zeros(4), 1)),
        ("users must be at least 1", lambda: oue.frequency_variance(0, 0.5)),
        ("reports must be at least 1", lambda: oue.frequency_variance(10, 0.5, reports=0)),
        (r"frequency must lie in \[0, 1\], got frequency=1.5",
         lambda: oue.frequency_variance(10, 1.5)),
        (r"frequency must lie in \[0, 1\], got frequency=nan",
         lambda: oue.frequency_variance(10, np.array([0.5, np.nan]))),
        ("frequency must be a number or an array of numbers, got 'much'",
         lambda: oue.frequency_variance(10, "much")),
        ("attribute must be at most 1", lambda: record.frequency_variance(9, 0.5, attribute=2)),
        ("name attributes of the record, got reports=2", lambda: record.estimate(outside)),
    ]  # fmt: skip
    for sentence, ask in wrong:
        with pytest.raises(AuditError, match=sentence):
            ask()


def test_a_part_without_an_estimator_is_named() -> None:
    from tests.unit.test_capabilities import Truth

    split: Any = splitting_of(Truth)
    mechanism = split(epsilon=1.0, domain_size=3, attributes=2)
    with pytest.raises(AuditError, match=r"Truth has no estimator: estimate of SPL\[Truth\] needs"):
        mechanism.frequency_variance(10, 0.5)
