"""How often whole checks disprove a claim that holds, and doubt calls that are independent.

    python benchmarks/whole_checks.py [--scale 1.0] [--seed 0] [--journal FILE] [--minutes M]

First table: every run is a check with its own search, of 128 reports of each of two inputs that are
exactly as private as claimed, with searches at 32 and 64 and a look after every pair of reports.
Second table: every run watches 24 objects and 400 calls of each of two inputs, as the first worker
of a check does, with a look after every 50 calls; the money is that of all coins together.

One run counts for both alphas. "p" is the exact binomial probability of so many alarms or more if
the rate were alpha itself; "at most" is the 99.9% upper limit of the rate by Clopper and Pearson.
All kinds advance together, in pieces of 50 runs, each with a seed of its own. With `--journal` a
piece is written as it ends, and the same command goes on where it stopped; `--minutes` stops it.
`--scale` multiplies the numbers of runs. A whole run took 1,199 seconds of CPU time.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from ldp_auditor.bounds.betting import log_wealth
from ldp_auditor.checks.bets import Bet, Bets
from ldp_auditor.checks.dependence import Doubts, Flips, compare_objects, leaves_of
from ldp_auditor.checks.plan import CheckPlan
from ldp_auditor.checks.recorded_reports import Recorded
from ldp_auditor.checks.sequence import Course
from ldp_auditor.checks.watching import Watch
from ldp_auditor.core import Claim, Counts

CLAIM = Claim(1.0)
REPORTS = 128
ALPHAS = (0.05, 0.2)
TRUTH = math.e / (1 + math.e)

Rng = np.random.Generator


@cache
def wealth(trials: int, hits: int, alarms: int) -> float:
    """What a bet has made of 1."""
    return math.exp(log_wealth(Counts(trials, hits, alarms), CLAIM.epsilon, CLAIM.delta))


class Continuously(Recorded):
    """Reports that are there, with a look at all money after every pair."""

    def __init__(self, plan: CheckPlan, made: Sequence[Sequence[Any]], bets: Bets) -> None:
        super().__init__(plan, made, None, learn=False)
        self.bets = bets
        self.most = 1.0

    def draw(
        self, inputs: Sequence[int], n: int, bets: Sequence[Bet], keep: bool
    ) -> Iterator[list[tuple[Bet, Counts]]]:
        """Look at `n` more reports of each of these inputs, one by one."""
        parts = {i: self.following(i, n, keep) for i in inputs}
        self.reports += n * len(inputs)
        ended = [bet for bet in self.bets.bets if bet not in bets]
        money = np.full(n, self.bets.cash + sum(worth(bet, bet.counts) for bet in ended))
        counted = []
        for bet in bets:
            layout, events = self.found[bet.search]
            both = (parts[i] for i in (bet.event.first, bet.event.second))
            held = (events[bet.place].holds(part, layout.table(part)) for part in both)
            hits, alarms = (np.cumsum(one).tolist() for one in held)
            path = [Counts(t + 1, hits[t], alarms[t]) for t in range(n)]
            money += [worth(bet, bet.counts + counts) for counts in path]
            counted.append((bet, path[-1]))
        self.most = max(self.most, float(money.max()))
        if bets:
            yield counted


def worth(bet: Bet, counts: Counts) -> float:
    """What a bet is worth after these reports."""
    return bet.money * wealth(counts.trials, counts.true_positives, counts.false_positives)


def bit(value: int, n: int, rng: Rng) -> list[Any]:
    """Randomized response between two values, epsilon 1."""
    return list(map(int, rng.random(n) < (TRUTH if value else 1 - TRUTH)))


def category(value: int, n: int, rng: Rng) -> list[Any]:
    """Randomized response over four values, epsilon 1, as strings."""
    kept = rng.random(n) < math.e / (3 + math.e)
    other = rng.integers(1, 4, n)
    return [f"v{v}" for v in np.where(kept, value, (value + other) % 4)]


def bits(value: int, n: int, rng: Rng) -> list[Any]:
    """Optimized unary encoding of four values, epsilon 1."""
    made = rng.random((n, 4)) < 1 / (1 + math.e)
    made[:, value] = rng.random(n) < 0.5
    return list(made.astype(int).tolist())


def number(value: int, n: int, rng: Rng) -> list[Any]:
    """Laplace noise on 0 and 1, epsilon 1, in hundredths."""
    return list(np.round(value + rng.laplace(size=n), 2).tolist())


def pair(value: int, n: int, rng: Rng) -> list[Any]:
    """Two answers of epsilon 1/2 each, in one tuple."""
    truth = 1 / (1 + math.exp(-0.5))
    answers = rng.random((n, 2)) < (truth if value else 1 - truth)
    return list(map(tuple, answers.astype(int).tolist()))


def message(value: int, n: int, rng: Rng) -> list[Any]:
    """Randomized response in a mapping, with a nonce."""
    nonces = rng.integers(0, 2**32, n).tolist()
    return [{"nonce": x, "answer": b} for x, b in zip(nonces, bit(value, n, rng), strict=True)]


def raw(value: int, n: int, rng: Rng) -> list[Any]:
    """Randomized response in the lowest bit of three random bytes."""
    made = rng.integers(0, 256, (n, 3), dtype=np.uint8)
    made[:, 1] = made[:, 1] & 254 | np.array(bit(value, n, rng), dtype=np.uint8)
    return [row.tobytes() for row in made]


def subset(value: int, n: int, rng: Rng) -> list[Any]:
    """Two of five values as a set, the own one with odds 2e : 3: subset selection, epsilon 1."""
    kept = rng.random(n) < 2 * math.e / (2 * math.e + 3)
    made = []
    for own in kept.tolist():
        others = [v for v in rng.permutation(5).tolist() if v != value]
        made.append({value, others[0]} if own else set(others[:2]))
    return made


def sketch(value: int, n: int, rng: Rng) -> list[Any]:
    """A row of a Hadamard matrix and its entry for the value, turned round with epsilon 1."""
    rows = rng.integers(0, 8, n)
    signs = np.array([1 - 2 * ((row & (value + 1)).bit_count() % 2) for row in rows.tolist()])
    told = np.where(rng.random(n) < TRUTH, signs, -signs)
    return list(zip(rows.tolist(), told.tolist(), strict=True))


def text(value: int, n: int, rng: Rng) -> list[Any]:
    """Randomized response between two words, in a line with a random number."""
    numbers = rng.integers(1000, 10_000, n).tolist()
    told = zip(numbers, bit(value, n, rng), strict=True)
    return [f"id={number};answer={('no', 'yes')[answer]}" for number, answer in told]


CHECKS = {
    bit: 8000,
    category: 4000,
    pair: 3500,
    bits: 2000,
    number: 1000,
    sketch: 600,
    subset: 500,
    message: 500,
    raw: 400,
    text: 300,
}
"""Kinds of reports, and how many checks of each."""

WATCHED = dict.fromkeys(CHECKS, 200)
"""The same for the order of calls and the objects."""

PIECE = 50
"""Runs that are written to the journal at once."""


class Piece(NamedTuple):
    """Some runs of one kind, with a seed of their own."""

    table: str
    kind: str
    number: int
    runs: int
    seed: int


class Seen(NamedTuple):
    """What was seen in some runs."""

    runs: int
    alarms: tuple[int, ...]
    seconds: float


Journal = dict[Piece, Seen]


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--journal", type=Path, help="what was run, a line for each piece")
    parser.add_argument("--minutes", type=float, default=math.inf, help="stop after so long")
    given = parser.parse_args()
    ends = time.monotonic() + 60 * given.minutes
    seen = read(given.journal)
    for piece in pieces(given.scale, given.seed):
        if piece not in seen and time.monotonic() < ends:
            seen[piece] = run(piece)
            if given.journal:
                with given.journal.open("a") as file:
                    file.write(json.dumps([piece, seen[piece]]) + "\n")
    for table in ("checks", "watched"):
        print("\n".join(rows(table, seen)), flush=True)


def pieces(scale: float, seed: int) -> list[Piece]:
    """All pieces of both tables, those of every kind spread evenly over the whole run."""
    found = []
    for table, kinds in (("checks", CHECKS), ("watched", WATCHED)):
        for kind, usual in kinds.items():
            runs = max(1, round(usual * scale))
            for start in range(0, runs, PIECE):
                size = min(PIECE, runs - start)
                piece = Piece(table, kind.__name__, start // PIECE, size, seed)
                found.append(((start + size) / runs, piece))
    return [piece for _, piece in sorted(found, key=lambda each: each[0])]


def run(piece: Piece) -> Seen:
    """Count the alarms of a piece."""
    kinds = [kind.__name__ for kind in CHECKS]
    place = kinds.index(piece.kind)
    most = checked if piece.table == "checks" else doubted
    rng = np.random.default_rng((piece.seed, int(most is doubted), place, piece.number))
    started = time.process_time()
    money = np.array([most(list(CHECKS)[place], rng, i) for i in range(piece.runs)])
    alarms = tuple(int(np.count_nonzero(money >= -math.log(alpha))) for alpha in ALPHAS)
    return Seen(piece.runs, alarms, time.process_time() - started)


def read(path: Path | None) -> Journal:
    """What a journal holds; a torn last line is left out."""
    seen: Journal = {}
    for line in path.read_text().splitlines() if path and path.exists() else ():
        if line.endswith("]]"):
            piece, (runs, alarms, seconds) = json.loads(line)
            seen[Piece(*piece)] = Seen(runs, tuple(alarms), seconds)
    return seen


def rows(table: str, journal: Journal) -> Iterator[str]:
    """A row for each kind, and one for all of them."""
    words = ("alarms at", "p at", "at most at")
    columns = [f"{word} {alpha}" for alpha in ALPHAS for word in words]
    yield f"| {table} | runs | {' | '.join(columns)} | CPU s |"
    yield "| --- " * (len(columns) + 3) + "|"
    for kind in (*(kind.__name__ for kind in CHECKS), "all"):
        seen = [s for p, s in journal.items() if p.table == table and kind in (p.kind, "all")]
        if not seen:
            continue
        runs = sum(each.runs for each in seen)
        shown = [kind, f"{runs:,}"]
        for place, alpha in enumerate(ALPHAS):
            alarms = sum(each.alarms[place] for each in seen)
            p = stats.binomtest(alarms, runs, alpha, alternative="greater").pvalue
            limit = stats.binomtest(alarms, runs).proportion_ci(0.998, method="exact").high
            shown += [f"{alarms:,}", f"{p:.2g}", f"{limit:.4f}"]
        yield f"| {' | '.join(shown)} | {sum(each.seconds for each in seen):.0f} |"


def checked(kind: Callable[..., Any], rng: Rng, run: int) -> float:
    """The largest log of all money of a check."""
    made = [kind(value, REPORTS, rng) for value in (0, 1)]
    plan = CheckPlan(name="", values=(0, 1), claim=CLAIM, alpha=1e-9, seed=run)
    sizes = plan.searches(REPORTS // 2)
    bets = Bets(plan.claim, plan.alpha, len(sizes))
    source = Continuously(plan, made, bets)
    Course(plan, source, bets).run(sizes)
    most = math.log(source.most)
    assert bets.most <= most + 1e-9, (bets.most, most)  # looks of the check itself are among ours
    return most


def doubted(kind: Callable[..., Any], rng: Rng, run: int) -> float:
    """The largest log of the money of all coins of a check."""
    doubts = Doubts(0.01, inputs=2)
    most = 0.0
    objects = [
        [[leaves_of(report) for report in kind(value, 16, rng)] for value in (0, 1)]
        for _ in range(24)
    ]
    for first, second in zip(objects[::2], objects[1::2], strict=True):
        flips: Flips = Counter()
        for one, other in zip(first, second, strict=True):
            compare_objects(one, other, flips)
        most = max(most, _added(doubts, flips))
    watches = [Watch(0), Watch(1)]
    for _ in range(8):
        for value, watch in enumerate(watches):
            flips = Counter()
            watch.add(kind(value, 50, rng), flips)
            most = max(most, _added(doubts, flips))
    return most


def _added(doubts: Doubts, flips: Flips) -> float:
    """Log of all money after more flips; what is not bet yet is money too."""
    doubts.add(flips)
    coins = {coin for coin, _ in doubts.flips}
    worth = sum(math.exp(min(600.0, doubts.log_money(coin))) for coin in coins)
    unused = 1.0 - sum(math.exp(doubts.log_part(coin)) for coin in coins)
    return math.log(worth + unused)


if __name__ == "__main__":
    main()
