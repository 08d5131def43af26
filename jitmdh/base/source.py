"""Where something stands in the user's program, and how to show it."""

from __future__ import annotations

import linecache
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Loc:
    """A span of source text: 1-based lines, 0-based columns (Python's `ast` convention)."""

    filename: str
    line: int
    column: int = 0
    end_line: int | None = None
    end_column: int | None = None

    def __str__(self) -> str:
        return f"{self.filename}:{self.line}"


def excerpt(loc: Loc, context: int = 0) -> str:
    """The source line of `loc` with a caret under the span; empty if the source is not available.

    >>> print(excerpt(Loc("no such file", 3)))
    <BLANKLINE>
    """
    lines = []
    for number in range(max(1, loc.line - context), loc.line + 1):
        text = linecache.getline(loc.filename, number)
        if text:
            lines.append(f"{number:5} |  {text.rstrip()}")
    if not lines:
        return ""
    text = linecache.getline(loc.filename, loc.line).rstrip()
    end = loc.end_column if loc.end_line in (None, loc.line) and loc.end_column else len(text)
    carets = "^" * max(1, min(end, len(text)) - loc.column)
    lines.append(f"      |  {' ' * loc.column}{carets}")
    return "\n".join(lines)
