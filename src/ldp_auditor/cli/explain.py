"""The commands `explain` and `profile`: where a gap comes from."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ldp_auditor.cli.arguments import (
    CLAIMED,
    COUNTED,
    DRAWN,
    ENGINE,
    JSON,
    PROTOCOL,
    command,
    integer,
    path,
    word,
)
from ldp_auditor.cli.output import exit_code, progress, show
from ldp_auditor.cli.words import drawing_of, engine_of, make_plan

REPEATED = {**CLAIMED, "reports": word("Reports of the same value by each user.", shown="1")}


@command(
    REPEATED,
    COUNTED,
    ENGINE,
    DRAWN,
    own_options=True,
    words=PROTOCOL,
    figure=path("Where to draw the waterfall.", shown="explain.png"),
    as_json=JSON,
)
def explain(words: Sequence[str], *, figure: Path | None, as_json: bool, **settings: Any) -> int:
    """Tell where the gap between the claim and the measured epsilon comes from, by every attack."""
    from ldp_auditor.audits.gap import explain_plan
    from ldp_auditor.figures.files import figure_path

    drawn = drawing_of(settings)
    plan = make_plan(words, settings)
    figure = figure_path(figure, None if as_json else "explain.png", **drawn)
    with (
        engine_of(settings) as opened,
        progress(f"explaining {plan.mechanism.name}", 4 * plan.most_trials) as bar,
    ):
        explanation = explain_plan(plan, engine=opened, progress=bar.advance)
    show(explanation, as_json=as_json, figure=figure, **drawn)
    return exit_code(explanation.violations.violations)


@command(
    REPEATED,
    DRAWN,
    own_options=True,
    words=PROTOCOL,
    points=integer("Epsilons to tabulate.", 21),
    figure=path("Where to draw it.", shown="profile.png"),
    as_json=JSON,
)
def profile(
    words: Sequence[str], *, points: int, figure: Path | None, as_json: bool, **settings: Any
) -> None:
    """Show the exact privacy profile of a protocol: the smallest delta at every epsilon."""
    from ldp_auditor.audits.gap import profile_of
    from ldp_auditor.figures.files import figure_path

    drawn = drawing_of(settings)
    plan = make_plan(words, settings)
    found = profile_of(plan, points)
    figure = figure_path(figure, None if as_json else "profile.png", **drawn)
    show(found, as_json=as_json, figure=figure, plain=found.to_rows(), **drawn)
