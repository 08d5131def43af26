"""What a function has computed is not computed again, and integers that stay the same in a loop come before it.

Values have numbers by what they are computed from (value numbering, of blocks and those around them). LLVM's own pass
for invariants of loops is not run: it would have to analyse what is known here. Code generation then leaves in a loop
what depends on names of outer loops alone, where these are many, and computes it in each round.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from jitmdh.mdh.kernel.ir import Apply, Literal

Line = str | list["Line"]
Key = tuple[object, ...]

_ALWAYS = frozenset({"add", "sub", "mul", "minimum", "maximum"})
_BY_CONSTANTS = frozenset({"udiv", "urem"})


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """before: lines in front of it; block: what the block around it has computed."""

    before: list[Line]
    block: list[Key]


class Numbers:
    """The operands of values that are known, by what these are computed from.

    known: in the present block and those around it; block: which of them this block has computed.
    """

    def __init__(self) -> None:
        self.known: dict[Key, str] = {}
        self.block: list[Key] = []

    def add(self, key: Key, operand: str, block: list[Key] | None = None) -> str:
        """block: that whose end ends it; None: the present one."""
        self.known[key] = operand
        (self.block if block is None else block).append(key)
        return operand

    @contextmanager
    def inside(self) -> Iterator[None]:
        """In a block in the present one."""
        around, self.block = self.block, []
        yield
        for key in self.block:
            del self.known[key]
        self.block = around


class Loops:
    """The loops around the instruction that is written next, and in how many of them each value is made."""

    def __init__(self) -> None:
        self._around: list[Loop] = []
        self._depth: dict[str, int] = {}

    def enter(self, lines: list[Line], block: list[Key]) -> None:
        before: list[Line] = []
        lines.append(before)
        self._around.append(Loop(before, block))

    def leave(self) -> None:
        self._around.pop()

    def made(self, value: str) -> None:
        if self._around:
            self._depth[value] = len(self._around)

    def around(self, operands: Sequence[str]) -> Loop | None:
        """The outermost loop in which none of `operands` is made; None: there is none around."""
        around, depths, depth = self._around, self._depth, 0
        if not around:
            return None
        for operand in operands:
            if (made := depths.get(operand, 0)) > depth:
                depth = made
        return around[depth] if depth < len(around) else None

    @contextmanager
    def outside(self, loop: Loop) -> Iterator[None]:
        """What is made here is made before `loop`."""
        around = self._around
        self._around = around[: around.index(loop)]
        yield
        self._around = around


def is_number(node: Apply) -> bool:
    """Whether `node` is an integer (of an address or a bound) that can be computed wherever its operands are known."""
    if node.lanes > 1 or node.type.name != "int64":
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
