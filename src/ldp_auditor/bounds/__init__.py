"""Bounds by name: counts of an attack to a lower bound on epsilon."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ldp_auditor.bounds.betting import betting_bound
from ldp_auditor.bounds.clopper_pearson import (
    one_sided_bound,
    one_sided_bounds,
    two_sided_bound,
    two_sided_bounds,
)
from ldp_auditor.bounds.jeffreys import jeffreys_bound, jeffreys_bounds
from ldp_auditor.bounds.likelihood_ratio import likelihood_ratio_bound
from ldp_auditor.core import Counts
from ldp_auditor.errors import AuditError


@dataclass(frozen=True)
class Bound:
    """A way to turn counts, alpha and delta into an epsilon that is 0 or vouched for."""

    function: Callable[[Counts, float, float], float]
    guarantee: Literal["confidence", "asymptotic", "credible"]
    """Confidence: wrong with probability alpha at most, whatever the mechanism, by proof.
    Asymptotic: the same in the limit of many trials, and as measured (docs/bounds.md). Credible:
    wrong with posterior probability alpha under a prior, which is no promise about repeated
    audits."""
    at_once: Callable[[Sequence[Counts], float, float], Sequence[float]] | None = None
    """The same for many counts, where that is faster than one by one."""
    anytime: bool = False
    """Whether it holds however often one looks and whenever one stops, at the whole alpha."""

    def __call__(self, counts: Counts, alpha: float, delta: float) -> float:
        """Epsilon that the counts vouch for."""
        return self.function(counts, alpha, delta)

    def of_each(self, counts: Sequence[Counts], alpha: float, delta: float) -> Sequence[float]:
        """Epsilons that many counts of as many trials would vouch for, to choose the largest.

        Instead of one that is not nearly the largest there may be 0.
        """
        if self.at_once is None:
            return [self(seen, alpha, delta) for seen in counts]
        return self.at_once(counts, alpha, delta)


BOUNDS: Mapping[str, Bound] = {
    "clopper-pearson": Bound(two_sided_bound, "confidence", two_sided_bounds),
    "clopper-pearson-one-sided": Bound(one_sided_bound, "confidence", one_sided_bounds),
    "likelihood-ratio": Bound(likelihood_ratio_bound, "asymptotic"),
    "betting": Bound(betting_bound, "confidence", anytime=True),
    "jeffreys": Bound(jeffreys_bound, "credible", jeffreys_bounds),
}


def find_bound(name: str) -> Bound:
    """Return the named bound."""
    if not isinstance(name, str) or name not in BOUNDS:
        known = f"the bounds are: {', '.join(BOUNDS)}"
        raise AuditError(f"unknown bound {name!r}; {known}", argument="bound")
    return BOUNDS[name]
