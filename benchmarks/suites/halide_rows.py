"""Rows of the suite `schedules` beside Halide (the extra `peers`): a product, a convolution and a blur.

The algorithms and schedules are written anew, in the manner of Halide's own lessons: tiles, vectors, unrolled steps,
threads over rows, a producer at the tiles of its consumer. Halide compiles them for this machine.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.suites.schedule_rows import KERNELS, Kernel, Row, blur_tiles, by_nest
from jitmdh import schedule as s

# mypy: disable-error-code="no-untyped-def"

Call = Callable[[], None]
_LANES = 8
"""Doubles in a vector; Halide makes two of one where the machine's are shorter."""


def matmul(C, A, B):
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


def conv2d(y, x, w):
    for i in range(y.shape[0]):
        for j in range(y.shape[1]):
            for p in range(5):
                for q in range(5):
                    y[i, j] += x[i + p, j + q] * w[p, q]


def _convolved(x: Any, w: Any) -> Any:
    return np.einsum("ijpq,pq->ij", np.lib.stride_tricks.sliding_window_view(x, (5, 5)), w)


_MATMUL = Kernel(
    matmul, {"C": ("i", "j"), "A": ("i", "k"), "B": ("k", "j")}, lambda A, B: A @ B, (),
    {"i": 1024, "j": 1024, "k": 1024}, {"i": 96, "j": 64, "k": 37},
)  # fmt: skip
_CONV2D = Kernel(
    conv2d, {"y": ("i", "j"), "x": ("i+4", "j+4"), "w": ("5", "5")}, _convolved, (),
    {"i": 4096, "j": 4096}, {"i": 64, "j": 64},
)  # fmt: skip


# ------------------------------------------------------------------------------------------------------ Halide


def available() -> bool:
    """Whether Halide is installed."""
    return importlib.util.find_spec("halide") is not None


def calls(row: Row, arrays: Sequence[Any], threads: int) -> Call:
    """The row's algorithm under Halide's schedule, compiled, as a call on these arrays: the result is the first."""
    os.environ["HL_NUM_THREADS"] = str(threads)  # read when its pool starts
    import halide as hl

    buffers = [hl.Buffer(a) for a in arrays]
    pipeline = _HALIDE[row.kernel.function](hl, *buffers[1:])
    pipeline.compile_jit()
    return lambda: pipeline.realize(buffers[0])


def _halide_matmul(hl: Any, A: Any, B: Any) -> Any:
    """Tiles of 96 x 64 for threads; in them register tiles of 6 x 16, over which the sum is computed and kept."""
    x, y, xo, yo, xi, yi, tile = (hl.Var(name) for name in ("x", "y", "xo", "yo", "xi", "yi", "tile"))
    k = hl.RDom([(0, A.dim(0).extent())])
    product, C = hl.Func("product"), hl.Func("C")
    product[x, y] = hl.f64(0)
    product[x, y] += A[k, y] * B[x, k]
    C[x, y] = product[x, y]
    C.tile(x, y, xo, yo, x, y, 64, 96).fuse(xo, yo, tile).parallel(tile)
    C.tile(x, y, xi, yi, 2 * _LANES, 6).vectorize(xi, _LANES).unroll(xi).unroll(yi)
    product.compute_at(C, x).vectorize(x, _LANES).unroll(x).unroll(y)
    product.update().reorder(x, y, k).vectorize(x, _LANES).unroll(x).unroll(y).unroll(k, 2)
    return C


def _halide_conv2d(hl: Any, image: Any, w: Any) -> Any:
    """Rows for threads; tiles of 4 x 16 in registers, all 25 steps unrolled."""
    x, y, xi, yi = (hl.Var(name) for name in ("x", "y", "xi", "yi"))
    r = hl.RDom([(0, 5), (0, 5)])
    total, out = hl.Func("total"), hl.Func("out")
    total[x, y] = hl.f64(0)
    total[x, y] += image[x + r.x, y + r.y] * w[r.x, r.y]
    out[x, y] = total[x, y]
    out.tile(x, y, xi, yi, 2 * _LANES, 4).vectorize(xi, _LANES).unroll(xi).unroll(yi).parallel(y)
    total.compute_at(out, x).vectorize(x, _LANES).unroll(x).unroll(y)
    total.update().reorder(x, y, r.x, r.y).vectorize(x, _LANES).unroll(x).unroll(y).unroll(r.x).unroll(r.y)
    return out


def _halide_blur(hl: Any, image: Any) -> Any:
    """Tiles of 256 x 32, rows of tiles for threads; the first step is computed for each tile, with its halo."""
    x, y, xi, yi = (hl.Var(name) for name in ("x", "y", "xi", "yi"))
    across, out = hl.Func("across"), hl.Func("out")
    across[x, y] = (image[x, y] + image[x + 1, y] + image[x + 2, y]) / 3
    out[x, y] = (across[x, y] + across[x, y + 1] + across[x, y + 2]) / 3
    out.tile(x, y, xi, yi, 256, 32, hl.TailStrategy.ShiftInwards).vectorize(xi, _LANES).parallel(y)
    across.compute_at(out, x).vectorize(x, _LANES)
    return out


_HALIDE: dict[Any, Callable[..., Any]] = {
    matmul: _halide_matmul, conv2d: _halide_conv2d, KERNELS["blur"].function: _halide_blur,
}  # fmt: skip

_BY_HAND = (
    s.in_place().vectorize("j").unroll("j", 2).unroll("i", 6).parallelize("i.cores", 0).stripmine("k", 256)
    .stripmine("i", 96).reorder("i.cores", "k.0", "i.0", "j", "i", "k")
    .pack("B", at="k.0", layout=((1, 16), (0, 1), (1, 1))).pack("A", at="i.0", layout=((0, 6), (1, 1), (0, 1)))
)  # fmt: skip
_OPENED = s.parallelize("i.cores", 0).vectorize("j").unroll("j", s.any).unroll("i", s.any)
_ROWS = s.parallelize("i").vectorize("j")
ROWS = (
    Row("matmul", _MATMUL, by_nest(s.attempt(_BY_HAND, _ROWS)), "i j k", by_nest(_OPENED)),
    Row("conv2d 5x5", _CONV2D, by_nest(_ROWS), "i j p q", by_nest(_ROWS)),
    Row("blur", replace(KERNELS["blur"], small={"i": 64, "j": 512}), blur_tiles(32), "i j", blur_tiles(32)),
)
