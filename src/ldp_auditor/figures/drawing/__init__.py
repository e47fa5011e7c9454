"""Figures drawn by matplotlib: one function for each kind of data. Nothing else imports it."""

from ldp_auditor.errors import AuditError
from ldp_auditor.figures.files import give_matplotlib_room

try:
    give_matplotlib_room()
    from ldp_auditor.figures.drawing import bars, gap, panels
    from ldp_auditor.figures.drawing.sheet import draw, file_types, written
except OSError as error:
    raise AuditError(
        f"figures need a folder for matplotlib's list of fonts ({error}); set MPLCONFIGDIR to one "
        "that can be written to"
    ) from None

__all__ = ["bars", "draw", "file_types", "gap", "panels", "written"]
