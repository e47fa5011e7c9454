"""For test suites: a test that fails when a randomizer breaks its promise.

The default false-alarm probability is 1e-6, and with a fixed seed the outcome is the same every
time for a target that draws from the generator it is given, from `random` or from `numpy.random`.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ldp_auditor.checks.interface import check
from ldp_auditor.errors import AuditError
from ldp_auditor.inputs import Inputs
from ldp_auditor.results.check_result import CheckResult

__all__ = ["assert_ldp"]


def assert_ldp(
    target: Any,
    values: Sequence[Any] | Inputs,
    epsilon: float,
    *,
    delta: float = 0.0,
    trials: int | None = None,
    seconds: float | None = None,
    alpha: float = 1e-6,
    seed: int = 42,
    **settings: Any,
) -> CheckResult:
    """Raise AssertionError, with the evidence, if a violation of the claim is proven.

    `target` is a callable from value to report (a parameter `rng` or `seed` is filled in), a batch
    callable of (value, n), or a name such as `package.module:function`. The budget is `trials`, the
    number of reports in all (200,000 by default), or `seconds`: then the speed is measured, and the
    number of reports is the power of ten that fits. That is the same on the same machine, but it
    can differ on another; `trials` cannot. The result tells what was tried and what could have been
    found. A target that cannot be checked raises `AuditError`, in one line.
    """
    __tracebackhide__ = True
    try:
        result = check(
            target,
            values,
            epsilon=epsilon,
            delta=delta,
            trials=trials,
            seconds=seconds,
            alpha=alpha,
            seed=seed,
            **settings,
        )
    except AuditError as error:
        raise AuditError(str(error)) from None  # without our frames
    result = replace(result, repeat=f"assert_ldp{result.repeat.removeprefix('check')}")
    if result.verdict == "violation":
        raise AssertionError(str(result))
    return result
