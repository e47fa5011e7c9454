"""Events about scores: the target's own `supports`, a user's function, a learned classifier."""

import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from ldp_auditor.checks.search.events import Both, Event, Not, Scored, Supports
from ldp_auditor.checks.search.layout import WHOLE_REPORT, Column, Table
from ldp_auditor.checks.search.packed_events import count, joint, packed
from ldp_auditor.checks.search.proposals import (
    Family,
    Proposal,
    Sample,
    proposals,
    proposals_of,
)
from ldp_auditor.core import Floats
from ldp_auditor.errors import AuditError, describe, in_brief, require

MOST_PAIRS = 30
"""Largest number of pairs of inputs for which a user's score is tried."""

MOST_LEARNED_PAIRS = 3
"""Largest number of pairs of inputs for which a classifier is trained."""

MOST_LEARNED = 5_000
"""Largest number of reports of an input that a classifier learns from."""

MOST_LEARNED_COLUMNS = 200
"""Largest number of columns that a classifier learns from."""

MOST_QUESTIONS = 600_000
"""Largest number of calls of `supports` on one half; twelve values are always asked about."""


def propose_supports(
    sample: Sample, supports: Callable[[Any, Any], bool] | None, values: Sequence[Any]
) -> list[Proposal]:
    """The report supports a value; it supports one and not another."""
    if supports is None:
        return []
    most = max(12, int(MOST_QUESTIONS / sample.trials.sum()))
    single: list[Event] = [Supports(supports, value) for value in values[:most]]
    found = proposals_of(sample, single)
    pairs = list(combinations(range(len(single)), 2))
    if not pairs:
        return found
    bits = packed(sample, single)
    both = np.stack([joint(rows) for rows in bits])
    alone = np.stack([count(rows) for rows in bits])
    for turn in (0, 1):
        chosen = [pair[turn] for pair in pairs]

        def make(i: int, turn: int = turn) -> Event:
            return Both(single[pairs[i][turn]], Not(single[pairs[i][1 - turn]]))

        found += proposals(sample, Family(make, alone[:, chosen] - both))
    return found


@dataclass(frozen=True)
class UserScore:
    """A user's function of a report and two values."""

    function: Callable[[Any, Any, Any], float]
    first: Any
    second: Any

    def __call__(self, reports: Sequence[Any], table: Table) -> Floats:
        """Scores of all reports."""
        try:
            return np.array([float(self.function(r, self.first, self.second)) for r in reports])
        except Exception as error:  # it may be anything
            apart = f"with values {in_brief(self.first)} and {in_brief(self.second)}"
            raise AuditError(f"the score raised {describe(error)} {apart}") from error


def propose_user_scores(
    sample: Sample,
    function: Callable[[Any, Any, Any], float] | None,
    values: Sequence[Any],
    apart: Sequence[tuple[int, int]],
) -> list[Proposal]:
    """Thresholds of a user's own score, for the pairs of inputs that lie furthest apart."""
    if function is None:
        return []
    events: list[Event] = []
    both_ways = [ordered for a, b in apart for ordered in ((a, b), (b, a))]
    if len(both_ways) > MOST_PAIRS:
        sample.notes.append(
            f"Your score: {MOST_PAIRS} of {len(both_ways):,} ordered pairs of inputs, those whose "
            "reports differ most."
        )
    for a, b in both_ways[:MOST_PAIRS]:
        score = UserScore(function, values[a], values[b])
        name = f"score of {values[a]!r} against {values[b]!r}"
        first = Scored(name, score, 0.0, is_fitted=False)
        seen = np.concatenate(
            [first.scores(r, t) for r, t in zip(sample.reports, sample.tables, strict=True)]
        )
        for t in np.unique(np.quantile(seen, np.linspace(0.02, 1, 40), method="nearest")):
            events.append(Scored(name, score, float(t), is_fitted=False))
    return proposals_of(sample, events)


@dataclass(frozen=True)
class LearnedScore:
    """The score of a classifier that was trained on some columns."""

    model: Any
    columns: tuple[Column, ...]

    def __call__(self, reports: Sequence[Any], table: Table) -> Floats:
        """Probability of the first of two inputs, for all reports."""
        probabilities: Floats = self.model.predict_proba(_rows(table, self.columns))[:, 1]
        return probabilities


def _rows(table: Table, columns: Sequence[Column]) -> Floats:
    rows = np.stack([table.of(column).astype(np.float64) for column in columns], axis=1)
    return np.nan_to_num(rows, nan=-1e9)


def can_learn(asked: bool | None) -> bool:
    """Whether a classifier proposes events: as `asked`, or by default if scikit-learn is installed.

    Raises if it is asked for and scikit-learn is missing.
    """
    there = asked is not False and importlib.util.find_spec("sklearn") is not None
    require(
        there or not asked,
        "a classifier needs scikit-learn: pip install 'ldp-auditor[learn]', or do without: "
        "--no-learn (in Python learn=False)",
    )
    return there


def propose_learned_scores(
    sample: Sample, given: Sequence[Column], seed: int, apart: Sequence[tuple[int, int]]
) -> list[Proposal]:
    """Thresholds of a classifier that was trained to tell two inputs apart.

    It learns from half of the reports and is counted on the other half: on the reports it was
    trained on, a classifier looks too good.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier

    columns = tuple(c for c in given if c.words != WHOLE_REPORT)
    if len(columns) < 2:
        return []  # thresholds of a single column are tried anyway
    if len(columns) > MOST_LEARNED_COLUMNS or len(apart) > MOST_LEARNED_PAIRS:
        sample.notes.append(
            f"The classifier learned from {min(len(columns), MOST_LEARNED_COLUMNS)} of "
            f"{len(columns):,} columns, for {min(len(apart), MOST_LEARNED_PAIRS)} of "
            f"{len(apart):,} pairs of inputs, those whose reports differ most."
        )
    columns = columns[:MOST_LEARNED_COLUMNS]
    fitting, counting = sample.halves
    found: list[Proposal] = []
    tried = 24 * min(len(apart), MOST_LEARNED_PAIRS)
    for a, b in apart[:MOST_LEARNED_PAIRS]:
        sides = [fitting.tables[i].part(slice(MOST_LEARNED)) for i in (a, b)]
        rows = np.concatenate([_rows(side, columns) for side in sides])
        labels = np.repeat([1.0, 0.0], [side.rows for side in sides])
        model = HistGradientBoostingClassifier(max_iter=25, max_leaf_nodes=15, random_state=seed)
        model.fit(rows, labels)
        score = LearnedScore(model, columns)
        seen: Floats = model.predict_proba(rows)[:, 1]
        name = f"learned score of {sample.name(a)} against {sample.name(b)}"
        for t in np.unique(np.quantile(seen, np.linspace(0.05, 0.995, 12), method="nearest")):
            above = Scored(name, score, float(t), at_least=True)
            below = Scored(name, score, float(t), at_least=False)
            found.append(counting.proposal(above, a, b, tried))
            found.append(counting.proposal(below, b, a, tried))
    return found
