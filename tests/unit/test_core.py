"""Plain values and the refusal of bad ones."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator, default_rng

from ldp_auditor import (
    AuditError,
    AuditPlan,
    AuditResult,
    Claim,
    Counts,
    InputPair,
    audit,
    compare,
    mechanisms,
)
from ldp_auditor.audits.chunks import Chunks, Piece
from ldp_auditor.audits.comparison import plan_comparison
from ldp_auditor.audits.run import fit_attack
from ldp_auditor.execution.contract import Ticker
from ldp_auditor.figures.results import comparison_bars
from ldp_auditor.mechanisms.unary_encoding import SUE
from ldp_auditor.seeding import chunk_generator, stream_key
from tests.protocols import EVERY, OTHERS, OURS, make, make_any


def test_counts_add_up() -> None:
    assert Counts(10, 3, 1) + Counts(5, 2, 2) == Counts(15, 5, 3)
    with pytest.raises(AuditError, match="true_positives"):
        Counts(3, 4, 0)


def test_infinite_numbers_become_words_in_json() -> None:
    result = AuditResult(
        mechanism="LHO",
        epsilon=math.inf,
        delta=0.0,
        domain_size=2,
        pair=InputPair(0, 1),
        attack="paper",
        bound="clopper-pearson",
        alpha=0.01,
        trials=10,
        true_positives=5,
        false_positives=5,
        empirical_epsilon=0.0,
        attack_epsilon=math.inf,
        worst_case_epsilon=None,
        monte_carlo_limit=1.0,
        seed=1,
        seconds=0.1,
        options={"hash_range": 2},
    )
    plain = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert plain["epsilon"] == plain["attack_epsilon"] == "inf"
    assert plain["worst_case_epsilon"] is None
    assert plain["hash_range"] == 2


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"epsilon": 0.0}, "epsilon must be positive"),
        ({"epsilon": -1.0}, "epsilon must be positive"),
        ({"epsilon": math.nan}, "epsilon must be positive"),
        ({"domain_size": 1}, "domain_size must be at least 2"),
        ({"domain_size": 2.5}, "domain_size must be a whole number"),
        ({"domain_size": 2**32}, "domain_size must be at most"),
        ({"delta": -1e-9}, "delta must lie in"),
        ({"delta": 1.0}, "delta must lie in"),
        ({"delta": math.nan}, "delta must lie in"),
        ({"colour": 3}, "has no option 'colour'"),
    ],
)
@pytest.mark.parametrize("name", EVERY)
def test_bad_parameters_are_refused(name: str, setting: dict[str, Any], message: str) -> None:
    if name in OTHERS and "domain_size" in setting:
        message = "domain_size"
    with pytest.raises(AuditError, match=message):
        make_any(name, **{"epsilon": 1.0, **setting})


def kind_of(name: str) -> Any:
    return mechanisms.find(name, outside=True)


@pytest.mark.parametrize("name", [n for n in EVERY if not kind_of(n).promises_nothing])
def test_a_promise_is_finite(name: str) -> None:
    with pytest.raises(AuditError, match="epsilon must be finite, got epsilon=inf"):
        make_any(name, epsilon=math.inf)


@pytest.mark.parametrize("name", [n for n in EVERY if kind_of(n).approximate])
def test_approximate_protocols_need_delta(name: str) -> None:
    with pytest.raises(AuditError, match="delta must be positive, got delta=0"):
        make_any(name, epsilon=1.0, delta=0.0)
    assert make_any(name, epsilon=1.0).delta == 1e-5


@pytest.mark.parametrize("name", ["OLH", "AOLH"])
def test_hash_range_beyond_the_kernels_is_refused(name: str) -> None:
    for epsilon, delta in ((30.0, 1e-5), (700.0, 1e-12), (22.0, 0.05)):
        if name == "OLH" and epsilon < 30:
            continue
        with pytest.raises(AuditError, match="more than 4294967295; choose a smaller epsilon"):
            make(name, epsilon, 5, delta)


@pytest.mark.parametrize("name", EVERY)
def test_missing_parameters_are_named(name: str) -> None:
    with pytest.raises(AuditError, match="needs epsilon" if name in OTHERS else "needs .*domain_s"):
        mechanisms.make(name, epsilon=None if name in OTHERS else 1.0)


@pytest.mark.parametrize(
    ("typed", "meant"), [("olh", "OLH"), ("OUEE", "OUE"), ("rappor", "GRR"), ("AGR", "AGRR")]
)
def test_unknown_protocol_suggests_a_name(typed: str, meant: str) -> None:
    with pytest.raises(AuditError, match="did you mean") as refusal:
        mechanisms.find(typed)
    if typed != "rappor":
        assert f"did you mean {meant!r}" in str(refusal.value)


@pytest.mark.parametrize("value", [-1, 5, 2.5])
def test_values_outside_the_domain_are_refused(value: float) -> None:
    for name in EVERY:
        with pytest.raises(AuditError, match="value must "):
            make_any(name, epsilon=1.0).privatize(3 * value, 3, default_rng(0))


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"pair": InputPair(0, 5)}, r"an input must lie in 0\.\.4"),
        ({"trials": 0}, "trials must be at least 1"),
        ({"trials": 1.5}, "trials must be a whole number"),
        ({"trials": math.nan}, "trials must be a whole number"),
        ({"alpha": 0.0}, "alpha must lie in"),
        ({"alpha": 1.0}, "alpha must lie in"),
        ({"alpha": math.nan}, "alpha must lie in"),
        ({"attack": "brute"}, "the attacks are: paper, optimal"),
        ({"bound": "wald"}, "the bounds are"),
        ({"seed": -1}, "seed must be at least 0"),
    ],
)
def test_bad_plans_are_refused(setting: dict[str, Any], message: str) -> None:
    with pytest.raises(AuditError, match=message):
        AuditPlan(mechanism=make("GRR", 1.0, 5), **setting)


def test_equal_values_are_refused() -> None:
    with pytest.raises(AuditError, match="must differ"):
        InputPair(1, 1)


def test_workers_are_checked() -> None:
    with pytest.raises(AuditError, match="workers must be at least 1"):
        audit("GRR", epsilon=1.0, domain_size=5, trials=10, workers=0)


class Silent:
    """A user's mechanism that tells nothing of its input, and brings no attack."""

    name = "Silent"
    claim = Claim(0.5)
    domain_size = 3

    def privatize(self, value: int, n: int, rng: Generator) -> Any:
        return rng.integers(0, 3, n)


class Leaky(Silent):
    """One that sends its input."""

    name = "Leaky"

    def privatize(self, value: int, n: int, rng: Generator) -> Any:
        return np.full(n, value)

    def guess(self, reports: Any, rng: Generator) -> Any:
        return reports


def test_a_users_mechanism_is_audited() -> None:
    result = audit(Leaky(), trials=1000)
    assert result.counts == Counts(1000, 1000, 0)
    assert result.verdict == "violation"
    assert result.attack_epsilon is None
    assert result.empirical_epsilon == result.monte_carlo_limit


def test_a_users_mechanism_needs_a_guess_for_the_papers_attack() -> None:
    with pytest.raises(AuditError, match="Silent has no guess: the attack 'paper' needs guess"):
        audit(Silent(), trials=10)
    with pytest.raises(AuditError, match="brings its own parameters; drop epsilon"):
        audit(Leaky(), epsilon=1.0, trials=10)


WHOLE = "guess must return one whole number for each"
ARRAY = "privatize must return an array of 1000"


@pytest.mark.parametrize(
    ("method", "returned", "message"),
    [
        ("guess", lambda n: [0.5] * n, WHOLE),
        ("guess", lambda n: np.full(n, np.nan), WHOLE),
        ("guess", lambda n: np.full(n, "0"), WHOLE),
        ("guess", lambda n: 0, WHOLE),
        ("guess", lambda n: None, WHOLE),
        ("guess", lambda n: np.zeros(n // 2, int), WHOLE),
        ("guess", lambda n: np.zeros((n, 2), int), WHOLE),
        ("privatize", lambda n: np.zeros(n // 2, int), ARRAY),
        ("privatize", lambda n: np.zeros(2 * n, int), ARRAY),
        ("privatize", lambda n: 7, ARRAY),
    ],
)
def test_nonsense_from_a_mechanism_is_refused(
    method: str, returned: Callable[[int], Any], message: str
) -> None:
    class Broken(Leaky):
        def privatize(self, value: int, n: int, rng: Generator) -> Any:
            return returned(n) if method == "privatize" else np.full(n, value)

        def guess(self, reports: Any, rng: Generator) -> Any:
            return returned(len(reports)) if method == "guess" else reports

    with pytest.raises(AuditError, match=message):
        audit(Broken(), trials=1000)


def test_lists_are_taken_for_arrays() -> None:
    class Listing(Leaky):
        def privatize(self, value: int, n: int, rng: Generator) -> Any:
            return [value] * n

        def guess(self, reports: Any, rng: Generator) -> Any:
            return list(reports)

    assert audit(Listing(), trials=1000).counts == Counts(1000, 1000, 0)


def test_a_mechanism_must_be_one() -> None:
    with pytest.raises(AuditError, match="a mechanism needs name"):
        audit(None, trials=10)  # type: ignore[arg-type]

    class Unclaimed(Leaky):
        claim = 1.0  # type: ignore[assignment]

    with pytest.raises(AuditError, match=r"must be a Claim, got 1\.0"):
        audit(Unclaimed(), trials=10)  # type: ignore[arg-type]

    class Fractional(Leaky):
        domain_size = 2.5  # type: ignore[assignment]

    with pytest.raises(AuditError, match="domain_size must be a whole number"):
        audit(Fractional(), trials=10)


def test_pairs_are_taken_in_any_form() -> None:
    pairs: list[Any] = [(2, 1), InputPair(2, 1), (np.int64(2), 1.0)]
    counts = [
        audit("GRR", epsilon=1.0, domain_size=5, trials=1000, pair=pair).counts for pair in pairs
    ]
    assert counts[0] == counts[1] == counts[2]
    result = compare(["GRR"], epsilon=1.0, domain_size=5, trials=1000, pair=(2, 1)).results[0]
    assert result.counts == counts[0]
    assert json.dumps(result.to_dict())
    bad_pairs: list[Any] = [(0.5, 1), (0, 1, 2), (0, -1)]
    for bad in bad_pairs:
        with pytest.raises(AuditError):
            audit("GRR", epsilon=1.0, domain_size=5, pair=bad)


@pytest.mark.parametrize(
    "setting", [{"epsilon": "abc"}, {"alpha": "x"}, {"workers": "2"}, {"workers": 1.5}]
)
def test_wrong_types_are_refused(setting: dict[str, Any]) -> None:
    with pytest.raises(AuditError, match="must be a"):
        audit("GRR", **{"epsilon": 1.0, "domain_size": 5, "trials": 10, **setting})


def test_chunks_are_independent_and_cover_every_trial_once() -> None:
    plan = AuditPlan(mechanism=make("SHE", 1.0, 1000), trials=20_000, seed=3)
    prepared = Chunks(plan, (fit_attack(plan),))
    pieces = list(prepared.pieces(0, prepared.chunks))
    chunks = -(-plan.most_trials // prepared.chunk_trials)
    assert chunks > 10
    for side in (0, 1):
        covered = [
            chunk
            for piece in pieces
            if piece.side == side
            for chunk in range(piece.first_chunk, piece.last_chunk)
        ]
        assert covered == list(range(chunks))
    single = AuditPlan(mechanism=make("GRR", 1.0, 5), trials=2 * 10**6, seed=3)
    cut = Chunks(single, (fit_attack(single),))
    outcomes = [cut.run(Piece(0, chunk, chunk + 1), Ticker()) for chunk in range(7)]
    assert len({int(hits[0]) for hits in outcomes}) == 7  # seven chunks, seven streams


def test_progress_adds_up() -> None:
    seen: list[int] = []
    audit("GRR", epsilon=1.0, domain_size=5, trials=10**6, progress=seen.append)
    assert sum(seen) == 2 * 10**6
    assert len(seen) > 2


def test_comparison_figure_shows_the_results() -> None:
    names = ["GRR", "SUE", "LHO"]
    comparison = compare(among=names, epsilon=1.5, domain_size=5, trials=1000, attack="both")
    bars = comparison_bars(comparison.results)
    assert bars.claimed == [1.5, 1.5, math.inf]
    assert bars.claimed_name == "claimed epsilon = 1.5"
    assert bars.names == names
    for attack, series in zip(("paper", "optimal"), bars.series, strict=True):
        assert series.name == f"{attack} attack, proven"
        results = [result for result in comparison.results if result.attack == attack]
        assert series.measured == [result.empirical_epsilon for result in results]
        assert series.exact == [result.attack_epsilon for result in results]


def test_two_protocols_cannot_share_a_name() -> None:
    with pytest.raises(AuditError, match="two protocols are named 'GRR'"):

        class Impostor(SUE):
            __module__ = "ldp_auditor.mechanisms.impostor"
            name = "GRR"


def test_streams_depend_on_everything_that_is_sampled() -> None:
    first = AuditPlan(mechanism=make("GRR", 1.0, 5))
    others = [
        AuditPlan(mechanism=make("GRR", 1.0, 6)),
        AuditPlan(mechanism=make("GRR", 1.1, 5)),
        AuditPlan(mechanism=make("AGRR", 1.0, 5)),
        AuditPlan(mechanism=make("GRR", 1.0, 5), pair=InputPair(1, 0)),
        AuditPlan(mechanism=mechanisms.make("LHO", domain_size=5, hash_range=3)),
        AuditPlan(mechanism=mechanisms.make("LHO", domain_size=5, hash_range=4)),
    ]
    assert len({plan.stream for plan in [first, *others]}) == len(others) + 1
    assert first.stream == AuditPlan(mechanism=make("GRR", 1.0, 5), trials=7, alpha=0.5).stream
    assert stream_key({"a": 1.0, "b": 2}) == stream_key({"b": 2, "a": 1.0})
    words = {
        int(chunk_generator(1, stream, side, chunk).integers(2**63))
        for stream in (0, 1)
        for side in (0, 1)
        for chunk in (0, 1, 2)
    }
    assert len(words) == 12


def test_comparison_names_what_cannot_take_part() -> None:
    plan = plan_comparison(epsilon=2.0, domain_size=5)
    assert set(plan.refused) == {"GM"}
    assert len(plan.audits) == sum(name in OURS for name in mechanisms.in_the_paper()) - 1
    for settings in ({"epsilon": -1.0}, {"delta": 2.0}, {"domain_size": 1}):
        with pytest.raises(AuditError):
            plan_comparison(**{"epsilon": 1.0, "domain_size": 5, **settings})  # type: ignore[arg-type]
