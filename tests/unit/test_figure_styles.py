"""Sizes, letters and colours of figures: on the screen, in a journal, on a slide."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_rgba

from ldp_auditor import AuditError
from ldp_auditor.figures.data import Bars, BarSeries, Curves, FigureData, Line, Panels
from ldp_auditor.figures.drawing import draw, written
from ldp_auditor.figures.drawing.legend import NOTHING
from ldp_auditor.figures.drawing.lines import DASHES, MARKERS
from ldp_auditor.figures.drawing.sheet import COLOURS
from ldp_auditor.figures.files import figure_path
from ldp_auditor.figures.identity import KNOWN, LOOKS, protocol_place, protocol_places
from ldp_auditor.figures.results import comparison_bars, gap_account
from ldp_auditor.figures.series import told_once
from ldp_auditor.figures.styles import LEAST_LETTERS, style_of
from ldp_auditor.mechanisms import listed
from ldp_auditor.page.rendering import assets
from ldp_auditor.results.audit_result import AuditResult
from tests.pages import audited


def curves(title: str = "", *zeros: float) -> Curves:
    line = Line("a, proven", "proven", [1, 2, 4, 100], [0.9, 1.8, 0.5, *(zeros or [2.0])], "a", 0)
    exact = Line("a, exact", "exact", [1, 2, 4, 100], [1.0, 2.0, 4.0, 4.0], "a", 0)
    marked = Line(**{**vars(line), "marks": "full"})
    return Curves(title, "reports", [marked, exact], log_x=True, log_y=True)


FIGURES: dict[str, FigureData] = {
    "bars": comparison_bars(
        [AuditResult.from_dict(audited(f"name {n}")) for n in range(14)],
    ),
    "gap": gap_account([AuditResult.from_dict(audited(attack=a)) for a in ("paper", "optimal")]),
    "panels": Panels("title", [("k = 25", [curves(f"p{n}") for n in range(6)])], 6),
}


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("name", FIGURES)
def test_letters_in_a_journal_are_readable(name: str, columns: int) -> None:
    style = style_of("paper", columns)
    figure = draw(FIGURES[name], style)
    assert figure.get_figwidth() == style.width
    shown = [text for axes in figure.axes for text in (*axes.get_xticklabels(), *axes.texts)]
    shown += [axes.title for axes in figure.axes]
    shown += [text for legend in figure.legends for text in legend.get_texts()]
    assert min(float(text.get_fontsize()) for text in shown) >= LEAST_LETTERS


def test_many_panels_fit_a_page_of_a_journal() -> None:
    parts = [(f"k = {k}", [curves(f"p{n}") for n in range(10)]) for k in (2, 100)]  # as figure 6
    for columns in (1, 2):
        figure = draw(Panels("", parts, 5), style_of("paper", columns))
        assert figure.get_figheight() < 9.25
        assert len(figure.axes) >= 20


def test_ticks_of_a_logarithmic_axis_have_whole_letters() -> None:
    many = [float(x) for x in range(1, 2000, 50)]
    line = Line("GRR, exact", "exact", many, [1e-5 * x for x in many], "GRR", 0)
    style = style_of("paper")
    chosen = Curves(
        *("", "k", [line]), log_x=True, log_y=True, kinds={"exact": "exact"}, chosen=100.0
    )
    svg = written(draw(replace(chosen, chosen_words="k = 100"), style), "svg").decode()
    sizes = {float(size) for size in re.findall(r"font(?:-size)?: ([0-9.]+)px", svg)}
    assert min(sizes) >= LEAST_LETTERS
    assert ">1,000</text>" in svg
    assert ">1e-4</text>" in svg
    assert ">k = 100</text>" in svg  # the place that is marked is named


@pytest.mark.parametrize("attacks", [("paper",), ("paper", "optimal")])
def test_a_bar_is_as_wide_as_its_number_is_high(attacks: tuple[str, ...]) -> None:
    results = [audited(f"P{n}", attack=attack) for n in range(15) for attack in attacks]
    data = comparison_bars([AuditResult.from_dict(result) for result in results])
    figure = draw(data, style_of("paper"))
    written(figure, "png")
    bars = [bar for axes in figure.axes for bar in axes.patches]
    assert len(bars) == 15 * len(attacks)
    names = [label.get_text() for axes in figure.axes for label in axes.get_xticklabels()]
    assert names == [f"P{n}" for n in range(15)]
    narrowest = min(bar.get_window_extent().width for bar in bars) / figure.dpi * 72
    assert narrowest >= style_of("paper").small


@pytest.mark.parametrize("name", ["screen", "paper", "slide"])
def test_the_legend_fits_its_figure(name: str) -> None:
    """Also if it has more columns, whose labels are of different lengths."""
    labels = [*(f"k = {k}" for k in range(5)), *(f"a name of 28 characters, no. {n}" for n in "12")]
    lines = [
        Line(label, "proven", [1, 2], [0.9, 1.8], label, place, marks="full")
        for place, label in enumerate(labels)
    ]
    figure = draw(Panels("", [("", [Curves("", "reports", lines)])], 1), style_of(name))
    written(figure, "png")
    (legend,) = figure.legends
    box = legend.get_window_extent()
    assert box.x0 >= 0
    assert box.x1 <= figure.bbox.width
    # Short labels stand beside long ones, though two columns of long ones would not fit.
    assert len({text.get_window_extent().x0 for text in legend.get_texts()}) > 1


@pytest.mark.parametrize(("name", "words"), [("screen", "↑\n9.700"), ("paper", "9.700 →")])
def test_a_bar_that_is_cut_says_so(name: str, words: str) -> None:
    kept = [audited(f"P{n}") for n in range(14)]
    above = audited("LHO", epsilon=math.inf, empirical_epsilon=9.7, attack_epsilon=9.8)
    data = comparison_bars([AuditResult.from_dict(result) for result in (*kept, above)])
    shown = [text.get_text() for axes in draw(data, style_of(name)).axes for text in axes.texts]
    assert words in shown
    assert sum("↑" in text or "→" in text for text in shown) == 1


def test_files_have_letters_and_are_the_same_every_time() -> None:
    data = FIGURES["gap"]
    pdf, svg = (written(draw(data), kind) for kind in ("pdf", "svg"))
    assert b"/Type3" not in pdf
    assert b"/TrueType" in pdf or b"/CIDFontType2" in pdf
    assert b">optimal attack</text>" in svg
    assert pdf == written(draw(data), "pdf")
    assert svg == written(draw(data), "svg")


@pytest.mark.parametrize(
    ("style", "columns", "said"),
    [
        ("poster", None, "style must be one of screen, paper, slide, got 'poster'"),
        ("screen", 2, "columns are those of a journal: they need style paper, got style screen"),
        ("paper", 3, "columns must be 1 or 2 of a journal, got 3"),
    ],
)
def test_a_style_that_does_not_exist_is_told_first(
    style: str, columns: int | None, said: str, tmp_path: Path
) -> None:
    with pytest.raises(AuditError, match=re.escape(said)):
        figure_path(tmp_path / "f.png", None, style, columns)


def test_protocols_look_different_and_always_the_same() -> None:
    places = protocol_places([*reversed(KNOWN), *listed()])
    assert len(set(places.values())) == len(places)
    assert {name: places[name] for name in KNOWN} == {name: protocol_place(name) for name in KNOWN}
    looks = {
        (p % 7, (p + p // 7) % len(MARKERS), (p // 7 + p // 49) % len(DASHES)) for p in range(LOOKS)
    }
    assert len(looks) == LOOKS


def test_pages_have_the_colours_of_files() -> None:
    light = assets(["page.css"]).partition("@media")[0]
    assert re.findall(r"--series-\d: (#\w+);", light) == [colour.lower() for colour in COLOURS]


def test_a_proven_zero_is_a_whole_open_mark() -> None:
    figure = draw(curves("", 0.0))
    (axes,) = figure.axes
    (mark,) = (line for line in axes.lines if line.get_markerfacecolor() == "white")
    (height,) = np.asarray(mark.get_ydata(), float)
    assert axes.get_ylim()[0] == pytest.approx(0.8 * height)
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert NOTHING in texts
    without = draw(curves()).legends[0]
    assert NOTHING not in [text.get_text() for text in without.get_texts()]


def test_an_axis_of_a_decade_has_more_than_one_tick_and_no_empty_one_below() -> None:
    line = Line("a, proven", "proven", [1, 2], [0.5, 2.0], "a", 0, "full")
    few = Curves("", "reports", [line], log_x=True, log_y=True)
    wide = replace(few, lines=[replace(line, y=[0.001, 20.0])])
    for data, expected in ((few, {"0.5", "1", "2"}), (wide, {"0.001", "0.01", "0.1", "1", "10"})):
        (axes,) = draw(data).axes
        low, high = axes.get_ylim()
        ticks = axes.get_yticks()
        shown = {text.get_text() for text, y in zip(axes.get_yticklabels(), ticks, strict=True)
                 if low <= y <= high}  # fmt: skip
        assert shown == expected
    assert draw(few).axes[0].get_ylim()[0] > 0.3  # nothing lies below the least mark


def test_an_attack_has_one_colour_and_one_place_in_all_figures() -> None:
    results = [AuditResult.from_dict(audited(attack=attack)) for attack in ("optimal", "paper")]
    account = gap_account(results)
    assert [fall.name for fall in account.waterfalls] == ["paper attack", "optimal attack"]
    proven = [axes.patches[-1].get_facecolor() for axes in draw(account).axes]
    assert proven == [to_rgba(colour) for colour in COLOURS[:2]]


def test_labels_of_ticks_do_not_touch() -> None:
    line = Line("a", "exact", [1, 2, 3, 4, 100, 101, 102], [1.0] * 7, "a", 0)
    for log in (False, True):
        data = Curves("", "reports", [line], log_x=log)
        (axes,) = draw(data, style_of("paper")).axes
        shown = [text.get_text() for text in axes.get_xticklabels()]
        assert shown[0] == "1"
        assert shown[-1] == "102"
        assert ("101" in shown, "100" in shown) == (False, False)
    paper = [0.25, 0.5, 0.75, 1, 2, 4, 6, 10]  # in two panels across a column, as in figure 2
    panel = Curves("", "", [Line("a", "exact", paper, [1.0] * 8, "a", 0)], log_x=True)
    axes = draw(Panels("", [("", [panel, panel])], 2), style_of("paper")).axes[0]
    shown = [text.get_text() for text in axes.get_xticklabels()]
    assert shown == ["0.25", "0.5", "1", "2", "4", "6", "10"]


def test_lines_that_lie_on_each_other_are_told_once() -> None:
    def line(name: str, role: str, y: float, series: str, marks: str = "") -> Line:
        return Line(name, role, [1, 2], [y, 2 * y], series, 3, marks)

    lines = [
        line("A, claimed", "claimed", 1.0, "A"),
        line("B, claimed", "claimed", 1.0 + 1e-9, "B"),
        line("B, exact", "exact", 1.0, "B"),
        line("B, proven", "proven", 1.0, "B", "full"),
        line("C, claimed", "claimed", 1.1, "C"),
    ]
    by_role = told_once(lines)
    assert [line.name for line in by_role] == [
        "A, B: claimed",
        "B, exact",
        "B, proven",
        "C, claimed",
    ]
    assert (by_role[0].place, by_role[0].series) == (None, "")
    across = [line.name for line in told_once(lines, across_roles=True)]
    assert across == ["A, claimed = B, claimed = B, exact", "B, proven", "C, claimed"]


def test_a_style_without_a_figure_is_refused() -> None:
    with pytest.raises(AuditError, match="give its place with --figure"):
        figure_path(None, None, "paper")
    assert figure_path(None) is None


def test_marks_at_bars_grow_with_the_lines_of_a_style() -> None:
    bars = BarSeries("a", 0, [0.5], ["0.5"], [0.6], "exact")
    data = Bars("", ["A"], [1.0], [None], [bars], "claimed", "", 1.1)
    for name, width in (("screen", 1.5), ("slide", 3.0)):
        (marks,) = draw(data, style_of(name)).axes[0].collections
        assert marks.get_linewidth() == pytest.approx([width])


def test_panels_side_by_side_show_the_highest_of_all() -> None:
    """The axis of the first one is that of all, and was cut at what the first one has."""
    low, high = (
        Curves(name, "release", [Line("a", "exact", [1.0, 2.0], [top, 1.0], "a", 0)], log_y=True)
        for name, top in (("low", 10.0), ("high", 300.0))
    )
    figure = draw(Panels("", [("", [low, high])], 2))
    assert all(axes.get_ylim()[1] > 300 for axes in figure.get_axes() if axes.get_visible())
