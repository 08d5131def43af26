"""What `vectorize` and `guvectorize` take, what they refuse, and what happens where nothing is compiled."""

from __future__ import annotations

import copy
import pickle
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import ArgumentTypeError, ConfigurationError, NotAnMdhError


@mdh.vectorize
def shifted(x, y):
    return x + 2 * y


@mdh.guvectorize("(n),()->(n)")
def scaled(x, y):
    return x * y


class Model:
    @mdh.vectorize
    def rate(x, y):
        return x * y


def test_numbas_forms_are_read() -> None:
    numba = pytest.importorskip("numba")
    f8, i8 = numba.float64, numba.int64
    for types in (["float64(float64, int64)"], "f8(f8, i8)", [f8(f8, i8)], ["dl->d"]):
        made: Any = mdh.vectorize(types, target="parallel")
        assert made(shifted.py_func).types == ["dl->d"]
    filled = mdh.guvectorize([(f8[:], i8, f8[:])], "(n),()->(n)")(_filled)
    assert filled.types == ["dl->d"]
    assert filled(np.ones((2, 3)), [1, 2]).tolist() == [[1.0] * 3, [2.0] * 3]


def _filled(x, y, result):
    for i in range(x.shape[0]):
        result[i] = x[i] * y


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: mdh.vectorize(types="d->d")(shifted.py_func), "are not those of 2 arguments and 1 result"),
        (lambda: mdh.vectorize(types="qqq(")(shifted.py_func), "are not those of 2 arguments and 1 result"),
        (lambda: mdh.vectorize(nopython=True), "leave it out"),
        (lambda: mdh.vectorize(len), "no Python function"),
        (lambda: mdh.vectorize(lambda *x: x), "name each of them"),
        (lambda: mdh.guvectorize(_filled), "signature of core dimensions"),
        (lambda: mdh.guvectorize("(n,->(n)")(_filled), "no signature of core dimensions"),
        (lambda: mdh.guvectorize("(n+1)->(n)")(_filled), "no signature of core dimensions"),
        (lambda: mdh.guvectorize("(n)->()")(_filled), "takes 3 arguments"),
        (lambda: mdh.vectorize(nout=2)(shifted.py_func).reduce(np.ones(2)), "two numbers with one result"),
    ],
)
def test_what_cannot_be_made_is_refused(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        make()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: shifted(1), TypeError, "takes 2 arrays or numbers, 1 given"),
        (lambda: shifted(np.ma.ones(3), 1), TypeError, "only Python knows"),
        (lambda: shifted(np.array(["a"]), 1), TypeError, "not defined for <U1"),
        (lambda: shifted(np.zeros(2, "f4,i4"), 1), TypeError, "not defined for records"),
        (lambda: shifted(np.ones(2), np.ones(3)), ValueError, "could not be broadcast"),
        (lambda: shifted(np.ones(2), 1, out=np.ones(3)), ValueError, "broadcast"),
        (lambda: shifted(np.ones(2), 1, out=np.ones(2, int)), TypeError, "cannot cast results"),
        (lambda: shifted(np.ones(2), 1, out=[0.0, 0.0]), TypeError, "must be an array"),
        (lambda: shifted(np.ones(2), 1, np.ones(2), np.ones(2)), TypeError, "has 1 results, 2 arrays"),
        (lambda: shifted(np.ones(2), 1, where=np.ones(2)), TypeError, "must be an array of bool"),
        (lambda: mdh.vectorize(lambda x: (x, x))(1.0), TypeError, "returns 2 values"),
        (lambda: mdh.vectorize(_nothing)(1.0), TypeError, "returns nothing"),
        (lambda: shifted.reduce(np.ones((0, 2))), ValueError, "has no identity"),
        (lambda: scaled(np.ones(2)), TypeError, "takes 2 arrays"),
        (lambda: scaled(1.0, 2.0), ValueError, "needs 1"),
        (lambda: mdh.guvectorize("(n),(n)->(n)")(scaled.py_func)(np.ones(2), np.ones(3)), ValueError, "`n` of"),
        (lambda: mdh.guvectorize("(n),(3)->(n)")(scaled.py_func)(np.ones(2), np.ones(4)), ValueError, "is 4 in"),
        (lambda: mdh.guvectorize("(n),()->(m)")(scaled.py_func)(np.ones(2), 1), ValueError, "follows from no argument"),
        (lambda: mdh.guvectorize("(n),()->(n)")(_filled)(np.ones(2), 1), TypeError, "not known"),
    ],
)  # fmt: skip
def test_calls_that_mean_nothing_are_refused(call: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def _nothing(x):
    pass


def test_functions_are_pickled_copied_and_found_in_classes() -> None:
    assert pickle.loads(pickle.dumps(shifted)) is shifted
    inner = mdh.vectorize(types="dd->d", identity=1.0)(lambda x, y: x * y)
    again = pickle.loads(pickle.dumps(inner))
    assert (again.types, again.identity, again(2.0, 3.0)) == (["dd->d"], 1.0, 6.0)
    general = pickle.loads(pickle.dumps(mdh.guvectorize("(n)->()")(lambda x: np.sum(x))))
    assert general(np.ones((2, 3))).tolist() == [3.0, 3.0]
    assert Model.rate(2.0, 3.0) == 6.0
    assert copy.deepcopy(shifted) is shifted


def test_what_cannot_be_compiled_is_an_error_or_runs_in_python() -> None:
    def digits(n):
        return len(str(n))

    with pytest.raises(NotAnMdhError, match="str") as refused:
        mdh.vectorize(digits)(np.arange(3))
    assert refused.value.loc is not None and refused.value.loc.filename == __file__
    with pytest.warns(mdh.JitWarning, match="digits"):
        assert mdh.vectorize(fallback="python")(digits)(np.array([7, 77])).tolist() == [1, 2]
    with pytest.raises(ValueError, match="there are no elements"):
        mdh.vectorize(fallback="python")(digits)(np.arange(0))


def test_the_nest_can_be_looked_at_and_is_fast_code() -> None:
    x = np.ones((3, 4))
    assert "md_hom[out0.shape[0]]" in shifted.inspect(x, x)  # two dimensions are one where memory allows
    assert "md_hom[out0.shape[0], out0.shape[1]]" in shifted.inspect(x, x[0])
    assert "shifted" in str(shifted.explain(x, x, measure=False))
    with mdh.config(disable_jit=True):
        plain = mdh.vectorize(shifted.py_func)
    assert np.array_equal(plain(x, x[0]), shifted(x, x[0]))
    with pytest.raises(ConfigurationError, match="MDH_DISABLE_JIT"):
        plain.inspect(x, x)


def test_threads_share_a_function() -> None:
    ours, results = mdh.vectorize(shifted.py_func), []
    threads = [threading.Thread(target=lambda n=n: results.append(ours(np.full(9, n), 1.0)[0])) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [2.0, 3.0, 4.0, 5.0]


def test_names_of_types_that_are_none_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="types 'void"):
        mdh.guvectorize("(n)->()", types="void(float64[:], nonsense)")(lambda x: np.sum(x))
    assert issubclass(ArgumentTypeError, TypeError)
