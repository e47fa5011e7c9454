"""The journal of a sweep: a line of JSON for every finished cell, written so that none is lost.

A cell counts as done when its line is written, which no kill of this process undoes; a loss of
power may undo the last `SYNC_SECONDS`. Whatever breaks a line, a kill in the middle of writing it
or a bad disk, costs that cell alone: its checksum does not fit, the line is put aside, and the cell
is run again. Nothing in a journal is evaluated.
"""

import contextlib
import hashlib
import json
import math
import os
import shutil
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from ldp_auditor.errors import LARGEST_WHOLE, AuditError, require
from ldp_auditor.results.audit_result import AuditResult
from ldp_auditor.results.files import open_plain, read_plain, replace_file, sync_folder, write_all

JOURNAL, TIMINGS, DAMAGED, LOCK = "journal.jsonl", "timings.jsonl", "damaged.txt", "lock"

PORTION = "chunks"
"""What tells the plan of a portion of an audit from that of the whole."""

BYTES_PER_RESULT = 4_000
"""Room on the disk that a result may need, in the journal and in the table."""

SYNC_SECONDS = 0.5
"""How often the disk is asked to keep what was written: it takes longer than a small cell does."""


@dataclass
class Journal:
    """The finished cells of a folder, which belongs to one process at a time.

    A journal that was not opened keeps them in memory alone.
    """

    folder: Path = Path()
    entries: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    """Finished cells by their keys."""
    seconds: dict[str, float] = field(default_factory=dict)
    """How long each took; apart, because it differs from run to run."""
    damaged: int = 0
    """Lines that were put aside."""
    _file: Any = None
    _timings: Any = None
    _synced: float = -math.inf
    """When the disk was asked last."""

    @classmethod
    @contextlib.contextmanager
    def open(cls, folder: Path) -> Iterator[Self]:
        """Take possession of a folder and read its journal; raise if another process has it."""
        journal = cls(folder)
        with contextlib.ExitStack() as files:
            try:
                if folder.is_file():
                    raise NotADirectoryError("it is a file; name another one")
                folder.mkdir(parents=True, exist_ok=True)
                files.enter_context(_possession(folder))
                journal._read()
                # Unbuffered: what could not be written must not be tried again when it is closed.
                journal._file = files.enter_context(open_plain(folder / JOURNAL, "ab"))
                journal._timings = files.enter_context(open_plain(folder / TIMINGS, "ab"))
                sync_folder(folder)
            except OSError as error:
                raise AuditError(f"cannot use the folder {folder}: {error}") from None
            try:
                yield journal
            finally:
                journal._keep()

    def has_room_for(self, results: int) -> None:
        """Raise unless the disk has room for so many more results."""
        if self._file is None:
            return
        free = shutil.disk_usage(self.folder).free
        needed = results * BYTES_PER_RESULT
        require(
            free >= needed,
            f"{self.folder} has {free:,} bytes free, {results:,} more results need up to "
            f"{needed:,}; make room or choose another folder",
        )

    def add(self, plan: Mapping[str, Any], results: Any, seconds: float) -> None:
        """Write down a finished cell; when this returns a kill does not undo it."""
        key = digest(plan)
        entry = {"key": key, "plan": plan, "results": results}
        if self._file is not None:
            self._write(entry, seconds)
        self.entries[key] = entry
        self.seconds[key] = seconds

    def _write(self, entry: Mapping[str, Any], seconds: float) -> None:
        with contextlib.suppress(OSError):  # before the cell, so that no finished one is without
            timing = json.dumps({"key": entry["key"], "seconds": seconds})
            write_all(self._timings, timing.encode() + b"\n")
        end = self._file.seek(0, os.SEEK_END)
        try:
            write_all(self._file, line_of(entry))
            if time.monotonic() - self._synced >= SYNC_SECONDS:
                os.fsync(self._file.fileno())
                self._synced = time.monotonic()
        except OSError as error:
            with contextlib.suppress(OSError):  # take back the part that fitted
                os.ftruncate(self._file.fileno(), end)
            raise AuditError(
                f"cannot write to {self.folder / JOURNAL}: {error}; the {len(self.entries):,} "
                "finished cells in it are safe, the same command goes on from there"
            ) from None

    def _keep(self) -> None:
        """Have the disk keep what was written since it was asked last."""
        try:
            os.fsync(self._file.fileno())
        except OSError as error:
            raise AuditError(f"cannot write to {self.folder / JOURNAL}: {error}") from None

    def _read(self) -> None:
        path = self.folder / JOURNAL
        content = read_plain(path)
        good: list[bytes] = []
        bad: list[bytes] = []
        for line in content.split(b"\n"):
            entry = understood(line)
            sound = entry is not None and _belongs(entry["plan"], entry["results"])
            if entry and sound and entry == self.entries.setdefault(entry["key"], entry):
                good.append(line.strip() + b"\n")
            elif line.strip():
                bad.append(line + b"\n")
        self.damaged = len(bad)
        if bad:
            with open_plain(self.folder / DAMAGED, "ab") as file:
                write_all(file, b"".join(bad))
                os.fsync(file.fileno())
        kept = b"".join(dict.fromkeys(good))  # a line that is there twice tells nothing new
        if content != kept:
            replace_file(path, kept)
        self.seconds = dict(_read_seconds(self.folder / TIMINGS))


@contextlib.contextmanager
def _possession(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder, which ends with the process at the latest."""
    from filelock import lock_descriptor, unlock_descriptor  # brings asyncio, 0.1 seconds

    with open_plain(folder / LOCK, "a+b") as file:
        if not lock_descriptor(file.fileno(), blocking=False):
            raise AuditError(
                f"another run works on {folder} (process {_owner(file)}); wait for it, or choose "
                "another folder"
            )
        file.truncate(0)
        file.write(f"{os.getpid()}\n".encode())
        try:
            yield
        finally:
            unlock_descriptor(file.fileno())  # a fork of this process may have the file open


def _owner(file: Any) -> str:
    """Return the number of the process that wrote it into the lock, which Windows keeps secret."""
    with contextlib.suppress(OSError):
        file.seek(0)
        return file.read(40).decode(errors="replace").strip() or "unknown"
    return "unknown"


def line_of(entry: Mapping[str, Any]) -> bytes:
    """Return the line of an entry, with its checksum."""
    return json.dumps({**entry, "check": _checksum(entry)}, allow_nan=False).encode() + b"\n"


def understood(line: bytes) -> dict[str, Any] | None:
    """Return the entry of a line, or nothing if the line is not as it was written."""
    try:
        entry: dict[str, Any] = _DECODER.decode(line.decode())
        check = entry.pop("check")
        fits = check == _checksum(entry) and entry["key"] == digest(entry["plan"])
        shaped = isinstance(entry["plan"], dict) and _is_shaped(entry["results"])
        if b"\\u" in line:  # half a character, which no file can hold, is an error
            json.dumps(entry, ensure_ascii=False).encode()
        return entry if fits and shaped else None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def digest(plan: Mapping[str, Any]) -> str:
    """Name a plan by its content."""
    canonical = json.dumps(plan, sort_keys=True, default=list)
    return hashlib.sha256(canonical.encode()).hexdigest()[:24]


def is_audit(plan: Mapping[str, Any]) -> bool:
    """Tell the plan of a whole audit from those of portions and of checks."""
    return "mechanism" in plan and PORTION not in plan


def _belongs(plan: Mapping[str, Any], results: list[Any]) -> bool:
    """Tell whether the results of an audit are of its plan, as far as shows; forged may not be."""
    if not is_audit(plan):
        return True
    try:
        audits = [AuditResult.from_dict(plain) for plain in results]
    except (AuditError, OverflowError):
        return False
    names = ["mechanism", "attack", "bound", "alpha", "seed"]
    if isinstance(plan.get("trials"), int):  # else a rule by which they end
        names.append("trials")
    found = [[getattr(audit, name) for name in names] for audit in audits]
    looks = plan.get("reports", [1])
    return isinstance(looks, list) and found == [[plan.get(n) for n in names]] * len(looks)


def _is_shaped(results: Any) -> bool:
    """Tell whether these are results: dictionaries of values that fit a table."""
    return (
        isinstance(results, list)
        and bool(results)
        and all(isinstance(result, dict) for result in results)
        and not any(
            isinstance(value, dict) or (isinstance(value, int) and abs(value) > LARGEST_WHOLE)
            for result in results
            for value in result.values()
        )
    )


def _refuse(token: str) -> float:
    raise ValueError(token)


_DECODER = json.JSONDecoder(parse_constant=_refuse)
_ENCODER = json.JSONEncoder(sort_keys=True)


def _checksum(entry: Mapping[str, Any]) -> str:
    return hashlib.sha256(_ENCODER.encode(entry).encode()).hexdigest()[:16]


def _read_seconds(path: Path) -> Iterator[tuple[str, float]]:
    """Yield how long cells took; a line that was torn costs nothing but that."""
    content = read_plain(path)
    if content and not content.endswith(b"\n"):
        with open_plain(path, "ab") as file:
            file.write(b"\n")
    for line in content.split(b"\n"):
        with contextlib.suppress(ValueError, KeyError, TypeError, RecursionError, OverflowError):
            entry = _DECODER.decode(line.decode())
            yield str(entry["key"]), float(entry["seconds"])
