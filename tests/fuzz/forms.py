"""Other forms of programs: flat subscripts, local arrays, loops that are left, `np.ndindex`, `for … else`, results
in tuples and lists within each other."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import replace

from tests.fuzz.program import Array, Program
from tests.laws.choices import Seeded

LOCALS = ("np.zeros(7)", "np.zeros(7, np.float32)", "np.ones(7, np.int64)", "np.full(7, 2.5)", "np.empty(7)")
LEFT = ("break", "continue", "return", "break", "continue")


def other_form(program: Program, choices: Seeded) -> Program:
    """The program in another form, or as it is where that one has no place."""
    tree = ast.parse(program.text)
    function = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "program")
    if choices.number(0, 3) == 0:
        return _flat(program, tree, function, choices)
    choices.pick((_local, _local, _left, _left, _counted_together, _otherwise, _grouped))(function, choices)
    return replace(program, text=ast.unparse(ast.fix_missing_locations(tree)) + "\n")


def _flat(program: Program, tree: ast.Module, function: ast.FunctionDef, choices: Seeded) -> Program:
    """`x[i, j]` becomes `x[i * w + j]`, with the length of a row as an argument."""
    shared = {a.of for a in program.arguments.values() if isinstance(a, Array)}
    known = [n for n, a in program.arguments.items()
             if isinstance(a, Array) and len(a.shape) == 2 and a.layout in ("C", "misaligned") and not a.of
             and n not in shared and _only_elements(function, n)]  # fmt: skip
    if not known or any(w in program.text for w in ("width", "prange")):
        return program
    name = choices.pick(known)
    array = program.arguments[name]
    assert isinstance(array, Array)
    for node in ast.walk(function):
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == name:
            assert isinstance(node.slice, ast.Tuple)
            row, column = node.slice.elts
            node.slice = ast.BinOp(ast.BinOp(row, ast.Mult(), ast.Name("width", ast.Load())), ast.Add(), column)
    function.args.args.append(ast.arg("width"))
    arguments = {
        **program.arguments,
        name: replace(array, shape=(array.shape[0] * array.shape[1],)),
        "width": str(array.shape[1]),
    }
    text = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    return replace(program, text=text, arguments=arguments)


def _only_elements(function: ast.FunctionDef, name: str) -> bool:
    inside = [n.value for n in ast.walk(function)
              if isinstance(n, ast.Subscript) and isinstance(n.slice, ast.Tuple) and len(n.slice.elts) == 2
              and not any(isinstance(e, ast.Slice) for e in n.slice.elts)]  # fmt: skip
    return all(n in inside for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == name)


def _loops(function: ast.FunctionDef) -> list[ast.For]:
    return [n for n in ast.walk(function) if isinstance(n, ast.For) and isinstance(n.target, ast.Name)]


def _places(function: ast.FunctionDef, fits: Callable[[ast.stmt], bool]) -> Iterator[tuple[ast.For, int]]:
    for loop in _loops(function):
        for at, statement in enumerate(loop.body):
            if fits(statement):
                yield loop, at


def _local(function: ast.FunctionDef, choices: Seeded) -> None:
    """A value goes through an array of the function's own, made in front of everything or in each iteration."""
    places = list(_places(function, lambda s: isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Subscript)))
    if not places:
        return
    loop, at = choices.pick(places)
    assert isinstance(loop.target, ast.Name)
    assign = loop.body[at]
    assert isinstance(assign, ast.Assign)
    name, cell = f"local{choices.number(0, 9)}", f"{loop.target.id} % 7" if choices.number(0, 1) else "3"
    stored = ast.parse(f"{name}[{cell}] = 0").body[0]
    assert isinstance(stored, ast.Assign)
    stored.value, assign.value = assign.value, ast.parse(f"{name}[{cell}]", mode="eval").body
    if choices.number(0, 3) == 0:
        target = stored.targets[0]
        assert isinstance(target, ast.Subscript)
        loop.body.insert(at, ast.AugAssign(target, ast.Add(), stored.value))
    else:
        loop.body.insert(at, stored)
    made = ast.parse(f"{name} = {choices.pick(LOCALS)}").body[0]
    (function.body if choices.number(0, 1) else loop.body).insert(0, made)


def _left(function: ast.FunctionDef, choices: Seeded) -> None:
    """A loop that is left under a condition."""
    places = list(_places(function, lambda _: True))
    if not places:
        return
    loop, at = choices.pick(places)
    assert isinstance(loop.target, ast.Name)
    reads = [n for n in ast.walk(loop) if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Load)]
    what = ast.unparse(choices.pick(reads)) if reads and choices.number(0, 1) else loop.target.id
    test = f"{what} {choices.pick(('>', '==', '<', '>='))} {choices.pick((0, 1, 2, 3))}"
    loop.body.insert(at, ast.parse(f"if {test}:\n    _").body[0])
    inserted = loop.body[at]
    assert isinstance(inserted, ast.If)
    word = choices.pick(LEFT)
    inserted.body = [{"break": ast.Break, "continue": ast.Continue, "return": ast.Return}[word]()]


def _counted_together(function: ast.FunctionDef, choices: Seeded) -> None:
    """`for i in range(n): for j in range(m):` becomes `for i, j in np.ndindex(n, m):`."""
    nests = [(a, b) for a in _loops(function) if len(a.body) == 1
             and isinstance(b := a.body[0], ast.For) and isinstance(b.target, ast.Name) and not b.orelse
             and all(_plain_range(l.iter) for l in (a, b))]  # fmt: skip
    if not nests:
        return
    outer, inner = choices.pick(nests)
    assert isinstance(outer.iter, ast.Call) and isinstance(inner.iter, ast.Call)
    outer.target = ast.Tuple([outer.target, inner.target], ast.Store())
    called = ast.parse("np.ndindex()", mode="eval").body
    assert isinstance(called, ast.Call)
    called.args = [outer.iter.args[0], inner.iter.args[0]]
    outer.iter, outer.body = called, inner.body


def _plain_range(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range" and (
        len(node.args) == 1)  # fmt: skip


def _otherwise(function: ast.FunctionDef, choices: Seeded) -> None:
    """`else` of a loop: once more what one of its iterations does."""
    loops = [l for l in _loops(function) if not l.orelse and not isinstance(l.body[-1], ast.For)]
    if loops:
        loop = choices.pick(loops)
        loop.orelse = [copy.deepcopy(loop.body[-1])]


def _grouped(function: ast.FunctionDef, choices: Seeded) -> None:
    """What is returned stands in tuples and lists, some in others; where nothing is, some of the arguments do."""
    returns = [n for n in ast.walk(function) if isinstance(n, ast.Return)]
    if not returns:
        names: list[ast.expr] = [ast.Name(a.arg, ast.Load()) for a in function.args.args]
        returns = [ast.Return(ast.Tuple(names[: choices.number(1, 3)], ast.Load()))]
        function.body += returns
    for node in returns:
        if node.value is not None:
            values = node.value.elts if isinstance(node.value, ast.Tuple | ast.List) else [node.value]
            node.value = _group(list(values), choices, 2)


def _group(values: list[ast.expr], choices: Seeded, depth: int) -> ast.expr:
    """All of the values, in a tuple or a list; some of them in others within it, so many deep at most."""
    at, upto = sorted((choices.number(0, len(values)), choices.number(0, len(values))))
    if depth and (at < upto or choices.number(0, 3) == 0):
        values = [*values[:at], _group(values[at:upto], choices, depth - 1), *values[upto:]]
    return choices.pick((ast.Tuple, ast.Tuple, ast.List))(values, ast.Load())
