"""Enumerating is the same as testing: every alias on every range, every NumPy column on every expression."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from jitmdh.atf.space.constraint import Alias, as_constraint
from jitmdh.atf.space.filters import TESTS, divisors, selector
from jitmdh.atf.space.symbolic import Binary, Const, Expr, Ref

OWN = Ref("own")


@settings(max_examples=400, deadline=None, derandomize=True)
@given(
    st.sampled_from(sorted(TESTS)),
    st.integers(-60, 60),
    st.integers(1, 300),
    st.integers(1, 7),
    st.one_of(st.integers(-400, 400), st.floats(-50, 50), st.sampled_from([10**15 + 37, -(2**40), 2**70])),
)
def test_aliases(kind: Any, begin: int, length: int, step: int, n: Any) -> None:
    values = range(begin, begin + length, step)
    found = selector(Alias(kind, Const(n)), {OWN: 0}, OWN)(values, ())
    assert list(found) == [v for v in values if TESTS[kind](v, n)]


numbers = st.integers(-9, 9)
names = st.sampled_from(["own", "other"])
expressions = st.recursive(
    st.one_of(numbers.map(Const), names.map(Ref), st.integers(2**30, 2**61).map(Const)),
    lambda inner: st.builds(Binary, st.sampled_from(["+", "-", "*", "//", "%", "/"]), inner, inner),
    max_leaves=6,
)


def text_of(expr: Expr) -> str:
    return str(expr)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(expressions, st.sampled_from(["==", "<", "<=", "!=", ">", ">="]), expressions, st.integers(-5, 5))
def test_columns(left: Expr, op: str, right: Expr, other: int) -> None:
    rule = eval(f"lambda own, other: {text_of(left)} {op} {text_of(right)}")
    values = range(-80, 120)
    select = selector(as_constraint(rule), {Ref("other"): 0, OWN: 1}, OWN)
    try:
        expected: Any = [v for v in values if rule(v, other)]
    except (ZeroDivisionError, OverflowError) as error:
        expected = type(error)
    try:
        found: Any = list(select(values, (other,)))
    except (ZeroDivisionError, OverflowError) as error:
        found = type(error)
    assert found == expected


@given(st.integers(1, 10**6))
def test_divisors(n: int) -> None:
    found = divisors(n)
    assert list(found) == sorted(set(found))
    assert all(n % d == 0 for d in found)
    assert found[0] == 1 and found[-1] == n
    small = [d for d in range(1, min(n, 1000) + 1) if n % d == 0]
    assert [d for d in found if d <= 1000] == small
