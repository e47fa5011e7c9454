"""Read and write plain files of a results folder, never through a link or a pipe.

The folder may come from somebody else: a link in it could make us write to any file of the user, a
pipe could make us wait for ever.
"""

import contextlib
import os
import stat
from pathlib import Path
from typing import Any

NO_DETOUR = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def open_plain(path: Path, mode: str) -> Any:
    """Open a file of bytes, unbuffered: what could not be written must not be tried again later."""

    def opener(name: str, flags: int) -> int:
        return os.open(name, flags | NO_DETOUR, 0o666)

    if path.is_symlink():
        raise OSError(f"{path.name} is a link, which is not followed")
    file = open(path, mode, buffering=0, opener=opener)  # noqa: SIM115 (for the caller to close)
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(f"{path.name} is not a plain file")
    return file


def read_plain(path: Path) -> bytes:
    """Read a file; one that is not there is empty."""
    try:
        with open_plain(path, "rb") as file:
            content: bytes = file.read()
            return content
    except FileNotFoundError:
        return b""


def replace_file(path: Path, content: bytes) -> None:
    """Replace a file in one step: a kill leaves the old content or the new one."""
    fresh = path.with_name(path.name + ".new")
    try:
        fresh.unlink(missing_ok=True)  # whatever it was
        with open_plain(fresh, "xb") as file:
            write_all(file, content)
            os.fsync(file.fileno())
        fresh.replace(path)
        sync_folder(path.parent)
    except OSError:
        with contextlib.suppress(OSError):
            fresh.unlink(missing_ok=True)
        raise


def sync_folder(folder: Path) -> None:
    """Put the names of a folder's files on the disk; on Windows there is nothing to do."""
    if os.name != "posix":
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def write_all(file: Any, content: bytes) -> None:
    """Write all of `content`, of which an unbuffered file may take a part at a time."""
    while content:
        content = content[file.write(content) :]
