"""Small kernels in C with tuning parameters, for `benchmarks.atf.record_spaces`: sources, spaces, reference results.

A source is compiled once for each configuration, the parameters being macros; `NAME` is the function's name,
`V` a vector of `W` floats without alignment.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from jitmdh import atf

Array = np.ndarray[Any, Any]

SCRATCH_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel in C: `source` defines `void NAME(const float *a, const float *b, float *out, char *scratch)`."""

    name: str
    source: str
    space: atf.SearchSpace
    inputs: tuple[Array, Array]
    expected: Array
    scratch_bytes: Callable[[atf.Configuration], int]
    """What a configuration needs; one that needs more than `limit_bytes` is invalid and is not compiled."""
    limit_bytes: int


PROLOGUE = """
#include <stddef.h>
#include <stdint.h>
#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
typedef float v1 __attribute__((vector_size(4), aligned(4)));
typedef float v4 __attribute__((vector_size(16), aligned(4)));
typedef float v8 __attribute__((vector_size(32), aligned(4)));
typedef float v16 __attribute__((vector_size(64), aligned(4)));
"""


def values(**menus: tuple[Any, ...]) -> list[atf.TuningParameter]:
    """A parameter for each name."""
    return [atf.tuning_parameter(name, atf.values(*menu)) for name, menu in menus.items()]


def random_numbers(seed: int, *shape: int) -> Array:
    """Between 0 and 1, single precision."""
    return np.random.default_rng(seed).random(shape, dtype=np.float32)


PRODUCT = """
#define V JOIN(v, W)
static inline __attribute__((always_inline)) void JOIN(NAME, tile)(
    const float *a, const float *b, size_t pitch, float *out, int depth) {
  enum { N = 192, PITCH = 400, TOGETHER = KU };
  V sum[MR][NR];
#pragma GCC unroll 8
  for (int r = 0; r < MR; r++)
#pragma GCC unroll 8
    for (int c = 0; c < NR; c++) sum[r][c] = *(V *)(out + r * PITCH + c * W);
#pragma GCC unroll TOGETHER
  for (int k = 0; k < depth; k++)
#pragma GCC unroll 8
    for (int c = 0; c < NR; c++) {
      V right = *(const V *)(b + k * pitch + c * W);
#pragma GCC unroll 8
      for (int r = 0; r < MR; r++) sum[r][c] += a[r * PITCH + k] * right;
    }
#pragma GCC unroll 8
  for (int r = 0; r < MR; r++)
#pragma GCC unroll 8
    for (int c = 0; c < NR; c++) *(V *)(out + r * PITCH + c * W) = sum[r][c];
}
void NAME(const float *a, const float *b, float *out, char *scratch) {
  enum { N = 192, PITCH = 400, TOGETHER = KU };
  float *packed = (float *)scratch;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) out[(size_t)i * PITCH + j] = 0;
  for (int k0 = 0; k0 < N; k0 += KC) {
#if PACK
    for (int j = 0; j < N; j += NR * W)
      for (int k = 0; k < KC; k++)
        for (int c = 0; c < NR * W; c++) packed[j * KC + k * NR * W + c] = b[(size_t)(k0 + k) * PITCH + j + c];
#endif
    for (int i0 = 0; i0 < N; i0 += MC) {
#if ORDER
      for (int j = 0; j < N; j += NR * W)
        for (int i = i0; i < i0 + MC; i += MR)
#else
      for (int i = i0; i < i0 + MC; i += MR)
        for (int j = 0; j < N; j += NR * W)
#endif
#if PACK
          JOIN(NAME, tile)(a + i * PITCH + k0, packed + j * KC, NR * W, out + i * PITCH + j, KC);
#else
          JOIN(NAME, tile)(a + i * PITCH + k0, b + k0 * PITCH + j, PITCH, out + i * PITCH + j, KC);
#endif
    }
  }
}
#undef V
"""


def product() -> Kernel:
    """Matrix multiplication, 192 x 192: tiles of registers, blocks, order, packing."""
    MR, NR, W, KU, KC, MC, PACK, ORDER = values(
        MR=(1, 2, 3, 4, 6, 8, 12),
        NR=(1, 2, 3, 4, 6),
        W=(4, 8, 16),
        KU=(1, 4),
        KC=(16, 48, 192),
        MC=(24, 192),
        PACK=(0, 1),
        ORDER=(0, 1),
    )
    a, b = np.zeros((200, 400), np.float32), np.zeros((200, 400), np.float32)
    a[:192, :192], b[:192, :192] = random_numbers(3, 192, 192), random_numbers(4, 192, 192)
    rules = [lambda NR, W: 192 % (NR * W) == 0, lambda MC, MR: MC % MR == 0, lambda MR, NR, W: MR * NR * W >= 16]
    return Kernel(
        "product",
        PRODUCT,
        atf.search_space(MR, NR, W, KU, KC, MC, PACK, ORDER, constraints=rules),
        (a, b),
        a[:192, :192] @ b[:192, :192],
        lambda c: 4 * c["MR"] * c["NR"] * c["W"],
        4 * 16 * 24,
    )


HISTOGRAM = """
#define V JOIN(v, W)
typedef int JOIN(NAME, indices) __attribute__((vector_size(4 * W), aligned(4)));
void NAME(const float *a, const float *b, float *out, char *scratch) {
  enum { COUNT = 24576, BINS = 256, ROW = LAYOUT ? COPIES : 1, APART = LAYOUT ? 1 : BINS + PAD };
  TYPE *counts = (TYPE *)scratch;
  int32_t *places = (int32_t *)(scratch + sizeof(TYPE) * COPIES * (BINS + PAD) + 64);
  for (int k = 0; k < COPIES * (BINS + PAD); k++) counts[k] = 0;
  for (int begin = 0; begin < COUNT; begin += BLOCK) {
    for (int k = 0; k < BLOCK; k += W)
      *(JOIN(NAME, indices) *)(places + k) =
          __builtin_convertvector(*(const V *)(a + begin + k) * 256.0f, JOIN(NAME, indices));
#pragma GCC unroll 1
    for (int k = 0; k < BLOCK; k += UNROLL) {
#if AHEAD
      int32_t held[UNROLL];
#pragma GCC unroll 16
      for (int u = 0; u < UNROLL; u++) held[u] = places[k + u];
#else
      const int32_t *held = places + k;
#endif
#pragma GCC unroll 16
      for (int u = 0; u < UNROLL; u++) counts[held[u] * ROW + u % COPIES * APART]++;
    }
  }
  for (int k = 0; k < BINS; k++) {
    float sum = 0;
    for (int c = 0; c < COPIES; c++) sum += counts[k * ROW + c * APART];
    out[k] = sum;
  }
}
#undef V
"""


def histogram() -> Kernel:
    """24,576 numbers into 256 bins: private copies of the counters, their type and layout, blocks, unrolling."""
    COPIES, UNROLL, TYPE, W, BLOCK, LAYOUT, AHEAD = values(
        COPIES=(1, 2, 4, 6, 8),
        UNROLL=(1, 2, 4, 8, 16),
        TYPE=("uint16_t", "uint32_t", "uint64_t", "float"),
        W=(4, 16),
        BLOCK=(64, 256, 1024, 8192),
        LAYOUT=(0, 1),
        AHEAD=(0, 1),
    )
    PAD = atf.tuning_parameter("PAD", atf.values(0, 1, 32), lambda PAD, LAYOUT: LAYOUT == 0 or PAD == 0)
    rules = [lambda COPIES, UNROLL: UNROLL >= COPIES]
    a = random_numbers(6, 24576)
    size = {"uint16_t": 2, "uint64_t": 8}
    return Kernel(
        "histogram",
        HISTOGRAM,
        atf.search_space(COPIES, UNROLL, TYPE, W, BLOCK, LAYOUT, AHEAD, PAD, constraints=rules),
        (a, a),
        np.histogram(a, 256, (0, 1))[0].astype(np.float32),
        lambda c: size.get(c["TYPE"], 4) * c["COPIES"] * (256 + c["PAD"]) + 4 * c["BLOCK"],
        1 << 15,
    )


FORCES = """
#define V JOIN(v, W)
typedef int JOIN(NAME, bits) __attribute__((vector_size(4 * W)));
void NAME(const float *a, const float *b, float *out, char *scratch) {
  enum { N = 512, PITCH = 800 };
  float *packed = (float *)scratch;
#if PACK
  for (int j = 0; j < N; j++)
    for (int d = 0; d < 3; d++) packed[4 * j + d] = a[d * PITCH + j];
#define OTHER(d, j) packed[4 * (j) + (d)]
#else
#define OTHER(d, j) a[(d) * PITCH + (j)]
#endif
  for (int k = 0; k < 3 * PITCH; k++) out[k] = 0;
  for (int j0 = 0; j0 < N; j0 += BLOCK)
    for (int i = 0; i < N; i += W * TI) {
      V sum[SPLIT][TI][3] = {0};
#pragma GCC unroll 1
      for (int j = j0; j < j0 + BLOCK; j += TJ)
#pragma GCC unroll 8
        for (int u = 0; u < TJ; u++)
#pragma GCC unroll 8
          for (int t = 0; t < TI; t++) {
            V x = OTHER(0, j + u) - *(const V *)(a + i + t * W);
            V y = OTHER(1, j + u) - *(const V *)(a + PITCH + i + t * W);
            V z = OTHER(2, j + u) - *(const V *)(a + 2 * PITCH + i + t * W);
            V square = x * x + y * y + z * z + 1e-2f;
            JOIN(NAME, bits) guess = 0x5f375a86 - ((JOIN(NAME, bits))square >> 1);
            V y0 = (V)guess;
#pragma GCC unroll 3
            for (int n = 0; n < ROOT; n++) y0 = y0 * (1.5f - 0.5f * square * y0 * y0);
            V inverse = y0 * y0 * y0;
            sum[u % SPLIT][t][0] += x * inverse;
            sum[u % SPLIT][t][1] += y * inverse;
            sum[u % SPLIT][t][2] += z * inverse;
          }
#pragma GCC unroll 8
      for (int t = 0; t < TI; t++)
#pragma GCC unroll 3
        for (int d = 0; d < 3; d++)
#pragma GCC unroll 2
          for (int s = 0; s < SPLIT; s++) *(V *)(out + d * PITCH + i + t * W) += sum[s][t][d];
    }
}
#undef OTHER
#undef V
"""


def forces() -> Kernel:
    """Attraction of 512 points: vectors, tiles of registers (the last one wasteful), the root, packing, blocks."""
    W, TI, TJ, BLOCK, ROOT, PACK = values(
        W=(4, 8, 16), TI=(1, 2, 3, 4, 5), TJ=(1, 2, 4), BLOCK=(16, 32, 64, 128, 512), ROOT=(2, 3), PACK=(0, 1)
    )
    SPLIT = atf.tuning_parameter("SPLIT", atf.values(1, 2), lambda SPLIT, TJ: TJ % SPLIT == 0)
    a = np.zeros((3, 800), np.float32)
    a[:, :512] = random_numbers(7, 3, 512)
    apart = a[:, None, :512] - a[:, :512, None]
    expected = (apart / (np.square(apart).sum(axis=0) + 1e-2) ** 1.5).sum(axis=2)
    return Kernel(
        "forces",
        FORCES,
        atf.search_space(W, TI, TJ, BLOCK, ROOT, PACK, SPLIT),
        (a, a),
        expected,
        lambda c: 4 * c["W"] * c["TI"] * c["SPLIT"] * 3,
        2048,
    )


KERNELS_C: dict[str, Callable[[], Kernel]] = {
    "product": product,
    "histogram": histogram,
    "forces": forces,
}
