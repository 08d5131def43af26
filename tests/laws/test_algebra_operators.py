"""Operators: identities are neutral bit for bit, products act on each component, completion is a lifting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jitmdh.base.dtype import INTEGER_TYPES, ScalarType, bool_, float32, float64, int64
from jitmdh.mdh.algebra.check_scalar import check_operator
from jitmdh.mdh.algebra.combine import Operator, elementwise, product
from jitmdh.mdh.algebra.operations.result_types import neutral_element
from jitmdh.mdh.algebra.rewrites.identity_lifting import with_identity
from jitmdh.mdh.algebra.semantics.operations import Value, apply

CASES = [
    (op, type)
    for op in ("add", "mul", "minimum", "maximum", "fmin", "fmax")
    for type in (*INTEGER_TYPES, float32, float64)
]


def combined(operator: Operator, left: Sequence[object], right: Sequence[object]) -> list[object]:
    types = operator.types * 2
    values = [Value(np.asarray(v, t.numpy)) for v, t in zip((*left, *right), types, strict=True)]
    return [r.data[()] for r in apply(operator.function, values, lambda _: np.zeros(1))]


def numbers(type: ScalarType) -> st.SearchStrategy[bool | int | float]:
    if type == bool_:
        return st.booleans()
    return st.floats(width=type.bits) if type.is_floating else st.integers(*type.limits())


@pytest.mark.in_turns(6)
@pytest.mark.parametrize(("op", "type"), CASES, ids=str)
@given(data=st.data())
def test_identities_are_neutral(op: str, type: ScalarType, data: st.DataObject) -> None:
    operator = elementwise(op, type, neutral_element(op, type))
    check_operator(operator)
    x = data.draw(numbers(type))
    if op in ("fmin", "fmax") and x != x:
        return  # Python's min and max do not keep a NaN on the right
    neutral = [c.value for c in operator.identity or ()]
    expected = np.asarray(x, type.numpy)
    for result in (combined(operator, neutral, [x]), combined(operator, [x], neutral)):
        np.testing.assert_array_equal(result[0], expected)
        if expected.dtype.kind == "f":
            assert np.signbit(result[0]) == np.signbit(expected) or x != x


@given(*(st.integers(-(2**63), 2**63 - 1) for _ in range(4)))
def test_a_product_acts_on_each_component(a: int, b: int, c: int, d: int) -> None:
    operators = [elementwise(o, int64, neutral_element(o, int64)) for o in ("add", "maximum")]
    whole = product(tuple(operators))
    check_operator(whole)
    alone = [combined(o, [x], [y])[0] for o, x, y in zip(operators, (a, b), (c, d))]
    assert combined(whole, (a, b), (c, d)) == alone


@given(*(st.tuples(st.booleans(), st.integers(-9, 9)) for _ in range(3)))
def test_completed_operators(a: tuple[bool, int], b: tuple[bool, int], c: tuple[bool, int]) -> None:
    operator = with_identity(replace(elementwise("maximum", int64, None), name="max"))
    check_operator(operator)
    neutral = [k.value for k in operator.identity or ()]
    a, b, c = (v if v[0] else (False, 0) for v in (a, b, c))
    assert combined(operator, neutral, a) == combined(operator, a, neutral) == list(a)
    left = combined(operator, combined(operator, a, b), c)
    assert left == combined(operator, a, combined(operator, b, c))
    there = [v for valid, v in (a, b, c) if valid]
    assert left[0] == bool(there)
    assert not there or left[1] == max(there)
