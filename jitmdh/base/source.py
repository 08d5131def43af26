"""Where something stands in the user's program, and how to show it."""

from __future__ import annotations

import linecache

from jitmdh.base.records import dataclass


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
