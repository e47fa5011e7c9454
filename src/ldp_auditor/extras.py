"""Packages that only some commands need: whether they are installed, and what to say if not."""

from importlib.util import find_spec

from ldp_auditor.errors import require

EXTRAS = {"matplotlib": "figures", "plotly": "page", "pyarrow": "tables"}
"""The extra that brings a package."""


def is_installed(package: str) -> bool:
    """Tell whether `package` can be imported, without importing it."""
    return find_spec(package) is not None


def missing(what: str, package: str) -> str:
    """Return the line that says what `what` needs and how to get it.

    >>> missing("a figure", "matplotlib")
    "a figure needs matplotlib: pip install 'ldp-auditor[figures]'"
    """
    return f"{what} needs {package}: pip install 'ldp-auditor[{EXTRAS[package]}]'"


def require_package(what: str, package: str) -> None:
    """Raise, naming the extra, unless the `package` that `what` needs is installed."""
    require(is_installed(package), missing(what, package))
