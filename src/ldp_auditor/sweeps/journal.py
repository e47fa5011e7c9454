"""The journal of a sweep: a line of JSON for every finished cell, written so that none is lost.

A cell counts as done when its line is on the disk. Whatever breaks a line, a kill in the middle of
writing it or a bad disk, costs that cell alone: its checksum does not fit, the line is put aside,
and the cell is run again. Nothing in a journal is evaluated.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ldp_auditor.errors import AuditError, require
from ldp_auditor.sweeps.cells import digest

JOURNAL, TIMINGS, DAMAGED, LOCK = "journal.jsonl", "timings.jsonl", "damaged.txt", "lock"

BYTES_PER_CELL = 4_000
"""Room on the disk that a cell may need."""


@dataclass
class Journal:
    """The finished cells of a folder, which belongs to one process at a time."""

    folder: Path
    entries: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    """Finished cells by their keys."""
    seconds: dict[str, float] = field(default_factory=dict)
    """How long each took; apart, because it differs from run to run."""
    damaged: int = 0
    """Lines that were put aside."""
    _file: Any = None
    _lock: Any = None

    @classmethod
    @contextlib.contextmanager
    def open(cls, folder: Path) -> Iterator[Journal]:
        """Take possession of a folder and read its journal; raise if another process has it."""
        journal = cls(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            journal._take()
            journal._read()
            journal._file = (folder / JOURNAL).open("ab")
        except OSError as error:
            raise AuditError(f"cannot use the folder {folder}: {error}") from None
        try:
            yield journal
        finally:
            journal._file.close()
            journal._lock.close()

    def has_room_for(self, cells: int) -> None:
        """Raise unless the disk has room for so many more cells."""
        free = shutil.disk_usage(self.folder).free
        needed = cells * BYTES_PER_CELL
        require(
            free >= needed,
            f"{self.folder} has {free:,} bytes free, {cells:,} cells need up to {needed:,}; "
            "make room or choose another folder",
        )

    def add(self, plan: Mapping[str, Any], results: Any, seconds: float) -> None:
        """Write down a finished cell; when this returns it is on the disk."""
        key = digest(plan)
        entry = {"key": key, "plan": plan, "results": results}
        line = json.dumps({**entry, "check": _checksum(entry)}, allow_nan=False) + "\n"
        end = self._file.seek(0, os.SEEK_END)
        try:
            self._file.write(line.encode())
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            with contextlib.suppress(OSError):  # take back the part that fitted
                os.ftruncate(self._file.fileno(), end)
            raise AuditError(
                f"cannot write to {self.folder / JOURNAL}: {error}; the {len(self.entries):,} "
                "finished cells in it are safe, the same command goes on from there"
            ) from None
        self.entries[key] = entry
        self.seconds[key] = seconds
        with contextlib.suppress(OSError), (self.folder / TIMINGS).open("a") as file:
            file.write(json.dumps({"key": key, "seconds": seconds}) + "\n")

    def _take(self) -> None:
        try:
            import fcntl
        except ImportError:
            raise AuditError("sweeps into a folder need a POSIX system for its lock") from None
        self._lock = (self.folder / LOCK).open("a+")
        try:
            fcntl.lockf(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # gone with the process
        except OSError:
            self._lock.seek(0)
            owner = self._lock.read(40).strip() or "unknown"
            self._lock.close()
            raise AuditError(
                f"another run works on {self.folder} (process {owner}); wait for it, or choose "
                "another folder"
            ) from None
        self._lock.truncate(0)
        self._lock.write(f"{os.getpid()}\n")
        self._lock.flush()

    def _read(self) -> None:
        path = self.folder / JOURNAL
        good: list[bytes] = []
        bad: list[bytes] = []
        for line in path.read_bytes().split(b"\n") if path.exists() else []:
            entry = understood(line)
            if entry is not None:
                good.append(line)
                self.entries.setdefault(entry["key"], entry)
            elif line.strip():
                bad.append(line)
        self.damaged = len(bad)
        if bad:
            with (self.folder / DAMAGED).open("ab") as file:
                file.write(b"".join(line + b"\n" for line in bad))
                os.fsync(file.fileno())
        whole = b"".join(line + b"\n" for line in good)
        if path.exists() and path.read_bytes() != whole:
            replace_file(path, whole)
        self.seconds = dict(_read_seconds(self.folder / TIMINGS))


def understood(line: bytes) -> dict[str, Any] | None:
    """Return the entry of a line, or nothing if the line is not as it was written."""
    try:
        entry = json.loads(line, parse_constant=_refuse)
        check = entry.pop("check")
        fits = check == _checksum(entry) and entry["key"] == digest(entry["plan"])
        shaped = isinstance(entry["results"], list) and entry["results"]
        return entry if fits and shaped else None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def replace_file(path: Path, content: bytes) -> None:
    """Put new content in the place of a file at once: the old or the new one is there."""
    fresh = path.with_name(path.name + ".new")
    try:
        with fresh.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except OSError:
        fresh.unlink(missing_ok=True)
        raise


def _refuse(token: str) -> float:
    raise ValueError(token)


def _checksum(entry: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(entry, sort_keys=True).encode()).hexdigest()[:16]


def _read_seconds(path: Path) -> Iterator[tuple[str, float]]:
    for line in path.read_bytes().split(b"\n") if path.exists() else []:
        with contextlib.suppress(ValueError, KeyError, TypeError, RecursionError):
            entry = json.loads(line)
            yield str(entry["key"]), float(entry["seconds"])
