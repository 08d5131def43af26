"""Gathers from rows that conditions choose, before and after."""

from __future__ import annotations

import pytest

from jitmdh.base.dtype import bool_, float32, int64
from jitmdh.mdh.kernel.arithmetic import integer
from jitmdh.mdh.kernel.ir import (
    Apply,
    Assign,
    Declare,
    Iota,
    Kernel,
    Let,
    Literal,
    Load,
    Name,
    Return,
    Splat,
    Statement,
    Store,
)
from jitmdh.mdh.kernel.passes.chosen_rows import load_chosen_rows
from tests.mdh.kernel.passes.examples import body, kernel, number, real, text, written

LANES = 8
U, J = number("u"), number("j")
ROW, AT = Name("row", int64, LANES), Name("at", int64, LANES)
C, X = Name("c", bool_, LANES), real("x", lanes=LANES)
COUNTED = Name("counted", float32, LANES)


def spread(value: object) -> Splat:
    return Splat(integer(value) if isinstance(value, int) else value, int64, LANES)  # type: ignore[arg-type]


def lanes(op: str, *operands: object) -> Apply:
    return Apply(op, operands, int64, LANES)  # type: ignore[arg-type]


def chosen(row: object, mask: Name | None = None, before: tuple[Statement, ...] = ()) -> Kernel:
    """Of `x`, whose rows have 10 elements, eight from `j` on, each from its `row`."""
    return kernel(
        Let(U, integer(3)),
        Let(J, integer(2)),
        Let(COUNTED, Load("x", integer(0), float32, LANES)),
        Let(C, Apply("lt", (COUNTED, Splat(Literal(5.0, float32), float32, LANES)), bool_, LANES)),
        *before,
        Let(ROW, row),  # type: ignore[arg-type]
        Let(AT, lanes("add", lanes("mul", ROW, spread(10)), lanes("add", spread(J), Iota(LANES)))),
        Let(X, Load("x", AT, float32, LANES, mask=mask)),
        Store("y", integer(0), X),
        Return(integer(0)),
    )


def last(made: Kernel) -> str:
    return body(made).split("\n")[-3]


def test_golden() -> None:
    made = load_chosen_rows(chosen(lanes("select", C, spread(U), Literal(0, int64, LANES))), 4)
    assert last(made) == text("""
        const float8 x = (c ? load8(&x[(u * 10) + j] ? c) : load8(&x[(0 * 10) + j] ? !c));
    """)


def test_a_row_that_is_the_same_in_all_lanes() -> None:
    assert last(load_chosen_rows(chosen(spread(U)), 0)) == "const float8 x = load8(&x[(u * 10) + j]);"


@pytest.mark.parametrize("mask", [None, C])
@pytest.mark.parametrize("row", [
    lanes("select", C, spread(U), Literal(0, int64, LANES)), spread(U),
    lanes("minimum", lanes("select", C, spread(U), spread(1)), spread(2)),
])  # fmt: skip
def test_the_same_elements(row: Apply, mask: Name | None) -> None:
    before = chosen(row, mask)
    made = load_chosen_rows(before, 4)
    assert made is not before
    assert (written(made, 0) == written(before, 0)).all()


CHANGING = number("changing")


@pytest.mark.parametrize(
    ("row", "bytes"),
    [
        (lanes("select", C, spread(U), Literal(0, int64, LANES)), 0),  # no loads under masks
        (Iota(LANES), 4),  # the diagonal: 11 elements apart
        (lanes("select", C, Iota(LANES), spread(U)), 4),
        (spread(CHANGING), 4),
    ],
)
def test_what_stays(row: Apply, bytes: int) -> None:
    before = chosen(row, None, (Declare(CHANGING, integer(1)), Assign(CHANGING, integer(2))))
    assert load_chosen_rows(before, bytes) is before
