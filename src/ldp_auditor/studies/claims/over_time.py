"""Section 5.5: many reports of one user."""

from typing import Any

from ldp_auditor import mechanisms
from ldp_auditor.mechanisms.frequency_oracle import ScoreOracle
from ldp_auditor.studies.claims.comparisons import SUBSTANTIAL, Answer, at_most
from ldp_auditor.studies.claims.shapes import estimate
from ldp_auditor.studies.claims.statement import Settings
from ldp_auditor.studies.claims.view import View
from ldp_auditor.studies.settings import DELTA, GAUSSIAN


def _substantial_gap(view: View, place: Settings) -> Answer:
    return at_most(estimate(view, place), SUBSTANTIAL * place["epsilon"] * place["reports"])


def _told_apart_in_the_end(view: View, place: Settings) -> Answer:
    """Every report favours the true value, so by the law of large numbers the attack cannot fail.

    Scores of reports are added up; the mean score is the probability to be supported, or the entry
    of the histogram.
    """
    view.only_exact()
    made: Any = mechanisms.make(
        place["mechanism"],
        epsilon=place["epsilon"],
        domain_size=place["domain_size"],
        delta=DELTA if place["mechanism"] in GAUSSIAN else None,
    )
    true, other = (1.0, 0.0) if isinstance(made, ScoreOracle) else (made.p, made.q)
    numbers = f"mean scores {true:.6g} and {other:.6g}"
    return Answer(true > other, numbers, other - true)


TESTS = {
    "substantial_gap": _substantial_gap,
    "told_apart_in_the_end": _told_apart_in_the_end,
}
