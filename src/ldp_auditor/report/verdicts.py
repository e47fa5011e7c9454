"""What was found about a mechanism, in one sentence and a kind; kinds sort from worst to best."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ldp_auditor.bounds import find_bound
from ldp_auditor.core import Claim
from ldp_auditor.figures.points import Point, is_number, varied, words_of
from ldp_auditor.figures.words import (
    claim_in_words,
    odds_in_words,
    share_in_words,
    shown,
    value_in_words,
)
from ldp_auditor.results.check_result import CheckResult
from ldp_auditor.results.violations import explained_by_chance


class Kind(NamedTuple):
    """What can be found about a mechanism, and how it is shown; kinds sort from worst to best."""

    rank: int
    title: str
    sign: str
    style: str
    lede: str
    """Stands before the names of such mechanisms."""


VIOLATION = Kind(0, "violation", "✕", "violation", "Broken, with proof")
BROKEN = Kind(
    *(1, "broken by theory", "!", "broken"),
    "Cannot hold by exact theory, though no attack here proved it",
)
CHANCE = Kind(
    *(2, "within chance", "≈", "undecided"),
    "Kept by exact theory, and measured above it no more often than chance explains",
)
UNDECIDED = Kind(
    3, "no violation found", "?", "undecided", "No violation found, which is no certificate"
)
HOLLOW = Kind(
    *(4, "kept, but weak", "○", "undecided"),
    "Kept by exact theory, but in some settings as good as no promise",
)
KEPT = Kind(5, "keeps its promise", "✓", "kept", "Kept by exact theory, and no attack got further")
NO_CLAIM = Kind(6, "promises nothing", "\N{EN DASH}", "silent", "Nothing promised")

WORTH_LITTLE = math.log(1000)
"""A promise of more than this lets a fair guess become better than 1,000 to 1."""


@dataclass(frozen=True)
class Summary:
    """What was found about one mechanism."""

    kind: Kind
    name: str
    sentence: str
    """Goes on after the name."""

    @property
    def words(self) -> str:
        """The name and the sentence together."""
        return f"{self.name}{':' if self.sentence.startswith('no ') else ''} {self.sentence}"


def summary_of_audits(name: str, points: Sequence[Point]) -> Summary:
    """Say what the audits of a mechanism found: the worst of what its points show."""
    promising = [point for point in points if point.promises]
    false_alarms = _false_alarms(promising)
    kind = min(kind_of_point(point, bool(false_alarms)) for point in points)
    if kind == VIOLATION:
        words = _violation(points)
    elif kind == BROKEN:
        words = _broken(promising)
    elif kind == CHANCE:
        words = false_alarms
    elif kind == NO_CLAIM:
        words = _nothing(points)
    else:
        kept = kind in (KEPT, HOLLOW)
        said = "keeps its promise of {}" if kept else "no violation of {} was found"
        words = f"{said.format(_promise(promising))}: {_reached(promising)}."
        words += (_slack(promising) if kept else "") + _odds(promising)
    return Summary(kind, name, words)


def kind_of_point(point: Point, by_chance: bool) -> Kind:
    """The kind of summary of one setting; `by_chance` is decided for the whole mechanism."""
    if point.violations:
        return CHANCE if by_chance else VIOLATION
    if not point.promises:
        return NO_CLAIM
    if point.broken_by_theory:
        return BROKEN
    if point.worst is None:
        return UNDECIDED
    return HOLLOW if point.claimed > WORTH_LITTLE else KEPT


def summary_of_check(result: CheckResult) -> Summary:
    """Say what a check found."""
    claim = claim_in_words(result.claim)
    if result.verdict == "violation":
        proven = result.best.empirical_epsilon
        amount = (
            "an infinite epsilon" if proven == math.inf else f"at least {proven_number(proven)}"
        )
        words = (
            f"breaks its promise of {claim}: an event that tells two inputs apart proves {amount} "
            f"with {confidence(result.alpha)} confidence.{_broken_odds(proven, result.claim)}"
        )
        return Summary(VIOLATION, result.name, words)
    words = f"no violation of {claim} was found"
    if result.findings:
        part = _part_of(result.best.empirical_epsilon, result.claim.epsilon)
        words += f"; the strongest event proves {part}"
    words += "."
    power = min(result.power, key=lambda power: power.excess, default=None)
    if power is not None and power.excess < math.inf:
        words += (
            f" An excess of {power.excess:.2g} in an event of probability "
            f"{power.event_probability:g} would have been proven with a chance of 90%."
        )
    return Summary(UNDECIDED, result.name, words)


def _violation(points: Sequence[Point]) -> str:
    broken = [point for point in points if point.violations]
    worst = max(broken, key=lambda p: max(r.empirical_epsilon for _, r in p.violations) - p.claimed)
    _, result = max(worst.violations, key=lambda found: found[1].empirical_epsilon)
    claim = claim_in_words(result.claim)
    if _single(points):
        words = f"breaks its promise of {claim}: "
    else:
        by_theory = [point for point in points if point.broken_by_theory]
        many = f"in {_of(broken, points)} settings"
        if _settings(by_theory) > _settings(broken):
            proven = f"proven in {_settings(broken):,}"
            many = f"in {_of(by_theory, points)} settings by exact theory, {proven}"
        words = f"breaks its promise {many}. At {claim}{_where(worst, points)}, "
    words += (
        f"{attack_in_words(result.attack)} {_proves(result.bound)} at least "
        f"{proven_number(result.empirical_epsilon)} with {_sureness(result.bound, result.alpha)}."
        f"{_broken_odds(result.empirical_epsilon, result.claim)}"
    )
    if worst.worst is None:
        return words
    words += f" Its exact worst case is {number(worst.worst)}"
    if worst.broken_by_theory:
        return f"{words}."
    return (
        f"{words}, so this is a false alarm, of which {result.alpha:g} in one may be expected, or "
        "the program deviates from the theory."
    )


def _false_alarms(promising: Sequence[Point]) -> str:
    """Words for violations that alpha explains where the exact worst case keeps the promise."""
    known = all(p.worst is not None for p in promising)
    count = sum(len(point.violations) for point in promising)
    if not count or not known or any(p.broken_by_theory for p in promising):
        return ""
    audits = sum(len(point.results) for point in promising)
    alpha = max(point.first.alpha for point in promising)
    if not explained_by_chance(count, audits, alpha):
        return ""
    return (
        f"was measured above its promise in {count:,} of {audits:,} audits, no more than chance "
        f"explains: each is wrong with probability up to {alpha:g}. Its exact worst case keeps "
        f"{_promise(promising)}: {_reached(promising)}."
    )


def _broken(promising: Sequence[Point]) -> str:
    by_theory = [point for point in promising if point.broken_by_theory]
    worst = max(by_theory, key=lambda p: (p.worst or 0) - p.claimed)
    records = " for the records compared" if worst.first.neighbours is not None else ""
    claim = claim_in_words(worst.first.claim)
    if _single(promising):
        where = f"of {claim}{records}:"
    else:
        many = f"{_of(by_theory, promising)} settings. At {claim}{_where(worst, promising)}, "
        where = f"{records} in {many}".strip()
    return (
        f"cannot keep its promise {where} its exact worst case is {number(worst.worst)}. No attack "
        f"here proved it: {_reached(by_theory)}."
    )


def _broken_odds(proven: float, claim: Claim) -> str:
    """What was proven against a promise, in odds; none that would read alike, or need a delta."""
    reached, allowed = odds_in_words(proven), odds_in_words(claim.epsilon)
    if claim.delta or reached == allowed:
        return ""
    return f" A fair guess becomes {reached}, where the promise allows {allowed}."


def _odds(promising: Sequence[Point]) -> str:
    """What the promise is worth: which odds it lets an attacker reach."""
    claims = sorted({point.claimed for point in promising})
    near = " between inputs one unit apart" if promising[0].first.claim.metric else ""
    words = f" The promise lets a fair guess{near} become {odds_in_words(claims[0])}"
    if len(claims) > 1:
        words += (
            f" at epsilon = {value_in_words(claims[0])}, and {odds_in_words(claims[-1])} at "
            f"epsilon = {value_in_words(claims[-1])}"
        )
    delta = max(point.first.claim.delta for point in promising)
    if delta:
        words += f", and certain with a probability of {value_in_words(delta)}"
        words += " at most" if len(promising) > 1 else ""
    little = [point for point in promising if point.claimed > WORTH_LITTLE]
    if not little:
        return f"{words}."
    if len(little) == len(promising):
        return f"{words}: as good as no promise."
    return f"{words}: as good as no promise in {_of(little, promising)} settings."


def _slack(promising: Sequence[Point]) -> str:
    """What the exact worst case leaves of the promise, if that is more than a little."""
    worst = promising[0].worst
    slack = max((p.claimed - (p.worst or 0)) / p.claimed for p in promising)
    if slack <= 0.01:
        return ""
    if _single(promising):
        return f" Even its worst case is only {number(worst)}: the promise is not tight."
    return f" Up to {slack:.0%} of the promise is slack: even the worst case stays below it."


def _where(point: Point, points: Sequence[Point]) -> str:
    """What tells a point from the others, beside its claim."""
    names = [name for name in varied(points) if name != "epsilon" or point.first.is_over_time]
    return f" and {words_of(point.setting, names)}" if names else ""


def _nothing(points: Sequence[Point]) -> str:
    best = max(points, key=lambda point: point.measured)
    words = (
        f"promises nothing; {attack_in_words(best.first.attack)} "
        f"{_proves(best.first.bound)} an epsilon of at least {proven_number(best.measured)}"
    )
    if best.worst == math.inf:
        words += ", and no finite epsilon holds"
    return words + "."


def _promise(points: Sequence[Point]) -> str:
    """What was promised, over all settings."""
    if len({point.first.claim for point in points}) == 1:
        claim = claim_in_words(points[0].first.claim)
    else:
        claims = sorted({point.claimed for point in points})
        claim = f"epsilon = {value_in_words(claims[0])}"
        if len(claims) > 1:
            claim += f" to {value_in_words(claims[-1])}"
    if _single(points):
        return claim
    spans = [_span(points, name) for name in varied(points) if name not in ("epsilon", "pair")]
    spans = [span for span in spans if span]
    inside = f" ({'; '.join(spans)})" if spans else ""
    return f"{claim} in {_every(_settings(points))} settings{inside}"


def _span(points: Sequence[Point], name: str) -> str:
    values: list[Any] = [point.setting.get(name) for point in points]
    if not all(is_number(value) for value in values):
        return ""
    return f"{words_of({name: min(values)}, [name])} to {value_in_words(max(values))}"


def _reached(points: Sequence[Point]) -> str:
    """What every attack proves, the strongest first."""
    attacks = dict.fromkeys(point.first.attack for point in points)
    by_attack = {a: [p for p in points if p.first.attack == a] for a in attacks}
    order = sorted(by_attack, key=lambda a: -max(p.measured / p.claimed for p in by_attack[a]))
    parts = []
    for place, attack in enumerate(order):
        mine = by_attack[attack]
        verb = _proves(mine[0].first.bound) if place == 0 else "reaches"
        if len(mine) == 1:
            amount = _part_of(mine[0].measured, mine[0].claimed, said=place > 0)
        else:
            shares = sorted(mine, key=lambda point: point.measured / point.claimed)
            low, high = (share_in_words(p.measured, p.claimed) for p in (shares[0], shares[-1]))
            amount = (low if low == high else f"{low} to {high}") + (" of it" if place == 0 else "")
        parts.append(f"{attack_in_words(attack)} {verb} {amount}")
    return "; ".join(parts)


def _part_of(proven: float, claimed: float, said: bool = False) -> str:
    """A proven epsilon beside the claim; with a claim of 1 it is the share as well."""
    if proven == 0:
        return "nothing"
    words = proven_number(proven) + ("" if said else " of it")
    return words if claimed == 1 else f"{words} ({share_in_words(proven, claimed)})"


def attack_in_words(name: str) -> str:
    """An attack in a sentence."""
    return "the paper's attack" if name == "paper" else f"the {shown(name, 40)} attack"


def _settings(points: Sequence[Point]) -> int:
    return len({repr(point.setting) for point in points})


def _of(some: Sequence[Point], points: Sequence[Point]) -> str:
    """How many of the settings, in words."""
    count, of = _settings(some), _settings(points)
    return _every(of) if count == of else f"{count:,} of {of:,}"


def _every(settings: int) -> str:
    return "both" if settings == 2 else f"all {settings:,}"


def _single(points: Sequence[Point]) -> bool:
    return _settings(points) == 1


def _proves(bound: str) -> str:
    return "makes credible" if find_bound(bound).guarantee == "credible" else "proves"


def _sureness(bound: str, alpha: float) -> str:
    """How sure what a bound shows is, in words that its guarantee allows."""
    words = {
        "confidence": "{} confidence",
        "asymptotic": "about {} confidence",
        "credible": "a posterior probability of {}",
    }
    return words[find_bound(bound).guarantee].format(confidence(alpha))


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


def proven_number(value: float) -> str:
    """A lower bound for a sentence, never rounded up: more would be said than was proven.

    >>> proven_number(1.4059), proven_number(0.0055), proven_number(1.4)
    ('1.405', '0.005', '1.400')
    """
    floored = math.floor(round(1000 * value, 6)) / 1000 if 0.001 <= value < 1e6 else value
    return number(floored)
