"""Whole configurations: what copies, far caches and rows of results add to a register tile decides, too."""

from __future__ import annotations

from dataclasses import replace
from math import prod

import numpy as np
import pytest

from jitmdh.base.dtype import ScalarType, float32, float64
from jitmdh.mdh.algebra.expr import Expression
from jitmdh.mdh.algebra.rewrites.specialise import specialise_expression
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.trace import trace
from jitmdh.mdh.frontend.trace_ir.argument_types import ArrayType
from jitmdh.mdh.lowering.configuration.constraints import violation
from jitmdh.mdh.lowering.configuration.data_movement import copied, handed_out, written_run
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration, Level
from jitmdh.mdh.lowering.model.analytic_model import choose, configured
from jitmdh.mdh.lowering.model.register_tiling import RegisterTile, RegisterTiles, best_tile, tiles
from jitmdh.mdh.lowering.model.whole_cost import comparable, rows_in_a_set, whole_cost
from jitmdh.mdh.lowering.problem.traffic import Problem, problem
from jitmdh.mdh.machine.known import known
from tests.mdh.algebra import examples as ex
from tests.mdh.lowering.model.test_register_tiling import contraction

MACHINE = known("zen4", cores=1)
TILE = ((Level("L1", "i"), 4), (Level("L1", "j"), 16), (Level("REG", "j"), 16))


def matmul(m: int, n: int, k: int) -> Problem:
    expression = ex.matmul(float32)
    sizes = {dim.extent.names[0]: extent for dim, extent in zip(expression.md_hom.dims, (m, n, k))}
    return problem(expression, sizes, {}, 1)


def loops(*dims: str, copies: tuple[tuple[int, Level, str], ...] = ()) -> Configuration:
    order = tuple(Level("L1", d) for d in dims)
    return Configuration(TILE, decomposition_order=order, scalar_order=order, recomposition_order=order,
                         input_region=copies)  # fmt: skip


def test_copies_inside_loops_that_they_do_not_vary_with_come_again() -> None:
    p = matmul(64, 160, 50)
    once = loops("i", "j", "k", copies=((1, Level("MM", ""), "L2"),))
    again = loops("i", "j", "k", copies=((1, Level("L1", "i"), "L2"),))
    assert copied(p, once) == {1: 160 * 50}
    assert copied(p, again) == {1: 64 / 4 * 160 * 50}
    assert copied(p, loops("i", "j", "k")) == {}


@pytest.mark.parametrize(
    ("order", "floats"), [(("i", "j", "k"), 64 * 160), (("j", "i", "k"), 16), (("k", "i", "j"), 64 * 160)]
)
def test_results_follow_each_other_as_far_as_the_loops_do(order: tuple[str, ...], floats: int) -> None:
    assert written_run(matmul(64, 160, 50), loops(*order)) == 4 * floats


def test_without_what_is_read_of_copies() -> None:
    p = matmul(512, 512, 512)
    copies = ((0, Level("MM", ""), "L2"), (1, Level("MM", ""), "L2"))
    c = loops("i", "j", "k", copies=copies)
    assert handed_out(p, MACHINE, c, copies=False)["L2"] < handed_out(p, MACHINE, c)["L2"]
    assert handed_out(p, MACHINE, loops("i", "j", "k"), copies=False) == handed_out(p, MACHINE, loops("i", "j", "k"))


def test_what_a_tile_counts_on_is_dear_without_its_copy() -> None:
    p = matmul(512, 512, 64)
    tile = replace(best_tile(p, MACHINE), packed=frozenset({1}))
    copies = ((1, Level("MM", ""), "L2"),)
    with_copy, without = (whole_cost(p, MACHINE, tile, loops("i", "j", "k", copies=c)) for c in (copies, ()))
    assert without > 2 * with_copy


def test_cores_share_what_has_many_tiles_where_parts_of_the_other_read_all_again() -> None:
    """Each of 16 parts of a would be one tile, or two, and would read all of `right`: 1.2 times as long."""
    p = replace(
        of_einsum("bda,dbc->abc", (119, 105, 62, 64), threads=2),
        unit_axes=dict.fromkeys(("left", "right", "result"), 2),
    )
    machine = known("zen4", cores=2)
    chosen = choose(p, machine)
    assert chosen.configuration.decomposition_order[0] == Level("COR", p.remaining[1])
    assert any("read less again" in reason for reason in chosen.reasons)
    alone = replace(p, threads=1)
    assert choose(alone, known("zen4", cores=1)).configuration.decomposition_order[0].layer != "COR"


def test_cores_do_not_share_what_is_short_in_results() -> None:
    """Threads would write into the same lines, and of what prefetchers bring half is the other's: three times as long
    for 24 rows of 12 numbers each."""
    p = replace(
        of_einsum("gacbd,geaf->fabecd", (24, 8, 16, 12, 4, 14, 21), threads=2),
        unit_axes={"left": 4, "right": 3, "result": 5},
    )
    shared = choose(p, known("zen4", cores=2)).configuration.decomposition_order[0]
    assert shared.layer == "COR" and shared.dim not in p.remaining[-3:]


def test_far_better_lanes_than_those_of_the_cheapest_tiles() -> None:
    """Lanes along which results lie apart need no copies, but stores of single numbers: up to 1.7 times as long."""
    p = replace(
        of_einsum("dbea,ec->abcd", (72, 44, 36, 40, 60), threads=2),
        unit_axes={"left": 3, "right": 1, "result": 3},
    )
    machine = known("zen4", cores=2)
    assert p.remaining[-1] not in {tile.lane for tile in RegisterTiles(p, machine).cheapest(12)}
    lanes = {level.dim for level, n in choose(p, machine).configuration.part_size if level.layer == "REG" and n > 1}
    assert lanes == {p.remaining[-1]}


def test_rows_are_not_copied_where_that_takes_longer_than_it_saves() -> None:
    """Views M[::2, ::3]: of the rows single numbers are loaded, once for each 80 columns: copied, it took 1.1 times."""
    p = replace(matmul(400, 400, 400), threads=2, unit_axes={"C": 1})
    choice = choose(p, known("zen4", cores=2))
    assert [number for number, _, _ in choice.configuration.input_region] == [1]
    assert any("not packed: A" in reason for reason in choice.reasons)
    whole = replace(p, unit_axes={"C": 1, "A": 1, "B": 1}, extents=dict(zip(p.extents, (2048, 2048, 2048))))
    assert {number for number, _, _ in choose(whole, known("zen4", cores=2)).configuration.input_region} == {0, 1}


def test_a_copy_made_again_costs() -> None:
    p = matmul(512, 512, 64)
    tile = best_tile(p, MACHINE)
    once, again = (
        whole_cost(p, MACHINE, tile, loops("i", "j", "k", copies=((1, level, "L2"),)))
        for level in (Level("MM", ""), Level("L1", "i"))
    )
    assert once < again


def test_the_cheapest_tiles_are_those_of_all() -> None:
    p = contraction()
    costs = sorted(tile.cost for tile in tiles(p, MACHINE))
    found = [tile.cost for tile in RegisterTiles(p, MACHINE).cheapest(5)]
    assert found == sorted(found) and found[0] == costs[0]
    assert len({(t.lane, str(t.counts)) for t in RegisterTiles(p, MACHINE).cheapest(5)}) == 5


def test_the_cheapest_tile_of_those_that_are_wanted() -> None:
    p = contraction()
    every, lazily = tiles(p, MACHINE), RegisterTiles(p, MACHINE)
    for asked in every:

        def wanted(tile: RegisterTile, asked: RegisterTile = asked) -> bool:
            return tile.lane == asked.lane and tile.counts.items() <= asked.counts.items()

        (found,) = lazily.cheapest(1, wanted)
        assert found.cost == min(tile.cost for tile in every if wanted(tile))
    assert lazily.cheapest(1, lambda _: False) == []


def of_einsum(
    subscripts: str, extents: tuple[int, ...], constant: bool = False, threads: int = 1, type: ScalarType = float32
) -> Problem:
    """One contraction of dense arrays; the extents are those of a, b, c and so on, constants of the program or not."""
    sizes = dict(zip("abcdefg", extents))
    inputs, out = subscripts.split("->")
    shapes = [tuple(sizes[i] for i in part) for part in (*inputs.split(","), out)]

    def contract(left, right, result):
        result[...] = np.einsum(subscripts, left, right)

    types = tuple(ArrayType(type, len(shape)) for shape in shapes)
    (expression,) = trace(capture(contract), types).steps
    assert isinstance(expression, Expression)
    by_array = dict(zip(("left", "right", "result"), shapes))
    named = {n: by_array[b.name][axis] for b in expression.buffers for axis, s in enumerate(b.shape) for n in s.names}
    return problem(specialise_expression(expression, named) if constant else expression, named, {}, threads)


@pytest.mark.parametrize(
    ("subscripts", "extents"),
    [
        ("gfbca,egfd->eadbc", (46, 5, 9, 9, 11, 6, 13)),  # rows of results far from each other
        ("acbdg,agef->fdebac", (24, 14, 10, 8, 13, 17, 8)),  # blocks whose copies are made again and again
    ],
)
def test_another_than_the_cheapest_tile_or_without_blocks(subscripts: str, extents: tuple[int, ...]) -> None:
    p = of_einsum(subscripts, extents)
    assert comparable(p)
    cheapest = best_tile(p, MACHINE)
    alone, chosen = configured(p, MACHINE, cheapest).configuration, choose(p, MACHINE).configuration
    assert chosen != alone


@pytest.mark.parametrize(
    ("columns", "rows", "together", "lanes_together"),
    [
        (1024, 14, 14, 16),  # 4 KiB apart
        (1040, 14, 1, 1),  # a line further each
        (512, 14, 7, 8),  # every second one
        (4096, 3, 3, 16),
    ],
)
def test_rows_of_results_share_a_set_of_the_cache(columns: int, rows: int, together: int, lanes_together: int) -> None:
    p = matmul(4096, columns, 64)
    assert rows_in_a_set(p, RegisterTile("j", 16, {"i": rows}, frozenset(), 1.0)) == together
    assert rows_in_a_set(p, RegisterTile("i", 16, {"j": rows}, frozenset(), 1.0)) == lanes_together


@pytest.mark.parametrize("machine", ["zen3", "zen4", "sapphire-rapids", "avx2-desktop"])
@pytest.mark.parametrize("subscripts", ["gdab,efgc->abcdef", "gdac,efgb->abcdef", "gebc,dfga->abcdef"])
def test_results_are_written_along_rows_where_lanes_apart_share_a_set(subscripts: str, machine: str) -> None:
    """Of CCSD(T) in doubles: pieces of 16 bytes of 48 rows that share a set took 2 to 4 times as long (Zen 3)."""
    p = replace(
        of_einsum(subscripts, (24, 16, 16, 24, 16, 16, 24), threads=2, type=float64),
        unit_axes={"left": 3, "right": 3, "result": 5},
    )
    sizes = choose(p, known(machine, cores=2)).configuration.part_size
    assert {level.dim for level, n in sizes if level.layer == "REG" and n > 1} == {p.remaining[-1]}


def test_rows_that_share_a_set_are_not_written_side_by_side() -> None:
    """Rows along c lie 12 KiB apart, those along a further: 24 of both took 2.7 times as long as 24 along c and d."""
    p = of_einsum("dega,gfbc->abcdef", (8, 12, 12, 16, 12, 16, 16))
    counts = {level.dim: n for level, n in choose(p, MACHINE).configuration.part_size if level.layer == "L1"}
    rows = {d: n for d, n in counts.items() if d in p.outer[:-1]}
    found = rows_in_a_set(p, RegisterTile(p.outer[-1], 16, rows, frozenset(), 1.0))
    assert prod(rows.values()) > 1 and found <= MACHINE.capacity_bytes("L1") // 4096


@pytest.mark.parametrize(
    ("subscripts", "extents"), [("ec,abed->abcd", (48, 28, 36, 44, 24)), ("ceba,dae->cbad", (50, 76, 43, 15, 21))]
)
def test_a_long_range_is_not_one_tile_with_few_results(subscripts: str, extents: tuple[int, ...]) -> None:
    """All of it for six results takes 1.5 and 1.7 times as long as a step or two of it for 24."""
    p = of_einsum(subscripts, extents, constant=True)
    counts = {level.dim: n for level, n in choose(p, MACHINE).configuration.part_size if level.layer == "L1"}
    assert p.constant_extent(p.inner[0]) == extents[-1] > counts.get(p.inner[0], 1)


@pytest.mark.parametrize("n", (128, 200))
def test_products_that_stay_in_l2_are_not_copied(n: int) -> None:
    """Computing hides where their inputs come from; copies would only be more work."""
    expression = ex.matmul(float32)
    sizes = {dim.extent.names[0]: n for dim in expression.md_hom.dims}
    p = problem(expression, sizes, {"A": 1, "B": 1, "C": 1}, 2)
    assert choose(p, known("zen4", cores=2)).configuration.input_region == ()


@pytest.mark.parametrize(("extents", "copied"), [((1024, 100, 48, 48), False), ((2000, 64, 64, 32), False),
                                                 ((64, 256, 256, 256), True)])  # fmt: skip
def test_of_many_products_those_in_l1_are_not_copied(extents: tuple[int, ...], copied: bool) -> None:
    """What varies along the lanes is read from L1, copied or not: 72x26x26, f64, took 1.2 times as long with copies."""
    p = replace(of_einsum("abd,adc->abc", extents), unit_axes=dict.fromkeys(("left", "right", "result"), 2))
    assert bool(choose(p, MACHINE).configuration.input_region) == copied


def test_steps_go_along_rows_of_what_varies_with_the_lanes() -> None:
    """Copies are stored as their arrays lie: across their rows each step was in a page of its own (2.9 times as long,
    Zen 4)."""
    p = of_einsum("adeb,aced->bca", (102, 17, 47, 21, 30))
    tile = next(t for t in RegisterTiles(p, MACHINE).cheapest(12) if t.lane == "j")
    order = configured(p, MACHINE, tile).configuration.decomposition_order
    assert [level.dim for level in order if level.layer == "L1" and level.dim in p.collapsed] == ["m", "l"]


def test_no_copy_is_made_again_for_loops_that_it_does_not_vary_with() -> None:
    """One for each of 23 points along d, of elements in lines of their own, took half of the time."""
    p = of_einsum("ebfa,cdafe->cdba", (19, 14, 13, 23, 28, 23))
    tile = next(t for t in RegisterTiles(p, MACHINE).cheapest(12) if t.lane == "k" and 0 in t.packed)
    c = configured(p, MACHINE, tile, blocked=True).configuration
    assert copied(p, c)[0] == p.footprint(p.expression.inp_view[0], p.extents)


@pytest.mark.parametrize(("batches", "whole"), [(5, True), (55, False)])
def test_large_copies_are_made_where_they_are_used(batches: int, whole: bool) -> None:
    """And each element once: 8.6 MB, copied as a whole, went to main memory and back, 1.4 times as long (Zen 4)."""
    p = of_einsum("aeb,acde->bcad", (batches, 23, 31, 35, 36))
    tile = next(t for t in RegisterTiles(p, MACHINE).cheapest(12) if t.lane == "l" and 1 in t.packed)
    c = configured(p, MACHINE, tile, blocked=False).configuration
    assert violation(p, MACHINE, c) is None
    assert {level.dim == "" for n, level, _ in c.input_region if n == 1} == {whole}
    assert copied(p, c)[1] == p.footprint(p.expression.inp_view[1], p.extents)


def test_rows_of_an_input_are_copied_as_a_whole() -> None:
    """Along the lanes that follow each other in the results: stores that lie apart took up to five times as long."""
    p = of_einsum("deca,be->abcd", (40, 28, 52, 36, 28))
    c = choose(p, MACHINE).configuration
    assert [level.dim for level, n in c.part_size if level.layer == "REG" and n > 1] == ["l"]
    assert [level.dim for n, level, _ in c.input_region if n == 0] == ["k"], "not i, along which rows are"
    assert copied(p, c)[0] == p.footprint(p.expression.inp_view[0], p.extents)


@pytest.mark.parametrize(("machine", "n", "parts"), [("zen3", 2048, 1), ("zen3", 16384, 12)])
def test_rows_are_copied_again_for_few_parts_of_columns(machine: str, n: int, parts: int) -> None:
    """In doubles. L2 would hold parts of 146 columns; copies of rows for each part are to take a 32nd of the time."""
    expression = ex.matmul(float64)
    sizes = {dim.extent.names[0]: n for dim in expression.md_hom.dims}
    p = problem(expression, sizes, {"A": 1, "B": 1, "C": 1}, 2)
    found = dict(choose(p, known(machine, cores=2)).configuration.part_size)
    assert found[Level("COR", "j")] == -parts
