"""A view of the page outside of it: as a command, a cell of a notebook, a table, a figure."""

import importlib
import json
import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ldp_auditor.errors import one_of
from ldp_auditor.exploring.curves import GRIDS, Answer, curves
from ldp_auditor.exploring.exact import exact_at
from ldp_auditor.exploring.protocols import offered
from ldp_auditor.exploring.settings import AXES, Setting, read_setting
from ldp_auditor.figures.data import Curves, FigureData
from ldp_auditor.figures.files import DRAWING, save
from ldp_auditor.figures.styles import style_of
from ldp_auditor.figures.words import plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

START: Mapping[str, Any] = {
    "protocols": ["GRR", "OUE", "THE"],
    "epsilon": 4.0,
    "domain_size": 100,
    "delta": 1e-5,
    "reports": 1,
    "epsilon_infinity": 8.0,
    "attributes": 3,
    "dimension": 8,
    "users": 1_000_000,
    "attack": "paper",
    "bound": "betting",
    "trials": 1_000_000,
    "alpha": 0.01,
    "seed": 42,
}
"""Where the sliders stand at first."""

FIGURES = ("leakage", "error")
KINDS = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}
"""Files that the page offers, and what browsers call them."""


@dataclass(frozen=True)
class View:
    """A setting and an axis: the exact numbers that the page draws."""

    setting: Setting
    axis: str

    @cached_property
    def answer(self) -> Answer:
        """All curves."""
        return curves(self.setting, self.axis, math.inf)

    def figure(self, of: str = "leakage") -> Curves:
        """One of the two figures: of what leaks, or of the error."""
        one_of("of", of, FIGURES)
        (found,) = (self.answer.leakage if of == "leakage" else self.answer.errors).figures
        assert isinstance(found, Curves)
        return found

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The numbers, a row for every protocol and place of the axis."""
        places = sorted({*GRIDS[self.axis], getattr(self.setting, self.axis)})
        rows = []
        for name in self.setting.protocols:
            for place in places:
                exact = exact_at(self.setting.at(self.axis, place), name)
                numbers = {
                    "claimed_epsilon": exact.claimed,
                    "worst_case_epsilon": exact.worst,
                    "attack_epsilon": exact.attack,
                    "standard_error": exact.error,
                }
                rows.append({"mechanism": name, self.axis: place, **numbers})
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        rows = [
            {
                key: value if isinstance(value, str) else plain(value, 17)
                for key, value in row.items()
            }
            for row in self.rows
        ]
        return {"over": self.axis, **self._told, "rows": rows}

    def plot(
        self,
        path: Path | str | None = None,
        of: str = "leakage",
        *,
        style: str = "screen",
        columns: int | None = None,
    ) -> "Figure":
        """Draw what leaks, or the error, and write the figure to `path` if one is given.

        The `style` is screen, paper or slide; paper is as wide as 1 or 2 `columns` of a journal.
        """
        drawing = importlib.import_module(DRAWING)
        figure: Figure = drawing.draw(self.figure(of), style_of(style, columns))
        if path is not None:
            save(figure, Path(path))
        return figure

    @property
    def _told(self) -> dict[str, Any]:
        """Settings that decide the numbers, those that no protocol uses left out."""
        setting = self.setting
        used = {name for protocol in setting.protocols for name in offered()[protocol].uses}
        used |= {"reports", "users", "attack"}
        if setting.attack == "optimal":  # whose threshold is the best for these
            used |= {"trials", "alpha"}
        return {
            name: value
            for name, value in setting.to_plain().items()
            if name == "protocols" or name in used
        }

    @property
    def command(self) -> str:
        """The command that prints the same numbers and draws the same figure."""
        told = self._told
        words = ["ldp-auditor", "explore", *told.pop("protocols"), "--over", self.axis]
        for name, value in told.items():
            words += ["--" + name.replace("_", "-"), _word(value)]
        return shlex.join([*words, "--json", "--figure", "explore.svg"])

    @property
    def cell(self) -> str:
        """A cell of a notebook that does so."""
        told = self._told
        names = json.dumps(told.pop("protocols"))
        given = "".join(f"    {name}={value!r},\n" for name, value in told.items())
        return (
            "from ldp_auditor.exploring.view import view\n\n"
            f"shown = view(\n    {names},\n    over={self.axis!r},\n{given})\n"
            'print(shown.rows[0])  # a row for every protocol and place; shown.plot(of="error")\n'
            "shown.plot()\n"
        )

    @property
    def fragment(self) -> str:
        """What the address of the page has behind # to show this view."""
        told = {**self.setting.to_plain(), "axis": self.axis}
        told["protocols"] = ",".join(told["protocols"])
        return "&".join(f"{name}={quote(_word(value), safe=',')}" for name, value in told.items())


def drawn(data: FigureData, kind: str) -> bytes:
    """Return figure data as the content of a file of that kind."""
    drawing = importlib.import_module(DRAWING)
    content: bytes = drawing.written(drawing.draw(data), kind)
    return content


def _word(value: Any) -> str:
    """A value as the command line has it; a whole number without a point."""
    is_whole = isinstance(value, float) and value.is_integer()
    return str(int(value)) if is_whole else str(value)


def view(protocols: Sequence[str] = (), *, over: str = "epsilon", **settings: Any) -> View:
    """Return what `explore` shows of some protocols over an axis; other settings as at first.

    >>> shown = view(["GRR", "OUE"], over="domain_size", epsilon=2.0)
    >>> len(shown.rows), shown.rows[0]["claimed_epsilon"]
    (60, 2.0)
    """
    named = {"protocols": list(protocols)} if protocols else {}
    one_of("over", over, AXES)
    return View(read_setting({**START, **settings, **named}), over)
