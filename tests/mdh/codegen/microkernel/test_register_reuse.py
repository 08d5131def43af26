"""Points that read the same vector follow each other where an input slides along the results."""

from __future__ import annotations

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.hca.drivers.native_code import cpu_compile
from jitmdh.mdh.algebra.expr import Access
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.codegen.context.tile_shapes import TileDim
from jitmdh.mdh.codegen.microkernel.register_reuse import row, single_elements, sliding
from jitmdh.mdh.kernel.arithmetic import integer

I, J, A, B = (Affine.of(name) for name in "ijab")
IMAGE, WEIGHTS = Access("x", (I + A, J + B)), Access("w", (A, B))


def dims(**counts: int) -> dict[str, TileDim]:
    return {name: TileDim(integer(0), count, 16 if name == "j" else 1) for name, count in counts.items()}


def test_an_input_slides_where_a_subscript_has_a_result_and_a_step() -> None:
    assert sliding((WEIGHTS, IMAGE), dims(i=3, j=2, a=5, b=5), "j", ("a", "b")) == IMAGE
    assert sliding((WEIGHTS, IMAGE), dims(i=1, j=2, a=5, b=5), "j", ("a", "b")) is None  # no other row needs it
    assert sliding((WEIGHTS, IMAGE), dims(i=3, j=2, a=1, b=5), "j", ("a", "b")) is None  # no other step does
    product = (Access("A", (I, A)), Access("B", (A, J)))
    assert sliding(product, dims(i=6, j=2, a=8), "j", ("a",)) is None


def test_points_of_a_row_read_the_same_vectors() -> None:
    first, second = {"i": 0, "j": 16, "a": 2, "b": 3}, {"i": 2, "j": 0, "a": 0, "b": 3}
    assert row(IMAGE, first, "j") == row(IMAGE, second, "j") == (2, 3)
    assert row(IMAGE, first, "j") != row(IMAGE, {**first, "b": 2}, "j")


def test_single_elements_are_those_that_do_not_vary_along_the_lanes() -> None:
    assert single_elements((WEIGHTS, IMAGE), dims(i=3, j=2, a=5, b=5), "j") == 25


def _convolution(extent: int) -> mdh.JitFunction:
    tile = {"(L1,i)": 4, "(L1,j)": 32, "(REG,j)": 16, "(L1,a)": extent, "(L1,b)": extent}

    @mdh.jit(tune="off", schedule={"part_size": tile})
    def convolution(out, image, weights):
        for i in range(out.shape[0]):
            for j in range(out.shape[1]):
                total = np.float32(0)
                for a in range(weights.shape[0]):
                    for b in range(weights.shape[1]):
                        total += weights[a, b] * image[i + a, j + b]
                out[i, j] = total

    return convolution


@pytest.mark.parametrize("rows, columns", [(9, 64), (10, 71), (2, 33)])
@pytest.mark.parametrize("extent", [3, 5])
def test_results_are_those_of_any_order(extent: int, rows: int, columns: int) -> None:
    rng = np.random.default_rng(extent * rows + columns)
    image = rng.random((rows + extent - 1, columns + extent - 1), dtype=np.float32)
    weights = rng.random((extent, extent), dtype=np.float32)
    out = np.zeros((rows, columns), np.float32)
    _convolution(extent)(out, image, weights)
    windows = np.lib.stride_tricks.sliding_window_view(image.astype(np.float64), weights.shape)
    np.testing.assert_allclose(out, np.einsum("ijab,ab->ij", windows, weights), rtol=1e-5)


def test_weights_are_read_again_only_where_registers_do_not_hold_them() -> None:
    """Nine weights stay; of 25, a row of the image reads those that it is combined with."""
    if cpu_compile.vector_bits() != 512:
        pytest.skip("counts on 32 registers")

    def reads(extent: int) -> int:
        arrays = np.ones((64, 64), np.float32), np.ones((70, 70), np.float32), np.ones((extent, extent), np.float32)
        text = _convolution(extent).inspect(*arrays, stage="kernel")
        return text.split("j += 32")[1].split("store16")[0].count("= weights[")

    assert reads(3) == 9
    assert reads(5) == 4 * 25
