"""Code that the helper process makes for a class of sizes is the code that this process would make."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from jitmdh import jit
from jitmdh.hca.drivers.native_code.cpu_compile import compile_ir, without_scheduling
from jitmdh.jit.compilation.pipeline import sizes_of
from jitmdh.jit.online.candidate import Verdict, request_for
from jitmdh.jit.online.helper_main import asked
from jitmdh.jit.online.helper_process import Helper
from tests.jit.online.test_helper_process import Case, helper, outcomes

__all__ = ["helper"]
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes of Linux")

SUM = "\n".join(
    [
        "define double @sum(ptr %p) {",
        "  %s0 = load double, ptr %p",
        *(
            f"  %p{n} = getelementptr double, ptr %p, i64 {n}\n  %x{n} = load double, ptr %p{n}\n"
            f"  %y{n} = fdiv double %x{n}, 3.0\n  %s{n} = fadd double %y{n}, %s{n - 1}"
            for n in range(1, 8)
        ),
        "  ret double %s7\n}\n",
    ]
)
"""Quotients that do not wait for each other, one behind the other."""


def matmul(C: Any, A: Any, B: Any) -> None:
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


def test_passes_are_left_out_for_a_while_only() -> None:
    """Not every processor's scheduler finds something to move in each of them."""
    texts = SUM, jit(matmul).inspect(*(np.ones((64, 64)) for _ in "CAB"), stage="llvm")
    usual = [compile_ir(text) for text in texts]
    with without_scheduling():
        assert [compile_ir(text) for text in texts] != usual
    assert [compile_ir(text) for text in texts] == usual


def test_code_for_a_class_is_made_as_here(helper: Callable[..., Helper]) -> None:
    """Nobody measures it: it took up to 1.4 times as long where passes were left out, as for candidates before."""
    m, n, k = 120, 58, 101
    case = Case(matmul, np.zeros((m, n), "f4"), np.ones((m, k), "f4"), np.ones((k, n), "f4"))
    program, signature = case.task.program, case.incumbent.signature
    request = request_for(program, signature, case.function.options, sizes_of(program, case.arguments), "range")
    there = helper()
    there.submit(case.candidate())
    there.submit(request)
    found = {o.number: o for o in outcomes(there, 2)}
    assert [o.verdict for o in found.values()] == [Verdict.RIGHT] * 2
    made, expected = found[2].compiled, asked(request)
    assert made is not None and made.code == expected.code
