"""Multiply-adds of OpenCL C come from the pass, as they do for processors; the emitter spells them."""

from __future__ import annotations

import re

import numpy as np

from jitmdh.base.errors import NotAnMdhError
from jitmdh.mdh.algebra.semantics.argument_binding import sizes_of
from jitmdh.mdh.compile import Artifact, Request, generate
from jitmdh.mdh.kernel.passes.offloading.outline import outline
from jitmdh.mdh.machine.opencl import opencl
from jitmdh.mdh.targets import registry
from jitmdh.mdh.targets.opencl.emitter import emit
from tests.laws.agreement import traced


def plus(s, x, y):  # type: ignore[no-untyped-def]
    for i in range(x.shape[0]):
        s[0] += x[i] * y[i]


def minus(s, x, y):  # type: ignore[no-untyped-def]
    for i in range(x.shape[0]):
        s[0] -= x[i] * y[i]


def generated(function, type: type = np.float32) -> Artifact:
    arrays = np.zeros(1, type), np.zeros(64, type), np.zeros(64, type)
    program = traced(function, arrays)
    axes = {p.name: 0 for p in program.parameters}
    return generate(
        Request(program, sizes_of(program, arrays), axes, opencl(2, 256), threads=2, target=registry.find("opencl"))
    )


def kernels(text: object) -> str:
    return "\n".join(kernel for _, kernel in text.kernels)  # type: ignore[attr-defined]


def test_sums_and_differences_of_products_are_multiply_adds() -> None:
    """A difference, too, rounds once: on processors it did, on devices it did not."""
    for function, product in ((plus, r"mad_float8\(x"), (minus, r"mad_float8\(-\(x")):
        text = kernels(generated(function).text)
        assert re.search(product, text), text
        assert not re.search(r"acc\w* [-+] \(", text), text


def test_the_emitter_fuses_nothing() -> None:
    artifact = generated(plus)
    assert "fma" in [step.name for step in artifact.passed]
    assert "mad_" not in kernels(emit(outline(artifact.kernel, NotAnMdhError), artifact.guard, cores=2))


def test_integers_are_not_fused() -> None:
    assert "mad_" not in kernels(generated(plus, np.int32).text)
