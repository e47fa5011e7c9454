"""What a terminal shows, what a pipe gets, and what happens when nobody takes the output."""

from __future__ import annotations

import io
import re
import subprocess
from pathlib import Path

import pytest
from rich.console import Console
from rich.progress import Progress

from ldp_auditor.report.progress import columns_for
from tests.end_to_end.command import EXECUTABLE, run, run_on_terminal

RED = "\x1b[31m"
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")

BROKEN = (
    *("compare", "RS+FD[GRR]", "--epsilon", "1", "--domain-size", "5", "--attributes", "3"),
    *("--attack", "both", "--trials", "1e4", "--figure"),
)
"""The optimal attack proves a violation by far; the paper's attack does not."""


def plain(shown: str) -> list[str]:
    """The lines that stay on the terminal, without colours and without the progress bar."""
    return [ESCAPE.sub("", line.rsplit("\r", 1)[-1]).rstrip() for line in shown.splitlines()]


@pytest.mark.parametrize("columns", [40, 80])
def test_a_narrow_terminal_shows_the_violation_in_red(columns: int, tmp_path: Path) -> None:
    shown, code = run_on_terminal(*BROKEN, str(tmp_path / "a.png"), columns=columns)
    assert code == 1
    assert shown.count(f"{RED}VIOLATION") == shown.count(RED) == 1
    lines = plain(shown.replace(str(tmp_path), ""))
    assert max(map(len, lines)) <= columns
    assert sum(line.endswith(" VIOLATION") for line in lines) == 1
    assert sum(line.endswith(" none found") for line in lines) == 1
    assert any(line.startswith("Left out for want of room: ") for line in lines)


@pytest.mark.parametrize("columns", [40, 60, 80, 99, 200])
def test_progress_stays_on_one_line(columns: int) -> None:
    """A longer line would go on below, and be drawn anew there on every change."""
    console = Console(width=columns, file=io.StringIO(), force_terminal=True)
    progress = Progress(*columns_for(columns, "reports"), console=console)
    task = progress.add_task("figure-12: 397 of 900 cells", total=2, completed=1)
    progress.tasks[task].finished_speed = 1.86e6
    lines = console.render_lines(progress.get_renderable())
    assert len(lines) == 1
    words = "".join(segment.text for segment in lines[0])
    assert "397 of 900 cells" in words
    assert "50%" in words
    assert "-:--:--" in words or "0:00:" in words  # the time that is left, however narrow
    assert ("1.86 million reports/s" in words) is (columns >= 80)


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_colour_where_none_is_wanted(variables: dict[str, str], tmp_path: Path) -> None:
    figure = str(tmp_path / "a.png")
    shown, code = run_on_terminal(*BROKEN, figure, columns=40, variables=variables)
    assert code == 1
    assert "VIOLATION" in shown
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]", shown)
    assert max(map(len, plain(shown.replace(str(tmp_path), "")))) <= 40


def test_a_pipe_gets_no_colour_and_full_width(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "40")
    done = run(*BROKEN, str(tmp_path / "a.png"))
    assert done.returncode == 1
    assert "\x1b" not in done.stdout
    headings = "name claim proven share T = inf worst TPR FPR violation"
    assert headings.split() in [line.split() for line in done.stdout.splitlines()]


def test_the_evidence_of_a_check_is_red_and_its_command_whole(tmp_path: Path) -> None:
    (tmp_path / "nowhere_else.py").write_text("def tell(value):\n    return value\n")
    command = "check nowhere_else:tell --epsilon 1 --values 0,1 --trials 1e4 --no-learn"
    variables = {"PYTHONPATH": str(tmp_path)}
    shown, code = run_on_terminal(*command.split(), columns=40, variables=variables)
    assert code == 1
    lines = plain(shown)
    assert f"to repeat: ldp-auditor {command} --seed 42" in lines
    assert max(len(line) for line in lines if not line.startswith("to repeat")) <= 40
    assert f"{RED}VIOLATION: " in shown


def test_a_number_stays_with_its_unit(tmp_path: Path) -> None:
    command = "choose GRR --domain-size 5 --users 100 --max-epsilon 1 --measure --figure"
    shown, code = run_on_terminal(*command.split(), str(tmp_path / "a.png"), columns=60)
    assert code == 0
    (row,) = (line for line in plain(shown) if "µs" in line)
    assert len(re.findall(r"[0-9]µs ", row)) == 2


def test_errors_are_cut_at_words() -> None:
    shown, code = run_on_terminal("audit", "OUEE", columns=40)
    assert code == 2
    assert max(map(len, shown.splitlines())) <= 40
    assert " ".join(shown.split()) + "\n" == run("audit", "OUEE").stderr


def through(pipe: str, *arguments: str) -> tuple[int, str, str]:
    """Run the command in a pipe of bash; its own exit code, and what the two of them print."""
    quoted = " ".join(f"'{argument}'" for argument in (str(EXECUTABLE), *arguments))
    done = subprocess.run(
        f"{quoted} {pipe}; exit ${{PIPESTATUS[0]}}",
        shell=True,
        executable="/bin/bash",
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


GRR = ("--epsilon", "1", "--domain-size", "5", "--trials", "10")


@pytest.mark.parametrize(
    "arguments",
    [("list",), ("list", "--json"), ("audit", "GRR", *GRR), ("audit", "--help"), ("--help",), ()],
)
def test_a_closed_pipe_is_quiet(arguments: tuple[str, ...]) -> None:
    assert through("| true", *arguments) == (0, "", "")


def test_a_closed_pipe_does_not_change_the_verdict(tmp_path: Path) -> None:
    assert through("2>&1 | true", *BROKEN, str(tmp_path / "a.png")) == (1, "", "")
    assert (tmp_path / "a.png").exists()


def test_the_head_of_a_long_output() -> None:
    assert through("| head -1", "list") == (0, "Protocols\n", "")


def test_closed_standard_output_and_error_are_no_failure() -> None:
    assert through(">&-", "audit", "GRR", *GRR) == (0, "", "")
    code, said, _ = through("2>&-", "audit", "GRR", *GRR)
    assert code == 0
    assert "no violation found" in said


@pytest.mark.parametrize("arguments", [("list",), ("audit", "GRR", *GRR)])
def test_a_full_disk_is_one_line_and_no_violation(arguments: tuple[str, ...]) -> None:
    code, _, said = through(">/dev/full", *arguments)
    assert code == 2
    assert said == "ldp-auditor: cannot write the output: [Errno 28] No space left on device\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ("compare", "GRR", "OUE", *GRR),
        ("simulate", "GRR", *GRR[:4], "--users", "100"),
    ],
)
def test_quiet_is_the_result_alone(arguments: tuple[str, ...], tmp_path: Path) -> None:
    done = run(*arguments, "--figure", str(tmp_path / "a.png"), "--quiet")
    assert done.stderr == ""
    assert done.stdout == run(*arguments, "--figure", str(tmp_path / "a.png")).stdout


def test_a_quiet_command_shows_no_bar() -> None:
    moved = "\r\x1b[2K"  # a bar erases its line
    assert moved in run_on_terminal("audit", "GRR", *GRR, columns=80)[0]
    assert moved not in run_on_terminal("audit", "GRR", *GRR, "--quiet", columns=80)[0]


def test_verbose_tells_every_step_where_there_is_no_terminal() -> None:
    done = run("compare", "GRR", "OUE", *GRR, "--json", "--verbose")
    steps = [re.sub(r"^[0-9.]+ s: ", "", line) for line in done.stderr.splitlines()]
    assert steps[:3] == ["comparing", "GRR", "OUE"]
    assert re.fullmatch(r"40 reports, [0-9,.]+( million)? a second", steps[3])
    assert run("compare", "GRR", "OUE", *GRR, "--json").stderr == ""


def test_errors_are_told_to_the_quiet_as_well() -> None:
    assert run("audit", "OUEE", "--quiet").stderr.startswith("ldp-auditor: ")
    done = run("audit", "GRR", *GRR, "--quiet", "--verbose")
    assert (done.returncode, done.stderr) == (
        2,
        "ldp-auditor: choose one of --quiet and --verbose\n",
    )
