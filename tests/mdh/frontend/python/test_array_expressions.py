"""Array expressions in decorated functions: NumPy ≡ the interpreter of the algebra ≡ compiled code."""

from __future__ import annotations

import copy
import functools
import random
import warnings

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import JitWarning
from jitmdh.mdh.algebra.check import check
from jitmdh.mdh.algebra.expr import expressions
from jitmdh.mdh.algebra.semantics.interp import FallbackSignal, run
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.trace import trace
from tests.mdh.frontend import array_programs
from tests.mdh.frontend.array_outputs import OUTPUTS
from tests.mdh.frontend.array_programs import MORE, PROGRAMS
from tests.mdh.frontend.test_programs import argument_type
from tests.source_text import function_in

TYPES = {"ints": ("i4", "u1"), "folded": ("f4", "i8"), "normalised": ("f4", "f8"), "powers": ("f4", "f8")}
ALL = (*PROGRAMS, *MORE, *OUTPUTS)
SIZES = ((5, 4), (1, 1), (3, 1), (0, 3), (3, 0), (67, 33))
TOLERANCE = {2: 2e-2, 4: 2e-4, 8: 1e-10}


def maker(rng, type, strided=False):
    def make(*shape):
        dtype = np.dtype(type)
        whole = tuple(2 * n for n in shape) if strided else shape
        values = (
            rng.uniform(-1, 1, whole) if dtype.kind == "f" else rng.integers(0 if dtype.kind in "bu" else -4, 5, whole)
        )
        made = values.astype(dtype)
        return made[tuple(slice(None, None, -2) for _ in shape)] if strided else made

    return make


def same(expected, found):
    if expected is None or isinstance(expected, tuple):
        assert type(expected) is type(found)
        for e, f in zip(expected or (), found or (), strict=True):
            same(e, f)
        return
    e, f = np.asarray(expected), np.asarray(found)
    assert (e.dtype, e.shape) == (f.dtype, f.shape)
    if e.dtype.kind == "f":
        tolerance = TOLERANCE[e.dtype.itemsize]
        np.testing.assert_allclose(f, e, rtol=tolerance, atol=tolerance)
    else:
        np.testing.assert_array_equal(f, e)


@functools.cache
def traced(function, types):
    program = trace(capture(function), types)
    check(program)
    return program


def agree(function, compiled, arguments):
    """One call of all three; whether the compiled form covers it."""
    by_python, by_interpreter, by_machine = (copy.deepcopy(arguments) for _ in range(3))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        program = traced(function, tuple(map(argument_type, arguments)))
        try:
            expected = function(*by_python)
        except (ValueError, IndexError) as error:
            with pytest.raises((type(error), FallbackSignal)):
                run(program, *by_interpreter)
            return False
        try:
            found, covered = run(program, *by_interpreter), True
        except FallbackSignal:
            covered = False
        warnings.simplefilter("error" if covered else "ignore", JitWarning)
        same(expected, compiled(*by_machine))
    same(tuple(by_python), tuple(by_machine))
    if covered:
        same(expected, found)
        same(tuple(by_python), tuple(by_interpreter))
    return covered


@pytest.mark.in_turns(6)
@pytest.mark.parametrize("function, arguments", ALL, ids=[f"{f.__name__}{n}" for n, (f, _) in enumerate(ALL)])
@pytest.mark.parametrize("number", (0, 1))
def test_same_as_numpy(function, arguments, number) -> None:
    rng = np.random.default_rng(1)
    compiled = mdh.jit(tune="off")(function)
    type = TYPES.get(function.__name__, ("f4", "i8"))[number]
    assert [agree(function, compiled, arguments(maker(rng, type, m == 5), m, n)) for m, n in SIZES][-1]


REDUCTIONS = (
    "x.sum() x.prod() x.max() x.min() x.mean() x.any() x.all() x.argmax() x.argmin() x.sum(axis=0) x.prod(axis=1) "
    "x.max(0) x.min(axis=-1,keepdims=True) np.mean(x,axis=(0,1)) np.any(x,axis=1) np.argmax(x,axis=1) np.argmin(x,0) "
    "np.cumsum(x) x.T.cumprod() "
    "np.cumsum(x,axis=0) np.cumprod(x,axis=1) x@x.T np.dot(x,x.T) np.inner(x,x) np.einsum('ij,kj',x,x) "
    "x.sum(dtype='f4') np.einsum('ij->j',x) np.tensordot(x,x) np.tensordot(x,x,((0,),(0,))) x+x.T.sum() "
    "x*2 x/3 x**2 x>1 x+1.5 abs(x) np.where(x>1,x,1.5) np.square(x) np.floor(x) np.sqrt(x) x.astype('i4') "
    "x.mean(axis=1,dtype='f4') x+x x*x x+x.T.sum()*0+x x.clip(1,2) np.flip(x)+x[::-1] x.sum(where=x>1) "
    "x.max(initial=1) np.max(x,axis=0,initial=2,where=x>1) x.prod(axis=1,initial=2) np.any(x,where=x>0) x.sum(axis=()) "
    "np.swapaxes(x,0,1)+1 np.expand_dims(x,1).sum(axis=2) x.reshape(x.shape[0],-1,2).sum(axis=2) "
    "np.moveaxis(x,0,-1)*x.T "
    "np.einsum('ij,kj->ik',x,x,optimize=True) np.einsum(x,[0,1],x,[2,1],[0,2]) "
    "mdh.einsum('ij,kj->ik',x,x,combine=mdh.max,scalar=np.minimum)"
).split()


@pytest.mark.in_turns(6)
@pytest.mark.parametrize("type", "? i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8".split())
def test_types_are_numpys(type) -> None:
    arguments = (maker(np.random.default_rng(2), type)(3, 4),)
    for part in range(4):  # what one function takes to compile grows faster than what is in it
        texts = (text.replace("'i4'", "np.int32").replace("'f4'", "np.float32") for text in REDUCTIONS[part::4])
        function = defined(f"types_{type.replace('?', 'b')}_{part}", f"def f(x):\n    return {', '.join(texts)}\n")
        assert agree(function, mdh.jit(tune="off")(function), arguments)


def test_nan_is_the_extremum() -> None:
    x = np.array([1.0, np.nan, 3.0, np.nan, -np.inf], np.float32)
    for function in (array_programs.extremes,):
        assert agree(function, mdh.jit(tune="off")(function), (x,))
        assert agree(function, mdh.jit(tune="off")(function), (np.full(100, -np.inf, np.float32),))


@pytest.mark.filterwarnings("ignore:.*runs as plain Python")
def test_overlapping_arguments() -> None:
    """Arrays that share memory: what NumPy computes, which takes all of the value first."""
    compiled = mdh.jit(tune="off")(array_programs.shifted)
    for n in (2, 9, 100):
        for make in (lambda a: (a, a), lambda a: (a[1:], a[:-1]), lambda a: (a[:-1], a[1:]), lambda a: (a[::-1], a)):
            mine, theirs = (np.arange(n, dtype=np.float32) for _ in range(2))
            array_programs.shifted(*make(theirs))
            compiled(*make(mine))
            np.testing.assert_array_equal(mine, theirs)


def test_fused() -> None:
    """What is element-wise is part of the reduction that consumes it."""
    square = np.ones((3, 3), np.float32)
    for function, count in ((array_programs.total, 1), (array_programs.mm, 1), (array_programs.blur, 1)):
        arguments = [square] * function.__code__.co_argcount
        program = trace(capture(function), tuple(map(argument_type, arguments)))
        assert len(expressions(program.steps)) == count


STORES = {
    "y[:] = x @ z": 1, "y[:] = np.cumsum(x, axis=0) ": 1, "y[0] = x.sum(axis=0)": 1, "y[:, 1] = x.max(axis=1)": 1,
    "y[:] = x.sum(axis=0)": 2, "y[:] = x.sum(axis=1, keepdims=True)": 2, "x[:] = x @ z": 2, "y[:] = y + y @ z": 2,
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*runs as plain Python")
@pytest.mark.parametrize("text", STORES)
def test_results_are_written_where_they_belong(text) -> None:
    """There is an array between only where elements are used more than once, or overwritten while they are needed."""
    name = f"stores_{list(STORES).index(text)}"
    function = defined(name, f"def f(y, x, z):\n    {text}\n    return y\n")
    made = maker(np.random.default_rng(3), "f8")
    square = [made(4, 4) for _ in range(3)]
    program = trace(capture(function), tuple(map(argument_type, square)))
    assert len(expressions(program.steps)) == STORES[text]
    compiled = mdh.jit(tune="off")(function)
    assert agree(function, compiled, tuple(square))
    one = made(4, 4), made(4, 1), made(1, 4)
    if text.startswith("y[:] = x"):
        agree(function, compiled, one)  # what is broadcast, NumPy decides at the call


# ------------------------------------------------------------------------------------------------ random programs


def defined(name, text):
    """A function from its text."""
    return function_in(text, f"<{name}>", {"np": np, "mdh": mdh})


class Writer:
    """A random function of two matrices A, B of one shape, a row x and a column y."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        lines = ["def f(A, B, x, y):"]
        self.matrices, self.rows, self.columns = ["A", "B"], ["x"], ["y", "y.T"]
        for n in range(self.random.randint(1, 4)):
            kind = self.random.randrange(5)
            if kind == 0:
                lines.append(f"    M{n} = {self.matrix(2)}")
                self.matrices.append(f"M{n}")
            elif kind == 1:
                lines.append(f"    r{n} = {self.row(2)}")
                self.rows.append(f"r{n}")
            elif kind == 2:
                target = self.random.choice(["A[:]", "B[...]", "A[:, 0]", "x[:]", "A[1:]", "x[::2]", "B[:, ::-1]"])
                lines.append(f"    {target} = {self.fitting(target)}")
            elif kind == 3:
                lines.append(f"    {self.random.choice(['A', 'B'])} {self.random.choice('+-*')}= {self.matrix(1)}")
            else:
                lines.append(f"    x[1:] {self.random.choice('+-')}= x[:-1]")
        lines.append(f"    return {self.matrix(2)}, {self.row(2)}, {self.number()}")
        self.text = "\n".join(lines) + "\n"

    def fitting(self, target: str) -> str:
        if target == "A[:, 0]":
            return self.column(1)
        if target == "A[1:]":
            return self.random.choice(["A[:-1]", "B[1:]", "A[:-1] + B[1:]", self.row(1)])
        if target == "x[::2]":
            return self.random.choice(["x[::2] + 1", "3", "x[::2] * x[::2]"])
        return self.matrix(1) if target[0] in "AB" else self.row(1)

    def matrix(self, depth: int) -> str:
        pick = self.random.random()
        if depth == 0 or pick < 0.3:
            return self.random.choice(self.matrices)
        if pick < 0.6:
            return f"({self.matrix(depth - 1)} {self.random.choice('+-*')} {self.any(depth - 1)})"
        return self.random.choice(
            [
                f"({self.any(depth - 1)} + {self.matrix(depth - 1)})",
                f"np.where({self.matrix(0)} > {self.any(0)}, {self.matrix(0)}, 1)",
                f"np.maximum({self.matrix(depth - 1)}, {self.row(0)})",
                f"({self.column(depth - 1)}[:, None] - {self.row(0)})",
                f"np.cumsum({self.matrix(0)}, axis={self.random.randrange(2)})",
                f"np.outer({self.column(0)}, {self.row(0)})",
                f"({self.matrix(0)} @ {self.matrix(0)}.T @ {self.matrix(0)})",
                f"({self.matrix(0)}[::-1] + 0)",
                f"(-{self.matrix(0)})",
            ]
        )

    def row(self, depth: int) -> str:
        if depth == 0 or self.random.random() < 0.3:
            return self.random.choice(self.rows)
        return self.random.choice(
            [
                f"({self.row(depth - 1)} + {self.number()})",
                f"{self.matrix(depth - 1)}.sum(axis=0)",
                f"({self.column(0)} @ {self.matrix(0)})",
                f"np.max({self.matrix(depth - 1)}, axis=0)",
                f"np.cumsum({self.row(0)})",
                f"({self.row(0)}[::-1] * 2)",
                f"({self.row(0)} * {self.row(0)})",
                f"np.einsum('ij,i->j', {self.matrix(0)}, {self.column(0)})",
            ]
        )

    def column(self, depth: int) -> str:
        if depth == 0 or self.random.random() < 0.3:
            return self.random.choice(self.columns)
        return self.random.choice(
            [
                f"{self.matrix(depth - 1)}.sum(axis=1)",
                f"({self.matrix(0)} @ {self.row(0)})",
                f"({self.matrix(0)}[:, -1] * 1)",
                f"np.argmax({self.matrix(depth - 1)}, axis=1)",
                f"({self.column(depth - 1)} - {self.number()})",
            ]
        )

    def number(self) -> str:
        return self.random.choice(
            ["2", f"{self.row(0)}.sum()", f"np.max({self.matrix(0)})", f"({self.row(0)} @ {self.row(0)})", "3"]
        )

    def any(self, depth: int) -> str:
        return self.random.choice(
            [self.matrix(depth), self.row(depth), f"{self.column(depth)}[:, None]", self.number()]
        )


@pytest.mark.in_turns(6)
@pytest.mark.parametrize("seed", range(60))
def test_random_programs(seed) -> None:
    writer = Writer(seed)
    function = defined(f"arrays_{seed}", writer.text)
    compiled = mdh.jit(tune="off")(function)
    rng = np.random.default_rng(seed)
    for m, n in ((4, 5), ((1, 1), (1, 3), (2, 1))[seed % 3], (19, 23)):  # each of ones is code of its own
        make = maker(rng, "i8", m == 4)
        agree(function, compiled, (make(m, n), make(m, n), make(n), make(m)))
