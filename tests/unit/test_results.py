"""Results: every field is declared once, and what is written is read back."""

from __future__ import annotations

import inspect
import json
import warnings
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import ldp_auditor
from ldp_auditor import AuditError, AuditPlan, AuditResult, AuditResults, Stopping, mechanisms
from ldp_auditor.audits.interface import plan_audit
from ldp_auditor.results.audit_result import NOT_STORED
from tests.result_fields import table

SETTINGS: list[tuple[str, dict[str, Any]]] = [
    ("GRR", {"domain_size": 5}),
    ("LHO", {"domain_size": 5, "hash_range": 3, "epsilon": None}),
    ("AGM", {"domain_size": 5, "attack": "optimal"}),
    ("OUE", {"domain_size": 5, "reports": 3}),
    ("RS+FD[GRR]", {"domain_sizes": (3, 4)}),
    ("SPL[SHE]", {"domain_size": 3, "attributes": 2, "attack": "optimal"}),
    ("L-GRR", {"domain_size": 5, "epsilon_infinity": 3.0, "reports": 2}),
    ("SUE", {"domain_size": 5, "trials": "auto", "precision": 0.2, "max_trials": 10**5}),
]


@pytest.mark.parametrize(("name", "settings"), SETTINGS, ids=[name for name, _ in SETTINGS])
def test_a_result_is_read_back_as_it_was(name: str, settings: dict[str, Any]) -> None:
    result = ldp_auditor.audit(name, **{"epsilon": 1.0, "trials": 200, **settings})
    written = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    again = AuditResult.from_dict(written)
    assert again == result
    assert again.to_dict() == result.to_dict()
    assert (again.claim, again.counts, again.verdict) == (
        result.claim,
        result.counts,
        result.verdict,
    )
    stored = result.to_store("0.1.0")
    assert not set(NOT_STORED) & set(stored)
    several = AuditResults([result, result])
    assert AuditResults.from_dict(several.to_dict()).to_dict() == several.to_dict()


def test_every_field_says_what_it_means() -> None:
    for field in fields(AuditResult):
        assert field.metadata["meaning"], field.name


def test_the_document_has_the_table_of_fields() -> None:
    text = Path(__file__).parents[2].joinpath("docs", "results.md").read_text()
    assert text.endswith("<!-- fields -->\n\n" + table())


def test_a_verdict_that_does_not_follow_is_refused() -> None:
    plain = ldp_auditor.audit("GRR", epsilon=1.0, domain_size=5, trials=200).to_dict()
    with pytest.raises(AuditError, match="does not follow from its numbers"):
        AuditResult.from_dict({**plain, "verdict": "violation"})


def test_results_show_and_convert_themselves(tmp_path: Path) -> None:
    result = ldp_auditor.audit("GRR", epsilon=1.0, domain_size=5, trials=200)
    compared = ldp_auditor.compare(["GRR", "SUE"], epsilon=1.0, domain_size=5, trials=200)
    explained = ldp_auditor.explain("SUE", epsilon=1.0, domain_size=5, trials=200)
    over_time = ldp_auditor.audit_over_time("OUE", [1, 3], epsilon=1.0, domain_size=5, trials=200)
    profile = ldp_auditor.profile("SUE", epsilon=1.0, domain_size=5, points=3)
    for shown, words in (
        (result, "GRR (k = 5), attack paper"),
        (compared, "no violation found in 2 audits"),
        (explained, "To prove 90% of the worst case"),
        (over_time, "reports   claim"),
        (profile, "smallest delta"),
    ):
        assert words in str(shown)
        assert words in shown._repr_html_()
        figure = tmp_path / f"{type(shown).__name__}.svg"
        shown.plot(figure)
        assert figure.read_bytes().startswith(b"<?xml")
    assert compared.to_frame()["mechanism"].tolist() == ["GRR", "SUE"]
    assert over_time.to_frame()["reports"].tolist() == [1, 3]
    assert list(profile.to_frame().columns) == ["epsilon", "delta"]
    with pytest.raises(AuditError, match="library must be one of pandas, polars"):
        result.to_frame("excel")


def test_signatures_are_spelled_out() -> None:
    """What may be written is seen by `help` and by tab completion; a protocol has its own."""
    for name in ("audit", "compare", "check", "explain", "profile"):
        parameters = inspect.signature(getattr(ldp_auditor, name)).parameters
        assert {"epsilon", "delta", "domain_size"} <= set(parameters)
        rest = [p.name for p in parameters.values() if p.kind is p.VAR_KEYWORD]
        assert rest in ([], ["options"])
    planned = inspect.signature(plan_audit).parameters
    for name in ("audit", "compare", "explain", "profile"):
        spelled = inspect.signature(getattr(ldp_auditor, name)).parameters
        for setting in planned.keys() & spelled.keys():
            assert spelled[setting].default == planned[setting].default, (name, setting)


def test_the_public_surface_is_complete_and_can_be_completed() -> None:
    named = {"audit", "compare", "check", "explain", "profile", "sweep", "reproduce", "assert_ldp"}
    assert named <= set(ldp_auditor.__all__) <= set(dir(ldp_auditor))
    for name in ldp_auditor.__all__:
        assert getattr(ldp_auditor, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = ldp_auditor.nothing


def test_names_of_version_0_1_work_and_warn() -> None:
    plan = AuditPlan(mechanism=mechanisms.make("GRR", epsilon=1.0, domain_size=5), trials=200)
    with pytest.warns(DeprecationWarning, match="Study is deprecated; use"):
        study = ldp_auditor.Study(reports=(1, 2))
    with pytest.warns(DeprecationWarning, match="run_study is deprecated"):
        assert [r.reports for r in ldp_auditor.run_study(plan, study)] == [1, 2]
    with pytest.warns(DeprecationWarning, match=r"ldp_auditor\.run is deprecated"):
        assert ldp_auditor.run(plan).trials == 200
    with pytest.warns(DeprecationWarning, match="run_until_precise is deprecated"):
        assert ldp_auditor.run_until_precise(plan, Stopping(0.5, 1000)).looks == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ldp_auditor.audit("GRR", epsilon=1.0, domain_size=5, trials=200)
