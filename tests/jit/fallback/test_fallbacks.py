"""What cannot be compiled runs anyway: its loops compiled in place, the rest as Python or by Numba, said once."""

from __future__ import annotations

import threading
import warnings
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import ArgumentTypeError, JitWarning, NotAnMdhError
from jitmdh.jit.fallback import outline
from tests.waiting import PATIENCE


def glued(x, y):  # type: ignore[no-untyped-def]
    names = {"sum": 0.0}
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] * y[i]
    names["sum"] = total
    for step in range(3):
        names[step] = step
        for j in range(y.shape[0]):
            y[j] = 0.5 * y[j] + step
    return names


def operands() -> tuple[Any, Any]:
    return np.arange(9.0), np.ones(9)


@pytest.mark.parametrize("fallback", [None, "python", "error"])
def test_loops_are_compiled_in_place(fallback: Any) -> None:
    f = mdh.jit(fallback=fallback)(glued)
    x, y = operands()
    with pytest.warns(JitWarning) as caught:
        result = f(x, y)
    (text,) = (str(w.message) for w in caught)
    assert "only its loops in lines" in text and "a dictionary is not supported" in text and "cost: " in text
    assert caught[0].filename == __file__
    again = f(x, y)  # no warning any more
    x, y = operands()
    assert result == glued(x, y)
    assert again == glued(x, y)
    assert f.stats().fallbacks == 2
    loops = f.fallbacks._every().values()
    assert sorted(function.compiled() for _, function in loops) == [False, True, True]


def refused(x):  # type: ignore[no-untyped-def]
    for i in range(x.shape[0]):
        x[i] = print()  # type: ignore[func-returns-value]


class Grid:
    def __init__(self, n: int) -> None:
        self.n = n

    def made(self) -> np.ndarray:
        return np.zeros(self.n)

    def sums(self, A: np.ndarray) -> Any:
        out = self.made()
        for i in range(self.n):
            out[i] = A[i].sum() / self.n
        return out


def test_loops_of_methods_whatever_their_arrays_are_called() -> None:
    grid, A = Grid(5), np.arange(20.0).reshape(5, 4)
    compiled = mdh.jit(grid.sums)
    with pytest.warns(JitWarning, match="only its loop in line"):
        np.testing.assert_array_equal(compiled(A), grid.sums(A))
    before = sum(loop.stats().calls for _, loop in compiled.fallbacks._loops.values())
    np.testing.assert_array_equal(compiled(A), grid.sums(A))
    assert sum(loop.stats().calls for _, loop in compiled.fallbacks._loops.values()) == before + 1


def test_where_no_loop_can_be_compiled_it_is_an_error() -> None:
    x = np.ones(3)
    for _ in range(2):
        with pytest.raises(NotAnMdhError, match="printing"):
            mdh.jit(refused)(x)
    assert x.tolist() == [1.0] * 3


def with_text(x, mode):  # type: ignore[no-untyped-def]
    for i in range(x.shape[0]):
        x[i] += len(mode.items)


class Mode:
    items = (1, 2)


def test_arguments_that_cannot_be_passed() -> None:
    x = np.ones(3)
    with pytest.raises(ArgumentTypeError):
        mdh.jit(with_text)(x, Mode())
    with pytest.warns(JitWarning, match="argument `mode` is a Mode"):
        mdh.jit(fallback="python")(with_text)(x, Mode())
    assert x.tolist() == [3.0] * 3


def with_default(x, log=[]):  # type: ignore[no-untyped-def]  # noqa: B006
    log.append(1)
    return len(log) + x[0]


@pytest.mark.filterwarnings("ignore::jitmdh.base.errors.JitWarning")
def test_defaults_that_cannot_be_passed() -> None:
    f = mdh.jit(fallback="python")(with_default)
    assert [f(np.ones(1)), f(np.ones(1)), f(x=np.ones(1))] == [2.0, 3.0, 4.0]


@mdh.jit
def helper(x):  # type: ignore[no-untyped-def]
    return {"first": x[0]}


def plain_helper(x):  # type: ignore[no-untyped-def]
    return helper(x)


def calls_helper(x):  # type: ignore[no-untyped-def]
    return [plain_helper(x)["first"]]


@pytest.mark.filterwarnings("ignore::jitmdh.base.errors.JitWarning")
def test_helpers_of_helpers() -> None:
    f = mdh.jit(fallback="python")(calls_helper)
    for _ in range(2):
        assert f(np.ones(2)) == [1.0]
    with pytest.raises(NotAnMdhError):
        helper(np.ones(2))


@pytest.mark.filterwarnings("ignore::jitmdh.base.errors.JitWarning")
def test_the_setting() -> None:
    f = mdh.jit(glued)
    with mdh.config(fallback="python"):
        assert mdh.jit(helper.py_func)(np.ones(2)) == {"first": 1.0}
    with pytest.raises(NotAnMdhError):
        mdh.jit(helper.py_func)(np.ones(2))
    assert f(*operands()) == glued(*operands())


def in_numba(x):  # type: ignore[no-untyped-def]
    i = 0
    found = []
    while i < x.shape[0]:
        if x[i] > 0:
            found.append(i)
        i += 1
    return len(found)


def not_in_numba(x):  # type: ignore[no-untyped-def]
    with np.errstate(all="ignore"):
        return {"a": [x.shape, str(x.dtype)]}


def half_in_numba(x):  # type: ignore[no-untyped-def]
    found = []
    for i in range(x.shape[0]):
        x[i] *= 2
    found.append(x[0])
    return found


def sparse_loop(x):  # type: ignore[no-untyped-def]
    found = []
    for i in range(x.shape[0]):
        if x[i] > 0:
            found.append(i)
    return len(found)


def test_loops_in_place_come_before_numba() -> None:
    f = mdh.jit(fallback="numba")(half_in_numba)
    with pytest.warns(JitWarning, match="only its loop in line"):
        assert f(np.ones(3)) == [2.0]
    assert f(np.ones(3)) == [2.0]
    g = mdh.jit(fallback="numba")(sparse_loop)
    with pytest.warns(JitWarning, match="sparse_loop: runs in Numba"):
        assert g(np.array([1.0, -1.0, 2.0])) == 2
    assert g(np.array([1.0, -1.0, 2.0, 3.0])) == 3


def test_numba_and_then_python() -> None:
    f = mdh.jit(fallback="numba")(in_numba)
    with pytest.warns(JitWarning, match="in_numba: runs in Numba"):
        assert f(np.array([1.0, -1.0])) == 1
    assert f.stats().fallbacks == 1
    f = mdh.jit(fallback="numba")(not_in_numba)
    with pytest.warns(JitWarning, match="runs as plain Python"):
        assert f(np.ones(2)) == {"a": [(2,), "float64"]}
    assert f(np.ones(2)) == {"a": [(2,), "float64"]}


@pytest.mark.filterwarnings("ignore::jitmdh.base.errors.JitWarning")
def test_what_is_changed_meanwhile_is_noticed() -> None:
    def f(x, n=1):  # type: ignore[no-untyped-def]
        found = {}
        for i in range(x.shape[0]):
            x[i] += n
        found["n"] = n
        return found

    g = mdh.jit(fallback="python")(f)
    for n in (1, 5):
        f.__defaults__ = (n,)
        x = np.zeros(2)
        for _ in range(2):
            assert g(x) == {"n": n}
        assert x.tolist() == [2.0 * n] * 2
    g.py_func = lambda x: "other"  # type: ignore[assignment]
    assert g(np.ones(2)) == "other"


@pytest.mark.filterwarnings("ignore::jitmdh.base.errors.JitWarning")
def test_types_that_can_be_compiled_are() -> None:
    def f(x):  # type: ignore[no-untyped-def]
        if x.ndim == 2:
            return {}
        return x.sum()

    g = mdh.jit(fallback="python")(f)
    for _ in range(2):
        assert g(np.ones((2, 2))) == {}
    assert not g.compiled()
    assert g(np.ones(3)) == 3.0 and g.compiled()
    assert g(np.ones((2, 2))) == {} and g(np.ones(4)) == 4.0


def test_errors_of_the_program_come_through() -> None:
    def f(x):  # type: ignore[no-untyped-def]
        if x.shape[0] > 2:
            raise KeyError("too long")
        total = 0.0
        for i in range(x.shape[0]):
            total += x[i]
        return total

    g = mdh.jit(f)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", JitWarning)
        assert g(np.ones(2)) == 2.0
        for _ in range(2):
            with pytest.raises(KeyError, match="too long"):
                g(np.ones(3))


def numbers_of_a_loop(x, whole, real, plane, given):  # type: ignore[no-untyped-def]
    kept = {}
    element = 0
    for i in range(x.shape[0]):
        whole += i
        real += 0.5
        plane += 2
        given += i
        element += x[i]
    kept["product"] = whole * 10**18, element * (whole // 100)
    return whole, real, plane, given, element, kept


@pytest.mark.parametrize("dtype", ["float64", "float32", "int8", "uint16"])
@pytest.mark.parametrize("given", [1, 2.5, np.int32(1), np.float64(2)], ids=lambda g: type(g).__name__)
def test_what_python_goes_on_with_has_the_types_of_python(dtype: str, given: Any) -> None:
    """Loops compiled in place give Python's numbers where Python has them: they have no end, and NumPy's types win."""

    def typed(values: Any) -> list[Any]:
        return [typed(v) if isinstance(v, tuple) else (type(v), v) for v in values]

    f = mdh.jit(cache=False)(numbers_of_a_loop)
    x = np.ones(30).astype(dtype)
    expected = numbers_of_a_loop(x, 0, 0.5, 1j, given)
    with pytest.warns(JitWarning, match="only its loop"):
        first = f(x, 0, 0.5, 1j, given)
    for found in (first, f(x, 0, 0.5, 1j, given)):
        assert typed(found[:-1]) == typed(expected[:-1])
        assert typed(found[-1]["product"]) == typed(expected[-1]["product"])


_seen: list[float] = []
_between: list[Any] = []


def written_and_seen(x: Any) -> None:
    for i in range(x.shape[0]):
        x[i] = 7
    _between[0]()
    for i in range(x.shape[0]):
        _seen.append(x[i])


@pytest.mark.filterwarnings("ignore::jitmdh.base.errors.JitWarning")
def test_first_calls_of_several_threads_are_refused_or_done_each_for_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that has written is not refused since another one, which has not, begins meanwhile."""
    made, begun, ended = outline.outlined, threading.Event(), threading.Event()
    f, x, found = mdh.jit(written_and_seen), np.zeros(3), list[Exception]()

    def outlined(*arguments: Any) -> Any:
        code = made(*arguments)
        if threading.current_thread() is other:
            begun.set()
            assert ended.wait(PATIENCE)
        return code

    def between() -> None:
        if threading.current_thread() is not other:
            other.start()
            assert begun.wait(PATIENCE)

    def call() -> None:
        try:
            f(np.zeros(3))
        except Exception as error:
            found.append(error)

    other = threading.Thread(target=call)
    monkeypatch.setattr(outline, "outlined", outlined)
    monkeypatch.setitem(globals(), "_between", [between])
    try:
        f(x)
    finally:
        ended.set()
        other.join(PATIENCE)
    assert not found and x.tolist() == [7, 7, 7]
