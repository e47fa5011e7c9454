"""Modules that a user names."""

import importlib
import os
import sys
from pathlib import Path
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
        name = Path(module).stem
        is_file = module.endswith(".py") or "/" in module
        why = f"it is a file; name the module, {name}, there" if is_file else describe(error)
        raise AuditError(f"cannot import {module!r}: {why}") from error
