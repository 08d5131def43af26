"""Where in the user's program a formula is written."""

from __future__ import annotations

import sys
from pathlib import Path

from jitmdh.base.source import Loc

_PACKAGE = str(Path(__file__).resolve().parents[4])


def place() -> Loc | None:
    """What the innermost frame outside of this package is executing; None where there is none."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        if frame.f_back is None:
            return None
        frame = frame.f_back
    code, number = frame.f_code, frame.f_lasti // 2
    for at, (line, end_line, column, end_column) in enumerate(code.co_positions()):
        if at == number and line is not None:
            return Loc(code.co_filename, line, column or 0, end_line, end_column)
    return Loc(code.co_filename, frame.f_lineno)
