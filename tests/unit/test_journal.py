"""The journal of a sweep, torn, flipped and poisoned."""

from __future__ import annotations

import builtins
import hashlib
import json
import math
import os
import pickle
import random
import threading
from pathlib import Path
from typing import Any

import pytest

from ldp_auditor.errors import AuditError
from ldp_auditor.execution.threads import ThreadEngine
from ldp_auditor.results.files import replace_file
from ldp_auditor.results.journal import Journal, digest, entries_in, line_of
from ldp_auditor.sweeps.cells import Cell

PLANS = [{"protocol": "GRR", "epsilon": 0.1 * seed, "seed": seed} for seed in range(1, 5)]
RESULTS = [{"true_positives": 123, "epsilon": "inf", "attack_epsilon": None, "pair": [0, 1]}]


def entry_of(plan: Any, results: Any = RESULTS) -> dict[str, Any]:
    return {"key": digest(plan), "plan": plan, "results": results}


LINES = [line_of(entry_of(plan)) for plan in PLANS]
WHOLE = b"".join(LINES)


def reopened(folder: Path, content: bytes) -> Journal:
    """Open the journal of a folder that has this content."""
    (folder / "journal.jsonl").write_bytes(content)
    with Journal.open(folder) as journal:
        return journal


def test_what_is_added_is_there_again(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    with Journal.open(folder) as journal:
        for number, plan in enumerate(PLANS):
            journal.add(plan, RESULTS, 0.5 + number)
            assert (folder / "journal.jsonl").read_bytes() == b"".join(LINES[: number + 1])
    with Journal.open(folder) as again:
        assert again.entries == {digest(plan): entry_of(plan) for plan in PLANS}
        assert list(again.seconds.values()) == [0.5, 1.5, 2.5, 3.5]
        assert again.damaged == 0
    assert (folder / "journal.jsonl").read_bytes() == WHOLE
    assert not (folder / "damaged.txt").exists()


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(AuditError, match=r"cannot use the folder .*: it is a file"),
        Journal.open(tmp_path / "file"),
    ):
        pass


def test_a_last_line_torn_anywhere_costs_that_cell_alone(tmp_path: Path) -> None:
    whole = WHOLE[:-1]
    for length in range(len(whole) - len(LINES[-1]) + 1, len(whole)):
        journal = reopened(tmp_path, whole[:length])
        assert set(journal.entries) == {digest(plan) for plan in PLANS[:-1]}, length
        assert journal.damaged == (length > len(whole) - len(LINES[-1]) + 1)
        assert (tmp_path / "journal.jsonl").read_bytes() == b"".join(LINES[:-1])
    with Journal.open(tmp_path) as journal:
        journal.add(PLANS[-1], RESULTS, 1.0)
    assert (tmp_path / "journal.jsonl").read_bytes() == WHOLE


def test_a_missing_final_newline_costs_nothing(tmp_path: Path) -> None:
    journal = reopened(tmp_path, WHOLE[:-1])
    assert (len(journal.entries), journal.damaged) == (4, 0)
    assert (tmp_path / "journal.jsonl").read_bytes() == WHOLE


POISON = [
    b"garbage",
    b"{}",
    b"[]",
    b"null",
    b"3",
    b'"text"',
    b"\x00" * 100,
    b"\xff\xfe" + bytes(range(256)).replace(b"\n", b""),
    b"[" * 100_000,
    b'{"a":' * 100_000,
    b"1" * 5000,
    b'{"key": NaN, "plan": Infinity, "results": [-Infinity], "check": NaN}',
    pickle.dumps({"key": "a"}).replace(b"\n", b""),
    b"__import__('os').system('touch poisoned')",
    LINES[1].replace(b"123", b"124").strip(),
    LINES[1].replace(b"GRR", b"OUE").strip(),
    LINES[1].replace(b'"inf"', b"Infinity").strip(),
    LINES[1].strip() + LINES[2].strip(),
    LINES[1][40:].strip(),
    line_of({**entry_of(PLANS[1]), "key": digest(PLANS[2])}).strip(),
    line_of(entry_of(PLANS[1], [])).strip(),
    line_of(entry_of(PLANS[1], {"a": 1})).strip(),
    line_of(entry_of(PLANS[1], [1, "a", None])).strip(),
    line_of(entry_of(PLANS[1], [{"epsilon": {"__class__": "os.system"}}])).strip(),
    line_of(entry_of(PLANS[1], [{"epsilon": 10**400}])).strip(),
    line_of(entry_of(PLANS[1], [{"attack": "half a character: \ud800"}])).strip(),
    line_of({"key": digest(PLANS[1]), "plan": PLANS[1]}).strip(),
    line_of(entry_of([PLANS[1]])).strip(),
    line_of(entry_of("mechanism")).strip(),
    line_of(entry_of(7)).strip(),
]


@pytest.mark.parametrize("poison", POISON, ids=range(len(POISON)))
def test_a_bad_line_in_the_middle_costs_no_other(poison: bytes, tmp_path: Path) -> None:
    journal = reopened(tmp_path, LINES[0] + poison + b"\n" + LINES[2] + LINES[3])
    assert set(journal.entries) == {digest(PLANS[number]) for number in (0, 2, 3)}
    assert journal.damaged == 1
    assert (tmp_path / "journal.jsonl").read_bytes() == LINES[0] + LINES[2] + LINES[3]
    assert (tmp_path / "damaged.txt").read_bytes() == poison + b"\n"
    with Journal.open(tmp_path) as again:
        assert again.damaged == 0


AUDIT = Cell.of(protocol="GRR", epsilon=1, domain_size=4, trials=100, seed=7)
RESULT = AUDIT.run(ThreadEngine(1))[0].to_store("0.1.0")


@pytest.mark.parametrize("name", ["trials", "true_positives", "empirical_epsilon", "pair", "alpha"])
@pytest.mark.parametrize("value", [None, "many", -1, [], 10**12])
def test_a_forged_result_is_put_aside(name: str, value: Any, tmp_path: Path) -> None:
    forged = line_of(entry_of(AUDIT.plan, [{**RESULT, name: value}]))
    journal = reopened(tmp_path, forged + line_of(entry_of(AUDIT.plan, [RESULT])))
    assert journal.entries[AUDIT.key]["results"] == [RESULT]
    assert (tmp_path / "damaged.txt").read_bytes() == forged


@pytest.mark.parametrize("results", [[RESULT, RESULT], [{}], [{**RESULT, "mechanism": "OUE"}]])
def test_results_of_another_plan_are_put_aside(results: Any, tmp_path: Path) -> None:
    assert reopened(tmp_path, line_of(entry_of(AUDIT.plan, results))).entries == {}


def test_any_flipped_bit_is_noticed() -> None:
    line = LINES[0].strip()
    for place in range(len(line)):
        for bit in range(8):
            flipped = bytearray(line)
            flipped[place] ^= 1 << bit
            (entry,) = entries_in([bytes(flipped)])
            assert entry is None or entry == entry_of(PLANS[0]), bytes(flipped)


def test_lines_in_another_order_are_read(tmp_path: Path) -> None:
    """As they were written before the checksum came first."""
    entry = entry_of(AUDIT.plan, [RESULT])
    check = hashlib.sha256(json.dumps(entry, sort_keys=True).encode()).hexdigest()[:16]
    older = json.dumps({**entry, "check": check}).encode() + b"\n"
    assert older != line_of(entry)
    journal = reopened(tmp_path, older + WHOLE)
    assert journal.entries[AUDIT.key] == entry
    assert (tmp_path / "journal.jsonl").read_bytes() == older + WHOLE
    forged = older.replace(b'"trials": 100', b'"trials": 101')
    assert list(entries_in([forged.strip(), LINES[0].strip()])) == [None, entry_of(PLANS[0])]


def with_more(line: bytes, more: bytes) -> bytes:
    """Return a line with more behind its entry, and a checksum that fits it."""
    rest = line.strip()[len('{"check": "0123456789abcdef", ') :] + more
    return b'{"check": "%b", %b' % (hashlib.sha256(b"{" + rest).hexdigest()[:16].encode(), rest)


@pytest.mark.parametrize(
    "parts", [(LINES[0][:60], LINES[0][60:-1]), (with_more(LINES[0], b", {}"),)]
)
def test_lines_that_are_one_only_together_are_not_understood(parts: tuple[bytes, ...]) -> None:
    lines = [LINES[1].strip(), *parts]
    assert list(entries_in(lines)) == [entry_of(PLANS[1]), *[None] * len(parts)]


def test_many_lines_are_read_as_each_alone() -> None:
    lines = [line_of(entry_of({**PLANS[0], "seed": seed})).strip() for seed in range(250)]
    lines[120] = lines[120].replace(b"123", b"124")
    found = list(entries_in(lines))
    assert found == [entry for line in lines for entry in entries_in([line])]
    assert [place for place, entry in enumerate(found) if entry is None] == [120]
    assert found[249] == entry_of({**PLANS[0], "seed": 249})


def test_nothing_is_evaluated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("a journal was evaluated")

    for module, name in [(builtins, "eval"), (builtins, "exec"), (pickle, "loads")]:
        monkeypatch.setattr(module, name, refuse)
    journal = reopened(tmp_path, b"\n".join(POISON) + b"\n" + WHOLE)
    assert (len(journal.entries), journal.damaged) == (4, len(POISON))


def test_lines_there_twice_are_there_once(tmp_path: Path) -> None:
    journal = reopened(tmp_path, WHOLE + LINES[2] + b"\n\n" + LINES[0])
    assert (len(journal.entries), journal.damaged) == (4, 0)
    assert (tmp_path / "journal.jsonl").read_bytes() == WHOLE


def test_a_second_outcome_of_a_cell_is_put_aside(tmp_path: Path) -> None:
    other = line_of(entry_of(PLANS[0], [{"true_positives": 5}]))
    journal = reopened(tmp_path, WHOLE + other)
    assert journal.damaged == 1
    assert journal.entries[digest(PLANS[0])]["results"] == RESULTS
    assert (tmp_path / "journal.jsonl").read_bytes() == WHOLE


def test_line_ends_of_other_systems_cost_nothing(tmp_path: Path) -> None:
    journal = reopened(tmp_path, WHOLE.replace(b"\n", b"\r\n"))
    assert (len(journal.entries), journal.damaged) == (4, 0)
    assert (tmp_path / "journal.jsonl").read_bytes() == WHOLE


def test_empty_and_random_files(tmp_path: Path) -> None:
    assert reopened(tmp_path, b"").entries == {}
    assert reopened(tmp_path, b"\n \n\n").damaged == 0
    random_bytes = random.Random(7).randbytes(100_000)
    assert reopened(tmp_path, random_bytes).entries == {}
    assert (tmp_path / "journal.jsonl").read_bytes() == b""


def test_timings_may_be_lost(tmp_path: Path) -> None:
    bad = b'{"key": "a", "seconds": 1}\n{"key": "b", "seconds": NaN}\n[]\n3\n{"seconds": 1}\n\xff\n'
    bad += b'{"key": "c", "seconds": 1' + b"0" * 400 + b'}\n{"key": "d", "sec'
    (tmp_path / "timings.jsonl").write_bytes(bad)
    with Journal.open(tmp_path) as journal:
        assert journal.seconds == {"a": 1.0}
        journal.add(PLANS[0], RESULTS, 2.5)
    with Journal.open(tmp_path) as journal:
        assert journal.seconds == {"a": 1.0, digest(PLANS[0]): 2.5}


def test_a_folder_has_one_owner_even_within_a_process(tmp_path: Path) -> None:
    said: list[str] = []

    def second() -> None:
        try:
            with Journal.open(tmp_path):
                said.append("both")
        except AuditError as error:
            said.append(str(error))

    for _ in range(2):  # the refused one must not give away the lock of the first
        with Journal.open(tmp_path):
            for _ in range(2):
                thread = threading.Thread(target=second)
                thread.start()
                thread.join()
    assert len(said) == 4
    assert all(f"another run works on {tmp_path} (process {os.getpid()})" in text for text in said)
    second()
    assert said[-1] == "both"


@pytest.mark.parametrize("name", ["journal.jsonl", "lock", "timings.jsonl"])
def test_a_folder_in_the_place_of_a_file(name: str, tmp_path: Path) -> None:
    (tmp_path / name).mkdir()
    with (
        pytest.raises(AuditError, match=f"cannot use the folder {tmp_path}: "),
        Journal.open(tmp_path),
    ):
        pass
    (tmp_path / name).rmdir()
    with Journal.open(tmp_path):  # nothing is still held
        pass


@pytest.mark.parametrize("name", ["journal.jsonl", "lock", "timings.jsonl", "damaged.txt"])
@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_a_link_or_a_pipe_leads_nowhere(kind: str, name: str, tmp_path: Path) -> None:
    """A folder from elsewhere could have us write its lines to any file of the user."""
    folder, other = tmp_path / "folder", tmp_path / "other"
    folder.mkdir()
    other.write_bytes(b"precious")
    if name != "journal.jsonl":
        (folder / "journal.jsonl").write_bytes(b"rm -rf /\n")
    if kind == "link":
        (folder / name).symlink_to(other)
    else:
        os.mkfifo(folder / name)
    with (
        pytest.raises(AuditError, match=f"cannot use the folder {folder}: "),
        Journal.open(folder),
    ):
        pass
    assert other.read_bytes() == b"precious"


def test_a_write_that_fails_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with Journal.open(tmp_path) as journal:
        journal.add(PLANS[0], RESULTS, 1.0)
        with monkeypatch.context() as patched:
            patched.setattr(os, "fsync", full)
            patched.setattr("ldp_auditor.results.journal.SYNC_SECONDS", 0.0)
            with pytest.raises(
                AuditError, match=r"No space left .* the 1 finished cells in it are"
            ):
                journal.add(PLANS[1], RESULTS, 1.0)
        assert (tmp_path / "journal.jsonl").read_bytes() == LINES[0]
        assert digest(PLANS[1]) not in journal.entries
        journal.add(PLANS[1], RESULTS, 1.0)
    assert (tmp_path / "journal.jsonl").read_bytes() == LINES[0] + LINES[1]


def test_the_disk_is_not_asked_for_every_small_cell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    monkeypatch.setattr("ldp_auditor.results.journal.SYNC_SECONDS", math.inf)
    with Journal.open(tmp_path) as journal:
        monkeypatch.setattr(os, "fsync", asked.append)
        for plan in PLANS:
            journal.add(plan, RESULTS, 1.0)
            assert (tmp_path / "journal.jsonl").read_bytes().endswith(b"\n")
        assert len(asked) == 1 < len(PLANS)
        with monkeypatch.context() as patched:
            patched.setattr("ldp_auditor.results.journal.SYNC_SECONDS", 0.0)
            journal.add({**PLANS[0], "seed": 99}, RESULTS, 1.0)
        assert len(asked) == 2
    assert len(asked) == 3, "what was written last was not kept at the end"


def test_no_room_is_told_before_anything_is_run(tmp_path: Path) -> None:
    with Journal.open(tmp_path) as journal:
        journal.require_room_for(1)
        with pytest.raises(AuditError, match=r"bytes free, .* make room or choose another folder"):
            journal.require_room_for(10**15)


def test_a_replaced_file_is_the_old_or_the_new_one(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    (tmp_path / "file.new").write_bytes(b"left behind by a kill")
    replace_file(path, b"new")
    assert path.read_bytes() == b"new"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("name", ["file", "file.new"])
def test_a_link_is_replaced_and_not_written_through(name: str, tmp_path: Path) -> None:
    path, other = tmp_path / "file", tmp_path / "other"
    other.write_bytes(b"precious")
    (tmp_path / name).symlink_to(other)
    replace_file(path, b"new")
    assert (path.read_bytes(), path.is_symlink()) == (b"new", False)
    assert other.read_bytes() == b"precious"


def test_values_that_are_not_numbers_are_never_written(tmp_path: Path) -> None:
    with Journal.open(tmp_path) as journal, pytest.raises(ValueError, match="not JSON compliant"):
        journal.add(PLANS[0], [{"epsilon": float("nan")}], 1.0)
    assert (tmp_path / "journal.jsonl").read_bytes() == b""
    assert json.loads(LINES[0])["results"] == RESULTS
