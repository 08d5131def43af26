"""Refusals that would be none if the number that an argument is were known: the function is then traced for it."""

from __future__ import annotations

import ast
from typing import NoReturn

from jitmdh.base.errors import ArgumentNeededError
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import IndexValue, Operation, Scalar
from jitmdh.mdh.frontend.python.tracer import SymbolicValue, Tracer


def argument(t: Tracer, value: SymbolicValue) -> str:
    """The name of the argument that a number is, or nothing."""
    if not isinstance(value, IndexValue) or value.index.constant or len(value.index.terms) != 1:
        return ""
    ((name, factor),) = value.index.terms
    return name if factor == 1 and name in _arguments(t) else ""


def require_known(t: Tracer, node: ast.AST, text: str, argument: str, reason: str = "") -> NoReturn:
    """Asks for the number that `argument` is."""
    needed = ArgumentNeededError(
        text, reason=reason, loc=t.loc(node), hint=f'make it part of the code: static=("{argument}",)'
    )
    needed.argument = argument
    raise needed


def one_of(t: Tracer, index: Affine) -> str:
    """An argument that `index` is made of, or nothing."""
    known = _arguments(t)
    return next((name for name in index.names if name in known), "")


def factor(t: Tracer, value: Scalar) -> str:
    """An argument, without which `value` is no sum of constant multiples of indices and sizes; or nothing."""
    match value:
        case Operation("mul", (left, right)):
            among = (*_names(left), *_names(right))
        case Operation(_, operands):
            return next((found for o in operands if (found := factor(t, o))), "")
        case _:
            return ""
    known = _arguments(t)
    return next((name for name in among if name in known), "")


def _names(value: Scalar) -> tuple[str, ...]:
    match value:
        case IndexValue(index):
            return index.names
        case Operation(_, operands):
            return tuple(name for o in operands for name in _names(o))
        case _:
            return ()


def _arguments(t: Tracer) -> set[str]:
    return {p.name for p in t.trace.parameters}
