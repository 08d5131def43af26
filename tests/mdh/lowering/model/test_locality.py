"""Which neighbouring computations go under one loop, on a machine with 1 MiB of L2 a core."""

from __future__ import annotations

import numpy as np

from jitmdh.base.dtype import ScalarType, float32, float64
from jitmdh.mdh.algebra.check import check
from jitmdh.mdh.algebra.expr import Together
from jitmdh.mdh.algebra.rewrites.neighbours.together import together
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.trace import trace
from jitmdh.mdh.frontend.trace_ir.argument_types import ArrayType
from jitmdh.mdh.lowering.joins import joined
from jitmdh.mdh.lowering.model.locality import apart, points_in_block
from jitmdh.mdh.machine.known import known

MACHINE = known("zen4", cores=1)


def products(Q, K, I, S):
    for e in range(Q.shape[0]):
        t = np.zeros((K.shape[0], I.shape[2]))
        for i in range(K.shape[0]):
            for j in range(I.shape[2]):
                for k in range(K.shape[1]):
                    t[i, j] += K[i, k] * I[e, k, j]
        for i in range(K.shape[0]):
            for j in range(Q.shape[2]):
                for k in range(S.shape[0]):
                    Q[e, i, j] += t[i, k] * S[k, j]


def reason(elements: int, rows: int, columns: int) -> str | None:
    """Of the two products for each element; the matrices K and S are the same for all."""
    program = together(trace(capture(products), tuple(ArrayType(float64, n) for n in (3, 2, 3, 2))), lambda *_: True)
    (gathered,) = (step for step in program.steps if isinstance(step, Together))
    shapes = {
        "Q": (elements, rows, columns),
        "K": (rows, rows),
        "I": (elements, rows, columns),
        "S": (columns, columns),
    }
    sizes = {f"{name}.shape[{axis}]": n for name, shape in shapes.items() for axis, n in enumerate(shape)}
    return apart(gathered, sizes, MACHINE, 1)


def test_what_leaves_the_caches_otherwise_goes_together() -> None:
    assert reason(20000, 20, 9) is None
    assert reason(3, 20, 9) == "e has only 3 points"
    assert "takes" in (reason(20000, 300, 200) or "")


def softmax(x):
    y = np.exp(x - x.max(axis=1, keepdims=True))
    return y / y.sum(axis=1, keepdims=True)


def test_long_rows_stay_in_the_last_cache() -> None:
    """Where each element is used once a step; products use theirs again, and are blocked for L2 by themselves."""
    assert reason_of_rows(400, 40_000) is None
    assert reason_of_rows(20, 40_000) == "all of it stays in L3 as it is"
    assert "more than half of L3" in (reason_of_rows(40, 4_000_000) or "")


def test_reductions_of_short_rows_do_not_wait_for_each_other() -> None:
    """A row of 100 is 13 vectors: a few rows go through each step, unless all of it stays in L2."""
    assert "wait for each other" in (reason_of_rows(10_000, 100) or "")
    assert reason_of_rows(2000, 400) is None
    assert reason_of_rows(100_000, 100) is None
    assert [block(rows, 100) for rows in (10_000, 100_000, 400)] == [4, 4, None]
    assert [block(10**8 // columns, columns) for columns in (8, 16, 24, 48, 184, 200)] == [4, 4, 4, 4, 4, None]
    assert [block(10**8 // columns, columns, float32) for columns in (16, 48, 49, 380, 384)] == [8, 8, 4, 4, None]


def test_the_last_step_waits_too() -> None:
    """Of a function and its sum, row by row: lanes of one row are combined while no other row is there."""

    def sums(x, t, s):
        t[:] = np.exp(x)
        s[:] = t.sum(axis=1)

    program = trace(capture(sums), (ArrayType(float64, 2), ArrayType(float64, 2), ArrayType(float64, 1)))
    sizes = {f"{name}.shape[{axis}]": n for name in "xts" for axis, n in enumerate((10_000, 100))}
    assert [join.tile for join in joined(program, sizes, MACHINE, 1, None).joins] == [4]


def test_no_loop_over_neighbours_in_memory() -> None:
    """Of arrays in Fortran's order, these are points of the first dimension."""

    def variances(x, s):
        s[:] = x.var(axis=1)

    program = trace(capture(variances), (ArrayType(float64, 3), ArrayType(float64, 2)))
    sizes = dict(zip(("x.shape[0]", "x.shape[1]", "x.shape[2]", "s.shape[0]", "s.shape[1]"), (530, 182, 61, 530, 61)))
    assert [join.dims[0] for join in joined(program, sizes, MACHINE, 1, None).joins] == ["i"]
    assert not joined(program, sizes, MACHINE, 1, None, {"x": 0, "s": 1}).joins


def test_what_saves_less_than_waiting_takes_stays_apart() -> None:
    """Two sums of a row of 7 vectors: to read it from L3 once more takes no longer than to wait in blocks of 4."""

    def moments(x, mean, variance):
        mean[:] = x.mean(axis=1)
        variance[:] = ((x - mean[:, None]) ** 2).mean(axis=1)

    types = ArrayType(float32, 2), ArrayType(float32, 1), ArrayType(float32, 1)
    program = trace(capture(moments), types)

    def chosen(rows: int) -> list[int | None]:
        sizes = {"x.shape[0]": rows, "x.shape[1]": 100, "mean.shape[0]": rows, "variance.shape[0]": rows}
        return [join.tile for join in joined(program, sizes, MACHINE, 1, None).joins]

    assert chosen(10_000) == [] and chosen(300_000) == [4]


def test_blocks_that_are_not_legal_are_not_chosen() -> None:
    """Rows of t are needed elsewhere, moved by one: what goes together is what may."""

    def moved(x, y):
        t = np.exp(x - x.max(axis=1)[:, None])
        y[1:] = t[:-1] / t[:-1].sum(axis=1)[:, None]

    program = trace(capture(moved), (ArrayType(float64, 2),) * 2)
    sizes = {f"{name}.shape[{axis}]": n for name in "xy" for axis, n in enumerate((10_000, 100))}
    made = joined(program, sizes, MACHINE, 1, None)
    assert [len(join.of) for join in made.joins] == [2, 2]
    check(made.program)


def gathered_rows(rows: int, columns: int, type: ScalarType = float64) -> tuple[Together, dict[str, int]]:
    program = together(trace(capture(softmax), (ArrayType(type, 2),)), lambda *_: True)
    (gathered,) = (step for step in program.steps if isinstance(step, Together))
    return gathered, {"x.shape[0]": rows, "x.shape[1]": columns}


def reason_of_rows(rows: int, columns: int) -> str | None:
    return apart(*gathered_rows(rows, columns), MACHINE, 1)


def block(rows: int, columns: int, type: ScalarType = float64) -> int | None:
    return points_in_block(*gathered_rows(rows, columns, type), MACHINE, 1)


def test_what_points_share_is_counted_once() -> None:
    """What 64 elements of 60 × 9 have of their own takes 830 KB; the matrix of 29 KB is not 64 times beside it."""
    assert reason(64, 60, 9) == "all of it stays in L2 as it is"
    assert reason(80, 60, 9) is None
