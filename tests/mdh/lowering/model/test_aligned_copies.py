"""Copies into whole cache lines: of what is loaded again and again, where that is worth it."""

from __future__ import annotations

from dataclasses import replace

from jitmdh.base.dtype import float32
from jitmdh.mdh.algebra.expr import Expression
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.trace import trace
from jitmdh.mdh.frontend.trace_ir.argument_types import ArrayType
from jitmdh.mdh.lowering.configuration.constraints import violation
from jitmdh.mdh.lowering.configuration.lower import prepared
from jitmdh.mdh.lowering.configuration.tuning_parameters import Level
from jitmdh.mdh.lowering.model.aligned_copies import aligned_copies
from jitmdh.mdh.lowering.model.analytic_model import choose
from jitmdh.mdh.lowering.model.register_tiling import best_tile
from jitmdh.mdh.lowering.problem.traffic import Problem, problem
from jitmdh.mdh.machine.known import known

MACHINE = known("sapphire-rapids", cores=2)


def convolution(out, image, weights):
    for q in range(out.shape[0]):
        for k in range(out.shape[1]):
            for s in range(3):
                for c in range(image.shape[1]):
                    out[q, k] += image[q + s, c] * weights[k, s, c]


def smoothed(out, image, weights):
    for k in range(out.shape[0]):
        for i in range(out.shape[1]):
            for a in range(weights.shape[1]):
                out[k, i] += image[i + a] * weights[k, a]


def _facts(function: object, ranks: tuple[int, ...], extents: tuple[int, ...]) -> Problem:
    arrays = tuple(ArrayType(float32, rank) for rank in ranks)
    (expression,) = trace(capture(function), arrays).steps
    assert isinstance(expression, Expression)
    found = problem(prepared(expression), {}, {}, 2)
    return replace(found, extents=dict(zip(found.extents, extents)))


def test_an_image_that_all_filters_read_is_copied() -> None:
    p = _facts(convolution, (2, 2, 3), (56, 512, 3, 512))
    choice = choose(p, MACHINE)
    assert [(n, level) for n, level, _ in choice.configuration.input_region] == [(0, Level("MM", ""))]
    assert dict(choice.configuration.input_layout)[0] == ((0, 1), (1, 16), (1, 1))
    assert "packed: image, rows aligned to cache lines" in choice.reasons
    assert violation(p, MACHINE, choice.configuration) is None


def contraction(out, t, a, b):
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            for k in range(t.shape[1]):
                for n in range(t.shape[2]):
                    out[i, j] += t[i, k, n] * a[n, j] * b[k, j]


def test_what_saves_little_of_the_whole_is_copied_where_it_costs_far_less() -> None:
    """Eight rows use each vector: a twentieth of the time goes into loads that a copy of 250 KB makes half as long."""
    p = _facts(contraction, (2, 3, 2, 2), (250, 250, 250, 250))
    choice = choose(p, known("zen4", cores=2))
    assert [n for n, _, _ in choice.configuration.input_region] == [1, 2]
    assert dict(choice.configuration.part_size)[Level("L1", "i")] == 8


def test_few_uses_are_not_worth_a_copy() -> None:
    p = _facts(convolution, (2, 2, 3), (56, 8, 3, 512))
    assert not choose(p, MACHINE).configuration.input_region


def test_what_exceeds_the_caches_is_left_where_it_is() -> None:
    p = _facts(convolution, (2, 2, 3), (56, 512, 3, 512))
    small = replace(MACHINE, memory=tuple(replace(m, capacity_bytes=m.capacity_bytes // 32) for m in MACHINE.memory))
    assert not aligned_copies(p, small, best_tile(p, MACHINE), ())


def test_what_is_copied_anyway_is_not_copied_twice() -> None:
    p = _facts(convolution, (2, 2, 3), (56, 512, 3, 512))
    tile = best_tile(p, MACHINE)
    assert aligned_copies(p, MACHINE, tile, ()) and not aligned_copies(p, MACHINE, tile, {0})


def test_vectors_that_slide_begin_anywhere_in_a_copy_too() -> None:
    p = _facts(smoothed, (2, 1, 2), (512, 4096, 64))
    tile = best_tile(p, MACHINE)
    assert tile.lane == "i" and not aligned_copies(p, MACHINE, tile, ())
