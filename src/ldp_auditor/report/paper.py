"""The paper's studies for people: figures, agreement with the theory, claims."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ldp_auditor.report.figures import BLUE, GREY, RED, save
from ldp_auditor.report.panels import draw_panels, panel_figure
from ldp_auditor.report.text_table import Column, TextTable
from ldp_auditor.results.table import Row
from ldp_auditor.studies.agreement import agreement
from ldp_auditor.studies.claims import Judgement, claims_lines
from ldp_auditor.studies.study import Scale, Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = ("png", "pdf")


def draw_study(study: Study, rows: Sequence[Row], scale: Scale, folder: Path) -> list[Path]:
    """Draw the figure of a study, one for every attack, and return what was written."""
    written: list[Path] = []
    for attack in dict.fromkeys(row["attack"] for row in rows):
        stem = study.name if attack == "paper" else f"{study.name}-{attack}"
        paths = [folder / f"{stem}.{suffix}" for suffix in FORMATS]
        draw_attack(study, rows, scale, attack, paths)
        written += paths
    return written


def draw_attack(
    study: Study, rows: Sequence[Row], scale: Scale, attack: str, paths: Sequence[Path] = ()
) -> Figure:
    """Draw the figure of a study under one attack, and write it to every path."""
    if study.arrangement is None:
        return draw_bars(study, [row for row in rows if row["attack"] == attack], scale, paths)
    return draw_panels(panel_figure(study, rows, scale, attack), paths)


def draw_bars(study: Study, rows: Sequence[Row], scale: Scale, paths: Sequence[Path]) -> Figure:
    """Draw a bar for every protocol, as in Figure 1."""
    from ldp_auditor.report.drawing import Figure

    names = list(dict.fromkeys(row["mechanism"] for row in rows))
    by_name = {name: [row for row in rows if row["mechanism"] == name] for name in names}
    measured = [[row["empirical_epsilon"] for row in mine] for mine in by_name.values()]
    figure = Figure(figsize=(7.0, 4.2), layout="constrained")
    axes = figure.subplots()
    means = [float(np.mean(values)) for values in measured]
    spread = [float(np.std(values)) for values in measured]
    label = "mean and standard deviation"
    axes.bar(names, means, yerr=spread, color=BLUE, width=0.7, label=label)
    for place, (name, mean) in enumerate(zip(names, means, strict=True)):
        exact = by_name[name][0]["attack_epsilon"]
        axes.plot([place - 0.35, place + 0.35], [exact, exact], color="black", lw=1.4)
        axes.annotate(
            f"{mean:.2f}",
            (place, max(mean, exact)),
            (0, 4),
            textcoords="offset points",
            ha="center",
        )
    claimed = rows[0]["epsilon"]
    axes.axhline(claimed, color=RED, linestyle="--", label=f"theoretical epsilon = {claimed:g}")
    axes.plot([], [], color="black", label="exact, unlimited trials")
    axes.axhline(0, color=GREY, lw=0.5)
    axes.set_ylim(0, 1.15 * max(claimed, *means))
    axes.set_ylabel("estimated epsilon")
    axes.set_title(
        f"{study.title} (attack: {rows[0]['attack']}, {study.words(scale)})", fontsize=10
    )
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    for path in paths:
        save(figure, path)
    return figure


def agreement_text(rows: Sequence[Row]) -> str:
    """Say how far the counts lie from the exact theory."""
    found = agreement(rows)
    if not found.counts:
        return "no exact rates to compare with"
    text = (
        f"{found.counts:,} counts against exact rates: largest |z| = {found.largest:.2f} "
        f"(of as many standard normal numbers it exceeds {found.expected_largest:.2f} "
        "with probability 1%)"
    )
    if found.p_value is not None:
        text += f", z-scores standard normal: p = {found.p_value:.3f}"
    if found.impossible:
        text += f"; {found.impossible} counts are impossible under their exact rate"
    if found.unknown:
        text += f"; {found.unknown:,} counts have no exact rate"
    return text


def claims_table(judgements: Sequence[Judgement]) -> TextTable:
    """Return the outcomes of the paper's statements; the document has the exceptions too."""
    columns = {"section": 0, "measured": 3, "exact": 4, "statement": 2}
    lines = claims_lines(judgements)
    return TextTable(
        "What the paper says, checked",
        [Column(heading, wraps=heading != "section") for heading in columns],
        [tuple(line[place] for place in columns.values()) for line in lines],
    )
