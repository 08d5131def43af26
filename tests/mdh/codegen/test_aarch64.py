"""Generated code is accepted for AArch64, too, where LLVM has that target. It is not run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jitmdh.mdh.algebra.expr import Expression
from jitmdh.mdh.codegen.generate import generate
from jitmdh.mdh.machine.cpu import cpu
from tests.laws.agreement import traced
from tests.laws.test_many_calls import CASES

TRIPLE = "aarch64-unknown-linux-gnu"


@pytest.fixture(scope="module")
def target() -> Any:
    llvm = pytest.importorskip("llvmlite.binding")
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    try:
        return llvm, llvm.Target.from_triple(TRIPLE)
    except RuntimeError as error:
        pytest.skip(f"LLVM has no AArch64 target here: {error}")


@pytest.mark.parametrize("function", CASES, ids=lambda f: f.__name__)
def test_compiles(function: Any, target: Any) -> None:
    llvm, aarch64 = target
    arguments = CASES[function](np.random.default_rng(0), 70, 80, 90)
    program = traced(function, arguments)
    machine = cpu("+neon,+fp-armv8", 2)
    axes = {p.name: a.ndim - 1 for p, a in zip(program.parameters, arguments)}
    artifact = generate(program, {}, axes, machine, threads=2)
    assert isinstance(program.steps[0], Expression) and "x86" not in artifact.llvm
    module = llvm.parse_assembly(artifact.llvm)
    module.verify()
    text = aarch64.create_target_machine(features="+neon", reloc="pic").emit_assembly(module)
    assert "kernel:" in text and ("fmla" in text or "fmadd" in text or "fadd" in text)
