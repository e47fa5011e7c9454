"""`check_recorded`: reports that were collected elsewhere, against a claim."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ldp_auditor.checks.evidence import findings_of, result_of
from ldp_auditor.checks.plan import MOST_PILOT, CheckPlan
from ldp_auditor.checks.sampling import chosen_events
from ldp_auditor.checks.search.finder import Pilot, find_events
from ldp_auditor.checks.search.scores import can_learn
from ldp_auditor.errors import AuditError, describe, require
from ldp_auditor.results.check_result import CheckResult
from ldp_auditor.seeding import chunk_generator, random_order, stream_key


def check_recorded(
    name: str,
    reports: Mapping[Any, Sequence[Any]] | Sequence[tuple[Any, Sequence[Any]]],
    *,
    supports: Callable[[Any, Any], bool] | None = None,
    **settings: Any,
) -> CheckResult:
    """Check reports that were collected elsewhere: half of them find events, half prove them.

    Which half a report is in is drawn at random, because files may be sorted. An input with more
    reports than another is proven on as many as the other has.
    """
    started = time.perf_counter()
    pairs = list(reports.items() if isinstance(reports, Mapping) else reports)
    values = tuple(value for value, _ in pairs)
    plan = CheckPlan(name=name, values=values, **{"trials": 100 * len(values), **settings})
    rng = chunk_generator(plan.seed, stream_key({"recorded": plan.plain_values}), 0, 0)
    learned = can_learn(plan.learn)
    halves: list[tuple[list[Any], list[Any]]] = []
    for value, made in pairs:
        require(
            len(made) >= 50,
            f"every value needs 50 recorded reports at least, got {len(made)} of {value!r}",
        )
        shuffled = [made[i] for i in random_order(rng, len(made))]
        middle = len(made) // 2
        halves.append((shuffled[:middle][:MOST_PILOT], shuffled[middle:]))
    pilot = Pilot([a for a, _ in halves], plan.claim, values, supports, plan.score)
    trials = min(len(b) for _, b in halves)
    try:
        layout, candidates = find_events(pilot, plan.prove, learned, plan.seed)
        counts = np.zeros((len(values), len(candidates)), np.int64)
        for i, (_, fresh) in enumerate(halves if candidates else []):
            table = layout.table(fresh[:trials])
            counts[i] = [c.event.holds(fresh[:trials], table).sum() for c in candidates]
    except AuditError:
        raise
    except Exception as error:  # they may be anything
        raise AuditError(
            f"the reports of {name} cannot be looked into: {describe(error)}"
        ) from error
    findings = findings_of(plan, chosen_events(candidates), counts, trials)
    total = sum(len(made) for _, made in pairs)
    return result_of(plan, findings, min(len(a) for a, _ in halves), total, started, learned)
