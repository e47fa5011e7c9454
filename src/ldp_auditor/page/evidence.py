"""The evidence of violations: counts, p-values, and the command that repeats the audit."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Any

from ldp_auditor.core import Counts
from ldp_auditor.errors import AuditError
from ldp_auditor.figures.points import Point, varied, words_of
from ldp_auditor.page.markup import counted
from ldp_auditor.page.summaries import attack_in_words
from ldp_auditor.results.audit_result import AuditResult
from ldp_auditor.results.check_result import SMALLEST_P_VALUE, CheckResult, p_value
from ldp_auditor.sweeps.cells import Cell

MOST_SHOWN, MOST_OF_ONE = 40, 3
"""Violations that are shown with their evidence, in all and of one mechanism."""


@dataclass(frozen=True)
class Evidence:
    """What proves one violation."""

    name: str
    setting: str
    claimed: float
    proven: float
    alpha: float
    event: str
    first: str
    second: str
    counts: Counts
    p_value: float
    seed: int
    repeat: str
    """The command that repeats it, if it is known."""


def evidence_of(
    points: dict[str, list[Point]], checks: Sequence[CheckResult], by_chance: Set[str] = frozenset()
) -> list[Evidence]:
    """Collect the evidence of the strongest violations of every mechanism.

    What was measured above a promise `by_chance` is none.
    """
    found = [of_check(result) for result in checks if result.verdict == "violation"]
    for name, mine in points.items():
        names = varied(mine)
        broken = [
            (*max(point.violations, key=lambda entry: entry[1].empirical_epsilon), point)
            for point in mine
            if point.violations and name not in by_chance
        ]
        broken.sort(key=lambda entry: entry[1].claim.epsilon - entry[1].empirical_epsilon)
        for key, result, point in broken[:MOST_OF_ONE]:
            found.append(of_audit(words_of(point.setting, names), key, result))
    return found[:MOST_SHOWN]


def of_audit(setting: str, key: str, result: AuditResult) -> Evidence:
    """The evidence of an audit: how often the attack accused the first input."""
    return Evidence(
        name=result.mechanism,
        setting=setting,
        claimed=result.claim.epsilon,
        proven=result.empirical_epsilon,
        alpha=result.alpha,
        event=f"{attack_in_words(result.attack)} says that the input was {_input(result, 0)}",
        first=_input(result, 0),
        second=_input(result, 1),
        counts=result.counts,
        p_value=p_value(result.claim, result.bound, result.counts),
        seed=result.seed,
        repeat=command_of(key, result),
    )


def of_check(result: CheckResult) -> Evidence:
    """The evidence of a check: the event that was found and how often it happened."""
    best = result.best
    return Evidence(
        name=result.name,
        setting=inputs_in_words(result),
        claimed=result.claim.epsilon,
        proven=best.empirical_epsilon,
        alpha=result.alpha,
        event=best.event,
        first=_json(best.first),
        second=_json(best.second),
        counts=best.counts,
        p_value=best.p_value,
        seed=result.seed,
        repeat=result.repeat,
    )


def inputs_in_words(result: CheckResult) -> str:
    """How many inputs a check had."""
    return counted(len(result.values), "input")


def command_of(key: str, result: AuditResult) -> str:
    """The command that repeats an audit; none unless it makes the very plan of the journal."""
    settings = _settings(result)
    try:
        if Cell.of(protocol=result.mechanism, **settings).key != key:
            return ""
    except (AuditError, TypeError, ValueError):  # a mechanism of another program
        return ""
    words = [word for name, value in settings.items() for word in _option(name, value)]
    return shlex.join(["ldp-auditor", "audit", result.mechanism, *words])


def _settings(result: AuditResult) -> dict[str, Any]:
    """What decided an audit, by the names of the command's options."""
    options = dict(result.options)
    if "domain_sizes" in options:  # they tell how many attributes there are
        options.pop("attributes", None)
    else:
        options = {"domain_size": result.domain_size, **options}
    if "epsilon_1" not in options and result.epsilon < math.inf:
        options["epsilon"] = result.epsilon
    if result.delta:
        options["delta"] = result.delta
    settings = {**options, "pair": (result.pair.first, result.pair.second)}
    if result.is_over_time:
        settings["reports"] = result.reports
    if result.precision is None:
        settings["trials"] = result.trials
    else:
        settings |= {"trials": "auto", "precision": result.precision}
        settings["max_trials"] = result.max_trials
    return {
        **settings,
        **{name: getattr(result, name) for name in ("alpha", "bound", "attack", "seed")},
    }


def _option(name: str, value: Any) -> tuple[str, str]:
    flag = "--" + name.replace("_", "-")
    if isinstance(value, tuple):
        records = any(isinstance(entry, tuple) for entry in value)
        parts = [",".join(map(str, v)) if isinstance(v, tuple) else str(v) for v in value]
        return flag, (":" if records else ",").join(parts)
    return flag, str(value)


def _input(result: AuditResult, side: int) -> str:
    value = (result.pair.first, result.pair.second)[side]
    return str(list(value) if isinstance(value, tuple) else value)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=repr)


def p_value_in_words(value: float) -> str:
    """A p-value, or the limit below which it is not shown exactly."""
    return f"below {SMALLEST_P_VALUE:g}" if value < SMALLEST_P_VALUE else f"{value:.2g}"
