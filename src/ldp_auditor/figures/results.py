"""The figures of results: one entry for each kind."""

import math
from collections.abc import Mapping, Sequence
from functools import singledispatch
from typing import Any

from ldp_auditor.audits.comparison import Comparison
from ldp_auditor.audits.gap import Explanation, Profile
from ldp_auditor.choosing.choice import Choice
from ldp_auditor.choosing.simulation import Simulation
from ldp_auditor.core import exceeds
from ldp_auditor.errors import AuditError
from ldp_auditor.figures.choices import collected_shares, trade_off
from ldp_auditor.figures.data import (
    Bars,
    BarSeries,
    Curves,
    FigureData,
    GapAccount,
    Line,
    Step,
    Waterfall,
)
from ldp_auditor.figures.identity import protocol_places
from ldp_auditor.figures.points import Point, points_of, words_of
from ldp_auditor.figures.series import (
    LIMIT,
    attack_places,
    attack_title,
    limit_line,
    line_of,
    make_bars,
    told_once,
)
from ldp_auditor.figures.words import (
    proven_in_words,
    short,
    step_in_words,
    three_digits,
    value_in_words,
)
from ldp_auditor.inputs import size_in_words
from ldp_auditor.portable_math import exp
from ldp_auditor.results.audit_result import AuditResult, AuditResults
from ldp_auditor.results.check_result import CheckResult


@singledispatch
def figure_of(result: Any) -> FigureData:
    """Return what the figure of a result shows."""
    raise AuditError(f"{type(result).__name__} has no figure")


@figure_of.register
def _(result: AuditResult) -> FigureData:
    """The account of its gap, or a bar where there is no claim or nothing exact to subtract."""
    known = None not in (result.worst_case_epsilon, result.attack_epsilon)
    promised = result.claim.epsilon < math.inf
    return gap_account([result]) if known and promised else comparison_bars([result])


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
    best = result.best
    claim = result.claim.at(best.distance or 1.0)
    trials, proven = best.counts.trials, best.empirical_epsilon
    shares = [count / trials for count in (best.counts.true_positives, best.counts.false_positives)]
    allowed = min(1.0, exp(min(claim.epsilon, 700.0)) * shares[1] + claim.delta)
    event = f"{best.event[:60]} (share of {trials:,} reports)"
    words = [f"{share:.4g}" for share in shares]
    return Bars(
        title=f"{result.name}: epsilon at least {proven_in_words(proven)}",
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


@figure_of.register
def _(found: Choice) -> FigureData:
    return trade_off(found)


@figure_of.register
def _(found: Simulation) -> FigureData:
    return collected_shares(found)


def comparison_bars(results: Sequence[AuditResult]) -> Bars:
    """A bar for every protocol and attack of a comparison."""
    found = points_of(("", result) for result in results)
    rows = {name: {point.first.attack: point for point in mine} for name, mine in found.items()}
    attacks = dict.fromkeys(result.attack for result in results)
    about = next(iter(rows)) if len(rows) == 1 else f"{len(rows)} protocols"
    title = f"Empirical privacy loss of {about}\n{_settings(results, attacks)}"
    return make_bars(title, rows, "epsilon")


def _settings(results: Sequence[AuditResult], attacks: Mapping[str, Any]) -> str:
    first = results[0]
    settings = size_in_words(*(result.domain_size for result in results))
    settings += [f"T = {first.counts.trials:,}", f"confidence 1 - {first.alpha:g}"]
    return f"attack: {', '.join(attacks)}; {', '.join(settings)}"


def over_time_curves(results: Sequence[AuditResult]) -> Curves:
    """What is lost after how many reports, by every protocol and attack."""
    points = [p for mine in points_of(("", r) for r in results).values() for p in mine]
    groups: dict[tuple[str, str], list[Point]] = {}
    for point in points:
        groups.setdefault((point.first.mechanism, point.first.attack), []).append(point)
    attacks = dict.fromkeys(sorted(attack for _, attack in groups))
    places = protocol_places(mechanism for mechanism, _ in groups)
    lines = []
    for (mechanism, attack), mine in groups.items():
        another = 49 * list(attacks).index(attack)  # another dash of the same colour
        about = (
            mine,
            "reports",
            mechanism if len(attacks) == 1 else f"{mechanism}, {attack}",
            places[mechanism] + another,
        )
        lines.append(line_of("proven", *about, marks="full"))
        lines += [line_of(role, *about) for role in ("exact", "composed", "claimed")]
    lines.append(limit_line(points, "reports"))
    known = {result.composed_delta for result in results} - {None}
    deltas = {value_in_words(delta) for delta in known}
    at = f" at delta = {deltas.pop()}" if len(deltas) == 1 else ""
    title = "Privacy loss of users who report the same value again and again (marked: proven)"
    return Curves(
        f"{title}\n{_settings(results, attacks)}",
        "reports of each user",
        told_once(lines),
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
    settings = [f"T = {first.counts.trials:,}", f"alpha = {first.alpha:g}"]
    about = ", ".join([first.mechanism, *account_setting(first), *settings])
    places = attack_places([result.attack for result in results])
    return GapAccount(
        title or about,
        [
            Waterfall(attack_title(result.attack), places[result.attack], _steps(result))
            for result in sorted(results, key=lambda result: places[result.attack])
        ],
    )


def account_setting(result: AuditResult) -> list[str]:
    """The setting that an account is about: sizes, attributes and reports, as far as it has any."""
    attributes = words_of(result.options, ["attributes"])
    reports = [f"{result.reports} reports"] if result.is_over_time else []
    return [*size_in_words(result.domain_size), *filter(None, [attributes]), *reports]


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
