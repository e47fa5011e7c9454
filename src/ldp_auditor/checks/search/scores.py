"""Events about scores: the target's own `supports`, a user's function, a learned classifier."""

import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Any

import numpy as np

from ldp_auditor.checks.search.events import Both, Event, Not, Scored, Supports
from ldp_auditor.checks.search.layout import WHOLE_REPORT, Column, Layout, Table
from ldp_auditor.checks.search.packed_events import count, joint, packed
from ldp_auditor.checks.search.proposals import Half, Proposal, proposals, proposals_of
from ldp_auditor.core import Floats
from ldp_auditor.errors import require

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
    half: Half, supports: Callable[[Any, Any], bool] | None, values: Sequence[Any]
) -> list[Proposal]:
    """The report supports a value; it supports one and not another."""
    if supports is None:
        return []
    most = max(12, int(MOST_QUESTIONS / half.trials.sum()))
    single: list[Event] = [Supports(supports, value) for value in values[:most]]
    found = proposals_of(half, single)
    pairs = list(combinations(range(len(single)), 2))
    if not pairs:
        return found
    bits = packed(half, single)
    both = np.stack([joint(rows) for rows in bits])
    alone = np.stack([count(rows) for rows in bits])
    for turn in (0, 1):
        chosen = [pair[turn] for pair in pairs]

        def make(i: int, turn: int = turn) -> Event:
            return Both(single[pairs[i][turn]], Not(single[pairs[i][1 - turn]]))

        found += proposals(half, make, alone[:, chosen] - both)
    return found


@dataclass(frozen=True)
class UserScore:
    """A user's function of a report and two values."""

    function: Callable[[Any, Any, Any], float]
    first: Any
    second: Any

    def __call__(self, reports: Sequence[Any], table: Table) -> Floats:
        """Scores of all reports."""
        return np.array([float(self.function(r, self.first, self.second)) for r in reports])


def propose_user_scores(
    half: Half, function: Callable[[Any, Any, Any], float] | None, values: Sequence[Any]
) -> list[Proposal]:
    """Thresholds of a user's own score."""
    if function is None:
        return []
    events: list[Event] = []
    for a, b in list(permutations(range(len(half.tables)), 2))[:MOST_PAIRS]:
        score = UserScore(function, values[a], values[b])
        name = f"score of {values[a]!r} against {values[b]!r}"
        first = Scored(name, score, 0.0)
        seen = np.concatenate(
            [first.scores(r, t) for r, t in zip(half.reports, half.tables, strict=True)]
        )
        for t in np.unique(np.quantile(seen, np.linspace(0.02, 1, 40), method="nearest")):
            events.append(Scored(name, score, float(t)))
    return proposals_of(half, events)


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


def propose_learned_scores(half: Half, layout: Layout, seed: int) -> list[Proposal]:
    """Thresholds of a classifier that was trained to tell two inputs apart.

    Its events get strength 0: on the reports it was trained on, a classifier looks too good.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier

    columns = tuple(c for c in layout.columns if c.words != WHOLE_REPORT)[:MOST_LEARNED_COLUMNS]
    if len(columns) < 2:
        return []  # thresholds of a single column are tried anyway
    found: list[Proposal] = []
    for a, b in list(combinations(range(len(half.tables)), 2))[:MOST_LEARNED_PAIRS]:
        sides = [half.tables[i].part(slice(MOST_LEARNED)) for i in (a, b)]
        rows = np.concatenate([_rows(side, columns) for side in sides])
        labels = np.repeat([1.0, 0.0], [side.rows for side in sides])
        model = HistGradientBoostingClassifier(max_iter=25, max_leaf_nodes=15, random_state=seed)
        model.fit(rows, labels)
        score = LearnedScore(model, columns)
        seen: Floats = model.predict_proba(rows)[:, 1]
        name = f"learned score of input {a} against {b}"
        for t in np.unique(np.quantile(seen, np.linspace(0.05, 0.995, 12), method="nearest")):
            found.append(Proposal(Scored(name, score, float(t), at_least=True), a, b, 0.0))
            found.append(Proposal(Scored(name, score, float(t), at_least=False), b, a, 0.0))
    return found
