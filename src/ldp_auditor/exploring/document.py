"""The page of `explore`: what `page/` has for it, and where everything on it stands at first."""

from collections.abc import Mapping, Sequence
from typing import Any

from ldp_auditor import __version__
from ldp_auditor.exploring.protocols import GROUPS, offered
from ldp_auditor.exploring.settings import MOST_REPORTS, MOST_TRIALS, MOST_VALUES
from ldp_auditor.exploring.view import START
from ldp_auditor.page.rendering import rendered

STEPS: Mapping[str, Sequence[float]] = {
    "epsilon": [step / 10 for step in range(1, 101)],
    "domain_size": [
        *range(2, 10),
        *range(10, 50, 5),
        *range(50, 200, 10),
        *range(200, 1001, 50),
        2000,
        5000,
        10_000,
    ],
    "delta": [float(f"{m}e-{n}") for n in range(10, 1, -1) for m in (1, 2, 5)],
    "epsilon_infinity": [step / 5 for step in range(1, 101)],
    "attributes": [*range(2, 21)],
    "dimension": [*range(2, 17), 20, 24, 32, 48, 64],
    "users": [m * 10**n for n in range(2, 9) for m in (1, 2, 5)],
    "reports": [*range(1, 11), 15, 20, 25, 30, 40, 50, 75, 100, 150, 200, 250, 300, 400, 500],
}
"""Values that a slider takes; others are typed."""


STYLES = ("page.css", "figures.css", "print.css", "explore.css")
SHARED = ("theme.js", "drawing.js", "figures.js", "commands.js", "results.js", "asking.js")
SCRIPTS = (*SHARED, "address.js", "views.js", "measure.js", "explore.js")
CHOOSE_SCRIPTS = (*SHARED, "choose.js")

ASKED: Mapping[str, Any] = {
    "domain_size": 100,
    "users": 1_000_000,
    "reports": 52,
    "max_epsilon": 2.0,
    "max_error": 0.0025,
}
"""Where the sliders of a choice stand at first."""

LIMITS: Mapping[str, Sequence[float]] = {
    "domain_size": STEPS["domain_size"],
    "users": STEPS["users"],
    "reports": STEPS["reports"],
    "max_epsilon": [step / 10 for step in range(1, 101)],
    "max_error": [float(f"{m}e-{n}") for n in (5, 4, 3, 2) for m in (1, 1.5, 2, 2.5, 4, 5, 7.5)],
}
"""Values that these sliders take."""


def choose_page() -> str:
    """Put the page of choices together."""
    return rendered(
        "choose.html",
        title="Choose",
        start=ASKED,
        steps=LIMITS,
        for_script={"steps": LIMITS},
        version=__version__,
    )


def explore_page() -> str:
    """Put the page together; nothing on it is written into the scripts."""
    return rendered(
        "explore.html",
        title="Explore",
        start={**START, "axis": "epsilon"},
        steps=STEPS,
        groups=GROUPS,
        protocols=offered(),
        for_script={"steps": STEPS, "uses": {name: each.uses for name, each in offered().items()}},
        most={"values": MOST_VALUES, "reports": MOST_REPORTS, "trials": MOST_TRIALS},
        version=__version__,
    )
