"""Files that other tools read say what the package says."""

import re
import tomllib
from pathlib import Path

import ldp_auditor

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_the_citation_names_this_version() -> None:
    version = re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert version is not None
    assert version[1] == ldp_auditor.__version__


def test_the_changelog_begins_with_this_version_and_says_everything_once() -> None:
    text = (ROOT / "CHANGELOG.md").read_text()
    newest = next(line for line in text.splitlines() if line.startswith("## "))
    assert newest.split()[1] == ldp_auditor.__version__
    entries = re.findall(r"^- .*(?:\n  .*)*", text, re.MULTILINE)
    assert len(entries) > 100
    assert [entry for entry in set(entries) if entries.count(entry) > 1] == []


def test_every_python_of_the_classifiers_is_tried_by_the_workflow() -> None:
    """The newest may be on its own, without the foreign packages, which support it later."""
    workflow = (ROOT / ".github/workflows/ci.yml").read_text()
    everything, _, others = workflow.partition("\n  newest:\n")
    matrix = re.search(r"python: \[(.*)\]", everything)
    newest = re.search(
        r'python-version: "([\d.]+)"\n      - run: make demo test$', others, re.MULTILINE
    )
    assert matrix is not None
    assert newest is not None
    tried = [*re.findall(r"[\d.]+", matrix[1]), newest[1]]
    prefix = "Programming Language :: Python :: 3."
    named = [c for c in PYPROJECT["project"]["classifiers"] if c.startswith(prefix)]
    assert [f"3.{c.removeprefix(prefix)}" for c in named] == tried
    assert "bash .ci/run" in everything


def test_the_action_hands_all_its_inputs_to_its_script() -> None:
    action = (ROOT / "ldp-auditor-check/action.yml").read_text()
    script = (ROOT / "ldp-auditor-check/run.sh").read_text()
    inputs = re.findall(r"^  ([a-z-]+):$", action.partition("\nruns:")[0], re.MULTILINE)
    handed = dict(re.findall(r"([A-Z_]+): \$\{\{ inputs\.([a-z-]+) \}\}", action))
    assert sorted(handed.values()) == sorted(inputs)
    assert set(re.findall(r'"[^"\s]*\$([A-Z_]+)"', script)) - {"GITHUB_STEP_SUMMARY"} == set(handed)
