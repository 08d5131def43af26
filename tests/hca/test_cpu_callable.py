"""Objects whose calls go to native code at once: what Python does with them otherwise stays as it is."""

from __future__ import annotations

import copy
import ctypes
import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh import tensor as mt
from jitmdh.hca.drivers.cpu_entry import native_call_path
from jitmdh.hca.drivers.native_code import cpu_callable
from jitmdh.hca.drivers.native_code.cpu_callable import CallableObject, call_natively

_NATIVE = ctypes.PYFUNCTYPE(
    ctypes.py_object, ctypes.py_object, ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_void_p
)  # object, arguments, count and flag, names


class Example(CallableObject):
    def __init__(self) -> None:
        self.kept: Any = None

    def __call__(self, *args: Any, **named: Any) -> Any:
        return "Python", args, named


@pytest.fixture
def taken() -> tuple[Example, list[tuple[int, bool]]]:
    """An object of a class of its own whose calls go to a native function, which notes how they came."""
    made, seen = type("Own", (Example,), {})(), []

    @_NATIVE
    def native(self: Any, arguments: Any, count: int, names: Any) -> Any:
        seen.append((count & (1 << 63) - 1, names is not None))
        return "native", self is made

    made.kept = native
    call_natively(made, ctypes.cast(native, ctypes.c_void_p).value or 0, 0)
    return made, seen


needs_native = pytest.mark.skipif(native_call_path() is None, reason="this Python is laid out otherwise")


def test_until_then_calls_go_to_python() -> None:
    assert Example()(1, a=2) == ("Python", (1,), {"a": 2})


@needs_native
@pytest.mark.parametrize(
    ("call", "seen"),
    [
        (lambda f: f(), (0, False)),
        (lambda f: f(1, 2, 3), (3, False)),
        (lambda f: f(1, a=2), (1, True)),
        (lambda f: f(*[1, 2], **dict.fromkeys("ab")), (2, True)),
        (lambda f: next(map(f, [1])), (1, False)),
        (lambda f: type("Holder", (), {"f": f})().f(1), (1, False)),  # it is no method: nothing is bound
    ],
)
def test_every_way_to_call(taken: Any, call: Callable[[Any], Any], seen: tuple[int, bool]) -> None:
    assert call(taken[0]) == ("native", True)
    assert taken[1] == [seen]


@needs_native
def test_copies_and_objects_of_derived_classes_go_to_python(taken: Any) -> None:
    made = taken[0]
    for other in (copy.copy(made), type(made)(), type("Derived", (type(made),), {})()):
        assert other(1) == ("Python", (1,), {})
    assert vars(copy.copy(made)) == vars(made)


@needs_native
def test_it_is_collected_like_any_object(taken: Any) -> None:
    made = type("Own", (Example,), {})()
    made.kept = made
    call_natively(made, 0, 0)
    gone = weakref.ref(made)
    del made
    gc.collect()
    assert gone() is None


def test_where_python_is_laid_out_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu_callable, "_usable", False)
    made = type("Own", (Example,), {})()
    call_natively(made, 1, 1)
    assert made(1) == ("Python", (1,), {})


@needs_native
def test_decorated_functions_and_kernels_of_tensors_are_called_so() -> None:
    @mdh.jit
    def added(x, y):
        for i in range(x.shape[0]):
            x[i] += y[i]

    a, b = mt.Tensor("a", (3,)), mt.Tensor("b", (3,))
    kernel: Any = mt.kernel("added", a["i"] <= a["i"] + b["i"])
    x, y = np.zeros(3), np.ones(3)
    assert not (type(added).__flags__ | type(kernel).__flags__) & cpu_callable.HAS_VECTORCALL
    for call in (lambda: added(x, y), lambda: added(x, y=y), lambda: kernel(a=x, b=y), lambda: kernel(x, y)):
        for _ in range(2):
            call()
    assert type(added).__flags__ & type(kernel).__flags__ & cpu_callable.HAS_VECTORCALL
    assert (x == 8).all()
    for changed in (copy.copy(kernel), copy.copy(added)):
        changed(x, y)
    assert (x == 10).all()
