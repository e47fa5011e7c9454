"""The same seed gives the same counts on every machine.

`seeded_counts.json` was written on one machine. Here the counts are compared with those of this
machine, of this machine with features of its processor switched off, and of one whose exponentials
and logarithms have other last bits.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.end_to_end.environments import ROOT, oldest_packages
from tests.end_to_end.seeded_counts import table

KEPT = Path(__file__).with_name("seeded_counts.json")

FOUND: list[str] = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
"""Features of this processor for which NumPy has code of its own."""

WIDE = [name for name in FOUND if name == "X86_V4" or name.startswith("AVX512")]


def counts(
    *arguments: str, python: Path | None = None, variables: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Run the table of audits in a process of its own."""
    done = subprocess.run(
        [python or sys.executable, "-m", "tests.end_to_end.seeded_counts", *arguments],
        cwd=ROOT,
        env={**os.environ, **(variables or {})},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    printed: dict[str, Any] = json.loads(done.stdout)
    return printed


def test_of_this_machine() -> None:
    assert table() == json.loads(KEPT.read_text())


@pytest.mark.environments
@pytest.mark.skipif(not WIDE, reason="this processor has no AVX-512 to switch off")
def test_without_avx512() -> None:
    variables = {"NPY_DISABLE_CPU_FEATURES": " ".join(WIDE)}
    assert counts(variables=variables) == json.loads(KEPT.read_text())


@pytest.mark.environments
def test_of_a_plain_processor_with_another_mathematical_library(tmp_path: Path) -> None:
    """NumPy without any feature that it found, kernels compiled for the oldest processor.

    Either alone would leave the counts as they are; both at once, in half of the time, have to.
    """
    variables = {
        "NPY_DISABLE_CPU_FEATURES": " ".join(FOUND),
        "NUMBA_CPU_NAME": "generic",
        "NUMBA_CACHE_DIR": str(tmp_path),
    }
    assert counts("other-libm", variables=variables) == json.loads(KEPT.read_text())


@pytest.mark.environments
def test_of_the_oldest_packages_with_svml(tmp_path: Path) -> None:
    """The oldest packages, and Intel's SVML, without which every other table is made."""
    environment = oldest_packages()
    has_svml = platform.machine() == "x86_64"  # it is for such processors alone
    variables = {"NUMBA_CACHE_DIR": str(tmp_path), "LD_LIBRARY_PATH": str(environment / "lib")}
    python = environment / "bin" / "python"
    loaded = subprocess.run(
        [python, "-c", "import numba; print(numba.config.USING_SVML)"],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert loaded.stdout.strip() == str(has_svml)
    assert counts(python=python, variables=variables) == json.loads(KEPT.read_text())
