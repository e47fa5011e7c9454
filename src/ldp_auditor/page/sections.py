"""Sections of the page, as HTML."""

from __future__ import annotations

from collections.abc import Sequence

from ldp_auditor.figures.data import Cases
from ldp_auditor.figures.points import Point
from ldp_auditor.figures.words import value_in_words
from ldp_auditor.page.folder import Contents
from ldp_auditor.page.markup import Html, element, join, text
from ldp_auditor.page.summaries import (
    BROKEN,
    CHANCE,
    KEPT,
    NO_CLAIM,
    TITLES,
    UNDECIDED,
    VIOLATION,
    Summary,
    confidence,
    headline,
    worst_of,
)
from ldp_auditor.results.audit_result import AuditResult
from ldp_auditor.results.check_result import CheckResult

SIGNS = {
    VIOLATION: "✕",
    BROKEN: "!",
    CHANCE: "≈",
    UNDECIDED: "?",
    KEPT: "✓",
    NO_CLAIM: "\N{EN DASH}",
}
CLASSES = {
    VIOLATION: "violation",
    BROKEN: "broken",
    CHANCE: "undecided",
    UNDECIDED: "undecided",
    KEPT: "kept",
    NO_CLAIM: "silent",
}

LEDES = {
    VIOLATION: "broken, with proof",
    BROKEN: "cannot hold by exact theory, though no attack here proved it",
    CHANCE: "kept by exact theory, and measured above it no more often than chance explains",
    UNDECIDED: "no violation found, which is no certificate",
    KEPT: "kept by exact theory, and no attack got further",
    NO_CLAIM: "nothing promised",
}

WORDS = (
    ("Claimed epsilon", "what the mechanism promises: no report shifts an attacker's odds by more "
     "than a factor e to the epsilon. Smaller is more private."),
    ("Worst case", "the smallest epsilon that really holds, by exact theory. What the claim "
     "exceeds it by is slack of the analysis."),
    ("Attack, unlimited trials", "what this attack would show if it could be repeated for ever. "
     "What it falls short of the worst case by is weakness of the attack."),
    ("Proven epsilon", "a lower bound from counted reports that is wrong with probability alpha "
     "at most. What it falls short of the attack by is the price of finitely many trials (Monte "
     "Carlo)."),
    ("Violation", "the proven epsilon exceeds the claim. Its absence is no certificate."),
    ("Broken by theory", "the exact worst case exceeds the claim, but no attack here proved it."),
    ("Within chance", "measured above the claim, but in no more audits than the chance of error of "
     "each one explains, while the exact worst case keeps the claim."),
    ("The paper's attack", "guesses the input that a report supports, at random among several "
     "(Arcolezi and Gambs, Revealing the True Cost of Locally Differentially Private Protocols, "
     "PoPETs 2024)."),
    ("The optimal attack", "accuses the first input where its likelihood exceeds that of the "
     "second one by the best factor: no test of reports tells them apart better."),
    ("ε, δ, k", "epsilon; the probability that the promise fails; the number of values that a user "
     "may have."),
    ("Reports", "what each user sends about the same value, over time; 1 by default."),
    ("d, g", "the attributes of a record; the values that a report is hashed to."),
)  # fmt: skip


def masthead(
    title: str, contents: Contents, points: dict[str, list[Point]], verdicts: Sequence[Summary]
) -> Html:
    """The first screen: what was found, and how much was looked at."""
    worst = min(verdict.kind for verdict in verdicts)
    alphas = sorted({r.alpha for _, r in contents.audits} | {r.alpha for r in contents.checks})
    settings = sum(len({repr(p.setting) for p in mine}) for mine in points.values())
    reports = sum(2 * r.counts.trials * r.reports for _, r in contents.audits)
    reports += sum(check.reports for check in contents.checks)
    settings += len(contents.checks)
    kinds = list(worst_of(verdicts).values())
    tiles = [
        ("mechanism" if len(kinds) == 1 else "mechanisms", f"{len(kinds):,}"),
        ("setting" if settings == 1 else "settings", f"{settings:,}"),
        ("proven in violation", f"{kinds.count(VIOLATION):,}"),
        ("broken by theory", f"{kinds.count(BROKEN):,}"),
        ("reports attacked", _large(reports)),
        ("confidence of each result", " / ".join(confidence(alpha) for alpha in alphas[:2])),
    ]
    tiles = [tile for tile in tiles if tile != ("broken by theory", "0")]
    return element(
        "header",
        element("p", "LDP-Auditor · privacy audit", class_="eyebrow"),
        element("p", text(title), class_="given-title") if title else None,
        element("h1", headline(verdicts)),
        element("p", _lede(verdicts), class_="lede"),
        element(
            "dl",
            *(element("div", element("dt", name), element("dd", value)) for name, value in tiles),
            class_="tiles",
        ),
        element("p", _left_out(contents), class_="left-out") if contents.left_out else None,
        class_=f"masthead {CLASSES[worst]}",
    )


def _lede(verdicts: Sequence[Summary]) -> Html:
    """The outcome in counts of mechanisms."""
    parts = []
    for kind, words in LEDES.items():
        names = [name for name, worst in worst_of(verdicts).items() if worst == kind]
        if not names:
            continue
        listed = join([text(name, 40) for name in names[:6]], ", ")
        more = f" and {len(names) - 6:,} more" if len(names) > 6 else ""
        label = element("strong", f"{words.capitalize()}:")
        parts.append(element("span", label, " ", listed, more, ".", class_="lede-line"))
    return join(parts, " ")


def _left_out(contents: Contents) -> str:
    return f"Not on this page: {'; '.join(contents.left_out[:3])}. See the end of the page."


def _large(value: float) -> str:
    for size, word in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if value >= size:
            return f"{value / size:.3g} {word}"
    return f"{value:,.0f}"


def glossary() -> Html:
    """What the words of the page mean."""
    rows = [element("div", element("dt", name), element("dd", words)) for name, words in WORDS]
    return element(
        "details",
        element("summary", "How to read this page"),
        element("dl", *rows),
        class_="glossary",
    )


def verdict_section(verdicts: Sequence[Summary], with_evidence: Sequence[str]) -> Html:
    """A sentence for every mechanism."""
    items = []
    for verdict in verdicts:
        link = None
        if verdict.kind == VIOLATION and verdict.name in with_evidence:
            place = with_evidence.index(verdict.name)
            link = element("a", "The evidence", href=f"#evidence-{place}")
        items.append(
            element(
                "li",
                element("span", SIGNS[verdict.kind], class_="sign", aria_hidden="true"),
                element("span", TITLES[verdict.kind], class_="badge"),
                element("p", element("strong", text(verdict.name)), _said(verdict), " ", link),
                class_=CLASSES[verdict.kind],
            )
        )
    return element(
        "section",
        element("h2", "Verdicts"),
        element("ul", *items, class_="verdicts"),
        id="verdicts",
    )


def _said(verdict: Summary) -> Html:
    between = ": " if verdict.sentence.startswith("no ") else " "
    return join([between, text(verdict.sentence, 600)])


def figure(number: int, cases: Cases) -> Html:
    """A place for a figure, with its controls, its numbers and its words."""
    name = f"figure-{number}"
    first = cases.figures[0]
    return element(
        "figure",
        element(
            "figcaption", element("strong", text(first.title)), " ", text(cases.note, 300), id=name
        ),
        element("div", class_="controls"),
        element(
            "div",
            class_="plot",
            role="img",
            aria_label="A chart; its numbers are in the table below it.",
            style=f"min-height:{first.height}px",
        ),
        element("p", class_="empty", hidden=True),
        element(
            "details",
            element("summary", "The numbers of this figure"),
            element("div", class_="scroll", role="region", tabindex=0, aria_labelledby=name),
        ),
        data_figure=number,
    )


def making_section(contents: Contents, versions: Sequence[tuple[str, str]], command: str) -> Html:
    """Settings, seeds, versions, what was left out, and the command that makes the page again."""
    results = [result for _, result in contents.audits]
    every: list[AuditResult | CheckResult] = [*results, *contents.checks]
    rows = [
        ("attacks", _distinct(result.attack for result in results)),
        ("bounds", _distinct(result.bound for result in results)),
        ("alpha", _distinct(value_in_words(entry.alpha) for entry in every)),
        ("trials of each input", _distinct(f"{r.counts.trials:,}" for r in results)),
        ("reports of each check", _distinct(f"{check.reports:,}" for check in contents.checks)),
        ("seeds", _distinct(str(entry.seed) for entry in every)),
        *versions,
    ]
    table = element(
        "table",
        element("caption", "Settings and versions", class_="unseen"),
        element(
            "tbody",
            *(
                element("tr", element("th", name, scope="row"), element("td", text(value, 400)))
                for name, value in rows
                if value
            ),
        ),
    )
    left_out = None
    if contents.left_out:
        items = [element("li", text(reason, 300)) for reason in contents.left_out[:50]]
        left_out = element("div", element("h3", "Left out"), element("ul", *items))
    return element(
        "section",
        element("h2", "How this was made"),
        table,
        left_out,
        element("p", "This page is made again by:"),
        element("pre", element("code", text(command, 2000)), tabindex=0),
        id="making",
        class_="making",
    )


def _distinct(values: object) -> str:
    found = list(dict.fromkeys(values))  # type: ignore[call-overload]
    shown = ", ".join(found[:12])
    return f"{shown} and {len(found) - 12:,} more" if len(found) > 12 else shown
