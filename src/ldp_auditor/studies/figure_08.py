"""Figure 8: pure-ldp 1.1.2's unary encodings break their promise (section 5.7).

The package makes reports one by one, so there are a tenth of the paper's trials. It is taken from
this environment, or installed into a folder of its own beside the results.
"""

from __future__ import annotations

import subprocess
import sys
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
        reason = install(package, f"pure-ldp=={VERSION}", "--no-deps") or install(
            requirements, *REQUIREMENTS
        )
        if reason is not None:
            return f"it needs pure-ldp {VERSION}, which cannot be installed: {reason}"
    sys.path.insert(0, str(package))  # before another version of it
    sys.path.append(str(requirements))  # after what this environment has of them
    return None


def install(folder: Path, *what: str) -> str | None:
    """Install packages into a folder, all or none, or say why it cannot be done."""
    unfinished = folder.with_suffix(".unfinished")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(unfinished)]
    made = subprocess.run([*pip, *what], check=False, capture_output=True, text=True)
    if made.returncode != 0:
        return (made.stderr.strip().splitlines() or ["no reason given"])[-1]
    unfinished.rename(folder)
    return None


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
