"""Section 4.1: which second value the pair has.

The exact rates have no second value in their formulas: the protocols treat all values alike. The
tables have one pair of values. So the measurement is made here, with a fixed seed: reports of the
second value against reports of values drawn at random, as in the paper.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.random import Generator

from ldp_auditor.attacks.paper import PaperAttack
from ldp_auditor.audits.interface import plan_audit
from ldp_auditor.audits.plan import AuditPlan
from ldp_auditor.core import InputPair, Values
from ldp_auditor.seeding import chunk_generator
from ldp_auditor.studies.claims.comparisons import ROUNDING, STANDARD_ERRORS, Answer
from ldp_auditor.studies.claims.statement import Settings
from ldp_auditor.studies.claims.view import View

TRIALS = 50_000
SEED = 1
USUAL = 1
"""The second value of the tables; values begin at 0."""


def _false_positives(plan: AuditPlan, seconds: Values, rng: Generator) -> int:
    """How many reports of these values the attack attributes to the pair's first value."""
    mechanism: Any = plan.mechanism
    found = 0
    for value, count in zip(*np.unique(seconds, return_counts=True), strict=True):
        attack = PaperAttack(mechanism, InputPair(0, int(value)))
        for start in range(0, int(count), plan.batch_trials):
            size = min(plan.batch_trials, int(count) - start)
            reports = plan.privatize(int(value), size, rng)
            found += int(np.count_nonzero(attack.accuse(reports, rng)))
    return found


def measure(settings: Mapping[str, Any], trials: int = TRIALS) -> tuple[int, int]:
    """Return the false positives of the usual second value and of values drawn at random."""
    plan = plan_audit(**settings)
    rng = chunk_generator(SEED, plan.stream, 1, 0)
    usual = np.full(trials, USUAL)
    mechanism: Any = plan.mechanism  # of categories, so it has a domain size
    drawn = rng.integers(USUAL, mechanism.domain_size, trials)
    return _false_positives(plan, usual, rng), _false_positives(plan, drawn, rng)


def compare(usual: int, drawn: int, trials: int) -> Answer:
    """Two numbers of hits in as many trials are not significantly different."""
    share = (usual + drawn) / (2 * trials)
    error = math.sqrt(2 * trials * share * (1 - share))
    apart = abs(usual - drawn) / error if error > 0 else 0.0
    numbers = f"{usual} and {drawn} of {trials:,}, {apart:.1f} standard errors"
    return Answer(apart <= STANDARD_ERRORS, numbers, apart)


def _no_difference(view: View, place: Settings) -> Answer:
    if not view.exact:
        return compare(*measure(place), TRIALS)
    plan = plan_audit(**place)
    mechanism: Any = plan.mechanism
    rates = [
        mechanism.guess_rates(InputPair(0, second)).false_positive
        for second in range(1, mechanism.domain_size)
    ]
    same = max(rates) - min(rates) <= ROUNDING * max(rates)
    return Answer(same, f"{min(rates):.6g} to {max(rates):.6g}", max(rates) - min(rates))


TESTS = {
    "no_difference": _no_difference,
}
