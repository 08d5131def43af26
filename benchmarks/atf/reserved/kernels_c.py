"""Kernels in C whose recorded spaces are reserved: the search is measured on them, and never chosen by them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.atf.kernels_c import Kernel, random_numbers, values
from jitmdh import atf

TRANSPOSE = """
static inline __attribute__((always_inline)) void JOIN(NAME, block)(
    const float *from, size_t pitch, float *out) {
  enum { TOGETHER = UNROLL };
#pragma GCC unroll 1
  for (int i = 0; i < BI; i += TI)
#pragma GCC unroll TOGETHER
    for (int j = 0; j < BJ; j += TJ) {
      float held[TI][TJ];
#pragma GCC unroll 8
      for (int r = 0; r < TI; r++)
#pragma GCC unroll 16
        for (int c = 0; c < TJ; c++) held[r][c] = from[(i + r) * pitch + j + c];
#pragma GCC unroll 16
      for (int c = 0; c < TJ; c++)
#pragma GCC unroll 8
        for (int r = 0; r < TI; r++) out[(size_t)(j + c) * 400 + i + r] = held[r][c];
    }
}
void NAME(const float *a, const float *b, float *out, char *scratch) {
  enum { N = 384, PITCH = 400 };
  float *copy = (float *)scratch;
#if ORDER
  for (int j = 0; j < N; j += BJ)
    for (int i = 0; i < N; i += BI) {
#else
  for (int i = 0; i < N; i += BI)
    for (int j = 0; j < N; j += BJ) {
#endif
      const float *from = a + (size_t)i * PITCH + j;
#if COPY
      for (int r = 0; r < BI; r++)
        for (int c = 0; c < BJ; c++) copy[r * (BJ + COPY - 1) + c] = from[(size_t)r * PITCH + c];
      JOIN(NAME, block)(copy, BJ + COPY - 1, out + (size_t)j * PITCH + i);
#else
      JOIN(NAME, block)(from, PITCH, out + (size_t)j * PITCH + i);
#endif
    }
}
"""


def transpose() -> Kernel:
    """384 x 384 numbers transposed: blocks, tiles of registers, order, copies with and without padding."""
    BI, BJ, TI, TJ, UNROLL, ORDER, COPY = values(
        BI=(16, 48, 384), BJ=(16, 48, 384), TI=(1, 2, 4, 8), TJ=(1, 4, 8), UNROLL=(1, 2), ORDER=(0, 1),
        COPY=(0, 1, 9),
    )  # fmt: skip
    a = np.zeros((384, 400), np.float32)
    a[:, :384] = random_numbers(11, 384, 384)
    return Kernel(
        "transpose",
        TRANSPOSE,
        atf.search_space(BI, BJ, TI, TJ, UNROLL, ORDER, COPY),
        (a, a),
        a[:, :384].T,
        lambda c: 4 * c["BI"] * (c["BJ"] + c["COPY"] - 1) if c["COPY"] else 0,
        1 << 16,
    )


STENCIL = """
#define V JOIN(v, W)
static inline __attribute__((always_inline)) void JOIN(NAME, tile)(const float *a, const float *b, float *out) {
  enum { PITCH = 800 };
#if AHEAD
#pragma GCC unroll 8
  for (int r = 0; r < R; r++) __builtin_prefetch(a + (size_t)(r + 2 + AHEAD) * PITCH, 0, 3);
#endif
  V sum[R][C];
#pragma GCC unroll 8
  for (int r = 0; r < R; r++)
#pragma GCC unroll 4
    for (int c = 0; c < C; c++) sum[r][c] = (V){0};
#if BY_INPUT
#pragma GCC unroll 8
  for (int row = 0; row < R + 2; row++)
#pragma GCC unroll 3
    for (int q = 0; q < 3; q++)
#pragma GCC unroll 4
      for (int c = 0; c < C; c++) {
        V x = *(const V *)(a + (size_t)row * PITCH + c * W + q);
#pragma GCC unroll 3
        for (int p = 0; p < 3; p++)
          if (row - p >= 0 && row - p < R) sum[row - p][c] += b[3 * p + q] * x;
      }
#else
#pragma GCC unroll 3
  for (int p = 0; p < 3; p++)
#pragma GCC unroll 3
    for (int q = 0; q < 3; q++)
#pragma GCC unroll 8
      for (int r = 0; r < R; r++)
#pragma GCC unroll 4
        for (int c = 0; c < C; c++) sum[r][c] += b[3 * p + q] * *(const V *)(a + (size_t)(r + p) * PITCH + c * W + q);
#endif
#pragma GCC unroll 8
  for (int r = 0; r < R; r++)
#pragma GCC unroll 4
    for (int c = 0; c < C; c++) *(V *)(out + (size_t)r * PITCH + c * W) = sum[r][c];
}
void NAME(const float *a, const float *b, float *out, char *scratch) {
  enum { N = 240, M = 768, PITCH = 800 };
  for (int i0 = 0; i0 < N; i0 += ROWS)
    for (int j0 = 0; j0 < M; j0 += COLUMNS)
#if ORDER
      for (int j = j0; j < j0 + COLUMNS; j += W * C)
        for (int i = i0; i < i0 + ROWS; i += R)
#else
      for (int i = i0; i < i0 + ROWS; i += R)
        for (int j = j0; j < j0 + COLUMNS; j += W * C)
#endif
          JOIN(NAME, tile)(a + (size_t)i * PITCH + j, b, out + (size_t)i * PITCH + j);
}
#undef V
"""


def stencil() -> Kernel:
    """Nine neighbours of 240 x 768 numbers, weighted: vectors, tiles of registers, blocks, order, prefetches."""
    W, R, C, COLUMNS, ROWS, ORDER, BY_INPUT, AHEAD = values(
        W=(4, 8, 16), R=(1, 2, 3, 5), C=(1, 2, 3), COLUMNS=(192, 768), ROWS=(30, 240), ORDER=(0, 1), BY_INPUT=(0, 1),
        AHEAD=(0, 6),
    )  # fmt: skip
    a, b = np.zeros((250, 800), np.float32), random_numbers(13, 9)
    a[:242, :770] = random_numbers(12, 242, 770)
    expected = sum(b[3 * p + q] * a[p : p + 240, q : q + 768] for p in range(3) for q in range(3))
    rules = [lambda ROWS, R: ROWS % R == 0, lambda COLUMNS, W, C: COLUMNS % (W * C) == 0]
    return Kernel(
        "stencil",
        STENCIL,
        atf.search_space(W, R, C, COLUMNS, ROWS, ORDER, BY_INPUT, AHEAD, constraints=rules),
        (a, b),
        np.asarray(expected),
        lambda c: 4 * c["W"] * c["R"] * c["C"],
        768,
    )


RESERVED_C: dict[str, Callable[[], Kernel]] = {"transpose": transpose, "stencil": stencil}
