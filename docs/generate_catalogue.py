"""Writes docs/catalogue.md: the computations of the thesis's Figure 20 through each front end, from docs/figure20.

`python docs/generate_catalogue.py` rewrites the page.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from inspect import getsource
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from docs.figure20 import SUBFIGURES
from docs.figure20.row import Row
from jitmdh.base.dtype import from_numpy
from jitmdh.mdh.frontend.symbolic.operators import DeclaredOperator

PAGE = Path(__file__).with_name("catalogue.md")

HEAD = """# Catalogue

<!-- Written by docs/generate_catalogue.py; a test compares. -->

Every computation of the thesis's Figure 20 in each way it can be written here: as a [loop nest](loops.md), as an
[expression on whole arrays](arrays.md) where that is natural, and as the [explicit representation](explicit.md). Tests
check that all of them lead to the one expression that stands first, and to the results of Python. Sizes are small ones
that divide nothing; any others do as well.

In expressions `++` is concatenation, `•(⊕)` combines point by point, `ps(⊕)` is a prefix sum. The loop nests and the
array functions are decorated by `@mdh.jit`.
"""


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    for number, subfigure in enumerate(SUBFIGURES, 1):
        parts.append(f"## {number}. {subfigure.TITLE}\n")
        for function in getattr(subfigure, "SHARED", ()):
            parts.append(f"```python\n{getsource(function).rstrip()}\n```\n")
        parts += [section(row) for row in subfigure.ROWS]
    return "\n".join(parts)


def section(row: Row) -> str:
    type = from_numpy(np.dtype("float32" if "float32" in row.types else row.types[0]))
    lines = [f"### {row.name}\n", f"{row.text}\n", "```text", str(row.computation(type)), "```\n"]
    for title, function in (("Loop nest", row.loops), ("Whole arrays", row.arrays), ("Explicit", row.explicit)):
        if function is not None:
            lines += [f"{title}:\n", "```python", source(function), "```\n"]
    if row.several:
        lines.append(f"On whole arrays these are several expressions: {row.several}.\n")
    return "\n".join(lines)


def source(function: Callable[..., Any]) -> str:
    """A function as it is written, behind what it uses of its own module."""
    return "\n\n\n".join(text.rstrip() for text in dict.fromkeys(sources(function)))


def sources(function: Callable[..., Any]) -> Iterator[str]:
    if function.__closure__ is not None:  # made by a shared function, of index functions
        yield made_by(function)
        return
    text = getsource(function)
    (definition,) = ast.parse(text).body
    used = {node.id for node in ast.walk(definition) if isinstance(node, ast.Name)}
    used -= {node.name for node in ast.walk(definition) if isinstance(node, ast.FunctionDef)}
    for name, value in vars(sys.modules[function.__module__]).items():
        if name not in used:
            continue
        if isinstance(value, DeclaredOperator):
            yield getsource(value.py_func)
        elif isinstance(value, FunctionType) and value.__module__ == function.__module__ and value is not function:
            yield from sources(value)
        elif isinstance(value, int):
            yield f"{name} = {value}"
    yield text


def made_by(function: Callable[..., Any]) -> str:
    """The statement that calls the maker of `function`."""
    module = sys.modules[function.__module__]
    name = next(n for n, value in vars(module).items() if value is function)
    return next(line for line in getsource(module).splitlines() if line.startswith(f"{name} = "))


if __name__ == "__main__":
    PAGE.write_text(page())
