"""Grids and the keys of their cells."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ldp_auditor import mechanisms
from ldp_auditor.errors import AuditError
from ldp_auditor.results.journal import digest
from ldp_auditor.sweeps import Grid
from ldp_auditor.sweeps.cells import Cell
from ldp_auditor.sweeps.grid import MOST_CELLS

TOP = 'protocol = "GRR"\nepsilon = 1\n# the third line\ndomain_size = 5\n'
"""Four lines to which a mistake is added."""


def read(tmp_path: Path, text: str | bytes) -> Grid:
    path = tmp_path / "grid.toml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return Grid.read(path)


def refusal(tmp_path: Path, text: str | bytes) -> str:
    """What is said about a grid, without the path."""
    with pytest.raises(AuditError) as caught:
        read(tmp_path, text)
    return str(caught.value).removeprefix(f"{tmp_path / 'grid.toml'}, ")


def test_lists_are_axes_and_blocks_share_the_top(tmp_path: Path) -> None:
    grid = read(
        tmp_path,
        "trials = 1000\nepsilon = [0.5, 1]\ndomain_size = 5\n"
        '[[grid]]\nprotocol = ["GRR", "OUE"]\n'
        '[[grid]]\nprotocol = "SUE"\nepsilon = 3\nseed = [1, 2, 3]\n'
        '[[grid]]\nprotocol = "GRR"\nepsilon = 1.0\n',  # is there already
    )
    told = [(c.plan["mechanism"], c.plan["epsilon"], c.plan["seed"]) for c in grid.cells]
    assert told == [
        *[("GRR", 0.5, 42), ("OUE", 0.5, 42), ("GRR", 1.0, 42), ("OUE", 1.0, 42)],
        *[("SUE", 3.0, 1), ("SUE", 3.0, 2), ("SUE", 3.0, 3)],
    ]
    assert all(cell.plan["trials"] == 1000 for cell in grid.cells)


def test_numbers_of_reports_are_one_cell_and_lists_of_them_an_axis(tmp_path: Path) -> None:
    one = read(tmp_path, TOP + "reports = [10, 1, 5]")
    assert [cell.plan["reports"] for cell in one.cells] == [[1, 5, 10]]
    several = read(tmp_path, TOP + "reports = [[2], [2, 3]]\npair = [[0, 1], [3, 2]]")
    looks = [(cell.plan["reports"], cell.plan["pair"]) for cell in several.cells]
    assert looks == [([2], [0, 1]), ([2], [3, 2]), ([2, 3], [0, 1]), ([2, 3], [3, 2])]
    assert (several.cells[0].results, several.cells[2].results) == (1, 2)


def test_python_may_give_any_numbers() -> None:
    plain = Grid.of(protocol="GRR", epsilon=[0.5, 1.0], domain_size=5, seed=[0, 1])
    arrays = Grid.of(protocol="GRR", epsilon=np.array([0.5, 1]), domain_size=5, seed=range(2))
    assert [cell.key for cell in arrays.cells] == [cell.key for cell in plain.cells]
    assert Grid.of(protocol="GRR", epsilon=np.float64(1), domain_size=np.int64(5)).cells
    assert Grid.of(protocol="GRR", epsilon=1, domain_size=5, delta=None, pair=None).cells
    with pytest.raises(AuditError, match="a cell needs a protocol"):
        Grid.of(epsilon=1, domain_size=5)


@pytest.mark.parametrize(
    ("added", "line", "reason"),
    [
        ("seed 3", 5, "not TOML: Expected '='"),
        ("seed = [1,\n2\n", 6, "not TOML: Unclosed array"),
        ("epsilon = 2\nseed = 3", 5, "not TOML: Cannot overwrite a value"),
        ("epsilon = 2", 5, "not TOML: Cannot overwrite a value"),
        ("seed = 1" + "0" * 5000, 5, "not TOML: Exceeds the limit"),
        ("trails = 3", 5, "no such setting: trails; did you mean trials?"),
        ("domain-size = 3", 5, "no such setting: domain-size; did you mean domain_size?"),
        ("\n'xyz' = 3", 6, "no such setting: xyz; known are: alpha, attack,"),
        ('"my key" = 3', 5, "no such setting: my key"),
        ("xyz.seed = 3", 5, "no such setting: xyz"),
        ("\n[ xyz ]\nseed = 3", 6, "no such setting: xyz"),
        ("[[xyz]]\nseed = 3", 5, "no such setting: xyz"),
        ("[[grid]]\nseed = 3\n[grid.xyz]\nseed = 4", 7, "no such setting: xyz"),
        ("[[grid]]\nseed = 3\n[[grid]]\ntrails = 4", 8, "no such setting: trails"),
        ("seed = 1\n[grid]\ntrials = 4", 6, "write every block of the grid as [[grid]]"),
        ("\ngrid = [{seed = 1}]", 6, "write every block of the grid as [[grid]]"),
        ("grid = 3", 5, "write every block of the grid as [[grid]]"),
        ("grid = []", 5, "write every block of the grid as [[grid]]"),
        ("seed = []", 5, "seed is an empty list"),
        ("reports = []", 5, "reports is an empty list"),
        ('seed = "3"', 5, "seed must be a number, got seed='3'"),
        ("seed = [1, true]", 5, "seed must be a number, got seed=True"),
        ("trials = true", 5, "trials must be a number, got trials=True"),
        ("reports = [1, true]", 5, "reports must be a list of numbers, got reports=[1, True]"),
        ("seed = {a = {b = 1}}", 5, "seed must be a number, got seed={'a': {'b': 1}}"),
        ("[seed]\na = 1", 5, "seed must be a number, got seed={'a': 1}"),
        ("seed = [[1, 2], [3]]", 5, "seed must be a number, got seed=[1, 2]"),
        ("seed = 1979-05-27", 5, "seed must be a number, got seed=datetime.date"),
        ("attack = 3", 5, "attack must be a name, got attack=3"),
        ('attack = ["paper", ["optimal"]]', 5, "attack must be a name, got attack=['optimal']"),
        ("pair = 3", 5, "pair must be two values such as 0,1, got 3"),
        ('pair = [0, "1"]', 5, "an input must be a whole number, got '1'"),
        ("pair = [0, 1, 2]", 5, "pair must be two values such as 0,1, got (0, 1, 2)"),
        ("pair = [0, 5]", 5, "an input must lie in 0..4 (domain_size=5), got 5"),
        ("pair = [1, 1]", 5, "the two inputs must differ, got 1 twice"),
        ("seed = nan", 5, "seed must be a whole number, got seed=nan"),
        ("trials = inf", 5, "trials must be a whole number, got trials=inf"),
        ("alpha = nan", 5, "alpha must lie in (0, 1)"),
        ("delta = -inf", 5, "delta must lie in [0, 1), got delta=-inf"),
        ("trials = 0", 5, "trials must be at least 1, got trials=0"),
        ("seed = [1,\n2,\n-3]", 5, "seed must be at least 0, got seed=-3"),
        ("seed = 9223372036854775808", 5, "seed must be at most 9223372036854775807"),
        ("seed = 1e40", 5, "seed must be at most 9223372036854775807"),
        ('attack = "best"', 5, "unknown attack 'best'"),
        ("hash_range = 3", 5, "GRR has no option 'hash_range'"),
        ('composition = "law"', 5, "composition is for many reports"),
        ("reports = [2, 0]", 5, "reports must be at least 1, got reports=0"),
        ("reports = 2\ncomposed_delta = nan", 6, "composed_delta must lie in (0, 1)"),
        ("[[grid]]\nalpha = 0.1\n[[grid]]\nalpha = 0.1\nepsilon = -1", 9, "epsilon must be pos"),
        ('[[grid]]\nseed = 1\n[[grid]]\nprotocol = "GM"\nepsilon = [1, 2]', 9, "GM is defined for"),
        ('[[grid]]\nseed = 1\n[[grid]]\nprotocol = "GRRR"', 8, "unknown protocol 'GRRR'"),
        ('# a = 1\nattack = """\n[[grid]]\nseed = 1"""', 6, "unknown attack"),
    ],
)
def test_a_mistake_is_told_with_its_line(
    added: str, line: int, reason: str, tmp_path: Path
) -> None:
    assert refusal(tmp_path, TOP + added).startswith(f"line {line}: {reason}")
    windows = (TOP + added).replace("\n", "\r\n").encode("utf-8-sig")
    assert refusal(tmp_path, windows).startswith(f"line {line}: {reason}")


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("", 1, "this block names no protocol"),
        ("epsilon = 1\n[[grid]]\nprotocol = 'LHO'\ndomain_size = 5\n[[grid]]", 5, "this block"),
        ("epsilon = 0\n[[grid]]\nprotocol = 'GRR'\ndomain_size = 5", 1, "epsilon must be pos"),
        ("protocol = 3", 1, "protocol must be a name"),
        ("protocol = []", 1, "protocol is an empty list"),
        ("\n\nprotocol = 'GRR'\nepsilon = 1", 1, "GRR needs domain_size"),
        ("protocol = 'GRR'\ndomain_size = 5\nepsilon = true", 3, "epsilon must be a number"),
        ("protocol = 'GRR'\ndomain_size = 5\nepsilon = nan", 3, "epsilon must be positive"),
        ("protocol = 'GRR'\ndomain_size = 5\nepsilon = inf", 3, "epsilon must be finite"),
        ("protocol = 'GRR'\ndomain_size = 5\nepsilon = 1" + "0" * 400, 3, "epsilon must be a num"),
        ("protocol = 'GRR'\ndomain_size = 5\nepsilon = 1" + "_0" * 5000, 3, "not TOML: Exceeds"),
        ("protocol = 'GRR'\nepsilon = 1\ndomain_size = 0x" + "f" * 5000, 3, "domain_size must be"),
        ("# \u2028 \u0085\nprotocol = 'GRR'\ndomain_size = 1\nepsilon = 1", 3, "domain_size must"),
        ("epsilon = 1\nprotocol = 'SPL[GRR]'\ndomain_sizes = 5", 3, "domain_sizes must be a list"),
        ("epsilon = 1\nprotocol = 'SPL[GRR]'\ndomain_sizes = [5, 1]", 3, "a domain size must be"),
        (b"# a comment\nprotocol = '\xff'", 2, "not UTF-8 text: invalid start byte"),
        (b"protocol = 'GRR'\x00", 1, "not TOML"),
    ],
)
def test_other_mistakes_have_lines_too(
    text: str | bytes, line: int, reason: str, tmp_path: Path
) -> None:
    assert refusal(tmp_path, text).startswith(f"line {line}: {reason}")


def test_a_refused_combination_is_told_whole(tmp_path: Path) -> None:
    text = TOP.replace('"GRR"', '["GRR", "GM"]').replace("epsilon = 1", "epsilon = [0.5, 2]")
    assert refusal(tmp_path, text).endswith("(in the cell protocol=GM, epsilon=2, domain_size=5)")


def test_what_is_no_file_of_text(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.toml", Path("/dev/null/grid.toml")):
        with pytest.raises(AuditError, match=f"cannot read the grid {path}: "):
            Grid.read(path)
    deep = "protocol = " + "[" * 100_000
    assert "nested too deeply" in refusal(tmp_path, deep)


def test_a_grid_too_large_is_refused_before_it_is_made(tmp_path: Path) -> None:
    axis = list(range(1, 1002))
    text = TOP + f"seed = {axis}\ntrials = {axis}"
    assert refusal(tmp_path, text) == "line 1: a grid has at most 1,000,000 cells, got 1,002,001"
    assert len(axis) ** 2 > MOST_CELLS


def test_every_option_of_every_protocol_is_a_setting() -> None:
    for protocol in mechanisms.listed().values():
        assert set(protocol.option_types()) <= set(mechanisms.every_option())
    words = Grid.of(protocol="Gaussian", epsilon=1, calibration=["classic", "analytic"], trials=9)
    assert [cell.plan["options"]["calibration"] for cell in words.cells] == ["classic", "analytic"]


SETTINGS: list[dict[str, Any]] = [
    {"protocol": "GRR", "epsilon": 1, "domain_size": 5},
    {"protocol": "LHO", "domain_size": 9, "hash_range": 4, "attack": "optimal", "seed": 7},
    {"protocol": "RS+FD[GRR]", "epsilon": 0.1, "domain_sizes": [3, 4], "neighbours": "all"},
    {"protocol": "OUE", "epsilon": 2, "domain_size": 5, "reports": [1, 9], "trials": 1e4},
    {"protocol": "L-GRR", "epsilon_1": 1, "epsilon_infinity": 2, "domain_size": 5},
]


def test_keys_are_the_same_in_other_orders() -> None:
    keys = [Cell.of(**settings).key for settings in SETTINGS]
    assert len(set(keys)) == len(keys)
    backwards = [Cell.of(**dict(reversed(settings.items()))).key for settings in SETTINGS]
    assert backwards == keys
    assert [pickle.loads(pickle.dumps(Cell.of(**settings))).key for settings in SETTINGS] == keys
    # Written down, so that a journal of today is understood tomorrow.
    assert keys[0] == "1adf7cb6497a08d0fd441981"
    assert keys[3] == "a4bb2123e662b819fc160d7e"


def test_keys_tell_what_decides_the_outcome_and_nothing_else() -> None:
    base = {"protocol": "GRR", "epsilon": 1, "domain_size": 5}
    key = Cell.of(**base).key
    same = {"epsilon": 1.0, "domain_size": 5.0, "pair": [0, 1], "seed": 42, "trials": 1e6}
    same |= {"reports": 1, "attack": "paper", "bound": "clopper-pearson", "alpha": 0.01, "delta": 0}
    for name, value in same.items():
        assert Cell.of(**{**base, name: value}).key == key, name
    other = {"epsilon": 1.0000001, "domain_size": 6, "pair": [1, 0], "seed": 43, "trials": 999}
    other |= {"reports": 2, "attack": "optimal", "bound": "jeffreys", "alpha": 0.02, "delta": 1e-9}
    keys = {Cell.of(**{**base, name: value}).key for name, value in other.items()}
    assert len(keys | {key}) == len(other) + 1
    assert digest({"a": 1, "b": (2, 3)}) == digest({"b": [2, 3], "a": 1})


def test_a_pair_of_vectors_as_two_lists_is_told_how_it_is_written() -> None:
    settings: dict[str, Any] = {"protocol": "Duchi-l2", "epsilon": 1, "dimension": 2}
    with pytest.raises(AuditError, match=r'two pairs, write one pair of lists as "\[1,0\]:'):
        Grid.of(**settings, pair=[[1, 0], [0, 1]])
    (cell,) = Grid.of(**settings, pair="[1,0]:[0,1]").cells
    assert cell.key == Grid.of(**settings, pair=[[[1, 0], [0, 1]]]).cells[0].key
    with pytest.raises(AuditError) as caught:
        Grid.of(**settings, pair="[1,0]:[0,2]")
    assert "two pairs" not in str(caught.value)
    numbers: dict[str, Any] = {"protocol": "PM", "epsilon": 1}
    with pytest.raises(AuditError, match=r"one pair of words, .* lists, \[\[-1,1\],\[0,1\]\] \(in"):
        Grid.of(**numbers, pair=["-1,1", "0:1"])
    assert len(Grid.of(**numbers, pair=[[-1, 1], [0, 1]]).cells) == 2
    assert len(Grid.of(protocol="CMS", epsilon=1, domain_size=9, pair=["a", "b"]).cells) == 1
