"""Exact rates against enumeration of every report, and against high-precision integrals."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from mpmath import mp

from ldp_auditor import InputPair, mechanisms
from ldp_auditor.core import Rates
from ldp_auditor.mechanisms.frequency_oracle import SupportOracle
from ldp_auditor.mechanisms.histogram_encoding import AGM, GM, SHE
from ldp_auditor.mechanisms.randomized_response import GRR
from ldp_auditor.theory.guessing import independent_count_rates
from tests.enumeration import enumerated_law
from tests.protocols import NAMES, WITH_RATES, find, make, names_at, rates_of, values_are_alike


def guess_probability(law: dict[frozenset[int], float], guess: int, k: int) -> float:
    return math.fsum(
        chance * ((guess in support) / len(support) if support else 1 / k)
        for support, chance in law.items()
    )


WITH_SUPPORT = [name for name in NAMES if issubclass(find(name), SupportOracle)]


@pytest.mark.parametrize("domain_size", [2, 3, 5])
@pytest.mark.parametrize(("name", "epsilon"), names_at([0.1, 1.0, 1.5], WITH_SUPPORT))
def test_support_protocols_agree_with_enumeration(
    name: str, epsilon: float, domain_size: int
) -> None:
    protocol = make(name, epsilon, domain_size)
    assert isinstance(protocol, SupportOracle)
    law = enumerated_law(protocol)
    assert math.fsum(law.values()) == pytest.approx(1, abs=1e-13)
    rates = rates_of(protocol)
    assert rates.true_positive == pytest.approx(guess_probability(law, 0, domain_size), rel=1e-12)
    # The report of value 0 is attributed to value 1 as the report of 1 would be to 0.
    assert rates.false_positive == pytest.approx(guess_probability(law, 1, domain_size), rel=1e-12)


@pytest.mark.parametrize("domain_size", [2, 25, 10_000])
@pytest.mark.parametrize(("name", "epsilon"), names_at([0.01, 1.0, 20.0], WITH_RATES))
def test_guesses_fall_somewhere(name: str, epsilon: float, domain_size: int) -> None:
    protocol = make(name, epsilon, domain_size)
    rates = rates_of(protocol)
    assert rates.true_positive > rates.false_positive > 0
    if values_are_alike(name, epsilon):
        wrong = (domain_size - 1) * rates.false_positive
    elif domain_size <= 25:
        guesses = (InputPair(value, 0) for value in range(1, domain_size))
        wrong = math.fsum(rates_of(protocol, pair).false_positive for pair in guesses)
    else:
        return
    assert rates.true_positive + wrong == pytest.approx(1, rel=1e-11)


@pytest.mark.parametrize("domain_size", [2, 3, 100, 10_000])
@pytest.mark.parametrize("epsilon", [0.01, 0.5, 4.0, 20.0])
@pytest.mark.parametrize("delta", [1e-12, 1e-5, 0.01])
@pytest.mark.parametrize("name", ["GRR", "AGRR"])
def test_randomized_response_is_tight(
    name: str, delta: float, epsilon: float, domain_size: int
) -> None:
    protocol = make(name, epsilon, domain_size, delta)
    assert rates_of(protocol).epsilon(protocol.delta) == pytest.approx(epsilon, abs=1e-9)


def mp_share(others: int, q: mpmath.mpf) -> mpmath.mpf:
    return (1 - (1 - q) ** (others + 1)) / ((others + 1) * q)


@pytest.mark.parametrize("others", [1, 24, 9_999])
@pytest.mark.parametrize("q", [1e-12, 1e-9, 1e-4, 0.01, 0.3, 0.5])
def test_count_rates_keep_their_digits(others: int, q: float) -> None:
    """The true value is always supported: the guess is right with probability E[1 / (1 + B)]."""
    rates = independent_count_rates(others + 1, np.array([0.0, 1.0]), np.array([1 - q, q]))
    with mp.workdps(50):
        exact = mp_share(others, mpmath.mpf(q))
        assert rates.true_positive == pytest.approx(float(exact), rel=1e-13)
        assert rates.false_positive == pytest.approx(float((1 - exact) / others), rel=1e-12)


@pytest.mark.parametrize("tie", [5e-324, 1e-320, 1e-300, 1e-200])
def test_ties_with_few_digits_do_not_decide(tie: float) -> None:
    """Two others are smaller with probability 0.3 each, and hardly ever as large as it."""
    rates = independent_count_rates(3, np.array([0.0, 1.0, 0.0]), np.array([0.3, tie, 0.7]))
    assert rates.true_positive == pytest.approx(0.3**2, rel=1e-13)


@pytest.mark.parametrize("domain_size", [2, 25, 10_000])
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 6.0, 20.0])
def test_laplace_rates_agree_with_high_precision(epsilon: float, domain_size: int) -> None:
    with mp.workdps(30):
        scale = mpmath.mpf(2) / mpmath.mpf(epsilon)
        others = domain_size - 1
        tail = mpmath.exp(-1 / scale) / 2
        inside = mpmath.quad(
            lambda x: (
                mpmath.exp((x - 1) / scale)
                / (2 * scale)
                * (1 - mpmath.exp(-x / scale) / 2) ** others
            ),
            mpmath.linspace(0, 1, 9),
        )
        hit = mp_share(others, tail) / 2 + inside + tail * mpmath.mpf(2) ** -others / domain_size
        rates = rates_of(SHE(epsilon=epsilon, domain_size=domain_size))
        expected = Rates(float(hit), float((1 - hit) / others))
    assert rates.epsilon(0) == pytest.approx(expected.epsilon(0), abs=1e-9)


@pytest.mark.parametrize("domain_size", [2, 25, 10_000])
@pytest.mark.parametrize(("protocol", "epsilon"), [(GM, 0.01), (GM, 1.0), (AGM, 1.0), (AGM, 20.0)])
def test_gaussian_rates_agree_with_high_precision(
    protocol: type[GM | AGM], epsilon: float, domain_size: int
) -> None:
    made = protocol(epsilon=epsilon, domain_size=domain_size, delta=1e-5)
    with mp.workdps(25):
        shift = 1 / mpmath.mpf(made.scale)
        others = domain_size - 1
        hit = mpmath.quad(
            lambda z: mpmath.npdf(z) * mpmath.ncdf(z + shift) ** others,
            mpmath.linspace(-12, 12, 13),
        )
        expected = Rates(float(hit), float((1 - hit) / others))
    assert rates_of(made).epsilon(1e-5) == pytest.approx(expected.epsilon(1e-5), abs=1e-9)


@pytest.mark.parametrize("epsilon", [34.0, 75.0, 100.0, 500.0])
def test_digits_are_kept_far_beyond_practice(epsilon: float) -> None:
    # k = 2: the unary guess errs with probability 1 - p where p and 1 - q are alike.
    sue = rates_of(make("SUE", epsilon, 2))
    assert sue.epsilon(0) == pytest.approx(epsilon / 2, rel=1e-12)
    the = make("THE", epsilon, 2)
    assert 0.5 < the.theta < 1  # type: ignore[attr-defined]
    assert rates_of(the).true_positive == pytest.approx(5 / 6, abs=1e-3)


def test_binary_domain_by_hand() -> None:
    # k = 2, GRR at e^epsilon = 3: truth with probability 3/4.
    rates = rates_of(GRR(epsilon=math.log(3), domain_size=2))
    assert Fraction(rates.true_positive).limit_denominator(1000) == Fraction(3, 4)
    assert Fraction(rates.false_positive).limit_denominator(1000) == Fraction(1, 4)


def test_hashing_only_by_hand() -> None:
    # k = 2, g = 2: the report supports the other value half of the time, and then a coin decides.
    rates = rates_of(mechanisms.make("LHO", domain_size=2, hash_range=2))
    assert rates.true_positive == pytest.approx(3 / 4, abs=1e-15)
    assert rates.false_positive == pytest.approx(1 / 4, abs=1e-15)
