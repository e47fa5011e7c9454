"""The page in a real browser."""

from __future__ import annotations

import csv
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ldp_auditor.page.document import write_page
from ldp_auditor.page.overview import COLUMNS
from tests.end_to_end.browsing import DESK, FITTING, INK, PHONE, Visit, visit
from tests.end_to_end.command import run
from tests.end_to_end.report_page import curve, rows
from tests.pages import HOSTILE, audited, checked, swept, write

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    write_page(swept(folder / "results"), folder / "report.html")
    return folder / "report.html"


@pytest.fixture(scope="module")
def seen(browser: Any, report: Path) -> Iterator[Visit]:
    """The page, opened once: a test leaves it as it found it."""
    with visit(browser, report) as opened:
        yield opened


@pytest.fixture(scope="module")
def dark_phone(browser: Any, report: Path) -> Iterator[Visit]:
    """The page, opened on a phone in dark mode; a test first says how it is to be shown."""
    # The page's policy would refuse axe-core, which is no script of its own.
    settings: Any = {**PHONE, "color_scheme": "dark", "bypass_csp": True}
    with visit(browser, report, **settings) as opened:
        yield opened


def test_the_first_screen_tells_what_was_found(seen: Visit) -> None:
    assert seen.page.inner_text("h1").splitlines() == [
        "2 of the 4 mechanisms that make a privacy promise break it.",
        "ε = 0.5 to 4, k = 10 to 50, T = 100,000",
    ]
    first = seen.page.locator(".verdicts li").first
    assert "breaks its promise" in first.inner_text()
    assert first.bounding_box()["y"] < 860
    first.get_by_role("link", name="The evidence").click()
    assert seen.page.url.endswith("#evidence-1")


def test_every_figure_is_drawn(seen: Visit) -> None:
    figures = seen.page.locator("figure[data-figure]")
    assert figures.count() == seen.page.locator("figure.drawn .plot svg.main-svg").count() // 3
    labels = figures.locator(".plot").evaluate_all("all => all.map(e => e.ariaLabel)")
    assert all(label.startswith("Chart of") for label in labels)
    names = seen.figure_names()
    assert len(names) == figures.filter(visible=True).count()
    assert all(names)


def test_the_table_sorts(seen: Visit) -> None:
    heading = seen.page.get_by_role("columnheader", name="Proven")
    for direction, reverse in (("ascending", False), ("descending", True)):
        heading.get_by_role("button").click()
        assert heading.get_attribute("aria-sort") == direction
        values = [float(value) for value in rows(seen, "Proven ε")]
        assert values == sorted(values, reverse=reverse)
    seen.page.get_by_role("columnheader", name="Claimed").get_by_role("button").press("Enter")
    assert rows(seen, "Claimed ε")[-1] == "∞"
    assert rows(seen, "Worst case")[-1] == "∞"
    seen.page.get_by_role("columnheader", name="Worst case").get_by_role("button").click()
    assert rows(seen, "Worst case")[-1] == "\N{EN DASH}"


def shown(seen: Visit) -> list[str]:
    """The charts that can be seen, by what they are about."""
    labels: list[str] = seen.page.locator("figure:visible .plot").evaluate_all(
        "all => all.map(e => e.ariaLabel.split(':')[0])"
    )
    return labels


def test_words_are_found_whole(seen: Visit) -> None:
    total = len(rows(seen, "Mechanism"))
    find = seen.page.get_by_label("Find")
    for words, count in (
        *(("oue", 8), ("OUE optimal", 4), ("OUE k=10", 8), ("k=1", 0), ("epsilon=0.5 paper", 3)),
        *(("eps=0.5 paper", 3), ("violatio", 0), ("package:mechanism", 1), ("k=1e1", 16)),
    ):
        find.fill(words)
        assert seen.page.inner_text("#count") == f"{count} of {total} rows", words
    find.fill("")
    assert seen.page.inner_text("#count") == f"{total} rows"


def test_filters_are_linked_and_kept_in_the_address(seen: Visit) -> None:
    everything = shown(seen)
    seen.page.locator("#by-protocol").select_option("GRR")
    seen.page.locator("#by-k").select_option("10")
    seen.page.locator("#by-attack").select_option("optimal")
    assert seen.page.url.endswith("#protocol=GRR&k=10&attack=optimal")
    assert set(rows(seen, "Mechanism")) == {"GRR"}
    assert set(rows(seen, "Attack")) == {"optimal"}
    first, second, third = shown(seen)
    assert first.startswith("Chart of All mechanisms")
    assert second == "Chart of GRR at k = 10"
    assert third.startswith("Chart of GRR at ε = ")
    label = seen.page.locator("figure:visible .plot").nth(1).get_attribute("aria-label")
    assert "optimal attack" in label
    assert "paper attack" not in label
    budget = seen.page.get_by_label("Your budget")
    for value, marked in (("-3", True), ("1.2", False)):
        budget.fill(value)
        assert budget.evaluate("field => field.matches(':invalid')") is marked
        assert ("2px" in budget.evaluate("field => getComputedStyle(field).borderWidth")) is marked
    seen.page.evaluate("location.hash = 'verdict=violation&budget=1.2'")
    seen.page.wait_for_function("document.getElementById('by-budget').value === '1.2'")
    assert set(rows(seen, "Mechanism")) == {"Broken", "package:mechanism"}
    assert seen.page.inner_text("#count").endswith("2 beyond your budget")
    verdict = seen.page.locator(".verdicts li", has_text="GRR")
    assert "Beyond your budget of 1.2 in 4 of 8 settings." in verdict.inner_text()
    broken = seen.page.locator(".verdicts li", has_text="package:mechanism")
    assert "Beyond your budget of 1.2." in broken.inner_text()
    seen.page.get_by_role("button", name="Clear").click()
    assert shown(seen) == everything


def test_figures_and_commands_leave_the_page(seen: Visit) -> None:
    figure = curve(seen)
    for kind, begin in (("SVG", b"<svg"), ("PNG", b"\x89PNG"), ("CSV", b'"claimed epsilon"')):
        with seen.page.expect_download() as download:
            figure.get_by_role("button", name=f"as {kind}").click()
        assert download.value.suggested_filename == f"GRR.{kind.lower()}"
        saved = Path(download.value.path()).read_bytes()
        assert saved.startswith(begin)
        if kind == "SVG":  # with the key, the title and the ground that the page has around it
            assert all(words in saved.decode() for words in ("optimal attack, proven<", "GRR, "))
            assert "fill: rgb(255, 255, 255)" in saved.decode()
    copy = seen.page.get_by_role("button", name="Copy this command").first
    copy.click()
    seen.page.wait_for_function("b => b.textContent !== 'Copy'", arg=copy.element_handle())


def test_a_budget_says_which_mechanisms_keep_to_it(seen: Visit) -> None:
    budget, said = seen.page.get_by_label("Your budget"), seen.page.locator("#within-budget")
    assert not said.is_visible()
    assert budget.bounding_box()["y"] < DESK["height"]  # on the first screen
    budget.fill("4")
    assert said.inner_text() == (
        "Within your budget of 4 in every setting: GRR, OUE. Beyond it in every setting: LHO. "
        "Not to be relied on, because they break what they promise: Broken, package:mechanism."
    )
    budget.fill("1.2")
    assert "Within your budget of 1.2 in every setting: none." in said.inner_text()
    assert "Within it in some settings, which the table shows: GRR, OUE." in said.inner_text()
    seen.page.get_by_role("button", name="Clear").click()
    assert not said.is_visible()


def test_the_page_tells_the_command_that_draws_a_figure_for_a_column(
    seen: Visit, tmp_path: Path
) -> None:
    figure = curve(seen)
    figure.get_by_role("button", name="as PDF").click()
    figure.get_by_label("Setting").select_option(label="k = 10")
    command = shlex.split(figure.locator(".pdf pre").inner_text())
    figure.get_by_label("Setting").select_option(label="k = 50")
    figure.get_by_role("button", name="as PDF").click()
    assert not figure.locator(".pdf").is_visible()
    place = command.index("--figure") + 1
    drawn = tmp_path / Path(command[place]).with_suffix(".svg").name
    command[place] = str(drawn)
    assert run(*command[1:]).returncode == 0
    assert 'width="239.76pt"' in drawn.read_text()  # a column
    assert run(*command[1 : command.index("--style")]).returncode == 0
    assert ">GRR, k = 10</text>" in drawn.read_text()  # no caption tells it, so the title does


def test_rows_that_are_shown_leave_the_page(seen: Visit) -> None:
    seen.page.get_by_label("Find").fill("OUE optimal")
    with seen.page.expect_download() as download:
        seen.page.get_by_role("button", name="Save the rows that are shown as CSV").click()
    head, *saved = list(csv.reader(Path(download.value.path()).read_text().splitlines()))
    seen.page.get_by_role("button", name="Clear").click()
    assert head == list(COLUMNS)
    assert {(row[0], row[head.index("Attack")]) for row in saved} == {("OUE", "optimal")}
    assert len(saved) == 4


def test_hovering_shows_values(seen: Visit) -> None:
    figure = curve(seen)
    field = figure.locator(".nsewdrag").first
    field.hover()
    size = field.bounding_box()
    field.hover(position={"x": size["width"] / 2 + 3, "y": size["height"] / 2})
    label = figure.locator(".hoverlayer .legend, .hoverlayer .hovertext").first
    label.wait_for()
    assert "claimed" in label.text_content()
    assert "± 0.0050" in label.text_content()


def test_series_toggle_by_mouse_and_keyboard(seen: Visit) -> None:
    figure = curve(seen)
    lines = figure.locator(".scatterlayer .trace")
    before = lines.count()
    box = figure.get_by_role("checkbox", name="worst case (exact)")
    box.uncheck()
    assert lines.count() == before - 1
    assert "worst" not in figure.locator(".plot").get_attribute("aria-label")
    box.focus()
    seen.page.keyboard.press("Space")
    assert lines.count() == before


def test_axes_become_logarithmic(seen: Visit) -> None:
    figure = curve(seen)
    kind = "e => e._fullLayout.yaxis.type"
    box = figure.get_by_label("Logarithmic vertical axis")
    for checked_now, name in ((True, "log"), (False, "linear")):
        box.set_checked(checked_now)
        assert figure.locator(".plot").evaluate(kind) == name


def test_settings_are_chosen_and_the_numbers_follow(seen: Visit) -> None:
    figure = curve(seen)
    figure.get_by_text("The numbers of this figure").click()
    assert figure.locator("table caption").inner_text() == "GRR, k = 50"
    assert figure.locator("tbody th").all_inner_texts() == ["0.5", "1", "2", "4"]
    figure.get_by_label("Setting").select_option(label="k = 10")
    assert figure.locator("table caption").inner_text() == "GRR, k = 10"
    figure.get_by_label("Setting").select_option(label="k = 50")
    figure.get_by_text("The numbers of this figure").click()


def test_what_is_zero_or_above_the_promise_is_drawn_so(browser: Any, tmp_path: Path) -> None:
    """A proven 0 has a place on a logarithmic axis; an excess of the worst case is no slack."""
    results = [
        audited(epsilon=e, empirical_epsilon=proven, worst_case_epsilon=e + 1, attack_epsilon=e)
        for e, proven in ((0.1, 0.0), (1.0, 0.8), (8.0, 7.0))
    ]
    write_page(write(tmp_path / "results", *results), tmp_path / "r.html")
    with visit(browser, tmp_path / "r.html") as seen:
        assert curve(seen).locator(".plot .textpoint").all_text_contents() == ["0"]
        gap = seen.page.locator("figure", has_text="From the promise to the proof")
        assert "excess of worst case" in gap.locator(".plot .ytick").all_text_contents()
        assert "+1.00" in gap.locator(".plot .bartext").all_text_contents()


def test_a_page_has_loaded_when_its_figures_are_drawn(browser: Any, report: Path) -> None:
    """`chromium --headless --print-to-pdf` prints what there is by then."""
    page = browser.new_page()
    page.add_init_script(
        "addEventListener('load', () => { window.early = document.querySelector('.plot:empty') })"
    )
    page.goto(report.as_uri())
    assert page.evaluate("window.early") is None
    assert page.evaluate("document.readyState") == "complete"
    assert page.locator("iframe").count() == 0
    page.close()


def test_a_phone_shows_all_of_it(dark_phone: Visit) -> None:
    dark_phone.show()
    width = dark_phone.page.evaluate("document.documentElement.scrollWidth")
    assert width <= 390
    for plot in dark_phone.page.locator(".plot").all():
        assert plot.bounding_box()["width"] <= 390


def test_a_wide_screen_has_mechanisms_beside_each_other(seen: Visit) -> None:
    first, second = (seen.page.locator(".mechanisms article").nth(n) for n in (0, 1))
    for width, beside in ((2560, True), (DESK["width"], False)):
        seen.page.set_viewport_size({**DESK, "width": width})
        seen.page.wait_for_function(FITTING)
        boxes = first.bounding_box(), second.bounding_box()
        assert (boxes[0]["y"] == boxes[1]["y"]) is beside


TOUCHING = """plot => {
    const labels = [...plot.querySelectorAll(".xtick text")].filter(label => label.textContent)
    const boxes = labels.map(label => label.getBoundingClientRect()).sort((a, b) => a.x - b.x)
    return boxes.some((box, i) => i > 0 && box.x < boxes[i - 1].right)
}"""
"""Whether two labels of the horizontal axis lie on each other."""


def test_labels_of_ticks_do_not_touch_on_a_phone(browser: Any, tmp_path: Path) -> None:
    """And come back on a wide screen."""
    results = [audited(epsilon=e) for e in (0.25, 0.5, 0.75, 1.0, 2.0, 4.0, 6.0, 10.0)]
    write_page(write(tmp_path / "results", *results), tmp_path / "r.html")
    with visit(browser, tmp_path / "r.html", **PHONE) as seen:
        for viewport, count in ((PHONE["viewport"], 7), (DESK, 8)):
            seen.page.set_viewport_size(viewport)
            seen.page.wait_for_function(FITTING)
            labels = curve(seen).locator(".plot .xtick").all_text_contents()
            assert len([label for label in labels if label]) == count
            assert not curve(seen).locator(".plot").evaluate(TOUCHING)


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_axe_finds_nothing_serious(dark_phone: Visit, scheme: str) -> None:
    dark_phone.show(scheme, DESK)
    dark_phone.unfold()
    assert dark_phone.violations() == []


def test_dark_mode_and_paper_have_their_own_colours(dark_phone: Visit) -> None:
    dark_phone.show("dark", DESK)
    page = dark_phone.page
    dark = page.evaluate(INK)
    assert not page.get_by_role("heading", name="Appendix").is_visible()
    page.emulate_media(media="print")
    page.wait_for_function(f"dark => {INK} !== dark", arg=dark)
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    assert not page.locator(".filters").is_visible()
    assert page.get_by_role("heading", name="Appendix").is_visible()
    assert len(page.pdf(format="A4")) > 10_000
    assert not page.locator(".contents, .downloads, #filters").first.is_visible()


def test_figures_fit_the_paper_before_its_pages_are_counted(seen: Visit) -> None:
    widths = "Array.from(document.querySelectorAll('.plot'), (p) => p._fullLayout.width)"
    seen.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert max(seen.page.evaluate(widths)) == 660
    seen.page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert max(seen.page.evaluate(widths)) > 1000


def test_lines_end_between_words(seen: Visit) -> None:
    broken = """() => Array.from(document.querySelectorAll(".command .word, #overview-table .word"))
        .filter((word) => word.getClientRects().length > 1).map((word) => word.textContent)"""
    assert seen.page.locator(".command .word", has_text="--epsilon").count() > 0
    assert seen.page.evaluate(broken) == []


def test_hostile_names_do_no_harm(browser: Any, tmp_path: Path) -> None:
    results = [
        audited(name, attack=name, option=name, epsilon=epsilon, worst_case_epsilon=None)
        for name in (*HOSTILE, "\u05d0\u05d1\u05d2 \u202egnp")
        for epsilon in (1.0, 2.0)
    ]
    broken = [checked(name, repeat=name, values=[name]) for name in HOSTILE]
    broken += [audited(name, empirical_epsilon=2.0) for name in HOSTILE]
    write_page(write(tmp_path / "results", *results, *broken), tmp_path / "r.html", HOSTILE[0])
    with visit(browser, tmp_path / "r.html", **PHONE) as seen:
        for summary in seen.page.locator("summary").all():
            summary.click()
        plot = seen.page.locator("figure", has_text="Epsilon over").first.locator(".nsewdrag").first
        plot.hover()
        assert seen.page.locator("img, iframe, object, embed").count() == 0
        assert seen.page.evaluate("document.scripts.length") == 4
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= 390
