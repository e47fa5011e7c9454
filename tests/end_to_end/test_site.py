"""The site: built with warnings as errors, whole without a network, with every notebook run."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from documentation import changes
from ldp_auditor import cli, mechanisms
from tests.end_to_end.browsing import DESK, PHONE, Visit

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.site

QUESTIONS = {
    "install": "get-started.html",
    "what is epsilon": "questions.html",
    "no violation found certificate": "questions.html",
    "check my randomizer in CI": "how-to/check-in-ci.html",
    "which protocol should I choose": "how-to/choose-a-protocol.html",
    "exit code": "questions.html",
    "memoization": "longitudinal.html",
    "composition": "longitudinal.html",
    "floating point laplace": "explanation/floating-point.html",
    "run on cluster ray": "how-to/cluster.html",
    "how many trials": "questions.html",
    "what does the verdict mean": "questions.html",
    "recorded reports csv": "questions.html",
    "pandas data frame": "questions.html",
    "reproducible seed": "questions.html",
    "what is local differential privacy": "questions.html",
    "privacy budget": "questions.html",
    "difference between audit and check": "questions.html",
    "github actions": "questions.html",
    "my test fails now and then": "questions.html",
    "correct mechanism flagged": "questions.html",
    "javascript client": "questions.html",
    "figure pdf latex": "questions.html",
    "jupyter": "questions.html",
    "location": "questions.html",
    "continue a long run": "questions.html",
    "memory": "questions.html",
    "python 3.14": "questions.html",
    "windows": "questions.html",
    "docker": "questions.html",
    "cite": "questions.html",
    "license": "questions.html",
    "domain size": "questions.html",
    "what is OUE": "questions.html",
    "GRR": "questions.html",
    "false positive rate": "questions.html",
    "central dp": "questions.html",
    "shuffle": "questions.html",
    "read-only container": "questions.html",
    "contribute": "questions.html",
    "laplace mechanism": "questions.html",
    "multidimensional": "multidimensional.html",
    "reproduce the paper": "sweeps.html",
    "resume": "questions.html",
    "ModuleNotFoundError": "questions.html",
    "command not found": "questions.html",
    "worst case": "questions.html",
    "empirical epsilon": "questions.html",
    "standard error": "questions.html",
    "longitudinal": "longitudinal.html",
    "frequency estimation": "questions.html",
    "which epsilon": "questions.html",
    "check my function": "questions.html",
    "OUE vs OLH": "questions.html",
    "pytest": "questions.html",
    "add an adversary": "questions.html",
}
"""What a newcomer types, and the page that the search has to find first."""

LAID_OUT = (
    "index.html",
    "gallery.html",
    "command-line.html",
    "reference/commands.html",
    "reference/python/audits.html",
    "notebooks/a-year.html",
    "how-to/cluster.html",
)
"""One page of each kind: cards, pictures, wide tables, long signatures, wide outputs."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site as `make docs` does; a warning ends the build."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "--quiet", "build", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """An open page, which waits for nothing longer than a busy machine may take."""
    context = browser.new_context(viewport=DESK)
    context.set_default_timeout(60_000)
    yield context.new_page()
    context.close()


class Loaded(HTMLParser):
    """Gathers what a page loads and where it leads."""

    def __init__(self) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.leads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        address = found.get("src") or found.get("href")
        if address and tag in {"script", "img", "iframe", "link"}:
            self.loads.append(address)
        elif address and tag == "a":
            self.leads.append(address)


def test_pages_load_and_lead_to_files_of_the_site(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 50
    wrong = []
    for page in pages:
        read = Loaded()
        read.feed(page.read_text(encoding="utf-8"))
        for address in read.loads + read.leads:
            if re.match(r"(data|mailto):|#", address):
                continue
            outside = address.startswith(("http:", "https:", "//"))
            if outside and address in read.leads:
                continue  # a paper, not something that the page needs
            target = (page.parent / address.split("#")[0].split("?")[0]).resolve()
            if outside or not target.exists():
                wrong.append((page.name, address))
    assert [found for found in wrong if found[0] != "404.html"] == []


def test_everything_of_the_program_is_in_the_reference(site: Path) -> None:
    def headings(page: str) -> set[str]:
        return set(re.findall(r'<h\d id="([^"]+)"', (site / page).read_text(encoding="utf-8")))

    assert set(cli.COMMANDS) <= headings("reference/commands.html")
    protocols = (site / "reference/protocols.html").read_text(encoding="utf-8")
    assert all(f"<td>{name}</td>" in protocols for name in mechanisms.listed())
    interface = "".join(page.read_text() for page in site.glob("reference/python/*.html"))
    assert 'id="ldp_auditor.audits.interface.audit"' in interface
    assert "<code>from ldp_auditor import audit</code>" in interface
    extending = (site / "reference/python/extending.html").read_text(encoding="utf-8")
    assert "ldp_auditor.core.Mechanism</span>" in extending
    assert "<td><code>composed_delta</code></td>" in interface  # as the command's help has it
    assert "&gt;&gt;&gt;" in interface  # examples are fenced, not quotations


def test_changes_of_results_have_a_page(site: Path) -> None:
    page = (site / "project/results-change.html").read_text(encoding="utf-8").lower()
    entries = changes.marked((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    assert len(re.findall(r"results\s+change", page)) >= sum(map(len, entries.values())) >= 18


def test_notebooks_show_their_figures(site: Path) -> None:
    names = {path.stem for path in (ROOT / "docs/notebooks").glob("*.ipynb")}
    assert len(names) == 5
    for name in names:
        text = (site / f"notebooks/{name}.html").read_text(encoding="utf-8")
        assert "Traceback" not in text
        assert "&lt;Figure" not in text  # it is shown, not named
        assert not re.search("─\n *─", text)  # the rule of a table stays whole
    drawn = {path.name.rpartition("-")[0] for path in site.glob("notebooks/*.png")}
    assert drawn == names


def test_the_search_finds_what_newcomers_ask_for_from_disk(site: Path, page: Any) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"file://{site}/index.html")
    first = {}
    for question in QUESTIONS:
        page.click(".md-search__input")
        page.keyboard.press("Control+a")
        page.keyboard.press("Delete")
        page.wait_for_function("!document.querySelector('.md-search-result__item')")
        page.keyboard.insert_text(question[:-1])
        page.keyboard.type(question[-1])
        found = page.wait_for_selector(".md-search-result__item > a", state="attached")
        address = found.get_attribute("href").split("?")[0].split("#")[0]
        first[question] = address.rpartition(f"{site.name}/")[2]
    assert first == QUESTIONS
    assert {address.partition(":")[0] for address in asked} <= {"file", "data", "blob"}


def test_what_is_copied_is_what_one_types(site: Path, page: Any) -> None:
    page.goto(f"file://{site}/get-started.html")
    copied = page.eval_on_selector_all(
        ".highlight code",
        "codes => codes.map(code => (code.setAttribute('data-md-copying', ''), code.innerText))",
    )
    console, session = (next(text for text in copied if what in text) for what in ("OUE", "import"))
    assert console.strip() == "ldp-auditor audit OUE --epsilon 1 --domain-size 100"
    assert session.startswith("from ldp_auditor import audit")


def test_no_page_is_wider_than_a_phone(site: Path, page: Any) -> None:
    page.set_viewport_size(PHONE["viewport"])
    wide = {}
    for path in LAID_OUT:
        page.goto(f"file://{site}/{path}", wait_until="domcontentloaded")
        more = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        if (over := page.evaluate(more)) > 0:
            wide[path] = over
    assert wide == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_can_be_read_by_everybody(site: Path, page: Any, scheme: str) -> None:
    """Contrast, links that are not known by their colour alone, names of what listens."""
    page.emulate_media(color_scheme=scheme)
    found = {}
    for path in LAID_OUT:
        page.goto(f"file://{site}/{path}")
        if wrong := Visit(page).violations():
            found[path] = wrong
    assert found == {}


def test_the_search_index_has_every_page(site: Path) -> None:
    index = json.loads((site / "search/search_index.json").read_text(encoding="utf-8"))
    indexed = {entry["location"].split("#")[0] for entry in index["docs"]}
    pages = {str(page.relative_to(site)) for page in site.rglob("*.html")} - {"404.html"}
    assert {page for page in pages if page not in indexed} == set()
