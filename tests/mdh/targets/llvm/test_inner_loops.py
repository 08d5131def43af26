"""What is left in micro-kernels after all passes: multiply-adds and what they load, no arithmetic on addresses.

Code generation computes what kernel IR has in a loop in each of its rounds: its own strength reduction is off.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from jitmdh.mdh.algebra.expr import ArrayParameter
from jitmdh.mdh.algebra.semantics.argument_binding import sizes_of
from jitmdh.mdh.compile import Request, generate
from jitmdh.mdh.kernel.ir import Apply, For, Kernel, Value
from jitmdh.mdh.kernel.pass_manager import run_passes
from jitmdh.mdh.kernel.rewrite import children, statements, values
from jitmdh.mdh.machine.known import known
from jitmdh.mdh.targets.llvm.target import PASSES
from tests.laws.agreement import unit_axes
from tests.laws.configurations import EXPRESSIONS, shapes
from tests.mdh.algebra import examples as ex

MULTIPLY_ADDS = {"add_product", "sub_product"}


def passed(name: str, machine: str) -> Kernel:
    program, extents = ex.program(EXPRESSIONS[name]()), shapes(name, [512, 512, 512, 8])
    arrays = tuple(np.empty(extents[p.name], p.type.numpy) for p in program.parameters if isinstance(p, ArrayParameter))
    sizes, axes, model = dict(sizes_of(program, arrays)), unit_axes(program, [arrays]), known(machine, cores=2)
    kernel = generate(Request(program, sizes, axes, model, threads=2)).kernel
    return run_passes(PASSES, (kernel,), model)[-1].kernels[0]


def micro_kernels(kernel: Kernel) -> Iterator[tuple[For, list[Value]]]:
    """Innermost loops with several multiply-adds of vectors, and what is computed in each of their rounds."""
    for loop in statements(kernel.body):
        if isinstance(loop, For) and not any(isinstance(s, For) for s in statements(loop.body)):
            inside = [v for s in loop.body for c in children(s) for v in values(c)]
            if sum(isinstance(v, Apply) and v.lanes > 1 and v.op in MULTIPLY_ADDS for v in inside) >= 6:
                yield loop, inside


@pytest.mark.parametrize("machine", ["sapphire-rapids", "zen3", "avx2-desktop", "x86-128", "neoverse"])
@pytest.mark.parametrize("name", ["matmul", "batched", "matvec", "gram of some results"])
def test_micro_kernels_multiply_no_index(name: str, machine: str) -> None:
    found = list(micro_kernels(passed(name, machine)))
    assert found
    for loop, inside in found:
        products = [
            v for v in inside
            if isinstance(v, Apply) and v.lanes == 1 and v.op == "mul" and any(loop.name == u for u in values(v))
        ]  # fmt: skip
        assert not products, loop.name.name
