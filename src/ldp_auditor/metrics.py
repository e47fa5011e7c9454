"""Distances of inputs: what a claim of metric privacy is counted in.

A claim with a metric promises epsilon times the distance of the two inputs ([Chatzikokolakis13];
of places, [Andres13]). With it every epsilon of an audit or a check is one for each unit of
distance: a loss, divided by the distance of its pair.

A metric is named: one of ours, or `module:function`, a function of two inputs.
"""

import math
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from ldp_auditor.core import Floats
from ldp_auditor.errors import AuditError, describe, require
from ldp_auditor.importing import import_named

Metric = Callable[[Any, Any], float]

_must = partial(require, argument="metric")


def coordinates(value: Any, name: str) -> Sequence[float]:
    """Return the coordinates of an input; those of a number are the number alone."""
    value = value.tolist() if isinstance(value, np.ndarray | np.generic) else value
    entries = value if isinstance(value, tuple | list) else (value,)
    right = all(isinstance(e, int | float) and not isinstance(e, bool) for e in entries)
    _must(right, f"the distance {name} takes numbers, got {str(value)[:40]!r}")
    return entries


def _differences(first: Any, second: Any, name: str) -> list[float]:
    a, b = coordinates(first, name), coordinates(second, name)
    same = len(a) == len(b)
    _must(same, f"{first} and {second} have different numbers of coordinates")
    return [abs(x - y) for x, y in zip(a, b, strict=True)]


def euclidean(first: Any, second: Any) -> float:
    """The length of the straight line between two points."""
    total = 0.0  # in order, and by a root: the same bits on every machine
    for each in _differences(first, second, "euclidean"):
        total += each * each
    return math.sqrt(total)


def manhattan(first: Any, second: Any) -> float:
    """The sum of the differences of all coordinates."""
    return float(sum(_differences(first, second, "manhattan")))


def absolute(first: Any, second: Any) -> float:
    """The difference of two numbers."""
    differences = _differences(first, second, "absolute")
    _must(
        len(differences) == 1,
        f"the distance absolute takes single numbers, got {str(first)[:40]}; "
        "for points there are euclidean and manhattan",
    )
    return float(differences[0])


METRICS: dict[str, Metric] = {
    "euclidean": euclidean,
    "manhattan": manhattan,
    "absolute": absolute,
}
"""Distances by their names."""


_given: dict[str, Metric] = {}
"""Functions that were given as such, in Python."""


def name_of(metric: str | Metric | None) -> str | None:
    """Return the name of a distance that is given by its name or as a function.

    That of a function is `module:function`, by which the command line and workers find it, or as
    much of it as it has.
    """
    if metric is None or isinstance(metric, str):
        return metric
    _must(callable(metric), f"metric must be a name or a function, got {str(metric)[:40]!r}")
    for name, ours in METRICS.items():
        if metric is ours:
            return name
    function = str(getattr(metric, "__qualname__", type(metric).__qualname__))
    name = f"{metric.__module__}:{function}"
    _given[name] = metric
    return name


def find_metric(name: str) -> Metric:
    """Return the distance of that name, or the function `module:function`, or raise."""
    return METRICS.get(name) or _given.get(name) or _imported(name)


MAIN = "__main__"
"""The module of functions that were written at a prompt, in a notebook or in a script."""


@cache
def _imported(name: str) -> Metric:
    known = f"{', '.join(METRICS)}, or a function of your own, module:function"
    module, _, function = name.partition(":")
    _must(bool(module and function), f"unknown metric {name!r}; there are {known}")
    try:
        found = getattr(import_named(module), function, None)
    except AuditError as error:
        raise AuditError(str(error), argument="metric") from None
    where = "; put it into a module, where worker processes find it" if module == MAIN else ""
    _must(callable(found), f"metric {name!r}: {module} has no function {function}{where}")
    assert found is not None
    own: Metric = found
    return own


def distances(metric: str, values: Sequence[Any]) -> Floats:
    """Return the distances of all pairs of inputs, which must be the same both ways."""
    table = _named_distances(metric, values)
    if table is not None:
        return table
    table = np.zeros((len(values), len(values)))
    for i, first in enumerate(values):
        for j, second in enumerate(values[:i]):
            table[i, j], table[j, i] = (
                distance(metric, first, second),
                distance(metric, second, first),
            )
            _must(
                table[i, j] == table[j, i],
                f"a distance must be the same both ways, got {table[j, i]:g} and {table[i, j]:g} "
                f"from metric {metric!r} for {str(second)[:40]} and {str(first)[:40]}",
            )
    return table


def _named_distances(metric: str, values: Sequence[Any]) -> Floats | None:
    """Return `distances` for a metric of ours, all at once; None where one is to be refused."""
    if metric not in METRICS:
        return None
    points = [coordinates(value, metric) for value in values]
    size = len(points[0]) if points else 0
    if any(len(point) != size for point in points) or (metric == "absolute" and size != 1):
        return None
    table = np.zeros((len(values), len(values)))
    for column in np.array(points, float).T:  # in order, as `euclidean` adds them up
        apart = np.abs(column[:, None] - column)
        table += apart * apart if metric == "euclidean" else apart
    table = np.sqrt(table) if metric == "euclidean" else table
    right = np.count_nonzero(table) == len(values) * (len(values) - 1) and np.isfinite(table).all()
    return table if right else None


def distance(metric: str, first: Any, second: Any) -> float:
    """Return the distance of two inputs that differ, or raise unless it is a positive number."""
    try:
        found = find_metric(metric)(first, second)
        apart = float(found)
    except AuditError:
        raise
    except Exception as error:
        raise AuditError(
            f"metric {metric!r} failed on {str(first)[:40]} and {str(second)[:40]}: "
            f"{describe(error)}",
            argument="metric",
        ) from None
    _must(
        0 < apart < math.inf,
        f"a distance must be positive and finite, got {apart:g} from metric {metric!r} for "
        f"{str(first)[:40]} and {str(second)[:40]}",
    )
    return apart
