"""A pytest plugin: the fixture `assert_ldp` and the marker `ldp`; it costs nothing until used.

    @pytest.mark.ldp(trials=100_000)
    def test_my_randomizer(assert_ldp):
        assert_ldp(my_randomizer, [0, 1, 2], epsilon=1.0)

Settings of the marker are defaults for every call of the fixture in the test; the marker does
nothing for an `assert_ldp` that was imported.
"""

from collections.abc import Callable
from typing import Any

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line(
        "markers",
        "ldp(**settings): defaults of the fixture assert_ldp, such as trials, alpha and seed",
    )


@pytest.fixture
def assert_ldp(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Fail, with the evidence, if a randomizer breaks its claim."""
    from ldp_auditor import testing
    from ldp_auditor.errors import require

    marker = request.node.get_closest_marker("ldp")
    defaults: dict[str, Any] = {} if marker is None else dict(marker.kwargs)
    unnamed = () if marker is None else marker.args
    require(
        not unnamed,
        "the marker ldp takes settings by their names, such as ldp(trials=100_000), "
        f"got ldp({', '.join(map(repr, unnamed))})",
    )

    def checked(target: Any, values: Any, **settings: Any) -> Any:
        __tracebackhide__ = True
        return testing.assert_ldp(target, values, **{**defaults, **settings})

    return checked
