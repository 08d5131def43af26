"""Register tiles: the order in which their results are taken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from math import prod
from typing import Any

import pytest

from jitmdh.base.dtype import ScalarType, float32, float64, int64, uint8
from jitmdh.mdh.algebra.combine import PointWise, cc
from jitmdh.mdh.algebra.expr import Dim, Expression, MdHom
from jitmdh.mdh.algebra.index import as_affine
from jitmdh.mdh.algebra.scalar import ScalarFunction, Variable
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.trace import trace
from jitmdh.mdh.frontend.trace_ir.argument_types import ArrayType
from jitmdh.mdh.lowering.configuration.lower import prepared
from jitmdh.mdh.lowering.model.analytic_model import choose
from jitmdh.mdh.lowering.model.register_tiling import (
    RegisterTile,
    RegisterTiles,
    best_tile,
    priced,
    slowest_first,
    tiles,
)
from jitmdh.mdh.lowering.problem.reuse import distinct_of, shifted
from jitmdh.mdh.lowering.problem.traffic import Problem, problem
from jitmdh.mdh.machine.known import known
from jitmdh.mdh.machine.model import Machine
from tests.mdh.algebra import examples as ex


def matmul() -> Problem:
    expression = ex.matmul(float32)
    sizes = {dim.extent.names[0]: extent for dim, extent in zip(expression.md_hom.dims, (64, 64, 24))}
    return problem(expression, sizes, {}, 2)


@pytest.mark.parametrize(
    "counts, order",
    [
        ({"i": 8, "j": 3}, ["i", "j"]),  # three vectors stay in registers, and one element at a time
        ({"i": 3, "j": 8}, ["j", "i"]),  # three elements stay
        ({"i": 4, "j": 4}, ["i", "j"]),
        ({"i": 8, "k": 4}, ["i"]),
        ({}, []),
    ],
)
def test_few_values_are_kept(counts: dict[str, int], order: list[str]) -> None:
    assert slowest_first(matmul(), counts) == order


def contraction() -> Problem:
    """out[i, j, k, l, m] += left[j, n, k, l] * right[n, m, j, i], k and l short and of the left one."""
    i, j, k, l, m, n = (ex.name(d) for d in "ijklmn")
    left, right = Variable("left", float32), Variable("right", float32)
    dims = tuple(Dim(d, ex.name(d.upper())) for d in "ijklmn")
    expression = Expression(
        "contraction",
        tuple(ex.buffer(*b) for b in (("out", float32, 5), ("left", float32, 4), ("right", float32, 4))),
        (ex.access("left", j, n, k, l), ex.access("right", n, m, j, i)),
        MdHom(
            dims,
            ScalarFunction((left, right), (), (ex.op("mul", left, right),)),
            (*[cc] * 5, PointWise(ex.add(float32))),
        ),
        None,
        (ex.access("out", i, j, k, l, m),),
    )
    return problem(expression, dict(zip("IJKLMN", (7, 69, 12, 11, 27, 28))), {}, 2)


def short_rows(used: int) -> Problem:
    """out[i, j, k, l] += x[k, i, m, j, n] * y[m, n, l], n short; each element of x is used so many times."""
    i, j, k, l, m, n = (ex.name(d) for d in "ijklmn")
    x, y = Variable("x", float32), Variable("y", float32)
    expression = Expression(
        "short_rows",
        tuple(ex.buffer(*b) for b in (("out", float32, 4), ("x", float32, 5), ("y", float32, 3))),
        (ex.access("x", k, i, m, j, n), ex.access("y", m, n, l)),
        MdHom(
            tuple(Dim(d, ex.name(d.upper())) for d in "ijklmn"),
            ScalarFunction((x, y), (), (ex.op("mul", x, y),)),
            (*[cc] * 4, *[PointWise(ex.add(float32))] * 2),
        ),
        None,
        (ex.access("out", i, j, k, l),),
    )
    return problem(expression, dict(zip("IJKLMN", (19, 7, 17, used, 26, 14))), {}, 2)


def test_what_a_tile_loads_once_is_not_copied() -> None:
    """Rows of 14 are copied element by element, which takes longer than to load them so."""
    machine = known("zen4", cores=2)
    p = short_rows(6)
    assert all(copied != 0 for copied, _, _ in choose(p, machine).configuration.input_region)
    found = tiles(p, machine)
    both = [t for t in found if t.lane == "i" and t.counts == {"k": 4, "l": 6}]
    assert sorted(len(t.packed) for t in both) == [0, 1] and min(both, key=lambda t: t.cost).packed == set()
    assert [t.cost for t in RegisterTiles(p, machine).cheapest(3)] == sorted(t.cost for t in found)[:3]
    often = short_rows(200)
    assert len([t for t in tiles(often, machine) if t.lane == "i" and t.counts == {"k": 4, "l": 6}]) == 1


def test_tiles_of_any_two_dimensions() -> None:
    """The last two that are not lanes would be k and l."""
    machine = known("zen4", cores=2)
    steps = [set(tile.counts) for tile in tiles(contraction(), machine) if tile.lane == "m"]
    assert any({"i", "k"} <= dims for dims in steps) and any({"i", "l"} <= dims for dims in steps)
    assert "i" in best_tile(contraction(), machine).counts


def test_of_tiles_that_take_as_long_the_smallest_is_compiled() -> None:
    """What a matrix takes to come from memory is the same for all: a tile of half the steps is compiled sooner."""
    expression, machine = ex.matvec(float32), known("zen4", cores=2)
    sizes = {dim.extent.names[0]: 8192 for dim in expression.md_hom.dims}
    p = problem(expression, sizes, {"M": 1, "v": 0, "w": 0}, 2)
    cheapest, found = RegisterTiles(p, machine).cheapest(1)[0], best_tile(p, machine)
    assert prod(found.counts.values()) < prod(cheapest.counts.values())
    assert cheapest.cost < found.cost < 1.001 * cheapest.cost


def of_rows(function: Callable[..., None], arrays: int, extents: tuple[int, int]) -> Problem:
    """Of a map over rows and columns of matrices of doubles that lie row by row."""
    matrix = ArrayType(float64, 2)
    (expression,) = trace(capture(function), (matrix,) * arrays).steps
    assert isinstance(expression, Expression)
    found = problem(prepared(expression), {}, {b.name: 1 for b in expression.buffers}, 2)
    return replace(found, extents=dict(zip(found.extents, extents)))


def combined(out, x, y, z):  # type: ignore[no-untyped-def]
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = x[i, j] * y[i, j] - z[i, j]


def smoothed(out, x):  # type: ignore[no-untyped-def]
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = x[i, j] + x[i + 1, j] + x[i + 2, j]


def test_rows_that_share_nothing_are_not_taken_together() -> None:
    """Of different arrays at the same place, nothing is read for a second row."""
    for extents in ((20, 30), (300, 300), (4096, 4096)):
        found = tiles(of_rows(combined, 4, extents), known("sapphire-rapids", cores=2))
        assert {tile.counts.get("i", 1) for tile in found if tile.lane == "j"} == {1}


@pytest.mark.parametrize(("extents", "rows"), [((20, 48), 4), ((300, 300), 1), ((1000, 1000), 1), ((6000, 6000), 4)])
def test_rows_are_taken_together_where_no_store_waits_for_two_lines(extents: tuple[int, int], rows: int) -> None:
    """In the nearest cache, or past all of them by non-temporal stores."""
    tile = best_tile(of_rows(smoothed, 2, extents), known("sapphire-rapids", cores=2))
    assert (tile.lane, tile.counts.get("i", 1)) == ("j", rows)


def nine(out, x):  # type: ignore[no-untyped-def]
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            above = x[i, j] + x[i, j + 1] + x[i, j + 2]
            here = x[i + 1, j] + x[i + 1, j + 1] + x[i + 1, j + 2]
            out[i, j] = above + here + x[i + 2, j] + x[i + 2, j + 1] + x[i + 2, j + 2]


def apart(out, x, y, z):  # type: ignore[no-untyped-def]
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = x[i, j] + y[i + 1, j] + z[i + 2, j] + x[i, j + 1] + x[i + 1, j]


def test_what_shifted_accesses_have_in_common_is_loaded_once() -> None:
    """As enumerated, for lanes and steps: the elements where vectors begin."""
    for function, arrays in ((nine, 2), (smoothed, 2), (apart, 4)):
        p = of_rows(function, arrays, (50, 64))
        together, others = shifted(p, dict.fromkeys(range(len(p.expression.inp_view))))
        for first, group in together.items():
            assert first not in others and len({access.buffer for access in group}) == 1
            for rows, vectors, lanes in product((1, 2, 4), (1, 3), (1, 2, 4)):
                begins = {(a.index[0].constant + i, a.index[1].constant + lanes * j)
                          for a in group for i in range(rows) for j in range(vectors)}  # fmt: skip
                assert distinct_of(p, group, {"i": rows, "j": vectors}, "j", lanes) == len(begins)
        alone = len(p.expression.inp_view) - len(others) - len(together)
        assert (len(together), alone) == ((1, 2) if function is apart else (1, 0))


@pytest.mark.parametrize("host", ["sapphire-rapids", "avx2-desktop"])
@pytest.mark.parametrize("extents", [(130, 160), (300, 300)])
def test_rows_that_share_two_thirds_of_what_they_read_are_taken_together(host: str, extents: tuple[int, int]) -> None:
    """Though results are stored across two cache lines: with nine neighbours each, computing hides that."""
    assert best_tile(of_rows(nine, 2, extents), known(host, cores=2)).counts.get("i", 1) > 1


def blocks(v, S, r):  # type: ignore[no-untyped-def]
    for e in range(v.shape[0]):
        for i in range(v.shape[1]):
            for j in range(v.shape[2]):
                for l in range(r.shape[1]):
                    v[e, i, j] += S[i, l] * r[e, l, j]


@pytest.mark.parametrize("host", ["sapphire-rapids", "avx2-desktop"])
def test_blocks_from_far_are_taken_one_by_one(host: str) -> None:
    """Where nothing but single numbers serves several of them; near ones are taken together, and short ones."""
    types = ArrayType(float64, 3), ArrayType(float64, 2), ArrayType(float64, 3)
    (expression,) = trace(capture(blocks), types).steps
    assert isinstance(expression, Expression)
    found = problem(prepared(expression), {}, {b.name: b.rank - 1 for b in expression.buffers}, 2)
    for points, rows, together in ((60_000, 13, False), (20, 13, True), (400_000, 3, True)):
        p = replace(found, extents=dict(zip(found.extents, (points, rows, rows, rows))))
        steps = {tile.counts.get("e", 1) for tile in tiles(p, known(host, cores=2)) if tile.lane == "j"}
        assert (max(steps) > 1) is together


@pytest.mark.parametrize("host", ["sapphire-rapids", "zen3", "zen4", "zen5"])
def test_what_results_take_in_is_not_for_nothing(host: str) -> None:
    """Lanes along rows of seven numbers wait for no lines: a gather of what they held for each vector would."""

    def contracted(v, A, r):  # type: ignore[no-untyped-def]
        for e in range(v.shape[0]):
            for i in range(v.shape[1]):
                for j in range(v.shape[2]):
                    for k in range(A.shape[1]):
                        v[e, i, j] += A[j, k] * r[e, i, k]

    types = ArrayType(float64, 3), ArrayType(float64, 2), ArrayType(float64, 3)
    (expression,) = trace(capture(contracted), types).steps
    assert isinstance(expression, Expression) and expression.finish is not None
    found = problem(prepared(expression), {}, {b.name: b.rank - 1 for b in expression.buffers}, 2)
    p = replace(found, extents=dict(zip(found.extents, (350_000, 7, 7, 7))))
    without = replace(p, expression=replace(expression, finish=None))
    machine, counts = known(host, cores=2), {"j": 7, "k": 7}
    taken, not_taken = (priced(q, machine, "i", 4, counts).cost for q in (p, without))
    assert taken > 1.1 * not_taken
    assert choose(p, machine).configuration.size("REG", "j")


@pytest.mark.parametrize("host", ["sapphire-rapids", "zen3", "zen4", "zen5", "avx2-desktop"])
def test_rows_of_a_window_are_taken_together_from_memory_too(host: str) -> None:
    """Neighbours read four of five rows together: no blocks of their own, though the image is larger than L3."""

    def window(y, x, w):  # type: ignore[no-untyped-def]
        for i in range(y.shape[0]):
            for j in range(y.shape[1]):
                for a in range(5):
                    for b in range(5):
                        y[i, j] += x[i + a, j + b] * w[a, b]

    (expression,) = trace(capture(window), tuple(ArrayType(float32, 2) for _ in range(3))).steps
    assert isinstance(expression, Expression)
    sizes = {"y.shape[0]": 4096, "y.shape[1]": 4096, "x.shape[0]": 4100, "x.shape[1]": 4100}
    tile = best_tile(problem(expression, sizes, {"y": 1, "x": 1, "w": 1}, 2), known(host, cores=2))
    assert tile.lane == "j" and tile.counts["i"] > 1


@pytest.mark.parametrize("host", ["sapphire-rapids", "zen4", "avx2-desktop"])
def test_rows_of_a_window_are_no_more_than_a_set_of_the_nearest_cache_holds(host: str) -> None:
    """Rows of 4 KiB share a set, and throw each other out of it; others do not."""

    def window(y, x):  # type: ignore[no-untyped-def]
        for i in range(y.shape[0]):
            for j in range(y.shape[1]):
                for a in range(3):
                    for b in range(3):
                        y[i, j] += x[i + a, j + b]

    (expression,) = trace(capture(window), (ArrayType(float32, 2), ArrayType(float32, 2))).steps
    assert isinstance(expression, Expression)
    machine, rows = known(host, cores=2), {}
    for columns in (1024, 1000):
        sizes = {"y.shape[0]": 1022, "y.shape[1]": columns - 2, "x.shape[0]": 1024, "x.shape[1]": columns}
        rows[columns] = best_tile(problem(expression, sizes, {"y": 1, "x": 1}, 2), machine).counts["i"]
    assert 1 < rows[1024] <= machine.capacity_bytes("L1") // 4096 - 2 and rows[1000] > rows[1024]


def test_long_windows_are_loops() -> None:
    """Rows are counted of what a tile unrolls alone: counting a hundred million of them would take minutes."""

    def window(y, x, w):  # type: ignore[no-untyped-def]
        for i in range(y.shape[0]):
            for j in range(y.shape[1]):
                for a in range(w.shape[0]):
                    y[i, j] += x[i + a, j] * w[a]

    types = ArrayType(float32, 2), ArrayType(float32, 2), ArrayType(float32, 1)
    (expression,) = trace(capture(window), types).steps
    assert isinstance(expression, Expression)
    sizes = {"y.shape[0]": 1000, "y.shape[1]": 1024, "x.shape[1]": 1024, "w.shape[0]": 10**8, "x.shape[0]": 10**8 + 999}
    assert best_tile(problem(expression, sizes, {"y": 1, "x": 1, "w": 0}, 2), known("zen4", cores=2)).counts["i"] > 1


def test_steps_that_read_the_same_elements_keep_few_of_them() -> None:
    """Of eight sums of doubles over a window, vectors four steps apart overlap: each has four that the next one needs,
    and no register is spilled. Without steps in the tile each vector is loaded again: 1.4 times as long (Zen 3)."""

    def convolved(y, x, w):  # type: ignore[no-untyped-def]
        for i in range(y.shape[0]):
            total = 0.0
            for k in range(w.shape[0]):
                total += x[i + k] * w[k]
            y[i] = total

    (expression,) = trace(capture(convolved), tuple(ArrayType(float64, 1) for _ in range(3))).steps
    assert isinstance(expression, Expression)
    i, k = (d.name for d in expression.md_hom.dims)
    sizes = {"y.shape[0]": 100_000, "x.shape[0]": 100_500, "w.shape[0]": 501}
    p = problem(expression, sizes, {"y": 0, "x": 0, "w": 0}, 2)
    tile = best_tile(p, known("zen3", cores=2))
    assert tile.lane == k and tile.counts == {k: 4, i: 8}


def along(points: int, terms: int) -> Problem:
    """A sum of so many terms at each of a few points: x[p]·x[p] + x[p]·x[p] + …"""
    x = Variable("x", float64)
    value = ex.op("mul", x, x)
    for _ in range(terms):
        value = ex.op("add", value, ex.op("mul", x, x))
    p = ex.name("p")
    expression = Expression(
        "along",
        (ex.buffer("y", float64, 1), ex.buffer("x", float64, 1)),
        (ex.access("x", p),),
        MdHom((Dim("p", as_affine(points)),), ScalarFunction((x,), (), (value,)), (cc,)),
        None,
        (ex.access("y", p),),
    )
    return problem(expression, {}, {}, 1)


@pytest.mark.parametrize(
    ("name", "points", "terms", "lanes"),
    [
        ("zen4", 9, 300, 4),  # three vectors of four take as long as one and a half of eight
        ("zen4", 9, 10, 8),  # one of eight, and the last point by itself: its code is short
        ("zen4", 8, 300, 8),
        ("zen4", 15, 300, 8),
        ("sapphire-rapids", 9, 300, 8),  # as many of eight as of four begin in a cycle
    ],
)
def test_long_code_takes_halves_of_vectors_where_more_of_these_begin(
    name: str, points: int, terms: int, lanes: int
) -> None:
    tile = best_tile(along(points, terms), known(name, cores=2))
    assert (tile.lane, tile.lanes) == ("p", lanes)
    assert terms < 100 or points % lanes == 0 or tile.size("p") == lanes


def splines(out, p, u):  # type: ignore[no-untyped-def]
    for i in range(out.shape[0]):
        a, b, c, d = p[i], p[i + 1], p[i + 2], p[i + 3]
        for k in range(u.shape[0]):
            x = u[k]
            out[i, k] = 0.5 * (2 * b + (c - a) * x + (2 * a - 5 * b + 4 * c - d) * x * x + (3 * b - a) * x * x * x)


def test_what_is_the_same_in_all_lanes_is_computed_as_a_number() -> None:
    """Which takes half of the time of a vector on Zen 4: results are not transposed for vectors of it."""
    types = ArrayType(float64, 2), ArrayType(float64, 1), ArrayType(float64, 1)
    (expression,) = trace(capture(splines), types).steps
    assert isinstance(expression, Expression)
    sizes = {"out.shape[0]": 5000, "out.shape[1]": 16, "p.shape[0]": 5003, "u.shape[0]": 16}
    tile = best_tile(problem(expression, sizes, {"out": 1, "p": 0, "u": 0}, 2), known("zen4", cores=2))
    assert tile.lane == "k" and tile.size("k") == 16


def looked_up(out, table, x):  # type: ignore[no-untyped-def]
    for i in range(out.shape[0]):
        out[i] = table[x[i]]


def scaled(out, table, x):  # type: ignore[no-untyped-def]
    for i in range(out.shape[0]):
        out[i] = table[x[i]] * 0.5


def rolled(out, table, x):  # type: ignore[no-untyped-def]
    for i in range(out.shape[0]):
        out[i] = table[(i + 3) % table.shape[0]]


def tile_of(
    function: Callable[..., None], types: tuple[ScalarType, ...], host: str, length: int = 30_000
) -> RegisterTile:
    (expression,) = trace(capture(function), tuple(ArrayType(type, 1) for type in types)).steps
    assert isinstance(expression, Expression)
    sizes = {"out.shape[0]": length, "table.shape[0]": 256, "x.shape[0]": length}
    return best_tile(problem(expression, sizes, {"out": 0, "table": 0, "x": 0}, 2), known(host, cores=2))


@pytest.mark.parametrize(
    "host, type, vectors",
    [("zen4", uint8, False), ("zen4", float64, False), ("zen5", uint8, False), ("zen5", float64, True)],
)
def test_elements_that_data_choose_are_moved_one_by_one(host: str, type: ScalarType, vectors: bool) -> None:
    """Four at a time, where gathers are slow, or no instruction gathers such elements."""
    tile = tile_of(looked_up, (type, type, uint8), host)
    assert (tile.lane is not None) is vectors
    assert vectors or tile.counts == {"i": 4}
    assert tile_of(scaled, (float64, float64, uint8), host).lane == "i"
    assert tile_of(rolled, (type, type, uint8), host).lane == "i"


def test_elements_that_come_from_memory_are_gathered() -> None:
    """As are those of columns that lie together, which are read as vectors."""
    assert tile_of(looked_up, (float64, float64, int64), "zen4", 2_000_000).lane == "i"
    assert tile_of(looked_up, (float64, float64, int64), "zen4", 100_000).lane is None
    (expression,) = trace(capture(columns), (ArrayType(float64, 2), ArrayType(float64, 2), ArrayType(int64, 1))).steps
    assert isinstance(expression, Expression)
    sizes = {"out.shape[0]": 523, "out.shape[1]": 54, "x.shape[0]": 523, "x.shape[1]": 109, "y.shape[0]": 54}
    tile = best_tile(problem(expression, sizes, {"out": 1, "x": 0, "y": 0}, 2), known("zen4", cores=2))
    assert tile.lane is not None


def columns(out, x, y):  # type: ignore[no-untyped-def]
    for i in range(out.shape[0]):
        for k in range(out.shape[1]):
            out[i, k] = x[i, y[k]]


def summed(x: Any) -> Any:
    return x.sum(axis=1)


def first_least(x: Any) -> Any:
    return x.argmin(axis=1)


def along_rows(function: Callable[..., Any], columns: int, machine: Machine, step: int = 0) -> RegisterTile:
    """The tile of a reduction along the rows of a matrix of floats; step: how far they are apart, if it is known."""
    (expression,) = trace(capture(function), (ArrayType(float32, 2),)).steps
    assert isinstance(expression, Expression)
    sizes = {"x.shape[0]": 200_000 // columns, "x.shape[1]": columns}
    p = problem(prepared(expression), sizes, {b.name: b.rank - 1 for b in expression.buffers}, 1)
    return best_tile(replace(p, steps={"x": {0: step}} if step else {}), machine)


@pytest.mark.parametrize("host", ["zen4", "zen5", "sapphire-rapids"])
@pytest.mark.parametrize("columns", [9, 13, 20, 31])
def test_lanes_of_several_short_rows_are_combined_together(columns: int, host: str) -> None:
    tile = along_rows(summed, columns, known(host, cores=1))
    assert tile.lane == "j" and tile.counts["i"] >= 8


@pytest.mark.parametrize("host", ["zen4", "zen5", "sapphire-rapids", "avx2-desktop"])
@pytest.mark.parametrize("columns", [9, 13, 20])
def test_short_rows_that_are_searched_are_transposed(columns: int, host: str) -> None:
    """To combine the lanes of an arg-extremum takes longer than to sort several rows in registers."""
    tile = along_rows(first_least, columns, known(host, cores=1))
    assert tile.lane == "i" and tile.counts["j"] >= 4


def test_rows_a_few_elements_apart_are_loaded_as_whole_vectors() -> None:
    """Lanes are those of rows where it is known how far these are apart: else each element is gathered."""
    machine = known("zen5", cores=1)
    assert along_rows(summed, 3, machine, step=3).lane == "i" != along_rows(summed, 3, machine).lane
