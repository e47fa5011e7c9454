"""The plotting library inside the page: the one file of the plotly package that browsers run.

It is read where the package is installed, so that none of it is kept here, and without importing
the package, which takes a second.
"""

from __future__ import annotations

import re
from importlib import util
from pathlib import Path

from ldp_auditor.errors import AuditError

MISSING = "a page needs plotly, which brings its figures: pip install plotly"


def plotting_library() -> tuple[str, str]:
    """Return the library's code and its version."""
    found = util.find_spec("plotly")
    if found is None or not found.submodule_search_locations:
        raise AuditError(MISSING)
    path = Path(next(iter(found.submodule_search_locations))) / "package_data" / "plotly.min.js"
    try:
        code = path.read_text(encoding="utf-8")
    except OSError as error:
        raise AuditError(f"{MISSING} ({error})") from None
    version = re.search(r"plotly\.js v(\d+\.\d+\.\d+)", code[:2000])
    return code, version[1] if version else "unknown"
