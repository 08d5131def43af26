"""Loops whose iterations read what one of them writes: parallel before and behind it, the same as plain Python."""

from __future__ import annotations

import linecache
import textwrap
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.jit.decorator import JitFunction

SHORTEST = {
    "min": "d[i, j] = min(d[i, j], d[i, k] + d[k, j])",
    "choice": "d[i, j] = d[i, j] if d[i, j] < d[i, k] + d[k, j] else d[i, k] + d[k, j]",
    "if": "if d[i, k] + d[k, j] < d[i, j]:\n                d[i, j] = d[i, k] + d[k, j]",
    "local": "s = d[i, k] + d[k, j]\n            if s < d[i, j]:\n                d[i, j] = s",
    "sum": "d[i, j] += d[i, k] - d[k, j]",
}
VECTORS = {
    "first": "for i in range(len(x)):\n    x[i] = x[i] / 3 + x[0]",
    "last": "for i in range(len(x)):\n    x[i] -= x[len(x) - 1]",
    "backward": "for i in range(len(x) - 1, -1, -1):\n    x[i] -= x[p]",
    "argument": "for i in range(len(x)):\n    x[i] = x[p] - x[i]",
    "shifted": "for i in range(len(x) - 2):\n    x[i + 2] -= x[p]",
    "steps": "for i in range(0, len(x), 3):\n    x[i] -= x[p]",
    "not in reach": "for i in range(1, len(x)):\n    x[i] -= x[0]",
    "variable behind": "i = 5\nfor i in range(len(x)):\n    x[i] -= x[p]\nx[0] += i",
    "local behind": "s = 0.0\nfor i in range(len(x)):\n    s = x[i] - x[p]\n    x[i] = s\nx[0] += s",
    "two points": "for i in range(len(x)):\n    x[i] -= x[0] + x[p]",
    "really in order": "for i in range(1, len(x)):\n    x[i] = x[i - 1] + x[p]",
}
LENGTHS = {
    "rows": "for i in range(3):\n    for j in range(k[i]):\n        x[j] = max(x[j], x[i] + 1)",
    "one": "for j in range(k[1]):\n    x[j] -= x[0]",
    "name": "n = k[1]\nfor i in range(2):\n    for j in range(n):\n        x[j] -= x[i] * 0.5",
    "around": "for i in range(k[0]):\n    for j in range(len(x)):\n        x[j] -= x[i] * 0.5",
}


def function(text: str, parameters: str) -> Callable[..., Any]:
    namespace: dict[str, Any] = {}
    source = f"def f({parameters}):\n{textwrap.indent(text, '    ')}\n"
    exec(compile(source, "<test_split_loops>", "exec"), namespace)
    linecache.cache["<test_split_loops>"] = (len(source), None, source.splitlines(True), "<test_split_loops>")
    return namespace["f"]  # type: ignore[no-any-return]


def sequential(f: JitFunction[..., Any], *arguments: Any) -> int:
    """How many loops are in order."""
    return f.inspect(*arguments, stage="mdh").count("for ")


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("way", SHORTEST)
@pytest.mark.parametrize("least", [1, -3])
def test_shortest_paths(way: str, least: int) -> None:
    loops = "for k in range(n):\n    for i in range(n):\n        for j in range(n):\n            "
    f = function(loops + SHORTEST[way], "d, n")
    ours = mdh.jit(tune="off")(f)
    for n in (0, 1, 2, 9, 24):
        d = np.random.default_rng(n).integers(least, 99, (n, n))
        with np.errstate(over="ignore"):
            want = d.copy()
            f(want, n)
        ours(d, n)
        np.testing.assert_array_equal(d, want)
    assert sequential(ours, d, n) == 1, "only the loop over k is in order"


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("way", VECTORS)
def test_vectors(way: str) -> None:
    f = function(VECTORS[way], "x, p")
    ours = mdh.jit(tune="off")(f)
    for n in (1, 2, 3, 5, 30):
        for p in {0, n // 2, n - 1}:
            x = np.random.default_rng(n).random(n)
            want = x.copy()
            f(want, p)
            ours(x, p)
            np.testing.assert_allclose(x, want, rtol=1e-13)


@pytest.mark.parametrize("way", LENGTHS)
def test_lengths_from_data(way: str) -> None:
    f = function(LENGTHS[way], "x, k")
    ours = mdh.jit(tune="off", fallback="error")(f)
    for lengths in ([2, 5, 3], [0, 1, 0], [5, 5, 5]):
        x, k = np.arange(1.0, 7.0), np.array(lengths)
        want = x.copy()
        f(want, k)
        ours(x, k)
        np.testing.assert_allclose(x, want, rtol=1e-13)


def test_they_are_parallel() -> None:
    for way in ("first", "last", "argument", "shifted"):
        ours = mdh.jit(tune="off")(function(VECTORS[way], "x, p"))
        assert sequential(ours, np.ones(9), 2) == 0, way


@pytest.mark.filterwarnings("ignore::jitmdh.base.errors.JitWarning")
def test_a_place_outside_is_an_error() -> None:
    ours = mdh.jit(tune="off")(function(VECTORS["argument"], "x, p"))
    x = np.ones(4)
    with pytest.raises(IndexError):
        ours(x, 4)
    np.testing.assert_array_equal(x, np.ones(4))
