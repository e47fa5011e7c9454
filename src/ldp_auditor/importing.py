"""Modules that a user names."""

import importlib
import os
import sys
from typing import Any

from ldp_auditor.errors import AuditError, describe


def import_named(module: str) -> Any:
    """Import a module, also one of the working directory."""
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        return importlib.import_module(module)
    except SystemExit as error:  # its code would be taken for ours, 0 for "no violation found"
        raise AuditError(
            f"cannot import {module!r}: it ends the program ({describe(error)}); "
            "put what it runs below: if __name__ == '__main__'"
        ) from error
    except Exception as error:
        raise AuditError(f"cannot import {module!r}: {describe(error)}") from error
