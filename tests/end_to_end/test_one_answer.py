"""The same question asked in several ways: Python, the commands, grids. All give one answer."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ldp_auditor import Grid, audit, audit_over_time, compare, sweep
from ldp_auditor.audits.gap import explain_plan
from ldp_auditor.audits.interface import plan_audit
from ldp_auditor.execution.threads import ThreadEngine
from ldp_auditor.results.audit_result import AuditResult
from ldp_auditor.sweeps.cells import Cell
from tests.end_to_end.command import run

Settings = dict[str, Any]


class Answer(NamedTuple):
    """What must be the same however it is asked."""

    true_positives: int
    false_positives: int
    epsilon: float | str
    delta: float
    empirical_epsilon: float
    verdict: str


def of_result(result: AuditResult) -> Answer:
    return of_plain(result.to_dict())


def of_plain(plain: Settings) -> Answer:
    return Answer(*(plain[name] for name in Answer._fields))


def flags(settings: Settings) -> list[str]:
    """Settings as the command line takes them."""
    words = []
    for name, value in settings.items():
        text = ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        words += ["--" + name.replace("_", "-"), text]
    return words


REQUESTS: list[tuple[str, Settings]] = [
    ("OUE", {"epsilon": 1, "domain_size": 10}),
    ("OUE", {"epsilon": 1, "domain_size": 10, "attack": "optimal", "bound": "likelihood-ratio"}),
    ("GRR", {"epsilon": 1, "domain_size": 10, "delta": 1e-5}),
    ("AGM", {"epsilon": 1, "domain_size": 10, "delta": 1e-6, "alpha": 0.05}),
    ("SHE", {"epsilon": 2, "domain_size": 10, "pair": [3, 7], "seed": 9}),
    ("LHO", {"epsilon": 0.2, "domain_size": 10}),
    ("LHO", {"epsilon": 1, "domain_size": 25, "hash_range": 4}),
    ("LHO", {"epsilon": 5, "domain_size": 10}),
    ("RAPPOR", {"epsilon": 0.1, "domain_size": 10, "f": 0.3}),
    ("SUE", {"epsilon": 0.5, "domain_size": 10, "reports": 20}),
    ("GRR", {"epsilon": 0.5, "domain_size": 5, "reports": 4, "composition": "simulate"}),
    ("L-SUE", {"epsilon_1": 1, "epsilon_infinity": 2, "domain_size": 10}),
    ("L-OSUE", {"epsilon": 1, "epsilon_infinity": 2, "domain_size": 10, "reports": 3}),
    ("SPL[OUE]", {"epsilon": 1, "domain_size": 5, "attributes": 2}),
    ("RS+FD[GRR]", {"epsilon": 1, "domain_sizes": [4, 4], "attack": "optimal", "seed": 3}),
    ("RAPPOR", {"domain_size": 9, "f": 0.5, "p": 0.2, "q": 0.9, "reports": 9}),
    ("LHO", {"domain_size": 9}),
]
TRIALS = 20_000
BROKEN = {"LHO-5", "LHO-6", "RAPPOR-8", "RS+FD[GRR]-14"}
NAMES = [f"{name}-{number}" for number, (name, _) in enumerate(REQUESTS)]


@pytest.mark.parametrize(("protocol", "settings"), REQUESTS, ids=NAMES)
def test_one_cell_has_one_answer(
    protocol: str, settings: Settings, request: pytest.FixtureRequest
) -> None:
    given = {**settings, "trials": TRIALS}
    result = audit(protocol, **given)
    expected = of_result(result)
    broken = request.node.callspec.id in BROKEN
    assert expected.verdict == ("violation" if broken else "no-violation-found")
    code = 1 if broken else 0

    (compared,) = compare([protocol], **given).results
    assert of_result(compared) == expected
    (of_grid,) = Cell.of(protocol=protocol, **given).run(ThreadEngine(1))
    assert of_result(of_grid) == expected

    done = run("audit", protocol, *flags(given), "--json")
    assert (done.returncode, of_plain(json.loads(done.stdout))) == (code, expected)
    done = run("compare", protocol, *flags(given), "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, of_plain(told["results"][0])) == (code, expected)
    assert (told["violations"], told["audits"]) == (int(broken), int(expected.epsilon != "inf"))


EXPLAINED = ["OUE-0", "OUE-1", "GRR-2", "AGM-3", "RAPPOR-8", "SUE-9", "L-SUE-11", "RS+FD[GRR]-14"]


@pytest.mark.parametrize("number", [NAMES.index(name) for name in EXPLAINED], ids=EXPLAINED)
def test_explain_audits_as_audit_does(number: int) -> None:
    protocol, settings = REQUESTS[number]
    given = {**settings, "trials": TRIALS}
    attack = given.pop("attack", "paper")
    expected = of_result(audit(protocol, attack=attack, **given))
    done = run("explain", protocol, *flags(given), "--json")
    results = {result["attack"]: of_plain(result) for result in json.loads(done.stdout)["results"]}
    assert results[attack] == expected
    broken = any(answer.verdict == "violation" for answer in results.values())
    assert done.returncode == int(broken)
    in_python = explain_plan(plan_audit(protocol, **given)).results
    assert {result.attack: of_result(result) for result in in_python} == results


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Path]:
    """All requests as one grid."""
    folder = tmp_path_factory.mktemp("swept")
    blocks = [f"trials = {TRIALS}"]
    for protocol, settings in REQUESTS:
        lines = [f"{name} = {json.dumps(value)}" for name, value in settings.items()]
        blocks.append("\n".join(["[[grid]]", f'protocol = "{protocol}"', *lines]))
    (folder / "grid.toml").write_text("\n".join(blocks))
    return run("sweep", str(folder / "grid.toml"), "--out", str(folder)), folder


def test_a_sweep_tells_violations_and_ends_like_an_audit(swept: tuple[Any, Path]) -> None:
    done, folder = swept
    assert done.returncode == 1, done.stderr
    count = len(REQUESTS) - 1
    expected = 0.01 * (count - 1) + 0.05
    assert (
        f"{len(BROKEN)} violations in {count} audits and 1 more without a claim "
        "(LHO 2, RAPPOR 1, RS+FD[GRR] 1); if every "
        f"claim were true, chance alone would show about {expected:.2g}\n"  # one bound has no proof
    ) in done.stdout
    with (folder / "results.csv").open() as file:
        rows = list(csv.DictReader(file))
    for (protocol, settings), row in zip(REQUESTS, rows, strict=True):
        result = audit(protocol, **settings, trials=TRIALS)
        assert int(row["true_positives"]) == result.counts.true_positives
        assert int(row["false_positives"]) == result.counts.false_positives
        assert row["verdict"] == result.verdict
    again = run("sweep", str(folder / "grid.toml"), "--out", str(folder), "--json")
    told = json.loads(again.stdout)
    assert (again.returncode, told["run"]) == (1, 0)
    assert (told["violations"], told["audits"]) == (len(BROKEN), count)


def test_a_sweep_without_a_violation_ends_with_0(tmp_path: Path) -> None:
    grid = tmp_path / "grid.toml"
    grid.write_text('protocol = ["GRR", "LHO"]\ndomain_size = 5\ntrials = 100\nepsilon = 9\n')
    done = run("sweep", str(grid), "--out", str(tmp_path / "kept"), "--workers", "1")
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("no violation found in 2 audits\n")


def test_a_failed_cell_counts_more_than_a_violation(tmp_path: Path) -> None:
    """A sweep that could not run everything says what it proved, and ends with 2."""
    grid = Grid.of(protocol=["LHO", "SHE"], epsilon=0.1, domain_size=[5, 2**32 - 1], trials=50_000)
    outcome = sweep(Grid(tuple(grid.cells[:1])))
    assert outcome.violations.violations == 1
    (tmp_path / "grid.toml").write_text(
        "epsilon = 0.1\ntrials = 50_000\n"
        '[[grid]]\nprotocol = "LHO"\ndomain_size = 5\n'
        '[[grid]]\nprotocol = "SHE"\ndomain_size = 4_294_967_295\n'
    )
    done = run("sweep", str(tmp_path / "grid.toml"), "--out", str(tmp_path), "--workers", "1")
    assert done.returncode == 2
    assert "1 violation in 1 audit" in done.stdout
    assert "a cell failed" in done.stderr


def test_reproduce_follows_the_rule(tmp_path: Path) -> None:
    """Figure 5 is about LHO, which claims nothing; figure 7 audits promises."""
    setting = ("--quick", "--trials", "1e2", "--workers", "1")
    done = run("reproduce", "figure-5", *setting, "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "figure-5: 25 audits without a claim, so that none could be broken\n" in done.stdout


def test_those_that_are_not_named_claim_what_they_can() -> None:
    done = run("compare", *flags({"epsilon": 0.2, "domain_size": 5, "trials": "5e4"}), "--json")
    told = json.loads(done.stdout)
    by_name = {result["mechanism"]: result for result in told["results"]}
    assert by_name["LHO"]["epsilon"] == "inf"
    assert (done.returncode, told["violations"], told["audits"]) == (0, 0, len(by_name) - 1)
    named = compare([*by_name], epsilon=0.2, domain_size=5, trials=50_000)
    assert named.violations.violations == 1
    assert {
        r.mechanism: r.counts.true_positives for r in named.results if r.mechanism != "LHO"
    } == {name: r["true_positives"] for name, r in by_name.items() if name != "LHO"}


def test_compare_says_what_it_did_with_LHO(tmp_path: Path) -> None:  # noqa: N802
    setting = flags({"epsilon": 0.2, "domain_size": 5, "trials": "5e4"})
    figure = ("--figure", str(tmp_path / "bars.png"))
    done = run("compare", *setting, *figure)
    assert "no claim" in next(line for line in done.stdout.splitlines() if " LHO " in line)
    assert "LHO promises nothing; name it to test the claim on it\n" in done.stdout
    assert "no violation found in 14 audits and 1 more without a claim\n" in done.stdout
    named = run("compare", "LHO", "GRR", *setting, *figure)
    assert named.returncode == 1
    assert (
        "1 violation in 2 audits (LHO 1); if every claim were true, chance alone would"
        in named.stdout
    )


def test_several_numbers_of_reports_have_one_answer() -> None:
    setting: Settings = {"epsilon": 0.5, "domain_size": 5, "trials": 5000}
    expected = [of_result(result) for result in audit_over_time("SUE", [2, 9], **setting)]
    done = run("audit", "SUE", *flags(setting), "--reports", "2,9e0", "--json")
    assert [of_plain(result) for result in json.loads(done.stdout)["results"]] == expected
    done = run("compare", "SUE", *flags(setting), "--reports", "9,2", "--json")
    assert [of_plain(result) for result in json.loads(done.stdout)["results"]] == expected
    of_grid = Cell.of(protocol="SUE", reports=[2, 9], **setting).run(ThreadEngine(1))
    assert [of_result(result) for result in of_grid] == expected


def test_one_number_of_reports_of_a_profile() -> None:
    setting = (
        "profile",
        "OUE",
        "--epsilon",
        "0.5",
        "--domain-size",
        "9",
        "--points",
        "3",
        "--json",
    )
    one = json.loads(run(*setting).stdout)
    assert json.loads(run(*setting, "--reports", "1").stdout) == one
    many = json.loads(run(*setting, "--reports", "10").stdout)
    assert many[-1]["epsilon"] == pytest.approx(10 * one[-1]["epsilon"])
    assert many[0]["delta"] > 2 * one[0]["delta"]


WHOLE = [
    ("audit", "LHO", "--epsilon", "1", "--domain-size", "{10}", "--hash-range", "{4}"),
    ("audit", "GRR", "--epsilon", "1", "--domain-size", "{10}", "--reports", "{10}"),
    ("audit", "GRR", "--epsilon", "1", "--domain-size", "{10}", "--pair", "{3},{4}"),
    ("compare", "SPL[GRR]", "--epsilon", "1", "--domain-size", "{10}", "--attributes", "{2}"),
    ("audit", "SPL[GRR]", "--epsilon", "1", "--domain-sizes", "{10},{20}", "--attribute", "{1}"),
    ("explain", "GRR", "--epsilon", "1", "--domain-size", "{10}", "--reports", "{2}"),
]


@pytest.mark.parametrize("words", WHOLE, ids=lambda words: " ".join(words[:2]))
def test_whole_numbers_are_written_in_any_way(words: tuple[str, ...]) -> None:
    more = ("--trials", "{2000}", "--seed", "{30}", "--workers", "{2}", "--json")
    plain, scientific = (
        [word.replace("{", "").replace("}", end) for word in (*words, *more)] for end in ("", "e0")
    )
    expected, told = (json.loads(run(*line).stdout) for line in (plain, scientific))
    for plain_values in (expected, told):
        for result in plain_values.get("results", [plain_values]):
            del result["seconds"]
    assert told == expected


def test_whole_floats_are_whole_numbers_in_python() -> None:
    expected = audit("LHO", domain_size=10, hash_range=4, trials=2000, seed=3, workers=1).counts
    given: Settings = {"domain_size": 1e1, "hash_range": 4.0, "trials": 2e3, "seed": 3.0}
    one: Settings = {"workers": 1.0}
    assert audit("LHO", **given, **one).counts == expected
    assert Cell.of(protocol="LHO", **given).run(ThreadEngine(1))[0].counts == expected
