"""The package as users have it: a wheel in an environment of its own, run without root's rights."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from tests.end_to_end.environments import INSTALL, ROOT

ODD_NAME = "Mein Ordner ü 数据"


@dataclass(frozen=True)
class Installation:
    """An environment with nothing but the wheel; what it depends on is that of the tests."""

    wheel: Path
    environment: Path

    @property
    def packages(self) -> Path:
        """Where the package was installed."""
        return next(self.environment.glob("lib/python*/site-packages"))

    def run(
        self, *arguments: str, cwd: Path, full: bool = False, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Run the command with these variables and no others, as somebody without rights.

        With `full` there is no room for a byte in any file.
        """

        def fill() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

        return subprocess.run(
            [*without_rights(), str(self.environment / "bin" / "ldp-auditor"), *arguments],
            cwd=cwd,
            env={"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1", **variables},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
            preexec_fn=fill if full else None,
        )


def without_rights() -> list[str]:
    """Return what to put before a command so that it obeys the modes of files, even for root."""
    if os.geteuid() != 0:
        return []
    return ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--"]


def install(folder: Path) -> Installation:
    """Build the wheel and install it into a folder with spaces and letters of three scripts."""
    environment = folder / ODD_NAME
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder)]
    _run(*build, str(ROOT))
    wheel = next(folder.glob("*.whl"))
    _run(sys.executable, "-m", "venv", "--without-pip", str(environment))
    done = Installation(wheel, environment)
    python = str(environment / "bin" / "python")
    _run(str(INSTALL), python, "--compile", "--no-index", "--no-deps", str(wheel))
    (done.packages / "above.pth").write_text(sysconfig.get_path("purelib"))
    return done


def seal(folder: Path, writable: bool = False) -> None:
    """Take the right to write from a folder and all folders in it, or give it back."""
    for place in (folder, *(path for path in folder.rglob("*") if path.is_dir())):
        if not place.is_symlink():
            place.chmod(0o755 if writable else 0o555)


def kernels_in(folder: Path) -> set[str]:
    """Return the names of the compiled kernels anywhere below a folder."""
    return {path.name for path in folder.rglob("*.nbi")}


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"
