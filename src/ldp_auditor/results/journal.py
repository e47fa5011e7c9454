"""The journal of a sweep: a line of JSON for every finished cell, written so that none is lost.

A cell counts as done when its line is written, which no kill of this process undoes; a loss of
power may undo the last `SYNC_SECONDS`. Whatever breaks a line, a kill in the middle of writing it
or a bad disk, costs that cell alone: its checksum does not fit, the line is put aside, and the cell
is run again. Nothing in a journal is evaluated.
"""

import contextlib
import gc
import hashlib
import json
import math
import os
import re
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from ldp_auditor.errors import LARGEST_WHOLE, AuditError, in_brief, require
from ldp_auditor.results.audit_result import AuditResult
from ldp_auditor.results.files import open_plain, read_plain, replace_file, sync_folder, write_all

JOURNAL, TIMINGS, DAMAGED, LOCK = "journal.jsonl", "timings.jsonl", "damaged.txt", "lock"

PORTION = "chunks"
"""What tells the plan of a portion of an audit from that of the whole."""

BYTES_PER_RESULT = 4_000
"""Room on the disk that a result may need, in the journal and in the table."""

LINES_AT_ONCE = 100
"""Lines that are read together."""

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
                files.enter_context(_lock_of(folder))
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

    def require_room_for(self, results: int) -> None:
        """Raise unless the disk has room for `results` more results."""
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
        """Ask the disk to keep what was written since it was asked last."""
        try:
            os.fsync(self._file.fileno())
        except OSError as error:
            raise AuditError(f"cannot write to {self.folder / JOURNAL}: {error}") from None

    def _read(self) -> None:
        """Read what is there, without searching it for garbage: a third of the time."""
        searches = gc.isenabled()
        gc.disable()
        try:
            self._read_lines()
        finally:
            if searches:
                gc.enable()

    def _read_lines(self) -> None:
        path = self.folder / JOURNAL
        content = read_plain(path)
        good: list[bytes] = []
        bad: list[bytes] = []
        lines = [line for line in content.split(b"\n") if line.strip()]
        for line, entry in zip(lines, entries_in(lines), strict=True):
            sound = entry is not None and _belongs(entry["plan"], entry["results"])
            if entry and sound and entry == self.entries.setdefault(entry["key"], entry):
                good.append(line.strip() + b"\n")
            else:
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
def _lock_of(folder: Path) -> Iterator[None]:
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
    """Return the number of the process that holds the lock, "unknown" where Windows hides it."""
    with contextlib.suppress(OSError):
        file.seek(0)
        return file.read(40).decode(errors="replace").strip() or "unknown"
    return "unknown"


def line_of(entry: Mapping[str, Any]) -> bytes:
    """Return the line of an entry, with its checksum, which comes first by the alphabet."""
    text = _ENCODER.encode(entry)
    return f'{{"check": "{_checksum(text)}", {text[1:]}\n'.encode()


def entries_in(lines: Sequence[bytes]) -> Iterator[dict[str, Any] | None]:
    """Yield the entry of each of `lines`, None for a line that is not as it was written."""
    for first in range(0, len(lines), LINES_AT_ONCE):
        some = lines[first : first + LINES_AT_ONCE]
        try:
            yield from _entries_of_many(some)
        except _UNREADABLE:
            yield from map(_entry_of, some)


def _entries_of_many(lines: Sequence[bytes]) -> list[dict[str, Any]]:
    """Return the entries of lines as `line_of` writes them, or raise if one may be different.

    Checksums and keys are those of the letters that are there: to write entries once more takes as
    long as all the rest. Lines that are decoded together share the names in them.
    """
    texts = [line.decode().strip() for line in lines]
    entries: list[dict[str, Any]] = _DECODER.decode(f"[{','.join(texts)}]")
    for text, entry in zip(texts, entries, strict=True):
        start = _START.match(text)
        require(start is not None, "the line has another order")
        assert start is not None
        check, key = start.groups()
        plan = text[start.end() : text.index(_BETWEEN, start.end())]
        fits = check == _checksum("{" + text[start.end(1) + len('", ') :]) and key == _key_of_text(
            plan
        )
        require(fits and (entry.pop("check"), entry["key"]) == (check, key), "the line changed")
        _check_shape(text, entry)
    return entries


def _entry_of(line: bytes) -> dict[str, Any] | None:
    """Return the entry of a line, whose keys may be in the order of earlier versions, or None."""
    try:
        text = line.decode()
        entry: dict[str, Any] = _DECODER.decode(text)
        check = entry.pop("check")
        fits = check == _checksum(_ENCODER.encode(entry)) and entry["key"] == digest(entry["plan"])
        require(fits, "the line changed")
        _check_shape(text, entry)
        return entry
    except _UNREADABLE:
        return None


def digest(plan: Mapping[str, Any]) -> str:
    """Return the key of a plan: 24 letters that its content decides."""
    return _key_of_text(json.dumps(plan, sort_keys=True, default=list))


def is_audit(plan: Mapping[str, Any]) -> bool:
    """Tell the plan of a whole audit from those of portions and of checks."""
    return "mechanism" in plan and PORTION not in plan


def _belongs(plan: Mapping[str, Any], results: list[Any]) -> bool:
    """Tell whether results can be those of a plan: whatever both of them name must agree."""
    if not is_audit(plan):
        return True
    try:
        audits = [AuditResult.from_dict(plain) for plain in results]
    except (AuditError, OverflowError):
        return False
    looks = plan.get("reports", [1])
    if not isinstance(looks, list) or len(looks) != len(audits):
        return False
    by_rule = not isinstance(plan.get("trials"), int)  # by which the trials end
    names = ("mechanism", "attack", "bound", "alpha", "seed") + (() if by_rule else ("trials",))
    return all(getattr(audit, name) == plan.get(name) for audit in audits for name in names)


def _check_shape(text: str, entry: Mapping[str, Any]) -> None:
    """Raise unless an entry has a plan and results: dictionaries of values that fit a table."""
    plan, results = entry["plan"], entry["results"]
    right = isinstance(plan, dict) and isinstance(results, list) and bool(results)
    require(right, "these are no results")
    if "\\u" in text:  # half a character, which no file can hold, is an error
        json.dumps(entry, ensure_ascii=False).encode()
    for result in results:
        for value in result.values():
            kind = type(value)
            if kind is dict or (kind is int and abs(value) > LARGEST_WHOLE):
                raise AuditError(f"{in_brief(value)} does not fit a table")


def _refuse(token: str) -> float:
    raise ValueError(token)


_UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, RecursionError)
_DECODER = json.JSONDecoder(parse_constant=_refuse)
_ENCODER = json.JSONEncoder(sort_keys=True, allow_nan=False)
_START = re.compile(r'{"check": "(\w{16})", "key": "(\w{24})", "plan": ')
_BETWEEN = ', "results": '


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _key_of_text(plan: str) -> str:
    return hashlib.sha256(plan.encode()).hexdigest()[:24]


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
