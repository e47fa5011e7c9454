"""What browsers run and show: the files beside this one, and the plotting library.

The library is the one file of the plotly package that browsers run. It is read where the package is
installed, so that none of it is kept here, and without importing the package, which takes a second.
"""

import re
from collections.abc import Iterable
from importlib import resources, util
from pathlib import Path

from ldp_auditor.errors import AuditError

MISSING = "a page needs plotly, which brings its figures: pip install plotly"


def assets(names: Iterable[str], package: str = "ldp_auditor.page") -> str:
    """Return style sheets or scripts, one behind the other."""
    folder = resources.files(package)
    return "\n".join(folder.joinpath(name).read_text(encoding="utf-8") for name in names)


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
