"""What is chosen by a condition that guards memory is found in a branch."""

from __future__ import annotations

import operator
from itertools import product
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.dtype import bool_, float32, int64
from jitmdh.mdh.kernel.arithmetic import add, compare, integer
from jitmdh.mdh.kernel.ir import Apply, Assign, Declare, If, Let, Literal, Load, Name, Statement, Store, Value, While
from jitmdh.mdh.kernel.passes.as_written.branches import _compared, find_branches
from jitmdh.mdh.kernel.rewrite import kinds
from tests.mdh.kernel.passes.examples import body, kernel, number, real, text
from tests.source_text import function_in

I, T, INSIDE, ACTIVE = number("i"), Name("t", bool_), Name("inside", bool_), Name("active", bool_)
ZERO = Literal(0.0, float32)


def let(name: Name, value: Value) -> Let:
    return Let(name, value)


def chosen(condition: Value, then: Value, otherwise: Value) -> Apply:
    return Apply("select", (condition, then, otherwise), then.type)


def loop(*inside: Statement) -> While:
    return While(ACTIVE, inside)


def guarded(condition: Name) -> tuple[Statement, ...]:
    return Declare(real("a"), ZERO), If(condition, (Assign(real("a"), Load("x", I, float32)),))


def test_golden() -> None:
    before = kernel(
        loop(
            *guarded(T),
            let(real("a_now"), real("a")),
            let(real("next"), chosen(T, real("a_now"), real("s"))),
            let(number("k"), add(I, integer(1))),
            Assign(real("s"), real("next")),
        )
    )
    assert body(find_branches(before)) == text("""
        while (active) {
            float a = 0.0f;
            float next.either1 = 0.0f;
            if (t) {
                a = x[i];
                const float a_now = a;
                const float next = a_now;
                next.either1 = next;
            } else {
                const float a_now = a;
                const float next = s;
                next.either1 = next;
            }
            const float next = next.either1;
            const long k = i + 1;
            s = next;
        }
    """)


def test_many_numbers_that_one_condition_chooses() -> None:
    """A jump for three, choices for two; what is computed between them comes before."""
    names = [number(f"next{n}") for n in range(3)]
    lets = [let(name, chosen(T, add(I, integer(n)), number(f"s{n}"))) for n, name in enumerate(names)]
    lets.insert(1, let(number("k"), add(I, integer(7))))
    ends = [Assign(number(f"s{n}"), name) for n, name in enumerate(names)]
    few = kernel(loop(*lets[:-1], *ends[:2]))
    assert find_branches(few) is few
    assert body(find_branches(kernel(loop(*lets, *ends)))) == text("""
        while (active) {
            const long k = i + 7;
            long next0.either1 = 0;
            long next1.either1 = 0;
            long next2.either1 = 0;
            if (t) {
                const long next0 = i;
                const long next1 = i + 1;
                const long next2 = i + 2;
                next0.either1 = next0;
                next1.either1 = next1;
                next2.either1 = next2;
            } else {
                const long next0 = s0;
                const long next1 = s1;
                const long next2 = s2;
                next0.either1 = next0;
                next1.either1 = next1;
                next2.either1 = next2;
            }
            const long next0 = next0.either1;
            const long next1 = next1.either1;
            const long next2 = next2.either1;
            s0 = next0;
            s1 = next1;
            s2 = next2;
        }
    """)


def test_two_numbers_with_a_float_among_them() -> None:
    """The smallest number so far and its place are behind a jump, both ends of a search in integers are chosen."""
    least, place, other = real("least"), number("place"), number("other")
    found = let(least, Apply("select", (T, real("a"), real("best")), float32)), let(place, chosen(T, I, number("at")))
    assert If in kinds(find_branches(kernel(loop(*found))).body)
    both = kernel(loop(let(other, chosen(T, number("k"), number("low"))), found[1]))
    assert find_branches(both) is both


def _taken(first: Value, last: Value, place: Value) -> tuple[Statement, ...]:
    """Three distances that `i` may go on by, and a load at `place`."""
    wide = Name("wide", bool_)
    distance = chosen(T, first, chosen(wide, add(I, integer(2)), last))
    return let(real("a"), Load("x", place, float32)), let(number("next"), distance), Assign(I, number("next"))


def test_a_place_of_loads_that_goes_on_by_one_of_three_distances() -> None:
    before = kernel(loop(*_taken(add(I, integer(1)), I, add(I, integer(5)))))
    assert body(find_branches(before)) == text("""
        while (active) {
            const float a = x[i + 5];
            long next.taken = 0;
            if (t) {
                next.taken = i + 1;
            } else {
                if (wide) {
                    next.taken = i + 2;
                } else {
                    next.taken = i;
                }
            }
            const long next = next.taken;
            i = next;
        }
    """)


@pytest.mark.parametrize(
    "inside",
    [
        _taken(add(I, integer(1)), I, number("k")),
        _taken(add(number("k"), integer(1)), I, I),
        _taken(add(I, number("k")), I, I),
    ],
    ids=["no place of loads", "several places", "distances that are not known"],
)
def test_other_choices_stay(inside: tuple[Statement, ...]) -> None:
    before = kernel(loop(*inside))
    assert find_branches(before) is before


def test_branches_in_branches() -> None:
    """`if t: … elif inside: y[i] = …`."""
    nor = Name("nor", bool_)
    before = kernel(
        loop(
            let(nor, Apply("and", (Apply("not", (T,), bool_), INSIDE), bool_)),
            If(nor, (Store("y", I, real("s")),)),
            let(real("next"), chosen(T, real("b"), chosen(INSIDE, ZERO, real("s")))),
            Assign(real("s"), real("next")),
        )
    )
    assert body(find_branches(before)) == text("""
        while (active) {
            const bool nor = !t & inside;
            float next.either1 = 0.0f;
            if (t) {
                const float next = b;
                next.either1 = next;
            } else {
                float next.either2 = 0.0f;
                if (inside) {
                    y[i] = s;
                    const float next = 0.0f;
                    next.either2 = next;
                } else {
                    const float next = s;
                    next.either2 = next;
                }
                const float next = next.either2;
                next.either1 = next;
            }
            const float next = next.either1;
            s = next;
        }
    """)


CHOICE = let(real("next"), chosen(T, real("b"), real("s")))


@pytest.mark.parametrize(
    "inside",
    [
        (CHOICE,),  # no branch
        (If(T, (Assign(real("a"), ZERO),)), CHOICE),  # of no memory
        (*guarded(INSIDE), CHOICE),  # by another condition
        (*guarded(T), Store("y", I, real("s")), CHOICE),  # something happens in between
        (*guarded(T), If(INSIDE, (Store("y", I, real("s")),)), CHOICE),
        (*guarded(T), If(INSIDE, (), rare=True), CHOICE),
    ],
)
def test_others_stay(inside: tuple[Statement, ...]) -> None:
    before = kernel(loop(*inside))
    assert find_branches(before) is before


def test_only_loops_that_data_may_end() -> None:
    before = kernel(*guarded(T), CHOICE)
    assert find_branches(before) is before
    vectors = kernel(While(Name("active", bool_, 4), (*guarded(T), CHOICE)))
    assert find_branches(vectors) is vectors


@mdh.jit
def parsed(text, out):  # type: ignore[no-untyped-def]
    k = 0
    value = 0
    inside = False
    for i in range(len(text)):
        if 48 <= text[i] <= 57:
            value = 10 * value + text[i] - 48
            inside = True
        elif inside:
            out[k] = value
            k += 1
            value = 0
            inside = False
    return k, inside, value


@mdh.jit
def scheduled(start, end):  # type: ignore[no-untyped-def]
    last = -np.inf
    count = 0
    for i in range(len(start)):
        if start[i] >= last:
            count += 1
            last = end[i]
        elif start[i] < 0.1 and end[i] > 0.5:
            end[i] = last
            count += 100
        else:
            count += 10_000
    return count, last


@mdh.jit
def pushed(x, order, y):  # type: ignore[no-untyped-def]
    n = 0
    most = -1.0
    for i in range(len(order)):
        k = order[i]
        if x[k] > most:
            most = x[k]
            if n < len(y):
                y[n] = most
                n += 1
            else:
                y[0] = most
                n = 1
    return n, most


R = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("f", "arguments"),
    [
        (parsed, (R.choice(np.frombuffer(b"0123456789  ", np.uint8), 99).astype(np.int64), np.zeros(99, np.int64))),
        (scheduled, (R.random(99), R.random(99))),
        (pushed, (np.linspace(0, 1, 60), R.permutation(60), np.zeros(2))),
    ],
)
def test_values_are_pythons(f: Any, arguments: tuple[Any, ...]) -> None:
    ours, pythons = ([a.copy() for a in arguments] for _ in range(2))
    assert f(*ours) == f.py_func(*pythons)
    assert all(map(np.array_equal, ours, pythons))


def test_an_element_that_is_not_there_is_missed_in_its_branch_only() -> None:
    start, end = np.array([0.5, 0.2, 0.7]), np.array([0.6])
    for f in scheduled, scheduled.py_func:
        with pytest.raises(IndexError):
            f(start, end.copy())


def test_comparisons_are_of_conditions() -> None:
    """A condition that a variable decides is asked where it is looked at."""
    going = Name("going", bool_)
    before = kernel(
        loop(
            Let(T, going),
            Assign(going, compare("lt", I, integer(3))),
            If(going, (Store("y", I, real("s")),)),
            CHOICE,
        )
    )
    assert find_branches(before) is before


COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")


@pytest.mark.parametrize("type", [int64, float32], ids=str)
def test_what_one_comparison_says_of_another(type: Any) -> None:
    """As far as numbers can tell, NaN among them."""
    left, right = Name("v", type), Name("w", type)
    numbers = (1.0, 2.0, np.nan) if type.is_floating else (1.0, 2.0)
    for op, other, holds in product(COMPARISONS, COMPARISONS, (True, False)):
        pairs = [p for p in product(numbers, repeat=2) if getattr(operator, other)(*p) == holds]
        said = {bool(getattr(operator, op)(*p)) for p in pairs}
        found = _compared(compare(op, left, right), compare(other, left, right), holds)
        assert found == (said.pop() if len(said) == 1 else None), (op, other, holds)


def test_elements_may_change_between() -> None:
    one, zero = Load("x", I, float32), ZERO
    assert _compared(compare("lt", one, zero), compare("lt", one, zero), True) is None


MERGED = """
import numpy as np

def merged(a, b, out, seen):
    i = j = k = 0
    while i < len(a) and j < len(b):
        if a[i] {first} b[j]:
            out[k] = a[i]
            i += 1
        else:
            out[k] = b[j]
            j += 1
        if i < len(a) and j < len(b) and a[i] {second} b[j]:
            seen[k] += 1
        elif j > k // 2:
            seen[k] = i - j
        k += 1
    return i, j, k
"""


@pytest.mark.parametrize(("first", "second"), [("<=", ">"), ("<", "=="), (">", "<="), ("!=", "<"), (">=", ">")])
def test_two_ways_to_go_on(first: str, second: str) -> None:
    """Comparisons that exclude each other are one branch, with numbers that are none, too."""
    function = function_in(MERGED.format(first=first, second=second), f"merged {first} {second}", called="merged")
    compiled = mdh.jit(cache=False)(function)
    for kind, size, other in product((np.int64, np.float64), (0, 9), (1, 12)):
        a, b = (np.sort(R.integers(0, 9, n)).astype(kind) for n in (size, other))
        if kind == np.float64:
            a[size // 2 : size // 2 + 1] = b[other // 3 : other // 3 + 1] = np.nan
        ours, pythons = ((a, b, np.zeros(30, kind), np.zeros(30, np.int64)) for _ in range(2))
        assert compiled(*ours) == function(*pythons)
        assert all(map(np.array_equal, ours[3:], pythons[3:]))
        np.testing.assert_array_equal(ours[2], pythons[2])
