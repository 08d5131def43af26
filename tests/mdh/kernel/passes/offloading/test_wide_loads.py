"""Loads of neighbours in shared memory as one, before and after."""

from __future__ import annotations

from dataclasses import replace
from textwrap import dedent
from typing import Any

import numpy as np
import pytest

from jitmdh.base.dtype import float32
from jitmdh.base.errors import InternalError
from jitmdh.mdh.kernel.arithmetic import add, integer, multiply, remainder
from jitmdh.mdh.kernel.ir import (
    Apply,
    Barrier,
    Declare,
    For,
    Grid,
    Kernel,
    Let,
    Load,
    Name,
    Return,
    Scratch,
    Statement,
    Store,
    Thread,
    Value,
)
from jitmdh.mdh.kernel.passes.offloading.wide_loads import wide_loads
from jitmdh.mdh.kernel.rewrite import Rewriter, statements
from jitmdh.mdh.kernel.simt_interp import run_grids
from jitmdh.mdh.kernel.verify import verify
from tests.mdh.kernel.passes.examples import body, kernel, number, real, text

T, K = number("t"), number("k")
FILL = (Store("s", T, Load("x", T, float32)), Store("s", add(T, integer(32)), Load("x", add(T, integer(32)), float32)))


def loads(index: Value, *further: int, first: int = 0) -> list[Statement]:
    return [Let(real(f"a{first + n}"), Load("s", add(index, integer(more)), float32)) for n, more in enumerate(further)]


def total(*names: int) -> Value:
    found: Value = real(f"a{names[0]}")
    for n in names[1:]:
        found = Apply("add", (found, real(f"a{n}")), float32)
    return found


def grid(*inside: Statement) -> Kernel:
    whole = (Let(T, Thread()), *FILL, Barrier(), *inside)
    return kernel(
        Grid(number("b"), integer(1), 32, (Scratch("s", float32, integer(64), whole, "SM"),)), Return(integer(0))
    )


def results(of: Kernel) -> np.ndarray[Any, Any]:
    verify(of)
    y, x = np.zeros(64, np.float32), np.arange(1, 65, dtype=np.float32)
    run_grids(of, np.array([y.ctypes.data, x.ctypes.data], np.int64), {0: y, 1: x})
    return y


I = number("i")
FOURS = Let(I, multiply(remainder(T, 8), integer(4)))
STORED = Store("y", T, total(0, 1, 2, 3))


def test_golden() -> None:
    before = grid(For(K, integer(0), integer(32), integer(16), (
        FOURS,
        *loads(add(I, K), 3, 0, 1),
        *loads(add(K, I), 2, 5, first=3),
        Store("y", T, total(0, 1, 2, 3)),
    )))  # fmt: skip
    after = wide_loads(before)
    loop = body(after).split("barrier();")[1].split("return")[0]
    assert dedent(loop).strip() == text("""
        for (long k = 0; k < 32; k += 16) {
                    const long i = (t % 8) * 4;
                    const float4 s_4 = load4(&s[i + k]);
                    const float a0 = s_4[3];
                    const float a1 = s_4[0];
                    const float a2 = s_4[1];
                    const float a3 = s_4[2];
                    const float a4 = s[(k + i) + 5];
                    y[t] = ((a0 + a1) + a2) + a3;
                }
            }
        }
    """)
    np.testing.assert_array_equal(results(after), results(before))


VARIABLE = Name("v")
FEWER: dict[tuple[str, int], tuple[Statement, ...]] = {
    ("an index of which nothing is known", 1): (*loads(T, 0, 1, 2, 3), STORED),
    ("three of four, and not from a multiple", 2): (FOURS, *loads(I, 1, 2, 3, 5), STORED),
    ("a store in between", 2): (
        FOURS, *loads(I, 0, 1), Barrier(), Store("s", T, Load("x", T, float32)), Barrier(),
        *loads(I, 2, 3, first=2), STORED,
    ),
    ("a variable, changed in between", 1): (
        Declare(VARIABLE, integer(0)), Let(I, multiply(VARIABLE, integer(4))),
        *loads(multiply(VARIABLE, integer(4)), 0, 1, 2, 3), STORED,
    ),
    ("a name with two meanings", 2): (
        FOURS, *loads(I, 0, 1), Let(I, integer(8)), *loads(I, 2, 3, first=2), STORED,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("what", "widest"), FEWER)
def test_what_is_not_known_to_be_four_from_a_multiple(what: str, widest: int) -> None:
    before = grid(*FEWER[what, widest])
    after = wide_loads(before)
    assert max(s.value.lanes for s in statements(after.body) if isinstance(s, Let)) == widest
    np.testing.assert_array_equal(results(after), results(before))


class _Moved(Rewriter):
    """Vectors from two elements further."""

    def value(self, node: Value) -> Value:
        if isinstance(node, Load) and node.lanes == 4:
            return replace(node, offset=add(node.offset, integer(2)))
        return super().value(node)


def test_the_interpreter_looks_at_addresses() -> None:
    planted = _Moved().kernel(wide_loads(grid(FOURS, *loads(I, 0, 1, 2, 3), STORED)))
    with pytest.raises(InternalError, match="not aligned"):
        results(planted)
