"""Loops in order whose points pass something on to neighbours, where these are there ≡ plain Python.

Conditions on an index hold for all rounds but a few, or in none; those on the index of a loop around hold for all of an
inner loop, or for nothing of it.
"""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from tests.source_text import function_in

SIZES = (0, 1, 2, 5, 19)


def program(seed: int) -> str:
    """A function of a matrix (or a row) whose points give parts of themselves away."""
    draw = random.Random(seed)
    plane = draw.random() < 0.7
    lines = ["def f(img, k):", "    h, w = img.shape"]
    lines += (
        ["    for y in range(h):", "        for x in range(w):"] if plane else ["    y = 0", "    for x in range(w):"]
    )
    indent = " " * (12 if plane else 8)
    new = draw.choice(("255.0 if old > 127.5 else 0.0", "old * 0.5", "np.floor(old)"))
    lines += [f"{indent}old = img[y, x]", f"{indent}new = {new}", f"{indent}img[y, x] = new", f"{indent}e = old - new"]
    for _ in range(draw.randint(1, 4)):
        below, beside = draw.choice((0, 1, 1)) if plane else 0, draw.choice((-2, -1, 0, 1, 1, 2))
        asked = [f"y + {below} < h"] if below else []
        asked += [f"x + {beside} < w"] if beside > 0 else [f"x >= {-beside}"] if beside < 0 else []
        asked += draw.choice(([], [], ["x < k"], ["y > k"], ["x != k"], ["img[y, x] > 0.5"]))
        draw.shuffle(asked)
        place = f"img[y + {below}, x + {beside}]"
        change = draw.choice((f"{place} += e * {draw.randint(1, 7)} / 16", f"{place} = {place} * 0.5 + e"))
        if asked and draw.random() < 0.4:
            for n, one in enumerate(asked):
                lines.append(f"{indent}{'    ' * n}if {one}:")
            lines.append(f"{indent}{'    ' * len(asked)}{change}")
        else:
            lines += [f"{indent}if {' and '.join(asked)}:"] * bool(asked) + [indent + "    " * bool(asked) + change]
    return "\n".join(["import numpy as np", "", *lines, ""])


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("seed", range(48))
def test_what_is_passed_on(seed: int) -> None:
    function: Any = function_in(program(seed), f"passed on {seed}")
    compiled = mdh.jit(cache=False, fallback="python")(function)
    numbers = np.random.default_rng(seed)
    for (h, w), k in zip(product(SIZES, SIZES), (3, 0, 1, 30, -2) * 5):
        ours = numbers.random((max(h, 1), w)) * 255
        pythons = ours.copy()
        compiled(ours, k)
        function(pythons, k)
        np.testing.assert_allclose(ours, pythons, rtol=1e-12, atol=1e-9, err_msg=program(seed))
