"""What a call costs beside the kernel: jitmdh, Numba and an empty Python function, three arrays of one element.

python benchmarks/call_overhead.py
"""

from __future__ import annotations

import timeit
from collections.abc import Callable

import numpy as np

import jitmdh as mdh

ROUNDS, CALLS = 15, 50_000


def matvec(w, M, v):
    for i in range(M.shape[0]):
        for k in range(M.shape[1]):
            w[i] += M[i, k] * v[k]


def empty(w, M, v):
    pass


def scaled(x, a):
    for i in range(x.shape[0]):
        x[i] = x[i] * a


def contenders() -> dict[str, tuple[Callable[..., object], tuple[object, ...]]]:
    arrays = np.ones(1), np.ones((1, 1)), np.ones(1)
    found: dict[str, tuple[Callable[..., object], tuple[object, ...]]] = {
        "Python, empty": (empty, arrays),
        "jitmdh, three arrays": (mdh.jit(matvec), arrays),
        "jitmdh, array and float": (mdh.jit(scaled), (np.ones(1), 1.0)),
    }
    try:
        import numba
    except ImportError:
        return found
    found["Numba, three arrays"] = (numba.njit(matvec), arrays)
    found["Numba, array and float"] = (numba.njit(scaled), (np.ones(1), 1.0))
    return found


def main() -> None:
    rows = contenders()
    best = dict.fromkeys(rows, float("inf"))
    for call, arguments in rows.values():
        call(*arguments)
    for _ in range(ROUNDS):  # interleaved: A B C A B C
        for name, (call, arguments) in rows.items():
            timer = timeit.Timer("f(*a)", globals={"f": call, "a": arguments})
            best[name] = min(best[name], timer.timeit(CALLS) / CALLS)
    for name, seconds in best.items():
        print(f"{name:26} {seconds * 1e9:7.0f} ns")


if __name__ == "__main__":
    main()
