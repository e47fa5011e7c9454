"""Figure data: averages, names, excess, JSON; and who may draw."""

from __future__ import annotations

import ast
import json
import math
from pathlib import Path
from typing import Any

import pytest
from matplotlib.colors import to_hex

import ldp_auditor
from ldp_auditor import AuditError
from ldp_auditor.figures.cases import bar_cases, curve_cases, gap_cases
from ldp_auditor.figures.data import Bars, Curves, GapAccount, Line, Panels
from ldp_auditor.figures.drawing import draw
from ldp_auditor.figures.drawing.sheet import BLUE, DARK_RED, GREY
from ldp_auditor.figures.points import Point, points_of
from ldp_auditor.figures.results import comparison_bars, figure_of, gap_account, over_time_curves
from ldp_auditor.results.audit_result import AuditResult
from ldp_auditor.results.check_result import CheckResult
from tests.pages import audited, checked, points

SOURCE = Path(ldp_auditor.__file__).parent


def results(*plain: dict[str, Any]) -> list[AuditResult]:
    return [AuditResult.from_dict(entry) for entry in plain]


def test_an_average_has_a_band_if_there_are_several_seeds() -> None:
    def at(*proven: float) -> Point:
        seeds = enumerate(proven)
        (point,) = points(*(audited(seed=seed, empirical_epsilon=found) for seed, found in seeds))
        return point

    several = at(0.8, 0.9, 1.0)
    assert (several.measured, several.deviation) == pytest.approx((0.9, math.sqrt(0.02 / 3)))
    assert (several.low, several.high) == pytest.approx(
        (0.9 - several.deviation, 0.9 + several.deviation)  # type: ignore[operator]
    )
    alone = at(0.8)
    assert (alone.deviation, alone.low, alone.high) == (None, 0.8, 0.8)
    endless = at(0.8, math.inf)
    assert (endless.measured, endless.deviation) == (math.inf, None)


def test_whiskers_are_the_deviation_or_what_counts_suggest() -> None:
    """Two seeds of one epsilon and of another; then one seed each."""
    pairs = [(e, s, p) for e in (1.0, 2.0) for s, p in ((1, 0.8 * e), (2, 0.9 * e))]
    for seeds, low, high, words in (
        ((1, 2), [0.8, 1.6], [0.9, 1.8], "0.8500 ± 0.0500"),
        ((1,), [0.8, 1.6], [math.log(2.5), 1.6], "0.8000 (counts 0.9163)"),
    ):
        mine = points(
            *(
                audited(epsilon=e, seed=s, empirical_epsilon=p, worst_case_epsilon=e)
                for e, s, p in pairs
                if s in seeds
            )
        )
        cases = curve_cases("GRR", mine)
        assert cases is not None
        (curves,) = cases.figures
        assert isinstance(curves, Curves)
        line = curves.lines[-1]
        assert line.name == "paper attack, proven"
        assert list(line.low) == pytest.approx(low)
        assert list(line.high) == pytest.approx(high)
        assert line.words[0] == words
        head, rows = curves.table()
        assert head[:2] == ["claimed epsilon", "claimed = worst case (exact)"]
        assert rows[0][:2] == ["1", "1.0000"]


def test_of_settings_with_as_many_points_a_broken_one_is_shown_first() -> None:
    """Else the one in the middle; both figures of a mechanism open at the same setting."""
    for proven, first in ((0.9, "k = 20"), (1.1, "k = 50")):
        shares = {10: 0.5, 20: 0.5, 50: proven}
        mine = points(
            *(
                audited(epsilon=e, domain_size=k, empirical_epsilon=share * e)
                for e in (0.5, 1.0, 2.0, 4.0)
                for k, share in shares.items()
            )
        )
        cases, gaps = curve_cases("GRR", mine), gap_cases("GRR", mine)
        assert cases is not None
        assert gaps is not None
        assert cases.labels[cases.start] == first
        if proven > 1:
            assert gaps.labels[gaps.start].endswith("k = 50")


def test_what_is_not_known_has_no_line() -> None:
    mine = points(*(audited(epsilon=e, worst_case_epsilon=None) for e in (1.0, 2.0)))
    cases = curve_cases("GRR", mine)
    assert cases is not None
    (curves,) = cases.figures
    assert isinstance(curves, Curves)
    assert [line.role for line in curves.lines] == ["claimed", "exact", "proven"]


@pytest.mark.parametrize(
    ("worst", "label", "kind", "words", "colour"),
    [
        (1.49, "excess of worst case", "excess", "+0.490", DARK_RED),
        (0.9, "slack", "slack", "\N{MINUS SIGN}0.100", GREY),
        (1.0 + 1e-15, "slack", "slack", "0", GREY),
    ],
)
def test_a_worst_case_above_the_claim_is_an_excess(
    worst: float, label: str, kind: str, words: str, colour: str
) -> None:
    account = gap_account(results(audited(worst_case_epsilon=worst, attack_epsilon=0.85)))
    (fall,) = account.waterfalls
    assert [step.kind for step in fall.steps] == ["claimed", kind, "weakness", "chance", "proven"]
    step = fall.steps[1]
    assert (step.label, step.words, step.start, step.end) == (label, words, 1.0, worst)
    luck = fall.steps[3]  # proven above the attack itself, by chance
    assert luck.words == "+0.0200"
    figure = draw(account)
    (axes,) = figure.axes
    bar = axes.patches[1]
    assert to_hex(bar.get_facecolor()) == colour.lower()
    assert axes.get_ylim()[1] > worst
    texts = [text.get_text() for text in axes.texts]
    assert texts == [step.words for step in fall.steps]
    assert not any("-0" in text for text in texts)


def test_an_infinite_excess_is_drawn_and_nothing_promised_is_told() -> None:
    account = gap_account(results(audited(worst_case_epsilon="inf", attack_epsilon="inf")))
    assert [step.words for step in account.waterfalls[0].steps[1:4]] == [
        "+∞",
        "0",
        "\N{MINUS SIGN}∞",
    ]
    draw(account).savefig("/dev/null", format="png")
    with pytest.raises(AuditError, match="the gap of LHO needs a claim: it promises nothing"):
        gap_account(results(audited("LHO", epsilon="inf")))


def test_a_number_stands_at_the_end_of_its_own_bar() -> None:
    names = {"tall": 0.79, "low": 0.0, "broken": 1.4}
    bars = comparison_bars(results(*(audited(n, empirical_epsilon=e) for n, e in names.items())))
    (axes,) = draw(bars).axes
    heights = {text.get_text(): text.xy[1] for text in axes.texts}  # type: ignore[attr-defined]
    assert heights == {"0.790": 0.79, "0.000": 0.0, "1.400": 1.4}
    colours = [to_hex(bar.get_facecolor()) for bar in axes.patches]
    assert colours == [BLUE.lower(), BLUE.lower(), DARK_RED.lower()]


def test_claims_that_differ_are_marked_one_by_one() -> None:
    bars = comparison_bars(results(audited("A"), audited("B", epsilon=2.0)))
    assert bars.claimed_name == "claimed epsilon"
    (axes,) = draw(bars).axes
    levels = [line.get_ydata()[0] for line in axes.lines]  # type: ignore[index]
    assert levels == [1.0, 2.0]


def legend_of(data: Curves) -> list[str]:
    (legend,) = draw(data).legends
    return [text.get_text() for text in legend.get_texts()]


def test_legends_name_only_what_is_drawn() -> None:
    looks = [audited(reports=tau, claimed_epsilon=tau) for tau in (1, 5)]
    data = over_time_curves(results(*looks))
    assert "tight composition" in data.kinds["composed"]
    assert legend_of(data) == [
        "GRR",
        "attack, unlimited trials (exact)",
        "promised",
        "most that the trials can prove",
    ]
    unknown = [{**plain, "attack_epsilon": None} for plain in looks]
    assert legend_of(over_time_curves(results(*unknown))) == [
        "GRR",
        "promised",
        "most that the trials can prove",
    ]


def test_evidence_is_two_bars_and_what_the_claim_allows() -> None:
    bars = figure_of(CheckResult.from_dict(checked()))
    assert isinstance(bars, Bars)
    assert bars.names == ["value 0", "value 1"]
    assert list(bars.series[0].measured) == [0.9, 0.035]
    assert list(bars.claimed) == pytest.approx([math.e * 0.035] * 2)
    figure = draw(bars)
    (axes,) = figure.axes
    assert to_hex(axes.patches[0].get_facecolor()) == DARK_RED.lower()
    assert "more than the claim allows" in [text.get_text() for text in figure.legends[0].texts]


@pytest.mark.parametrize("unknown", [{"worst_case_epsilon": None}, {"epsilon": "inf"}])
def test_an_audit_without_claim_or_exact_numbers_is_a_bar(unknown: dict[str, Any]) -> None:
    (mine,) = results(audited("Mine", **unknown))
    bars = figure_of(mine)
    assert isinstance(bars, Bars)
    assert bars.title.startswith("Empirical privacy loss of Mine\n")
    (legend,) = draw(bars).legends
    assert "more than the claim allows" not in [text.get_text() for text in legend.texts]


def test_the_legend_names_a_line_of_several_panels_once() -> None:
    lines = [Line(name, "exact", [1, 2], [1, 2], place=place) for place, name in enumerate("AB")]
    panels = [Curves(title, "x", lines) for title in ("first", "second")]
    (legend,) = draw(Panels("both", [("", panels)], 2)).legends
    assert [text.get_text() for text in legend.texts] == ["A", "B"]


def test_attacks_have_the_same_place_everywhere() -> None:
    found = points_of(
        ("key", result)
        for result in results(*(audited(n, attack=a) for n in "AB" for a in ("optimal", "mine")))
    )
    cases = bar_cases(found)
    gap = gap_cases("A", found["A"])
    assert cases is not None
    assert gap is not None
    (bars,), (account,) = cases.figures, gap.figures
    assert isinstance(bars, Bars)
    assert isinstance(account, GapAccount)
    assert [series.place for series in bars.series] == [1, 2]
    assert [fall.place for fall in account.waterfalls] == [1, 2]


def test_plain_values_are_json() -> None:
    line = Line("x", "exact", [1.0, 2.0, 3.0], [1 / 3, math.inf, None], words=["<b>"] * 3)
    curves = Curves("title", "epsilon", [line], log_x=True)
    plain = curves.to_plain(str.upper)
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert plain["lines"][0]["y"] == [0.333333, "inf", None]
    assert plain["lines"][0]["words"] == ["<B>"] * 3
    assert plain["table"]["rows"] == [["1", "0.3333"], ["2", "∞"], ["3", "\N{EN DASH}"]]
    assert curves.to_plain(digits=17)["lines"][0]["y"][0] == 1 / 3


def imports_of(path: Path) -> set[str]:
    """The packages that a file imports when it runs, not only for types."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = []
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {a.name for node in found if isinstance(node, ast.Import) for a in node.names}
    names |= {node.module or "" for node in found if isinstance(node, ast.ImportFrom)}
    return {name.partition(".")[0] for name in names}


def test_one_folder_draws_with_matplotlib() -> None:
    drawing = {path.parent for path in SOURCE.rglob("*.py") if "matplotlib" in imports_of(path)}
    assert drawing == {SOURCE / "figures" / "drawing"}


def test_a_notebook_shows_a_figure() -> None:
    """Without `%matplotlib`: what Jupyter asks for first is a picture."""
    shown = draw(comparison_bars(results(audited())))
    assert shown._repr_png_().startswith(b"\x89PNG")  # type: ignore[attr-defined]


def test_a_figure_says_why_it_has_no_exact_line() -> None:
    def shown(*exact: float | None) -> Curves:
        known = [
            audited(epsilon=0.5 + n, attack_epsilon=value, worst_case_epsilon=2.0)
            for n, value in enumerate(exact)
        ]
        cases = curve_cases("GRR", points(*known))
        assert cases is not None
        (data,) = cases.figures
        assert isinstance(data, Curves)
        return data

    assert [shown(0.9, 0.95).note, shown(0.9, None).note] == ["", ""]
    unknown = shown(None, None)
    assert unknown.note == "no exact line: these rates are not known here"
    assert unknown.to_plain()["note"] == unknown.note
    texts = [text.get_text().replace("\n", " ") for text in draw(unknown).axes[0].texts]
    assert unknown.note in texts


def test_one_gross_violation_leaves_room_for_the_others() -> None:
    found = {
        "gross": points(audited("gross", epsilon=0.25, empirical_epsilon=9.0)),
        "GRR": points(audited("GRR", epsilon=1.0)),
    }
    cases = bar_cases(found)
    assert cases is not None
    bars = cases.figures[0]
    assert isinstance(bars, Bars)
    assert bars.series[0].measured[0] == 36
    assert 3 < bars.top < 4
