"""The search around the model's configuration: what it tries first, and that it finds what single changes lead to."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from jitmdh import atf
from jitmdh import schedule as s
from jitmdh.jit.search.guided import Guided, Knob, knobs
from jitmdh.jit.search.prior import GAINS, expected_gain, gain_as_expected, gain_of_lanes, gain_of_value
from jitmdh.mdh.lowering.nest.space import MODEL, Parameter

TILES = (*(f"i:{n} j:32, lanes j" for n in range(20)), "i:16, lanes i", "i:32, lanes i", "i:48, lanes i")
TILE = Parameter("tile", TILES, TILES[0], ordered=True)
BLOCK = Parameter("block_k", (MODEL, 0, 16, 32, 64, 128, 256), MODEL, ordered=True)
PARTS = Parameter("parts", (MODEL, 0, -2, -4, -8, -16), MODEL, ordered=True)
COPIES = Parameter("copies", (MODEL, "all", "none"), MODEL)
ALL = (TILE, BLOCK, PARTS, COPIES)


def test_tiles_by_the_model_and_of_every_lane() -> None:
    tried = Knob("tile", TILE).alternatives(15)
    assert tried[:12] == list(range(12)) and {14, 16} <= set(tried) and {20, 21} <= set(tried)
    assert 15 not in tried and 22 not in tried


def test_tiles_by_the_gain_to_be_expected() -> None:
    """The model's cheapest; those along other lanes, where it knows less, before dear ones of these lanes."""
    costs = (*(1.0 + 0.05 * n for n in range(20)), 1.4, 1.5, 9.0)
    tried = Knob("tile", Parameter("tile", TILES, TILES[0], ordered=True, costs=costs)).alternatives(0)
    assert tried[0] == 1 and tried.index(20) < tried.index(8) < tried.index(11)
    assert {*tried} == {*Knob("tile", TILE).alternatives(0)}
    assert expected_gain(0.5, 1e-9) == pytest.approx(math.log(2)) and expected_gain(2.0, 1e-9) == 0.0
    assert expected_gain(1.4, 0.8) > expected_gain(1.05, 0.2) > expected_gain(1.4, 0.2) > 0


def test_other_lanes_are_judged_by_the_tile_and_by_the_whole() -> None:
    """The model is as far off with a whole configuration along other lanes as with its tile: neither decides alone."""
    costs = (*(1.0 + 0.05 * n for n in range(20)), 0.7, 1.4, 1.5)
    knob = Knob("tile", Parameter("tile", TILES, TILES[0], ordered=True, costs=costs))
    assert knob.gain_as_expected(0.06, 0, 20, 1.3) == gain_of_lanes(0.06, 0.7, 1.3) >= 0.06
    assert knob.gain_as_expected(0.06, 0, 1, 1.3) == gain_as_expected(0.06, 1.3) < 0.06, "along the same lanes"
    assert knob.gain_as_expected(0.06, 0, 21, 2.0) < 0.06, "both say that it takes longer"
    assert gain_of_lanes(0.06, 0.7, 0.0) == 0.06, "the whole is not known"


def test_a_block_is_left_out_before_it_is_made_smaller() -> None:
    gains = {value: gain_of_value(BLOCK, value, 64) for value in BLOCK.values}
    assert gains[0] > gains[128] > gains[32]
    assert gain_of_value(BLOCK, 0, None) == gain_of_value(BLOCK, 32, None)  # there is none
    knob = Knob("block_k", BLOCK, size=64)
    assert knob.gain(0, BLOCK.values.index(0)) == gains[0] and knob.gain(2, BLOCK.values.index(0)) == gains[0]


def test_one_core_instead_of_all_is_for_short_calls() -> None:
    """Of a product of 10^7 numbers and more, two cores take half of the time of one: no use to look at that early."""
    cores = Parameter("cores", (MODEL, "none", "i"), MODEL)
    short, long = (Knob("cores", cores, None, work).gain(MODEL, "none") for work in (10**5, 10**8))
    assert short == GAINS["cores none"] > Knob("cores", cores, None, 10**8).gain(MODEL, "i") > long


def test_sizes_near_that_of_the_model() -> None:
    values = BLOCK.values
    near = [values[n] for n in Knob("block_k", BLOCK, size=64).alternatives(0)]
    assert near[:4] == [128, 32, 256, 16] and 0 in near and MODEL not in near
    after = [values[n] for n in Knob("block_k", BLOCK, size=64).alternatives(2)]
    assert after[:2] == [32, 64] and {MODEL, 0} <= set(after)
    unknown = [values[n] for n in Knob("block_k", BLOCK).alternatives(0)]
    assert unknown[0] == 0 and len(unknown) >= 3
    parts = [PARTS.values[n] for n in Knob("parts", PARTS).alternatives(3)]
    assert parts[:2] == [-8, -2] and {MODEL, 0} <= set(parts)


def test_sizes_that_a_schedule_leaves_open_are_looked_for_in_strides() -> None:
    """The model knows nothing of them: four times as much and a quarter come before the neighbours."""
    values = (2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 1024, 2048)
    said = Parameter("tile.i", values, 32, ordered=True, said=True)
    tried = [values[n] for n in Knob("tile.i", said).alternatives(values.index(32))]
    assert tried[:6] == [128, 8, 512, 2, 64, 16] and {24, 48} <= set(tried) and 32 not in tried
    assert [values[n] for n in Knob("tile.i", said).alternatives(0)][:2] == [8, 32]
    assert gain_of_value(said, 128, 32) >= gain_of_value(COPIES, "all", None)


def test_other_categories() -> None:
    assert Knob("copies", COPIES).alternatives("all") == [MODEL, "none"]


def test_likely_parameters_first() -> None:
    found = knobs({p.name: p for p in reversed(ALL)}, lambda name, dim: 64 if dim == "k" else None)
    assert [knob.name for knob in found] == ["tile", "copies", "block_k", "parts"]
    assert [knob.size for knob in found] == [None, None, 64, None]


def searched(
    cost: Any,
    evaluations: int,
    legal: Any = lambda point: True,
    expected: Any = lambda point: None,
    parameters: tuple[Parameter, ...] = ALL,
) -> tuple[float, list[dict[str, Any]]]:
    """The best cost found, and all points in order."""
    found = knobs({p.name: p for p in parameters}, lambda name, dim: 64)
    first = {knob.name: knob.encoded(knob.parameter.model) for knob in found}
    space = atf.search_space(*(
        atf.tuning_parameter(p.name, list(range(len(p.values))) if p.ordered else atf.values(*p.values))
        for p in parameters
    ))  # fmt: skip
    tried: list[dict[str, Any]] = []

    def measured(point: Mapping[str, Any]) -> Any:
        tried.append(dict(point))
        return cost(point)

    tuner = atf.tuner(space).warm_start(first).search_technique(Guided(found, first, legal, expected=expected))
    return float(tuner.tune(measured, atf.evaluations(evaluations)).best_cost), tried


def hill(point: Mapping[str, Any]) -> float:
    """Least at tile 7, block 128, 4 parts a core, no copies."""
    block = BLOCK.values[point["block_k"]]
    size = 64 if block == MODEL else int(block)
    return (
        1 + abs(point["tile"] - 7) + abs(size - 128) / 64 + (PARTS.values[point["parts"]] != -4)
        + (point["copies"] != "none")
    )  # fmt: skip


def test_single_changes_lead_to_the_best() -> None:
    best, tried = searched(hill, 90)
    assert best == 1
    assert tried[0] == {"tile": 0, "block_k": 0, "parts": 0, "copies": MODEL}
    assert sum(a != b for a, b in zip(tried[0].values(), tried[1].values())) == 1
    assert len({tuple(point.values()) for point in tried}) == len(tried)


def test_what_the_model_thinks_faster_as_a_whole_is_tried_first() -> None:
    def cycles(point: Mapping[str, Any]) -> float | None:
        block = BLOCK.values[point["block_k"]]
        return None if block == 0 else (0.5 if point["copies"] == "none" else 1.0) * (0.8 if block == 256 else 1.0)

    _, tried = searched(hill, 3, expected=cycles)
    assert tried[1]["copies"] == "none" and tried[2]["block_k"] == BLOCK.values.index(256)
    assert tried[2]["copies"] == "none", "the walk goes on from what was better"
    assert gain_as_expected(0.04, 1.0) == 0.04 and gain_as_expected(0.04, 2.0) == 0.02
    assert gain_as_expected(0.04, 0.97) == 0.04 < gain_as_expected(0.04, 0.8) < gain_as_expected(0.04, 0.5)


def test_the_model_is_asked_about_what_is_likely_and_of_the_rest_when_its_turn_comes() -> None:
    asked: list[tuple[Any, ...]] = []

    def cycles(point: Mapping[str, Any]) -> float:
        asked.append(tuple(sorted(point.items())))
        return 1.0

    searched(lambda point: 1.0 if point["tile"] == 0 else 2.0, 2, expected=cycles)
    first = len({*asked})
    found = knobs({p.name: p for p in ALL}, lambda name, dim: 64)
    changes = sum(len(knob.alternatives(knob.encoded(knob.parameter.model))) for knob in found)
    assert first <= 25 < changes + 1, (first, changes)
    asked.clear()
    _, tried = searched(
        lambda point: 1.0 + sum(v not in (0, MODEL) for v in point.values()), changes + 1, expected=cycles
    )
    assert {tuple(sorted(point.items())) for point in tried[1:]} <= {*asked}, "each that is tried has been asked about"


def test_open_sizes_that_the_model_compares_come_in_its_order() -> None:
    """Of a batched product under a script whose sizes are open."""

    def bmm(C, A, B):  # type: ignore[no-untyped-def]
        for b in range(A.shape[0]):
            for i in range(A.shape[1]):
                for j in range(B.shape[2]):
                    for k in range(A.shape[2]):
                        C[b, i, j] += A[b, i, k] * B[b, k, j]

    shapes = (512, 72, 26), (512, 72, 26), (512, 26, 26)
    nest = s.build(bmm, *(np.zeros(shape) for shape in shapes))
    assert isinstance(nest, s.Nest)
    found = nest.tile(s.any).interchange("j", "k").parallelize("b").vectorize("j").space
    few, most = (found.expected({**found.model, "tile.*": size}) for size in (48, 96))
    assert few and most and few > most, (few, most)


def test_of_each_parameter_one_value_before_all_values_of_one() -> None:
    _, tried = searched(lambda point: 1.0 if not any(v not in (0, MODEL) for v in point.values()) else 2.0, 9)
    first = tried[0]
    changed = [next(name for name in first if first[name] != point[name]) for point in tried[1:]]
    assert {*changed[:5]} == {"tile", "block_k", "parts", "copies"} and changed[0] == "block_k"


def test_of_values_from_which_as_much_is_expected_the_likely_come_first() -> None:
    """Nothing is known of open sizes: they come in strides from the present one, as `alternatives` has them."""
    values = (2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 1024, 2048)
    said = Parameter("tile.i", values, 32, ordered=True, said=True)
    _, tried = searched(lambda point: 1.0 + (values[point["tile.i"]] != 32), 8, parameters=(said, COPIES))
    sizes = [values[point["tile.i"]] for point in tried if point["copies"] == MODEL]
    assert sizes[:5] == [32, 128, 8, 512, 2]


def test_what_stands_for_nothing_takes_no_turn_from_another_value_of_its_parameter() -> None:
    turns, refused = [], set[int]()
    for _ in range(3):
        _, tried = searched(
            lambda point: 1.0 + any(v not in (0, MODEL) for v in point.values()),
            12,
            lambda point: point["parts"] not in refused,
        )
        turns.append(next(n for n, point in enumerate(tried) if point["parts"] != 0))
        refused.add(tried[turns[-1]]["parts"])
    assert len({*turns}) == 1


def test_it_goes_on_from_a_better_point_at_once() -> None:
    _, tried = searched(lambda point: 1.0 if point["block_k"] == BLOCK.values.index(0) else 2.0, 12)
    assert tried[1]["block_k"] == BLOCK.values.index(0)
    assert all(point["block_k"] == BLOCK.values.index(0) for point in tried[2:7])


def test_what_turns_out_to_be_worse_is_left_again() -> None:
    """In calls, a point takes longer than it seemed to at first: the walk goes back to where it came from."""
    found = knobs({p.name: p for p in ALL}, lambda name, dim: 64)
    first = {knob.name: knob.encoded(knob.parameter.model) for knob in found}
    space = atf.search_space(*(
        atf.tuning_parameter(p.name, list(range(len(p.values))) if p.ordered else atf.values(*p.values))
        for p in ALL
    ))  # fmt: skip
    tuner = atf.tuner(space).warm_start(first).search_technique(Guided(found, first, lambda point: True))
    tuner.tell(first, 1.0)
    seemed = tuner.ask()
    tuner.tell(seemed, 0.9)
    below = tuner.ask()
    assert sum(below[name] != first[name] for name in first) == 2
    tuner.tell(below, 1.5)
    tuner.tell(seemed, 1.1)
    after = tuner.ask()
    assert sum(after[name] != first[name] for name in first) == 1


def test_what_is_not_legal_is_not_tried_by_the_walk() -> None:
    _, tried = searched(hill, 40, legal=lambda point: point["tile"] != 7)
    assert len(tried) == 40 and all(point["tile"] != 7 for point in tried)


def test_what_is_not_legal_is_not_tried_after_the_walk() -> None:
    """Neither by leaps nor by the default technique, be it most of the space."""

    def legal(point: Mapping[str, Any]) -> bool:
        return point["copies"] == MODEL and (point["tile"] + point["block_k"]) % 3 == 0

    _, tried = searched(hill, 70, legal)
    assert len(tried) >= 60 and all(map(legal, tried))


@pytest.mark.parametrize("reason", ["invalid", "none is better"])
def test_it_goes_on_where_no_single_change_helps(reason: str) -> None:
    def cost(point: Mapping[str, Any]) -> Any:
        changed = sum(value not in (0, MODEL) for value in point.values())
        if changed == 0:
            return 2.0
        return atf.invalid(reason) if reason == "invalid" and changed == 1 else 3.0 - 1.5 * (changed > 2)

    best, tried = searched(cost, 150)
    assert best == 1.5 and len(tried) == 150
