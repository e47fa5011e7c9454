"""The page of `explore`: what it may ask for, and its curves against closed forms."""

from __future__ import annotations

import itertools
import math
import threading
from collections.abc import Sequence
from typing import Any

import pytest

from ldp_auditor import audit
from ldp_auditor.audits.interface import plan_audit
from ldp_auditor.audits.run import run
from ldp_auditor.errors import AuditError
from ldp_auditor.exploring import document, exact
from ldp_auditor.exploring.curves import GRIDS, Answer, curves
from ldp_auditor.exploring.exact import exact_at
from ldp_auditor.exploring.measurements import StoppableEngine, StoppedError
from ldp_auditor.exploring.protocols import GROUPS, Offered, offered
from ldp_auditor.exploring.settings import AXES, LIMITS, WrongSettingsError, read_axis, read_setting
from ldp_auditor.figures.data import Curves, Line
from tests.exploring import ASKED
from tests.pages import HOSTILE


def setting(**changed: Any) -> Any:
    return read_setting({**ASKED, **changed})


def over(axis: str, **changed: Any) -> dict[float, tuple[Any, Any, Any]]:
    """What is claimed, what holds and what the attack shows of one protocol, by place."""
    answer = curves(setting(**changed), axis, math.inf)
    assert answer.points == answer.places
    claimed, worst, attack = lines_of(answer)
    assert [line.role for line in (claimed, worst, attack)] == ["claimed", "worst", "exact"]
    assert claimed.x == worst.x == attack.x
    return dict(zip(claimed.x, zip(claimed.y, worst.y, attack.y, strict=True), strict=True))


def lines_of(answer: Answer) -> Sequence[Line]:
    (data,) = answer.leakage.figures
    assert isinstance(data, Curves)
    return data.lines


def unary_attack(p: float, q: float, k: int) -> float:
    """Guess one of the values whose bit is set, or any: the mean of 1/(1 + Bin(k - 1, q))."""
    none = (1 - q) ** (k - 1)
    right = p * (1 - none * (1 - q)) / (k * q) + (1 - p) * none / k
    return math.log(right * (k - 1) / (1 - right))


@pytest.mark.parametrize("k", [2, 7, 100])
def test_grr_shows_all_that_it_promises(k: int) -> None:
    for epsilon, (claimed, worst, attack) in over("epsilon", domain_size=k).items():
        right = math.exp(epsilon) / (math.exp(epsilon) + k - 1)
        assert claimed == epsilon
        assert worst == pytest.approx(epsilon, rel=1e-12)
        assert attack == pytest.approx(math.log(right * (k - 1) / (1 - right)), rel=1e-9)


@pytest.mark.parametrize("k", [2, 25, 1000])
def test_unary_encodings_against_the_mean_over_supported_values(k: int) -> None:
    for epsilon, (_, worst, attack) in over("epsilon", protocols=["OUE"], domain_size=k).items():
        assert worst == pytest.approx(epsilon, rel=1e-12)
        expected = unary_attack(0.5, 1 / (1 + math.exp(epsilon)), k)
        assert attack == pytest.approx(expected, rel=1e-9)
    for epsilon, (_, worst, attack) in over("epsilon", protocols=["SUE"], domain_size=k).items():
        p = 1 / (1 + math.exp(-epsilon / 2))
        assert worst == pytest.approx(epsilon, rel=1e-9)
        assert attack == pytest.approx(unary_attack(p, 1 - p, k), rel=1e-9)


def test_the_curve_over_the_domain_size() -> None:
    for k, (claimed, worst, attack) in over("domain_size", protocols=["OUE"], epsilon=2).items():
        assert claimed == worst == pytest.approx(2)
        expected = unary_attack(0.5, 1 / (1 + math.exp(2)), int(k))
        assert attack == pytest.approx(expected, rel=1e-9)


def test_the_curve_over_reports_is_a_majority_vote() -> None:
    p = 1 / (1 + math.exp(-0.3))
    for tau, (claimed, worst, attack) in over("reports", epsilon=0.3, domain_size=2).items():
        n = int(tau)
        law = [math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(n + 1)]
        right = math.fsum(law[n // 2 + 1 :]) + (law[n // 2] / 2 if n % 2 == 0 else 0)
        wrong = math.fsum(law[: (n + 1) // 2]) + (law[n // 2] / 2 if n % 2 == 0 else 0)
        assert claimed == pytest.approx(0.3 * n)
        assert worst == pytest.approx(0.3 * n)
        assert attack == pytest.approx(math.log(right / wrong), rel=1e-8)


SMALL = {"domain_size": 10, "trials": 500}
"""Where every protocol has its numbers soon."""


@pytest.mark.parametrize("name", offered())
def test_numbers_are_those_of_an_audit(name: str) -> None:
    reports = 3 if "reports" in offered()[name].uses else 1
    asked = setting(protocols=[name], attack="paper", reports=reports, **SMALL)
    at = exact_at(asked, name)
    (result,) = run(asked.plan_of(name))
    assert result.mechanism == name
    assert (at.claimed, at.worst) == (result.claim.epsilon, result.worst_case_epsilon)
    assert at.attack == result.attack_epsilon
    assert (at.missing == "") == (at.attack is not None)


def test_the_optimal_attack_has_the_numbers_of_an_audit() -> None:
    asked = setting(attack="optimal", protocols=["OUE"], **SMALL)
    result = audit("OUE", epsilon=1, domain_size=10, attack="optimal", trials=500)
    assert exact_at(asked, "OUE").attack == result.attack_epsilon


def test_every_kind_is_offered() -> None:
    assert {each.group for each in offered().values()} == set(GROUPS)
    kinds = {
        "LHO": "none",
        "L-SUE": "memoized",
        "SMP[OUE]": "records",
        "CMS": "more",
        "PM": "numbers",
    }
    assert {name: offered()[name].group for name in kinds} == kinds
    assert offered()["L-SUE"].uses == ("epsilon", "domain_size", "epsilon_infinity", "reports")
    assert offered()["SMP[OUE]"].uses == ("epsilon", "domain_size", "attributes")
    assert offered()["LHO"].uses == ("domain_size", "reports")


def test_small_errors_keep_their_digits() -> None:
    (data,) = curves(setting(protocols=["OUE"], users=10**7), "epsilon", math.inf).errors.figures
    heights = [row[1] for row in data.table()[1]]
    assert data.number_format == ".3g"
    assert len(set(heights)) > 0.9 * len(heights)


def test_errors_are_those_of_closed_forms() -> None:
    users, k = ASKED["users"], 25
    error = exact_at(setting(protocols=["OUE"]), "OUE").error
    # [Wang17]: p = 1/2; the mean over the values counts the holders' own variance once in k.
    q = 1 / (1 + math.exp(1))
    variance = q * (1 - q) / (0.5 - q) ** 2
    holders = (0.25 / (0.5 - q) ** 2 - variance) / k
    assert error == pytest.approx(math.sqrt((variance + holders) / users), rel=0.02)
    laplace = exact_at(setting(protocols=["Laplace"]), "Laplace").error
    assert laplace == pytest.approx(math.sqrt(8 / users), rel=1e-6)


def test_one_failing_protocol_leaves_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(self: Offered, given: Any) -> dict[str, Any]:
        if self.name == "OUE":
            raise RuntimeError("broken")
        return {"epsilon": given["epsilon"], "domain_size": given["domain_size"]}

    monkeypatch.setattr(Offered, "arguments", fails)
    monkeypatch.setattr(exact, "_kept", {})
    answer = curves(setting(protocols=["GRR", "OUE"]), "epsilon", math.inf)
    assert answer.notes == [
        "OUE, 42 of 42 points: internal error, please report it: RuntimeError: broken"
    ]
    assert answer.readout[0]["attack"] == "1.000"


def test_settings_that_a_protocol_does_not_use_are_not_worked_out_again() -> None:
    first = exact_at(setting(protocols=["PM"], domain_size=3), "PM")
    assert exact_at(setting(protocols=["PM"], domain_size=4, delta=0.1, seed=9), "PM") is first
    assert exact_at(setting(protocols=["PM"], users=7), "PM") != first


def test_gaps_have_a_reason() -> None:
    answer = curves(setting(protocols=["GM", "GRR"]), "epsilon", math.inf)
    assert "GM is defined for epsilon <= 1 only" in answer.notes[0]
    worst, attack = (line for line in lines_of(answer) if line.series == "GM")
    assert worst.x == attack.x
    for x, holds, shown in zip(worst.x, worst.y, attack.y, strict=True):
        assert (holds is None) == (shown is None) == (x > 1)
    answer = curves(setting(protocols=["SS"], reports=5), "domain_size", math.inf)
    assert "are not known here; measure it" in answer.notes[0]
    assert None not in lines_of(answer)[1].y


def test_an_answer_comes_in_time_and_goes_on() -> None:
    asked = setting(protocols=["GRR", "OUE", "AGM"], domain_size=31)
    places = 3 * len(GRIDS["epsilon"])
    answers = [curves(asked, "epsilon", 0.0) for _ in range(places)]
    assert [answer.points for answer in answers] == list(range(1, places + 1))
    for before, after in itertools.pairwise(answers):
        known, more = (
            {
                (line.name, x): y
                for line in lines_of(answer)
                if line.role == "exact"
                for x, y in zip(line.x, line.y, strict=True)
            }
            for answer in (before, after)
        )
        assert known.items() < more.items()


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"epsilon": 0}, "epsilon must be positive, got epsilon=0"),
        ({"epsilon": -1}, "epsilon must be positive"),
        ({"epsilon": math.nan}, "epsilon must be a number of a possible size"),
        ({"epsilon": math.inf}, "epsilon must be a number of a possible size"),
        ({"epsilon": 10**400}, "epsilon must be a number of a possible size"),
        ({"epsilon": "1"}, "epsilon must be a number, got epsilon='1'"),
        ({"epsilon": True}, "epsilon must be a number"),
        ({"epsilon": None}, "epsilon must be a number"),
        ({"domain_size": 1}, "domain_size must be at least 2"),
        ({"domain_size": 2.5}, "domain_size must be a whole number"),
        ({"domain_size": 10**9}, "domain_size goes up to 10,000 on this page"),
        ({"delta": 1}, "delta must lie in [0, 1)"),
        ({"delta": -0.1}, "delta must lie in [0, 1)"),
        ({"reports": 0}, "reports must be at least 1"),
        ({"reports": 10**6}, "reports goes up to 500 on this page"),
        ({"trials": 0}, "trials must be at least 1"),
        ({"trials": 1e12}, "trials goes up to 10,000,000 on this page"),
        ({"seed": -1}, "seed must be at least 0"),
        ({"attack": "both"}, "attack must be one of paper, optimal, got 'both'"),
        ({"attack": ["paper"]}, "attack must be one of"),
        ({"protocols": []}, "choose a protocol"),
        ({"protocols": "GRR"}, "protocols must be a list of names"),
        ({"protocols": [1]}, "protocols must be a list of names"),
        ({"protocols": ["GRx"]}, "unknown protocol 'GRx'; did you mean 'GRR'?"),
        ({"protocols": ["SPL[BLH]"]}, "SPL[BLH] is not on this page"),
        ({"epsilon": 10.5}, "epsilon goes from 0.01 to 10 on this page"),
        ({"epsilon": 0.001}, "epsilon goes from 0.01 to 10 on this page"),
        ({"users": 0}, "users must be at least 1"),
        ({"attributes": 1}, "attributes must be at least 2"),
        ({"dimension": 65}, "dimension goes up to 64 on this page"),
        ({"bound": "hope"}, "bound must be one of"),
        ({"alpha": 0}, "alpha must lie in (0, 1)"),
        ({"workers": 3}, "unknown settings: workers"),
    ],
)
def test_what_is_wrong_is_said(changed: dict[str, Any], words: str) -> None:
    with pytest.raises(AuditError) as raised:
        setting(**changed)
    assert words in str(raised.value)


def test_nothing_may_be_missing() -> None:
    for name in ASKED:
        with pytest.raises(AuditError, match=f"{name} is missing"):
            read_setting({key: value for key, value in ASKED.items() if key != name})


def test_every_wrong_field_is_named() -> None:
    with pytest.raises(WrongSettingsError) as raised:
        setting(epsilon=-1, reports=0, protocols=[])
    assert raised.value.wrong == {
        "protocols": "choose a protocol",
        "epsilon": "epsilon must be positive, got epsilon=-1",
        "reports": "reports must be at least 1, got reports=0",
    }


def test_axes_end_where_the_page_does() -> None:
    for axis, grid in GRIDS.items():
        assert (grid[0], grid[-1]) == LIMITS[axis]


def test_axes() -> None:
    assert [read_axis(axis) for axis in AXES] == list(GRIDS)
    wrong: tuple[Any, ...] = ("delta", None, [], {}, 3)
    for axis in wrong:
        with pytest.raises(AuditError, match="axis must be one of"):
            read_axis(axis)


def test_protocols_are_taken_once_and_in_order() -> None:
    assert setting(protocols=["L-SUE", "OUE", "GRR", "OUE"]).protocols == ("GRR", "OUE", "L-SUE")


def test_a_stoppable_engine_counts_the_same_and_stops() -> None:
    plan = plan_audit("SHE", epsilon=1.0, domain_size=50, trials=100_000, seed=3)
    stop = threading.Event()
    assert run(plan, engine=StoppableEngine(stop=stop))[0].counts == run(plan)[0].counts
    stop.set()
    with pytest.raises(StoppedError):
        run(plan, engine=StoppableEngine(stop=stop))


def test_hostile_names_are_text(monkeypatch: pytest.MonkeyPatch) -> None:
    hostile = {name: Offered(name, "pure", ("epsilon",)) for name in HOSTILE}
    monkeypatch.setattr(document, "offered", lambda: hostile)
    page = document.explore_page()
    inside = page.partition("<body>")[2]
    assert "<img" not in page
    assert inside.count("<script") == 0
    assert page.count("</script>") == 3
