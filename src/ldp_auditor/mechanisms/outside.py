"""Protocols from outside the package: in a file of one's own, or of a package that is installed.

`my_file:HR` is the class HR of my_file.py in the working directory, or of any module that can be
imported. An installed package offers one by an entry point of the group `ldp_auditor.protocols`.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import cache
from types import new_class
from typing import TYPE_CHECKING, Any, get_type_hints

from ldp_auditor.errors import AuditError, describe, require
from ldp_auditor.importing import import_named
from ldp_auditor.inputs import Inputs
from ldp_auditor.mechanisms.local_mechanism import COMMON, OPTION_KINDS, Listed, LocalMechanism
from ldp_auditor.mechanisms.records import RecordMechanism

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "ldp_auditor.protocols"


@cache
def of_file(name: str) -> type[Any]:
    """Return the protocol that `module:Class` names."""
    module, _, path = name.partition(":")
    require(
        bool(module and path),
        f"a protocol of your own is written my_file:HR, for class HR of my_file.py, got {name!r}",
    )
    found = import_named(module)
    for part in path.split("."):
        require(part in dir(found), f"{module} has no {path!r}")
        found = getattr(found, part)
    return _offered(found, name, "")


def installed() -> Mapping[str, EntryPoint]:
    """What installed packages offer, by its name; none of them is imported."""
    from importlib.metadata import entry_points

    return {point.name: point for point in sorted(entry_points(group=GROUP))}


@cache
def of_package(name: str) -> type[Any]:
    """Return the protocol that an installed package offers by that name."""
    point = installed()[name]
    origin = point.value if point.dist is None else f"{point.dist.name} {point.dist.version}"
    try:
        found = point.load()
    except Exception as error:
        raise AuditError(f"{name} of {origin} cannot be imported: {describe(error)}") from error
    return _offered(found, name, f"from {origin}")


class PlainProtocol(Listed):
    """What is asked of a protocol, for a class that does not derive from `FrequencyOracle`."""

    @classmethod
    def option_types(cls) -> Mapping[str, type]:
        """Names and types of the parameters beyond epsilon, delta and the domain size."""
        try:
            hints = get_type_hints(cls.__init__)
        except Exception as error:
            raise AuditError(f"the types of {cls.name} cannot be read: {error}") from error
        types = {name: hints.get(name) for name in _parameters(cls) if name not in COMMON}
        wrong = [name for name, kind in types.items() if kind not in OPTION_KINDS]
        require(
            not wrong,
            f"parameters of {cls.name} must be annotated as int, float or str: {', '.join(wrong)}",
        )
        return types  # type: ignore[return-value]

    @classmethod
    def required(cls) -> list[str]:
        """Names of the parameters that have no default."""
        return [name for name, p in _parameters(cls).items() if p.default is p.empty]

    @property
    def options(self) -> Mapping[str, Any]:
        """Values of the parameters of its own."""
        kept, names = vars(self), self.option_types()
        missing = [name for name in names if name not in kept]
        require(
            not missing,
            f"{self.name} must keep its parameters as attributes of the same name, which results "
            f"tell: {', '.join(missing)}",
        )
        return {name: kept[name] for name in names}


def _parameters(cls: type) -> Mapping[str, inspect.Parameter]:
    several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    found = inspect.signature(cls).parameters
    return {name: parameter for name, parameter in found.items() if parameter.kind not in several}


def _offered(found: Any, name: str, origin: str) -> type[Any]:
    """Make the protocol that a class is, under the name by which it was found."""
    if not inspect.isclass(found):
        kind = type(found).__name__
        raise AuditError(f"{name} must be a class, got a {kind}; check is for what can be called")
    ours = issubclass(found, LocalMechanism | RecordMechanism)
    wrong = sorted(getattr(found, "__abstractmethods__", ()))
    if not ours:
        wrong += [n for n in ("privatize",) if n not in dir(found)]
        asked = ("epsilon",) if "inputs" in dir(found) else ("epsilon", "domain_size")
        wrong += [n for n in asked if n not in _parameters(found)]
    require(not wrong, f"{name} lacks {', '.join(wrong)}; see docs/how-to/add-a-protocol.md")
    summary = ", ".join(filter(None, (vars(found).get("summary", ""), origin)))
    body = {"name": name, "summary": summary, "__reduce__": _by_name}
    if not ours and "inputs" in dir(found):
        body["takes"] = Inputs  # of which kind is known of what is made of the class
    made: type[Any] = new_class(
        found.__name__,
        (found,) if ours else (found, PlainProtocol),
        {"listed": False} if ours else {},
        lambda space: space.update(body),
    )
    return made


def _by_name(protocol: Any) -> tuple[Any, ...]:
    """How a protocol is sent to a worker, which imports it by its name."""
    return _restored, (protocol.name, vars(protocol))


def _restored(name: str, state: dict[str, Any]) -> Any:
    protocol = of_file(name) if ":" in name else of_package(name)
    made = object.__new__(protocol)
    vars(made).update(state)
    return made
