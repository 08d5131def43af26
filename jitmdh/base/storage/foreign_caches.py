"""Where OpenCL drivers, pyopencl and CuPy keep their caches: below the user's folder, as they decide by themselves.

Where nothing can be written there, PoCL has no device and the others raise OSError as soon as they are used, so they
are given a temporary folder, or told to keep nothing. What the user has set is left as it is.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import tempfile
from pathlib import Path

import platformdirs


def for_opencl() -> None:
    """To be called before pyopencl is imported for the first time, and before it asks for platforms."""
    if not _writable(Path(platformdirs.user_cache_dir())):
        _temporary("POCL_CACHE_DIR")
        os.environ.setdefault("PYOPENCL_NO_CACHE", "1")


def for_cupy() -> None:
    """To be called before CuPy is imported for the first time."""
    if not _writable(Path("~/.cupy").expanduser()):
        _temporary("CUPY_CACHE_DIR")


def _writable(folder: Path) -> bool:
    """Whether files can be written there, or the folder be made. Nothing is made."""
    for there in (folder, *folder.parents):
        if os.path.lexists(there):
            return there.is_dir() and os.access(there, os.W_OK | os.X_OK)
    return False


def _temporary(variable: str) -> None:
    """Names a new folder in a variable of the environment that is not set; this process removes it when it ends."""
    if variable in os.environ:
        return
    with contextlib.suppress(OSError):  # nothing can be written anywhere: the driver says so itself
        os.environ[variable] = folder = tempfile.mkdtemp(prefix="jitmdh-")
        atexit.register(_remove, folder, os.getpid())


def _remove(folder: str, owner: int) -> None:
    if os.getpid() == owner:  # a forked process must not
        shutil.rmtree(folder, ignore_errors=True)
