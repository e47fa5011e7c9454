"""The report page with the widest table, whiskers, a zero and checks, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from ldp_auditor.page.document import write_page
from tests.end_to_end.browsing import DESK, FITTING, Visit, visit
from tests.end_to_end.report_page import curve, rows
from tests.pages import audited, checked, write

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def seeds(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    """A page of two seeds, which has the widest table, whiskers and a zero."""
    folder = tmp_path_factory.mktemp("seeds")
    results = [
        audited(
            "L-Bloom-SUE",
            epsilon=e,
            seed=seed,
            delta=1e-5,
            domain_size=1000,
            empirical_epsilon=proven,
        )
        for e, both in ((0.25, (0.0, 0.0)), (0.5, (0.04, 0.2)), (8.0, (6.0, 9.0)))
        for seed, proven in enumerate(both)
    ]
    checks = [checked("package:" + "long_name_" * 6, values=[0, end]) for end in (1, 2)]
    write_page(
        write(
            folder / "results",
            *results,
            audited("RS+FD[GRR]", epsilon=0.5, domain_size=1000),
            *checks,
        ),
        folder / "r.html",
    )
    with visit(browser, folder / "r.html") as opened:
        yield opened


def test_below_a_zero_there_is_nothing_on_a_logarithmic_axis(seeds: Visit) -> None:
    """Not the end of a whisker, either."""
    plot = curve(seeds).locator(".plot")
    layout = plot.evaluate("e => ({ type: e._fullLayout.yaxis.type, ...e._fullLayout.yaxis })")
    assert layout["type"] == "log"
    (line,) = plot.evaluate("e => e.data.filter(t => t.text).map(t => [t.y, t.error_y.arrayminus])")
    heights, below = line
    whisker = heights[1] - below[1]
    assert 10 ** layout["range"][0] < heights[0] < whisker == pytest.approx(0.04)


@pytest.mark.parametrize("width", [390, 1280, 2560])
def test_the_table_fits_the_screen(seeds: Visit, width: int) -> None:
    seeds.page.set_viewport_size({"width": width, "height": 860})
    place = seeds.page.locator(".scroll.tall")
    wide, room = place.evaluate("e => [e.scrollWidth, e.clientWidth]")
    seeds.page.set_viewport_size(DESK)
    assert wide <= room


def test_checks_of_one_name_are_told_apart_and_long_names_are_found(seeds: Visit) -> None:
    settings = [text.replace("\xa0", " ") for text in rows(seeds, "Setting")]
    assert {"check, 2 inputs, 0 … 1", "check, 2 inputs, 0 … 2"} < set(settings)
    find = seeds.page.get_by_label("Find")
    for words, count in (("package:" + "long_name_" * 6, 2), ("k=1000", 4), ("delta=1e-5", 3)):
        find.fill(words)
        assert seeds.page.inner_text("#count").startswith(f"{count} of 6 rows")
    find.fill("")


def test_filters_stay_in_the_address_when_a_place_is_gone_to(seeds: Visit) -> None:
    seeds.page.locator("#by-epsilon").select_option("8")
    seeds.page.get_by_role("link", name="How this was made").click()
    seeds.page.wait_for_url("**#epsilon=8")
    seeds.page.wait_for_function("() => scrollY > 0")
    seeds.page.get_by_role("button", name="Clear").click()


def test_rows_on_paper_have_short_names_and_verdicts_on_one_line(seeds: Visit) -> None:
    seeds.page.emulate_media(media="print")
    wrapped = """() => {
        const place = document.getElementById("overview-table").parentElement;
        place.style.width = "300px";
        const texts = [...place.querySelectorAll("tbody :is(th, .verdict) > bdi")];
        const short = texts.filter(({ textContent }) => textContent.length < 18);
        const found = short.filter((text) => text.getClientRects().length > 1);
        place.style.width = "";
        return [short.length, found.map((text) => text.textContent)];
    }"""
    count, found = seeds.page.evaluate(wrapped)
    seeds.page.emulate_media(media="screen")
    seeds.page.wait_for_function(FITTING)
    assert count > 6
    assert found == []
