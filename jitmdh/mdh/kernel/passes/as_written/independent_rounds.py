"""Independent rounds: a counted loop whose rounds might be computed beside each other, for all that its text shows.

Before:   for (t = 0; t < trips; t += 1) {    after:   for (t = 0; t < trips; t += 1) {  // independent
              y[i] = x[2 * i] + x[2 * i + 1];              y[i] = x[2 * i] + x[2 * i + 1];
              i = i + 1;                                   i = i + 1;
          }                                            }

Requires: range checks are made before the loop.
Ensures: nothing but a word on innermost loops that follow a source, without branches, whose variables grow by the same
amount in each round or are integers, and that load of the buffers they store in only what they store. Whether buffers
or parts of one overlap, and whether such an integer is a sum, is for the target to ask: LLVM's vectoriser does, and
unrolls. A loop inside that takes the bits that are set from an integer is none for it: it counts them at once.
"""

from __future__ import annotations

from dataclasses import replace

from jitmdh.base.dtype import bool_, float32, float64, int8, int16, int32, int64, uint8, uint16, uint32, uint64
from jitmdh.mdh.algebra.operations.table import OPERATIONS
from jitmdh.mdh.kernel.ir import (
    Apply,
    Assign,
    Declare,
    For,
    Kernel,
    Let,
    Literal,
    Load,
    Name,
    Statement,
    Store,
    Value,
    While,
)
from jitmdh.mdh.kernel.passes.as_written.growing_numbers import GrowingNumbers, Linear
from jitmdh.mdh.kernel.ranges.shrinking import most_rounds
from jitmdh.mdh.kernel.rewrite import Body, kinds, map_bodies, same, statements, values

_STATEMENTS = frozenset({Let, Declare, Assign, Store})
_VALUES = frozenset({Apply, Literal, Load, Name})
_TYPES = frozenset({bool_, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64})
_COSTLIEST = 12  # of the operations that processors have for vectors


def find_independent_rounds(kernel: Kernel) -> Kernel:
    if For not in kinds(kernel.body):
        return kernel
    body = _marked(kernel.body)
    return kernel if body is kernel.body else replace(kernel, body=body)


def _marked(body: Body) -> Body:
    new: list[Statement] = []
    for node in body:
        if isinstance(node, For) and node.as_written and _is_straight(node.body) and _is_independent(node):
            new.append(replace(node, independent=True))
        else:
            new.append(map_bodies(node, _marked))
    return body if same(new, body) else tuple(new)


def _is_straight(body: Body) -> bool:
    return all(_counts_bits(s) if isinstance(s, While) else type(s) in _STATEMENTS for s in body)


def _counts_bits(node: While) -> bool:
    """Whether a loop takes a bit that is set from an integer in each round: code generation counts them at once."""
    taken = [v for s in node.body for v in values(s) if isinstance(v, Apply) and v.op == "and"]
    lowest = any(isinstance(one, Apply) and one.op == "sub" for v in taken for one in v.operands)
    return lowest and kinds(node.body) <= {Let, Assign} and most_rounds(node) is not None


def _is_independent(node: For) -> bool:
    numbers = GrowingNumbers(node)
    counts = False
    own = numbers.counting | {s.name.name for s in node.body if isinstance(s, Declare)}
    stored: set[tuple[str, Linear]] = set()
    loaded: set[tuple[str, Linear | None]] = set()
    for statement in statements(node.body):
        if not all(_is_plain(v) for v in values(statement)):
            return False
        if isinstance(statement, Assign) and statement.name.name not in own:
            if not statement.name.type.is_integer:
                return False
            counts = True
        loaded |= {(v.buffer, numbers.linear(v.offset)) for v in values(statement) if isinstance(v, Load)}
        if isinstance(statement, Store):
            place = numbers.linear(statement.offset)
            if place is None or not place.step or statement.mask is not None:
                return False
            stored.add((statement.buffer, place))
        numbers.see(statement)
    buffers = {buffer for buffer, _ in stored}
    apart = not any(buffer in buffers and (buffer, place) not in stored for buffer, place in loaded)
    return apart and (counts or bool(stored))


def _is_plain(value: Value) -> bool:
    if type(value) not in _VALUES or value.lanes > 1 or value.type not in _TYPES:
        return False
    if not isinstance(value, Apply):
        return True
    row = OPERATIONS.get(value.op)
    return row is not None and row.cost <= _COSTLIEST
