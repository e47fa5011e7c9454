"""What tests of the report page share: how its parts are found."""

from __future__ import annotations

from typing import Any

from ldp_auditor.page.overview import COLUMNS
from tests.end_to_end.browsing import Visit


def rows(seen: Visit, column: str) -> list[str]:
    """The texts of a column of the overview table, as far as they are shown."""
    place = list(COLUMNS).index(column) + 1
    cells = seen.page.locator(f"#overview-table tbody tr:visible > :nth-child({place})")
    texts: list[str] = cells.all_inner_texts()
    return texts


def curve(seen: Visit) -> Any:
    """The figure of GRR over epsilon."""
    return seen.page.locator("figure", has_text="Epsilon over the claimed epsilon").first
