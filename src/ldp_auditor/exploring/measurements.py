"""One measurement at a time: started, watched and stopped by the page."""

import math
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from ldp_auditor.audits.chunks import Chunks, Piece
from ldp_auditor.audits.comparison import ComparisonPlan
from ldp_auditor.audits.plan import AuditPlan
from ldp_auditor.audits.run import run
from ldp_auditor.errors import require
from ldp_auditor.execution.contract import Opener
from ldp_auditor.execution.threads import ThreadEngine
from ldp_auditor.exploring.access import failure_in_words
from ldp_auditor.exploring.curves import SETTING_LETTERS
from ldp_auditor.exploring.exact import exact_at
from ldp_auditor.exploring.settings import AXES, Setting
from ldp_auditor.exploring.wealth import Bet, wealth_for_page
from ldp_auditor.figures.data import to_plain
from ldp_auditor.figures.identity import protocol_place
from ldp_auditor.figures.points import points_of, words_of
from ldp_auditor.figures.series import proven_line
from ldp_auditor.figures.words import digits, plain
from ldp_auditor.page.evidence import command_of
from ldp_auditor.report.verdicts import summary_of_audits
from ldp_auditor.results.audit_result import AuditResult


class StoppedError(Exception):
    """The page wants no more of it."""


@dataclass(frozen=True)
class StoppableEngine(ThreadEngine):
    """Threads that take an audit chunk by chunk, and stop between two chunks when asked to.

    Counts do not depend on how chunks are cut into pieces, nor on their order: both sides take
    turns, so that a bet on their hits can be watched.
    """

    stop: threading.Event = field(default_factory=threading.Event)
    watch: Callable[[Piece, Any], None] | None = None
    """Hears of every chunk and its hits."""

    def map(
        self, open_session: Opener, tasks: Iterable[Any], **settings: Any
    ) -> Generator[tuple[Any, Any], None, None]:
        """Yield every chunk with its outcome, in the order of completion."""
        for outcome in super().map(open_session, _single_chunks(tasks), **settings):
            if self.stop.is_set():
                raise StoppedError
            if self.watch is not None:
                self.watch(*outcome)
            yield outcome


def _single_chunks(pieces: Iterable[Piece]) -> Iterator[Piece]:
    single = [
        Piece(piece.side, chunk, chunk + 1)
        for piece in pieces
        for chunk in range(piece.first_chunk, piece.last_chunk)
    ]
    yield from sorted(single, key=lambda piece: (piece.first_chunk, piece.side))


@dataclass
class Measurement:
    """A measurement of the chosen protocols, one after the other, in a thread of its own."""

    setting: Setting
    plan: ComparisonPlan
    number: int
    stop: threading.Event = field(default_factory=threading.Event)
    state: str = "running"
    """Or done, cancelled, failed."""
    protocol: str = ""
    done: int = 0
    failure: str = ""
    results: list[dict[str, Any]] = field(default_factory=list)
    bets: list[Bet] = field(default_factory=list)
    """One for every protocol so far, if the bound is that of betting."""

    def run(self) -> None:
        """Carry it out to one of its ends."""
        try:
            for audit in self.plan.audits:
                self.protocol = audit.mechanism.name
                engine = StoppableEngine(stop=self.stop, watch=self._watch(audit))
                (result,) = run(audit, engine=engine, progress=self._advance)
                self.results.append(result_for_page(self.setting, audit, result))
            self.state = "done"
        except StoppedError:
            self.state = "cancelled"
        except Exception as error:
            self.failure = failure_in_words(error)
            self.state = "failed"

    def _watch(self, audit: AuditPlan) -> Callable[[Piece, Any], None] | None:
        """Place a bet against what is claimed of all reports, if that is how it is bounded."""
        if audit.bound != "betting":
            return None
        name, claimed = audit.mechanism.name, audit.looks[0].claim.epsilon
        if claimed == math.inf:  # nothing is promised, so bet against the epsilon of the slider
            claimed = self.plan.claim.epsilon
        shown = exact_at(self.setting, name).attack
        known = claimed if shown is None or shown == math.inf else shown
        bet = Bet(Chunks(audit, ()), name, protocol_place(name), claimed, known)
        self.bets.append(bet)
        return lambda piece, hits: bet.add(piece, int(hits[0]))

    def _advance(self, trials: int) -> None:
        self.done += trials

    def progress(self) -> dict[str, Any]:
        """How far it is, as plain values."""
        state = self.state  # read before the results, so that "done" comes with all of them
        told = {name: getattr(self, name) for name in ("number", "protocol", "done", "failure")}
        plan = {"trials": self.plan.trials, "refused": list(self.plan.refused.values())}
        wealth = wealth_for_page(self.bets)
        return {"state": state, **told, **plan, "results": list(self.results), "wealth": wealth}


class Bench:
    """The place where measurements are made: one at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._latest: Measurement | None = None

    def start(self, setting: Setting) -> dict[str, Any]:
        """Start a measurement, or raise if it cannot be made or another one is running."""
        plan = setting.plan()
        with self._lock:
            latest = self._latest
            require(
                latest is None or latest.state != "running",
                "a measurement is running; cancel it or wait for its end",
            )
            number = 1 if latest is None else latest.number + 1
            self._latest = started = Measurement(setting, plan, number)
        threading.Thread(target=started.run, name="measurement", daemon=True).start()
        return started.progress()

    def cancel(self) -> dict[str, Any]:
        """Stop the measurement that is running, if any, before its next chunk."""
        if self._latest is not None:
            self._latest.stop.set()
        return self.progress()

    def progress(self) -> dict[str, Any]:
        """How far the latest measurement is."""
        return {"state": "idle"} if self._latest is None else self._latest.progress()


def result_for_page(setting: Setting, plan: AuditPlan, result: AuditResult) -> dict[str, Any]:
    """A result for the page: numbers, a verdict in words, and the command that repeats it."""
    key = plan.key
    ((name, points),) = points_of([(key, result)]).items()
    verdict = summary_of_audits(name, points)
    counts = result.counts
    used = {name: value for name, value in points[0].setting.items() if value}
    where = words_of(used, (*SETTING_LETTERS, "reports"))
    line = proven_line(points, "epsilon", name, protocol_place(name), "open")
    lines = {axis: replace(line, x=[getattr(setting, axis)]) for axis in AXES}
    return {
        **result.to_dict(),
        "claimed_epsilon": plain(result.claim.epsilon),
        "lines": to_plain(lines, digits=17),
        "at": setting.to_plain(),
        "sign": verdict.kind.sign,
        "kind": verdict.kind.style,
        "badge": verdict.kind.title,
        "sentence": verdict.sentence,
        "where": f"{where}: {counts.true_positives:,} true and "
        f"{counts.false_positives:,} false positives in {counts.trials:,} trials; attack "
        f"{digits(result.attack_epsilon)} with unlimited trials.",
        "command": command_of(key, result),
    }
