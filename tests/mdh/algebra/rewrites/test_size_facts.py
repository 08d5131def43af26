"""What the checks of a call say of sizes lets arrays be read as wholes under a guard; copies stay where points are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.dtype import float64, int64
from jitmdh.mdh.algebra.expr import Expression, expressions
from jitmdh.mdh.algebra.rewrites.size_facts import inside_everywhere, with_size_facts
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.trace import trace
from jitmdh.mdh.frontend.trace_ir.argument_types import ArrayType, ScalarKind
from tests.laws.guard_pages import guarded

MATRIX, NUMBER = ArrayType(float64, 2), ScalarKind(int64, True)


def rank_k_update(C: Any, A: Any) -> None:
    for i in range(C.shape[0]):
        for k in range(A.shape[1]):
            for j in range(i + 1):
                C[i, j] += A[i, k] * A[j, k]


def lower_product(C: Any, A: Any, n: int, m: int) -> None:
    for i in range(n):
        for k in range(A.shape[1]):
            for j in range(m):
                if j <= i:
                    C[i, j] += A[j, k] * A[j, k]


def flat_rank_k_update(C: Any, A: Any, n: int, m: int) -> None:
    for i in range(n):
        for k in range(m):
            for j in range(i + 1):
                C[n * i + j] += A[m * i + k] * A[m * j + k]


def flat_lower_product(C: Any, A: Any, n: int, m: int, terms: int) -> None:
    for i in range(n):
        for k in range(terms):
            for j in range(m):
                if j <= i:
                    C[m * i + j] += A[terms * j + k] * A[terms * j + k]


def told(function: Any, *arguments: Any) -> Expression:
    program = trace(capture(function), arguments)
    before = [str(e) for e in expressions(program.steps)]
    after = list(expressions(with_size_facts(program).steps))
    assert [str(e) for e in after] == before
    return next(e for e in after if e.collapsed)


def test_rows_that_a_check_promises_may_be_read_as_wholes() -> None:
    e = told(rank_k_update, MATRIX, MATRIX)
    assert [inside_everywhere(e, a) for a in e.inp_view] == [True, True]


def test_rows_of_flat_arrays_exist_up_to_the_element_that_a_check_names() -> None:
    e = told(flat_rank_k_update, ArrayType(float64, 1), ArrayType(float64, 1), NUMBER, NUMBER)
    assert [inside_everywhere(e, a) for a in e.inp_view] == [True, True]
    assert {(view, *map(str, there)) for view, there, _ in e.existing} == {("A_rows", "n - 1", "m - 1")}


def test_rows_of_flat_arrays_that_other_points_are_needed_for_need_not_exist() -> None:
    e = told(flat_lower_product, ArrayType(float64, 1), ArrayType(float64, 1), NUMBER, NUMBER, NUMBER)
    assert any(a.buffer == "A_rows" for a in e.inp_view)
    assert not any(inside_everywhere(e, a) for a in e.inp_view)


@pytest.mark.parametrize(("n", "m"), [(40, 8), (17, 33), (1, 1), (0, 5), (5, 0)])
def test_flat_rows_at_the_end_of_memory(n: int, m: int) -> None:
    """What is behind the last element that the loops need cannot be touched."""
    rng = np.random.default_rng(n + m)
    C, A = rng.random(n * n), guarded(rng.random(n * m), True)
    want = C.copy()
    flat_rank_k_update(want, A, n, m)
    mdh.jit(tune="off")(flat_rank_k_update)(C, A, n, m)
    np.testing.assert_allclose(C, want, rtol=1e-12)


@pytest.mark.parametrize(("n", "m"), [(0, 1 << 20), (64, 64), (64, 40)])
def test_flat_rows_that_are_not_there_are_not_read(n: int, m: int) -> None:
    rng = np.random.default_rng(n)
    C, A = rng.random(64 * 64), guarded(rng.random(32 * m if n else 0), True)
    want = C.copy()
    flat_lower_product(want, A, n, m if n else 0, 32)
    mdh.jit(tune="off")(flat_lower_product)(C, A, n, m, 32)
    np.testing.assert_allclose(C, want, rtol=1e-12)


def test_the_compiler_packs_such_rows() -> None:
    """Lanes of A lie apart in memory: without the promise each of them is loaded by itself."""
    C, A = np.ones((80, 80)), np.ones((80, 60))
    said = str(mdh.jit(tune="off")(rank_k_update).explain(C, A, measure=False))
    assert "A is not packed" not in said


def test_a_promise_that_other_points_are_needed_for_is_none() -> None:
    """Where n is 0, nothing says that A has m rows: a copy before the loop of i would read what is not there."""
    e = told(lower_product, MATRIX, MATRIX, NUMBER, NUMBER)
    assert not any(inside_everywhere(e, a) for a in e.inp_view)


@pytest.mark.parametrize("n", [0, 1, 5, 33, 80])
@pytest.mark.parametrize("terms", [0, 1, 7, 60])
def test_triangles(n: int, terms: int) -> None:
    rng = np.random.default_rng(n + terms)
    C, A = rng.random((n, n)), rng.random((n + 2, terms))
    want = C + np.tril(A[:n] @ A[:n].T)
    mdh.jit(tune="off")(rank_k_update)(C, A)
    np.testing.assert_allclose(C, want, rtol=1e-12)


@pytest.mark.parametrize(("n", "m"), [(0, 1 << 20), (64, 64), (64, 40), (40, 64)])
def test_rows_that_are_not_there_are_not_read(n: int, m: int) -> None:
    """n = 0: no element is touched, however far m is beyond the end of the array."""
    rng = np.random.default_rng(n)
    C, A = rng.random((64, 64)), rng.random((64, 32))
    want = C.copy()
    lower_product(want, A, n, m if n else 0)
    mdh.jit(tune="off")(lower_product)(C, A, n, m)
    np.testing.assert_allclose(C, want, rtol=1e-12)
