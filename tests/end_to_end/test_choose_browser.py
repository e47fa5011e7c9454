"""The page of `explore` on which a protocol is chosen, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.end_to_end.browsing import PHONE, Visit, visit
from tests.exploring import Client

pytestmark = pytest.mark.browser

# Two reports of eight values are solved soon.
ASKED = "domain_size=8&reports=2&max_error=0.01"


@pytest.fixture(scope="module")
def phone(browser: Any, client: Client) -> Iterator[Visit]:
    """The page, opened on a phone."""
    with visit(browser, client.address, **PHONE) as opened:
        opened.page.get_by_role("link", name="Which to choose").click()
        opened.page.wait_for_url("**/choose")
        yield opened


@pytest.fixture
def seen(phone: Visit) -> Visit:
    """The page with its sliders where its address has them, and the answer to that."""
    phone.page.evaluate(f"location.hash = '{ASKED}'")
    told(phone, "--reports 2 --max-epsilon 2 --max-error 0.01")
    return phone


def told(seen: Visit, words: str) -> None:
    """Wait for the answer to a setting: the command that repeats it has these words."""
    command = seen.page.locator("#export-command", has_text=words)
    command.wait_for(state="attached")


def test_the_limits_are_in_the_address(seen: Visit) -> None:
    reports = seen.page.get_by_label("Reports of each user τ")
    assert reports.input_value() == "2"
    reports.fill("3")
    seen.page.wait_for_url("**/choose#*reports=3*")
    seen.page.get_by_label("no part that never changes").check()
    seen.page.wait_for_url("**/choose#*fingerprint=false*")
    told(seen, "--no-fingerprint")
    seen.page.reload()
    told(seen, "--reports 3 --max-epsilon 2 --max-error 0.01 --no-fingerprint")
    assert seen.page.get_by_label("no part that never changes").is_checked()
    seen.page.go_back()
    told(seen, "--reports 3 --max-epsilon 2 --max-error 0.01 --figure")
    seen.page.go_back()
    told(seen, "--reports 2")
    assert reports.input_value() == "2"
    assert not seen.page.get_by_label("no part that never changes").is_checked()


def test_an_answer_is_taken_along(seen: Visit) -> None:
    seen.page.get_by_text("Take this view along").click()
    assert "found = choose(" in seen.page.locator("#export-cell").inner_text()
    with seen.page.expect_download() as saving:
        seen.page.get_by_role("link", name="SVG").click()
    assert saving.value.suggested_filename == "explore-choice.svg"
    seen.page.get_by_text("Take this view along").click()


def test_figure_and_table_are_named_for_listeners(seen: Visit) -> None:
    label = seen.page.locator(".plot").get_attribute("aria-label")
    assert label.startswith("Chart of trade-off: ")
    row = seen.page.locator("#candidates tbody tr").first
    assert row.locator("th[scope=row]").count() == 1


def test_numbers_of_people_fit_their_fields_on_a_phone(seen: Visit) -> None:
    users = seen.page.get_by_label("Users n")
    users.fill("1000000000")
    wide, room = users.evaluate("field => [field.scrollWidth, field.clientWidth]")
    assert wide <= room
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= 390
