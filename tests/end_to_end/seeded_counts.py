"""Prints the counts of many seeded audits and checks, for tests that compare machines.

`python -m tests.end_to_end.seeded_counts [other-libm]` prints one JSON object. Whatever this table
holds must be the same on every machine; `seeded_counts.json` keeps it. A change that moves a count
on purpose writes that file anew, and is marked "results change" in CHANGELOG.md.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

SEED = 7
TRIALS = 4_000


def audits() -> Iterator[tuple[str, list[int]]]:
    """Every protocol: both attacks, one report and many, records."""
    from ldp_auditor import mechanisms
    from ldp_auditor.audits.comparison import plan_comparison
    from ldp_auditor.audits.plan import AuditPlan
    from ldp_auditor.core import FIRST_TWO_VALUES
    from ldp_auditor.inputs import Numbers, Records

    studies: dict[str, dict[str, Any]] = {
        "once": {},
        "law": {"reports": (1, 4, 12)},
        "simulate": {"reports": (3,), "composition": "simulate"},
    }
    for epsilon, domain_size in ((0.5, 5), (1.0, 100), (4.0, 70)):
        for how, study in studies.items():
            plans = plan_comparison(
                (),
                epsilon=epsilon,
                domain_size=domain_size,
                epsilon_infinity=2 * epsilon,
                attack="both",
                trials=TRIALS,
                seed=SEED,
                **study,
            )
            for plan in plans.audits:
                setting = f"{plan.mechanism.name} {epsilon} {domain_size} {plan.attack}"
                for reports, seen in counted(plan):
                    yield f"{setting} {reports} {how}", seen
    special: dict[str, dict[str, Any]] = {
        "RAPPOR": {},
        "dBitFlipPM": {"epsilon": 1.0, "buckets": 7, "bits": 3},
        "Memo[OUE]": {"epsilon": 1.0},
    }
    for name in [*special, *mechanisms.expanded(["sketches"])]:
        options = special.get(name, {"epsilon": 1.0})
        mechanism = mechanisms.make(name, domain_size=20, **options)
        for attack in ("paper", "optimal"):
            plan = AuditPlan(
                mechanism=mechanism,
                pair=FIRST_TWO_VALUES,
                attack=attack,
                trials=TRIALS,
                seed=SEED,
                reports=(1, 5),
            )
            for reports, seen in counted(plan):
                yield f"{name} {attack} {reports}", seen
    for epsilon in (1.0, 3.0):
        records = [*mechanisms.available(Records), "SPL[OLH]", "SPL[SHE]", "SMP[SS]"]
        for name in records:
            for attack in ("paper", "optimal"):
                for sizes in ((4, 4, 4), (3, 20)):
                    mechanism = mechanisms.make(name, epsilon=epsilon, domain_sizes=sizes)
                    plan = AuditPlan(
                        mechanism=mechanism,
                        pair=mechanism.inputs.default_pair,
                        attack=attack,
                        trials=TRIALS,
                        seed=SEED,
                    )
                    ((_, seen),) = counted(plan)
                    yield f"{name} {epsilon} {sizes} {attack}", seen
    for name in mechanisms.expanded(["distances"]):
        sized = {"domain_size": 9} if mechanisms.find(name).takes.has_size else {}
        for attack in ("paper", "optimal"):
            plan = AuditPlan(
                mechanism=mechanisms.make(name, epsilon=0.5, **sized),
                attack=attack,
                trials=TRIALS,
                seed=SEED,
                reports=(1, 4),
            )
            for reports, seen in counted(plan):
                yield f"{name} {attack} {reports}", seen
    for name in mechanisms.available(Numbers):
        for epsilon in (0.5, 4.0):
            for attack in ("paper", "optimal"):
                for how in ("auto", "simulate"):
                    plan = AuditPlan(
                        mechanism=mechanisms.make(name, epsilon=epsilon),
                        attack=attack,
                        trials=TRIALS,
                        seed=SEED,
                        reports=(1, 4),
                        composition=how,
                    )
                    for reports, seen in counted(plan):
                        yield f"{name} {epsilon} {attack} {reports} {how}", seen
    yield from audits_of_vectors()
    yield from audits_of_key_values()
    yield from audits_of_memoized_filters()


def audits_of_vectors() -> Iterator[tuple[str, list[int]]]:
    """Every protocol for vectors: both attacks, one report and many."""
    from ldp_auditor import mechanisms
    from ldp_auditor.audits.plan import AuditPlan
    from ldp_auditor.inputs import Ball, UnitVectors

    for name in (*mechanisms.available(UnitVectors), *mechanisms.available(Ball)):
        for epsilon, dimension in ((0.5, 2), (6.0, 5)):
            for attack in ("paper", "optimal"):
                plan = AuditPlan(
                    mechanism=mechanisms.make(name, epsilon=epsilon, dimension=dimension),
                    attack=attack,
                    trials=TRIALS,
                    seed=SEED,
                    reports=(1, 4),
                )
                for reports, seen in counted(plan):
                    yield f"{name} {epsilon} {dimension} {attack} {reports}", seen


def audits_of_key_values() -> Iterator[tuple[str, list[int]]]:
    """Every protocol for keys with values: both attacks, one report and many."""
    from ldp_auditor import mechanisms
    from ldp_auditor.audits.plan import AuditPlan
    from ldp_auditor.inputs import KeyValues

    for name in mechanisms.available(KeyValues):
        for attack in ("paper", "optimal"):
            plan = AuditPlan(
                mechanism=mechanisms.make(name, epsilon=1.5, keys=7, padding=2),
                attack=attack,
                trials=TRIALS,
                seed=SEED,
                reports=(1, 4),
            )
            for reports, seen in counted(plan):
                yield f"{name} {attack} {reports}", seen


def audits_of_memoized_filters() -> Iterator[tuple[str, list[int]]]:
    """RAPPOR with a Bloom filter: both attacks, one report and many."""
    from ldp_auditor import mechanisms
    from ldp_auditor.audits.plan import AuditPlan

    for name, own in (
        ("Bloom-RAPPOR", {"f": 0.3, "p": 0.2, "q": 0.8}),
        ("L-Bloom-SUE", {"epsilon": 1.5, "epsilon_infinity": 4.0}),
    ):
        for attack in ("paper", "optimal"):
            plan = AuditPlan(
                mechanism=mechanisms.make(name, domain_size=9, **own),
                attack=attack,
                trials=TRIALS,
                seed=SEED,
                reports=(1, 4),
            )
            for reports, seen in counted(plan):
                yield f"{name} {attack} {reports}", seen


def counted(plan: Any) -> list[tuple[int, list[int]]]:
    """Fit the attack and count, as an audit does, at each number of reports.

    What an audit works out of the counts and beside them, such as its exact epsilons, takes longer
    than the counting, and is not compared here.
    """
    from ldp_auditor.audits.chunks import Chunks
    from ldp_auditor.audits.run import fit_attack
    from ldp_auditor.execution.threads import ThreadEngine

    chunks = Chunks(plan, tuple(fit_attack(look) for look in plan.looks))
    seen_at = chunks.count(ThreadEngine(2), lambda trials: None, 0, chunks.chunks)
    found = zip(plan.reports, seen_at, strict=True)
    return [(n, [seen.trials, seen.true_positives, seen.false_positives]) for n, seen in found]


def checks() -> Iterator[tuple[str, list[list[Any]]]]:
    """Reports of several kinds: which events are proven, and on which counts."""
    from ldp_auditor import mechanisms
    from ldp_auditor.checks.interface import check
    from ldp_auditor.checks.recorded_reports import check_recorded
    from ldp_auditor.core import Claim
    from ldp_auditor.seeding import chunk_generator

    for name in ("GRR", "OUE", "SHE", "OLH", "SS", "AGM"):
        delta = {} if name != "AGM" else {"delta": 1e-5}
        mechanism = mechanisms.make(name, epsilon=2.0, domain_size=6, **delta)
        reports = {
            value: mechanism.privatize(value, 3000, chunk_generator(SEED, 1, value, 0)).tolist()
            for value in range(3)
        }
        for claimed in (1.0, 2.0):
            result = check_recorded(name, reports, claim=Claim(claimed, 0.0), learn=False)
            yield f"check recorded {name} {claimed}", _findings(result)
    sampled = check(tell_truth_often, [0, 1, 2], epsilon=1.0, trials=20_000, learn=False)
    yield "check sampled", _findings(sampled)


def tell_truth_often(value: int, rng: Any) -> int:
    """Randomized response over three values with epsilon ln 4, for a check in processes."""
    return int((value + max(0, rng.integers(6) - 3)) % 3)


def _findings(result: Any) -> list[list[Any]]:
    return [
        [finding.event, finding.counts.true_positives, finding.counts.false_positives]
        for finding in result.findings
    ]


def table() -> dict[str, list[Any]]:
    """Return the counts of every audit and check by its name."""
    return {**dict(audits()), **dict(checks())}


def main() -> None:
    """Print the table."""
    if "other-libm" in sys.argv:
        from tests.end_to_end.other_libm import install

        install()
    rows = (f"{json.dumps(name)}: {json.dumps(seen)}" for name, seen in table().items())
    print("{\n" + ",\n".join(rows) + "\n}")


if __name__ == "__main__":
    main()
