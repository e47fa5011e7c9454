"""Where figures are written, and the folder that matplotlib needs for its list of fonts."""

from __future__ import annotations

import atexit
import io
import logging
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from ldp_auditor.errors import AuditError, require
from ldp_auditor.places import temporary_folder, user_cache
from ldp_auditor.results.files import replace_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_log = logging.getLogger("ldp_auditor")


def default_figure(name: str) -> Path | None:
    """Return the place of a figure that nobody named, or None if nothing can be written there."""
    if os.access(".", os.W_OK | os.X_OK):
        return Path(name)
    _log.warning("%s is not drawn, the working folder cannot be written to; use --figure", name)
    return None


def check_figure_path(path: Path) -> None:
    """Raise, before anything is computed, if no figure can be written there."""
    from ldp_auditor.figures.drawing import file_types

    formats = file_types()
    require(
        path.suffix[1:].lower() in formats,
        f"cannot write the figure to {str(path)!r}: its name must end in one of "
        f"{', '.join('.' + suffix for suffix in formats)}",
    )
    require(
        path.parent.is_dir() and not path.is_dir(),
        f"cannot write the figure to {str(path)!r}: {str(path.parent)!r} is not a folder",
    )
    require(
        os.access(path.parent, os.W_OK | os.X_OK),
        f"cannot write the figure to {str(path)!r}: {str(path.parent)!r} cannot be written to",
    )


def save(figure: Figure, path: Path) -> None:
    """Write a figure, or say in one line why not."""
    drawn = io.BytesIO()
    try:
        figure.savefig(drawn, dpi=160, format=path.suffix[1:].lower())
        figure.set_layout_engine("none")  # the next format has the places that were found now
        replace_file(path, drawn.getvalue())
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
