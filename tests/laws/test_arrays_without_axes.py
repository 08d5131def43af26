"""Arrays without axes: their arguments, views of one element (`x[1, ...]`), and other names of both.

Law: a name of one is read as the number that is there by now, and `+=` writes to the array that all of its names mean,
whether in loops, under conditions or in functions that are called.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from tests.source_text import function_in

WAYS = {
    "argument": "v = a",
    "turned": "v = a.T",
    "allocated": "v = np.zeros((), x.dtype)",
    "element": "v = x[1, ...]",
    "last": "v = x[..., -1]",
    "chosen": "v = x[..., k]",
    "row": "v = x[2:3].reshape(())",
}
BODIES = {
    "updated": "v += 2",
    "twice": "before = v * 2; v *= 3; v -= before",
    "by others": "v += x[0] + a",
    "named again": "w = v; w += 5; y[0] = v",
    "read before": "before = v + 0; v += 1; y[1] = before",
    "in a loop": "for i in range(3): v += x[i]; y[i] = v",
    "while": "while v < 20: v += 4",
    "sometimes": "y[0] = 1\nif k > 1: v += 1\nelse: v -= 1",
    "in a loop, sometimes": "for i in range(4):\n    if i != k: v += i\n    y[i] = v",
    "in a function": "added(v, 3)",
    "of a function": "w = added(v, 3); w += 1; y[2] = v",
    "swapped": "w, v = v, a; v += 1; w += 2",
    "with an axis": "w = v[None]; w += 7",
    "as a number": "y[k] = v if v > 2 else x[3]; y[0] = max(v, x[0]); s = 0\nfor i in range(3): s += v\ny[1] = s",
    "chosen": "w = v if k > 1 else x[3]; y[2] = w; v += 1; y[3] = w + 1",
    "chosen of numbers": "y[1] = v if k > 1 else 0\nw = v\nif k > 1: w = 0\ny[2] = w",
    "written behind": "x[1] = 40; a[()] = 50; y[0] = v; v += 1",
}
TYPES = ("float64", "int32")


def function(way: str, body: str) -> Any:
    text = "def added(number, more):\n    number += more\n    return number\ndef f(a, x, y, k):\n"
    text += "".join(f"    {line}\n" for line in f"{WAYS[way]}\n{BODIES[body]}".splitlines()) + "    return v + 0\n"
    return function_in(text, f"<{way}, {body}>", {"np": np})


@pytest.mark.in_turns(6)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("body", BODIES)
def test_as_undecorated(body: str, way: str) -> None:
    plain = function(way, body)
    fast = mdh.jit(tune="off", cache=False, fallback="error")(plain)
    for dtype in TYPES:
        for k in (0, 2):
            results = []
            for called in (plain, fast):
                arrays = [np.array(3, dtype), np.arange(1, 6).astype(dtype), np.zeros(5, dtype)]
                results.append((called(*arrays, k), *arrays))
            for found, wanted in zip(*results[::-1]):
                np.testing.assert_array_equal(np.asarray(found), np.asarray(wanted), strict=True)
