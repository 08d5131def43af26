"""Enumerating is the same as testing: every alias on every range, every NumPy column on every expression."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jitmdh import atf
from jitmdh.atf.space.constraint import Alias, as_constraint
from jitmdh.atf.space.expressions.symbolic import Binary, Const, Expr, Ref
from jitmdh.atf.space.filters import TESTS, divisors, selector
from jitmdh.base.errors import ConfigurationError

OWN = Ref("own")
_kept: Any = 0


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


def conditions(depth: int) -> st.SearchStrategy[str]:
    """Texts of conditions on `a` and `b`, in all the ways people write them."""
    number = st.one_of(st.sampled_from(["a", "b", "a", "b", "a * b", "a + b", "a - b", "b // 2", "(a ^ b)"]),
                       st.integers(-3, 12).map(str))  # fmt: skip
    two = st.tuples(number, number)
    number = st.one_of(number, two.map(lambda t: f"min({t[0]}, {t[1]})"), two.map(lambda t: f"max({t[0]}, {t[1]}, 3)"),
                       number.map(lambda n: f"abs({n} - 5)"), two.map(lambda t: f"({t[0]} if a < 4 else {t[1]})"),
                       two.map(lambda t: f"{t[0]} % {t[1]}"), two.map(lambda t: f"sum(({t[0]}, {t[1]}))"))  # fmt: skip
    op = st.sampled_from(["==", "!=", "<", "<=", ">", ">="])
    plain = st.one_of(
        st.builds("{} {} {}".format, number, op, number),
        st.builds("{} % {} == 0".format, number, number),
        st.builds("not {} % {}".format, number, number),
        st.builds("{} {} {} {} {}".format, number, op, number, op, number),
        st.builds("{} in (2, 3, {})".format, number, number),
        st.builds("{1} != 0 and {0} % {1} == 0".format, number, number),
        st.builds("all(x != {} for x in (a, {}))".format, number, number),
        number,
    )
    if not depth:
        return plain
    inner = conditions(depth - 1).map(lambda text: f"({text})")
    return st.one_of(
        plain,
        st.builds("{} and {}".format, inner, inner),
        st.builds("{} or {}".format, inner, inner),
        st.builds("{} if {} else {}".format, inner, inner, inner),
        inner.map(lambda text: f"not {text}"),
        st.builds("({}) & ({})".format, plain, plain),
    )


@settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(conditions(2), st.sampled_from([("a", "b"), ("b", "a")]), st.booleans(), st.integers(0, 1))
def test_callables_that_are_read_say_the_same(text: str, order: tuple[str, str], owned: bool, begin: int) -> None:
    rule = eval(f"lambda a, b: {text}")
    values = {"a": range(begin, 30), "b": range(begin, 14)}
    try:
        expected = {(a, b) for a in values["a"] for b in values["b"] if rule(a, b)}
    except ZeroDivisionError:
        expected = None  # tested part by part, it may or may not fail
    rules = {order[1]: [rule]} if owned else {}
    parameters = [atf.tuning_parameter(name, values[name], *rules.get(name, ())) for name in order]
    try:
        space = atf.search_space(*parameters, constraints=() if owned else rule)
    except ConfigurationError as error:
        assert expected is None or (not expected and "no value of" in str(error))
        return
    assert expected is None or {(c["a"], c["b"]) for c in space} == expected


def test_what_is_read_is_never_what_tells_symbols_from_numbers() -> None:
    """Callables that look at types or identity, keep what they are given or have effects are called with values."""
    seen: list[Any] = []

    def keeping(v: int) -> bool:
        global _kept
        _kept = v
        return v > 3

    rules: list[Any] = [
        lambda v: isinstance(v, int) and v > 3,
        lambda v: type(v) is int and v > 3,
        lambda v: v.__class__ is int and v > 3,
        lambda v: v is not None and v > 3,
        lambda v: callable(v) or v > 3,
        lambda v: f"{v}".isdigit() and v > 3,
        lambda v: "%s" % v >= "0" and v > 3,  # noqa: UP031
        lambda v: (seen.append(v), v > 3)[1],
        lambda v: v > 3 and v not in {100, 101},
        lambda v: [False, True][v > 3],
        lambda v: hash(v) == v and v > 3,
        lambda v, N=[3]: v > N[0],
        lambda v: v > (3 if v != None else 90),  # noqa: E711
        keeping,
    ]
    for rule in rules:
        P = atf.tuning_parameter("v", atf.interval(1, 9), rule)
        assert [c["v"] for c in atf.search_space(P)] == [4, 5, 6, 7, 8, 9]
    assert all(type(v) is int for v in [*seen, _kept])


def test_a_callable_costs_no_more_than_the_constraint_it_says() -> None:
    N, limit = 2**30, 2**20
    WPT = atf.tuning_parameter("WPT", atf.interval(1, N), lambda WPT: N % WPT == 0)
    LS = atf.tuning_parameter("LS", atf.interval(1, N), lambda LS, WPT: (N // WPT) % LS == 0 and 2 <= LS <= limit)
    space = atf.search_space(LS, WPT)  # value by value, it would take hours
    assert space.size == sum(min(30 - e, 20) for e in range(31))
    many = [atf.tuning_parameter(f"P{k}", [0, 1]) for k in range(22)]
    names = ", ".join(p.name for p in many)
    space = atf.search_space(*many, constraints=eval(f"lambda {names}: sum(({names})) <= 3"))
    assert space.size == 1 + 22 + 231 + 1540 and space.node_count < 100


@given(st.integers(1, 10**6))
def test_divisors(n: int) -> None:
    found = divisors(n)
    assert list(found) == sorted(set(found))
    assert all(n % d == 0 for d in found)
    assert found[0] == 1 and found[-1] == n
    small = [d for d in range(1, min(n, 1000) + 1) if n % d == 0]
    assert [d for d in found if d <= 1000] == small
