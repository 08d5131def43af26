"""Where the functions of the explicit representation stand in the user's program, and where in them a mistake is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import CodeType, TracebackType
from typing import Any

from jitmdh.base.source import Loc

_Position = tuple[int | None, int | None, int | None, int | None]


def place_of(function: Callable[..., Any]) -> Loc | None:
    """The body of a lambda; of another function its first line."""
    code = getattr(function, "__code__", None)
    if not isinstance(code, CodeType):
        return None
    if code.co_name != "<lambda>":
        return Loc(code.co_filename, code.co_firstlineno)
    return _span(code, code.co_positions()) or Loc(code.co_filename, code.co_firstlineno)


def place_of_error(error: BaseException, function: Callable[..., Any]) -> Loc | None:
    """What was computed in `function`, or in a function that it called from the same file, when the error came up."""
    code = getattr(function, "__code__", None)
    found = None
    trace: TracebackType | None = error.__traceback__
    while isinstance(code, CodeType) and trace is not None:
        running = trace.tb_frame.f_code
        if running.co_filename == code.co_filename:
            positions = list(running.co_positions())[trace.tb_lasti // 2 : trace.tb_lasti // 2 + 1]
            found = _span(running, positions) or Loc(running.co_filename, trace.tb_lineno)
        trace = trace.tb_next
    return found or place_of(function)


def _span(code: CodeType, positions: Iterable[_Position]) -> Loc | None:
    """The first line of what the instructions at `positions` stand for."""
    found = [p for p in positions if None not in p and p[3]]
    lines = [p for p in found if p[0] == min(q[0] or 0 for q in found)]
    if not lines:
        return None
    line, last = (lines[0][0] or 0), max(p[1] or 0 for p in lines)
    end = max(p[3] or 0 for p in lines) if last == line else None
    return Loc(code.co_filename, line, min(p[2] or 0 for p in lines), last, end)
