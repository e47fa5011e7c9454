"""Tables for the terminal: text first, drawing second."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.table import Table

from ldp_auditor.bounds import find_bound
from ldp_auditor.comparison import Comparison
from ldp_auditor.core import AuditResult
from ldp_auditor.explanation import Explanation
from ldp_auditor.mechanisms import FrequencyOracle
from ldp_auditor.report.gap import gap_steps


@dataclass(frozen=True)
class TextTable:
    """A table as text; numbers are set to the right, the first and the last column to the left."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]

    def draw(self, console: Console) -> str:
        """The table as it looks on the console; if narrow, only the last column is folded."""
        has_header = any(self.columns)
        table = Table(box=box.SIMPLE_HEAD, show_header=has_header, pad_edge=False)
        last = len(self.columns) - 1
        for index, column in enumerate(self.columns):
            is_text = index in (0, last) or not any(row[index][:1].isdigit() for row in self.rows)
            table.add_column(
                column,
                justify="left" if is_text else "right",
                no_wrap=index < last,
                overflow="fold",
                min_width=None
                if index == last
                else max(len(text) for text in (column, *(row[index] for row in self.rows))),
            )
        for row in self.rows:
            table.add_row(*row)
        with console.capture() as drawn:
            console.print(self.title, highlight=False)
            console.print(table)
        return "\n".join(line.rstrip() for line in drawn.get().splitlines())


def number(value: float | None, digits: int = 4) -> str:
    """A number for people: fixed digits, a dash where there is none."""
    if value is None:
        return "-"
    return "inf" if value == math.inf else f"{value:.{digits}f}"


def small_number(value: float) -> str:
    """A probability for people."""
    return f"{value:.3g}"


def protocol_table(protocols: Iterable[type[FrequencyOracle]]) -> TextTable:
    """What can be audited."""
    rows = []
    for protocol in protocols:
        options = " ".join("--" + name.replace("_", "-") for name in protocol.option_types())
        claim = "none" if protocol.promises_nothing else "epsilon"
        rows.append(
            (
                protocol.name,
                "epsilon, delta" if protocol.approximate else claim,
                options or "-",
                protocol.summary,
            )
        )
    return TextTable("Protocols", ("name", "claim", "options", "what it is"), rows)


def comparison_table(comparison: Comparison) -> TextTable:
    """One row per audit, narrow enough for 80 columns."""
    attacks = {result.attack for result in comparison.results}
    rows = []
    for result in comparison.results:
        counts = result.counts
        promised = result.claim.epsilon
        rows.append(
            (
                result.mechanism if len(attacks) == 1 else f"{result.mechanism} {result.attack}",
                "-" if promised == math.inf else f"{promised:g}",
                number(result.empirical_epsilon),
                "-" if promised == math.inf else f"{result.empirical_epsilon / promised:.0%}",
                number(result.attack_epsilon),
                number(result.worst_case_epsilon),
                small_number(counts.true_positives / counts.trials),
                small_number(counts.false_positives / counts.trials),
                "VIOLATION" if result.verdict == "violation" else "none found",
            )
        )
    first = comparison.results[0]
    deltas = {result.claim.delta for result in comparison.results} - {0.0}
    title = (
        f"Attack {', '.join(sorted(attacks))}; k = {first.domain_size}, "
        f"T = {first.counts.trials:,}, alpha = {first.alpha:g}, seed {first.seed}"
        + "".join(f", delta = {delta:g} where one is needed" for delta in deltas)
    )
    columns = (
        "name",
        "claim",
        "proven",
        "share",
        "T = inf",
        "worst",
        "TPR",
        "FPR",
        "violation",
    )
    return TextTable(title, columns, rows)


def result_table(result: AuditResult) -> TextTable:
    """One audit in words."""
    counts = result.counts
    setting = [f"k = {result.domain_size}"]
    setting += [f"{name} = {value}" for name, value in result.options.items()]
    claimed = result.claim.epsilon
    claim = "none" if claimed == math.inf else f"epsilon = {claimed:g}"
    if result.claim.delta:
        claim += f", delta = {result.claim.delta:g}"
    rows = [
        ("claim", claim),
        ("empirical epsilon", f"{result.empirical_epsilon:.6f}  ({_guarantee(result)})"),
        ("with unlimited trials", _exact(result.attack_epsilon)),
        ("exact worst case", _exact(result.worst_case_epsilon)),
        ("Monte Carlo limit", f"{result.monte_carlo_limit:.6f}  (what a perfect attack shows)"),
        ("true positives", f"{counts.true_positives:,} of {counts.trials:,}"),
        ("false positives", f"{counts.false_positives:,} of {counts.trials:,}"),
        ("verdict", _verdict_in_words(result)),
        ("seconds", f"{result.seconds:.2f}"),
    ]
    title = (
        f"{result.mechanism} ({', '.join(setting)}), attack {result.attack} on values "
        f"{result.pair.first} and {result.pair.second}, seed {result.seed}"
    )
    return TextTable(title, ("", ""), rows)


def explanation_table(explanation: Explanation) -> TextTable:
    """The four-part account of the gap, one row per attack."""
    rows = [
        (
            result.attack,
            *(number(step) for step in gap_steps(result)),
            number(result.empirical_epsilon),
        )
        for result in explanation.results
    ]
    first = explanation.results[0]
    title = (
        f"{first.mechanism} (k = {first.domain_size}): from the claim to what T = "
        f"{first.counts.trials:,} trials prove"
    )
    columns = ("attack", "claimed", "- slack", "- weakness", "- Monte Carlo", "= proven")
    return TextTable(title, columns, rows)


def certificate_lines(explanation: Explanation) -> str:
    """How many trials would prove most of the worst case."""
    first = explanation.results[0]
    return "\n".join(
        f"To prove {share:.0%} of the worst case {number(first.worst_case_epsilon)}, the optimal "
        f"attack needs about {'more than a quadrillion' if trials is None else f'{trials:.2g}'} "
        "trials."
        for share, trials in explanation.trials_for.items()
    )


def profile_table(title: str, points: Sequence[tuple[float, float]]) -> TextTable:
    """The privacy profile: the smallest delta at every epsilon."""
    rows = [(f"{epsilon:.4g}", f"{delta:.6g}") for epsilon, delta in points]
    return TextTable(title, ("epsilon", "smallest delta"), rows)


def _exact(value: float | None) -> str:
    return "not known" if value is None else f"{number(value, 6)}  (exact)"


def _guarantee(result: AuditResult) -> str:
    if result.empirical_epsilon == 0:
        return f"no evidence of any loss, bound {result.bound}"
    if find_bound(result.bound).guarantee == "credible":
        return f"credible at alpha = {result.alpha:g}, bound {result.bound}"
    return f"proven at alpha = {result.alpha:g}, bound {result.bound}"


def _verdict_in_words(result: AuditResult) -> str:
    if result.verdict == "violation":
        return f"violation: epsilon is at least {result.empirical_epsilon:.6f}"
    if result.claim.epsilon == math.inf:
        return "no violation found (nothing was claimed)"
    return "no violation found"
