"""Virtual environments with foreign packages, made when first asked for and kept in `.venv`."""

from __future__ import annotations

import fcntl
import functools
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
KEPT = ROOT / ".venv" / "environments"
OURS = Path(sysconfig.get_path("purelib"))

INSTALL = ROOT / ".ci" / "install"
"""Installs for the Python it is given what `pip install` would, in a fraction of the time."""

THIS = ("--no-build-isolation", "--editable")
"""Installs this project by the hatchling of the tests, without fetching another."""


@functools.cache
def every_package() -> Path:
    """Make an environment with the packages of all adapters, pure-ldp 1.2.0 among them.

    What they share with the environment of the tests is that of the tests.
    """
    project = f"{ROOT}[pure-ldp,multi-freq-ldpy,opendp,diffprivlib]"
    return _make("packages", "--editable", project, "pure-ldp==1.2.0")


@functools.cache
def old_pure_ldp() -> Path:
    """Make an environment with pure-ldp 1.1.2; everything else is that of `every_package`."""
    like = _site_packages(every_package())
    return _make("pure-ldp-1.1.2", "--no-deps", *THIS, str(ROOT), "pure-ldp==1.1.2", like=like)


@functools.cache
def oldest_packages() -> Path:
    """Make an environment with the oldest supported compilers and arrays, and Intel's SVML.

    Later builds of numba do not use SVML, so that it can be tried with old ones only.
    """
    oldest = ("numpy==2.0.*", "numba==0.61.*", "scipy==1.13.*", "pyarrow<22", "icc-rt")
    return _make("oldest", *THIS, str(ROOT), *oldest)


@functools.cache
def with_ray() -> Path:
    """Make an environment with Ray."""
    return _make("ray", *THIS, f"{ROOT}[ray]")


def _make(name: str, *arguments: str, like: Path = OURS) -> Path:
    """Make an environment by `pip install`, unless there is one made from the same arguments.

    It begins with links to the packages of the folder `like` and to their bytecode, and has another
    version of a package only where the arguments ask for one.
    """
    environment = KEPT / name
    stamp = environment / "stamp"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = json.dumps([sys.version, arguments, project])
    KEPT.mkdir(exist_ok=True)
    with (KEPT / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests in another process may want it too
        if not stamp.exists() or stamp.read_text() != wanted:
            _run(sys.executable, "-m", "venv", "--clear", "--without-pip", str(environment))
            this = shutil.ignore_patterns("*ldp_auditor*")
            place = _site_packages(environment)
            shutil.copytree(like, place, copy_function=os.link, ignore=this, dirs_exist_ok=True)
            _run(str(INSTALL), str(environment / "bin" / "python"), *arguments)
            stamp.write_text(wanted)
    return environment


def _site_packages(environment: Path) -> Path:
    return next(environment.glob("lib/python*/site-packages"))


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"
