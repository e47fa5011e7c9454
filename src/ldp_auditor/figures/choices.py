"""Figures of a choice and of a simulated collection."""

from collections.abc import Sequence

from ldp_auditor.choosing.choice import Choice, Curve
from ldp_auditor.choosing.reasons import setting_of
from ldp_auditor.choosing.simulation import Simulation
from ldp_auditor.figures.data import Curves, Line
from ldp_auditor.figures.identity import protocol_places
from ldp_auditor.figures.words import value_in_words

MOST_CURVES = 6
"""Protocols whose curves are drawn, as many as there are colours: the best ones of each kind."""

SAME = 0.1
"""Errors that differ by less than this share are one line of a figure."""

MOST_VALUES = 50
"""Values of a collection that are drawn, the most frequent ones."""


def trade_off(found: Choice) -> Curves:
    """Error against leakage: a curve per protocol, the limits shaded, the choice marked."""
    shown = _different(found)
    places = protocol_places(curve.mechanism for curve, _ in shown)
    lines = [
        Line(
            _with_others(curve.mechanism, like),
            "exact",
            curve.losses,
            [None if error is None else 100 * error for error in curve.errors],
            curve.mechanism,
            places[curve.mechanism],
            marks="full",
        )
        for curve, like in shown
    ]
    if found.choice is not None:
        loss, error = found.choice.worst_case_epsilon, 100 * found.choice.standard_error
        x, y = [float(f"{loss:.3g}")], [float(f"{error:.4g}")]
        lines.append(Line("the choice", "claimed", x, y, marks="full"))
    most = found.limits.get("max_error")
    chosen = "nothing fits" if found.choice is None else setting_of(found.choice, digits=4)
    many = "one report" if found.reports == 1 else f"{found.reports:,} reports"
    return Curves(
        f"Error against leakage, k = {value_in_words(found.domain_size)}, {found.users:,} users\n"
        f"{chosen}",
        f"worst-case epsilon of {many}",
        lines,
        y_title="standard error (percentage points)",
        log_x=True,
        log_y=True,
        most_x=found.limits.get("max_epsilon"),
        most_y=None if most is None else 100 * most,
    )


def _different(found: Choice) -> list[tuple[Curve, list[str]]]:
    """Curves that can be told apart, each with the protocols whose curves lie on it.

    They are the best of each kind: fresh noise, two rounds, one for ever. Candidates and curves
    have the same order, the best first.
    """
    shown: dict[tuple[bool, bool], list[tuple[Curve, list[str]]]] = {}
    for candidate, curve in zip(found.candidates, found.curves, strict=True):
        never_changes = candidate.fingerprint
        two_rounds = "epsilon_1" in candidate.options and not never_changes
        kind = shown.setdefault((never_changes, two_rounds), [])
        like = next((names for other, names in kind if _same(curve, other)), None)
        if like is None:
            kind.append((curve, []))
        else:
            like.append(curve.mechanism)
    most = MOST_CURVES // max(1, len(shown))
    return [entry for kind in shown.values() for entry in kind[:most]]


def _with_others(name: str, others: Sequence[str]) -> str:
    """The name of a line, and whose lines lie on it."""
    if not others:
        return name
    more = f" and {len(others) - 3} more" if len(others) > 3 else ""
    return f"{name} (and, within {SAME:.0%}, {', '.join(others[:3])}{more})"


def _same(one: Curve, other: Curve) -> bool:
    pairs = zip(one.errors, other.errors, strict=True)
    return all(
        a == b or (a is not None and b is not None and abs(a - b) < SAME * b) for a, b in pairs
    )


def collected_shares(found: Simulation) -> Curves:
    """True and estimated shares of the most frequent values, with intervals."""
    order = sorted(range(len(found.true)), key=lambda v: -found.true[v])[:MOST_VALUES]
    x = [float(place) for place in range(1, len(order) + 1)]
    true, estimated, width = (
        [100 * column[v] for v in order]
        for column in (found.true, found.estimated, found.half_width)
    )
    sure = f"estimated, {1 - found.alpha:.0%} intervals"
    lines = [
        Line("true", "claimed", x, true),
        Line(
            sure,
            "proven",
            x,
            estimated,
            place=0,
            marks="full",
            low=[e - w for e, w in zip(estimated, width, strict=True)],
            high=[e + w for e, w in zip(estimated, width, strict=True)],
        ),
    ]
    name = found.mechanism
    return Curves(
        f"A collection by {name}, {found.users:,} users, k = {value_in_words(len(found.true))}",
        "value, the most frequent first",
        lines,
        y_title="share (percent)",
    )
