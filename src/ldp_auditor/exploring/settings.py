"""What the page may ask for: one setting, checked as the command line checks it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ldp_auditor import mechanisms
from ldp_auditor.attacks import ATTACKS
from ldp_auditor.audits.comparison import ComparisonPlan, plan_comparison
from ldp_auditor.audits.plan import AuditPlan
from ldp_auditor.core import Claim
from ldp_auditor.errors import must, require, seed_number, whole_number

MOST_VALUES, MOST_REPORTS, MOST_TRIALS = 10_000, 500, 10_000_000
"""Domain size, reports of a user and trials at most: the page answers at once, or soon."""

AXES = ("epsilon", "domain_size", "reports")
"""Settings that a curve may go over."""

BEYOND = "on this page; the command 'ldp-auditor audit' takes more"


@dataclass(frozen=True)
class Setting:
    """One position of the sliders, and how it would be measured."""

    protocols: tuple[str, ...]
    epsilon: float
    domain_size: int
    delta: float
    reports: int
    attack: str
    trials: int
    alpha: float
    seed: int

    def plan(self) -> ComparisonPlan:
        """The audits of the chosen protocols, or raise if none of them can be made."""
        settings = asdict(self)
        return plan_comparison(among=settings.pop("protocols"), **settings)

    def single_plan(self) -> AuditPlan:
        """The audit of the only protocol as it is after all reports, or raise if there is none."""
        (plan,) = self.plan().audits
        return plan.looks[0]


def offered() -> dict[str, bool]:
    """Names of the protocols on the page; whether they are approximate."""
    return {
        name: protocol.approximate
        for name, protocol in mechanisms.in_the_paper().items()
        if set(protocol.required()) == {"epsilon", "domain_size"} and not protocol.memoizes
    }


def read_setting(given: Mapping[str, Any]) -> Setting:
    """Check what the page sent; what is wrong is said in one line."""
    known = list(Setting.__dataclass_fields__)
    extra = [name for name in given if name not in known]
    require(not extra, f"unknown settings: {', '.join(extra[:3])}; known are {', '.join(known)}")
    for name in known:
        require(name in given, f"{name} is missing")
        if name not in ("protocols", "attack"):
            check_number(name, given[name])
    claim = Claim(given["epsilon"], given["delta"])
    require(
        isinstance(given["attack"], str) and given["attack"] in ATTACKS,
        f"attack must be one of {', '.join(ATTACKS)}, got {given['attack']!r}",
        argument="attack",
    )
    return Setting(
        epsilon=claim.epsilon,
        delta=claim.delta,
        protocols=_protocols(given["protocols"]),
        domain_size=whole_setting("domain_size", given["domain_size"], 2, MOST_VALUES),
        reports=whole_setting("reports", given["reports"], 1, MOST_REPORTS),
        attack=given["attack"],
        trials=whole_setting("trials", given["trials"], 1, MOST_TRIALS),
        alpha=float(given["alpha"]),
        seed=seed_number(given["seed"]),
    )


def read_axis(axis: Any) -> str:
    """Check what the curve goes over."""
    require(axis in AXES, f"axis must be one of {', '.join(AXES)}, got {axis!r}")
    return str(axis)


def _protocols(names: Any) -> tuple[str, ...]:
    """Check the chosen protocols; each is taken once."""
    listed = isinstance(names, list) and all(isinstance(name, str) for name in names)
    require(listed, "protocols must be a list of names")
    require(bool(names), "choose a protocol")
    shown = offered()
    for name in names:
        mechanisms.find(name)  # an unknown name is refused, with the nearest one
        require(name in shown, f"{name} is not {BEYOND}")
    return tuple(name for name in shown if name in names)


def check_number(name: str, value: Any) -> None:
    """Raise unless a value is a finite number; a word or a truth value is none."""
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    must(plain, "be a number", **{name: repr(value)})
    must(abs(value) < 1e18, "be a number of a possible size", **{name: repr(value)})


def whole_setting(name: str, value: Any, least: int, most: int) -> int:
    """Return a whole number up to what the page takes, or raise."""
    number = whole_number(name, value, at_least=least)
    words = f"{name} goes up to {most:,} {BEYOND}; got {name}={number:,}"
    require(number <= most, words, argument=name)
    return number
