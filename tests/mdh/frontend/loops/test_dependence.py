"""The dependence test beside all pairs of iterations, tried one by one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jitmdh.base.dtype import float64, int64
from jitmdh.base.errors import NotAnMdhError
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import Constant
from jitmdh.mdh.algebra.semantics.interp import FallbackSignal, run
from jitmdh.mdh.frontend.loops.dependence import MemoryAccess, conflict
from jitmdh.mdh.frontend.loops.integer_sets import has_solution
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.trace import trace
from jitmdh.mdh.frontend.trace_ir.argument_types import ArrayType, ScalarKind
from jitmdh.mdh.frontend.trace_ir.trace import IndirectIndex, Trace
from jitmdh.mdh.frontend.trace_ir.value_graph import LoopDim
from tests.mdh.frontend.to_algebra.test_bounds_checks import function_of

NAMES = ("t", "i", "j", "k")  # a loop around, the loop in question, two inner ones


def in_trace(*numbers: IndirectIndex) -> Trace:
    """A trace of which only these numbers from data are looked at."""
    return cast(Trace, SimpleNamespace(indirect={n.name: n for n in numbers}))


AFFINE = in_trace()


def iterations(dim: LoopDim, around: dict[str, int]) -> range:
    """What `dim.name` counts through: it goes by `stride` until there is no room."""
    return range(max(0, -(-dim.room.evaluate(around) // dim.stride)))


def points(dims: tuple[LoopDim, ...], around: dict[str, int]) -> Iterator[dict[str, int]]:
    """The values of these loops' names, with those around."""
    if not dims:
        yield around
        return
    for n in iterations(dims[0], around):
        yield from points(dims[1:], {**around, dims[0].name: n})


def touched(access: MemoryAccess, loop: LoopDim, around: dict[str, int]) -> Iterator[tuple[tuple[int, ...], int]]:
    """Elements, each with an iteration of the loop in which it is touched."""
    for point in points((loop, *access.inner), around):
        if all(g.evaluate(point) >= 0 for g in access.guard):
            yield tuple(i.evaluate(point) for i in access.index), point[loop.name]


def really(a: MemoryAccess, b: MemoryAccess, loop: LoopDim, around: tuple[LoopDim, ...]) -> bool:
    """Whether `b` touches an element later than `a` does, in any iteration of the loops around."""
    for outside in points(around, {}):
        last = dict(sorted(touched(b, loop, outside)))
        if any(last.get(element, -1) > n for element, n in touched(a, loop, outside)):
            return True
    return False


@st.composite
def affine(draw: st.DrawFn, names: tuple[str, ...]) -> Affine:
    """Mostly of one name or two, as subscripts are."""
    terms = draw(st.dictionaries(st.sampled_from(names), st.sampled_from([1, 1, 2, -1]), max_size=2)) if names else {}
    return Affine(tuple(sorted(terms.items())), draw(st.integers(-3, 3)))


@st.composite
def dimension(draw: st.DrawFn, name: str, outer: tuple[str, ...]) -> LoopDim:
    """Of a few iterations; sometimes of as many as a loop around it says, or with a condition that says so, too."""
    stride = draw(st.sampled_from([1, 1, 1, 2, 3]))
    room = Affine((), draw(st.integers(1, 5)))
    if outer and draw(st.integers(0, 4)) == 0:
        room = room + Affine.of(draw(st.sampled_from(outer)))
    known = room.is_constant or stride == 1
    length = Affine((), -(-room.constant // stride)) if room.is_constant else room if known else None
    return LoopDim(name, room, stride, length, 0, () if room.is_constant else (room - 1,))


@st.composite
def situations(draw: st.DrawFn) -> tuple[MemoryAccess, MemoryAccess, LoopDim, tuple[LoopDim, ...]]:
    around = (draw(dimension("t", ())),)
    loop = draw(dimension("i", ("t",)))
    inner = tuple(draw(dimension(name, ("t", "i"))) for name in NAMES[2:])
    rank = draw(st.integers(1, 2))
    found = []
    for _ in range(2):
        own = inner[: draw(st.integers(0, 2))]
        names = ("t", "i", *(d.name for d in own))
        index = tuple(draw(affine(names)) for _ in range(rank))
        guard = (draw(affine(names)),) if draw(st.integers(0, 3)) == 0 else ()
        found.append(MemoryAccess("x", index, guard, own, True))
    if draw(st.booleans()):  # the same element, or one nearby: what loops are made of
        a = found[0]
        shift = tuple(draw(st.integers(-1, 1)) for _ in range(rank))
        found[1] = replace(a, index=tuple(x + s for x, s in zip(a.index, shift)), is_write=False)
    return (*found, loop, around)


@given(situations())
def test_the_answer_is_exact(situation: tuple[MemoryAccess, MemoryAccess, LoopDim, tuple[LoopDim, ...]]) -> None:
    a, b, loop, around = situation
    assert conflict(AFFINE, a, b, loop, around) == really(a, b, loop, around)


def test_loops_inside_of_few_iterations() -> None:
    """`x[a*i + k]` beside `x[b*i + k + s]`: what two loops add up to is one element only where both run far enough."""
    t = LoopDim("t", Affine((), 1), 1, Affine((), 1), 0)
    for extent, inner, a, b, s in product((1, 2, 3), (1, 2, 3), (-1, 0, 1, 2), (-1, 0, 1, 2), (0, 1)):
        loop, k = (LoopDim(name, Affine((), n), 1, Affine((), n), 0) for name, n in (("i", extent), ("k", inner)))
        one, two = (
            MemoryAccess("x", (Affine.of("i") * c + Affine.of("k") + shift,), (), (k,), True)
            for c, shift in ((a, 0), (b, s))
        )
        assert conflict(AFFINE, one, two, loop, (t,)) == really(one, two, loop, (t,)), (extent, inner, a, b, s)


def subscript(rng: Random, names: tuple[str, ...]) -> Affine:
    """Of one loop, mostly the one in question, or of two; or a constant."""
    terms = {name: rng.choice((1, 1, 2, -1)) for name in rng.sample(names, rng.choice((0, 1, 1, 1, 2)))}
    return Affine(tuple(sorted(terms.items())), rng.choice((0, 0, 1, -1, 2, 3, 4, 5)))


def test_the_answer_is_exact_for_neighbours() -> None:
    """Many small situations: equal coefficients, distances beside the length of the loop, strides, unknown lengths."""
    rng = Random(0)
    t = LoopDim("t", Affine((), 3), 1, Affine((), 3), 0)
    for _ in range(800):
        stride, extent = rng.choice((1, 1, 2, 3)), rng.randint(1, 5)
        room, length = Affine((), extent), Affine((), -(-extent // stride))
        guard: tuple[Affine, ...] = ()
        if rng.random() < 0.3:  # a triangle: how long the loop is depends on one around it
            room = Affine.of("t") * rng.choice((1, 2)) + rng.randint(0, 2)
            length, guard = (room if stride == 1 else None), (room - 1,)
        loop = LoopDim("i", room, stride, length, 0, guard)
        k = LoopDim("k", Affine((), rng.randint(1, 3)), 1, None, 0)
        inner = [(), (k,)][rng.random() < 0.4]
        names = ("i", "i", "t", *(d.name for d in inner))
        first = tuple(subscript(rng, tuple(dict.fromkeys(names))) for _ in range(rng.choice((1, 2, 2))))
        second = tuple(x + rng.choice((0, 0, 1, -1, 2, 3)) for x in first)
        if rng.random() < 0.4:
            second = (subscript(rng, ("i", "t")), *second[1:])
        condition = (subscript(rng, ("i", "t")),) if rng.random() < 0.2 else ()
        a = MemoryAccess("x", first, (), inner, True)
        b = MemoryAccess("x", second, condition, inner, rng.random() < 0.5)
        for one, other in ((a, b), (b, a)):
            assert conflict(AFFINE, one, other, loop, (t,)) == really(one, other, loop, (t,)), (one, other, loop)


def test_rows_that_do_not_reach_into_each_other() -> None:
    """x[c*i + k] for k < n: iterations of i meet where n is more than c."""
    loop, none = LoopDim("i", Affine((), 4), 1, Affine((), 4), 0), ()
    for c, n, shift in product((1, 2, 3, -2), (1, 2, 3, 4), (0, 1, -1, 2)):
        k = LoopDim("k", Affine((), n), 1, Affine((), n), 0)
        index = Affine((("i", c), ("k", 1)), 0)
        a, b = MemoryAccess("x", (index,), none, (k,), True), MemoryAccess("x", (index + shift,), none, (k,), False)
        for one, other in ((a, b), (b, a)):
            assert conflict(AFFINE, one, other, loop, none) == really(one, other, loop, none), (c, n, shift)


def test_reads_and_other_arrays_are_in_nobodys_way() -> None:
    loop = LoopDim("i", Affine((), 4), 1, Affine((), 4), 0)
    write = MemoryAccess("x", (Affine((), 0),), (), (), True)
    read = replace(write, is_write=False)
    assert (
        conflict(AFFINE, write, read, loop, ())
        and conflict(AFFINE, read, write, loop, ())
        and conflict(AFFINE, write, write, loop, ())
    )
    assert not conflict(AFFINE, read, read, loop, ())
    assert not conflict(AFFINE, write, replace(write, buffer="y"), loop, ())


def test_what_data_decide_may_be_the_same() -> None:
    loop = LoopDim("i", Affine((), 4), 1, Affine((), 4), 0)
    i, data = Affine.of("i"), Affine.of("@n")
    by_loop = in_trace(IndirectIndex("@n", Constant(0, int64), None, frozenset("i"), (), None))
    bins = MemoryAccess("x", (data,), (), (), True)
    assert conflict(by_loop, bins, bins, loop, ())
    beside = replace(bins, index=(data, i))  # in different rows, whatever the data say
    assert not conflict(by_loop, beside, beside, loop, ())
    assert conflict(by_loop, beside, replace(beside, index=(data, i - 1)), loop, ())
    assert not conflict(by_loop, beside, replace(beside, index=(data, i + 1)), loop, ())
    ragged = LoopDim("k", data, 1, data, 1)
    row = replace(bins, index=(Affine.of("k"),), inner=(ragged,))
    assert conflict(by_loop, row, row, loop, ())
    assert not conflict(
        by_loop, replace(row, index=(i, Affine.of("k"))), replace(row, index=(i, Affine.of("k"))), loop, ()
    )
    assert conflict(by_loop, replace(bins, index=(i * 0,), guard=(data,)), replace(bins, index=(i * 0,)), loop, ())


def test_numbers_from_data_that_a_loop_does_not_change_stay_the_same() -> None:
    loop = LoopDim("i", Affine((), 4), 1, Affine((), 4), 0)
    i, data = Affine.of("i"), Affine.of("@n")
    outside = in_trace(IndirectIndex("@n", Constant(0, int64), None, frozenset("t"), (), None))
    row = MemoryAccess("x", (data + i,), (), (), True)
    assert not conflict(outside, row, row, loop, ())
    assert conflict(outside, row, replace(row, index=(data + i - 1,)), loop, ())
    assert conflict(outside, replace(row, index=(data,)), replace(row, index=(data,)), loop, ())
    decided_inside = in_trace(IndirectIndex("@n", Constant(0, int64), None, frozenset("t"), (), None, inside=True))
    assert conflict(decided_inside, row, row, loop, ())


@given(st.lists(affine(("i", "j")), max_size=2), st.lists(affine(("i", "j")), max_size=3))
def test_solutions_are_found_where_there_are_any(equations: list[Affine], inequalities: list[Affine]) -> None:
    box = [e for n in "ij" for e in (Affine.of(n) + 4, 4 - Affine.of(n))]
    points = [dict(zip("ij", p)) for p in product(range(-4, 5), repeat=2)]
    expected = any(
        all(e.evaluate(p) == 0 for e in equations) and all(e.evaluate(p) >= 0 for e in inequalities) for p in points
    )
    assert has_solution(equations, [*inequalities, *box]) == expected


def test_sizes_are_not_negative() -> None:
    size = Affine.of("x.shape[0]")
    assert not has_solution([], [-1 - size]) and has_solution([], [-size])
    assert has_solution([], [-1 - Affine.of("n")]) and has_solution([], [])


# ------------------------------------------------------------------------------------------------ whole programs

SHIFTS = ("", " - 1", " + 1", " - 2", " + 2")


@st.composite
def bodies(draw: st.DrawFn) -> str:
    """A loop of a few statements on three arrays, each beside where another one reads or writes."""

    def element(arrays: str) -> str:
        array, shift = draw(st.sampled_from(arrays)), draw(st.sampled_from(SHIFTS))
        return f"{array}[i{shift}]" if array != "m" else f"m[i{shift}, {draw(st.sampled_from(('0', 'j', 'i - 2')))}]"

    lines = [f"    for i in range({draw(st.sampled_from(('2, 8', '2, 8, 2', '7, 1, -1', '2, n')))}):"]
    inner = draw(st.booleans())
    if inner:
        lines.append(f"        for j in range({draw(st.sampled_from(('3', '0, 6, 2', 'i')))}):")
    arrays = "xym" if inner else "xyz"
    for _ in range(draw(st.integers(1, 3))):
        sign = draw(st.sampled_from(("=", "=", "+=")))
        lines.append(f"        {'    ' * inner}{element(arrays)} {sign} {element(arrays)} + 2.0 * {element(arrays)}")
    return "def f(x, y, z, m, n):\n" + "\n".join(lines) + "\n"


@pytest.mark.in_turns(2)
@settings(max_examples=150)
@given(bodies())
def test_loops_do_what_python_does(text: str) -> None:
    vector = ArrayType(float64, 1)
    function = function_of(text)
    try:
        program = trace(capture(function), (vector, vector, vector, ArrayType(float64, 2), ScalarKind(int64, True)))
    except NotAnMdhError:
        return

    def result(call: Any) -> list[Any]:
        arrays = [np.arange(1.0, 11.0), np.arange(20.0, 30.0), np.arange(3.0, 13.0), np.arange(100.0).reshape(10, 10)]
        call(*arrays, 8)
        return [a.tolist() for a in arrays]

    try:
        got = result(lambda *args: run(program, *args))
    except FallbackSignal:
        return
    assert got == result(function), f"{text}\n{program}"


BOUNDS_WRITTEN = {
    "before": "        p[i + 1] = p[i] + 1\n        for k in range(p[i]):\n            x[i] += k + 1.0\n",
    "behind": "        for k in range(p[i]):\n            x[i] += k + 1.0\n        p[i + 1] = p[i] + 1\n",
    "here": "        p[i] = i\n        for k in range(p[i]):\n            x[i] += k + 1.0\n",
    "sum": "        s = 0\n        for k in range(p[i]):\n            s += k\n        x[i] = s\n        p[i] += 1\n",
}


@pytest.mark.parametrize("body", BOUNDS_WRITTEN.values(), ids=BOUNDS_WRITTEN)
def test_bounds_that_the_loop_writes(body: str) -> None:
    function = function_of(f"def f(x, p):\n    for i in range(3):\n{body}")
    program = trace(capture(function), (ArrayType(float64, 1), ArrayType(int64, 1)))
    expected, got = (np.arange(1.0, 5.0), np.array([2, 1, 0, 3])), (np.arange(1.0, 5.0), np.array([2, 1, 0, 3]))
    function(*expected)
    run(program, *got)
    assert all(map(np.array_equal, got, expected))


def written_before_read(x, y, z):
    for i in range(y.shape[0] - 1):
        y[i] = x[i]
        z[i] = y[i + 1]


def written_between(x, y, z):
    for i in range(1, y.shape[0] - 1):
        y[i] = x[i]
        z[i] = y[i + 1] + y[i - 1]


def reduced_after_updates(x, y, z):
    for i in range(1, y.shape[0] - 1):
        for j in range(3):
            y[i] += x[j]
        s = 0.0
        for j in range(3):
            s += y[i + 1] * x[j]
        z[i] = s


@pytest.mark.parametrize("function", [written_before_read, written_between, reduced_after_updates])
def test_what_a_later_iteration_overwrites_is_read_before(function: Any) -> None:
    """Two loops in turns would read what the first of them has written."""
    vector = ArrayType(float64, 1)
    program = trace(capture(function), (vector,) * 3)
    given, wanted = ([np.arange(7.0) + n for n in (1, 10, 20)] for _ in range(2))
    run(program, *given)
    function(*wanted)
    for got, want in zip(given, wanted):
        np.testing.assert_array_equal(got, want)
