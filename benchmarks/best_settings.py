"""Compares what `choose` finds for every protocol with the best setting of a fine grid.

    python benchmarks/best_settings.py [NUMBER OF A QUESTION]... [PROTOCOL]...

A line for every question and protocol whose answer is worse than one of the grid by more than 0.1
percent, then how many were compared. The grid asks the mechanisms themselves: nothing of the solver
is used.
"""

import itertools
import math
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from ldp_auditor import AuditError, choose
from ldp_auditor.choosing.interface import ask
from ldp_auditor.choosing.participants import considered
from ldp_auditor.mechanisms import find, make
from ldp_auditor.mechanisms.capabilities import default_pair

QUESTIONS: list[dict[str, Any]] = [
    {"domain_size": 10, "users": 10_000, "max_epsilon": 1.3},
    {"domain_size": 2, "users": 100, "max_epsilon": 0.7},
    {"domain_size": 40, "users": 10_000, "max_epsilon": 3, "max_bits": 30},
    {"domain_size": 40, "users": 10_000, "max_epsilon": 5, "max_attack_success": 0.15},
    {"domain_size": 12, "users": 10_000, "max_error": 0.02},
    {"domain_size": 12, "users": 10_000, "max_worst_error": 0.02, "max_attack_success": 0.4,
     "objective": "epsilon"},
    {"domain_size": 12, "users": 10_000, "reports": 3, "max_epsilon": 2.5},
    {"domain_size": 12, "users": 10_000, "reports": 20, "max_epsilon": 4, "max_epsilon_1": 1},
    {"domain_size": 12, "users": 10_000, "reports": 20, "max_epsilon": 6},
    {"domain_size": 12, "users": 10_000, "reports": 5, "max_error": 0.05, "max_epsilon": 8,
     "objective": "epsilon"},
    {"domain_size": 12, "users": 10_000, "reports": 5, "max_error": 0.05, "max_epsilon": 4,
     "objective": "epsilon-1"},
    {"domain_size": 12, "users": 10_000, "reports": 50, "max_epsilon": 3, "max_bits": 8,
     "max_attack_success": 0.2},
    {"domain_size": 12, "users": 10_000, "reports": 1000, "max_epsilon": 2},
]  # fmt: skip


def settings_of(name: str, k: int, memoized: bool) -> Iterator[dict[str, Any]]:
    """Settings of a protocol, close together."""
    bare = name.removeprefix("Memo[").rstrip("]")
    if name == "RAPPOR":
        shares = np.concatenate([[0.001, 0.003], np.linspace(0.01, 0.99, 26), [0.997, 0.999]])
        for f, p, q in itertools.product(np.linspace(0.02, 0.98, 25), shares, shares):
            if p < q:
                yield {"f": float(f), "p": float(p), "q": float(q)}
        return
    options: list[dict[str, Any]] = [{}]
    if bare in ("OLH", "OLOLOHA"):
        options = [{"hash_range": g} for g in (*range(2, 34), 40, 50, 64, 90, 128, 180, 256)]
    elif bare == "SS":
        options = [{"subset_size": omega} for omega in range(1, k)]
    elif bare == "dBitFlipPM":
        options = [{"buckets": k, "bits": d} for d in range(1, k + 1)]
    elif bare == "HR":
        options = [{"blocks": 2**i} for i in range(k.bit_length() + 1)]
    elif bare in ("CMS", "HCMS", "Bloom-SUE"):
        options = [{"width": 2**i} for i in range(1, 11)]
    elif bare == "PI-RAPPOR":
        options = [{"field": n} for n in (31, 43, 61, 127, 251, 509, 1021, 65_521, 4_294_967_291)]
    if not memoized:
        for epsilon, own in itertools.product(np.geomspace(0.002, 9.0, 250), options):
            yield {"epsilon": float(epsilon), **own}
        return
    shares = np.concatenate([np.linspace(0.03, 0.99, 25), [0.999]])
    together = np.linspace(0.2, 9.0, 45)
    coarse = slice(None, None, 2 if len(options) > 1 else 1)
    for infinity, share, own in itertools.product(together[coarse], shares[coarse], options):
        one = float(infinity * share)
        yield {"epsilon_1": one, "epsilon_infinity": float(infinity), **own}


def measured(mechanism: Any, asked: dict[str, Any]) -> dict[str, float]:
    """The columns of a setting, by the mechanism alone."""
    k, users, reports = asked["domain_size"], asked["users"], asked.get("reports", 1)
    pair = default_pair(mechanism)
    if mechanism.name in ("HR", "Memo[HR]"):
        everybody = np.eye(1, k)[0]
        variances = mechanism.frequency_variance(users, everybody)
        mean, worst = float(variances.mean()), float(variances.max())
    else:
        mean = mechanism.frequency_variance(users, 1 / k)
        worst = max(mechanism.frequency_variance(users, f) for f in (0.0, 1.0))
    fresh = not mechanism.memoizes
    law = mechanism.loss_law(pair) if fresh or mechanism.name.startswith("Memo[") else None
    one = law.supremum if law else mechanism.worst_case_over(pair, 1)
    every = one * (reports if fresh else 1) if law else mechanism.worst_case_over(pair, reports)
    found = {
        "max_error": math.sqrt(mean),
        "max_worst_error": math.sqrt(worst),
        "max_epsilon": every,
        "max_epsilon_1": one,
        "max_bits": mechanism.wire_bits(reports)[0],
    }
    if "max_attack_success" in asked:
        success = getattr(mechanism, "attack_success", lambda: None)()
        found["max_attack_success"] = math.inf if success is None else success
    return found


AIMS = {"error": "max_error", "epsilon": "max_epsilon", "epsilon-1": "max_epsilon_1"}


def best_of_grid(name: str, asked: dict[str, Any], aim: str) -> tuple[float, Any]:
    """The least of the objective among settings that keep the limits, and the setting."""
    best: tuple[float, Any] = (math.inf, None)
    memoized = "epsilon_infinity" in find(name).option_types()
    for setting in settings_of(name, asked["domain_size"], memoized):
        try:
            mechanism = make(name, domain_size=asked["domain_size"], **setting)
            columns = measured(mechanism, asked)
        except AuditError:
            continue
        kept = all(columns[n] <= v * (1 + 1e-9) for n, v in asked.items() if n.startswith("max_"))
        if kept and columns[aim] < best[0]:
            best = columns[aim], setting
    return best


def main(names: list[str]) -> None:
    """Compare, and print what loses."""
    compared = lost = 0
    numbers = [int(name) for name in names if name.isdigit()] or range(len(QUESTIONS))
    names = [name for name in names if not name.isdigit()]
    for number in numbers:
        asked = QUESTIONS[number]
        question = ask(
            users=asked["users"],
            domain_size=asked["domain_size"],
            reports=asked.get("reports", 1),
        )
        leaks = any(limit in asked for limit in ("max_epsilon", "max_epsilon_1"))
        aim = AIMS[asked.get("objective", "error" if leaks else "epsilon")]
        for name in names or considered(question):
            if name not in considered(question):
                continue
            found = choose(protocols=[name], **asked).choice
            column = {"max_error": "standard_error", "max_epsilon": "worst_case_epsilon"}.get(
                aim, "worst_case_epsilon_1"
            )
            mine = math.inf if found is None else getattr(found, column)
            best, setting = best_of_grid(name, asked, aim)
            compared += 1
            if best < mine * (1 - 1e-3):
                lost += 1
                own = None if found is None else (found.epsilon, dict(found.options))
                print(f"question {number}, {name}: {mine:.6g} by {own}, {best:.6g} by {setting}")
    print(f"{compared} compared, {lost} worse than the grid")


if __name__ == "__main__":
    main(sys.argv[1:])
