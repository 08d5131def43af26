"""jitmdh: plain Python loop nests and einsums at the speed of the machine.

>>> import numpy as np
>>> import jitmdh as mdh
>>> @mdh.jit
... def matvec(w, M, v):
...     for i in range(M.shape[0]):
...         for k in range(M.shape[1]):
...             w[i] += M[i, k] * v[k]
"""

from builtins import max, min
from operator import add, mul

from jitmdh.base import errors
from jitmdh.base.errors import JitWarning
from jitmdh.base.settings import config
from jitmdh.hca.devices.cpu_runtime import get_num_threads, set_num_threads
from jitmdh.jit.best import cache
from jitmdh.jit.decorator import jit
from jitmdh.mdh.algebra.combine import cc
from jitmdh.mdh.frontend.operators import operator, ps, pw

__version__ = "0.1.0"

__all__ = [
    "JitWarning",
    "add",
    "cache",
    "cc",
    "config",
    "errors",
    "get_num_threads",
    "jit",
    "max",
    "min",
    "mul",
    "operator",
    "ps",
    "pw",
    "set_num_threads",
]
