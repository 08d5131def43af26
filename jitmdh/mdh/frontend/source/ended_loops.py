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
