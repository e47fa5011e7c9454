"""Functions and objects of Python as randomizers: `package.module:function`, or themselves."""

import ast
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

from numpy.random import Generator

from ldp_auditor.adapters.randomizer import Randomizer
from ldp_auditor.errors import AuditError, require
from ldp_auditor.importing import import_named

METHODS = ("privatize", "privatise", "randomize", "randomise", "sample", "perturb")
"""Methods that are looked for on an object that cannot be called itself."""

GENERATORS = ("rng", "generator")
"""Names of parameters that are given our generator, a `numpy.random.Generator`."""

SEEDS = ("seed", "random_state")
"""Names of parameters that are given a fresh whole number with every call."""

COUNTS = ("n", "size", "count")
"""Names of a second parameter: the number of reports that a callable returns at once."""


@dataclass(frozen=True)
class Function:
    """A callable from a value to a report, or from a value and a number to as many reports."""

    call: Callable[..., Any]
    batch: bool = False
    generator: str | None = None
    """Name of the parameter for a generator."""
    seed: str | None = None
    """Name of the parameter for a seed."""
    count: str = "n"
    """Name of the second parameter, if it was taken for the number of reports."""

    @classmethod
    def of(cls, target: Any, batch: bool | None = None) -> Self:
        """Find out how an object wants to be called."""
        named = [name for name in METHODS if callable(getattr(target, name, None))]
        require(
            not (inspect.isclass(target) and (named or "__call__" in vars(target))),
            f"{getattr(target, '__name__', target)} is a class; did you mean "
            f"{getattr(target, '__name__', target)}()?",
        )
        call = target
        if not callable(target):
            require(
                bool(named),
                f"{target!r} cannot be called and has none of the methods {', '.join(METHODS)}",
            )
            call = getattr(target, named[0])
        try:
            names = list(inspect.signature(call).parameters)
        except (TypeError, ValueError):
            names = []
        if batch is None:
            batch = len(names) > 1 and names[1] in COUNTS
        generator = next((n for n in names if n in GENERATORS), None)
        seed = next((n for n in names if n in SEEDS), None)
        return cls(call, batch, generator, seed, names[1] if batch and len(names) > 1 else "n")

    def sample(self, value: Any, n: int, rng: Generator) -> Sequence[Any]:
        """Call it, once or as often as there are reports."""
        if self.batch:
            return self._as_list(self.call(value, n, **self._extra(rng)), n)
        if self.seed is None:
            extra = self._extra(rng)
            return [self.call(value, **extra) for _ in range(n)]
        return [self.call(value, **self._extra(rng)) for _ in range(n)]

    def _extra(self, rng: Generator) -> dict[str, Any]:
        extra: dict[str, Any] = {}
        if self.generator is not None:
            extra[self.generator] = rng
        if self.seed is not None:
            extra[self.seed] = int(rng.integers(2**31))
        return extra

    def _as_list(self, reports: Any, n: int) -> Sequence[Any]:
        sized = hasattr(reports, "__len__")
        require(
            sized and len(reports) == n,
            f"asked for {n} reports at once, the target returned "
            f"{len(reports) if sized else type(reports).__name__}; if its parameter "
            f"{self.count!r} is not the number of reports, say --no-batch (in Python batch=False)",
        )
        made: Sequence[Any] = reports
        return made


def find_object(name: str) -> Any:
    """Import `package.module` and return what follows the colon; arguments must be literals."""
    module_name, colon, expression = name.partition(":")
    require(
        bool(colon and module_name and expression),
        f"a target is written package.module:function or package.module:Class(arguments), "
        f"got {name!r}",
    )
    return _evaluate(expression, import_named(module_name))


def _evaluate(expression: str, module: Any) -> Any:
    """Look up a name in a module, and call it if literal arguments follow."""
    try:
        tree = ast.parse(expression, mode="eval").body
        call = tree if isinstance(tree, ast.Call) else ast.Call(tree, [], [])
        arguments = [ast.literal_eval(a) for a in call.args]
        keywords = {str(k.arg): ast.literal_eval(k.value) for k in call.keywords}
        path = ast.unparse(call.func).split(".")
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
    return found(*arguments, **keywords) if call is tree else found


@dataclass(frozen=True)
class ObjectTarget:
    """A Python object, or the name of one, which is found when it is opened.

    A name is `package.module:function` or `package.module:Class(arguments)`.
    """

    target: Any
    batch: bool | None = None

    def open(self) -> Randomizer:
        """Take the object as it is if it is a randomizer, else find out how to call it."""
        found: Any = find_object(self.target) if isinstance(self.target, str) else self.target
        if hasattr(found, "sample") and hasattr(found, "supports"):
            return found  # type: ignore[no-any-return]
        return Function.of(found, self.batch)
