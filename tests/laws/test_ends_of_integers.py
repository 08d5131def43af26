"""Integers at the ends of their types: what is computed from their elements is what NumPy computes, in its type.

So it is of numbers that are one of two, of different types: stored in an element, they are of its type from then on,
and returned, they lose no digit.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import NotAnMdhError
from tests.laws.agreement import outcome
from tests.laws.ways import ways
from tests.source_text import function_in

EXPRESSIONS = (
    "x[i] / z[i]", "x[i] // z[i]", "x[i] % z[i]", "x[i] << z[i]", "x[i] >> z[i]", "x[i] ** (z[i] % 5)", "x[i] * 0.5",
    "-x[i] // 3", "x[i] // 10", "x[i] % 1000000007", "(x[i] + z[i]) // 2", "x[i] - x[i] // 10 * 10", "x[i] % 16 % 5",
    "x[i] < z[i]", "x[i] - 1 < z[i]", "x[i] < 9223372036854775808", "x[i] > 1e19", "max(x[i], z[i])", "min(x[i], i)",
    "np.maximum(x[i], z[i])", "float(x[i])", "np.float32(x[i])", "np.float16(x[i])", "np.int64(x[i])", "np.int8(x[i])",
    "np.floor_divide(x[i], z[i])", "np.remainder(x[i], z[i])", "np.divmod(x[i], z[i])[1]", "np.fmod(x[i], z[i])",
    "np.sqrt(x[i])", "np.sign(x[i])", "np.clip(x[i], 3, z[0])",
    "x[i] if x[i] > z[i] else z[i]", "np.where(x[i] > 5, 0.5, x[i])", "x[i] + i", "x[i] // (i + 1)",
    "np.float32(2) * x[i]", "(x[i] * 1j).imag", "(x[i] > 5) * x[i]", "abs(x[i])", "~x[i]", "x[i] == z[i]",
)  # fmt: skip
TYPES = (("uint64", "uint64"), ("int64", "uint64"), ("uint64", "int32"), ("int64", "int64"), ("uint8", "int8"),
         ("uint32", "uint64"))  # fmt: skip


def _numbers(type: str) -> np.ndarray[Any, Any]:
    info = np.iinfo(type)
    numbers = [info.max, info.max - 1, info.max // 2 + 1, info.max // 2, info.min, 0, 1, 2, 3, 7, info.max // 3]
    numbers += [min(info.max, n) for n in (2**24 + 1, 2**53 + 1, 2**63 - 512, 2**63 + 1024, 2**63 + 1025)]
    numbers += [info.min + 1, info.min // 2, *((-1, -2) if info.min else (100, 5))]
    return np.array(numbers, type)


def _function(lines: list[str], parameters: str = "out, x, z") -> Any:
    text = f"import math\nimport numpy as np\n\n\ndef program({parameters}):\n" + "".join(f"    {n}\n" for n in lines)
    return function_in(text, f"<ends of integers {hash(text)}>", {"__name__": "ends"}, called="program")


def _is_defined(expression: str, x: np.ndarray[Any, Any], z: np.ndarray[Any, Any]) -> bool:
    """Whether NumPy has it: shifts of int64 by uint64 it does not, and 1000000007 fits into no int8."""
    function = _function(["i = 0", f"out[0] = {expression}"])
    return outcome(function, (np.zeros(1), x, z)).error is None


@pytest.mark.in_turns(3)
@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("types", TYPES, ids="-".join)
def test_of_elements(types: tuple[str, str], part: int) -> None:
    x, z = _numbers(types[0]), _numbers(types[1])[::-1].copy()
    chosen = [e for e in EXPRESSIONS[part::4] if _is_defined(e, x, z)]
    with np.errstate(all="ignore"):
        lines = [f"out[{k}, i] = {e}" for k, e in enumerate(chosen)]
        function = _function(["for i in range(x.shape[0]):", *(f"    {n}" for n in lines)])
        expected = np.zeros((len(chosen), len(x)))
        function(expected, x, z)
        for way in ways(function, (expected, x, z), drawn=1):
            found = np.zeros_like(expected)
            way(found, x, z)
            for e, row, own in zip(chosen, expected, found):
                np.testing.assert_array_equal(own, row, err_msg=f"{e}, {types}, {way.name}")
                assert (np.signbit(own) == np.signbit(row))[~np.isnan(row)].all(), (e, types, way.name)


@pytest.mark.parametrize("type", ["int64", "uint64", "uint8"])
def test_rounding_goes_through_floats_as_in_python(type: str) -> None:
    """NumPy's integers have no `__floor__`: `math` takes them as floats, which hold 53 bits."""

    def rounded(out, x):
        for i in range(x.shape[0]):
            out[0, i], out[1, i] = math.floor(x[i]), math.ceil(x[i])

    compiled = mdh.jit(tune="off")(rounded)
    for number in _numbers(type):
        results = [outcome(f, (np.zeros((2, 1), np.int64), np.full(1, number))) for f in (rounded, compiled)]
        assert (results[0].error is None) == (results[1].error is None), (number, results)
        np.testing.assert_array_equal(results[1].arrays[0], results[0].arrays[0], err_msg=str(number))


def test_common_divisors_of_the_least_integer() -> None:
    def divisors(out, x, z):
        for i in range(x.shape[0]):
            out[i] = math.gcd(x[i], z[i])

    x = np.array([-(2**63), -1, -(2**63), 12, -(2**63), 3, 0], np.int64)
    z = np.array([-1, -(2**63), 6, -(2**63), -(2**63) + 1, -(2**63), -7], np.int64)
    out = np.zeros(7, np.int64)
    mdh.jit(tune="off")(divisors)(out, x, z)
    assert out.tolist() == [math.gcd(int(a), int(b)) for a, b in zip(x, z)]


SEARCHES = ("np.searchsorted(np.sort(x), z)", "np.digitize(x, np.sort(z))",
            "np.searchsorted(np.sort(x), z[3], 'right')")  # fmt: skip


@pytest.mark.in_turns(3)
@pytest.mark.parametrize("function", SEARCHES)
def test_searches_among_other_integers(function: str) -> None:
    """NumPy makes both floats, as which some are equal."""
    of_text = _function([f"return {function}"], "x, z")
    for types in (("int64", "uint64"), ("uint64", "int64"), ("uint64", "uint64"), ("uint8", "int64")):
        x, z = _numbers(types[0]), _numbers(types[1])
        found = mdh.jit(tune="off")(of_text)(x, z)
        np.testing.assert_allclose(found, of_text(x, z), rtol=1e-12, err_msg=f"{function}, {types}")


def test_members_among_other_integers() -> None:
    """Compared as numbers, where NumPy's way depends on the lengths."""

    def members(x, z):
        return np.isin(x, z)

    x, z = _numbers("int64"), _numbers("uint64")
    assert mdh.jit(tune="off")(members)(x, z).tolist() == [int(n) in set(map(int, z)) for n in x]


# ------------------------------------------------------------------------------------- one number or another

USES = ("{} * y[0]", "1 / {}", "{} // 3 - 5", "{}", "{} + 100", "{} * 0.1", "{} / 4 + 0.1", "-{}")
CHOICES = ("x[0] if n > 2 else 0.1", "max(x[0], n)", "x[0] if x[0] > n else 0", "x[0] if n > 2 else y[0]",
           "n / 2 if n > 2 else n", "min(w[0], 7)")  # fmt: skip
PLACES = (
    ["c = np.zeros(2, {type})", "c[0] = {value}", "return {use}"],
    ["c = np.zeros(1, {type})", "o = np.zeros(2)", "for i in range(2):", "    c[0] = {value}", "    o[i] = {use}",
     "return o"],
    ["c = np.zeros(1, {type})", "c[0] = {value}", "c[0] = {use}", "return c"],
)  # fmt: skip


@pytest.mark.in_turns(12)
@pytest.mark.parametrize("place", range(len(PLACES)))
@pytest.mark.parametrize("type", ["np.float32", "np.float64", "np.uint64", "np.int64", "np.int8"])
@pytest.mark.parametrize("value", CHOICES)
def test_an_element_has_its_type_whatever_was_stored(value: str, type: str, place: int) -> None:
    """What is read where it was just stored is no longer one of two numbers with types of their own."""
    for use in USES:
        given = {"type": type, "value": value, "use": use.format("c[0]")}
        function = _function([n.format_map(given) for n in PLACES[place]], "x, y, w, n")
        compiled = mdh.jit(tune="off")(function)
        for n in (1, 3):
            arguments = np.array([100, 3], np.float32), np.array([3.7]), np.array([2**64 - 1], np.uint64), n
            expected = outcome(function, arguments)
            if expected.error is not None and not isinstance(expected.error, ZeroDivisionError):
                continue  # what does not fit
            try:
                found = outcome(compiled, arguments)
            except NotAnMdhError:
                break
            assert found.error is None and expected.error is None, (given, n, found.error)
            assert np.asarray(found.result).dtype == np.asarray(expected.result).dtype, (given, n)
            np.testing.assert_array_equal(found.result, expected.result, err_msg=f"{given}, n {n}")


def test_a_returned_integer_loses_no_digits() -> None:
    def literal(x, y, n):
        return max(x[0], 5)

    def computed(x, y, n):
        return x[0] - 1 if x[0] > 4 else 0

    def argument(x, y, n):
        return max(x[0], n)

    def element(x, y, n):
        return x[0] - 1 if n > 2 else y[0] - 1

    x, y = np.array([2**64 - 1], np.uint64), np.array([2**63 - 1])
    for function in (literal, computed):
        found = mdh.jit(tune="off")(function)(x, y, 3)
        assert isinstance(found, np.uint64) and found == function(x, y, 3)
    for function in (argument, element):
        with pytest.raises(NotAnMdhError, match="an integer of one type or another is returned"):
            mdh.jit(tune="off")(function)(x, y, 3)
