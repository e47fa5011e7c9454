"""Reads the table of statements: which places each is about, and which test it must pass there."""

import importlib
import inspect
import pkgutil
import tomllib
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

from ldp_auditor.studies import settings
from ldp_auditor.studies.claims import comparisons, second_value, shapes
from ldp_auditor.studies.claims.statement import Statement, Test, every
from ldp_auditor.studies.figure_04 import DELTAS
from ldp_auditor.studies.figure_06 import REPORTS
from ldp_auditor.studies.figure_07 import FAKE_DATA

Sets = Mapping[str, list[Any]]


@cache
def available() -> tuple[Statement, ...]:
    """Return every statement of the table, section by section."""
    document = tomllib.loads(Path(__file__).with_name("statements.toml").read_text())
    found = {**vars(settings), "DELTAS": DELTAS, "REPORTS": REPORTS, "FAKE_DATA": FAKE_DATA}
    sets = {name: values for name, values in found.items() if isinstance(values, list)}
    sets |= document["sets"]
    return tuple(_statement(given, sets) for given in document["statement"])


def _statement(given: Mapping[str, Any], sets: Sets) -> Statement:
    numbers = {**vars(comparisons), "TRIALS": second_value.TRIALS}
    blocks = [{name: members(v, sets) for name, v in block.items()} for block in given["places"]]
    return Statement(
        name=given["name"],
        section=given["section"],
        words=given["words"].format_map(numbers),
        studies=tuple(given["studies"]),
        places=[place for block in blocks for place in every(**block)],
        test=_test(given["test"], sets),
    )


def members(given: Any, sets: Sets) -> list[Any]:
    """Return the values that are meant: names of sets stand for their members, "-X" leaves X out.

    >>> members(["PURE", "AGM", "-GRR"], {"PURE": ["GRR", "SS"]})
    ['SS', 'AGM']
    """
    found: list[Any] = []
    for value in given if isinstance(given, list) else [given]:
        if isinstance(value, str) and value.startswith("-"):
            left_out = sets.get(value[1:], [value[1:]])
            found = [one for one in found if one not in left_out]
        else:
            found += sets.get(value, [value])
    return found


def _test(given: str | Mapping[str, Any], sets: Sets) -> Test:
    """Return the test of a statement: one of its own, or a shape with a comparison."""
    if isinstance(given, str):
        return _own_tests()[given]
    rest = dict(given)
    shape = getattr(shapes, rest.pop("shape"))
    comparison = getattr(comparisons, rest.pop("is"))
    if "values" in rest:
        rest["values"] = members(rest["values"], sets)
    if "of" in rest:
        rest["of"] = getattr(shapes, rest["of"])
    taken = {name for name in rest if name in inspect.signature(shape).parameters}
    more = {name: value for name, value in rest.items() if name not in taken}
    test: Test = shape(
        comparison=partial(comparison, **more), **{name: rest[name] for name in taken}
    )
    return test


@cache
def _own_tests() -> dict[str, Test]:
    """Tests that only one statement has: those in the modules of this package."""
    package = __name__.rpartition(".")[0]
    path = importlib.import_module(package).__path__
    modules = [importlib.import_module(f"{package}.{m.name}") for m in pkgutil.iter_modules(path)]
    found: dict[str, Test] = {}
    for module in modules:
        found |= getattr(module, "TESTS", {})
    return found
