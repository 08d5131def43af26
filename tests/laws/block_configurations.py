"""Random configurations for blocks of threads: sizes inside each other, any order, copies with any layout."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from hypothesis import strategies as st

from jitmdh.mdh.lowering.configuration.constraints import violation
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration, Level
from jitmdh.mdh.lowering.problem.traffic import Problem
from jitmdh.mdh.lowlevel.layout import PADDING, Layout
from jitmdh.mdh.machine.blocks import LOOPS, shared_region
from jitmdh.mdh.machine.gpu import gpu


@st.composite
def block_configurations(draw: st.DrawFn, facts: Problem) -> Configuration | None:
    """A legal one; without the copies that do not fit. None: the computation is not for blocks."""
    if not facts.extents:
        return None
    sizes: dict[Level, int] = {}
    groups: list[tuple[Level, str]] = []
    taken = {"BLK": False, "THR": False}
    may_share = bool(facts.groups) and facts.groups[0].operator.commutative and not facts.expression.guard
    for dim in facts.extents:
        around = draw(st.sampled_from(["BLK", "DEV"] if dim in facts.remaining or may_share else ["DEV"]))
        inner = ["THR", "SHR", "REG"]
        layers = [around, *draw(st.permutations(inner))[: draw(st.integers(0, len(inner)))]]
        size = 1
        for layer in reversed(layers):
            sizes[Level(layer, dim)] = size
            size *= draw(st.sampled_from([2, 3, 4, 5]))
            taken |= {layer: True}
        if around == "BLK" and draw(st.integers(0, 3)) == 0:  # groups of blocks
            groups.append((Level("DEV", dim), "BLK"))
            sizes[Level("DEV", dim)] = size
    order = tuple(draw(st.permutations(list(sizes))))
    copies, layouts = [], []
    blocks = {level for level, _ in groups}
    tiles = {level: draw(st.integers(1, 4)) if level.layer in LOOPS and level not in blocks else 1 for level in order}
    for number, access in enumerate(facts.expression.inp_view):
        if access.index and draw(st.booleans()):
            at = draw(st.sampled_from(order))
            copies.append((number, at, shared_region(tiles[at])))
            layouts.append((number, draw(_layouts(len(access.index)))))
    drawn = Configuration(
        tuple(sizes.items()), order, tuple(groups), input_region=tuple(copies), input_layout=tuple(layouts),
        output_region=_waiting(facts, sizes, groups) if draw(st.booleans()) else (),
    )  # fmt: skip
    if drawn.output_region and violation(facts, MACHINE, replace(drawn, input_region=(), input_layout=())) is not None:
        drawn = replace(drawn, output_region=())  # `f` may fail
    while copies and violation(facts, MACHINE, drawn) is not None:
        copies.pop()
        drawn = replace(drawn, input_region=tuple(copies), input_layout=tuple(layouts))
    return drawn if violation(facts, MACHINE, drawn) is None and (taken["BLK"] or taken["THR"]) else None


MACHINE = gpu("sm_90", 1024)


def _waiting(
    facts: Problem, sizes: Iterable[Level], groups: Iterable[tuple[Level, str]]
) -> tuple[tuple[Level, str], ...]:
    """What blocks share, for the last of them to combine."""
    by_blocks = [*(level for level in sizes if level.layer == "BLK"), *(level for level, _ in groups)]
    return tuple((level, "DM") for level in by_blocks if level.dim in facts.collapsed)


@st.composite
def _layouts(draw: st.DrawFn, rank: int) -> Layout:
    digits = [(axis, 1) for axis in draw(st.permutations(range(rank)))]
    if draw(st.booleans()):
        digits.insert(draw(st.integers(0, rank - 1)), (PADDING, draw(st.sampled_from([1, 2, 3, 4]))))
    axis = draw(st.integers(0, rank - 1))
    if draw(st.booleans()):
        digits.insert(0, (axis, 2))
    return tuple(digits)
