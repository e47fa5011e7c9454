"""What the adapters share: importing a foreign package and asking it for one report at a time."""

import importlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from ldp_auditor.errors import AuditError, require, whole_input


def import_foreign(adapter_name: str, module: str) -> Any:
    """Return the module of a foreign package, or raise with the extra that installs it."""
    remedy = f"pip install 'ldp-auditor[{adapter_name}]'"
    package = module.partition(".")[0]
    try:
        importlib.import_module(package)
        return importlib.import_module(module)
    except ImportError as error:
        if isinstance(error, ModuleNotFoundError) and error.name == package:
            missing = f"{adapter_name}'s xxhash" if package == "xxhash" else adapter_name
            raise AuditError(f"{missing} is not installed; {remedy}") from None
        reason = " ".join(str(error).split())
        raise AuditError(f"{adapter_name} does not import ({reason}); {remedy}") from error


def import_xxhash(adapter_name: str) -> Any:
    """Return xxhash, or raise if it is a version that refuses strings, which the packages hash."""
    xxhash = import_foreign(adapter_name, "xxhash")
    require(
        int(xxhash.VERSION.partition(".")[0]) < 4,
        f"{adapter_name} needs xxhash < 4, got {xxhash.VERSION}; "
        f"pip install 'ldp-auditor[{adapter_name}]'",
    )
    return xxhash


@contextmanager
def refusals(
    name: str, kinds: tuple[type[Exception], ...] = (TypeError, ValueError)
) -> Iterator[None]:
    """Turn what foreign code raises about its arguments into an `AuditError` in one line."""
    try:
        yield
    except AuditError:
        raise
    except kinds as error:
        raise AuditError(f"{name} refuses its arguments: {' '.join(str(error).split())}") from error


def plain(report: Any) -> Any:
    """Return a report as numbers, strings and nested tuples: it can be hashed, sent and stored."""
    if isinstance(report, np.ndarray | np.generic):
        is_row_of_numbers = report.ndim == 1 and report.dtype.kind in "biuf"
        report = report.tolist()
        if is_row_of_numbers:  # what most packages return
            return tuple(report)
    if isinstance(report, str | bytes | int | float):
        return report
    return tuple(plain(part) for part in report)


def with_integers(report: Any) -> Any:
    """Return `plain(report)` with every number as an int."""
    report = plain(report)
    if isinstance(report, tuple):
        return tuple(with_integers(part) for part in report)
    return int(report)


@dataclass(frozen=True)
class OneByOne:
    """Foreign code that makes one report per call and draws from generators of its own."""

    domain_size: int
    draw: Callable[[int], Any]

    def sample(self, value: Any, n: int, rng: Generator) -> Sequence[Any]:
        """Return `n` reports; `rng` is not used."""
        value = whole_input("value", value, 0, self.domain_size - 1)
        return [plain(self.draw(value)) for _ in range(n)]


@dataclass(frozen=True)
class Hashing(OneByOne):
    """Like `OneByOne`, for reports that name a public hash function."""

    matches: Callable[[Any, int], bool]

    def supports(self, report: Any, value: Any) -> bool:
        """Tell whether the report is what the value, hashed as the report says, is encoded to."""
        return bool(self.matches(report, value))
