"""The section of the page that shows what proves the violations."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ldp_auditor.page.evidence import MOST_OF_ONE, Evidence, p_value_in_words
from ldp_auditor.page.markup import Html, element, join, text
from ldp_auditor.page.summaries import confidence, number


def evidence_section(found: Sequence[Evidence]) -> Html | None:
    """What proves the violations."""
    if not found:
        return None
    more = element(
        "p", f"The strongest {MOST_OF_ONE} of a mechanism at most; the table above has all of them."
    )
    return element(
        "section",
        element("h2", "Evidence of violations"),
        more,
        *(_evidence(place, entry) for place, entry in enumerate(found)),
        id="evidence",
    )


def _evidence(place: int, entry: Evidence) -> Html:
    ratio = entry.counts.true_positives / max(1, entry.counts.false_positives)
    allowed = f"{math.exp(entry.claimed):.3g}" if entry.claimed < 700 else "any"
    rows = [
        (name, count, entry.counts.trials, count / entry.counts.trials)
        for name, count in (
            (entry.first, entry.counts.true_positives),
            (entry.second, entry.counts.false_positives),
        )
    ]
    table = element(
        "table",
        element("caption", "How often it happened"),
        element(
            "thead",
            element(
                "tr",
                *(element("th", h, scope="col") for h in ("input", "times", "of", "share")),
            ),
        ),
        element(
            "tbody",
            *(
                element(
                    "tr",
                    element("th", text(name), scope="row"),
                    element("td", f"{count:,}"),
                    element("td", f"{trials:,}"),
                    element("td", f"{share:.3%}"),
                )
                for name, count, trials, share in rows
            ),
        ),
    )
    words = (
        f"Epsilon is at least {number(entry.proven)}, the promise was {number(entry.claimed)} "
        f"({confidence(entry.alpha)} confidence; p-value against the promise "
        f"{p_value_in_words(entry.p_value)}). One input makes the event {ratio:.3g} times as "
        f"frequent as the other; the promise allows a factor of {allowed}."
    )
    repeat = None
    if entry.repeat:
        code = element("code", text(entry.repeat, 2000))
        repeat = element("div", element("p", "To repeat it:"), element("pre", code, tabindex=0))
    setting = join([" ", element("small", text(entry.setting))]) if entry.setting else None
    return element(
        "article",
        element("h3", text(entry.name), setting),
        element("p", words),
        element("p", element("strong", "Event: "), text(entry.event, 400)),
        table,
        repeat,
        id=f"evidence-{place}",
        class_="evidence",
    )
