"""The rows of the suite `tensor` about waves: ADER-DG on tetrahedra and spectral elements on cubes, as formulas in
index notation, and the same as einsums of whole batches for peers. Other rows: `tensor_examples.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import factorial
from typing import Any

import numpy as np

from benchmarks.suites.aderdg import STAR, Matrices, matrices
from jitmdh import tensor as mt

Array = np.ndarray[Any, Any]
Values = dict[str, Any]
Einsum = Callable[..., Any]

ORDERS = (2, 3, 4, 5, 6, 7, 8)
FUSED = (8, 16)
NODES = (3, 4, 5, 6, 7, 8)
_QUANTITIES = 9
_STEP = 0.1


@dataclass(frozen=True)
class Row:
    """A kernel, made when it is asked for. form: the same on arrays with a leading axis `e`, from an einsum and the
    arrays by name. sizes: how many elements it is computed for, by their names; None: as all. on_all_threads: one
    element is large enough for that."""

    name: str
    made: Callable[[], mt.Kernel]
    form: Callable[[Einsum, Values], Values]
    sizes: Mapping[str, int] | None = None
    on_all_threads: bool = False

    @cached_property
    def kernel(self) -> mt.Kernel:
        return self.made()

    def values(self, elements: int, seed: int = 0) -> Values:
        """Arrays [elements, …] for all its tensors: random, zero where they have known zeros."""
        random = np.random.default_rng(seed)
        found = {}
        for tensor in self.kernel.program.tensors:
            if tensor.values is None and not tensor.temporary:
                array = random.random((elements, *tensor.shape)).astype(tensor.type.numpy)
                found[tensor.name] = (
                    array if tensor.pattern is None else array * tensor.pattern.mask.astype(array.dtype)
                )
        return found

    @property
    def bytes_of_one(self) -> tuple[int, int]:
        """What one element has to read and to write at least: known zeros are neither."""
        program = self.kernel.program

        def size(tensors: tuple[mt.Tensor, ...]) -> int:
            counts = [(t.type.size_bytes, t.pattern.count if t.pattern else int(np.prod(t.shape))) for t in tensors]
            return sum(one * count for one, count in counts)

        return size(tuple(t for t in program.inputs if t.values is None)), size(program.outputs)


def rows(dtype: str) -> Iterator[Row]:
    """All rows, of one type."""
    for order in ORDERS:
        yield from _of_order(matrices(order), dtype)
        yield _element(matrices(order), dtype)
    for order in (4, 6):
        yield from (_fused(matrices(order), many, dtype) for many in FUSED)
    yield from (_dg_sem(nodes, dtype) for nodes in NODES)


def _of_order(m: Matrices, dtype: str) -> Iterator[Row]:
    shape, n = (m.modes, _QUANTITIES), m.order

    def constant(name: str, array: Array) -> mt.Tensor:
        return mt.Tensor(name, values=array.astype(dtype))

    Q, I = mt.Tensor("Q", shape, dtype), mt.Tensor("I", shape, dtype)
    S = [mt.Tensor(f"S{d}", (9, 9), dtype, pattern=STAR) for d in range(3)]
    A = mt.Tensor("A", (9, 9), dtype)
    K = [constant(f"K{d}", m.kDivM[d]) for d in range(3)]
    T = [constant(f"T{d}", m.kDivMT[d]) for d in range(3)]
    back, to, lift, turn = (constant(*c) for c in (("R", m.rDivM[0]), ("F", m.fMrT[0]), ("L", m.rT[0]), ("P", m.fP[0])))

    def numbers(tensor: mt.Tensor) -> Array:
        assert tensor.values is not None
        return tensor.values.array

    def volume(einsum: Einsum, v: Values) -> Values:
        return {"Q": v["Q"] + sum(einsum("kl,elq,eqp->ekp", numbers(K[d]), v["I"], v[f"S{d}"]) for d in range(3))}

    whole = Q["kp"] <= Q["kp"] + sum(K[d]["kl"] * I["lq"] * S[d]["qp"] for d in range(3))
    yield Row(f"volume N={n}", partial(mt.kernel, "volume", whole), volume)

    D = [mt.Tensor(f"D{k}", shape, dtype, pattern=_degrees_below(n - k, shape)) for k in range(n)]
    chain = [D[k + 1]["kp"] <= sum(T[d]["kl"] * D[k]["lq"] * S[d]["qp"] for d in range(3)) for k in range(n - 1)]

    def derivative(einsum: Einsum, v: Values) -> Values:
        found = {"D0": v["D0"]}
        for k in range(n - 1):
            parts = (einsum("kl,elq,eqp->ekp", numbers(T[d]), found[f"D{k}"], v[f"S{d}"]) for d in range(3))
            found[f"D{k + 1}"] = sum(parts)
        return {name: array for name, array in found.items() if name != "D0"}

    yield Row(f"derivative N={n}", partial(mt.kernel, "derivative", chain), derivative)

    factors = [_STEP ** (k + 1) / factorial(k + 1) for k in range(n)]
    series = I["kp"] <= sum(factor * D[k]["kp"] for k, factor in enumerate(factors))

    def taylor(einsum: Einsum, v: Values) -> Values:
        return {"I": sum(type(factor)(factor) * v[f"D{k}"] for k, factor in enumerate(factors))}

    yield Row(f"taylor N={n}", partial(mt.kernel, "taylor", series), taylor)

    def local(einsum: Einsum, v: Values) -> Values:
        return {"Q": v["Q"] + einsum("km,ml,elq,eqp->ekp", numbers(back), numbers(to), v["I"], v["A"])}

    flux = Q["kp"] <= Q["kp"] + back["km"] * to["ml"] * I["lq"] * A["qp"]
    yield Row(f"localFlux(0) N={n}", partial(mt.kernel, "local_flux", flux), local)

    def neighbour(einsum: Einsum, v: Values) -> Values:
        given = (numbers(back), numbers(turn), numbers(lift), v["I"], v["A"])
        return {"Q": v["Q"] + einsum("km,mn,nl,elq,eqp->ekp", *given)}

    flux = Q["kp"] <= Q["kp"] + back["km"] * turn["mn"] * lift["nl"] * I["lq"] * A["qp"]
    yield Row(f"neighbourFlux(0,0) N={n}", partial(mt.kernel, "neighbour_flux", flux), neighbour)


def _degrees_below(order: int, shape: tuple[int, int]) -> Array:
    """Where a polynomial of degree below `order` has coefficients."""
    modes = order * (order + 1) * (order + 2) // 6
    return np.broadcast_to(np.arange(shape[0])[:, None] < modes, shape)


def _element(m: Matrices, dtype: str) -> Row:
    """A step of one element as one kernel: derivatives in time, their series, and all that adds to Q within it."""
    shape, n = (m.modes, _QUANTITIES), m.order

    def constants(name: str, arrays: Sequence[Array]) -> list[mt.Tensor]:
        return [mt.Tensor(f"{name}{k}", values=array.astype(dtype)) for k, array in enumerate(arrays)]

    K, T, R, F = (constants(*c) for c in (("K", m.kDivM), ("T", m.kDivMT), ("R", m.rDivM), ("F", m.fMrT)))
    Q, I = mt.Tensor("Q", shape, dtype), mt.temporary("I", shape, dtype)
    S = [mt.Tensor(f"S{d}", (9, 9), dtype, pattern=STAR) for d in range(3)]
    A = [mt.Tensor(f"A{side}", (9, 9), dtype) for side in range(4)]
    D = [Q, *(mt.temporary(f"D{k}", shape, dtype) for k in range(1, n))]
    factors = [_STEP ** (k + 1) / factorial(k + 1) for k in range(n)]

    def made() -> mt.Kernel:
        chain = [D[k + 1]["kp"] <= sum(T[d]["kl"] * D[k]["lq"] * S[d]["qp"] for d in range(3)) for k in range(n - 1)]
        series = I["kp"] <= sum(factor * D[k]["kp"] for k, factor in enumerate(factors))
        inside = sum(K[d]["kl"] * I["lq"] * S[d]["qp"] for d in range(3))
        faces = sum(R[side]["km"] * F[side]["ml"] * I["lq"] * A[side]["qp"] for side in range(4))
        return mt.kernel("element", [*chain, series, Q["kp"] <= Q["kp"] + inside + faces])

    def form(einsum: Einsum, v: Values) -> Values:
        stars = [v[f"S{d}"] for d in range(3)]
        found = v["Q"]
        total = type(factors[0])(factors[0]) * found
        for factor in factors[1:]:
            found = sum(einsum("kl,elq,eqp->ekp", t, found, s) for t, s in zip(map(_numbers, T), stars))
            total = total + factor * found
        inside = sum(einsum("kl,elq,eqp->ekp", k, total, s) for k, s in zip(map(_numbers, K), stars))
        faces = (
            einsum("km,ml,elq,eqp->ekp", _numbers(R[side]), _numbers(F[side]), total, v[f"A{side}"])
            for side in range(4)
        )
        return {"Q": v["Q"] + inside + sum(faces)}

    return Row(f"element N={n}", made, form)


def _fused(m: Matrices, many: int, dtype: str) -> Row:
    """`volume` of several simulations at once, which have their star matrices in common."""
    shape = (many, m.modes, _QUANTITIES)
    Q, I = mt.Tensor("Q", shape, dtype), mt.Tensor("I", shape, dtype)
    S = [mt.Tensor(f"S{d}", (9, 9), dtype, pattern=STAR) for d in range(3)]
    K = [mt.Tensor(f"K{d}", values=m.kDivM[d].astype(dtype)) for d in range(3)]

    def form(einsum: Einsum, v: Values) -> Values:
        parts = (einsum("kl,eslq,eqp->eskp", _numbers(K[d]), v["I"], v[f"S{d}"]) for d in range(3))
        return {"Q": v["Q"] + sum(parts)}

    whole = Q["skp"] <= Q["skp"] + sum(K[d]["kl"] * I["slq"] * S[d]["qp"] for d in range(3))
    sizes = {"one": 1, "L2": 8, "memory": 20_000 // many}
    return Row(f"volume N={m.order} s={many}", partial(mt.kernel, "volume", whole), form, sizes)


def _numbers(tensor: mt.Tensor) -> Array:
    """Of a constant."""
    assert tensor.values is not None
    return tensor.values.array


def _dg_sem(nodes: int, dtype: str) -> Row:
    """Derivatives of 4 quantities on a cube, along its three axes."""
    shape = (nodes, nodes, nodes, 4)
    Q, I = mt.Tensor("Q", shape, dtype), mt.Tensor("I", shape, dtype)
    D = mt.Tensor("D", values=np.random.default_rng(1).random((nodes, nodes)).astype(dtype))
    A = [mt.Tensor(f"A{d}", (4, 4), dtype) for d in range(3)]
    terms = D["il"] * I["ljkq"] * A[0]["qp"] + D["jl"] * I["ilkq"] * A[1]["qp"] + D["kl"] * I["ijlq"] * A[2]["qp"]

    def form(einsum: Einsum, v: Values) -> Values:
        assert D.values is not None
        d, i = D.values.array, v["I"]
        found = v["Q"] + einsum("il,eljkq,eqp->eijkp", d, i, v["A0"])
        return {
            "Q": found + einsum("jl,eilkq,eqp->eijkp", d, i, v["A1"]) + einsum("kl,eijlq,eqp->eijkp", d, i, v["A2"])
        }

    return Row(f"DG-SEM N={nodes}", partial(mt.kernel, "dg_sem", Q["ijkp"] <= Q["ijkp"] + terms), form)
