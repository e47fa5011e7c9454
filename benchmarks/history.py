"""The speed of every kernel from release to release, on one machine, and whether one has lost.

    python benchmarks/history.py                 measure this code and print
    python benchmarks/history.py --check         fail if a kernel lost 20% since the last release
    python benchmarks/history.py --add           measure all releases and this one; write them down
    python benchmarks/history.py --draw FILE     draw all releases (PNG, PDF or SVG)

A ratio is the cost of a report, made and attacked on one thread, divided by the cost of a raw word
of NumPy's PCG64 in the same run, so that other work on the machine weighs on both. Machines differ
in it all the same, by up to a factor of two. So whatever is compared is measured here: the code of
each release (its commit, from git) in processes of its own, in turn, the least of all turns.
"""

import argparse
import io
import json
import math
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import PCG64, default_rng

from ldp_auditor import __version__, mechanisms
from ldp_auditor.audits.plan import AuditPlan
from ldp_auditor.execution.threads import keep_freed_memory

if TYPE_CHECKING:
    from ldp_auditor.figures.data import Panels

ROOT = Path(__file__).resolve().parents[1]
HISTORY = ROOT / "benchmarks" / "history.jsonl"
SIZES = (25, 200)
LOST = 1.2
"""A kernel whose ratio has grown by this factor has lost."""

TURNS = 3
"""How often each code is measured, in turn with the others."""

ROUNDS, MORE_ROUNDS = 5, 25
LEAST_SECONDS = 0.02
"""Of a round, so that the clock and a call of Python cost nothing."""


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


def measured(kernels: Iterable[str] = (), rounds: int = ROUNDS) -> dict[str, float]:
    """The ratios of these kernels of the code that is imported, of all that it has if none."""
    keep_freed_memory()  # as an audit does
    known = names()
    return {name: ratio_of(name, rounds) for name in list(kernels) or known if name in known}


def side_by_side(
    sources: Mapping[str, Path], kernels: Iterable[str] = (), rounds: int = ROUNDS
) -> dict[str, dict[str, float]]:
    """The ratios of several codes (folders to import from), each in turn with the others."""
    least: dict[str, dict[str, float]] = {label: {} for label in sources}
    for _ in range(TURNS):
        for label, source in sources.items():
            kept = {"PYTHONPATH": str(source), "NUMBA_CACHE_DIR": str(source.parent / "kernels")}
            command = [sys.executable, __file__, "--json", str(rounds), *kernels]
            done = subprocess.run(
                command, env={**os.environ, **kept}, check=True, stdout=subprocess.PIPE
            )
            for name, ratio in json.loads(done.stdout).items():
                least[label][name] = min(ratio, least[label].get(name, math.inf))
    return least


def source_of(commit: str, folder: Path) -> Path:
    """Write the package as it was at a commit into a folder; return where to import it from."""
    packed = subprocess.run(
        ["git", "archive", commit, "src"], cwd=ROOT, check=False, stdout=subprocess.PIPE
    )
    if packed.returncode != 0:
        raise SystemExit(f"the commit {commit} is not in this clone, so that it cannot be measured")
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder / "src"


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


def check(commit: str) -> dict[str, float]:
    """Kernels that have lost since a commit, even in many more rounds, with the factor."""
    with tempfile.TemporaryDirectory() as place:
        sources = {
            "before": source_of(commit, Path(place) / "before"),
            "now": copied(Path(place) / "now"),
        }
        found = side_by_side(sources)
        suspects = lost(found["now"], found["before"])
        if not suspects:
            return {}
        again = side_by_side(sources, suspects, MORE_ROUNDS)
        return lost(again["now"], again["before"])


def copied(folder: Path) -> Path:
    """Link this code into a folder of its own, where its kernels are kept as those of others."""
    folder.mkdir(parents=True)
    (folder / "src").symlink_to(ROOT / "src", target_is_directory=True)
    return folder / "src"


def added(history: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """All releases and this one, measured on this machine; a line of this version is replaced."""
    revision = ["git", "rev-parse", "--short=12", "HEAD"]
    this = {
        "version": __version__,
        "date": datetime.now(tz=UTC).date().isoformat(),
        "commit": subprocess.run(
            revision, cwd=ROOT, check=True, capture_output=True, text=True
        ).stdout.strip(),
    }
    earlier = [dict(entry) for entry in history if entry["version"] != __version__]
    with tempfile.TemporaryDirectory() as place:
        sources = {
            entry["commit"]: source_of(entry["commit"], Path(place) / entry["commit"])
            for entry in earlier
        }
        sources["now"] = copied(Path(place) / "now")
        found = side_by_side(sources)
    labels = [*(entry["commit"] for entry in earlier), "now"]
    return [
        {**entry, "ratios": {name: round(ratio, 3) for name, ratio in found[label].items()}}
        for label, entry in zip(labels, [*earlier, this], strict=True)
    ]


def figure_data(history: Sequence[Mapping[str, Any]]) -> "Panels":
    """The ratios of all releases: a panel for every domain size, a line for every protocol."""
    from ldp_auditor.figures.data import Curves, Line, Panels

    panels = []
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
        panels.append(Curves(title, "release", lines, y_title="words a report", log_y=True))
    versions = ", ".join(f"{i} = {entry['version']}" for i, entry in enumerate(history, 1))
    return Panels(f"Cost of a report in random words; {versions}", [("", panels)], 2)


def main() -> int:
    """Measure, and do what is asked; the exit code of a failed check is 1."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--add", action="store_true")
    parser.add_argument("--draw", type=Path)
    parser.add_argument(
        "--json", nargs="+", metavar=("ROUNDS", "KERNEL"), help="for --check, --add"
    )
    asked = parser.parse_args()
    history = releases()
    if asked.json is not None:
        print(json.dumps(measured(asked.json[1:], int(asked.json[0]))))
    elif asked.draw is not None:
        from ldp_auditor.figures.drawing import draw
        from ldp_auditor.figures.files import save

        save(draw(figure_data(history)), asked.draw)
    elif asked.add:
        lines = added(history)
        HISTORY.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    elif asked.check:
        before = history[-1]
        slower = check(before["commit"])
        for name, factor in slower.items():
            print(f"{name} is {factor:.2f} times as slow as in {before['version']}")
        return int(bool(slower))
    else:
        now = measured()
        for name, ratio in now.items():
            print(f"{ratio:9.2f}  {name}")
        print(f"{math.exp(float(np.mean(np.log(list(now.values()))))):9.2f}  geometric mean")
    return 0


if __name__ == "__main__":
    sys.exit(main())
