"""The most that sizes inside of a loop can be is never less than they are."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jitmdh.base.dtype import int64
from jitmdh.mdh.kernel.arithmetic import add, integer, maximum, minimum, multiply, subtract
from jitmdh.mdh.kernel.bounds import Bounds
from jitmdh.mdh.kernel.ir import Apply, For, Let, Literal, Name, Value
from jitmdh.mdh.kernel.passes.offloading.sizes import Sizes
from jitmdh.mdh.kernel.rewrite import values
from tests.laws.examples import examples

N, P, T, K, M = map(Name, "nptkm")
KNOWN = frozenset("np")
STEP = 4


def sizes() -> Sizes:
    """Task t of p, and k in steps from 0 to n inside of it; n is not negative, p positive."""
    bounds = Bounds()
    bounds.bind(Let(N, maximum(Name("given"), integer(0))))
    bounds.bind(Let(P, maximum(Name("given"), integer(1))))
    found = Sizes(lambda v: all(not isinstance(x, Name) or x.name in KNOWN for x in values(v)), bounds, {})
    found.bind(For(T, integer(0), P, integer(1), ()))
    found.bind(For(K, integer(0), N, integer(STEP), ()))
    return found


def number(value: Value, names: Mapping[str, int]) -> int:
    match value:
        case Literal():
            return int(value.value)  # type: ignore[arg-type]
        case Name():
            return names[value.name]
        case Apply():
            a, b = (number(o, names) for o in value.operands)
            return {"add": a + b, "sub": a - b, "mul": a * b, "minimum": min(a, b), "maximum": max(a, b),
                    "udiv": a // b if b else 0, "urem": a % b if b else 0}[value.op]  # fmt: skip
    raise AssertionError(value)


def quotient(left: Value, right: Value) -> Value:
    return Apply("udiv", (left, right), int64)


def part(of: Value, which: Value) -> Value:
    """Where part number `which` of p parts of `of` begins, as code generation writes it."""
    return quotient(subtract(add(multiply(which, of), P), integer(1)), P)


@pytest.mark.parametrize(
    ("size", "most"),
    [
        (subtract(minimum(add(K, integer(STEP)), N), K), "minimum(4, n)"),
        (maximum(subtract(N, K), integer(0)), "n"),
        (subtract(part(N, add(T, integer(1))), part(N, T)), "one more than n // p"),
        (multiply(subtract(minimum(add(K, integer(STEP)), N), K), integer(3)), "three times the least of 4 and n"),
        (multiply(subtract(minimum(add(K, integer(STEP)), N), K), P), "p times the least of 4 and n"),
    ],
)
def test_what_parts_have_in_common_cancels(size: Value, most: str) -> None:
    found = sizes().most(size)
    assert found is not None
    for n, p in ((0, 1), (3, 2), (9, 2), (40, 3)):
        wanted = {"minimum(4, n)": min(4, n), "n": n, "one more than n // p": -(-n // p),
                  "three times the least of 4 and n": 3 * min(4, n),
                  "p times the least of 4 and n": p * min(4, n)}[most]  # fmt: skip
        assert number(found, {"n": n, "p": p}) == wanted


def naturals(depth: int) -> st.SearchStrategy[Value]:
    """Values that are never negative, as quotients need them."""
    leaves: st.SearchStrategy[Value] = st.sampled_from([N, T, K, integer(0), integer(1), integer(5)])
    if not depth:
        return leaves
    inner = naturals(depth - 1)
    pairs = st.tuples(st.sampled_from([add, multiply, minimum, maximum]), inner, inner)
    return st.one_of(
        leaves,
        pairs.map(lambda p: p[0](p[1], p[2])),
        st.tuples(inner, st.sampled_from([integer(1), integer(3), P])).map(lambda p: quotient(*p)),
        st.tuples(inner, inner).map(lambda p: maximum(subtract(*p), integer(0))),
    )


@examples(300)
@given(size=st.tuples(naturals(2), naturals(2), st.booleans()), n=st.integers(0, 11), p=st.integers(1, 4))
def test_no_size_is_greater_than_its_most(size: tuple[Value, Value, bool], n: int, p: int) -> None:
    one, other, apart = size
    value = subtract(one, other) if apart else add(one, other)
    known = sizes()
    known.bind(Let(M, one))
    for asked in (value, subtract(M, other) if apart else add(M, other)):
        found = known.most(asked)
        if found is None:
            continue
        assert all(x.name in KNOWN for x in values(found) if isinstance(x, Name))
        most = number(found, {"n": n, "p": p})
        for t in range(p):
            for k in range(0, n, STEP):
                names = {"n": n, "p": p, "t": t, "k": k}
                assert number(value, names) <= most, (str(value), names)
