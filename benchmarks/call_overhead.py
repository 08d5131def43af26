"""What a call costs beside the kernel: jitmdh, Numba and an empty Python function, three arrays of one element; and a
kernel of tensors with known zeros (elastic waves of order 2: 57 zeros in each of three matrices are looked at).

python benchmarks/call_overhead.py
"""

from __future__ import annotations

import timeit
from collections.abc import Callable

import numpy as np

import jitmdh as mdh
from jitmdh import tensor as mt

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


def volume() -> tuple[Callable[..., object], dict[str, object]]:
    """A kernel of tensors, and arguments by name."""
    Q, I = mt.Tensor("Q", (4, 9)), mt.Tensor("I", (4, 9))
    star = np.random.default_rng(0).permutation(81).reshape(9, 9) < 24
    S = [mt.Tensor(f"S{d}", (9, 9), pattern=star) for d in range(3)]
    K = [mt.Tensor(f"K{d}", values=np.eye(4, k=-1 - d)) for d in range(3)]
    kernel = mt.kernel("volume", Q["kp"] <= Q["kp"] + sum(K[d]["kl"] * I["lq"] * S[d]["qp"] for d in range(3)))
    return kernel, {"Q": np.zeros((4, 9)), "I": np.ones((4, 9)), **{f"S{d}": star / 9 for d in range(3)}}


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
    kernel, named = volume()
    rows: dict[str, tuple[str, dict[str, object]]] = {
        name: (
            f"f({', '.join(f'a{n}' for n in range(len(arguments)))})",
            {"f": call, **{f"a{n}": a for n, a in enumerate(arguments)}},
        )
        for name, (call, arguments) in contenders().items()
    }
    by_name = ", ".join(f"{n}={n}" for n in named)
    rows["jitmdh, volume by name"] = f"f({by_name})", {"f": kernel, **named}
    best = dict.fromkeys(rows, float("inf"))
    for text, names in rows.values():
        eval(text, names)
    for _ in range(ROUNDS):  # interleaved: A B C A B C
        for name, (text, names) in rows.items():
            timer = timeit.Timer(text, globals=names)
            best[name] = min(best[name], timer.timeit(CALLS) / CALLS)
    for name, seconds in best.items():
        print(f"{name:26} {seconds * 1e9:7.0f} ns")
    print(f"{'the volume kernel itself':26} {kernel.time(**named) * 1e9:7.0f} ns")


if __name__ == "__main__":
    main()
