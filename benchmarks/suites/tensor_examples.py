"""Rows of the suite `tensor` from publications: contractions of tensors whose extents are small, and the kernels of
TeML's Table 1 at its sizes.

Sources: Uphoff and Bader, "Yet another tensor toolbox for discontinuous Galerkin methods and other applications"
(2020), for the former; Susungi and others, "Programming tensor computations" (TeML), for the latter.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np

from benchmarks.suites.tensor_rows import Einsum, Row, Values
from jitmdh import tensor as mt

_ONE = {"one": 1}
_MATMULS = ("ik,kj", "ki,kj", "ik,jk", "ki,jk")
_CONTRACTIONS = (  # formula, extents of its indices, what they are called
    ("acik,befl,dfjk,cdel->abij", dict.fromkeys("abcdefijkl", 16), "16"),
    ("nopq,na,ob,pc,qd->abcd", dict.fromkeys("abcd", 4) | dict.fromkeys("nopq", 16), "16/4"),
    ("nopq,na,ob,pc,qd->abcd", dict.fromkeys("abcd", 16) | dict.fromkeys("nopq", 64), "64/16"),
    *(
        ("xyz,lx,il,ym,mj,zn,nk->ijk", dict.fromkeys("xyzijk", many) | dict.fromkeys("lmn", few), f"{many}/{few}")
        for many, few in ((16, 2), (16, 8), (32, 16), (48, 24))
    ),
)


def rows(dtype: str) -> Iterator[Row]:
    """All of them, of one type."""
    for text in _MATMULS:
        yield _contraction(f"matmul 32 {text}", f"{text}->ij", dict.fromkeys("ijk", 32), dtype)
    for text, extents, size in _CONTRACTIONS:
        yield _contraction(f"{text} {size}", text, extents, dtype)
    yield from (replace(row, on_all_threads=row.sizes == _ONE) for row in _of_teml(dtype))


def _contraction(name: str, text: str, extents: dict[str, int], dtype: str, sizes: Any = None) -> Row:
    """One einsum, none of whose factors has known zeros."""
    given, out = text.split("->")
    factors = given.split(",")
    tensors = [mt.Tensor(f"T{n}", [extents[i] for i in names], dtype) for n, names in enumerate(factors)]
    result = mt.Tensor("R", [extents[i] for i in out], dtype)
    of_all = ",".join("e" + names for names in _without_e(factors)) + "->e" + _without_e([out])[0]

    def made() -> mt.Kernel:
        product = tensors[0][factors[0]]
        for tensor, names in zip(tensors[1:], factors[1:]):
            product = product * tensor[names]
        return mt.kernel("contraction", result[out] <= product)

    def form(einsum: Einsum, v: Values) -> Values:
        return {"R": einsum(of_all, *(v[t.name] for t in tensors))}

    return Row(name, made, form, sizes)


def _without_e(names: Sequence[str]) -> list[str]:
    """Indices of which none is called as that of elements is."""
    return [n.replace("e", "E") for n in names]


def _of_teml(dtype: str) -> Iterator[Row]:
    big = dict.fromkeys("ijk", 1000)
    yield _contraction("mm", "ik,kj->ij", big, dtype, _ONE)
    yield _contraction("tmm", "ki,kj->ij", big, dtype, _ONE)
    yield _contraction("bmm", "bik,bkj->bij", {"b": 8192, "i": 72, "j": 72, "k": 26}, dtype, _ONE)
    yield _contraction("mttkrp", "ikl,lj,kj->ij", dict.fromkeys("ijkl", 250), dtype, _ONE)
    yield _contraction("sddmm", "ij,ik,kj->ij", dict.fromkeys("ij", 4096) | {"k": 256}, dtype, _ONE)
    yield _grouped_convolution(dtype)
    yield _interpolation(dtype)
    yield _helmholtz(dtype)
    yield _blur(dtype)
    yield _coarsity(dtype)


def _grouped_convolution(dtype: str) -> Row:
    I, W = mt.Tensor("I", (32, 32, 32, 9, 9), dtype), mt.Tensor("W", (32, 32, 32, 3, 3), dtype)
    O = mt.Tensor("O", (32, 32, 32, 7, 7), dtype)

    def form(einsum: Einsum, v: Values) -> Values:
        parts = (
            einsum("engchw,egoc->engohw", v["I"][..., a : a + 7, b : b + 7], v["W"][..., a, b])
            for a in range(3)
            for b in range(3)
        )
        return {"O": sum(parts)}

    whole = O["n g o h w"] <= I["n g c (h+a) (w+b)"] * W["g o c a b"]
    return Row("gconv", partial(mt.kernel, "gconv", whole), form, _ONE)


@cache
def constant_matrix(extent: int, dtype: str) -> Any:
    """The numbers of the matrix of interp and helm."""
    return np.random.default_rng(2).random((extent, extent)).astype(dtype)


def _matrix(extent: int, dtype: str) -> mt.Tensor:
    return mt.Tensor("S", values=constant_matrix(extent, dtype))


def _interpolation(dtype: str) -> Row:
    u, v, S = mt.Tensor("u", (7, 7, 7), dtype), mt.Tensor("v", (7, 7, 7), dtype), _matrix(7, dtype)

    def form(einsum: Einsum, given: Values) -> Values:
        assert S.values is not None
        s = S.values.array
        return {"v": einsum("il,jm,kn,elmn->eijk", s, s, s, given["u"])}

    whole = v["ijk"] <= S["il"] * S["jm"] * S["kn"] * u["lmn"]
    return Row("interp", partial(mt.kernel, "interp", whole), form, {"L2": 64, "memory": 50_000})


def _helmholtz(dtype: str) -> Row:
    shape = (13, 13, 13)
    u, v, D, S = (
        mt.Tensor("u", shape, dtype),
        mt.Tensor("v", shape, dtype),
        mt.Tensor("D", shape, dtype),
        _matrix(13, dtype),
    )
    t = mt.temporary("t", shape, dtype)

    def form(einsum: Einsum, given: Values) -> Values:
        assert S.values is not None
        s = S.values.array
        inner = einsum("li,mj,nk,elmn->eijk", s, s, s, given["u"]) / (given["D"] + 1)
        return {"v": einsum("il,jm,kn,elmn->eijk", s, s, s, inner)}

    def made() -> mt.Kernel:
        first = t["ijk"] <= S["li"] * S["mj"] * S["nk"] * u["lmn"] / (D["ijk"] + 1)
        return mt.kernel("helm", [first, v["ijk"] <= S["il"] * S["jm"] * S["kn"] * t["lmn"]])

    return Row("helm", made, form, {"L2": 16, "memory": 5_000})


def _blur(dtype: str) -> Row:
    I, t, O = (
        mt.Tensor("I", (4098, 4098), dtype),
        mt.temporary("t", (4098, 4096), dtype),
        mt.Tensor("O", (4096, 4096), dtype),
    )

    def made() -> mt.Kernel:
        first, above = I["i j"].at(j=slice(0, 4096)), t["i j"].at(i=slice(0, 4096))
        rows = t["i j"] <= (first + I["i (j+1)"] + I["i (j+2)"]) * (1 / 3)
        return mt.kernel("blur", [rows, O["i j"] <= (above + t["(i+1) j"] + t["(i+2) j"]) * (1 / 3)])

    def form(einsum: Einsum, v: Values) -> Values:
        i = v["I"]
        rows = (i[..., :-2] + i[..., 1:-1] + i[..., 2:]) * (1 / 3)
        return {"O": (rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:]) * (1 / 3)}

    return Row("blur", made, form, _ONE)


def _coarsity(dtype: str) -> Row:
    X, Y, Z, O = (mt.Tensor(name, (4096, 4096), dtype) for name in "XYZO")
    x, y, z = (t["ij"] for t in (X, Y, Z))

    def form(einsum: Einsum, v: Values) -> Values:
        trace = v["X"] + v["Y"]
        return {"O": v["X"] * v["Y"] - v["Z"] * v["Z"] - 0.04 * trace * trace}

    whole = O["ij"] <= x * y - z * z - 0.04 * (x + y) * (x + y)
    return Row("coarsity", partial(mt.kernel, "coarsity", whole), form, _ONE)
