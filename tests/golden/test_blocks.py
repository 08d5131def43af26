"""What each of the 15 parameters does to code for blocks of threads, or why a value is refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from jitmdh.base.dtype import float32
from jitmdh.base.errors import InternalError
from jitmdh.hca import nvrtc
from jitmdh.mdh.algebra.expr import Expression
from jitmdh.mdh.codegen.guard import build_guard
from jitmdh.mdh.codegen.program import build
from jitmdh.mdh.kernel.arithmetic import integer
from jitmdh.mdh.kernel.block_memory import SECTOR
from jitmdh.mdh.kernel.ir import Arrived, Barrier, Commit, Let, Load, Misalignment, Statement, Value
from jitmdh.mdh.kernel.pass_manager import run_passes
from jitmdh.mdh.kernel.rewrite import Rewriter, statements
from jitmdh.mdh.lowering.configuration.constraints import violation
from jitmdh.mdh.lowering.configuration.lower import lower, prepared
from jitmdh.mdh.lowering.configuration.tuning_parameters import TABLE_1, Configuration, Level
from jitmdh.mdh.lowering.problem.traffic import problem
from jitmdh.mdh.machine.gpu import gpu
from jitmdh.mdh.targets.cuda import emitter
from jitmdh.mdh.targets.cuda.prelude import OPTIONS
from jitmdh.mdh.targets.cuda.target import PASSES
from tests.laws.agreement import traced
from tests.mdh.algebra import examples as ex
from tests.mdh.codegen.in_grids import InGrids, WithoutBarrier
from tests.nvrtc_there import require_nvrtc

I, J, K = (("BLK", 16), ("THR", 2), ("REG", 1)), (("BLK", 32), ("THR", 1)), (("DEV", 4), ("SHR", 1))
SIZES = {Level(layer, dim): size for dim, sizes in zip("ijk", (I, J, K)) for layer, size in sizes}
ORDER = tuple(sorted(SIZES, key=lambda level: ("BLK", "THR", "DEV", "SHR", "REG").index(level.layer)))
TILE = Level("DEV", "k")
BASE = Configuration(tuple(SIZES.items()), ORDER, input_region=((0, TILE, "SM"), (1, TILE, "SM")))
LATER = tuple(sorted(ORDER, key=lambda level: (level.layer == "THR", ORDER.index(level))))
"""Threads inside of the loops: the same code; so other orders of blocks stand for D1."""
TURNED = (ORDER[1], ORDER[0], *ORDER[2:])
SHARED_K = ((Level("SHR", "k"), "THR"),)
GROUP = Level("DEV", "i")
GROUPED = replace(
    BASE, part_size=tuple((SIZES | {GROUP: 64}).items()), decomposition_assignment=((GROUP, "BLK"),),
    decomposition_order=(GROUP, Level("BLK", "j"), Level("BLK", "i"), *(l for l in ORDER if l.layer != "BLK")),
)  # fmt: skip
"""Four rows of blocks go through all columns together."""
CHANGES: dict[str, tuple[Configuration, ...]] = {
    "part_size": (
        replace(BASE, part_size=tuple((SIZES | {TILE: 16}).items())),
        replace(BASE, part_size=tuple((SIZES | {TILE: 12, Level("SHR", "k"): 5}).items())),
        replace(BASE, part_size=tuple((SIZES | {Level("BLK", "i"): 256}).items())),
    ),
    "decomposition_order": (replace(BASE, decomposition_order=TURNED),),
    "decomposition_assignment": (
        replace(BASE, decomposition_assignment=((Level("REG", "i"), "WRP"),)),
        replace(BASE, decomposition_assignment=((Level("REG", "i"), "COR"),)),
        replace(BASE, decomposition_assignment=((TILE, "BLK"),)),
        GROUPED,
    ),
    "input_region": (
        replace(BASE, input_region=((0, TILE, "SM"),)),
        replace(BASE, input_region=((0, TILE, "L2"),)),
        replace(BASE, input_region=((0, Level("BLK", "i"), "SM"),)),
        replace(BASE, input_region=((0, TILE, "SM*2"), (1, TILE, "SM*2"))),
        replace(BASE, input_region=((0, TILE, "SM*3"), (1, TILE, "SM*3"))),
        replace(BASE, input_region=((0, TILE, "SM*5"),)),
        replace(BASE, input_region=((0, TILE, "SM*2"), (1, TILE, "SM"))),
        replace(BASE, input_region=((0, Level("THR", "i"), "SM*2"),)),
        replace(GROUPED, input_region=((0, GROUP, "SM*2"),)),
    ),
    "input_layout": (
        replace(BASE, input_layout=((0, ((1, 1), (0, 1))),)),
        replace(BASE, input_layout=((1, ((0, 1), (-1, 1), (1, 1))),)),
    ),
    "scalar_order": (replace(BASE, scalar_order=TURNED),),
    "scalar_assignment": (replace(BASE, scalar_assignment=((Level("REG", "i"), "WRP"),)),),
    "scalar_input_region": (replace(BASE, scalar_input_region=((0, "L1"),)),),
    "scalar_input_layout": (replace(BASE, scalar_input_layout=((0, ((1, 1), (0, 1))),)),),
    "scalar_output_region": (replace(BASE, scalar_output_region="MM"),),
    "scalar_output_layout": (replace(BASE, scalar_output_layout=((1, 1), (0, 1))),),
    "recomposition_order": (replace(BASE, recomposition_order=TURNED),),
    "recomposition_assignment": (
        replace(BASE, recomposition_assignment=((Level("REG", "i"), "WRP"),)),
        replace(BASE, decomposition_assignment=SHARED_K, recomposition_assignment=SHARED_K),
    ),
    "output_region": (
        replace(BASE, output_region=((TILE, "SM"),)),
        replace(BASE, decomposition_assignment=((TILE, "BLK"),), output_region=((TILE, "DM"),)),
        replace(BASE, decomposition_assignment=((TILE, "BLK"),), output_region=((TILE, "SM"),)),
        replace(BASE, output_region=((Level("BLK", "i"), "DM"),)),
    ),
    "output_layout": (replace(BASE, output_layout=((TILE, ((1, 1), (0, 1))),)),),
}


def text(c: Configuration, of: Expression | None = None) -> str:
    """In CUDA C++, or why there is none; of matrix products, if nothing else is given."""
    expression = of or ex.matmul(float32)
    machine, program = gpu("sm_90", 1024), ex.program(expression)
    facts = problem(prepared(expression), {}, {}, 2)
    reason = violation(facts, machine, c)
    if reason is not None:
        return f"refused: {reason}"
    units: dict[str, int | None] = {b.name: len(b.shape) - 1 for b in expression.buffers}
    kernels = build(program, lambda e: lower(prepared(e), c), machine, units), build_guard(program, machine)
    return emitter.emit(*run_passes(PASSES, kernels, machine)[-1].kernels, cores=2).source()


def test_every_parameter_changes_the_text_or_is_refused(golden: Callable[[str, str], None]) -> None:
    base, shown = text(BASE), []
    assert "refused" not in base
    for row in TABLE_1:
        for changed in CHANGES[row.field]:
            found = text(changed)
            assert found != base, row
            shown.append(f"{row.number:2}  {found if found.startswith('refused') else 'changes the text'}")
    golden("blocks/parameters", "\n".join(shown))


def test_text(golden: Callable[[str, str], None]) -> None:
    source = text(BASE)
    golden("blocks/matmul_cuda", source[source.index("extern") :])


def test_the_last_block_to_end_combines(golden: Callable[[str, str], None]) -> None:
    source = text(by_blocks(BLK_i=4, BLK_k=16, DEV_k=4, THR_i=1, THR_k=1, waiting="BLK_k"), ex.matvec(float32))
    golden("blocks/last_block_cuda", source[source.index("extern") :])


def test_groups_of_blocks_follow_each_other(golden: Callable[[str, str], None]) -> None:
    """What a block has is found from its number by groups: the same results, and other neighbours in the second-level
    cache."""
    source = text(GROUPED)
    lines = [line.strip() for line in source.splitlines()]
    numbers = [line for line in lines if line.startswith(("const long i_b", "const long j_b", "const long left"))]
    golden("blocks/grouped_cuda", "\n".join(numbers))
    a, b = np.random.default_rng(0).integers(0, 9, (2, 150, 150)).astype(np.float32)
    a, b = a[:, :12].copy(), b[:12, :].copy()
    found = np.zeros((150, 150), np.float32)
    InGrids(ex.program(ex.matmul(float32)), lambda *_: GROUPED)(found, a, b)
    np.testing.assert_array_equal(found, a @ b)


def test_blocks_of_a_group_that_is_cut_short_copy_nothing() -> None:
    """Three rows, in groups of two blocks with a row each: the last one is beyond the end."""
    order = tuple(Level(*name.split(",")) for name in ("DEV,i", "BLK,i", "DEV,k"))
    given = Configuration(
        tuple(zip(order, (2, 1, 1))), order, ((order[0], "BLK"),), input_region=((0, order[1], "SM"),),
    )  # fmt: skip
    expression = ex.matvec(float32)
    assert violation(problem(prepared(expression), {}, {}, 2), gpu("sm_90", 1024), given) is not None  # any k
    given = replace(given, input_region=((0, order[2], "SM"),))
    assert violation(problem(prepared(expression), {}, {}, 2), gpu("sm_90", 1024), given) is None
    w, m, v = rows(3, 5)
    InGrids(ex.program(expression), lambda *_: given)(w, m, v)
    np.testing.assert_array_equal(w, m @ v)


AHEAD = replace(BASE, input_region=((0, TILE, "SM*3"), (1, TILE, "SM*3")))


def test_text_of_copies_ahead(golden: Callable[[str, str], None]) -> None:
    source = text(AHEAD)
    assert "cp.async.ca.shared.global [%0], [%1], 4;" in source and "cp.async.wait_group 1;" in source
    golden("blocks/matmul_ahead_cuda", source[source.index("extern") :])


class _Less(Rewriter):
    """A kernel with less waiting: without its statement `number` among those of `kinds`, or with one more batch that is
    not waited for. seen: how many there were so far."""

    def __init__(self, number: int) -> None:
        self.number, self.seen = number, 0

    def statement(self, node: Statement) -> Sequence[Statement]:
        if not isinstance(node, Barrier | Commit | Arrived):
            return Rewriter.statement(self, node)
        self.seen += 1
        if self.seen != self.number + 1:
            return (node,)
        return (Arrived(node.pending + 1),) if isinstance(node, Arrived) else ()


@pytest.mark.parametrize("tiles", [2, 3, 4])
def test_copies_ahead_need_all_that_they_wait_for(tiles: int) -> None:
    """One element of A in each round: those of more rounds than there are places, and fewer; any k."""
    given = replace(BASE, input_region=tuple((n, TILE, f"SM*{tiles}") for n in (0, 1)))

    def product(code: InGrids, k: int) -> None:
        a, b = (np.random.default_rng(0).integers(-4, 5, shape).astype(np.float32) for shape in ((17, k), (k, 33)))
        code(c := np.zeros((17, 33), np.float32), a, b)
        np.testing.assert_array_equal(c, a @ b)

    code = InGrids(ex.program(ex.matmul(float32)), lambda *_: given)
    for k in (0, 1, 4, 7, 30):
        product(code, k)
    counted = _Less(-1)
    counted.kernel(code.kernels[0])
    assert counted.seen == 4  # a batch before the loop; a wait, a barrier and a batch in it
    for number in range(counted.seen):
        code = InGrids(ex.program(ex.matmul(float32)), lambda *_: given)
        code.kernels = (_Less(number).kernel(code.kernels[0]), code.kernels[1])
        with pytest.raises(InternalError, match=r"a race|nobody wrote|never arrives"):
            product(code, 30)


def test_copies_ahead_inside_of_a_loop_over_results() -> None:
    """The first copies for the next results wait until no thread reads those before: three rounds, two places."""
    sizes = {"DEV,i": 4, "THR,i": 1, "DEV,k": 4, "SHR,k": 1}
    levels = {Level(*name.split(",")): size for name, size in sizes.items()}
    order = tuple(Level(*name.split(",")) for name in ("DEV,i", "DEV,k", "SHR,k", "THR,i"))
    given = Configuration(tuple(levels.items()), order, input_region=((0, Level("DEV", "k"), "SM*2"),))
    expression = ex.matvec(float32)
    assert violation(problem(prepared(expression), {}, {}, 2), gpu("sm_90", 1024), given) is None
    w, m, v = rows(11, 12)
    code = InGrids(ex.program(expression), lambda *_: given)
    code(w, m, v)
    np.testing.assert_array_equal(w, m @ v)
    code.kernels = (WithoutBarrier(1).kernel(code.kernels[0]), code.kernels[1])
    with pytest.raises(InternalError, match="a race"):
        code(*rows(11, 12))


def test_loops_around_threads_are_loops_inside_of_them() -> None:
    """All threads of a block go through a loop together: D1 orders loops, and blocks and threads, among themselves."""
    assert text(replace(BASE, decomposition_order=LATER)) == text(BASE)


class _TakenForAligned(Rewriter):
    """All vectors are loaded, wherever an array begins."""

    def value(self, node: Value) -> Value:
        return integer(0) if isinstance(node, Misalignment) else super().value(node)


def test_copies_by_vectors_of_aligned_arrays() -> None:
    """Where rows do not begin at multiples of 16 bytes, element by element: the same results."""
    copied = replace(BASE, input_layout=((0, ((1, 1), (-1, 4), (0, 1))),))
    known = {"C.shape[0]": 16, "C.shape[1]": 32, "A.shape[1]": 4}
    code = InGrids(ex.program(ex.matmul(float32)), lambda *_: copied, multiples=known)
    lanes = [
        s.value.lanes for s in statements(code.kernels[0].body) if isinstance(s, Let) and isinstance(s.value, Load)
    ]
    assert lanes.count(4) == 2
    whole = np.random.default_rng(0).integers(-4, 5, (16, 65)).astype(np.float32)
    b = at_a_sector(np.random.default_rng(1).integers(-4, 5, (12, 32)))
    arrays = {
        "aligned": at_a_sector(whole[:, :12]),
        "one element behind": at_a_sector(whole[:, :16])[:, 1:13],
        "rows of 65": at_a_sector(whole)[:, :12],
    }
    for a in arrays.values():
        code(c := np.zeros((16, 32), np.float32), a, b)
        np.testing.assert_array_equal(c, a @ b)
    code.kernels = _TakenForAligned().kernel(code.kernels[0]), *code.kernels[1:]
    with pytest.raises(InternalError, match="not aligned"):
        code(np.zeros((16, 32), np.float32), arrays["one element behind"], b)


def combined_by_threads(parts: int) -> InGrids:
    """Rows of a matrix times a vector: so many threads share a row, of which a thread has four at once, and 4 later."""
    shared = {"DEV,i": 4, "REG,i": 1, "BLK,i": 8, "DEV,k": parts, "THR,k": 1}
    sizes = {Level(*name.split(",")): size for name, size in shared.items()}
    order = tuple(Level(*name.split(",")) for name in ("BLK,i", "DEV,i", "THR,k", "DEV,k", "REG,i"))
    given = Configuration(tuple(sizes.items()), order)
    expression = ex.matvec(float32)
    assert violation(problem(prepared(expression), {}, {}, 2), gpu("sm_90", 1024), given) is None
    return InGrids(ex.program(expression), lambda *_: given)


def rows(i: int, k: int) -> tuple[Any, Any, Any]:
    """w, M, v."""
    random = np.random.default_rng(0)
    return np.zeros(i, np.float32), *(random.integers(-4, 5, s).astype(np.float32) for s in ((i, k), (k,)))


@pytest.mark.parametrize("shape", [(17, 29), (8, 24), (1, 1), (3, 0), (0, 3)])
def test_threads_combine_what_they_have(shape: tuple[int, int]) -> None:
    w, m, v = rows(*shape)
    combined_by_threads(12)(w, m, v)
    np.testing.assert_array_equal(w, m @ v)


def any_of_rows(y: Any, x: Any) -> None:
    for i in range(x.shape[0]):
        for k in range(x.shape[1]):
            y[i] = y[i] | x[i, k]


@pytest.mark.parametrize("type", ["bool", "int8", "uint64"])
def test_copies_are_zero_behind_the_ends_of_arrays(type: str) -> None:
    given = replace(
        by_blocks(BLK_i=8, DEV_k=4, SHR_k=1, THR_i=2, REG_i=1), input_region=((0, Level("DEV", "k"), "SM"),)
    )
    y, x = np.zeros(13, type), (np.random.default_rng(0).random((13, 6)) < 0.2).astype(type)
    code = InGrids(traced(any_of_rows, (y, x)), lambda *_: given)
    code(y, x)
    np.testing.assert_array_equal(y, np.bitwise_or.reduce(x, axis=1))
    assert code.reports[-1].shared


def by_blocks(waiting: str = "", **sizes: int) -> Configuration:
    """Parts by level, in this order: BLK_i=4 is a part of four elements of i for each block. waiting: the level whose
    results wait for the last block."""
    levels = {Level(*name.split("_")): size for name, size in sizes.items()}
    waits = ((Level(*waiting.split("_")), "DM"),) if waiting else ()
    return Configuration(tuple(levels.items()), tuple(levels), output_region=waits)


@pytest.mark.parametrize("shape", [(17, 100), (4, 16), (1, 1), (5, 0), (0, 5), (14, 150)])
def test_blocks_combine_what_they_have(shape: tuple[int, int]) -> None:
    """In a second grid: 16 elements of each row are a block's, of which 4 threads have one at a time."""
    given, expression = by_blocks(BLK_i=4, BLK_k=16, DEV_k=4, THR_i=1, THR_k=1), ex.matvec(float32)
    assert violation(problem(prepared(expression), {}, {}, 2), gpu("sm_90", 1024), given) is None
    w, m, v = rows(*shape)
    InGrids(ex.program(expression), lambda *_: given)(w, m, v)
    np.testing.assert_array_equal(w, m @ v)


def test_blocks_combine_one_result() -> None:
    def dot(s, x, y):  # type: ignore[no-untyped-def]
        for k in range(x.shape[0]):
            s[0] += x[k] * y[k]

    s, x, y = np.full(1, 7, np.float32), rows(1, 1000)[1][0], rows(1, 1000)[2]
    InGrids(traced(dot, (s, x, y)), lambda *_: by_blocks(BLK_k=96, DEV_k=32, THR_k=1))(s, x, y)
    np.testing.assert_array_equal(s, 7 + x @ y)


def test_every_barrier_of_a_tree_is_needed() -> None:
    counted = WithoutBarrier(-1)
    counted.kernel(combined_by_threads(8).kernels[0])
    assert counted.seen == 4  # of 8 threads: 4, 2, 1; and one before the next rows
    for number in range(counted.seen):
        code = combined_by_threads(8)
        code.kernels = (WithoutBarrier(number).kernel(code.kernels[0]), code.kernels[1])
        with pytest.raises(InternalError, match=r"a race|nobody wrote"):
            code(*rows(8, 24))


def turned(C, A, B):  # type: ignore[no-untyped-def]
    """Both operands lie the wrong way: neighbouring threads want elements of different rows of B."""
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            for k in range(A.shape[0]):
                C[i, j] += A[k, i] * B[j, k]


def at_a_sector(values: Any) -> Any:
    """As float32, from the beginning of a sector on, as on a GPU."""
    room = np.empty(values.size + SECTOR // 4, np.float32)
    first = -room.ctypes.data % SECTOR // 4
    array = room[first : first + values.size].reshape(values.shape)
    array[...] = values
    return array


@pytest.mark.parametrize(
    ("copies", "layout", "used", "conflicts"),
    [
        ((), (), (0.0, 0.3), (1.0, 1.0)),
        (((0, TILE, "SM"), (1, TILE, "SM")), (), (0.9, 1.0), (2.0, 33.0)),
        (((0, TILE, "SM"), (1, TILE, "SM")), ((1, ((0, 1), (-1, 1), (1, 1))),), (0.9, 1.0), (1.0, 1.1)),
    ],
    ids=["global", "shared", "padded"],
)
def test_copies_make_whole_sectors_of_a_transposed_operand(
    copies: Any, layout: Any, used: tuple[float, float], conflicts: tuple[float, float]
) -> None:
    """Read where it is, a warp uses an eighth of each sector; through shared memory all of it; and rows that are one
    element longer have no two elements of a column in one bank."""
    sizes = SIZES | {TILE: 32}
    given = replace(BASE, part_size=tuple(sizes.items()), input_region=copies, input_layout=layout)
    shapes = (16, 32), (64, 16), (32, 64)
    c, a, b = (at_a_sector(np.random.default_rng(0).integers(-4, 5, shape)) for shape in shapes)
    expected = c + a.T @ b.T
    code = InGrids(traced(turned, (c, a, b)), lambda *_: given)
    code(c, a, b)
    np.testing.assert_array_equal(c, expected)
    report = code.reports[-1]
    assert used[0] <= report.used() <= used[1]
    assert conflicts[0] <= report.conflicts() <= conflicts[1]


@pytest.mark.parametrize(("given", "tiles"), [(BASE, 1), (AHEAD, 3)], ids=["one tile", "three tiles"])
@pytest.mark.parametrize("architecture", ["sm_75", "sm_80", "sm_90"])
def test_nvrtc_compiles_it(architecture: str, given: Configuration, tiles: int) -> None:
    require_nvrtc()
    made = nvrtc.compile_text(text(given), architecture, OPTIONS)
    (needs,) = made.kernels.values()
    assert needs.spilled_bytes == 0 and needs.shared_bytes == tiles * 4 * (16 * 4 + 4 * 32)
