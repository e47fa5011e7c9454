"""The registry of protocols: every module of this package is looked through, none is listed."""

import difflib
import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, overload

from ldp_auditor.errors import AuditError, describe, require, require_known
from ldp_auditor.inputs import Categories, Inputs, Records
from ldp_auditor.mechanisms.estimation import FrequencyEstimator
from ldp_auditor.mechanisms.frequency_oracle import FrequencyOracle
from ldp_auditor.mechanisms.local_mechanism import LocalMechanism, protocols
from ldp_auditor.mechanisms.memoization import memo_of
from ldp_auditor.mechanisms.outside import installed, of_file, of_package
from ldp_auditor.mechanisms.record_solutions import sampling_of, splitting_of
from ldp_auditor.mechanisms.records import RecordMechanism

__all__ = [
    "COMBINATORS",
    "FrequencyEstimator",
    "FrequencyOracle",
    "LocalMechanism",
    "RecordMechanism",
    "available",
    "expanded",
    "find",
    "find_protocol",
    "in_the_paper",
    "installed",
    "listed",
    "make",
]

AnyProtocol = type[LocalMechanism] | type[RecordMechanism]
Combinator = Callable[[type[FrequencyOracle]], AnyProtocol]

COMBINATORS: Mapping[str, tuple[Combinator, str]] = {
    "Memo": (memo_of, "one report of any protocol, memoized and sent for ever"),
    "SPL": (splitting_of, "records: every attribute, the budget split over them"),
    "SMP": (sampling_of, "records: one attribute, drawn and disclosed"),
}
"""What makes a new protocol of another one, written `Memo[OUE]`, and what it is."""


@overload
def available() -> Mapping[str, type[FrequencyOracle]]: ...


@overload
def available(takes: type[Inputs]) -> Mapping[str, type[Any]]: ...


def available(takes: type[Inputs] = Categories) -> Mapping[str, type[Any]]:
    """Return every protocol whose inputs are of that kind by its name, without the combinations.

    Pure ones come first, then approximate ones, those without a claim, memoized ones.
    """
    return {name: found for name, found in listed().items() if found.takes is takes}


def in_the_paper() -> Mapping[str, type[FrequencyOracle]]:
    """Return those of `available` that [Arcolezi24] audits: what is compared if none is named."""
    return {name: found for name, found in available().items() if not found.family}


def expanded(names: Sequence[str]) -> list[str]:
    """Return names of protocols once each, that of a family replaced by those of its members."""
    members: dict[str, list[str]] = {}
    for name, found in listed().items():
        members.setdefault(found.family or name, []).append(name)
    return list(dict.fromkeys(each for name in names for each in members.get(name, [name])))


def listed() -> Mapping[str, AnyProtocol]:
    """Return every protocol by its name, those of the same kind of input together."""
    _import_all()
    by_module = sorted(protocols.values(), key=lambda found: (found.__module__, found.name))
    kinds = list(dict.fromkeys([Categories, Records, *(found.takes for found in by_module)]))

    def order(protocol: AnyProtocol) -> tuple[int, bool, bool, bool, str]:
        return (
            kinds.index(protocol.takes),
            protocol.memoizes,
            protocol.promises_nothing,
            protocol.approximate,
            protocol.name,
        )

    return {protocol.name: protocol for protocol in sorted(protocols.values(), key=order)}


def every_option() -> dict[str, type]:
    """Return the options that protocols have of their own, with their types."""
    every = listed().values()
    return {name: kind for protocol in every for name, kind in protocol.option_types().items()}


@cache
def _import_all() -> None:
    for name in _modules():
        importlib.import_module(f"{__name__}.{name}")


def _modules() -> list[str]:
    return [module.name for module in pkgutil.iter_modules(__path__) if not module.ispkg]


def _import_home_of(protocol: str) -> None:
    """Import the modules whose text names the protocol, to save a command the time of all others.

    Where that misses, or there is no text, `_import_all` finds it.
    """
    for name in _modules():
        text = Path(__file__).with_name(f"{name}.py")
        if text.exists() and f'"{protocol}"' in text.read_text(encoding="utf-8"):
            importlib.import_module(f"{__name__}.{name}")


def find(name: str, *, outside: bool = False) -> AnyProtocol:
    """Return the protocol of that name, or raise with the nearest name as a suggestion.

    With `outside` a name `my_file:HR` imports my_file, which what a stranger wrote must not do.
    """
    if name not in protocols:
        _import_home_of(name)
    if name in protocols:
        return protocols[name]
    known = listed()
    if name in known:
        return known[name]
    combinator, bracket, inner = name.partition("[")
    if bracket and combinator in COMBINATORS and inner.endswith("]"):
        combine, _ = COMBINATORS[combinator]
        return combine(find_protocol(inner[:-1], outside=outside))
    if outside and ":" in name:
        return of_file(name)
    if name in installed():
        return of_package(name)
    by_folded = {candidate.casefold(): candidate for candidate in known}
    wanted = name.casefold()
    near = difflib.get_close_matches(wanted, by_folded, n=3, cutoff=0.0)
    near.sort(key=lambda other: (_alike(wanted, other), other[:1] == wanted[:1]), reverse=True)
    combined = " ".join(f"{combinator}[...]" for combinator in COMBINATORS)
    raise AuditError(
        f"unknown protocol {name!r}; did you mean {by_folded[near[0]]!r}? "
        f"The protocols are: {' '.join(known)} {combined}",
        argument="protocol",
    )


def _alike(wanted: str, other: str) -> float:
    """How much of two names is the same, as `difflib` measures it."""
    return difflib.SequenceMatcher(None, other, wanted).ratio()


def find_protocol(name: str, *, outside: bool = False) -> type[FrequencyOracle]:
    """Return the protocol for one attribute of that name."""
    protocol: type[Any] = find(name, outside=outside)
    if issubclass(protocol, LocalMechanism | RecordMechanism) and protocol.takes is not Categories:
        raise AuditError(f"{name} is for {protocol.takes.noun}; name a protocol for one attribute")
    require(
        issubclass(protocol, FrequencyOracle),
        f"{name} cannot be combined; that takes a class that derives from FrequencyOracle",
    )
    found: type[FrequencyOracle] = protocol
    return found


def make(
    name: str,
    *,
    domain_size: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    **options: Any,
) -> Any:
    """Make a protocol; a parameter left at None takes the protocol's own default, if it has one.

    `epsilon_1` is another name for the epsilon of a protocol that has an `epsilon_infinity` too.
    """
    protocol = find(name, outside=True)
    known_options = protocol.option_types()
    if "epsilon_infinity" in known_options and "epsilon_1" in options:
        require(epsilon is None, "epsilon and epsilon_1 mean the same, give one of them")
        epsilon = options.pop("epsilon_1")
    given = {"domain_size": domain_size, "epsilon": epsilon, "delta": delta, **options}
    given = {key: value for key, value in given.items() if value is not None}
    require_known(name, options, known_options)
    require(
        domain_size is None or protocol.takes.has_size,
        f"{name} has no domain_size: its inputs are no categories; drop it",
        argument="domain_size",
    )
    if issubclass(protocol, RecordMechanism):
        inside = protocol.protocol.option_types()
        own = {key: given.pop(key) for key in list(given) if key in inside}
        given["own_options"] = tuple(sorted(own.items()))
    try:
        return protocol(**given)
    except (AuditError, MemoryError):
        raise
    except Exception as error:
        missing = [key for key in protocol.required() if key not in given]
        if "epsilon_infinity" in known_options:
            missing = [{"epsilon": "epsilon_1"}.get(key, key) for key in missing]
        require(not missing, f"{name} needs {' and '.join(missing)}")
        raise AuditError(f"{name} cannot be made: {describe(error)}") from error
