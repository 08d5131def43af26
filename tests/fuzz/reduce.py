"""Programs made smaller as long as they still fail: statements, loops, terms, arguments, sizes, values."""

from __future__ import annotations

import ast
import copy
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from tests.fuzz.program import Array, Program


def reduced(program: Program, fails: Callable[[Program], bool], seconds: float = 120.0) -> Program:
    """The smallest program found by single changes in this time, for each of which `fails` holds."""
    end = time.monotonic() + seconds
    tried: set[str] = set()
    again = True
    while again and time.monotonic() < end:
        again = False
        for candidate in candidates(program):
            key = repr(candidate)
            if key in tried:
                continue
            tried.add(key)
            if time.monotonic() > end:
                break
            if fails(candidate):
                program, again = candidate, True
                break
    return program


def candidates(program: Program) -> Iterator[Program]:
    """Programs that are a little smaller, those with the larger changes first."""
    for n in range(len(program.options)):
        if len(program.options) > 1:
            yield replace(program, options=(program.options[n],))
    for changes in (_without_statements, _without_blocks, _without_terms):
        for text in _texts(program.text, changes):
            yield replace(program, text=text)
    yield from _without_arguments(program)
    for name, argument in program.arguments.items():
        for made in _numbers(argument) if isinstance(argument, str) else _arrays(argument):
            yield replace(program, arguments={**program.arguments, name: made})
    for n in range(len(program.options)):
        for name in program.options[n]:
            if program.options[n].get("algebra"):
                continue  # compiled it fails in other ways, and takes long
            rest = {k: v for k, v in program.options[n].items() if k != name}
            yield replace(program, options=(*program.options[:n], rest, *program.options[n + 1 :]))


# ------------------------------------------------------------------------------------------------- texts


Change = Callable[[], None]


def _texts(text: str, changes: Callable[[ast.Module], Iterator[Change]]) -> Iterator[str]:
    """The text after each of the changes alone."""
    for n in range(sum(1 for _ in changes(ast.parse(text)))):
        tree = ast.parse(text)
        for k, change in enumerate(changes(tree)):
            if k == n:
                change()
                break
        found = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
        if found != text and _is_python(found):
            yield found


def _is_python(text: str) -> bool:
    try:
        compile(text, "", "exec")
    except SyntaxError:
        return False
    return True


def _blocks(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        for name in ("body", "orelse"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block:
                yield block


def _without_statements(tree: ast.Module) -> Iterator[Change]:
    for block in list(_blocks(tree)):
        for n in range(len(block)):
            needed = isinstance(block[n], ast.FunctionDef) and getattr(block[n], "name", "") == "program"
            if not needed and (len(block) > 1 or block in [getattr(p, "orelse", None) for p in ast.walk(tree)]):
                yield lambda block=block, n=n: block.__delitem__(n)  # type: ignore[misc]


def _without_blocks(tree: ast.Module) -> Iterator[Change]:
    """`if c: body` becomes its body, a loop one round of it, one of several targets all that is assigned."""
    for block in list(_blocks(tree)):
        for n, node in enumerate(block):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
                pairs = zip(node.targets[0].elts, node.value.elts) if isinstance(node.value, ast.Tuple) else ()
                for target, value in pairs:
                    one = ast.Assign([target], value)
                    yield lambda block=block, n=n, one=one: block.__setitem__(n, one)  # type: ignore[misc]
            if isinstance(node, ast.For | ast.While | ast.If):
                kept: list[ast.stmt] = list(node.body)
                if isinstance(node, ast.For):
                    kept.insert(0, ast.Assign([node.target], ast.Constant(0)))
                yield lambda block=block, n=n, kept=kept: block.__setitem__(slice(n, n + 1), kept)  # type: ignore[misc]
                if isinstance(node, ast.If) and node.orelse:
                    yield lambda block=block, n=n, node=node: block.__setitem__(slice(n, n + 1), node.orelse)  # type: ignore[misc]


def _without_terms(tree: ast.Module) -> Iterator[Change]:
    """Expressions become one of their parts, or 1."""
    for node in ast.walk(tree):
        for name, value in ast.iter_fields(node):
            if name == "value" and isinstance(node, ast.Subscript):
                continue
            if isinstance(value, ast.expr) and not isinstance(getattr(value, "ctx", None), ast.Store):
                for part in _parts(value):
                    yield lambda node=node, name=name, part=part: setattr(node, name, copy.deepcopy(part))  # type: ignore[misc]
            elif isinstance(value, list):
                for n, item in enumerate(value):
                    if isinstance(item, ast.expr) and not isinstance(getattr(item, "ctx", None), ast.Store):
                        for part in _parts(item):
                            yield lambda value=value, n=n, part=part: value.__setitem__(n, copy.deepcopy(part))  # type: ignore[misc]


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.Constant) or (
        isinstance(node, ast.Attribute) and not isinstance(node.value, ast.Subscript)
    ):
        return
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
        if len(node.args) > 1:
            yield ast.Call(node.func, [node.args[1]], [])
        if len(node.args) > 2:
            yield ast.Call(node.func, node.args[:2], [])
        return
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr) and not isinstance(node, ast.Subscript | ast.Attribute | ast.Name):
            yield child
    if not isinstance(node, ast.Slice | ast.Tuple):
        yield ast.Constant(1)


# ------------------------------------------------------------------------------------------------- arguments


def _without_arguments(program: Program) -> Iterator[Program]:
    tree = ast.parse(program.text)
    function = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "program")
    used = {n.id for n in ast.walk(function) if isinstance(n, ast.Name)}
    shared = {a.of for a in program.arguments.values() if isinstance(a, Array)}
    unused = [n for n in program.arguments if n not in used and n not in shared]
    if unused:
        function.args.args = [a for a in function.args.args if a.arg not in unused]
        rest = {n: a for n, a in program.arguments.items() if n not in unused}
        yield replace(program, text=ast.unparse(tree) + "\n", arguments=rest)


def _numbers(text: str) -> Iterator[str]:
    """Numbers of the same type that are nearer to 1."""
    head, _, rest = text.rpartition("(")
    plain = rest.rstrip(")")
    for simple in ("0", "1", "2"):
        if plain != simple:
            yield f"{head}({simple})" if head else simple
    if not head and plain.lstrip("-").isdigit() and abs(int(plain)) > 3:
        yield str(int(plain) // 2)
        yield str(int(plain) - 1)


def _arrays(a: Array) -> Iterator[Array]:
    if a.layout != "C":
        yield replace(a, layout="C")
    if a.of:
        yield replace(a, of="", shift=0)
        if a.shift:
            yield replace(a, shift=0)
    for fill in ("ones", "zeros", "small"):
        if a.fill not in ("ones", "zeros", fill):
            yield replace(a, fill=fill)
    for axis, n in enumerate(a.shape):
        for smaller in dict.fromkeys((n // 2, n - 1)):
            if 0 <= smaller < n:
                yield replace(a, shape=(*a.shape[:axis], smaller, *a.shape[axis + 1 :]))
    if a.seed > 0:
        yield replace(a, seed=0)
    if a.dtype != "float64" and not a.dtype.startswith("["):
        yield replace(a, dtype="float64")


def alike(found: dict[str, Any], wanted: dict[str, Any]) -> bool:
    """Whether two programs failed in the same way."""
    return bool({_sort(d) for d in found["differences"]} & {_sort(d) for d in wanted["differences"]})


def _sort(difference: list[str]) -> str:
    """internal errors: by what was raised and said; values: by whether only signs of zeros differ."""
    kind, _, words = difference
    if kind == "values":
        return f"{kind} {': sign' in words}"
    return f"{kind} {words.splitlines()[0][:90]}" if kind == "internal" and words else str(kind)
