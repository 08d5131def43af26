"""Which chains of stencils go through tiles, on a machine with 1 MiB of L2 a core and 32 MiB of L3."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from benchmarks.suites.schedule_rows import blur
from jitmdh.base.dtype import float64
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.trace import trace
from jitmdh.mdh.frontend.trace_ir.argument_types import ArrayType
from jitmdh.mdh.lowering.model.overlapped_tiles import Tiled, overlapped_tiles
from jitmdh.mdh.lowering.problem.nontemporal import no_nontemporal_stores
from jitmdh.mdh.machine.known import known

MACHINE = known("zen4", cores=2)


def three(y: Any, x: Any) -> None:
    a, b = np.empty(x.shape), np.empty(x.shape)
    for i in range(1, x.shape[0] - 1):
        for j in range(x.shape[1]):
            a[i, j] = x[i - 1, j] + x[i + 1, j]
    for i in range(2, x.shape[0] - 2):
        for j in range(x.shape[1]):
            b[i, j] = a[i - 1, j] + a[i + 1, j]
    for i in range(3, x.shape[0] - 3):
        for j in range(x.shape[1]):
            y[i, j] = b[i - 1, j] + b[i + 1, j]


def line(y: Any, x: Any) -> None:
    t = np.empty(x.shape[0] - 2)
    for i in range(x.shape[0] - 2):
        t[i] = x[i] + x[i + 1] + x[i + 2]
    for i in range(x.shape[0] - 4):
        y[i] = t[i] + t[i + 1] + t[i + 2]


def functions(y: Any, x: Any) -> None:
    t = np.empty(x.shape)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            t[i, j] = np.exp(x[i, j]) + np.sin(x[i, j])
    for i in range(x.shape[0] - 2):
        for j in range(x.shape[1]):
            y[i, j] = t[i, j] + t[i + 2, j]


def products(y: Any, x: Any) -> None:
    t = np.zeros((x.shape[0], x.shape[1]))
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            for k in range(x.shape[1]):
                t[i, j] += x[i, k] * x[k, j]
    for i in range(x.shape[0] - 2):
        for j in range(x.shape[1]):
            y[i, j] = t[i, j] + t[i + 2, j]


def rows(y: Any, x: Any) -> None:
    t = np.empty(x.shape)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            t[i, j] = 2 * x[i, j]
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            y[i, j] = t[i, j] + 1


def found(function: Callable[..., None], *shape: int) -> tuple[Tiled, ...]:
    program = trace(capture(function), (ArrayType(float64, len(shape)),) * 2)
    sizes = {f"{name}.shape[{axis}]": n for name in "yx" for axis, n in enumerate(shape)}
    return overlapped_tiles(program, sizes, MACHINE, 2)


@pytest.mark.parametrize(("function", "shape", "sizes"), [
    (three, (700, 700), [14]),  # all of it stays in L3, tiles in L2: two of the steps, three would compute much again
    (blur, (700, 700), []),  # computing takes longer than fetching it from L3
    (blur, (4096, 4096), [32]),  # rows are too long for that: in L3; the second step has tiles of several rows
    (three, (4000, 2000), [60]),  # a halo of 4
    (line, (10**7,), [16382]),
    (functions, (4000, 2000), [30]),
    (functions, (700, 700), []),
    (products, (2000, 2000), []),  # the matrix would be read again for each tile
    (rows, (4000, 2000), []),  # no halo: points may go together by themselves
    (blur, (100, 100), []),
])  # fmt: skip
def test_what_saves_traffic_goes_through_tiles(
    function: Callable[..., None], shape: tuple[int, ...], sizes: list[int]
) -> None:
    assert [tiled.size for tiled in found(function, *shape)] == sizes


def test_the_longest_run_is_in_one_tile() -> None:
    (tiled,) = found(three, 4000, 2000)
    assert len(tiled.steps) == 3 and [dim[0] for dim in tiled.dims] == ["i"] * 3


def test_unknown_sizes_stay_apart() -> None:
    program = trace(capture(blur), (ArrayType(float64, 2),) * 2)
    assert overlapped_tiles(program, {}, MACHINE, 2) == ()


def test_results_of_all_tiles_go_past_the_caches() -> None:
    """A tile's results fit the caches, those of all tiles do not; what another step reads stays near."""
    from jitmdh.mdh.compile import Request, problems

    def of(n: int) -> list[str]:
        program = trace(capture(blur), (ArrayType(float64, 2),) * 2)
        sizes = {"y.shape[0]": n - 2, "y.shape[1]": n - 2, "x.shape[0]": n, "x.shape[1]": n}
        axes = {"y": 1, "x": 1}
        all_, joined = problems(Request(program, sizes, axes, MACHINE, threads=2))
        assert [join.tile for join in joined] == [32]
        return [no_nontemporal_stores(p, MACHINE, "j") for p in all_]

    assert of(4096) == ["t fits the L3 cache", ""]
    assert of(1500) == ["t fits the L3 cache", "y fits the L3 cache"]


def test_the_model_s_tiles_are_a_schedule() -> None:
    """They are drawn, and made again by a script; the meaning is that of the steps apart."""
    from jitmdh import schedule as s

    x, y = np.random.default_rng(0).random((2100, 1500)), np.zeros((2098, 1498))
    jitted = mdh.jit(blur, tune="off")
    jitted(y, x)
    t = (x[:, :-2] + x[:, 1:-1] + x[:, 2:]) / 3
    np.testing.assert_allclose(y, (t[:-2] + t[1:-1] + t[2:]) / 3, rtol=1e-13)
    made = s.of(jitted.config(y, x), blur, y, x)
    assert [join.tile for join in made.joined] == [join.tile for join in eval(repr(made), vars(s) | _names()).joined]
    assert "<svg" in jitted.draw(y, x)._repr_html_()


def _names() -> dict[str, Any]:
    from jitmdh.mdh.lowering.schedule import Join, Merge

    return {"Join": Join, "Merge": Merge}
