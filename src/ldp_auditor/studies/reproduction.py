"""What a reproduction of the paper found: the outcome of every study, and of its statements."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ldp_auditor.results.showing import Shown
from ldp_auditor.results.table import Row
from ldp_auditor.results.violations import ViolationCount
from ldp_auditor.studies.claims import HEADINGS, Judgement, claims_lines
from ldp_auditor.studies.study import Scale, Study
from ldp_auditor.sweeps import Sweep


@dataclass(frozen=True)
class StudyResult(Shown):
    """What a study found."""

    study: Study
    scale: Scale
    sweep: Sweep
    figures: Sequence[Path] = ()
    """Where its figures were written."""
    left_out: str | None = None
    """Why it was not run, if it was not."""

    @property
    def name(self) -> str:
        """The study's name, such as `figure-2`."""
        return self.study.name

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        about = {"study": self.name, "left_out": self.left_out}
        return {**about, "figures": list(map(str, self.figures)), **self.sweep.to_dict()}

    def to_rows(self) -> list[Row]:
        """Return the rows of the tidy table."""
        return self.sweep.to_rows()


@dataclass(frozen=True)
class Reproduction(Shown):
    """What all studies that were asked for found."""

    studies: tuple[StudyResult, ...]
    judgements: tuple[Judgement, ...] = ()
    """Whether the paper's statements hold, if they were judged."""
    document: Path | None = None
    """Where they were written."""

    def __getitem__(self, name: str) -> StudyResult:
        return {result.name: result for result in self.studies}[name]

    @property
    def rows(self) -> list[Row]:
        """The rows of all studies; one that is in two of them is there once."""
        every = [row for result in self.studies for row in result.sweep.rows]
        return list({(row["key"], row.get("reports")): row for row in every}.values())

    @property
    def violations(self) -> ViolationCount:
        """How many of the audits found a violation."""
        return ViolationCount.of_rows(self.rows)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        statements = claims_lines(self.judgements)
        return {
            "studies": [result.to_dict() for result in self.studies],
            "claims": [dict(zip(HEADINGS, line, strict=True)) for line in statements],
            **self.violations.to_dict(),
        }

    def to_rows(self) -> list[Row]:
        """Return the rows of the tidy table."""
        return Sweep(self.rows, 0).to_rows()
