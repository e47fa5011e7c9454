"""Exact curves: what is promised, what really holds, and what the attack would show.

Every number comes from the functions that an audit itself uses; nothing is sampled. A request takes
a moment at most: points are worked out from coarse to fine and kept, so that asking again goes on.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from typing import Any

from ldp_auditor.audits.run import attack_epsilon, fit_attack
from ldp_auditor.errors import AuditError
from ldp_auditor.exploring.settings import Setting
from ldp_auditor.page.figures import AXIS_TITLES

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

LATER = "later"
"""Stands for a number that is still to be worked out."""

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
        shown = attack_epsilon(fit_attack(plan).rates(), claim.delta, worst)
    except AuditError as error:
        return Exact(missing=str(error))
    return Exact(claim.epsilon, worst, shown, "" if shown is not None else _unknown(setting))


def _unknown(setting: Setting) -> str:
    times = "" if setting.reports == 1 else " of many reports"
    return f"the exact rates of the {setting.attack} attack{times} are not known here; measure it"


def curves(setting: Setting, axis: str, seconds: float = MOMENT) -> dict[str, Any]:
    """Return the curves over an axis at as many places as the time allows.

    They are there at `points` of `places`; ask again for the rest.
    """
    chosen = getattr(setting, axis)
    places = sorted({*GRIDS[axis], chosen})
    found = _found(setting, axis, _coarse_to_fine(places, chosen), time.monotonic() + seconds)
    x = [place for place in places if any(place in mine for mine in found.values())]
    return {
        "axis": axis,
        "title": AXIS_TITLES[axis],
        "chosen": chosen,
        "x": x,
        "points": sum(len(mine) for mine in found.values()),
        "places": len(places) * len(setting.protocols),
        "claimed": [_claimed(found, place) for place in x],
        "curves": [
            {
                "protocol": protocol,
                "worst": [_plain(mine[place].worst) if place in mine else LATER for place in x],
                "attack": [_plain(mine[place].attack) if place in mine else LATER for place in x],
            }
            for protocol, mine in found.items()
        ],
        "notes": [note for protocol, mine in found.items() for note in _notes(protocol, mine)],
    }


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
                _keep(at, exact)
                is_new = True
            if exact is not None:
                found[protocol][place] = exact
    return found


def _keep(setting: Setting, exact: Exact) -> None:
    if len(_kept) >= MOST_KEPT:
        _kept.clear()
    _kept[setting] = exact


def _claimed(found: dict[str, dict[float, Exact]], place: float) -> float | str | None:
    """What is claimed at a place, by the first protocol that claims anything there."""
    claims = (mine[place].claimed for mine in found.values() if place in mine)
    return next((_plain(claimed) for claimed in claims if claimed is not None), None)


def _plain(value: float | None) -> float | str | None:
    return "inf" if value == math.inf else value


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
