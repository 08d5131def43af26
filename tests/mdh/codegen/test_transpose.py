"""Copies whose source is contiguous along another axis are turned in registers: same elements, any block length."""

from __future__ import annotations

import numpy as np
import pytest

from jitmdh.base.dtype import float32, float64
from jitmdh.mdh.codegen.kernel_ir import Interleave, Name
from jitmdh.mdh.codegen.scope import Scope
from jitmdh.mdh.codegen.transpose import transposed
from jitmdh.mdh.lowering.params import Configuration, Level
from tests.mdh.algebra import examples as ex
from tests.mdh.codegen.native import Native, host


@pytest.mark.parametrize("rows", [2, 3, 4, 6, 8, 12, 14, 16, 31])
@pytest.mark.parametrize("features", [None, "avx2", "128"])
def test_rows_of_a_matrix_in_panels(rows: int, features: str | None) -> None:
    """Panels of `rows` rows, walked along the columns, as for the left operand of a matrix product."""
    panels = Configuration(
        part_size=((Level("L1", "i"), rows),),
        input_region=((0, Level("MM", ""), "L2"),),
        input_layout=((0, ((0, rows), (1, 1), (0, 1))),),
    )
    program = ex.program(ex.matmul(float32))
    native = Native(program, lambda *_: panels, features=features)
    random = np.random.default_rng(rows)
    for m, n, k in [(rows, 3, 16), (2 * rows + 1, 2, 37), (rows - 1, 1, 64), (3 * rows, 1, 5)]:
        a, b = (random.integers(-4, 5, s).astype(np.float32) for s in ((m, k), (k, n)))
        c = np.zeros((m, n), np.float32)
        native(c, a, b)
        np.testing.assert_array_equal(c, a @ b)


@pytest.mark.parametrize("count", [2, 3, 5, 8])
def test_as_many_columns_as_lanes(count: int) -> None:
    scope = Scope(host())
    out: list[object] = []
    rows = [Name(f"row{n}", float64, 8) for n in range(count)]
    columns = transposed(rows, scope, out)  # type: ignore[arg-type]
    assert len(columns) == 8
    assert {c.lanes for c in columns} == {1 << max(1, (count - 1).bit_length())}
    assert all(isinstance(s.value, Interleave) for s in out)  # type: ignore[attr-defined]
