"""Stores under one mask, before and after they are one statement."""

from __future__ import annotations

import numpy as np
import pytest

from jitmdh.base.dtype import bool_, float32
from jitmdh.base.errors import InternalError
from jitmdh.mdh.kernel.arithmetic import integer
from jitmdh.mdh.kernel.ir import (
    Apply,
    Assign,
    Declare,
    For,
    Kernel,
    Let,
    Load,
    MaskedStores,
    Name,
    Return,
    Statement,
    Store,
    Value,
)
from jitmdh.mdh.kernel.passes.masked_stores import group_masked_stores
from jitmdh.mdh.kernel.rewrite import statements
from jitmdh.mdh.kernel.verify import verify
from tests.mdh.kernel.passes.examples import body, kernel, number, real, text, written

LANES = 4
N, X = number("n"), real("x", lanes=LANES)
MASK, AGAIN, OTHER = (Name(name, bool_, LANES) for name in ("mask", "again", "other"))


def first_lanes(count: Value) -> Value:
    return Apply("first_lanes", (count,), bool_, LANES)


def store(at: Value | int, mask: Name | None = MASK, value: Value = X, stride: int = 1) -> Store:
    offset = integer(at) if isinstance(at, int) else at
    return Store("y", offset, value, stride=integer(stride), mask=mask)


def of(*found: Statement) -> Kernel:
    return kernel(
        Let(N, Apply("minimum", (integer(3), integer(LANES)), N.type)),
        Let(MASK, first_lanes(N)),
        Let(AGAIN, MASK),
        Let(OTHER, first_lanes(integer(3))),
        Let(X, Load("x", integer(0), float32, LANES)),
        *found,
        Return(integer(0)),
    )


def groups(*found: Statement) -> list[int]:
    """How many stores there are in each statement that stores together."""
    made = group_masked_stores(of(*found), has_masks=False)
    assert written(made, 0).tolist() == written(of(*found), 0).tolist()
    return [len(node.stores) for node in statements(made.body) if isinstance(node, MaskedStores)]


def test_golden() -> None:
    made = group_masked_stores(of(store(0), store(8, AGAIN), store(16, None)), has_masks=False)
    assert body(made).partition("float4 x ")[2] == text("""
        = load4(&x[0]);
        together {
            store4(&y[0], x ? mask);
            store4(&y[8], x ? again);
        }
        store4(&y[16], x);
        return status;
    """)
    y = written(made, 0)
    np.testing.assert_array_equal(y[[0, 1, 2, 3, 8, 10, 11, 19]], [1, 2, 3, 77, 1, 3, 77, 4])


def test_what_takes_no_jump_or_one_of_its_own_stays() -> None:
    reads = store(8, value=Load("y", integer(1), float32, LANES))
    assert groups(store(0)) == []
    assert groups(store(0), reads, store(16)) == []
    assert groups(store(0, OTHER), store(8, OTHER)) == []  # three lanes, which is known here
    assert groups(store(0, stride=2), store(8, stride=2)) == []
    unchanged = of(store(0), store(8))
    assert group_masked_stores(unchanged, has_masks=True) is unchanged
    alone = of(store(0), store(8, None))
    assert group_masked_stores(alone, has_masks=False) is alone


def test_inside_of_loops_and_names_given_again() -> None:
    i, y = number("i"), number("i")
    inside = For(i, integer(0), integer(8), integer(4), (store(y), store(Apply("add", (y, integer(16)), y.type))))
    assert groups(store(40), inside, store(48), store(56)) == [2, 2]
    anew = For(i, integer(0), integer(1), integer(1), (Let(MASK, first_lanes(integer(1))), store(0), store(8)))
    assert groups(anew, store(16), store(24)) == [2]


def test_masks_of_one_variable_before_and_after_it_changed_are_two() -> None:
    left, later = number("left"), Name("later", bool_, LANES)
    masks = (
        Declare(left, integer(3)),
        Let(MASK, first_lanes(left)),
        Assign(left, integer(1)),
        Let(later, first_lanes(left)),
    )
    assert groups(*masks, store(0), store(8, later)) == []
    assert groups(*masks, store(0), store(8), store(16, later), store(24, later)) == [2, 2]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ((store(0), store(8, None)), "not stores of vectors under masks"),
        ((store(0), Let(N, integer(1))), "not stores of vectors under masks"),
        ((store(0, value=Load("y", integer(1), float32, LANES)),), "reads between"),
    ],
)
def test_other_statements_are_malformed(wrong: tuple[Statement, ...], said: str) -> None:
    with pytest.raises(InternalError, match=said):
        verify(of(MaskedStores(wrong)))
