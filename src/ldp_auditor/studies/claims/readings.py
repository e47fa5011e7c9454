"""Numbers of a place's protocol that statements compare: epsilons, rates, what is known of it."""

import math
from collections.abc import Callable
from typing import Any

from ldp_auditor import mechanisms
from ldp_auditor.studies.claims.statement import Settings
from ldp_auditor.studies.claims.view import Estimate, Side, View
from ldp_auditor.studies.settings import DELTA, FINITE, GAUSSIAN

Reading = Callable[[View, Settings], Estimate]


def estimate(view: View, place: Settings) -> Estimate:
    """The epsilon of the place's protocol."""
    return view.of(**_settings(place))


def rate(side: Side) -> Reading:
    """A rate of the attack on the place's protocol."""
    return lambda view, place: view.rate(side, **_settings(place))


def _settings(place: Settings) -> dict[str, Any]:
    return {name: value for name, value in place.items() if name != "against"}


HITS, ALARMS = rate("true_positive"), rate("false_positive")


def hits_times_k(view: View, place: Settings) -> Estimate:
    """The rate of right guesses times the domain size."""
    return HITS(view, place).times(place["domain_size"])


def hits_over_k(view: View, place: Settings) -> Estimate:
    """The rate of right guesses divided by the domain size."""
    return HITS(view, place).times(1 / place["domain_size"])


def made(place: Settings) -> Any:
    """The place's protocol; where the domain size is not told, the number does not depend on it."""
    given = {"domain_size": 25, **_settings(place)}
    name = given.pop("mechanism")
    return mechanisms.make(name, delta=DELTA if name in (*FINITE, *GAUSSIAN) else None, **given)


def alarms_without(place: Settings) -> float:
    """The exact rate of false positives of the drawn attribute, without fake data."""
    found: float = made(place).parts[0].guess_rates().false_positive
    return found


def alarm_factor(view: View, place: Settings) -> Estimate:
    """How many times as frequent fake data make false positives."""
    return ALARMS(view, place).times(1 / alarms_without(place))


def of_theory(number: Callable[[Settings], float]) -> Reading:
    """A number that is known of a protocol, and that no study measures."""

    def reading(view: View, place: Settings) -> Estimate:
        view.only_exact()
        return Estimate(number(place), 0.0, math.inf)

    return reading


def _support_variance(mechanism: Any) -> float:
    """Variance of the estimate of a rare value's frequency, times the users [Wang17]."""
    p, q = mechanism.p, mechanism.q
    variance: float = q * (1 - q) / (p - q) ** 2
    return variance


VARIANCE = of_theory(lambda place: _support_variance(made(place)))
NOISE = of_theory(lambda place: made(place).scale)
HONESTY = of_theory(lambda place: made(place).parts[0].p)
"""The probability that the drawn attribute of a record is reported truthfully."""
