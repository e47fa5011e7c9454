"""Tables for the terminal: text first, drawing second."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.table import Table

from ldp_auditor.comparison import Comparison
from ldp_auditor.core import AuditResult
from ldp_auditor.mechanisms import FrequencyOracle


@dataclass(frozen=True)
class TextTable:
    """A table as text: column names, of which the first `names` are set to the left, and rows."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    names: int = 1

    def print(self, console: Console) -> None:
        """Draw the table; where it goes to a file or pipe, no line is folded."""
        has_header = any(self.columns)
        table = Table(
            title=self.title, box=box.SIMPLE_HEAD, title_justify="left", show_header=has_header
        )
        for index, column in enumerate(self.columns):
            is_name = index < self.names or index == len(self.columns) - 1
            table.add_column(column, justify="left" if is_name else "right", no_wrap=True)
        for row in self.rows:
            table.add_row(*row)
        console.print(table)


def number(value: float | None, digits: int = 4) -> str:
    """A number for people: fixed digits, a dash where there is none."""
    if value is None or value == math.inf:
        return "-"
    return f"{value:.{digits}f}"


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
    return TextTable("Protocols", ("name", "claim", "options", "what it is"), rows, names=3)


def comparison_table(comparison: Comparison) -> TextTable:
    """One row per audited protocol."""
    rows = []
    for result in comparison.results:
        counts = result.counts
        promised = result.claim.epsilon
        share = "-" if promised == math.inf else f"{result.empirical_epsilon / promised:.0%}"
        rows.append(
            (
                result.mechanism,
                number(promised, 2),
                small_number(result.claim.delta),
                number(result.empirical_epsilon),
                share,
                number(result.attack_epsilon),
                small_number(counts.true_positives / counts.trials),
                small_number(counts.false_positives / counts.trials),
                f"{result.seconds:.2f}",
                result.verdict,
            )
        )
    first = comparison.results[0]
    title = (
        f"Attack {first.attack}: k = {first.domain_size}, T = {first.counts.trials:,}, "
        f"alpha = {first.alpha}, seed {first.seed}"
    )
    columns = (
        "protocol",
        "claimed",
        "delta",
        "empirical",
        "share",
        "T = inf",
        "TPR",
        "FPR",
        "seconds",
        "verdict",
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
        ("empirical epsilon", f"{result.empirical_epsilon:.6f}  ({_confidence(result)})"),
        ("with unlimited trials", f"{number(result.attack_epsilon, 6)}  (exact)"),
        (
            "Monte Carlo limit",
            f"{result.monte_carlo_limit:.6f}  (a perfect attack would show this)",
        ),
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


def _confidence(result: AuditResult) -> str:
    return f"proven with confidence {1 - result.alpha:g}, bound {result.bound}"


def _verdict_in_words(result: AuditResult) -> str:
    if result.verdict == "violation":
        return f"violation: epsilon is at least {result.empirical_epsilon:.6f}"
    if result.claim.epsilon == math.inf:
        return "no violation found (nothing was claimed)"
    return "no violation found"
