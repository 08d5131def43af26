"""Several updates of one state, each under conditions of its own: loops ≡ Python, and they are reductions."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from tests.source_text import function_in

_CONDITIONS = ("a > 2", "a < b", "b % 3 == 0", "i > 0 and x[i - 1] > a", "i + 1 >= n or y[i + 1] < a", "i > k", "k > 3")
_UPDATES = {
    "int64": (
        ("t += 1", "t += a", "t -= b - 7", "t += i"),
        ("t = max(t, a)", "t = max(t, b - i)"),
        ("t |= a", "t |= 4"),
    ),
    "float64": (("t += 1.5", "t += a", "t -= a * b", "t += i"), ("t = max(t, a)", "t = max(t, b)")),
    "int8": (("t += 1", "t -= 1", "t += i"), ("t = min(t, i)", "t = min(t, 3)")),
}
_FAMILIES = [(type, family) for type, families in _UPDATES.items() for family in range(len(families))]


def program(number: int, updates: tuple[str, ...]) -> str:
    """Statements of one family, with ifs, elses, elifs, and ifs inside of ifs, and now and then without a condition."""
    rng = random.Random(number)

    def part(depth: int) -> list[str]:
        kind = rng.choice(("if", "if", "else", "elif", "nothing", "plain")) if depth else "plain"
        lines = [rng.choice(updates)]
        if kind == "plain":
            return lines
        inside = [f"    {line}" for line in (part(depth - 1) if rng.random() < 0.5 else lines)]
        found = [f"if {rng.choice(_CONDITIONS)}:", *inside]
        if kind == "elif":
            found += [f"elif {rng.choice(_CONDITIONS)}:", *(f"    {line}" for line in part(depth - 1))]
        if kind in ("else", "elif"):
            found += ["else:", *(f"    {line}" for line in part(depth - 1))]
        if kind == "nothing":
            found += ["else:", "    pass"]
        return found

    body = [line for _ in range(rng.randint(2, 4)) for line in part(2)]
    lines = ["n = len(x)", "t = t0", "for i in range(n):", "    a, b = x[i], y[i]", *(f"    {line}" for line in body)]
    return "\n".join(["def f(x, y, k, t0):", *(f"    {line}" for line in [*lines, "return t"])])


@pytest.mark.in_turns(6)
@pytest.mark.parametrize("number", range(8))
@pytest.mark.parametrize(("type", "family"), _FAMILIES)
def test_updates_under_conditions_are_pythons(type: str, family: int, number: int) -> None:
    source = program(number, _UPDATES[type][family])
    f = function_in(source, f"<updates {type} {family} {number}>")
    compiled = mdh.jit(f)
    rng = np.random.default_rng(number)
    for n, k in ((0, 1), (1, 5), (3, 0), (40, 20), (133, 4)):
        x, y = (rng.integers(-6, 7, n).astype(type) for _ in range(2))
        start = 0.0 if type == "float64" else 0
        with np.errstate(all="ignore"):
            np.testing.assert_allclose(compiled(x, y, k, start), f(x, y, k, start), 1e-12, err_msg=source)


def perimeter(grid: Any) -> int:
    h, w = grid.shape
    edges = 0
    for y in range(h):
        for x in range(w):
            if grid[y, x]:
                for dy, dx in ((-1, 0), (1, 0), (0, -1), (0, 1)):
                    if not (0 <= y + dy < h and 0 <= x + dx < w) or not grid[y + dy, x + dx]:
                        edges += 1
    return edges


def test_they_are_one_reduction() -> None:
    grid = np.random.default_rng(1).random((30, 41)) < 0.5
    compiled = mdh.jit(perimeter)
    assert compiled(grid) == perimeter(grid)
    text = compiled.inspect(grid, stage="mdh")
    assert "•(add), •(add)" in text and "loop" not in text
