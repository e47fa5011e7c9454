"""Folders in which the package may keep what it can make again: compiled code, lists of fonts.

What is read back from such a folder is run, so that nobody but its user may have written there.
"""

import os
import stat
import tempfile
from pathlib import Path

PROBE = bytes(1 << 16)
"""What must fit into a folder before it is chosen."""


def user_cache() -> Path | None:
    """Return the user's own folder for caches, or None if there is none with room.

    A home that belongs to somebody else is left alone, as after `sudo` with the caller's HOME.
    """
    named = os.environ.get("XDG_CACHE_HOME" if os.name == "posix" else "LOCALAPPDATA", "")
    if os.path.isabs(named):
        return _usable(Path(named, "ldp-auditor"))
    try:
        home = Path.home()
    except RuntimeError:  # a user without a name and without HOME
        return None
    return _usable(home / ".cache" / "ldp-auditor") if home.is_dir() else None


def temporary_folder() -> Path | None:
    """Return a folder of this user for temporary files, or None if there is none with room.

    It is never in the working folder, which is the last resort of `tempfile`. A container whose
    root is read-only has /dev/shm at least.
    """
    places = [os.environ.get(name, "") for name in ("TMPDIR", "TEMP", "TMP")]
    if os.name == "posix":
        places += ["/tmp", "/var/tmp", "/dev/shm"]
    name = f"ldp-auditor-{os.getuid()}" if hasattr(os, "getuid") else "ldp-auditor"
    found = (_usable(Path(place, name)) for place in places if _is_there(place))
    return next((folder for folder in found if folder is not None), None)


def _is_there(place: str) -> bool:
    return os.path.isabs(place) and os.path.isdir(place)


def _usable(folder: Path) -> Path | None:
    return folder if is_own(folder) and has_room(folder) else None


def is_own(folder: Path) -> bool:
    """Make `folder` if it is not there; tell whether nobody else could have written to it.

    Every folder above must belong to this user or to root, and may be writable by others only if
    it is sticky as /tmp, or if a folder above keeps them out.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        if not stat.S_ISDIR(folder.lstat().st_mode):
            return False
        if not hasattr(os, "getuid"):
            return True  # a profile of Windows has its own access list
        exposed = False
        real = folder.resolve()
        for place in (real, *real.parents):
            about = place.stat()
            if about.st_uid not in (0, os.getuid()):
                return False
            if not about.st_mode & 0o011:
                exposed = False  # nobody else passes
            elif about.st_mode & 0o022 and (place == real or not about.st_mode & stat.S_ISVTX):
                exposed = True
        return not exposed
    except OSError:
        return False


def has_room(folder: Path) -> bool:
    """Make `folder` if it is not there; tell whether files can be written to it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(PROBE)
    except OSError:
        return False
    return True
