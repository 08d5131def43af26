"""What the model decides by whether arrays fit a cache is the same in all calls that share code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from jitmdh.jit.compilation.compiled import in_range
from jitmdh.jit.compilation.pipeline import conditions_of
from jitmdh.mdh.algebra.semantics.argument_binding import sizes_of
from jitmdh.mdh.compile import Request, chosen
from jitmdh.mdh.lowering.configuration.shape_class import footprints, shape_class
from jitmdh.mdh.machine.known import known
from tests.laws.agreement import traced

Sizes = dict[str, int]


def added(z, x, y):
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            z[i, j] = x[i, j] + y[i, j]


def scaled(z, x):
    for i in range(x.shape[0]):
        z[i] = 2 * x[i]


def halved(z, x):
    for i in range(z.shape[0]):
        for j in range(z.shape[1]):
            for k in range(z.shape[2]):
                z[i, j, k] = x[i, j, k] // 2


def outer(z, u, v):
    for i in range(u.shape[0]):
        for j in range(v.shape[0]):
            z[i, j] = u[i] * v[j]


def column_sums(s, x):
    for j in range(x.shape[1]):
        for i in range(x.shape[0]):
            s[j] += x[i, j]


def short_rows(z, x):
    for i in range(z.shape[0]):
        for j in range(z.shape[1]):
            for k in range(z.shape[2]):
                z[i, j, k] = x[i, j, k] * 3


def mode_product(z, a, x):
    for i in range(z.shape[0]):
        for j in range(z.shape[1]):
            for k in range(z.shape[2]):
                for m in range(a.shape[1]):
                    z[i, j, k] += a[j, m] * x[i, m, k]


def two_products(z, a, x):
    t = np.zeros(z.shape, x.dtype)
    for i in range(z.shape[0]):
        for j in range(z.shape[1]):
            for k in range(z.shape[2]):
                for m in range(a.shape[1]):
                    t[i, j, k] += a[j, m] * x[i, m, k]
    for i in range(z.shape[0]):
        for j in range(z.shape[1]):
            for k in range(z.shape[2]):
                for m in range(a.shape[1]):
                    z[i, j, k] += a[j, m] * t[i, m, k]


SHAPES: dict[Callable[..., Any], tuple[str, ...]] = {
    added: ("ij", "ij", "ij"),
    scaled: ("i", "i"),
    halved: ("ijk", "ijk"),
    outer: ("ij", "i", "j"),
    column_sums: ("j", "ij"),
    short_rows: ("ijk", "ijk"),
    mode_product: ("ijk", "jj", "ijk"),
    two_products: ("ijk", "jj", "ijk"),
}
SHORT = {short_rows: "k", mode_product: "k", two_products: "jk"}  # axes that are shorter than a vector


def arguments(function: Callable[..., Any], lengths: dict[str, int], dtype: str) -> tuple[Any, ...]:
    """Arrays of these shapes, of one element in memory."""
    shapes = [tuple(lengths[axis] for axis in axes) for axes in SHAPES[function]]
    return tuple(np.broadcast_to(np.zeros((), dtype), shape) for shape in shapes)


@pytest.mark.in_turns(6)
@pytest.mark.parametrize("dtype", ["f4", "f8", "i2"])
@pytest.mark.parametrize("machine", ["zen4", "sapphire-rapids", "avx2-desktop"])
@pytest.mark.parametrize("function", SHAPES, ids=lambda f: f.__name__)
def test_calls_that_share_code_lie_on_one_side_of_a_cache(
    function: Callable[..., Any], machine: str, dtype: str
) -> None:
    model = known(machine, cores=2)
    small = tuple(np.zeros((2,) * len(axes), dtype) for axes in SHAPES[function])
    program = traced(function, small)
    axes = {name: len(of) - 1 for name, of in zip([p.name for p in program.parameters], SHAPES[function])}
    chance = np.random.default_rng(14)
    highest = {1: 2**26, 2: 2**14, 3: 500}[max(map(len, SHAPES[function]))]
    calls: list[tuple[Sizes, list[Any], tuple[Any, ...]]] = []
    for _ in range(12):
        lengths = {axis: int(np.exp(chance.uniform(np.log(130), np.log(highest)))) for axis in "ijk"}
        for axis in SHORT.get(function, ""):
            lengths[axis] = 7
            lengths["i"] *= 20
        sizes = dict(sizes_of(program, arguments(function, lengths, dtype)))
        ranges = shape_class(program, sizes)
        ends = footprints(program, ranges, sizes, model)
        conditions = conditions_of({**ranges, **ends})
        assert in_range(conditions, sizes), "code serves the call that it was chosen for"
        choices = [c.configuration for c in chosen(Request(program, sizes, axes, model, threads=2)).choices]
        decided = [(c.scalar_output_region, c.scalar_input_region) for c in choices]
        calls.append((sizes, decided, conditions))
    for sizes, decided, conditions in calls:
        others = [other for at, other, _ in calls if in_range(conditions, at)]
        assert all(other == decided for other in others), (sizes, decided, others)
