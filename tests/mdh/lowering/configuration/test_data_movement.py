"""What the model says of loads and cache traffic, beside figures by hand and beside a simulated cache."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from math import ceil

import pytest

from jitmdh.mdh.lowering.configuration.data_movement import handed_out, jumps, movement
from jitmdh.mdh.lowering.configuration.lower import prepared
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration, Level
from jitmdh.mdh.lowering.model.analytic_model import choose
from jitmdh.mdh.lowering.problem.traffic import Problem, problem
from jitmdh.mdh.machine.known import known
from jitmdh.mdh.machine.model import Machine, MemoryLayer
from tests.mdh.algebra import examples as ex

FLOAT, LINE = 4, 64


def machine(l1: int, l2: int, l3: int) -> Machine:
    layers = [MemoryLayer("MM", 0), *map(MemoryLayer, ("L3", "L2", "L1", "REG"), (l3, l2, l1, 2048))]
    return replace(known("sapphire-rapids", cores=1), memory=tuple(layers))


def facts(name: str, extents: tuple[int, ...], threads: int = 1) -> Problem:
    p = problem(prepared(getattr(ex, name)()), {}, {}, threads)
    return replace(p, extents=dict(zip(p.extents, extents)))


def loops(*names: str, **sizes: int) -> Configuration:
    """Register loops in this order; sizes: of the tile."""
    order = tuple(Level("L1", name) for name in names)
    return Configuration(
        part_size=tuple((Level("L1", name), size) for name, size in sizes.items()), decomposition_order=order
    )


def places(p: Problem, c: Configuration) -> Iterator[tuple[str, int]]:
    """(buffer, line) of all accesses, in the order in which the loops make them, one element after the other."""
    dims = [level.dim for level in c.decomposition_order]
    whole = {b.name: [] for b in p.expression.buffers}
    for access in (*p.expression.inp_view, *p.expression.out_view):
        whole[access.buffer] = [max(s, p.span(access, a, p.extents) + access.index[a].constant)
                                for a, s in enumerate(whole[access.buffer] or [0] * len(access.index))]  # fmt: skip
    for steps in product(*(range(ceil(p.extents[d] / (c.size("L1", d) or 1))) for d in dims)):
        start = {d: s * (c.size("L1", d) or 1) for d, s in zip(dims, steps)}
        inner = [range(start[d], min(p.extents[d], start[d] + (c.size("L1", d) or 1))) for d in dims]
        for point in product(*inner):
            at = dict(zip(dims, point))
            for access in (*p.expression.inp_view, *p.expression.out_view):
                place = 0
                for extent, index in zip(whole[access.buffer], access.index):
                    place = place * extent + index.constant + sum(k * at[n] for n, k in index.terms)
                yield access.buffer, place * FLOAT // LINE


def missed_bytes(p: Problem, c: Configuration, capacity_bytes: int) -> int:
    """Lines that a fully associative cache with the least recently used one replaced does not have, in bytes."""
    kept: OrderedDict[tuple[str, int], None] = OrderedDict()
    misses = 0
    for place in places(p, c):
        if place in kept:
            kept.move_to_end(place)
            continue
        misses += LINE
        kept[place] = None
        if len(kept) > capacity_bytes // LINE:
            kept.popitem(last=False)
    return misses


@pytest.mark.in_turns(2)
@pytest.mark.parametrize(
    ("name", "extents", "c"),
    [
        ("matmul", (32, 64, 48), loops("i", "j", "k", i=4, j=16)),
        ("matmul", (32, 64, 48), loops("j", "i", "k", i=4, j=16)),
        ("matmul", (40, 32, 64), loops("i", "k", "j", i=2, j=16)),
        ("matvec", (64, 128), loops("i", "k", i=4, k=16)),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_beside_a_simulated_cache(name: str, extents: tuple[int, ...], c: Configuration) -> None:
    p = facts(name, extents)
    judged = 0
    for capacity in (1 << 11, 1 << 12, 1 << 13):
        found = movement(p, machine(capacity, 1 << 20, 1 << 24), c).handed_out["L2"]
        simulated = missed_bytes(p, c, capacity)
        outputs = p.bytes_of(p.expression.out_view[0])
        if found:  # the simulated cache is cold, and does not count what is written twice
            assert 0.8 <= found / (simulated + outputs) <= 1.2, (capacity, found, simulated)
            judged += 1
    assert judged == 3


def test_what_fits_is_still_there() -> None:
    p = facts("matmul", (32, 32, 32))
    found = movement(p, machine(1 << 16, 1 << 18, 1 << 20), loops("i", "j", "k", i=4, j=16))
    assert dict(found.handed_out) == {"L2": 0, "L3": 0, "MM": 0}


def test_a_stencil_reads_memory_once() -> None:
    p = facts("jacobi1d", (1 << 20,))
    c = replace(loops("i", i=16), part_size=((Level("L1", "i"), 16), (Level("REG", "i"), 16)))
    found = movement(p, machine(1 << 15, 1 << 18, 1 << 20), c)
    read = written = FLOAT * (1 << 20)
    assert found.handed_out["MM"] == pytest.approx(read + 2 * written, rel=1e-3)
    past = movement(p, machine(1 << 15, 1 << 18, 1 << 20), replace(c, scalar_output_region="MM"))
    assert past.handed_out["MM"] == pytest.approx(read + written, rel=1e-3)
    assert found.loads == 3 * (1 << 20) / 16 and 0 < found.crossing < found.loads


def test_loads_of_a_register_tile() -> None:
    p = facts("matmul", (60, 640, 100))
    c = replace(
        loops("i", "j", "k"), part_size=((Level("L1", "i"), 6), (Level("L1", "j"), 64), (Level("REG", "j"), 16))
    )
    tiles = 60 * 640 * 100 / (6 * 64)
    assert movement(p, machine(1 << 15, 1 << 20, 1 << 24), c).loads == tiles * (6 + 4)


@pytest.mark.parametrize("threads", [1, 2])
def test_threads_share_what_they_do(threads: int) -> None:
    p = facts("matmul", (1024, 1024, 1024), threads)
    chosen = choose(p, machine(1 << 15, 1 << 20, 1 << 24)).configuration
    found = movement(p, machine(1 << 15, 1 << 20, 1 << 24), chosen)
    compulsory = 3 * FLOAT * (1 << 20)
    assert compulsory < found.handed_out["L3"] < 20 * compulsory
    assert found.handed_out["L2"] > found.handed_out["L3"]


def test_nothing_to_do() -> None:
    p = facts("matmul", (0, 5, 5))
    found = movement(p, machine(1 << 15, 1 << 20, 1 << 24), loops("i", "j", "k"))
    assert found.loads == 0


def test_each_part_of_a_core_reads_what_does_not_vary_with_it() -> None:
    p = facts("matmul", (64, 256, 64), threads=2)
    order = (Level("COR", "i"), Level("L1", "j"), Level("L1", "i"), Level("L1", "k"))
    sizes = ((Level("COR", "i"), -4), (Level("L1", "i"), 4), (Level("L1", "j"), 16))
    c = Configuration(part_size=sizes, decomposition_order=order)
    small = machine(1 << 15, 1 << 20, 1 << 24)
    b = FLOAT * 256 * 64
    rows = FLOAT * (64 * 64 + 2 * 64 * 256)  # of A, and of C, which is read before it is written
    read = {parts: handed_out(p, small, c, parts=parts)["L2"] for parts in (False, True)}
    assert read[False] == pytest.approx(2 * b + rows, rel=0.01), "each of two cores once"
    assert read[True] == pytest.approx(8 * b + rows, rel=0.01), "each of their four parts once"


def test_the_last_part_of_a_loop_reads_all_that_does_not_vary_with_it() -> None:
    """Three tiles of columns, of which the last one is a third of a tile, go through all rows of A."""
    p, c = facts("matmul", (64, 112, 128)), loops("j", "i", "k", i=4, j=48)
    small = machine(1 << 14, 1 << 20, 1 << 24)
    exact, shares = (handed_out(p, small, c, parts=parts)["L2"] for parts in (True, False))
    assert exact - shares == pytest.approx((3 - 112 / 48) * FLOAT * 64 * 128, rel=0.01)


def test_copies_take_room_though_they_are_not_counted() -> None:
    """A row of A would stay for all columns of B, but not beside the copy of a column that passes through for each."""
    p = facts("matmul", (8, 8, 128))
    c = replace(loops("i", "j", "k", k=128), input_region=((1, Level("MM", ""), "L2"),))
    row = 128 * FLOAT
    small, large = machine(2 * row, 1 << 20, 1 << 22), machine(32 * row, 1 << 20, 1 << 22)
    assert handed_out(p, small, c, copies=False)["L2"] >= 8 * 8 * row
    assert handed_out(p, large, c, copies=False)["L2"] == 0


def test_rows_that_loops_jump_between() -> None:
    """B[k, j] of 2048 rows of 1000 floats, which a core's caches do not hold."""
    p, on = facts("matmul", (16, 1000, 2048)), machine(32 << 10, 512 << 10, 32 << 20)
    tile = {"i": 4, "j": 20}
    assert jumps(p, on, loops("j", "i", "k", **tile), 1) == (50 * 2048, 2048)  # the panel stays near for all i
    assert jumps(p, on, loops("i", "j", "k", **tile), 1) == (4 * 50 * 2048, 2048)
    assert jumps(p, on, loops("j", "i", "k", i=4, j=40), 1) == (25 * 2048, 2048)
    assert jumps(p, on, loops("i", "k", "j", **tile), 1)[1] == 1  # each row from end to end
    near = replace(p, extents={**p.extents, "k": 64})
    assert jumps(near, on, loops("j", "i", "k", **tile), 1) == (0.0, 0)  # 256 KB are
    short = replace(p, extents={**p.extents, "j": 300, "k": 9000})
    assert jumps(short, on, loops("j", "i", "k", **tile), 1) == (0.0, 0)  # a page has several rows
