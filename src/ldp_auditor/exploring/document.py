"""The page as HTML; what moves on it is in the scripts beside this file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ldp_auditor import __version__
from ldp_auditor.exploring.settings import MOST_REPORTS, MOST_TRIALS, MOST_VALUES, offered
from ldp_auditor.page.library import assets
from ldp_auditor.page.markup import Html, element, join, text
from ldp_auditor.page.sections import glossary

START: Mapping[str, Any] = {
    "protocols": ["GRR", "OUE", "THE"],
    "epsilon": 4.0,
    "domain_size": 100,
    "delta": 1e-5,
    "reports": 1,
    "attack": "paper",
    "trials": 1_000_000,
    "alpha": 0.01,
    "seed": 42,
    "axis": "epsilon",
}
"""Where the sliders stand at first."""

STEPS: Mapping[str, Sequence[float]] = {
    "epsilon": [step / 10 for step in range(1, 101)],
    "domain_size": [*range(2, 10), *range(10, 50, 5), *range(50, 200, 10), *range(200, 1001, 50)],
    "delta": [float(f"{m}e-{n}") for n in range(10, 1, -1) for m in (1, 2, 5)],
    "reports": [*range(1, 11), 15, 20, 25, 30, 40, 50, 75, 100, 150, 200, 250, 300, 400, 500],
}
"""Values that a slider takes; others are typed."""

SLIDERS = (
    ("epsilon", "Claimed epsilon", "ε", "any"),
    ("domain_size", "Domain size", "k", "1"),
    ("reports", "Reports of each user", "τ", "1"),
    ("delta", "Claimed delta", "δ", "any"),
)

TRIALS = (10_000, 100_000, 1_000_000, 10_000_000)

CHOICES: Mapping[str, tuple[str, Sequence[tuple[str, str]]]] = {
    "axis": (
        "Curves over",
        (("epsilon", "epsilon"), ("domain_size", "domain size"), ("reports", "reports")),
    ),
    "attack": ("Attack", (("paper", "the paper's"), ("optimal", "optimal"))),
}


def style() -> str:
    """The style sheet of the page."""
    own = assets(["explore.css"], __package__)
    return f"{assets(['page.css', 'figures.css', 'print.css'])}\n{own}"


def script() -> str:
    """The scripts of the page."""
    shared = assets(["theme.js", "drawing.js", "figures.js"])
    own = assets(["results.js", "measure.js", "explore.js"], __package__)
    return f"{shared}\n{own}"


def explore_page() -> str:
    """Put the page together; nothing on it is written into the scripts."""
    start = {"steps": STEPS}
    data = json.dumps(start).replace("<", "\\u003c")
    head = [
        Html('<meta charset="utf-8">'),
        Html('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Html('<meta name="color-scheme" content="light dark">'),
        Html('<link rel="icon" href="data:,">'),
        Html('<link rel="stylesheet" href="style.css">'),
        element("title", "Explore - LDP-Auditor"),
        element("script", Html(data), type="application/json", id="start"),
        element("script", src="plotly.js", defer=True),
        element("script", src="script.js", defer=True),
    ]
    body = [
        element("a", "Skip to the settings", href="#settings", class_="skip"),
        _masthead(),
        element("main", _figure(), _settings(), _measuring(), class_="bench"),
        element("footer", glossary(), _limits()),
    ]
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{join(head, chr(10))}\n</head>\n'
        f"<body>\n{join(body, chr(10))}\n</body>\n</html>\n"
    )


def _masthead() -> Html:
    return element(
        "header",
        element("p", "LDP-Auditor · explore", class_="eyebrow"),
        element("h1", "What a protocol promises, and what an attacker gets"),
        element(
            "p",
            "Move a slider: the curves are exact, not sampled. Press Measure: the same attack is "
            "carried out on reports, and its proof is laid over the curve.",
            class_="lede",
        ),
        class_="masthead",
    )


def _figure() -> Html:
    return element(
        "section",
        element("h2", "Exact curves", class_="unseen"),
        element(
            "figure",
            element("figcaption", element("strong", "Epsilon"), " ", id="caption"),
            element("ul", class_="key", aria_label="Protocols and how they are drawn"),
            element("div", class_="controls"),
            element("div", class_="plot", role="img", aria_label="A chart that is being drawn."),
            element("p", class_="error", role="alert", id="error", hidden=True),
            element("ul", class_="notes", id="notes", aria_live="polite"),
            element(
                "details",
                element("summary", "The numbers of this figure"),
                element(
                    "div", class_="scroll", role="region", tabindex=0, aria_labelledby="caption"
                ),
            ),
        ),
        class_="curves",
    )


def _settings() -> Html:
    return element(
        "form",
        element("h2", "Setting"),
        *(_slider(*slider) for slider in SLIDERS),
        *(_choice(name, title, options) for name, (title, options) in CHOICES.items()),
        _protocols(),
        id="settings",
        autocomplete="off",
    )


def _choice(name: str, title: str, options: Sequence[tuple[str, str]]) -> Html:
    """Buttons of which one is pressed."""
    buttons = [
        element(
            "label",
            _void("input", type="radio", name=name, value=value, checked=START[name] == value),
            element("span", words),
        )
        for value, words in options
    ]
    return element("fieldset", element("legend", title), *buttons, class_="choice")


def _slider(name: str, title: str, letter: str, step: str) -> Html:
    """A slider and a field for the same number."""
    field = f"{name}-number"
    words = [title, " ", element("span", letter, class_="letter")]
    label = element("label", *words, for_=field)
    number = _void("input", type="number", id=field, step=step, value=_typed(START[name]))
    slider = _void(
        "input",
        type="range",
        id=f"{name}-slider",
        min=0,
        max=len(STEPS[name]) - 1,
        step=1,
        value=0,
        aria_label=f"{title}, slider",
    )
    hint = None
    if name == "delta":
        hint = element("p", "Used by approximate protocols only.", class_="hint")
    return element("div", label, number, slider, hint, class_="slider", data_name=name)


def _typed(value: float) -> str:
    return f"{value:g}".replace("e-0", "e-")


def _protocols() -> Html:
    names = offered()
    groups = []
    for approximate, title in ((False, "Pure protocols"), (True, "Approximate protocols")):
        boxes = [
            element(
                "label",
                _void(
                    "input",
                    type="checkbox",
                    name="protocol",
                    value=name,
                    checked=name in START["protocols"],
                    data_approximate=approximate,
                ),
                text(name, 40),
            )
            for name, needs_delta in names.items()
            if needs_delta == approximate
        ]
        legend = element("legend", title)
        groups.append(element("fieldset", legend, *boxes, class_="protocols"))
    return join(groups)


def _measuring() -> Html:
    options = [
        element("option", f"{trials:,}", value=trials, selected=trials == START["trials"])
        for trials in TRIALS
    ]
    return element(
        "section",
        element("h2", "Measure"),
        element(
            "form",
            element("label", "Trials of each input", element("select", *options, id="trials")),
            _field("alpha", "Alpha", "any"),
            _field("seed", "Seed", "1"),
            element(
                "span",
                element("button", "Measure", type="submit", id="measure", class_="strong"),
                element("button", "Cancel", type="button", id="cancel", disabled=True),
                class_="buttons",
            ),
            id="measuring",
            autocomplete="off",
        ),
        element(
            "div",
            element("progress", max=1, value=0, id="bar", aria_labelledby="status", hidden=True),
            element("p", id="status", role="status"),
            class_="running",
        ),
        element("ol", class_="verdicts results", id="results", aria_label="Measured results"),
        class_="measure",
    )


def _field(name: str, title: str, step: str) -> Html:
    value = _typed(START[name])
    return element("label", title, _void("input", type="number", id=name, step=step, value=value))


def _limits() -> Html:
    return element(
        "p",
        f"ldp-auditor {__version__}, on this machine only. On this page k goes up to "
        f"{MOST_VALUES:,}, reports up to {MOST_REPORTS:,} and trials up to {MOST_TRIALS:,}; the "
        "commands take more. Ctrl-C in the terminal ends it.",
        class_="limits",
    )


def _void(tag: str, **attributes: Any) -> Html:
    """An element that has no end."""
    return Html(element(tag, **attributes).removesuffix(f"</{tag}>"))
