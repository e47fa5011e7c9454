"""Keys and values against the steps of [Gu20], enumerated one after the other."""

from __future__ import annotations

import math
from collections import defaultdict
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng

from ldp_auditor import AuditError, InputPair, mechanisms
from ldp_auditor.inputs import KeyValues, in_words
from tests.statistical.evidence import agrees

NAMES = tuple(mechanisms.available(KeyValues))
KEYS = 4
INPUTS = ((0, 1.0), (1, 1.0), (0, -0.5), (0, 1.0, 1, 1.0), (2, 1.0, 3, -1.0), (1, 0.2, 2, 0.0))


def made(name: str, epsilon: float, padding: int, keys: int = KEYS) -> Any:
    return mechanisms.make(name, epsilon=epsilon, keys=keys, padding=padding)


def drawn(value: tuple[float, ...], padding: int) -> dict[tuple[int, int], float]:
    """Padding and sampling, and rounding of the value: a key and a sign."""
    held = list(zip(value[::2], value[1::2], strict=True))
    law: dict[tuple[int, int], float] = defaultdict(float)
    size = max(padding, len(held))
    for key, number in held:
        for sign in (-1, 1):
            law[int(key), sign] += (1 + sign * number) / 2 / size
    for dummy in range(padding):
        for sign in (-1, 1):
            law[KEYS + dummy, sign] += (1 - len(held) / size) / padding / 2
    return {item: chance for item, chance in law.items() if chance > 0}


@cache
def grr(epsilon: float, padding: int, value: tuple[float, ...]) -> dict[Any, float]:
    """PCKV-GRR: with odds e^epsilon_1 the key, and then with odds e^epsilon_2 the sign."""
    x = padding * (math.exp(epsilon) - 1)
    size = KEYS + padding
    keep, true = (x / 2 + 1) / (x / 2 + 1 + size - 1), (x + 1) / (x + 2)
    law: dict[Any, float] = defaultdict(float)
    for (key, sign), chance in drawn(value, padding).items():
        law[key, sign] += chance * keep * true
        law[key, -sign] += chance * keep * (1 - true)
        for other, shown in product(range(size), (-1, 1)):
            if other != key:
                law[other, shown] += chance * (1 - keep) / (size - 1) / 2
    return dict(law)


@cache
def ue(epsilon: float, padding: int, value: tuple[float, ...]) -> dict[Any, float]:
    """PCKV-UE: a = 1/2, b = 2 / (e^epsilon + 3), p = e^epsilon / (e^epsilon + 1)."""
    b, true = 2 / (math.exp(epsilon) + 3), 1 / (1 + math.exp(-epsilon))
    size = KEYS + padding
    law: dict[Any, float] = defaultdict(float)
    for row in product((-1, 0, 1), repeat=size):
        others = [b / 2 if entry else 1 - b for entry in row]
        for (key, sign), chance in drawn(value, padding).items():
            own = 0.5 if row[key] == 0 else 0.5 * (true if row[key] == sign else 1 - true)
            law[row] += chance * own * math.prod(others[:key] + others[key + 1 :])
    return dict(law)


LAWS = {"PCKV-GRR": grr, "PCKV-UE": ue}


def as_reports(name: str, law: dict[Any, float]) -> Any:
    if name == "PCKV-GRR":
        return np.array([2 * key + (sign > 0) for key, sign in law])
    return np.array(list(law), np.int8)


@pytest.mark.parametrize("padding", [1, 2])
@pytest.mark.parametrize("name", NAMES)
def test_laws_by_enumeration(name: str, padding: int) -> None:
    protocol, epsilon = made(name, 1.3, padding), 1.3
    worst = 0.0
    for first, second in product(INPUTS, INPUTS):
        if first == second:
            continue
        laws = [LAWS[name](epsilon, padding, value) for value in (first, second)]
        p, q = (np.array([law[y] for y in laws[0]]) for law in laws)
        assert p.sum() == pytest.approx(1)
        pair = InputPair(first, second)
        reports = as_reports(name, laws[0])
        ratio = protocol.log_likelihood_ratio(reports, pair)
        assert ratio == pytest.approx(np.log(p / q), abs=1e-9)
        worst = max(worst, float(np.abs(ratio).max()))
        law = protocol.loss_law(pair)
        assert law.epsilon(0.0) == pytest.approx(np.abs(ratio).max(), rel=1e-9)
        for at in (0.0, 0.5, 1.1):
            ways = [np.maximum(0, a - math.exp(at) * b).sum() for a, b in ((p, q), (q, p))]
            assert law.delta(at) == pytest.approx(max(ways), abs=1e-9)
    assert worst == pytest.approx(protocol.worst_case(None)) == pytest.approx(epsilon)


@pytest.mark.parametrize("padding", [1, 2])
@pytest.mark.parametrize("name", NAMES)
def test_rates_of_the_guess_by_enumeration(name: str, padding: int) -> None:
    protocol = made(name, 0.8, padding)
    for first, second in ((INPUTS[0], INPUTS[1]), (INPUTS[0], INPUTS[2]), (INPUTS[3], INPUTS[5])):
        pair, rates = InputPair(first, second), []
        guesses = np.array(list(product(range(KEYS), (-1, 1))), float)
        named = protocol.inputs.attributed(guesses, pair, default_rng(0))
        for value in (first, second):
            law = LAWS[name](0.8, padding, value)
            totals = np.zeros((len(law), 2 * KEYS))
            protocol.add_scores(as_reports(name, law), totals)
            best = totals == totals.max(axis=1, keepdims=True)
            shares = best / best.sum(axis=1, keepdims=True)
            rates.append(float(np.array(list(law.values())) @ shares @ named))
        exact = protocol.guess_rates(pair)
        assert [exact.true_positive, exact.false_positive] == pytest.approx(rates, abs=1e-12)


@pytest.mark.parametrize("padding", [1, 2])
@pytest.mark.parametrize("name", NAMES)
def test_estimates_by_enumeration(name: str, padding: int) -> None:
    protocol = made(name, 1.1, padding)
    for value in INPUTS:
        if len(value) > 2 * padding:
            with pytest.raises(AuditError, match="hold 1 keys at most"):
                protocol.mean_variance(1, value)
            continue
        law = LAWS[name](1.1, padding, value)
        chances, reports = np.array(list(law.values())), as_reports(name, law)
        each = np.array([protocol.estimate(reports[i : i + 1]) for i in range(len(reports))])
        mean = np.tensordot(chances, each, axes=1)
        held = dict(zip(value[::2], value[1::2], strict=True))
        expected = [
            [float(k in held) for k in range(KEYS)],
            [held.get(k, 0.0) for k in range(KEYS)],
        ]
        assert mean == pytest.approx(np.array(expected), abs=1e-9)
        spread = np.tensordot(chances, (each - mean) ** 2, axes=1)
        assert protocol.mean_variance(10, value, 3) == pytest.approx(spread / 30)
        if name == "PCKV-UE":
            break  # the laws of longer lists are as those of GRR


@pytest.mark.parametrize("name", NAMES)
def test_sampled_reports_follow_the_law(name: str) -> None:
    """Null hypotheses: outcomes have their probabilities, at a false alarm of 1e-10 each."""
    protocol, value, n = made(name, 1.0, 2), (0, 0.5), 20_000
    reports = protocol.privatize(value, n, default_rng(4))
    law = LAWS[name](1.0, 2, value)
    coded = as_reports(name, law)
    for outcome, chance in zip(coded, law.values(), strict=True):
        if chance > 2e-3:
            same = (reports == outcome).reshape(n, -1).all(axis=1)
            assert agrees(int(same.sum()), n, chance)


def test_lists_of_keys_and_values() -> None:
    inputs = KeyValues(5)
    pair = inputs.pair("[3,-0.5,0,1]:[1,0]")
    assert pair == InputPair((0, 1.0, 3, -0.5), (1, 0.0))
    assert inputs.pair(str(pair)) == pair
    assert in_words(pair) == "keys and values [0,1,3,-0.5] and [1,0]"
    for bad in ("[0]:[1,0]", "[5,1]:[1,0]", "[0,2]:[1,0]", "[0,1,0,1]:[1,0]", "[0.5,1]:[1,0]"):
        with pytest.raises(AuditError):
            inputs.pair(bad)
    guesses = np.array([[0, 1], [3, 1], [1, 1], [2, -1]], float)
    assert inputs.attributed(guesses, pair, default_rng(0)).tolist() == [True, True, False, False]
    near = inputs.attributed(guesses, inputs.pair("[0,1]:[0,-1]"), default_rng(0))
    assert near.tolist() == [True, False, False, False]


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(AuditError, match="padding must be at most half of the keys"):
        made("PCKV-UE", 1.0, 3)
    with pytest.raises(AuditError, match="keys must be at least 2"):
        made("PCKV-GRR", 1.0, 1, keys=1)
    many = made("PCKV-UE", 1.0, 12, keys=30)
    assert many.loss_law(many.default_pair) is None
    assert many.worst_case(many.default_pair) == pytest.approx(1.0)
