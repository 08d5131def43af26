"""`s.of`: configurations as transformations, for calls; a law (`test_schedule_scripts`) holds it for all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh import schedule as s
from jitmdh.base.errors import ConfigurationError, ScheduleError

A, B = np.random.default_rng(0).random((40, 70)), np.random.default_rng(1).random((70, 60))


def matmul(C: Any, A: Any, B: Any) -> None:
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


def blur(y: Any, x: Any) -> None:
    for i in range(1, x.shape[0] - 1):
        y[i] = x[i - 1] + x[i] + x[i + 1]


@pytest.mark.usefixtures("two_cores")
@pytest.mark.parametrize(
    "schedule",
    [{}, {"part_size": {"(L1,i)": 2}}, {"input_region": [["B", "(MM,)", "L2"]], "input_layout": []}],
    ids=["the model's", "a part", "a copy"],
)
def test_the_script_makes_the_configuration(schedule: dict[str, Any]) -> None:
    C = np.zeros((40, 60))
    expected = mdh.jit(schedule=schedule or None)(matmul).config(C, A, B)["matmul"]
    made = s.of({"matmul": expected}, matmul, C, A, B)
    names: dict[str, Any] = {"s": s, "f": matmul, "arguments": (C, A, B)}
    exec(made.script(), names)
    assert names["nest"] == made and made.space.size == 1
    again = mdh.jit(schedule=names["nest"])(matmul)
    found = again.config(C, A, B)["matmul"]
    for name in ("part_size", "decomposition_order", "input_region", "recomposition_order"):
        assert found[name] == expected[name], name
    again(C, A, B)
    np.testing.assert_allclose(C, A @ B)


def test_what_is_read_in_several_places_has_names() -> None:
    x, y = np.arange(50.0), np.zeros(50)
    nest = s.of(mdh.jit(blur).config(y, x), blur, y, x).pack("x[i]", at="i")
    assert "'x[i + 1]'" in nest.script() or "x[i + 2]" in nest.script()
    mdh.jit(schedule=nest)(blur)(y, x)
    np.testing.assert_allclose(y[1:-1], 3 * x[1:-1])


def test_cores_have_a_loop_of_their_own_where_one_is_named() -> None:
    C = np.zeros((40, 60))
    nest = s.build(matmul, C, A, B).tile(k=16).parallelize("j.cores", 2).reorder("k.0", "j.cores", "i", "j", "k")
    assert str(nest).splitlines()[2:5] == [
        "for (k.0 = 0; k.0 < 70; k.0 += 16)",
        "    parallel for (j.cores = 0; j.cores < 60; j.cores += ?)  // 2 parts for each core",
        "        for (i = 0; i < 40; i++)",
    ]
    assert nest.configuration().decomposition_order[1].layer == "COR"
    mdh.jit(schedule=nest)(matmul)(C, A, B)
    np.testing.assert_allclose(C, A @ B)
    with pytest.raises(ScheduleError, match="cores take parts of `j` already"):
        nest.parallelize("j.cores")


def test_what_is_not_legal_is_no_script() -> None:
    with pytest.raises(ConfigurationError, match="is not legal"):
        s.of({"decomposition_order": ["(L1,k)", "(L1,i)", "(L1,j)"]}, matmul, np.zeros((40, 60)), A, B)


@pytest.mark.usefixtures("two_cores")
def test_several_transformations_as_one_are_legal_if_what_they_come_to_is() -> None:
    """A lane too many on the way; alone it is refused, and blamed where all of it is not legal."""
    nest = s.build(matmul, np.zeros((40, 60)), A, B)
    wide = s.unroll("i", 40) | s.unroll("j", 60)
    with pytest.raises(ScheduleError, match="vectors"):
        nest.unroll("i", 40).unroll("j", 60)
    assert (nest | (wide | s.unroll("j", 1))).configuration().size("L1", "i") == 40
    with pytest.raises(ScheduleError, match=r"unroll: .*vectors"):
        nest | (wide | s.vectorize("j", 1))


def test_tiles_longer_than_their_dimension_are_one_part_and_said_so() -> None:
    C = np.zeros((40, 60))
    nest = s.build(matmul, C, A, B).tile(j=1000)
    mine = mdh.jit(schedule=nest)(matmul)
    assert "j: parts of 1000 are longer than its 60 points, so there is one part" in str(mine.explain(C, A, B))
    mine(C, A, B)
    np.testing.assert_allclose(C, A @ B)


@pytest.mark.usefixtures("two_cores")
def test_rows_that_share_a_set_are_read_in_wide_tiles() -> None:
    """Of a product with its reduction outside of rows: rows of 8,192 bytes throw each other out, of 8,000 do not."""

    def widths(n: int) -> tuple[int, int]:
        nest = s.build(matmul, *(np.empty((n, n)) for _ in range(3))).interchange("j", "k").vectorize("j")
        found = dict((str(level), size) for level, size in nest.configuration().part_size)
        return found["(L1,j)"], found["(REG,j)"]

    (apart, lanes), (together, _) = widths(1000), widths(1024)
    assert together >= apart and (together >= 16 or lanes == 2)
