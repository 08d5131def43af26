"""Scatters by blocks of threads: in shared memory and in memory, on the interpreter and on PoCL; mistakes are found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import BoundsError, InternalError
from jitmdh.hca import nvrtc
from jitmdh.mdh.kernel.ir import Apply, Atomic, Grid, Kernel, Let, Load, Name, Scratch, Statement, Store
from jitmdh.mdh.kernel.rewrite import Rewriter, statements
from jitmdh.mdh.targets.cuda.prelude import OPTIONS
from tests.laws.agreement import model, traced, unit_axes
from tests.mdh.codegen.in_grids import InGrids, WithoutBarrier
from tests.nvrtc_there import require_nvrtc


def histogram(counts: Any, bins: Any) -> None:
    for i in range(bins.shape[0]):
        counts[bins[i]] += 1


def weighted(sums: Any, bins: Any, weights: Any) -> None:
    for i in range(bins.shape[0]):
        for j in range(bins.shape[1]):
            sums[bins[i, j]] += weights[j] * i


def pairs(counts: Any, a: Any, b: Any) -> None:
    for i in range(a.shape[0]):
        counts[a[i], b[i]] += 1


def largest(best: Any, bins: Any, values: Any) -> None:
    for i in range(bins.shape[0]):
        best[bins[i]] = max(best[bins[i]], values[i])


def data(function: Any, cells: int, points: int, type: str) -> list[Any]:
    random = np.random.default_rng(points)

    def some(low: int, high: int, *shape: int) -> Any:
        return random.integers(low, high, shape)

    bins = some(-cells, cells, points).astype(np.int32)
    match function.__name__:
        case "histogram":
            return [some(0, 9, cells).astype(type), bins]
        case "weighted":
            return [some(0, 9, cells).astype(type), some(-cells, cells, points // 40, 40), some(0, 9, 40).astype(type)]
        case "pairs":
            return [some(0, 9, cells // 30 + 1, 30).astype(type), bins % (cells // 30 + 1), some(0, 3, points)]
        case _:
            return [some(0, 9, cells).astype(type), bins, some(0, 999, points).astype(type)]


def in_grids(function: Any, arguments: Sequence[Any]) -> InGrids:
    program = traced(function, tuple(arguments))
    axes = unit_axes(program, [tuple(arguments)])
    return InGrids(program, model(program, tuple(arguments), axes), axes, any_order=True)


def atomics(kernel: Kernel) -> int:
    return sum(isinstance(s, Atomic) for s in statements(kernel.body))


FUNCTIONS: tuple[Any, ...] = (histogram, weighted, pairs, largest)


@pytest.mark.in_turns(3)
@pytest.mark.parametrize(("cells", "points"), [(7, 2000), (300, 80), (9000, 500), (5, 0), (1, 1)])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_grids_agree(function: Any, cells: int, points: int) -> None:
    """In any order of blocks; what is looked for outside is an error, and the output is as it was."""
    type = ("int32", "int64", "uint32", "uint64", "float32", "float64")[(cells + FUNCTIONS.index(function)) % 6]
    if type.startswith("float") and function is largest:
        type = "int64"
    given = data(function, cells, points, type)
    code = in_grids(function, given)
    assert atomics(code.kernels[1]) + atomics(code.kernels[0]) == 3
    expected = [a.copy() for a in given]
    function(*expected)
    for code.seed in (None, 1):
        found = [a.copy() for a in given]
        code(*found)
        np.testing.assert_array_equal(found[0], expected[0])
    if points > 1 and function is not weighted:
        given[1][points // 2] = cells
        found = [a.copy() for a in given]
        with pytest.raises(BoundsError):
            code(*found)
        np.testing.assert_array_equal(found[0], given[0])


@pytest.mark.in_turns(2)
@pytest.mark.parametrize(("type", "cells", "functions"), [
    ("int32", 7, FUNCTIONS[:2]), ("uint64", 9000, FUNCTIONS[2:]),
    ("float32", 7, FUNCTIONS[:1]), ("float64", 5000, FUNCTIONS[:1]),
])  # fmt: skip
def test_groups_agree(type: str, cells: int, functions: Sequence[Any], opencl: Any) -> None:
    for function in functions:
        given = data(function, cells, 4000, type)
        expected = [a.copy() for a in given]
        function(*expected)
        with mdh.config(machine="sm_90"):
            mdh.jit(target="opencl")(function)(*given)
        np.testing.assert_array_equal(given[0], expected[0])


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("type", ["int32", "uint32", "int64", "uint64"])
def test_texts(type: str) -> None:
    """Compiled by NVRTC; shorter than with copies for each warp, which floats have whose sums are to be the same in
    each run."""
    for function in FUNCTIONS:
        given = data(function, 7, 400, type)
        text = mdh.jit(target="cuda", cache=False)(function).inspect(*given, stage="cuda")
        device = text[: text.index("// on the host")].replace("// on the device", "")
        name = "atomicMax(" if function is largest else "atomicAdd("
        assert device.count(name) == 3 and len(text) < 16_000
        require_nvrtc()
        made = nvrtc.compile_text(device, "sm_80", OPTIONS)
        assert made.kernels and not any(needs.spilled_bytes for needs in made.kernels.values())
    given = data(histogram, 7, 400, "float32")
    same = mdh.jit(target="cuda", cache=False, deterministic=True)(histogram).inspect(*given, stage="cuda")
    assert "atomicAdd(" not in same and len(same) > len(text)


@pytest.mark.parametrize("type", ["float32", "float64"])
def test_texts_of_floats(type: str) -> None:
    """By functions of CUDA's, but for float32 in global memory."""
    given = data(histogram, 7, 400, type)
    text = mdh.jit(target="cuda", cache=False)(histogram).inspect(*given, stage="cuda")
    device = text[: text.index("// on the host")].replace("// on the device", "")
    by_exchange = device.count("atomic_add_float(") - ("void atomic_add_float(" in device)
    assert device.count("atomicAdd(") == 3 - by_exchange and by_exchange == 2 * (type == "float32")
    assert len(text) < 16_000
    require_nvrtc()
    made = nvrtc.compile_text(device, "sm_80", OPTIONS)
    assert made.kernels and not any(needs.spilled_bytes for needs in made.kernels.values())


class NotAtomic(Rewriter):
    """Atomic operations as a load and a store: those of `which` memory."""

    def __init__(self, which: Callable[[str], bool]) -> None:
        self.which = which

    def statement(self, node: Statement) -> Sequence[Statement]:
        if not isinstance(node, Atomic) or not self.which(node.buffer):
            return Rewriter.statement(self, node)
        old, type = Name("old", node.value.type), node.value.type
        new = Apply(node.op, (old, node.value), type)
        return Let(old, Load(node.buffer, node.offset, type)), Store(node.buffer, node.offset, new)


def test_mistakes_are_found() -> None:
    """A plain update for an atomic one, in shared memory or in memory, and a missing barrier."""
    given = data(histogram, 7, 9000, "int32")
    code = in_grids(histogram, given)
    right = code.kernels
    shared = {s.buffer for k in right for s in statements(k.body) if isinstance(s, Scratch) and s.region == "SM"}

    def races(change: Rewriter) -> bool:
        code.kernels = tuple(change.kernel(kernel) for kernel in right)
        assert code.kernels != right
        found = [a.copy() for a in given]
        try:
            code(*found)
        except InternalError as error:
            return "a race" in str(error)
        return False

    assert races(NotAtomic(shared.__contains__)) and races(NotAtomic(lambda name: name not in shared))
    grids = [s for k in right for s in statements(k.body) if isinstance(s, Grid)]
    (scatter,) = [g for g in grids if any(isinstance(s, Scratch) and s.buffer == "cells" for s in statements(g.body))]
    for missing in (1, 2):  # the first is that of the look at what has failed

        class Planted(Rewriter):
            def statement(self, node: Statement) -> Sequence[Statement]:
                if node is not scatter:
                    return Rewriter.statement(self, node)
                without = WithoutBarrier(missing)  # noqa: B023
                return (replace(scatter, body=without.body(scatter.body)),)

        assert races(Planted())
