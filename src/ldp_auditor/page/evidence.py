"""The evidence of violations: counts, p-values, and the command that repeats the audit."""

import json
import math
import shlex
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

from ldp_auditor.errors import AuditError
from ldp_auditor.figures.points import Point, settings_of, varied, words_of
from ldp_auditor.figures.words import allowed_in_words, inputs_in_words
from ldp_auditor.report.verdicts import attack_in_words
from ldp_auditor.results.audit_result import AuditResult
from ldp_auditor.results.check_result import CheckResult, Finding, p_value
from ldp_auditor.sweeps.cells import Cell

MOST_SHOWN, MOST_OF_ONE = 40, 3
"""Violations that are shown with their evidence, in all and of one mechanism."""


@dataclass(frozen=True)
class Evidence:
    """What proves one violation: an event, in its setting."""

    name: str
    setting: str
    claimed: float
    alpha: float
    finding: Finding
    """Its inputs are words."""
    allowed: str
    """How much more often the event may happen for one input than for the other."""
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
    first, second = _json(result.pair.first), _json(result.pair.second)
    found = Finding(
        first=first,
        second=second,
        event=f"{attack_in_words(result.attack)} says that the input was {first}",
        **vars(result.counts),
        empirical_epsilon=result.empirical_epsilon,
        p_value=p_value(result.allowed, result.bound, result.counts),
    )
    claimed, repeat = result.claim.epsilon, command_of(key, result)
    allowed = allowed_in_words(result.allowed)
    return Evidence(result.mechanism, setting, claimed, result.alpha, found, allowed, repeat)


def of_check(result: CheckResult) -> Evidence:
    """The evidence of a check: the event that was found and how often it happened."""
    best = result.best
    found = replace(best, first=_json(best.first), second=_json(best.second))
    setting, claimed = inputs_in_words(result), result.claim.epsilon
    allowed = allowed_in_words(result.claim.at(best.distance or 1.0))
    return Evidence(result.name, setting, claimed, result.alpha, found, allowed, result.repeat)


def command_of(key: str, result: AuditResult) -> str:
    """The command that repeats an audit; none unless it makes the very plan of the journal.

    A name with a colon would import code, which what a stranger wrote must not do.
    """
    settings = _settings(result)
    if any(":" in name for name in (result.mechanism, result.metric or "", result.attack)):
        return ""
    try:
        if Cell.of(protocol=result.mechanism, **settings).key != key:
            return ""
    except (AuditError, TypeError, ValueError):  # a mechanism of another program
        return ""
    words = ["ldp-auditor", "audit", result.mechanism]
    for name, value in settings.items():
        written = str(result.pair) if name == "pair" else _word(value)
        words += ["--" + name.replace("_", "-"), written]
    return shlex.join(words)


def _settings(result: AuditResult) -> dict[str, Any]:
    """What decided an audit, by the names of the command's options."""
    settings = {**settings_of(result), "attack": result.attack, "seed": result.seed}
    if result.precision is not None:
        settings["trials"] = "auto"
    left_out = {
        "composition": True,
        "neighbours": True,
        "domain_size": result.domain_size is None or "domain_sizes" in settings,  # which tell all
        "attributes": "domain_sizes" in settings,
        "epsilon": "epsilon_1" in settings or result.epsilon == math.inf,
        "delta": not result.delta,
        "reports": not result.is_over_time,
    }
    return {name: value for name, value in settings.items() if not left_out.get(name)}


def _word(value: Any) -> str:
    """A value as the command line has it: lists by commas."""
    return ",".join(map(str, value)) if isinstance(value, tuple | list) else str(value)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=repr)
