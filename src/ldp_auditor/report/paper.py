"""The paper's studies for people: figures, agreement with the theory, claims."""

from collections.abc import Sequence
from pathlib import Path

from ldp_auditor.figures.files import save
from ldp_auditor.figures.paper import study_figure
from ldp_auditor.report.text_table import Column, TextTable
from ldp_auditor.results.table import Row
from ldp_auditor.studies.agreement import agreement
from ldp_auditor.studies.claims import Judgement, claims_lines
from ldp_auditor.studies.study import Scale, Study

FORMATS = ("png", "pdf")


def draw_study(study: Study, rows: Sequence[Row], scale: Scale, folder: Path) -> list[Path]:
    """Draw the figure of a study, one for every attack, and return what was written."""
    from ldp_auditor.figures.drawing import draw

    written: list[Path] = []
    for attack in dict.fromkeys(row["attack"] for row in rows):
        stem = study.name if attack == "paper" else f"{study.name}-{attack}"
        figure = draw(study_figure(study, rows, scale, attack))
        for suffix in FORMATS:
            written.append(folder / f"{stem}.{suffix}")
            save(figure, written[-1])
    return written


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
