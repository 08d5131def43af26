"""Loops over anything that is counted: arrays, `enumerate`, `zip`, `reversed`, `np.ndindex`; tuples are unrolled.

for n, v in enumerate(x):      ->      for k in range(len(x)):          for d in (-1, 0, 1):   ->   d = -1; body; …
    body                                   n, v = k, x[k]                   body
                                           body

What is gone through is evaluated once, before the loop, under names that no program can write.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import reduce

import numpy as np

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.frontend.python.array_expressions import is_array, lazy
from jitmdh.mdh.frontend.python.bindings import owned, writes_arrays
from jitmdh.mdh.frontend.python.iteration.assigned_names import all_assigned
from jitmdh.mdh.frontend.python.tracer import Masked, Poison, RecordRef, Static, SymbolicValue, Tracer, given
from jitmdh.mdh.frontend.python.values import as_scalar, name_of_kind, require_array, size_operation, text
from jitmdh.mdh.frontend.trace_ir.arithmetic import affine

MOST_UNROLLED = 256
"""Elements of a tuple that a loop is unrolled for."""

RANGE = "%range"
"""Python's `range`, whatever a program calls by that name."""

ENUMERATE = "%enumerate"
"""Likewise `enumerate`."""

Bounds = Callable[[Tracer, ast.expr], tuple[Affine, Affine, int]]


@dataclass(frozen=True, slots=True)
class Counted:
    """As many items as `length` says (none below 0); `item`: the expression of one, from that of its number."""

    length: Affine
    item: Callable[[ast.expr], ast.expr]


@dataclass(frozen=True, slots=True)
class Listed:
    """Items that are known one by one, as expressions."""

    items: tuple[ast.expr, ...]


@dataclass(frozen=True, slots=True)
class Iteration:
    """One loop as loops over `range`; or, unrolled, the statements of each of its iterations. names: that it hides."""

    loop: ast.For | None
    unrolled: tuple[list[ast.stmt], ...]
    hidden: tuple[str, ...]


def kind_of(t: Tracer, node: ast.expr) -> str | None:
    """`range`, `enumerate`, … where a loop goes over a call of one of them; None for anything else.

    Numba's `prange` and ours promise independent iterations; here that is found out, as for any `range`.
    """
    if not isinstance(node, ast.Call):
        return None
    if isinstance(node.func, ast.Name):
        if node.func.id == RANGE:
            return "range"
        if node.func.id == ENUMERATE:
            return "enumerate"
        try:
            function = t.free(node.func.id)
        except KeyError:
            return None
    elif isinstance(node.func, ast.Attribute):
        value = t.evaluate(node.func)
        function = value.value if isinstance(value, Static) else None
    else:
        return None
    for known in (range, enumerate, zip, reversed):
        if function is known:
            return known.__name__
    if not isinstance(function, type):
        return None
    module = function.__module__.partition(".")[0]
    if module == "numba" and function.__name__ == "prange":
        return "range"
    return function.__name__ if function in (np.ndindex, np.ndenumerate) else None


def over_range(t: Tracer, node: ast.For, bounds: Bounds) -> Iteration:
    """What a loop means in terms of `range`; bounds: of the arguments of a `range`."""
    kind = kind_of(t, node.iter)
    if kind == "range" and isinstance(node.target, ast.Name):
        return Iteration(node, (), ())
    if kind is None and isinstance(node.iter, ast.Call | ast.Subscript | ast.BinOp):
        once = ast.For(node.target, given(node.iter, t.evaluate(node.iter)), node.body, node.orelse)
        node = ast.copy_location(once, node)
    made = _Made(t, node, bounds)
    if kind in ("ndindex", "ndenumerate"):
        return Iteration(made.nested(kind), (), tuple(made.hidden))
    if (where := made.chosen()) is not None:
        return Iteration(where, (), tuple(made.hidden))
    found = made.sequence(node.iter)
    if isinstance(found, Listed):
        if len(found.items) > MOST_UNROLLED:
            hint = "put them into an array, and pass it as an argument"
            t.error(node.iter, f"a loop over a tuple of {len(found.items)} elements is not unrolled", hint=hint)
        every = tuple([made.assigned(item), *node.body] for item in found.items)
        return Iteration(None, every, tuple(made.hidden))
    number = made.number("")
    body = [made.assigned(found.item(_load(number))), *node.body]
    return Iteration(made.loop(number, found.length, body, node.orelse), (), tuple(made.hidden))


def length_of(t: Tracer, node: ast.For, bounds: Bounds) -> Affine:
    """How many iterations a loop over one index has; its hidden names are left in the frame."""
    if kind_of(t, node.iter) in ("ndindex", "ndenumerate"):
        t.error(node.iter, f"`{text(node.iter)}` is only supported as what a loop goes over as a whole")
    found = _Made(t, node, bounds).sequence(node.iter)
    return found.length if isinstance(found, Counted) else Affine((), len(found.items))


def each_item(t: Tracer, node: ast.For, bounds: Bounds, most: int) -> list[ast.stmt] | None:
    """The assignments to the target of a loop, one for each iteration; None: there are more than `most`, or only the
    call says how many. Hidden names are left in the frame."""
    if kind_of(t, node.iter) in ("ndindex", "ndenumerate"):
        return None
    made = _Made(t, node, bounds)
    found = made.sequence(node.iter)
    if isinstance(found, Listed):
        return [made.assigned(item) for item in found.items] if len(found.items) <= most else None
    if not found.length.is_constant or found.length.constant > most:
        return None
    return [made.assigned(found.item(ast.Constant(k))) for k in range(found.length.constant)]


def name_of(target: ast.expr) -> str:
    """What a loop is called: its variable, of several the first."""
    match target:
        case ast.Name(name):
            return name.lstrip("%").partition(":")[0]
        case ast.Tuple([first, *_]) | ast.List([first, *_]):
            return name_of(first)
    return "i"


def _load(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def _sum(*parts: ast.expr) -> ast.expr:
    return reduce(lambda a, b: ast.BinOp(a, ast.Add(), b), parts)


class _Made:
    """The statements that stand for one loop."""

    def __init__(self, t: Tracer, node: ast.For, bounds: Bounds) -> None:
        self.t, self.node, self.bounds = t, node, bounds
        self.hidden: list[str] = []

    def number(self, suffix: str) -> str:
        """The variable of the loop over `range`."""
        return f"%{name_of(self.node.target)}:{self.node.lineno}:{self.node.col_offset}{suffix}"

    def hide(self, what: str, value: SymbolicValue) -> ast.expr:
        """A name for `value`."""
        name = f"%{what}{len(self.hidden)}:{self.node.lineno}:{self.node.col_offset}"
        self.t.env[name] = value
        self.hidden.append(name)
        return _load(name)

    def affine(self, what: str, value: Affine) -> ast.expr:
        return ast.Constant(value.constant) if value.is_constant else self.hide(what, self.t.arithmetic.index(value))

    def placed(self, made: ast.stmt) -> ast.stmt:
        """A statement that was made, at the place of the loop; those of the body keep theirs."""
        for part in ast.walk(made):
            if not hasattr(part, "lineno") and isinstance(part, (ast.expr, ast.stmt)):
                ast.copy_location(part, self.node.iter)
        return made

    def assigned(self, item: ast.expr) -> ast.stmt:
        """The assignment at the beginning of an iteration."""
        return self.placed(ast.Assign([self.node.target], item))

    def loop(self, number: str, length: Affine, body: list[ast.stmt], orelse: list[ast.stmt]) -> ast.For:
        call = ast.Call(_load(RANGE), [self.affine("length", length)], [])
        made = ast.For(ast.Name(number, ast.Store()), call, body, orelse)
        self.placed(made)
        return ast.copy_location(made, self.node)

    # ------------------------------------------------------------------------------------------- sequences

    def sequence(self, node: ast.expr) -> Counted | Listed:
        match kind_of(self.t, node):
            case "range":
                assert isinstance(node, ast.Call)
                return self.range(node)
            case "enumerate":
                assert isinstance(node, ast.Call)
                return self.enumerate(node)
            case "zip":
                assert isinstance(node, ast.Call)
                return self.zip(node)
            case "reversed":
                assert isinstance(node, ast.Call)
                return self.reversed(node)
            case None:
                return self.elements(node)
        self.t.error(node, f"`{text(node)}` is only supported as what a loop goes over as a whole")

    def elements(self, node: ast.expr) -> Counted | Listed:
        """The elements of an array or a tuple."""
        if isinstance(node, (ast.Tuple, ast.List)) and not any(isinstance(e, ast.Starred) for e in node.elts):
            return Listed(tuple(self.hide("element", self.t.evaluate(e)) for e in node.elts))
        t, value = self.t, self.t.evaluate(node)
        if isinstance(value, tuple):
            return Listed(tuple(self.hide("element", v) for v in value))
        array = value.field(value.fields[0]) if isinstance(value, RecordRef) else value
        if not is_array(t, array):
            what = "a number"
            if isinstance(value, Static):
                require_array(t, node, value)
                what = name_of_kind(value.value)
            elif isinstance(value, Poison):
                t.poisoned(node, value)
            t.error(
                node, f"a loop over `{text(node)}`, which is {what}", hint="loop over range(…), an array or a tuple"
            )
        shape = lazy(t, node, array).shape
        if not shape:
            t.error(node, f"`{text(node)}` has no axis to go over")
        if writes_arrays(t, self.node.body):
            value = owned(t, node, value)
        items = self.hide("items", value)
        return Counted(shape[0], lambda k: ast.Subscript(items, k, ast.Load()))

    def range(self, node: ast.Call) -> Counted:
        start, stop, step = self.bounds(self.t, node)
        room = (stop - start) if step > 0 else (start - stop)
        first = self.affine("start", start)
        length = room if abs(step) == 1 else self.steps(node, room, abs(step))

        def item(k: ast.expr) -> ast.expr:
            return _sum(first, k if step == 1 else ast.BinOp(k, ast.Mult(), ast.Constant(step)))

        return Counted(length, item)

    def steps(self, node: ast.expr, room: Affine, stride: int) -> Affine:
        """How many steps fit into `room`."""
        t = self.t
        wide = t.arithmetic.index(room + (stride - 1))
        found = affine(size) if (size := size_operation(t, "floordiv", wide, t.arithmetic.literal(stride))) else None
        if room.is_constant:
            return Affine((), -(-room.constant // stride))
        if found is None:
            t.error(node, f"`{text(node)}` has a step, and bounds that depend on loops", hint="loop over it alone")
        return found

    def enumerate(self, node: ast.Call) -> Counted | Listed:
        t = self.t
        given = [*node.args[1:], *(k.value for k in node.keywords if k.arg == "start")]
        if not 1 <= len(node.args) <= 2 or len(given) > 1 or len(given) != len(node.args) - 1 + len(node.keywords):
            t.error(node, "`enumerate` takes what it goes over, and perhaps a start")
        items = self.sequence(node.args[0])
        start = self.hide("start", as_scalar(t, given[0], t.evaluate(given[0]))) if given else None

        def numbered(k: ast.expr, item: ast.expr) -> ast.expr:
            return ast.Tuple([k if start is None else _sum(start, k), item], ast.Load())

        if isinstance(items, Listed):
            return Listed(tuple(numbered(ast.Constant(n), item) for n, item in enumerate(items.items)))
        return Counted(items.length, lambda k: numbered(k, items.item(k)))

    def zip(self, node: ast.Call) -> Counted | Listed:
        t = self.t
        strict = [k for k in node.keywords if k.arg == "strict"]
        if len(strict) < len(node.keywords) or any(not _is_constant(k.value, False) for k in strict):
            t.error(
                node, "a keyword argument of `zip` is not supported", hint="without strict it ends with the shortest"
            )
        parts = [self.sequence(a) for a in node.args]
        if not parts:
            return Listed(())
        listed, counted = [p for p in parts if isinstance(p, Listed)], [p for p in parts if isinstance(p, Counted)]
        if not counted:
            return Listed(tuple(ast.Tuple(list(row), ast.Load()) for row in zip(*(p.items for p in listed))))
        if listed:
            t.error(node, "`zip` of a tuple and something of another kind", hint="use arrays only, or tuples only")
        length = reduce(lambda a, b: self.shorter(node, a, b), (p.length for p in counted))
        return Counted(length, lambda k: ast.Tuple([p.item(k) for p in counted], ast.Load()))

    def shorter(self, node: ast.expr, a: Affine, b: Affine) -> Affine:
        t, difference = self.t, a - b
        if difference.is_constant:
            return a if difference.constant <= 0 else b
        domain = t.trace.domain()
        if domain.proves(-difference):
            return a
        if domain.proves(difference):
            return b
        found = size_operation(t, "min", t.arithmetic.index(a), t.arithmetic.index(b))
        length = None if found is None else affine(found)
        if length is None:
            t.error(
                node, f"which part of `{text(node)}` is the shortest depends on loops", hint="use range and subscripts"
            )
        return length

    def reversed(self, node: ast.Call) -> Counted | Listed:
        if len(node.args) != 1 or node.keywords:
            self.t.error(node, "`reversed` takes one argument")
        kind = kind_of(self.t, node.args[0])
        if kind not in (None, "range"):
            self.t.error(node.args[0], f"`{kind}` cannot be reversed, in Python neither")
        items = self.sequence(node.args[0])
        if isinstance(items, Listed):
            return Listed(items.items[::-1])
        last = self.affine("last", items.length - 1)
        return Counted(items.length, lambda k: items.item(ast.BinOp(last, ast.Sub(), k)))

    # ----------------------------------------------------------------------------------------- chosen elements

    def chosen(self) -> ast.For | None:
        """`for i in np.nonzero(c)[0]`, and over other elements that a mask chooses: a loop over all, with an `if`."""
        t, node = self.t, self.node
        if kind_of(t, node.iter) is not None or isinstance(node.iter, ast.Tuple | ast.List):
            return None
        value = t.evaluate(node.iter)
        if isinstance(value, Masked) and writes_arrays(t, node.body):
            value = owned(t, node.iter, value)
        if not isinstance(value, Masked):
            return None
        number = self.number("")
        mask, values = self.hide("mask", value.mask), self.hide("values", value.values)
        own = [self.assigned(ast.Subscript(values, _load(number), ast.Load())), *node.body]
        guarded = self.placed(ast.If(ast.Subscript(mask, _load(number), ast.Load()), own, []))
        return self.loop(number, value.mask.shape[0], [guarded], node.orelse)

    # ------------------------------------------------------------------------------------------- np.ndindex

    def nested(self, kind: str) -> ast.For:
        """`for i, j in np.ndindex(m, n)` and `for (i, j), v in np.ndenumerate(x)` as nested loops."""
        t, node = self.t, self.node
        assert isinstance(node.iter, ast.Call)
        if node.iter.keywords or not node.iter.args or any(isinstance(a, ast.Starred) for a in node.iter.args):
            t.error(node.iter, f"`np.{kind}` takes sizes, or a shape" if kind == "ndindex" else "it takes an array")
        if node.orelse:
            t.error(node.orelse[0], "else of a loop over several indices", hint="put it after the loop")
        extents = self.extents(kind, node.iter)
        names = [self.number(f":{axis}") for axis in range(len(extents))]
        item: ast.expr = ast.Tuple([_load(n) for n in names], ast.Load())
        if kind == "ndenumerate":
            whole = self.hide("items", t.evaluate(node.iter.args[0]))
            item = ast.Tuple([item, ast.Subscript(whole, item, ast.Load())], ast.Load())
        body: list[ast.stmt] = [self.assigned(item), *node.body]
        for name, extent in reversed(list(zip(names, extents))):
            body = [self.loop(name, extent, body, [])]
        made = body[0]
        if not isinstance(made, ast.For):
            t.error(node.iter, f"`{text(node.iter)}` has no axes")
        return made

    def extents(self, kind: str, call: ast.Call) -> list[Affine]:
        t = self.t
        values = [t.evaluate(a) for a in call.args]
        if kind == "ndenumerate":
            if len(values) != 1 or not is_array(t, values[0]):
                t.error(call, "`np.ndenumerate` takes an array")
            return list(lazy(t, call, values[0]).shape)
        parts = list(values[0]) if len(values) == 1 and isinstance(values[0], tuple) else values
        found = [affine(as_scalar(t, call, part)) for part in parts]
        if any(e is None for e in found):
            t.error(call, f"the shape in `{text(call)}` is not made of sizes")
        return [e for e in found if e is not None]


def run_unrolled(t: Tracer, node: ast.For, numbers: range) -> None:
    """A loop whose variable has to be a constant in each iteration."""
    assert isinstance(node.target, ast.Name)
    t.in_loop_over.pop()
    for number in numbers:
        t.env[node.target.id] = t.arithmetic.literal(number)
        with t.frame.carrying(all_assigned(t, node)):
            t.run(node.body)


def is_short(start: Affine, stop: Affine, step: int) -> bool:
    """Whether a loop has few enough iterations to be unrolled."""
    known = start.is_constant and stop.is_constant
    return known and len(range(start.constant, stop.constant, step)) <= MOST_UNROLLED


def _is_constant(node: ast.expr, value: object) -> bool:
    return isinstance(node, ast.Constant) and node.value is value
