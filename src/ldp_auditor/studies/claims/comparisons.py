"""What "similar", "tight", "flat" and "higher" mean here.

The tolerances were fixed before any table was judged. That a tie does not refute "the lowest" was
decided after a first look: OLH is BLH where g = 2, which had counted against BLH. A later review of
the paper's sentences added statements, with the same tolerances.
"Not significantly different" allows for the standard error of the measured values, which is 0 for
exact ones. Everything else compares the values as they are: a difference that is lost in the
sampling noise is then said to be so, but it counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from ldp_auditor.studies.claims.view import Estimate

Values = Sequence[Estimate]
OfTwo = Callable[[Estimate, Estimate], "Answer"]

TOLERANCE = 0.1
"""Similar values, flat curves and minor effects differ by this share of the larger value at most;
a difference that is remarkable or substantial is larger."""

HIGH = 1 - TOLERANCE
"""A high probability is at least this."""

SUBSTANTIAL = 0.5
"""A substantial gap to composition leaves at most this share of it."""

TIGHT = 0.95
"""A tight estimate has at least this share of the claimed epsilon."""

REACHED = 0.99
"""The Monte Carlo limit is reached from this share of it on."""

STANDARD_ERRORS = 4.0
"""Measured values that differ by more than this are significantly different; chance alone does that
to one comparison in 16,000."""

ROUNDING = 1e-9
"""Exact values that differ by less, relatively, are equal."""

WORDS = (
    f"Similar, flat, minor: within {TOLERANCE:.0%} of the larger value; remarkable, substantial: "
    f"beyond it (the gap to composition: half or more). Tight: at least {TIGHT:.0%} of the claimed "
    f"epsilon. High probability: {HIGH:.0%} at least. Limit reached: at least "
    f"{REACHED:.0%} of it. No significant difference: within {TOLERANCE:.0%}, or within "
    f"{STANDARD_ERRORS:g} standard errors. High privacy: epsilon <= 1; mid: 1 < epsilon <= 4; low: "
    "epsilon > 4. Orders are taken literally; an exception whose values differ by "
    f"{STANDARD_ERRORS:g} standard errors at most counts too, and is marked: within noise."
)


@dataclass(frozen=True)
class Answer:
    """Whether something holds at one place, and the numbers that decide it."""

    holds: bool
    numbers: str
    off: float = 0.0
    """How far it is from holding, by a measure that is the statement's own."""
    noisy: bool = False
    """Whether the compared values may differ by chance alone."""
    where: str = ""
    """The place in words."""

    @property
    def negated(self) -> Answer:
        """The answer to the opposite question."""
        return Answer(not self.holds, self.numbers, -self.off)

    @property
    def words(self) -> str:
        """The place and its numbers."""
        return f"{self.where}: {self.numbers}{' (within noise)' if self.noisy else ''}"


def tell(value: float) -> str:
    """Write an epsilon down."""
    return f"{value:.3f}" if value >= 0.9995 else f"{value:.3g}"


def difference(one: Estimate, other: Estimate) -> float:
    """Share of the larger value by which two values differ."""
    larger = max(one.value, other.value)
    return abs(one.value - other.value) / larger if larger > 0 else 0.0


def _noisy(one: Estimate, other: Estimate) -> bool:
    error = math.hypot(one.error, other.error)
    return error > 0 and abs(one.value - other.value) <= STANDARD_ERRORS * error


def similar(one: Estimate, other: Estimate) -> Answer:
    """Two values are similar."""
    off = difference(one, other)
    numbers = f"{tell(one.value)} and {tell(other.value)}"
    return Answer(off <= TOLERANCE, numbers, off, _noisy(one, other))


def not_significantly_different(one: Estimate, other: Estimate) -> Answer:
    """Two values are similar, or their difference may be chance."""
    found = similar(one, other)
    return replace(found, holds=found.holds or found.noisy)


def equal(one: Estimate, other: Estimate) -> Answer:
    """Two values are equal, or their difference may be chance."""
    found = similar(one, other)
    return replace(found, holds=found.off <= ROUNDING or found.noisy)


def higher(one: Estimate, other: Estimate, *, by: float = ROUNDING) -> Answer:
    """The one value is higher than the other, by more than a share of itself."""
    apart = difference(one, other)
    sign = "=" if apart <= ROUNDING else ">" if one.value > other.value else "<"
    numbers = f"{tell(one.value)} {sign} {tell(other.value)}"
    if sign == ">" and apart > by:
        return Answer(True, numbers)
    return Answer(False, numbers, apart, _noisy(one, other))


def lower(one: Estimate, other: Estimate) -> Answer:
    """The one value is lower than the other, which is told first."""
    return higher(other, one)


def much_higher(one: Estimate, other: Estimate) -> Answer:
    """The one value is higher than the other, by more than the tolerance."""
    return higher(one, other, by=TOLERANCE)


def not_lower(one: Estimate, other: Estimate) -> Answer:
    """The one value is at least the other."""
    found = higher(one, other)
    return replace(found, holds=found.holds or found.off <= ROUNDING)


def flat(values: Values) -> Answer:
    """All values are similar to each other."""
    least = min(values, key=lambda estimate: estimate.value)
    most = max(values, key=lambda estimate: estimate.value)
    off = difference(least, most)
    return Answer(off <= TOLERANCE, " -> ".join(tell(value.value) for value in values), off)


def at_most(estimate: Estimate, most: float) -> Answer:
    """A value is at most a number."""
    numbers = f"{tell(estimate.value)} against {tell(most)}"
    return Answer(estimate.value <= most * (1 + ROUNDING), numbers, estimate.value - most)


def far_below(estimate: Estimate, composed: float) -> Answer:
    """A value leaves a substantial gap to what composition promises."""
    return at_most(estimate, SUBSTANTIAL * composed)


def below(estimate: Estimate, bar: float) -> Answer:
    """A value is less than a number."""
    found = at_most(estimate, bar)
    return Answer(estimate.value < bar * (1 - ROUNDING), found.numbers, found.off)


def medium(estimate: Estimate) -> Answer:
    """A value is above 1, and at most 2.5."""
    if estimate.value > 1:
        return at_most(estimate, 2.5)
    return replace(at_most(estimate, 1.0).negated, holds=False)


def likely(estimate: Estimate) -> Answer:
    """A probability is high."""
    return Answer(estimate.value >= HIGH, f"p = {estimate.value:.3f}", HIGH - estimate.value)


def within_times(estimate: Estimate, epsilon: float, times: float) -> Answer:
    """The claimed epsilon is at most so many times the value."""
    ratio = epsilon / estimate.value if estimate.value > 0 else math.inf
    numbers = f"{tell(estimate.value)} of {epsilon:g}"
    if estimate.value > 0:
        numbers += f", {ratio:.3g}x"
    return Answer(ratio <= times * (1 + ROUNDING), numbers, ratio / times - 1)


def tight(estimate: Estimate, epsilon: float) -> Answer:
    """A value is close to the claimed epsilon."""
    share = estimate.value / epsilon
    numbers = f"{tell(estimate.value)} of {epsilon:g}, {share:.1%}"
    return Answer(share >= TIGHT * (1 - ROUNDING), numbers, TIGHT - share)


def reached(estimate: Estimate) -> Answer:
    """A value is at the limit that the number of trials imposes."""
    missing = REACHED * estimate.limit - estimate.value
    numbers = f"{tell(estimate.value)} of the limit {estimate.limit:.3f}"
    return Answer(missing <= 0, numbers, missing)


def up_to_limit(comparison: OfTwo) -> OfTwo:
    """Let two values pass that are both at the limit, where they cannot be told apart."""

    def compare(one: Estimate, other: Estimate) -> Answer:
        found = comparison(one, other)
        return replace(found, holds=found.holds or (reached(one).holds and reached(other).holds))

    return compare


def _all_steps(step: OfTwo) -> Callable[[Values], Answer]:
    """Compare every value with the next one, and join what was found."""

    def compare(values: Values) -> Answer:
        failing = [found for pair in pairwise(values) if not (found := step(*pair)).holds]
        return Answer(
            not failing,
            " -> ".join(tell(value.value) for value in values),
            max((found.off for found in failing), default=0.0),
            bool(failing) and all(found.noisy for found in failing),
        )

    return compare


higher_up_to_limit, not_lower_up_to_limit = up_to_limit(higher), up_to_limit(not_lower)
rising, falling = _all_steps(lower), _all_steps(higher)
falling_up_to_limit = _all_steps(higher_up_to_limit)
