"""Where figures are written, and the folder that matplotlib needs for its list of fonts."""

from __future__ import annotations

import atexit
import contextlib
import importlib
import logging
import os
import shutil
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ldp_auditor.errors import AuditError, require
from ldp_auditor.extras import is_installed, missing, require_package
from ldp_auditor.figures.styles import style_of
from ldp_auditor.places import temporary_folder, user_cache
from ldp_auditor.results.files import replace_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_log = logging.getLogger("ldp_auditor")

DRAWING = "ldp_auditor.figures.drawing"
USUAL = ("pdf", "png", "svg")
"""Files that every matplotlib writes."""

NOT_DRAWN = "%s is not drawn, the working folder cannot be written to; use --figure"


def figure_path(
    given: Path | None,
    default: str | None = None,
    style: str | None = None,
    columns: int | None = None,
) -> Path | None:
    """Return where a figure goes: the place that is given, or the default one if it can be.

    Raise, before anything is computed, if it cannot be drawn or written there or has no such style.
    """
    require(
        style is None or given is not None or default is not None,
        "style says how a figure is drawn: give its place with --figure",
        argument="style",
    )
    style_of(style or "screen", columns)
    if given is None and default is not None:
        if not is_installed("matplotlib"):
            _log.warning("no figure: %s", missing(default, "matplotlib"))
            return None
        if not os.access(".", os.W_OK | os.X_OK):
            _log.warning(NOT_DRAWN, default)
            return None
        given = Path(default)
    if given is not None:
        require_package("a figure", "matplotlib")
        check_place("the figure", given, _file_types(given))
    return given


def _file_types(path: Path) -> Sequence[str]:
    """Return how the name of a figure's file may end.

    matplotlib takes a second to import and is not needed to say so of the usual ones; it is
    imported while the trials run, whose kernels leave room for it.
    """
    if path.suffix[1:].lower() in USUAL:
        threading.Thread(target=_import_drawing).start()
        return USUAL
    types: list[str] = importlib.import_module(DRAWING).file_types()
    return types


def _import_drawing() -> None:
    """Import matplotlib; what goes wrong is told when the figure is drawn, and imports it again."""
    with contextlib.suppress(Exception):
        importlib.import_module(DRAWING)


def check_place(what: str, path: Path, endings: Sequence[str]) -> None:
    """Raise unless a file of one of some kinds can be written to `path`."""
    cannot = f"cannot write {what} to {str(path)!r}"
    folder = str(path.parent)
    kinds = " or ".join(f".{ending}" for ending in endings)
    require(path.suffix[1:].lower() in endings, f"{cannot}: its name must end in {kinds}")
    require(path.parent.is_dir() and not path.is_dir(), f"{cannot}: {folder!r} is not a folder")
    writable = os.access(path.parent, os.W_OK | os.X_OK)
    require(writable, f"{cannot}: {folder!r} cannot be written to")


def save(figure: Figure, path: Path) -> None:
    """Write a figure, or say in one line why not."""
    try:
        drawn = importlib.import_module(DRAWING).written(figure, path.suffix[1:].lower())
        replace_file(path, drawn)
    except (OSError, ValueError) as error:
        raise AuditError(f"cannot write the figure to {path}: {error}") from error


def give_matplotlib_room() -> None:
    """Set MPLCONFIGDIR unless the user did, or matplotlib can write where it would.

    matplotlib keeps a list of the fonts below the user's home and complains if it cannot.
    """
    if os.environ.get("MPLCONFIGDIR") or (
        _can_write("XDG_CONFIG_HOME", ".config") and _can_write("XDG_CACHE_HOME", ".cache")
    ):
        return
    folder = user_cache() or temporary_folder()
    if folder is None:
        folder = Path(tempfile.mkdtemp(prefix="ldp-auditor-"))  # in the working folder, maybe
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ["MPLCONFIGDIR"] = str(folder / "matplotlib")


def _can_write(variable: str, below_home: str) -> bool:
    """Tell whether matplotlib can make its folder there, or has it already."""
    try:
        place = Path(os.environ.get(variable) or Path.home() / below_home) / "matplotlib"
        while not place.exists():
            place = place.parent
        return place.is_dir() and os.access(place, os.W_OK | os.X_OK)
    except (OSError, RuntimeError):  # nothing that we may look at; nobody's home
        return False
