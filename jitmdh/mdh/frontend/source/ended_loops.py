"""`else` of loops that leaves a loop around, or the function: written behind the loop.

for j in row:                       ended = False
    if bad(j):                      for j in row:
        break                           if bad(j):
else:                       ->              break
    continue                        else:
count += 1                              ended = True
                                    if ended:
                                        continue
                                    count += 1

What `continue` skips, and who returns, then follows from conditions, which all statements have. Behind a loop that
nothing breaks, the statements of `else` stand as they are.

And names that both `else` and what stands before each `break` give a value have the former before the loop:

for i in range(n):                  at = -1
    if x[i] > t:                    for i in range(n):
        at = i                ->        if x[i] > t:
        break                               at = i
else:                                       break
    at = -1
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

_OWN_SCOPE = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def without_leaving_else(tree: ast.AST) -> None:
    """Changes the tree in place; positions stay."""
    _Behind().visit(tree)


class _Behind(ast.NodeTransformer):
    def visit_For(self, node: ast.For | ast.While) -> Any:
        self.generic_visit(node)
        first = [s for s in node.orelse if _may_come_before(s, node)]
        if first:
            node.orelse = [s for s in node.orelse if s not in first]
            return [*first, node] if not node.orelse else [*first, *_as_list(self.behind(node))]
        return self.behind(node)

    def behind(self, node: ast.For | ast.While) -> Any:
        if not _leaves(node.orelse):
            return node
        behind, first = node.orelse, node.orelse[0]
        if not any(isinstance(s, ast.Break) for s in _of_the_loop_around(node.body)):
            node.orelse = []
            return [node, *behind]
        name = f"__ended_{node.lineno}_{node.col_offset}"
        node.orelse = [_set(name, True, first)]
        test = ast.copy_location(ast.Name(name, ast.Load()), first)
        return [_set(name, False, node), node, ast.copy_location(ast.If(test, behind, []), first)]

    visit_While: Any = visit_For


def _as_list(found: Any) -> list[ast.stmt]:
    return found if isinstance(found, list) else [found]


def _may_come_before(statement: ast.stmt, loop: ast.For | ast.While) -> bool:
    """Whether a statement of `else` gives a name a value that the loop has no say in, and every `break` another one."""
    match statement:
        case ast.Assign([ast.Name(name)], ast.Constant() | ast.UnaryOp(ast.USub() | ast.Not(), ast.Constant())):
            pass
        case _:
            return False
    others = [*loop.body, *(s for s in loop.orelse if s is not statement)]
    head: list[ast.AST] = [loop.iter, loop.target] if isinstance(loop, ast.For) else [loop.test]
    uses = [n for s in (*head, *others) for n in ast.walk(s) if isinstance(n, ast.Name) and n.id == name]
    given: list[ast.expr] = []
    for block in _blocks_of_the_loop_around(loop.body):
        if any(isinstance(s, ast.Break) for s in block):
            before = [s for s in block if isinstance(s, ast.Assign) and _is_of(s, name)]
            if len(before) != 1 or not isinstance(block[-1], ast.Break):
                return False
            given += before[0].targets
    return bool(given) and all(use in given for use in uses)


def _is_of(statement: ast.Assign, name: str) -> bool:
    return (
        len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name) and statement.targets[0].id == name
    )


def _blocks_of_the_loop_around(body: list[ast.stmt]) -> Iterator[list[ast.stmt]]:
    """The lists of statements in which a `break` would leave the loop around `body`."""
    yield body
    for s in body:
        for name in ("orelse",) if isinstance(s, ast.For | ast.While) else ("body", "orelse", "finalbody"):
            if inner := getattr(s, name, None):
                yield from _blocks_of_the_loop_around(inner)
        for handler in (*getattr(s, "handlers", ()), *getattr(s, "cases", ())):
            yield from _blocks_of_the_loop_around(handler.body)


def _set(name: str, value: bool, at: ast.stmt) -> ast.stmt:
    target, constant = ast.Name(name, ast.Store()), ast.Constant(value)
    for node in (target, constant):
        ast.copy_location(node, at)
    return ast.copy_location(ast.Assign([target], constant), at)


def _leaves(body: list[ast.stmt]) -> bool:
    """Whether statements end a loop around them, its iteration, or the function."""
    leaving = any(isinstance(s, ast.Break | ast.Continue) for s in _of_the_loop_around(body))
    return leaving or any(isinstance(s, ast.Return) for s in _inside(body))


def _of_the_loop_around(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """The statements whose `break` and `continue` are of the loop around `body`."""
    for node in body:
        if isinstance(node, ast.For | ast.While):
            yield from _of_the_loop_around(node.orelse)
        elif not isinstance(node, _OWN_SCOPE):
            yield node
            yield from _of_the_loop_around(ast.iter_child_nodes(node))


def _inside(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    for node in body:
        if not isinstance(node, _OWN_SCOPE):
            yield node
            yield from _inside(ast.iter_child_nodes(node))
