"""Loops over results: what is large and used again is moved once, where the model says that it matters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from jitmdh.base.dtype import float32
from jitmdh.mdh.algebra.expr import Expression
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.trace import trace
from jitmdh.mdh.frontend.trace_ir.argument_types import ArrayType
from jitmdh.mdh.lowering.configuration.constraints import violation
from jitmdh.mdh.lowering.configuration.lower import prepared
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
from jitmdh.mdh.lowering.model.analytic_model import choose, configured
from jitmdh.mdh.lowering.model.loop_order import nested, stall_cycles
from jitmdh.mdh.lowering.model.register_tiling import RegisterTile, tiles
from jitmdh.mdh.lowering.problem.traffic import Problem, problem
from jitmdh.mdh.machine.known import known

MATRIX = ArrayType(float32, 2)
MACHINE = known("sapphire-rapids", cores=2)


def distances(out, image, weights):
    for p in range(out.shape[0]):
        for k in range(out.shape[1]):
            for c in range(image.shape[1]):
                out[p, k] += image[p, c] * weights[k, c]


def _facts(p: int, k: int, c: int) -> Problem:
    (expression,) = trace(capture(distances), (MATRIX, MATRIX, MATRIX)).steps
    assert isinstance(expression, Expression)
    found = problem(prepared(expression), {}, {}, 2)
    return replace(found, extents=dict(zip(found.extents, (p, k, c))))


def _chosen(p: Problem) -> tuple[RegisterTile, Configuration]:
    tile = min((t for t in tiles(p, MACHINE) if t.lane == "c" and len(t.counts) > 1), key=lambda t: t.cost)
    found = configured(p, MACHINE, tile, False).configuration
    return tile, replace(found, input_region=(), input_layout=())  # copies into whole lines leave the loops alone


def _loops(c: Configuration) -> list[str]:
    return [level.dim for level in c.decomposition_order if level.layer == "L1"]


@pytest.mark.parametrize(("p", "k", "outside"), [(64, 4096, "k"), (4096, 64, "p")])
def test_the_large_input_comes_once(p: int, k: int, outside: str) -> None:
    facts = _facts(p, k, 8192)
    _, configuration = _chosen(facts)
    assert _loops(configuration)[0] == outside
    assert violation(facts, MACHINE, configuration) is None


def test_what_fits_the_caches_stays_as_it_is_written() -> None:
    _, configuration = _chosen(_facts(64, 64, 64))
    assert _loops(configuration) == ["p", "k", "c"]


def test_no_other_nesting_waits_less() -> None:
    facts = _facts(64, 4096, 8192)
    tile, configuration = _chosen(facts)
    order = configuration.decomposition_order
    swapped = tuple(next(o for o in order if (o.layer, o.dim) == ("L1", {"k": "p", "p": "k"}.get(l.dim, l.dim)))
                    if l.layer == "L1" else l for l in order)  # fmt: skip
    other = replace(configuration, decomposition_order=swapped)
    assert stall_cycles(facts, MACHINE, configuration) < stall_cycles(facts, MACHINE, other)
    assert nested(facts, MACHINE, tile, other) == order


def turned(out, x):
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            out[j, i] = x[i, j]


def turned_other_way_round(out, x):
    for j in range(x.shape[1]):
        for i in range(x.shape[0]):
            out[j, i] = x[i, j]


def _of_square(function: Callable[..., None], extent: int) -> Configuration:
    """The configuration for a square matrix; a legal one."""
    (expression,) = trace(capture(function), (MATRIX, MATRIX)).steps
    assert isinstance(expression, Expression)
    found = problem(prepared(expression), {}, {}, 2)
    facts = replace(found, extents=dict.fromkeys(found.extents, extent))
    configuration = choose(facts, MACHINE).configuration
    assert violation(facts, MACHINE, configuration) is None
    return configuration


@pytest.mark.parametrize("function", [turned, turned_other_way_round])
@pytest.mark.parametrize(("extent", "lane"), [(160, "j"), (300, "j"), (2048, "j"), (8192, "i")])
def test_transposed_in_registers(function: Callable[..., None], extent: int, lane: str) -> None:
    """Tiles of as many vectors as a vector has lanes, written along the rows of the result.

    Past the caches results are in the lanes, whose vectors are written by non-temporal stores: nothing waits for these,
    and tiles are read along the rows of the source.
    """
    configuration = _of_square(function, extent)
    streaming = configuration.scalar_output_region == "MM"
    sizes = {(level.layer, level.dim): size for level, size in configuration.part_size}
    block = sizes.pop(("L3", "i"), None)
    assert sizes == {("L1", "i"): 16, ("L1", "j"): 16, ("REG", lane): 16}
    assert _loops(configuration) == (["i", "j"] if streaming else ["j", "i"]) and streaming == (lane == "i")
    # Two lines of each row of a block take half of the nearest cache, until the next tiles take the rest of them.
    rows = MACHINE.capacity_bytes("L1") // (2 * 2 * 64)
    assert block is None if streaming or extent <= rows else block is not None and rows // 2 < block <= rows
    blocks = [level.dim for level in configuration.decomposition_order if level.layer == "L3"]
    assert blocks == ([] if block is None else ["i"])


@pytest.mark.parametrize("extent", [40, 47, 48])
def test_short_rows_of_results_are_walked_last(extent: int) -> None:
    """Of few tiles in a row there is none to ask memory for before."""
    (expression,) = trace(capture(turned), (MATRIX, MATRIX)).steps
    assert isinstance(expression, Expression)
    found = problem(prepared(expression), {}, {}, 2)
    facts = replace(found, extents={"i": extent, "j": 1000})
    assert _loops(choose(facts, MACHINE).configuration)[-1] == ("i" if extent >= 48 else "j")


def test_few_long_rows_become_many_short_ones_one_after_the_other() -> None:
    """Too short for vectors: what is read is in the lanes, and each core writes whole rows of the result."""
    (expression,) = trace(capture(turned), (MATRIX, MATRIX)).steps
    assert isinstance(expression, Expression)
    found = problem(prepared(expression), {}, {}, 2)
    facts = replace(found, extents={"i": 20, "j": 100_000})
    configuration = choose(facts, MACHINE).configuration
    assert [level.dim for level in configuration.sizes if level.layer == "REG"] == ["j"]
    assert [str(level) for level in configuration.decomposition_order] == ["(COR,j)", "(L1,j)", "(L1,i)"]
    assert violation(facts, MACHINE, configuration) is None
