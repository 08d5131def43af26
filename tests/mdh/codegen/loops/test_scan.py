"""Prefix sums whose elements lie in lanes: what the next vector waits for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jitmdh.mdh.algebra.semantics.argument_binding import sizes_of
from jitmdh.mdh.compile import Request, generate
from jitmdh.mdh.kernel.ir import Apply, Assign, Declare, For, Let, Name, Shuffle, Store, Value
from jitmdh.mdh.kernel.rewrite import statements, values
from jitmdh.mdh.machine.known import known
from tests.laws.agreement import traced, unit_axes


def sums(y: Any, x: Any) -> None:
    for i in range(x.shape[0]):
        total = np.float32(0)
        for j in range(x.shape[1]):
            total += x[i, j]
            y[i, j] = total


def rows(machine: str) -> tuple[For, Name]:
    """The loop over vectors of a row, and the carry."""
    arrays = np.zeros((2, 4096), np.float32), np.zeros((2, 4096), np.float32)
    program = traced(sums, arrays)
    sizes = dict(sizes_of(program, arrays))
    request = Request(program, sizes, unit_axes(program, [arrays]), known(machine, cores=2), threads=2)
    body = generate(request).kernel.body
    carry = next(s.name for s in statements(body) if isinstance(s, Declare) and s.name.name.startswith("carry"))
    loop = next(
        s for s in statements(body)
        if isinstance(s, For) and any(isinstance(a, Assign) and a.name == carry for a in s.body)
    )  # fmt: skip
    return loop, carry


@pytest.mark.parametrize("machine", ["avx2-desktop", "sapphire-rapids", "x86-128"])
def test_the_carry_waits_for_one_operation(machine: str) -> None:
    """A vector, which stays in all lanes from one vector of the row to the next; and nowhere are lanes dropped, as an
    instruction may take these from the register of the carry."""
    loop, carry = rows(machine)
    made = {s.name.name: s.value for s in loop.body if isinstance(s, Let)}
    (assigned,) = [s.value for s in loop.body if isinstance(s, Assign) and s.name == carry]
    assert isinstance(assigned, Shuffle) and assigned.picks == (0,) and isinstance(assigned.value, Name)

    def origin(value: Value) -> set[str]:
        """Names that a value comes from."""
        found: set[str] = set()
        for name in (v.name for v in values(value) if isinstance(v, Name)):
            found |= {name} | (origin(made[name]) if name in made else set())
        return found

    carried, steps = made[assigned.value.name], 0
    while isinstance(carried, Apply) and carried.op == "add":
        before, last = carried.operands
        assert isinstance(before, Name) and isinstance(last, Name) and carry.name not in origin(last)
        shuffle = made[last.name]
        assert isinstance(shuffle, Shuffle) and set(shuffle.picks) == {shuffle.lanes - 1}
        carried, steps = made[before.name], steps + 1
    assert steps == sum(isinstance(s, Store) for s in loop.body) > 1
    assert values(carried) and carry in values(carried)
    assert not any(isinstance(v, Apply) and v.op == "select" for v in made.values())
