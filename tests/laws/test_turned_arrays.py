"""Axes in another order, of any number and type, wherever arrays lie: as NumPy has it, and nothing else is written."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from tests.source_text import function_in

TYPES = ("float64", "float32", "float16", "int64", "uint8", "int16", "bool", "complex64", "complex128")
LAYOUTS = ("C", "F", "part", "steps", "reversed", "turned")
FORMS = (
    "out[...] = x.transpose(p)",
    "out[...] = x.transpose(p) + y",
    "out[...] = y + x.transpose(p) * y",
    "out[...] = np.where(x.transpose(p) == y, y, x.transpose(p))",
    "out[1:] = x.transpose(p)[:-1]",
    "out[..., 1:-1] = x.transpose(p)[..., 2:] + y[..., 1:-1]",
    "out[:] = y\n    out[y == x.transpose(p)] = 1",
)


def laid_out(values: np.ndarray[Any, Any], layout: str, random: np.random.Generator) -> np.ndarray[Any, Any]:
    """The same values elsewhere in memory."""
    shape = values.shape
    if layout == "turned":
        order = random.permutation(values.ndim)
        whole = np.empty([shape[a] for a in order], values.dtype).transpose(np.argsort(order))
    elif layout == "part":
        whole = np.full([n + 3 for n in shape], 1, values.dtype)[tuple(slice(1, n + 1) for n in shape)]
    elif layout == "steps":
        whole = np.full((*shape[:-1], 3 * shape[-1]), 1, values.dtype)[..., 1::3]
    elif layout == "reversed":
        whole = np.empty(shape, values.dtype)[::-1, ..., ::-1]
    else:
        whole = np.empty(shape, values.dtype, order="F" if layout == "F" else "C")
    whole[...] = values
    return whole


def function(form: str, order: tuple[int, ...]) -> Any:
    text = f"def f(out, x, y):\n    {form.replace('(p)', str(order))}\n"
    name = f"<{form}, {order}>"
    return function_in(text, name, {"np": np})


@pytest.mark.in_turns(12)
@pytest.mark.parametrize("number", range(6))
@pytest.mark.parametrize("dtype", TYPES)
def test_axes_in_another_order(dtype: str, number: int) -> None:
    random = np.random.default_rng([TYPES.index(dtype), number])
    rank = 2 + number % 4
    order = tuple(int(a) for a in random.permutation(rank))
    form = FORMS[int(random.integers(len(FORMS)))]
    plain = function(form, order)
    fast = mdh.jit(tune="off", cache=False)(plain)
    for _ in range(2):  # the second time other sizes: tiles that are cut elsewhere
        shape = tuple(int(n) for n in random.choice((2, 3, 7, 8, 17), rank))
        x = random.integers(0, 3, shape).astype(dtype)
        y = random.integers(0, 3, [shape[a] for a in order]).astype(dtype)
        layouts = [LAYOUTS[int(n)] for n in random.integers(0, len(LAYOUTS), 3)]
        x, y = (laid_out(values, layout, random) for values, layout in zip((x, y), layouts))
        around = [np.full([n + 2 for n in y.shape], 1, dtype) for _ in range(2)]
        inside = tuple(slice(1, n + 1) for n in y.shape)
        outs = [laid_out(a[inside], layouts[2], random) if number % 3 else a[inside] for a in around]
        if number % 3:
            outs[1] = laid_out(outs[0], layouts[2], random)
        plain(outs[0], x, y)
        fast(outs[1], x, y)
        np.testing.assert_array_equal(outs[1], outs[0], f"{form}, {order}, {shape}, {layouts}", strict=True)
        np.testing.assert_array_equal(around[1], around[0])
