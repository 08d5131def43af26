"""Comprehensions and generator expressions: loops, in a scope of their own.

sum(x[i] * y[i] for i in range(n))     ->     total = 0
                                              for i in range(n): total = total + x[i] * y[i]

np.array([f(v) for v in x])            ->     made = np.empty(len(x), …)
                                              for n, v in enumerate(x): made[n] = f(v)

[x[k] for k in (0, 2)]                 ->     [x[0], x[2]]
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from jitmdh.base.dtype import ScalarType
from jitmdh.mdh.algebra.index import Affine, is_size
from jitmdh.mdh.algebra.scalar import Constant
from jitmdh.mdh.frontend.arrays import compositions
from jitmdh.mdh.frontend.arrays.numpy_functions import python_builtins
from jitmdh.mdh.frontend.python.allocations import MOST_ELEMENTS, new_array
from jitmdh.mdh.frontend.python.array_expressions import attempted, is_array, lazy, require
from jitmdh.mdh.frontend.python.inlining import call_local
from jitmdh.mdh.frontend.python.iteration.iteration import ENUMERATE, each_item, length_of
from jitmdh.mdh.frontend.python.iteration.loop_ranges import range_of
from jitmdh.mdh.frontend.python.tracer import (
    Activation,
    ListOf,
    LocalFunction,
    Static,
    SymbolicValue,
    Tracer,
    given,
    note,
)
from jitmdh.mdh.frontend.python.values import as_scalar

Comprehension = ast.ListComp | ast.GeneratorExp

_MADE, _TOTAL, _NUMBER = "%made", "%total", "%number"


def is_comprehension(node: ast.expr) -> bool:
    return isinstance(node, ast.ListComp | ast.GeneratorExp)


def listed(t: Tracer, node: Comprehension) -> SymbolicValue:
    """`[f(v) for v in (a, b)]`: a list, whose elements have to be known one by one."""
    found = _unrolled(t, node)
    if found is None:
        what = "a list comprehension" if isinstance(node, ast.ListComp) else "a generator expression"
        reason = "how many elements it has is known when the code runs"
        t.error(node, f"{what} is not supported here", reason, "make an array of it, np.array([…]), or sum it up")
    return found


def folded(t: Tracer, node: ast.Call, name: str) -> SymbolicValue | None:
    """`sum`, `any`, `all`, `max` and `min` of a comprehension; None for other functions of Python."""
    of = node.args[0]
    assert isinstance(of, ast.ListComp | ast.GeneratorExp)
    if name == "sum" and not node.keywords and len(node.args) <= 2:
        start = t.evaluate(node.args[1]) if len(node.args) == 2 else t.arithmetic.literal(0)
        added = ast.BinOp(ast.Name(_TOTAL, ast.Load()), ast.Add(), of.elt)
        step = ast.Assign([ast.Name(_TOTAL, ast.Store())], added)
        return _run(t, of, [step], ast.Name(_TOTAL, ast.Load()), {_TOTAL: start})
    if len(node.args) != 1 or node.keywords:
        return None
    if name in ("any", "all"):
        wanted = name == "any"
        test = of.elt if wanted else ast.UnaryOp(ast.Not(), of.elt)
        return _run(t, of, [ast.If(test, [ast.Return(ast.Constant(wanted))], [])], ast.Constant(not wanted), {})
    if name in ("max", "min"):
        values = _unrolled(t, of)
        if values is not None:
            return t.evaluate(_called(node, [given(of, values)]))
        type, whole = _array(t, of)
        require(t, node, lazy(t, node, whole).shape[0] - 1, f"{name}() of no elements")
        found = compositions.call(t, node, python_builtins.BUILTINS[name], [whole], {})
        if is_array(t, found):
            t.error(node, f"`{name}` of arrays is not supported", hint="use np.maximum or np.minimum")
        return t.trace.graph.converted(t.arithmetic.cast(as_scalar(t, node, found), type))
    return None


def with_array(t: Tracer, node: ast.Call) -> ast.Call:
    """`np.mean([f(v) for v in x])` with the array of the list, where its elements are not known one by one."""
    of = node.args[0]
    if not isinstance(of, ast.ListComp):
        return node
    values = _unrolled(t, of)
    return _called(node, [given(of, _array(t, of)[1] if values is None else values), *node.args[1:]])


def _called(node: ast.Call, arguments: Sequence[ast.expr]) -> ast.Call:
    return ast.copy_location(ast.Call(node.func, list(arguments), node.keywords), node)


def _array(t: Tracer, of: Comprehension) -> tuple[ScalarType, SymbolicValue]:
    """The array of a comprehension, and the type of its elements."""
    (loop, *more) = of.generators
    if more or loop.ifs:
        reason = "how many elements it has depends on data"
        t.error(of, "an array of this comprehension is not supported", reason, "write loops that fill an array")
    found: list[SymbolicValue] = []
    noted = ast.Expr(note(of.elt, found))
    attempted(t, lambda: _run(t, of, [noted], ast.Constant(None), {}) is None)
    length = _length(t, of, loop)
    if not found:
        t.error(of, "the type of these elements is not known", hint="write a loop that fills an array")
    sample = lazy(t, of, found[-1])
    around = {d.name for d in t.trace.block.dims} | t.trace.definitions.keys() | {p.name for p in t.trace.parameters}
    if any(not is_size(name) and name not in around for e in sample.shape for name in e.names):
        t.error(of.elt, "elements of several lengths are no array")
    made = new_array(t, of, (length, *sample.shape), sample.type.concrete, None)
    target = ast.Subscript(ast.Name(_MADE, ast.Load()), ast.Name(_NUMBER, ast.Load()), ast.Store())
    store: list[ast.stmt] = [ast.Assign([target], of.elt)]
    return sample.type, _run(t, of, store, ast.Name(_MADE, ast.Load()), {_MADE: made}, numbered=True)


def _length(t: Tracer, of: Comprehension, loop: ast.comprehension) -> Affine:
    lengths: list[Affine] = []

    def ask() -> None:
        lengths.append(length_of(t, _for(of, loop, []), range_of))

    _in_scope(t, of, [], {}, ask)
    return lengths[0]


def _unrolled(t: Tracer, node: Comprehension) -> ListOf | None:
    """The elements, if they are known one by one."""
    found: list[SymbolicValue] = []

    def over(generators: Sequence[ast.comprehension]) -> bool:
        if not generators:
            found.append(t.evaluate(node.elt))
            return len(found) <= MOST_ELEMENTS
        every = each_item(t, _for(node, generators[0], []), range_of, MOST_ELEMENTS)
        if every is None:
            return False
        for assignment in every:
            t.run([assignment])
            holds = [t.evaluate(test) for test in generators[0].ifs]
            if not all(isinstance(h, Constant) for h in holds):
                return False
            if all(h.value for h in holds if isinstance(h, Constant)) and not over(generators[1:]):
                return False
        return True

    known: list[bool] = []

    def ask() -> None:
        known.append(over(node.generators))

    _in_scope(t, node, [], {}, ask)
    return ListOf(found) if known[0] else None


# ------------------------------------------------------------------------------------------- as loops of a function


def _for(of: Comprehension, loop: ast.comprehension, body: list[ast.stmt]) -> ast.For:
    made = ast.For(loop.target, loop.iter, body, [])
    return ast.copy_location(made, of)


def _run(
    t: Tracer, of: Comprehension, innermost: list[ast.stmt], result: ast.expr, env: Mapping[str, SymbolicValue],
    numbered: bool = False,
) -> SymbolicValue:  # fmt: skip
    """The loops of a comprehension around statements, and what is returned behind them.

    numbered: the outermost loop counts its iterations.
    """
    body = innermost
    for loop in reversed(of.generators):
        for test in reversed(loop.ifs):
            body = [ast.If(test, body, [])]
        body = [_for(of, loop, body)]
    if numbered:
        outermost = body[0]
        assert isinstance(outermost, ast.For)
        outermost.target = ast.Tuple([ast.Name(_NUMBER, ast.Store()), outermost.target], ast.Store())
        outermost.iter = ast.Call(ast.Name(ENUMERATE, ast.Load()), [outermost.iter], [])
    return _in_scope(t, of, [*body, ast.Return(result)], env)


def _in_scope(
    t: Tracer, of: Comprehension, body: list[ast.stmt], env: Mapping[str, SymbolicValue],
    instead: Callable[[], None] | None = None,
) -> SymbolicValue:  # fmt: skip
    """Statements with names of their own, which see those of the function around. instead: what is done there."""
    names = ast.arguments([], [ast.arg(name) for name in env], None, [], [], None, [])
    definition = ast.FunctionDef("comprehension", names, body or [ast.Pass()], [], None)
    for part in ast.walk(definition):
        if isinstance(part, ast.expr | ast.stmt | ast.arg) and not hasattr(part, "lineno"):
            ast.copy_location(part, of)
    function = LocalFunction(definition, t.frame, {})
    if instead is None:
        return call_local(t, ast.copy_location(ast.Call(of, [], []), of), function, list(env.values()), {})
    t.frames.append(Activation(replace(t.frame.source, definition=definition), dict(env), of, closure=t.frame))
    try:
        instead()
    finally:
        t.frames.pop()
    return Static(None)
