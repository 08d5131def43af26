"""What names stand for behind a procedure: the numbers that it computes become its results, in arrays and tuples, too.

while k < n and x[k] > 0:          loop, with results k and ended
    k += 1                    ->   p = (k, y[i] if ended else x[i])
else:
    p = (k, y)

Array expressions are functions of the index. Those that mention numbers of the procedure get its results for them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace

from jitmdh.base.errors import NotAnMdhError
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import IndexValue, Operation, Scalar, Variable
from jitmdh.mdh.frontend.procedures.recorder import is_own
from jitmdh.mdh.frontend.python.records import like
from jitmdh.mdh.frontend.python.tracer import (
    ArrayRef,
    Lazy,
    LocalFunction,
    Masked,
    PartialFunction,
    Poison,
    RecordRef,
    SymbolicValue,
    Tracer,
    is_scalar,
)
from jitmdh.mdh.frontend.trace_ir.value_graph import Component, Read

Stored = Mapping[int, tuple[str, tuple[Affine, ...]]]
"""Where the results of a procedure are, by the identity of the number."""


class Unknown(Exception):
    """A value depends on the procedure in another way than by its results. Never reaches the user."""


def is_computed(value: Scalar) -> bool:
    """Whether a value is computed by the procedure: it mentions one of its variables."""
    waiting, seen = [value], {id(value)}
    while waiting:
        part = waiting.pop()
        if isinstance(part, Operation):
            waiting += [o for o in part.operands if id(o) not in seen]
            seen.update(map(id, part.operands))
        elif isinstance(part, IndexValue):
            if any(is_own(n) for n in part.index.names):
                return True
        elif isinstance(part, Variable) and "'" in part.name:
            return True
    return False


def numbers(t: Tracer, value: SymbolicValue) -> Iterator[Scalar]:
    """The numbers of the procedure that `value` is made of; Unknown: not all of them could be its results."""
    if is_scalar(value):
        yield from filter(is_computed, _parts(t, value))  # type: ignore[arg-type]
    elif isinstance(value, tuple):
        for part in value:
            yield from numbers(t, part)
    elif isinstance(value, ArrayRef | RecordRef):
        for _, number in value.prefix:
            yield from numbers(t, number)
    elif isinstance(value, Masked):
        yield from numbers(t, value.values)
        yield from numbers(t, value.mask)
    elif isinstance(value, Lazy):
        yield from _of_elements(t, value)
    elif isinstance(value, LocalFunction):
        given = (*value.defaults.values(), *(value.arguments if isinstance(value, PartialFunction) else ()))
        if any(True for part in given for _ in numbers(t, part)):
            raise Unknown


def behind(t: Tracer, stored: Stored, value: SymbolicValue) -> SymbolicValue:
    """`value`, made of the results of the procedure."""
    if is_scalar(value):
        return _read(t, stored, value)  # type: ignore[arg-type]
    if isinstance(value, tuple):
        return like(value, [behind(t, stored, part) for part in value])
    if isinstance(value, ArrayRef | RecordRef):
        return replace(value, prefix=tuple((node, _read(t, stored, number)) for node, number in value.prefix))
    if isinstance(value, Masked):
        return replace(value, values=_elements(t, stored, value.values), mask=_elements(t, stored, value.mask))
    return _elements(t, stored, value) if isinstance(value, Lazy) else value


def _elements(t: Tracer, stored: Stored, array: Lazy) -> Lazy:
    results = {id(number): t.trace.read(*stored[id(number)]) for number in _of_elements(t, array)}
    graph, at = t.trace.graph, array.at
    return replace(array, at=lambda index: graph.replace(at(index), results)) if results else array


def unknown(node: ast.stmt, name: str) -> Poison:
    text = f"`{name}` is read behind the loop in line {node.lineno}, which decides what it is"
    return Poison(text, "copy the elements inside of the loop")


def _parts(t: Tracer, value: Scalar) -> Iterator[Scalar]:
    """A number; of a choice of several types, what decides it, and the other number, too."""
    yield value
    chosen = t.trace.graph.choices.get(id(value))
    if chosen is not None:
        condition, number, other = chosen
        yield condition
        yield from _parts(t, other)
        if number.type != value.type:
            yield from _parts(t, number)


def _read(t: Tracer, stored: Stored, value: Scalar) -> Scalar:
    """A number behind the procedure."""
    read = t.trace.read(*stored[id(value)]) if id(value) in stored else value
    chosen = t.trace.graph.choices.get(id(value))
    if chosen is not None and read is not value:
        condition, number, other = chosen
        number = read if number.type == value.type else _read(t, stored, number)
        condition = t.trace.read(*stored[id(condition)]) if id(condition) in stored else condition
        t.trace.graph.alternative(read, condition, number, _read(t, stored, other))
    return read


def _of_elements(t: Tracer, array: Lazy) -> tuple[Scalar, ...]:
    """The procedure's variables in the elements of an array."""
    axes = () if array.view is None else array.view.axes
    _require_known(t, (*array.shape, *(offset for offset, _ in axes)), set())
    if not all(isinstance(step, int) for _, parts in axes for _, step in parts):
        raise Unknown
    if array.view is not None:
        return ()
    mark = t.trace.mark()
    try:
        element = array.at(tuple(Affine.of(f"%at{n}") for n in range(len(array.shape))))
        return tuple(_leaves(t, element, set()))
    except NotAnMdhError:
        raise Unknown from None
    finally:
        t.trace.rollback(mark)


def _leaves(t: Tracer, value: Scalar, seen: set[str]) -> Iterator[Scalar]:
    graph = t.trace.graph
    _require_known(t, graph.indices(value), seen)
    for leaf in graph.leaves(value):
        what = graph.described(leaf)
        if what is None and "'" in leaf.name:
            yield leaf
        elif isinstance(what, Read):
            _require_known(t, (*what.index, *what.guard), seen)
        elif isinstance(what, Component) and leaf.name not in seen:
            seen.add(leaf.name)
            reduction = what.reduction
            lengths = (length for d in reduction.dims for length in (d.room, d.length) if length is not None)
            _require_known(t, (*reduction.guard, *reduction.where, *lengths), seen)
            if any(True for part in (*reduction.body, *(reduction.init or ())) for _ in _leaves(t, part, seen)):
                raise Unknown


def _require_known(t: Tracer, indices: tuple[Affine, ...], seen: set[str]) -> None:
    """Unknown where a subscript or a length needs a number that only the procedure has."""
    for name in {n for index in indices for n in index.names}.difference(seen):
        seen.add(name)
        if is_own(name):
            raise Unknown
        known = t.trace.indirect.get(name)
        if known is not None and any(True for _ in _leaves(t, known.value, seen)):
            raise Unknown
