"""What the functions here ask while they are traced, with the same meaning as plain Python."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np


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


def is_tuple(value: object) -> bool:
    return isinstance(value, tuple | list)


def is_text(value: object) -> bool:
    return isinstance(value, str)


def is_inexact(dtype: Any) -> bool:
    """Whether numbers of a type are floats or complex."""
    return np.dtype(dtype).kind in "fc"


def is_whole(dtype: Any) -> bool:
    """Whether numbers of a type are integers."""
    return np.dtype(dtype).kind in "iu"


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


def is_function(value: object) -> bool:
    return callable(value)


def largest(dtype: Any) -> float:
    """The largest finite number of a type of floats."""
    return float(np.finfo(dtype).max)


def common_type(values: Any, other: Any) -> Any:
    """The type that some arrays and numbers have together with another; Python's adapt to NumPy's."""
    return np.result_type(*values, other)
