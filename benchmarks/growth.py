"""How time and memory grow with the domain, the reports of a user, the attributes and the trials.

    python benchmarks/growth.py [--quick] [--trials-too]

Every row has the processor seconds of one audit or of one other piece of work at growing sizes, the
exponent with which the time grows from the last size but one to the last (1: in proportion), and
the largest exponent that is right for it. Peak memory is that of a child process. `--trials-too`
runs GRR up to 10^10 trials, some minutes.
"""

import argparse
import math
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ldp_auditor import __version__, audit, explain
from ldp_auditor.results.journal import Journal, line_of
from ldp_auditor.sweeps.grid import Grid

SETTING: dict[str, Any] = {"epsilon": 1.0, "workers": 1}
FEW, MOST_TRIALS, A_WHILE = 100, 10**7, 0.2
"""Trials from which a measurement begins and goes up to, until they take so many seconds."""


@dataclass(frozen=True)
class Row:
    """A piece of work whose size grows, with the largest exponent that is right for it."""

    what: str
    sizes: Sequence[int]
    seconds: Callable[[int], float]
    """Processor seconds of one unit of work at a size."""
    allowed: float


def seconds_of(work: Callable[[], Any], turns: int = 2) -> float:
    """Processor seconds of some work, the least of some turns."""
    found = []
    for _ in range(turns):
        before = time.process_time()
        work()
        found.append(time.process_time() - before)
    return min(found)


def a_trial(protocol: str, **settings: Any) -> float:
    """Seconds of a trial, from as many as take a while, less what an audit costs without them."""

    def run(trials: int) -> float:
        return seconds_of(lambda: audit(protocol, trials=trials, **{**SETTING, **settings}))

    run(FEW)  # compiles, and works out what is kept
    rest, trials, taken = run(FEW), FEW, 0.0
    while taken < rest + A_WHILE and trials < MOST_TRIALS:
        trials *= 4
        taken = run(trials)
    return max(taken - rest, 0.0) / (trials - FEW)


def over_domains() -> Iterator[Row]:
    """Trials at growing k."""
    for protocol, allowed in (("GRR", 0.2), ("SS", 1.2), ("OUE", 1.2), ("OLH", 1.2), ("SHE", 1.2)):

        def trial(k: int, protocol: str = protocol) -> float:
            return a_trial(protocol, domain_size=k)

        yield Row(f"trial of {protocol}, k", (2, 25, 1_000, 10_000, 100_000), trial, allowed)


def over_reports() -> Iterator[Row]:
    """Trials, and what an audit costs without them, at growing numbers of reports of a user."""
    for protocol, allowed in (("GRR", 1.2), ("SS", 1.2), ("OUE", 0.5), ("OLH", 0.5), ("SHE", 0.5)):

        def trial(tau: int, protocol: str = protocol) -> float:
            return a_trial(protocol, domain_size=25, reports=tau)

        def rest(tau: int, protocol: str = protocol) -> float:
            work = {**SETTING, "domain_size": 25, "reports": tau, "trials": 1}
            audit(protocol, **{**work, "epsilon": 2.0})  # compiles, and keeps other numbers
            return seconds_of(lambda: audit(protocol, **work), turns=1)

        yield Row(f"trial of {protocol}, tau", (1, 10, 100, 1_000, 10_000), trial, allowed)
        yield Row(f"exact numbers of {protocol}, tau", (10, 100, 1_000, 10_000), rest, 1.6)


def over_attributes() -> Iterator[Row]:
    """Trials at growing d: SMP reports one attribute, the others report all."""
    for protocol, allowed in (("SMP[OUE]", 0.5), ("SPL[OUE]", 1.2), ("RS+FD[GRR]", 1.2)):

        def trial(d: int, protocol: str = protocol) -> float:
            return a_trial(protocol, domain_size=25, attributes=d)

        yield Row(f"trial of {protocol}, d", (2, 10, 100), trial, allowed)


def over_results() -> Iterator[Row]:
    """What a folder of results costs at growing numbers of them."""
    yield Row("reading a journal, lines", (100, 1_000, 10_000), _reading, 1.1)
    yield Row("page of a report, results", (250, 2_500), _page, 1.1)


def _reading(lines: int) -> float:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_journal(folder, lines)

        def read() -> None:
            with Journal.open(folder) as journal:
                assert len(journal.entries) == lines

        return seconds_of(read)


def write_journal(folder: Path, lines: int) -> None:
    """Write a journal of audits that differ by their seeds, without running more than one."""
    result = audit("GRR", epsilon=1.0, domain_size=25, trials=1_000)
    cells = Grid.of(
        protocol="GRR", epsilon=1.0, domain_size=25, trials=1_000, seed=list(range(lines))
    ).cells
    with (folder / "journal.jsonl").open("wb") as file:
        for cell in cells:
            stored = replace(result, seed=cell.plan["seed"]).to_store(__version__)
            file.write(line_of({"key": cell.key, "plan": cell.plan, "results": [stored]}))


def _page(results: int) -> float:
    with tempfile.TemporaryDirectory() as name:
        write_journal(Path(name), results)
        program = str(Path(sys.executable).with_name("ldp-auditor"))
        out = str(Path(name) / "page.html")
        return child([program, "report", name, "--out", out])[0]


def of_explain() -> Iterator[Row]:
    """The trials that an account asks for, whose number of thresholds does not grow."""
    for bound in ("clopper-pearson", "likelihood-ratio", "betting"):

        def account(trials: int, bound: str = bound) -> float:
            return seconds_of(
                lambda: explain("AGM", epsilon=0.5, domain_size=25, trials=trials, bound=bound)
            )

        yield Row(f"explain AGM by {bound}, T", (1_000, 10_000), account, 1.1)


def child(arguments: list[str]) -> tuple[float, float]:
    """Processor seconds of a command and its peak memory in MB."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used, after.ru_maxrss / 1e3


def exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """The power of the size with which the time grew at last."""
    ratio = max(seconds[-1], 1e-9) / max(seconds[-2], 1e-9)
    return math.log(ratio) / math.log(sizes[-1] / sizes[-2])


def print_rows(rows: Iterator[Row], most: int) -> None:
    """Measure rows at sizes up to `most` and print them."""
    for row in rows:
        sizes = [size for size in row.sizes if size <= most]
        seconds = [row.seconds(size) for size in sizes]
        cells = ", ".join(f"{n:,}: {s:.2g}" for n, s in zip(sizes, seconds, strict=True))
        power = exponent(sizes, seconds)
        mark = "" if power <= row.allowed else " faster than it must"
        print(f"| {row.what} | {cells} | {power:.2f} | {row.allowed}{mark} |", flush=True)


def print_trials(largest: int) -> None:
    """Print time and peak memory of GRR with 10^4 to 10^`largest` trials."""
    program = str(Path(sys.executable).with_name("ldp-auditor"))
    print("\n| T | processor s | peak MB |\n| --- | --- | --- |")
    for power in range(4, largest + 1, 2):
        words = f"audit GRR --epsilon 1 --domain-size 25 --trials 1e{power} --json".split()
        # The largest peak of all children so far; it grows with T or it does not.
        used, peak = child([program, *words])
        print(f"| 10^{power} | {used:.1f} | {peak:.0f} |", flush=True)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="sizes up to 1,000 only")
    parser.add_argument("--trials-too", action="store_true", help="GRR up to 10^10 trials")
    arguments = parser.parse_args()
    most = 1_000 if arguments.quick else 100_000
    print("| work, size | seconds by size | exponent at last | at most |")
    print("| --- | --- | --- | --- |")
    for rows in (over_domains, over_reports, over_attributes, over_results, of_explain):
        print_rows(rows(), 10_000 if rows is of_explain else most)
    print_trials(10 if arguments.trials_too else 8)


if __name__ == "__main__":
    main()
