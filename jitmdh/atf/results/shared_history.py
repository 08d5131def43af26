"""A history file that several processes keep at the same time: each hears what the others have begun and measured.

Nothing is locked: a line is appended by one write, and the order of lines in the file decides. As soon as there are
lines of others, a process writes down what it begins to measure, `{"begun": {...}, "by": [machine, process, number]}`,
and reads what came before: if somebody else has begun the same, it is theirs. What a process has begun and not told
when it ends is anybody's again.
"""

from __future__ import annotations

import json
import os
import platform
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

from jitmdh.atf.results.history import UNREADABLE, HistoryWriter, Reader, encoded, read
from jitmdh.atf.results.outcome import Cost, Invalid
from jitmdh.atf.space.space import SearchSpace

Told = Callable[[int, Cost | Invalid], None]
"""Is called with what others have measured: the position and the outcome."""
Owner = tuple[str, int, int]
"""A tuner: machine, process and a number there."""

_numbers = count()


class SharedHistory:
    """The file of one tuner, which others may keep as well.

    known: how many bytes of it have been read already.
    """

    def __init__(self, space: SearchSpace, path: str | Path, *, anew: bool, known: int = 0) -> None:
        self._space, self._path = space, Path(path)
        self._writer, self._reader = HistoryWriter(space, path, anew=anew), Reader(space)
        self._read = 0 if anew else known
        self._written: Counter[str] = Counter()
        self._number, self._alone = next(_numbers), True
        self._begun: dict[int, Owner] = {}

    @property
    def _own(self) -> Owner:
        """After a fork another one."""
        return platform.node(), os.getpid(), self._number

    def write(self, position: int, outcome: Cost | Invalid, seconds: float) -> None:
        """Adds what was measured here."""
        self._written[self._writer.write(position, outcome, seconds)] += 1
        self._begun.pop(position, None)

    def begin(self, position: int, told: Told) -> bool:
        """Whether this may be measured here: nobody else has begun it before."""
        if self._alone:
            return True
        configuration = self._space.configuration(position)
        self._writer.append({"begun": {n: encoded(v) for n, v in configuration.items()}, "by": self._own})
        self.hear(told)
        return self._begun.get(position) == self._own

    def hear(self, told: Told) -> set[int]:
        """Takes in what was appended since the last time; returns what others measure now."""
        for line in self._new_lines():
            if self._written[line] > 0:
                self._written[line] -= 1
                continue
            with suppress(*UNREADABLE):  # damaged: whoever reads all of it will say so
                self._take(line, told)
        own = self._own
        others = {o for o in self._begun.values() if o != own}
        gone = {o for o in others if not _runs(o[1])}
        self._begun = {p: o for p, o in self._begun.items() if o not in gone}
        return {p for p, o in self._begun.items() if o != own}

    def forget_begun(self) -> None:
        """Nothing is left but what others have begun: whoever wants to may measure it now."""
        self._begun.clear()

    def _new_lines(self) -> list[str]:
        """Complete ones."""
        try:
            size = self._path.stat().st_size
            if size <= self._read:
                self._read = size  # less: somebody has begun the file anew
                return []
            with self._path.open("rb") as file:
                file.seek(self._read)
                found = file.read()
        except OSError:  # taken away; what is measured next is written to another one
            return []
        end = found.rfind(b"\n") + 1
        self._read += end
        return found[:end].decode(errors="replace").split("\n")[:-1]

    def _take(self, text: str, told: Told) -> None:
        line = json.loads(text)
        if "begun" in line:
            self._take_begun(line)
        elif (record := self._reader.record(text)) is not None:
            self._alone = False
            if (position := self._space.find(record[0])) is not None:
                self._begun.pop(position, None)
                told(position, record[1])

    def _take_begun(self, line: Mapping[str, Any]) -> None:
        machine, process, number = line["by"]
        position = self._space.find(self._reader.configuration(line["begun"]))
        owner = (machine, int(process), int(number))
        self._alone &= owner == self._own
        if position is not None and machine == platform.node():  # elsewhere nobody can tell whether they still run
            self._begun.setdefault(position, owner)


def _runs(process: int) -> bool:
    """Whether there is such a process; assumed where that cannot be asked."""
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def opened(
    space: SearchSpace, path: str | Path, resume: bool
) -> tuple[SharedHistory, list[tuple[int, Cost | Invalid, float]]]:
    """The file, and the evaluations that it has already if tuning is to go on there."""
    file = Path(path)
    if not (resume and file.exists()):
        return SharedHistory(space, file, anew=not resume), []
    content = file.read_bytes()
    end = content.rfind(b"\n") + 1
    if end < len(content):  # a process was killed while it wrote: new lines must be lines of their own
        os.truncate(file, end)
    known = read(file, space, end)
    return SharedHistory(space, file, anew=False, known=end), known
