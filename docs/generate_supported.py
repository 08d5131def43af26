"""Writes docs/supported.md, the Python and NumPy that compile, and the table of errors in docs/numerics.md.

Both come from the tables that the compiler uses. `python docs/generate_supported.py` rewrites them.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from jitmdh.mdh.algebra.operations.scalar_op import ScalarOp
from jitmdh.mdh.algebra.operations.table import ROWS
from jitmdh.mdh.algebra.parts.complex_numbers import refusal
from jitmdh.mdh.frontend.arrays import compositions
from jitmdh.mdh.frontend.arrays import functions as array_functions
from jitmdh.mdh.frontend.interpreter import expressions, scalar_functions, statements
from jitmdh.mdh.frontend.interpreter.builtins import BUILTINS, CONVERSIONS
from jitmdh.mdh.frontend.python.allocations import ALLOCATING
from jitmdh.mdh.frontend.source.random_calls import PARAMETERS

PAGE = Path(__file__).with_name("supported.md")
NUMERICS = Path(__file__).with_name("numerics.md")
BOUNDS = re.compile(r"(?<=<!-- written by docs/generate_supported\.py -->\n).*?(?=<!-- end -->)", re.DOTALL)

HEAD = """# Supported Python and NumPy

<!-- Written by docs/generate_supported.py from the tables of the compiler; a test compares. -->

What stands here is compiled to native code. Everything else is refused with its place and a reason, or
[left to Python](errors.md) where you say so. How loops are understood: [loops](loops.md); whole arrays:
[arrays](arrays.md).
"""


def page() -> str:
    return "".join(
        [
            HEAD,
            section("Statements", "", rows(nodes(statements, ast.stmt), STATEMENTS)),
            section("Expressions", "", rows(nodes(expressions, ast.expr), EXPRESSIONS)),
            section("Functions of Python", "", listed((*BUILTINS, *CONVERSIONS))),
            section(
                "Functions of numbers",
                "Of numbers in loops, and of the elements of whole arrays; NumPy's take `out` and `where`. Kinds of "
                "types: **b**ool, **i**nteger, **u**nsigned, **f**loat, **c**omplex; others become these.\n"
                "The error is the largest one, in units in the last place, of float32 and float64; – is exact.",
                functions(),
            ),
            section("New arrays", "", listed(map(short, ALLOCATING))),
            section("Functions of whole arrays", "", signatures({**array_functions.CALLABLE, **composed()})),
            section(
                "Random numbers",
                "Functions of `np.random`, `np.random.default_rng(seed)`, and methods of generators, which may be "
                "arguments: [what they mean](arrays.md#random-numbers).",
                listed(f"{name}({', '.join(taken) or 'd0, …'})" for name, taken in PARAMETERS.items()),
            ),
            section("Methods of arrays", "", signatures({**array_functions.METHODS, **composed_methods()})),
        ]
    )


def composed() -> dict[str, tuple[str, ...]]:
    return {name: compositions.parameters(own) for name, own in compositions.COMPOSED.items()}


def composed_methods() -> dict[str, tuple[str, ...]]:
    return {name: compositions.parameters(own) for name, own in compositions.METHODS.items()}


def section(title: str, text: str, body: str) -> str:
    return f"\n## {title}\n\n" + (f"{text}\n\n" if text else "") + body


def functions() -> str:
    lines = ["| NumPy | `math` | types | error |", "|---|---|---|---|"]
    for row in ROWS:
        if row.numpy or row.math is not None:
            lines.append(f"| {names('np', row.numpy)} | {math_name(row)} | {kinds(row)} | {bound(row)} |")
    known = {name for row in ROWS for name in row.numpy}
    formulas = sorted(scalar_functions.FORMULAS.keys() - known | scalar_functions.MATH_FORMULAS.keys())
    for name in formulas:
        of_numpy = f"`np.{name}`" if name in scalar_functions.FORMULAS else ""
        of_math = f"`math.{name}`" if name in scalar_functions.MATH_FORMULAS else ""
        lines.append(f"| {of_numpy} | {of_math} | | formula |")
    return "\n".join(lines) + "\n"


def names(module: str, found: tuple[str, ...]) -> str:
    return ", ".join(f"`{module}.{name}`" for name in found)


def math_name(row: ScalarOp) -> str:
    return "" if row.math is None else f"`math.{row.math.name}`"


def kinds(row: ScalarOp) -> str:
    return row.kinds.replace("c", "") if refusal(row.name) else row.kinds


def bound(row: ScalarOp) -> str:
    return "–" if row.units is None else f"{row.units[0]}, {row.units[1]}"


def listed(found: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(found)) + "\n"


def short(name: str) -> str:
    return name.replace("numpy.", "np.").replace("jitmdh.", "mdh.")


def signatures(found: Mapping[str, tuple[str, ...]]) -> str:
    lines = ["| name | further arguments |", "|---|---|"]
    lines += [f"| `{short(name)}` | {', '.join(f'`{p}`' for p in found[name])} |" for name in sorted(found)]
    return "\n".join(lines) + "\n"


# ---------------------------------------------------------------------------------------------------- syntax


def nodes(module: object, kind: type[ast.AST]) -> set[str]:
    """Names of the nodes of syntax of a kind that the functions of a module tell apart by `case`."""
    tree = ast.parse(inspect.getsource(module))  # type: ignore[arg-type]
    return {
        part.cls.attr
        for part in ast.walk(tree)
        if isinstance(part, ast.MatchClass)
        and isinstance(part.cls, ast.Attribute)
        and isinstance(part.cls.value, ast.Name)
        and part.cls.value.id == "ast"
        and issubclass(getattr(ast, part.cls.attr), kind)
    }


STATEMENTS = {
    "Assign": "assignments: `x = …`, `a = b = …`, `a, b = …`, `x[i, j] = …`, `x[1:-1] = …`, `x[mask] = …`",
    "AnnAssign": "assignments with a type: `x: float = …`",
    "AugAssign": "updates: `x += …`, `x[i] *= …`, `x[1:-1] -= …`, `hist[bins[i]] += …`",
    "For": "`for`, over what [loops](loops.md) lists",
    "While": "`while`",
    "If": "`if`, `elif`, `else`",
    "Continue": "`continue`",
    "Break": "`break`",
    "Return": "`return` of arrays, numbers and tuples of them",
    "Expr": "calls of functions whose result is not used; docstrings",
    "Import": "`import`, and `from … import`, of modules that are loaded already",
    "ImportFrom": "",
    "Pass": "`pass`",
    "Raise": "`raise`, of exceptions of Python and of your own",
    "Assert": "`assert`",
    "Delete": "`del name`",
    "FunctionDef": "functions inside of functions",
    "With": "`with`",
}
EXPRESSIONS = {
    "Constant": "numbers, `True`, `False`, `None`, and strings where a function takes them",
    "Name": "names: of arguments, locals, and of numbers, tuples, functions and modules from around the function",
    "BinOp": "`+`, `-`, `*`, `/`, `//`, `%`, `**`, `@`, `&`, `|`, `^`, `<<`, `>>`",
    "UnaryOp": "`-x`, `+x`, `~x`, `not x`",
    "BoolOp": "`and`, `or`",
    "Compare": "`==`, `!=`, `<`, `<=`, `>`, `>=`, in chains too",
    "IfExp": "`a if c else b`",
    "Tuple": "tuples",
    "List": "lists whose elements are known one by one",
    "Subscript": "subscripts: `x[i, j]`, `x[2 * i + 1]`, `x[i]` for a row, slices, `x[…, None]`, `x[index[i]]`",
    "Attribute": "`x.shape`, `x.size`, `x.ndim`, `x.dtype`, `x.T`, `z.real`, `z.imag`; fields of records; modules",
    "Call": "calls: of the functions below, and of plain Python functions, which are inlined",
    "Lambda": "`lambda`",
    "ListComp": "comprehensions whose elements are known one by one, and of any length in `np.array([…])`",
    "GeneratorExp": "`sum`, `max`, `min`, `any` and `all` of comprehensions and generator expressions",
    "Starred": "`*x` in calls",
}
"""What a node of syntax stands for; those appear on the page that the front end has a case for."""


def rows(found: set[str], meaning: Mapping[str, str]) -> str:
    missing = found - meaning.keys()
    assert not missing, f"say what {missing} stand for"
    return "".join(f"- {meaning[name]}\n" for name in meaning if name in found and meaning[name])


# -------------------------------------------------------------------------------------------------- numerics


def errors() -> str:
    """The table of errors, functions with the same bounds in one row."""
    together: dict[tuple[float, float], list[str]] = {}
    for row in ROWS:
        if row.units is not None:
            together.setdefault(row.units, []).append(f"`{row.name}`")
    lines = ["| function | float32 | float64 |", "|---|---|---|"]
    lines += [f"| {', '.join(names)} | {single} | {double} |" for (single, double), names in together.items()]
    return "\n" + "\n".join(lines) + "\n\n"


def numerics() -> str:
    text = NUMERICS.read_text(encoding="utf-8")
    assert len(BOUNDS.findall(text)) == 1
    return BOUNDS.sub(lambda _: errors(), text)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    NUMERICS.write_text(numerics(), encoding="utf-8")
