"""Reads the table of statements: which places each is about, and which test it must pass there."""

import inspect
import tomllib
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

from ldp_auditor.studies.claims import (
    comparisons,
    debugging,
    own_tests,
    readings,
    second_value,
    shapes,
)
from ldp_auditor.studies.claims.statement import Statement, Test, every
from ldp_auditor.studies.settings import SETS, members

Sets = Mapping[str, list[Any]]

READINGS = {**vars(readings), **vars(debugging)}
OWN_TESTS = {**second_value.TESTS, **own_tests.TESTS, **debugging.TESTS}


@cache
def available() -> tuple[Statement, ...]:
    """Return every statement of the table, section by section."""
    document = tomllib.loads(Path(__file__).with_name("statements.toml").read_text())
    sets = {**SETS, **document["sets"]}
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


def _test(given: str | Mapping[str, Any], sets: Sets) -> Test:
    """Return the test of a statement: one of its own, or a shape with a comparison."""
    if isinstance(given, str):
        return OWN_TESTS[given]
    rest = dict(given)
    shape = getattr(shapes, rest.pop("shape"))
    negated, _, name = rest.pop("is").rpartition(" ")
    comparison = getattr(comparisons, name)
    if "values" in rest:
        rest["values"] = members(rest["values"], sets)
    if "of" in rest:
        rest["of"] = READINGS[rest["of"]]
    taken = {name for name in rest if name in inspect.signature(shape).parameters}
    more = {name: rest.pop(name) for name in {*rest} - taken}
    test: Test = shape(partial(comparison, **more), **rest)
    return (lambda view, place: test(view, place).negated) if negated else test
