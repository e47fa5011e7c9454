"""Reproduces the paper: runs its studies, draws their figures, judges its statements."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path

from ldp_auditor import studies
from ldp_auditor.audits.stopping import MOST_TRIALS
from ldp_auditor.errors import AuditError, require, whole_number
from ldp_auditor.execution.contract import Engine
from ldp_auditor.execution.engines import open_engine
from ldp_auditor.extras import require_package
from ldp_auditor.figures.files import save
from ldp_auditor.figures.paper import study_figure
from ldp_auditor.figures.styles import SCREEN, Style, style_of
from ldp_auditor.results.files import replace_file
from ldp_auditor.results.table import Row
from ldp_auditor.studies import claims
from ldp_auditor.studies.environment import UnavailableError
from ldp_auditor.studies.reproduction import Reproduction, StudyResult
from ldp_auditor.sweeps import Sweep
from ldp_auditor.sweeps.running import Watch

MOST_SEEDS = 10_000
"""Repetitions at most."""

EVERY_STUDY = ("claims", "all")
"""Names with which every study runs and the paper's statements are judged."""

FORMATS = ("png", "pdf", "svg")
"""In which figures are written."""


def reproduce(
    names: str | Sequence[str],
    *,
    out: Path | str = "results",
    quick: bool = False,
    optimal: bool = False,
    trials: int | None = None,
    seeds: int | None = None,
    document: Path | str | None = None,
    style: str | None = None,
    columns: int | None = None,
    engine: str | Engine | None = None,
    address: str | None = None,
    workers: int | None = None,
    watch: Callable[[str], AbstractContextManager[Watch]] | None = None,
    on_study: Callable[[StudyResult], None] | None = None,
) -> Reproduction:
    """Reproduce experiments of the paper: "figure-1" to "figure-12" (no 9), "claims", or "all".

    The folder `out` gets the journal, a table and figures of every study; what it has already is
    not run again. The paper has 10^6 `trials` of each input and 5 `seeds`; `quick` takes minutes,
    not hours. `optimal` runs the optimal attack beside the paper's. With "claims" or "all" the
    paper's statements are judged, and written to the `document`, by default `claims.md` in `out`.
    Figures are PNG for the screen, PDF and SVG for two columns of a journal, or all in one `style`
    (screen, paper, slide) for so many `columns`. `engine`, `address` and `workers` are those of
    `sweep`; `watch` opens what hears of the cells of a study, by its name, and `on_study` gets
    every study's result when it is there.
    """
    require_package("a figure of the paper", "matplotlib")
    out = Path(out)
    wanted = [names] if isinstance(names, str) else list(dict.fromkeys(names))
    named = [studies.find(name) for name in wanted if name not in EVERY_STUDY]
    with_claims = len(named) < len(wanted)
    chosen = list(studies.available().values()) if with_claims else named
    scale = _scale(quick, optimal, trials, seeds)
    require(document is None or with_claims, "--document is for claims", argument="document")
    looks = _looks(style, columns)
    asked = {
        "engine": engine if isinstance(engine, str) else None,
        "address": address,
        "workers": workers,
    }
    found: list[StudyResult] = []
    with open_engine(engine, workers, address, isolated=True) as opened:
        for study in chosen:
            try:
                with nullcontext(Watch()) if watch is None else watch(study.name) as watching:
                    sweep = study.sweep(scale, out, opened, asked, watching)
                drawn = _draw(study, sweep.rows, scale, out, looks) if sweep.rows else []
                result = StudyResult(study, scale, sweep, drawn)
            except UnavailableError as error:
                result = StudyResult(study, scale, Sweep((), 0), left_out=str(error))
            found.append(result)
            if on_study is not None:
                on_study(result)
    reproduction = Reproduction(tuple(found))
    if not with_claims:
        return reproduction
    rows = reproduction.rows
    judgements = tuple(claims.judge(statement, rows) for statement in claims.available())
    path = out / "claims.md" if document is None else Path(document)
    try:
        replace_file(path, claims.claims_document(judgements, _words(found)).encode())
    except OSError as error:
        raise AuditError(f"cannot write the claims to {path}: {error}") from None
    return replace(reproduction, judgements=judgements, document=path)


def _looks(style: str | None, columns: int | None) -> dict[str, Style]:
    """The style of every kind of file: the one that is asked for, or what the file is used for."""
    if style is not None or columns is not None:
        chosen = style_of(style or "paper", columns)
        return dict.fromkeys(FORMATS, chosen)
    return {suffix: SCREEN if suffix == "png" else style_of("paper", 2) for suffix in FORMATS}


def _draw(
    study: studies.Study,
    rows: Sequence[Row],
    scale: studies.Scale,
    folder: Path,
    looks: Mapping[str, Style],
) -> list[Path]:
    """Draw the figure of a study, one for every attack, and return what was written."""
    from ldp_auditor.figures.drawing import draw

    written: list[Path] = []
    for attack in dict.fromkeys(row["attack"] for row in rows):
        stem = study.name if attack == "paper" else f"{study.name}-{attack}"
        data = study_figure(study, rows, scale, attack)
        figures = {style: draw(data, style) for style in dict.fromkeys(looks.values())}
        for suffix, style in looks.items():
            written.append(folder / f"{stem}.{suffix}")
            save(figures[style], written[-1])
    return written


def _scale(quick: bool, optimal: bool, trials: int | None, seeds: int | None) -> studies.Scale:
    scale = replace(studies.QUICK_SCALE if quick else studies.PAPER_SCALE, optimal=optimal)
    if trials is not None:
        scale = replace(scale, trials=whole_number("trials", trials, 1, MOST_TRIALS))
    if seeds is not None:
        repetitions = whole_number("seeds", seeds, 1, MOST_SEEDS)
        scale = replace(scale, seeds=tuple(range(1, repetitions + 1)))
    return scale


def _words(results: Sequence[StudyResult]) -> str:
    """How much of which studies was run."""
    named: dict[str, list[str]] = {}
    for result in results:
        named.setdefault(result.study.words(result.scale), []).append(result.name)
    return "; ".join(f"{words}: {', '.join(names)}" for words, names in named.items())
