"""The call path: native and in Python they fill the same frame, and refuse the same arguments."""

from __future__ import annotations

import ctypes
import functools
import sys
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from jitmdh.base.dtype import (
    SCALAR_TYPES,
    bool_,
    complex128,
    float32,
    float64,
    from_numpy,
    int64,
    weak_bool,
    weak_complex,
    weak_float,
    weak_int,
)  # fmt: skip
from jitmdh.hca.drivers import cpu_entry, cpu_frame, cpu_watches
from jitmdh.hca.drivers.cpu_entry import (
    AllocatedArray,
    ArrayArgument,
    CallDescription,
    CallTable,
    Plan,
    Result,
    ScalarArgument,
    SizeCondition,
    make_plan,
)  # fmt: skip
from jitmdh.hca.drivers.cpu_runtime import load_kernel
from jitmdh.hca.drivers.native_code.cpu_compile import compile_ir
from jitmdh.hca.drivers.native_code.elf_loader import LoadedCode

TEXT = """
@seen = global [64 x i64] zeroinitializer
@status = global i64 0
@refusal = global i64 0
@slots = global i64 0
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
@first = global i64 0
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
define i64 @guard(ptr %frame) {
  %f = load i64, ptr @first
  %n = load i64, ptr @slots
  %count = sub i64 %n, %f
  %bytes = shl i64 %count, 3
  %p = getelementptr i64, ptr %frame, i64 %f
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 %bytes, i1 false)
  %r = load i64, ptr @refusal
  ret i64 %r
}
define i64 @kernel(ptr %frame) {
  %n = load i64, ptr @slots
  %bytes = shl i64 %n, 3
  call void @llvm.memcpy.p0.p0.i64(ptr @seen, ptr %frame, i64 %bytes, i1 false)
  %s = load i64, ptr @status
  ret i64 %s
}
"""

NATIVE = cpu_entry.native_call_path()
needs_native = pytest.mark.skipif(NATIVE is None, reason="no native call path on this Python")


@functools.cache
def _object() -> bytes:
    return compile_ir(TEXT)


class Recorder:
    """A plan whose kernel records the frame it is given."""

    def __init__(self, description: CallDescription) -> None:
        self.code: LoadedCode = load_kernel(_object())
        self.plan: Plan = make_plan(description, self.code)
        self.cell("slots", description.frame_slots)
        self.cell("first", sum(a.slots for a in description.arguments))

    def cell(self, name: str, value: int) -> None:
        ctypes.c_int64.from_address(self.code.address_of(name)).value = value

    def seen(self) -> list[int]:
        count = self.plan.description.frame_slots
        return list((ctypes.c_int64 * count).from_address(self.code.address_of("seen")))

    def native(self, *arguments: Any) -> tuple[int, Any]:
        assert NATIVE is not None
        return NATIVE.call(self.plan, arguments)

    def python(self, *arguments: Any) -> tuple[int, Any]:
        return cpu_frame.call(self.plan, arguments)


def array(dtype: Any, rank: int, axis: int | None = None, written: bool = False, alias: int = 0) -> ArrayArgument:
    return ArrayArgument(from_numpy(dtype), rank, axis, written, alias)


def recorder(*arguments: Any, **rest: Any) -> Recorder:
    return Recorder(CallDescription(tuple(arguments), **rest))


@pytest.mark.skipif(sys.platform != "linux" or sys.implementation.name != "cpython", reason="may fall back elsewhere")
def test_the_native_path_serves_here() -> None:
    assert cpu_entry._layout_problem() == ""
    assert NATIVE is not None


slices = st.builds(slice, st.none() | st.integers(0, 3), st.none(), st.sampled_from([None, 1, 2, -1, -2]))
shapes = st.lists(st.integers(0, 5), min_size=0, max_size=3)
dtypes = st.sampled_from(["f4", "f8", "i1", "u2", "i4", "i8", "u8", "?", "c8", "c16", "f2"])


@st.composite
def arrays(draw: st.DrawFn) -> np.ndarray[Any, Any]:
    made: np.ndarray[Any, Any] = np.zeros(draw(shapes), draw(dtypes))
    if draw(st.booleans()):
        made = made.T
    if made.ndim:
        made = made[tuple(draw(slices) for _ in range(made.ndim))]
    if draw(st.integers(0, 9)) == 0:
        made.flags.writeable = False
    return made


@needs_native
@settings(max_examples=300)
@given(arrays(), st.sampled_from([None, -1, 0]), st.booleans(), dtypes)
def test_both_paths_agree_on_an_array(a: np.ndarray[Any, Any], axis: int | None, written: bool, other: str) -> None:
    unit = None if axis is None or a.ndim == 0 else axis % a.ndim
    for dtype in (a.dtype, np.dtype(other)):
        r = recorder(array(dtype, a.ndim, unit, written))
        status, _ = r.native(a)
        frame = r.seen()
        r.cell("slots", 0)
        r.cell("slots", r.plan.description.frame_slots)
        expected, _ = r.python(a)
        assert status == expected
        if status == 0:
            assert frame == r.seen()
            assert frame[0] == a.ctypes.data and tuple(frame[1 : 1 + a.ndim]) == a.shape
            strides = tuple(s if n > 1 else a.itemsize for n, s in zip(a.shape, a.strides))
            assert tuple(frame[1 + a.ndim :]) == strides


@needs_native
def test_what_is_no_array_of_this_type_is_refused() -> None:
    r = recorder(array("f8", 1, 0))

    class Sub(np.ndarray): ...

    good = np.zeros(4)
    assert r.native(good)[0] == 0
    for bad in (
        np.zeros(4, "f4"), np.zeros(4, ">f8"), np.zeros((4, 1)), good.view(Sub), [1.0], 1.0, None, "text",
        np.ma.masked_array(good), np.zeros(4, object), np.zeros(8)[::2], np.zeros(33, "u1")[1:].view("f8"),
    ):  # fmt: skip
        assert r.native(bad)[0] == 1, bad
    assert r.native()[0] == 1 and r.native(good, good)[0] == 1


bounds = st.integers(-20, 20)


@needs_native
@given(st.lists(st.tuples(bounds, bounds, st.integers(1, 7)), min_size=1, max_size=3), bounds, bounds)
def test_both_paths_agree_on_sizes(limits: list[tuple[int, int, int]], first: int, second: int) -> None:
    conditions = tuple(SizeCondition(n % 2, *limit) for n, limit in enumerate(limits))
    r = recorder(ScalarArgument(int64), ScalarArgument(int64), conditions=conditions)
    sizes = first, second
    arguments = np.int64(first), np.int64(second)
    holds = all(low <= sizes[n % 2] <= high and sizes[n % 2] % m == 0 for n, (low, high, m) in enumerate(limits))
    assert r.native(*arguments)[0] == r.python(*arguments)[0] == (0 if holds else 1)


@needs_native
@given(st.tuples(bounds, bounds, st.integers(1, 7)), st.lists(st.integers(-9, 2**40), min_size=3, max_size=3))
@example((0, 20, 1), [2**40, 2**40, 0])
@example((0, 20, 1), [2**32, 2**32, 1])
def test_both_paths_agree_on_products_of_sizes(limits: tuple[int, int, int], sizes: list[int]) -> None:
    """Where a product is too large for a number of 64 bits, it is larger than all limits."""
    low, high, multiple = limits
    conditions = SizeCondition(0, low, high, multiple, (1, 2)), SizeCondition(1, -9, 2**40)
    r = recorder(*(ScalarArgument(int64) for _ in sizes), conditions=conditions)
    arguments = [np.int64(size) for size in sizes]
    holds = low <= prod(sizes) <= high and prod(sizes) % multiple == 0
    assert r.native(*arguments)[0] == r.python(*arguments)[0] == (0 if holds else 1)


@needs_native
def test_long_and_long_long_are_one_type() -> None:
    r = recorder(array("i8", 1, 0))
    assert r.native(np.zeros(3, "q"))[0] == 0 and r.native(np.zeros(3, "l"))[0] == 0


@needs_native
def test_code_that_knows_no_strides_leaves_dense_arrays_to_code_that_does() -> None:
    strided, dense = np.zeros((8, 6))[::2, ::3], np.zeros((4, 2))
    r = recorder(array("f8", 2, None))
    cases = (strided, 0), (dense, 1), (dense.T, 1), (dense[:0], 0), (strided[:1], 0), (dense[:, :1], 0)
    for argument, status in cases:
        assert r.native(argument)[0] == status == r.python(argument)[0]
    assert recorder(array("f8", 0)).native(np.zeros(()))[0] == 0


@needs_native
def test_strides_are_whole_elements() -> None:
    base = np.zeros(100, "c8")
    odd = np.lib.stride_tricks.as_strided(base, (3,), (12,))
    assert odd.flags.aligned
    r = recorder(array("c8", 1))
    assert r.native(odd)[0] == 1 == r.python(odd)[0]


@needs_native
def test_an_output_must_not_overlap_itself() -> None:
    r = recorder(array("f8", 2, None, written=True))
    base = np.zeros(100)
    assert r.native(np.lib.stride_tricks.as_strided(base, (4, 4), (16, 16)))[0] == 1
    assert r.native(np.broadcast_to(base[:8:2], (3, 4)))[0] == 1
    assert r.native(np.lib.stride_tricks.as_strided(base, (4, 4), (16, 160)))[0] == 0
    assert r.native(base.reshape(10, 10)[::-2, ::-3])[0] == 0
    assert r.native(np.lib.stride_tricks.as_strided(base, (1, 4), (0, 16)))[0] == 0


@needs_native
def test_outputs_must_not_overlap_inputs() -> None:
    base = np.zeros(200)[::2]
    r = recorder(array("f8", 1, None, True, 0), array("f8", 1, None, False, 1))
    assert r.native(base[:50], base[50:])[0] == 0
    assert r.native(base[:51], base[50:])[0] == 1
    assert r.native(base[10:20][::-1], base[20:30])[0] == 0
    assert r.native(base[10:21][::-1], base[20:30])[0] == 1
    assert r.native(base, base)[0] == 1
    assert r.native(base[:0], base)[0] == 0
    reading = recorder(array("f8", 1, None, False, 0), array("f8", 1, None, False, 1))
    assert reading.native(base, base)[0] == 0
    same = recorder(array("f8", 1, None, True, 0), array("f8", 1, None, False, 0))
    assert same.native(base, base)[0] == 0
    assert same.native(base[:10], base[:10])[0] == 0
    assert same.native(base[:10], base[:9])[0] == 1
    assert same.native(base[:10], base[10:20])[0] == 1


@needs_native
@pytest.mark.parametrize("type", [t for t in SCALAR_TYPES if t.name != "bfloat16"], ids=str)
def test_numpy_scalars(type: Any) -> None:
    r = recorder(ScalarArgument(type))
    value = type.numpy.type(1)
    assert r.native(value)[0] == 0
    frame = r.seen()
    assert r.python(value)[0] == 0
    assert frame == r.seen()
    assert b"".join(w.to_bytes(8, "little", signed=True) for w in frame).startswith(value.tobytes())
    others = [1, 1.0, True, None, np.float16(1), np.int8(1)]
    assert all(r.native(o)[0] == 1 for o in others if not isinstance(o, type.numpy.type) or o is True)


@needs_native
@pytest.mark.parametrize(
    ("type", "good", "bad"),
    [
        (weak_int, [0, -1, 2**63 - 1, -(2**63)], [2**63, True, 1.0, np.int64(1)]),
        (weak_float, [0.5, float("inf")], [1, True, np.float64(1.0)]),
        (weak_bool, [True, False], [1, np.True_]),
        (weak_complex, [1 + 2j], [1.0, np.complex128(1)]),
    ],
)
def test_python_scalars(type: Any, good: list[Any], bad: list[Any]) -> None:
    r = recorder(ScalarArgument(type))
    for value in good:
        assert r.native(value)[0] == 0
        frame = r.seen()
        r.python(value)
        assert frame == r.seen()
    for value in bad:
        assert r.native(value)[0] == 1, value


@needs_native
def test_status_codes() -> None:
    r = recorder(array("f8", 1, 0))
    a = np.zeros(3)
    r.cell("refusal", 7)
    assert r.native(a)[0] == r.python(a)[0] == 3 | 7 << 8
    r.cell("refusal", 0)
    r.cell("status", 2)
    assert r.native(a)[0] == r.python(a)[0] == 4 | 2 << 8


@needs_native
def test_results() -> None:
    a, b = np.zeros(3), np.zeros(4)
    two = (array("f8", 1, 0, False, 0), array("f8", 1, 0, False, 1))
    assert recorder(*two).native(a, b) == (0, None)
    assert recorder(*two, results=(Result(False, 1),)).native(a, b)[1] is b
    result = recorder(*two, results=(Result(False, 1), Result(False, 0)), returns_tuple=True).native(a, b)[1]
    assert result[0] is b and result[1] is a
    made = recorder(
        *two, allocations=(AllocatedArray(float32, 2, False), AllocatedArray(float32, 2, True)),
        results=(Result(True, 1), Result(False, 0)), returns_tuple=True,
    )  # fmt: skip
    for path in (made.native, made.python):
        fresh, same = path(a, b)[1]
        assert fresh.shape == (0, 0) and fresh.dtype == np.float32 and same is a
        assert made.seen()[11] == fresh.ctypes.data


@needs_native
@pytest.mark.parametrize(
    "type", [bool_, int64, float32, complex128, weak_bool, weak_int, weak_float, weak_complex], ids=str
)
def test_returned_scalars(type: Any) -> None:
    """The kernel records the frame; what it would have stored is zero-initialised here by neither path."""
    r = recorder(allocations=(AllocatedArray(type, 0, True),), results=(Result(True, 0),))
    value = r.native()[1]
    expected = cpu_entry._scalar_class(type)
    assert isinstance(value, expected)  # type: ignore[arg-type]
    assert isinstance(r.python()[1], expected)  # type: ignore[arg-type]


@needs_native
def test_no_reference_is_lost_or_gained() -> None:
    assert NATIVE is not None
    a, b = np.zeros(3), np.zeros(4)
    r = recorder(
        array("f8", 1, 0, False, 0), array("f8", 1, 0, False, 1),
        allocations=(AllocatedArray(float64, 1, True), AllocatedArray(float64, 0, True)),
        results=(Result(True, 0), Result(True, 1), Result(False, 0)), returns_tuple=True,
    )  # fmt: skip
    dtype = np.dtype("f8")
    table = CallTable(lambda *args: None, lambda status, owner: 1 / 0)
    table.replace((r.plan,))
    call = NATIVE.builtin(table, None)
    call(a, b)
    before = [sys.getrefcount(o) for o in (a, b, dtype, None, table)]
    for status in (0, 1):
        r.cell("status", status)
        for _ in range(100):
            if status:
                with pytest.raises(ZeroDivisionError):
                    call(a, b)
            else:
                kept = call(a, b)
                counts = sys.getrefcount(kept[0]), sys.getrefcount(a)
                assert counts == (2, before[0] - 1)  # `before` counted two references of its own
                del kept
            call(a, "no array")
    after = [sys.getrefcount(o) for o in (a, b, dtype, None, table)]
    assert all(abs(x - y) < 20 for x, y in zip(before, after))


@needs_native
def test_the_dispatcher() -> None:
    assert NATIVE is not None
    slow: list[Any] = []

    def slow_path(*args: Any, **kwargs: Any) -> str:
        slow.append((args, kwargs))
        return "slow"

    first, second = recorder(array("f8", 1, 0)), recorder(array("f4", 1, 0))
    table = CallTable(slow_path, lambda status, owner: 1 / 0)
    call = NATIVE.builtin(table, None)
    a = np.zeros(3)
    assert call(a) == "slow"
    table.replace((second.plan, first.plan))
    assert call(a) is None and call(a.astype("f4")) is None and table.calls == 2
    assert call(a, key=1) == "slow" and slow[-1][1] == {"key": 1}
    first.cell("refusal", 1)
    assert call(a) == "slow"
    first.cell("refusal", 0)
    place = {"name": a}
    table.watch([("item", place, "name", a)], None)
    assert call(a) is None
    place["other"] = a
    assert call(a) is None
    place["name"] = a.copy()
    assert call(a) == "slow" and call(a) == "slow"
    table.watch([], None)
    assert call(a) is None
    table.replace((second.plan,))
    assert call(a) == "slow" and call(a.astype("f4")) is None


HAS_VERSIONS = cpu_watches.has_versions()


class Owner:
    fixed = 1.5


def changed_places() -> list[tuple[str, Any, str, object, Any]]:
    """How to look, where, under which name, what is there, and how to change it."""
    space: dict[str, object] = {"a": 1.5, "b": 2.5}
    owner, absent = Owner(), object()
    content: object = 3.5

    def function(a: int = 12345, *, b: int = 23456) -> object:
        return content

    def rebind() -> None:
        nonlocal content
        content = 4.5

    cell = function.__closure__[0]  # type: ignore[index]
    return [
        ("item", space, "a", 1.5, lambda: space.update(a=2.5)),
        ("item", space, "b", 2.5, lambda: space.pop("b")),
        ("item", space, "c", absent, lambda: space.update(c=1.5)),
        ("cell", cell, "", content, rebind),
        ("function", function, "__defaults__", function.__defaults__, lambda: setattr(function, "__defaults__", (1,))),
        ("function", function, "__code__", function.__code__, lambda: setattr(function, "__code__", rebind.__code__)),
        ("attribute", owner, "fixed", Owner.fixed, lambda: setattr(owner, "fixed", 2.5)),
        ("attribute", owner, "own", absent, lambda: setattr(owner, "own", 2.5)),
    ]


@needs_native
@pytest.mark.parametrize("versions", [True, False])
@pytest.mark.parametrize("number", range(8))
def test_each_kind_of_place_is_watched(number: int, versions: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Alone and among others; whether or not dictionaries tell by a version that they are the same."""
    assert NATIVE is not None
    monkeypatch.setattr(cpu_watches, "has_versions", lambda: versions and HAS_VERSIONS)
    for others in (False, True):
        places = changed_places()
        absent = places[2][3]
        chosen = places if others else [places[number]]
        fast = recorder(array("f8", 1, 0))
        table = CallTable(lambda *_: "slow", lambda status, owner: 1 / 0)
        call, a = NATIVE.builtin(table, None), np.zeros(3)
        table.replace((fast.plan,))
        table.watch([place[:4] for place in chosen], absent)
        assert call(a) is None and call(a) is None
        places[number][4]()
        assert call(a) == "slow" and call(a) == "slow"


interval = st.tuples(bounds, bounds, st.integers(1, 3))


@needs_native
@given(st.lists(st.tuples(interval, interval, st.booleans()), min_size=1, max_size=6), bounds, bounds)
@settings(max_examples=50)
def test_the_first_plan_whose_conditions_hold_serves_a_call(codes: list[Any], first: int, second: int) -> None:
    assert NATIVE is not None
    recorders = [
        recorder(*(ScalarArgument(t) for t in ((float64, int64) if other else (int64, int64))),
                 conditions=(SizeCondition(0, *one), SizeCondition(1, *two))[int(other) :])
        for one, two, other in codes
    ]  # fmt: skip
    table = CallTable(lambda *args: "slow", lambda status, owner: 1 / 0)
    table.replace(tuple(r.plan for r in recorders))
    table.replace(tuple(r.plan for r in recorders))  # what came next before is forgotten
    call = NATIVE.builtin(table, None)
    for r in recorders:
        r.cell("seen", -99)
    answer = call(np.int64(first), np.int64(second))

    def serves(low: int, high: int, multiple: int, size: int) -> bool:
        return low <= size <= high and size % multiple == 0

    fitting = [
        n for n, (one, two, other) in enumerate(codes) if not other and serves(*one, first) and serves(*two, second)
    ]
    assert answer == (None if fitting else "slow")
    assert [n for n, r in enumerate(recorders) if r.seen()[0] != -99] == fitting[:1]


around = st.tuples(st.integers(-3, 0), st.integers(0, 3), st.integers(1, 2))
size_calls = st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=1, max_size=12)


@needs_native
@given(st.lists(st.tuples(around, around), min_size=3, max_size=9), size_calls, st.integers(0, 8))
@settings(max_examples=50)
def test_calls_that_come_again_take_the_same_plan(codes: list[Any], calls: list[tuple[int, int]], number: int) -> None:
    """Which plan it was is looked up; a plan that took the place of another serves its calls at once."""
    assert NATIVE is not None

    def made(one: Any, two: Any) -> Recorder:
        conditions = SizeCondition(0, *one), SizeCondition(1, *two)
        return recorder(ScalarArgument(int64), ScalarArgument(int64), conditions=conditions)

    recorders = [made(*code) for code in codes]
    table = CallTable(lambda *args: "slow", lambda status, owner: 1 / 0)
    table.replace(tuple(r.plan for r in recorders))
    call = NATIVE.builtin(table, None)

    def check() -> None:
        for first, second in (*calls, *reversed(calls)):
            for r in recorders:
                r.cell("seen", -99)
            answer = call(np.int64(first), np.int64(second))
            fitting = [
                n for n, code in enumerate(codes)
                if all(low <= size <= high and size % m == 0 for (low, high, m), size in zip(code, (first, second)))
            ]  # fmt: skip
            assert answer == (None if fitting else "slow")
            assert [n for n, r in enumerate(recorders) if r.seen()[0] != -99] == fitting[:1]

    check()
    number %= len(codes)
    old, recorders[number] = recorders[number], made(*codes[number])
    table.exchange(old.plan, recorders[number].plan)
    check()
    table.replace(tuple(r.plan for r in recorders[1:]))
    del codes[0], recorders[0]
    check()
