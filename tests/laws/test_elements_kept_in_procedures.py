"""Elements that data-dependent loops write and read again: what is read is what was written last, under any subscript.

A procedure takes an element that it has just written or read from a register. It must not where another subscript may
name the same element, where a condition decides whether it was written, or where the array rounds what is stored.
"""

from __future__ import annotations

import tempfile
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import jitmdh as mdh
from tests.laws.examples import examples
from tests.laws.texts import assert_same, loaded

ELEMENTS = ("y[i]", "y[k]", "y[m]", "y[i - 1]", "z[i]", "z[k]", "y[-1]")
VALUES = ("p * 0.75", "0.3 * {} + 0.25", "{} + {}", "q - p")
TYPES = (np.float64, np.float32, np.int8)


@st.composite
def texts(draw: st.DrawFn) -> str:
    lines = [
        "def f(y, z, at, p, q):",
        "    i = 1",
        "    while i < y.shape[0] - 1:",
        "        k = at[i]",
        "        m = i",
    ]
    for _ in range(draw(st.integers(3, 6))):
        element = draw(st.sampled_from(ELEMENTS))
        value = draw(st.sampled_from(VALUES)).replace("{}", draw(st.sampled_from(ELEMENTS)))
        kind = draw(st.sampled_from(("write", "read", "update", "if", "move")))
        match kind:
            case "write":
                lines.append(f"        {element} = {value}")
            case "read":
                lines.append(f"        {draw(st.sampled_from('pq'))} = {element} * 0.5")
            case "update":
                lines.append(f"        {element} += {value}")
            case "if":
                lines += [f"        if {draw(st.sampled_from(ELEMENTS))} > 2:", f"            {element} = {value}"]
            case "move":
                lines.append("        k = i if q > p else k")
    lines += ["        i += 1 if p < 3 else 2", "    return p + q"]
    return "\n".join(lines) + "\n"


def data(type: Any) -> tuple[Any, ...]:
    rng = np.random.default_rng(3)
    y, z = ((rng.random(12) * 4).astype(type) for _ in range(2))
    return y, z, rng.integers(0, 12, 12), 0.5, 1.5


@pytest.mark.filterwarnings("ignore:.*:RuntimeWarning", "ignore::jitmdh.base.errors.JitWarning")
@examples(40)
@given(texts(), st.sampled_from(TYPES))
def test_what_is_read_is_what_was_written_last(text, type):
    with tempfile.TemporaryDirectory() as folder:
        f = loaded(text, folder)
        assert_same(mdh.jit(reassociate=False, fallback="python")(f), f, lambda: data(type))


def carried(y: np.ndarray, x: np.ndarray) -> None:
    for i in range(x.shape[0]):
        p = 0.0
        for j in range(x.shape[1]):
            y[i, j] = x[i, j] - 0.5 * p
            p = y[i, j] * x[i, j]


def test_an_element_just_written_is_not_read_from_memory():
    x = np.random.default_rng(0).random((9, 31))
    text = mdh.jit(carried).inspect(np.zeros_like(x), x, stage="mdh")
    assert text.count("= x[") == 1 and "= y[" not in text
