"""The paper's experiments: a file for each, a grid and the arrangement of its figure."""

import importlib
import pkgutil
from collections.abc import Mapping

from ldp_auditor.errors import AuditError
from ldp_auditor.studies.study import PAPER_SCALE, QUICK_SCALE, Scale, Study

__all__ = ["PAPER_SCALE", "QUICK_SCALE", "Scale", "Study", "available", "find"]


def available() -> Mapping[str, Study]:
    """Return every study by its name: those modules of this package that have a `STUDY`."""
    modules = sorted(module.name for module in pkgutil.iter_modules(__path__))
    studies = [
        getattr(importlib.import_module(f"{__name__}.{name}"), "STUDY", None) for name in modules
    ]
    return {study.name: study for study in studies if isinstance(study, Study)}


def find(name: str) -> Study:
    """Return the study of that name, or raise."""
    known = available()
    if name not in known:
        raise AuditError(f"there is no study {name!r}; they are: {', '.join(known)}")
    return known[name]
