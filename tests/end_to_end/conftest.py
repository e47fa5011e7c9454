"""What several tests share: a cluster takes ten seconds to start."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.end_to_end.ray_running import TwoNodes, two_nodes


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TwoNodes]:
    with two_nodes(tmp_path_factory.mktemp("cluster")) as nodes:
        yield nodes
