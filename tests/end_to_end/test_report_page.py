"""The command `report`."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from ldp_auditor.page.document import page_of
from ldp_auditor.page.folder import read_folder
from tests.end_to_end.command import EXECUTABLE, run
from tests.pages import audited, swept, write


def refused(*arguments: str) -> str:
    """Run the command, which must end with one clear line; return it."""
    done = run("report", *arguments)
    assert done.returncode == 2, done.stderr
    (line,) = done.stderr.strip().splitlines()
    assert "internal error" not in line
    return line


def test_results_of_every_command_make_a_page(tmp_path: Path) -> None:
    results = tmp_path / "results"
    common = ("--domain-size", "5", "--trials", "2000", "--out", str(results))
    assert run("audit", "OUE", "--epsilon", "1", *common).returncode == 0
    figure = ("--figure", str(tmp_path / "figure.png"), "--attack", "both")
    assert run("compare", "GRR", "SS", "--epsilon", "2", *common, *figure).returncode == 0
    assert run("audit", "LHO", *common).returncode == 0  # without a claim
    grid = tmp_path / "grid.toml"
    grid.write_text(
        'trials = 2000\n[[grid]]\nprotocol = "GM"\nepsilon = [0.5, 1]\ndomain_size = 5\n'
        "reports = [1, 5, 10]\n"
    )
    assert run("sweep", str(grid), "--out", str(results), "--workers", "1").returncode == 0
    done = run("report", str(results), "--out", str(tmp_path / "report.html"))
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "report.html").read_text()
    # Words as a reader sees them: some stand together so that no line ends between them.
    page = re.sub('<span class="word">(.*?)</span>', r"\1", page).replace("\xa0", " ")
    assert page.startswith("<!DOCTYPE html>")
    assert "All 4 mechanisms that make a privacy promise keep it." in page
    for words in (
        "OUE",
        "keeps its promise of epsilon = 1",
        "promises nothing",
        "Epsilon over the",
    ):
        assert words in page
    assert f"ldp-auditor report {results} --out {tmp_path / 'report.html'}" in page


def test_a_check_that_is_run_again_takes_the_place_of_the_earlier(tmp_path: Path) -> None:
    results, out = tmp_path / "results", tmp_path / "report.html"
    recorded = tmp_path / "reports.csv"
    check = ("check", "--recorded", str(recorded), "--epsilon", "1", "--out", str(results))
    leaky = [f"{value},{value}" for value in (0, 1)] * 500
    recorded.write_text("\n".join(["value,report", *leaky]) + "\n")
    assert run(*check).returncode == 1
    assert run("report", str(results), "--out", str(out)).returncode == 0
    assert "The mechanism breaks its privacy promise." in out.read_text()
    same = [f"{value},{report}" for value in (0, 1) for report in (0, 1)] * 250
    recorded.write_text("\n".join(["value,report", *same]) + "\n")
    assert run(*check).returncode == 0
    assert run("report", str(results), "--out", str(out)).returncode == 0
    assert "No violation was found in 1 mechanism." in out.read_text()


def test_folders_that_have_no_results(tmp_path: Path) -> None:
    out = str(tmp_path / "report.html")
    assert "is not a folder" in refused(str(tmp_path / "none"), "--out", out)
    (tmp_path / "empty").mkdir()
    assert "has no journal.jsonl" in refused(str(tmp_path / "empty"), "--out", out)
    (tmp_path / "empty" / "journal.jsonl").write_bytes(b"")
    assert "has no finished results" in refused(str(tmp_path / "empty"), "--out", out)
    (tmp_path / "empty" / "journal.jsonl").write_bytes(b"\x00\xff\n{}\n[]\n1e999\n")
    assert "damaged line of the journal (4 times)" in refused(str(tmp_path / "empty"), "--out", out)
    assert not Path(out).exists()


def test_pages_that_cannot_be_written(tmp_path: Path) -> None:
    results = str(write(tmp_path / "results", audited()))
    assert "is not a folder" in refused(results, "--out", str(tmp_path / "none" / "report.html"))
    (tmp_path / "folder.html").mkdir()
    assert "cannot write the page" in refused(results, "--out", str(tmp_path / "folder.html"))
    assert "must end in .html" in refused(results, "--out", f"{results}/journal.jsonl")


def test_a_figure_needs_its_number_and_a_number_its_figure(tmp_path: Path) -> None:
    results, drawn = str(swept(tmp_path / "results")), tmp_path / "f.pdf"
    for words, said in (
        (["--figure", str(drawn)], "give --figure and --of together"),
        (["--of", "1"], "give --figure and --of together"),
        (["--style", "paper"], "give its place with --figure"),
    ):
        done = run("report", results, "--out", str(tmp_path / "r.html"), *words)
        assert done.returncode == 2
        assert said in done.stderr
    done = run("report", results, "--figure", str(drawn), "--of", "1", "--style", "paper")
    assert done.returncode == 0
    assert drawn.read_bytes().startswith(b"%PDF")
    assert not (tmp_path / "r.html").exists()


def test_odd_results_are_left_out_and_told(tmp_path: Path) -> None:
    odd = [
        audited("huge", empirical_epsilon=1e99, epsilon=1e-300, worst_case_epsilon=None),
        audited("infinite", empirical_epsilon="inf", epsilon=1.0, verdict="violation"),
        audited("unknown keys", colour="blue", list_of=[1, [2, "x"]], nothing=None),
        audited("no numbers", epsilon=None),
        audited("wrong", trials="many"),
        audited("larger still", empirical_epsilon=1e308),
        {"surprise": 1},
    ]
    results = write(tmp_path / "results", *odd)
    out = tmp_path / "report.html"
    done = run("report", str(results), "--out", str(out))
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("left out: unreadable result") == 4
    page = out.read_text()
    for name in ("huge", "infinite", "unknown keys"):
        assert f"<bdi>{name}</bdi>" in page
    assert "Not on this page" in page
    assert "<bdi>wrong</bdi>" not in page


def test_a_page_is_replaced_at_once(tmp_path: Path) -> None:
    results = swept(tmp_path / "results")
    out = tmp_path / "report.html"
    out.write_text("old")
    done = run("report", str(results), "--out", str(out), "--title", "Quarterly <review>")
    assert done.returncode == 0, done.stderr
    assert "Quarterly &lt;review&gt;" in out.read_text()
    assert not list(tmp_path.glob("*.new"))


def test_only_pages_import_the_library_of_templates(tmp_path: Path) -> None:
    hide = "import sys; sys.modules['jinja2'] = None; from ldp_auditor.cli import main; main()"
    results = str(tmp_path / "results")
    audit = ["audit", "GRR", "--epsilon", "1", "--domain-size", "5", "--trials", "1000", "--out"]
    for words, works in (
        (["list"], True),
        ([*audit, results], True),
        (["report", results, "--out", str(tmp_path / "r.html")], False),
    ):
        done = subprocess.run(
            [sys.executable, "-c", hide, *words], capture_output=True, text=True, check=False
        )
        assert (done.returncode == 0) == works, done.stderr
        assert works or "jinja2" in done.stderr


@pytest.mark.parametrize("word", ["report", "--help"])
def test_the_command_is_listed(word: str) -> None:
    assert EXECUTABLE.exists()
    assert "report" in run(*((word, "--help") if word == "report" else (word,))).stdout


def test_very_many_results_still_make_a_page(tmp_path: Path) -> None:
    many = (
        audited(f"mechanism {m}", epsilon=e / 50, seed=1, worst_case_epsilon=e / 50,
                empirical_epsilon=e / 99, attack_epsilon=e / 60)
        for m in range(40)
        for e in range(1, 66)
    )  # fmt: skip
    write(tmp_path, *many)
    page = page_of(read_folder(tmp_path), "", ["command"], "r.html")
    assert len(page) < 3_700_000
    assert b"100 more rows" in page
