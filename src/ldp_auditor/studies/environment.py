"""Packages that a study needs beyond ours, in a virtual environment of their own.

The environment has what this one has, and its own packages before that. A study runs there in a
process of its own, so that nothing is installed or imported here.
"""

import importlib.util
import json
import logging
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path
from typing import Any

import ldp_auditor
from ldp_auditor.errors import AuditError
from ldp_auditor.places import temporary_folder, user_cache
from ldp_auditor.results.journal import digest
from ldp_auditor.sweeps import Sweep, sweep
from ldp_auditor.sweeps.running import Watch

_log = logging.getLogger("ldp_auditor")


class UnavailableError(AuditError):
    """An environment that cannot be made."""


@dataclass(frozen=True)
class Environment:
    """One version of a package, and what that imports."""

    package: str
    version: str
    requirements: Sequence[str] = ()
    """What the package needs; its own list of that is not read."""

    def is_this(self) -> bool:
        """Tell whether the package is installed here, in this version."""
        try:
            return metadata.version(self.package) == self.version
        except metadata.PackageNotFoundError:
            return False

    def python(self) -> Path:
        """Return the Python of the environment, which is made first if it is not there."""
        kept = user_cache() or temporary_folder()
        if kept is None:
            raise UnavailableError(
                f"{self._need}, and there is no folder for it; set XDG_CACHE_HOME"
            )
        shared = [str(Path(ldp_auditor.__file__).parents[1])]
        shared += [path for path in sys.path if Path(path).name.endswith("-packages")]
        made_of = {"python": sys.version, "shared": shared, "requirements": self.requirements}
        place = kept / f"{self.package}-{self.version}-{digest(made_of)}"
        if not place.is_dir():
            _log.warning("installing %s %s into %s", self.package, self.version, place)
            with tempfile.TemporaryDirectory(dir=kept) as unfinished:
                self._make(Path(unfinished, "made"), shared)
                try:
                    Path(unfinished, "made").rename(place)
                except OSError:
                    if not place.is_dir():  # else another process has made it meanwhile
                        raise
        return _python_of(place)

    def _make(self, place: Path, shared: Sequence[str]) -> None:
        without_pip = importlib.util.find_spec("pip") is None
        try:
            venv.create(place, symlinks=os.name == "posix", with_pip=without_pip)
        except (OSError, subprocess.CalledProcessError) as error:
            raise UnavailableError(
                f"{self._need}, but no environment can be made: {error}"
            ) from None
        (own,) = place.glob("[Ll]ib/**/site-packages")
        (own / "shared.pth").write_text("\n".join(shared))
        for arguments in (["--no-deps", f"{self.package}=={self.version}"], self.requirements):
            command = [str(_python_of(place)), "-m", "pip", "install", "--quiet", *arguments]
            done = subprocess.run(command, check=False, capture_output=True, text=True)
            if done.returncode != 0:
                said = done.stderr.strip().splitlines() or ["pip gave no reason"]
                raise UnavailableError(f"{self._need}, which cannot be installed: {said[-1]}")

    @property
    def _need(self) -> str:
        return f"it needs {self.package} {self.version}"


def _python_of(environment: Path) -> Path:
    return environment / ("bin/python" if os.name == "posix" else "Scripts/python.exe")


def sweep_with(python: Path, watch: Watch, name: str, settings: Mapping[str, Any]) -> Sweep:
    """Run the study `name` by another Python; `settings` are its scale and those of `sweep`."""
    program = f"import sys; from {__name__} import serve; serve(sys.argv[1])"
    command = [str(python), "-P", "-c", program, json.dumps({"name": name, **settings})]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    try:
        for line in child.stdout:
            kind, *told = json.loads(line)
            if kind == "failed":
                raise AuditError(*told)
            if kind == "swept":
                return replace(Sweep(**told[0]), files=list(map(Path, told[0]["files"])))
            getattr(watch, kind)(*told)
        raise AuditError(f"{name} ended with exit code {child.wait()} and without a result")
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


def serve(asked: str) -> None:
    """Run a study for another process, and tell it on standard output how that goes."""
    from ldp_auditor import studies

    settings = json.loads(asked)
    study, scale = studies.find(settings["name"]), studies.Scale(**settings.pop("scale"))
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what foreign code prints is no answer

    def tell(kind: str) -> Callable[..., None]:
        return lambda *values: print(json.dumps([kind, *values], default=str), file=answers)

    watch = Watch(tell("start"), tell("cell_done"))
    try:
        tell("swept")(vars(sweep(study.grid(scale), watch=watch, **settings)))
    except AuditError as error:
        tell("failed")(str(error))
    except KeyboardInterrupt:
        os._exit(1)  # the parent says so
