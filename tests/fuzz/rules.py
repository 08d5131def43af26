"""Differences from Python that docs/reliability.md names, each decided by looking at what Python did.

For that it runs once more, watched.
"""

from __future__ import annotations

import ast
import contextlib
import math
import operator
import signal
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tests.laws.results import form, leaves

MISTAKES = (IndexError, ZeroDivisionError, OverflowError, ValueError)
TOO_LARGE = "invalid value encountered in cast"
_SECONDS = 5.0


def explained(program: Any, expected: Any, found: Any, kind: str, reassociated: bool = False) -> str:
    """The rule that a difference comes under; "" if there is none. reassociated: floats are combined in any order."""
    if kind == "other error" and isinstance(found.error, IndexError) and "C long" in str(expected.error):
        return "a subscript beyond 64 bits is an IndexError"
    if kind == "other error" and all(isinstance(e, MISTAKES) for e in (expected.error, found.error)):
        return "of several mistakes another one than Python's first"
    if kind == "types" and only_promoted(expected.result, found.result):
        return "a returned number of one type or another is of the larger"
    if kind == "types" and of_no_axes(expected.result, found.result):
        return "an array without axes that is returned is a number"
    others = kind == "types" or (kind == "values" and _other_types(expected.result, found.result))
    if others and changes_names(program) and _as_found(found, expected.call.arrays, expected.result):
        return "a variable that a loop carries has one type"
    if kind in ("error", "other error") and "a range begins beyond 64 bits" in str(found.error):
        return "a range that begins beyond 64 bits is an OverflowError"
    if kind not in ("values", "error", "no error"):
        return ""
    if kind == "no error" and nobody_uses_it(program, expected, found):
        return "an error of a value that nothing uses"
    if kind == "no error" and wraps_around(program, expected, found):
        return "an update of a narrower array wraps around"
    if kind == "no error" and numpys_from_the_beginning(program, expected, found):
        return "a number that a loop makes NumPy's is so from the beginning"
    watched = Watched(program)
    if watched.large:
        return "Python's integers have 64 bits"
    if watched.cast and (kind == "values" or "does not fit into" in str(found.error)):
        return "floats that are too large for an integer type"
    if watched.overflow and reassociated and kind == "values":
        return "what overflows on the way depends on the order"
    if watched.changed and kind == "values":
        return "a variable that a loop carries has one type"
    if kind == "values" and reads_all_first(program, found):
        return "a row from a column that it crosses is read before it is written"
    if kind == "values" and "np.empty" in program.text and reads_what_nobody_wrote(program):
        return "elements that nobody has written"
    return ""


def only_promoted(expected: Any, found: Any) -> bool:
    """Whether results differ in types alone, and those of numbers alone, which hold the ones of Python."""
    if form(found) != form(expected):
        return False
    for a, b in zip(leaves(found), leaves(expected)):
        if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
            if type(a) is not type(b) or a.dtype != b.dtype:
                return False
        elif isinstance(a, np.generic) and isinstance(b, bool | int | float | complex | np.generic):
            if not np.can_cast(np.asarray(b).dtype, a.dtype):
                return False
        elif type(a) is not type(b):
            return False
    return True


def of_no_axes(expected: Any, found: Any) -> bool:
    """Whether results differ only in that NumPy gives arrays without axes where these are numbers of that type."""
    ours, theirs = leaves(found), leaves(expected)
    if form(found) != form(expected):
        return False
    same = [a is b or np.asarray(a).dtype == np.asarray(b).dtype for a, b in zip(ours, theirs, strict=True)]
    others = [
        b for a, b in zip(ours, theirs) if type(a) is not type(b) and not isinstance(b, bool | int | float | complex)
    ]
    return bool(others) and all(same) and all(isinstance(b, np.ndarray) and not b.shape for b in others)


def _other_types(expected: Any, found: Any) -> bool:
    """Whether arrays that are returned differ in their types."""
    pairs = [
        (a, b)
        for a, b in zip(leaves(expected), leaves(found))
        if isinstance(a, np.ndarray) and isinstance(b, np.ndarray)
    ]
    return any(a.dtype != b.dtype for a, b in pairs)


def changes_names(program: Any) -> bool:
    """Whether a loop gives names other numbers, or the sum of a generator expression is one of no numbers."""
    tree = ast.parse(program.text)
    loops = [n for n in ast.walk(tree) if isinstance(n, ast.For | ast.While)]
    return any(isinstance(n, ast.GeneratorExp) for n in ast.walk(tree)) or any(
        isinstance(n, ast.Assign | ast.AugAssign) for loop in loops for n in ast.walk(loop)
    )


class Watched:
    """What the plain function did.

    large: an integer of Python's had more than 64 bits; cast: an integer type cannot hold a float that was stored or
    converted; overflow: a product was too large for floats, or would be in another order; changed: an update of a name
    made an integer of a float.
    """

    def __init__(self, program: Any) -> None:
        tree = _Watching().visit(ast.parse(program.text))
        self.large, self.changed = False, False
        self._floats: dict[str, bool] = {}
        self._factors: dict[str, list[float]] = {}
        self.reordered = False
        with warnings.catch_warnings(record=True) as said, np.errstate(all="ignore", invalid="warn", over="warn"):
            warnings.simplefilter("always")
            run(tree, program, {"_seen": self._seen, "_named": self._named, "_factor": self._factor})
        self.cast = any(TOO_LARGE in str(w.message) for w in said)
        self.overflow = any("overflow encountered in" in str(w.message) and "multiply" in str(w.message) for w in said)
        self.overflow |= self.reordered

    def _seen(self, value: Any) -> Any:
        if type(value) is int and not -(2**63) <= value < 2**63:
            self.large = True
        return value

    def _factor(self, name: str, value: Any) -> None:
        """A number that `name` is multiplied by."""
        size = abs(value) if isinstance(value, int | float | complex | np.number) else 0
        if size and (isinstance(size, int) or math.isfinite(size)):
            self._factors.setdefault(name, []).append(math.log2(size))

    def _named(self, name: str, value: Any, updated: bool) -> None:
        if not updated:
            self._factors.pop(name, None)
        elif isinstance(value, float | complex | np.inexact):
            factors, most = self._factors.get(name, []), np.finfo(np.asarray(value).dtype).maxexp
            self.reordered |= any(abs(sum(f for f in factors if (f > 0) == large)) >= most for large in (True, False))
        whole = isinstance(value, int | np.integer | np.bool_)
        self.changed |= updated and self._floats.get(name, False) and whole
        self._floats[name] = isinstance(value, float | np.floating)


def run(tree: ast.AST, program: Any, names: dict[str, Any]) -> Any:
    """The arrays after a call of the plain function of a syntax tree, and its result, which is None after an error."""
    space: dict[str, Any] = {"__name__": "watched_program"}
    exec(compile(ast.fix_missing_locations(tree), "<watched program>", "exec"), space)  # type: ignore[arg-type]
    space |= names
    call, result = program.call(), None
    with contextlib.suppress(Exception), _at_most(_SECONDS):  # it is the same as before, or goes on for ever
        result = space["program"](*call.arguments)
    return call.arrays, result


@contextlib.contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """TimeoutError after so much processor time: with other numbers in it, a loop of the program may have no end."""

    def end(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def reads_what_nobody_wrote(program: Any) -> bool:
    """Whether it matters what `np.empty` gives."""
    ends = []
    for fill in (0, 1):
        own = types.SimpleNamespace(**vars(np))
        own.empty = lambda shape, dtype=float, fill=fill: np.full(shape, fill, dtype)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            arrays, result = run(ast.parse(program.text), program, {"np": own})
        ends.append([np.asarray(a).tobytes() for a in (*arrays.values(), *leaves(result))])
    return ends[0] != ends[1]


def reads_all_first(program: Any, found: Any) -> bool:
    """Whether all is as found where what is assigned to parts of arrays is a copy."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        arrays, result = run(_Copying().visit(ast.parse(program.text)), program, {"_copied": np.copy})
    return _as_found(found, arrays, result)


def nobody_uses_it(program: Any, expected: Any, found: Any) -> bool:
    """Whether only values of which nothing depends have no result: with others in their places, all is as found."""
    if not isinstance(expected.error, ZeroDivisionError | OverflowError | ValueError):
        return False
    names = (*found.call.arrays,)
    for number in (0, 5):

        def tried(compute: Callable[[], Any], number: int = number) -> Any:
            try:
                return compute()
            except (ZeroDivisionError, OverflowError, ValueError):
                return number

        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            arrays, result = run(
                _Trying().visit(ast.parse(program.text)), program, {"_tried": tried, "_updated": _updated}
            )  # fmt: skip
        if not _as_found(found, {n: arrays[n] for n in names}, result):
            return False
    return True


def wraps_around(program: Any, expected: Any, found: Any) -> bool:
    """Whether all is as found where updates of elements take what fits into their types."""
    if not isinstance(expected.error, OverflowError):
        return False
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        arrays, result = run(_Wrapping().visit(ast.parse(program.text)), program, {"_wrapping": _wrapping})
    return _as_found(found, arrays, result)


def numpys_from_the_beginning(program: Any, expected: Any, found: Any) -> bool:
    """Whether all is as found where numbers that names begin with, and that loops change, are NumPy's."""
    if not isinstance(expected.error, ZeroDivisionError | OverflowError):
        return False
    tree = ast.parse(program.text)
    loops = [n for n in ast.walk(tree) if isinstance(n, ast.For | ast.While)]
    changed = {n.id for l in loops for n in ast.walk(l) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        arrays, result = run(_Beginning(changed).visit(tree), program, {"_numpys": lambda value: np.asarray(value)[()]})
    return _as_found(found, arrays, result)


def _as_found(found: Any, arrays: dict[str, Any], result: Any) -> bool:
    ours, theirs = leaves(found.result), leaves(result)
    pairs = [*zip(ours, theirs, strict=False), *((found.call.arrays[n], a) for n, a in arrays.items())]
    return len(ours) == len(theirs) and all(_alike(a, b) for a, b in pairs)


def _alike(found: Any, expected: Any) -> bool:
    if found is None or expected is None:
        return found is expected
    a, b = np.asarray(found), np.asarray(expected)
    if a.dtype.names:
        return a.dtype == b.dtype and all(_alike(a[name], b[name]) for name in a.dtype.names)
    return a.shape == b.shape and bool(np.allclose(a, b, rtol=1e-3, equal_nan=True))


def done_up_to_a_loop(program: Any, lines: set[int], found: dict[str, Any], in_part: bool) -> bool:
    """Whether arrays are as they were when the loop that ended in an error began: one of those in these lines, if any.

    lines: of loops that are compiled in place; none: the outermost ones. in_part: but for those that the loop writes.
    """
    loops = [n for n in ast.walk(ast.parse(program.text)) if isinstance(n, ast.For | ast.While)]
    inner = {id(n) for loop in loops for n in ast.walk(loop) if n is not loop}
    known = {n.lineno: n for n in loops if (n.lineno in lines if lines else id(n) not in inner)}
    held, inside, call = dict[int, bool](), list[int](), program.call()

    def begins(line: int) -> None:
        inside.append(line)
        except_ = written(known[line], program) if in_part else set()
        held[line] = all(a.tobytes() == found[n].tobytes() for n, a in call.arrays.items() if n not in except_)

    same = types.SimpleNamespace(call=lambda: call)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = _Loops(set(known)).visit(ast.parse(program.text))
        run(tree, same, {"_begins": begins, "_ends": inside.pop})
    return any(held[line] for line in inside)


def written(loop: ast.AST, program: Any) -> set[str]:
    """The arguments that a loop stores to, and those that lie in the memory of such."""
    stored = {n.value for n in ast.walk(loop) if isinstance(n, ast.Subscript) and not isinstance(n.ctx, ast.Load)}
    names = {n.id for s in stored for n in ast.walk(s) if isinstance(n, ast.Name)}
    shared = [{n, a.of} for n, a in program.arguments.items() if getattr(a, "of", "")]
    for _ in shared:
        names = names.union(*(pair for pair in shared if pair & names))
    return names


class _Copying(ast.NodeTransformer):
    """Parts of arrays that are assigned to parts of arrays go through `_copied`."""

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        if all(isinstance(n, ast.Subscript) for n in (*node.targets, node.value)):
            node.value = ast.Call(ast.Name("_copied", ast.Load()), [node.value], [])
        return node


class _Loops(ast.NodeTransformer):
    """Says when loops in these lines begin and when they have ended: not where an error ends them."""

    def __init__(self, lines: set[int]) -> None:
        self.lines = lines

    def visit_For(self, node: ast.For | ast.While) -> Any:
        self.generic_visit(node)
        if node.lineno not in self.lines:
            return node
        return [*_calls("_begins", ast.Constant(node.lineno)), node, *_calls("_ends")]

    visit_While: Any = visit_For


def _calls(name: str, *arguments: ast.expr) -> Iterator[ast.stmt]:
    yield ast.Expr(ast.Call(ast.Name(name, ast.Load()), list(arguments), []))


class _Beginning(ast.NodeTransformer):
    """Constants that are assigned to names go through `_numpys`."""

    def __init__(self, names: set[str]) -> None:
        self.names = names

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        made = [f"{a.arg} = _numpys({a.arg})" for a in node.args.args if a.arg in self.names]
        node.body[:0] = ast.parse("\n".join(made)).body
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        for target in node.targets:
            pairs = [(target, node.value)]
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = list(zip(target.elts, node.value.elts, strict=False))
            for name, value in pairs:
                if isinstance(name, ast.Name) and name.id in self.names and isinstance(value, ast.Constant):
                    made = ast.Call(ast.Name("_numpys", ast.Load()), [ast.Constant(value.value)], [])
                    if value is node.value:
                        node.value = made
                    elif isinstance(node.value, ast.Tuple):
                        node.value.elts[node.value.elts.index(value)] = made
        return node


_IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    "Add": operator.iadd, "Sub": operator.isub, "Mult": operator.imul, "Div": operator.itruediv, "Mod": operator.imod,
    "FloorDiv": operator.ifloordiv, "Pow": operator.ipow, "BitAnd": operator.iand, "BitOr": operator.ior,
    "BitXor": operator.ixor, "LShift": operator.ilshift, "RShift": operator.irshift, "MatMult": operator.imatmul,
}  # fmt: skip


def _updated(op: str, old: Any, value: Any) -> Any:
    """`old op= value`: arrays stay the same ones."""
    return _IN_PLACE[op](old, value)


def _wrapping(array: Any, at: Any, op: str, value: Any) -> None:
    """`array[at] op= value`, of which elements take what fits."""
    made = _IN_PLACE[op](array[at], value)
    array[at] = made if isinstance(made, np.ndarray) else np.asarray(made).astype(array.dtype)


class _Wrapping(ast.NodeTransformer):
    """Updates of elements go through `_wrapping`."""

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        target = node.target
        if not isinstance(target, ast.Subscript) or any(isinstance(n, ast.Slice) for n in ast.walk(target.slice)):
            return node
        given = [target.value, target.slice, ast.Constant(node.op.__class__.__name__), node.value]
        return ast.copy_location(ast.Expr(ast.Call(ast.Name("_wrapping", ast.Load()), given, [])), node)


class _Trying(ast.NodeTransformer):
    """What is computed goes through `_tried`."""

    def visit_BinOp(self, node: ast.BinOp | ast.Call) -> ast.AST:
        self.generic_visit(node)
        nothing = ast.arguments([], [], None, [], [], None, [])
        return ast.Call(ast.Name("_tried", ast.Load()), [ast.Lambda(nothing, node)], [])

    visit_Call: Any = visit_BinOp

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        if not isinstance(node.target, ast.Name):
            self.generic_visit(node)
            return node
        self.generic_visit(node)
        name = ast.Constant(node.op.__class__.__name__)
        updated = ast.Call(
            ast.Name("_updated", ast.Load()), [name, ast.Name(node.target.id, ast.Load()), node.value], []
        )
        return ast.Assign([node.target], self.visit_BinOp(updated), lineno=node.lineno)  # type: ignore[arg-type]


class _Watching(ast.NodeTransformer):
    """What is computed goes through `_seen`; names that are assigned, through `_named`."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        return ast.Call(ast.Name("_seen", ast.Load()), [node], [])

    visit_UnaryOp: Any = visit_BinOp

    def visit_Assign(self, node: ast.Assign) -> Any:
        loaded = {n.id for n in ast.walk(node.value) if isinstance(n, ast.Name)}
        self.generic_visit(node)
        names = [t.id for t in node.targets if isinstance(t, ast.Name)]
        return [node, *(s for n in names for s in _named(n, n in loaded))]

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        self.generic_visit(node)
        if not isinstance(node.target, ast.Name):
            return node
        value = ast.Name(node.target.id, ast.Load())
        factors = [node.value] if isinstance(node.op, ast.Mult) else []
        before = [s for f in factors for s in _calls("_factor", ast.Constant(node.target.id), f)]
        return [*before, node, *_calls("_seen", value), *_named(node.target.id, True)]


def _named(name: str, updated: bool) -> Iterator[ast.stmt]:
    yield from _calls("_named", ast.Constant(name), ast.Name(name, ast.Load()), ast.Constant(updated))
