"""The paper's experiments: a grid and the arrangement of its figure for each, in `studies.toml`."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ldp_auditor.errors import AuditError
from ldp_auditor.studies.environment import Environment
from ldp_auditor.studies.settings import SETS, members
from ldp_auditor.studies.study import PAPER_SCALE, QUICK_SCALE, Arrangement, Scale, Study

__all__ = ["PAPER_SCALE", "QUICK_SCALE", "Scale", "Study", "available", "find"]


@cache
def available() -> Mapping[str, Study]:
    """Return every study by its name, in the order of the table."""
    table = tomllib.loads(Path(__file__).with_name("studies.toml").read_text())["study"]
    given = {entry["name"]: entry for entry in table}
    merged = {name: {**given.get(own.pop("like", ""), {}), **own} for name, own in given.items()}
    return {name: _study(**entry) for name, entry in merged.items()}


def _study(blocks: list[dict[str, Any]], sizes: Sequence[int] = (), **entry: Any) -> Study:
    sets = {**SETS, "SIZES": list(sizes)}
    for name, kind in {"arrangement": Arrangement, "environment": Environment}.items():
        if name in entry:
            entry[name] = kind(**entry[name])
    grids = [{name: members(values, sets) for name, values in block.items()} for block in blocks]
    return Study(blocks=grids, **entry)


def find(name: str) -> Study:
    """Return the study of that name, or raise."""
    known = available()
    if name not in known:
        raise AuditError(f"there is no study {name!r}; they are: {', '.join(known)}, and all")
    return known[name]
