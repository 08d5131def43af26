"""Lanes of several accumulators, combined together: every result as if it were alone, in fewer steps."""

from __future__ import annotations

import pytest

from jitmdh.base.dtype import ScalarType, float32, float64, int8
from jitmdh.mdh.codegen.microkernel.horizontal_reduction import Components, combined
from jitmdh.mdh.kernel.ir import Merge, Name, Shuffle, Value

Lanes = list[str]


def alone(lanes: Lanes) -> str:
    """The lower half of the lanes with the upper one, until one is left."""
    while len(lanes) > 1:
        half = len(lanes) // 2
        lanes = [f"({a} {b})" for a, b in zip(lanes[:half], lanes[half:])]
    return lanes[0]


@pytest.mark.parametrize(("type", "lanes"), [(float32, 16), (float32, 8), (float64, 8), (float64, 2), (int8, 64)])
@pytest.mark.parametrize("count", [1, 2, 4, 8, 16, 64])
@pytest.mark.parametrize("missing", [0, 1, 3])
def test_each_result_is_combined_as_if_it_were_alone(type: ScalarType, lanes: int, count: int, missing: int) -> None:
    if count > lanes or missing >= max(count, 2) - 1:
        return
    values: dict[Value, Lanes] = {}
    states: list[Components | None] = []
    for n in range(count - missing):
        name = Name(f"acc{n}", type, lanes)
        values[name] = [f"{n}.{lane}" for lane in range(lanes)]
        states.append((name,))
    states += [None] * missing
    steps = 0

    def value(node: Value) -> Lanes:
        if isinstance(node, Merge):
            both = value(node.left) + value(node.right)
            return [both[p] for p in node.picks]
        if isinstance(node, Shuffle):
            return [value(node.value)[p] for p in node.picks]
        return values[node]

    def combine(left: Components, right: Components) -> Components:
        nonlocal steps
        steps += 1
        (a,), (b,) = left, right
        result = Name(f"step{steps}", type, a.lanes)
        values[result] = [f"({x} {y})" for x, y in zip(value(a), value(b))]
        return (result,)

    (total,) = combined(states, combine)
    wanted = [alone([f"{n}.{lane}" for lane in range(lanes)]) for n in range(count - missing)]
    assert value(total)[: count - missing] == wanted
    assert steps <= count - 1 + (lanes // count).bit_length() - 1
