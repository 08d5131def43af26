"""What a function gives where some of its values are views of arrays that its program returns.

return x[1:]     the program returns x;      its value is the view that begins at 1 and is one shorter than x
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from jitmdh.mdh.algebra.expr import Program
from jitmdh.mdh.algebra.index import Number, Together, ValueReturned, ViewReturned, plain_values

Array = npt.NDArray[Any]

_PLAIN = {"tuple": tuple, "list": list}
NAMED: Mapping[str, Any] = {
    "np.linalg.SlogdetResult": type(np.linalg.slogdet(np.eye(1))), "np.linalg.QRResult": type(np.linalg.qr(np.eye(1))),
}  # fmt: skip
"""The named tuples that functions of NumPy give, which have no public names."""


def values_of(returned: Sequence[Any], values: Sequence[ValueReturned]) -> tuple[Any, ...]:
    """The function's values. returned: what its program returns."""
    made: dict[ViewReturned, Array] = {}
    for value in plain_values(values):
        if isinstance(value, ViewReturned) and value not in made:
            made[value] = _view(returned, value)

    def value_of(value: ValueReturned) -> Any:
        if isinstance(value, Together):
            inner = map(value_of, value.parts)
            return NAMED[value.kind](*inner) if value.kind in NAMED else _PLAIN[value.kind](inner)
        return returned[value] if isinstance(value, int) else made[value]

    return tuple(map(value_of, values))


def result_of(program: Program, returned: Sequence[Any]) -> Any:
    """What a function gives: a value, or several in a tuple or a list. returned: what its program returns."""
    results = values_of(returned, program.values) if program.values else tuple(returned)
    if program.returns_list:
        return list(results)
    return results if program.returns_tuple or len(results) != 1 else results[0]


def remade(result: Any, parts: Iterable[Any]) -> Any:
    """A tuple or a list of the kind of `result`, which may have names, of other parts."""
    kind = type(result)
    return kind._make(parts) if hasattr(kind, "_make") else kind(parts)


def _view(returned: Sequence[Any], value: ViewReturned) -> Array:
    array: Array = returned[value.of][value.field] if value.field else returned[value.of]

    def number(given: Number) -> int:
        of, more = given
        if of == -1:
            return more
        return more + (int(returned[of]) if of >= 0 else array.shape[-2 - of])

    shape = tuple(map(number, value.shape))
    begins = [number(begin) for begin, _ in value.axes]
    view = _placed(array, value, begins, shape)
    if value.part:
        view = view.real if value.part == "real" else view.imag
    if value.readonly:
        view.flags.writeable = False
    if value.then is None:
        return view
    return view.reshape(tuple(map(number, value.then))) if value.then else view.ravel()


def _placed(array: Array, value: ViewReturned, begins: Sequence[int], shape: tuple[int, ...]) -> Array:
    along = [n for _, steps in value.axes for n, _ in steps]
    lone = [n for n, extent in enumerate(shape) if n not in along]
    if len(set(along)) < len(along) or any(len(s) > 1 for _, s in value.axes) or any(shape[n] != 1 for n in lone):
        return _strided(array, value, begins, shape)
    parts: list[int | slice] = []
    for begin, (_, steps) in zip(begins, value.axes):
        if not steps:
            parts.append(begin)
            continue
        ((n, step),) = steps
        if (
            shape[n] == 0
        ):  # from the end of nothing on: an element before the first one, which a slice takes for the last
            parts.append(slice(0, 0))
            continue
        end = begin + shape[n] * step
        parts.append(slice(begin, end if end >= 0 else None, step))
    view: Array = array[(*parts, ..., *[None] * len(lone))]
    order = [*along, *lone]
    return view if order == sorted(order) else view.transpose([order.index(n) for n in range(len(shape))])


def _strided(array: Array, value: ViewReturned, begins: Sequence[int], shape: tuple[int, ...]) -> Array:
    """Where axes are split, or run along several or none; what of an array is repeated is read only."""
    strides, uses = [0] * len(shape), [0] * len(shape)
    for stride, (_, steps) in zip(array.strides, value.axes):
        for n, step in steps:
            strides[n] += step * stride
            uses[n] += 1
    free = all(used or extent == 1 for used, extent in zip(uses, shape))
    first = array[tuple(slice(begin, None) for begin in begins)]
    return np.lib.stride_tricks.as_strided(first, shape, strides, writeable=free and array.flags.writeable)
