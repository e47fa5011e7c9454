"""Writes docs/broken-mechanisms.md: what is caught, over several seeds, and what is not flagged.

`python -m tests.broken_mechanisms.table [NAME...]`; with names the other rows stay as they are, and
the document says which were measured by themselves. The whole took 703 seconds of CPU time with two
workers: about six minutes on two idle cores (27 on a busy machine).
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from scipy.stats import binom

from tests.broken_mechanisms.catalogue import CATALOGUE
from tests.broken_mechanisms.sampled import sampled_check
from tests.broken_mechanisms.target import BY_NAME

DOCUMENT = Path(__file__).parents[2] / "docs" / "broken-mechanisms.md"
MOST = 1_000_000
POWER_SEEDS = range(100, 103)
ALARM_SEEDS = range(1000, 1003)
ALARM_ALPHA = 0.05
ALARM_REPORTS = 6_000


def reports_needed(name: str, seed: int) -> int | None:
    """Return the number of reports after which the broken side is caught at alpha = 1e-6."""
    return sampled_check(BY_NAME[name], "broken", MOST, 1e-6, seed).sure_after


def is_flagged(name: str, seed: int) -> bool:
    """Tell whether the correct side is called broken."""
    entry = BY_NAME[name]
    reports = max(ALARM_REPORTS, 100 * len(entry.values))
    course = sampled_check(entry, "correct", reports, ALARM_ALPHA, seed)
    return course.sure_after is not None


def kept_rows() -> dict[str, str]:
    """The rows of the document as it is, by the name of their mechanism."""
    rows = [line for line in DOCUMENT.read_text().splitlines() if line.startswith("| ")]
    return {row.split("|")[1].strip(): row for row in rows}


def main(workers: int, only: Sequence[str]) -> None:
    """Run everything, or `only` some mechanisms, and write the document."""
    names = [entry.name for entry in CATALOGUE if entry.name in only or not only]
    kept = kept_rows() if only else {}
    power_jobs = [(name, seed) for name in names for seed in POWER_SEEDS]
    alarm_jobs = [(name, seed) for name in names for seed in ALARM_SEEDS]
    with ProcessPoolExecutor(workers) as pool:
        needed = list(pool.map(reports_needed, *zip(*power_jobs, strict=True), chunksize=1))
        flagged = list(pool.map(is_flagged, *zip(*alarm_jobs, strict=True), chunksize=4))
    alarms = Counter(name for (name, _), alarm in zip(alarm_jobs, flagged, strict=True) if alarm)
    rows = []
    for entry in CATALOGUE:
        if entry.name not in names:
            rows.append(kept[entry.name])
            continue
        outcomes = [
            n for (name, _), n in zip(power_jobs, needed, strict=True) if name == entry.name
        ]
        caught = [n for n in outcomes if n is not None]
        most = f"{max(caught):,}" if caught else "-"
        promise = f"{entry.epsilon:g}" + (f", {entry.delta:g}" if entry.delta else "")
        rows.append(
            f"| {entry.name} | {entry.family} | {entry.place} | {promise} | "
            f"{entry.true_epsilon:.3g} | {len(caught)} of {len(outcomes)} | {most} | "
            f"{alarms[entry.name]} of {len(ALARM_SEEDS)} |"
        )
    twins = [row.split("|")[-2].split(" of ") for row in rows]
    total, tried = (sum(int(twin[i]) for twin in twins) for i in (0, 1))
    apart = [f"- Measured by themselves, later than the other rows: {', '.join(names)}."]
    low, high = (binom.ppf(share, tried, ALARM_ALPHA) for share in (0.01, 0.99))
    least = [e.name for e in CATALOGUE if not e.must_be_caught]
    DOCUMENT.write_text(
        "\n".join(
            [
                "# Wrong mechanisms, and what is caught",
                "",
                "Written by `python -m tests.broken_mechanisms.table`. Every wrong mechanism of "
                "`tests/broken_mechanisms/` has its exact epsilon and a correct twin.",
                "",
                f"- **Caught**: at alpha = 1e-6 over {len(POWER_SEEDS)} seeds, without the "
                f"classifier, within {MOST:,} reports; shown is the most that a seed took.",
                f"- **Twin flagged**: at alpha = {ALARM_ALPHA:g} with {ALARM_REPORTS:,} reports "
                f"over {len(ALARM_SEEDS)} seeds: {total} of {tried} in all. If every check were "
                f"wrong with probability {ALARM_ALPHA:g}, {low:.0f} to {high:.0f} would be (98%).",
                *(apart if only else []),
                "- Exceed their claim by less than 10%, or only far in the tail, and need not be "
                "caught: "
                f"{', '.join(least)}.",
                "",
                "| mechanism | family | the leak sits in | claim | true epsilon | caught "
                "| reports | twin flagged |",
                "| --- | --- | --- | --- | --- | --- | --- | --- |",
                *rows,
                "",
            ]
        )
    )
    print(f"{DOCUMENT} written", file=sys.stderr)


if __name__ == "__main__":
    main(2, sys.argv[1:])
