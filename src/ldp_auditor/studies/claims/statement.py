"""What a statement of the paper is, and how it is judged."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Literal

from ldp_auditor.results.table import Row
from ldp_auditor.studies.claims.comparisons import Answer
from ldp_auditor.studies.claims.view import NotKnownError, NotMeasuredError, View, cells_of

Ruling = Literal["holds", "holds in part", "does not hold", "not known exactly", "not measured"]

Settings = Mapping[str, Any]
"""Settings at which a statement is tested."""

Test = Callable[[View, Settings], Answer]


@dataclass(frozen=True)
class Statement:
    """A sentence of the paper in our words, and a test of it at every place that it is about."""

    name: str
    section: str
    words: str
    studies: tuple[str, ...]
    """Studies that have the rows which it needs."""
    places: Sequence[Settings]
    test: Test


@dataclass(frozen=True)
class Outcome:
    """What became of a statement in one reading of the table."""

    holding: int
    exceptions: tuple[Answer, ...]
    """Where it does not hold: first what chance does not explain, of that the worst first."""
    not_known: int = 0
    """Places of which the exact value is not known."""
    not_measured: int = 0
    """Places that the table lacks."""

    @property
    def judged(self) -> int:
        """Places at which it was tested."""
        return self.holding + len(self.exceptions)

    @property
    def ruling(self) -> Ruling:
        """Whether it holds at all places, at some or at none."""
        if self.judged == 0:
            return "not known exactly" if self.not_known else "not measured"
        if not self.exceptions:
            return "holds"
        return "holds in part" if self.holding else "does not hold"

    @property
    def words(self) -> str:
        """The ruling with its numbers of places."""
        remarks = []
        if self.exceptions:
            remarks.append(f"{self.holding} of {self.judged}")
        noisy = sum(exception.noisy for exception in self.exceptions)
        if noisy:
            remarks.append(f"{noisy} of {len(self.exceptions)} exceptions within noise")
        if self.judged and self.not_known:
            remarks.append(f"{self.not_known} more not known exactly")
        if self.judged and self.not_measured:
            remarks.append(f"{self.not_measured} more not measured")
        return self.ruling + (f" ({'; '.join(remarks)})" if remarks else "")

    def worst(self, most: int = 3) -> str:
        """Tell the worst exceptions."""
        worst = [exception.words for exception in self.exceptions[:most]]
        more = len(self.exceptions) - most
        return "; ".join(worst) + (f"; and {more} more" if more > 0 else "")


@dataclass(frozen=True)
class Judgement:
    """What became of a statement."""

    statement: Statement
    measured: Outcome
    exact: Outcome


def judge(statement: Statement, rows: Sequence[Row]) -> Judgement:
    """Test a statement on the rows of its studies; other rows do not matter."""
    cells = cells_of(rows)
    return Judgement(
        statement,
        measured=_outcome(statement, View(cells, exact=False)),
        exact=_outcome(statement, View(cells, exact=True)),
    )


def _outcome(statement: Statement, view: View) -> Outcome:
    answers: list[Answer] = []
    not_known = not_measured = 0
    for place in statement.places:
        try:
            answers.append(replace(statement.test(view, place), where=place_in_words(place)))
        except NotMeasuredError:
            not_measured += 1
        except NotKnownError:
            not_known += 1
    exceptions = [answer for answer in answers if not answer.holds]
    return Outcome(
        holding=len(answers) - len(exceptions),
        exceptions=tuple(sorted(exceptions, key=lambda found: (found.noisy, -found.off))),
        not_known=not_known,
        not_measured=not_measured,
    )


def every(**axes: Sequence[Any]) -> list[Settings]:
    """Return the places of every combination of some settings.

    >>> every(mechanism=["GRR"], epsilon=[1.0, 2.0])
    [{'mechanism': 'GRR', 'epsilon': 1.0}, {'mechanism': 'GRR', 'epsilon': 2.0}]
    """
    return [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]


LABELS = {
    "mechanism": "{}",
    "against": "against {}",
    "epsilon": "epsilon = {:g}",
    "delta": "delta = {:g}",
    "domain_size": "k = {}",
    "attributes": "d = {}",
    "hash_range": "g = {}",
    "reports": "{} reports",
    "second": "second value {}",
    "trials": "T = {:,}",
}


def place_in_words(place: Settings) -> str:
    """Write a place down."""
    return ", ".join(LABELS.get(name, "{}").format(value) for name, value in place.items())
