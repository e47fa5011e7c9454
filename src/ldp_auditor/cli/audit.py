"""The command `audit`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ldp_auditor.cli.arguments import (
    ATTACKED,
    CLAIMED,
    COUNTED,
    DRAWN,
    ENGINE,
    JSON,
    OUT,
    PROTOCOL,
    command,
    path,
)
from ldp_auditor.cli.output import exit_code, progress, show
from ldp_auditor.cli.words import drawing_of, engine_of, make_plan
from ldp_auditor.errors import require


@command(
    CLAIMED,
    COUNTED,
    ATTACKED,
    ENGINE,
    DRAWN,
    own_options=True,
    words=PROTOCOL,
    figure=path("With several --reports: where to draw the curve.", shown="none"),
    out=OUT,
    as_json=JSON,
)
def audit(
    words: Sequence[str], *, figure: Path | None, out: Path | None, as_json: bool, **settings: Any
) -> int:
    """Audit one protocol. Its own options, such as --hash-range, are shown by 'list'."""
    from ldp_auditor.audits.run import run
    from ldp_auditor.figures.files import figure_path
    from ldp_auditor.results.folder import results_folder

    drawn = drawing_of(settings)
    plan = make_plan(words, settings)
    require(
        figure is None or len(plan.reports) > 1,
        "--figure draws a curve over several numbers of reports, such as --reports 5,10,25",
    )
    figure = figure_path(figure, None, **drawn)
    with (
        results_folder(out) as journal,
        engine_of(settings) as opened,
        progress(f"auditing {plan.mechanism.name}", 2 * plan.most_trials) as bar,
    ):
        results = run(plan, engine=opened, journal=journal, progress=bar.advance)
    shown = results if len(results) > 1 else results[0]
    show(shown, as_json=as_json, figure=figure, **drawn)
    return exit_code(results.violations.violations)
