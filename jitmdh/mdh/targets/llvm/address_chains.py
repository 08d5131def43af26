"""Where results of a tile go whose rows lie a stride apart: from each row to the next one.

LLVM's pass on the variables of loops (loop strength reduction) looks at every address in a loop, and at every way to
compute it from others: n rows at a·i + r·s take it longer than the rest of code generation, and it keeps each r·s in a
register, which it has not got. `freeze` changes nothing about a pointer, but the pass takes it as it is:

    row0 = freeze &y[at];  row1 = row0 + s;  row2 = row1 + s;  …
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from jitmdh.mdh.kernel.ir import Apply, Literal, Name, Value
from jitmdh.mdh.targets.llvm.operations import Writer


class Addresses(Writer, Protocol):
    """The function in the making, with its addresses."""

    def value(self, node: Value) -> str: ...
    def known(self, key: tuple[object, ...]) -> str | None: ...
    def numbered(self, key: tuple[object, ...], compute: Callable[[], str]) -> str: ...
    def address(self, buffer: str, offset: Value) -> str: ...
    def behind(self, buffer: str, pointer: str, step: str) -> str: ...


def place(f: Addresses, buffer: str, offset: Value) -> str:
    """A pointer to where something is stored."""
    steps: list[Value] = []
    root = offset
    while isinstance(root, Apply) and root.op == "add":
        root, step = root.operands
        steps.append(step)
    if not isinstance(root, Name) or all(isinstance(s, Literal) for s in steps):
        return f.address(buffer, offset)
    first = f.address(buffer, root)
    pointer = f.numbered(("settled", first), lambda: f.emit(f"freeze ptr {first}"))
    for step in reversed(steps):
        pointer = _stepped(f, buffer, pointer, step)
    return pointer


def _stepped(f: Addresses, buffer: str, pointer: str, step: Value) -> str:
    """`pointer + step`; from `pointer + (n - 1)·s` where `step` is n·s and that is known."""
    one, times = step, 1
    if isinstance(step, Apply) and step.op == "mul" and isinstance(step.operands[1], Literal):
        one, times = step.operands[0], int(step.operands[1].value)  # type: ignore[arg-type]
    by = f.value(one)
    before = f.known(("steps", pointer, by, times - 1))

    def further() -> str:
        return f.behind(buffer, before, by) if before is not None else f.behind(buffer, pointer, f.value(step))

    return f.numbered(("steps", pointer, by, times), further)
