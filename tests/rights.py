"""Whether files that others own, or that may not be read, are open to this process: those of root, where nobody took
that from it, as containers do that drop CAP_DAC_OVERRIDE and CAP_FOWNER."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def is_superuser() -> bool:
    """Root whom rights keep out of nothing. Tests of rights then go on as another user."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return False
    with tempfile.TemporaryDirectory() as folder:
        closed = Path(folder) / "closed"
        closed.mkdir(mode=0)
        try:
            os.listdir(closed)
        except PermissionError:
            return False
    return True
