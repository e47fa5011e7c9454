"""A real browser: the Chromium of this machine, without a window."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

DESK = {"width": 1280, "height": 860}
PHONE = {"viewport": {"width": 390, "height": 844}}

INK = "document.querySelector('.plot')._fullLayout.font.color"
"""The colour that a figure was drawn with."""

FITTING = """() => Array.from(document.querySelectorAll(".plot"))
    .filter((plot) => plot.clientWidth > 0)
    .every((plot) => Math.abs(plot._fullLayout?.width - plot.clientWidth) < 2)"""
"""Whether figures were drawn for the width that they have; those that are hidden have none."""

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def chromium() -> str:
    """Where a Chromium is; without one the test is skipped, and says so."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip("no Chromium on this machine: apt-get install chromium")
    return found


@dataclass
class Visit:
    """A page that is open, and what it did."""

    page: Any
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def show(self, scheme: str = "dark", viewport: dict[str, int] = PHONE["viewport"]) -> None:
        """Change the colours and the size of an open page, and wait until it has followed."""
        self.page.set_viewport_size(viewport)
        self.page.emulate_media(color_scheme=scheme, media="screen")
        self.page.wait_for_function(f"{INK} === theme().ink")
        self.page.wait_for_function(FITTING)

    def unfold(self) -> None:
        """Open everything that can be opened."""
        closed = self.page.locator("details:not([open]) > summary").filter(visible=True)
        while closed.count():
            closed.first.click()

    def figure_names(self) -> list[str]:
        """The words that name each figure that can be seen, for those who listen."""
        named: list[str] = self.page.locator("figure:visible").evaluate_all(
            "all => all.map(e => e.ariaLabelledByElements?.[0]?.innerText ?? '')"
        )
        return named

    def violations(self) -> list[str]:
        """Serious accessibility issues that axe-core finds."""
        from axe_playwright_python.sync_playwright import Axe

        found = Axe().run(self.page).response["violations"]
        return [
            f"{issue['id']}: {node['html'][:120]}"
            for issue in found
            if issue["impact"] in ("serious", "critical")
            for node in issue["nodes"]
        ]


@contextlib.contextmanager
def visit(browser: Any, place: Path | str, **settings: Any) -> Iterator[Visit]:
    """Open a page and wait until its figures are drawn; nothing may go wrong or out."""
    own = "file:" if isinstance(place, Path) else place
    context = browser.new_context(**{"viewport": DESK, **settings})
    try:
        context.set_default_timeout(60_000)
        page = context.new_page()
        seen = Visit(page)
        page.on("console", lambda message: seen.errors.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: seen.errors.append(str(error)))
        page.on("dialog", lambda dialog: seen.errors.append(f"dialog: {dialog.message}"))
        page.on("request", lambda request: seen.requests.append(request.url))
        page.goto(place.as_uri() if isinstance(place, Path) else place)
        page.wait_for_selector("html[data-ready]")
        yield seen
        assert seen.errors == [], seen.errors
        away = [url for url in seen.requests if not url.startswith((own, "data:", "blob:"))]
        assert away == [], away
    finally:
        context.close()
