"""Results folders with made-up numbers, for tests of the page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ldp_auditor.figures.points import Point, points_of
from ldp_auditor.results.audit_result import AuditResult
from ldp_auditor.results.journal import JOURNAL, digest, line_of

HOSTILE = [
    "<script>alert(1)</script>",
    "\"'><img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "]]>-->`${alert(1)}`",
    "$x^2$",
    "a\u202eb\u2028c\u0000d",
    "\ud800",
    "x" * 100_000,
]
"""Names that a page has to show without harm."""


def audited(mechanism: str = "GRR", **changed: Any) -> dict[str, Any]:
    """The result of an audit as a journal has it."""
    plain: dict[str, Any] = {
        "mechanism": mechanism,
        "epsilon": 1.0,
        "delta": 0.0,
        "domain_size": 25,
        "pair": [0, 1],
        "attack": "paper",
        "bound": "clopper-pearson",
        "alpha": 0.01,
        "trials": 100_000,
        "pilot_trials": 0,
        "true_positives": 10_000,
        "false_positives": 4_000,
        "empirical_epsilon": 0.87,
        "attack_epsilon": 0.95,
        "worst_case_epsilon": 1.0,
        "monte_carlo_limit": 9.7,
        "seed": 42,
        "version": "0.1.0",
    }
    plain |= changed
    proven, claimed = plain["empirical_epsilon"], plain.get("claimed_epsilon", plain["epsilon"])
    numbers = all(isinstance(value, int | float) for value in (proven, claimed))
    broken = numbers and proven > claimed
    return {"verdict": "violation" if broken else "no-violation-found", **plain}


def checked(target: str = "package:mechanism", **changed: Any) -> dict[str, Any]:
    """The result of a check as a journal has it: a violation."""
    plain: dict[str, Any] = {
        "target": target,
        "epsilon": 1.0,
        "delta": 0.0,
        "values": [0, 1, 2],
        "alpha": 0.01,
        "seed": 42,
        "trials": 4000,
        "pilot_trials": 2000,
        "reports": 18_000,
        "verdict": "violation",
        "findings": [
            {
                "first": 0,
                "second": 1,
                "event": "report is 0",
                "trials": 4000,
                "true_positives": 3600,
                "false_positives": 140,
                "empirical_epsilon": 3.1,
                "p_value": 1e-40,
                "example": "0",
            }
        ],
        "power": [{"event_probability": 0.5, "excess": 0.2}],
        "repeat": "ldp-auditor check package:mechanism --epsilon 1 --values 0,1,2 --seed 42",
        "version": "0.1.0",
    }
    return plain | changed


def points(*results: dict[str, Any]) -> list[Point]:
    """The points of some audits."""
    found = points_of(("key", AuditResult.from_dict(result)) for result in results)
    return [point for mine in found.values() for point in mine]


def write(folder: Path, *results: dict[str, Any]) -> Path:
    """Write results into the journal of a folder, each as a cell of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    for number, plain in enumerate(results):
        about = ("check", plain["target"]) if "target" in plain else ("mechanism", "any")
        plan = dict([about, ("number", number)])
        lines.append(line_of({"key": digest(plan), "plan": plan, "results": [plain]}))
    with (folder / JOURNAL).open("ab") as file:
        file.write(b"".join(lines))
    return folder


def swept(folder: Path) -> Path:
    """A folder as sweeps and checks leave it: two mechanisms over epsilon, a violation, a check."""
    results = [
        audited(
            mechanism,
            epsilon=epsilon,
            domain_size=size,
            attack=attack,
            seed=seed,
            empirical_epsilon=share * epsilon + 0.01 * seed,
            attack_epsilon=(share + 0.05) * epsilon,
            worst_case_epsilon=epsilon,
        )
        for mechanism, size in (("GRR", 10), ("GRR", 50), ("OUE", 10))
        for epsilon in (0.5, 1.0, 2.0, 4.0)
        for attack, share in (("paper", 0.5), ("optimal", 0.9))
        for seed in (1, 2)
    ]
    results.append(audited("LHO", epsilon="inf", hash_range=2, worst_case_epsilon="inf"))
    results.append(audited("Broken", empirical_epsilon=1.4, worst_case_epsilon=1.5))
    return write(folder, *results, checked())
