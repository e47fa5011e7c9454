"""Foreign randomizers: packages by name, callables, commands and recorded reports."""

import importlib
import importlib.util
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ldp_auditor.adapters.callables import ObjectTarget
from ldp_auditor.adapters.randomizer import Adapter, Randomizer, Terms, Variant, options_of
from ldp_auditor.core import Claim
from ldp_auditor.errors import AuditError, of_kind, require, require_known

__all__ = ["AdapterTarget", "available", "find", "is_installed", "named_target", "options_of"]


def available() -> Mapping[str, Adapter]:
    """Return every adapter by its name; none of the packages is imported."""
    found: dict[str, Adapter] = {}
    for module in pkgutil.iter_modules(__path__):
        adapter = getattr(importlib.import_module(f"{__name__}.{module.name}"), "ADAPTER", None)
        if isinstance(adapter, Adapter):
            found[adapter.name] = adapter
    return dict(sorted(found.items()))


def is_installed(adapter: Adapter) -> bool:
    """Tell whether the package of an adapter can be imported."""
    return importlib.util.find_spec(adapter.module) is not None


def find(name: str) -> tuple[Adapter, Variant] | None:
    """Return the adapter and the variant that `package:variant` names, if it names a package."""
    package, _, variant = name.partition(":")
    adapter = available().get(package)
    if adapter is None:
        return None
    by_folded = {known.casefold(): known for known in adapter.variants}
    if variant.casefold() not in by_folded:
        raise AuditError(
            f"{package} has no mechanism {variant!r}; they are: {' '.join(adapter.variants)}"
        )
    return adapter, adapter.variants[by_folded[variant.casefold()]]


@dataclass(frozen=True)
class AdapterTarget:
    """A mechanism of a foreign package, made when it is opened."""

    name: str
    terms: Terms
    options: Mapping[str, Any] = field(default_factory=dict)

    def open(self) -> Randomizer:
        """Import the package and make the mechanism."""
        found = find(self.name)
        if found is None:
            raise AuditError(f"there is no adapter for {self.name!r}")
        variant, kinds = found[1], options_of(found[1])
        require_known(self.name, self.options, kinds)
        options = {name: of_kind(name, kinds[name], value) for name, value in self.options.items()}
        return variant(self.terms, **options)


def named_target(
    name: str, claim: Claim, domain_size: int, options: Mapping[str, Any], batch: bool | None
) -> AdapterTarget | ObjectTarget:
    """The target of a check that `package:variant` or `package.module:function` names."""
    if find(name) is not None:
        return AdapterTarget(name, Terms(claim.epsilon, claim.delta, domain_size), options)
    require(not options, f"{name} has no options; those of adapters are shown by list --adapters")
    return ObjectTarget(name, batch)
