"""Sizes and offsets in OpenCL C, spelled plainly: `i * stride + 8`.

C leaves overflow of signed integers undefined, so integers that a program computes with are added as unsigned ones and
converted back. Offsets and bounds of loops need none of that: a call whose sizes they might overflow for is not run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from jitmdh.base.dtype import int64
from jitmdh.mdh.kernel.ir import (
    Apply,
    For,
    Let,
    Literal,
    Load,
    Misalignment,
    Name,
    Statement,
    Store,
    StoreRun,
    Thread,
    Threads,
    Value,
    View,
)
from jitmdh.mdh.kernel.rewrite import Body, children, statements

_SPELLED = {
    "add": ("+", 1),
    "sub": ("-", 1),
    "mul": ("*", 2),
    "exact_div": ("/", 2),
}
_UNSIGNED = {"udiv": ("/", 2), "urem": ("%", 2)}  # C's own operators take signed numbers: -3 % 8 is -3
_CALLED = {"minimum": "min", "maximum": "max"}
_OF_INDICES = {*_SPELLED, *_UNSIGNED, *_CALLED}


def index_names(body: Body) -> frozenset[str]:
    """The names of numbers that are used in offsets and bounds only."""
    lets = [s for s in statements(body) if isinstance(s, Let) and s.name.type == int64 and s.name.lanes == 1]
    others: set[str] = set()
    while True:
        before = len(others)
        for statement in reversed(list(statements(body))):
            for value, is_index in _used(statement, others):
                _visit(value, is_index, others)
        if len(others) == before:
            return frozenset(let.name.name for let in lets) - others


def _used(node: Statement, others: set[str]) -> list[tuple[Value, bool]]:
    """The values of a statement, and whether each is an offset or a bound."""
    match node:
        case Let() if node.name.type == int64 and node.name.lanes == 1:
            return [(node.value, node.name.name not in others)]
        case For():
            return [(value, True) for value in children(node)]
        case Store() | StoreRun() | View():
            return [(v, v is node.offset or v is getattr(node, "stride", None)) for v in children(node)]
    return [(value, False) for value in children(node)]


def _visit(node: Value, is_index: bool, others: set[str]) -> None:
    """Adds the names that are used in `node` otherwise than in offsets and bounds."""
    match node:
        case Name():
            if not is_index:
                others.add(node.name)
        case Load() | Misalignment():
            for child in children(node):
                inside = child is node.offset or child is getattr(node, "stride", None)
                _visit(child, inside and child.lanes == 1, others)
        case Apply() if node.op == "first_lanes":
            _visit(node.operands[0], True, others)
        case _:
            plain = isinstance(node, Apply) and is_index and node.lanes == 1 and node.op in _OF_INDICES
            for child in children(node):
                _visit(child, plain, others)


def index_text(node: Value, otherwise: Callable[[Value], str], level: int = 0) -> str:
    """The text of an offset or a bound. otherwise: that of what is no arithmetic on indices; level: what binds it."""
    if not isinstance(node, Apply) or node.type != int64 or node.lanes > 1:
        return otherwise(node)
    if node.op in _CALLED:
        return f"{_CALLED[node.op]}({', '.join(index_text(o, otherwise) for o in node.operands)})"
    spelled = _SPELLED.get(node.op) or _UNSIGNED.get(node.op)
    if spelled is None:
        return otherwise(node)
    (sign, own), (left, right) = spelled, node.operands
    if node.op in _UNSIGNED and not all(map(_never_negative, node.operands)):
        return f"(long)((ulong){index_text(left, otherwise, 3)} {sign} {_operand(right, left, otherwise, 3)})"
    if node.op == "add" and isinstance(right, Literal) and -(2**31) < right.value < 0:  # type: ignore[operator]
        sign, right = "-", Literal(-right.value, int64)
    text = f"{_operand(left, right, otherwise, own)} {sign} {_operand(right, left, otherwise, own + 1)}"
    return f"({text})" if own < level else text


def _never_negative(node: Value) -> bool:
    """Names may stand for anything."""
    match node:
        case Literal():
            return node.value >= 0  # type: ignore[operator]
        case Misalignment() | Thread() | Threads():
            return True
        case Apply("udiv" | "urem"):
            return isinstance(node.operands[1], Literal) and node.operands[1].value > 1  # type: ignore[operator]
        case Apply("capped_mul"):
            return True
    return False


def _operand(node: Value, other: Value, otherwise: Callable[[Value], str], level: int) -> str:
    """Small constants beside a `long` need no suffix."""
    if isinstance(node, Literal) and not isinstance(other, Literal) and 0 <= node.value < 2**31:  # type: ignore[operator]
        return str(int(node.value))  # type: ignore[arg-type]
    return index_text(node, otherwise, level)


__all__: Sequence[str] = ["index_names", "index_text"]
