"""The wheel, installed by somebody who is not root, in places where little can be written."""

from __future__ import annotations

import json
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.command import run_json
from tests.end_to_end.environments import ROOT
from tests.end_to_end.installed import ODD_NAME, Installation, install, kernels_in, seal

AUDIT = ("audit", "GRR", "--epsilon", "1", "--domain-size", "25", "--trials", "10000")
COUNTS = ("true_positives", "false_positives")

LAST_RESORT = "ldp-auditor: neither the package's folder nor a cache folder can be written to"
SLOW = "Matplotlib is building the font cache; this may take a moment."
"""What matplotlib says on a busy machine, where that takes it more than five seconds."""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    return install(tmp_path_factory.mktemp("installed"))


@pytest.fixture
def sealed(installed: Installation) -> Iterator[Installation]:
    """The installation, read-only."""
    seal(installed.environment)
    yield installed
    seal(installed.environment, writable=True)


@pytest.fixture
def nobodys(tmp_path: Path) -> Iterator[Path]:
    """A home that is not there and cannot be made."""
    folder = tmp_path / "sealed"
    folder.mkdir(mode=0o555)
    yield folder / "home"
    folder.chmod(0o755)


def test_the_wheel_has_every_file_of_the_package(installed: Installation) -> None:
    source = ROOT / "src"
    files = {
        path.relative_to(source).as_posix()
        for path in (source / "ldp_auditor").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    with zipfile.ZipFile(installed.wheel) as wheel:
        inside = {name for name in wheel.namelist() if not name.startswith("ldp_auditor-")}
    assert inside == files
    assert {Path(name).suffix for name in files} >= {".py", ".typed", ".css", ".js", ".html"}


def test_commands_work_in_a_folder_of_any_name(installed: Installation, tmp_path: Path) -> None:
    folder = tmp_path / ODD_NAME
    folder.mkdir()
    (folder / "meine_ü.py").write_text(
        "def randomize(value, rng):\n    return value if rng.random() < 0.7 else 1 - value\n",
        encoding="utf-8",
    )
    (folder / "grid ü.toml").write_text(
        'protocol = "GRR"\nepsilon = [0.5, 1]\ndomain_size = 25\ntrials = 1000\n', encoding="utf-8"
    )
    results = "Ergebnisse ü 数据"
    check = ("--epsilon", "1", "--values", "0,1", "--trials", "1000")
    for command in (
        ["list"],
        [*AUDIT, "--out", results],
        ["compare", "GRR", *AUDIT[2:], "--out", results],
        ["check", "meine_ü:randomize", *check, "--workers", "1"],
        ["sweep", "grid ü.toml", "--out", f"{results} 2", "--workers", "1"],
        ["report", results, "--out", "Seite ü.html"],
    ):
        done = installed.run(*command, cwd=folder, HOME=str(tmp_path))
        assert done.returncode == 0, (command, done.stderr)
        assert "ldp-auditor:" not in done.stderr, (command, done.stderr)
    written = {path.name for path in folder.iterdir()}
    assert {"compare.png", results, f"{results} 2", "Seite ü.html"} <= written
    assert kernels_in(installed.packages)
    assert not (tmp_path / ".cache" / "ldp-auditor").exists()


@pytest.mark.parametrize("place", ["asked", "home", "temporary", "nowhere"])
def test_kernels_are_kept_where_there_is_room(
    place: str, sealed: Installation, nobodys: Path, tmp_path: Path
) -> None:
    before = kernels_in(sealed.packages)
    room = tmp_path / "room"
    room.mkdir()
    variables = {"HOME": str(nobodys), "TMPDIR": str(room)}
    if place == "asked":
        variables["NUMBA_CACHE_DIR"] = str(room / "asked")
    elif place == "home":
        variables["HOME"] = str(room)
    done = sealed.run(*AUDIT, "--json", cwd=Path("/"), full=place == "nowhere", **variables)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    said = done.stderr.splitlines()
    if place in {"asked", "home"}:
        assert said == []
    else:
        (line,) = said
        assert line.startswith(LAST_RESORT)
        told = str(room) if place == "temporary" else "compiled for this run only"
        assert told in line
    expected = run_json(*AUDIT)
    assert [result[name] for name in COUNTS] == [expected[name] for name in COUNTS]
    below = {"asked": "asked", "home": ".cache/ldp-auditor"}
    assert bool(kernels_in(room / below.get(place, "."))) == (place != "nowhere")
    assert kernels_in(sealed.packages) == before


def test_kernels_beside_a_read_only_package_are_taken_over(
    installed: Installation, tmp_path: Path
) -> None:
    """An image that was built with one run, say, and then belongs to nobody."""

    def compiled(folder: Path) -> dict[str, int]:
        return {path.name: path.stat().st_mtime_ns for path in folder.rglob("*.nbc")}

    assert installed.run(*AUDIT, cwd=tmp_path, HOME=str(tmp_path)).returncode == 0
    seal(installed.environment)
    try:
        done = installed.run(*AUDIT, cwd=tmp_path, HOME=str(tmp_path))
    finally:
        seal(installed.environment, writable=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert compiled(tmp_path) == compiled(installed.packages) != {}


def test_complaints_without_a_home_and_with_one(
    sealed: Installation, nobodys: Path, tmp_path: Path
) -> None:
    """Figures and worker processes included; matplotlib would complain of its own folder.

    Of a cache folder that was asked for in vain there is a line.
    """
    folder, room = tmp_path / "work", tmp_path / "room"
    folder.mkdir()
    room.mkdir()
    for command in (
        ["compare", "GRR", *AUDIT[2:]],
        [*AUDIT, "--engine", "processes", "--workers", "2"],
    ):
        done = sealed.run(*command, cwd=folder, HOME=str(nobodys), TMPDIR=str(room))
        assert done.returncode == 0, done.stderr
        line, *rest = (line for line in done.stderr.splitlines() if line != SLOW)
        assert line.startswith(LAST_RESORT)
        assert rest in ([], ["figure written to compare.png"])
    assert (folder / "compare.png").stat().st_size > 0
    home = give_home(room)
    done = sealed.run("compare", "GRR", *AUDIT[2:], cwd=nobodys.parent, HOME=str(home))
    assert done.returncode == 0
    assert done.stderr.removeprefix(f"{SLOW}\n") == (
        "ldp-auditor: compare.png is not drawn, the working folder cannot be written to; "
        "use --figure\n"
    )
    done = sealed.run(*AUDIT, cwd=folder, HOME=str(home), NUMBA_CACHE_DIR=str(nobodys))
    assert done.returncode == 0
    assert done.stderr == (
        f"ldp-auditor: NUMBA_CACHE_DIR ({nobodys}) cannot be written to: compiled kernels are kept "
        f"in {home}/.cache/ldp-auditor; set NUMBA_CACHE_DIR to a folder of yours to keep them "
        "there\n"
    )


def give_home(room: Path) -> Path:
    """Make the folder for temporary files a home, with the kernels that were compiled there."""
    (kept,) = room.glob("ldp-auditor-*")
    (room / ".cache").mkdir()
    kept.rename(room / ".cache" / "ldp-auditor")
    return room


def test_a_python_that_is_too_old_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    """Else its environment would stay, and a newer Python would fail in it."""
    for file in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / file, tmp_path)
    done = subprocess.run(
        ["make", "demo", "PYTHON=false"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "Python 3.11 or newer is needed. Name one: make demo PYTHON=" in done.stderr
    assert not (tmp_path / ".venv").exists()
