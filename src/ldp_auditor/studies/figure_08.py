"""Figure 8: pure-ldp 1.1.2's unary encodings break their promise (section 5.7).

The package makes reports one by one, so there are a tenth of the paper's trials. It is taken from
this environment, or installed into a folder of its own beside the results.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib import metadata
from pathlib import Path

from ldp_auditor.studies.figure_02 import BY_DOMAIN_SIZE
from ldp_auditor.studies.settings import DOMAIN_SIZES, EPSILONS
from ldp_auditor.studies.study import Study

VERSION = "1.1.2"
REQUIREMENTS = ("xxhash<4", "bitarray", "bitstring", "scikit-learn", "statsmodels")
"""What that version imports beyond numpy and scipy, some of it undeclared."""


def get_package(folder: Path) -> str | None:
    """Make the package importable here and in worker processes, or say why it is not."""
    if _installed() == VERSION:
        return None
    place = folder.resolve() / f"pure-ldp-{VERSION}"
    package, requirements = place / "package", place / "requirements"
    if not requirements.is_dir():
        print(f"installing pure-ldp {VERSION} into {place}", file=sys.stderr)
        try:
            install(package, [f"pure-ldp=={VERSION}"])
            install(requirements, lacking(REQUIREMENTS))
        except PipError as error:
            return f"it needs pure-ldp {VERSION}, which cannot be installed: {error}"
    sys.path.insert(0, str(package))  # before another version of it
    sys.path.append(str(requirements))  # after what this environment has of them
    return None


def lacking(requirements: Sequence[str]) -> list[str]:
    """Return what must be added to this environment to meet requirements, with versions."""
    report = json.loads(_pip("--dry-run", "--report", "-", *requirements))
    added = [item["metadata"] for item in report["install"]]
    return [f"{package['name']}=={package['version']}" for package in added]


def install(folder: Path, packages: Sequence[str]) -> None:
    """Install packages, and nothing that they require, into a folder: all or none."""
    if folder.is_dir():
        return
    unfinished = folder.with_suffix(".unfinished")
    unfinished.mkdir(parents=True, exist_ok=True)
    if packages:
        _pip("--no-deps", "--target", str(unfinished), *packages)
    unfinished.rename(folder)


class PipError(Exception):
    """Why pip did not install."""


def _pip(*arguments: str) -> str:
    """Call pip and return what it printed."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", *arguments]
    made = subprocess.run(command, check=False, capture_output=True, text=True)
    if made.returncode != 0:
        raise PipError((made.stderr.strip().splitlines() or ["no reason given"])[-1])
    return made.stdout


def _installed() -> str | None:
    try:
        return metadata.version("pure-ldp")
    except metadata.PackageNotFoundError:
        return None


STUDY = Study(
    name="figure-8",
    section="5.7",
    title=f"pure-ldp {VERSION}",
    blocks=[
        {
            "protocol": ["pure-ldp:SUE", "pure-ldp:OUE"],
            "epsilon": EPSILONS,
            "domain_size": DOMAIN_SIZES,
        }
    ],
    arrangement=replace(BY_DOMAIN_SIZE, columns=2),
    violations=True,
    trials=100_000,
    quick_trials=20_000,
    needs=get_package,
)
