"""Exo's procedures for `exo_rows`: algorithms as loops, and schedules of them. Needs Exo."""

# ruff: noqa: F821, PLE0643
# mypy: ignore-errors

from __future__ import annotations

from contextlib import suppress
from typing import Any

from exo import DRAM, Memory, instr, proc
from exo.libs.memories import DRAM_STACK
from exo.stdlib import scheduling as x

LANES = 8


class Vectors(Memory):
    """Registers of 8 doubles."""

    @classmethod
    def global_(cls):
        return "#include <immintrin.h>"

    @classmethod
    def can_read(cls):
        return False

    @classmethod
    def alloc(cls, new_name, prim_type, shape, srcinfo):
        if prim_type != "double" or shape[-1] != str(LANES):
            raise x.MemoryError(f"{srcinfo}: {prim_type} {shape} is no vector")
        return f"__m512d {new_name}" + "".join(f"[{n}]" for n in shape[:-1]) + ";"

    @classmethod
    def free(cls, new_name, prim_type, shape, srcinfo):
        return ""

    @classmethod
    def window(cls, basetyp, baseptr, indices, strides, srcinfo):
        return baseptr + "".join(f"[{n}]" for n in indices[:-1])


@instr("{to_data} = _mm512_loadu_pd(&{of_data});")
def load(to: [f64][8] @ Vectors, of: [f64][8] @ DRAM):
    assert stride(of, 0) == 1
    assert stride(to, 0) == 1
    for l in seq(0, 8):
        to[l] = of[l]


@instr("_mm512_storeu_pd(&{to_data}, {of_data});")
def store(to: [f64][8] @ DRAM, of: [f64][8] @ Vectors):
    assert stride(of, 0) == 1
    assert stride(to, 0) == 1
    for l in seq(0, 8):
        to[l] = of[l]


@instr("{sum_data} = _mm512_fmadd_pd(_mm512_set1_pd({a_data}), {b_data}, {sum_data});")
def scaled(sum: [f64][8] @ Vectors, a: [f64][1] @ DRAM, b: [f64][8] @ Vectors):
    assert stride(sum, 0) == 1
    assert stride(b, 0) == 1
    for l in seq(0, 8):
        sum[l] += a[0] * b[l]


@proc
def matmul(
    I: size, J: size, K: size, C: f64[I, J] @ DRAM, A: f64[I, K] @ DRAM, B: f64[K, J] @ DRAM
):  # fmt: skip
    for i in seq(0, I):
        for j in seq(0, J):
            for k in seq(0, K):
                C[i, j] += A[i, k] * B[k, j]


@proc
def conv2d(
    I: size, J: size, y: f64[I, J] @ DRAM, x: f64[I + 4, J + 4] @ DRAM, w: f64[5, 5] @ DRAM
):  # fmt: skip
    for i in seq(0, I):
        for j in seq(0, J):
            for p in seq(0, 5):
                for q in seq(0, 5):
                    y[i, j] += x[i + p, j + q] * w[p, q]


@proc
def blur(I: size, J: size, y: f64[I, J] @ DRAM, x: f64[I + 2, J + 2] @ DRAM):
    t: f64[I + 2, J] @ DRAM
    for i in seq(0, I + 2):
        for j in seq(0, J):
            t[i, j] = (x[i, j] + x[i, j + 1] + x[i, j + 2]) / 3.0
    for i in seq(0, I):
        for j in seq(0, J):
            y[i, j] = (t[i, j] + t[i + 1, j] + t[i + 2, j]) / 3.0


def in_vectors(p, *buffers):
    """Each loop over 16 elements as two vectors, and what it does as instructions, unrolled."""
    for pattern in ("for i1 in _:_", "for i0 in _:_", "for ji in _:_"):
        found = [c for c in p.find(pattern, many=True) if _is(c, 2 * LANES)]
        for cursor in found:
            p = x.divide_loop(p, p.forward(cursor), LANES, ["jv", "l"], perfect=True)
    p = x.simplify(p)
    for name in buffers:
        p = x.set_memory(p, name, Vectors)
    p = x.replace_all(p, [load, store, scaled])
    with suppress(x.SchedulingError):  # there is no further one
        while True:
            p = x.unroll_loop(p, "jv")
    return p


def scheduled_matmul(I, J, K):
    """Columns of 16 for threads, with 256 rows of them copied one behind the other; register tiles of 8 x 16."""
    p = matmul.partial_eval(I=I, J=J, K=K)
    p = x.divide_loop(p, "i", 8, ["io", "ii"], perfect=True)
    p = x.divide_loop(p, "j", 2 * LANES, ["jo", "ji"], perfect=True)
    p = x.divide_loop(p, "k", 256, ["ko", "ki"], perfect=True)
    for pair in ("ii jo", "ji ko", "ii ko", "ji ki", "ii ki", "jo ko", "io ko", "io jo"):
        p = x.reorder_loops(p, pair)  # ko jo io ki ii ji
    p = x.stage_mem(p, "for io in _:_", "B[256*ko:256*ko+256, 16*jo:16*jo+16]", "panel")
    p = x.simplify(p)
    p = x.stage_mem(p, "for ki in _:_", "C[8*io:8*io+8, 16*jo:16*jo+16]", "sums")
    p = x.simplify(x.stage_mem(x.simplify(p), "for ii in _:_", "panel[ki, 0:16]", "row"))
    p = x.divide_dim(x.divide_dim(p, "sums", 1, LANES), "row", 0, LANES)
    p = in_vectors(x.set_memory(p, "panel", DRAM_STACK), "sums", "row")
    p = x.unroll_loop(p, "ii")
    for _ in range(2):  # rows of the sums, loaded and stored
        p = x.unroll_loop(p, next(c for c in p.find("for i0 in _:_", many=True) if _is(c, 8)))
    return x.parallelize_loop(p, "jo")


def scheduled_conv2d(I, J, *_):
    """Rows of tiles for threads; tiles of 4 x 16 in registers, all 25 steps unrolled."""
    p = conv2d.partial_eval(I=I, J=J)
    p = x.divide_loop(p, "i", 4, ["io", "ii"], perfect=True)
    p = x.divide_loop(p, "j", 2 * LANES, ["jo", "ji"], perfect=True)
    for pair in ("ii jo", "ji p", "ii p", "ji q", "ii q"):
        p = x.reorder_loops(p, pair)  # io jo p q ii ji
    p = x.stage_mem(p, "for p in _:_", "y[4*io:4*io+4, 16*jo:16*jo+16]", "sums")
    p = x.simplify(p)
    p = x.stage_mem(p, "for ji in _:_", "x[4*io+ii+p, 16*jo+q:16*jo+q+16]", "row")
    p = x.commute_expr(x.simplify(p), "row[_] * w[_]")
    p = x.divide_dim(x.divide_dim(p, "sums", 1, LANES), "row", 0, LANES)
    p = in_vectors(p, "sums", "row")
    p = x.unroll_loop(p, "ii")
    for _ in range(2):
        p = x.unroll_loop(p, next(c for c in p.find("for i0 in _:_", many=True) if _is(c, 4)))
    return x.parallelize_loop(p, "io")


def scheduled_blur(I, J, *_):
    """Tiles of 32 rows for threads, the first step computed for each with its halo; gcc makes the vectors."""
    p = blur.partial_eval(I=I, J=J)
    p = x.divide_with_recompute(p, "for i in _:_", I // 32, 32, ["io", "ii"])
    p = x.divide_loop(p, "for i in _:_", 32, ["io", "ii"], perfect=True)
    # Tiles write the rows of their halo twice, the same values: what Exo does not see.
    p = x.simplify(x.fuse(p, "for io in _:_", "for io in _:_ #1", unsafe_disable_check=True))
    p = x.sink_alloc(p, "t")
    p = x.simplify(x.resize_dim(p, "t", 0, 34, "32*io"))
    return x.parallelize_loop(p, "io")


SCHEDULED = {"matmul": scheduled_matmul, "conv2d 5x5": scheduled_conv2d, "blur": scheduled_blur}
"""By the name of the row: the procedure for so many rows and columns of results."""


def _is(cursor: Any, extent: int) -> bool:
    """Whether a loop has so many steps."""
    return str(getattr(cursor.hi(), "value", lambda: "")()) == str(extent)
