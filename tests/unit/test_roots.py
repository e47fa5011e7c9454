"""The root finder, and the normal tail of exact rates."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import log_ndtr

from ldp_auditor.theory.gaussian import log_normal_below
from ldp_auditor.theory.roots import find_root


@pytest.mark.parametrize(
    ("function", "low", "high"),
    [
        (lambda x: x * x * x - 2.0, 0.0, 2.0),
        (lambda x: math.exp(-x) - 1e-9, 0.0, 64.0),
        (lambda x: math.cos(x) - x, 0.0, 1.0),
        (lambda x: (x - 1.0) ** 9, 0.0, 3.5),  # flat at its root
        (lambda x: 1.0 if x < 0.3 else -1.0, 0.0, 1.0),  # nothing to interpolate
        (lambda x: max(-0.25, 0.75 - x), 0.0, 8.0),  # a kink
    ],
)
def test_roots_are_those_of_scipy(
    function: Callable[[float], float], low: float, high: float
) -> None:
    calls = []

    def counted(x: float) -> float:
        calls.append(x)
        return function(x)

    found = find_root(counted, low, high)
    assert min(map(abs, (function(found + 2e-14 * side) for side in (-1, 0, 1)))) < 1e-12 or (
        found == pytest.approx(brentq(function, low, high, xtol=1e-14), rel=1e-13)
    )
    assert len(calls) < 60


def test_a_small_root_keeps_its_digits() -> None:
    assert find_root(lambda q: q - 1e-30, 0.0, 1.0, absolute=0.0) == pytest.approx(1e-30, rel=1e-13)


def test_an_end_may_be_the_root() -> None:
    assert find_root(lambda x: x, 0.0, 1.0) == 0.0
    assert find_root(lambda x: x - 1.0, 0.0, 1.0) == 1.0


def test_the_normal_tail_keeps_its_digits() -> None:
    x = np.linspace(-37.0, 12.0, 491)
    assert log_normal_below(x) == pytest.approx(log_ndtr(x), rel=1e-12)
    assert log_normal_below(np.array([-50.0]))[0] == -math.inf
