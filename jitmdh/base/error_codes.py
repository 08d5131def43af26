"""The code of each error, such as MDH113: what stands in its message, and what the page `docs/error_codes.md` lists.

A code never changes its meaning and is never given to another reason. 1xx: the decorated program; 2xx: a call; 3xx: an
option, setting or space; 4xx: the machine; 9xx: a bug of ours.
"""

from __future__ import annotations

import ast

from jitmdh.base.records import dataclass


@dataclass(frozen=True, slots=True)
class Code:
    """A row of the page: what the code says, and what to do about it."""

    name: str
    title: str
    remedy: str


_ROWS = (
    Code("MDH100", "something is not legal", "The message says what."),
    Code("MDH101", "the function cannot be compiled", "See [what is supported](supported.md)."),
    Code("MDH110", "an assignment is not supported", "Assign to a name, an element or a slice of an array argument."),
    Code("MDH111", "a statement is not supported", "Move it out of the function, or leave it to `fallback`."),
    Code("MDH112", "a loop cannot be compiled", "See [loops](loops.md); bounds are affine, or read from arrays."),
    Code("MDH113", "a function or method cannot be called", "See [supported functions](supported.md)."),
    Code("MDH114", "a subscript cannot be compiled", "See [arrays](arrays.md) and [indirect access](indirect.md)."),
    Code("MDH115", "an expression is not supported", "The hint names an expression that is."),
    Code("MDH116", "a name or an attribute cannot be used so", "Pass it as an [argument](arguments.md)."),
    Code("MDH117", "a return is not supported", "Return new arrays, numbers, or tuples of them."),
    Code("MDH121", "a name is bound to nothing", "It is a typing mistake, or an import is missing."),
    Code("MDH122", "there is no such attribute", "It is a typing mistake; the hint names the nearest."),
    Code("MDH123", "compiled code would mean something else", "Declare what is meant, as the hint says."),
    Code("MDH124", "the number that an argument is decides about the code", 'Name it in `static=("…",)`.'),
    Code("MDH125", "the function is too large or too deeply nested", "Divide it into several decorated functions."),
    Code("MDH126", "the source of the function cannot be found or read", "Define it in a file or a notebook cell."),
    Code("MDH127", "the explicit representation is not well-formed", "See [the explicit representation](explicit.md)."),
    Code("MDH131", "two tensors of a formula have one name", "See [tensors](tensor.md)."),
    Code("MDH132", "a formula uses a name that nothing declares", "Declare it: `var name : [extents]`."),
    Code("MDH133", "a formula assigns to a name that nothing declares", "Declare it: `var name : [extents]`."),
    Code("MDH134", "the sides of an assignment of tensors do not fit", "The message names both, with their shapes."),
    Code("MDH135", "tensors of a formula do not fit together", "The message names both, with their shapes."),
    Code("MDH201", "an argument has a type, dtype or rank that does not fit", "Convert it before the call."),
    Code("MDH202", "an argument has a value or shape that does not fit", "The message says which is expected."),
    Code("MDH211", "a subscript leaves its array", "Change the bounds of the loop, or the array's shape."),
    Code("MDH212", "a local variable has no value where it is used", "Assign to it before the branch or loop."),
    Code("MDH213", "a division or remainder by zero", "As in Python: test the divisor first."),
    Code("MDH214", "a number that its type cannot hold", "Use a wider type."),
    Code("MDH215", "a matrix is singular, or not positive definite", "As in NumPy: test it first, or use lstsq."),
    Code("MDH301", "an option, setting, schedule or search space is not legal", "The hint names what is."),
    Code("MDH302", "a transformation of a loop nest is not legal", "The hint names what is."),
    Code("MDH401", "this machine lacks something", "The message names the missing driver, file or permission."),
    Code("MDH402", "there is not enough memory", "Use smaller arrays, or fewer of them at a time."),
    Code("MDH901", "a bug in jitmdh", "Please report it, with the file that the message names."),
)  # fmt: skip
CODES = {row.name: row for row in _ROWS}

CANNOT_BE_READ = "MDH126"
EXPLICIT = "MDH127"

_BY_CONSTRUCT: tuple[tuple[type[ast.AST] | tuple[type[ast.AST], ...], str], ...] = (
    ((ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Delete), "MDH110"),
    ((ast.For, ast.While, ast.Break, ast.Continue, ast.comprehension), "MDH112"),
    (ast.Return, "MDH117"),
    (ast.stmt, "MDH111"),
    ((ast.Call, ast.keyword), "MDH113"),
    ((ast.Subscript, ast.Slice), "MDH114"),
    ((ast.Name, ast.Attribute), "MDH116"),
    (ast.expr, "MDH115"),
)


def of_construct(node: ast.AST) -> str:
    """The code for what stands at a node of the program and cannot be compiled: by the kind of construct it is.

    >>> of_construct(ast.parse("x[0]", mode="eval").body), of_construct(ast.parse("import os").body[0])
    ('MDH114', 'MDH111')
    """
    return next((code for kind, code in _BY_CONSTRUCT if isinstance(node, kind)), "MDH101")
