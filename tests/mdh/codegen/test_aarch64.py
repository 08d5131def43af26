"""Generated code is accepted for AArch64, too, where LLVM has that target. It is not run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jitmdh.base.dtype import float32
from jitmdh.mdh.algebra.expr import Expression
from jitmdh.mdh.compile import Request, generate
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration, Level
from jitmdh.mdh.machine.known import known
from jitmdh.mdh.machine.model import Machine
from tests.golden.test_lowlevel import levels
from tests.laws.agreement import traced
from tests.laws.test_many_calls import CASES
from tests.mdh.algebra import examples as ex

TRIPLE = "aarch64-unknown-linux-gnu"
MACHINES = known("apple"), known("neoverse", cores=2)


@pytest.fixture(scope="module")
def target() -> Any:
    llvm = pytest.importorskip("llvmlite.binding")
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    try:
        return llvm, llvm.Target.from_triple(TRIPLE)
    except RuntimeError as error:
        pytest.skip(f"LLVM has no AArch64 target here: {error}")


@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: m.name)
@pytest.mark.parametrize("function", CASES, ids=lambda f: f.__name__)
def test_compiles(function: Any, machine: Machine, target: Any) -> None:
    llvm, aarch64 = target
    arguments = CASES[function](np.random.default_rng(0), 70, 80, 90)
    program = traced(function, arguments)
    axes = {p.name: a.ndim - 1 for p, a in zip(program.parameters, arguments)}
    artifact = generate(Request(program, {}, axes, machine, threads=2))
    assert isinstance(program.steps[0], Expression) and "x86" not in artifact.text
    module = llvm.parse_assembly(artifact.text)
    module.verify()
    text = aarch64.create_target_machine(features="+neon", reloc="pic").emit_assembly(module)
    assert "kernel:" in text and ("fmla" in text or "fmadd" in text or "fadd" in text)


TILE = ((Level("L1", "i"), 4), (Level("L1", "j"), 8), (Level("REG", "j"), 4), (Level("MM", "k"), 32))
ORDER = levels("COR:i MM:k L1:i L1:j L1:k")
TRANSPOSED = ((1, 1), (-1, 4), (0, 1))
PLACES = {
    "results wait": Configuration(
        TILE, ORDER, output_region=((Level("MM", "k"), "L2"), (Level("COR", "i"), "L3")),
        output_layout=((Level("COR", "i"), TRANSPOSED),),
    ),
    "tiles in L1": Configuration(
        TILE, ORDER, scalar_input_region=((0, "L1"), (1, "L1")), scalar_input_layout=((0, TRANSPOSED),),
        scalar_output_region="L1", scalar_output_layout=TRANSPOSED,
    ),
    "padded panels": Configuration(
        TILE, ORDER, input_region=((1, Level("MM", "k"), "L2"),),
        input_layout=((1, ((1, 8), (-1, 4), (0, 1), (1, 1))),),
        scalar_order=(*ORDER, Level("REG", "j"), Level("REG", "i")),
    ),
    "a reduction inside": Configuration(TILE, levels("L1:i COR:k L1:j L1:k")),
}  # fmt: skip


@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: m.name)
@pytest.mark.parametrize("places", PLACES)
def test_compiles_with_every_place_of_table_1(places: str, machine: Machine, target: Any) -> None:
    llvm, aarch64 = target
    axes: dict[str, int | None] = {"A": 1, "B": 1, "C": 1}
    program = ex.program(ex.matmul(float32))
    artifact = generate(Request(program, {}, axes, machine, threads=2), {0: PLACES[places]})
    module = llvm.parse_assembly(artifact.text)
    module.verify()
    text = aarch64.create_target_machine(features="+neon", reloc="pic").emit_assembly(module)
    assert "kernel:" in text and ("fmla" in text or "fmadd" in text)
