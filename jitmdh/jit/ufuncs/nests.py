"""Loop nests over the elements of arrays, made as functions that `@jit` compiles: the loops around a function.

A nest calls the user's function at each point, which inlines it. What it is refused for stands where the user's
function stands. Arrays come with the axes that they have: one that is broadcast along an axis has no subscript there.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import FunctionType
from typing import Any

from jitmdh.base.settings import config
from jitmdh.jit.compilation.options import Options
from jitmdh.jit.decorator import JitFunction, make
from jitmdh.mdh.frontend.source.capture import remember_source
from jitmdh.mdh.frontend.symbolic.operators import DeclaredOperator, pw

Axes = tuple[int, ...] | None
"""Which axes of a nest an operand has, in its own order; None: it is a number."""

Nest = JitFunction[..., Any] | FunctionType
_FUNCTION = "element"


def calling(function: FunctionType, operands: int) -> FunctionType:
    """A function that calls `function` once, which may be a lambda."""
    names = ", ".join(f"a{n}" for n in range(operands))
    return _made(f"def nest({names}):\n return {_FUNCTION}({names})", function, function)


class Nests:
    """The nests around one function, each made once."""

    def __init__(self, function: FunctionType, options: Options) -> None:
        self._function, self._options = function, options
        self._made: dict[Any, Nest] = {}
        self._compiles = not config.disable_jit

    def map(self, rank: int, operands: Sequence[Axes], results: int, masked: bool) -> Nest:
        """`results[i] = function(operands[i])` at all points of the results' axes; the mask is the last operand."""
        key = ("map", rank, tuple(operands), results, masked)
        return self._nest(key, lambda: _map(rank, operands, results, masked))

    def call(self, rank: int, operands: Sequence[tuple[Axes, int]], results: Sequence[int], returns: bool) -> Nest:
        """The function called with parts of arrays, the results' parts as last arguments, or assigned (`returns`).

        operands, results: and how many axes the parts have.
        """
        key = ("call", rank, tuple(operands), tuple(results), returns)
        return self._nest(key, lambda: _call(rank, operands, results, returns))

    def reduce(self, rank: int, masked: bool, operator: DeclaredOperator | None) -> Nest:
        """`out[i] = function(out[i], a[i, k])` for each k in order; in any order of an operator."""
        return self._nest(("reduce", rank, masked), lambda: _reduce(rank, masked), operator)

    def accumulate(self, rank: int) -> Nest:
        """`out[i, k] = function(out[i, k-1], a[i, k])` for each k but the first."""
        return self._nest(("accumulate", rank), lambda: _accumulate(rank))

    def _nest(self, key: Any, text: Callable[[], str], operator: DeclaredOperator | None = None) -> Nest:
        found = self._made.get(key)
        if found is None:
            found = self._made.setdefault(key, self._compiled(text(), operator))  # one of those of several threads
        return found

    def _compiled(self, text: str, operator: DeclaredOperator | None) -> Nest:
        function = _made(text, self._function, operator or self._function)
        if not self._compiles:
            return function
        options = self._options if operator is None else replace(self._options, combine={"k": pw(operator)})
        return make(function, options)


def _made(text: str, of: FunctionType, called: Callable[..., Any]) -> FunctionType:
    """The function of a text that calls `called`; it stands where `of` stands."""
    definition = ast.parse(text).body[0]
    assert isinstance(definition, ast.FunctionDef)
    code = of.__code__
    definition.name = of.__name__ if of.__name__.isidentifier() else "function"
    node: Any
    for node in ast.walk(definition):
        if hasattr(node, "lineno"):
            node.lineno = node.end_lineno = code.co_firstlineno
            node.col_offset = node.end_col_offset = 0
    space: dict[str, Any] = {"__builtins__": builtins, "__name__": of.__module__, _FUNCTION: called}
    exec(compile(ast.Module([definition], type_ignores=[]), code.co_filename, "exec"), space)
    function: FunctionType = space.pop(definition.name)
    remember_source(function, definition)
    function.__doc__ = of.__doc__
    return function


# ----------------------------------------------------------------------------------------------------------- texts


def _map(rank: int, operands: Sequence[Axes], results: int, masked: bool) -> str:
    arguments = [_at(f"a{n}", axes) for n, axes in enumerate(operands)]
    condition = [f"if {arguments.pop()}:"] if masked else []
    places = [_at(f"out{n}", tuple(range(rank))) for n in range(results)]
    statement = f"{', '.join(places)} = {_FUNCTION}({', '.join(arguments)})"
    return _text(len(operands), results, [*_loops(rank), *condition, statement])


def _call(rank: int, operands: Sequence[tuple[Axes, int]], results: Sequence[int], returns: bool) -> str:
    arguments = [_at(f"a{n}", axes) for n, (axes, _) in enumerate(operands)]
    parts = [_at(f"out{n}", tuple(range(rank))) for n in range(len(results))]
    if returns:
        statement = f"{', '.join(parts)} = {_FUNCTION}({', '.join(arguments)})"
    else:
        statement = f"{_FUNCTION}({', '.join([*arguments, *parts])})"
    return _text(len(operands), len(results), [*_loops(rank), statement])


def _reduce(rank: int, masked: bool) -> str:
    state, value = _at("out0", tuple(range(rank))), _at("a0", tuple(range(rank + 1)))
    condition = [f"if {_at('a1', tuple(range(rank + 1)))}:"] if masked else []
    loop = f"for k in range(a0.shape[{rank}]):"
    fold = f"{state} = {_FUNCTION}({state}, {value.replace(f'i{rank}', 'k')})"
    lines = [*_loops(rank), loop, *(c.replace(f"i{rank}", "k") for c in condition), fold]
    return _text(1 + masked, 1, lines)


def _accumulate(rank: int) -> str:
    before = ", ".join(f"i{axis}" for axis in range(rank))
    at, last = (f"[{before}, {k}]" if before else f"[{k}]" for k in ("k", "k - 1"))
    fold = f"out0{at} = {_FUNCTION}(out0{last}, a0{at})"
    return _text(1, 1, [*_loops(rank), f"for k in range(1, a0.shape[{rank}]):", fold])


def _text(operands: int, results: int, lines: Sequence[str]) -> str:
    """Each line inside of those before it."""
    names = [*(f"a{n}" for n in range(operands)), *(f"out{n}" for n in range(results))]
    body = "".join(f"{' ' * (depth + 1)}{line}\n" for depth, line in enumerate(lines))
    return f"def nest({', '.join(names)}):\n{body}"


def _loops(rank: int) -> list[str]:
    return [f"for i{axis} in range(out0.shape[{axis}]):" for axis in range(rank)]


def _at(name: str, axes: Axes) -> str:
    return f"{name}[{', '.join(f'i{axis}' for axis in axes)}]" if axes else name


__all__ = ["Axes", "Nest", "Nests", "calling"]
