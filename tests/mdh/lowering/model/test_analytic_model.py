"""What the model chooses is legal, for any sizes, on any machine; and what it says of its choice is true."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from jitmdh.base.dtype import ScalarType, complex64, float16, float32, float64, int64
from jitmdh.mdh.algebra.expr import Expression
from jitmdh.mdh.algebra.parts.components import components
from jitmdh.mdh.algebra.rewrites.identity_lifting import lift_identities
from jitmdh.mdh.algebra.rewrites.reverse_scans import forward_scans
from jitmdh.mdh.algebra.rewrites.zero_initialisation import initialise_from_zero
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.trace import trace
from jitmdh.mdh.frontend.trace_ir.argument_types import ArrayType
from jitmdh.mdh.lowering.configuration.constraints import violation
from jitmdh.mdh.lowering.configuration.lower import split_accumulator_dims
from jitmdh.mdh.lowering.configuration.remarks import held_back, lane_of, left_out
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration, Level
from jitmdh.mdh.lowering.model.analytic_model import Choice, choose
from jitmdh.mdh.lowering.problem.nontemporal import no_nontemporal_stores
from jitmdh.mdh.lowering.problem.traffic import Problem, problem
from jitmdh.mdh.machine.known import PROCESSORS, known
from jitmdh.mdh.machine.model import Machine, MemoryLayer
from tests.laws.configurations import EXPRESSIONS
from tests.mdh.algebra import examples as ex
from tests.mdh.codegen.native import host

WIDE, NARROW = known("sapphire-rapids", cores=16), known("x86-128", cores=1)
SIZES = (0, 1, 2, 3, 7, 16, 17, 64, 100, 1000, 4096, 100_000, 2**24)


def facts(expression: Expression, extents: tuple[int, ...], threads: int) -> Problem:
    whole = lift_identities(initialise_from_zero(forward_scans(expression)))
    p = problem(whole, {}, {}, threads)
    return replace(p, extents=dict(zip(p.extents, extents)))


def all_extents(count: int) -> list[tuple[int, ...]]:
    """Equal extents, and one of them much larger or smaller than the others."""
    found = [(n,) * count for n in SIZES]
    for place in range(count):
        for n in (0, 1, 3, 5000, 2**22):
            found += [(m,) * place + (n,) + (m,) * (count - place - 1) for m in (5, 130)]
    return found


@pytest.mark.in_turns(12)
@pytest.mark.parametrize("on", ["host", *PROCESSORS])
@pytest.mark.parametrize("name", EXPRESSIONS)
def test_the_choice_is_legal(name: str, on: str) -> None:
    expression, machine = EXPRESSIONS[name](), host() if on == "host" else known(on)
    for extents in all_extents(len(expression.md_hom.dims)):
        p = facts(expression, extents, machine.cores)
        choice = choose(p, machine)
        assert violation(p, machine, choice.configuration) is None, (extents, choice)
        assert choice.reasons and not choice.forced
        left_out(p, machine, choice.configuration)
        held_back(p, machine, choice.configuration)


# ------------------------------------------------------------------------------------------- what it says


def small_caches(machine: Machine) -> Machine:
    sizes = {"MM": 0, "L3": 1 << 20, "L2": 1 << 18, "L1": 1 << 15}
    memory = tuple(MemoryLayer(m.name, sizes.get(m.name, m.capacity_bytes)) for m in machine.memory)
    return replace(machine, memory=memory)


def chosen(expression: Expression, extents: tuple[int, ...], on: Machine = WIDE) -> tuple[Problem, Machine, Choice]:
    machine = small_caches(on)
    p = facts(expression, extents, 2)
    return p, machine, choose(p, machine)


def test_large_results_leave_by_non_temporal_stores() -> None:
    p, machine, choice = chosen(ex.jacobi1d(float32), (2**24,))
    assert choice.configuration.scalar_output_region == "MM" and not no_nontemporal_stores(p, machine, "i")
    assert not any("caches" in line for line in left_out(p, machine, choice.configuration))
    p, machine, choice = chosen(ex.jacobi1d(float32), (2**24,), on=NARROW)
    assert "vectors of 128 bits" in no_nontemporal_stores(p, machine, "i")
    assert any("no non-temporal stores" in line for line in left_out(p, machine, choice.configuration))
    p, machine, _ = chosen(ex.jacobi1d(float32), (1000,))
    assert no_nontemporal_stores(p, machine, "i") == "y fits the L3 cache"
    p, machine, _ = chosen(ex.matvec(float32), (1000, 1000))
    assert (
        "not in the lanes" in no_nontemporal_stores(p, machine, "k")
        and no_nontemporal_stores(p, machine, "i") == "w is read, too"
    )


@pytest.mark.parametrize(
    ("extents", "blocked"),
    [((2000, 2000, 2000), True), ((5000, 32, 300), False), ((5000, 32, 5000), True), ((300, 200, 300), False)],
)
def test_panels_are_made_where_they_are_many_or_would_not_stay_near(extents: tuple[int, ...], blocked: bool) -> None:
    choice = choose(facts(ex.matmul(float32), extents, 2), WIDE)
    assert any(level.layer in ("MM", "L3") for level in choice.configuration.sizes) == blocked


@pytest.mark.parametrize("name", ["sapphire-rapids", "zen3", "zen4", "zen5", "avx2-desktop"])
@pytest.mark.parametrize("rows", [8, 16, 24])
def test_few_rows_walk_through_blocks_that_are_asked_for_before(name: str, rows: int) -> None:
    """Lanes along the rows of what is used few times. Where L2 is not much faster than tiles, two tiles' lines of a
    block, and the few rows, are in L1; else a block of one tile."""
    machine = known(name, cores=2)
    p = facts(ex.matmul(float32), (rows, 1000, 2048), 2)
    c = choose(p, machine).configuration
    deep, wide = c.size("MM", "k"), c.size("L1", "j")
    assert lane_of(c) == "j" and deep and wide and (1, "MM") in c.scalar_input_region
    bytes_of_a_step = 2 * (4 * wide + 64) + 4 * rows if name in ("zen3", "avx2-desktop") else 4 * wide
    assert deep <= 64 or deep * bytes_of_a_step <= 1.1 * machine.capacity_bytes("L1")


def test_what_is_read_once_is_shared_in_many_parts() -> None:
    """Threads take turns at memory; where points share what is read, parts would read rows of their neighbours."""

    def parts(expression: Expression, extents: tuple[int, ...]) -> int:
        p = facts(expression, extents, 2)
        sizes = dict(choose(replace(p, unit_axes={"M": 1, "image": 1}), WIDE).configuration.part_size)
        return -next(size for level, size in sizes.items() if level.layer == "COR")

    assert parts(ex.matvec(), (4096, 4096)) == 46
    assert parts(ex.matvec(), (1024, 16384)) == 46
    assert parts(ex.matvec(), (2048, 4096)) == 23  # parts that take 600 hand-overs
    assert parts(ex.conv2d(), (4096, 4096, 5, 5)) == 8


def test_rows_that_are_read_once_are_few_and_long() -> None:
    p = facts(ex.matvec(), (8192, 8192), 2)
    sizes = dict(choose(replace(p, unit_axes={"M": 1}), WIDE).configuration.part_size)
    assert (sizes[Level("L1", "i")], sizes[Level("L1", "k")]) == (4, 128)


def test_rows_that_are_summed_up_are_read_from_end_to_end() -> None:
    """A register tile of a matrix that no near cache holds takes some rows, then its neighbour does."""

    def order(extents: tuple[int, ...], threads: int = 2) -> list[str]:
        p = replace(facts(ex.matvec(float32), extents, threads), unit_axes={"M": 0, "w": 0, "v": 0})
        found = choose(p, WIDE).configuration
        assert violation(p, WIDE, found) is None
        return [str(level) for level in found.decomposition_order]

    assert order((1000, 2048)) == ["(COR,k)", "(MM,k)", "(L1,i)", "(L1,k)"]
    assert order((1000, 2048), threads=1) == ["(MM,k)", "(L1,i)", "(L1,k)"]
    assert order((2**18, 24)) == ["(COR,i)", "(MM,k)", "(L1,i)", "(L1,k)"]  # too few rows for sums of each core's own
    assert order((300, 300)) == ["(COR,i)", "(L1,i)", "(L1,k)"]  # near enough
    assert order((32, 10**6)) == ["(COR,k)", "(L1,i)", "(L1,k)"]  # one tile takes whole rows


def test_remainders() -> None:
    p, machine, choice = chosen(ex.jacobi1d(float32), (65,))
    size = choice.configuration.size("L1", "i") or 1
    found = left_out(p, machine, choice.configuration)
    assert 65 % size and any(f"remainder: {65 % size} of the 65 points of i" in line for line in found)


def test_few_accumulators_wait_for_each_other() -> None:
    p, machine, choice = chosen(ex.matvec(float32), (1, 4096))
    short = replace(choice.configuration, part_size=(), recomposition_order=())
    assert any("1 independent accumulator;" in line for line in held_back(p, machine, short))
    p, machine, choice = chosen(ex.matmul(float32), (512, 512, 512))
    assert not any("accumulator" in line for line in held_back(p, machine, choice.configuration))


def test_a_single_element_has_no_lanes() -> None:
    p, machine, choice = chosen(ex.jacobi1d(float32), (1,))
    assert lane_of(choice.configuration) is None
    assert any("i is too short" in line for line in left_out(p, machine, choice.configuration))


@pytest.mark.parametrize(("extents", "lanes"), [((1, 2), False), ((1, 4), False), ((1, 5), True), ((64, 4), True)])
def test_a_few_elements_of_one_result_are_added_up_one_by_one(extents: tuple[int, ...], lanes: bool) -> None:
    """To put them into a vector and to sum its lanes takes longer: a filter of order 2 ran at 0.6 of the speed."""
    _, _, choice = chosen(ex.matvec(float32), extents)
    assert (lane_of(choice.configuration) is not None) == lanes


def test_results_combined_in_memory_are_slow() -> None:
    p, machine, choice = chosen(ex.matmul(float32), (512, 512, 512))
    held = replace(choice.configuration, scalar_output_region="L1")
    assert any("in an L1 buffer" in line for line in held_back(p, machine, held))
    assert not any("in an L1 buffer" in line for line in held_back(p, machine, choice.configuration))


def test_blocks_given_to_cores_are_shared() -> None:
    p, machine, _ = chosen(ex.matvec(float32), (5000, 1000))
    block, order = Level("L2", "i"), (Level("L2", "i"), Level("L1", "i"), Level("L1", "k"))
    alone = Configuration(((block, 64),), order)
    shared = replace(alone, decomposition_assignment=((block, "COR"),))
    assert any("not shared among threads" in line for line in left_out(p, machine, alone))
    assert not any("not shared among threads" in line for line in left_out(p, machine, shared))


def products(C, A, B):
    for b in range(C.shape[0]):
        for i in range(C.shape[1]):
            for j in range(C.shape[2]):
                for k in range(A.shape[2]):
                    C[b, i, j] += A[b, i, k] * B[b, k, j]


@pytest.mark.parametrize(
    ("extents", "shared"), [((16, 10, 500, 64), "b"), ((1, 10, 500, 64), "j"), ((1, 900, 1100, 1), "i")]
)
def test_threads_share_products_or_columns_where_these_are_most_or_rows(extents: tuple[int, ...], shared: str) -> None:
    arrays = ArrayType(float64, 3)
    (expression,) = trace(capture(products), (arrays, arrays, arrays)).steps
    assert isinstance(expression, Expression)
    chosen = choose(facts(expression, extents, 2), WIDE).configuration
    assert [level.dim for level in chosen.decomposition_order if level.layer == "COR"] == [shared]


def rows_with_rows(C, A, B):
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[j, k]


@pytest.mark.parametrize(
    ("extents", "lane", "transposed"),
    [
        ((10, 500, 64), "j", True),  # a panel of `B` for each tile of columns is worth its turning
        ((64, 64, 64), "j", True),
        ((8, 8, 2000), "k", False),  # few results, many terms: what is left to do across lanes is little
        ((1000, 1000, 1000), "j", False),  # a panel would be larger than L1: blocks of the depth
    ],
)
def test_what_lies_apart_along_lanes_is_transposed_in_l1(extents: tuple[int, ...], lane: str, transposed: bool) -> None:
    arrays = ArrayType(float32, 2)
    (expression,) = trace(capture(rows_with_rows), (arrays, arrays, arrays)).steps
    assert isinstance(expression, Expression)
    p = facts(expression, extents, 2)
    chosen = choose(replace(p, unit_axes={"C": 1, "A": 1, "B": 1}), WIDE).configuration
    assert lane_of(chosen) == lane
    near = [(n, level, region) for n, level, region in chosen.input_region if region == "L1"]
    assert near == ([(1, Level("L1", "j"), "L1")] if transposed else [])


def products_of_vectors(w, M, v):
    for b in range(M.shape[0]):
        for i in range(M.shape[1]):
            for k in range(M.shape[2]):
                w[b, i] += M[b, i, k] * v[b, k]


@pytest.mark.parametrize("short", [6, 7])
def test_short_rows_are_one_masked_vector(short: int) -> None:
    """Not vectors along the batch, whose lanes lie apart; lanes of several results are combined together."""
    types = ArrayType(float64, 2), ArrayType(float64, 3), ArrayType(float64, 2)
    (expression,) = trace(capture(products_of_vectors), types).steps
    assert isinstance(expression, Expression)
    chosen = choose(facts(expression, (10_000, short, short), 2), WIDE).configuration
    assert lane_of(chosen) == "k"
    assert chosen.size("L1", "i") == short


def distances(y, x, z):
    for i in range(x.shape[0]):
        y[i] = abs(x[i] - z[i])


def copies(y, x, z):
    for i in range(x.shape[0]):
        y[i] = x[i]


@pytest.mark.parametrize("function, lanes", [(distances, 16), (copies, 32)])
def test_short_floats_take_the_lanes_of_what_they_are_computed_in(function: Callable[..., None], lanes: int) -> None:
    (expression,) = trace(capture(function), (ArrayType(float16, 1),) * 3).steps
    assert isinstance(expression, Expression)
    chosen = choose(facts(expression, (10_000,), 1), WIDE).configuration
    assert chosen.size("REG", "i") == lanes


def sums_of_columns(s, x):
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            s[j] += x[i, j]


@pytest.mark.parametrize("columns, rows", [(132, 16), (300, 12)])
def test_rows_are_read_from_end_to_end_once_if_a_tile_is_not_all_columns(columns: int, rows: int) -> None:
    (expression,) = trace(capture(sums_of_columns), (ArrayType(float64, 1), ArrayType(float64, 2))).steps
    assert isinstance(expression, Expression)
    p = facts(expression, (50_000, columns), 2)
    chosen = choose(p, WIDE).configuration
    assert (chosen.size("L1", "j") or 1) < columns
    assert chosen.size("MM", "i") == rows


@pytest.mark.parametrize("columns", [30, 44])
def test_a_tile_has_all_of_a_few_columns(columns: int) -> None:
    """The last vector is masked: rows are read from end to end anyway."""
    (expression,) = trace(capture(sums_of_columns), (ArrayType(float64, 1), ArrayType(float64, 2))).steps
    assert isinstance(expression, Expression)
    chosen = choose(facts(expression, (50_000, columns), 2), WIDE).configuration
    assert chosen.size("L1", "j") == -(-columns // 8) * 8
    assert chosen.size("MM", "i") is None


def sums_of_products(s, x, y):
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            s[j] += x[i, j] * y[i, j]


def test_rows_of_several_arrays_share_the_streams_of_a_prefetcher() -> None:
    """A page is one stream, however many rows lie in it, the parts of a complex number as well; rows from memory have
    half of them."""
    machine, rows = known("zen4", cores=1), {}
    for function, arrays in ((sums_of_columns, 1), (sums_of_products, 2)):
        types = (ArrayType(float64, 1), *(ArrayType(float64, 2),) * arrays)
        (expression,) = trace(capture(function), types).steps
        assert isinstance(expression, Expression)
        for extents in ((50_000, 132), (100, 9_000), (400, 20_000)):
            chosen = choose(facts(expression, extents, 1), machine).configuration
            rows[arrays, extents] = chosen.size("MM", "i")
    (expression,) = trace(capture(sums_of_columns), (ArrayType(complex64, 1), ArrayType(complex64, 2))).steps
    assert isinstance(expression, Expression)
    assert choose(facts(expression, (1000, 9_000), 1), machine).configuration.size("MM", "i") == 8
    short, near, far = (50_000, 132), (100, 9_000), (400, 20_000)
    assert rows == {(1, short): 16, (1, near): 16, (1, far): 8, (2, short): 16, (2, near): 8, (2, far): 4}


def sums_of_planes(s, x):
    s[...] = np.sum(x, axis=0)


def sums_of_products_of_planes(s, x, y):
    s[...] = np.sum(x * y, axis=0)


def test_short_rows_of_planes_that_lie_apart_are_jumps() -> None:
    """The next row that a tile comes to is in the next plane, however many rows a page has."""
    types = ArrayType(float32, 2), ArrayType(float32, 3), ArrayType(float32, 3)
    (expression,) = trace(capture(sums_of_products_of_planes), types).steps
    assert isinstance(expression, Expression)
    chosen = choose(facts(expression, (182, 56, 297), 1), known("zen4", cores=1)).configuration
    assert chosen.decomposition_order[0] == Level("MM", "k")


def sums_of_rows(s, x, y):
    s[...] = np.sum(x * y, axis=1)


@pytest.mark.parametrize("type, columns", [(float32, 17), (float32, 26), (float64, 12)])
def test_rows_a_little_longer_than_a_vector_are_read_along(type: ScalarType, columns: int) -> None:
    """Lanes are combined once in a row, with a remainder as without; elements of many rows would be gathered."""
    types = ArrayType(type, 1), ArrayType(type, 2), ArrayType(type, 2)
    (expression,) = trace(capture(sums_of_rows), types).steps
    assert isinstance(expression, Expression)
    chosen = choose(facts(expression, (1764, columns), 1), known("zen4", cores=1)).configuration
    assert chosen.size("REG", "j") == 64 // type.size_bytes


@pytest.mark.parametrize("type", [float32, complex64])
def test_planes_of_complex_numbers_are_read_like_those_of_others(type: ScalarType) -> None:
    """One array that is read once: two parts of it are no two inputs, whose whole configurations are compared."""
    (expression,) = trace(capture(sums_of_planes), (ArrayType(type, 2), ArrayType(type, 3))).steps
    assert isinstance(expression, Expression)
    chosen = choose(facts(expression, (66, 100, 387), 1), known("zen4", cores=1)).configuration
    assert chosen.decomposition_order[0] == Level("MM", "k")


def running_sums(s, x):
    s[...] = np.cumsum(x, axis=1)


@pytest.mark.parametrize(
    "name, extents, lanes",
    [("zen4", (90, 300), 8), ("zen5", (90, 300), 16), ("sapphire-rapids", (90, 300), 16), ("zen3", (90, 300), 8),
     ("zen4", (9870, 30), 8), ("zen5", (9870, 30), 8), ("zen4", (90, 12), 4), ("zen5", (90, 12), 4)],
)  # fmt: skip
def test_prefix_sums_take_fewer_lanes_where_wide_vectors_take_longer_or_rows_are_short(
    name: str, extents: tuple[int, int], lanes: int
) -> None:
    (expression,) = trace(capture(running_sums), (ArrayType(float32, 2), ArrayType(float32, 2))).steps
    assert isinstance(expression, Expression)
    chosen = choose(facts(expression, extents, 1), known(name, cores=1)).configuration
    assert (lane_of(chosen), chosen.size("REG", "j")) == ("j", lanes)


def places_of_columns(s, x):
    s[...] = np.argmax(x, axis=0)


def test_tiles_of_an_arg_extremum_go_down_all_rows_of_a_part() -> None:
    """Their points come in order then, so that only scores are compared."""
    (expression,) = trace(capture(places_of_columns), (ArrayType(int64, 1), ArrayType(float64, 2))).steps
    assert isinstance(expression, Expression)
    chosen = choose(facts(expression, (3000, 300), 2), WIDE).configuration
    layers = [level.layer for level in chosen.decomposition_order if level.dim in expression.collapsed]
    assert layers == ["COR", "L1"]


def places_of_rows(s, x):
    s[...] = np.argmax(x, axis=1)


@pytest.mark.parametrize("columns", [100, 300])
def test_lanes_of_an_arg_extremum_are_along_rows_where_these_are_contiguous(columns: int) -> None:
    """Not along the results, whose lanes would lie apart; a step compares a score, not all of two states."""
    (expression,) = trace(capture(places_of_rows), (ArrayType(int64, 1), ArrayType(float32, 2))).steps
    assert isinstance(expression, Expression)
    for machine in (WIDE, known("zen5", cores=2)):
        assert lane_of(choose(facts(expression, (10_000, columns), 2), machine).configuration) in expression.collapsed


def sampled(A, B, C, D):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            for k in range(C.shape[1]):
                A[i, j] += B[i, j] * C[i, k] * D[k, j]


def weighted(A, w, C, D):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            for k in range(C.shape[1]):
                A[i, j] += w[j] * C[i, k] * D[k, j]


def scaled_products(A, x, C, D):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            for k in range(C.shape[1]):
                A[i, j] += x[0] * C[i, k] * D[k, j]


@pytest.mark.parametrize("on", ["zen4", "sapphire-rapids", "avx2-desktop", "x86-128"])
@pytest.mark.parametrize("function, rank, steps", [(sampled, 2, 1), (weighted, 1, 1), (scaled_products, 1, 2)])
def test_steps_of_the_depth_share_no_more_than_registers_hold(
    function: Callable[..., None], rank: int, steps: int, on: str
) -> None:
    """Factors of results and columns are the same at all steps; they do not stand in the way of blocks and copies."""
    types = (ArrayType(float64, 2), ArrayType(float64, rank), ArrayType(float64, 2), ArrayType(float64, 2))
    (expression,) = trace(capture(function), types).steps
    assert isinstance(expression, Expression)
    chosen = choose(facts(expression, (1500, 1500, 1500), 2), known(on)).configuration
    assert (chosen.size("L1", "k") or 1) == steps
    assert chosen.size("MM", "k") is not None and {n for n, _, _ in chosen.input_region} >= {1, 2}


def sums_of_squares_of_columns(s, x):
    s[...] = np.sum(x * x, axis=0)


@pytest.mark.parametrize("on", ["zen4", "zen5", "sapphire-rapids"])
def test_columns_of_narrow_arrays_have_several_accumulators_each(on: str) -> None:
    """One or two vectors of results would wait for themselves; of a wide array, more of a row is as good."""
    (expression,) = trace(capture(sums_of_squares_of_columns), (ArrayType(float32, 1), ArrayType(float32, 2))).steps
    assert isinstance(expression, Expression)
    machine = known(on, cores=1)
    narrow, wide, short = (
        choose(facts(expression, n, 1), machine).configuration for n in ((16, 1000), (10_000, 1000), (16, 20))
    )
    assert split_accumulator_dims(narrow) == ("j",) and lane_of(narrow) == "i"
    assert split_accumulator_dims(wide) == split_accumulator_dims(short) == ()


def minima_of_products(s, x, y):
    s[...] = np.min(x * y, axis=0)


@pytest.mark.parametrize("on", ["zen4", "zen5", "sapphire-rapids"])
def test_short_rows_of_many_planes_are_waited_for_together(on: str) -> None:
    """A tile of two operations waits for no row alone: lanes go along the rows, and not from plane to plane."""
    types = ArrayType(float32, 3), ArrayType(float32, 4), ArrayType(float32, 4)
    (expression,) = trace(capture(minima_of_products), types).steps
    assert isinstance(expression, Expression)
    assert lane_of(choose(facts(expression, (15, 29, 9, 43), 1), known(on, cores=1)).configuration) == "k"


def nine_points(s, x):
    s[...] = (
        x[2:, 2:]
        + x[2:, 1:-1]
        + x[2:, :-2]
        + x[1:-1, 2:]
        + x[1:-1, 1:-1]
        + x[1:-1, :-2]
        + x[:-2, 2:]
        + x[:-2, 1:-1]
        + x[:-2, :-2]
    )


@pytest.mark.parametrize("type, most", [(float32, 12), (complex64, 3)])
def test_parts_of_complex_numbers_that_wait_in_registers_are_few(type: ScalarType, most: int) -> None:
    """Each of 18 parts of nine points is in a register before it is added; other numbers are operands in memory."""
    (expression,) = trace(capture(nine_points), (ArrayType(type, 2), ArrayType(type, 2))).steps
    assert isinstance(expression, Expression)
    chosen = choose(facts(components(expression), (500, 700), 1), known("zen5", cores=1)).configuration
    points = chosen.size("L1", "j") // chosen.size("REG", "j") * (chosen.size("L1", "i") or 1)
    assert points <= most and (points > 3) == (most > 3)
