"""Loops that are left when data say so, `while` and `for` with `break`, as loops executed in order.

while error > tolerance:              for round in range(2**62):
    new = A @ x                           left = not error > tolerance;  leave where left
    error = abs(new - x).max()    ->      new[:] = A @ x
    x = new                               error = abs(new - x).max()
                                          x[:] = new

What goes around is in memory: cells for numbers, arrays of their own for names that get new arrays. It is written
wherever the loop may be left, so that it is there behind the loop. Arrays are computed with as in any other loop; one
that works on numbers alone is better off in registers, as a procedure (`frontend/procedures`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.scalar import Constant
from jitmdh.mdh.frontend.python.inlining import flattened
from jitmdh.mdh.frontend.python.iteration.iteration import RANGE
from jitmdh.mdh.frontend.python.tracer import Poison, SymbolicValue, Tracer
from jitmdh.mdh.frontend.python.values import as_scalar
from jitmdh.mdh.frontend.trace_ir.store_forwarding import components_of
from jitmdh.mdh.frontend.trace_ir.trace import Item, Repeated, Trace
from jitmdh.mdh.frontend.trace_ir.value_graph import LoopDim

ENDLESS = 2**62
"""Iterations that nobody lives to see the end of."""
_FEW = 32
"""Points up to which a nest is a few numbers."""


@dataclass(slots=True, eq=False)
class Leaving:
    """One loop. flag: the name that tells that it is left; numbered: sizes say how often it runs at most; certain:
    names that have a value wherever the loop is left, if it has an iteration."""

    t: Tracer
    node: ast.For
    flag: str
    numbered: bool
    certain: set[str] | None = field(default=None)

    def body(self, body: Sequence[ast.stmt], write: Callable[[], None]) -> None:
        """Execute an iteration. write: writes what goes around, the flag last."""
        t, depth = self.t, len(self.t.frame.loops)
        t.frame.loops.append(self.flag)
        t.env[self.flag] = t.arithmetic.literal(False)  # it holds in no iteration
        t.trace.leaving += 1
        try:
            for n, statement in enumerate(body):
                ends = _ends_iteration(statement)
                t.run([statement, *body[n + 1 :]] if ends else [statement])
                if self._leaves(statement, write) or ends:
                    break
        finally:
            del t.frame.loops[depth:]
            t.trace.leaving -= 1

    def _leaves(self, statement: ast.stmt, write: Callable[[], None]) -> bool:
        """Writes what goes around where the loop may be left; whether it is left in any case."""
        left = self.t.env[self.flag]
        if isinstance(left, Poison):
            self.t.poisoned(statement, left)
        if not flattened(left) or (isinstance(left, Constant) and not left.value):
            return False
        if self.certain is None:
            self.certain = {n for n, v in self.t.env.items() if not isinstance(v, Poison)}
        certainly = isinstance(left, Constant)
        write()
        self.t.env[self.flag] = self.t.arithmetic.literal(False)
        return certainly

    def behind(self, node: ast.AST, closed: Sequence[Item]) -> None:
        """Names that need not have a value behind the loop have none that can be asked for. closed: what it became."""
        if not all(_runs_nests(self.t.trace, item) for item in closed):
            self.t.error(node, "data decide when this loop ends, which computes with single numbers")
        known = self.certain if self.numbered and self.certain is not None else set[str]()
        for name, value in self.t.env.items():
            if isinstance(value, Poison) and value.last is not None and name not in known:
                self.t.env[name] = Poison(value.message, value.hint)

    def left(self) -> SymbolicValue:
        """Behind the loop: whether `break` has left it."""
        flag, ended = self.t.env.pop(self.flag), self.t.env.pop(_ended(self.node), None)
        return flag if ended is None else self.t.arithmetic.negated(as_scalar(self.t, self.node, ended))

    def require_types(
        self, node: ast.AST, before: Mapping[str, SymbolicValue], initial: Mapping[str, SymbolicValue]
    ) -> None:
        """A number has one type, whether the loop has iterations or not."""
        for name, value in before.items():
            for old, new in zip(flattened(value), flattened(initial[name])):
                if old.type != new.type and not (old.type.is_weak and old.type.kind == new.type.kind):
                    text = f"`{name}` is of {old.type.concrete} before, and of {new.type.concrete} then"
                    self.t.error(node, text)


def counted(t: Tracer, node: ast.For | ast.While) -> ast.For:
    """The loop as one over numbers, whose own variable is not read behind it."""
    place = f"{node.lineno}:{node.col_offset}"
    if isinstance(node, ast.While):
        ended: list[ast.expr] = [ast.Name(_ended(node), ast.Store())]
        done: list[ast.stmt] = [ast.Assign(ended, ast.Constant(True))] if node.orelse else []
        head: ast.stmt = ast.If(ast.UnaryOp(ast.Not(), node.test), [*done, ast.Break()], [])
        numbers = ast.Call(ast.Name(RANGE, ast.Load()), [ast.Constant(ENDLESS)], [])
        variable = f"%round:{place}"
    else:
        if not isinstance(node.target, ast.Name):
            t.error(node, "break in a loop over several names")
        head = ast.Assign([node.target], ast.Name(f"%{node.target.id}:{place}", ast.Load()))
        numbers, variable = node.iter, f"%{node.target.id}:{place}"  # type: ignore[assignment]
    made = ast.For(ast.Name(variable, ast.Store()), numbers, [head, *node.body], [])
    for part in (made, made.target, head, *(() if isinstance(node, ast.For) else ast.walk(numbers))):
        ast.copy_location(part, node)
    if isinstance(node, ast.While):
        assert isinstance(head, ast.If)
        for part in (head.test, *(p for s in head.body for p in ast.walk(s) if isinstance(p, ast.expr | ast.stmt))):
            ast.copy_location(part, node.test)
    else:
        assert isinstance(head, ast.Assign)
        ast.copy_location(head.value, node)
    return made


def leaving(t: Tracer, node: ast.For, numbered: bool) -> Leaving:
    """What `node`, which `counted` has made, needs while it is executed; its flag is not set."""
    flag = f"%left_{node.lineno}_{node.col_offset}"
    t.env[flag] = t.arithmetic.literal(False)
    if any(isinstance(s, ast.Name) and s.id == _ended(node) for s in ast.walk(node.body[0])):
        t.env[_ended(node)] = t.arithmetic.literal(False)
    return Leaving(t, node, flag, numbered)


def _ended(node: ast.For | ast.While) -> str:
    """The name that tells that the condition of a `while` with an `else` does not hold any more."""
    return f"%ended_{node.lineno}_{node.col_offset}"


def mark(trace: Trace, dim: LoopDim, buffer: str) -> None:
    """The loop is over once this cell holds."""
    trace.buffers[buffer] = replace(trace.buffers[buffer], leaves=dim.name)


def _runs_nests(trace: Trace, item: Item) -> bool:
    """Whether all innermost loops that are executed in order are around computations on arrays."""
    if not isinstance(item, Repeated):
        return _is_nest(trace, item)
    loops = [i for i in item.items if isinstance(i, Repeated)]
    if not all(_runs_nests(trace, loop) for loop in loops):
        return False
    return bool(loops) or any(_is_nest(trace, i) for i in item.items)


def _is_nest(trace: Trace, item: Item) -> bool:
    assert not isinstance(item, Repeated)
    own = list(item.dims)
    own += [d for x in item.targets for _, c in components_of(trace, x.value) for d in c.reduction.dims]
    lengths = [d.length for d in own]
    return any(x is None or not x.is_constant or x.constant > _FEW for x in lengths)


def _ends_iteration(statement: ast.stmt) -> bool:
    """Whether a statement may go on with the next iteration, so that those behind it belong to its other side."""
    if isinstance(statement, ast.If):
        return any(_ends_iteration(s) for s in (*statement.body, *statement.orelse))
    return isinstance(statement, ast.Continue)
