"""Every parameter of Table 1 is reached by a transformation, and left open by one; docs/schedules.md has them all."""

from __future__ import annotations

import re

import pytest

import jitmdh.schedule as s
from docs import generate_schedules
from jitmdh.mdh.lowering.configuration.tuning_parameters import TABLE_1, Configuration
from jitmdh.mdh.lowering.nest.chain import Chain
from tests.laws.test_schedule_scripts import nest_of

FLIPPED = ((1, 1), (0, 1))
TILE = s.unroll("i", 2).unroll("j", 2).unroll("k", 1)
REACHED: dict[str, tuple[s.Transformation, s.Transformation]] = {
    "part_size": (s.stripmine("i", 16), s.stripmine("i", s.any)),
    "decomposition_order": (s.reorder("k", "j", "i"), s.reorder("k", s.any)),
    "decomposition_assignment": (s.tile(i=16).assign("i.0"), s.tile(i=16, j=16).assign(s.among("i.0", "j.0"))),
    "input_region": (s.tile(k=16).pack("B", at="k.0"), s.tile(k=16).pack("B", at=s.among("k.0", "i"))),
    "input_layout": (s.pack("B", transposed=True), s.pack("B", transposed=s.any)),
    "scalar_order": (TILE.points("j", "i"), TILE.points(s.any)),
    "scalar_input_region": (s.read_from("B", "L1"), s.read_from("B", s.any)),
    "scalar_input_layout": (s.read_from("B", "L1", FLIPPED), s.read_from("B", "L1", s.any)),
    "scalar_output_region": (s.write_to("L1"), s.write_to(s.any)),
    "scalar_output_layout": (s.write_to("L1", FLIPPED), s.write_to("L1", s.among(None, FLIPPED))),
    "recomposition_order": (s.accumulators("k", 4), s.accumulators("k", s.any)),
    "output_region": (s.tile(i=16).stage("C", at="i.0"), s.tile(i=16).stage("C", at="i.0", region=s.any)),
    "output_layout": (s.tile(i=16).stage("C", at="i.0", layout=FLIPPED),
                      s.tile(i=16).stage("C", at="i.0", layout=s.among(None, FLIPPED))),
}  # fmt: skip
BEFORE = {"scalar_order": TILE.points("i", "j")}  # the model's order may be the one that is said
_FUSED = ("scalar_assignment", "recomposition_assignment")  # say what decomposition_assignment says


@pytest.mark.parametrize("parameter", [row.field for row in TABLE_1 if row.field not in _FUSED])
def test_each_parameter_is_reached_and_left_open(parameter: str) -> None:
    nest, (said, opened) = nest_of("matmul", 100), REACHED[parameter]
    before = BEFORE[parameter](nest) if parameter in BEFORE else nest
    default = getattr(before.configuration(), parameter)
    assert getattr(said(nest).configuration(), parameter) != default
    space = opened(nest).fix("part_size").space if parameter != "part_size" else opened(nest).space
    holes = [p for p in space.parameters if "." in p.name or p.name in ("reorder", "points")]
    assert holes, "nothing is open"
    found = set()
    for value in holes[-1].values:
        made = space.configuration({**space.model, holes[-1].name: value})
        if isinstance(made, Configuration):
            found.add(getattr(made, parameter))
    assert len(found) >= 2


def test_the_page_has_each_transformation_carried_out() -> None:
    """docs/schedules.md: before and after are what nests print, and what decides a parameter changes it."""
    assert generate_schedules.PAGE.read_text(encoding="utf-8") == generate_schedules.page(), (
        "run python docs/generate_schedules.py"
    )
    rows, table = generate_schedules.ROWS, generate_schedules.table()
    methods = {n for n in vars(Chain) if not n.startswith("_")} - {"then", "then_all", "where", "fix"}
    assert all(re.search(rf"\b{name}\b", table) for name in methods)
    assert {row.such: generate_schedules.undecided(row) for row in rows} == {row.such: [] for row in rows}
    assert {row.number for row in TABLE_1} == {n for row in rows for n in row.decides.split(", ") if n}
