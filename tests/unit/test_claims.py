"""The paper's statements: how they are judged, each on an example and a counterexample."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from ldp_auditor import studies
from ldp_auditor.results.table import Row
from ldp_auditor.studies.claims import (
    Statement,
    available,
    claims_document,
    claims_lines,
    judge,
)
from ldp_auditor.studies.claims.comparisons import below
from ldp_auditor.studies.claims.shapes import single
from ldp_auditor.studies.claims.statement import every

STATEMENTS = {statement.name: statement for statement in available()}
LIMIT = 12.025161681195694

Law = Callable[[Any], float | tuple[float, float]]
"""Epsilon of a cell, or both rates of the attack; its settings are attributes: mechanism, epsilon,
delta, k, d, g, reports."""


def row(value: float | None, *, measured: float | None = None, **settings: Any) -> Row:
    return {
        "delta": 0.0,
        "attack": "paper",
        "trials": 10**6,
        "seed": 1,
        "true_positives": 500_000,
        "false_positives": 400_000,
        "empirical_epsilon": value if measured is None else measured,
        "attack_epsilon": value,
        "exact_true_positive_rate": 0.5,
        "exact_false_positive_rate": 0.4,
        "monte_carlo_limit": LIMIT,
        **settings,
    }


def bar(**settings: Any) -> Row:
    return row(0.5, **{"mechanism": "GRR", "epsilon": 1.0, "domain_size": 2, **settings})


BELOW_1 = Statement(
    name="test",
    section="5.2",
    words="GRR stays below 1 | really",
    studies=("figure-2",),
    places=every(mechanism=["GRR"], epsilon=[1.0, 2.0, 4.0, 6.0, 10.0], domain_size=[2]),
    test=single(lambda found: below(found, 1.0)),
)


def test_all_some_none() -> None:
    rows = [bar(), bar(epsilon=2.0)]
    assert judge(BELOW_1, rows).measured.words == "holds (3 more not measured)"
    rows += [bar(epsilon=4.0, empirical_epsilon=1.5, attack_epsilon=2.5)]
    found = judge(BELOW_1, rows)
    assert found.measured.ruling == found.exact.ruling == "holds in part"
    assert found.exact.worst() == "GRR, epsilon = 4, k = 2: 2.500 against 1.000"
    nothing = judge(BELOW_1, rows[2:]).measured
    assert nothing.words == "does not hold (0 of 1; 4 more not measured)"


def test_exceptions_are_told_worst_first() -> None:
    rows = [
        bar(epsilon=epsilon, empirical_epsilon=epsilon, attack_epsilon=0.0)
        for epsilon in (1.0, 2.0, 4.0, 6.0, 10.0)
    ]
    found = judge(BELOW_1, rows)
    assert [exception.off for exception in found.measured.exceptions] == [9, 5, 3, 1, 0]
    assert found.measured.worst(2).endswith("k = 2: 6.000 against 1.000; and 3 more")
    assert found.exact.words == "holds"
    assert found.exact.worst() == ""


def test_what_is_not_known_and_not_measured() -> None:
    found = judge(BELOW_1, [bar(attack_epsilon=None)])
    assert found.exact.words == "not known exactly"
    assert found.measured.words == "holds (4 more not measured)"
    assert judge(BELOW_1, []).measured.words == "not measured"
    rows = [bar(attack_epsilon=None), bar(epsilon=2.0)]
    assert judge(BELOW_1, rows).exact.words.startswith("holds (1 more not known exactly")


def test_seeds_are_averaged_and_shared_cells_count_once() -> None:
    low, high = bar(empirical_epsilon=0.5), bar(empirical_epsilon=1.3, seed=2)
    assert judge(BELOW_1, [low, high]).measured.holding == 1
    assert judge(BELOW_1, [low, high, high, high]).measured.holding == 1
    assert judge(BELOW_1, [low, {**high, "empirical_epsilon": 1.6}]).measured.holding == 0


def test_rows_of_other_attacks_do_not_matter() -> None:
    rows = [bar(), bar(attack="optimal", empirical_epsilon=5.0)]
    assert judge(BELOW_1, rows).measured.ruling == "holds"


def test_largest_number_of_trials_counts() -> None:
    rows = [bar(trials=20_000, empirical_epsilon=5.0), bar(), bar(trials=10_000)]
    assert judge(BELOW_1, rows).measured.ruling == "holds"


def test_document_is_a_table() -> None:
    found = judge(BELOW_1, [bar(empirical_epsilon=1.5)])
    text = claims_document([found], "T = 7, 2 seeds")
    assert "T = 7, 2 seeds, ldp-auditor " in text
    assert "below 1 \\| really" in text
    assert "| does not hold | 1 | 0 |" in text
    (line,) = claims_lines([found])
    assert line[:2] == ("5.2", "test")
    assert line[-1] == "measured: GRR, epsilon = 1, k = 2: 1.500 against 1.000"


def test_statements_are_told_apart_and_name_known_studies() -> None:
    statements = available()
    assert len(STATEMENTS) == len(statements) >= 30
    assert len({statement.words for statement in statements}) == len(statements)
    sections = [statement.section for statement in statements]
    assert sections == sorted(sections)
    assert set(sections) == {"1", "4.1", "5.1", *(f"5.{part}" for part in range(2, 8))}
    known = set(studies.available())
    assert {name for statement in statements for name in statement.studies} <= known


@functools.cache
def cells(names: tuple[str, ...]) -> list[tuple[dict[str, Any], SimpleNamespace]]:
    """All cells of some studies: their settings, and as a law sees them."""
    found = []
    for name in names:
        for block in studies.find(name).blocks:
            axes = {name: _axis(value) for name, value in block.items()}
            for place in every(**axes):
                settings = {"epsilon": math.inf, **place, "mechanism": place["protocol"]}
                del settings["protocol"]
                cell = SimpleNamespace(
                    **{"delta": 0.0, "reports": 1, "attributes": 1, "hash_range": 0, **settings}
                )
                cell.k, cell.d, cell.g = cell.domain_size, cell.attributes, cell.hash_range
                found.append((settings, cell))
    return found


def _axis(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def table(statement: Statement, law: Law) -> list[Row]:
    """Rows of the statement's studies: no others may be needed."""
    rows = []
    for settings, cell in cells(statement.studies):
        found = law(cell)
        rows.append(
            row(found, **settings)
            if isinstance(found, float)
            else row(0.5, **settings, **_rates(*found))
        )
    return rows


def _rates(hits: float, alarms: float) -> dict[str, Any]:
    return {
        "true_positives": round(hits * 10**6),
        "false_positives": round(alarms * 10**6),
        "exact_true_positive_rate": hits,
        "exact_false_positive_rate": alarms,
    }


def both(law: Callable[[Any], float]) -> Law:
    """The law of both rates."""
    return lambda cell: (law(cell), law(cell))


def right(*names: str) -> Law:
    """Protocols of these names are guessed right more often than others, and wrong less often."""
    return lambda cell: (0.5, 0.3) if cell.mechanism in names else (0.4, 0.4)


def named(*names: str, then: float, other: float) -> Law:
    """Protocols of these names have the one value, all others the other."""
    return lambda cell: then if cell.mechanism in names else other


def constant(cell: Any) -> float:
    return 0.5


def claimed(cell: Any) -> float:
    return float(cell.epsilon)


def fall(cell: Any) -> float:
    return 0.5 - float(cell.k) / 1000


def rise(cell: Any) -> float:
    return 0.5 + float(cell.k) / 1000


def grow(cell: Any) -> float:
    return min(float(cell.epsilon), 100.0) * 0.09


def high_only(cell: Any) -> float:
    return 0.0 if cell.epsilon <= 1 else float(cell.epsilon)


def hidden(*names: str) -> Law:
    return named(*names, then=0.4, other=0.5)


def shown(*names: str) -> Law:
    return named(*names, then=0.5, other=0.4)


LAWS: dict[str, tuple[Law, Law]] = {
    "example-grr": (claimed, lambda cell: 0.94 * cell.epsilon),
    "example-2x": (lambda cell: 1.0, lambda cell: 0.99),
    "example-4x": (lambda cell: 0.5, lambda cell: 0.49),
    "below-claim": (claimed, lambda cell: 1.01 * cell.epsilon),
    "below-claim-records": (claimed, lambda cell: 1.01 * cell.epsilon),
    "below-claim-over-time": (
        lambda cell: cell.epsilon * cell.reports,
        lambda cell: 1.01 * cell.epsilon * cell.reports,
    ),
    "below-limit": (lambda cell: LIMIT, lambda cell: 12.1),
    "grr-tight": (lambda cell: 0.95 * cell.epsilon, lambda cell: 0.94 * cell.epsilon),
    "others-not-tight": (lambda cell: 0.94 * cell.epsilon, lambda cell: 0.95 * cell.epsilon),
    "blh-worst": (hidden("BLH"), shown("BLH")),
    "blh-below-1": (lambda cell: 0.999, lambda cell: 1.0),
    "blh-flat": (constant, grow),
    "hashing-similar": (constant, hidden("BLH", "ABLH")),
    "hashing-lowest": (
        hidden("BLH", "OLH", "ABLH", "AOLH"),
        shown("BLH", "OLH", "ABLH", "AOLH"),
    ),
    "olh-above-blh": (hidden("BLH", "ABLH"), named("BLH", "ABLH", then=0.46, other=0.5)),
    "olh-tighter": (hidden("BLH", "ABLH"), constant),
    "ss-similar": (constant, shown("SS")),
    "ss-equals-grr": (constant, hidden("SS")),
    "ss-tight": (claimed, lambda cell: 0.9 * cell.epsilon),
    "unary-similar": (named("SUE", then=0.46, other=0.5), hidden("SUE")),
    "oue-above-sue": (shown("OUE"), constant),
    "plateau": (lambda cell: 10 + cell.epsilon / 10, grow),
    "asue-like-sue": (constant, hidden("ASUE")),
    "she-like-the": (constant, hidden("SHE")),
    "gm-worst": (hidden("GM"), shown("GM")),
    "agm-above-gm": (hidden("GM"), constant),
    "gap-grows-with-k": (fall, constant),
    "k-minor-for-grr": (constant, fall),
    "k-substantial": (fall, constant),
    "k25-2.5x": (lambda cell: cell.epsilon / 2.5, lambda cell: cell.epsilon / 2.6),
    "k200-5x": (lambda cell: cell.epsilon / 5, lambda cell: cell.epsilon / 5.1),
    "oue-olh-larger-k": (rise, constant),
    "the-larger-k": (rise, fall),
    "the-small-extent": (constant, rise),
    "accuracy-falls-with-k": (both(fall), both(rise)),
    "honesty-falls-with-k": (both(lambda cell: 1 / cell.k), both(constant)),
    "oue-alarms-small-k": (both(fall), both(constant)),
    "she-the-sensitivity": (
        lambda cell: 0.5 + cell.k / 1000 if cell.mechanism == "THE" else 0.5,
        rise,
    ),
    "k-matters-in-high-privacy": (
        lambda cell: 0.5 - cell.k / 1000 if cell.epsilon <= 1 else 0.5,
        lambda cell: 0.5 - cell.k / 1000 if cell.epsilon > 1 else 0.5,
    ),
    "gap-wider-relative": (high_only, lambda cell: cell.epsilon if cell.epsilon <= 1 else 1.0),
    "gap-wider-absolute": (high_only, lambda cell: cell.epsilon if cell.epsilon <= 1 else 1.0),
    "delta-changes-nothing": (constant, lambda cell: 0.5 if cell.delta else 0.4),
    "delta-narrows-gap": (lambda cell: 0.5 + cell.delta * 100, constant),
    "finite-fall-with-k": (fall, rise),
    "finite-k-minor": (constant, rise),
    "gaussian-rise-with-k": (rise, constant),
    "blh-10x": (lambda cell: cell.epsilon / 10, lambda cell: cell.epsilon / 11),
    "lho-below-1": (lambda cell: 0.99, lambda cell: 1.0),
    "lho-medium": (lambda cell: 2.5 if cell.k == 25 else 1.001, lambda cell: 2.501),
    "lho-rises-with-g": (lambda cell: cell.g / 10, constant),
    "lho-falls-with-k": (fall, constant),
    "lho-accuracy-rises-with-g": (both(lambda cell: cell.g / 10), both(constant)),
    "k2-grr-equals-ss": (constant, hidden("SS")),
    "k2-grr-ss-tightest": (constant, hidden("GRR", "SS")),
    "k2-gaussian-lowest": (hidden("GM", "AGM"), constant),
    "k2-below-grr": (shown("GRR", "SS"), constant),
    "k100-grr-lowest": (constant, shown("GRR")),
    "k100-she-next": (constant, shown("SHE")),
    "gaussian-lowest": (constant, shown("GM", "AGM")),
    "limit-not-reached": (lambda cell: 0.98 * LIMIT, lambda cell: LIMIT),
    "limit-reached": (lambda cell: 0.991 * LIMIT, lambda cell: 0.98 * LIMIT),
    "limit-grr-exception": (lambda cell: 0.98 * LIMIT, lambda cell: LIMIT),
    "honesty-proportional-to-k": (both(lambda cell: cell.k / 1000), both(lambda cell: 1 / cell.k)),
    "accuracy-falls-with-k-over-time": (both(fall), both(rise)),
    "falls-with-k": (fall, rise),
    "composition-gap": (
        lambda cell: cell.epsilon * cell.reports / 2,
        lambda cell: cell.epsilon * cell.reports * 0.51,
    ),
    "records-grr-tighter": (shown("RS+FD[GRR]"), constant),
    "records-plateau": (constant, grow),
    "records-sue-k2": (shown("RS+FD[SUE-z]", "RS+FD[SUE-r]"), constant),
    "records-sue-k100": (hidden("RS+FD[SUE-z]", "RS+FD[SUE-r]"), constant),
    "records-fake-data": (constant, hidden("RS+FD[SUE-z]", "RS+FD[OUE-z]")),
    "records-binary-lower": (rise, constant),
    "records-sue-accuracy": (
        right("RS+FD[SUE-z]", "RS+FD[SUE-r]"),
        right("RS+FD[OUE-z]", "RS+FD[OUE-r]"),
    ),
    "records-alarms": (both(lambda cell: 0.9), both(lambda cell: 1e-6)),
    "records-alarms-lesser": (
        both(lambda cell: 0.9 if cell.k == 2 else 1e-6),
        both(lambda cell: 0.9 if cell.k == 100 else 1e-6),
    ),
    "bug-found-somewhere": (
        lambda cell: (1.01 if cell.k == 25 and cell.epsilon == 0.25 else 0.5) * cell.epsilon,
        claimed,
    ),
    "bug-found": (lambda cell: 1.01 * cell.epsilon, claimed),
    "bug-missed": (claimed, lambda cell: 1.01 * cell.epsilon),
}
"""A table on which each statement holds, and one on which it holds nowhere."""

WITHOUT_ROWS = {
    "limit-rates",
    "limit-10k",
    "limit-million",
    "second-value",
    "olh-more-useful",
    "agm-more-useful",
    "limit-in-the-end",
    "records-honesty",
    "bug-excess",
    "bug-bit-likely",
    "bug-still-there",
}
EXACT_WITHOUT_ROWS = {"bug-found", "bug-found-somewhere", "bug-missed", "below-limit"}
"""Their exact outcome is a formula's, or no table can change it."""


def test_every_statement_with_rows_has_both_tables() -> None:
    assert set(LAWS) == set(STATEMENTS) - WITHOUT_ROWS


@pytest.mark.parametrize("name", LAWS)
def test_predicate_tells_an_example_from_a_counterexample(name: str) -> None:
    statement = STATEMENTS[name]
    example, counterexample = (judge(statement, table(statement, law)) for law in LAWS[name])
    assert example.measured.words == "holds"
    assert counterexample.measured.ruling == "does not hold"
    assert counterexample.measured.worst()
    if name not in EXACT_WITHOUT_ROWS:
        assert example.exact.words == "holds"
        assert counterexample.exact.ruling == "does not hold"


def test_chance_excuses_no_order_and_all_that_is_not_significant() -> None:
    settings = {"epsilon": 1.0, "domain_size": 25, "true_positives": 400, "false_positives": 300}
    rows = [
        row(0.30, mechanism="ASUE", **{**settings, "delta": 1e-5}),
        row(0.28, measured=0.2, mechanism="SUE", **settings),
    ]
    alike = judge(STATEMENTS["asue-like-sue"], rows).measured
    assert "within noise" in alike.worst()
    same = judge(STATEMENTS["delta-changes-nothing"], rows).measured
    assert (same.holding, same.exceptions) == (1, ())
