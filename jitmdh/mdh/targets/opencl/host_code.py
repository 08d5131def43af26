"""Integer values of kernel IR as Python text, for what the host computes before and between launches."""

from __future__ import annotations

from collections.abc import Mapping

from jitmdh.base.dtype import bool_
from jitmdh.mdh.kernel.ir import Apply, Argument, Literal, Name, Threads, Value

_INFIX = {
    "add": "+", "sub": "-", "mul": "*", "udiv": "//", "urem": "%", "exact_div": "//", "floordiv": "//", "mod": "%",
    "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=", "and": "&", "or": "|", "xor": "^",
}  # fmt: skip
_LARGEST = 2**62


class NotOnHost(Exception):
    """A value that depends on data, or is no integer."""


def host_value(node: Value, known: Mapping[str, Name]) -> str:
    """Python text of a value that depends on the frame and `known` names only. NotOnHost for others."""
    match node:
        case Literal() if isinstance(node.value, int):
            return repr(node.value) if node.value >= 0 else f"({node.value!r})"
        case Name() if node.name in known:
            return f"{node.name}_"
        case Argument() if node.type.is_integer:
            return f"frame[{node.slot}]"
        case Threads():
            return "threads"
        case Apply() if node.lanes == 1 and (node.type.is_integer or node.type == bool_):
            return _apply(node, [host_value(o, known) for o in node.operands])
        case _:
            raise NotOnHost


def _apply(node: Apply, o: list[str]) -> str:
    if node.op in _INFIX:
        return f"({o[0]} {_INFIX[node.op]} {o[1]})"
    match node.op:
        case "minimum" | "maximum":
            return f"{node.op[:3]}({o[0]}, {o[1]})"
        case "capped_mul":
            return f"min({o[0]} * {o[1]}, {_LARGEST})"
        case "neg":
            return f"(-{o[0]})"
        case "not":
            return f"(not {o[0]})"
        case "select":
            return f"({o[1]} if {o[0]} else {o[2]})"
        case "cast" if node.operands[0].type.is_integer and node.type.bits >= min(64, node.operands[0].type.bits):
            return o[0]
    raise NotOnHost
