"""A foreign protocol as a mechanism to audit: reports made one by one, the paper's attack on them.

For packages whose report is a bit per value, such as pure-ldp's unary encodings.
"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata
from typing import Any

import numpy as np
from numpy.random import Generator

from ldp_auditor.adapters import AdapterTarget, find
from ldp_auditor.adapters.randomizer import Terms
from ldp_auditor.core import Reports
from ldp_auditor.errors import AuditError, require, require_known
from ldp_auditor.mechanisms.independent_support import FreshSupport
from ldp_auditor.mechanisms.kernels.bits import words_for
from ldp_auditor.mechanisms.kernels.xoshiro import Words
from ldp_auditor.portable_math import exp
from ldp_auditor.seeding import seed_globals


def unary_probabilities(variant: str, epsilon: float) -> tuple[float, float]:
    """Return p and q as the protocols define them [Erlingsson14], [Wang17]."""
    if variant == "OUE":
        return 0.5, 1 / (exp(epsilon) + 1)
    q = 1 / (exp(epsilon / 2) + 1)
    return 1 - q, q


BEHAVIOUR: Mapping[tuple[str, str], Callable[[float, float], tuple[float, float]]] = {
    # The true bit is set with q, then with p, and cleared in neither case.
    ("pure-ldp", "1.1.2"): lambda p, q: (p + q - p * q, q),
    ("pure-ldp", "1.2.0"): lambda p, q: (p, q),
}
"""What versions of a package make of p and q, read in their code; this is the exact theory."""


@dataclass(frozen=True, kw_only=True)
class ForeignUnaryEncoding(FreshSupport, listed=False):
    """A unary encoding of a foreign package, `package:SUE` or `package:OUE`."""

    summary = "unary encoding of a foreign package"

    target: str
    version: str

    @property
    def name(self) -> str:  # type: ignore[override]
        """What reports call it."""
        return self.target

    @property
    def probabilities(self) -> tuple[float, float]:
        """What this version really does."""
        package, variant = self.target.split(":")
        return BEHAVIOUR[package, self.version](*unary_probabilities(variant, self.epsilon))

    @property
    def p(self) -> float:
        """Probability that the report of a value supports it."""
        return self.probabilities[0]

    @property
    def q(self) -> float:
        """Probability that the report of a value supports another one."""
        return self.probabilities[1]

    def privatize(self, value: int, n: int, rng: Generator) -> Reports:
        """Let the package make reports, its generators seeded by ours."""
        value = self.check_value(value)
        terms = Terms(self.epsilon, self.delta, self.domain_size)
        randomizer = _opened(self.target, terms)
        with _GLOBAL_GENERATORS:
            seed_globals(rng)
            bits = np.array([randomizer.draw(value) for _ in range(n)])
        require(
            bits.shape == (n, self.domain_size) and bool(((bits == 0) | (bits == 1)).all()),
            f"{self.target} returned something other than {self.domain_size} bits a report",
        )
        return bits.astype(np.uint8)

    def support(self, reports: Reports) -> Words:
        """Return the supported values of every report as bits."""
        padded = np.zeros((len(reports), 64 * words_for(self.domain_size)), np.uint8)
        padded[:, : self.domain_size] = reports
        return np.packbits(padded, axis=1, bitorder="little").view("<u8").astype(np.uint64)


_GLOBAL_GENERATORS = threading.Lock()
"""Held by the thread for which the global generators are seeded."""


@lru_cache(maxsize=4)
def _opened(target: str, terms: Terms) -> Any:
    return AdapterTarget(target, terms).open()


def foreign_oracle(name: str, **parameters: Any) -> ForeignUnaryEncoding:
    """Make the mechanism that `package:variant` names, of the version that is installed."""
    given = {key: value for key, value in parameters.items() if value is not None}
    require_known(name, given.keys() - {"epsilon", "domain_size", "delta"}, ())
    found = find(name)
    if found is None:
        raise AuditError(f"there is no adapter for {name!r}; see list --adapters")
    package, variant = found[0].name, name.partition(":")[2].upper()
    try:
        version = metadata.version(package)
    except metadata.PackageNotFoundError:
        raise AuditError(f"{name} needs {package}: pip install 'ldp-auditor[{package}]'") from None
    require(
        variant in ("SUE", "OUE") and (package, version) in BEHAVIOUR,
        f"only SUE and OUE of {', '.join(f'{p} {v}' for p, v in BEHAVIOUR)} can be audited like "
        f"our own protocols, got {name} {version}; use check",
    )
    missing = [key for key in ("epsilon", "domain_size") if key not in given]
    require(not missing, f"{name} needs {' and '.join(missing)}")
    return ForeignUnaryEncoding(target=f"{package}:{variant}", version=version, **given)
