"""TeML's ten kernels in C, in the loops of its Table 2 and with the pragmas that it emits; by gcc -O3 -march=native
-fopenmp. What Table 2 does not list (gconv, helm, blur) is parallel over its outermost loop, and its innermost one is
a vector's where that is contiguous; mm and tmm are tiled as bmm is. Fills of zeros are inside of the time.
"""

from __future__ import annotations

import ctypes
import shutil
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.suites.schedules import compiled
from benchmarks.suites.tensor_examples import constant_matrix

_HEAD = """
#include <stdlib.h>
#define FOR(x, n) for (long x = 0; x < (n); x++)
#define TILES(x, n) for (long x = 0; x < (n); x += 32)
#define TILE(x, n) for (long x = x##0; x < (x##0 + 32 < (n) ? x##0 + 32 : (n)); x++)
#define PARALLEL _Pragma("omp parallel for num_threads(THREADS)")
#define SIMD _Pragma("omp simd")
#define ZERO(a, n) PARALLEL FOR(z, n) ((real *)a)[z] = 0;
#define LOCAL(a) static real (*a)[N][N][N]; if (!a) a = malloc(sizeof(real) * E * N * N * N); ZERO(a, E * N * N * N)
"""
# out[e] = the matrix on axis 1, 2 or 3 of in[e]; `at` says how its rows stand: S[i][l], or S[l][i] for the transposed.
_CUBES = """
#define AT(i, l) {at}
#define FIRST(out, in) PARALLEL FOR(e, E) FOR(i, N) FOR(m, N) FOR(l, N) SIMD FOR(n, N) \\
    out[e][i][m][n] += AT(i, l) * in[e][l][m][n];
#define SECOND(out, in) PARALLEL FOR(e, E) FOR(i, N) FOR(j, N) FOR(m, N) SIMD FOR(n, N) \\
    out[e][i][j][n] += AT(j, m) * in[e][i][m][n];
#define THIRD(out, in) PARALLEL FOR(e, E) FOR(i, N) FOR(j, N) FOR(k, N) FOR(n, N) \\
    out[e][i][j][k] += AT(k, n) * in[e][i][j][n];
"""
# By kernel: its arrays, the result first, with the extents but the first one; and its loops.
_KERNELS: Mapping[str, tuple[str, str]] = {
    "mm": ("R[1000] T0[1000] T1[1000]", """
        ZERO(R, 1000 * 1000)
        PARALLEL TILES(i0, 1000) TILES(j0, 1000) TILES(k0, 1000) TILE(i, 1000) TILE(k, 1000) SIMD TILE(j, 1000)
            R[i][j] += T0[i][k] * T1[k][j];"""),
    "tmm": ("R[1000] T0[1000] T1[1000]", """
        ZERO(R, 1000 * 1000)
        PARALLEL TILES(i0, 1000) TILES(j0, 1000) TILES(k0, 1000) TILE(i, 1000) TILE(k, 1000) SIMD TILE(j, 1000)
            R[i][j] += T0[k][i] * T1[k][j];"""),
    "bmm": ("R[72][72] T0[72][26] T1[26][72]", """
        ZERO(R, 8192 * 72 * 72)
        PARALLEL TILES(b0, 8192) TILES(i0, 72) TILES(j0, 72) TILES(k0, 26)
            TILE(b, 8192) TILE(i, 72) TILE(k, 26) SIMD TILE(j, 72) R[b][i][j] += T0[b][i][k] * T1[b][k][j];"""),
    "mttkrp": ("R[250] T0[250][250] T1[250] T2[250]", """
        ZERO(R, 250 * 250)
        PARALLEL FOR(i, 250) FOR(k, 250) FOR(j, 250) FOR(l, 250) R[i][j] += T0[i][k][l] * T1[l][j] * T2[k][j];"""),
    "sddmm": ("R[4096] T0[4096] T1[256] T2[4096]", """
        ZERO(R, 4096 * 4096)
        PARALLEL FOR(i, 4096) FOR(k, 256) SIMD FOR(j, 4096) R[i][j] += T0[i][j] * T1[i][k] * T2[k][j];"""),
    "gconv": ("O[32][32][7][7] I[32][32][9][9] W[32][32][3][3]", """
        ZERO(O, 32 * 32 * 32 * 49)
        PARALLEL FOR(n, 32) FOR(g, 32) FOR(o, 32) FOR(h, 7) FOR(w, 7) FOR(c, 32) FOR(a, 3) FOR(b, 3)
            O[n][g][o][h][w] += I[n][g][c][h + a][w + b] * W[g][o][c][a][b];"""),
    "interp": ("v[7][7][7] u[7][7][7] S[7]", "LOCAL(t) LOCAL(r) ZERO(v, E * 343) FIRST(t, u) SECOND(r, t) THIRD(v, r)"),
    "helm": ("v[13][13][13] u[13][13][13] D[13][13][13] S[13]", """
        LOCAL(t) LOCAL(r) LOCAL(q) LOCAL(p) LOCAL(o) ZERO(v, E * 2197)
        FIRST(t, u) SECOND(r, t) THIRD(q, r)
        PARALLEL FOR(e, E) FOR(i, N) FOR(j, N) SIMD FOR(k, N) q[e][i][j][k] /= D[e][i][j][k] + 1;
        #undef AT
        #define AT(i, l) S[i][l]
        FIRST(p, q) SECOND(o, p) THIRD(v, o)"""),
    "blur": ("O[4096] I[4098]", """
        static real (*t)[4096]; if (!t) t = malloc(sizeof(real) * 4098 * 4096);
        PARALLEL FOR(i, 4098) SIMD FOR(j, 4096) t[i][j] = (I[i][j] + I[i][j + 1] + I[i][j + 2]) * (real)(1.0 / 3);
        PARALLEL FOR(i, 4096) SIMD FOR(j, 4096) O[i][j] = (t[i][j] + t[i + 1][j] + t[i + 2][j]) * (real)(1.0 / 3);"""),
    "coarsity": ("O[4096] X[4096] Y[4096] Z[4096]", """
        PARALLEL TILES(i0, 4096) TILES(j0, 4096) TILE(i, 4096) SIMD TILE(j, 4096) {
            real x = X[i][j], y = Y[i][j], z = Z[i][j];
            O[i][j] = x * y - z * z - (real)0.04 * (x + y) * (x + y);
        }"""),
}  # fmt: skip
_MATRICES = {"interp": (7, "S[i][l]"), "helm": (13, "S[l][i]")}


def available(name: str) -> bool:
    """Whether a row is one of TeML's, and there is a compiler."""
    return name in _KERNELS and shutil.which("gcc") is not None


def source(name: str, dtype: str, elements: int, threads: int) -> str:
    """The text of a kernel: `f(arrays)`, the result first, the constant matrix last."""
    arrays, body = _KERNELS[name]
    extent, at = _MATRICES.get(name, (1, "0"))
    real = {"float64": "double", "float32": "float"}[dtype]
    head = f"typedef {real} real;\n#define E {elements}\n#define N {extent}\n#define THREADS {threads}\n"
    lines = []
    for number, declared in enumerate(arrays.split()):
        array, _, rest = declared.partition("[")
        lines.append(f"real (*restrict {array})[{rest} = arrays[{number}];")
    lines += [line if line.lstrip().startswith("#") else f"    {line.strip()}" for line in body.splitlines()]
    text = "\n".join(line.lstrip() if line.lstrip().startswith("#") else line for line in lines)
    return f"{_HEAD}{head}{_CUBES.format(at=at)}\nvoid f(void **arrays) {{\n{text}\n}}\n"


def form(name: str, dtype: str, elements: int, threads: int) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """A function of a batch of the inputs, by name, that gives the result; always in the same array."""
    names = [declared.partition("[")[0] for declared in _KERNELS[name][0].split()]
    with tempfile.TemporaryDirectory() as folder:
        library = compiled(source(name, dtype, elements, threads), "gcc", Path(folder))

    @cache
    def result(shape: tuple[int, ...]) -> Any:
        return np.empty(shape, dtype)

    def call(given: Mapping[str, Any]) -> dict[str, Any]:
        out = result(given[names[0]].shape)
        arrays = [out, *(given[n] if n in given else constant_matrix(_MATRICES[name][0], dtype) for n in names[1:])]
        library.f((ctypes.c_void_p * len(arrays))(*(a.ctypes.data for a in arrays)))
        return {names[0]: out}

    return call
