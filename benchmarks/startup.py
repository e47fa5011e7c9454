"""How long commands and the library take to start, beside the packages that they need.

    python benchmarks/startup.py [--runs 7]

Processor seconds of a child process, the median of several runs in turn, and their ratio to the
import of NumPy, scipy.stats and numba on the same machine. Run it twice: the first run compiles.
"""

import argparse
import resource
import statistics
import subprocess
import sys
from pathlib import Path

REFERENCE = "import numpy, scipy.stats, numba"
AUDIT = "audit GRR --epsilon 1 --domain-size 25"
COMMANDS = (
    "--version",
    "--help",
    "list",
    f"{AUDIT} --json",
    AUDIT,
    f"{AUDIT.replace('GRR', 'OUE')} --json",
    "explain AGM --epsilon 0.5 --domain-size 25 --trials 1e5 --json",
)
CALLS = (
    REFERENCE,
    "import ldp_auditor",
    "import ldp_auditor; ldp_auditor.audit('GRR', epsilon=1, domain_size=25)",
)


def processor_seconds(arguments: list[str]) -> float:
    """Run a child process and return what it took of the processors."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(arguments, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print a line for every command and call."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7)
    runs = parser.parse_args().runs
    program = str(Path(sys.executable).with_name("ldp-auditor"))
    starts = {f'python -c "{code}"': [sys.executable, "-c", code] for code in CALLS}
    starts |= {f"ldp-auditor {words}": [program, *words.split()] for words in COMMANDS}
    seconds: dict[str, list[float]] = {name: [] for name in starts}
    for _ in range(runs):
        for name, arguments in starts.items():
            seconds[name].append(processor_seconds(arguments))
    medians = {name: statistics.median(found) for name, found in seconds.items()}
    reference = medians[f'python -c "{REFERENCE}"']
    for name, median in medians.items():
        print(f"{median:6.2f} s {median / reference:6.2f}  {name}")


if __name__ == "__main__":
    main()
