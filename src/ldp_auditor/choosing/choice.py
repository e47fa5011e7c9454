"""The answer: the choice, the others, the trade-off, and what verified it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ldp_auditor.choosing.candidate import Candidate
from ldp_auditor.choosing.verification import Verification
from ldp_auditor.errors import require
from ldp_auditor.results.audit_result import column_value
from ldp_auditor.results.fields import Plain, plain_value, reading, real, whole_entry
from ldp_auditor.results.showing import Shown


@dataclass(frozen=True)
class Curve:
    """The least error of a protocol at several losses of all reports."""

    mechanism: str
    losses: tuple[float, ...]
    errors: tuple[float | None, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {name: plain_value(value) for name, value in vars(self).items()}


@dataclass(frozen=True)
class Binding:
    """A limit that keeps every protocol from fitting."""

    limit: float
    needed: float | None
    """The value to which it must rise if the other limits stay; None if no value is enough."""
    mechanism: str | None
    """The protocol that fits then."""


@dataclass(frozen=True)
class Choice(Shown):
    """What `choose` found."""

    domain_size: int
    users: int
    reports: int
    delta: float
    objective: str
    limits: Mapping[str, float]
    choice: Candidate | None
    candidates: tuple[Candidate, ...]
    """Every protocol at its best setting, the best first."""
    left_out: Mapping[str, str]
    """Why a protocol has no setting at all, by its name."""
    binding: Mapping[str, Binding]
    """The limits that could be relaxed, if nothing fits."""
    curves: tuple[Curve, ...]
    sentences: tuple[str, ...]
    attributes: tuple[int, ...] = ()
    verification: Verification | None = field(default=None)

    @property
    def front(self) -> list[dict[str, Any]]:
        """The Pareto front: at every loss of the curves the protocol with the least error."""
        found: list[dict[str, Any]] = []
        for place, loss in enumerate(self.curves[0].losses if self.curves else ()):
            here = {c.mechanism: c.errors[place] for c in self.curves}
            known = {name: error for name, error in here.items() if error is not None}
            if known:
                best = min(known, key=lambda name: known[name])
                point = {"worst_case_epsilon": loss, "standard_error": known[best]}
                found.append({**point, "mechanism": best})
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        checked = self.verification
        return {
            "domain_size": self.domain_size,
            "users": self.users,
            "reports": self.reports,
            "delta": self.delta,
            "attributes": list(self.attributes),
            "objective": self.objective,
            "limits": dict(self.limits),
            "choice": None if self.choice is None else self.choice.to_dict(),
            "candidates": [candidate.to_dict() for candidate in self.candidates],
            "left_out": [{"mechanism": m, "reason": r} for m, r in self.left_out.items()],
            "binding": {name: vars(binding) for name, binding in self.binding.items()},
            "front": self.front,
            "curves": [curve.to_dict() for curve in self.curves],
            "sentences": list(self.sentences),
            "verification": None if checked is None else checked.to_dict(),
        }

    @classmethod
    @reading("choice")
    def from_dict(cls, plain: Plain) -> Choice:
        """Read what `to_dict` wrote, or raise."""
        for name in ("candidates", "left_out", "curves", "sentences", "attributes"):
            require(isinstance(plain.get(name), list), f"{name} must be a list")
        chosen, checked = plain.get("choice"), plain.get("verification")
        return cls(
            domain_size=whole_entry(plain, "domain_size", 2),
            users=whole_entry(plain, "users", 1),
            reports=whole_entry(plain, "reports", 1),
            delta=real(plain, "delta"),
            objective=str(plain["objective"]),
            limits={name: real(plain["limits"], name) for name in plain["limits"]},
            choice=None if chosen is None else Candidate.from_dict(chosen),
            candidates=tuple(map(Candidate.from_dict, plain["candidates"])),
            left_out={entry["mechanism"]: entry["reason"] for entry in plain["left_out"]},
            binding={name: Binding(**binding) for name, binding in plain["binding"].items()},
            curves=tuple(
                Curve(c["mechanism"], tuple(c["losses"]), tuple(c["errors"]))
                for c in plain["curves"]
            ),
            sentences=tuple(map(str, plain["sentences"])),
            attributes=tuple(plain["attributes"]),
            verification=None if checked is None else Verification.from_dict(checked),
        )

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row for every protocol."""
        return [
            {name: column_value(value) for name, value in candidate.to_dict().items()}
            for candidate in self.candidates
        ]
