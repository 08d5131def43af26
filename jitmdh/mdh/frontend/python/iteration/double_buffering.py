"""Loops after whose iterations names stand for other arrays: `x, y = y, x` at the end of a step in time.

for t in range(n):                for r in range(n // 2):
    body(t, x, y)         ->          body(2*r, x, y);  body(2*r + 1, y, x)
    x, y = y, x                   if n % 2 > 0:  body(n - 1, x, y)

After as many iterations as the permutation has elements every name stands for what it stood for before.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import Scalar
from jitmdh.mdh.algebra.sizes import SizeConstant, SizeOperation, size_expr
from jitmdh.mdh.frontend.python.array_expressions import lazy, same_extent
from jitmdh.mdh.frontend.python.iteration.iteration import RANGE
from jitmdh.mdh.frontend.python.tracer import ArrayRef, Lazy, Poison, SymbolicValue, Tracer

_MOST = 4


class Swapped(Exception):
    """The body of a loop has permuted arrays: for each name the one whose array it has now. Never reaches the user."""

    def __init__(self, names: Mapping[str, str]) -> None:
        super().__init__()
        self.names = names


def permutation(before: Mapping[str, SymbolicValue], after: Mapping[str, SymbolicValue]) -> dict[str, str] | None:
    """Which names have exchanged their arrays; None if something else has become of them."""
    arrays = {n: v for n, v in before.items() if isinstance(v, ArrayRef) and not v.prefix}
    moved = {n: after[n] for n, v in arrays.items() if after.get(n, v) != v}
    found = {n: next((m for m in moved if arrays[m] == v), None) for n, v in moved.items()}
    if None in found.values() or len(set(found.values())) < len(found):
        return None
    return {n: m for n, m in found.items() if m is not None}


def order_of(names: Mapping[str, str]) -> int:
    """After how many iterations every name has its own array again."""
    order, now = 1, dict(names)
    while any(n != m for n, m in now.items()):
        now = {n: names[m] for n, m in now.items()}
        order += 1
    return order


def run_swapping(
    t: Tracer, node: ast.For, bounds: tuple[Affine, Affine, int], length: Affine | None, names: Mapping[str, str]
) -> None:  # fmt: skip
    """Execute a loop whose body permutes the arrays of `names`."""
    period = order_of(names)
    inner = {d.name for d in t.trace.block.dims}
    if length is None or period > _MOST or inner.intersection(length.names):
        which = ", ".join(f"`{n}`" for n in names)
        t.error(node, f"{which} stand for other arrays after an iteration", hint="copy elements instead of names")
    assert isinstance(node.target, ast.Name)
    start, _, step = bounds
    before = {n: t.env[n] for n in names}
    rounds, rest = _divided(t, length, period)
    hidden = {"%rounds": rounds, "%rest": rest, "%start": start, "%last": start + rounds * (step * period)}
    for name, size in hidden.items():
        t.env[name] = t.arithmetic.index(size)
    t.env.pop(node.target.id, None)
    every = [s for k in range(period) for s in _iteration(node, f"%start + %round * {step * period} + {k * step}")]
    t.run([_placed(node, ast.For(_name("%round", ast.Store()), _range("%rounds"), every, []))])
    ending: list[ast.stmt] = []
    for k in reversed(range(period - 1)):
        test = ast.Compare(_name("%rest"), [ast.Gt()], [ast.Constant(k)])
        ending = [_placed(node, ast.If(test, [*_iteration(node, f"%last + {k * step}"), *ending], []))]
    t.run(ending)
    for name in (*hidden, "%round"):
        t.env.pop(name, None)
    if period == 2 and not rest.is_constant:
        for name, other in names.items():
            t.env[name] = _either(t, node, name, before[name], before[other], rest)


def _divided(t: Tracer, length: Affine, period: int) -> tuple[Affine, Affine]:
    """How often `period` iterations happen, and how many more; both 0 where there are none."""
    if length.is_constant:
        rounds, rest = divmod(max(length.constant, 0), period)
        return Affine((), rounds), Affine((), rest)
    iterations = SizeOperation("max", SizeConstant(0), size_expr(length))
    number = size_expr(t.trace.define("iterations", iterations))
    return (
        t.trace.define("rounds", SizeOperation("floordiv", number, SizeConstant(period))),
        t.trace.define("rest", SizeOperation("mod", number, SizeConstant(period))),
    )


def _iteration(node: ast.For, index: str) -> list[ast.stmt]:
    """One iteration: its index, and the body."""
    text = index.replace("%", "_percent_")
    value = ast.parse(text, mode="eval").body
    for part in ast.walk(value):
        if isinstance(part, ast.Name):
            part.id = part.id.replace("_percent_", "%")
    assert isinstance(node.target, ast.Name)
    return [_placed(node, ast.Assign([_name(node.target.id, ast.Store())], value)), *node.body]


def _name(name: str, context: ast.expr_context | None = None) -> ast.Name:
    return ast.Name(name, context or ast.Load())


def _range(stop: str) -> ast.Call:
    return ast.Call(_name(RANGE), [_name(stop)], [])


def _placed(node: ast.For, made: ast.stmt) -> ast.stmt:
    """A statement that was made, at the place of the loop; those of the body keep theirs."""
    for part in ast.walk(made):
        if not hasattr(part, "lineno") and isinstance(part, (ast.expr, ast.stmt)):
            ast.copy_location(part, node.iter)
    return ast.copy_location(made, node)


def _either(
    t: Tracer, node: ast.For, name: str, even: SymbolicValue, odd: SymbolicValue, rest: Affine
) -> SymbolicValue:
    """What a name stands for after the loop: one array, or another after an odd number of iterations.

    Its elements can be read. Only for arrays made in the function: of others it would matter which one it is.
    """
    arrays = [a for a in (even, odd) if isinstance(a, ArrayRef)]
    infos = [t.trace.buffers[a.buffer] for a in arrays]
    if len(arrays) < 2 or not all(i.allocated for i in infos):
        text = f"`{name}` stands for one array or another, depending on the number of iterations"
        return Poison(text, "swap arrays made in the function, such as copies of the arguments, and return those")
    first, second = (lazy(t, node, a) for a in arrays)
    for a, b in zip(first.shape, second.shape):
        same_extent(t, node, a, b)
    condition = t.arithmetic.apply("gt", t.arithmetic.index(rest), t.arithmetic.literal(0))

    def at(index: tuple[Affine, ...]) -> Scalar:
        return t.arithmetic.select(condition, second.at(index), first.at(index))

    return Lazy(first.shape, first.type, at)
