"""Whether calls of one object are independent, tested before anything is said about a claim.

All tests are fair coins. If reports of one input are independent and have one law, then swapping
two of them changes nothing: of three reports x, y, z in the order of their calls, y is as likely
to be nearer to x than z as the other way round; of two, the later one is as likely the larger;
of two objects with two reports each, exchanging their second reports changes nothing. A coin that
does not fall so is bet against with the mixture of Krichevsky and Trofimov [KT81], whose money
has mean 1 under every fair coin and reaches 1 / a with probability a at most, at any time. Coins
share reports, so their chances are added: each has a part of the money of its own.

`docs/check.md` says what follows from a coin that is not fair.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ldp_auditor.adapters.canonical import attributes, canonical

MOST_LEAVES = 64
"""Parts of a report that are compared, when objects are."""

WATCHED_LEAVES = 8
"""Parts of a report whose order is watched, and the report as a whole."""

WATCHED_INPUTS = 8
"""Inputs whose calls are watched: the first ones."""

ECHO_LEAVES = 4
"""Parts of a report that are compared with other parts of the report before."""

SHARE = 0.01
"""Part of alpha, or of 0.01 if alpha is larger, with which independent calls are doubted."""

WHOLE = "report"

NEAR, RISE, NEXT_RISE, DRIFT, EARLY = "near", "rise", "next rise", "drift", "early"
"""What a coin is about: nearness in time, the next report (from an even call, from an odd one), a
much later one, or one of the first calls of all with one much later."""

AGAIN = "again"
"""A report that is the one of some calls earlier, once more."""

ECHO = "echo of "
"""A part that is near to another part of the report before; that part's place follows."""

OBJECTS, PAIRS = "objects", "pairs"
"""Coins about objects: all reports of two objects at once, which tells a faint likeness, and two of
each at a time, which tells a perfect one from few objects."""

LAGS = (2, 3, 4)
"""A report is compared with the next one and with the one that comes so many calls later."""

KINDS = (*(f"{NEAR} {lag}" for lag in LAGS), RISE, NEXT_RISE, DRIFT, f"{DRIFT} later", EARLY)

LARGEST = 2**53
"""Whole numbers beyond it are names, not quantities."""

Leaves = Mapping[str, Any]
"""Parts of a report by their place, the report as a whole among them."""


@dataclass(frozen=True)
class Coin:
    """What falls to one of two sides, with equal chances if calls are independent."""

    kind: str
    leaf: str = WHOLE
    input: int = 0


Flips = Counter[tuple[Coin, bool]]
"""How often every coin fell to each side."""


def leaves_of(report: Any, most: int = MOST_LEAVES) -> Leaves:
    """The parts of a report, `most` at most, and the report as a whole."""
    found: dict[str, Any] = {WHOLE: _plain(report)}
    if found[WHOLE] is None:
        found[WHOLE] = (canonical(report),)
        for words, part in _walk(WHOLE, report, 0):
            if len(found) > most:
                break
            found[words] = part
    return found


def _plain(part: Any) -> Any:
    """A number, text or bytes as Python has it; None for anything else."""
    part = part.item() if isinstance(part, np.generic) else part
    return part if isinstance(part, bool | int | float | str | bytes) else None


def _walk(words: str, part: Any, depth: int) -> Iterator[tuple[str, Any]]:
    plain = _plain(part)
    if plain is not None or depth == 3:
        yield words, (canonical(part),) if plain is None else plain
        return
    if isinstance(part, Mapping):
        inside: Iterable[tuple[str, Any]] = ((f"{words}[{k!r}]", v) for k, v in part.items())
    elif isinstance(part, list | tuple | np.ndarray):
        inside = ((f"{words}[{i}]", v) for i, v in enumerate(part[:MOST_LEAVES]))
    elif isinstance(part, set | frozenset):
        inside = ((f"{member!r} in {words}", True) for member in sorted(part, key=repr))
    else:
        inside = ((f"{words}.{name}", v) for name, v in attributes(part))
    for name, entry in inside:
        yield from _walk(name, entry, depth + 1)


def is_number(part: Any) -> bool:
    """Whether a part is a quantity."""
    return isinstance(part, float) or (isinstance(part, int) and abs(part) <= LARGEST)


def compare_objects(first: Sequence[Leaves], second: Sequence[Leaves], flips: Flips) -> None:
    """Compare two objects by their reports of one input; what falls is added to `flips`."""
    pairs = [slice(i, i + 2) for i in range(0, len(first) - 1, 2)]
    for kind, parts in ((OBJECTS, [slice(None)]), (PAIRS, pairs)):
        for part in parts:
            fell = alike(first[part], second[part])
            if fell:
                flips[Coin(kind), fell > 0] += 1


def alike(first: Sequence[Leaves], second: Sequence[Leaves]) -> int:
    """Whether reports are more alike within two objects than between them: 1, -1, or 0.

    Each has as many reports, of one input. With the earlier and the later half of every object's
    reports, it is the sign of the product of the objects' differences in both; exchanging their
    later halves turns it round.
    """
    half = len(first) // 2
    largest: dict[str, float] = {}
    for leaf, part in (item for report in (*first, *second) for item in report.items()):
        if is_number(part):
            largest[leaf] = max(largest.get(leaf, 0.0), abs(part))
    earlier = _difference(first[:half], second[:half], largest)
    later = _difference(first[half:], second[half:], largest)
    total = math.fsum(earlier[name] * later.get(name, 0.0) for name in earlier)
    return 0 if abs(total) < 1e-9 else 1 if total > 0 else -1


def _difference(
    first: Sequence[Leaves], second: Sequence[Leaves], largest: Mapping[str, float]
) -> dict[Any, float]:
    """How often the first object says a thing more than the second, and how much larger it is."""
    sums: dict[Any, float] = {}
    for sign, reports in ((1.0, first), (-1.0, second)):
        for leaf, part in (item for report in reports for item in report.items()):
            name = (leaf, type(part), part)
            sums[name] = sums.get(name, 0.0) + sign
            if largest.get(leaf) and is_number(part):
                sums[leaf] = sums.get(leaf, 0.0) + sign * (part / largest[leaf])
    return sums


def log_money(heads: int, tails: int) -> float:
    """Log of what 1 became that was bet on a coin not being fair [KT81]."""
    n = heads + tails
    won = math.lgamma(heads + 0.5) + math.lgamma(tails + 0.5) - math.lgamma(n + 1)
    return round(won - math.log(math.pi) + n * math.log(2), 9)  # the same on any processor


@dataclass
class Doubts:
    """All coins of a check, and whether one of them cannot be fair."""

    alpha: float
    inputs: int
    flips: Flips = field(default_factory=Counter)
    leaves: list[str] = field(default_factory=list)
    """Parts of reports in the order in which they appeared; only the first ones are watched."""
    echoes: list[tuple[str, str]] = field(default_factory=list)
    """Kinds and parts of echoes, in the same way."""

    @property
    def share(self) -> float:
        """Probability that independent calls are doubted, at most."""
        return SHARE * min(0.01, self.alpha)

    def add(self, flips: Flips) -> str:
        """Add flips; the reason for a doubt in words, or nothing."""
        self.flips.update(flips)
        for coin in dict.fromkeys(coin for coin, _ in flips):
            if coin.kind.startswith(ECHO):
                if (coin.kind, coin.leaf) not in self.echoes:
                    self.echoes.append((coin.kind, coin.leaf))
            elif coin.leaf not in self.leaves:
                self.leaves.append(coin.leaf)
            if self.log_money(coin) >= -math.log(self.share):
                return self._words(coin)
        return ""

    def log_part(self, coin: Coin) -> float:
        """Log of what is bet against a coin; all bets together begin with 1."""
        if coin.kind in (OBJECTS, PAIRS):
            return math.log(0.25)
        watched = min(self.inputs, WATCHED_INPUTS)
        if coin.kind.startswith(ECHO):
            most = ECHO_LEAVES * (ECHO_LEAVES - 1)
            late = self.echoes.index((coin.kind, coin.leaf)) >= most
            return -math.inf if late else math.log(0.125 / (watched * most))
        if coin.kind == AGAIN:
            return math.log(0.01 / watched)
        if self.leaves.index(coin.leaf) > WATCHED_LEAVES:
            return -math.inf
        share = 0.015 if coin.kind == EARLY else 0.35 / (len(KINDS) - 1)
        return math.log(share / (watched * (WATCHED_LEAVES + 1)))

    def log_money(self, coin: Coin) -> float:
        """Log of what the bet against a coin is worth."""
        return log_money(self.flips[coin, True], self.flips[coin, False]) + self.log_part(coin)

    def _words(self, coin: Coin) -> str:
        up = self.flips[coin, True] > self.flips[coin, False]
        leaf = "the report" if coin.leaf == WHOLE else coin.leaf
        if coin.kind in (OBJECTS, PAIRS):
            return "reports of one object are more alike than those of different objects"
        if coin.kind in (RISE, NEXT_RISE):
            other = replace(coin, kind=NEXT_RISE if coin.kind == RISE else RISE)
            steady = (self.flips[other, True] > self.flips[other, False]) == up
            how = ("rises" if up else "falls") if steady else "takes turns"
            return f"{leaf} {how} from one call to the next"
        if coin.kind.startswith(DRIFT):
            return f"{leaf} drifts: later calls make it {'larger' if up else 'smaller'}"
        if coin.kind == EARLY:
            return f"{leaf} is {'smaller' if up else 'larger'} in the first calls than later"
        if coin.kind.startswith(ECHO):
            before = coin.kind.removeprefix(ECHO)
            return f"{leaf} {'follows' if up else 'avoids'} what {before} was in the call before"
        again = f"{leaf} is what it was some calls before, as if random numbers were used again"
        repeats = f"{leaf} repeats, or is close to, what the call before returned"
        turns = f"{leaf} takes turns from one call to the next"
        return again if coin.kind == AGAIN else repeats if up else turns
