"""The same mistake made in several ways: Python, the commands, grids. All say the same line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ldp_auditor import AuditError, Grid, audit, compare
from ldp_auditor.sweeps.grid import CellError
from tests.end_to_end.command import run
from tests.end_to_end.test_one_answer import Settings, flags

BAD: list[Settings] = [
    {"domain_size": 1},
    {"domain_size": 1.5},
    {"domain_size": "many"},
    {"domain_size": 2**40},
    {"epsilon": 0},
    {"epsilon": -1},
    {"epsilon": "nan"},
    {"epsilon": "snan"},
    {"epsilon": "inf"},
    {"epsilon": 1e-9},
    {"epsilon": "one"},
    {"delta": 1},
    {"delta": -0.1},
    {"delta": "small"},
    {"alpha": 0},
    {"alpha": 1},
    {"alpha": "nan"},
    {"trials": 0},
    {"trials": 1.5},
    {"trials": "1e17"},
    {"trials": "none"},
    {"seed": -1},
    {"seed": 2**70},
    {"seed": 1.5},
    {"attack": "strong"},
    {"bound": "tight"},
    {"pair": [1, 1]},
    {"pair": [0, 5]},
    {"reports": 0},
    {"reports": 10**6},
    {"composition": "law"},
    {"composed_delta": 0.1},
    {"reports": 3, "composition": "guess"},
    {"neighbours": "one"},
    {"workers": 0},
    {"workers": 5000},
    {"workers": 1.5},
]
OF_PROFILE = {"domain_size", "epsilon", "delta", "pair", "reports", "neighbours"}


def line_of(*words: str) -> str:
    """The only line of a command that refuses."""
    done = run(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("ldp-auditor: ")
    assert done.stderr.count("\n") == 1
    return done.stderr.removeprefix("ldp-auditor: ").rstrip("\n")


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: " ".join(map(str, bad.items())))
def test_one_mistake_has_one_message(bad: Settings, tmp_path: Path) -> None:
    given: Settings = {"epsilon": 1, "domain_size": 5, "trials": 100, **bad}
    settings: Settings = {  # what the command line makes of words
        name: float(value)
        if name in {"epsilon", "trials", "alpha"} and _is_number(value)
        else value
        for name, value in given.items()
    }
    with pytest.raises(AuditError) as refused:
        audit("GRR", **settings)
    message = str(refused.value)
    assert "\n" not in message
    words = flags(given)
    assert line_of("audit", "GRR", *words) == message
    assert line_of("compare", "GRR", *words, "--json") == message
    with pytest.raises(AuditError) as compared:
        compare(["GRR"], **settings)
    assert str(compared.value) == message
    if "attack" not in bad:
        assert line_of("explain", "GRR", *words, "--json") == message
    if set(bad) <= OF_PROFILE:
        without = flags({name: value for name, value in given.items() if name != "trials"})
        assert line_of("profile", "GRR", *without, "--json") == message
    if "workers" in bad:
        grid = tmp_path / "grid.toml"
        grid.write_text('protocol = "GRR"\nepsilon = 1\ndomain_size = 5\ntrials = 10\n')
        ask = ("--workers", str(bad["workers"]), "--out", str(tmp_path / "out"))
        assert line_of("sweep", str(grid), *ask) == message
        assert line_of("reproduce", "figure-1", "--quick", *ask) == message
    else:
        with pytest.raises(CellError) as in_grid:
            Grid.of(protocol="GRR", **settings)
        assert _same(in_grid.value.reason, message, bad)


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True


def _same(reason: str, message: str, bad: Settings) -> bool:
    """A grid has types of its own: a word in the place of a number is refused as such."""
    if any(isinstance(value, str) and not _is_number(value) for value in bad.values()):
        return reason in (message, message.replace("a whole number", "a number"))
    return reason == message


HERE = "tests.end_to_end.foreign_targets:grr"
OF_CHECK = {"epsilon", "delta", "alpha", "seed", "workers", "domain_size"}


@pytest.mark.parametrize(
    "bad",
    [
        bad
        for bad in BAD
        if set(bad) <= OF_CHECK
        and bad not in ({"epsilon": "inf"}, {"epsilon": 1e-9}, {"domain_size": 2**40})
    ],
    ids=lambda bad: " ".join(map(str, bad.items())),
)
def test_a_check_refuses_in_the_same_words(bad: Settings) -> None:
    given = {"epsilon": 1, "domain_size": 5, **bad}
    message = line_of("audit", "GRR", *flags(given), "--trials", "100")
    assert line_of("check", HERE, *flags(given)) == message


@pytest.mark.parametrize("command", ["audit", "compare", "explain", "profile"])
@pytest.mark.parametrize("name", ["FOO", "pure-ldp:XYZ", "pure-ldp:OUE", "nobody:OUE"])
def test_unknown_names_are_refused_in_the_same_words(command: str, name: str) -> None:
    with pytest.raises(AuditError) as refused:
        audit(name, epsilon=1, domain_size=5)
    assert line_of(command, name, "--epsilon", "1", "--domain-size", "5") == str(refused.value)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("compare", "--domain-size", "5"), "a comparison needs a claim: epsilon, or"),
        (("compare", "GRR", "--domain-size", "5"), "GRR needs epsilon"),
        (("compare", "PM", "--epsilon", "1", "--domain-size", "5"), "has a domain_size; drop it"),
        (("compare", "--epsilon-1", "1", "--domain-size", "5"), "need epsilon_infinity beside"),
        (("compare", "GRR", "--epsilon", "1", "--epsilon-infinity", "2"), "has the option"),
        (("compare", "L-SUE", "--epsilon", "1", "--epsilon-1", "1"), "mean the same"),
        (("compare", "GRR", "--hash-range", "4"), "no such option: --hash-range"),
        (
            ("compare", "GRR", "--epsilon", "1", "--domain-size", "5", "--precision", "0.1"),
            "precision is for trials that end by a rule",
        ),
        (("profile", "GRR", "--precision", "4"), "(it is an option of audit, compare, explain)"),
        (("explain", "GRR", "--attack", "paper"), "(it is an option of audit, compare, explore)"),
        (("explain", "OUE", "--epsilon", "1", "--domain-size", "5", "--reports", "2,3"), "one num"),
        (("profile", "OUE", "--trials", "1e4"), "(it is an option of audit, compare, explain"),
        (
            ("profile", "SHE", "--epsilon", "1", "--domain-size", "5", "--points", "1"),
            "points must",
        ),
        (("sweep", "grid.toml", "--trials", "3"), "for a sweep: write trials into the grid"),
        (("reproduce", "figure-1", "--seeds", "0"), "seeds must be at least 1, got seeds=0"),
        (("explain", "LHO", "--epsilon", "1", "--domain-size", "5"), "audit measures it"),
        (
            ("check", HERE, "--epsilon", "1", "--domain-size", "4", "--hashes", "3"),
            "no such option",
        ),
        (("check", HERE, "--epsilon", "1", "--domain-size", "1e99"), "must be at most 10000000"),
        (("check", "--recorded", "x.csv", "--epsilon", "1", "--hashes", "3"), "no such option"),
        (("check", "--recorded", "x.csv", "--epsilon", "1", "--values", "0,1"), "need no --values"),
        (("check", "--recorded", "x.csv", "--epsilon", "1", "--trials", "9"), "need no --trials"),
        (("check", "--command", "cat", "--epsilon", "1", "--batch"), "needs no --batch; drop it"),
        (("audit", "./mine.py:Own", "--epsilon", "1"), "it is a file; name the module, mine,"),
        (("explore", "--over", "joy", "--json"), "over must be one of epsilon, domain_size"),
    ],
)
def test_what_a_command_lacks_is_refused_with_the_way(words: tuple[str, ...], message: str) -> None:
    assert message in line_of(*words)


def test_a_named_protocol_that_cannot_take_part_is_bad_input() -> None:
    """As in `audit`; the others are shown."""
    done = run(
        "compare", "GM", "GRR", *flags({"epsilon": 2, "domain_size": 5, "trials": 100}), "--json"
    )
    assert done.returncode == 2
    assert [result["mechanism"] for result in json.loads(done.stdout)["results"]] == ["GRR"]
    assert done.stderr.startswith("ldp-auditor: GM: GM is defined for epsilon <= 1 only")
