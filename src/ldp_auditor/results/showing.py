"""How results show themselves: as the command line prints them, in notebooks, as figures.

Words and drawings live above this room, in `report/`; a result knows their module by name only.
"""

import importlib
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ldp_auditor.errors import AuditError, one_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FRAMES = ("pandas", "polars")
"""Libraries of data frames."""


class Shown(ABC):
    """A result that prints as the command line prints it, and draws itself."""

    def __str__(self) -> str:
        return str(_report().as_text(self))

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        return str(_report().as_html(self))

    def plot(
        self, path: Path | str | None = None, *, style: str = "screen", columns: int | None = None
    ) -> "Figure":
        """Draw the result, and write the figure to `path` if one is given: PNG, PDF or SVG.

        The `style` is screen, paper or slide; paper is as wide as 1 or 2 `columns` of a journal.
        """
        figure: Figure = _report().as_figure(self, style, columns)
        if path is not None:
            _report().save(figure, Path(path))
        return figure

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""

    @abstractmethod
    def to_rows(self) -> list[dict[str, Any]]:
        """Return the rows of the tidy table, a dictionary each."""

    def to_frame(self, library: str = "pandas") -> Any:
        """Return the tidy table as a data frame of pandas or polars."""
        one_of("library", library, FRAMES)
        try:
            frames = importlib.import_module(library)
        except ImportError:
            raise AuditError(f"{library} is not installed; pip install {library}") from None
        return frames.DataFrame(self.to_rows())


def _report() -> Any:
    return importlib.import_module("ldp_auditor.report.showing")
