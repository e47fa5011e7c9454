"""For test suites: a test that fails when a randomizer breaks its promise.

The default false-alarm probability is 1e-6, and with a fixed seed the outcome is the same every
time for a target that draws from the generator it is given, from `random` or from `numpy.random`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ldp_auditor.checking import CheckResult, check
from ldp_auditor.report.evidence import evidence_text

__all__ = ["assert_ldp"]


def assert_ldp(
    target: Any,
    values: Sequence[Any],
    *,
    epsilon: float,
    delta: float = 0.0,
    trials: int = 200_000,
    alpha: float = 1e-6,
    seed: int = 42,
    **settings: Any,
) -> CheckResult:
    """Raise AssertionError, with the evidence, if a violation of the claim is proven.

    `target` is a callable from value to report (a parameter `rng` or `seed` is filled in), a batch
    callable of (value, n), or a name such as `package.module:function`. `trials` is the number of
    reports in all. The result tells what was tried and what could have been found.
    """
    __tracebackhide__ = True
    result = check(
        target,
        values,
        epsilon=epsilon,
        delta=delta,
        trials=trials,
        alpha=alpha,
        seed=seed,
        **settings,
    )
    if result.verdict == "violation":
        raise AssertionError(evidence_text(result))
    return result
