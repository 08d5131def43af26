"""Working buffers that loops take anew for each round, before and after."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.dtype import float32
from jitmdh.mdh.kernel.arithmetic import integer
from jitmdh.mdh.kernel.ir import (
    Apply,
    BufferArgument,
    For,
    Kernel,
    Let,
    Literal,
    Load,
    Parallel,
    Return,
    Scratch,
    Statement,
    Store,
    Value,
)
from jitmdh.mdh.kernel.passes.memory.invariant_copies import hoist_copies
from jitmdh.mdh.kernel.rewrite import statements
from tests.mdh.kernel.passes.examples import apply, body, kernel, number, text, written

# mypy: disable-error-code="no-untyped-def"

E, P, Q, N, TASK = (number(name) for name in ("e", "p", "q", "n", "task"))


def _shared(*inside: Statement, rounds: Value | int = 3) -> Kernel:
    """A loop of tasks; n is 4."""
    end = integer(rounds) if isinstance(rounds, int) else rounds
    loop = For(E, integer(0), end, integer(1), inside)
    return kernel(Let(N, integer(4)), Parallel(TASK, integer(1), (loop,), "COR e"), Return(integer(0)))


def _copied(*more: Statement, count: Value = N, region: str = "L3", source: Value = P, of: str = "x") -> Scratch:
    """A copy of n elements, of which each round reads all; more: what is done between."""
    fill = For(P, integer(0), N, integer(1), (Store("c", P, Load(of, source, float32)),))
    place = apply("add", apply("mul", E, N), Q)
    use = For(Q, integer(0), N, integer(1), (Store("y", place, Load("c", Q, float32)),))
    return Scratch("c", float32, count, (fill, *more, use), region)


def test_golden() -> None:
    before = _shared(Let(number("size"), apply("mul", N, integer(2))), _copied(count=number("size")))
    after = hoist_copies(before)
    assert body(after) == text("""
        const long n = 4;
        parallel for (long task = 0; task < 1; task++) {  // COR e
            const long size = n * 2;
            float *c = scratch(size);  // L3
            {
                if (0 < 3) {
                    for (long p = 0; p < n; p += 1) {
                        c[p] = x[p];
                    }
                }
                for (long e = 0; e < 3; e += 1) {
                    for (long q = 0; q < n; q += 1) {
                        y[(e * n) + q] = c[q];
                    }
                }
            }
        }
        return status;
    """)
    assert np.array_equal(written(before, 0), written(after, 0))


def test_a_copy_of_whole_elements_is_of_all_their_parts() -> None:
    """It goes by the name of the first part, and the loop writes the second."""
    inside = _copied(Store("z", E, Literal(5.0, float32)))
    before = _shared(inside)
    parts = (BufferArgument("x", float32, 1, True, of="w"), BufferArgument("z", float32, 1, True, offset=4, of="w"))
    before = replace(before, buffers=(before.buffers[0], *parts))
    loop = next(n for n in statements(hoist_copies(before).body) if isinstance(n, For) and n.name == E)
    assert inside.body[0] in loop.body


def _in_loops(kernel: Kernel) -> list[set[type]]:
    return [{type(s) for s in statements(node.body)} for node in statements(kernel.body) if isinstance(node, For)]


@pytest.mark.parametrize(
    "inside",
    [
        pytest.param(_copied(source=apply("add", E, P)), id="another element in each round"),
        pytest.param(_copied(Store("c", integer(0), Load("x", E, float32))), id="written after it was filled"),
        pytest.param(_copied(of="y"), id="what it copies is written"),
    ],
)  # fmt: skip
def test_a_fill_that_changes_stays(inside: Scratch) -> None:
    before = _shared(inside)
    after = hoist_copies(before)
    assert not any(Scratch in kinds for kinds in _in_loops(after)), "the buffer itself stays the same"
    assert next(n for n in statements(after.body) if isinstance(n, Scratch)).body[0] != inside.body[0]
    fills = [n for n in statements(after.body) if isinstance(n, For) and n.name == E]
    assert inside.body[0] in fills[0].body
    assert np.array_equal(written(before, 0), written(after, 0))


@pytest.mark.parametrize(
    "before",
    [
        pytest.param(_shared(_copied(count=apply("add", E, N))), id="another size in each round"),
        pytest.param(_shared(_copied(region="L1")), id="on the stack"),
        pytest.param(kernel(Let(N, integer(4)), For(E, integer(0), N, integer(1), (_copied(),))), id="one thread"),
    ],
)  # fmt: skip
def test_nothing_to_do(before: Kernel) -> None:
    assert hoist_copies(before) is before


def test_without_rounds_nothing_is_read() -> None:
    """`x` may have no elements where the loop around has no rounds."""
    nothing = Apply("minimum", (N, integer(0)), N.type)
    after = hoist_copies(_shared(_copied(), rounds=nothing))
    assert "if (0 < min(n, 0))" in body(after)
    assert (written(after, 0) == 77).all()


def test_of_two_with_one_name_none_moves() -> None:
    before = _shared(_copied(), _copied())
    assert hoist_copies(before) is before


def chain(v, A, u):
    t = np.zeros(v.shape)
    for e in range(v.shape[0]):
        for i in range(v.shape[1]):
            for j in range(v.shape[2]):
                for k in range(v.shape[3]):
                    for l in range(A.shape[1]):
                        t[e, i, j, k] += A[i, l] * u[e, l, j, k]
    for e in range(v.shape[0]):
        for i in range(v.shape[1]):
            for j in range(v.shape[2]):
                for k in range(v.shape[3]):
                    for l in range(A.shape[1]):
                        v[e, i, j, k] += A[k, l] * t[e, i, j, l]


def test_steps_of_a_point_copy_a_matrix_once() -> None:
    """Two threads took a buffer from the pool for each point, and waited for each other."""
    random = np.random.default_rng(0)
    A, u = random.random((7, 7)), random.random((900, 7, 7, 7))
    v = np.zeros(u.shape)
    joined: Any = {"together": [{"chain": "e", "chain 2": "e"}]}
    f = mdh.jit(schedule=joined, tune="off")(chain)
    f(v, A, u)
    assert np.allclose(v, np.einsum("il,eljm,km->eijk", A, u, A))
    code = f.inspect(v, A, u, stage="kernel@invariant_copies")
    loop = code[code.index("// together e") :]
    assert "scratch(" not in loop
    assert "scratch(" in code
