"""jitmdh: plain Python loop nests and einsums at the speed of the machine.

>>> import numpy as np
>>> import jitmdh as mdh
>>> @mdh.jit
... def matvec(w, M, v):
...     for i in range(M.shape[0]):
...         for k in range(M.shape[1]):
...             w[i] += M[i, k] * v[k]

Names are handed on when they are first used, so that `import jitmdh.atf` loads the tuner and nothing else.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from builtins import max, min  # noqa: UP029
    from operator import add, mul

    from jitmdh.base import errors
    from jitmdh.base.errors import JitWarning
    from jitmdh.base.settings import config
    from jitmdh.hca.drivers.cpu_runtime import get_num_threads, set_num_threads
    from jitmdh.hca.registry import devices
    from jitmdh.jit.compilation.code_cache import cache
    from jitmdh.jit.decorator import jit
    from jitmdh.jit.einsum import einsum
    from jitmdh.jit.online.wisdom import wisdom
    from jitmdh.jit.ufuncs.decorators import guvectorize, vectorize
    from jitmdh.mdh.algebra.combine import cc
    from jitmdh.mdh.frontend.source.environment import constant
    from jitmdh.mdh.frontend.symbolic.operators import operator, prange, ps, pw, sequential


__version__ = "0.1.0"

_HOMES = {
    "JitWarning": "jitmdh.base.errors",
    "add": "operator",
    "cache": "jitmdh.jit.compilation.code_cache",
    "cc": "jitmdh.mdh.algebra.combine",
    "config": "jitmdh.base.settings",
    "constant": "jitmdh.mdh.frontend.source.environment",
    "devices": "jitmdh.hca.registry",
    "einsum": "jitmdh.jit.einsum",
    "get_num_threads": "jitmdh.hca.drivers.cpu_runtime",
    "guvectorize": "jitmdh.jit.ufuncs.decorators",
    "jit": "jitmdh.jit.decorator",
    "max": "builtins",
    "min": "builtins",
    "mul": "operator",
    "operator": "jitmdh.mdh.frontend.symbolic.operators",
    "prange": "jitmdh.mdh.frontend.symbolic.operators",
    "ps": "jitmdh.mdh.frontend.symbolic.operators",
    "pw": "jitmdh.mdh.frontend.symbolic.operators",
    "sequential": "jitmdh.mdh.frontend.symbolic.operators",
    "set_num_threads": "jitmdh.hca.drivers.cpu_runtime",
    "vectorize": "jitmdh.jit.ufuncs.decorators",
    "wisdom": "jitmdh.jit.online.wisdom",
}

_MODULES = ("atf", "dsl", "hca", "kernels", "schedule", "tensor")

_OF_NUMBA = {
    "njit": "write jit, which never runs Python objects",
    "stencil": "write the loop, or slices, in a function with jit",
    "cuda": "write jit(target='cuda'); loops become threads by themselves",
    "typed": "pass arrays; tuples of a few numbers may be passed, too",
    "objmode": "do it outside of the function, or decorate with jit(fallback='python')",
}
"""What to write instead of names that Numba has."""

__all__ = [
    "JitWarning",
    "add",
    "cache",
    "cc",
    "config",
    "constant",
    "devices",
    "einsum",
    "errors",
    "get_num_threads",
    "guvectorize",
    "jit",
    "max",
    "min",
    "mul",
    "operator",
    "prange",
    "ps",
    "pw",
    "sequential",
    "set_num_threads",
    "vectorize",
    "wisdom",
]


def __getattr__(name: str) -> object:
    if name == "errors":
        return import_module("jitmdh.base.errors")
    if name in _MODULES:
        return import_module(f"jitmdh.{name}")
    if name not in _HOMES:
        hint = f": {_OF_NUMBA[name]}" if name in _OF_NUMBA else ""
        raise AttributeError(f"module 'jitmdh' has no attribute {name!r}{hint}")
    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})
