"""The last block to end combines what blocks have of the same results: interpreter, PoCL, NVRTC; what is left out is
found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from jitmdh.base.errors import InternalError
from jitmdh.hca import nvrtc
from jitmdh.mdh.kernel.ir import Apply, Atomic, Barrier, Fence, Grid, Let, Load, Statement, Store
from jitmdh.mdh.kernel.pass_manager import run_passes
from jitmdh.mdh.kernel.rewrite import Rewriter, statements
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration, Level
from jitmdh.mdh.machine.gpu import gpu
from jitmdh.mdh.targets.cuda import emitter
from jitmdh.mdh.targets.cuda.prelude import OPTIONS
from jitmdh.mdh.targets.cuda.target import PASSES
from tests.laws.agreement import traced, unit_axes
from tests.mdh.codegen.in_grids import InGrids
from tests.mdh.codegen.on_opencl import OnOpenCl
from tests.nvrtc_there import require_nvrtc


def total(y: Any, x: Any) -> None:
    for k in range(x.shape[0]):
        y[0] += x[k]


def rows(y: Any, x: Any) -> None:
    for i in range(x.shape[0]):
        for k in range(x.shape[1]):
            y[i] += x[i, k]


def product(y: Any, a: Any, b: Any) -> None:
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            for k in range(a.shape[1]):
                y[i, j] += a[i, k] * b[k, j]


def nearest(y: Any, x: Any) -> None:
    for i in range(x.shape[0]):
        for k in range(x.shape[1]):
            y[i] = max(y[i], x[i, k])


def configuration(*levels: tuple[str, str, int], waits: bool = True) -> Configuration:
    order = tuple(Level(layer, dim) for layer, dim, _ in levels)
    waiting = tuple((level, "DM") for level in order if level.layer == "BLK" and level.dim == "k")
    sizes = tuple((level, size) for level, (_, _, size) in zip(order, levels))
    return Configuration(sizes, order, output_region=waiting if waits else ())


ONE = ("BLK", "k", 64), ("DEV", "k", 16), ("THR", "k", 1)
ROWS = ("BLK", "i", 8), ("BLK", "k", 32), ("DEV", "k", 4), ("THR", "k", 1), ("THR", "i", 2), ("REG", "i", 1)
LOOPED = ("BLK", "k", 32), ("DEV", "i", 4), ("THR", "i", 1), ("DEV", "k", 1)
TILES = (
    ("BLK", "i", 8), ("BLK", "j", 8), ("BLK", "k", 16), ("THR", "i", 2), ("THR", "j", 1), ("DEV", "k", 1),
    ("REG", "i", 1),
)  # fmt: skip
POINTS = (("BLK", "k", 1),)
INSIDE = ("BLK", "k", 16), ("BLK", "j", 8), ("DEV", "i", 1), ("THR", "j", 1), ("DEV", "k", 1)
"""Where a thread is along `j` gets a name in a loop over `i`."""


def data(function: Callable[..., None], size: int) -> list[Any]:
    random = np.random.default_rng(size)
    shapes: Sequence[tuple[int, ...]] = ((size, 3 * size + 1),)
    if function is total:
        shapes = ((7 * size,),)
    elif function is product:
        shapes = ((size, 2 * size + 5), (2 * size + 5, size + 3))
    first = (1,) if function is total else (shapes[0][0],) if function is not product else (size, size + 3)
    return [random.integers(-9, 9, shape).astype(np.float32) for shape in (first, *shapes)]


CASES = [
    (total, ONE), (rows, ROWS), (rows, LOOPED), (product, TILES), (nearest, ROWS), (total, POINTS), (product, INSIDE),
]  # fmt: skip


def in_grids(function: Callable[..., None], levels: Any, given: Sequence[Any], copied: bool = False) -> InGrids:
    program, chosen = traced(function, tuple(given)), configuration(*levels)
    if copied:
        chosen = replace(chosen, input_region=((0, Level("BLK", "k"), "SM"),))
    return InGrids(program, lambda *_: chosen, unit_axes(program, [tuple(given)]))


@pytest.mark.in_turns(3)
@pytest.mark.parametrize(("function", "levels"), CASES)
def test_grids_agree(function: Callable[..., None], levels: Any) -> None:
    """One grid, in any order of blocks, with the same bits."""
    for size in (1, 9, 33):
        given = data(function, size)
        code = in_grids(function, levels, given)
        assert sum(isinstance(s, Grid) for k in code.kernels for s in statements(k.body)) == 1
        expected = [a.copy() for a in given]
        function(*expected)
        for code.seed in (None, 1, 2) if size < 33 else (1,):  # the interpreter takes seconds for many points
            found = [a.copy() for a in given]
            code(*found)
            np.testing.assert_array_equal(found[0], expected[0])


@pytest.mark.parametrize(("function", "levels"), CASES)
def test_nothing_is_combined_where_nothing_is_shared(function: Callable[..., None], levels: Any) -> None:
    """A block is there for results of no points, which are what they were."""
    given = data(function, 9)
    code = in_grids(function, levels, given)
    shapes = [(*a.shape[:-1], 0) if n == 0 else (0, *a.shape[1:]) for n, a in enumerate(given[1:])]
    found = np.zeros_like(given[0])
    code(found, *(np.zeros(shape, np.float32) for shape in shapes))
    np.testing.assert_array_equal(found, np.zeros_like(found))


@pytest.mark.parametrize("levels", [ONE, POINTS])
def test_nothing_is_copied_where_nothing_is_shared(levels: Any) -> None:
    """The block that is there all the same has no element."""
    code = in_grids(total, levels, data(total, 9), copied=True)
    for x in (np.arange(65, dtype=np.float32), np.zeros(0, np.float32)):
        found = np.ones(1, np.float32)
        code(found, x)
        assert found[0] == 1 + x.sum()


@pytest.mark.parametrize(("function", "levels"), [CASES[0], CASES[3]])
def test_groups_agree(function: Callable[..., None], levels: Any, opencl: Any) -> None:
    """One launch a call; later calls find the counters as the first one did, and make no memory."""
    given = data(function, 9)
    program = traced(function, tuple(given))
    units = unit_axes(program, [tuple(given)])
    code = OnOpenCl(program, lambda *_: configuration(*levels), units, machine=gpu("sm_90", 256, 1))
    for size in (9, 9, 33, 9):
        given = data(function, size)
        expected = [a.copy() for a in given]
        function(*expected)
        code(*given)
        np.testing.assert_array_equal(given[0], expected[0])
    (loaded,) = code.loaded.values()
    assert loaded.statistics is not None and loaded.statistics().launches == 4


@pytest.mark.parametrize(("function", "levels"), CASES)
def test_texts_compile(function: Callable[..., None], levels: Any) -> None:
    kernels = in_grids(function, levels, data(function, 9)).built
    kernel, guard = run_passes(PASSES, kernels, gpu("sm_90", 1024))[-1].kernels
    text = emitter.emit(kernel, guard, cores=2).source()
    assert text.count("__threadfence();") == 2 and text.count("atomicAdd(") == 2
    require_nvrtc()
    made = nvrtc.compile_text(text, "sm_80", OPTIONS)
    assert made.kernels and not any(needs.spilled_bytes for needs in made.kernels.values())


class _Without(Rewriter):
    """A kernel with its statement `number` of these kinds missing, or, of atomic operations, in two steps."""

    def __init__(self, number: int, kinds: Any) -> None:
        self.number, self.missing, self.seen = number, kinds, 0

    def statement(self, node: Statement) -> Sequence[Statement]:
        if not isinstance(node, self.missing):
            return Rewriter.statement(self, node)
        self.seen += 1
        if self.seen != self.number + 1:
            return (node,)
        if not isinstance(node, Atomic) or node.before is None:
            return ()
        old = Let(node.before, Load(node.buffer, node.offset, node.value.type))
        return old, Store(node.buffer, node.offset, Apply("add", (node.before, node.value), node.value.type))


@pytest.mark.parametrize("kind", [Fence, Atomic, Barrier])
def test_mistakes_are_found(kind: type) -> None:
    """A missing fence or barrier, a plain update for an atomic one, counters that are not zero again."""
    given = data(product, 9)
    code = in_grids(product, TILES, given)
    right = code.kernels[0]
    counted = _Without(-1, kind)
    counted.kernel(right)
    assert counted.seen == 2
    for number in range(counted.seen):
        code.kernels = (_Without(number, kind).kernel(right), *code.kernels[1:])
        with pytest.raises(InternalError, match=r"a race|is not zero at its end"):
            code(*(a.copy() for a in given))
