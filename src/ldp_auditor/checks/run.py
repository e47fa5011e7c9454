"""Check a target that runs in worker processes.

One worker makes the first reports; a gross leak needs no more. Then a second one is compared
with it, and from there on all workers take part.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ldp_auditor.checks.bets import Bet, ChosenEvent
from ldp_auditor.checks.dependence import WATCHED_INPUTS, Doubts, Flips
from ldp_auditor.checks.evidence import result_of
from ldp_auditor.checks.plan import MOST_OBJECTS, CheckPlan, most_searched
from ldp_auditor.checks.probing import Probed, Probing
from ldp_auditor.checks.sampling import Found, OpenTarget, Sampled, Sampling, Searching
from ldp_auditor.checks.scouting import refined
from ldp_auditor.checks.sequence import conduct, part
from ldp_auditor.core import Counts
from ldp_auditor.errors import AuditError, require
from ldp_auditor.execution.contract import Engine
from ldp_auditor.execution.engines import open_engine
from ldp_auditor.results.check_result import CheckResult
from ldp_auditor.seeding import stream_key

KEPT_BYTES = 2**28
"""Largest size of all reports together that are kept for the search."""

CHUNK_BYTES = 2**25
"""Largest size of all reports together that a worker makes in one task."""

COMPARE_AFTER = 2
"""How many times more reports than are compared the first worker makes alone."""

FIRST_CHUNK = 2
"""Reports of every input in the first task of all, by which their size becomes known."""

REPORTS, COMPARED, PROBED, CONFIRMED = range(4)
"""Streams of random numbers: all reports, those by which workers and by which objects are compared,
and those whose order is watched before a violation is told."""


PROBED_INPUTS = 2
"""Inputs of which objects are compared."""

ENOUGH_WATCHED = 256
"""Calls with an input whose order is watched before a violation is told."""

WORTH_WORKERS = 2.0
"""Seconds of sampling ahead from which on more than one worker is started."""


@dataclass
class _Workers:
    """Reports of a target that worker processes make."""

    plan: CheckPlan
    engine: Engine
    opener: OpenTarget
    stream: int
    progress: Callable[[int], None] | None
    shares = True
    reports: int = 0
    learned: bool | None = None
    notes: tuple[str, ...] = ()
    is_full: bool = False
    size: float | None = None
    """Mean size of a report in bytes, once it is known."""
    seconds: float = 0.0
    """Time that was spent on drawing reports."""
    chunks: int = 0
    """Tasks that were made so far."""
    kept: list[list[bytes]] = field(default_factory=list)
    """Reports of every input, in chunks, for the search."""
    kept_trials: list[int] = field(default_factory=list)
    found: list[bytes] = field(default_factory=list)
    """What every search found."""
    states: set[bytes] = field(default_factory=set)
    """What the global generators would have drawn next after every chunk."""
    alone: list[tuple[Sampling, Sampled]] | None = field(default_factory=list)
    """What the first worker made while it was alone; None once it was compared with another."""
    watched: int = 0
    """Calls with each of the inputs of bets of which that one watched the order."""
    doubts: Doubts = field(init=False)
    can_renew: bool = False
    """Whether fresh objects of the target can be made."""
    probe_note: tuple[str, ...] = ()
    """Why objects were not compared, if they were not."""
    under_way: Iterator[Any] | None = None
    """Outcomes of tasks that a single worker carries out."""
    is_over: bool = False
    """Whether no more tasks are made."""

    def __post_init__(self) -> None:
        self.kept = [[] for _ in self.plan.values]
        self.kept_trials = [0 for _ in self.plan.values]
        self.doubts = Doubts(self.plan.alpha, len(self.plan.values))

    def probe(self) -> None:
        """Have the first worker compare objects of the target."""
        plan = self.plan
        inputs = plan.values[:PROBED_INPUTS]
        stream = self.stream + PROBED
        task = Probing(inputs, plan.objects, MOST_OBJECTS, plan.alpha, plan.seed, stream)
        [(_, outcome)] = self._one.map(self.opener, [task], limits=plan.limits)
        probed: Probed = outcome
        self.can_renew = probed.can_renew
        self.probe_note = (probed.note,) if probed.note else ()
        _require_fresh(probed)
        self._doubt(probed.flips)

    def confirm(self, inputs: Sequence[int]) -> None:
        """Before a violation is told: watch as many calls as tell whether they are independent.

        A verdict that fell after a few reports would else come before any doubt; and those came a
        few of each input in turn, where a call follows one with another input. These reports are in
        no bet.
        """
        watched = [(i, self.plan.values[i]) for i in inputs if i < WATCHED_INPUTS]
        is_due = bool(watched) and self.watched < ENOUGH_WATCHED
        n = min(ENOUGH_WATCHED, self.left(inputs)) if is_due else 0
        if n > 0:
            stream = self.stream + CONFIRMED
            task = Sampling(tuple(watched), n, self.plan.seed, stream, 0, compare=True)
            [(_, outcome)] = self._one.map(self.opener, [task], limits=self.plan.limits)
            self._doubt(outcome.flips)

    def finish(self) -> None:
        """Make no more tasks; a worker that is alone stays, for `confirm`."""
        self.is_over = True
        for _ in self.under_way or ():
            pass

    def _doubt(self, flips: Flips) -> None:
        """Raise if the calls cannot be independent."""
        why = self.doubts.add(flips)
        if why:
            raise DependentCallsError(why)

    def left(self, inputs: Sequence[int]) -> int:
        """How many more reports of each of these inputs the budget allows."""
        return (self.plan.trials - self.reports) // len(inputs)

    @property
    def most_searched(self) -> int:
        """Largest number of reports of one input that a search looks at."""
        return most_searched(self.size or 0.0)

    def draw(
        self, inputs: Sequence[int], n: int, bets: Sequence[Bet], keep: bool
    ) -> Iterator[list[tuple[Bet, Counts]]]:
        """Draw `n` reports of each of these inputs, in parts; count the events of bets in each."""
        if self.alone is not None and self.reports >= COMPARE_AFTER * self.plan.handshake:
            self._compare_workers()
        if self.size is None:
            first = min(n, FIRST_CHUNK)
            yield from self._drawn(inputs, first, bets, keep)
            n -= first
        yield from self._drawn(inputs, min(n, self.left(inputs)), bets, keep)

    def search(self) -> tuple[ChosenEvent, ...]:
        """Have one worker search the reports that were kept."""
        plan = self.plan
        reports = tuple(tuple(chunks) for chunks in self.kept)
        task = Searching(reports, plan.claim, plan.values, plan.seed, plan.distances)
        # To its end, or its worker would end.
        [(_, (found, chosen, self.learned, self.notes))] = self._one.map(
            self.opener, [task], limits=plan.limits
        )
        self.found.append(found)
        return tuple(chosen)

    @property
    def _one(self) -> Engine:
        """One worker, always the same."""
        return replace(self.engine, most=1)

    def _drawn(
        self, inputs: Sequence[int], n: int, bets: Sequence[Bet], keep: bool
    ) -> Iterator[list[tuple[Bet, Counts]]]:
        searches = sorted({bet.search for bet in bets})
        grouped = [[bet for bet in bets if bet.search == search] for search in searches]
        found = tuple(
            Found(self.found[search], tuple(bet.place for bet in those))
            for search, those in zip(searches, grouped, strict=True)
        )
        listed = [bet for those in grouped for bet in those]
        size = sum(len(chunk) for chunks in self.kept for chunk in chunks)
        self.is_full = size + n * len(inputs) * (self.size or 0.0) > KEPT_BYTES
        row = {index: i for i, index in enumerate(inputs)}
        tasks = self._tasks(inputs, n, found, keep and not self.is_full)
        for task, outcome in self._in_order(tasks):
            for index, packed in zip(inputs, outcome.reports, strict=False):
                if self.kept_trials[index] < self.most_searched:
                    self.kept[index].append(packed)
                    self.kept_trials[index] += task.n
            rows = [(row[bet.event.first], row[bet.event.second]) for bet in listed]
            yield [
                (bet, Counts(task.n, outcome.counts[a][i], outcome.counts[b][i]))
                for i, (bet, (a, b)) in enumerate(zip(listed, rows, strict=True))
            ]

    def _tasks(
        self, inputs: Sequence[int], n: int, found: tuple[Found, ...], keep: bool
    ) -> Iterator[Sampling]:
        """Tasks that together make `n` reports of each of these inputs."""
        values = tuple((index, self.plan.values[index]) for index in inputs)
        fitting = CHUNK_BYTES / ((self.size or 1.0) * len(inputs))
        at_once = max(1, int(min(part(n, len(inputs), bool(found)), fitting)))
        compare = self.alone is not None
        for start in range(0, n, at_once):
            if self.is_over:
                return
            count = min(at_once, n - start)
            seed, stream = self.plan.seed, self.stream + REPORTS
            yield Sampling(values, count, seed, stream, self.chunks, found, keep, compare)
            self.chunks += 1

    def _in_order(self, tasks: Iterator[Sampling]) -> Iterator[tuple[Sampling, Sampled]]:
        """Carry out tasks; yield their outcomes in the order of the tasks.

        So all that is decided by them is the same for any number of workers.
        """
        ahead = self.seconds / max(1, self.reports) * (self.plan.trials - self.reports)
        several = self.alone is None and ahead > WORTH_WORKERS
        engine = self.engine if several else self._one
        waiting: dict[int, tuple[Sampling, Sampled]] = {}
        following = self.chunks
        began = time.perf_counter()
        outcomes = engine.map(self.opener, tasks, limits=self.plan.limits)
        self.under_way = None if several else outcomes
        for task, outcome in outcomes:
            waiting[task.chunk] = task, outcome
            while following in waiting:
                in_order = waiting.pop(following)
                following += 1
                try:
                    self._take(*in_order)
                except (AuditError, DependentCallsError):
                    outcomes.close()  # now: the error's traceback would keep its workers alive
                    raise
                if self.alone is not None:
                    self.alone.append(in_order)
                    self.watched += task.n
                yield in_order
        self.seconds += time.perf_counter() - began

    def _take(self, task: Sampling, outcome: Sampled) -> None:
        """Count the reports; raise if two chunks left a global generator in the same state."""
        for (_, value), states in zip(task.inputs, outcome.states, strict=True):
            require(
                not self.states.intersection(states),
                f"the target reseeds the global random state with a constant (seen with value "
                f"{value!r}), so that reports repeat; take that call out",
            )
            self.states.update(states)
        self._doubt(outcome.flips)
        made = task.n * len(task.inputs)
        self.reports += made
        if outcome.size:
            self.size = max(self.size or 0.0, outcome.size)
        if self.progress is not None:
            self.progress(made)

    def _compare_workers(self) -> None:
        """Raise if another worker makes the same reports though it has other seeds.

        It does what the first one did from its start on, with `handshake` reports or a few more.
        """
        assert self.alone is not None
        tasks: list[Sampling] = []
        seen: list[list[bytes]] = []
        for task, outcome in self.alone:
            missing = self.plan.handshake - sum(t.n * len(t.inputs) for t in tasks)
            if missing > 0:
                inputs = task.inputs[: -(-missing // task.n)]
                stream = self.stream + COMPARED
                tasks.append(replace(task, inputs=inputs, stream=stream, found=(), keep=False))
                seen += outcome.digests[: len(inputs)]
        self.alone = None
        with self._one.staying() as another:
            again = []
            for task, outcome in another.map(self.opener, tasks, limits=self.plan.limits):
                self._take(task, outcome)
                again += outcome.digests
        coincidence = 1.0
        for digests in seen:
            shares = [count / len(digests) for count in Counter(digests).values()]
            coincidence *= sum(share**2 for share in shares) ** len(digests)
        require(
            not (seen == again and coincidence < 1e-9),
            "two worker processes made exactly the same reports: the target's generator is seeded "
            "with a constant or copied, so that reports would repeat; give it a parameter rng or "
            "seed, or let it draw its seed from the system",
        )


class DependentCallsError(Exception):
    """Calls of one object are not independent; its words say how that was seen."""


def run_check(
    plan: CheckPlan,
    engine: Engine | None = None,
    progress: Callable[[int], None] | None = None,
) -> CheckResult:
    """Carry out a check; `progress` is called with the number of reports made since its last call.

    Without an `engine` the target runs in processes of this machine. If calls turn out not to be
    independent, the check begins again with a fresh object for every report.
    """
    started = time.perf_counter()
    dependent, spent, asked = "", 0, plan.values
    with open_engine(engine, isolated=True) as opened:
        if plan.has_ranges:
            opener = OpenTarget(plan.target, plan.score, False, plan.reports)
            with opened.staying() as kept:
                plan, spent = refined(plan, kept, opener, progress)
        asked_for = {"check": plan.plain_values, "claim": repr(plan.claim)}
        while True:
            # What begins again draws anew: it must not depend on what raised the doubt.
            begun = {"again": dependent} if dependent else {}
            stream = stream_key(asked_for | begun)
            opener = OpenTarget(plan.target, plan.score, plan.learn, plan.reports)
            with opened.staying() as kept:
                workers = _Workers(plan, kept, opener, stream, progress)
                try:
                    workers.probe()
                    begins_again = workers.can_renew and plan.reports is None
                    spared = workers.doubts.share if begins_again else 0.0
                    course = conduct(plan, workers, 1.0 - spared)
                    if course.sure_after is not None:
                        workers.confirm(course.bets.inputs)
                    break
                except DependentCallsError as doubt:
                    if not workers.can_renew or plan.reports is not None:
                        raise AuditError(
                            _refusal(str(doubt), workers.can_renew, workers.probe_note)
                        ) from None
                    dependent = str(doubt)
                    plan = replace(plan, reports=1)
    result = result_of(course, started, bool(workers.learned))
    notes = result.notes + workers.probe_note
    if spent:
        looked = ", ".join(map(str, asked))
        notes += (
            f"The inputs were chosen in {looked} by {spent:,} reports that count for nothing else.",
        )
    sure_after = None if result.sure_after is None else result.sure_after + spent
    return replace(
        result,
        reports=result.reports + spent,
        sure_after=sure_after,
        dependent=dependent,
        reports_each=plan.reports,
        notes=notes,
    )


def _require_fresh(probed: Probed) -> None:
    """Raise if fresh objects repeat each other."""
    require(
        not probed.is_copied,
        "fresh objects of the target all make the same reports: their generator is seeded with a "
        "constant; give the constructor a parameter rng or seed, or let it draw its seed from the "
        "system",
    )


def _refusal(why: str, can_renew: bool, notes: Sequence[str]) -> str:
    """Why nothing can be said, and what would help; `notes` say what was not compared."""
    why += "".join(f" ({note.rstrip('.')})" for note in notes)
    if can_renew:
        return (
            f"reports are not independent though each is made by a fresh object: {why}; take out "
            "what objects share, such as a counter, a clock or a cache of their class"
        )
    return (
        f"calls of one object are not independent: {why}; give its class, such as "
        "package.module:Class(arguments) (in Python the class itself), so that every report has a "
        "fresh object"
    )
