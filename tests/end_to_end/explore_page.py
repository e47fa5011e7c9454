"""What tests of the page of `explore` share: how its parts are read, and waited for."""

from __future__ import annotations

from typing import Any

from tests.end_to_end.browsing import Visit

AS_AT_FIRST = """() => {
    history.pushState(null, "", location.pathname);
    dispatchEvent(new PopStateEvent("popstate"));
}"""
"""As if somebody had gone back to the address without a setting."""

PLOT = "#view .leakage-figure .plot"


def complete(seen: Visit) -> None:
    """Wait until nothing is left to be worked out."""
    seen.page.locator("#view .notes", has_text="so far").wait_for(state="hidden")


def wait_for_caption(seen: Visit, words: str) -> None:
    seen.page.locator("#view-caption", has_text=words).wait_for()
    complete(seen)


def finished(seen: Visit, words: str = "Done") -> str:
    """Wait for the end of a measurement; return what is said."""
    status = seen.page.locator("#status", has_text=words)
    status.wait_for(timeout=60_000)
    said: str = status.inner_text()
    return said


def traces(seen: Visit) -> dict[str, list[Any]]:
    """What is drawn: heights by the name of the line."""
    lines = "e => e.data.filter(t => t.visible).map(t => [t.name, t.y])"
    return dict(seen.page.locator(PLOT).evaluate(lines))
