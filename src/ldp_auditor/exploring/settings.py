"""What the page may ask for: one setting, checked as the command line checks it."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

from ldp_auditor.attacks import ATTACKS
from ldp_auditor.audits.comparison import ComparisonPlan
from ldp_auditor.audits.interface import plan_audit
from ldp_auditor.audits.plan import AuditPlan
from ldp_auditor.bounds import BOUNDS
from ldp_auditor.core import Claim
from ldp_auditor.errors import (
    AuditError,
    error_probability,
    must,
    one_of,
    require,
    seed_number,
    whole_number,
)
from ldp_auditor.exploring.protocols import find_offered, offered

LIMITS: Mapping[str, tuple[float, float]] = {
    "epsilon": (0.01, 10.0),
    "epsilon_infinity": (0.02, 20.0),
    "domain_size": (2, 10_000),
    "reports": (1, 500),
    "attributes": (2, 20),
    "dimension": (2, 64),
    "users": (1, 10**9),
    "trials": (1, 10_000_000),
}
"""Least and largest numbers of the page: it answers at once, or soon, and its axes end there."""

MOST_VALUES, MOST_REPORTS, MOST_TRIALS = (
    int(LIMITS[name][1]) for name in ("domain_size", "reports", "trials")
)

AXES = ("epsilon", "domain_size", "reports")
"""Settings that a curve may go over."""

BEYOND = "on this page; the command 'ldp-auditor audit' takes more"


class WrongSettingsError(AuditError):
    """Settings that are refused: what is wrong, by the name of the field."""

    def __init__(self, wrong: Mapping[str, str]) -> None:
        name, message = next(iter(wrong.items()))
        super().__init__(message, argument=name)
        self.wrong = dict(wrong)


@dataclass(frozen=True)
class Setting:
    """One position of the sliders, and how it would be measured."""

    protocols: tuple[str, ...]
    epsilon: float
    domain_size: int
    delta: float
    reports: int
    epsilon_infinity: float
    """Of memoized protocols: what all reports together may lose."""
    attributes: int
    """Of a record."""
    dimension: int
    """Of vectors."""
    users: int
    """Whose reports make the estimate whose error is told."""
    attack: str
    bound: str
    trials: int
    alpha: float
    seed: int

    def plan(self) -> ComparisonPlan:
        """The audits of the chosen protocols, or raise if none of them can be made."""
        audits: list[AuditPlan] = []
        refused: dict[str, str] = {}
        for name in self.protocols:
            try:
                audits.append(self.plan_of(name))
            except AuditError as error:
                refused[name] = str(error)
        if not audits:
            raise AuditError(next(iter(refused.values())))
        return ComparisonPlan(Claim(self.epsilon, 0.0), tuple(audits), refused, named=True)

    def plan_of(self, name: str) -> AuditPlan:
        """The audit of one protocol, or raise if it is not defined here."""
        arguments = find_offered(name).arguments(vars(self))
        return plan_audit(
            name,
            reports=None if self.reports == 1 else self.reports,
            attack=self.attack,
            bound=self.bound,
            trials=self.trials,
            alpha=self.alpha,
            seed=self.seed,
            **arguments,
        )

    def at(self, axis: str, place: float) -> "Setting":
        """The same setting at another place of an axis."""
        moved: dict[str, Any] = {axis: place}
        return replace(self, **moved)

    def to_plain(self) -> dict[str, Any]:
        """Return JSON values, as `read_setting` reads them."""
        return {**asdict(self), "protocols": list(self.protocols)}


def read_setting(given: Mapping[str, Any]) -> Setting:
    """Check what the page sent; of every field that is wrong one line says so."""
    known = list(READERS)
    extra = [name for name in given if name not in known]
    require(not extra, f"unknown settings: {', '.join(extra[:3])}; known are {', '.join(known)}")
    found: dict[str, Any] = {}
    wrong: dict[str, str] = {}
    for name, read in READERS.items():
        require(name in given, f"{name} is missing")
        try:
            found[name] = read(given[name])
        except AuditError as error:
            wrong[name] = str(error)
    if wrong:
        raise WrongSettingsError(wrong)
    return Setting(**found)


def read_axis(axis: Any) -> str:
    """Check what the curve goes over."""
    require(axis in AXES, f"axis must be one of {', '.join(AXES)}, got {axis!r}", argument="axis")
    return str(axis)


def _protocols(names: Any) -> tuple[str, ...]:
    """Check the chosen protocols; each is taken once."""
    listed = isinstance(names, list | tuple) and all(isinstance(name, str) for name in names)
    require(listed, "protocols must be a list of names")
    require(bool(names), "choose a protocol")
    for name in names:
        find_offered(name)
    return tuple(name for name in offered() if name in names)


def check_number(name: str, value: Any) -> None:
    """Raise unless a value is a finite number; a word or a truth value is none."""
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    must(plain, "be a number", **{name: "nothing" if value is None else repr(value)[:40]})
    must(abs(value) < 1e18, "be a number of a possible size", **{name: repr(value)[:40]})


def whole_setting(name: str, value: Any) -> int:
    """Return a whole number up to what the page takes, or raise."""
    check_number(name, value)
    least, most = LIMITS[name]
    number = whole_number(name, value, at_least=int(least))
    words = f"{name} goes up to {most:,} {BEYOND}; got {name}={number:,}"
    require(number <= most, words, argument=name)
    return number


def real_setting(name: str, value: Any) -> float:
    """Return a number in the range of the page, or raise."""
    check_number(name, value)
    must(value > 0, "be positive", **{name: value})
    least, most = LIMITS[name]
    words = f"{name} goes from {least:g} to {most:g} {BEYOND}; got {name}={value:g}"
    require(least <= value <= most, words, argument=name)
    return float(value)


def _delta(value: Any) -> float:
    check_number("delta", value)
    return Claim(1.0, value).delta


def _word(name: str, known: Mapping[str, Any], value: Any) -> str:
    one_of(name, value, list(known))
    return str(value)


def _alpha(value: Any) -> float:
    check_number("alpha", value)
    return error_probability(value)


def _seed(value: Any) -> int:
    check_number("seed", value)
    return seed_number(value)


READERS: Mapping[str, Callable[[Any], Any]] = {
    "protocols": _protocols,
    "epsilon": partial(real_setting, "epsilon"),
    "domain_size": partial(whole_setting, "domain_size"),
    "delta": _delta,
    "reports": partial(whole_setting, "reports"),
    "epsilon_infinity": partial(real_setting, "epsilon_infinity"),
    "attributes": partial(whole_setting, "attributes"),
    "dimension": partial(whole_setting, "dimension"),
    "users": partial(whole_setting, "users"),
    "attack": partial(_word, "attack", dict.fromkeys(ATTACKS)),
    "bound": partial(_word, "bound", BOUNDS),
    "trials": partial(whole_setting, "trials"),
    "alpha": _alpha,
    "seed": _seed,
}
"""How every field is read."""
