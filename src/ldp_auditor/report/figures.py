"""Figures: data first, drawing second."""

from __future__ import annotations

import io
import logging
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ldp_auditor.core import Claim
from ldp_auditor.errors import AuditError, require
from ldp_auditor.report.gap import gap_steps
from ldp_auditor.results.audit_result import AuditResult
from ldp_auditor.results.files import replace_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BLUE, GREY, RED = "#0072B2", "#8C8C8C", "#D55E00"  # told apart by colour-blind readers [Okabe08]
PALETTE = (BLUE, RED, "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
COLOURS, LIGHT_COLOURS = (BLUE, "#009E73"), (GREY, "#BFBFBF")
"""Of the attacks; light where nothing is claimed."""

_log = logging.getLogger("ldp_auditor")


@dataclass(frozen=True)
class Series:
    """The bars of one attack."""

    attack: str
    measured: Sequence[float]
    unlimited: Sequence[float | None]


@dataclass(frozen=True)
class ComparisonBars:
    """What the comparison figure shows."""

    title: str
    claimed: float
    names: Sequence[str]
    claims_nothing: Sequence[bool]
    series: Sequence[Series]


def comparison_bars(results: Sequence[AuditResult]) -> ComparisonBars:
    """Collect the data of the comparison figure."""
    first = results[0]
    by_attack: dict[str, list[AuditResult]] = {}
    for result in results:
        by_attack.setdefault(result.attack, []).append(result)
    one_attack = by_attack[first.attack]
    return ComparisonBars(
        title=(
            f"Empirical privacy loss of {len(one_attack)} protocols\n"
            f"attack: {', '.join(by_attack)}; k = {first.domain_size}, "
            f"T = {first.counts.trials:,}, confidence 1 - {first.alpha:g}"
        ),
        claimed=max((r.epsilon for r in results if r.epsilon < math.inf), default=1.0),
        names=[result.mechanism for result in one_attack],
        claims_nothing=[result.claim.epsilon == math.inf for result in one_attack],
        series=[
            Series(
                attack,
                [result.empirical_epsilon for result in mine],
                [result.attack_epsilon for result in mine],
            )
            for attack, mine in by_attack.items()
        ],
    )


def draw_comparison(bars: ComparisonBars) -> Figure:
    """Draw the measured epsilons as bars, the claim as a dashed line, like the paper's Figure 1."""
    from ldp_auditor.report.drawing import Figure, Patch

    count = len(bars.series)
    inches = (0.45 + 0.25 * count) * len(bars.names) + 1.5
    figure = Figure(figsize=(max(7.0, inches), 4.6), layout="constrained")
    axes = figure.subplots()
    promised = [
        value
        for series in bars.series
        for values in (series.measured, series.unlimited)
        for value, nothing in zip(values, bars.claims_nothing, strict=True)
        if not nothing and value is not None and value < math.inf
    ]
    top = 1.12 * max(bars.claimed, *promised) if promised else 1.12 * bars.claimed
    width = 0.8 / count
    for index, series in enumerate(bars.series):
        for position, nothing in enumerate(bars.claims_nothing):
            x = position + (index - (count - 1) / 2) * width
            measured, exact = series.measured[position], series.unlimited[position]
            colour = LIGHT_COLOURS[index] if nothing else COLOURS[index]
            axes.bar(x, measured, color=colour, width=0.9 * width)
            reach = measured
            if exact is not None and exact < math.inf:
                axes.scatter(x, exact, marker="_", s=160 / count, color="black", zorder=3)
                reach = max(measured, exact)
            axes.annotate(
                f"{measured:.2f}",
                (x, min(reach, 0.93 * top)),
                (0, 4),
                textcoords="offset points",
                ha="center",
                fontsize=8 - count // 2,
            )
    claim = axes.axhline(
        bars.claimed, color=RED, linestyle="--", label=f"claimed epsilon = {bars.claimed:g}"
    )
    exact_mark = axes.scatter(
        [], [], marker="_", s=160, color="black", label="same attack, unlimited trials (exact)"
    )
    handles = [claim, exact_mark]
    for index, series in enumerate(bars.series):
        handles.append(Patch(color=COLOURS[index], label=f"measured lower bound, {series.attack}"))
    if any(bars.claims_nothing):
        handles.append(Patch(color=LIGHT_COLOURS[0], label="measured, protocol claims nothing"))
    figure.legend(handles=handles, fontsize=8, loc="outside lower center", ncols=2, frameon=False)
    axes.set_xticks(range(len(bars.names)), bars.names, rotation=45, ha="right")
    axes.set_ylabel("epsilon")
    axes.set_ylim(0, top)
    axes.set_title(bars.title, fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def draw_explanation(results: Sequence[AuditResult]) -> Figure:
    """Draw the account of the gap as a waterfall, a panel per attack."""
    from ldp_auditor.report.drawing import Figure

    figure = Figure(figsize=(5.2 * len(results), 4.0), layout="constrained")
    panels = figure.subplots(1, len(results), sharey=True, squeeze=False)[0]
    labels = ("claimed", "slack of\nanalysis", "weakness\nof attack", "Monte\nCarlo", "proven")
    for axes, result in zip(panels, results, strict=True):
        claimed, *losses = gap_steps(result)
        axes.bar(0, claimed, color=RED, width=0.7)
        level = claimed
        for position, loss in enumerate(losses, start=1):
            axes.bar(position, loss, bottom=level - loss, color=GREY, width=0.7)
            axes.plot([position - 1.35, position + 0.35], [level, level], color="black", lw=0.8)
            level -= loss
        axes.bar(4, result.empirical_epsilon, color=BLUE, width=0.7)
        tops = [claimed, claimed, claimed - losses[0], claimed - losses[0] - losses[1], level]
        for position, value in enumerate([claimed, *(-loss for loss in losses), level]):
            axes.annotate(
                f"{value + 0.0:.3f}",
                (position, max(tops[position], 0.0)),
                (0, 3),
                textcoords="offset points",
                ha="center",
                fontsize=9,
            )
        axes.set_xticks(range(5), labels)
        axes.set_title(f"attack: {result.attack}", fontsize=10)
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("epsilon")
    highest = max(max(result.claim.epsilon, result.empirical_epsilon) for result in results)
    panels[0].set_ylim(0, 1.12 * highest)
    first = results[0]
    figure.suptitle(
        f"{first.mechanism}, k = {first.domain_size}, T = {first.counts.trials:,}, "
        f"alpha = {first.alpha:g}",
        fontsize=11,
    )
    return figure


def draw_profile(title: str, points: Sequence[tuple[float, float]], claim: Claim) -> Figure:
    """Draw the smallest delta over epsilon, and the claim as a point."""
    from ldp_auditor.report.drawing import Figure

    figure = Figure(figsize=(6.0, 4.2), layout="constrained")
    axes = figure.subplots()
    shown = [(epsilon, delta) for epsilon, delta in points if delta > 0]
    axes.plot([e for e, _ in shown], [d for _, d in shown], color=BLUE, label="exact profile")
    if claim.epsilon < math.inf:
        axes.axvline(
            claim.epsilon, color=RED, linestyle="--", label=f"claimed epsilon = {claim.epsilon:g}"
        )
    if claim.delta:
        axes.axhline(claim.delta, color=GREY, linestyle=":", label=f"delta = {claim.delta:g}")
        axes.set_yscale("log")
    axes.set_xlabel("epsilon")
    axes.set_ylabel("smallest delta")
    axes.set_title(title, fontsize=10)
    axes.legend(fontsize=8, frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def default_figure(name: str) -> Path | None:
    """Return the place of a figure that nobody named, or None if nothing can be written there."""
    if os.access(".", os.W_OK | os.X_OK):
        return Path(name)
    _log.warning("%s is not drawn, the working folder cannot be written to; use --figure", name)
    return None


def check_figure_path(path: Path) -> None:
    """Raise, before anything is computed, if no figure can be written there."""
    from ldp_auditor.report.drawing import Figure

    formats = Figure().canvas.get_supported_filetypes()
    require(
        path.suffix[1:].lower() in formats,
        f"cannot write the figure to {str(path)!r}: its name must end in one of "
        f"{', '.join('.' + suffix for suffix in sorted(formats))}",
    )
    require(
        path.parent.is_dir() and not path.is_dir(),
        f"cannot write the figure to {str(path)!r}: {str(path.parent)!r} is not a folder",
    )
    require(
        os.access(path.parent, os.W_OK | os.X_OK),
        f"cannot write the figure to {str(path)!r}: {str(path.parent)!r} cannot be written to",
    )


def save(figure: Figure, path: Path) -> None:
    """Write a figure, or say in one line why not."""
    drawn = io.BytesIO()
    try:
        figure.savefig(drawn, dpi=160, format=path.suffix[1:].lower())
        figure.set_layout_engine("none")  # the next format has the places that were found now
        replace_file(path, drawn.getvalue())
    except (OSError, ValueError) as error:
        raise AuditError(f"cannot write the figure to {path}: {error}") from error
