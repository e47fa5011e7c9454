"""Portable functions agree with mpmath to about one unit in the last place, compiled or not."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from pathlib import Path

import mpmath
import numpy as np
import pytest

import ldp_auditor
from ldp_auditor import portable_math
from ldp_auditor.mechanisms.kernels.compilation import compiled

mpmath.mp.dps = 40
POINTS = 400


def log_tail(x: mpmath.mpf) -> mpmath.mpf:
    return mpmath.log(mpmath.erfc(x / mpmath.sqrt(2)) / 2)


@pytest.mark.parametrize(
    ("function", "exact", "low", "high", "units"),
    [
        (portable_math.exp, mpmath.exp, -700.0, 700.0, 1),
        (portable_math.exp, mpmath.exp, -1.0, 1.0, 1),
        (portable_math.expm1, mpmath.expm1, -3.0, 3.0, 4),
        (portable_math.expm1, mpmath.expm1, -1e-9, 1e-9, 1),
        (portable_math.log, mpmath.log, 1e-300, 1e300, 1),
        (portable_math.log, mpmath.log, 0.4, 2.5, 1),
        (portable_math.log, mpmath.log, 0.999, 1.001, 1),
        (portable_math.log2, lambda x: mpmath.log(x, 2), 1e-300, 1e300, 1),
        (portable_math.log2, lambda x: mpmath.log(x, 2), 0.4, 2.5, 3),
        (portable_math.log1p, mpmath.log1p, -0.99, 10.0, 2),
        (portable_math.log1p, mpmath.log1p, -1e-9, 1e-9, 1),
        (portable_math.log_normal_tail, log_tail, -4.0, 4.0, 16),
        (portable_math.log_normal_tail, log_tail, 4.0, 200.0, 2),
    ],
)
def test_the_last_place(
    function: Callable[[float], float],
    exact: Callable[[mpmath.mpf], mpmath.mpf],
    low: float,
    high: float,
    units: int,
) -> None:
    for x in np.linspace(low, high, POINTS).tolist():
        expected = exact(mpmath.mpf(x))
        error = abs(mpmath.mpf(function(x)) - expected)
        assert error <= units * math.ulp(float(expected)), x


def test_a_power_of_two_has_a_whole_logarithm() -> None:
    for power in range(-1074, 1024):
        assert portable_math.log2(math.ldexp(1.0, power)) == power


def test_limits() -> None:
    assert portable_math.exp(0.0) == 1.0
    assert portable_math.log(1.0) == 0.0
    assert portable_math.expm1(0.0) == portable_math.log1p(0.0) == 0.0
    assert portable_math.exp(710.0) == math.inf
    assert portable_math.exp(-746.0) == 0.0
    assert portable_math.exp(-745.0) == math.ulp(0.0)  # the smallest float
    assert portable_math.log(0.0) == portable_math.log1p(-1.0) == -math.inf
    assert portable_math.log(math.inf) == portable_math.log1p(math.inf) == math.inf
    assert math.isnan(portable_math.log(-1.0))
    assert math.isnan(portable_math.exp(math.nan))


def test_compiled_functions_have_the_same_bits() -> None:
    exp, log = compiled(portable_math.exp), compiled(portable_math.log)
    for x in np.linspace(-740.0, 709.0, 5 * POINTS).tolist():
        assert exp(x) == portable_math.exp(x)
        assert log(math.ldexp(1.0 + abs(x) / 1000, int(x))) == portable_math.log(
            math.ldexp(1.0 + abs(x) / 1000, int(x))
        )


UNPORTABLE = {
    "exp",
    "expm1",
    "exp2",
    "log",
    "log1p",
    "log2",
    "log10",
    "pow",
    "power",
    "erf",
    "erfc",
}


def test_mechanisms_call_no_other_library_for_what_they_sample() -> None:
    """Compiled functions call none of math's and NumPy's; parameters call none of math's."""
    folder = Path(ldp_auditor.__file__).parent / "mechanisms"
    for path in folder.rglob("*.py"):
        tree = ast.parse(path.read_text())
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                assert (node.value.id, node.attr) not in {("math", name) for name in UNPORTABLE}, (
                    f"{path}:{node.lineno} uses math.{node.attr}; use ldp_auditor.portable_math"
                )
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef) and any(
                isinstance(d, ast.Name) and d.id == "compiled" for d in function.decorator_list
            ):
                for node in ast.walk(function):
                    assert not (isinstance(node, ast.Attribute) and node.attr in UNPORTABLE), (
                        f"{path}:{function.lineno} {function.name} uses {node.attr}"
                    )
