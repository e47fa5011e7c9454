"""Derived parameters of the protocols against independent computations."""

from __future__ import annotations

import math

import mpmath
import pytest
from mpmath import mp
from scipy.optimize import minimize_scalar

from ldp_auditor.errors import AuditError
from ldp_auditor.mechanisms.histogram_encoding import AGM, GM
from ldp_auditor.mechanisms.local_hashing import AOLH, OLH
from ldp_auditor.mechanisms.randomized_response import AGRR, GRR
from ldp_auditor.mechanisms.subset_selection import SS
from ldp_auditor.mechanisms.unary_encoding import ASUE, OUE, SUE, THE

EPSILONS = [0.01, 0.25, 1.0, 2.0, 6.0, 20.0]


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_pure_perturbations_reach_their_epsilon(epsilon: float) -> None:
    grr = GRR(epsilon=epsilon, domain_size=7)
    assert math.log(grr.p / grr.q) == pytest.approx(epsilon)
    assert grr.p + 6 * grr.q == pytest.approx(1)
    for protocol in (SUE(epsilon=epsilon, domain_size=7), OUE(epsilon=epsilon, domain_size=7)):
        p, q = protocol.p, protocol.q
        assert math.log(p / q * (1 - q) / (1 - p)) == pytest.approx(epsilon, rel=1e-9)
    subset = SS(epsilon=epsilon, domain_size=7)
    # Sets with the value are e^epsilon times as likely as sets without it.
    with_value = subset.p / math.comb(6, subset.omega - 1)
    without = (1 - subset.p) / math.comb(6, subset.omega)
    assert math.log(with_value / without) == pytest.approx(epsilon, rel=1e-6)


@pytest.mark.parametrize(("k", "epsilon", "omega"), [(2, 0.01, 1), (25, 1.0, 7), (25, 10.0, 1)])
def test_subset_size(k: int, epsilon: float, omega: int) -> None:
    assert SS(epsilon=epsilon, domain_size=k).omega == omega


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("delta", [1e-12, 1e-5, 0.1])
def test_approximate_perturbations_follow_the_appendix(epsilon: float, delta: float) -> None:
    with mp.workdps(50):
        grow, d = mpmath.exp(mpmath.mpf(epsilon)), mpmath.mpf(delta)
        root = mpmath.sqrt(grow * (1 - d) + d)
        asue = ASUE(epsilon=epsilon, domain_size=5, delta=delta)
        assert asue.p == pytest.approx(float((grow - root) / (grow - 1)), rel=1e-13)
        assert asue.q == pytest.approx(float((root - 1) / (grow - 1)), rel=1e-13)
        agrr = AGRR(epsilon=epsilon, domain_size=5, delta=delta)
        assert agrr.p == pytest.approx(float((grow + 4 * d) / (grow + 4)), rel=1e-13)
        assert agrr.q == pytest.approx(float((1 - d) / (grow + 4)), rel=1e-13)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("delta", [1e-12, 1e-9, 1e-5, 1e-3])
def test_hash_range_of_aolh_without_cancellation(epsilon: float, delta: float) -> None:
    with mp.workdps(60):
        grow, d = mpmath.exp(mpmath.mpf(epsilon)), mpmath.mpf(delta)
        root = mpmath.sqrt(grow - 1) * mpmath.sqrt((1 - d) * (grow + d - 9 * grow * d - 1))
        exact = (-3 * grow * d - root + grow + 3 * d - 1) / (2 * d)
        expected = max(2, int(mpmath.nint(exact)))
    assert AOLH(epsilon=epsilon, domain_size=5, delta=delta).hash_size == expected


def test_hash_range_of_aolh_refuses_what_has_no_optimum() -> None:
    with pytest.raises(AuditError, match="no optimal hash range"):
        AOLH(epsilon=0.01, domain_size=5, delta=0.01)


@pytest.mark.parametrize(("epsilon", "g"), [(0.01, 2), (0.25, 2), (1.0, 4), (2.0, 8), (4.0, 56)])
def test_hash_range_of_olh(epsilon: float, g: int) -> None:
    assert OLH(epsilon=epsilon, domain_size=5).hash_size == g


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_threshold_minimizes_the_variance(epsilon: float) -> None:
    def log_variance(theta: float) -> float:
        p = 1 - 0.5 * math.exp(epsilon * (theta - 1) / 2)
        q = 0.5 * math.exp(-epsilon * theta / 2)
        return math.log(q * (1 - q)) - 2 * math.log(p - q)

    theta = THE(epsilon=epsilon, domain_size=5).theta
    assert 0.5 < theta < 1
    numeric = minimize_scalar(
        log_variance, bounds=(0.5, 1), method="bounded", options={"xatol": 1e-9}
    ).x
    assert theta == pytest.approx(numeric, abs=2e-4)
    # The minimum is flat, so compare values: no other threshold is better beyond rounding.
    for step in (1e-3, 1e-2):
        assert log_variance(theta) <= log_variance(max(0.5, theta - step)) + 1e-13
        assert log_variance(theta) <= log_variance(min(1.0, theta + step)) + 1e-13


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("delta", [1e-12, 1e-5, 0.2])
def test_analytic_gaussian_scale_to_ten_digits(epsilon: float, delta: float) -> None:
    made = AGM(epsilon=epsilon, domain_size=2, delta=delta)
    with mp.workdps(40):
        eps, sensitivity = mpmath.mpf(epsilon), mpmath.sqrt(2)

        def excess(scale: mpmath.mpf) -> mpmath.mpf:
            half, shift = sensitivity / (2 * scale), eps * scale / sensitivity
            return mpmath.ncdf(half - shift) - mpmath.exp(eps) * mpmath.ncdf(-half - shift) - delta

        around = mpmath.mpf(made.scale)
        exact = mpmath.findroot(excess, (around * 0.999, around * 1.001), solver="anderson")
    assert made.scale == pytest.approx(float(exact), rel=1e-10)


def test_gaussian_scale_is_the_textbook_one() -> None:
    assert GM(epsilon=0.5, domain_size=2, delta=1e-5).scale == pytest.approx(
        math.sqrt(2) / 0.5 * math.sqrt(2 * math.log(1.25e5)), rel=1e-15
    )


@pytest.mark.parametrize("epsilon", [1.0001, 4.0])
def test_gaussian_mechanism_refuses_large_epsilon(epsilon: float) -> None:
    with pytest.raises(AuditError, match="epsilon <= 1"):
        GM(epsilon=epsilon, domain_size=2)
