"""Copies whose source is contiguous along another axis are transposed in registers: same elements, any block length."""

from __future__ import annotations

import numpy as np
import pytest

from jitmdh.base.dtype import ScalarType, float32, float64, int8
from jitmdh.mdh.codegen.context.scope import Scope
from jitmdh.mdh.codegen.packing.transpose import transposed
from jitmdh.mdh.kernel.ir import Let, Literal, Merge, Name, Splat, Statement, Value
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration, Level
from tests.laws.guard_pages import guarded
from tests.mdh.algebra import examples as ex
from tests.mdh.codegen.native import Native, host


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("rows", [2, 3, 4, 6, 8, 12, 14, 16, 31, 80])
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


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("features", [None, "avx2"])
@pytest.mark.parametrize("block", [2, 3, 4, 5, 6, 7, 8])
@pytest.mark.parametrize("rows", [3, 8, 14, 16])
def test_blocks_along_both_axes(rows: int, block: int, features: str | None) -> None:
    """Panels that are a few elements of the source's rows wide: whole blocks of a vector's columns at a time, in rows
    that are one block, too."""
    panels = Configuration(
        part_size=((Level("L1", "i"), rows), (Level("L1", "k"), block)),
        input_region=((0, Level("MM", ""), "L2"),),
        input_layout=((0, ((0, rows), (1, block), (1, 1), (0, 1))),),
    )
    native = Native(ex.program(ex.matmul(float32)), lambda *_: panels, features=features)
    assert features is None or "shufflevector" in native.text
    random = np.random.default_rng(rows)
    sizes = [(rows, 3, 16), (2 * rows + 1, 2, 37), (rows - 1, 1, 64), (3 * rows, 1, 5), (2 * rows, 2, 23)]
    for m, n, k in [*sizes, (rows, 3, block), (2 * rows, 2, 2 * block)]:
        a, b = (guarded(random.integers(-4, 5, s).astype(np.float32), at_end=True) for s in ((m, k), (k, n)))
        c = np.zeros((m, n), np.float32)
        native(c, a, b)
        np.testing.assert_array_equal(c, a @ b)


def test_panels_along_the_rows_of_the_source_are_not_transposed() -> None:
    panels = Configuration(
        part_size=((Level("L1", "i"), 2), (Level("L1", "k"), 6)),
        input_region=((0, Level("MM", ""), "L2"),),
        input_layout=((0, ((0, 1), (1, 6), (1, 1))),),
    )
    native = Native(ex.program(ex.matmul(float32)), lambda *_: panels, features="avx2")
    a, b = np.arange(35, dtype=np.float32).reshape(5, 7), np.arange(14, dtype=np.float32).reshape(7, 2)
    c = np.zeros((5, 2), np.float32)
    native(c, a, b)
    np.testing.assert_array_equal(c, a @ b)


@pytest.mark.parametrize("block", [4, 6, 12])
def test_short_blocks_along_the_rows_of_the_source_are_moved_in_vectors(block: int) -> None:
    """As wide as divide a block, be they shorter than the machine's."""
    panels = Configuration(
        part_size=((Level("L1", "i"), 2), (Level("L1", "k"), block)),
        input_region=((0, Level("MM", ""), "L2"),),
        input_layout=((0, ((1, block), (0, 1), (1, 1))),),
    )
    native = Native(ex.program(ex.matmul(float32)), lambda *_: panels, features="avx2")
    assert f"<{block & -block} x float>" in native.text
    for k in (1, block, 2 * block + 3):
        a, b = np.arange(5 * k, dtype=np.float32).reshape(5, k), np.arange(2 * k, dtype=np.float32).reshape(k, 2)
        c = np.zeros((5, 2), np.float32)
        native(c, a, b)
        np.testing.assert_array_equal(c, a @ b)


@pytest.mark.parametrize("rows", [16, 64, 80, 128])
def test_panels_of_any_width_are_transposed_in_registers(rows: int) -> None:
    panels = Configuration(
        part_size=((Level("L1", "i"), rows),),
        input_region=((0, Level("MM", ""), "L2"),),
        input_layout=((0, ((0, rows), (1, 1), (0, 1))),),
    )
    native = Native(ex.program(ex.matmul(float32)), lambda *_: panels, features="avx2")
    moved = [line for line in native.text.splitlines() if "shufflevector" in line and "zeroinitializer" not in line]
    assert len(moved) == 24, "three steps of a block of 8 by 8, which is written once"


@pytest.mark.parametrize(("type", "lanes"), [(float64, 8), (float32, 16), (float32, 4), (int8, 64), (float64, 2)])
@pytest.mark.parametrize("rows", [2, 3, 5, 8, 16])
def test_columns_of_any_number_of_rows(type: ScalarType, lanes: int, rows: int) -> None:
    """The steps, carried out: each element is where it belongs, and 0 stands for rows that are not there."""
    if rows > lanes:
        return
    values: dict[Value, list[int]] = {}
    loads: list[int] = []

    def piece(row: int, first: int, count: int) -> Value:
        name = Name(f"row{row}_{first}", type, count)
        values[name] = [1 + row * lanes + first + n for n in range(count)]
        loads.append(count)
        return name

    def value(node: Value) -> list[int]:
        if isinstance(node, Splat):
            return [0] * node.lanes
        if isinstance(node, Merge):
            both = value(node.left) + value(node.right)
            return [both[p] for p in node.picks]
        return values[node]

    out: list[Statement] = []
    columns = transposed(piece, rows, lanes, type, Scope(host()), out)
    for statement in out:
        assert isinstance(statement, Let)
        values[statement.name] = value(statement.value)
    count = 1 << max(1, (rows - 1).bit_length())
    wanted = [[1 + row * lanes + c if row < rows else 0 for row in range(count)] for c in range(lanes)]
    assert [value(c) for c in columns] == wanted
    assert sum(loads) == rows * lanes, "each element is read once"
    # Two rows with all their columns take two instructions for each step of the way.
    merges = [s for s in out if isinstance(s, Let) and isinstance(s.value, Merge)]
    assert len(merges) <= lanes * (count - 1).bit_length()


@pytest.mark.parametrize("fill", [0.0, -0.0, 5.0])
def test_what_is_the_same_everywhere_is_not_moved(fill: float) -> None:
    """Of a row of three columns the fourth, and those behind it, are the same for all rows: no instruction for them."""
    values: dict[Value, list[float]] = {}

    def piece(row: int, first: int, count: int) -> Value:
        if first >= 3:
            return Splat(Literal(fill, float32), float32, count)
        name = Name(f"row{row}_{first}", float32, count)
        values[name] = [1.0 + row * 16 + first + n if first + n < 3 else fill for n in range(count)]
        return name

    def value(node: Value) -> list[float]:
        if isinstance(node, Splat):
            assert isinstance(node.value, Literal)
            return [float(node.value.value)] * node.lanes
        if isinstance(node, Merge):
            both = value(node.left) + value(node.right)
            return [both[p] for p in node.picks]
        return values[node]

    out: list[Statement] = []
    columns = transposed(piece, 16, 16, float32, Scope(host()), out)
    for statement in out:
        assert isinstance(statement, Let) and not isinstance(statement.value, Splat)
        values[statement.name] = value(statement.value)
    wanted = [[1.0 + row * 16 + c if c < 3 else fill for row in range(16)] for c in range(16)]
    assert [[str(n) for n in value(c)] for c in columns] == [[str(n) for n in column] for column in wanted]
    assert sum(isinstance(s, Let) and isinstance(s.value, Merge) for s in out) <= 16 * 4 // 2
