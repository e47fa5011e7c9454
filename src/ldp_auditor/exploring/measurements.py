"""One measurement at a time: started, watched and stopped by the page."""

import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ldp_auditor.audits.chunks import Piece
from ldp_auditor.audits.comparison import ComparisonPlan
from ldp_auditor.audits.plan import AuditPlan
from ldp_auditor.audits.run import run
from ldp_auditor.errors import require
from ldp_auditor.execution.contract import Opener
from ldp_auditor.execution.threads import ThreadEngine
from ldp_auditor.exploring.access import failure_in_words
from ldp_auditor.exploring.curves import place_of
from ldp_auditor.exploring.settings import AXES, Setting
from ldp_auditor.figures.data import to_plain
from ldp_auditor.figures.points import points_of, words_of
from ldp_auditor.figures.series import proven_line
from ldp_auditor.figures.words import digits, plain
from ldp_auditor.page.evidence import command_of
from ldp_auditor.page.summaries import summary_of_audits
from ldp_auditor.results.audit_result import AuditResult


class StoppedError(Exception):
    """The page wants no more of it."""


@dataclass(frozen=True)
class StoppableEngine(ThreadEngine):
    """Threads that take an audit chunk by chunk, and stop between two chunks when asked to.

    Counts do not depend on how chunks are cut into pieces.
    """

    stop: threading.Event = field(default_factory=threading.Event)

    def map(
        self, open_session: Opener, tasks: Iterable[Any], **settings: Any
    ) -> Iterator[tuple[Any, Any]]:
        """Yield every chunk with its outcome, in the order of completion."""
        for outcome in super().map(open_session, _single_chunks(tasks), **settings):
            if self.stop.is_set():
                raise StoppedError
            yield outcome


def _single_chunks(pieces: Iterable[Piece]) -> Iterator[Piece]:
    for piece in pieces:
        for chunk in range(piece.first_chunk, piece.last_chunk):
            yield Piece(piece.side, chunk, chunk + 1)


@dataclass
class Measurement:
    """A measurement of the chosen protocols, one after the other, in a thread of its own."""

    plan: ComparisonPlan
    number: int
    stop: threading.Event = field(default_factory=threading.Event)
    state: str = "running"
    """Or done, cancelled, failed."""
    protocol: str = ""
    done: int = 0
    failure: str = ""
    results: list[dict[str, Any]] = field(default_factory=list)

    def run(self) -> None:
        """Carry it out to one of its ends."""
        try:
            for audit in self.plan.audits:
                self.protocol = audit.mechanism.name
                engine = StoppableEngine(stop=self.stop)
                (result,) = run(audit, engine=engine, progress=self._advance)
                self.results.append(result_for_page(audit, result))
            self.state = "done"
        except StoppedError:
            self.state = "cancelled"
        except Exception as error:
            self.failure = failure_in_words(error)
            self.state = "failed"

    def _advance(self, trials: int) -> None:
        self.done += trials

    def progress(self) -> dict[str, Any]:
        """How far it is, as plain values."""
        state = self.state  # read before the results, so that "done" comes with all of them
        told = {name: getattr(self, name) for name in ("number", "protocol", "done", "failure")}
        plan = {"trials": self.plan.trials, "refused": list(self.plan.refused.values())}
        return {"state": state, **told, **plan, "results": list(self.results)}


class Bench:
    """The place where measurements are made: one at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._latest: Measurement | None = None

    def start(self, setting: Setting) -> dict[str, Any]:
        """Start a measurement, or raise if it cannot be made or another one is running."""
        plan = setting.plan()
        require(bool(plan.audits), "none of the chosen protocols can be measured at this setting")
        with self._lock:
            latest = self._latest
            require(
                latest is None or latest.state != "running",
                "a measurement is running; cancel it or wait for its end",
            )
            number = 1 if latest is None else latest.number + 1
            self._latest = started = Measurement(plan, number)
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


def result_for_page(plan: AuditPlan, result: AuditResult) -> dict[str, Any]:
    """A result for the page: numbers, a verdict in words, and the command that repeats it."""
    key = plan.key
    ((name, points),) = points_of([(key, result)]).items()
    verdict = summary_of_audits(name, points)
    counts = result.counts
    used = {name: value for name, value in points[0].setting.items() if value}
    where = words_of(used, ("epsilon", "domain_size", "delta", "reports"))
    lines = {axis: proven_line(points, axis, name, place_of(name), "open") for axis in AXES}
    return {
        **result.to_dict(),
        "claimed_epsilon": plain(result.claim.epsilon),
        "lines": to_plain(lines, digits=17),
        "sign": verdict.kind.sign,
        "kind": verdict.kind.style,
        "badge": verdict.kind.title,
        "sentence": verdict.sentence,
        "where": f"{where}: {counts.true_positives:,} true and "
        f"{counts.false_positives:,} false positives in {counts.trials:,} trials; attack "
        f"{digits(result.attack_epsilon)} with unlimited trials.",
        "command": command_of(key, result),
    }
