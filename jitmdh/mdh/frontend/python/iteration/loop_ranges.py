"""What a loop over a `range` counts: its bounds as affine expressions, and the dimension that it is.

Loops over parts of a range, as tiled code has them, count whole parts:

for i in range(ii, min(ii + 4, n)):      ->      for i in range(ii, ii + 4):
    body                                             if i < n:
                                                         body
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import partial

from jitmdh.base.dtype import int64, uint64
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import Scalar
from jitmdh.mdh.algebra.sizes import SizeConstant, SizeOperation, size_expr
from jitmdh.mdh.frontend.python.iteration.iteration import name_of
from jitmdh.mdh.frontend.python.iteration.loop_directives import is_ordered
from jitmdh.mdh.frontend.python.subscripts import data_number, named_number
from jitmdh.mdh.frontend.python.tracer import Tracer
from jitmdh.mdh.frontend.python.values import as_scalar
from jitmdh.mdh.frontend.trace_ir.arithmetic import affine
from jitmdh.mdh.frontend.trace_ir.trace import Trace, has_indirect
from jitmdh.mdh.frontend.trace_ir.value_graph import LoopDim


def range_of(t: Tracer, node: ast.expr) -> tuple[Affine, Affine, int]:
    if not isinstance(node, ast.Call) or not 1 <= len(node.args) <= 3 or node.keywords:
        t.error(node, "range takes one, two or three integers")
    parts: list[Affine] = []
    for argument, value in zip(node.args, counted(t, node, [as_scalar(t, a, t.evaluate(a)) for a in node.args])):
        index = affine(value)
        if index is None:
            if value.type.kind not in "iu":
                t.error(argument, f"a bound of range is {value.type.concrete}, not an integer")
            what = f"bound `{ast.unparse(argument)}` of the loop"
            if not t.trace.graph.leaves(value):
                hint = "bounds may be sums of them and of constants, each times a constant"
                t.error(argument, f"{what} is not affine in loop indices and sizes", hint=hint)
            if t.trace.guards or t.trace.condition is not None:
                t.error(argument, f"{what} depends on data, under a condition", hint="take the condition into the loop")
            index = named_number(t, argument, data_number(t, argument, value, what), None)
        parts.append(index)
    if len(parts) == 1:
        return Affine(), parts[0], 1
    if len(parts) == 2:
        return parts[0], parts[1], 1
    if not parts[2].is_constant:
        text = f"step `{ast.unparse(node.args[2])}` of the loop is not a constant"
        t.error(node.args[2], text, "an index with an unknown step is not affine", "loop over the number of steps")
    if parts[2].constant == 0:
        t.error(node.args[2], "the step of the loop is 0")
    return parts[0], parts[1], parts[2].constant


def counted(t: Tracer, node: ast.Call, bounds: Sequence[Scalar]) -> list[Scalar]:
    """The bounds of a range in 64 bits with a sign, the greatest ones for larger ones.

    Nothing else is done by loops that count on to such a bound, which have no end; those that begin there, and are to
    count at all, are errors.
    """
    exact = t.arithmetic
    words = [exact.word(b) if b.type == uint64 else b for b in bounds]
    if len(bounds) < 2 or bounds[0].type != uint64:
        return words
    below, above = (exact.apply(op, *bounds[:2]) for op in ("lt", "gt"))
    down = exact.apply("lt", bounds[2], exact.literal(0)) if len(bounds) > 2 else exact.literal(False)
    beyond = exact.apply("gt", bounds[0], exact.literal(int64.limits()[1]))
    wrong = exact.both(beyond, exact.either(exact.both(down, above), exact.both(exact.negated(down), below)))
    words[0] = t.faulted(node.args[0], words[0], wrong, "range", "a range begins beyond 64 bits")
    return words


def dim_of(t: Tracer, node: ast.For, name: str, start: Affine, stop: Affine, step: int) -> LoopDim:
    trace = t.trace
    room = (stop - start) if step > 0 else (start - stop)
    stride = abs(step)
    outer = {d.name for d in trace.block.dims}
    if has_indirect(room):
        if stride != 1:
            t.error(node.iter, "a loop with bounds from data has a step", hint="take every element, and skip by an if")
        if outer.intersection(room.names):
            # The greatest length is asked for over the outer loops, which an index that also goes by their own numbers
            # does not survive: one number from data does, as a whole.
            room = named_number(t, node.iter, _exact_length(t, *((start, stop) if step > 0 else (stop, start))), None)
        own = trace.fresh(name_of(node.target))
        trace.serial += 1
        return LoopDim(own, room, 1, room, trace.serial, (), t.loc(node.iter), trace.block.dims, is_ordered(t, node))
    depends = bool(outer.intersection(room.names))
    length: Affine | None = room
    if stride != 1 and depends:
        length = None
    elif stride != 1:
        length = strided_length(trace, name, room, stride)
    own = trace.fresh(name_of(node.target))
    trace.serial += 1
    guard = (room - 1 - Affine.of(own) * stride,) if depends else ()
    loc = t.loc(node.iter)
    return LoopDim(own, room, stride, length, trace.serial, guard, loc, trace.block.dims, is_ordered(t, node))


def _exact_length(t: Tracer, start: Affine, stop: Affine) -> Scalar:
    """The number of integers from `start` to before `stop`; the greatest number of 64 bits if it has more."""
    apply, select, word = t.arithmetic.apply, t.arithmetic.select, partial(t.trace.graph.constant, type=int64)
    first, last = (_computed(t, i) for i in (start, stop))
    room = apply("sub", last, first)
    room = select(apply("lt", room, word(0)), word(int64.limits()[1]), room)
    return select(apply("lt", first, last), room, word(0))


def _computed(t: Tracer, index: Affine) -> Scalar:
    """An affine expression as a number, from the numbers that its names from data stand for."""
    graph, apply = t.trace.graph, t.arithmetic.apply
    numbers = {n: t.trace.indirect[n].value for n in index.names if n in t.trace.indirect}
    value = graph.index(index.without(numbers), int64)
    for name, number in numbers.items():
        part = apply("mul", t.arithmetic.word(number), graph.constant(index.coefficient(name), int64))
        value = apply("add", value, part)
    return value


def strided_length(trace: Trace, name: str, room: Affine, stride: int) -> Affine:
    """The number of iterations that fit into `room` in steps of `stride`."""
    if room.is_constant:
        return Affine((), max(0, -(-room.constant // stride)))
    if all(c % stride == 0 for _, c in room.terms):
        return Affine(tuple((n, c // stride) for n, c in room.terms), -(-room.constant // stride))
    rounded = size_expr(room + (stride - 1))
    return trace.define(f"{name}_count", SizeOperation("floordiv", rounded, SizeConstant(stride)))


def same_order(t: Tracer, node: ast.For, made: ast.For) -> ast.For:
    """`made` of `node`, another way to write it: a loop in order stays one."""
    if id(node) in t.in_order:
        t.in_order.add(id(made))
    return made


def clamped(t: Tracer, node: ast.For, loops: Sequence[str]) -> ast.For:
    """`node` with `min` in its upper and `max` in its lower bound as conditions of the body.

    Only where such a bound depends on the variables `loops` of outer loops: others are sizes.
    """
    call = node.iter
    if not (isinstance(call, ast.Call) and len(call.args) == 2 and isinstance(node.target, ast.Name)):
        return node
    bounds, tests = [], []
    for bound, function, op in zip(call.args, (max, min), (ast.GtE, ast.Lt)):
        parts = _parts(t, bound, function, loops)
        bounds.append(parts[0])
        for other in parts[1:]:
            index = ast.copy_location(ast.Name(node.target.id, ast.Load()), other)
            tests.append(ast.copy_location(ast.Compare(index, [op()], [other]), other))
    if not tests:
        return node
    test = tests[0] if len(tests) == 1 else ast.copy_location(ast.BoolOp(ast.And(), list(tests)), tests[0])
    body: list[ast.stmt] = [ast.copy_location(ast.If(test, node.body, []), node.body[0])]
    part = ast.copy_location(ast.Call(call.func, bounds, []), call)
    return ast.copy_location(ast.For(node.target, part, body, node.orelse), node)


def _parts(t: Tracer, bound: ast.expr, function: object, loops: Sequence[str]) -> list[ast.expr]:
    """The arguments of `function` that `bound` is, those that depend on loops first."""
    match bound:
        case ast.Call(ast.Name(name), [_, _, *_] as arguments, []) if t.means(name, function):
            ordered = sorted(arguments, key=lambda a: not _mentions(a, loops))
            return ordered if _mentions(ordered[0], loops) else [bound]
    return [bound]


def _mentions(node: ast.AST, names: Sequence[str]) -> bool:
    """Whether variables occur in it, other than in subscripts: elements are numbers that may be larger than any array,
    and a loop up to such a number is not to go on behind a condition that has ended."""
    if isinstance(node, ast.Subscript):
        return False
    own = isinstance(node, ast.Name) and node.id in names
    return own or any(_mentions(part, names) for part in ast.iter_child_nodes(node))
