"""Plain values from a journal back into results, or the reason why they are none."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ldp_auditor.bounds import find_bound
from ldp_auditor.core import AuditResult, Claim, Counts, InputPair, Rates
from ldp_auditor.errors import AuditError, require, whole_number
from ldp_auditor.findings import CheckResult, Finding
from ldp_auditor.sweeps.table import OF_EVERY_AUDIT

Plain = Mapping[str, Any]

LARGEST = 1e100
"""Numbers beyond it are none of ours, and would not add up."""

OWN = frozenset(
    [
        *OF_EVERY_AUDIT,
        "mechanism",
        "epsilon",
        "delta",
        "domain_size",
        "pair",
        "claimed_epsilon",
        "claimed_delta",
        "pilot_trials",
    ]
)
"""What `AuditResult.to_dict` writes of itself; all else are options."""


def audit_of(plain: Plain) -> AuditResult:
    """Read an audit, or raise."""
    stated = Claim(real(plain, "epsilon"), real(plain, "delta", 0.0))
    over_time = "claimed_epsilon" in plain
    claim = stated
    if over_time:
        claim = Claim(real(plain, "claimed_epsilon"), real(plain, "claimed_delta", 0.0))
    pair = plain.get("pair")
    require(isinstance(pair, list) and len(pair) == 2, f"pair must be two inputs, got {pair!r}")
    assert pair is not None
    alpha = real(plain, "alpha")
    require(0 < alpha < 1, f"alpha must lie between 0 and 1, got alpha={alpha}")
    find_bound(word(plain, "bound"))
    rates = [maybe(plain, f"exact_{side}_positive_rate") for side in ("true", "false")]
    result = AuditResult(
        mechanism=word(plain, "mechanism"),
        claim=claim,
        domain_size=whole(plain, "domain_size", 1),
        pair=InputPair(*pair),
        attack=word(plain, "attack"),
        bound=word(plain, "bound"),
        alpha=alpha,
        counts=_counts(plain),
        empirical_epsilon=real(plain, "empirical_epsilon"),
        attack_epsilon=maybe(plain, "attack_epsilon"),
        worst_case_epsilon=maybe(plain, "worst_case_epsilon"),
        monte_carlo_limit=real(plain, "monte_carlo_limit", math.inf),
        seed=whole(plain, "seed", 0),
        seconds=0.0,
        options={name: _option(value) for name, value in plain.items() if name not in OWN},
        pilot_trials=whole(plain, "pilot_trials", 0, default=0),
        per_report=stated if over_time else None,
        exact_rates=None if rates[0] is None or rates[1] is None else Rates(rates[0], rates[1]),
    )
    _fits(plain, result.verdict)
    return result


def fits_plan(plan: Plain, results: list[Any]) -> bool:
    """Tell whether these are the results of an audit with that plan, as far as it shows."""
    try:
        audits = [audit_of(plain) for plain in results]
    except (AuditError, OverflowError):
        return False
    told = [(a.mechanism, a.attack, a.bound, a.alpha, a.counts.trials, a.seed) for a in audits]
    planned = tuple(
        plan.get(name) for name in ("mechanism", "attack", "bound", "alpha", "trials", "seed")
    )
    looks = plan.get("reports", [1])
    return isinstance(looks, list) and told == [planned] * len(looks)


def check_of(plain: Plain) -> CheckResult:
    """Read a check, or raise."""
    found = plain.get("findings")
    power = plain.get("power", [])
    values = plain.get("values")
    for name, value in (("findings", found), ("power", power), ("values", values)):
        listed = isinstance(value, list)
        require(listed, f"{name} must be a list, got {name}={str(value)[:40]!r}")
    assert found is not None
    assert values is not None
    for entry in (*found, *power):
        require(isinstance(entry, dict), f"a finding must be an object, got {str(entry)[:40]!r}")
    result = CheckResult(
        name=word(plain, "target"),
        claim=Claim(real(plain, "epsilon"), real(plain, "delta", 0.0)),
        values=tuple(values),
        alpha=real(plain, "alpha"),
        seed=whole(plain, "seed", 0),
        trials=whole(plain, "trials", 0),
        pilot_trials=whole(plain, "pilot_trials", 0, default=0),
        findings=tuple(
            Finding(
                entry.get("first"),
                entry.get("second"),
                word(entry, "event"),
                _counts(entry),
                real(entry, "empirical_epsilon"),
                real(entry, "p_value"),
            )
            for entry in found
        ),
        power=tuple((real(row, "event_probability"), real(row, "excess")) for row in power),
        seconds=0.0,
        reports=whole(plain, "reports", 0, default=0),
        learned=plain["learned"] if isinstance(plain.get("learned"), bool) else None,
        repeat=str(plain.get("repeat", "")),
    )
    _fits(plain, result.verdict)
    return result


def real(plain: Plain, name: str, default: float | None = None) -> float:
    """A number that is not negative; an infinite one is written as "inf"."""
    value = plain.get(name, default)
    require(value is not None, f"{name} is missing")
    if value in ("inf", math.inf):
        return math.inf
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    require(is_number, f"{name} must be a number, got {name}={str(value)[:40]!r}")
    assert value is not None
    require(0 <= value <= LARGEST, f"{name} must lie in 0..{LARGEST:g}, got {str(value)[:40]}")
    return float(value)


def maybe(plain: Plain, name: str) -> float | None:
    """A number that may not be known."""
    return None if plain.get(name) is None else real(plain, name)


def whole(plain: Plain, name: str, at_least: int, default: int | None = None) -> int:
    """A whole number."""
    value = plain.get(name, default)
    require(value is not None, f"{name} is missing")
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    require(is_whole, f"{name} must be a whole number, got {name}={str(value)[:40]!r}")
    return whole_number(name, value, at_least)


def word(plain: Plain, name: str) -> str:
    """A name, as it is."""
    value = plain.get(name)
    require(
        isinstance(value, str) and bool(value), f"{name} must be a name, got {str(value)[:40]!r}"
    )
    return str(value)


def _counts(plain: Plain) -> Counts:
    return Counts(
        whole(plain, "trials", 1),
        whole(plain, "true_positives", 0),
        whole(plain, "false_positives", 0),
    )


def _option(value: Any) -> Any:
    """An option as something that can be compared and shown."""
    if isinstance(value, list):
        return tuple(_option(entry) for entry in value)
    if isinstance(value, dict):
        return str(value)
    return math.inf if value == "inf" else value


def _fits(plain: Plain, verdict: str) -> None:
    said = plain.get("verdict", verdict)
    require(said == verdict, f"its verdict {str(said)[:40]!r} does not follow from its numbers")
