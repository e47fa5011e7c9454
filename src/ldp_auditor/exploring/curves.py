"""Exact curves: what is promised, what really holds, and what the attack would show.

Every number comes from the functions that an audit itself uses; nothing is sampled. A request takes
a moment at most: points are worked out from coarse to fine and kept, so that asking again goes on.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from ldp_auditor.auditing import attack_epsilon, fit_attack
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


@dataclass(frozen=True)
class Exact:
    """The exact numbers of one protocol at one setting."""

    claimed: float | None = None
    worst: float | None = None
    attack: float | None = None
    missing: str = ""
    """Why a number is missing."""


@lru_cache(maxsize=50_000)
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
    times = "" if setting.reports == 1 else f" of {setting.reports} reports"
    return f"the exact rates of the {setting.attack} attack{times} are not known here; measure it"


def curves(setting: Setting, axis: str, seconds: float = MOMENT) -> dict[str, Any]:
    """Return the curves over an axis at as many places as the time allows.

    They are there at `points` of `places`; ask again for the rest.
    """
    chosen = getattr(setting, axis)
    places = sorted({*GRIDS[axis], chosen})
    found = _found(setting, axis, _coarse_to_fine(places, chosen), time.monotonic() + seconds)
    x = sorted(found)
    rows = [found[place] for place in x]
    return {
        "axis": axis,
        "title": AXIS_TITLES[axis],
        "chosen": chosen,
        "x": x,
        "points": len(x),
        "places": len(places),
        "claimed": [
            next((_plain(e.claimed) for e in row if e.claimed is not None), None) for row in rows
        ],
        "curves": [
            {
                "protocol": protocol,
                "worst": [_plain(row[i].worst) for row in rows],
                "attack": [_plain(row[i].attack) for row in rows],
            }
            for i, protocol in enumerate(setting.protocols)
        ],
        "notes": _notes(setting, rows),
    }


def _found(
    setting: Setting, axis: str, places: list[float], until: float
) -> dict[float, list[Exact]]:
    """The exact numbers of all protocols by place, until the time is over."""
    # Settings that do not move an exact number are the same for all, so that numbers are kept.
    same: dict[str, Any] = {"seed": 0}
    if setting.attack == "paper":
        same |= {"trials": 1, "alpha": 0.01}
    known = exact_at.cache_info().misses
    found: dict[float, list[Exact]] = {}
    for place in places:
        row = []
        for protocol in setting.protocols:
            at = {"protocols": (protocol,), axis: place, **same}
            row.append(exact_at(replace(setting, **at)))
            # Every answer has something new, so that asking again comes to an end.
            over = time.monotonic() > until and exact_at.cache_info().misses > known
            if over and len(row) < len(setting.protocols):
                return found
        found[place] = row
        if over:
            return found
    return found


def _plain(value: float | None) -> float | str | None:
    return "inf" if value == math.inf else value


def _coarse_to_fine(places: list[float], chosen: float) -> list[float]:
    """The chosen place and the ends first, then every eighth, fourth, second place and the rest."""
    order = [chosen, places[0], places[-1]]
    for stride in (8, 4, 2, 1):
        order += places[::stride]
    return list(dict.fromkeys(order))


def _notes(setting: Setting, rows: list[list[Exact]]) -> list[str]:
    """Why curves have gaps: the first reason of every protocol, and how often there is one."""
    notes = []
    for i, protocol in enumerate(setting.protocols):
        reasons = [row[i].missing for row in rows if row[i].missing]
        if reasons:
            notes.append(f"{protocol}, {len(reasons)} of {len(rows)} points: {reasons[0]}")
    return notes
