"""The command `report`."""

from pathlib import Path

from ldp_auditor.cli.arguments import FILE, argument, command, path, word
from ldp_auditor.cli.output import EXIT_NO_VIOLATION, remark, tell


@command(
    results=argument(
        "RESULTS", "Folder that audit, compare, check, sweep or reproduce wrote.", type=FILE
    ),
    out=path("The page to write.", Path("report.html")),
    title=word("What stands above the findings.", shown="none"),
)
def report(results: Path, out: Path, title: str | None) -> int:
    """Make one HTML page of a results folder: it opens offline and loads nothing."""
    from ldp_auditor.page.document import write_page

    left_out = write_page(results, out, title)
    remark(f"page written to {out} ({out.stat().st_size / 1e6:.1f} MB)")
    for reason in left_out[:MOST_TOLD]:
        tell(f"ldp-auditor: left out: {reason}")
    return EXIT_NO_VIOLATION


MOST_TOLD = 5
"""Reasons that are told one by one; the page has all of them."""
