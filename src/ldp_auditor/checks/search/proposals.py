"""Events that were proposed, with the inputs that they tell apart."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ldp_auditor.checks.search.events import Event, Not
from ldp_auditor.checks.search.strength import SHORTLIST, Half, screen
from ldp_auditor.core import Floats


@dataclass(frozen=True)
class Proposal:
    """An event that may be likelier for the first input than the claim allows for the second."""

    event: Event
    first: int
    second: int
    strength: float
    """Standard errors by which the rates exceed the claim; negative if they do not."""


def proposals(
    half: Half, make: Callable[[int], Event], counts: Floats, most: int = SHORTLIST
) -> list[Proposal]:
    """The strongest of many events, by their `counts` for every input; `make` makes only these."""
    found = []
    for standout in screen(counts, half.trials, half.claim, most):
        event = make(standout.event)
        turned = Not(event) if standout.is_negated else event
        found.append(Proposal(turned, standout.first, standout.second, standout.strength))
    return found


def proposals_of(half: Half, events: Sequence[Event]) -> list[Proposal]:
    """The strongest of a few events, counted here."""
    return proposals(half, events.__getitem__, half.counts(events)) if events else []
