"""The kernels of TeML's Table 1 as loop nests, with the schedules of its Table 2 and the variants of its section 5.3.

`ROWS` has each kernel under one script: what `python -m jitmdh bench --suite schedules` measures, and what
`tests/figures_teml` looks at. helm without its fusions stays in three nests; with them it is one of them at a point.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from jitmdh import schedule as s

# mypy: disable-error-code="no-untyped-def"

Sizes = Mapping[str, int]


def mttkrp(A, B, C, D):
    for i in range(B.shape[0]):
        for j in range(A.shape[1]):
            for k in range(B.shape[1]):
                for l in range(B.shape[2]):
                    A[i, j] += B[i, k, l] * D[l, j] * C[k, j]


def sddmm(A, B, C, D):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            for k in range(C.shape[1]):
                A[i, j] += B[i, j] * C[i, k] * D[k, j]


def bmm(C, A, B):
    for b in range(A.shape[0]):
        for i in range(A.shape[1]):
            for j in range(B.shape[2]):
                for k in range(A.shape[2]):
                    C[b, i, j] += A[b, i, k] * B[b, k, j]


def gconv(O, I, W):
    for n in range(O.shape[0]):
        for g in range(O.shape[1]):
            for o in range(O.shape[2]):
                for h in range(O.shape[3]):
                    for w in range(O.shape[4]):
                        for c in range(I.shape[2]):
                            for kh in range(3):
                                for kw in range(3):
                                    O[n, g, o, h, w] += I[n, g, c, h + kh, w + kw] * W[g, o, c, kh, kw]


def interp(v, A, u):
    t = np.zeros(v.shape)
    r = np.zeros(v.shape)
    for e in range(v.shape[0]):
        for i1 in range(v.shape[1]):
            for i2 in range(v.shape[2]):
                for i3 in range(v.shape[3]):
                    for i4 in range(A.shape[1]):
                        t[e, i1, i2, i3] += A[i1, i4] * u[e, i4, i2, i3]
    for e in range(v.shape[0]):
        for i1 in range(v.shape[1]):
            for i2 in range(v.shape[2]):
                for i3 in range(v.shape[3]):
                    for i4 in range(A.shape[1]):
                        r[e, i1, i2, i3] += A[i2, i4] * t[e, i1, i4, i3]
    for e in range(v.shape[0]):
        for i1 in range(v.shape[1]):
            for i2 in range(v.shape[2]):
                for i3 in range(v.shape[3]):
                    for i4 in range(A.shape[1]):
                        v[e, i1, i2, i3] += A[i3, i4] * r[e, i1, i2, i4]


def helm(v, D, S, u):
    t = np.zeros(v.shape)
    r = np.zeros(v.shape)
    for e in range(v.shape[0]):
        for i in range(v.shape[1]):
            for j in range(v.shape[2]):
                for l in range(v.shape[2]):
                    t[e, i, j] += S[l, i] * u[e, l, j]
    for e in range(v.shape[0]):
        for i in range(v.shape[1]):
            for j in range(v.shape[2]):
                r[e, i, j] = t[e, i, j] / D[i, j]
    for e in range(v.shape[0]):
        for i in range(v.shape[1]):
            for j in range(v.shape[2]):
                for l in range(v.shape[2]):
                    v[e, i, j] += S[i, l] * r[e, l, j]


def coars(O, X, Y, Z):
    for i in range(O.shape[0]):
        for j in range(O.shape[1]):
            O[i, j] = X[i, j] * Y[i, j] - Z[i, j] * Z[i, j] - 0.04 * (X[i, j] + Y[i, j]) * (X[i, j] + Y[i, j])


def blur(y, x):
    t = np.empty((x.shape[0], x.shape[1] - 2))
    for i in range(x.shape[0]):
        for j in range(x.shape[1] - 2):
            t[i, j] = (x[i, j] + x[i, j + 1] + x[i, j + 2]) / 3
    for i in range(x.shape[0] - 2):
        for j in range(x.shape[1] - 2):
            y[i, j] = (t[i, j] + t[i + 1, j] + t[i + 2, j]) / 3


def _windows(I: Any, W: Any) -> Any:
    windows = np.lib.stride_tricks.sliding_window_view(I, (3, 3), axis=(3, 4))
    return np.einsum("ngchwyx,gocyx->ngohw", windows, W, optimize=True)


def _blurred(x: Any) -> Any:
    t = (x[:, :-2] + x[:, 1:-1] + x[:, 2:]) / 3
    return (t[:-2] + t[1:-1] + t[2:]) / 3


@dataclass(frozen=True)
class Kernel:
    """A kernel, and the same in C.

    arrays: extents of each argument, the result first, in sizes; wanted: the result by NumPy, of the others; c: the
    statement of each of its nests, in the indices of that nest; local: arrays of its own, with their extents; zeroed:
    of those, which begin with zeros. sizes: TeML's, or the note's; small: none that a tile divides.
    """

    function: Any
    arrays: Mapping[str, tuple[str, ...]]
    wanted: Callable[..., Any]
    c: tuple[str, ...]
    sizes: Sizes
    small: Sizes
    local: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    zeroed: bool = True
    note: str = ""

    def shape(self, extents: Sequence[str], sizes: Sizes) -> tuple[int, ...]:
        """Extents as numbers: a size, perhaps with one added."""
        return tuple(sum(int(part) if part.isdigit() else sizes[part] for part in e.split("+")) for e in extents)

    def data(self, sizes: Sizes) -> tuple[list[Any], Any]:
        """Arguments, the result first, and what it should be."""
        random = np.random.default_rng(0).random
        shapes = [self.shape(extents, sizes) for extents in self.arrays.values()]
        inputs = [
            random(shape) + (name == "D" and self.function is helm)
            for name, shape in zip([*self.arrays][1:], shapes[1:])
        ]
        return [np.zeros(shapes[0]), *inputs], self.wanted(*inputs)


KERNELS = {
    "mttkrp": Kernel(
        mttkrp, {"A": ("i", "j"), "B": ("i", "k", "l"), "C": ("k", "j"), "D": ("l", "j")},
        lambda B, C, D: np.einsum("ikl,lj,kj->ij", B, D, C, optimize=True),
        ("A[i][j] += B[i][k][l] * D[l][j] * C[k][j];",),
        {"i": 250, "j": 250, "k": 250, "l": 250}, {"i": 37, "j": 41, "k": 19, "l": 23},
    ),
    "sddmm": Kernel(
        sddmm, {"A": ("i", "j"), "B": ("i", "j"), "C": ("i", "k"), "D": ("k", "j")},
        lambda B, C, D: B * (C @ D),
        ("A[i][j] += B[i][j] * C[i][k] * D[k][j];",),
        {"i": 1024, "j": 1024, "k": 1024}, {"i": 45, "j": 53, "k": 31}, note="TeML: 4096³, 64 times as much",
    ),
    "bmm": Kernel(
        bmm, {"C": ("b", "i", "j"), "A": ("b", "i", "k"), "B": ("b", "k", "j")},
        lambda A, B: A @ B,
        ("C[b][i][j] += A[b][i][k] * B[b][k][j];",),
        {"b": 8192, "i": 72, "j": 26, "k": 26}, {"b": 70, "i": 33, "j": 41, "k": 26},
    ),
    "gconv": Kernel(
        gconv, {"O": ("n", "g", "o", "h", "w"), "I": ("n", "g", "c", "h+2", "w+2"), "W": ("g", "o", "c", "3", "3")},
        _windows,
        ("O[n][g][o][h][w] += I[n][g][c][h + kh][w + kw] * W[g][o][c][kh][kw];",),
        {"n": 32, "g": 32, "o": 32, "h": 7, "w": 7, "c": 32}, {"n": 2, "g": 3, "o": 4, "h": 10, "w": 17, "c": 5},
    ),
    "interp": Kernel(
        interp, {"v": ("e", "n", "n", "n"), "A": ("n", "n"), "u": ("e", "n", "n", "n")},
        lambda A, u: np.einsum("il,jm,kn,elmn->eijk", A, A, A, u, optimize=True),
        (
            "t[e][i1][i2][i3] += A[i1][i4] * u[e][i4][i2][i3];",
            "r[e][i1][i2][i3] += A[i2][i4] * t[e][i1][i4][i3];",
            "v[e][i1][i2][i3] += A[i3][i4] * r[e][i1][i2][i4];",
        ),
        {"e": 50000, "n": 7}, {"e": 29, "n": 7},
        {"t": ("e", "n", "n", "n"), "r": ("e", "n", "n", "n")},
    ),
    "helm": Kernel(
        helm, {"v": ("e", "n", "n"), "D": ("n", "n"), "S": ("n", "n"), "u": ("e", "n", "n")},
        lambda D, S, u: np.einsum("il,elj->eij", S, np.einsum("li,elj->eij", S, u) / D),
        (
            "t[e][i][j] += S[l][i] * u[e][l][j];",
            "r[e][i][j] = t[e][i][j] / D[i][j];",
            "v[e][i][j] += S[i][l] * r[e][l][j];",
        ),
        {"e": 65000, "n": 13}, {"e": 29, "n": 13},
        {"t": ("e", "n", "n"), "r": ("e", "n", "n")}, note="TeML: 5000 elements of 13³",
    ),
    "coars": Kernel(
        coars, {"O": ("i", "j"), "X": ("i", "j"), "Y": ("i", "j"), "Z": ("i", "j")},
        lambda X, Y, Z: X * Y - Z * Z - 0.04 * (X + Y) * (X + Y),
        ("O[i][j] = X[i][j] * Y[i][j] - Z[i][j] * Z[i][j] - 0.04 * (X[i][j] + Y[i][j]) * (X[i][j] + Y[i][j]);",),
        {"i": 4096, "j": 4096}, {"i": 70, "j": 45},
    ),
    "blur": Kernel(
        blur, {"y": ("i", "j"), "x": ("i+2", "j+2")}, _blurred,
        ("t[i][j] = (x[i][j] + x[i][j + 1] + x[i][j + 2]) / 3;",
         "y[i][j] = (t[i][j] + t[i + 1][j] + t[i + 2][j]) / 3;"),
        {"i": 4096, "j": 4096}, {"i": 70, "j": 45}, {"t": ("i+2", "j")}, zeroed=False,
    ),
}  # fmt: skip

Made = Callable[[Any], Any]


@dataclass(frozen=True)
class Row:
    """A kernel under a script.

    made: the schedule, from what `s.build` gives; opened: the same with its sizes left open. loops: as TeML writes
    them, of the first nest. copies: of inputs that the C code transposes first, (name, copy).
    """

    name: str
    kernel: Kernel
    made: Made
    loops: str
    opened: Made
    copies: tuple[tuple[str, str], ...] = ()


def by_nest(*scripts: s.Transformation) -> Made:
    """A script for each nest, in their order; one for a single nest."""

    def made(nests: Any) -> Any:
        if isinstance(nests, s.Nest):
            return scripts[0](nests)
        assert len(nests) == len(scripts)
        return {name: script(nest) for (name, nest), script in zip(nests.items(), scripts)}

    return made


def _row(name: str, loops: str, *scripts: s.Transformation, opened: s.Transformation | None = None,
         copies: tuple[tuple[str, str], ...] = ()) -> Row:  # fmt: skip
    kernel = KERNELS[name.partition(",")[0]]
    return Row(name, kernel, by_nest(*scripts), loops, by_nest(*([opened] if opened else scripts)), copies)


def _helm_fused(nests: Any) -> Any:
    """fuse_outer of all three, then parallel over elements, as Pluto has them."""
    first, second, third = nests
    two = nests[first].fuse_outer(nests[second])
    three = two[second].fuse_outer(two[third])
    return three | {
        first: three[first].vectorize("j"),
        second: three[second].vectorize("j"),
        third: three[third].vectorize("j"),
    }


def blur_tiles(size: int) -> Made:
    """Overlapped tiles of so many rows."""

    def made(nests: Any) -> Any:
        tiles = nests["blur"].compute_at(nests["blur 2"].stripmine("i", size), "i.0")
        return tiles | {name: nest.vectorize("j").sequential() for name, nest in tiles.items()}

    return made


_INTERP = s.interchange("i3", "i4").vectorize("i3").parallelize("e")
_FUSED = Row("helm, fused", KERNELS["helm"], _helm_fused, "i j l", _helm_fused)
_TILES = Row("blur, overlapped tiles", KERNELS["blur"], blur_tiles(32), "i j", blur_tiles(32))

ROWS = (
    _row("mttkrp", "i k j l", s.parallelize("i").interchange("j", "k")),
    _row("sddmm", "i k j", s.interchange("j", "k").parallelize("i").vectorize("j")),
    _row("bmm", "b.0 i.0 j.0 k.0 b i k j", s.tile(32).interchange("j", "k").parallelize("b").vectorize("j"),
         opened=s.tile(s.any).interchange("j", "k").parallelize("b").vectorize("j")),
    _row("gconv", "n g o w c h kh kw",
         s.interchange("h", "w").interchange("h", "c").parallelize("n").vectorize("kw")),
    _row("interp", "e i1 i2 i4 i3", _INTERP, _INTERP, s.parallelize("e")),
    _row("helm", "e i j l", s.parallelize("e").vectorize("i"), s.parallelize("e").vectorize("j"),
         s.parallelize("e").vectorize("j")),
    _FUSED,
    _row("coars", "i.0 j.0 i j", s.tile(32).parallelize("i").vectorize("j"),
         opened=s.tile(s.any).parallelize("i").vectorize("j")),
    _row("mttkrp, D transposed", "i k j l", s.pack("D", transposed=True).interchange("j", "k").parallelize("i"),
         copies=(("D", "Dt"),)),
    _row("bmm, B transposed", "b i j k", s.pack("B", transposed=True).parallelize("b"), copies=(("B", "Bt"),)),
    _row("sddmm, D transposed", "i k j", s.pack("D", transposed=True).interchange("j", "k").parallelize("i"),
         copies=(("D", "Dt"),)),
    _row("interp, i1 i4 i2 i3", "e i1 i4 i2 i3",
         *[s.reorder("i1", "i4", "i2", "i3").vectorize("i3").parallelize("e")] * 3),
    _row("helm, i l j", "e i l j", s.interchange("j", "l").vectorize("j").parallelize("e"),
         s.parallelize("e").vectorize("j"), s.interchange("j", "l").vectorize("j").parallelize("e")),
    _row("gconv, unrolled", "n g o h w c kh kw", s.unroll("kh").unroll("kw").parallelize("n").vectorize("w")),
    _TILES,
)  # fmt: skip
