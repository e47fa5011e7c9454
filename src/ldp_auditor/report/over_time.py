"""The figure of a longitudinal study: what is lost after how many reports. Data first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ldp_auditor.report.figures import GREY, PALETTE
from ldp_auditor.results.audit_result import AuditResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.typing import LineStyleType


@dataclass(frozen=True)
class ProtocolOverTime:
    """One protocol under one attack."""

    label: str
    reports: Sequence[int]
    measured: Sequence[float]
    unlimited: Sequence[float | None]
    promised: Sequence[float]
    composed: Sequence[float | None]


@dataclass(frozen=True)
class OverTime:
    """What the figure shows."""

    title: str
    curves: Sequence[ProtocolOverTime]
    limit: float
    """What a perfect attack proves with the trials of this figure."""
    composition: str
    """What the composed epsilons are."""


def over_time_curves(results: Sequence[AuditResult]) -> OverTime:
    """Collect the data of the figure, a curve for every protocol and attack."""
    groups: dict[tuple[str, str], list[AuditResult]] = {}
    for result in results:
        groups.setdefault((result.mechanism, result.attack), []).append(result)
    attacks = {attack for _, attack in groups}
    first = results[0]
    curves = [
        ProtocolOverTime(
            mechanism if len(attacks) == 1 else f"{mechanism}, {attack}",
            [result.reports for result in group],
            [result.empirical_epsilon for result in group],
            [result.attack_epsilon for result in group],
            [result.claim.epsilon for result in group],
            [result.composed_epsilon for result in group],
        )
        for (mechanism, attack), group in groups.items()
    ]
    title = (
        "Privacy loss of users who report the same value again and again\n"
        f"attack: {', '.join(sorted(attacks))}; k = {first.domain_size}, "
        f"T = {first.counts.trials:,}, confidence 1 - {first.alpha:g}"
    )
    deltas = {f"{d:g}" for d in (r.composed_delta for r in results)}
    at = f" at delta = {deltas.pop()}" if len(deltas) == 1 else ""
    limit = max(result.monte_carlo_limit for result in results)
    return OverTime(title, curves, limit, f"tight composition{at}")


def draw_over_time(data: OverTime) -> Figure:
    """Draw measured epsilons over the number of reports, with exact curves and promises."""
    from ldp_auditor.report.drawing import Figure, Line2D

    figure = Figure(figsize=(8.4, 5.4), layout="constrained")
    axes = figure.subplots()
    axes.axhline(data.limit, color=GREY, linestyle="--", linewidth=0.9)
    markers = "osD^vP*X<>"
    for index, curve in enumerate(data.curves):
        colour = PALETTE[index % len(PALETTE)]
        marker = markers[index % len(markers)]
        axes.plot(curve.reports, _drawn(curve.measured), marker, color=colour, label=curve.label)
        axes.plot(curve.reports, _drawn(curve.unlimited), color=colour, linewidth=1.2)
        axes.plot(curve.reports, _drawn(curve.composed), "-.", color=colour, linewidth=0.9)
        axes.plot(curve.reports, _drawn(curve.promised), ":", color=colour, linewidth=1.2)
    ticks = sorted({reports for curve in data.curves for reports in curve.reports})
    axes.set_xscale("log")
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.minorticks_off()
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter("{x:g}")
    axes.set_xlabel("reports of each user")
    axes.set_ylabel("epsilon")
    axes.set_title(data.title, fontsize=10)
    handles, labels = axes.get_legend_handles_labels()
    styles: dict[str, LineStyleType] = {
        "attack, unlimited trials (exact)": "-",
        "promised": ":",
        data.composition: "-.",
        "most that the trials can prove": "--",
    }
    handles += [
        Line2D([], [], color=GREY if style == "--" else "black", linestyle=style, linewidth=1.2)
        for style in styles.values()
    ]
    figure.legend(
        handles, [*labels, *styles], fontsize=8, frameon=False, loc="outside lower center", ncols=3
    )
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def _drawn(values: Sequence[float | None]) -> list[float]:
    """What a logarithmic axis can show."""
    return [v if v is not None and 0 < v < math.inf else math.nan for v in values]
