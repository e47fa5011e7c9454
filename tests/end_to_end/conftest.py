"""What several tests share: a browser, a served `explore`, a cluster, which takes ten seconds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.end_to_end.browsing import chromium
from tests.end_to_end.ray_running import TwoNodes, two_nodes
from tests.exploring import Client, served


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A browser of this machine; without one the test is skipped."""
    path = chromium()
    playwright = pytest.importorskip("playwright.sync_api").sync_playwright().start()
    opened = playwright.chromium.launch(executable_path=path)
    yield opened
    opened.close()
    playwright.stop()


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """One that asks a served page of `explore`."""
    with served() as opened:
        yield opened


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TwoNodes]:
    with two_nodes(tmp_path_factory.mktemp("cluster")) as nodes:
        yield nodes
