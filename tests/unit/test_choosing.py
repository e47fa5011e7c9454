"""Limits at their edges, columns of settings, and what is said of them."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from ldp_auditor import AuditError, Choice, choose
from ldp_auditor.choosing.candidate import Candidate, candidate_of
from ldp_auditor.choosing.columns import Columns, Question
from ldp_auditor.choosing.families import MOST_EPSILON, family_of, rappor_options
from ldp_auditor.choosing.limits import LIMITED, OBJECTIVES, Limits
from ldp_auditor.choosing.participants import considered
from ldp_auditor.choosing.population import Population
from ldp_auditor.choosing.solving import best_setting, in_order
from ldp_auditor.mechanisms import make
from ldp_auditor.page.folder import read_folder
from ldp_auditor.page.saved_checks import keep_choice
from ldp_auditor.report.choices import choice_content

USERS = 10_000


def best(name: str, question: Question, objective: str = "error", **given: float) -> Columns | None:
    """The best setting of one protocol, without a curve or words about it."""
    budget = given.get("max_epsilon", MOST_EPSILON)
    limits, column = Limits(**given), OBJECTIVES[objective]
    return best_setting(family_of(name, question), question, limits, column, budget)


@pytest.mark.parametrize(
    "name", ["OUE", "THE", "OLH", "SS", "HR", "PI-RAPPOR", "L-OSUE", "Memo[OUE]"]
)
def test_limits_bind_at_their_edges(name: str) -> None:
    """What is just kept is found, what is just not is told by how much it would have to give."""
    question = Question(10, 1000, 3)
    found = best(name, question, max_epsilon=1.0)
    assert found is not None
    assert found.worst_case_epsilon == pytest.approx(1.0, abs=1e-9)
    error = found.standard_error
    kept = best(name, question, max_epsilon=1.0, max_error=error * (1 + 1e-6))
    assert kept is not None
    assert kept.standard_error == pytest.approx(error)
    less = error * (1 - 1e-6)
    broken = best(name, question, max_epsilon=1.0, max_error=less)
    assert broken is not None
    assert Limits(max_epsilon=1.0, max_error=less).broken_by(broken) == ["max_error"]
    assert broken.standard_error == pytest.approx(error, rel=1e-8)
    more = best(name, question, "epsilon", max_error=less)
    assert more is not None
    assert 1.0 < more.worst_case_epsilon < 1.01
    assert more.standard_error <= less * (1 + 1e-8)


def test_nothing_fits() -> None:
    """Every limit is named that alone could give, with a protocol that fits then."""
    asked: dict[str, Any] = {"domain_size": 10, "users": 1000, "protocols": ["OUE", "GRR"]}
    found = choose(max_epsilon=1.0, max_error=0.04, **asked)
    assert found.choice is None
    assert set(found.binding) == {"max_epsilon", "max_error"}
    for name, binding in found.binding.items():
        assert binding.needed is not None
        limits: dict[str, Any] = {"max_epsilon": 1.0, "max_error": 0.04, name: binding.needed}
        again = choose(**limits, **asked)
        assert again.choice is not None
        assert again.choice.mechanism == binding.mechanism
        less = choose(**{**limits, name: binding.needed * (1 - 1e-6)}, **asked)
        assert less.choice is None
    assert "would have to rise from 4 points to" in " ".join(found.sentences)


@pytest.mark.parametrize(
    ("k", "users", "reports"), [(2, 100, 1), (2, 100, 1000), (100_000, 10**6, 1), (100, 100, 1000)]
)
@pytest.mark.parametrize("name", ["GRR", "OUE", "OLH", "SS", "SHE", "HR", "L-OSUE", "BiLOLOHA"])
def test_extreme_sizes(name: str, k: int, users: int, reports: int) -> None:
    found = best(name, Question(k, users, reports), max_epsilon=1.0)
    assert found is not None
    assert found.worst_case_epsilon == pytest.approx(1.0, abs=2e-3)
    if name != "HR":
        options = dict(found.mechanism.options)  # as `audit` takes them
        given = {} if "epsilon_1" in options else {"epsilon": found.mechanism.epsilon}
        made = make(name, domain_size=k, **given, **options)
        variance = made.frequency_variance(users, 1 / k)
        assert found.standard_error == pytest.approx(math.sqrt(variance))


@pytest.mark.parametrize("one", [0.4, 1.0, 1.9])
@pytest.mark.parametrize("step", [0, 16, 32])
def test_rappor_by_its_guarantees(one: float, step: int) -> None:
    made = make("RAPPOR", domain_size=5, **rappor_options(one, 2.0, step))
    assert made.epsilon == pytest.approx(one, abs=1e-5)
    assert made.epsilon_infinity == pytest.approx(2.0, abs=1e-9)


def test_hadamard_response_is_told_at_its_worst() -> None:
    """No population has a larger mean error, or a larger one of a value."""
    made = make("HR", epsilon=1.5, domain_size=10, blocks=2)  # seven values, and three
    columns = Columns(made, Question(10, USERS))
    rng = np.random.Generator(np.random.PCG64(5))
    for shares in [*rng.dirichlet(np.full(10, 0.3), 30), *np.eye(10)]:
        variances = made.frequency_variance(USERS, shares)
        assert variances.mean() <= columns.standard_error**2 * (1 + 1e-9)
        assert variances.max() <= columns.worst_standard_error**2 * (1 + 1e-9)
    own = Columns(made, Question(10, USERS, population=Population.of([1] * 10)))
    assert own.standard_error < columns.standard_error


def test_an_option_named_like_a_column_keeps_its_number() -> None:
    made = make("dBitFlipPM", epsilon=1.0, domain_size=8, buckets=8, bits=3)
    found = candidate_of(Columns(made, Question(8, USERS, 2)), fits=True, why="it fits")
    plain = found.to_dict()
    assert plain["option_bits"] == 3 != plain["bits"]
    assert plain["buckets"] == 8
    assert Candidate.from_dict(json.loads(json.dumps(plain))).options == found.options


def test_fewer_bits_take_sketches() -> None:
    question = Question(1000, USERS)
    for most, name, option in ((30.0, "PI-RAPPOR", "field"), (12.0, "HR", "blocks")):
        found = best(name, question, max_epsilon=2.0, max_bits=most)
        assert found is not None
        assert found.bits <= most
        assert option in found.mechanism.options
        assert found.standard_error < 0.02
    everything = considered(question)
    assert {"HR", "HRR", "CMS", "HCMS", "Bloom-SUE", "PI-RAPPOR"} <= set(everything)
    assert {"Memo[HRR]", "RAPPOR"} <= set(considered(Question(10, USERS, 5)))
    assert "SPL[HR]" not in considered(Question(10, USERS, sizes=(10, 10)))


def test_every_limit_is_kept_by_what_is_chosen() -> None:
    limits: dict[str, Any] = {
        "max_epsilon": 4.0,
        "max_epsilon_1": 1.5,
        "max_attack_success": 0.2,
        "max_error": 0.05,
        "max_worst_error": 0.06,
        "max_bits": 70.0,
    }
    found = choose(
        domain_size=20, users=USERS, reports=4, protocols=["OLH", "GRR", "L-OSUE"], **limits
    )
    chosen = found.choice
    assert chosen is not None
    for name, limit in limits.items():
        assert getattr(chosen, LIMITED[name]) <= limit * (1 + 1e-8)


@pytest.mark.parametrize("reports", [1, 10, 52])
def test_fresh_reports_at_a_delta_are_composed_tightly(reports: int) -> None:
    """The told epsilon leaves delta exactly, by a sum over all counts, or by the normal law."""
    question, delta = Question(10, USERS, reports, delta=1e-5), 1e-5
    oue = make("OUE", epsilon=0.4, domain_size=10)
    epsilon = Columns(oue, question).worst_case_epsilon
    up, down = oue.p * (1 - oue.q), oue.absence * oue.q  # one bit of the pair is 1, the other is 0
    left = 0.0
    for ups in range(reports + 1):
        downs = np.arange(reports + 1 - ups)
        law = stats.multinomial(reports, [up, down, 1 - up - down])
        counts = np.stack([np.full_like(downs, ups), downs, reports - ups - downs], axis=1)
        excess = -np.expm1(epsilon - 0.4 * (ups - downs))
        left += float(law.pmf(counts) @ np.maximum(excess, 0.0))
    assert left == pytest.approx(delta, rel=1e-6)
    agm = make("AGM", epsilon=0.4, domain_size=10, delta=delta / reports)
    epsilon = Columns(agm, question).worst_case_epsilon
    mu = math.sqrt(2 * reports) / agm.scale
    left = stats.norm.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * stats.norm.cdf(
        -mu / 2 - epsilon / mu
    )
    assert left == pytest.approx(delta, rel=1e-6)


def test_the_mean_over_reports_may_be_meant() -> None:
    asked: dict[str, Any] = {"domain_size": 10, "users": USERS, "reports": 10, "max_epsilon": 2.0}
    fresh = choose(error_of="mean", protocols=["OUE"], **asked).choice
    assert fresh is not None
    assert fresh.standard_error == fresh.standard_error_of_mean
    made = make("OUE", epsilon=0.2, domain_size=10)
    assert fresh.standard_error == pytest.approx(
        math.sqrt(made.frequency_variance(USERS, 0.1) / 10)
    )


def test_what_never_changes_can_be_left_out() -> None:
    asked: dict[str, Any] = {"domain_size": 10, "users": USERS, "reports": 10, "max_epsilon": 2.0}
    names = ["OUE", "L-OSUE", "OLOLOHA", "Memo[OUE]", "dBitFlipPM"]
    found = choose(fingerprint=False, protocols=names, **asked)
    assert [c.mechanism for c in found.candidates] == ["L-OSUE", "OUE"]
    assert set(found.left_out) == {"OLOLOHA", "Memo[OUE]", "dBitFlipPM"}


def test_a_population_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "counts.csv"
    file.write_text("\ufeffred,70\ngreen,20\nblue,10\n", "utf-8")  # as spreadsheets write it
    assert Population.of(file).names == ("red", "green", "blue")
    file.write_text("\ufeff70\n20\n10\n", "utf-8")
    assert len(Population.of(file).shares) == 3
    file.write_text("topic,count\nred,70\ngreen,20\nblue,10\n")
    found = choose(users=1000, frequencies=file, max_epsilon=1.0, protocols=["GRR"]).choice
    assert found is not None
    made = make("GRR", epsilon=1.0, domain_size=3)
    prior = np.array([0.7, 0.2, 0.1])
    assert found.attack_success == pytest.approx(made.attack_success(prior))
    assert found.attack_success_uniform == pytest.approx(made.attack_success())
    assert found.blind_success == 0.7
    worst = max(made.frequency_variance(1000, prior))
    assert found.worst_standard_error == pytest.approx(math.sqrt(worst))
    mean = np.mean(made.frequency_variance(1000, prior))
    assert found.standard_error == pytest.approx(math.sqrt(mean))


NONE = ["", "1\n", "a,b\nc,d\n", "1\n-2\n", "0\n0\n", "1,2,3\n4,5,6\n", "1\nnan\n", "2\ninf\n"]


@pytest.mark.parametrize("text", [*NONE, "1\n2,3\n4\n", "red,1\nblue,2\nred,3\n"])
def test_frequencies_that_are_none(tmp_path: Path, text: str) -> None:
    file = tmp_path / "counts.csv"
    file.write_text(text)
    with pytest.raises(AuditError, match="frequencies"):
        choose(users=1000, frequencies=file, max_epsilon=1.0)


def test_users_are_shared_out_by_largest_rests() -> None:
    assert Population.of([1, 1, 1]).holders(100).tolist() == [34, 33, 33]
    assert Population.of([0.5, 0.25, 0.25]).holders(10).tolist() == [5, 3, 2]
    assert Population.zipf(5).holders(1000).sum() == 1000


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"domain_size": 10}, "no limit on the error"),
        ({"domain_size": 10, "max_bits": 8, "objective": "error"}, "no limit on what leaks"),
        ({"max_epsilon": 1}, "domain_size is missing"),
        ({"domain_size": 10, "max_epsilon": -1}, "max_epsilon must be positive"),
        ({"domain_size": 10, "max_epsilon": 1, "objective": "joy"}, "objective must be one of"),
        ({"domain_size": 10, "max_epsilon": 1, "protocols": ["LHO"]}, "promises nothing"),
        ({"domain_size": 10, "max_epsilon": 1, "protocols": ["AGM"]}, "give a delta"),
        ({"domain_size": 10, "max_epsilon": 1, "protocols": ["SPL[GRR]"]}, "for records"),
        ({"domain_size": 10, "max_epsilon": 1, "protocols": ["PM"]}, "PM is for numbers"),
        ({"frequencies": 5, "max_epsilon": 1}, "frequencies must be a list of numbers, or a file"),
        ({"frequencies": {0: 9, 1: 1}, "max_epsilon": 1}, "frequencies must be a list of numbers"),
        ({"domain_sizes": 3, "max_epsilon": 1}, "domain_sizes must be a list of numbers"),
        ({"domain_sizes": [7], "max_epsilon": 1}, "two attributes at least"),
        ({"domain_size": 10, "max_attack_success": 1.5}, "max_attack_success must be a probabil"),
        ({"domain_size": 10, "max_epsilon": 1, "error_of": "year"}, "error_of must be one of"),
        ({"domain_size": 10, "max_epsilon": 1, "frequencies": [1, 2]}, "each of the domain_size"),
    ],
)
def test_questions_without_an_answer(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(AuditError, match=words):
        choose(users=100, **settings)


def test_an_answer_survives_json() -> None:
    asked: dict[str, Any] = {"domain_size": 10, "users": 1000, "protocols": ["OUE", "GRR"]}
    for error in (1.0, 0.001):
        found = choose(**asked, max_epsilon=0.5, max_error=error)
        plain = found.to_dict()
        assert Choice.from_dict(json.loads(json.dumps(plain, allow_nan=False))).to_dict() == plain
        assert (plain["choice"] is None) == bool(plain["binding"])
        for name in ("choice", "candidates", "left_out", "binding", "curves", "verification"):
            with pytest.raises(AuditError, match="no choice: "):
                Choice.from_dict({**plain, name: [3]})
        assert len(found.front) == len(found.curves[0].losses)
        assert str(found)


def test_a_limit_below_blind_guessing_cannot_be_kept() -> None:
    found = choose(
        domain_size=10, users=1000, max_epsilon=1.0, max_attack_success=0.05, protocols=["GRR"]
    )
    assert found.choice is None
    assert found.left_out == {"GRR": "because no setting keeps the limits on leakage"}
    assert set(found.binding) == {"max_attack_success"}


def test_the_best_of_many_numbers_is_found() -> None:
    """Hundreds of sizes of sets, of which few are looked at."""
    found = best("SS", Question(300, USERS), max_epsilon=1.0)
    assert found is not None
    errors = {
        omega: make("SS", epsilon=1.0, domain_size=300, subset_size=omega).frequency_variance(
            USERS, 1 / 300
        )
        for omega in range(1, 300)
    }
    assert found.mechanism.subset_size == min(errors, key=lambda omega: errors[omega])


def test_a_choice_is_kept_once_and_shown_in_full(tmp_path: Path) -> None:
    """Another answer to a question of the same form is another one."""
    asked: dict[str, Any] = {"users": 1000, "max_epsilon": 1.0, "protocols": ["GRR"]}
    heard: list[tuple[int, int]] = []
    one = choose(frequencies=[3, 1], progress=lambda *steps: heard.append(steps), **asked)
    other = choose(frequencies=[2, 1], **asked)
    for found in (one, other, one):
        keep_choice(tmp_path, found)
    kept = read_folder(tmp_path).choices
    assert [found.to_dict() for found in kept] == [one.to_dict(), other.to_dict()]
    assert heard[-1] == (3, 3)  # solved, told, drawn


def test_what_is_as_good_offers_more() -> None:
    """Of errors that are the same in a round, to 0.01%, the mean over all reports decides."""
    best_of_all = (False, 1.0, 5.0, 2.0)
    assert in_order((False, 1.00005, 3.0, 2.0), best_of_all) < in_order(best_of_all, best_of_all)
    assert in_order((False, 1.0005, 3.0, 2.0), best_of_all) > in_order(best_of_all, best_of_all)
    assert in_order((True, 0.9, 3.0, 2.0), best_of_all) > best_of_all


def test_the_answer_can_be_defended() -> None:
    """What leaks, what is learned, what it costs, why others lost; a page shows all protocols."""
    names = ["OUE", "Memo[OUE]", "SUE", "GRR", "BLH", "THE"]
    found = choose(
        domain_size=10, users=10_000, reports=20, max_epsilon=2, max_error=0.05, protocols=names
    )
    text = " ".join(found.sentences)
    for words in (
        "Choose Memo[OUE] with epsilon = 2. That is one report of OUE, for ever.",
        "sees all 20 reports of a user and finds two values equally likely at first, neither "
        "becomes more than 88.1% likely (exact worst case: epsilon 2)",
        "right in 31.8% of all cases, from all 20 of them in 31.8%, a blind guess in 10%",
        "with 10,000 users, the estimated share of a value of each round of reports is off by "
        "0.908 percentage points (standard error, 5 being allowed)",
        "A report has 10 bits.",
        "With fresh noise in every report, OUE with epsilon = 0.1: its standard error is",
        "the device can be recognized",
    ):
        assert words in text
    on_page = [part for part in choice_content(found, every=True) if isinstance(part, str)]
    assert "--json" not in " ".join(on_page)


def test_delta_is_shared_by_fresh_reports() -> None:
    question = Question(10, USERS, 10, delta=1e-5)
    assert family_of("AGM", question).common["delta"] == pytest.approx(1e-6)
    assert family_of("Memo[AGM]", question).common["delta"] == 1e-5
    assert "delta" not in family_of("OUE", question).common


def test_what_is_not_known_of_a_protocol_leaves_it_out() -> None:
    """Also where it is the only one, and no limit can give."""
    found = choose(
        protocols=["PI-RAPPOR"],
        domain_size=40,
        users=USERS,
        frequencies=list(range(1, 41)),
        max_epsilon=3,
        max_attack_success=0.15,
    )
    assert found.choice is None
    assert set(found.left_out) == {"PI-RAPPOR"}
    assert set(found.binding) == {"max_epsilon", "max_attack_success"}
