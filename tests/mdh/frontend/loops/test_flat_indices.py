"""Flat subscripts as subscripts of rows: which are found, and that they mean the same."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from jitmdh.base.dtype import float64, int64
from jitmdh.base.errors import NotAnMdhError
from jitmdh.mdh.algebra.expr import Program, expressions
from jitmdh.mdh.algebra.semantics.interp import run
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.trace import trace
from jitmdh.mdh.frontend.trace_ir.argument_types import ArrayType, ScalarKind
from tests.mdh.frontend.to_algebra.test_bounds_checks import function_of, outcome

VECTOR, SIZE = ArrayType(float64, 1), ScalarKind(int64, True)
# The subscript, and those of the rows: 0 ≤ j < N, 0 ≤ k < K.
FOUND = {
    "N*i + j": "i, j",
    "i*N + j": "i, j",
    "j + i*N": "i, j",
    "N*(i + 1) - 1 - j": "i, N - j - 1",
    "N*i + N - 1 - j": "i, N - j - 1",
    "(i + 1)*N + j": "i + 1, j",
    "-(-i*N - j)": "i, j",
    "2*N*i + j": "2*i, j",
    "N*i": "i, 0",
    "N*(i + i) + j - j": "2*i, 0",
    "N*i + K*i - i*K + j": "i, j",
    "K*(N*i + j) + k": "i, j, k",
    "(i*N + j + N)*K + k": "i + 1, j, k",
    "K*(N*i + N - 1 - j) + K - 1 - k": "i, N - j - 1, K - k - 1",
}
NOT_FOUND = (
    "N*i + j + 1",
    "M*i + j",
    "N*j + i",
    "N*i + k",
    "N*i - j",
    "i*j + N",
    "N*i + 2*j",
    "N*N*i*j + k",
    "N*(i - 1) + j",
    "i // 2*N + j",
    "N*abs(i) + j",
)


def text(index: str, loops: str = "ijk") -> str:
    lines = ["def f(C, A, M, N, K):"]
    for depth, name in enumerate(loops, 1):
        lines.append("    " * depth + f"for {name} in range({dict(i='M', j='N', k='K')[name]}):")
    return "\n".join([*lines, "    " * (len(loops) + 1) + f"C[{index}] = 0.5 * C[{index}] + A[{index}]\n"])


def traced(index: str) -> Program:
    return trace(capture(function_of(text(index))), (VECTOR, VECTOR, SIZE, SIZE, SIZE))


def updated(call: Callable[..., object], area: int, sizes: tuple[int, int, int]) -> float:
    """What the elements come to, each weighted by its place."""
    c, a = np.arange(1.0, area + 1), np.arange(area) % 7.0
    call(c, a, *sizes)
    return float((c * np.arange(3, area + 3)).sum())


@pytest.mark.parametrize("index", FOUND)
def test_rows(index: str) -> None:
    program = traced(index)
    (expression,) = expressions(program.steps)
    (written,) = expression.out_view
    assert written.buffer == "C_rows" and ", ".join(map(str, written.index)) == FOUND[index]
    assert {v.of for v in program.views} == {"A", "C"}
    assert all(", ".join(map(str, v.shape[1:])) in ("N", "N, K") for v in program.views)
    for m, n, k in ((3, 4, 2), (1, 1, 1), (2, 3, 5), (4, 1, 2), (3, 1, 1), (0, 3, 2), (3, 0, 2), (3, 2, 0)):
        for area in {m * n * k, m * n, 2 * m * n * k, (m + 1) * n * k, (m + 1) * n, m * n * k - 1, m * n * k + 2}:
            if area < 0:
                continue
            wanted = outcome(updated, function_of(text(index)), area, (m, n, k))
            assert outcome(updated, lambda *args: run(program, *args), area, (m, n, k)) == wanted, (m, n, k, area)


@pytest.mark.parametrize("index", NOT_FOUND)
def test_what_is_not_certain_to_stay_in_its_row(index: str) -> None:
    try:
        program = traced(index)
    except NotAnMdhError:
        return
    assert not program.views


def test_all_subscripts_of_an_array_have_to_agree() -> None:
    body = "C[N*i + j] = A[N*i + j] + C[{}]"
    loops = "def f(C, A, M, N, K):\n    for i in range(M):\n        for j in range(N):\n            "
    for other, rows in (("N*i + j", {"A", "C"}), ("K*i + j", {"A"}), ("0", {"A", "C"})):
        function = function_of(loops + body.format(other) + "\n")
        try:
            program = trace(capture(function), (VECTOR, VECTOR, SIZE, SIZE, SIZE))
        except NotAnMdhError:
            continue
        assert {v.of for v in program.views} <= rows


def test_elements_of_one_row_beside_rows() -> None:
    lines = ("for i in range(M):", "    for j in range(N):", "        C[N*i + j] = A[N*i + j] + A[j] + A[N + j]")
    program = trace(
        capture(function_of("def f(C, A, M, N, K):\n" + "".join(f"    {line}\n" for line in lines))),
        (VECTOR, VECTOR, SIZE, SIZE, SIZE),
    )
    (expression,) = expressions(program.steps)
    read = {(a.buffer, ", ".join(map(str, a.index))) for a in expression.inp_view}
    assert read == {("A_rows", "i, j"), ("A_rows", "0, j"), ("A_rows", "1, j")}


def test_a_length_is_known_before_everything_else() -> None:
    """Rows of a length that the function computes are none: their views would be made before it is."""
    text = "def f(C, A, M, N, K):\n    n = A.shape[0] // M\n    for i in range(M):\n        for j in range(n):\n"
    program = trace(
        capture(function_of(text + "            C[n*i + j] = A[n*i + j]\n")), (VECTOR, VECTOR, SIZE, SIZE, SIZE)
    )
    c, a = np.zeros(12), np.arange(12.0)
    run(program, c, a, 3, 4, 1)
    np.testing.assert_array_equal(c, a)


@pytest.mark.parametrize("end, found", [("min(N, M)", True), ("min(K, min(M, N))", True), ("max(N, M)", False)])
def test_the_least_of_several_sizes_is_none_that_is_greater(end: str, found: bool) -> None:
    text = f"def f(C, A, M, N, K):\n    for i in range(M):\n        for j in range({end}):\n"
    function = function_of(text + "            C[N*i + j] += A[N*i + j]\n")
    program = trace(capture(function), (VECTOR, VECTOR, SIZE, SIZE, SIZE))
    assert {v.of for v in program.views} == ({"A", "C"} if found else set())
    for sizes in ((3, 4, 2), (4, 3, 9), (1, 1, 1), (0, 3, 2), (3, 0, 2), (3, 2, -1)):
        wanted = outcome(updated, function, 12, sizes)
        assert outcome(updated, lambda *args: run(program, *args), 12, sizes) == wanted
