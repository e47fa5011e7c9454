"""Money that is bet against a claim, on events that the search proposes as it goes.

The money is 1. An event is bet on with a part of it, on reports that are drawn after it was
proposed; what is not bet stays as cash. If the claim holds, no bet wins on average, whatever was
seen before decided on its event, its pair of inputs and its part of the money. So the sum of
all money reaches 1 / alpha at some moment with probability alpha at most, and the verdict may fall
at any look. `docs/betting.md` has the proof.

Nothing here knows reports: it is fed with counts.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ldp_auditor.bounds.betting import Wealth, log_wealth
from ldp_auditor.core import Claim, Counts, Floats

SHARES = (0.5, 0.3, 0.2)
"""Parts of a stage's money, for the events that are proposed together, the strongest first."""

MOST_OLD = 3
"""Bets of earlier stages that are still counted when new ones are placed: the richest."""

DIGITS = 9
"""Digits of the log of a bet's money that decide which bets are the richest: its last bits
differ between processors."""


NOTHING = Counts(0, 0, 0)


@dataclass(frozen=True)
class ChosenEvent:
    """An event that is to be counted on later reports of two inputs."""

    words: str
    first: int
    second: int
    example: str = field(default="", compare=False)
    """The shortest report of the first input that shows it, of those that were looked at."""


@dataclass
class Bet:
    """A part of the money that is bet on one event."""

    event: ChosenEvent
    search: int
    """The number of the search that proposed it."""
    place: int
    """Its place among what that search proposed."""
    money: float
    """What was bet: a part of 1."""
    distance: float = 1.0
    """Of its two inputs, if the claim is counted in that."""
    counts: Counts = NOTHING
    """Reports since the bet was placed."""

    def rank(self, claim: Claim) -> float:
        """Log of what the bet is worth now, as exactly as any processor would say."""
        won = log_wealth(self.counts, claim.at(self.distance).epsilon, claim.delta)
        return round(math.log(self.money) + won, DIGITS)


@dataclass
class Bets:
    """All bets against a claim, and what they are worth."""

    claim: Claim
    alpha: float
    searches: int
    """How many searches there will be; the money is meant to last for them all."""
    distances: Floats | None = None
    """Of all pairs of inputs, if the claim is counted in them."""
    cash: float = 1.0
    bets: list[Bet] = field(default_factory=list)
    live: list[Bet] = field(default_factory=list)
    """Bets that go on; the others keep what they have."""
    searched: int = 0
    """How many searches there were."""
    last_money: float = 0.0
    """What the last search could bet."""
    most: float = 0.0
    """Largest log of all money at any look."""
    bound: float = 0.0
    """Largest epsilon that was disproved at a look that asked."""

    def place(self, events: Sequence[ChosenEvent]) -> None:
        """Bet on what a search proposes, the strongest first; a bet on the same event goes on."""
        self.last_money = money = self.cash / max(1, self.searches - self.searched)
        known = {bet.event: bet for bet in self.bets}
        # Once, also where two proposals have the same words: one that is live twice counts twice.
        again = [known[event] for event in dict.fromkeys(events) if event in known]
        richest = sorted(self.live, key=lambda bet: -bet.rank(self.claim))
        self.live = again + [bet for bet in richest if bet not in again][:MOST_OLD]
        for place, (event, share) in enumerate(zip(events, SHARES, strict=False)):
            if event not in known:
                bet = Bet(event, self.searched, place, share * money, self._distance(event))
                self.cash -= bet.money
                self.bets.append(bet)
                self.live.append(bet)
        self.searched += 1

    def _distance(self, event: ChosenEvent) -> float:
        return 1.0 if self.distances is None else float(self.distances[event.first, event.second])

    def add(self, counted: Iterable[tuple[Bet, Counts]]) -> bool:
        """Add counts of live bets and look; whether the claim is disproved by now."""
        for bet, counts in counted:
            bet.counts += counts
        self.most = max(self.most, self.wealth.log_against(self.claim.epsilon))
        return self.is_sure

    @property
    def is_sure(self) -> bool:
        """Whether the money has ever reached 1 / alpha."""
        return self.most >= -math.log(self.alpha)

    @property
    def wealth(self) -> Wealth:
        """All money, against every epsilon."""
        bets = [(bet.money, bet.counts) for bet in self.bets]
        return Wealth.of(bets, self.claim.delta, self.cash, [bet.distance for bet in self.bets])

    @property
    def inputs(self) -> tuple[int, ...]:
        """The inputs that live bets are about."""
        return tuple(sorted({i for bet in self.live for i in (bet.event.first, bet.event.second)}))

    @property
    def p_value(self) -> float:
        """Smallest alpha at which the claim would be disproved by now."""
        return min(1.0, math.exp(-min(self.most, 700.0)))  # never 0

    def prove(self) -> None:
        """Note the largest epsilon that the money disproves at this moment."""
        proven = self.wealth.bound(self.alpha)
        if self.is_sure:  # by the same sum, but for its last bits
            proven = max(proven, math.nextafter(self.claim.epsilon, math.inf))
        self.bound = max(self.bound, proven)
