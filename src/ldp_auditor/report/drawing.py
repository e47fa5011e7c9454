"""matplotlib's figures, for machines without a home too.

matplotlib keeps a list of the fonts below the user's home and complains if it cannot. This module
is where it is imported first, after it was given another folder if need be.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

from ldp_auditor.errors import AuditError
from ldp_auditor.places import temporary_folder, user_cache

__all__ = ["Figure", "Line2D", "Patch"]


def _give_room() -> None:
    """Set MPLCONFIGDIR unless the user did, or matplotlib can write where it would."""
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


try:
    _give_room()
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
except OSError as error:
    raise AuditError(
        f"figures need a folder for matplotlib's list of fonts ({error}); set MPLCONFIGDIR to one "
        "that can be written to"
    ) from None
