"""What the functions here ask while they are traced, with the same meaning as plain Python."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from jitmdh.mdh.algebra.semantics.returned_views import NAMED

FEW = 49
"""So many numbers, and no more, are sorted in registers: a window of 7 by 7."""


def refuse(text: str) -> NoReturn:
    """This call is not supported: `text` is the message, at the place of the call."""
    raise NotImplementedError(text)


def failing(value: Any, wrong: Any, kind: str, text: str) -> Any:
    """`value`, an error where `wrong` holds. kind: of `algebra.expr.Fault`; "raise": Python says what."""
    if np.any(wrong) and kind != "raise":
        raise {"zero": ZeroDivisionError, "value": ValueError, "index": IndexError, "linalg": np.linalg.LinAlgError}[
            kind
        ](text)
    return value


def alike(a: Any, b: Any, but: int | None) -> None:
    """Two arrays with as many axes have the same lengths, along one axis perhaps not: nothing is broadcast."""
    if any(x != y for n, (x, y) in enumerate(zip(a.shape, b.shape)) if n != but):
        raise ValueError(f"arrays have the shapes {a.shape} and {b.shape}")


def along(axis: int, rank: int, more: int = 0) -> int:
    """An axis counted from the front. One that is not there is refused; so many behind the last one may be named."""
    if not -rank <= axis < rank + more:
        raise np.exceptions.AxisError(axis, rank)
    return axis + rank if axis < 0 else axis


def named(kind: str, *parts: Any) -> Any:
    """A named tuple of NumPy's. kind: of `returned_views.NAMED`."""
    return NAMED[kind](*parts)


def as_long(length: int, other: int) -> None:
    """Calls where two lengths differ run as plain Python."""


def places_along(array: Any, axis: int) -> Any:
    """Of each element its subscript of an axis."""
    return np.indices(array.shape)[axis]


def is_tuple(value: object) -> bool:
    return isinstance(value, tuple | list)


def is_text(value: object) -> bool:
    return isinstance(value, str)


def is_inexact(dtype: Any) -> bool:
    """Whether numbers of a type are floats or complex."""
    return np.dtype(dtype).kind in "fc"


def is_complex(dtype: Any) -> bool:
    """Whether numbers of a type are complex."""
    return np.dtype(dtype).kind in "c"


def is_whole(dtype: Any) -> bool:
    """Whether numbers of a type are integers."""
    return np.dtype(dtype).kind in "iu"


def takes_in(dtype: Any, value: Any) -> bool:
    """Whether NumPy converts elements of `value` to a type by itself ("same_kind")."""
    return np.can_cast(np.asarray(value).dtype, dtype, "same_kind")


def is_truth(value: Any) -> bool:
    """Whether something consists of truth values."""
    return bool(np.asarray(value).dtype == np.bool_)


def float_type(*values: Any) -> Any:
    """The type of floats that numbers have together: Python's adapt to NumPy's, integers count as float64."""
    return np.result_type(*(v if isinstance(v, int | float | complex) else np.asarray(v) * 1.0 for v in values), 1.0)


def are_whole(*values: Any) -> bool:
    """Whether numbers are integers or bools."""
    return all(np.asarray(v).dtype.kind in "biu" for v in values)


def is_from_data(number: Any) -> bool:
    """Whether only data say what a number is, and the sizes of arguments do not; so in loops that data end."""
    return False


def greatest(dtype: Any) -> Any:
    """The greatest number of a type; of floats infinity."""
    kind = np.dtype(dtype)
    return np.inf if kind.kind == "f" else True if kind.kind == "b" else np.iinfo(kind).max


def meet_as_floats(*values: Any) -> bool:
    """Whether integers have no integer type together: uint64 and signed ones of NumPy's."""
    return are_whole(*values) and np.result_type(*values).kind == "f"


def is_function(value: object) -> bool:
    return callable(value)


def largest(dtype: Any) -> float:
    """The largest finite number of a type of floats."""
    return float(np.finfo(dtype).max)


def common_type(values: Any, other: Any) -> Any:
    """The type that some arrays and numbers have together with another; Python's adapt to NumPy's."""
    return np.result_type(*values, other)


def exchanges(count: Any) -> tuple[tuple[int, ...], tuple[tuple[int, int], ...], tuple[int, ...]] | None:
    """Sorting of so many numbers in steps that no data decide; None unless sizes say that they are few.

    Returned are the places at the beginning, the steps, and the places in order at the end. Each step takes the
    numbers at two places and appends the lesser and the greater one to all numbers. It is Batcher's merge exchange
    sort (Knuth, The Art of Computer Programming 3, Algorithm 5.2.2M).
    """
    if not 0 < count <= FEW:
        return None
    at = list(range(count))
    steps: list[tuple[int, int]] = []
    p = largest = 1 << max((count - 1).bit_length() - 1, 0)
    while p > 0:
        q, r, d = largest, 0, p
        while True:
            for i in range(count - d):
                if i & p == r:
                    steps.append((at[i], at[i + d]))
                    at[i], at[i + d] = count + 2 * len(steps) - 2, count + 2 * len(steps) - 1
            if q == p:
                break
            d, q, r = q - p, q >> 1, p
        p >>= 1
    return tuple(range(count)), tuple(steps), tuple(at)
