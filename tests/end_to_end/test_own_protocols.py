"""Protocols from outside the package: files in the working directory and installed packages."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.end_to_end.command import run, run_fresh
from tests.protocols import EXAMPLES

SETTING = ("--epsilon", "1", "--domain-size", "8", "--trials", "2e4", "--json")

BROKEN = """
from ldp_auditor.mechanisms import FrequencyOracle
class Half(FrequencyOracle):
    pass
class Bare:
    def __init__(self, size): pass
class Unkept:
    def __init__(self, epsilon, domain_size, noise: float = 1.0): self.domain_size = domain_size
    def privatize(self, value, n, rng): return [value] * n
class Untyped(Unkept):
    def __init__(self, epsilon, domain_size, noise=1.0): pass
class Raises(Unkept):
    def __init__(self, epsilon, domain_size): raise KeyError("no")
class Quits(FrequencyOracle):
    name = summary = "Quits"
    def privatize(self, value, n, rng): raise SystemExit(0)
    def guess(self, reports, rng): return reports
def function(value): return value
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(EXAMPLES / "hadamard_response.py", tmp_path / "my_file.py")
    (tmp_path / "broken.py").write_text(BROKEN)
    (tmp_path / "script.py").write_text("raise SystemExit(0)")
    return tmp_path


def test_every_engine_and_name_counts_the_same(folder: Path) -> None:
    """Fresh interpreters find the file; its name in a folder is part of the seed, as any name."""
    results = [
        json.loads(run_fresh("audit", "my_file:HR", *SETTING, *engine, cwd=folder).stdout)
        for engine in ((), ("--engine", "processes", "--workers", "2"))
    ]
    assert {result["mechanism"] for result in results} == {"my_file:HR"}
    assert len({result["true_positives"] for result in results}) == 1
    assert results[0]["worst_case_epsilon"] == pytest.approx(1)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("missing:HR", "cannot import 'missing': ModuleNotFoundError: No module named 'missing'"),
        ("my_file:Nothing", "my_file has no 'Nothing'"),
        ("my_file:", "a protocol of your own is written my_file:HR"),
        ("broken:function", "broken:function must be a class, got a function; check is for"),
        ("broken:Half", "broken:Half lacks guess, privatize; see docs/how-to/add-a-protocol.md"),
        ("broken:Bare", "broken:Bare lacks privatize, epsilon, domain_size; see docs/"),
        ("broken:Unkept", "a mechanism needs claim"),
        ("broken:Untyped", "must be annotated as int, float or str: noise"),
        ("script:HR", "cannot import 'script': it ends the program (SystemExit: 0); put what"),
        ("broken:Quits", "broken:Quits raised SystemExit: 0 with value 0"),
        ("broken:Raises", "broken:Raises cannot be made: KeyError: 'no'"),
        ("SPL[broken:Unkept]", "that takes a class that derives from FrequencyOracle"),
        ("pure-ldp:XYZ", "pure-ldp has no mechanism 'XYZ'"),
    ],
)
def test_what_is_wrong_is_one_line(folder: Path, name: str, sentence: str) -> None:
    done = run("audit", name, *SETTING, cwd=folder)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_traceback_is_shown_on_demand(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for value, shown in (("1", True), ("0", False), ("", False)):
        monkeypatch.setenv("LDP_AUDITOR_DEBUG", value)
        done = run("audit", "broken:Raises", *SETTING, cwd=folder)
        assert done.returncode == 2
        assert ("Traceback" in done.stderr and 'raise KeyError("no")' in done.stderr) == shown
        assert done.stderr.splitlines()[-1].startswith("ldp-auditor: broken:Raises cannot be made")


def test_an_installed_package_offers_a_protocol_by_its_name(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A package is what its metadata say, beside its modules on the path."""
    (folder / "my_package-1.2.dist-info").mkdir()
    (folder / "my_package-1.2.dist-info" / "METADATA").write_text(
        "Name: my-package\nVersion: 1.2\n"
    )
    (folder / "my_package-1.2.dist-info" / "entry_points.txt").write_text(
        "[ldp_auditor.protocols]\nMyHR = my_file:HR\nLost = nowhere:HR\nGRR = my_file:HR\n"
    )
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.setenv("PYTHONPATH", str(folder))
    done = run_fresh("list", cwd=elsewhere)
    assert "Hadamard response, from my-package 1.2" in done.stdout
    assert "Lost of my-package 1.2 cannot be imported: ModuleNotFoundError" in done.stderr
    assert "GRR of my_file:HR is not offered: name taken" in done.stderr
    audited = run_fresh("audit", "MyHR", *SETTING, cwd=elsewhere)
    assert json.loads(audited.stdout)["mechanism"] == "MyHR"
    monkeypatch.delenv("PYTHONPATH")
    assert run_fresh("audit", "MyHR", *SETTING, cwd=elsewhere).returncode == 2


def test_a_page_imports_nothing_that_its_folder_names(folder: Path) -> None:
    results = ("--out", "results")
    assert run("audit", "my_file:HR", *SETTING, *results, cwd=folder).returncode == 0
    (folder / "my_file.py").write_text("open('imported', 'w')")
    assert run("report", "results", "--out", "page.html", cwd=folder).returncode == 0
    assert "my_file:HR" in (folder / "page.html").read_text()
    assert not (folder / "imported").exists()
