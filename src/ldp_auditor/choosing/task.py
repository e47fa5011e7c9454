"""Find the choice: the best setting of every protocol, the curves, and the sentences."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ldp_auditor.choosing.candidate import Candidate, candidate_of
from ldp_auditor.choosing.choice import Binding, Choice, Curve
from ldp_auditor.choosing.columns import Columns, Question
from ldp_auditor.choosing.families import MOST_EPSILON, Family, family_of
from ldp_auditor.choosing.limits import ERRORS, LEAKAGE, LIMITED, OBJECTIVES, Limits
from ldp_auditor.choosing.participants import check_name, considered, keeps_something, too_slow
from ldp_auditor.choosing.reasons import (
    COLUMNS,
    answer,
    binding_sentence,
    fine_print,
    fingerprint_sentence,
    setting_of,
    why_it_fails,
    why_it_lost,
)
from ldp_auditor.choosing.solving import Rank, best_on_line, best_setting, in_order, rank
from ldp_auditor.choosing.timing import time_per_report
from ldp_auditor.choosing.verification import Verification, verify
from ldp_auditor.errors import AuditError, one_of, require

CURVE = tuple(2.0 ** (step / 2) for step in range(-6, 3))
"""Losses of the trade-off curve, as shares of the limit."""

DRAWN = 1e-5
"""How close the losses of the curve are to what is drawn, as a share."""


class Steps:
    """Counts the protocols that are done, and tells it to whoever asked for progress."""

    def __init__(self, tell: Callable[[int, int], None] | None) -> None:
        self._tell, self.done, self.expected = tell, 0, 0

    def over(self, names: Iterable[str]) -> Iterator[str]:
        """Yield the protocols `names`, and count each as done when the next is asked for."""
        every = list(names)
        self.expected += len(every)
        for name in every:
            yield name
            self.done += 1
            if self._tell is not None:
                self._tell(self.done, self.expected)


@dataclass(frozen=True)
class Task:
    """What is to be solved: a question, its limits, and the protocols that take part."""

    question: Question
    limits: Limits
    objective: str
    """The column that is made small."""
    families: Mapping[str, Family]
    fingerprint: bool
    skipped: Mapping[str, str]
    """Why a protocol that applies is not considered unless it is named."""
    steps: Steps

    @classmethod
    def of(
        cls,
        question: Question,
        limits: Limits,
        objective: str | None,
        protocols: Sequence[str],
        fingerprint: bool,
        steps: Steps,
    ) -> "Task":
        """Check the limits and the names, or raise."""
        require(not isinstance(protocols, str), f"protocols must be a list, got {protocols!r}")
        leakage, errors = (
            [name for name in names if name in limits.given] for names in (LEAKAGE, ERRORS)
        )
        aim = objective or ("error" if leakage else "epsilon")
        one_of("objective", aim, OBJECTIVES)
        require(
            bool(leakage if aim == "error" else errors),
            "there is no limit on what leaks: give max_epsilon, max_epsilon_1 or max_attack_success"
            if aim == "error"
            else "there is no limit on the error: give max_error",
            argument="max_epsilon" if aim == "error" else "max_error",
        )
        skipped = {} if protocols else too_slow(question)
        names = list(dict.fromkeys(protocols)) or considered(question)
        names = [name for name in names if name not in skipped]
        for name in protocols:
            check_name(name, question)
        families = {name: family_of(name, question) for name in names}
        return cls(question, limits, OBJECTIVES[aim], families, fingerprint, skipped, steps)

    def solve(self, limits: Limits, objective: str) -> tuple[dict[str, Columns], dict[str, str]]:
        """Return the best setting of every protocol, the best first, and why some have none."""
        found: dict[str, Columns] = {}
        ranks: dict[str, Rank] = {}
        left_out: dict[str, str] = {}
        for name in self.steps.over(self.families):
            try:
                columns = best_setting(
                    self.families[name],
                    self.question,
                    limits,
                    objective,
                    limits.max_epsilon or MOST_EPSILON,
                )
                if columns is None:
                    left_out[name] = "because no setting keeps the limits on leakage"
                elif columns.fingerprint and not self.fingerprint:
                    left_out[name] = "because a part of the reports never changes"
                else:
                    ranks[name] = rank(columns, limits, objective)
                    found[name] = columns
            except AuditError as error:
                left_out[name] = str(error)
        order = sorted(found, key=lambda name: in_order(ranks[name], min(ranks.values())))
        return {name: found[name] for name in order}, left_out

    def answer(self, *, measure: bool, verify_by: int | None) -> Choice:
        """Solve, and put the answer into words."""
        found, left_out = self.solve(self.limits, self.objective)
        fitting = [name for name, c in found.items() if not self.limits.broken_by(c)]
        winner = found[fitting[0]] if fitting else None
        candidates = tuple(
            self._candidate(found[name], winner, measure) for name in self.steps.over(found)
        )
        chosen = candidates[0] if fitting else None
        binding = {} if fitting else self.binding()
        checked: Verification | None = None
        if winner is not None and verify_by is not None:
            checked = verify(winner, verify_by)
        return Choice(
            domain_size=self.question.domain_size,
            users=self.question.users,
            reports=self.question.reports,
            delta=self.question.delta,
            objective={column: name for name, column in OBJECTIVES.items()}[self.objective],
            limits=self.limits.given,
            choice=chosen,
            candidates=candidates,
            left_out={**left_out, **self.skipped},
            binding=binding,
            curves=tuple(self.curves(found, candidates)),
            sentences=tuple(self._sentences(chosen, candidates, binding)),
            attributes=self.question.sizes,
            verification=checked,
        )

    def _candidate(self, columns: Columns, winner: Columns | None, measure: bool) -> Candidate:
        fits = not self.limits.broken_by(columns)
        if columns is winner:
            why = f"the least {COLUMNS[self.objective]} of all that keep the limits"
        elif fits and winner is not None:
            why = why_it_lost(columns, winner, self.objective)
        else:
            why = why_it_fails(columns, self.limits)
        seconds = time_per_report(columns.mechanism) if measure else None
        return candidate_of(columns, fits=fits, why=why, seconds=seconds)

    def binding(self) -> dict[str, Binding]:
        """Return, for each limit, to which value it alone must rise before any protocol fits."""
        found: dict[str, Binding] = {}
        for name, limit in self.limits.given.items():
            others = self.limits.without(name)
            settings, _ = self.solve(others, LIMITED[name])
            fitting = [c for c in settings.values() if not others.broken_by(c)]
            if fitting:
                best = min(fitting, key=lambda c: c.of(LIMITED[name]))
                found[name] = Binding(limit, best.of(LIMITED[name]), best.mechanism.name)
        return found or {
            name: Binding(limit, None, None) for name, limit in self.limits.given.items()
        }

    def curves(self, found: Mapping[str, Columns], candidates: Sequence[Candidate]) -> list[Curve]:
        """Return the least error of every protocol at several losses of all reports."""
        if not candidates:
            return []
        middle = self.limits.max_epsilon or candidates[0].worst_case_epsilon
        losses = [_two_digits(middle * share) if share != 1 else middle for share in CURVE]
        losses = sorted({min(MOST_EPSILON, loss) for loss in losses})
        kept = self.limits.without("max_epsilon", "max_bits", *ERRORS)
        return [
            Curve(name, tuple(losses), self._errors(found[name], losses, kept))
            for name in self.steps.over(found)
        ]

    def _errors(
        self, best: Columns, losses: Sequence[float], kept: Limits
    ) -> tuple[float | None, ...]:
        """The least error of a protocol, whose setting within the limits is `best`, at losses."""
        family = self.families[best.mechanism.name]
        found: list[float | None] = []
        for loss in losses:
            limits = Limits(**{**kept.given, "max_epsilon": loss})
            settings = [
                best_on_line(line, self.question, limits, "standard_error", DRAWN)
                for line in family.drawn_lines(loss, best.mechanism)
            ]
            errors = [columns.standard_error for columns in settings if columns is not None]
            found.append(float(f"{min(errors):.4g}") if errors else None)
        return tuple(found)

    def _sentences(
        self,
        chosen: Candidate | None,
        candidates: Sequence[Candidate],
        binding: Mapping[str, Binding],
    ) -> list[str]:
        if chosen is None:
            told = [
                binding_sentence(name, b.limit, b.needed, b.mechanism or "")
                for name, b in binding.items()
            ]
            alone = any(b.needed is not None for b in binding.values())
            return ["Nothing keeps all limits." + " One of these would do:" * alone, *told]
        lines = answer(chosen, self.question, self.limits)
        others = [c for c in candidates if c.fits and c is not chosen]
        lines += [f"Runner-up {setting_of(c)}: {c.why}." for c in others[:2]]
        fresh = next((c for c in candidates if not keeps_something(c.mechanism)), None)
        if fresh is not None and fresh is not chosen and keeps_something(chosen.mechanism):
            lines.append(f"With fresh noise in every report, {setting_of(fresh)}: {fresh.why}.")
        if chosen.fingerprint:
            unlinked = next((c for c in others if not c.fingerprint), None)
            lines.append(fingerprint_sentence(chosen, unlinked))
        return [*lines, *fine_print(self.question)]


def _two_digits(value: float) -> float:
    return float(f"{value:.2g}")
