"""Numbers that stay the same in a loop are computed before it.

LLVM's own pass for this is not run: it would have to analyse what is known here. Code generation then leaves in a loop
what depends on names of outer loops alone, where these are many, and computes it in each round.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from jitmdh.base.dtype import int64
from jitmdh.mdh.kernel.ir import Apply, Literal

Line = str | list["Line"]

_ALWAYS = {"add", "sub", "mul", "minimum", "maximum"}
_BY_CONSTANTS = {"udiv", "urem"}


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """before: lines in front of it; known: the values that the block around it has."""

    before: list[Line]
    known: dict[tuple[object, ...], str]


class Loops:
    """The loops around the instruction that is written next, and in how many of them each value is made."""

    def __init__(self) -> None:
        self._around: list[Loop] = []
        self._depth: dict[str, int] = {}

    def enter(self, lines: list[Line], known: dict[tuple[object, ...], str]) -> None:
        before: list[Line] = []
        lines.append(before)
        self._around.append(Loop(before, known))

    def leave(self) -> None:
        self._around.pop()

    def made(self, value: str) -> None:
        if self._around:
            self._depth[value] = len(self._around)

    def around(self, operands: Sequence[str]) -> Loop | None:
        """The outermost loop in which none of `operands` is made; None: there is none around."""
        depth = max((self._depth.get(o, 0) for o in operands), default=0)
        return self._around[depth] if depth < len(self._around) else None

    @contextmanager
    def outside(self, loop: Loop) -> Iterator[None]:
        """What is made here is made before `loop`."""
        around = self._around
        self._around = around[: around.index(loop)]
        yield
        self._around = around


def is_number(node: Apply) -> bool:
    """Whether `node` is an integer (of an address or a bound) that can be computed wherever its operands are known."""
    if node.type != int64 or node.lanes > 1 or any(o.type != int64 for o in node.operands):
        return False
    if node.op in _BY_CONSTANTS:
        return isinstance(node.operands[1], Literal) and node.operands[1].value != 0
    return node.op in _ALWAYS


def flat(lines: Sequence[Line]) -> Iterator[str]:
    for line in lines:
        if isinstance(line, str):
            yield line
        else:
            yield from flat(line)
