"""What several tests of the commands share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.end_to_end.browsing import chromium


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A browser of this machine; without one the test is skipped."""
    path = chromium()
    playwright = pytest.importorskip("playwright.sync_api").sync_playwright().start()
    opened = playwright.chromium.launch(executable_path=path)
    yield opened
    opened.close()
    playwright.stop()
