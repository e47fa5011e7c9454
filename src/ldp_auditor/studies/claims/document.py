"""The outcomes as a table and as a document."""

from collections import Counter
from collections.abc import Sequence
from typing import get_args

from ldp_auditor import __version__
from ldp_auditor.studies.claims.comparisons import WORDS
from ldp_auditor.studies.claims.statement import Judgement, Ruling

HEADINGS = ("section", "name", "statement", "measured", "exact", "where not")


def claims_lines(judgements: Sequence[Judgement]) -> list[tuple[str, ...]]:
    """Return a line of words for every statement, under `HEADINGS`."""
    return [
        (
            judgement.statement.section,
            judgement.statement.name,
            judgement.statement.words,
            judgement.measured.words,
            judgement.exact.words,
            where_not(judgement),
        )
        for judgement in judgements
    ]


def where_not(judgement: Judgement) -> str:
    """Tell the worst exceptions of both readings."""
    worst_of = {"measured": judgement.measured.worst(), "exact": judgement.exact.worst()}
    return ". ".join(f"{reading}: {worst}" for reading, worst in worst_of.items() if worst)


def claims_document(judgements: Sequence[Judgement], words: str) -> str:
    """Write the outcomes as Markdown; `words` says how much was run."""
    lines = [
        "# What the paper says, checked",
        "",
        "Statements of [Arcolezi24] in our words, each tested at every place that it is about.",
        "*Measured* is the mean of the empirical epsilon over the seeds, *exact* the epsilon of "
        "the same attack with unlimited trials; both are the paper's attack. After many reports of "
        "GM and AGM both are at delta times reports; the paper subtracts the delta of one report.",
        "",
        f"Run: {words}, ldp-auditor {__version__}.",
        "",
        WORDS,
        "",
        *_table(("outcome", "measured", "exact"), _totals(judgements)),
        "",
        *_table(HEADINGS, claims_lines(judgements)),
    ]
    return "\n".join(lines) + "\n"


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = (headings, ["---"] * len(headings), *rows)
    return ["| " + " | ".join(map(_cell, line)) + " |" for line in lines]


def _totals(judgements: Sequence[Judgement]) -> list[tuple[str, str, str]]:
    measured = Counter(judgement.measured.ruling for judgement in judgements)
    exact = Counter(judgement.exact.ruling for judgement in judgements)
    present = [ruling for ruling in get_args(Ruling) if ruling in {*measured, *exact}]
    return [(ruling, str(measured[ruling]), str(exact[ruling])) for ruling in present]


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
