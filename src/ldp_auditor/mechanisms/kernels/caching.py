"""Where compiled kernels are kept between runs.

numba looks for changes in a kernel's own file, not in those of the kernels that it calls. So the
kernels of one state of the source share a folder that is named after its content, after numba's
version and after whether it uses Intel's mathematics (SVML), which it does not tell apart itself.
Within the folder numba tells Python versions, processors and their features apart, so that unlike
machines may share it (`IndexDataCacheFile` and `_index_key` in numba/core/caching.py).
"""

import contextlib
import functools
import hashlib
import logging
import shutil
from pathlib import Path
from typing import Any

from ldp_auditor.places import has_room, temporary_folder, user_cache

PACKAGE = Path(__file__).parents[2]
BESIDE = PACKAGE / "__pycache__"
PREFIX = "ldp-auditor-kernels-"
OTHER_STATES = 4
"""Folders of other states of the source that stay, for somebody who goes back to a branch."""

_log = logging.getLogger("ldp_auditor")


def settings() -> Any:
    """numba's, as the environment and the user set them; they have no types."""
    import numba

    return numba.config


@functools.cache
def kernel_folder() -> Path | None:
    """Return the folder of the compiled kernels, or None if they are compiled for this run only.

    NUMBA_CACHE_DIR comes first, then the folder of the package, the user's own folder for caches
    and a temporary one. A line is logged if it is one of the last resorts or not the one asked for.
    """
    asked: str = settings().CACHE_DIR
    if asked and (folder := _folder_in(Path(asked).absolute())):
        return folder
    trouble = f"NUMBA_CACHE_DIR ({asked}) cannot be written to" if asked else ""
    if not (folder := _folder_in(BESIDE)):
        folder = _folder_in(user_cache(), BESIDE)
    if not folder:
        trouble = trouble or "neither the package's folder nor a cache folder can be written to"
        folder = _folder_in(temporary_folder(), BESIDE)
    if not folder:
        trouble += ", nor can a temporary one" if not asked else ""
        _log.warning(
            "%s: kernels are compiled for this run only, which takes some seconds; set "
            "NUMBA_CACHE_DIR to a folder of yours to keep them",
            trouble,
        )
    elif trouble:
        _log.warning(
            "%s: compiled kernels are kept in %s; set NUMBA_CACHE_DIR to a folder of yours to "
            "keep them there",
            trouble,
            folder.parent,
        )
    return folder


def _folder_in(root: Path | None, sealed: Path | None = None) -> Path | None:
    """Make the folder for this state of the source in `root`; None if there is no room.

    A new one begins with the kernels of the `sealed` root, which can be read and not written to.
    """
    if root is None:
        return None
    folder = root / (PREFIX + state_of(PACKAGE))
    is_new = not folder.exists()
    if not has_room(folder):
        return None
    if is_new:
        drop_old_states(folder)
    if is_new and sealed is not None:
        _take_over(sealed / folder.name, folder)
    return folder


def _take_over(sealed: Path, folder: Path) -> None:
    """Copy kernels into `folder`, without the modes of their folders; what fails is compiled."""
    with contextlib.suppress(OSError):
        for path in sealed.rglob("*"):
            if path.is_file():
                place = folder / path.relative_to(sealed)
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, place)


@functools.cache
def state_of(package: Path) -> str:
    """Return a name for what decides the code: numba, our version and all files with kernels."""
    import numba

    state = hashlib.sha256(f"{numba.__version__} {settings().USING_SVML}".encode())
    outside = [package / name for name in ("__init__.py", "portable_math.py")]
    for path in (*outside, *sorted((package / "mechanisms").rglob("*.py"))):
        content = path.read_bytes()
        state.update(f"{path.relative_to(package).as_posix()} {len(content)} ".encode())
        state.update(content)
    return state.hexdigest()[:16]


def drop_old_states(folder: Path) -> None:
    """Remove the siblings of `folder` that hold other states of the source, but for the newest."""
    with contextlib.suppress(OSError):  # another process may do the same
        others = [place for place in folder.parent.glob(f"{PREFIX}*") if place != folder]
        others.sort(key=lambda place: place.lstat().st_mtime_ns)
        for place in others[:-OTHER_STATES]:
            shutil.rmtree(place, ignore_errors=True)
