"""The figures of results: one entry for each kind."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

from ldp_auditor.attacks import ATTACKS
from ldp_auditor.audits.comparison import Comparison
from ldp_auditor.audits.gap import Explanation, Profile
from ldp_auditor.core import exceeds
from ldp_auditor.errors import AuditError
from ldp_auditor.figures.data import (
    Bars,
    BarSeries,
    Curves,
    FigureData,
    GapAccount,
    Line,
    Numbers,
    Step,
    Waterfall,
)
from ldp_auditor.figures.seeds import Average, over_seeds
from ldp_auditor.figures.words import (
    proven_in_words,
    short,
    step_in_words,
    three_digits,
    value_in_words,
)
from ldp_auditor.portable_math import exp
from ldp_auditor.results.audit_result import AuditResult, AuditResults
from ldp_auditor.results.check_result import CheckResult

LIMIT = "most that the trials can prove"
"""What a perfect attack proves with the trials of a figure."""


@singledispatch
def figure_of(result: Any) -> FigureData:
    """Return what the figure of a result shows."""
    raise AuditError(f"{type(result).__name__} has no figure")


@figure_of.register
def _(result: AuditResult) -> FigureData:
    return gap_account([result])


@figure_of.register
def _(results: AuditResults) -> FigureData:
    over_time = all(result.is_over_time for result in results)
    return over_time_curves(results) if over_time else comparison_bars(results)


@figure_of.register
def _(comparison: Comparison) -> FigureData:
    return figure_of(comparison.results)


@figure_of.register
def _(explanation: Explanation) -> FigureData:
    return gap_account(explanation.results)


@figure_of.register
def _(profile: Profile) -> FigureData:
    claimed, delta = profile.claim.epsilon, profile.claim.delta
    shown = [(at, smallest) for at, smallest in profile.curve if smallest > 0]
    x = [at for at, _ in shown]
    lines = [Line("exact profile", "exact", x, [smallest for _, smallest in shown], place=0)]
    if delta:
        lines.append(Line(f"delta = {value_in_words(delta)}", "limit", x, [delta] * len(x)))
    return Curves(
        profile.title,
        "epsilon",
        lines,
        y_title="smallest delta",
        log_y=bool(delta),
        chosen=claimed if claimed < math.inf else None,
        chosen_words=f"claimed epsilon = {value_in_words(claimed)}",
    )


@figure_of.register
def _(result: CheckResult) -> FigureData:
    if not result.findings:
        raise AuditError("there is no event to draw: all pilot reports said the same")
    best, claim = result.best, result.claim
    trials, proven = best.counts.trials, best.empirical_epsilon
    shares = [count / trials for count in (best.counts.true_positives, best.counts.false_positives)]
    allowed = min(1.0, exp(min(claim.epsilon, 700.0)) * shares[1] + claim.delta)
    event = f"{best.event[:60]} (share of {trials:,} reports)"
    words = [f"{share:.4g}" for share in shares]
    return Bars(
        title=f"{result.name}: epsilon at least {'∞' if proven == math.inf else f'{proven:.4f}'}",
        names=[short(f"value {value!r}", 40) for value in (best.first, best.second)],
        claimed=[allowed, allowed],
        worst=[None, None],
        series=[BarSeries(event, 0, shares, words, [None, None], "")],
        claimed_name=f"most that the claim allows for {best.first!r}, at the rate of "
        f"{best.second!r}",
        unclaimed_name="",
        top=1.12 * max(allowed, *shares),
        value_title="share of reports",
    )


def attack_places(attacks: Sequence[str]) -> dict[str, int]:
    """Which colour every attack has: our own the same in all figures, others after them."""
    return {name: place for place, name in enumerate(dict.fromkeys([*ATTACKS, *attacks]))}


def attack_title(attack: str) -> str:
    """How an attack is called in the name of a series."""
    return f"{short(attack, 40)} attack"


@dataclass(frozen=True)
class Measured:
    """What one attack proved of one mechanism, for a bar."""

    average: Average
    exact: float | None
    claimed: float
    worst: float | None


def make_bars(title: str, rows: Mapping[str, Mapping[str, Measured]], value_title: str) -> Bars:
    """Make bars of what every attack proved of every mechanism of `rows`, in their order."""
    attacks = list(dict.fromkeys(attack for mine in rows.values() for attack in mine))
    any_of = [next(iter(mine.values())) for mine in rows.values()]
    claims = {entry.claimed for entry in any_of} - {math.inf}
    promised = [
        value
        for mine in rows.values()
        for entry in mine.values()
        for value in (entry.claimed, entry.average.high, entry.exact)
        if entry.claimed < math.inf and value is not None and value < math.inf
    ]
    top = 1.12 * max(promised, default=1.0)
    places = attack_places(attacks)
    return Bars(
        title=title,
        names=list(rows),
        claimed=[entry.claimed for entry in any_of],
        worst=[entry.worst for entry in any_of],
        series=[
            _bar_series(attack, places[attack], [mine.get(attack) for mine in rows.values()])
            for attack in attacks
        ],
        claimed_name="claimed epsilon" + "".join(f" = {e:g}" for e in claims if len(claims) == 1),
        unclaimed_name="protocol claims nothing" if any(e.claimed == math.inf for e in any_of)
        else "",
        top=top,
        value_title=value_title,
    )  # fmt: skip


def _bar_series(attack: str, place: int, found: Sequence[Measured | None]) -> BarSeries:
    averages = [None if entry is None else entry.average for entry in found]
    means = [None if average is None else average.mean for average in averages]
    deviations = [None if average is None else average.deviation for average in averages]
    several = any(deviation is not None for deviation in deviations)
    name = attack_title(attack)
    return BarSeries(
        name=f"{name}, proven" + (" (mean and standard deviation)" if several else ""),
        place=place,
        measured=means,
        words=["" if mean is None else proven_in_words(mean) for mean in means],
        exact=[None if entry is None else entry.exact for entry in found],
        exact_name=f"{name}, unlimited trials",
        deviation=deviations if several else (),
    )


def comparison_bars(results: Sequence[AuditResult]) -> Bars:
    """A bar for every protocol and attack of a comparison."""
    first = results[0]
    rows: dict[str, dict[str, Measured]] = {}
    for result in results:
        rows.setdefault(result.mechanism, {})[result.attack] = Measured(
            over_seeds([result.empirical_epsilon]),
            result.attack_epsilon,
            result.claim.epsilon,
            result.worst_case_epsilon,
        )
    attacks = dict.fromkeys(result.attack for result in results)
    title = f"Empirical privacy loss of {len(rows)} protocols\n{_settings(first, attacks)}"
    return make_bars(title, rows, "epsilon")


def _settings(first: AuditResult, attacks: Mapping[str, Any]) -> str:
    return (
        f"attack: {', '.join(attacks)}; k = {first.domain_size}, T = {first.counts.trials:,}, "
        f"confidence 1 - {first.alpha:g}"
    )


def over_time_curves(results: Sequence[AuditResult]) -> Curves:
    """What is lost after how many reports, by every protocol and attack."""
    groups: dict[tuple[str, str], list[AuditResult]] = {}
    for result in results:
        groups.setdefault((result.mechanism, result.attack), []).append(result)
    attacks = dict.fromkeys(sorted(attack for _, attack in groups))
    lines = []
    for place, ((mechanism, attack), group) in enumerate(groups.items()):
        series = mechanism if len(attacks) == 1 else f"{mechanism}, {attack}"
        found: dict[str, Numbers] = {
            "proven": [result.empirical_epsilon for result in group],
            "exact": [result.attack_epsilon for result in group],
            "composed": [result.composed_epsilon for result in group],
            "claimed": [result.claim.epsilon for result in group],
        }
        x = [result.reports for result in group]
        lines += [
            Line(f"{series}, {role}", role, x, y, series, place, "full" * (role == "proven"))
            for role, y in found.items()
        ]
    looks = sorted({result.reports for result in results})
    limit = max(result.monte_carlo_limit for result in results)
    lines.append(Line(LIMIT, "limit", looks, [limit] * len(looks)))
    known = {result.composed_delta for result in results} - {None}
    deltas = {value_in_words(delta) for delta in known}
    at = f" at delta = {deltas.pop()}" if len(deltas) == 1 else ""
    title = "Privacy loss of users who report the same value again and again (marked: proven)"
    return Curves(
        f"{title}\n{_settings(results[0], attacks)}",
        "reports of each user",
        lines,
        log_x=True,
        log_y=True,
        kinds={
            "exact": "attack, unlimited trials (exact)",
            "claimed": "promised",
            "composed": f"tight composition{at}",
            "limit": LIMIT,
        },
    )


def gap_levels(result: AuditResult) -> tuple[float, float, float, float]:
    """Epsilon as claimed, in the worst case, by the attack for ever repeated, and as proven."""
    worst, attack = result.worst_case_epsilon, result.attack_epsilon
    if worst is None or attack is None:
        raise AuditError(f"the gap of {result.mechanism} needs its exact worst case and attack")
    return result.claim.epsilon, worst, attack, result.empirical_epsilon


def gap_account(results: Sequence[AuditResult], title: str | None = None) -> GapAccount:
    """The account of the gap, a waterfall for every attack."""
    first = results[0]
    about = (
        f"{first.mechanism}, k = {first.domain_size}, T = {first.counts.trials:,}, "
        f"alpha = {first.alpha:g}"
    )
    places = attack_places([result.attack for result in results])
    return GapAccount(
        title or about,
        [
            Waterfall(attack_title(result.attack), places[result.attack], _steps(result))
            for result in results
        ],
    )


def _steps(result: AuditResult) -> list[Step]:
    """Levels from the claim down, or up, to what was proven."""
    claimed, worst, attack, proven = gap_levels(result)
    if claimed == math.inf:
        raise AuditError(f"the gap of {result.mechanism} needs a claim: it promises nothing")
    broken = exceeds(worst, claimed)
    return [
        Step("claimed", "claimed", 0.0, claimed, three_digits(claimed)),
        _change("excess of worst case", "excess", claimed, worst)
        if broken
        else _change("slack", "slack", claimed, worst),
        _change("weakness of attack", "weakness", worst, attack),
        _change("Monte Carlo", "chance", attack, proven),
        Step("proven", "proven", 0.0, proven, proven_in_words(proven)),
    ]


def _change(label: str, kind: str, start: float, end: float) -> Step:
    return Step(label, kind, start, end, step_in_words(0.0 if start == end else end - start))
