"""Python's numbers and NumPy's together: values, types of results and errors are those of the undecorated function."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import jitmdh as mdh
from jitmdh.base.errors import ArgumentTypeError, NotAnMdhError
from jitmdh.mdh.algebra.semantics import interp
from jitmdh.mdh.algebra.semantics.argument_binding import FallbackSignal
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
from tests.laws.agreement import Outcome, assert_agree, model, native, outcome, run_low, traced, unit_axes
from tests.laws.examples import examples
from tests.laws.weak_programs import INTEGERS, Weak, program
from tests.mdh.codegen.native import host

REFUSED = (NotAnMdhError, ArgumentTypeError)


def programs() -> st.SearchStrategy[Weak]:
    return st.builds(program, st.randoms(use_true_random=False))


def in_word(expected: Outcome, found: Outcome) -> bool:
    """Whether a call is one that can be compared: Python's own integers have no end."""
    results = expected.result if isinstance(expected.result, tuple) else (expected.result,)
    return not any(isinstance(r, int) and r.bit_length() > 63 for r in results)


def assert_same(expected: Outcome, found: Outcome, way: str, decorated: bool = False) -> None:
    """Also of errors: an integer that does not fit is Python's OverflowError."""
    if isinstance(expected.error, OverflowError):
        kinds = (OverflowError,) if decorated else (OverflowError, FallbackSignal)
        assert isinstance(found.error, kinds), f"{way}: {found.error!r}, Python: {expected.error!r}"
    elif in_word(expected, found):
        assert_agree(expected, found, way, "nearly")


def compared(source: Weak) -> str:
    """The law for one program; what became of it."""
    function = source.function()
    expected = outcome(function, source.arguments())
    if isinstance(expected.error, (TypeError, UnboundLocalError)):
        return "no program"
    decorated = mdh.jit(cache=False)(function)
    found = outcome(decorated, source.arguments())
    if isinstance(found.error, REFUSED):
        return "refused"
    assert_same(expected, found, "decorated", decorated=True)
    try:
        traced_program = traced(function, source.arguments())
    except REFUSED:  # an operation that its types do not have, in a loop without iterations
        assert decorated.stats().fallbacks
        return "fallback"
    if any(isinstance(a, int | np.integer) and not -(2**63) <= int(a) < 2**63 for a in source.arguments()):
        assert decorated.stats().fallbacks  # such numbers are not given to programs
        return "fallback"
    axes = unit_axes(traced_program, [source.arguments()])
    choosers = {"model": model(traced_program, source.arguments(), axes), "default": lambda *_: Configuration()}
    assert_same(expected, outcome(lambda *a: interp.run(traced_program, *a), source.arguments()), "interpreter")
    low = outcome(lambda *a: run_low(traced_program, choosers["model"], host(None), *a), source.arguments())
    assert_same(expected, low, "low-level interpreter")
    for name, chooser in choosers.items():
        code = native(traced_program, chooser, axes)
        assert_same(expected, outcome(code, source.arguments()), name)
    return "fallback" if decorated.stats().fallbacks else "error" if expected.error is not None else "compiled"


counts: Counter[str] = Counter()


@given(programs())
@examples(150)
def test_numbers_of_python_meet_those_of_numpy(source: Weak) -> None:
    counts[compared(source)] += 1


def test_most_programs_are_compiled() -> None:
    """Else the law would say little."""
    counts.clear()

    @given(programs())
    @settings(max_examples=60, database=None)
    def run(source: Weak) -> None:
        function, arguments = source.function(), source.arguments()
        counts["drawn"] += 1
        try:
            traced(function, arguments)
        except REFUSED:
            return
        counts["traced"] += 1

    run()
    assert counts["traced"] > 0.6 * counts["drawn"], counts


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("type", INTEGERS)
def test_comparisons_with_extremes(type: str) -> None:
    """With extremes as literals, as arguments, and as elements of other integer types."""
    info = np.iinfo(type)
    x = np.array([info.min, info.max, 0, 1, info.max - 1, info.max // 2 + 1] * 3, type)
    numbers = (0, -1, 300, 2**40, -(2**63), 2**63 - 1)
    compare(["n", "300", "(-1)", "1099511627776", "9223372036854775808"], [(x, n) for n in numbers])
    others = [np.iinfo(other) for other in ("int8", "uint32", "int64", "uint64")]
    compare(["n[i]"], [(x, np.repeat(np.array([limits.min, limits.max, 1], limits.dtype), 6)) for limits in others])


def compare(operands: list[str], calls: list[tuple[Any, Any]]) -> None:
    """Elements of x with the operands, which may be n: each call is the same in Python and compiled."""
    pairs = [f"x[i] {op} {b}" for op in ("<", "<=", ">", ">=", "==", "!=") for b in operands]
    lines = ["def program(out, x, n):", "    for i in range(x.shape[0]):"]
    lines += [f"        out[{k}, i] = {pair}" for k, pair in enumerate(pairs)]
    function = Weak("\n".join(lines) + "\n", (), (), 0, 0).function()
    decorated = mdh.jit(cache=False)(function)
    for x, n in calls:
        expected, found = (np.zeros((len(pairs), x.size), bool) for _ in range(2))
        function(expected, x, n)
        decorated(found, x, n)
        assert np.array_equal(expected, found), (x.dtype, n)


@pytest.mark.parametrize("number", ["3", "0.5"])
def test_functions_of_numpy_give_its_numbers(number: str) -> None:
    """Of Python's numbers alone, too: beside an array of a narrower type, the result is not a number of Python's."""
    for name in ("square", "sign", "conj", "fmax", "fmin", "negative", "maximum", "power", "sqrt", "positive", "real"):
        ufunc = getattr(np, name)
        given = ", ".join([number] * (ufunc.nin if isinstance(ufunc, np.ufunc) else 1))
        text = f"import numpy as np\n\n\ndef program(x):\n    return np.where(1, x, np.{name}({given}))\n"
        function = Weak(text, (), (), 0, 0).function()
        for type in (np.int8, np.float16):
            expected, found = function(np.ones(2, type)), mdh.jit(cache=False)(function)(np.ones(2, type))
            assert found.dtype == expected.dtype, (name, type)
            assert np.array_equal(found, expected), (name, type)


def quotients(w, k):
    return (
        -(w // 3), w // 3 - 2, -(w % 2), ~(w // 3), (w // 2) << 7, abs(-(w // 3)), -(k // 2), k // 2 - 5,
        w // 3 - w // 2 - 1, -(w // 3) // 2, (w // 2) * 100, -(w % 2) * 3 + k // 7, (w // 2 + 100) * k,
    )  # fmt: skip


@pytest.mark.parametrize("type", [np.uint8, np.int8, np.uint16, np.int32, np.int64, np.uint64])
def test_quotients_of_numpys_numbers_are_numpys(type: type[np.generic]) -> None:
    """Parts of arguments, which could be sizes: of their types, which wrap around."""
    found = mdh.jit(tune="off")(quotients)
    for w in (0, 3, 7, 100):
        with np.errstate(over="ignore"):
            expected = quotients(type(w), np.uint8(7))
        for e, f in zip(expected, found(type(w), np.uint8(7))):
            assert (f, np.asarray(f).dtype) == (e, np.asarray(e).dtype), (w, expected)


@pytest.mark.parametrize("type", ["int8", "uint8", "int32", "int64", "float32"])
def test_what_round_gives_is_of_python(type: str) -> None:
    """Also of NumPy's integers: an integer that does not wrap around."""

    def rounded(x):
        return round(x[0]) * 200, round(x[0]) - 150, -round(x[0])

    x = np.full(1, 100, type)
    assert [int(n) for n in mdh.jit(tune="off")(rounded)(x)] == list(rounded(x))
    with pytest.raises(NotAnMdhError, match="`round` is not defined for NumPy's bools"):
        mdh.jit(tune="off")(rounded)(np.ones(1, bool))


@pytest.mark.parametrize("number", [1.0, -0.0, float("inf")])
def test_what_is_chosen_keeps_its_type_where_one_is_complex(number: float) -> None:
    """As complex numbers, real ones would get imaginary parts -0.0 and nan."""

    def chosen(out, x, z, f):  # type: ignore[no-untyped-def]
        for i in range(z.shape[0]):
            a = -2 if i % 2 else z[i]
            out[0, i], out[1, i], out[2, i] = f / a, f * a, f - a
            b = x[i] if i % 2 else z[i]
            out[3, i], out[4, i], out[5, i] = b / f, b * f, -b
            if i % 2:
                c = 1.5
            else:
                c = z[i] * f
            out[6, i], out[7, i] = c * f, c + b

    z = np.array([1 + 2j, -3 + 0j, 2 - 1j, 5 + 5j, -1 - 1j])
    x = np.array([1.0, np.inf, -0.0, -np.inf, 3.0])
    expected, found = np.empty((8, 5), complex), np.empty((8, 5), complex)
    with np.errstate(all="ignore"):
        chosen(expected, x, z, number)
        mdh.jit(cache=False)(chosen)(found, x, z, number)
    for part in ("real", "imag"):
        np.testing.assert_array_equal(getattr(found, part), getattr(expected, part))
        same = np.signbit(getattr(found, part)) == np.signbit(getattr(expected, part))
        assert (same | np.isnan(getattr(found, part))).all()


VALUES = ("n", "f", "u[i]", "h[i]", "x[i]", "w[i]", "c[i]")
"""Numbers of Python's, of uint8, float32, int64, float64, complex64."""


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("op", ["+", "*", "//", "**"])
def test_two_choices_in_one_operation(op: str) -> None:
    """By one condition and by two: only what Python would meet decides the type, and a quotient is one of that type."""
    random = np.random.default_rng(len(op))
    lines = ["def program(out, u, h, x, w, c, n, f):", "    for i in range(u.shape[0]):"]
    for k in range(40):
        one, two, three, four = random.choice(VALUES[:-1] if op in ("//", "**") else VALUES, 4)
        other = "i % 2" if k % 3 else "i > 1"
        lines += [f"        s = {one} if i % 2 else {two}", f"        t = {three} if {other} else {four}"]
        lines += [f"        out[{k}, i] = s {op} {'(s * t)' if k % 2 else 't'}"]
    function = Weak("\n".join(lines) + "\n", (), (), 0, 0).function()
    types = (np.uint8, np.float32, np.int64, np.float64, np.complex64)
    arrays = [np.array([3, 2, 200 if t is np.uint8 else 5, 1, 0]).astype(t) for t in types]
    expected, found = np.zeros((40, 5), complex), np.zeros((40, 5), complex)
    with np.errstate(all="ignore"):
        function(expected, *arrays, 2, 2.5)
        mdh.jit(cache=False)(function)(found, *arrays, 2, 2.5)
    np.testing.assert_allclose(found, expected, rtol=1e-15)


CHOICES = [
    ("-(c)", "iufc"), ("+(c)", "iufc"), ("abs(c)", "iuf"), ("(c) * -2", "ifc"), ("-2 * (c)", "ifc"),
    ("(c) * 0", "iufc"), ("(c) - 3", "iufc"), ("3 - (c)", "iufc"), ("(c) + (c)", "iufc"), ("-(c) - 1", "ifc"),
    ("-(-(c))", "ifc"),
    ("(c) // 2", "iuf"), ("(c) // -2", "if"), ("(c) % 3", "iuf"), ("(c) % -3", "if"), ("(c) / -4", "ifc"),
    ("(c) ** 2", "iufc"), ("(c) * m", "ifc"), ("-(c) * m", "ifc"), ("-(c if m < 1 else 2)", "ifc"),
]  # fmt: skip


TYPES = ("int16", "uint8", "float32", "float64", "complex64", "complex128")


@pytest.mark.in_turns(4)
@pytest.mark.parametrize(("expression", "type"), [(e, t) for e, k in CHOICES for t in TYPES if np.dtype(t).kind in k])
def test_a_choice_of_an_element_or_a_number_keeps_signs_of_zeros(expression: str, type: str) -> None:
    """Python's integers have no -0: what is computed of one is 0, whichever type the other arm has."""
    for number in (0, 3, *(() if type == "uint8" else (-3,))):
        lines = ["def program(y, x, w, m):", "    for i in range(x.shape[0]):"]
        text = expression.replace("(c)", f"(x[i] if w[i] > 0 else {number})").replace("c if", "x[i] if w[i] > 0 and")
        function = Weak("\n".join([*lines, f"        y[i] = {text}"]) + "\n", (), (), 0, 0).function()
        x, w = np.array([0, 1, 2, 3, 4, 5], type), np.array([1, 0, 1, 0, 1, 0])
        for m in (0, 1, -2):
            expected, found = np.zeros(6, type), np.zeros(6, type)
            reason, result = outcome(function, (expected, x, w, m)), outcome(mdh.jit(function), (found, x, w, m))
            assert isinstance(result.error, REFUSED) or type_of(result) == type_of(reason)
            if result.error is None:
                parts = (np.array([a.real, a.imag]) for a in (*result.arrays[:1], *reason.arrays[:1]))
                mine, theirs = (np.where(np.isnan(a), 7, a).tolist() for a in parts)
                assert repr(mine) == repr(theirs), text


def type_of(given: Outcome) -> type | None:
    return None if given.error is None else type(given.error)


def all_operators(a: Any, b: Any) -> Any:
    return a + b, a * b, a // b, a % b, a / b, a**b, a << b, a >> b, a & b, a | b, a ^ b, a < b, abs(a)


@pytest.mark.parametrize("a", [True, False, 1, np.bool_(True), np.int8(5)])
@pytest.mark.parametrize("b", [True, 1, 2])
def test_types_of_what_operators_give(a: Any, b: Any) -> None:
    """Python's bools are integers in arithmetic, by which they are divided, too."""
    found, expected = mdh.jit(cache=False)(all_operators)(a, b), all_operators(a, b)
    for one, other in zip(found, expected, strict=True):
        assert np.asarray(one).dtype == np.asarray(other).dtype and one == other


def lists(x: Any, n: int, f: float) -> Any:
    one, two = np.array([x[0], 1]), np.array([x[0], 2.5, x[1]])
    return one, two, np.array([[x[0], 0], [1, x[1]]]), np.array((n, x[0])), np.array([x.sum(), f]), np.array([x[0]])


@pytest.mark.parametrize("type", ["?", "i1", "u1", "i8", "u8", "f2", "f4", "c8"])
def test_numbers_in_lists_keep_their_types(type: str) -> None:
    """In `np.array([…])` Python's numbers do not adapt to NumPy's, as they do in arithmetic."""
    x = np.array([1, 0, 1], type)
    for one, other in zip(mdh.jit(cache=False)(lists)(x, 3, 0.1), lists(x, 3, 0.1), strict=True):
        np.testing.assert_array_equal(one, other, strict=True)


def powers(z: Any) -> Any:
    return z**0.5, z**-1, z**2


@pytest.mark.parametrize("type", ["c8", "c16"])
def test_roots_and_reciprocals_of_complex_arrays(type: str) -> None:
    """Of which NumPy takes no power: no digit is lost in the smaller part, and zeros have their signs."""
    parts = [complex(a, b) for a in (-4.0, -0.0, 0.0, 9.0) for b in (-3.0, -0.0, 0.0, 2.0) if a or b]
    z = np.array(parts, type)
    for one, other in zip(mdh.jit(cache=False)(powers)(z), powers(z), strict=True):
        assert one.dtype == other.dtype
        for part in ("real", "imag"):
            mine, theirs = getattr(one, part), getattr(other, part)
            np.testing.assert_allclose(mine, theirs, rtol=8 * float(np.finfo(type).eps))
            np.testing.assert_array_equal(np.signbit(mine), np.signbit(theirs))


def test_powers_of_bools_by_an_argument_have_no_type() -> None:
    """In NumPy it is int8 where the exponent is 2."""
    with pytest.raises(NotAnMdhError, match="depends on the exponent"):
        mdh.jit(cache=False)(lambda x, n: x**n)(np.array([True, False]), 2)
