"""The tables of the commands, as text."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from ldp_auditor.adapters import available
from ldp_auditor.bounds import find_bound
from ldp_auditor.core import exceeds
from ldp_auditor.figures.words import (
    claim_in_words,
    large_number,
    share_in_words,
    value_in_words,
)
from ldp_auditor.inputs import in_words, size_in_words
from ldp_auditor.report.text_table import Column, TextTable
from ldp_auditor.results.audit_result import AuditResult

if TYPE_CHECKING:
    from ldp_auditor.audits.gap import Explanation


def number(value: float | None, digits: int = 4) -> str:
    """A number for people: fixed digits, a dash where there is none."""
    if value is None:
        return "-"
    return "inf" if value == math.inf else f"{value:.{digits}f}"


def notes(name: str) -> list[str]:
    """What is to be known of the foreign package that `name` is of, if it is of one."""
    adapter = available().get(name.partition(":")[0])
    return [f"note: {adapter.name} {adapter.note}"] if adapter is not None and adapter.note else []


def verdict_word(result: AuditResult) -> str:
    """The verdict for a column of a table."""
    if result.verdict == "violation":
        return "VIOLATION"
    return "no claim" if result.claim.epsilon == math.inf else "none found"


AuditColumn = tuple[str, int, Callable[[AuditResult], str]]
"""Heading, order in which it is left out, and what stands in it."""

CLAIMED: AuditColumn = ("claim", 6, lambda r: _unless_none(r, f"{r.claim.epsilon:g}"))
WORST: AuditColumn = ("worst", 5, lambda r: number(r.worst_case_epsilon))
UNLIMITED: AuditColumn = ("T = inf", 4, lambda r: number(r.attack_epsilon))
PROVEN: AuditColumn = ("proven", 0, lambda r: number(r.empirical_epsilon))
REPORTS: AuditColumn = ("reports", 0, lambda r: str(r.reports))
VERDICT: AuditColumn = ("violation", 0, verdict_word)


def _rates(first: int) -> tuple[AuditColumn, AuditColumn]:
    """True and false positives; the latter are left out `first`."""
    return (
        ("TPR", first + 1, lambda r: f"{r.true_positives / r.trials:.3g}"),
        ("FPR", first, lambda r: f"{r.false_positives / r.trials:.3g}"),
    )


def _unless_none(result: AuditResult, words: str) -> str:
    return "-" if result.claim.epsilon == math.inf else words


def _table(title: str, results: Sequence[AuditResult], columns: Iterable[AuditColumn]) -> TextTable:
    """One row per audit."""
    headings, orders, shown = zip(*columns, strict=True)
    rows = [tuple(show(result) for show in shown) for result in results]
    return TextTable(title, list(map(Column, headings, orders)), rows)


def comparison_table(results: Sequence[AuditResult]) -> TextTable:
    """One row per protocol and attack."""
    attacks = {result.attack for result in results}
    over_time = any(result.is_over_time for result in results)
    first = results[0]
    deltas = {result.delta for result in results}
    where = " where one is needed" if 0.0 in deltas else ""
    deltas -= {0.0}
    settings = [
        *size_in_words(*(result.domain_size for result in results)),
        f"T = {first.counts.trials:,}",
        f"alpha = {first.alpha:g}",
        f"seed {first.seed}",
        *(f"delta = {value_in_words(delta)}{where}" for delta in deltas),
    ]
    title = f"Attack {', '.join(sorted(attacks))}; {', '.join(settings)}"

    def name(result: AuditResult) -> str:
        return result.mechanism if len(attacks) == 1 else f"{result.mechanism} {result.attack}"

    def share(result: AuditResult) -> str:
        return _unless_none(result, share_in_words(result.empirical_epsilon, result.claim.epsilon))

    columns = [("name", 0, name), *([REPORTS] if over_time else []), CLAIMED, PROVEN]
    columns += [("share", 1, share), UNLIMITED, WORST, *_rates(2), VERDICT]
    return _table(title, results, columns)


def result_table(result: AuditResult) -> TextTable:
    """One audit in words."""
    counts = result.counts
    rows = [
        ("claim", _claim_in_words(result)),
        *_distance_rows(result),
        *_composition_rows(result),
        ("empirical epsilon", f"{result.empirical_epsilon:.6f}  ({_guarantee(result)})"),
        ("with unlimited trials", _exact(result.attack_epsilon)),
        ("exact worst case", _exact(result.worst_case_epsilon)),
        *_relation_rows(result),
        ("Monte Carlo limit", f"{result.monte_carlo_limit:.6f}  (what a perfect attack shows)"),
        ("true positives", f"{counts.true_positives:,} of {counts.trials:,}"),
        ("false positives", f"{counts.false_positives:,} of {counts.trials:,}"),
        ("verdict", _verdict_in_words(result)),
        ("seconds", f"{result.seconds:.2f}"),
    ]
    title = (
        f"{_setting(result)}, attack {result.attack} on {in_words(result.pair)}, seed {result.seed}"
    )
    return TextTable(title, (Column("", wraps=True), Column("", wraps=True)), rows)


def _relation_rows(result: AuditResult) -> list[tuple[str, str]]:
    """For which records the claim holds, exactly."""
    if result.neighbours is None:
        return []
    rows = []
    for relation, words in RELATIONS.items():
        worst = getattr(result, f"worst_case_{relation}")
        if worst is None or result.claim.epsilon == math.inf:
            rows.append((words, _exact(worst)))
        else:
            outcome = "holds" if getattr(result, f"holds_for_{relation}") else "is broken"
            rows.append((words, f"{number(worst, 6)}  (exact: the claim {outcome})"))
    return rows


RELATIONS = {"one": "records differ in one", "all": "records differ in all"}
"""How relations of records are called in the table."""


def _claim_in_words(result: AuditResult) -> str:
    words = claim_in_words(result.claim)
    if not result.is_over_time:
        return words
    return f"{words} for {result.reports} reports ({claim_in_words(result.per_report)} for one)"


def _distance_rows(result: AuditResult) -> list[tuple[str, str]]:
    """How far the inputs are apart, and what may be lost there; which inputs are the worst."""
    if result.distance is None:
        return []
    proven, most = result.empirical_epsilon * result.distance, result.allowed.epsilon
    rows = [
        ("distance", f"{result.distance:g}  (a loss of {most:g} is allowed, {proven:.4g} proven)")
    ]
    if result.worst_pair is not None:
        worst = f"{in_words(result.worst_pair)}, of the pairs that were searched"
        rows.append(("largest loss per unit", worst))
    return rows


def _composition_rows(result: AuditResult) -> list[tuple[str, str]]:
    """What composition theorems say of many reports."""
    if not result.is_over_time:
        return []
    rows = []
    tight = result.composed_epsilon
    if tight is not None:
        exact = f"{number(tight, 6)}  (at delta = {value_in_words(result.composed_delta)})"
        rows.append(("tight composition", exact))
    sequential = result.sequential_epsilon
    if sequential != result.claim.epsilon:
        rows.append(("sequential composition", f"{sequential:g}  (what fresh noise would promise)"))
    return rows


def over_time_table(results: Sequence[AuditResult]) -> TextTable:
    """One row per number of reports."""
    first = results[0]
    title = (
        f"{_setting(first)}, attack {first.attack}, T = {first.counts.trials:,}, "
        f"alpha = {first.alpha:g}, limit {first.monte_carlo_limit:.2f}, seed {first.seed}"
    )
    deltas = {value_in_words(result.composed_delta) for result in results}
    tight = f"at {deltas.pop()}" if len(deltas) == 1 else "at claimed delta"
    composed: AuditColumn = (tight, 3, lambda r: number(r.composed_epsilon))
    columns = [REPORTS, CLAIMED, composed, WORST, UNLIMITED, PROVEN, *_rates(1), VERDICT]
    return _table(title, results, columns)


def _setting(result: AuditResult) -> str:
    """The mechanism and its options in words."""
    sizes = result.options.get("domain_sizes", [result.domain_size])
    same = len(set(sizes)) == 1
    setting = [f"k = {sizes[0] if same else ', '.join(map(str, sizes))}"] * (sizes != [None])
    chosen = ("composition", "neighbours", "precision", "max_trials", "looks")
    shown = {**result.options, **{name: getattr(result, name) for name in chosen}}
    setting += [
        f"{name} = {value if isinstance(value, str) else format(value, 'g')}"
        for name, value in shown.items()
        if value is not None and name != "domain_sizes"
    ]
    return f"{result.mechanism} ({', '.join(setting)})" if setting else result.mechanism


def explanation_table(explanation: Explanation) -> TextTable:
    """The four-part account of the gap, one row per attack, in the words of its figure."""
    from ldp_auditor.figures.results import account_setting, gap_account

    headings, rows = gap_account(explanation.results).table()
    first = explanation.results[0]
    setting = ", ".join(account_setting(first))
    title = (
        f"{first.mechanism}{f' ({setting})' if setting else ''}: from the claim to what T = "
        f"{first.counts.trials:,} trials prove"
    )
    return TextTable(title, list(map(Column, headings)), rows)


def certificate_lines(explanation: Explanation) -> str:
    """How many trials would prove most of the worst case, and which attack has no account."""
    first = explanation.results[0]
    lines = [
        f"To prove {share:.0%} of the worst case {number(first.worst_case_epsilon)}, the optimal "
        "attack needs about "
        f"{'more than a quadrillion' if trials is None else large_number(float(f'{trials:.2g}'))} "
        "trials."
        for share, trials in explanation.trials_for.items()
    ]
    if all(result.attack != "paper" for result in explanation.results):
        lines.append(
            "The paper's attack has no account: what it shows with unlimited trials is not known "
            "here; audit measures it."
        )
    return "\n".join(lines)


def profile_table(title: str, points: Sequence[tuple[float, float]]) -> TextTable:
    """The privacy profile: the smallest delta at every epsilon."""
    rows = [(f"{epsilon:.4g}", f"{delta:.6g}") for epsilon, delta in points]
    return TextTable(title, (Column("epsilon"), Column("smallest delta")), rows)


def _exact(value: float | None) -> str:
    return "not known" if value is None else f"{number(value, 6)}  (exact)"


def _guarantee(result: AuditResult) -> str:
    credible = find_bound(result.bound).guarantee == "credible"
    words = f"{'credible' if credible else 'proven'} at alpha = {result.alpha:g}"
    if result.empirical_epsilon == 0:
        words = "no evidence of any loss"
    return f"{words}, bound {result.bound}"


def _verdict_in_words(result: AuditResult) -> str:
    if result.verdict == "violation":
        words = f"violation: epsilon is at least {result.empirical_epsilon:.6f}"
        if result.neighbours is not None:
            words += f" for {in_words(result.pair)}"
        return words
    if result.claim.epsilon == math.inf:
        return "no violation found (nothing was claimed)"
    worst = result.worst_case_epsilon
    if result.distance is not None and exceeds(worst or 0.0, result.claim.epsilon):
        return "no violation found by this attack, although the claim is broken"
    if result.neighbours is None:
        return "no violation found"
    if worst is not None and exceeds(worst, result.claim.epsilon):
        return "no violation found by this attack, although the claim is broken for these records"
    held = {words: getattr(result, f"holds_for_{name}") for name, words in RELATIONS.items()}
    broken = " and where ".join(words for words, holds in held.items() if holds is False)
    where = f"; the claim is broken where {broken} attributes" if broken else ""
    return f"no violation found{where}"
