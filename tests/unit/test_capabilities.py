"""What a mechanism offers is declared once; what is missing is said in a sentence."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from numpy.random import Generator

from ldp_auditor import AuditError, Claim, audit, explain, mechanisms, profile
from ldp_auditor.core import Reports, Values
from ldp_auditor.mechanisms import FrequencyOracle
from ldp_auditor.mechanisms.capabilities import (
    CAPABILITIES,
    DrawsSums,
    KnowsRatioOfSums,
    lacking,
    members,
)
from ldp_auditor.mechanisms.local_mechanism import protocols
from tests.capability_table import table

ROOT = Path(__file__).parents[2]


class Truth(FrequencyOracle):
    """A correct protocol for no claim at all that offers as little as it may."""

    name = "Truth"

    def privatize(self, value: int, n: int, rng: Generator) -> Reports:
        return rng.permuted([self.check_value(value)] * n)

    def guess(self, reports: Reports, rng: Generator) -> Values:
        return reports


TRUTH = Truth(epsilon=1.0, domain_size=3)


def test_the_documented_table_is_that_of_the_declarations() -> None:
    document = (ROOT / "docs" / "how-to" / "add-a-protocol.md").read_text()
    assert table() in document
    assert len(CAPABILITIES) > 10


def test_nothing_is_probed_by_name_elsewhere() -> None:
    """Names of capabilities are no strings anywhere, and no method is switched off by None."""
    names = {name for capability in CAPABILITIES for name in members(capability)} - {"name"}
    named = "|".join(sorted(names))
    probe = re.compile(rf"(?:has|get)attr\([^()]*\"(?:{named})\"|^    (?:{named}) = None", re.M)
    rooms = ("audits", "attacks", "mechanisms", "theory", "studies", "exploring", "sweeps")
    sources = [p for room in rooms for p in (ROOT / "src" / "ldp_auditor" / room).rglob("*.py")]
    assert len(sources) > 50
    assert [p.name for p in sources if probe.search(p.read_text())] == []


@pytest.mark.parametrize(
    ("request_", "sentence"),
    [
        (
            {"attack": "optimal"},
            "Truth has no likelihood ratio: the attack 'optimal' needs log_",
        ),
        (
            {"reports": 5},
            "Truth has no scores: --reports under the attack 'paper' needs add",
        ),
        ({"neighbours": "one"}, "Truth has no records: --neighbours needs what RecordMechanism"),
    ],
)
def test_what_is_missing_is_named(request_: dict[str, Any], sentence: str) -> None:
    with pytest.raises(AuditError, match=sentence) as refusal:
        audit(TRUTH, trials=10, **request_)
    assert str(refusal.value).endswith("see docs/how-to/add-a-protocol.md")


@pytest.mark.parametrize("account", [explain, profile])
def test_accounts_need_a_loss_law(account: Any) -> None:
    with pytest.raises(AuditError, match=r"Truth has no loss law: .* needs loss_law, see docs/"):
        account(TRUTH)


def test_a_protocol_with_nothing_but_a_guess_is_audited() -> None:
    result = audit(TRUTH, trials=1000)
    assert result.verdict == "violation"
    assert result.attack_epsilon is result.worst_case_epsilon is None


def test_sums_are_drawn_only_where_their_law_is_known() -> None:
    """One hash function for ever makes the reports of a user depend on each other."""
    assert issubclass(mechanisms.find("OLH"), DrawsSums)
    assert not issubclass(mechanisms.find("BiLOLOHA"), DrawsSums)
    with pytest.raises(AuditError, match="use --composition simulate"):
        audit("BiLOLOHA", epsilon_1=0.5, epsilon_infinity=1, domain_size=3, reports=2,
              composition="law", trials=10)  # fmt: skip


def test_lacking_names_every_member_that_is_missing() -> None:
    class Half:
        claim = Claim(1.0)
        ratio_of_sums = None

    assert lacking(Half(), KnowsRatioOfSums) == ["ratio_of_sums"]
    with pytest.raises(AuditError, match="a mechanism needs name and privatize"):
        audit(Half(), trials=10)  # type: ignore[arg-type]

    class NoInputs(Half):
        name = "NoInputs"

        def privatize(self, value: int, n: int, rng: Generator) -> Reports:
            return rng.integers(0, 3, n)

    with pytest.raises(AuditError, match="a mechanism needs inputs or a domain_size"):
        audit(NoInputs(), trials=10)


def test_the_list_is_the_same_whatever_was_imported_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = list(mechanisms.listed())
    turned = dict(reversed(protocols.items()))
    monkeypatch.setattr("ldp_auditor.mechanisms.protocols", turned)
    assert list(mechanisms.listed()) == before
