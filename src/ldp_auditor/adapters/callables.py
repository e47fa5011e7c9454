"""Functions and objects of Python as randomizers: `package.module:function`, or themselves."""

import ast
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
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
        return list(islice(self.calls(value, rng), n))

    def calls(self, value: Any, rng: Generator) -> Iterator[Any]:
        """Call it for one report at a time, when the next one is asked for."""
        call, extra = self.call, self._extra(rng) if self.seed is None else None
        while True:
            yield call(value, **(self._extra(rng) if extra is None else extra))

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


@dataclass(frozen=True)
class Construction:
    """How an object is made: a class or another callable, with its arguments."""

    make: Callable[..., Any]
    arguments: tuple[Any, ...] = ()
    keywords: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, rng: Generator | None = None) -> Any:
        """Make an object; with `rng`, a generator or seed that it asks for is filled in."""
        return self.make(*self.arguments, **self.keywords, **self._drawn(rng))

    def _drawn(self, rng: Generator | None) -> dict[str, Any]:
        """The randomness that the callable asks for by name and that was not given."""
        if rng is None:
            return {}
        try:
            signature = inspect.signature(self.make)
            given = signature.bind_partial(*self.arguments, **self.keywords).arguments
        except (TypeError, ValueError):
            return {}
        asked = [name for name in signature.parameters if name not in given]
        drawn: dict[str, Any] = {name: rng for name in asked if name in GENERATORS}
        drawn |= {name: int(rng.integers(2**31)) for name in asked if name in SEEDS}
        return drawn


def find_object(name: str) -> Any:
    """Import `package.module` and return what follows the colon; arguments must be literals."""
    found = _find(name)
    return found() if isinstance(found, Construction) else found


def _find(name: str) -> Any:
    """What `package.module:name` names, or the construction that arguments after it ask for."""
    module_name, colon, expression = name.partition(":")
    require(
        bool(colon and module_name and expression),
        f"a target is written package.module:function or package.module:Class(arguments), "
        f"got {name!r}",
    )
    return _evaluate(expression, import_named(module_name))


def _evaluate(expression: str, module: Any) -> Any:
    """Look up a name in a module; if literal arguments follow, how it is called with them."""
    try:
        tree = ast.parse(expression, mode="eval").body
        call = tree if isinstance(tree, ast.Call) else ast.Call(tree, [], [])
        arguments = tuple(ast.literal_eval(a) for a in call.args)
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
    return Construction(found, arguments, keywords) if call is tree else found


def _is_class_of_clients(found: Any) -> bool:
    """Whether it is a class whose objects make reports, as against one that is a report."""
    if not inspect.isclass(found):
        return False
    is_called = any("__call__" in vars(kind) for kind in found.__mro__)
    return is_called or any(callable(getattr(found, name, None)) for name in METHODS)


@dataclass(frozen=True)
class ObjectTarget:
    """A Python object, or the name of one, which is found when it is opened.

    A name is `package.module:function` or `package.module:Class(arguments)`. A class stands for
    an object of it.
    """

    target: Any
    batch: bool | None = None

    def open(self) -> Randomizer:
        """Take the object as it is if it is a randomizer, else find out how to call it."""
        found = self.found()
        return self.opened(found() if isinstance(found, Construction) else found)

    def found(self) -> Any:
        """The object, or how to make one if a class, or a call of one, was named."""
        found: Any = _find(self.target) if isinstance(self.target, str) else self.target
        if isinstance(found, partial) and _is_class_of_clients(found.func):
            return Construction(found)
        if not _is_class_of_clients(found):
            return found
        try:
            inspect.signature(found).bind()
        except TypeError as error:
            raise AuditError(
                f"{found.__name__} is a class and {error}; did you mean {found.__name__}(...)?"
            ) from None
        return Construction(found)

    def opened(self, made: Any) -> Randomizer:
        """An object as a randomizer."""
        if hasattr(made, "sample") and hasattr(made, "supports"):
            return made  # type: ignore[no-any-return]
        return Function.of(made, self.batch)
