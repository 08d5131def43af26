"""A function with loops of it as functions of their own, which take the names they need and return what they give.

    def f(x, y):                                      def loop(x, y, total):
        total = 0.0                                       for i in range(len(x)):
        print("summing")                                      total += x[i] * y[i]
        for i in range(len(x)):               →           return total
            total += x[i] * y[i]
        return total                                  in f:  total = loop(x, y, total)

The syntax tree is that of the source, with its places; nodes of loops are the very same objects, so that a loop is
known again when it is outlined from another function.
"""

from __future__ import annotations
import __future__

import ast
import builtins
import copy
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import CellType, CodeType, FunctionType
from typing import Any

from jitmdh.base.records import dataclass
from jitmdh.jit.fallback.effects import Note, noting
from jitmdh.jit.fallback.live_names import LiveNames, Loop, exposed, loaded, names_in, stored
from jitmdh.mdh.frontend.source.capture import PYTHONS, Source, remember_source

_STATEMENTS = (ast.For, ast.While, ast.If, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Pass, ast.Break,
               ast.Continue)  # fmt: skip
_NOT_IN_LOOPS = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Yield, ast.YieldFrom,
                 ast.Await, ast.NamedExpr)  # fmt: skip
_SEES_LOCALS = frozenset({"locals", "vars", "eval", "exec", "dir", "super", "__class__"})
_NOTE, _NAMES = "note what others may see", "names there now"
_FUTURE = [getattr(__future__, name) for name in __future__.all_feature_names]


@dataclass(frozen=True, slots=True)
class OutlinedLoop:
    """A loop that can be a function: the names that it takes, and those that it returns."""

    loop: Loop
    takes: tuple[str, ...]
    gives: tuple[str, ...]

    @property
    def line(self) -> int:
        return self.loop.lineno


def nests(source: Source, left: frozenset[int] = frozenset()) -> tuple[OutlinedLoop, ...]:
    """The outermost loops of a function that can be functions, but those whose `id` is in `left`: their inner ones."""
    definition = source.definition
    if not isinstance(definition, ast.FunctionDef) or not _is_plain(source):
        return ()
    code = source.function.__code__
    shared = frozenset(code.co_cellvars)  # with inner functions
    names, local = LiveNames.of(definition), frozenset(code.co_varnames) - shared
    return tuple(n for n in _nests(definition.body, names, local, left) if not names_in(n.loop) & shared)


def _nests(
    body: Sequence[ast.stmt], names: LiveNames, local: frozenset[str], left: frozenset[int]
) -> Iterator[OutlinedLoop]:
    for statement in body:
        if isinstance(statement, ast.For | ast.While) and id(statement) not in left:
            nest = _nest(statement, names, local)
            if nest is not None:
                yield nest
                continue
        for inner in _bodies(statement):
            yield from _nests(inner, names, local, left)


def _bodies(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The statements inside of a statement that run in the same scope."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return
    for name in ("body", "orelse", "finalbody"):
        yield getattr(statement, name, [])
    for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield part.body


def _leaves(body: Sequence[ast.stmt]) -> bool:
    """Whether statements break off, or go on with, a loop around them."""
    for statement in body:
        if isinstance(statement, ast.Break | ast.Continue):
            return True
        inner = [statement.orelse] if isinstance(statement, ast.For | ast.While) else _bodies(statement)
        if any(map(_leaves, inner)):
            return True
    return False


def _nest(loop: Loop, names: LiveNames, local: frozenset[str]) -> OutlinedLoop | None:
    if _leaves(loop.orelse):
        return None
    for node in ast.walk(loop):
        if isinstance(node, ast.stmt) and not isinstance(node, _STATEMENTS):
            return None
        if isinstance(node, _NOT_IN_LOOPS):
            return None
    gives = stored(loop) & names.after[id(loop)]
    takes = (exposed(loop) | gives) & local
    known = names.bound.get(id(loop))
    if known is None or not takes <= known or not stored(loop) <= local or (gives and id(loop) in names.fragile):
        return None
    ordered = sorted(takes, key=lambda name: (name != "self", name))  # only a first argument is taken for an object
    return OutlinedLoop(loop, tuple(ordered), tuple(sorted(gives)))


def _is_plain(source: Source) -> bool:
    """Whether names of the function mean what they do in a function with fewer of its statements."""
    inside = list(ast.walk(source.definition))
    if any(isinstance(n, ast.Nonlocal | ast.Global) for n in inside):
        return False
    return not _SEES_LOCALS.intersection((*loaded(source.definition), *source.function.__code__.co_freevars))


# ------------------------------------------------------------------------------------------------- functions


def function_of(nest: OutlinedLoop, source: Source) -> FunctionType:
    """A loop as a function of the names that it takes."""
    returned = [_name(name, nest.loop, ast.Load()) for name in nest.gives]
    body: list[ast.stmt] = [nest.loop]
    if returned:
        value = returned[0] if len(returned) == 1 else _at(ast.Tuple(returned, ast.Load()), nest.loop)
        body.append(_at(ast.Return(value), nest.loop))
    name = f"{source.name}_line_{nest.line}"
    definition = _definition(name, nest.takes, body, nest.loop)
    definition.returns = _at(ast.Constant(PYTHONS), nest.loop)
    function = _made(definition, source, {})
    function.__qualname__ = f"{source.function.__qualname__}.<loop in line {nest.line}>"
    function.__module__ = source.function.__module__
    remember_source(function, definition)
    return function


def outlined(
    source: Source,
    functions: Mapping[int, tuple[OutlinedLoop, Callable[..., Any]]],
    note: Callable[..., None] | None = None,
) -> FunctionType:
    """The function with these loops, given by their `id`, replaced by calls.

    note: is called before each other statement that does what others may see (`effects`).
    """
    definition = source.definition
    assert isinstance(definition, ast.FunctionDef)
    called = enumerate(functions.values())
    cells: dict[str, Callable[..., Any]] = {f"loop in line {nest.line}, {n}": call for n, (nest, call) in called}
    names = dict(zip(functions, cells))
    body = _replaced(definition.body, {key: (nest, names[key]) for key, (nest, _) in functions.items()})
    if note is not None:
        body = noting(body, Note(_NOTE, _NAMES, source.function, frozenset(cells)))
        cells[_NOTE], cells[_NAMES] = note, locals
    made = copy.copy(definition)
    made.body = [*_local_still(definition, [nest for nest, _ in functions.values()]), *body]
    function = _made(made, source, cells)
    function.__defaults__, function.__kwdefaults__ = source.function.__defaults__, source.function.__kwdefaults__
    function.__qualname__, function.__module__ = source.function.__qualname__, source.function.__module__
    return function


def _local_still(definition: ast.FunctionDef, gone: Sequence[OutlinedLoop]) -> list[ast.stmt]:
    """Never executed: keeps names local that only the loops which are gone assign; else globals would be read."""
    names = sorted(set[str]().union(*(stored(nest.loop) for nest in gone)))
    if not names:
        return []
    targets = [_name(name, definition, ast.Store()) for name in names]
    assign = _at(ast.Assign(targets, _at(ast.Constant(None), definition)), definition)
    return [_at(ast.If(_at(ast.Constant(False), definition), [assign], []), definition)]


def _replaced(body: list[ast.stmt], calls: Mapping[int, tuple[OutlinedLoop, str]]) -> list[ast.stmt]:
    return [_call(*calls[id(s)]) if id(s) in calls else _inside(s, calls) for s in body]


def _inside(statement: Any, calls: Mapping[int, tuple[OutlinedLoop, str]]) -> Any:
    """A statement with loops inside of it replaced; itself where there are none."""
    if not any(id(n) in calls for n in ast.walk(statement)):
        return statement
    made: Any = copy.copy(statement)
    for name in ("body", "orelse", "finalbody"):
        if getattr(made, name, None):
            setattr(made, name, _replaced(getattr(made, name), calls))
    for name in ("handlers", "cases"):
        if getattr(made, name, None):
            setattr(made, name, [_inside(part, calls) for part in getattr(made, name)])
    return made


def _call(nest: OutlinedLoop, function: str) -> Any:
    loop = nest.loop
    arguments = [_name(name, loop, ast.Load()) for name in nest.takes]
    call = _at(ast.Call(_name(function, loop, ast.Load()), arguments, []), loop)
    if not nest.gives:
        return _at(ast.Expr(call), loop)
    targets = [_name(name, loop, ast.Store()) for name in nest.gives]
    target = targets[0] if len(targets) == 1 else _at(ast.Tuple(targets, ast.Store()), loop)
    return _at(ast.Assign([target], call), loop)


def _definition(name: str, takes: Sequence[str], body: list[ast.stmt], place: ast.AST) -> Any:
    made = ast.parse("def name(): pass").body[0]
    assert isinstance(made, ast.FunctionDef)
    made.name, made.body = name, body
    made.args.args = [_at(ast.arg(n), place) for n in takes]
    return _at(made, place)


def _name(name: str, place: ast.AST, context: ast.expr_context) -> Any:
    return _at(ast.Name(name, context), place)


def _at(node: Any, place: ast.AST) -> Any:
    """`node` in the line of `place`."""
    line, column = getattr(place, "lineno", 1), getattr(place, "col_offset", 0)
    node.lineno = node.end_lineno = line
    node.col_offset = node.end_col_offset = column
    return node


def _made(definition: ast.FunctionDef, source: Source, cells: Mapping[str, Any]) -> FunctionType:
    """The function of a definition, in the place of `source`: same globals, same free variables, `cells` besides."""
    of, code = source.function, source.function.__code__
    free = {**dict(zip(code.co_freevars, of.__closure__ or ())), **{n: CellType(v) for n, v in cells.items()}}
    plain = copy.copy(definition)
    plain.decorator_list, plain.returns = [], None
    plain.args = copy.copy(definition.args)
    plain.args.defaults = [ast.Constant(None) for _ in definition.args.defaults]
    plain.args.kw_defaults = [d and ast.Constant(None) for d in definition.args.kw_defaults]
    if sys.version_info >= (3, 12):
        plain.type_params = []
    around = _definition("around", tuple(free), [plain], definition)
    flags = sum(f.compiler_flag for f in _FUTURE if f.compiler_flag & code.co_flags)
    module = ast.fix_missing_locations(ast.Module([around], type_ignores=[]))
    compiled = builtins.compile(module, source.filename, "exec", flags, dont_inherit=True)
    (outer,) = (c for c in compiled.co_consts if isinstance(c, CodeType))
    (inner,) = (c for c in outer.co_consts if isinstance(c, CodeType) and c.co_name == plain.name)
    made = FunctionType(inner, of.__globals__, plain.name, None, tuple(free[n] for n in inner.co_freevars))
    return made


__all__ = ["OutlinedLoop", "function_of", "nests", "outlined"]
