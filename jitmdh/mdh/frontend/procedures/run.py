"""Loops: as computations on all their iterations where that is possible, else as procedures at one point.

for i in range(n):                       i: ++                 each lane goes on until its own loop has ended
    while …:                    ->         procedure(i)
        …

A loop over others stays outside of the procedure as long as its iterations are independent, or reductions of what the
procedure computes. One whose iterations need each other because of what a procedure writes goes inside.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from jitmdh.base.dtype import int8, int64
from jitmdh.base.errors import ArgumentNeededError, MeaningError, NotAnMdhError, TooLargeError
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import Procedure, Require, Scalar, Variable, instructions
from jitmdh.mdh.frontend.procedures.convert import procedure
from jitmdh.mdh.frontend.procedures.loops import VALUE, Loop, is_left, otherwise, returns
from jitmdh.mdh.frontend.procedures.loops import run as run_inside
from jitmdh.mdh.frontend.procedures.recorder import Pattern, Recorder, WrittenLater, is_own
from jitmdh.mdh.frontend.procedures.values_behind import Unknown, behind, numbers, unknown
from jitmdh.mdh.frontend.python.inlining import flattened
from jitmdh.mdh.frontend.python.iteration.for_loops import run_for, run_leaving
from jitmdh.mdh.frontend.python.iteration.iteration import name_of
from jitmdh.mdh.frontend.python.iteration.loop_directives import OrderedByWrites
from jitmdh.mdh.frontend.python.tracer import LastValueError, Poison, SymbolicValue, Tracer
from jitmdh.mdh.frontend.python.values import as_scalar
from jitmdh.mdh.frontend.trace_ir.store_forwarding import append, inner_kept, new_local, settle
from jitmdh.mdh.frontend.trace_ir.trace import IndirectIndex, Mark, Statement, Target
from jitmdh.mdh.frontend.trace_ir.value_graph import Touched

_FINAL = (TooLargeError, MeaningError, ArgumentNeededError, LastValueError)
"""Refusals that hold, or that say what to trace again, however a loop is taken."""


def run_loop(t: Tracer, node: Loop) -> None:
    """Execute a `for` or a `while`."""
    _forget_sides(t, node)
    if isinstance(t.recorder, Recorder):
        run_inside(t, t.recorder, node)
        return
    if isinstance(node, ast.While) or is_left(node.body) or returns(node.body):
        if not _in_steps(t, node):
            _outermost(t, node)
        return
    mark, env, calls, loops = t.trace.mark(), dict(t.env), len(t.calls), list(t.in_loop_over)
    try:
        run_for(t, node)
    except OrderedByWrites:
        _back(t, mark, env, calls)
        try:
            return _outermost(t, node)  # with what its `else` does
        except _FINAL:
            raise
        except NotAnMdhError:
            _back(t, mark, env, calls)
            t.in_order.add(id(node))
            run_for(t, node)
    except _FINAL:
        raise
    except NotAnMdhError as refusal:
        if name_of(node.target) in t.directed:  # what is declared of a loop is said of one that is no procedure
            raise
        _back(t, mark, env, calls)
        t.in_loop_over[:] = loops
        try:
            return _outermost(t, node)
        except _FINAL:
            raise
        except NotAnMdhError:
            raise refusal from None
    if node.orelse:
        t.run(node.orelse)


def _forget_sides(t: Tracer, node: Loop) -> None:
    """What an earlier `if` has given a name holds in the first iteration only where the loop sets it again."""
    for part in t.inside(node):
        value = t.env.get(part.id) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store) else None
        if isinstance(part, ast.Name) and isinstance(value, Poison) and value.sided is not None:
            t.env[part.id] = replace(value, sided=None)


def _in_steps(t: Tracer, node: Loop) -> bool:
    """Execute a loop that data end as one of steps on whole arrays, if it is one and nothing parallel is around it."""
    trace, depth = t.trace, len(t.frame.loops)
    if t.left is None or trace.condition is not None or trace.guards or len(trace.block.dims) > trace.leaving:
        return False
    mark, env, calls, loops = trace.mark(), dict(t.env), len(t.calls), list(t.in_loop_over)
    try:
        left = run_leaving(t, node)
    except (TooLargeError, MeaningError, LastValueError):
        raise
    except (NotAnMdhError, OrderedByWrites):
        _back(t, mark, env, calls)
        t.in_loop_over[:] = loops
        del t.frame.loops[depth:]
        return False
    t.left.append(node)
    if node.orelse:
        otherwise(t, node, as_scalar(t, node, left))
    return True


def _back(t: Tracer, mark: Mark, env: dict[str, SymbolicValue], calls: int) -> None:
    t.trace.rollback(mark)
    t.env.clear()
    t.env.update(env)
    del t.calls[calls:]


def _outermost(t: Tracer, node: Loop) -> None:
    """A procedure that consists of one loop."""
    trace, depth = t.trace, len(t.frame.loops)
    mark, env, calls, loops = trace.mark(), dict(t.env), len(t.calls), list(t.in_loop_over)
    written: frozenset[str] = frozenset()
    while True:
        recorder = t.recorder = Recorder(t, written, trace.guards)
        items = list(trace.block.items)
        try:
            run_inside(t, recorder, node)
            break
        except WrittenLater as later:
            _back(t, mark, env, calls)
            written |= {later.buffer}
        finally:
            t.recorder = None
            t.in_loop_over[:] = loops
            del t.frame.loops[depth:]
    own = any(is_own(n) for c in trace.checks for value in (c.value, *c.when) for n in value.names)
    if trace.block.items != items or own:
        reason = "what such a loop computes is known on its way only"
        message = "this needs something that is computed before the loop"
        t.error(node, message, reason, "write loops over the elements")
    _finish(t, node, recorder, env)


def require(t: Tracer, node: ast.stmt, message: str, kind: str) -> None:
    """An error wherever the code at hand is executed. kind: of `algebra.expr.Fault`."""
    recorder = t.recorder = Recorder(t, frozenset(), t.trace.guards)
    try:
        recorder.require(node, t.arithmetic.literal(False), message, kind)
    finally:
        t.recorder = None
    _finish(t, node, recorder, dict(t.env))


def _finish(t: Tracer, node: ast.stmt, recorder: Recorder, env: dict[str, SymbolicValue]) -> None:
    """The procedure as one statement: what it computes goes to temporaries, and what it writes to its arrays."""
    trace, graph = t.trace, t.trace.graph
    changed = _changed(t, node, env)
    results = list(dict.fromkeys(number for numbers in changed.values() for number in numbers))
    body = tuple(recorder.body)
    errors = recorder.fetched or any(isinstance(i, Require) for i in instructions(body))  # subscripts may be one
    if not results and not recorder.put and not errors:
        return
    made = list(results)
    types = {buffer: trace.buffers[buffer].type for buffer, _ in recorder.put}
    tokens = {buffer: graph.constant(0, type) for buffer, type in types.items()}
    made += tokens.values()
    if not results:
        made.append(graph.constant(0, int8))
    called, arguments = procedure(graph, recorder.body, made, recorder.numbers)
    arguments = tuple(inner_kept(trace, a) for a in settle(trace, list(arguments)))
    touched = tuple(_touched(t, node, buffer, pattern) for buffer, pattern in recorder.fetched)

    def call(number: int) -> Scalar:
        operands = (called, graph.constant(number, int64), *arguments, *touched)
        return graph.operation("call", operands, made[number].type)

    targets, values = [], {}
    for number, result in enumerate(made[: len(results)] if results else made[-1:]):
        number = number if results else len(made) - 1
        buffer, index = new_local(trace, _name(result), result, trace.block)
        trace.from_procedures.add(buffer)
        targets.append(Target(buffer, index, call(number), loc=t.loc(node)))
        values[id(result)] = (buffer, index)
    for buffer, pattern in recorder.put:
        token = call(len(results) + list(tokens).index(buffer))
        index = _unknown(t, node, pattern)
        targets.append(Target(buffer, index, token, True, t.loc(node), effect=True))
    append(trace, trace.block, Statement(trace.tick(), targets, trace.guards, (), t.loc(node)))
    for target in targets:
        trace.stored[target.buffer] = trace.tick()
    for name in changed:
        try:
            t.env[name] = behind(t, values, t.env[name])
        except Unknown:  # it may be an array that the procedure has written
            t.env[name] = unknown(node, name)


def _changed(t: Tracer, node: ast.stmt, env: dict[str, SymbolicValue]) -> dict[str, tuple[Scalar, ...]]:
    """Names that the procedure gives other values, which are read behind it, and its numbers in these."""
    changed: dict[str, tuple[Scalar, ...]] = {}
    for name, value in t.env.items():
        if env.get(name) is value:
            continue
        if not _is_needed(t, node, name):
            if flattened(value):
                text = f"`{name}` is read behind the loop in line {node.lineno} in a way that was not seen"
                t.env[name] = Poison(text)
            continue
        try:
            changed[name] = tuple(numbers(t, value))
        except Unknown:
            t.env[name] = unknown(node, name)
    return changed


def _is_needed(t: Tracer, node: ast.stmt, name: str) -> bool:
    """Whether a name is read anywhere else than in the loop, or in it when it is executed again."""
    if name.startswith("%") or any(name in names for names in t.frame.carried):
        return True
    inside = {id(n) for n in t.inside(node)}
    loads = (n for n in t.inside(t.frame.source.definition) if isinstance(n, ast.Name) and n.id == name)
    return any(isinstance(n.ctx, ast.Load) and id(n) not in inside for n in loads)


def _name(value: Scalar) -> str:
    return "result" if not isinstance(value, Variable) else value.name.partition("'")[0]


def _touched(t: Tracer, node: ast.stmt, buffer: str, pattern: Pattern) -> Scalar:
    """Stands for the elements that a procedure reads on its way, for those who ask what depends on what."""
    trace = t.trace
    index = _unknown(t, node, pattern)
    leaf = Touched(buffer, index, (), trace.block.number, trace.tick(), True, t.loc(node))
    return trace.graph.new_leaf(leaf, trace.buffers[buffer].type)


def _unknown(t: Tracer, node: ast.stmt, pattern: Pattern) -> tuple[Affine, ...]:
    """Subscripts, with a name for each that the procedure decides."""
    trace = t.trace
    index = []
    for known in pattern:
        if known is None:
            name = f"@{len(trace.indirect)}"
            around = trace.block.dims
            value = trace.graph.constant(0, int64)
            depends = frozenset(d.name for d in around)
            trace.indirect[name] = IndirectIndex(name, value, None, depends, around, t.loc(node), True)
            known = Affine.of(name)
        index.append(known)
    return tuple(index)


__all__ = ["VALUE", "Procedure", "run_loop"]
