"""Exact curves over an axis: what is promised, what holds, what the attack shows, what it costs.

A request takes a moment at most: points are worked out from coarse to fine, those of all protocols
side by side, and kept, so that asking again goes on.
"""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ldp_auditor.exploring.exact import Exact, Later, exact_at, kept, key_of, seconds_of
from ldp_auditor.exploring.protocols import offered
from ldp_auditor.exploring.settings import Setting
from ldp_auditor.figures.cases import AXIS_TITLES
from ldp_auditor.figures.data import Cases, Curves, Line
from ldp_auditor.figures.identity import protocol_place
from ldp_auditor.figures.words import digits, value_in_words

GRIDS: dict[str, tuple[float, ...]] = {
    "epsilon": (0.01, 0.1, *(step / 4 for step in range(1, 41))),
    "domain_size": (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 25, 32, 40, 50, 64, 80, 100, 125, 160, 200,
                    250, 320, 400, 500, 640, 800, 1000, 2000, 5000, 10_000),
    "reports": (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 25, 32, 40, 50, 64, 80, 100, 125, 160, 200,
                250, 320, 400, 500),
}  # fmt: skip
"""Places at which a curve is worked out, besides the chosen one; they end where the page does."""

MOMENT = 0.04
"""Seconds for one answer; what would take longer than what is left of it comes later."""

LETTERS = {"epsilon": "ε", "domain_size": "k", "reports": "τ"}
LOGARITHMIC = {"epsilon": (False, False), "domain_size": (True, False), "reports": (True, True)}
"""Which axes are so at first: the horizontal and the vertical one."""

KINDS = {
    "claimed": "claimed",
    "worst": "exact worst case",
    "exact": "attack, unlimited trials",
    "proven": "measured, proven (open marks)",
}

ERROR_TITLE = "standard error"
SETTING_LETTERS = {
    "epsilon": "ε",
    "epsilon_infinity": "ε∞",
    "domain_size": "k",
    "delta": "δ",
    "attributes": "d",
    "dimension": "dimension",
}
"""How the words above a figure call a setting."""

Found = Mapping[str, Mapping[float, Exact]]


@dataclass(frozen=True)
class Answer:
    """The curves over an axis, as far as they are worked out."""

    leakage: Cases
    errors: Cases
    readout: Sequence[Mapping[str, str]]
    """The numbers at the chosen place in words, a row for every protocol."""
    points: int
    """Numbers that are there, of `places`; ask again for the rest."""
    places: int
    notes: Sequence[str]
    """Why curves have gaps."""

    def to_plain(self) -> dict[str, Any]:
        """Return JSON values."""
        figures = {"leakage": self.leakage, "errors": self.errors}
        plain = {name: cases.to_plain(digits=17) for name, cases in figures.items()}
        counts = {"points": self.points, "places": self.places, "notes": self.notes}
        return {**plain, **counts, "readout": self.readout}


def curves(
    setting: Setting, axis: str, seconds: float = MOMENT, later: Later | None = None
) -> Answer:
    """Return the curves over an axis at as many places as the time allows."""
    chosen = getattr(setting, axis)
    places = sorted({*GRIDS[axis], chosen})
    until = time.monotonic() + seconds
    found = _found(setting, axis, _coarse_to_fine(places, chosen), until, later)
    label = _label(setting, axis)
    names = ", ".join(setting.protocols)
    users = f"{setting.users:,} users" if setting.users > 1 else "one user"
    attacked = f"{label}, {setting.attack} attack"
    leakage = Cases(
        f"exact epsilons of {names}", "", [attacked], [leakage_figure(found, axis, chosen)], 0
    )
    errors = Cases(
        f"standard errors of {names}",
        "",
        [f"{users}, {label}"],
        [error_figure(found, axis, chosen)],
        0,
    )
    return Answer(
        leakage,
        errors,
        [_row(name, mine.get(chosen)) for name, mine in found.items()],
        sum(len(mine) for mine in found.values()),
        len(places) * len(setting.protocols),
        [note for protocol, mine in found.items() for note in _notes(protocol, mine)],
    )


def leakage_figure(found: Found, axis: str, chosen: float) -> Curves:
    """Epsilons over an axis: what is claimed, what holds, what the attack shows."""
    lines = _claims(found)
    for protocol, mine in found.items():
        at = sorted(mine)
        worst, attack = [mine[p].worst for p in at], [mine[p].attack for p in at]
        place = protocol_place(protocol)
        lines += [
            Line(f"{protocol}, worst case", "worst", at, worst, protocol, place),
            Line(f"{protocol}, attack", "exact", at, attack, protocol, place, "full"),
        ]
    log_x, log_y = LOGARITHMIC[axis]
    return _figure("Epsilon", axis, chosen, lines, log_x=log_x, log_y=log_y, kinds=KINDS)


def error_figure(found: Found, axis: str, chosen: float) -> Curves:
    """Standard errors over an axis, a line for every protocol of which it is known."""
    lines = []
    for protocol, mine in found.items():
        at = sorted(mine)
        errors = [mine[place].error for place in at]
        if any(error is not None for error in errors):
            place = protocol_place(protocol)
            lines.append(Line(protocol, "exact", at, errors, protocol, place, "full"))
    title = ERROR_TITLE.capitalize()
    log_x, _ = LOGARITHMIC[axis]
    look = {"log_x": log_x, "log_y": True, "y_title": ERROR_TITLE, "small": True}
    return _figure(title, axis, chosen, lines, **look)


def _figure(title: str, axis: str, chosen: float, lines: Sequence[Line], **look: Any) -> Curves:
    over = AXIS_TITLES[axis]
    words = f"{LETTERS[axis]} = {value_in_words(chosen)}"
    return Curves(
        f"{title} over the {over}", over, lines, chosen=chosen, chosen_words=words, **look
    )


def _claims(found: Found) -> list[Line]:
    """The promise that all share, and those of protocols that promise something else."""
    shared: dict[float, float | None] = {}
    own: list[str] = []
    for protocol, mine in found.items():
        claims = {
            place: exact.claimed for place, exact in mine.items() if exact.claimed is not None
        }
        if all(_same(claim, shared.get(place)) for place, claim in claims.items()):
            shared |= claims
        else:
            own.append(protocol)
    places = sorted({place for mine in found.values() for place in mine})
    lines = [Line("claimed", "claimed", places, [shared.get(place) for place in places])]
    for protocol in own:
        at = sorted(found[protocol])
        claims_here = [found[protocol][place].claimed for place in at]
        if any(claim is not None and claim < math.inf for claim in claims_here):
            place = protocol_place(protocol)
            name = f"{protocol}, claimed"
            lines.append(Line(name, "claimed", at, claims_here, protocol, place))
    return lines


def _same(claim: float, shared: float | None) -> bool:
    return claim < math.inf and (shared is None or math.isclose(claim, shared, rel_tol=1e-9))


def _row(protocol: str, exact: Exact | None) -> dict[str, str]:
    """The numbers of a protocol in words; empty until they are there."""
    if exact is None:
        return {"protocol": protocol}
    numbers = {
        "claimed": _short(exact.claimed),
        "worst": _short(exact.worst),
        "attack": _short(exact.attack),
        "error": digits(None) if exact.error is None else f"{exact.error:.2g}",
    }
    return {"protocol": protocol, **numbers, "missing": exact.missing}


def _short(value: float | None) -> str:
    """A number with three decimals: a panel beside the figure has no room for more."""
    return digits(value) if value is None or not 0.001 <= value < 1e6 else f"{value:.3f}"


def _label(setting: Setting, axis: str) -> str:
    """What the curves hold fixed."""
    used = {name for protocol in setting.protocols for name in offered()[protocol].uses}
    parts = [
        f"{letter} = {value_in_words(getattr(setting, name))}"
        for name, letter in SETTING_LETTERS.items()
        if name in used and name != axis
    ]
    if axis != "reports":
        parts.append("one report" if setting.reports == 1 else f"{setting.reports} reports")
    return ", ".join(parts)


def _found(
    setting: Setting, axis: str, places: list[float], until: float, later: Later | None
) -> dict[str, dict[float, Exact]]:
    """The exact numbers of every protocol by place, until the time is over.

    The places of all protocols are worked out side by side, so that none waits for another one's
    curve. What takes longer than an answer is left to `later`, if there is one.
    """
    found: dict[str, dict[float, Exact]] = {protocol: {} for protocol in setting.protocols}
    waiting: list[tuple[str, float, float]] = []
    for place in places:
        values = {**vars(setting), axis: place}
        for protocol, mine in found.items():
            exact = kept(key_of(values, protocol))
            if exact is None:
                waiting.append((protocol, place, seconds_of(protocol, values["reports"])))
            else:
                mine[place] = exact
    order = {place: rank for rank, place in enumerate(places)}
    waiting.sort(key=lambda task: (order[task[1]], task[2]))
    if later is not None:
        slow = sorted((task for task in waiting if task[2] > MOMENT), key=lambda task: task[2])
        waiting = [task for task in waiting if task[2] <= MOMENT]
        later.ask([(setting.at(axis, place), protocol) for protocol, place, _ in slow])
    # Every answer has something new, so that asking again comes to an end.
    is_new = False
    for protocol, place, seconds in waiting:
        if not is_new or time.monotonic() + seconds < until:
            found[protocol][place] = exact_at(setting.at(axis, place), protocol)
            is_new = True
    return found


def _coarse_to_fine(places: list[float], chosen: float) -> list[float]:
    """The chosen place and the ends first, then every eighth, fourth, second place and the rest."""
    order = [chosen, places[0], places[-1]]
    for stride in (8, 4, 2, 1):
        order += places[::stride]
    return list(dict.fromkeys(order))


def _notes(protocol: str, found: Mapping[float, Exact]) -> list[str]:
    """Why a curve has gaps: the first reason, and how often there is one."""
    reasons = [exact.missing for exact in found.values() if exact.missing]
    return [f"{protocol}, {len(reasons)} of {len(found)} points: {reasons[0]}"] if reasons else []
