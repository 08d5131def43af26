"""`@jit`: calls, reports, Python protocols."""

from __future__ import annotations

import copy
import gc
import inspect
import pickle
import subprocess
import sys
import threading
import warnings
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import (
    ArgumentTypeError,
    BoundsError,
    ConfigurationError,
    DeviceError,
    JitWarning,
    NotAnMdhError,
)  # fmt: skip
from tests.jit.programs import interpreted_matvec, interpreted_scaled, matvec, native_matvec, native_scaled
from tests.waiting import PATIENCE

MAKERS = [native_matvec, interpreted_matvec]


@pytest.fixture(params=MAKERS, ids=["native", "interpreted"])
def function(request: pytest.FixtureRequest) -> Any:
    return request.param(cache=False)


def operands(dtype: Any = "f8", rows: int = 3, columns: int = 4) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(rows)
    return tuple((rng.random(shape) * 9).astype(dtype) for shape in ((rows,), (rows, columns), (columns,)))


def check(function: Any, w: np.ndarray, M: np.ndarray, v: np.ndarray) -> None:
    expected = w.copy()
    matvec(expected, M, v)
    function(w, M, v)
    np.testing.assert_allclose(w, expected, rtol=1e-5)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "i8"])
@pytest.mark.parametrize("sizes", [(3, 4), (1, 1), (0, 4), (3, 0), (17, 5)])
def test_same_effect_as_the_function_itself(function: Any, dtype: str, sizes: tuple[int, int]) -> None:
    for _ in range(2):
        check(function, *operands(dtype, *sizes))


def test_layouts(function: Any) -> None:
    w, M, v = operands("f8", 6, 8)
    for matrix in (M, M[::-1], M[:, ::-1], np.asfortranarray(M), M[::2, ::3], M.copy().T[:6, :6]):
        for vector in (v[: matrix.shape[1]], v[::-1][: matrix.shape[1]], np.repeat(v, 2)[::2][: matrix.shape[1]]):
            check(function, w[: matrix.shape[0]].copy(), matrix, vector)


def test_one_call_path_for_all_calls_of_a_signature() -> None:
    f = native_matvec(cache=False)
    for _ in range(5):
        check(f, *operands())
    stats = f.stats()
    assert (stats.calls, stats.slow_calls, stats.compiles) == (5, 1, 1)


def test_keywords_and_defaults(function: Any) -> None:
    w, M, v = operands()
    expected = w + M @ v
    function(v=v, M=M, w=w)
    np.testing.assert_allclose(w, expected)
    with pytest.raises(TypeError):
        function(w, M)
    with pytest.raises(TypeError):
        function(w, M, v, v)
    with pytest.raises(TypeError):
        function(w, M, v, x=1)


def test_keywords_use_the_compiled_code() -> None:
    f = native_matvec(cache=False)
    w, M, v = operands()
    f(w, M, v)
    for _ in range(3):
        f(w, v=v, M=M)
    assert f.stats().compiles == 1 and f.stats().fallbacks == 0


def test_results() -> None:
    for f in (native_scaled(cache=False), interpreted_scaled(cache=False)):
        for _ in range(2):
            y, total = f(np.arange(4.0), 2.0)
            assert y.tolist() == [0, 2, 4, 6] and total == 12 and isinstance(total, np.float64)
        y, _ = f(np.arange(4, dtype="f4"), 2.0)
        assert y.dtype == np.float32


def test_bounds_are_checked_before_anything_is_written(function: Any) -> None:
    w, M, v = operands()
    for _ in range(2):
        before = w.copy()
        with pytest.raises(BoundsError, match="index k leaves v") as caught:
            function(w, M, v[:-1])
        assert isinstance(caught.value, IndexError)
        assert caught.value.loc is not None and "w[i] += M[i, k] * v[k]" in str(caught.value)
        with pytest.raises(IndexError):
            function(w[:-1], M, v)
        assert (w == before).all()
        check(function, w, M, v)


# ------------------------------------------------------------------------------------------------ not an MDH


def test_what_is_no_mdh() -> None:
    vector = np.zeros(3)
    with pytest.raises(NotAnMdhError):
        native_matvec(cache=False)(vector, vector, vector)
    f = native_matvec(cache=False, fallback="python")
    with pytest.raises(IndexError), pytest.warns(JitWarning, match="plain Python"):
        f(vector, vector, vector)  # what the function itself does
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(IndexError):
            f(vector, vector, vector)


# ------------------------------------------------------------------------------------------------ reports


def test_reports() -> None:
    f = native_matvec(cache=False)
    w, M, v = operands()
    with pytest.raises(ConfigurationError, match="not compiled yet"):
        f.config()
    f(w, M, v)
    assert f.config() == f.config(w, M, v) == {"emitted": "by hand"}
    assert "matvec" in f.inspect(w, M, v) and "define i64 @kernel" in f.inspect(stage="llvm")
    assert "kernel:" in f.inspect(w, M, v, stage="asm") and f.inspect(stage="kernel") == "void kernel() {}"
    with pytest.raises(ConfigurationError, match="no stage"):
        f.inspect(w, M, v, stage="c++")
    assert "•(add)" in str(f.explain(w, M, v))
    f.wait()
    assert f.stats().compiles == 1 and f.stats().compile_seconds > 0
    assert mdh.cache.why(f, w, M, v) == "caching is switched off"
    with pytest.raises(TypeError):
        mdh.cache.why(matvec, w, M, v)


@pytest.mark.parametrize(
    "options",
    [{"target": "tpu"}, {"tune": "always"}, {"fallback": "no"}, {"deterministic": 1}, {"combine": 3}, {"unknown": 1}],
)
def test_bad_options_are_refused_where_they_are_given(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match=next(iter(options))):
        mdh.jit(**options)


def test_cuda_is_shown_without_a_device() -> None:
    """Calls come later, and say so."""
    f = mdh.jit(target="cuda", cache=False)(matvec)
    w, M, v = np.zeros(3), np.ones((3, 4)), np.ones(4)
    assert "__global__" in f.inspect(w, M, v, stage="cuda")
    with pytest.raises(DeviceError):
        f(w, M, v)


def test_decoration() -> None:
    bare, called = mdh.jit(matvec), mdh.jit()(matvec)
    for f in (bare, called, mdh.jit(bare)):
        assert f.py_func is matvec and f.__name__ == "matvec" and f.__wrapped__ is matvec
        assert f.__module__ == matvec.__module__ and repr(f).startswith("<jitmdh function")
        assert inspect.signature(f) == inspect.signature(matvec)
        assert callable(f)
    with pytest.raises(ConfigurationError):
        mdh.jit(3)  # type: ignore[call-overload]


# ------------------------------------------------------------------------------------------------ protocols


def test_methods() -> None:
    class Point:
        multiply = native_matvec(cache=False)

    assert Point.multiply is vars(Point)["multiply"]
    w, M, v = operands()
    with pytest.raises(ArgumentTypeError):
        native_matvec(cache=False).__get__(object())(M, v)
    f = native_matvec(cache=False)
    expected = w + M @ v
    f.__get__(w)(M, v)
    np.testing.assert_allclose(w, expected)


@mdh.jit
def decorated(w, M, v):
    for i in range(M.shape[0]):
        for k in range(M.shape[1]):
            w[i] += M[i, k] * v[k]


def test_pickling_gives_the_function_never_code() -> None:
    check(decorated, *operands())
    assert pickle.loads(pickle.dumps(decorated)) is decorated
    assert len(pickle.dumps(decorated)) < 200
    assert copy.copy(decorated) is decorated and copy.deepcopy([decorated])[0] is decorated
    rebuild, arguments = native_matvec(fallback="python").__reduce__()
    again = rebuild(*arguments)
    assert again.py_func is matvec and again.options.fallback == "python"


@pytest.mark.in_turns(2)
def test_a_function_can_be_collected() -> None:
    f = native_matvec(cache=False)
    check(f, *operands())
    address = id(f)
    del f
    gc.collect()
    assert not any(id(o) == address and type(o).__name__ == "JitFunction" for o in gc.get_objects())


# ------------------------------------------------------------------------------------------------ threads


def test_one_compilation_for_many_threads() -> None:
    count: list[str] = []
    f = native_matvec(count, cache=False)
    barrier, failures = threading.Barrier(8), []

    def work() -> None:
        w, M, v = operands()
        barrier.wait()
        try:
            for _ in range(50):
                check(f, w.copy(), M, v)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
    finally:
        sys.setswitchinterval(interval)
    assert not failures and len(count) == 1
    assert f.stats().calls == 400


def test_values_not_understood(function: Any) -> None:
    _, M, v = operands()
    with pytest.raises(ArgumentTypeError, match="argument `w` is a dict"):
        function({}, M, v)


@pytest.mark.parametrize(
    "first", ["jitmdh.jit.compilation.code_cache", "jitmdh.jit.decorator", "jitmdh.atf", "jitmdh.hca.registry"]
)
def test_the_name_jit_is_the_decorator_whatever_was_imported_first(first: str) -> None:
    program = (
        f"import {first}, jitmdh as mdh\n"
        "@mdh.jit\ndef f(x): pass\n"
        "@mdh.jit(cache=False)\ndef g(x): pass\n"
        "assert type(f).__name__ == type(g).__name__ == 'JitFunction'\n"
        "from jitmdh import jit\nassert type(jit(f.py_func)).__name__ == 'JitFunction'\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
