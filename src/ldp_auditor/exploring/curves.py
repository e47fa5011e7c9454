"""Exact curves: what is promised, what really holds, and what the attack would show.

Every number comes from the functions that an audit itself uses; nothing is sampled. A request takes
a moment at most: points are worked out from coarse to fine and kept, so that asking again goes on.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ldp_auditor.audits.run import attack_epsilon, fit_attack
from ldp_auditor.errors import AuditError
from ldp_auditor.exploring.settings import Setting, offered
from ldp_auditor.figures.cases import AXIS_TITLES
from ldp_auditor.figures.data import Cases, Curves, Line
from ldp_auditor.figures.identity import protocol_place
from ldp_auditor.figures.words import value_in_words

GRIDS: dict[str, tuple[float, ...]] = {
    "epsilon": (0.1, *(step / 4 for step in range(1, 41))),
    "domain_size": (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 25, 32, 40, 50, 64, 80, 100, 125, 160, 200,
                    250, 320, 400, 500, 640, 800, 1000),
    "reports": (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 25, 32, 40, 50, 64, 80, 100, 125, 160, 200,
                250),
}  # fmt: skip
"""Places at which a curve is worked out, besides the chosen one."""

MOMENT = 0.12
"""Seconds for one answer; the point that is being worked out is finished."""

LETTERS = {"epsilon": "ε", "domain_size": "k", "reports": "τ"}
LOGARITHMIC = {"epsilon": (False, False), "domain_size": (True, False), "reports": (True, True)}
"""Which axes are so at first: the horizontal and the vertical one."""

KINDS = {
    "claimed": "claimed",
    "worst": "exact worst case",
    "exact": "attack, unlimited trials",
    "proven": "measured, proven (open marks)",
}

MOST_KEPT = 50_000
_kept: dict[Setting, Exact] = {}
"""Numbers that were worked out, and how many at most."""

_slowness: dict[str, float] = {}
"""Seconds of the latest point of a protocol: the curves of fast ones are there first."""


@dataclass(frozen=True)
class Exact:
    """The exact numbers of one protocol at one setting."""

    claimed: float | None = None
    worst: float | None = None
    attack: float | None = None
    missing: str = ""
    """Why a number is missing."""


def exact_at(setting: Setting) -> Exact:
    """Work out what one protocol claims and keeps, and what the attack shows for ever repeated."""
    try:
        plan = setting.single_plan()
        claim, worst = plan.mechanism.claim, plan.worst_case_epsilon
        if setting.attack == "optimal" and plan.loss_law is None:
            return Exact(claim.epsilon, worst, missing=_unknown(setting))
        shown = attack_epsilon(fit_attack(plan).rates(), claim.delta, worst, plan.distance)
    except AuditError as error:
        return Exact(missing=str(error))
    return Exact(claim.epsilon, worst, shown, "" if shown is not None else _unknown(setting))


def _unknown(setting: Setting) -> str:
    times = "" if setting.reports == 1 else " of many reports"
    return f"the exact rates of the {setting.attack} attack{times} are not known here; measure it"


@dataclass(frozen=True)
class Answer:
    """The curves over an axis, as far as they are worked out."""

    cases: Cases
    points: int
    """Numbers that are there, of `places`; ask again for the rest."""
    places: int
    notes: Sequence[str]
    """Why curves have gaps."""

    def to_plain(self) -> dict[str, Any]:
        """Return JSON values."""
        progress = {"points": self.points, "places": self.places, "notes": self.notes}
        return {**self.cases.to_plain(digits=17), **progress}


def curves(setting: Setting, axis: str, seconds: float = MOMENT) -> Answer:
    """Return the curves over an axis at as many places as the time allows."""
    chosen = getattr(setting, axis)
    places = sorted({*GRIDS[axis], chosen})
    found = _found(setting, axis, _coarse_to_fine(places, chosen), time.monotonic() + seconds)
    title = AXIS_TITLES[axis]
    log_x, log_y = LOGARITHMIC[axis]
    data = Curves(
        f"Epsilon over the {title}",
        title,
        _lines(found),
        log_x=log_x,
        log_y=log_y,
        kinds=KINDS,
        chosen=chosen,
        chosen_words=f"{LETTERS[axis]} = {value_in_words(chosen)}",
    )
    name = f"exact epsilons of {', '.join(setting.protocols)}"
    notes = [note for protocol, mine in found.items() for note in _notes(protocol, mine)]
    points = sum(len(mine) for mine in found.values())
    cases = Cases(name, "", [_label(setting, axis)], [data], 0)
    return Answer(cases, points, len(places) * len(setting.protocols), notes)


def _lines(found: Mapping[str, Mapping[float, Exact]]) -> list[Line]:
    """The promise, and of every protocol the worst case and the attack, where they are known."""
    x = sorted({place for mine in found.values() for place in mine})
    claims = [[mine[place].claimed for mine in found.values() if place in mine] for place in x]
    first = [next((claim for claim in mine if claim is not None), None) for mine in claims]
    lines = [Line("claimed", "claimed", x, first)]
    for protocol, mine in found.items():
        at = sorted(mine)
        worst, attack = [mine[p].worst for p in at], [mine[p].attack for p in at]
        place = place_of(protocol)
        lines += [
            Line(f"{protocol}, worst case", "worst", at, worst, protocol, place),
            Line(f"{protocol}, attack", "exact", at, attack, protocol, place, "full"),
        ]
    return lines


def place_of(protocol: str) -> int:
    """Which colour a protocol has, whatever else is chosen."""
    return protocol_place(protocol)


def _label(setting: Setting, axis: str) -> str:
    """What the curves hold fixed."""
    parts = {
        "epsilon": f"ε = {value_in_words(setting.epsilon)}",
        "domain_size": f"k = {value_in_words(setting.domain_size)}",
        "reports": "one report" if setting.reports == 1 else f"{setting.reports} reports",
    }
    del parts[axis]
    if any(offered()[protocol] for protocol in setting.protocols):
        parts["delta"] = f"δ = {value_in_words(setting.delta)}"
    return ", ".join([*parts.values(), f"{setting.attack} attack"])


def _found(
    setting: Setting, axis: str, places: list[float], until: float
) -> dict[str, dict[float, Exact]]:
    """The exact numbers of every protocol by place, until the time is over."""
    # Settings that do not move an exact number are the same for all, so that numbers are kept.
    same: dict[str, Any] = {"seed": 0}
    if setting.attack == "paper":
        same |= {"trials": 1, "alpha": 0.01}
    found: dict[str, dict[float, Exact]] = {protocol: {} for protocol in setting.protocols}
    is_new = False
    for protocol in sorted(found, key=lambda name: _slowness.get(name, 0.0)):
        for place in places:
            at = replace(setting, **{"protocols": (protocol,), axis: place, **same})
            # Every answer has something new, so that asking again comes to an end.
            exact = _kept.get(at)
            if exact is None and (not is_new or time.monotonic() < until):
                started = time.monotonic()
                exact = exact_at(at)
                _slowness[protocol] = time.monotonic() - started
                if len(_kept) >= MOST_KEPT:
                    _kept.clear()
                _kept[at] = exact
                is_new = True
            if exact is not None:
                found[protocol][place] = exact
    return found


def _coarse_to_fine(places: list[float], chosen: float) -> list[float]:
    """The chosen place and the ends first, then every eighth, fourth, second place and the rest."""
    order = [chosen, places[0], places[-1]]
    for stride in (8, 4, 2, 1):
        order += places[::stride]
    return list(dict.fromkeys(order))


def _notes(protocol: str, found: dict[float, Exact]) -> list[str]:
    """Why a curve has gaps: the first reason, and how often there is one."""
    reasons = [exact.missing for exact in found.values() if exact.missing]
    return [f"{protocol}, {len(reasons)} of {len(found)} points: {reasons[0]}"] if reasons else []
