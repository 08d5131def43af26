"""Arrays of one iteration, arrays written out, functions defined inside: they mean what Python makes of them."""

from __future__ import annotations

import copy
import functools

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.mdh.algebra.semantics import interp
from tests.laws.agreement import traced


def local_sums(P, Q):
    for i in range(len(P)):
        total = np.zeros(3)
        for j in range(len(P)):
            for k in range(3):
                total[k] += P[j, k] - P[i, k]
        for k in range(3):
            Q[i, k] = total[k]


def local_without_fill(P, Q):
    for i in range(len(P)):
        d = np.empty(3)
        for k in range(3):
            d[k] = 2 * P[i, k]
        Q[i, 0] = d[0] + d[1] * d[2]


def local_matrix(P, Q):
    for i in range(len(P)):
        m = np.ones((2, 3), np.float32)
        m[1, :] = P[i]
        Q[i] = m[0] + m[1]


def local_in_steps(P, Q):
    for _ in range(4):
        before = np.full_like(P, 0.5)
        for i in range(1, len(P)):
            for k in range(3):
                before[i, k] += P[i - 1, k]
        for i in range(len(P)):
            for k in range(3):
                P[i, k] = before[i, k] / 2


def local_that_grows(P, Q):
    for i in range(len(P)):
        row = np.zeros(i + 1)
        for k in range(i + 1):
            row[k] = P[k, 0]
        Q[i, 1] = row.sum()


def written_out(P, Q):
    weights = np.array([0.25, 0.5, 0.25])
    for i in range(1, len(P) - 1):
        for d in range(3):
            Q[i, 0] += weights[d] * P[i + d - 1, 0]


def written_out_rows(P, Q):
    turn = np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 1]])
    for i in range(len(P)):
        for a in range(3):
            for b in range(3):
                Q[i, a] += turn[a, b] * P[i, b]


def written_out_of_values(P, Q):
    for i in range(len(P)):
        ends = np.array([P[i, 0], 2, P[i, 1] + 1])
        Q[i, 2] = ends.max() + np.asarray((1, 2), dtype=np.float32)[1]


def function_inside(P, Q):
    scale = 3.0

    def scaled(v, by=2.0):
        if v > 0.5:
            return v * by
        return v * scale

    for i in range(len(P)):
        for k in range(3):
            Q[i, k] = scaled(P[i, k]) + scaled(P[i, 0], by=P[i, 1])
        scale = 4.0


def lambda_inside(P, Q):
    power = 2
    f = lambda v, c=power: v**c + power  # noqa: E731
    for i in range(len(P)):
        Q[i, 0] = f(P[i, 0])


def function_with_loops(P, Q):
    def norm(i):
        total = 0.0
        for k in range(P.shape[1]):
            total += P[i, k] * P[i, k]
        return total

    def first_large(i):
        for k in range(3):
            if P[i, k] > 0.6:
                return k
        return -1

    for i in range(len(P)):
        Q[i, 0] = norm(i)
        Q[i, 1] = first_large(i)


def weighted(weight, offset, v):
    return weight * v + offset


half = functools.partial(weighted, 0.5, 2)
shifted = functools.partial(weighted, 1.5, offset=3)


def kept_arguments(P, Q):
    for i in range(len(P)):
        Q[i, 0] = half(half(P[i, 0]))
        Q[i, 1] = shifted(v=P[i, 1]) + shifted(v=P[i, 0], offset=1)


WEIGHTS = mdh.constant([0.25, 0.5, 0.25])
TURN = mdh.constant(np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 1]], np.int32))


def constant_arrays(P, Q):
    for i in range(1, len(P) - 1):
        for d in range(3):
            Q[i, 0] += WEIGHTS[d] * P[i + d - 1, 0]
        for a in range(3):
            for b in range(3):
                Q[i, a] += TURN[a, b] * P[i, b]
        Q[i, 1] += WEIGHTS[-1] + WEIGHTS.sum()


def own_element_again(P, Q):
    for i in range(len(P)):
        last = 0.0
        for k in range(3):
            Q[i, k] = P[i, k] * k + last
            last = Q[i, k]


PROGRAMS = [
    local_sums, local_without_fill, local_matrix, local_in_steps, local_that_grows, written_out, written_out_rows,
    written_out_of_values, function_inside, lambda_inside, function_with_loops, kept_arguments, constant_arrays,
    own_element_again,
]  # fmt: skip


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_same_as_python(function) -> None:
    decorated = mdh.jit(function, tune="off", cache=False)
    program = None
    for n in (5, 1, 0, 17):
        expected = [np.random.default_rng(n).random((n, 3)), np.zeros((n, 3))]
        interpreted, compiled = copy.deepcopy(expected), copy.deepcopy(expected)
        function(*expected)
        program = program or traced(function, interpreted)
        interp.run(program, *interpreted)
        decorated(*compiled)
        for a, b, c in zip(expected, interpreted, compiled):
            np.testing.assert_allclose(b, a, rtol=1e-14)
            np.testing.assert_allclose(c, a, rtol=1e-14)


def test_constants_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="read-only"):
        WEIGHTS[0] = 1
    with pytest.raises(ValueError, match="WRITEABLE"):
        WEIGHTS.flags.writeable = True


def test_another_constant_is_other_code() -> None:
    space = {"mdh": mdh, "weights": mdh.constant([1.0, 2.0])}

    def weighted(x):
        return weights[0] * x[0] + weights[1] * x[1]  # type: ignore[name-defined] # noqa: F821

    function = type(weighted)(weighted.__code__, space, "weighted")
    decorated = mdh.jit(function)
    assert decorated(np.ones(2)) == 3
    space["weights"] = mdh.constant([1.0, 3.0])
    assert decorated(np.ones(2)) == 4
    assert mdh.jit(type(weighted)(weighted.__code__, space, "weighted"))(np.ones(2)) == 4


def test_what_a_local_array_does_not_have() -> None:
    def beyond(P, Q):
        for i in range(len(P)):
            d = np.zeros(3)
            for k in range(len(Q)):
                Q[i, 0] += d[k]

    P = np.ones((5, 3))
    with pytest.raises(IndexError), pytest.warns(mdh.JitWarning, match="out of bounds"):
        mdh.jit(beyond, cache=False, fallback="python")(P, P.copy())
