"""The command `report`."""

from pathlib import Path
from typing import Any

from ldp_auditor.cli.arguments import DRAWN, FILE, argument, command, path, word
from ldp_auditor.cli.output import EXIT_NO_VIOLATION, remark, tell
from ldp_auditor.cli.words import drawing_of
from ldp_auditor.errors import require


@command(
    DRAWN,
    results=argument(
        "RESULTS", "Folder that audit, compare, check, sweep or reproduce wrote.", type=FILE
    ),
    out=path("The page to write.", Path("report.html")),
    title=word("What stands above the findings.", shown="none"),
    figure=path("Draw one figure of the page instead of it.", shown="none"),
    of=word("With --figure: its number, and that of its setting, as the page tells (1.2)."),
)
def report(
    results: Path,
    out: Path,
    title: str | None,
    figure: Path | None,
    of: str | None,
    **settings: Any,
) -> int:
    """Make one HTML page of a results folder: it opens offline and loads nothing."""
    from ldp_auditor.figures.files import figure_path
    from ldp_auditor.page.document import draw_figure, write_page

    drawn = drawing_of(settings)
    require((figure is None) == (of is None), "give --figure and --of together", argument="of")
    figure = figure_path(figure, **drawn)
    if figure is not None and of is not None:
        draw_figure(results, of, figure, **drawn)
        remark(f"figure written to {figure}")
        return EXIT_NO_VIOLATION
    left_out = write_page(results, out, title)
    remark(f"page written to {out} ({out.stat().st_size / 1e6:.1f} MB)")
    for reason in left_out[:MOST_TOLD]:
        tell(f"ldp-auditor: left out: {reason}")
    return EXIT_NO_VIOLATION


MOST_TOLD = 5
"""Reasons that are told one by one; the page has all of them."""
