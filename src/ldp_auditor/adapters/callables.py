"""Functions and objects of Python as randomizers: `package.module:function`, or themselves."""

from __future__ import annotations

import ast
import importlib
import inspect
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.random import Generator

from ldp_auditor.adapters.randomizer import Randomizer
from ldp_auditor.errors import AuditError, require

METHODS = ("privatize", "privatise", "randomize", "randomise", "sample", "perturb")
"""Methods that are looked for on an object that cannot be called itself."""

GENERATORS = ("rng", "generator", "random_state")
"""Names of parameters that are given our generator."""

COUNTS = ("n", "size", "count")
"""Names of a second parameter that makes a callable return so many reports at once."""


@dataclass(frozen=True)
class Function:
    """A callable from a value to a report, or from a value and a number to as many reports."""

    call: Callable[..., Any]
    batch: bool = False
    generator: str | None = None
    """Name of the parameter for a generator."""
    seed: str | None = None
    """Name of the parameter for a seed."""

    @classmethod
    def of(cls, target: Any, batch: bool | None = None) -> Function:
        """Find out how an object wants to be called."""
        call = target
        if not callable(target):
            named = [name for name in METHODS if callable(getattr(target, name, None))]
            require(
                bool(named),
                f"{target!r} cannot be called and has none of the methods {', '.join(METHODS)}",
            )
            call = getattr(target, named[0])
        try:
            parameters = list(inspect.signature(call).parameters.values())
        except (TypeError, ValueError):
            parameters = []
        names = [p.name for p in parameters]
        if batch is None:
            batch = len(names) > 1 and names[1] in COUNTS
        generator = next((n for n in names if n in GENERATORS), None)
        return cls(call, batch, generator, "seed" if "seed" in names else None)

    def sample(self, value: Any, n: int, rng: Generator) -> Sequence[Any]:
        """Call it, once or as often as there are reports."""
        extra: dict[str, Any] = {}
        if self.generator is not None:
            extra[self.generator] = rng
        if self.seed is None:
            if self.batch:
                return _as_list(self.call(value, n, **extra), n)
            return [self.call(value, **extra) for _ in range(n)]
        if self.batch:
            return _as_list(self.call(value, n, seed=int(rng.integers(2**31)), **extra), n)
        seeds = rng.integers(2**31, size=n).tolist()
        return [self.call(value, seed=seed, **extra) for seed in seeds]


def _as_list(reports: Any, n: int) -> Sequence[Any]:
    require(
        hasattr(reports, "__len__") and len(reports) == n,
        f"asked for {n} reports at once, the target returned "
        f"{len(reports) if hasattr(reports, '__len__') else type(reports).__name__}",
    )
    made: Sequence[Any] = reports
    return made


@dataclass(frozen=True)
class NamedTarget:
    """`package.module:function` or `package.module:Class(arguments)`, found when it is opened."""

    name: str
    batch: bool | None = None

    def open(self) -> Randomizer:
        """Import the module and find the object; arguments must be literals."""
        found = find_object(self.name)
        if hasattr(found, "sample") and hasattr(found, "supports"):
            made: Randomizer = found
            return made
        return Function.of(found, self.batch)


def find_object(name: str) -> Any:
    """Import `package.module` and return what follows the colon."""
    module_name, colon, expression = name.partition(":")
    require(
        bool(colon and module_name and expression),
        f"a target is written package.module:function or package.module:Class(arguments), "
        f"got {name!r}",
    )
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        module = importlib.import_module(module_name)
    except Exception as error:
        raise AuditError(
            f"cannot import {module_name!r}: {type(error).__name__}: {error}"
        ) from error
    return _evaluate(expression, module)


def _evaluate(expression: str, module: Any) -> Any:
    """Look up a name in a module, and call it if literal arguments follow."""
    try:
        tree = ast.parse(expression, mode="eval").body
        arguments: list[Any] = []
        keywords: dict[str, Any] = {}
        called = isinstance(tree, ast.Call)
        if isinstance(tree, ast.Call):
            arguments = [ast.literal_eval(a) for a in tree.args]
            keywords = {str(k.arg): ast.literal_eval(k.value) for k in tree.keywords}
            tree = tree.func
        path = ast.unparse(tree).split(".")
        require(all(part.isidentifier() for part in path), "")
    except (SyntaxError, ValueError, AuditError):
        raise AuditError(
            f"after the colon comes a name, or a name with literal arguments such as "
            f"Client(epsilon=1.0), got {expression!r}"
        ) from None
    found = module
    for part in path:
        if not hasattr(found, part):
            raise AuditError(f"{module.__name__} has no {'.'.join(path)!r}")
        found = getattr(found, part)
    return found(*arguments, **keywords) if called else found


@dataclass(frozen=True)
class ObjectTarget:
    """A Python object that is at hand."""

    target: Any
    batch: bool | None = None

    def open(self) -> Randomizer:
        """Take it as it is."""
        if hasattr(self.target, "sample") and hasattr(self.target, "supports"):
            made: Randomizer = self.target
            return made
        return Function.of(self.target, self.batch)
