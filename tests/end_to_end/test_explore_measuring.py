"""The page of `explore` in a real browser: measurements, on a desk and on a phone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.end_to_end.browsing import DESK, INK, PHONE, Visit, visit
from tests.end_to_end.command import run_json
from tests.end_to_end.explore_page import (
    AS_AT_FIRST,
    PLOT,
    complete,
    finished,
    traces,
    wait_for_caption,
)
from tests.end_to_end.sweeping import wait_until
from tests.exploring import Client

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def dark_phone(browser: Any, client: Client) -> Iterator[Visit]:
    """The page, opened on a phone in dark mode, with a measurement on it."""
    # The page's policy would refuse axe-core, which is no script of its own.
    settings: Any = {**PHONE, "has_touch": True, "color_scheme": "dark", "bypass_csp": True}
    with visit(browser, client.address, **settings) as page:
        page.page.get_by_label("Trials of each input").select_option("10000")
        page.page.get_by_role("button", name="Measure").click()
        finished(page)
        yield page


@pytest.fixture
def measuring(browser: Any, client: Client) -> Iterator[Visit]:
    """A page of its own, for what stays on it."""
    rights = ["clipboard-read", "clipboard-write"]
    with visit(browser, client.address, permissions=rights) as page:
        complete(page)
        yield page
        client.ask("cancel", {})
        client.measured()


def test_a_measurement_finishes_and_matches_the_command_that_is_copied(measuring: Visit) -> None:
    measuring.page.get_by_label("Trials of each input").select_option("100000")
    measuring.page.get_by_label("Seed").fill("5")
    measuring.page.get_by_role("button", name="Measure").click()
    assert finished(measuring) == "Done: 3 protocols measured."
    drawn = traces(measuring)
    items = measuring.page.locator("#results li")
    assert items.count() == 3
    for item, name in zip(items.all(), ("THE", "OUE", "GRR"), strict=True):
        command = item.locator("pre").inner_text()
        told = run_json(*re.sub(r"\s+", " ", command).split(" ")[1:])
        assert told["mechanism"] == name
        assert told["seed"] == 5
        words = item.inner_text()
        assert "keeps its promise" in words
        hits, alarms = (f"{told[key]:,}" for key in ("true_positives", "false_positives"))
        assert f"{hits} true and {alarms} false positives in 100,000 trials" in words
        assert f"attack {told['attack_epsilon']:.4f} with unlimited trials" in words
        assert drawn[f"{name}, proven"] == [told["empirical_epsilon"]]
    measuring.page.get_by_label("Domain size k").fill("50")
    wait_for_caption(measuring, "k = 50")
    assert not any("proven" in name for name in traces(measuring))
    copy = measuring.page.get_by_role("button", name="Copy the command that repeats OUE")
    copy.click()
    copy.get_by_text("Copied").wait_for()
    copied = measuring.page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("ldp-auditor audit OUE --epsilon 4.0 --domain-size 100")
    measuring.page.get_by_label("Domain size k").fill("100")
    wait_for_caption(measuring, "k = 100")
    assert traces(measuring) == drawn


def test_a_measurement_shows_progress_and_is_cancelled(measuring: Visit) -> None:
    for name in ("GRR", "OUE", "THE"):
        measuring.page.get_by_role("checkbox", name=name, exact=True).uncheck()
    measuring.page.get_by_role("checkbox", name="SHE", exact=True).check()
    measuring.page.get_by_label("Domain size k").fill("1000")
    measuring.page.get_by_label("Trials of each input").select_option("10000000")
    cancel = measuring.page.get_by_role("button", name="Cancel")
    assert cancel.is_disabled()
    measuring.page.get_by_role("button", name="Measure").click()
    finished(measuring, "Measuring SHE…")
    bar = measuring.page.get_by_role("progressbar")
    bar.wait_for()
    wait_until(lambda: 0 < bar.evaluate("e => e.value") < 1, "no progress was shown")
    assert measuring.page.get_by_role("button", name="Measure").is_disabled()
    wealth = measuring.page.locator("#wealth-words")
    wealth.wait_for()
    before = wealth.inner_text()
    wait_until(lambda: wealth.inner_text() != before, "the wealth did not grow")
    cancel.click()
    said = finished(measuring, "Cancelled")
    assert said.startswith("Cancelled; nothing was measured. SHE, ")
    assert "trials: proven so far ε ≥ " in said
    assert not bar.is_visible()
    assert measuring.page.get_by_role("button", name="Measure").is_enabled()


def test_a_phone_shows_all_of_it(dark_phone: Visit) -> None:
    dark_phone.show()
    boxes = dark_phone.page.locator("input[name=protocol]:not(:checked)").filter(visible=True).all()
    for box in boxes[::-1]:
        box.check()
    complete(dark_phone)
    assert dark_phone.page.evaluate("document.documentElement.scrollWidth") <= 390
    assert dark_phone.page.locator(PLOT).bounding_box()["width"] <= 390
    dark_phone.page.evaluate(AS_AT_FIRST)
    complete(dark_phone)


def test_a_phone_shows_a_figure_while_its_slider_moves(dark_phone: Visit) -> None:
    dark_phone.show()
    plot = dark_phone.page.locator(PLOT)
    plot.evaluate("e => window.scrollTo(0, e.getBoundingClientRect().top + scrollY - 60)")
    slider = dark_phone.page.get_by_role("slider", name="Domain size, slider")
    place, figure = slider.bounding_box(), plot.bounding_box()
    assert figure["y"] >= 0
    assert figure["y"] + figure["height"] <= place["y"]
    assert place["y"] + place["height"] <= 844
    slider.press("ArrowRight")
    wait_for_caption(dark_phone, "at k = 110")
    dark_phone.page.get_by_role("button", name="Measure").scroll_into_view_if_needed()
    assert slider.bounding_box()["y"] < 0
    dark_phone.page.evaluate(AS_AT_FIRST)
    complete(dark_phone)


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_axe_finds_nothing_serious(dark_phone: Visit, scheme: str) -> None:
    dark_phone.show(scheme, DESK)
    for name in ("SS", "AGM"):
        dark_phone.page.get_by_role("checkbox", name=name, exact=True).check()
    complete(dark_phone)
    dark_phone.unfold()
    assert dark_phone.violations() == []


def test_dark_mode_has_its_own_colours(dark_phone: Visit) -> None:
    dark_phone.show()
    dark = dark_phone.page.evaluate(INK)
    dark_phone.page.emulate_media(color_scheme="light")
    dark_phone.page.wait_for_function(f"dark => {INK} !== dark", arg=dark)
