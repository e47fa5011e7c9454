"""Folders that are trusted with machine code, and those that are not."""

from __future__ import annotations

import os
import runpy
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ldp_auditor import places
from ldp_auditor.mechanisms.kernels.caching import OTHER_STATES, PREFIX, drop_old_states, state_of
from ldp_auditor.mechanisms.kernels.compilation import Forgiving, compiled
from ldp_auditor.places import has_room, is_own, temporary_folder, user_cache

PACKAGE = Path(__file__).parents[2] / "src" / "ldp_auditor"


def test_a_folder_of_ours_is_made_and_closed_to_others(tmp_path: Path) -> None:
    assert is_own(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").stat().st_mode & 0o777 == 0o700
    assert is_own(tmp_path / "a" / "b")


@pytest.fixture
def open_path() -> Iterator[Path]:
    """A folder that others can reach, as they cannot reach those of pytest."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        yield Path(folder)


@pytest.mark.parametrize(
    ("parent", "folder", "trusted"),
    [
        (0o755, 0o700, True),
        (0o755, 0o755, True),
        (0o755, 0o777, False),  # anybody could have put code there
        (0o755, 0o1777, False),
        (0o755, 0o770, False),
        (0o777, 0o700, False),  # anybody could put another folder in its place
        (0o775, 0o700, False),
        (0o1777, 0o700, True),  # as /tmp
        (0o700, 0o777, True),  # nobody else gets there
    ],
)
def test_who_may_write_decides(parent: int, folder: int, trusted: bool, open_path: Path) -> None:
    (open_path / "folder").mkdir()
    (open_path / "folder").chmod(folder)
    open_path.chmod(parent)
    assert is_own(open_path / "folder") == trusted


def test_links_files_and_what_belongs_to_others_are_refused(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "mine")
    (tmp_path / "dangling").symlink_to(tmp_path / "nothing")
    (tmp_path / "file").touch()
    if os.getuid() == 0:
        (tmp_path / "theirs").mkdir(mode=0o700)
        os.chown(tmp_path / "theirs", 65534, 65534)
    else:
        (tmp_path / "theirs").symlink_to("/usr")
    assert is_own(tmp_path / "mine")
    for name in ("link", "dangling", "file", "theirs"):
        assert not is_own(tmp_path / name), name
    assert not is_own(tmp_path / "theirs" / "below")


def test_homes_that_are_not_there_are_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "nothing"))
    assert user_cache() is None
    monkeypatch.setenv("HOME", str(tmp_path))
    assert user_cache() == tmp_path / ".cache" / "ldp-auditor"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert user_cache() == tmp_path / "xdg" / "ldp-auditor"
    monkeypatch.setenv("TMPDIR", str(tmp_path / "nothing"))
    assert not (tmp_path / "nothing").exists()
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert temporary_folder() == tmp_path / f"ldp-auditor-{os.getuid()}"
    assert not has_room(Path("/proc/nothing"))


def test_every_change_of_a_source_has_a_folder_of_its_own(tmp_path: Path) -> None:
    """Also one in a file that the kernel's own file does not mention to numba."""
    for name in ("__init__.py", "portable_math.py", "mechanisms"):
        source = PACKAGE / name
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, tmp_path / name)
    names = [state_of(PACKAGE), state_of.__wrapped__(tmp_path)]
    assert names[0] == names[1]
    kernels = ("mechanisms/kernels/xoshiro.py", "mechanisms/unary_encoding.py")
    for path in ("__init__.py", "portable_math.py", *kernels):
        with (tmp_path / path).open("a") as file:
            file.write("#")
        names.append(state_of.__wrapped__(tmp_path))
    assert len(set(names)) == 5


def test_old_states_go_and_other_files_stay(tmp_path: Path) -> None:
    for age in range(OTHER_STATES + 3):
        folder = tmp_path / f"{PREFIX}{age}"
        folder.mkdir()
        (folder / "kernel.nbi").touch()
        os.utime(folder, ns=(age, age))
    (tmp_path / "other").mkdir()
    drop_old_states(tmp_path / f"{PREFIX}0")
    kept = {path.name for path in tmp_path.iterdir()}
    assert kept == {"other", f"{PREFIX}0", *(f"{PREFIX}{age}" for age in range(3, 7))}


def test_a_torn_file_of_compiled_code_is_compiled_again(tmp_path: Path) -> None:
    source = tmp_path / "twice.py"
    source.write_text("def twice(number):\n    return 2 * number\n")
    twice = runpy.run_path(str(source))["twice"]

    def fresh() -> Any:
        kernel: Any = compiled(twice)
        assert isinstance(kernel.dispatcher._cache, Forgiving)
        return kernel

    folder = Path(fresh().dispatcher._cache.cache_path)
    assert fresh()(3) == 6
    (index,) = folder.glob("*.nbi")
    for content in (b"", index.read_bytes()[:40], b"\x80garbage"):
        index.write_bytes(content)
        assert fresh()(4) == 8
    assert index.stat().st_size > 40  # it was mended
    kernel = fresh()
    shutil.rmtree(folder)
    folder.touch()  # no folder can be made there now
    try:
        assert kernel(5) == 10
    finally:
        folder.unlink()


def test_shared_memory_is_the_last_temporary_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container whose root is read-only."""
    asked: list[Path] = []

    def usable(folder: Path) -> Path | None:
        asked.append(folder)
        return folder if folder.parts[1] == "dev" else None

    monkeypatch.setattr(places, "_usable", usable)
    monkeypatch.setattr(places, "_is_there", bool)
    assert temporary_folder() == Path("/dev/shm", f"ldp-auditor-{os.getuid()}") == asked[-1]
