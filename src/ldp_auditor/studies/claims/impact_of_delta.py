"""Section 5.3: the impact of delta."""

from ldp_auditor.studies.claims.comparisons import (
    Answer,
    not_significantly_different,
)
from ldp_auditor.studies.claims.shapes import estimate
from ldp_auditor.studies.claims.statement import Settings
from ldp_auditor.studies.claims.view import View
from ldp_auditor.studies.settings import COUNTERPARTS

PURE_OF = {approximate: pure for pure, approximate in COUNTERPARTS.items()}


def _like_pure(view: View, place: Settings) -> Answer:
    pure = {**place, "mechanism": PURE_OF[place["mechanism"]], "delta": 0.0}
    return not_significantly_different(estimate(view, place), estimate(view, pure))


TESTS = {
    "like_pure": _like_pure,
}
