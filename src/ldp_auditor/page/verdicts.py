"""The verdicts in words: one sentence for every mechanism, violations first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scipy.stats import binom

from ldp_auditor.bounds import find_bound
from ldp_auditor.findings import CheckResult
from ldp_auditor.page.markup import shown
from ldp_auditor.page.points import Point, is_number, value_in_words, varied, words_of

VIOLATION, BROKEN, CHANCE, UNDECIDED, KEPT, NO_CLAIM = range(6)
"""Kinds of verdicts, the worst first."""

TITLES = {
    VIOLATION: "violation",
    BROKEN: "broken by theory",
    CHANCE: "within chance",
    UNDECIDED: "no violation found",
    KEPT: "keeps its promise",
    NO_CLAIM: "promises nothing",
}


LIKELY = 0.05
"""So many false alarms or more must be at least as probable as this to be taken for such."""


@dataclass(frozen=True)
class Verdict:
    """What was found about one mechanism."""

    kind: int
    name: str
    sentence: str
    """Goes on after the name."""


def verdict_on_audits(name: str, points: Sequence[Point]) -> Verdict:
    """Say what the audits of a mechanism found."""
    broken = [point for point in points if point.violations]
    promising = [point for point in points if point.claimed < math.inf]
    by_theory = [point for point in promising if point.broken_by_theory]
    if broken:
        false_alarms = _false_alarms(promising)
        if false_alarms:
            return Verdict(CHANCE, name, false_alarms)
        return Verdict(VIOLATION, name, _violation(points, broken))
    if by_theory:
        return Verdict(BROKEN, name, _broken(promising, by_theory))
    if not promising:
        return Verdict(NO_CLAIM, name, _nothing(points))
    if any(point.first.worst_case_epsilon is None for point in promising):
        words = f"no violation of {_promise(promising)} was found: {_reached(promising)}."
        return Verdict(UNDECIDED, name, words)
    slack = max((p.claimed - (p.first.worst_case_epsilon or 0)) / p.claimed for p in promising)
    rest = ""
    if slack > 0.01 and _single(promising):
        worst = promising[0].first.worst_case_epsilon
        rest = f" Even its worst case is only {number(worst)}: the promise is not tight."
    elif slack > 0.01:
        rest = f" Up to {slack:.0%} of the promise is slack: even the worst case stays below it."
    words = f"keeps its promise of {_promise(promising)}: {_reached(promising)}.{rest}"
    return Verdict(KEPT, name, words)


def verdict_on_check(result: CheckResult) -> Verdict:
    """Say what a check found."""
    claim = _claim(result.claim.epsilon, result.claim.delta)
    if result.verdict == "violation":
        best = result.best
        words = (
            f"breaks its promise of {claim}: an event that tells two inputs apart proves "
            f"{'an infinite epsilon' if best.empirical_epsilon == math.inf else 'at least '}"
            f"{'' if best.empirical_epsilon == math.inf else number(best.empirical_epsilon)} "
            f"with {confidence(result.alpha)} confidence."
        )
        return Verdict(VIOLATION, result.name, words)
    proven = f"; the strongest event proves {number(result.best.empirical_epsilon)} of it"
    words = f"no violation of {claim} was found{proven if result.findings else ''}."
    likely = [(rate, excess) for rate, excess in result.power if excess < math.inf]
    if likely:
        rate, excess = min(likely, key=lambda row: row[1])
        words += (
            f" An excess of {excess:.2g} in an event of probability {rate:g} would have been "
            "proven with a chance of 90%."
        )
    return Verdict(UNDECIDED, result.name, words)


def worst_of(verdicts: Sequence[Verdict]) -> dict[str, int]:
    """The worst verdict on every name: one may have been checked against several claims."""
    worst: dict[str, int] = {}
    for verdict in verdicts:
        worst[verdict.name] = min(verdict.kind, worst.get(verdict.name, NO_CLAIM))
    return worst


def headline(verdicts: Sequence[Verdict]) -> str:
    """The whole page in one sentence."""
    kinds = list(worst_of(verdicts).values())
    broken, by_theory, total = kinds.count(VIOLATION), kinds.count(BROKEN), len(kinds)
    things = "mechanism" if total == 1 else "mechanisms"
    if broken == total == 1:
        return "The mechanism breaks its privacy promise."
    if broken:
        verb = "breaks its" if broken == 1 else "break their"
        return f"{broken} of {total} {things} {verb} privacy promise."
    if by_theory:
        verb = "cannot keep its" if by_theory == 1 else "cannot keep their"
        return f"{by_theory} of {total} {things} {verb} privacy promise, by exact theory."
    return _headline_without_violation(kinds)


def _headline_without_violation(kinds: Sequence[int]) -> str:
    kept = kinds.count(KEPT)
    promising = len(kinds) - kinds.count(NO_CLAIM)
    if not promising:
        return "Nothing was promised, so nothing could be broken."
    if kinds.count(CHANCE) and kept + kinds.count(CHANCE) == promising:
        return "The privacy promises hold; what was measured above them, chance explains."
    if kept == promising:
        return (
            "The mechanism keeps its privacy promise."
            if kept == 1
            else f"All {kept} mechanisms that make a privacy promise keep it."
        )
    things = "mechanism" if promising == 1 else "mechanisms"
    beyond = " beyond chance" if kinds.count(CHANCE) else ""
    return f"No violation{beyond} was found in {promising} {things}."


def _violation(points: Sequence[Point], broken: Sequence[Point]) -> str:
    worst = max(broken, key=lambda p: max(r.empirical_epsilon for _, r in p.violations) - p.claimed)
    _, result = max(worst.violations, key=lambda found: found[1].empirical_epsilon)
    claim = _claim(result.claim.epsilon, result.claim.delta)
    if _single(points):
        words = f"breaks its promise of {claim}: "
    else:
        count, of = (len({repr(p.setting) for p in some}) for some in (broken, points))
        many = f"all {of:,}" if count == of else f"{count:,} of {of:,}"
        names = [name for name in varied(points) if name != "epsilon" or result.per_report]
        where = f" and {words_of(worst.setting, names)}" if names else ""
        words = f"breaks its promise in {many} settings. At {claim}{where}, "
    words += (
        f"the {shown(result.attack, 40)} attack {_proves(result.bound)} at least "
        f"{number(result.empirical_epsilon)} with {confidence(result.alpha)} confidence."
    )
    exact = result.worst_case_epsilon
    if exact is not None and not worst.broken_by_theory:
        words += (
            f" Its exact worst case is {number(exact)}, so this is a false alarm, of which "
            f"{result.alpha:g} in one may be expected, or the program deviates from the theory."
        )
    elif exact is not None:
        words += f" Its exact worst case is {number(exact)}."
    return words


def _false_alarms(promising: Sequence[Point]) -> str:
    """Words for violations that alpha explains where the exact worst case keeps the promise."""
    known = all(p.first.worst_case_epsilon is not None for p in promising)
    if not known or any(p.broken_by_theory for p in promising):
        return ""
    audits = sum(len(point.results) for point in promising)
    count = sum(len(point.violations) for point in promising)
    alpha = max(point.first.alpha for point in promising)
    if binom.sf(count - 1, audits, alpha) < LIKELY:
        return ""
    return (
        f"was measured above its promise in {count:,} of {audits:,} audits, no more than chance "
        f"explains: each is wrong with probability up to {alpha:g}. Its exact worst case keeps "
        f"{_promise(promising)}: {_reached(promising)}."
    )


def _broken(promising: Sequence[Point], by_theory: Sequence[Point]) -> str:
    worst = max(by_theory, key=lambda p: (p.first.worst_case_epsilon or 0) - p.claimed)
    where = "" if _single(promising) else f" ({words_of(worst.setting, varied(promising))})"
    records = " for the records compared" if isinstance(worst.first.pair.first, tuple) else ""
    return (
        f"cannot keep its promise of {_claim(worst.claimed, worst.first.claim.delta)}{records}"
        f"{where}: its exact worst case is {number(worst.first.worst_case_epsilon)}. No attack "
        f"here proved it: {_reached(by_theory)}."
    )


def _nothing(points: Sequence[Point]) -> str:
    best = max(points, key=lambda point: point.measured)
    words = (
        f"promises nothing; the {shown(best.first.attack, 40)} attack "
        f"{_proves(best.first.bound)} an epsilon of at least {number(best.measured)}"
    )
    if best.first.worst_case_epsilon == math.inf:
        words += ", and no finite epsilon holds"
    return words + "."


def _promise(points: Sequence[Point]) -> str:
    """What was promised, over all settings."""
    if len({(point.claimed, point.first.claim.delta) for point in points}) == 1:
        claim = _claim(points[0].claimed, points[0].first.claim.delta)
    else:
        claims = sorted({point.claimed for point in points})
        claim = f"epsilon = {value_in_words(claims[0])}"
        if len(claims) > 1:
            claim += f" to {value_in_words(claims[-1])}"
    if _single(points):
        return claim
    count = len({repr(point.setting) for point in points})
    spans = [
        span
        for name in varied(points)
        if name not in ("epsilon", "pair") and (span := _span(points, name))
    ]
    inside = f" ({'; '.join(spans)})" if spans else ""
    return f"{claim} in all {count:,} settings{inside}"


def _span(points: Sequence[Point], name: str) -> str:
    values = [point.setting.get(name) for point in points]
    if not all(is_number(value) for value in values):
        return ""
    low, high = min(values), max(values)  # type: ignore[type-var]
    both = words_of({name: low}, [name])
    return f"{both} to {value_in_words(high)}"


def _reached(points: Sequence[Point]) -> str:
    """What every attack proves, the strongest first."""
    attacks = dict.fromkeys(point.first.attack for point in points)
    by_attack = {a: [p for p in points if p.first.attack == a] for a in attacks}
    order = sorted(by_attack, key=lambda a: -max(p.measured / p.claimed for p in by_attack[a]))
    parts = []
    for place, attack in enumerate(order):
        mine = by_attack[attack]
        verb = _proves(mine[0].first.bound) if place == 0 else "reaches"
        owner = "the paper's attack" if attack == "paper" else f"the {shown(attack, 40)} attack"
        if len(mine) == 1:
            amount = number(mine[0].measured)
        else:
            shares = sorted(point.measured / point.claimed for point in mine)
            low, high = (f"{share:.0%}" for share in (shares[0], shares[-1]))
            amount = low if low == high else f"{low} to {high}"
        parts.append(f"{owner} {verb} {amount}" + (" of it" if place == 0 else ""))
    return "; ".join(parts)


def _single(points: Sequence[Point]) -> bool:
    return len({repr(point.setting) for point in points}) == 1


def _claim(epsilon: float, delta: float) -> str:
    words = f"epsilon = {value_in_words(epsilon)}"
    return f"{words}, delta = {delta:g}" if delta else words


def _proves(bound: str) -> str:
    return "makes credible" if find_bound(bound).guarantee == "credible" else "proves"


def confidence(alpha: float) -> str:
    """The confidence in percent: 99%, 99.9%, and never a rounded 100%."""
    return f"{100 * (1 - alpha):.15g}%" if alpha >= 1e-9 else f"1 - {alpha:g}"


def number(value: float | None) -> str:
    """A number for a sentence: three digits behind the point at most."""
    if value is None:
        return "unknown"
    if value == math.inf:
        return "infinite"
    if value and (value < 0.001 or value >= 1e6):
        return f"{value:.3g}"
    return f"{value:.3f}"
