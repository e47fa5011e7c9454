"""A search of the reports so far, and its events as the bets need them."""

from collections.abc import Sequence
from functools import cache
from itertools import chain
from typing import Any

import numpy as np

from ldp_auditor.adapters.canonical import texts_of
from ldp_auditor.checks.bets import SHARES, ChosenEvent
from ldp_auditor.checks.search.events import Event
from ldp_auditor.checks.search.finder import Candidate, Pilot, find_events
from ldp_auditor.checks.search.layout import Layout

EXAMPLES = 200
"""Reports among which one is looked for that shows an event."""

LEARN_FROM = 1000
"""Reports of every input from which on a classifier proposes events too."""


def search(
    pilot: Pilot, learns: bool, seed: int
) -> tuple[Layout, list[Event], tuple[ChosenEvent, ...]]:
    """As many events as are bet on, the strongest first, their columns, and them in words."""
    learn = learns and min(map(len, pilot.reports)) >= LEARN_FROM
    layout, candidates = find_events(pilot, len(SHARES), learn, seed)
    events = [candidate.event for candidate in candidates]
    return layout, events, _in_words(candidates, layout, pilot.reports)


def _in_words(
    candidates: Sequence[Candidate], layout: Layout, reports: Sequence[Sequence[Any]]
) -> tuple[ChosenEvent, ...]:
    """The candidates in words, with their inputs, for processes that must not run foreign code."""
    table = cache(lambda i: layout.table(reports[i][:EXAMPLES]))
    texts = cache(
        lambda i: texts_of(reports[i][:EXAMPLES], chain(*(r[:EXAMPLES] for r in reports)))
    )

    def example(event: Event, i: int) -> str:
        """The shortest of some reports with the event, as text."""
        held = np.flatnonzero(event.holds(reports[i][:EXAMPLES], table(i))).tolist()
        return min((texts(i)[j] for j in held), key=lambda text: (len(text), text), default="")

    return tuple(
        ChosenEvent(c.event.words, c.first, c.second, example(c.event, c.first)) for c in candidates
    )
