"""The command `reproduce`: the paper's figures and claims."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ldp_auditor.cli.arguments import (
    DRAWN,
    ENGINE,
    argument,
    command,
    integer,
    path,
    switch,
    word,
)
from ldp_auditor.cli.output import (
    EXIT_BAD_INPUT,
    exit_code,
    progress,
    remark,
    say_content,
    show,
    tell,
)
from ldp_auditor.cli.sweep import tell_damaged, tell_failed, watching

if TYPE_CHECKING:
    from ldp_auditor.studies.reproduction import StudyResult
    from ldp_auditor.sweeps.running import Watch


@command(
    own_options=False,
    told=True,
    names=argument(
        "NAME...", "figure-1 to figure-12 (no 9), claims, or all.", nargs=-1, required=True
    ),
    out=path("Folder of the journal, tables and figures.", Path("results")),
    quick=switch("--quick", "Fewer trials and one seed: minutes, not hours."),
    optimal=switch("--optimal", "The optimal attack beside the paper's."),
    trials=integer(
        "Trials per input.",
        shown="1e6 as in the paper; quick: 1e5; fewer where reports are slow",
    ),
    seeds=integer("Repetitions.", shown="5 as in the paper; quick: 1"),
    document=path("With claims: where to write them.", shown="OUT/claims.md"),
    style=word(
        "Draw all figures for the screen, for paper (a journal's columns) or for a slide.",
        shown="PNG for the screen, PDF and SVG for two columns of a journal",
    ),
    columns=DRAWN["columns"],
    **ENGINE,
)
def reproduce(names: Sequence[str], **settings: Any) -> int:
    """Reproduce experiments of the paper; a run that was killed goes on with the same command.

    The exit code is 1 if any audit proves a violation: figure 8 is about one.
    """
    from ldp_auditor.report.reproducing import reproduce as run
    from ldp_auditor.report.showing import together

    found = run(list(names), watch=_bar, on_study=_tell_study, **settings)
    tell_damaged(sum(result.sweep.damaged for result in found.studies))
    say_content(together(found))
    if found.document is not None:
        remark(f"claims written to {found.document}")
    incomplete = any(result.left_out or result.sweep.failed for result in found.studies)
    return EXIT_BAD_INPUT if incomplete else exit_code(found.violations.violations)


@contextlib.contextmanager
def _bar(name: str) -> Iterator[Watch]:
    with progress(name, 0) as bar:
        yield watching(bar, name)


def _tell_study(result: StudyResult) -> None:
    """Say what a study found as soon as it is there."""
    if result.left_out is not None:
        tell(f"ldp-auditor: {result.name} was left out: {result.left_out}")
        return
    show(result, as_json=False)
    tell_failed(result.sweep)
