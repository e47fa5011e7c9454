"""The whole page in one sentence, and the setting that it is about."""

from collections.abc import Sequence

from ldp_auditor.figures.points import Point, is_number
from ldp_auditor.figures.words import counted, value_in_words
from ldp_auditor.report.verdicts import (
    BROKEN,
    CHANCE,
    HOLLOW,
    KEPT,
    NO_CLAIM,
    VIOLATION,
    Kind,
    Summary,
)
from ldp_auditor.results.check_result import CheckResult


def worst_of(verdicts: Sequence[Summary]) -> dict[str, Kind]:
    """The worst verdict on every name: one may have been checked against several claims."""
    worst: dict[str, Kind] = {}
    for verdict in verdicts:
        worst[verdict.name] = min(verdict.kind, worst.get(verdict.name, NO_CLAIM))
    return worst


def headline(verdicts: Sequence[Summary]) -> str:
    """The whole page in one sentence."""
    # A weak promise that is kept is kept.
    kinds = [KEPT if kind == HOLLOW else kind for kind in worst_of(verdicts).values()]
    proven, by_theory = kinds.count(VIOLATION), kinds.count(BROKEN)
    broken, promising = proven + by_theory, len(kinds) - kinds.count(NO_CLAIM)
    if not broken:
        return _headline_without_violation(kinds.count(KEPT), kinds.count(CHANCE), promising)
    how = f": {proven:,} proven by attack, {by_theory:,} by exact theory"
    if not proven or not by_theory:
        how = ", by exact theory" if by_theory else ""
    if promising == 1:
        return f"The mechanism breaks its privacy promise{how}."
    if promising < len(kinds):
        verb = "breaks" if broken == 1 else "break"
        those = f"the {promising:,} mechanisms that make a privacy promise"
        return f"{broken:,} of {those} {verb} it{how}."
    verb = "breaks its" if broken == 1 else "break their"
    return f"{broken:,} of {promising:,} mechanisms {verb} privacy promise{how}."


def _headline_without_violation(kept: int, by_chance: int, promising: int) -> str:
    if not promising:
        return "Nothing was promised, so nothing could be broken."
    if by_chance and kept + by_chance == promising:
        return "The privacy promises hold; what was measured above them, chance explains."
    if kept == promising == 1:
        return "The mechanism keeps its privacy promise."
    if kept == promising:
        return f"All {kept} mechanisms that make a privacy promise keep it."
    beyond = " beyond chance" if by_chance else ""
    return f"No violation{beyond} was found in {counted(promising, 'mechanism')}."


def setting_in_words(points: Sequence[Point], checks: Sequence[CheckResult]) -> str:
    """What all results are about: one value or a range of epsilon, k, reports and trials."""
    claims = [p.setting["epsilon"] for p in points] + [check.claim.epsilon for check in checks]
    spans = {
        "ε": claims,
        "k": [point.setting["domain_size"] for point in points],
        "reports": [point.setting["reports"] for point in points],
        "T": [point.first.counts.trials for point in points],
    }
    words = []
    for name, values in spans.items():
        finite = sorted({value for value in values if is_number(value)})
        if not finite or (name == "reports" and finite == [1]):
            continue
        ends = dict.fromkeys(value_in_words(value) for value in (finite[0], finite[-1]))
        words.append(f"{name} = {' to '.join(ends)}")
    return ", ".join(words)
