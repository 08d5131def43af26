"""Which objects are functions, types and modules of Python's and NumPy's own, whatever name they are found under.

What a function of a library means is known; so is everything about it, for good. Names prove nothing: `np.sqrt` may
have been replaced, and the replacement may say that it is called `sqrt` and comes from `numpy`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np
from numpy._core import umath as _umath

_TOPS = frozenset({"numpy", "math", "cmath", "operator", "_operator", "builtins", "jitmdh", "typing", "enum"})
_HEAP_TYPE = 1 << 9  # of CPython's `__flags__`: made by a class statement
_FOLDER = os.path.join(os.path.dirname(np.__file__), "")
_EINSUM = str(Path(__file__).parents[3] / "jit" / "einsum" / "arrays.py")

_OUTPUT_AT = {
    **dict.fromkeys(("fix", "isneginf", "isposinf"), 1),
    **dict.fromkeys((
        "all", "amax", "amin", "any", "argmax", "argmin", "around", "choose", "concat", "concatenate", "dot", "max",
        "median", "min", "nanargmax", "nanargmin", "nanmax", "nanmedian", "nanmin", "outer", "ptp", "round", "stack",
    ), 2),
    **dict.fromkeys((
        "clip", "compress", "cumprod", "cumsum", "mean", "nancumprod", "nancumsum", "nanmean", "nanpercentile",
        "nanprod", "nanquantile", "nanstd", "nansum", "nanvar", "percentile", "prod", "quantile", "std", "sum", "take",
        "var",
    ), 3),
    "trace": 5,
}  # fmt: skip
"""Which argument of a function of NumPy's takes the results, by its name; of a method, it is the one before."""


def function_name(value: object) -> str | None:
    """`numpy.sqrt`, `math.sin`, `_operator.add`, `builtins.len`, `jitmdh.einsum`; None for all other functions.

    Modules of NumPy's have functions of the same name that mean something else: `numpy.linalg.norm` is called so, and
    `np.emath.sqrt`, whose results may be complex, `numpy.emath.sqrt` or the like.

    >>> import math
    >>> function_name(np.sqrt), function_name(math.sin), function_name(np.vectorize(math.sin))
    ('numpy.sqrt', 'math.sin', None)
    """
    if isinstance(value, np.ufunc):
        name = value.__name__
        return f"numpy.{name}" if getattr(_umath, name, None) is value else None
    kind = type(value)
    if kind is BuiltinFunctionType:
        owner = value.__self__  # type: ignore[attr-defined]
        if not isinstance(owner, ModuleType):
            return None
        top = owner.__name__.partition(".")[0]
        return f"{top}.{value.__name__}" if top in _TOPS else None  # type: ignore[attr-defined]
    if kind is FunctionType:
        code = value.__code__  # type: ignore[attr-defined]
        if code.co_filename == _EINSUM and code.co_name == "einsum":
            return "jitmdh.einsum"
        return f"{_module(value)}.{code.co_name}" if code.co_filename.startswith(_FOLDER) else None
    if kind.__module__ == "numpy" and kind.__name__ == "_ArrayFunctionDispatcher":
        return f"{_module(value)}.{value.__name__}"  # type: ignore[attr-defined]
    return None


def _module(function: object) -> str:
    """The module of NumPy's that a function of it is from, as it says."""
    name = str(getattr(function, "__module__", ""))
    return name if name.partition(".")[0] == "numpy" else "numpy.unknown"


def output_at(function: object) -> int | None:
    """Which argument of a function of NumPy's takes the results where it is given by its place, counted from 0.

    >>> output_at(np.add), output_at(np.clip), output_at(np.flip)
    (2, 3, None)
    """
    if isinstance(function, np.ufunc):
        return function.nin
    name = function_name(function) or ""
    return _OUTPUT_AT.get(name.removeprefix("numpy.")) if name.startswith("numpy.") else None


def output_of_method_at(name: str) -> int | None:
    """The same of a method of arrays.

    >>> output_of_method_at("clip"), output_of_method_at("reshape")
    (2, None)
    """
    at = _OUTPUT_AT.get(name)
    return at if at is None else at - 1


def is_library_type(value: type) -> bool:
    """Whether a class is one of Python's or NumPy's own, of which nothing can be changed."""
    return not value.__flags__ & _HEAP_TYPE or value.__module__.partition(".")[0] in ("numpy", "ml_dtypes")


def is_library_module(module: ModuleType) -> bool:
    return module.__name__.partition(".")[0] in _TOPS


def own_attributes(value: object) -> Mapping[str, Any]:
    """What an object itself holds, by name: its class, which may answer anything to any name, is not asked."""
    try:
        own = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    return own if isinstance(own, dict) else {}
