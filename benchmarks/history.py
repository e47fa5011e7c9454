"""The speed of every kernel from release to release, as ratios, and whether one has lost.

    python benchmarks/history.py                 measure and print
    python benchmarks/history.py --check         fail if a kernel lost 20% since the last release
    python benchmarks/history.py --add           append a line of this commit to history.jsonl
    python benchmarks/history.py --draw FILE     draw all releases (PNG, PDF or SVG)

A ratio is the cost of a report, made and attacked on one thread, divided by the cost of a raw word
of NumPy's PCG64 in the same run: machines differ in both nearly alike. The two are measured in
turn, and the least of several rounds is taken. A kernel that seems to have lost since the last
release is measured again, beside the code of that release on this machine, before it fails.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import llvmlite.binding
import numpy as np
from numpy.random import PCG64, default_rng

from ldp_auditor import __version__, mechanisms
from ldp_auditor.audits.plan import AuditPlan
from ldp_auditor.execution.threads import keep_freed_memory
from ldp_auditor.figures.data import Curves, Line, Panels

HISTORY = Path(__file__).with_name("history.jsonl")
SIZES = (25, 200)
LOST = 1.2
"""A kernel whose ratio has grown by this factor has lost."""

ROUNDS, MORE_ROUNDS = 5, 25
LEAST_SECONDS = 0.02
"""Of a turn, so that the clock and a call of Python cost nothing."""


def names() -> list[str]:
    """Every kernel's name: a protocol and a domain size."""
    kinds = mechanisms.available().items()
    return [f"{name} k={k}" for k in SIZES for name, kind in kinds if not kind.memoizes]


def made(name: str) -> Any:
    """Return the protocol of a name."""
    protocol, _, size = name.partition(" k=")
    claim = {} if mechanisms.find(protocol).promises_nothing else {"epsilon": 1.0}
    return mechanisms.make(protocol, domain_size=int(size), **claim)


def ratio_of(name: str, rounds: int) -> float:
    """Cost of a report divided by that of a raw word, measured in turn."""
    protocol, rng, words = made(name), default_rng(3), PCG64(5)
    batch = AuditPlan(mechanism=protocol).batch_trials

    def reports() -> None:
        np.count_nonzero(protocol.guess(protocol.privatize(0, batch, rng), rng) == 0)

    def reference() -> None:
        words.random_raw(10**6)

    reports()
    pairs = [(_seconds(reports) / batch, _seconds(reference) / 10**6) for _ in range(rounds)]
    best, base = (min(taken) for taken in zip(*pairs, strict=True))
    return float(best / base)


def _seconds(work: Any) -> float:
    """Processor seconds of one call, of as many calls as the clock needs."""
    calls, started = 0, time.process_time()
    while (taken := time.process_time() - started) < LEAST_SECONDS:
        work()
        calls += 1
    return taken / calls


def measured() -> dict[str, float]:
    """The ratio of every kernel."""
    keep_freed_memory()  # as an audit does
    return {name: ratio_of(name, ROUNDS) for name in names()}


def releases() -> list[dict[str, Any]]:
    """What was written down, the oldest first."""
    lines = HISTORY.read_text(encoding="utf-8").splitlines() if HISTORY.exists() else []
    return [json.loads(line) for line in lines]


def lost(now: Mapping[str, float], before: Mapping[str, float]) -> dict[str, float]:
    """Kernels that are slower than before, and by what factor; new ones cannot have lost.

    >>> lost({"GRR k=25": 3.1, "SS k=25": 9.0, "new k=25": 8.0}, {"GRR k=25": 3.0, "SS k=25": 6.0})
    {'SS k=25': 1.5}
    """
    factors = {name: ratio / before[name] for name, ratio in now.items() if name in before}
    return {name: factor for name, factor in factors.items() if factor > LOST}


def check(now: Mapping[str, float], before: Mapping[str, Any]) -> dict[str, float]:
    """Kernels that have lost beside the code of the release, on this machine, with the factor."""
    suspects = list(lost(now, before["ratios"]))
    if not suspects:
        return {}
    print(f"measured beside the code of {before['version']}: {', '.join(suspects)}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        unpack_source(before["commit"], Path(folder))
        code = f"{folder}{os.sep}src"
        pairs = [(in_turn(suspects, None), in_turn(suspects, code)) for _ in range(2)]
    present, past = (
        {name: min(found[name] for found in side) for name in suspects}
        for side in zip(*pairs, strict=True)
    )
    return lost(present, past)


def in_turn(kernels: Sequence[str], code: str | None) -> dict[str, float]:
    """Ratios of some kernels in a process of its own, of this code or of another folder's."""
    variables = {**os.environ} if code is None else {**os.environ, "PYTHONPATH": code}
    command = [sys.executable, str(Path(__file__)), "--only", ",".join(kernels)]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def unpack_source(commit: str, folder: Path) -> None:
    """Write the source of a commit into a folder."""
    archive = folder / "source.tar"
    git("archive", "-o", str(archive), commit, "src")
    with tarfile.open(archive) as files:
        files.extractall(folder, filter="data")


def git(*arguments: str) -> str:
    """Return what git says of this repository."""
    command, root = ["git", *arguments], HISTORY.parent.parent
    done = subprocess.run(command, cwd=root, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.strip()


def figure_data(history: Sequence[Mapping[str, Any]]) -> Panels:
    """The ratios of all releases: a panel for every domain size, a line for every protocol."""
    panels = []
    top = 1.3 * max(ratio for entry in history for ratio in entry["ratios"].values())
    for size in SIZES:
        found = sorted(
            {n for entry in history for n in entry["ratios"] if n.endswith(f" k={size}")}
        )
        lines = [
            Line(
                name.partition(" ")[0],
                "exact",
                list(range(1, len(history) + 1)),
                [entry["ratios"].get(name) for entry in history],
                series=name.partition(" ")[0],
                place=place,
                marks="full",
            )
            for place, name in enumerate(found)
        ]
        title = f"k = {size}"
        words = "words a report"
        panels.append(Curves(title, "release", lines, y_title=words, log_y=True, top=top))
    versions = ", ".join(f"{i} = {entry['version']}" for i, entry in enumerate(history, 1))
    return Panels(f"Cost of a report in random words; {versions}", [("", panels)], 2)


def main() -> int:
    """Measure, and do what is asked; the exit code of a failed check is 1."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--add", action="store_true")
    parser.add_argument("--draw", type=Path)
    parser.add_argument("--only", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.only is not None:
        keep_freed_memory()
        print(json.dumps({name: ratio_of(name, MORE_ROUNDS) for name in asked.only.split(",")}))
        return 0
    history = releases()
    if asked.draw is not None:
        from ldp_auditor.figures.drawing import draw
        from ldp_auditor.figures.files import save

        save(draw(figure_data(history)), asked.draw)
        return 0
    now = measured()
    for name, ratio in now.items():
        print(f"{ratio:9.2f}  {name}")
    print(f"{math.exp(float(np.mean(np.log(list(now.values()))))):9.2f}  geometric mean")
    slower: dict[str, float] = {}
    if asked.check and not history:
        print(f"{HISTORY} has no release to compare with; --add writes the first", file=sys.stderr)
        return 2
    if asked.check:
        slower = check(now, history[-1])
        for name, factor in slower.items():
            print(f"{name} is {factor:.2f} times as slow as in {history[-1]['version']}")
    if asked.add:
        day = datetime.now(tz=UTC).date().isoformat()
        ratios = {name: round(ratio, 3) for name, ratio in now.items()}
        on = llvmlite.binding.get_host_cpu_name()
        commit = git("rev-parse", "--short=12", "HEAD")
        line = {"version": __version__, "date": day, "commit": commit, "processor": on}
        with HISTORY.open("a", encoding="utf-8") as file:
            file.write(json.dumps({**line, "ratios": ratios}) + "\n")
    return int(bool(slower))


if __name__ == "__main__":
    sys.exit(main())
