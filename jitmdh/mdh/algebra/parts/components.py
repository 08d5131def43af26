"""Complex numbers as pairs of real ones, so that lowering and code generation know real numbers only.

An expression over complex arrays becomes one over their real and imaginary parts: `z` is read as `z.real` and
`z.imag`, two strided views of the same memory; a complex sum is a sum of two components, a product four real products.
The meaning is that of NumPy's scalars, operation by operation: outside of sums nothing is contracted, and a real factor
counts as a complex one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from jitmdh.base.dtype import ScalarType
from jitmdh.mdh.algebra.combine import CombineOperator, Concatenation, Operator
from jitmdh.mdh.algebra.expr import Access, Between, Buffer, Expression, Finish, part_name
from jitmdh.mdh.algebra.parts.complex_numbers import Splitter
from jitmdh.mdh.algebra.scalar import Constant, ScalarFunction


def with_parts(buffers: Mapping[str, np.ndarray[Any, Any]]) -> dict[str, np.ndarray[Any, Any]]:
    """`buffers`, and views of the parts of the complex ones and of the fields of records among them."""
    found = dict(buffers)
    for name, array in buffers.items():
        if array.dtype.kind == "c":
            found |= {part_name(name, part): getattr(array, part) for part in ("real", "imag")}
        elif array.dtype.names is not None:
            found |= with_parts({part_name(name, field): array[field] for field in array.dtype.names})
    return found


def parts_of(name: str, type: ScalarType, offset: int = 0) -> tuple[tuple[str, ScalarType, int], ...]:
    """(name, type, offset in bytes) of the real numbers that elements of a buffer consist of.

    >>> from jitmdh.base.dtype import complex64
    >>> parts_of("z", complex64)
    (('z.real', float32, 0), ('z.imag', float32, 4))
    """
    if not type.parts:
        return ((name, type, offset),)
    return tuple(
        leaf for part, part_type, at in type.parts for leaf in parts_of(part_name(name, part), part_type, offset + at)
    )


def components(expression: Expression) -> Expression:
    """`expression` with real and imaginary parts in place of complex numbers; the same object where there are none.

    before:  out_view( w ) ∘ md_hom( (M, v) ↦ M * v, (++, •(add)) ) ∘ inp_view( M, v )
    after:   out_view( w.real, w.imag ) ∘ md_hom( (M.real, M.imag, v.real, v.imag) ↦ (…, …), (++, •(add)) ) ∘ …
    """
    if not _has_complex(expression):
        return expression
    buffers = tuple(part for b in expression.buffers for part in _parts_of(b))
    types = {b.name: b.type for b in expression.buffers}
    md_hom = expression.md_hom
    split = replace(
        md_hom,
        function=_function(md_hom.function),
        combine=tuple(_combine(c) for c in md_hom.combine),
    )
    return replace(
        expression,
        buffers=buffers,
        inp_view=_view(expression.inp_view, types),
        md_hom=split,
        finish=None if expression.finish is None else _finish(expression.finish, types),
        out_view=_view(expression.out_view, types),
        between=tuple(Between(b.depth, _view(b.inp_view, types), _function(b.function)) for b in expression.between),
    )


def _has_complex(expression: Expression) -> bool:
    functions: list[ScalarFunction] = [expression.md_hom.function, *(b.function for b in expression.between)]
    if expression.finish is not None:
        functions.append(expression.finish.function)
    types = [b.type for b in expression.buffers]
    for function in functions:
        types += [v.type for v, _ in function.bindings] + [r.type for r in function.results]
    return any(t.kind == "c" for t in types) or any(_mentions_complex(f) for f in functions)


def _mentions_complex(function: ScalarFunction) -> bool:
    splitter = Splitter(function)
    return any(splitter.mentions_complex(e) for e in (*(e for _, e in function.bindings), *function.results))


def _parts_of(buffer: Buffer) -> tuple[Buffer, ...]:
    if buffer.type.kind != "c":
        return (buffer,)
    parts = parts_of(buffer.name, buffer.type)
    return tuple(Buffer(name, type, buffer.shape, buffer.of or buffer.name, buffer.apart) for name, type, _ in parts)


def _view(view: tuple[Access, ...], types: Mapping[str, ScalarType]) -> tuple[Access, ...]:
    found: list[Access] = []
    for access in view:
        if types[access.buffer].kind == "c":
            found += [replace(access, buffer=name) for name, _, _ in parts_of(access.buffer, types[access.buffer])]
        else:
            found.append(access)
    return tuple(found)


def _function(function: ScalarFunction) -> ScalarFunction:
    splitter = Splitter(function)
    for variable, value in function.bindings:
        splitter.bind(variable, value)
    results = tuple(part for r in function.results for part in splitter.parts(r))
    return ScalarFunction(splitter.parameters, tuple(splitter.bindings), results)


def _finish(finish: Finish, types: Mapping[str, ScalarType]) -> Finish:
    empty = None
    if finish.empty is not None:
        splitter = Splitter(finish.function, inline=True)
        empty = tuple(part for e in finish.empty for part in splitter.parts(e))
    return Finish(_view(finish.inp_view, types), _function(finish.function), empty)


def _combine(combine: CombineOperator) -> CombineOperator:
    if isinstance(combine, Concatenation):
        return combine
    return replace(combine, operator=_operator(combine.operator))


def _operator(operator: Operator) -> Operator:
    if not any(t.kind == "c" for t in operator.types):
        return operator
    identity = None if operator.identity is None else tuple(p for c in operator.identity for p in _constants(c))
    return replace(operator, function=_function(operator.function), identity=identity)


def _constants(constant: Constant) -> Sequence[Constant]:
    if constant.type.kind != "c":
        return (constant,)
    value, type = complex(constant.value), constant.type.real
    return Constant(value.real, type), Constant(value.imag, type)
