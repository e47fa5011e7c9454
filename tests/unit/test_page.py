"""What the page draws, and the page itself."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
from jinja2 import UndefinedError

from ldp_auditor.figures.cases import bar_cases, curve_cases, gap_cases
from ldp_auditor.figures.data import Bars, Curves, GapAccount
from ldp_auditor.figures.points import axis_of, points_of, varied
from ldp_auditor.figures.words import shown
from ldp_auditor.page.document import page_of
from ldp_auditor.page.folder import read_folder
from ldp_auditor.page.rendering import environment, isolated, unbroken
from ldp_auditor.results.audit_result import AuditResult
from ldp_auditor.results.check_result import CheckResult
from tests.pages import HOSTILE, audited, checked, points, swept, write


def test_seeds_are_averaged() -> None:
    (point,) = points(
        audited(seed=1, empirical_epsilon=0.8), audited(seed=2, empirical_epsilon=0.9)
    )
    assert point.measured == pytest.approx(0.85)
    assert point.deviation == pytest.approx(0.05)
    assert point.estimate == pytest.approx(math.log(10_000 / 4_000))


def test_what_follows_from_epsilon_is_no_axis() -> None:
    mine = points(
        *(audited(epsilon=e, hash_range=g, worst_case_epsilon=e) for e, g in ((1.0, 4), (2.0, 8)))
    )
    assert varied(mine) == ["epsilon"]


@pytest.mark.parametrize(
    ("axis", "values"),
    [
        ("epsilon", [1.0, 2.0, 4.0]),
        ("domain_size", [2, 10, 100]),
        ("delta", [0.0, 1e-6, 1e-5]),
        ("reports", [1, 5, 25]),
        ("hash_range", [2, 4, 6]),
        ("attributes", [2, 5, 10]),
        ("trials", [100_000, 200_000, 400_000]),
    ],
)
def test_the_axis_is_what_has_most_values(axis: str, values: list[Any]) -> None:
    other = "epsilon" if axis == "domain_size" else "domain_size"
    mine = points(
        *(audited(**{axis: value, other: second}) for value in values for second in (20, 30))
    )
    assert axis_of(mine) == axis
    cases = curve_cases("GRR", mine)
    assert cases is not None
    assert len(cases.figures) == 2
    for figure in cases.figures:
        assert isinstance(figure, Curves)
        assert [line.x for line in figure.lines] == [values] * len(figure.lines)
        roles = {line.role for line in figure.lines}
        # The worst case is 1 throughout: on the claim, unless epsilon varies.
        always = {"claimed", "exact", "proven"}
        assert roles == (always | {"worst"} if figure.lines[0].y != [1.0] * 3 else always)


def test_one_setting_has_no_curve_but_a_gap() -> None:
    mine = points(audited())
    assert curve_cases("GRR", mine) is None
    gap = gap_cases("GRR", mine)
    assert gap is not None
    (figure,) = gap.figures
    assert isinstance(figure, GapAccount)
    (fall,) = figure.waterfalls
    claimed, *changes, proven = fall.steps
    assert claimed.end + sum(step.end - step.start for step in changes) == pytest.approx(proven.end)
    assert (claimed.end, changes[0].words, proven.end) == (1, "0", 0.87)


def test_what_is_infinite_has_no_gap() -> None:
    assert gap_cases("LHO", points(audited("LHO", epsilon="inf"))) is None
    assert gap_cases("GRR", points(audited(worst_case_epsilon="inf"))) is None
    assert gap_cases("GRR", points(audited(worst_case_epsilon=None))) is None


def test_bars_put_the_strongest_first_and_what_promises_nothing_last() -> None:
    found = points_of(
        ("key", AuditResult.from_dict(plain))
        for plain in (
            audited("weak", empirical_epsilon=0.2),
            audited("none", epsilon="inf", empirical_epsilon=5.0),
            audited("strong", empirical_epsilon=0.9),
        )
    )
    cases = bar_cases(found)
    assert cases is not None
    (bars,) = cases.figures
    assert isinstance(bars, Bars)
    assert bars.names == ["strong", "weak", "none"]
    assert bar_cases({"one": points(audited())}) is None
    assert "Diamonds" in cases.note
    unknown = {name: points(audited(name, attack_epsilon=None)) for name in "ab"}
    without = bar_cases(unknown)
    assert without is not None
    assert "Diamonds" not in without.note


def test_bars_of_everything_have_violators_first() -> None:
    """Mechanisms that share no setting, and checks, stand beside each other as parts of 1."""
    found = points_of(
        ("key", AuditResult.from_dict(plain))
        for plain in (
            audited("kept", epsilon=4.0, empirical_epsilon=3.9, worst_case_epsilon=4.0),
            audited("kept", domain_size=10, empirical_epsilon=0.2),
            audited("theory", epsilon=8.0, empirical_epsilon=0.1, worst_case_epsilon=9.0),
            audited("broken", epsilon=2.0, empirical_epsilon=3.0, worst_case_epsilon=3.1),
            audited("none", epsilon="inf", empirical_epsilon=5.0),
        )
    )
    checks = [
        CheckResult.from_dict(checked(name, verdict=verdict, epsilon=epsilon))
        for name, verdict, epsilon in (
            ("caught", "violation", 2.5),
            ("quiet", "no-violation-found", 10.0),
        )
    ]
    cases = bar_cases(found, checks)
    assert cases is not None
    bars = cases.figures[0]
    assert isinstance(bars, Bars)
    assert (cases.start, cases.settings[0]) == (0, {})
    assert bars.mechanisms == ["broken", "caught", "theory", "kept", "quiet", "none"]
    assert bars.names[3] == "kept, ε = 4"
    paper, search = bars.series
    assert paper.words == ["150%", "", "1%", "97%", "", ""]
    assert search.words == ["", "124%", "", "", "31%", ""]
    assert bars.claimed == [1.0] * 5 + [math.inf]


def test_what_chance_explains_stands_behind_what_theory_breaks() -> None:
    found = points_of(
        ("key", AuditResult.from_dict(plain))
        for plain in (
            audited("chance", empirical_epsilon=1.01, worst_case_epsilon=1.0),
            audited("theory", epsilon=8.0, empirical_epsilon=0.1, worst_case_epsilon=9.0),
            audited("theory", empirical_epsilon=0.1, worst_case_epsilon=9.0),
        )
    )
    cases = bar_cases(found, by_chance={"chance"})
    assert cases is not None
    for bars in cases.figures:
        assert isinstance(bars, Bars)
        assert [name.partition(",")[0] for name in bars.names] == ["theory", "chance"]


def test_bars_of_checks_of_one_name_are_told_apart() -> None:
    asked: list[dict[str, Any]] = [{}, {"epsilon": 2.0}, {"values": ["a", "b"]}]
    checks = [CheckResult.from_dict(checked("same", **changed)) for changed in asked]
    cases = bar_cases({}, [*checks, CheckResult.from_dict(checked("other"))])
    assert cases is not None
    (bars,) = cases.figures
    assert isinstance(bars, Bars)
    assert sorted(name.replace("\xa0", " ") for name in bars.names) == [
        "other",
        'same, epsilon = 1, 2 inputs, "a" … "b"',
        "same, epsilon = 1, 3 inputs, 0 … 2",
        "same, epsilon = 2, 3 inputs, 0 … 2",
    ]


def test_a_curve_starts_where_most_points_are_and_a_gap_at_the_worst() -> None:
    mine = points(
        *(audited(epsilon=e, domain_size=2, worst_case_epsilon=e) for e in (1.0, 2.0, 4.0)),
        *(audited(epsilon=0.5, domain_size=k, worst_case_epsilon=1) for k in (3, 4)),
    )
    curve, gap = curve_cases("GRR", mine), gap_cases("GRR", mine)
    assert curve is not None
    assert gap is not None
    assert curve.labels[curve.start] == "k = 2"
    assert curve.settings[curve.start]["epsilon"] == ["1", "2", "4"]
    assert gap.labels[gap.start] == "ε = 0.5, k = 3"  # 0.87 proven


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_escaped(name: str) -> None:
    template = environment().from_string('<p title="{{ name }}">{{ name|text }}</p>')
    made = template.render(name=name)
    assert "<script" not in made
    assert "<img" not in made
    assert made.count('"') == 2
    assert len(isolated(name)) < 1000
    assert not {"\u202e", "\u2028", "\u0000", "\ud800"} & set(shown(name))


def test_no_line_ends_within_a_number() -> None:
    assert unbroken("k = 25, δ = 1e-5 <b>") == (
        '<bdi>k\u00a0=\u00a025, δ\u00a0=\u00a0<span class="part">1e-5</span> &lt;b&gt;</bdi>'
    )


def test_what_a_template_is_not_given_is_an_error() -> None:
    with pytest.raises(UndefinedError, match="'name' is undefined"):
        environment().from_string("<p>{{ name }}</p>").render()


def test_hostile_names_reach_the_page_as_text(tmp_path: Path) -> None:
    results = [audited(name, attack=name, option=name, neighbours=name) for name in HOSTILE]
    results += [checked(name, repeat=name, values=[name]) for name in HOSTILE]
    write(tmp_path, *results)
    page = page_of(read_folder(tmp_path), HOSTILE[0], [HOSTILE[1]], HOSTILE[2]).decode()
    scripts = re.findall(r"<script[^>]*>(.*?)</script>", page, re.S)
    assert len(scripts) == 3
    assert "alert(1)" not in scripts[2]
    assert "<img" not in page
    assert "onerror=alert" in page  # as text
    data = json.loads(gzip.decompress(base64.b64decode(scripts[0])))
    assert any("<script>" in figure["name"] for figure in data)


def test_nothing_but_the_page_s_own_scripts_may_run(tmp_path: Path) -> None:
    page = page_of(read_folder(swept(tmp_path)), "", ["command"], "r.html").decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert "default-src 'none'" in html.unescape(policy[1])
    library, script = re.findall(r"<script[^>]*>(.*?)</script>", page, re.S)[1:]
    for code in (gzip.decompress(base64.b64decode(library)), script.encode()):
        digest = base64.b64encode(hashlib.sha256(code).digest()).decode()
        assert f"sha256-{digest}" in policy[1]
    assert not re.search(r'(?:src|href)="(?!#|data:,)', page)
    assert len(page) < 5_000_000


def test_the_same_results_make_the_same_page(tmp_path: Path) -> None:
    contents = read_folder(swept(tmp_path))
    assert page_of(contents, "", ["command"], "r.html") == page_of(
        contents, "", ["command"], "r.html"
    )
