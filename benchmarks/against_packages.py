"""Numbers, distances and sketches beside the packages that offer them: time, rates, variance.

    .venv/environments/packages/bin/python benchmarks/against_packages.py [--seconds 0.3]

To be run where pure-ldp, OpenDP and diffprivlib are installed: `make test-environments` makes that
environment. One thread each, processor time, in turns. A package is called once for a report, as
its users do. Variances of numbers and supports of values are measured on the package's reports; on
our side variances are exact.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ldp_auditor import mechanisms
from ldp_auditor.adapters import named_target
from ldp_auditor.core import Claim

BATCH = 65_536
SIZE = 20
TURNS = 3
DELTA = 1e-5

Draw = Callable[[], Any]


def our_seconds(mechanism: Any, value: Any) -> float:
    """Return our processor seconds a report."""
    rng = np.random.default_rng(1)
    mechanism.privatize(value, BATCH, rng)
    started = time.process_time()
    for _ in range(4):
        mechanism.privatize(value, BATCH, rng)
    return (time.process_time() - started) / (4 * BATCH)


def loop_seconds(draw: Draw, most: float) -> tuple[float, list[Any]]:
    """Return the processor seconds of a call, and what the calls returned."""
    made = [draw()]
    started = time.process_time()
    while time.process_time() - started < most:
        made += [draw() for _ in range(50)]
    return (time.process_time() - started) / (len(made) - 1), made


def of_diffprivlib(name: str, value: Any, **settings: Any) -> Draw:
    """A report of diffprivlib."""
    from diffprivlib import mechanisms as theirs

    made = getattr(theirs, name)(**settings)
    return lambda: made.randomise(value)


def of_opendp(kind: str, value: Any, **settings: Any) -> Draw:
    """A report of OpenDP."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    whole = isinstance(value, int)
    domain = dp.atom_domain(T=int) if whole else dp.atom_domain(T=float, nan=False)
    distance = dp.absolute_distance(T=int if whole else float)
    made = getattr(dp.m, f"make_{kind}")(domain, distance, **settings)
    return lambda: made(value)


def numbers(epsilon: float) -> list[tuple[str, Any, Any, str, Draw]]:
    """Ours, its input, and who else offers it."""
    make = mechanisms.make
    laplace, staircase = make("Laplace", epsilon=epsilon), make("Staircase", epsilon=epsilon)
    normal = make("Gaussian", epsilon=epsilon, delta=DELTA)
    whole = make("Geometric", epsilon=epsilon, domain_size=SIZE)
    nearest = make("Exponential", epsilon=epsilon, domain_size=SIZE)
    of_number = {"epsilon": epsilon, "sensitivity": 2.0}
    of_step = {"epsilon": epsilon, "sensitivity": 1, "lower": 0, "upper": SIZE - 1}
    utility = [-abs(float(candidate - 7)) for candidate in range(SIZE)]
    of_choice = {"epsilon": epsilon, "sensitivity": 1, "utility": utility}
    ibm, dp = of_diffprivlib, of_opendp
    return [
        ("Laplace", laplace, 0.3, "diffprivlib Laplace", ibm("Laplace", 0.3, **of_number)),
        ("Laplace", laplace, 0.3, "OpenDP make_laplace", dp("laplace", 0.3, scale=2 / epsilon)),
        ("Staircase", staircase, 0.3, "diffprivlib Staircase", ibm("Staircase", 0.3, **of_number)),
        (
            "Gaussian",
            normal,
            0.3,
            "diffprivlib GaussianAnalytic",
            ibm("GaussianAnalytic", 0.3, delta=DELTA, **of_number),
        ),
        ("Gaussian", normal, 0.3, "OpenDP make_gaussian", dp("gaussian", 0.3, scale=normal.scale)),
        (
            "Geometric",
            whole,
            7,
            "diffprivlib GeometricTruncated",
            ibm("GeometricTruncated", 7, **of_step),
        ),
        (
            "Geometric",
            whole,
            7,
            "OpenDP make_geometric",
            dp("geometric", 7, scale=1 / epsilon, bounds=(0, SIZE - 1)),
        ),
        (
            "Exponential",
            nearest,
            7,
            "diffprivlib Exponential",
            ibm("Exponential", None, candidates=list(range(SIZE)), **of_choice),
        ),
    ]


def exact_variance(mechanism: Any, value: Any) -> float:
    """Return the variance of a report, by the law of the mechanism."""
    if hasattr(mechanism, "report_variance"):
        return float(mechanism.report_variance(value))
    chances, places = np.exp(mechanism.log_row(value)), np.arange(mechanism.count)
    mean = chances @ places
    return float(chances @ (places - mean) ** 2)


SKETCHES: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "HRR": ("pure-ldp:HadamardMech", {}, {"coefficients": 1}),
    "HR": ("pure-ldp:HadamardResponse", {}, {}),
    "CMS": ("pure-ldp:CMS", {"width": 64}, {}),
    "HCMS": ("pure-ldp:HCMS", {"width": 64}, {}),
    "Bloom-SUE": ("pure-ldp:RAPPOR", {"width": 64, "hashes": 2}, {}),
}


def show_numbers(epsilon: float, seconds: float) -> None:
    """Print a row for every number mechanism."""
    for name, ours, value, who, draw in numbers(epsilon):
        mine = min(our_seconds(ours, value) for _ in range(TURNS))
        theirs, made = loop_seconds(draw, seconds)
        squares = (np.array(made, dtype=float) - np.mean(np.array(made, dtype=float))) ** 2
        away = squares.mean() / exact_variance(ours, value)
        error = 100 * squares.std() / squares.mean() / len(made) ** 0.5
        print(
            f"{name:12} {who:30} {mine * 1e9:7.1f} ns {theirs * 1e6:9.2f} us {theirs / mine:9.0f}"
            f"   variance {away:.3f} times ours (+- {error:.1f}%, {len(made):,} reports)"
        )


def show_sketches(epsilon: float) -> None:
    """Print a row for every sketch."""
    for name, (who, own, theirs_own) in SKETCHES.items():
        ours = mechanisms.make(name, epsilon=epsilon, domain_size=SIZE, **own)
        mine = min(our_seconds(ours, 3) for _ in range(TURNS))
        try:
            target: Any = named_target(who, Claim(epsilon), SIZE, theirs_own, None).open()
        except ValueError as error:
            print(f"{name:12} {who:30} {mine * 1e9:7.1f} ns   {error}")
            continue
        rng = np.random.default_rng(2)
        n, started = 4_000, time.process_time()
        reports = target.sample(3, n, rng)
        each = (time.process_time() - started) / n
        rates = ""
        if hasattr(target, "supports"):
            shares = [np.mean([target.supports(r, value) for r in reports]) for value in (3, 8)]
            made = ours.privatize(3, 200_000, rng)
            own_rates = [float(np.mean(ours.supports(made, value))) for value in (3, 8)]
            rates = "   supports its value, another: " + ", ".join(
                f"{theirs:.3f} ({mine_too:.3f} ours)"
                for theirs, mine_too in zip(shares, own_rates, strict=True)
            )
        times = f"{mine * 1e9:7.1f} ns {each * 1e6:9.2f} us {each / mine:9.0f}"
        print(f"{name:12} {who:30} {times}{rates}")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--seconds", type=float, default=0.3, help="for the loop of a package")
    arguments = parser.parse_args()
    print(f"{'ours':12} {'package':30} {'ours':>10} {'its loop':>12} {'ratio':>9}")
    show_numbers(arguments.epsilon, arguments.seconds)
    show_sketches(arguments.epsilon)


if __name__ == "__main__":
    main()
