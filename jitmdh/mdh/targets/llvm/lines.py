"""Lines of text in the making: some are put before others later."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

Line = str | list["Line"]


def flat(lines: Sequence[Line]) -> Iterator[str]:
    for line in lines:
        if isinstance(line, str):
            yield line
        else:
            yield from flat(line)
