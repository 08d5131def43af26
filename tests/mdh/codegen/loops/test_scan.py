"""Prefix sums whose elements lie in lanes: what the next vector waits for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jitmdh.mdh.algebra.semantics.argument_binding import sizes_of
from jitmdh.mdh.compile import Request, generate
from jitmdh.mdh.kernel.ir import Apply, Assign, Declare, For, Let, Name, Shuffle, Value
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
    """And for no step whose select drops lanes: an instruction may take these from the register of the carry."""
    loop, carry = rows(machine)
    made = {s.name.name: s.value for s in loop.body if isinstance(s, Let)}
    assigned = [s.value for s in loop.body if isinstance(s, Assign) and s.name == carry]
    assert assigned

    def origin(value: Value) -> set[str]:
        """Names that a value comes from."""
        found: set[str] = set()
        for name in (v.name for v in values(value) if isinstance(v, Name)):
            found |= {name} | (origin(made[name]) if name in made else set())
        return found

    for value in assigned:
        step = made[value.name] if isinstance(value, Name) else value
        assert isinstance(step, Apply) and step.op == "add" and carry in step.operands
        (last,) = (operand for operand in step.operands if operand != carry)
        picked = [made[name] for name in origin(last) if isinstance(made.get(name), Shuffle)]
        lanes = max(v.lanes for v in made.values())
        selects = [made[name] for name in origin(last) if isinstance(v := made.get(name), Apply) and v.op == "select"]
        assert carry.name not in origin(last) and len(picked) == 2
        assert len(selects) == lanes.bit_length() - 2  # all steps but the last one
