"""What is read from around a function: which values are told apart, what is found where, what is refused."""

from __future__ import annotations

import enum
import functools
import math
import operator
import sys
import types
from collections import namedtuple
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from jitmdh.mdh.frontend.source.environment import ABSENT, Environment, Unreadable, constant, is_constant_array
from jitmdh.mdh.frontend.source.library import function_name, is_library_module, is_library_type, output_at


def reader(**space: object) -> Any:
    """A function whose globals are these."""
    exec("def f(x): pass", space)
    return space["f"]


def digest(value: object) -> str:
    environment = Environment(reader(v=value))
    assert environment.free(environment.function, "v") is value
    return environment.digest


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Name(str):
    pass


class Weight(float):
    pass


class Plain:
    pass


class Other:
    pass


Pair, Couple = namedtuple("Pair", "a b"), namedtuple("Couple", "a b")

# Each means something else to a compiler: no two may be taken for the same.
DIFFERENT = [
    lambda: 1, lambda: 2, lambda: True, lambda: 1.0, lambda: 1j, lambda: 1 + 0j, lambda: "1", lambda: b"1",
    lambda: slice(1), lambda: slice(1, None), lambda: slice(None, 1, -1), lambda: slice(1.0),
    lambda: None, lambda: ..., lambda: 0.0, lambda: -0.0, lambda: complex(0.0, -0.0), lambda: complex(-0.0, 0.0),
    lambda: float("nan"), lambda: np.float32(1), lambda: np.float64(1), lambda: np.int64(1), lambda: np.int64(2),
    lambda: np.bool(True), lambda: np.dtype("f4"), lambda: np.dtype("f8"), lambda: np.float32, lambda: np.float64,
    lambda: float, lambda: int, lambda: constant([1.0, 2.0]), lambda: constant([1.0, 3.0]),
    lambda: constant([[1.0, 2.0]]), lambda: constant([1, 2]), lambda: (), lambda: (1,), lambda: (1, 2),
    lambda: (1, 2.0), lambda: ((1,), 2), lambda: Pair(1, 2), lambda: Couple(1, 2), lambda: np.sqrt, lambda: np.exp,
    lambda: math.sin, lambda: math.exp, lambda: len, lambda: operator.add, lambda: np.sum, lambda: Plain, lambda: Other,
    lambda: Plain(), lambda: Other(), lambda: math, lambda: np, lambda: Level.LOW, lambda: Level.HIGH,
    lambda: Name("a"), lambda: Name("b"), lambda: Weight(1), lambda: Weight(2), lambda: np.zeros(3), lambda: [1, 2],
    lambda: digest, lambda: np.vectorize(abs),
]  # fmt: skip


def test_values_are_told_apart() -> None:
    """A value has one digest in every process, and shares it with no other value of the table."""
    found = [digest(make()) for make in DIFFERENT]
    assert found == [digest(make()) for make in DIFFERENT]
    alike = {(i, j) for i, a in enumerate(found) for j, b in enumerate(found[:i]) if a == b}
    assert not alike


def test_the_same_object_by_two_ways() -> None:
    shared = Plain()
    one, two = Environment(reader(a=shared, b=shared)), Environment(reader(a=shared, b=Plain()))
    for environment in (one, two):
        assert environment.free(environment.function, "a") is shared
        environment.free(environment.function, "b")
    assert one.digest != two.digest


def test_options_and_arguments() -> None:
    """Objects that are a part of the program, each of which counts as what it is."""
    one, two = Environment(reader(), {"a": 1.0}, {1: 2}), Environment(reader(), {"a": 2.0}, {1: 3})
    for environment, option, argument in ((one, 1.0, 2), (two, 2.0, 3)):
        assert environment.option("a") == option and environment.option("b") is None
        assert environment.argument(1) == argument and environment.argument(0) is None
    assert one.digest != two.digest
    for other in (Environment(reader(), {"a": 1.0}, {1: 3}), Environment(reader(), {"a": 2.0}, {1: 2})):
        again = other.replay(read.path for read in one.reads)
        assert again.digest not in (one.digest, two.digest)


def test_modules_that_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """`import name` finds what has been loaded; that it has not, or is another one, is noticed."""
    environment = Environment(reader())
    assert environment.module("math") is math and environment.module("nowhere.to.be.found") is None
    assert environment.holds()
    monkeypatch.setitem(sys.modules, "math", module())
    assert not environment.holds()
    other = Environment(reader())
    assert other.module("math") is sys.modules["math"] and other.module("nowhere.to.be.found") is None
    assert other.digest != environment.digest
    monkeypatch.undo()
    assert environment.holds()
    monkeypatch.setitem(sys.modules, "nowhere.to.be.found", math)
    assert not environment.holds()


# ------------------------------------------------------------------------------------------------------ functions


@pytest.mark.parametrize(
    ("function", "place"),
    [(np.add, 2), (np.sin, 1), (np.clip, 3), (np.flip, None), (np.dot, 2), (math.sin, None), (len, None)],
)
def test_where_the_results_go(function: object, place: int | None) -> None:
    assert output_at(function) == place


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (np.sqrt, "numpy.sqrt"), (math.sin, "math.sin"), (len, "builtins.len"), (operator.add, "_operator.add"),
        (np.sum, "numpy.sum"), (np.einsum, "numpy.einsum"), (np.linspace, "numpy.linspace"),
        (np.frompyfunc(abs, 1, 1), None), ([].append, None), (types.MethodType(len, ()), None), (digest, None),
        (np.vectorize(math.sin), None), (functools.wraps(np.sqrt)(lambda x: x), None), (float, None), (3, None),
    ],
)  # fmt: skip
def test_functions_of_libraries(value: object, name: str | None) -> None:
    assert function_name(value) == name


def test_types_and_modules_of_libraries() -> None:
    assert is_library_type(int) and is_library_type(np.float32) and is_library_type(types.FunctionType)
    assert not is_library_type(Plain) and not is_library_type(Level) and not is_library_type(Fraction)
    assert is_library_type(np.vectorize)  # a class statement of NumPy's
    assert is_library_module(np.linalg) and is_library_module(math) and not is_library_module(pytest)


def test_arrays_that_stay_as_they_are() -> None:
    good = constant(np.arange(32.0))
    assert is_constant_array(good) and good.tolist() == list(range(32)) and not good.flags.writeable
    read_only = np.arange(3.0)
    read_only.flags.writeable = False
    data = np.arange(4.0).tobytes()
    for bad in (
        np.arange(3.0), read_only, constant(np.arange(33.0)), good[::2], good[1:], constant(["a", "b"]),
        np.ndarray((4,), ">f8", data), np.ma.masked_array(good), [1.0], np.ndarray((2,), "V16", data),
        np.ndarray((2,), "f8", data, strides=(16,)), np.frombuffer(bytearray(data)),
    ):  # fmt: skip
        assert not is_constant_array(bad), bad
    assert constant(np.arange(4.0)[::-1]).tolist() == [3, 2, 1, 0]


# ----------------------------------------------------------------------------------------------------- attributes


class Meta(type):
    @property
    def computed(cls) -> float:
        return 1.0

    plain = 2.0


class Odd(metaclass=Meta):
    pass


class Late(type):
    def __getattr__(cls, name: str) -> float:
        return 3.0


class Lazy(metaclass=Late):
    there = 4.0


class Watching(type):
    def __getattribute__(cls, name: str) -> Any:
        return type.__getattribute__(cls, name)


class Watched(metaclass=Watching):
    k = 1.0


class Everything:
    k, whole = 5.0, np.sqrt
    __slots__ = ("__dict__", "slot")

    def __init__(self) -> None:
        self.own, self.slot = 6.0, 7.0

    def method(self) -> float:
        return 8.0

    @property
    def computed(self) -> float:
        return 9.0

    @staticmethod
    def static(x: float) -> float:
        return x

    @classmethod
    def of_class(cls) -> float:
        return 1.0


class Child(Everything):
    k = 10.0


class Asking:
    k = 1.0

    def __getattr__(self, name: str) -> float:
        return 2.0


class Getting:
    k = 1.0

    def __getattribute__(self, name: str) -> Any:
        return object.__getattribute__(self, name)


class Descriptor:
    """It decides what is read, whatever the object itself has under its name: it can delete, if not set."""

    def __get__(self, owner: object, kind: type | None = None) -> float:
        return 3.0

    def __delete__(self, owner: object) -> None: ...


class Deleting:
    k = Descriptor()

    def __init__(self) -> None:
        vars(self)["k"] = 1.0


class OddModule(types.ModuleType):
    @property
    def computed(self) -> float:
        return 1.0


def module(kind: type = types.ModuleType, **names: object) -> types.ModuleType:
    made = kind("made")
    vars(made).update(names)
    return made


ATTRIBUTES = [
    (Everything, "k"), (Everything, "static"), (Everything, "method"), (Everything, "whole"), (Child, "k"),
    (Child(), "k"), (Child(), "own"), (Child(), "slot"), (Child(), "static"), (Lazy, "there"), (Asking(), "k"),
    (Level.LOW, "value"), (Level.LOW, "name"), (module(k=1.0), "k"), (module(OddModule, k=2.0), "k"), (np, "pi"),
    (np.finfo(np.float32), "eps"), (np.float32(2), "real"), (3.0, "imag"), (np.dtype("f4"), "itemsize"),
    (int, "__add__"),
]  # fmt: skip


@pytest.mark.parametrize(("owner", "name"), ATTRIBUTES, ids=range(len(ATTRIBUTES)))
def test_attributes_are_pythons(owner: object, name: str) -> None:
    environment = Environment(reader(v=owner))
    found = environment.attribute(environment.free(environment.function, "v"), name)
    expected = getattr(owner, name)
    assert found is expected or found == expected
    assert environment.holds()


MISSING = [(Everything, "nothing"), (Child(), "nothing"), (module(), "nothing"), (Odd, "nothing"), (1.0, "nothing")]


@pytest.mark.parametrize(("owner", "name"), MISSING, ids=range(len(MISSING)))
def test_what_is_missing_is_an_attribute_error_and_watched(owner: Any, name: str) -> None:
    environment = Environment(reader(v=owner))
    value = environment.free(environment.function, "v")
    with pytest.raises(AttributeError):
        environment.attribute(value, name)
    assert environment.holds()
    if isinstance(owner, float):
        return
    setattr(owner, name, 1.0)
    try:
        assert not environment.holds()
    finally:
        delattr(owner, name)


REFUSED = [
    (Child(), "computed"), (Child(), "method"), (Child(), "of_class"), (Everything, "computed"),
    (Everything, "of_class"), (Odd, "computed"), (Odd, "plain"), (Lazy, "nothing"), (Watched, "k"),
    (Asking(), "nothing"), (Getting(), "k"), (module(OddModule), "computed"),
    (module(__getattr__=lambda name: 1.0), "k"), (np.zeros(3), "size"), (Deleting(), "k"),
]  # fmt: skip


@pytest.mark.parametrize(("owner", "name"), REFUSED, ids=range(len(REFUSED)))
def test_what_runs_code_is_refused(owner: object, name: str) -> None:
    environment = Environment(reader(v=owner))
    with pytest.raises(Unreadable):
        environment.attribute(environment.free(environment.function, "v"), name)


def test_objects_of_unknown_origin_are_refused() -> None:
    with pytest.raises(Unreadable, match="where this Plain comes from is not known"):
        Environment(reader()).attribute(Plain(), "k")


# -------------------------------------------------------------------------------------------------------- changes


def keyed(x: float, *, a: float = 1.0, b: float = 2.0) -> float:
    return x


def unkeyed(x: float, y: float = 3.0) -> float:
    return x


def counter() -> tuple[Callable[[], float], Callable[..., None]]:
    held = 1.0

    def read() -> float:
        return held

    def change(value: float | None = None) -> None:
        nonlocal held
        if value is None:
            del held
        else:
            held = value

    return read, change


def test_defaults() -> None:
    environment = Environment(reader(keyed=keyed, unkeyed=unkeyed))
    for name, function in (("keyed", keyed), ("unkeyed", unkeyed)):
        environment.free(environment.function, name)
        environment.source(function)
    assert environment.defaults(keyed) == () and environment.defaults(unkeyed) == (3.0,)
    assert environment.keyword_defaults(keyed) == {"a": 1.0, "b": 2.0} and environment.keyword_defaults(unkeyed) == {}
    assert keyed.__kwdefaults__ is not None
    before, again = environment.digest, environment.replay([read.path for read in environment.reads])
    assert again.digest == before
    original = keyed.__kwdefaults__["b"]
    keyed.__kwdefaults__["b"] = 2.5
    try:
        assert not environment.holds()
        assert environment.replay([read.path for read in environment.reads]).digest != before
    finally:
        keyed.__kwdefaults__["b"] = original
    assert environment.holds()


def test_cells() -> None:
    read, change = counter()
    environment = Environment(read)  # type: ignore[arg-type]
    assert environment.free(environment.function, "held") == 1.0 and environment.holds()
    change(2.0)
    assert not environment.holds()
    change()
    assert not environment.holds()
    with pytest.raises(KeyError):
        environment.replay([]).free(environment.function, "held")


def test_globals_and_what_hides_builtins() -> None:
    environment = Environment(reader())
    space = environment.function.__globals__
    assert environment.free(environment.function, "abs") is abs
    with pytest.raises(KeyError):
        environment.free(environment.function, "nowhere")
    assert environment.holds()
    for name in ("abs", "nowhere"):
        space[name] = len
        assert not environment.holds()
        del space[name]
    builtins, original = environment.function.__builtins__, abs
    builtins["abs"] = len
    try:
        assert not environment.holds()
    finally:
        builtins["abs"] = original
    assert environment.holds() and repr(ABSENT) == "nothing"


class Same:
    def __eq__(self, other: object) -> bool:
        return True


class Counted:
    def __bool__(self) -> bool:
        return False


def test_whose_comparisons_are_fixed() -> None:
    environment = Environment(reader(same=Same(), plain=Plain(), counted=Counted(), level=Level.LOW, name=Name("a")))
    function = environment.function
    for name, method, fixed in (
        ("same", "__eq__", False), ("same", "__bool__", True), ("plain", "__eq__", True), ("plain", "__len__", True),
        ("counted", "__bool__", False), ("level", "__eq__", True), ("name", "__eq__", True),
    ):  # fmt: skip
        assert environment.has_fixed(environment.free(function, name), method) == fixed, (name, method)
    assert environment.has_fixed(np.sqrt, "__eq__") and environment.has_fixed(np.dtype("f4"), "__bool__")
    assert environment.has_fixed(1.0, "__bool__") and not environment.has_fixed(Other(), "__eq__")
    assert not environment.has_fixed(np.zeros(3), "__eq__") and not environment.has_fixed([1], "__len__")
