"""The adapters' tests, run where the packages are installed."""

from __future__ import annotations

import subprocess

import pytest

from tests.end_to_end.environments import ROOT, every_package


@pytest.mark.environments
def test_adapters_with_their_packages() -> None:
    """Nothing may be skipped there."""
    done = subprocess.run(
        [every_package() / "bin" / "python", "-m", "pytest", "tests/unit/test_adapters.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed" in done.stdout
    assert "skipped" not in done.stdout, done.stdout
