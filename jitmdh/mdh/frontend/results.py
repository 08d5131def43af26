"""What a function returns: arrays of its own or of its caller, numbers, and arrays whose length data decide.

x[x > 0], y[:n]    the first rows of an array that is made as long as they may be; how many, a number of its own says
x.T, x[1:], x[i]   a view of x, as NumPy has it, made of x and of numbers after the call
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from typing import TypeAlias

from jitmdh.base.dtype import ScalarType, int64, promote
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.expr import Return
from jitmdh.mdh.algebra.index import Affine, Number, Together, ValueReturned, ViewReturned
from jitmdh.mdh.algebra.scalar import Scalar
from jitmdh.mdh.algebra.semantics.returned_views import NAMED
from jitmdh.mdh.frontend.arrays.views import permuted
from jitmdh.mdh.frontend.interpreter.raising import NEVER
from jitmdh.mdh.frontend.python.array_expressions import along, is_fortran, lazy, materialised
from jitmdh.mdh.frontend.python.records import Fields
from jitmdh.mdh.frontend.python.subscripts import is_element
from jitmdh.mdh.frontend.python.tracer import (
    ArrayRef,
    ComplexPart,
    Either,
    Joined,
    Lazy,
    ListOf,
    Masked,
    RecordRef,
    Static,
    Step,
    Structure,
    SymbolicValue,
    Tracer,
)
from jitmdh.mdh.frontend.python.values import as_scalar, require_exact
from jitmdh.mdh.frontend.source.capture import gives_pythons
from jitmdh.mdh.frontend.trace_ir.store_forwarding import assign
from jitmdh.mdh.frontend.trace_ir.trace import BufferInfo, Target, has_indirect


@dataclass(frozen=True, slots=True)
class Returned:
    """What a program returns (None: nothing), whether the function gives a tuple, and its values where some are views
    (see `Program.values`)."""

    returns: tuple[Return, ...] | None
    is_tuple: bool = False
    values: tuple[ValueReturned, ...] = ()


@dataclass(frozen=True, slots=True)
class _Turned:
    """The transposed of a matrix of which data decide how many rows it has: `x[:, mask]`, in memory as NumPy has it."""

    result: Return


_Found: TypeAlias = Return | Lazy | _Turned


def returned_of(t: Tracer, definition: ast.FunctionDef, value: SymbolicValue | None) -> Returned:
    """What a program returns where its function has returned `value`."""
    if value is None or value is NEVER or (isinstance(value, Static) and value.value is None):
        return Returned(None)
    if isinstance(value, Fields):
        hint = f"return its fields: {', '.join(f'…[{n!r}]' for n in value.names)}"
        t.error(definition.body[-1], "returning a record is not supported", hint=hint)
    is_tuple = isinstance(value, tuple) and not isinstance(value, Structure)
    outer = value if isinstance(value, tuple) and is_tuple else (value,)
    parts = tuple(_leaves(t, definition, outer))
    statement = definition.body[-1]
    found: list[_Found] = []
    for number, part in enumerate(parts):
        before = next((n for n in range(number) if parts[n] is part and isinstance(part, Masked | Lazy)), None)
        if before is not None:
            found.append(found[before])
            continue
        if isinstance(part, ArrayRef | RecordRef) and not part.prefix and (whole := _whole(t, part)):
            found.append(Return(whole))
            continue
        if isinstance(part, ArrayRef) and not is_element(t, part):
            part = lazy(t, statement, part)
        if isinstance(part, Either) and part.kept is not None and part.room is not None:
            t.fall_back(statement, part.room - 1, "what is returned is the array of before a loop without iterations")
            found.append(Return(part.kept.buffer))
            continue
        if isinstance(part, Either):
            reason = "behind the loop that gives it others, it may still be one of before"
            t.error(statement, "returning one array or another is not supported", reason, "return a copy: y.copy()")
        if isinstance(part, Masked):
            part = lazy(t, statement, part)
        found.append(_array(t, statement, part, parts) if isinstance(part, Lazy) else _number(t, definition, part))
    return _with_views(t, statement, found, outer, is_tuple)


def _leaves(t: Tracer, definition: ast.FunctionDef, value: tuple[SymbolicValue, ...]) -> Iterator[SymbolicValue]:
    """What a tuple holds, tuples inside of it opened."""
    for part in value:
        if isinstance(part, Fields) or (isinstance(part, Structure) and part.kind not in NAMED):
            kind = part.kind if isinstance(part, Structure) else "record"
            t.error(definition.body[-1], f"returning a {kind} is not supported", hint="return its fields")
        if isinstance(part, tuple):
            yield from _leaves(t, definition, part)
        else:
            yield part


def _whole(t: Tracer, part: ArrayRef | RecordRef) -> str:
    """The name of an array that is returned itself; empty: it is a field of another."""
    if isinstance(part, RecordRef):
        return part.name
    return part.buffer if t.trace.buffers[part.buffer].of is None else ""


def _array(t: Tracer, statement: ast.stmt, part: Lazy, parts: Sequence[SymbolicValue]) -> _Found:
    """An array; one that is left as it is, is a view."""
    seen = part.whole if isinstance(part, ComplexPart) and part.whole is not None else part
    unowned = [b for b in seen.perhaps if not t.trace.buffers[b].allocated]
    if unowned or (seen.perhaps and len(parts) > 1):
        text = "returning what may be an argument, or a view of one, is not supported"
        t.error(statement, text, hint="return a copy: y.copy()")
    of = seen.view.buffer if seen.view is not None else seen.of if isinstance(seen, Joined) else ""
    shared = any(p is not part and of in _within(p) for p in parts)
    if of and (shared or not t.trace.buffers[of].allocated):
        return part
    if has_indirect(*part.shape):
        if len(part.shape) == 2 and not has_indirect(part.shape[0]) and is_fortran(t, part):
            return _Turned(_first_rows(t, statement, permuted(t, part, (1, 0))))
        return _first_rows(t, statement, part)
    kept = materialised(t, statement, part, "result")
    assert isinstance(kept, ArrayRef)
    return Return(kept.buffer)


def _with_views(
    t: Tracer, statement: ast.stmt, found: Sequence[_Found], outer: Sequence[SymbolicValue], is_tuple: bool
) -> Returned:
    """What the program has to return so that views and tuples can be made of it, and these. found: all leaves."""
    if not any(isinstance(value, Lazy | _Turned) for value in found) and not any(
        isinstance(part, tuple) for part in outer
    ):
        return Returned(tuple(value for value in found if isinstance(value, Return)), is_tuple)
    returns: list[Return] = []

    def place(result: Return) -> int:
        if result not in returns:
            returns.append(result)
        return returns.index(result)

    def leaf(part: _Found) -> ValueReturned:
        if isinstance(part, _Turned):
            rows, columns = ((-1, 0), ((1, 1),)), ((-1, 0), ((0, 1),))
            return ViewReturned(place(part.result), (rows, columns), ((-3, 0), (-2, 0)))
        return place(part) if isinstance(part, Return) else _View(t, statement, part, place).value()

    leaves = iter(list(map(leaf, found)))

    def value(part: SymbolicValue) -> ValueReturned:
        if not isinstance(part, tuple):
            return next(leaves)
        kind = part.kind if isinstance(part, Structure) else "list" if isinstance(part, ListOf) else "tuple"
        return Together(tuple(map(value, part)), kind)

    values = tuple(map(value, outer))
    return Returned(tuple(returns), is_tuple, values)


@dataclass(frozen=True, slots=True)
class _View:
    """A view on its way to what is returned. place: the number of something that the program returns."""

    t: Tracer
    statement: ast.stmt
    part: Lazy
    place: Callable[[Return], int]

    def value(self) -> ViewReturned:
        part, then = self.part, None
        name = part.name if isinstance(part, ComplexPart) else ""
        if isinstance(part, ComplexPart) and part.whole is not None:
            part = part.whole
        if isinstance(part, Joined):
            then = () if part.ravelled else tuple(map(self.number, part.shape))
            part = part.given or part
        if part.view is None:
            hint = "return a copy: x[…].copy()"
            self.t.error(self.statement, "returning this view of an array is not supported", hint=hint)
        info = self.t.trace.buffers[part.view.buffer]
        axes = tuple(
            (self.number(begin, info.shape), tuple((n, self.step(step)) for n, step in steps))
            for begin, steps in part.view.axes
        )
        shape = tuple(self.number(extent, info.shape) for extent in part.shape)
        field = "" if info.of is None else info.name.removeprefix(f"{info.of}.")
        array = self.place(Return(info.of or info.name))
        return ViewReturned(array, axes, shape, field, then, name, part.view.readonly)

    def step(self, step: Step) -> int:
        if not isinstance(step, int):
            self.t.error(self.statement, "returning a view whose step data decide is not supported")
        return step

    def number(self, number: Affine, extents: Sequence[Affine] = ()) -> Number:
        """A number that the call knows, or one that the program computes."""
        if number.is_constant:
            return -1, number.constant
        for axis, extent in enumerate(extents):
            if (number - extent).is_constant:
                return -2 - axis, (number - extent).constant
        return self.place(Return(_kept(self.t, self.statement, number, "place"))), 0


def _kept(t: Tracer, statement: ast.stmt, number: Affine, name: str) -> str:
    """The name of a new integer that holds a number of the program."""
    made = t.trace.fresh(name)
    t.trace.buffers[made] = BufferInfo(made, int64, (), (), allocated=True)
    assign(t.trace, [Target(made, (), t.arithmetic.cast(t.arithmetic.index(number), int64))], t.loc(statement))
    return made


def _number(t: Tracer, definition: ast.FunctionDef, value: SymbolicValue) -> Return:
    """A number, in a cell of its own."""
    statement = definition.body[-1]
    result = as_scalar(t, statement, value)
    if gives_pythons(definition) and len({v.type for v in t.trace.graph.kept(result)}) > 1:
        t.error(statement, "a number has one type or another behind the loop", "which one depends on data")
    type = _type_of_number(t, result)
    require_exact(t, statement, result, type)
    result = t.arithmetic.cast(result, type)
    name = t.trace.fresh("result")
    t.trace.buffers[name] = BufferInfo(name, result.type, (), (), allocated=True)
    assign(t.trace, [Target(name, (), result)], t.loc(statement))
    return Return(name, result.type if result.type.is_weak and gives_pythons(definition) else None)


def _type_of_number(t: Tracer, number: Scalar) -> ScalarType:
    """The type in which a number is returned. Of several, the larger, which is none that a number of Python's adapts
    to; but there is none of uint64 and int64: uint64, where all of Python's numbers are such."""
    kept = t.trace.graph.kept(number)
    own = {v.type for v in kept}
    if len(own) < 2:
        return number.type
    larger = reduce(promote, (type.concrete for type in own))
    if larger.kind == "f" and all(type.kind in "biu" for type in own):
        of_numpy = reduce(promote, (type for type in own if not type.is_weak))
        if of_numpy.is_integer and all(t.arithmetic.limits.fits(v, of_numpy) for v in kept if v.type.is_weak):
            return of_numpy
    return larger


def _first_rows(t: Tracer, statement: ast.stmt, part: Lazy) -> Return:
    """An array whose length data decide: the first rows of one that is made as long as it may be."""
    if has_indirect(*part.shape[1:]):
        reason = "only along its first axis may data decide how long it is"
        t.error(statement, "returning such a part of an array is not supported", reason)
    view = part.view
    if view is None or not _is_beginning(t, part):
        kept = materialised(t, statement, replace(part, view=None), "result")
        assert isinstance(kept, Lazy) and kept.view is not None
        view = kept.view
    made = t.trace.buffers[view.buffer]
    t.trace.buffers[view.buffer] = replace(made, fortran=False)  # its first rows lie together
    return Return(view.buffer, length=_kept(t, statement, part.shape[0], "length"))


def _is_beginning(t: Tracer, part: Lazy) -> bool:
    """Whether an array is the first rows of one that the function has made."""
    assert part.view is not None
    info = t.trace.buffers[part.view.buffer]
    whole = tuple(along(n) for n in range(len(part.shape)))
    return info.allocated and part.view.axes == whole and part.shape[1:] == info.shape[1:] and not part.perhaps


def _within(value: SymbolicValue) -> frozenset[str]:
    """The arrays that a returned value may be, or be a part of."""
    if isinstance(value, ArrayRef):
        return frozenset([value.buffer])
    if not isinstance(value, Lazy):
        return frozenset()
    view = frozenset() if value.view is None else frozenset([value.view.buffer])
    return view | frozenset([value.of] if isinstance(value, Joined) else ()) | frozenset(value.perhaps)
