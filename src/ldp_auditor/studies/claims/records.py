"""Section 5.6: records with fake data."""

import math
from typing import Any

from ldp_auditor import mechanisms
from ldp_auditor.studies.claims.comparisons import HIGH, TOLERANCE, Answer, higher
from ldp_auditor.studies.claims.shapes import ALARMS, HITS, against
from ldp_auditor.studies.claims.statement import Settings
from ldp_auditor.studies.claims.view import Estimate, View


def _more_right_and_less_wrong(view: View, place: Settings) -> Answer:
    right = against(higher, of=HITS)(view, place)
    wrong = against(lambda mine, other: higher(other, mine), of=ALARMS)(view, place)
    return Answer(
        right.holds and wrong.holds,
        f"right {right.numbers}; wrong, other first, {wrong.numbers}",
        max(right.off, wrong.off),
        all(side.holds or side.noisy for side in (right, wrong)),
    )


def _made(place: Settings) -> Any:
    settings = dict(place)
    return mechanisms.make(settings.pop("mechanism"), **settings)


def _honest(view: View, place: Settings) -> Answer:
    """The drawn attribute is reported truthfully; the share is within the tolerance of 1."""
    view.only_exact()
    p: float = _made(place).parts[0].p
    return Answer(p >= HIGH, f"p = {p:.3f}", HIGH - p)


def _alarms(view: View, place: Settings) -> tuple[Estimate, Estimate]:
    """False positives with fake data, and exact ones of the drawn attribute, without."""
    without = _made(place).parts[0].guess_rates().false_positive
    return ALARMS(view, place), Estimate(without, 0.0, 1.0)


def _alarms_much_higher(view: View, place: Settings) -> Answer:
    return higher(*_alarms(view, place), by=TOLERANCE)


def _factor(view: View, place: Settings) -> Estimate:
    """How many times as frequent fake data make false positives."""
    found, without = _alarms(view, place)
    return Estimate(found.value / without.value, found.error / without.value, math.inf)


def _alarms_less_affected(view: View, place: Settings) -> Answer:
    binary, larger = (_factor(view, {**place, "domain_size": k}) for k in (2, 100))
    return higher(binary, larger)


TESTS = {
    "more_right_and_less_wrong": _more_right_and_less_wrong,
    "honest": _honest,
    "alarms_much_higher": _alarms_much_higher,
    "alarms_less_affected": _alarms_less_affected,
}
