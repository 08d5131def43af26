"""Source files with the files that they include in their place: compilers are given a text, and know no folder.

So what a kernel is compiled from is all in its text, by which compiled code is kept. Lines keep their numbers and the
names of their files. Left as they are, for the compiler: `#include <...>`, and files that are not there.
"""

from __future__ import annotations

import re
from pathlib import Path

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"[^\n]*$', re.MULTILINE)
_ONCE = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+once\b[^\n]*$", re.MULTILINE)


def read(path: Path) -> str:
    """The text of a file and of those that it includes, found beside it. OSError if it cannot be read.

    A file that includes itself by way of others has nothing there: it is guarded, or no compiler would come to an end.
    """
    return _expanded(path, path.parent, (), set())


def _expanded(path: Path, folder: Path, within: tuple[Path, ...], once: set[Path]) -> str:
    text = path.read_text(encoding="utf-8")
    whole = path.resolve()
    if _ONCE.search(text):
        once.add(whole)
        text = _ONCE.sub("", text)
    within = (*within, whole)
    comments = [match.span() for match in _COMMENT.finditer(text)]
    found, done = [_line(1, path)], 0
    for match in _INCLUDE.finditer(text):
        if any(begin < match.start(1) < end for begin, end in comments):
            continue
        file = next((f for f in (path.parent / match[1], folder / match[1]) if f.is_file()), None)
        if file is None:
            continue
        resolved = file.resolve()
        inner = "" if resolved in within or resolved in once else _expanded(file, folder, within, once)
        found += [text[done : match.start()], inner, "\n", _line(text.count("\n", 0, match.end()) + 2, path)]
        done = min(match.end() + 1, len(text))
    return "".join([*found, text[done:]])


def _line(number: int, path: Path) -> str:
    return f'#line {number} "{path.as_posix()}"\n'
