"""Parts of buffers: some rows of an array as a buffer of its own, so that several devices hold one array together."""

from __future__ import annotations

from collections.abc import Iterable

from jitmdh.hca.interface.buffer import Buffer


class Part(Buffer):
    """Rows `begin` to `end` of another buffer, in the same memory; made by `Buffer.part`.

    Of buffers that share memory at most one is ahead of main memory: before one is used, the others are brought there.
    """

    def __init__(self, whole: Buffer, begin: int, end: int) -> None:
        super().__init__(whole._host[begin:end])
        self._whole, self._begin, self._end = whole, begin, end
        self._lock = whole._lock

    def part(self, begin: int, end: int) -> Buffer:
        """Of this part's rows: a part of the whole, too."""
        end_of_it = self._begin + end if end <= len(self) else -1
        return self._whole.part(self._begin + begin if begin >= 0 else -1, end_of_it)

    def _others(self) -> Iterable[Buffer]:
        """The whole, and parts that have some of the same rows."""
        yield self._whole
        for (begin, end), part in self._whole._parts.items():
            if part is not self and begin < self._end and self._begin < end:
                yield part
