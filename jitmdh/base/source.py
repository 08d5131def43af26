"""Where something stands in the user's program, and how to show it."""

from __future__ import annotations

import linecache
import os
import sys
from pathlib import Path
from types import FrameType

from jitmdh.base.records import dataclass

_PACKAGE = os.path.join(str(Path(__file__).parents[1]), "")


@dataclass(frozen=True, slots=True)
class Loc:
    """A span of source text: 1-based lines, 0-based columns in bytes of UTF-8 (Python's `ast` convention)."""

    filename: str
    line: int
    column: int = 0
    end_line: int | None = None
    end_column: int | None = None

    def __str__(self) -> str:
        return f"{self.filename}:{self.line}"


def excerpt(loc: Loc, context: int = 0) -> str:
    """The source line of `loc` with a caret under the span; empty if the source is not available.

    context: how many lines before are shown too. Indentation common to the shown lines is left out.

    >>> excerpt(Loc("no such file", 3))
    ''
    """
    numbers = range(max(1, loc.line - context), loc.line + 1)
    lines = {number: linecache.getline(loc.filename, number).rstrip() for number in numbers}
    marked = lines[loc.line]
    if not marked:
        return ""
    margin = min(len(line) - len(line.lstrip()) for line in lines.values() if line)
    shown = [f"{number:5} |  {line[margin:]}" for number, line in lines.items()]
    start = max(margin, _characters(marked, loc.column))
    within = loc.end_column is not None and loc.end_line in (None, loc.line)
    end = _characters(marked, loc.end_column) if within and loc.end_column is not None else len(marked)
    blank = "".join("\t" if character == "\t" else " " for character in marked[margin:start])
    shown.append(f"      |  {blank}{'^' * max(1, end - start)}")
    return "\n".join(shown)


def _characters(line: str, column: int) -> int:
    """The index in `line` of the character that starts at byte `column`."""
    return len(line.encode()[:column].decode(errors="ignore"))


def here(name: str | None = None) -> Loc | None:
    """Where the call of `name`, or any call, is written: the innermost line that is not of this package."""
    frame = sys._getframe(1)
    while _is_own(frame):
        if frame.f_back is None:
            return None
        frame = frame.f_back
    positions = list(frame.f_code.co_positions())
    at = positions[frame.f_lasti // 2] if frame.f_lasti // 2 < len(positions) else (None,) * 4
    line, end_line, column, end_column = at
    filename = frame.f_code.co_filename
    if end_line is None or column is None or end_column is None or line is None:
        return Loc(filename, frame.f_lineno)
    span = Loc(filename, line, column, end_line, end_column)
    return span if name is None else _called(filename, name, span)


def _is_own(frame: FrameType) -> bool:
    """Whether it runs code of this package, be it written by `dataclass`."""
    module = str(frame.f_globals.get("__name__"))
    return frame.f_code.co_filename.startswith(_PACKAGE) or module.partition(".")[0] == __name__.partition(".")[0]


def _called(filename: str, name: str, span: Loc) -> Loc:
    """The part of a chain of calls that is the last one: from the name on."""
    assert span.end_line is not None and span.end_column is not None
    for line in range(span.end_line, span.line - 1, -1):
        text = linecache.getline(filename, line).encode()
        end = span.end_column if line == span.end_line else len(text)
        at = text.rfind(name.encode() + b"(", 0, end)
        if at >= (span.column if line == span.line else 0):
            return Loc(filename, line, at, line, end if line == span.end_line else None)
    return span
