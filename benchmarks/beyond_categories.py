"""Sketches, numbers, places, vectors: 10^6 reports and both attacks, and PrivUnit beside loops.

    python benchmarks/beyond_categories.py

One thread, processor time, the best of three turns. A time is that of 10^6 reports, worked out from
fewer; two cores take half of it. The loops make one report a call, as those do that people run
today: the second is the function of the paper, its parameters worked out before.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.special import betainc, betaincinv, ndtr, ndtri

from ldp_auditor import mechanisms
from ldp_auditor.attacks.paper import PaperAttack
from ldp_auditor.inputs import Numbers
from ldp_auditor.mechanisms.capabilities import default_pair

BATCH = 65_536
TURNS = 3
MILLION = 10**6

Draw = Callable[[], Any]


def seconds(work: Callable[[], Any], reports: int, turns: int = TURNS) -> float:
    """Processor seconds for 10^6 reports, by what `reports` of them take."""
    work()
    taken = []
    for _ in range(turns):
        started = time.process_time()
        work()
        taken.append(time.process_time() - started)
    return min(taken) * MILLION / reports


def settings() -> list[tuple[str, dict[str, Any]]]:
    """Every scalar, sketch and place, by its name and options."""
    found: list[tuple[str, dict[str, Any]]] = []
    for k in (100, MILLION):
        sketches = [name for name in mechanisms.expanded(["sketches"]) if name != "ADP"]
        found += [(name, {"epsilon": 1.0, "domain_size": k}) for name in sketches]
    for name in mechanisms.available(Numbers):
        delta = {"delta": 1e-5} if mechanisms.find(name).approximate else {}
        found.append((name, {"epsilon": 1.0, **delta}))
    for name in mechanisms.expanded(["distances"]):
        sized = {"domain_size": 100} if mechanisms.find(name).takes.has_size else {}
        found.append((name, {"epsilon": 0.5, **sized}))
    return found


def show_reports() -> None:
    """Print seconds of 10^6 reports, of the natural and of the optimal attack on them."""
    print(f"{'protocol':18}{'k':>9}{'reports':>10}{'natural':>10}{'optimal':>10}")
    for name, options in settings():
        mechanism: Any = mechanisms.make(name, **options)
        pair, rng = default_pair(mechanism), np.random.default_rng(1)
        batch = min(BATCH, 2**24 // mechanism.report_bytes)
        draw = partial(mechanism.privatize, pair.first, batch, rng)
        made = draw()
        accuse = partial(PaperAttack(mechanism, pair).accuse, made, rng)
        ratio = partial(mechanism.log_likelihood_ratio, made, pair)
        drawing, natural, optimal = (seconds(work, batch) for work in (draw, accuse, ratio))
        k = options.get("domain_size", "")
        row = f"{name:18}{k:>9}{drawing:>10.3f}{natural:>10.3f}{optimal:>10.3f}"
        print(row + ("   more than 1 s on two cores" if drawing + natural > 2 else ""))


def rejecting(value: Any, height: float, inside: float, rng: np.random.Generator) -> Draw:
    """A report by trying directions until one lies in the cap, or outside."""

    def draw() -> Any:
        wanted = rng.random() < inside
        while True:
            noise = rng.standard_normal(len(value))
            noise /= np.linalg.norm(noise)
            if (noise @ value >= height) == wanted:
                return noise / height

    return draw


def inverting(value: Any, height: float, inside: float, rng: np.random.Generator) -> Draw:
    """A report by the inverse of the law of its height, and a direction at right angles to it."""
    size = len(value)
    shape, edge = (size - 1) / 2, (1 + height) / 2
    below = betainc(shape, shape, edge)

    def draw() -> Any:
        low, high = (below, 1.0) if rng.random() < inside else (0.0, below)
        level = 2 * betaincinv(shape, shape, low + (high - low) * rng.random()) - 1
        noise = rng.standard_normal(size)
        noise -= (noise @ value) * value
        noise *= np.sqrt(1 - level * level) / np.linalg.norm(noise)
        return (noise + level * value) / height

    return draw


def of_noise(value: Any, height: float, inside: float, rng: np.random.Generator) -> Draw:
    """A report of PrivUnitG, by the inverse of the normal law, not yet multiplied."""
    tail = ndtr(-height)

    def draw() -> Any:
        low, high = (0.0, tail) if rng.random() < inside else (tail, 1.0)
        level = -ndtri(low + (high - low) * rng.random())
        noise = rng.standard_normal(len(value))
        return noise + (level - noise @ value) * value

    return draw


LOOPS = {
    "PrivUnit": {"tries directions": rejecting, "inverts the law": inverting},
    "PrivUnitG": {"inverts the law": of_noise},
}
"""What makes one report a call, by what it does."""


def show_vectors(name: str, epsilon: float, dimension: int, most: float = 0.5) -> None:
    """Print PrivUnit or PrivUnitG beside loops that make one report a call."""
    protocol = mechanisms.make(name, epsilon=epsilon, dimension=dimension)
    value = np.zeros(dimension)
    value[0] = 1.0
    pair = default_pair(protocol)
    count = max(1024, 2**22 // dimension)
    mine = seconds(lambda: protocol.privatize(pair.first, count, np.random.default_rng(1)), count)
    height, inside = protocol.cap.height, protocol.cap.chance
    print(f"\n{name}, epsilon {epsilon:g}, d = {dimension}: {mine:.2f} us a report")
    for words, make in LOOPS[name].items():
        draw = make(value, height, inside, np.random.default_rng(2))
        calls = 0
        started = time.process_time()
        while time.process_time() - started < most:
            for _ in range(20):
                draw()
            calls += 20
        each = (time.process_time() - started) / calls * MILLION
        print(f"  a NumPy loop that {words}: {each:.1f} us, {each / mine:.0f} times as long")


def main() -> None:
    """Print both tables."""
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    ).parse_args()
    show_reports()
    for epsilon, dimension in ((4.0, 3), (1.0, 128), (4.0, 128), (8.0, 128)):
        for name in LOOPS:
            show_vectors(name, epsilon, dimension)


if __name__ == "__main__":
    main()
