"""Documents run: what they tell to do, every reference and every link."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.end_to_end.command import EXECUTABLE
from tests.end_to_end.documents import BLOCK, blocks
from tests.protocols import EXAMPLES

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
DOCUMENTS = [README, ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
TUTORIAL = list(blocks((ROOT / "docs/tutorial.md").read_text()))
OWN_PROTOCOL = list(blocks((ROOT / "docs/how-to/add-a-protocol.md").read_text()))

FOLLOWED = [
    document
    for document in DOCUMENTS
    if any(block.commands and not block.left_alone for block in blocks(document.read_text()))
]
SITE = {
    ROOT / "docs" / page for page in re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text())
}
"""Pages of the site, some of which are made when it is built (`make docs` fails if one is not)."""
WITH_EXAMPLES = [d for d in DOCUMENTS if ">>> " in d.read_text()]


@pytest.mark.parametrize("document", FOLLOWED, ids=lambda path: str(path.relative_to(ROOT)))
def test_documents_can_be_followed(document: Path, tmp_path: Path) -> None:
    """From an empty folder, file by file and command by command, to the end."""
    for block in blocks(document.read_text()):
        if block.left_alone:
            continue
        if block.file is not None:
            file = tmp_path / block.file
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.text)
        for command in block.commands:
            done = command.run(tmp_path)
            printed = done.stdout or done.stderr  # an error, if that is what the document shows
            refused = "ldp-auditor: " in command.shown
            expected = {2} if refused else {0, int("violation" in printed.lower())}
            assert done.returncode in expected, f"$ {command.line}\n{printed}{done.stderr}"
            assert command.difference(printed) == ""


def test_the_documents_have_commands() -> None:
    """An audit, a comparison and a check in the README, and commands in as many pages as once."""
    shown = [command.line for block in blocks(README.read_text()) for command in block.commands]
    assert {line.split()[1] for line in shown} == {"audit", "compare", "check"}
    assert len(FOLLOWED) > 15


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_command_is_shown_where_nobody_runs_it(document: Path) -> None:
    """Commands stand in blocks that are run, or that say why they are not."""
    text = document.read_text()
    elsewhere = BLOCK.sub(lambda block: block[3] if block[2] in {"", "sh"} else "", text)
    assert re.findall(r"^ *(?:\S*[$] )?(?:ldp-auditor|pip|ray) .*", elsewhere, re.MULTILINE) == []


def test_the_readme_is_for_newcomers() -> None:
    assert len(README.read_text().splitlines()) <= 150


def test_the_shown_protocol_is_the_one_that_the_contract_tests_run() -> None:
    shown = {block.file: block.text for block in OWN_PROTOCOL}
    assert shown["hadamard_response.py"] == (EXAMPLES / "hadamard_response.py").read_text()


def test_nothing_in_the_tutorial_is_passed_over() -> None:
    """Every block is a file, commands or marked, and CI runs what the reader ran before."""
    every = [*TUTORIAL, *OWN_PROTOCOL]
    assert [b.text for b in every if not (b.file or b.commands or b.left_alone)] == []
    typed = {command.line for block in TUTORIAL for command in block.commands}
    assert len(typed) > 10
    (workflow,) = (block.text for block in TUTORIAL if block.language == "yaml")
    steps = re.findall(r"run: (.*)", workflow)
    assert {step for step in steps if not step.startswith("pip install ")} <= typed
    assert len(steps) > 1


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", document.read_text(), flags=re.DOTALL | re.MULTILINE)
    links = set(re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text))
    named = set(re.findall(r"`(docs/[\w./-]+\.\w+)`", text))
    targets = {link: (document.parent / link).resolve() for link in links}
    missing = [link for link, path in targets.items() if not path.exists() and path not in SITE]
    assert missing + [path for path in named if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("document", WITH_EXAMPLES, ids=lambda path: path.name)
def test_python_examples(document: Path) -> None:
    outcome = doctest.testfile(str(document), module_relative=False)
    assert outcome.attempted > 4
    assert outcome.failed == 0


def test_the_documents_have_python_examples() -> None:
    assert {"README.md", "python.md", "search.md"} <= {d.name for d in WITH_EXAMPLES}


def test_a_protocol_is_one_file(tmp_path: Path) -> None:
    """The new protocol of the document, put where protocols are looked for, is offered."""
    (tmp_path / "quarter_encoding.py").write_text(
        next(block.text for block in OWN_PROTOCOL if block.file == "quarter_encoding.py")
    )
    program = (
        "import sys, ldp_auditor.mechanisms as m; from ldp_auditor.cli import main;"
        f"m.__path__.append({str(tmp_path)!r}); main()"
    )
    for arguments in (
        ["list"],
        ["audit", "QUE", "--epsilon", "1", "--domain-size", "9", "--trials", "1e4", "--json"],
        ["compare", "QUE", "--epsilon", "1", "--domain-size", "9", "--trials", "1e4"],
    ):
        done = subprocess.run(
            [sys.executable, "-c", program, *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert "QUE" in done.stdout


def test_the_page_of_the_search_names_every_file() -> None:
    page = (ROOT / "docs" / "search.md").read_text()
    files = {path.name for path in (ROOT / "src/ldp_auditor/checks/search").glob("[!_]*.py")}
    named = set(re.findall(r"\b(\w+\.py)\b", page))
    outside = {"canonical.py", "sequence.py", "sampling.py", "bets.py", "evidence.py"}
    assert named == files | outside


def test_references_are_resolved() -> None:
    papers = (ROOT / "docs" / "papers.md").read_text()
    known = set(re.findall(r"^\| ([A-Z][a-z]+\d\d[a-z]?) ", papers, flags=re.MULTILINE))
    cited = set()
    documents = [path for path in (ROOT / "docs").rglob("*.md") if path.name != "papers.md"]
    for source in [*(ROOT / "src").rglob("*.py"), *documents]:
        for group in re.findall(r"\[((?:[A-Z][a-z]+\d\d[a-z]?(?:, )?)+)\]", source.read_text()):
            cited.update(group.split(", "))
    assert cited == known


def test_the_module_runs_too() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ldp_auditor", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert (
        done.stdout
        == subprocess.run(
            [EXECUTABLE, "--version"], capture_output=True, text=True, check=True
        ).stdout
    )
