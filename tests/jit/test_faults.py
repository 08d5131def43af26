"""Odd arguments (fault catalogue 17 to 36): an error that says so, or what the function itself does; never else."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import ArgumentTypeError, ArgumentValueError, JitWarning
from jitmdh.hca.drivers import cpu_entry
from jitmdh.jit import specialisations
from jitmdh.jit.compilation.fault import CompilerFault, faults_of_the_compiler
from jitmdh.jit.execution import native_call
from tests.jit.programs import interpreted_matvec, matvec, native_matvec


@pytest.fixture(params=["native", "interpreted", "without call path"])
def function(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The same calls with native code, in the interpreter, and with native code but the call path in Python."""
    if request.param == "interpreted":
        return interpreted_matvec(cache=False)
    if request.param == "without call path":
        monkeypatch.setattr(native_call, "native_call_path", lambda: None)
        monkeypatch.setattr(specialisations, "native_call_path", lambda: None)
    return native_matvec(cache=False)


@pytest.fixture
def w() -> np.ndarray[Any, Any]:
    return np.arange(3.0)


M = np.arange(12.0).reshape(3, 4)
v = np.array([1.0, -2.0, 3.0, 0.5])


def same_as_python(function: Any, w: Any, M: Any, v: Any) -> None:
    """Twice: the first call compiles, the second takes the way for later calls."""
    import copy

    for _ in range(2):
        arguments = copy.deepcopy((w, M, v))  # shared memory within stays shared
        expected = copy.deepcopy((w, M, v))
        matvec(*expected)
        function(*arguments)
        for got, wanted in zip(arguments, expected):
            np.testing.assert_allclose(np.asarray(got), np.asarray(wanted))


def test_0d_output(function: Any) -> None:
    with pytest.raises(TypeError):
        function(np.zeros(()), M, v)


def test_zero_size_arrays(function: Any) -> None:
    same_as_python(function, np.zeros(0), np.zeros((0, 4)), v)
    same_as_python(function, np.ones(3), np.zeros((3, 0)), np.zeros(0))
    same_as_python(function, np.ones(0), np.zeros((0, 0)), np.zeros(0))


def test_empty_views_overlap_nothing() -> None:
    import jitmdh as mdh

    @mdh.jit(cache=False)
    def f(w, v):
        for i in range(w.shape[0]):
            for j in range(w.shape[1]):
                w[i, j] = v[j]

    base = np.arange(64.0)
    square = base.reshape(8, 8)
    for n in range(8):
        for empty in (square[n:n], square[:, n:n], square[3:5, n:n], base[n:n].reshape(5, 0), base[n:n].reshape(0, 9)):
            f(empty, base)
    assert base.tolist() == list(range(64)) and f.stats().fallbacks == 0


def test_negative_strides(function: Any, w: Any) -> None:
    same_as_python(function, w[::-1], M[::-1, ::-1], v[::-1])


def test_zero_stride_inputs(function: Any, w: Any) -> None:
    function(w, np.broadcast_to(v, (3, 4)), np.broadcast_to(2.0, (4,)))
    np.testing.assert_allclose(w, np.arange(3.0) + 2 * v.sum())


def test_zero_stride_output(function: Any) -> None:
    out = np.lib.stride_tricks.as_strided(np.zeros(1), (3,), (0,))
    for _ in range(2):
        with pytest.raises(ArgumentValueError, match="share memory"):
            function(out, M, v)
    assert out[0] == 0


def test_self_overlapping_output(function: Any) -> None:
    out = np.lib.stride_tricks.as_strided(np.zeros(5), (3, 3), (8, 8)).reshape(3, 3)
    with pytest.raises((ArgumentValueError, TypeError)):
        function(out[0], M, out)
        function(np.lib.stride_tricks.as_strided(np.zeros(9, "i1"), (3,), (1,)).view(), M, v)


def test_output_that_is_an_input(function: Any) -> None:
    square = np.arange(9.0).reshape(3, 3)
    x = np.arange(3.0)
    expected = x.copy()
    matvec(expected, square, expected)
    if function.stats().compiles == 0:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function(x, square, x)
    # the hand-written program does not know what aliases mean: what counts is that it was asked for them
    assert any(s.has_aliases for s in function.codes.by_signature)


def test_output_that_overlaps_an_input(function: Any) -> None:
    base = np.arange(8.0)
    expected = base.copy()
    matvec(expected[1:4], M, expected[0:4])
    with pytest.warns(JitWarning, match="`w` and `v` overlap"):
        function(base[1:4], M, base[0:4])
    np.testing.assert_allclose(base, expected)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the one warning has been given
        for _ in range(2):
            matvec(expected[1:4], M, expected[0:4])
            function(base[1:4], M, base[0:4])
    np.testing.assert_allclose(base, expected)


def test_interleaved_arrays_share_nothing(function: Any) -> None:
    base = np.arange(8.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            expected = base.copy()
            matvec(expected[1:6:2], M, expected[0:8:2])
            function(base[1:6:2], M, base[0:8:2])
            np.testing.assert_allclose(base, expected)


def test_inputs_may_be_one_array(function: Any) -> None:
    square = np.arange(16.0).reshape(4, 4)
    x = np.zeros(4)
    function(x, square, square[1])
    function(x, square, square[1])
    np.testing.assert_allclose(x, 2 * square @ square[1])


def test_read_only_output(function: Any, w: Any) -> None:
    function(w.copy(), M, v)
    w.flags.writeable = False
    with pytest.raises(ArgumentValueError, match="`w` is written by the function, but the array is read-only"):
        function(w, M, v)


def test_read_only_inputs(function: Any, w: Any) -> None:
    matrix, vector = M.copy(), v.copy()
    matrix.flags.writeable = vector.flags.writeable = False
    function(w, matrix, vector)
    np.testing.assert_allclose(w, np.arange(3.0) + M @ v)


def misaligned(a: Any) -> Any:
    made = np.zeros(a.nbytes + 1, np.int8)[1:].view(a.dtype).reshape(a.shape)
    made[...] = a
    assert not made.flags.aligned
    return made


def test_misaligned_arrays(function: Any) -> None:
    for _ in range(2):
        out = misaligned(np.arange(3.0))
        function(out, misaligned(M), misaligned(v))
        np.testing.assert_allclose(out, np.arange(3.0) + M @ v)


def test_byte_swapped_arrays(function: Any) -> None:
    swapped = M.astype(">f8")
    for _ in range(2):
        out = np.arange(3.0)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            function(out, swapped, v)
        np.testing.assert_allclose(out, np.arange(3.0) + M @ v)
    assert not caught
    assert function.stats().fallbacks == 2


def test_byte_swapped_arrays_warn(function: Any, w: Any) -> None:
    with pytest.warns(JitWarning, match="native byte order"):
        function(w, M.astype(">f8"), v)


@pytest.mark.parametrize(
    "odd",
    [
        M.astype(object),
        M.astype("U8"),
        M.astype("S8"),
        M.astype("M8[s]"),
        M.astype("m8[s]"),
        np.zeros((3, 4), "V8"),
        M.astype(np.longdouble),
    ],
    ids=lambda a: str(a.dtype),
)
def test_no_numbers(function: Any, w: Any, odd: Any) -> None:
    before = w.copy()
    with pytest.raises(ArgumentTypeError, match="`M`"):
        function(w, odd, v)
    assert (w == before).all()


def test_masks_are_never_dropped(function: Any) -> None:
    masked = np.ma.masked_array(M, M > 5)
    out, expected = np.ma.masked_array(np.zeros(3)), np.ma.masked_array(np.zeros(3))
    matvec(expected, masked, v)
    with pytest.warns(JitWarning, match="MaskedArray"):
        function(out, masked, v)
    assert (np.ma.getmaskarray(out) == np.ma.getmaskarray(expected)).all()
    np.testing.assert_allclose(out.filled(0), expected.filled(0))


class Doubling(np.ndarray):
    """An array whose meaning only Python knows."""

    def __getitem__(self, key: Any) -> Any:
        return 2 * super().__getitem__(key)


def test_subclasses_keep_their_meaning(function: Any, w: Any) -> None:
    with pytest.warns(JitWarning, match="Doubling"):
        function(w, M.view(Doubling), v)
    np.testing.assert_allclose(w, np.arange(3.0) + 2 * M @ v)


def test_memory_maps_are_arrays(function: Any, w: Any, tmp_path: Any) -> None:
    mapped = np.memmap(tmp_path / "m", "f8", "w+", shape=(3, 4))
    mapped[...] = M
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        function(w, mapped, v)
    np.testing.assert_allclose(w, np.arange(3.0) + M @ v)


@pytest.mark.parametrize("odd", [M.tolist(), {1: 2}, object()], ids=lambda odd: type(odd).__name__)
def test_what_is_no_array(function: Any, w: Any, odd: Any) -> None:
    with pytest.raises(ArgumentTypeError, match="`M`"):
        function(w, odd, v)


IN_PLACE_OF_ARRAYS = {"a str": "text", "None": None, "a number": 3.0, "a tuple": (1, 2), "a type": np.float64}


def of_shape(w, x):
    for i in range(x.shape[0]):
        w[i] = 1.0


def of_length(w, x):
    for i in range(len(x)):
        w[i] = 1.0


def of_elements(w, x):
    for i in range(w.shape[0]):
        w[i] = x[i]


def of_stores(w, x):
    for i in range(w.shape[0]):
        x[i] = w[i]


def of_itself(w, x):
    for e in x:
        w[0] += e


def of_methods(w, x):
    return w[0] * x.sum()


def of_a_callee(w, x):
    of_elements(w, x)


@pytest.mark.parametrize("used", [of_shape, of_length, of_elements, of_stores, of_itself, of_methods, of_a_callee])
@pytest.mark.parametrize("kind", IN_PLACE_OF_ARRAYS)
def test_something_else_in_place_of_an_array(used: Any, kind: str, w: Any) -> None:
    """The error says which argument, what it is, and where an array is needed."""
    if kind == "a tuple" and used not in (of_shape, of_stores, of_methods):
        return  # it has a length and elements
    if kind == "a number" and used is of_itself:
        return  # `range` is what is missing
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ArgumentTypeError, match=rf"argument `x` is {kind}, and `.*` needs an array") as caught:
            mdh.jit(used)(w, IN_PLACE_OF_ARRAYS[kind])
    assert caught.value.loc is not None and caught.value.loc.filename == __file__ and caught.value.hint
    assert "^" in str(caught.value)


def test_something_else_in_place_of_an_array_may_be_for_python(w: Any) -> None:
    """Where it is not used as an array, and where plain Python is asked for."""

    @mdh.jit
    def f(w, x=None):
        for i in range(w.shape[0]):
            if x is not None:
                w[i] += x[i]
            else:
                w[i] += 1.0

    before = w.copy()
    f(w)
    np.testing.assert_array_equal(w, before + 1.0)
    with (
        pytest.warns(JitWarning, match="argument `x` is a str"),
        pytest.raises(TypeError, match=r"ufunc|unsupported"),
    ):
        mdh.jit(fallback="python")(of_sums)(w, "text")


def of_sums(w, x):
    for i in range(w.shape[0]):
        w[i] = w[i] + x[i]


def test_wrong_rank(function: Any, w: Any) -> None:
    with pytest.raises(TypeError):
        function(w, M[0], v)
    with pytest.raises(TypeError):
        function(w, M[None], v)


def test_types_do_not_mix_up(function: Any, w: Any) -> None:
    """Every combination of types has code of its own; none runs on the bytes of another."""
    for dtype in ("f8", "f4", "i8", "f8", "f4", "i8"):
        out = np.zeros(3, dtype)
        function(out, M.astype(dtype), v.astype(dtype))
        np.testing.assert_allclose(out, M.astype(dtype) @ v.astype(dtype))


def test_special_values(function: Any) -> None:
    matrix = np.array([[np.inf, 1.0], [np.nan, 1.0], [-0.0, 0.0], [5e-324, 0.0]])
    out = np.array([0.0, 0.0, -0.0, 0.0])
    expected = out.copy()
    vector = np.ones(2)
    with np.errstate(all="ignore"):
        matvec(expected, matrix, vector)
        function(out, matrix, vector)
    assert out.tobytes() == expected.tobytes() or (np.isnan(out) == np.isnan(expected)).all()
    assert out[3] == 5e-324


def test_integers_wrap(function: Any) -> None:
    big = np.full((2, 2), 2**62, np.int64)
    out = np.array([2**62, 1])
    expected = out.copy()
    with np.errstate(over="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        matvec(expected, big, np.array([3, 7]))
    function(out, big, np.array([3, 7]))
    assert (out == expected).all()


def test_the_call_path_is_what_the_fixture_says() -> None:
    f = native_matvec(cache=False)
    f(np.zeros(3), M, v)
    f(np.zeros(3), M, v)
    assert (f.stats().slow_calls == 1) == (cpu_entry.native_call_path() is not None)


def broken(kind: str) -> Any:
    """The function with a compiler that has a bug."""
    from jitmdh.jit.compilation.options import Options
    from jitmdh.jit.decorator import make
    from tests.jit.programs import matvec_program, pipeline

    def emit(program: Any) -> str:
        if kind == "exception":
            raise KeyError("some node")
        return "define i64 @kernel(ptr %f) {\n ret i32 0\n}"

    return make(matvec, Options(cache=False), pipeline(matvec_program, emit))


@pytest.mark.parametrize("kind", ["exception", "refused by LLVM"])
def test_a_bug_of_ours_never_stops_the_user(kind: str, w: Any, tmp_path: Any) -> None:
    from jitmdh.base.settings import config

    function = broken(kind)
    with config(check=False, cache_dir=tmp_path):
        with pytest.warns(JitWarning, match="bug in jitmdh"):
            function(w, M, v)
        function(w, M, v)
    np.testing.assert_allclose(w, np.arange(3.0) + 2 * M @ v)
    (reproducer,) = tmp_path.glob("jitmdh-bug-*.txt")
    assert "matvec" in reproducer.read_text() and "float64[2@1]" in reproducer.read_text()


@pytest.mark.parametrize("kind", ["exception", "refused by LLVM"])
def test_under_check_a_bug_of_ours_is_raised(kind: str, w: Any, tmp_path: Any) -> None:
    from jitmdh.base.errors import InternalError
    from jitmdh.base.settings import config

    with config(check=True, cache_dir=tmp_path), pytest.raises(InternalError):
        broken(kind)(w, M, v)
    assert w.tolist() == [0, 1, 2]


def test_what_a_handler_raises_while_a_class_is_made_is_for_the_program() -> None:
    """Up to Python 3.11, what `__set_name__` raises is the cause of a RuntimeError, no fault of the compiler."""

    def interrupted(cause: BaseException) -> None:
        with faults_of_the_compiler("f", "f()"):
            raise RuntimeError("Error calling __set_name__") from cause

    with pytest.raises(KeyboardInterrupt):
        interrupted(KeyboardInterrupt())
    with pytest.raises(CompilerFault):
        interrupted(ValueError())
