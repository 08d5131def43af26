"""Neighbours on a ring, written as remainders: loops ≡ Python, on rings of all sizes."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from tests.source_text import function_in

_PLACES = (
    "(i + 1) % n", "(i - 1) % n", "(i + 2) % n", "(i - 3) % n", "(n - i) % n", "(n - 1 - i) % n", "(i + n - 1) % n",
    "(2 * i) % n", "(i + k) % n", "(i - k) % n", "i % n", "(i + 1) % m", "(i + n // 2) % n",
)  # fmt: skip
_BODIES = (
    "y[i] = x[{0}] - x[{1}]",
    "s += x[{0}] * x[{1}]",
    "y[{0}] = x[i]",
    "y[{0}] += x[{1}]",
    "y[i] = y[{0}] * 0.5 + x[i]",
    "c[i] = ({0}) * 10 + ({1}) // 3 + ({0}) // n",
    "c[i] = ((i + k) // n) * 10 + (n - 1 - i - k) // n",
)
_COUNTED = (
    "for i in range(n):\n    if (x[{0}] > z) != (x[{1}] > z):\n        t = 7 - t",
    "for i in range(n):\n    if x[{0}] > z:\n        break\n    t += {1}",
    "for i in range(n - 1, 0, -1):\n    if x[{0}] > z:\n        t = (t + {1}) // 2",
    "for i in range(1, n, 2):\n    for j in range(i):\n        if x[(j + k) % n] > z:\n            t += {0}",
)
_LOOP = "for a in range(n):\n    z, t = y[a], 0\n    {}\n    c[a] = t"
_CASES = [(body, i) for body in _BODIES for i in range(0, len(_PLACES), 3)]
_CASES += [(body, i) for body in _COUNTED for i in range(0, len(_PLACES), 3)]


def program(body: str, number: int) -> str:
    places = [_PLACES[number], _PLACES[(number * 5 + 4) % len(_PLACES)]]
    text = body.format(*places)
    loop = _LOOP.format(text.replace("\n", "\n    ")) if body in _COUNTED else f"for i in range(n):\n    {text}"
    lines = ["n = len(x)", "s = 0.0", *loop.split("\n"), "return s"]
    return "\n".join(["def f(x, y, c, k, m):", *(f"    {line}" for line in lines)])


def outcome(f: Any, arguments: tuple[Any, ...]) -> Any:
    try:
        return f(*arguments)
    except Exception as error:
        return type(error)


@pytest.mark.in_turns(6)
@pytest.mark.parametrize(("body", "number"), _CASES)
def test_neighbours_on_rings_are_pythons(body: str, number: int) -> None:
    source = program(body, number)
    f = function_in(source, f"<ring {body} {number}>")
    compiled = mdh.jit(f)
    rng = np.random.default_rng(number)
    for n, k in itertools.product((0, 1, 2, 3, 8, 65), (0, 4, -7, 70)):
        given = rng.random(n), rng.random(n), np.zeros(n, np.int64), k, max(n - 1, 1)
        ours, pythons = ([a.copy() if isinstance(a, np.ndarray) else a for a in given] for _ in range(2))
        one, other = outcome(compiled, tuple(ours)), outcome(f, tuple(pythons))
        if isinstance(other, type):
            assert isinstance(one, type) and issubclass(one, other), source
        else:
            np.testing.assert_allclose(one, other, 1e-12, err_msg=source)
        for a, b in zip(ours[:3], pythons[:3], strict=True):
            np.testing.assert_allclose(a, b, 1e-12, err_msg=source)


def life(a: Any, b: Any) -> None:
    h, w = a.shape
    for i in range(h):
        for j in range(w):
            s = a[(i - 1) % h, (j - 1) % w] + a[(i - 1) % h, j] + a[(i - 1) % h, (j + 1) % w] + a[i, (j - 1) % w]
            s += a[i, (j + 1) % w] + a[(i + 1) % h, (j - 1) % w] + a[(i + 1) % h, j] + a[(i + 1) % h, (j + 1) % w]
            b[i, j] = 1 if s == 3 or (s == 2 and a[i, j] == 1) else 0


@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (5, 1), (7, 40), (3, 130)])
def test_cells_on_a_torus_are_pythons(shape: tuple[int, int]) -> None:
    a = (np.random.default_rng(1).random(shape) < 0.4).astype(np.int64)
    ours, pythons = np.zeros_like(a), np.zeros_like(a)
    mdh.jit(life)(a, ours)
    life(a, pythons)
    np.testing.assert_array_equal(ours, pythons)


def test_most_rounds_load_neighbours_without_comparing() -> None:
    text = mdh.jit(life).inspect(np.zeros((64, 96), np.int64), np.zeros((64, 96), np.int64), stage="kernel@branches")
    loops = [loop.split("}")[0] for loop in text.split("for (long j")]
    assert any("store" in loop and "? mask" not in loop and "gather" not in loop for loop in loops)


def polygons(px: Any, py: Any, x: Any, y: Any) -> Any:
    inside = np.zeros(len(x), dtype=np.bool_)
    for k in range(len(x)):
        c = False
        for i in range(len(px)):
            j = (i + 2) % len(px)
            if (py[i] > y[k]) != (py[j] > y[k]) and x[k] < (px[j] - px[i]) * (y[k] - py[i]) + px[i]:
                c = not c
        inside[k] = c
    return inside


def turned(x: Any, k: int, y: Any) -> None:
    for i in range(len(x)):
        y[i] = x[(i + k) % len(x)] + x[(i - 2) % len(x)]


def test_steps_ahead_are_divided_once() -> None:
    x = np.ones(100)
    for f, given in ((mdh.jit(polygons), (x, x, x, x)), (mdh.jit(turned), (x, 5, x.copy()))):
        text = f.inspect(*given, stage="kernel@branches")
        loops = text[text.index("parallel for") :].split("while")[-1].split("for (")[-1]
        assert "%" not in loops and "mod" not in loops and "gather" not in loops
