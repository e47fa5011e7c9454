"""The page of `explore` in a real browser: what moves with its settings."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest

from ldp_auditor.exploring import document
from ldp_auditor.exploring.protocols import Offered
from tests.end_to_end.browsing import Visit, visit
from tests.end_to_end.explore_page import (
    AS_AT_FIRST,
    PLOT,
    complete,
    finished,
    traces,
    wait_for_caption,
)
from tests.exploring import Client, served
from tests.pages import HOSTILE

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def opened(browser: Any, client: Client) -> Iterator[Visit]:
    """The page for all tests that measure nothing."""
    with visit(browser, client.address) as page:
        complete(page)
        yield page


@pytest.fixture
def seen(opened: Visit) -> Visit:
    """The page with its sliders and buttons where they stand at first."""
    opened.page.evaluate(AS_AT_FIRST)
    opened.page.get_by_role("alert").filter(visible=True).wait_for(state="hidden")
    wait_for_caption(opened, "Epsilon over the claimed epsilon, at k = 100, one report, paper")
    return opened


def choose(seen: Visit, name: str, value: str) -> None:
    """Press one of the buttons of a choice."""
    seen.page.locator(f"input[name={name}][value={value}]").check()


def table(seen: Visit) -> dict[str, dict[str, str]]:
    """The numbers of the figure by place and column."""
    details = seen.page.locator("#view .leakage-figure details")
    if details.get_attribute("open") is None:
        details.locator("summary").click()
    details.locator("tbody tr").first.wait_for()
    head = details.locator("thead th").all_inner_texts()
    rows = [row.locator("th, td").all_inner_texts() for row in details.locator("tbody tr").all()]
    return {row[0]: dict(zip(head[1:], row[1:], strict=True)) for row in rows}


def test_exact_curves_are_drawn_at_once(seen: Visit) -> None:
    drawn = traces(seen)
    assert list(drawn) == [
        "claimed",
        *(f"{name}, {kind}" for name in ("GRR", "OUE", "THE") for kind in ("worst case", "attack")),
    ]
    assert seen.page.locator(f"{PLOT} path.js-line").count() == len(drawn)
    assert drawn["GRR, attack"] == pytest.approx(drawn["claimed"])
    shown = table(seen)["4"]
    q = 1 / (1 + math.exp(4))
    none = (1 - q) ** 99
    right = 0.5 * (1 - none * (1 - q)) / (100 * q) + 0.5 * none / 100
    assert shown["claimed"] == shown["OUE, worst case"] == "4.0000"
    assert shown["OUE, attack"] == f"{math.log(right * 99 / (1 - right)):.4f}"
    label = seen.page.locator(PLOT).get_attribute("aria-label")
    assert label.startswith("Chart of exact epsilons of GRR, OUE, THE at k = 100, one report, ")


def test_figures_and_forms_are_named_for_listeners(seen: Visit) -> None:
    names = seen.figure_names()
    assert [name.split(",")[0] for name in names] == [
        "Epsilon over the claimed epsilon",
        "Standard error over the claimed epsilon",
    ]
    for name in ("Setting", "Measure"):
        assert seen.page.get_by_role("form", name=name).count() == 1
    assert not seen.page.locator("#js-plotly-tester:not([aria-hidden])").count()


def test_a_slider_moves_the_curves_by_keyboard(seen: Visit) -> None:
    before = traces(seen)["OUE, attack"]
    slider = seen.page.get_by_role("slider", name="Domain size, slider")
    slider.focus()
    seen.page.keyboard.press("ArrowRight")
    wait_for_caption(seen, "at k = 110")
    assert slider.get_attribute("aria-valuetext") == "110"
    assert seen.page.get_by_label("Domain size k").input_value() == "110"
    assert traces(seen)["OUE, attack"] != before


def test_the_latest_setting_is_drawn(seen: Visit) -> None:
    slider = seen.page.get_by_role("slider", name="Domain size, slider")
    slider.focus()
    for _ in range(30):
        seen.page.keyboard.press("ArrowLeft")
    value = seen.page.get_by_label("Domain size k").input_value()
    assert int(value) < 20
    wait_for_caption(seen, f"at k = {value},")


def test_axes_attacks_and_protocols_are_chosen(seen: Visit) -> None:
    choose(seen, "axis", "reports")
    caption = seen.page.locator("#view-caption")
    caption.get_by_text(", at ε = 4, k = 100").wait_for()  # many reports take long
    assert caption.inner_text().startswith("Epsilon over the reports of each user")
    assert seen.page.locator(PLOT).evaluate("e => e._fullLayout.yaxis.type") == "log"
    assert table(seen)["1"]["claimed"] == "4.0000"
    choose(seen, "axis", "domain_size")
    choose(seen, "attack", "optimal")
    wait_for_caption(seen, "Epsilon over the domain size k, at ε = 4, one report, optimal attack")
    assert table(seen)["100"]["OUE, attack"] == "4.0000"
    delta = seen.page.get_by_label("Claimed delta δ")
    assert delta.is_hidden()
    for name in ("GRR", "THE"):
        seen.page.get_by_role("checkbox", name=name, exact=True).uncheck()
    seen.page.get_by_role("checkbox", name="AGRR").check()
    wait_for_caption(seen, "δ = 1e-5")
    assert delta.is_visible()
    assert seen.page.locator("#view .key li").all_inner_texts() == ["OUE", "AGRR"]


def test_lines_are_switched_off_and_axes_made_logarithmic(seen: Visit) -> None:
    figure = seen.page.locator("#view .leakage-figure")
    before = len(traces(seen))
    figure.get_by_role("checkbox", name="exact worst case").uncheck()
    assert len(traces(seen)) == before - 3
    assert "worst" not in figure.locator(".plot").get_attribute("aria-label")
    figure.get_by_label("Logarithmic vertical axis").check()
    assert figure.locator(".plot").evaluate("e => e._fullLayout.yaxis.type") == "log"
    figure.get_by_label("Logarithmic vertical axis").uncheck()
    figure.get_by_role("checkbox", name="exact worst case").check()
    assert len(traces(seen)) == before


def test_wrong_settings_are_marked_at_their_fields_and_move_no_axis(seen: Visit) -> None:
    ends = f"document.querySelector('{PLOT}')._fullLayout.xaxis.range.join()"
    before = seen.page.evaluate(ends)
    for name, label, value, words in (
        ("epsilon", "Claimed epsilon of one report ε", "-1", "epsilon must be positive"),
        ("epsilon", "Claimed epsilon of one report ε", "1000", "epsilon goes from 0.01 to 10"),
        (
            "epsilon",
            "Claimed epsilon of one report ε",
            "",
            "epsilon must be a number, got epsilon=n",
        ),
        ("domain_size", "Domain size k", "999999", "domain_size goes up to 10,000 on this page"),
        ("reports", "Reports of each user τ", "1.5", "reports must be a whole number"),
    ):
        field = seen.page.get_by_label(label)
        good = field.input_value()
        field.fill(value)
        told = seen.page.locator(f"#{name}-wrong")
        told.get_by_text(words).wait_for()
        assert field.get_attribute("aria-invalid") == "true"
        assert field.get_attribute("aria-describedby") == f"{name}-wrong"
        assert seen.page.locator("#error").is_hidden()
        assert seen.page.evaluate(ends) == before
        field.fill(good)
        told.wait_for(state="hidden")
        assert field.get_attribute("aria-invalid") is None
    seen.page.get_by_role("checkbox", name="GM", exact=True).check()
    seen.page.locator("#view .notes", has_text="GM is defined for epsilon <= 1 only").wait_for()
    alpha, told = seen.page.get_by_label("Alpha", exact=True), seen.page.locator("#alpha-wrong")
    alpha.fill("7")
    told.get_by_text("alpha must lie in (0, 1)").wait_for()
    alpha.fill("0.01")
    told.wait_for(state="hidden")


def test_the_setting_is_in_the_address(seen: Visit) -> None:
    seen.page.get_by_label("Domain size k").fill("50")
    seen.page.wait_for_url("**/#*domain_size=50*")
    choose(seen, "axis", "reports")
    seen.page.wait_for_url("**/#*axis=reports*")
    seen.page.reload()
    seen.page.locator("#view-caption", has_text="at ε = 4, k = 50, paper attack").wait_for()
    seen.page.go_back()
    wait_for_caption(seen, "Epsilon over the claimed epsilon, at k = 50")
    assert seen.page.locator("input[name=axis]:checked").get_attribute("value") == "epsilon"
    seen.page.go_back()
    wait_for_caption(seen, "at k = 100")
    seen.page.go_forward()
    wait_for_caption(seen, "at k = 50")


def test_an_address_opens_its_view(seen: Visit) -> None:
    words = "protocols=GRR,L-SUE,NoSuch&epsilon=2.5&epsilon_infinity=5&trials=12345"
    seen.page.evaluate(f"location.hash = '{words}'")
    wait_for_caption(seen, "at ε∞ = 5, k = 100")
    names = seen.page.locator("#readout tbody th").all_inner_texts()
    assert names == ["GRR", "L-SUE"]
    assert seen.page.get_by_role("checkbox", name="L-SUE", exact=True).is_visible()
    assert seen.page.get_by_label("Trials of each input").input_value() == "12345"
    alert = seen.page.locator("#error")
    assert alert.inner_text() == "The address names protocols that are not on this page: NoSuch."
    seen.page.evaluate("location.hash = 'epsilon=oops'")
    seen.page.locator("#epsilon-wrong", has_text="epsilon must be a number").wait_for()


def test_numbers_stand_at_the_sliders(seen: Visit) -> None:
    seen.page.get_by_label("Claimed epsilon of one report ε").fill("2")
    seen.page.locator("#readout caption", has_text="At ε = 2").wait_for()
    rows = seen.page.locator("#readout tbody tr").all()
    assert rows[0].locator("th, td").all_inner_texts()[:4] == ["GRR", "2.000", "2.000", "2.000"]


def test_a_click_finds_the_epsilon_that_keeps_a_limit(seen: Visit) -> None:
    field = seen.page.locator(f"{PLOT} .nsewdrag").first
    size = field.bounding_box()
    field.click(position={"x": size["width"] / 3, "y": size["height"] / 2})
    seen.page.locator("#found li").first.wait_for()
    most = float(seen.page.get_by_label("at most").input_value())
    assert 3 < most < 7
    told = seen.page.locator("#found-words").inner_text()
    assert told == f"Largest ε at which the attack shows at most {most:g}:"
    button = seen.page.get_by_role("button", name="GRR: ")
    button.click()
    wait_for_caption(seen, "Epsilon over the claimed epsilon")
    set_to = seen.page.get_by_label("Claimed epsilon of one report ε").input_value()
    assert float(set_to) == pytest.approx(most, abs=1e-3)
    assert seen.page.locator("#found li").count() == 3
    seen.page.get_by_label("Domain size k").fill("60")
    wait_for_caption(seen, "k = 60")
    assert seen.page.locator("#found li").count() == 0
    seen.page.locator("#view .error-figure .nsewdrag").first.click()
    seen.page.locator(
        "#found-words", has_text="Smallest ε at which the standard error is"
    ).wait_for()


def test_two_settings_stand_side_by_side(seen: Visit) -> None:
    seen.page.get_by_role("button", name="Hold this setting").click()
    seen.page.get_by_label("Domain size k").fill("5")
    wait_for_caption(seen, "k = 5,")
    held = seen.page.locator("#held")
    assert "k = 100" in held.locator("#held-caption").inner_text()
    heights = "e => e._fullLayout.yaxis.range.join()"
    first, second = (
        seen.page.locator(f"{place} .leakage-figure .plot") for place in ("#view", "#held")
    )
    assert first.evaluate(heights) == second.evaluate(heights)
    tops = "['#view', '#held'].map((of) => document.querySelector(`${of} .leakage-figure .plot`)"
    tops += ".getBoundingClientRect().y)"  # both at one moment: the page may still scroll
    seen.page.wait_for_function(f"Math.abs({tops}.reduce((a, b) => a - b)) < 2")
    seen.page.wait_for_url("**/#*domain_size=5&*held=*")
    seen.page.reload()
    seen.page.locator("#held-caption", has_text="k = 100").wait_for()
    held.get_by_role("button", name="Swap the two").click()
    wait_for_caption(seen, "k = 100")
    seen.page.locator("#held-caption", has_text="k = 5,").wait_for()
    held.get_by_role("button", name="Let go").click()
    held.wait_for(state="hidden")


def test_a_view_is_taken_along(seen: Visit) -> None:
    summary = seen.page.get_by_text("Take this view along")
    summary.click()
    command = seen.page.locator("#export-command")
    command.get_by_text("ldp-auditor explore GRR OUE THE --over epsilon").wait_for()
    assert "view(" in seen.page.locator("#export-cell").inner_text()
    with seen.page.expect_download() as saving:
        seen.page.locator("#export a[data-file='error.svg']").click()
    assert saving.value.suggested_filename == "explore-error.svg"
    summary.click()


def test_hostile_names_do_no_harm(browser: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    hostile = [name for name in HOSTILE if len(name) < 1000]
    names = ["GRR", "OUE", "THE", *hostile]
    shown = {name: Offered(name, "pure", ("epsilon",)) for name in names}
    monkeypatch.setattr(document, "offered", lambda: shown)
    with served() as client, visit(browser, client.address) as seen:
        error = seen.page.locator("#error")
        for number, name in enumerate(names):
            if name not in hostile:
                continue
            box = seen.page.locator("input[name=protocol]").nth(number)
            box.check()
            error.wait_for()
            assert error.inner_text().startswith("unknown protocol")
            seen.page.get_by_role("button", name="Measure").click()
            finished(seen, error.inner_text())
            box.uncheck()
            error.wait_for(state="hidden")
        assert seen.page.locator("img, iframe, object, embed").count() == 0
        assert seen.page.evaluate("document.scripts.length") == 3


def test_when_the_command_has_ended_the_page_says_so(browser: Any) -> None:
    with served() as client:
        context = browser.new_context()
        page = context.new_page()
        page.goto(client.address)
        page.wait_for_selector("html[data-ready]")
    page.get_by_label("Domain size k").fill("50")
    page.locator("#error").get_by_text("The command has ended").wait_for()
    context.close()
