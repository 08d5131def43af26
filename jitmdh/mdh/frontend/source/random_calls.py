"""Whether a function draws random numbers, so that its callers pass a key for them (see `arrays.random_numbers`)."""

from __future__ import annotations

from types import BuiltinFunctionType, CodeType, FunctionType, MethodType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from jitmdh.mdh.frontend.source.environment import is_decorated
from jitmdh.mdh.frontend.source.library import function_name

KEY = "numpy.random"
"""The argument that holds the key: uint64[2]."""

PARAMETERS: dict[str, tuple[str, ...]] = {
    **{n: ("size",) for n in ("random", "random_sample", "ranf", "sample", "standard_normal", "standard_exponential")},
    "rand": (), "randn": (), "uniform": ("low", "high", "size"), "normal": ("loc", "scale", "size"),
    "exponential": ("scale", "size"), "randint": ("low", "high", "size"), "integers": ("low", "high", "size"),
}  # fmt: skip
"""The functions of `numpy.random`, and methods of its generators, that are compiled, and what they take."""
OF_GENERATORS = ("random", "standard_normal", "standard_exponential", "uniform", "normal", "exponential", "integers")


def drawing(function: Any) -> str | None:
    """The name of one of these functions, which are methods of NumPy's own state; None: it is none.

    >>> drawing(np.random.rand), drawing(np.random.default_rng(0).random)
    ('rand', None)
    """
    state = getattr(np.random.random, "__self__")  # noqa: B009, stubs do not know that it is a method
    if not isinstance(function, MethodType | BuiltinFunctionType) or function.__self__ is not state:
        return None
    return function.__name__ if function.__name__ in PARAMETERS else None


def new_key(source: np.random.Generator | None = None) -> np.ndarray[Any, Any]:
    """A key from a generator, or from NumPy's own state, which moves on."""
    return np.frombuffer(np.random.bytes(16) if source is None else source.bytes(16), np.uint64)


def is_generator(value: object) -> bool:
    """Whether an argument is one of NumPy's generators."""
    return type(value).__name__ == "Generator" and isinstance(value, np.random.Generator)


_MOST = 200  # functions that are looked at
_known: WeakKeyDictionary[FunctionType, tuple[CodeType, bool]] = WeakKeyDictionary()


def draws(function: FunctionType) -> bool:
    """Whether a function, or one that it calls by a global name, may draw random numbers."""
    code = function.__code__
    known = _known.get(function)
    if known is None or known[0] is not code:
        known = _known[function] = code, _draws(function, code)
    return known[1]


def _draws(function: FunctionType, code: CodeType) -> bool:
    seen = {code}
    left = [(function, code)]
    while left:
        one, text = left.pop()
        inner = [c for c in text.co_consts if isinstance(c, CodeType)]
        values = [one.__globals__.get(name) for name in text.co_names]
        if "random" in text.co_names and not PARAMETERS.keys().isdisjoint(text.co_names):
            return True
        if any(drawing(value) for value in values):
            return True
        called = [f for f in map(_plain, values) if f is not None]
        for other, its in [*((one, c) for c in inner), *((f, f.__code__) for f in called)]:
            if its not in seen and len(seen) < _MOST:
                seen.add(its)
                left.append((other, its))
    return False


def _plain(value: Any) -> FunctionType | None:
    """The function of the user behind a global; those of libraries draw nothing that is compiled."""
    found = vars(value).get("py_func") if is_decorated(value) else value
    if not isinstance(found, FunctionType) or function_name(found) is not None:
        return None
    return found
