"""Arguments that share memory, aligned or not, mean what they mean in Python, wherever the function runs."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import jitmdh as mdh
from jitmdh.base.errors import ArgumentTypeError, ArgumentValueError, DeviceError, NotAnMdhError
from jitmdh.hca.registry import devices
from jitmdh.jit.compilation.signature import identical
from tests.laws import shared_memory as sm
from tests.laws.examples import examples

Function = Callable[..., Any]


def targets() -> Sequence[str]:
    try:
        devices("opencl")
    except DeviceError:
        return ("cpu",)
    return ("cpu", "opencl")


_compiled: dict[tuple[Function, str], Function] = {}


def compiled(function: Function, target: str) -> Function:
    key = function, target
    if key not in _compiled:
        _compiled[key] = mdh.jit(target=target, reassociate=False)(function)
    return _compiled[key]


def run(function: Function, views: sm.Views, same: bool) -> tuple[Any, sm.Array, BaseException | None]:
    """Which argument the function returns, the memory after the call, the exception."""
    memory = sm.block()
    arguments = sm.arrays(views, memory, same)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            result = function(*arguments)
        except (NotAnMdhError, ArgumentValueError, DeviceError) as refusal:
            return None, memory, refusal
        except (ValueError, IndexError, ArithmeticError, TypeError) as error:
            return None, memory, error
    return result is not None and [n for n, a in enumerate(arguments) if identical(result, a)], memory, None


def agrees(function: Function, target: str, views: sm.Views, same: bool) -> None:
    expected, memory, error = run(function, views, same)
    if isinstance(error, OverflowError):
        return  # an element whose type cannot hold the value: a matter of types, not of memory
    found, memory_found, other = run(compiled(function, target), views, same)
    if isinstance(other, NotAnMdhError | ArgumentValueError | ArgumentTypeError | DeviceError) and error is None:
        np.testing.assert_array_equal(memory_found, sm.block(), err_msg=f"{target}: written before {other}")
        return
    assert (other is None) == (error is None), f"{other!r}, but Python: {error!r}"
    assert found == expected
    if error is None:
        np.testing.assert_array_equal(memory_found, memory, err_msg=f"{function.__name__} on {target}: {views}")


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("target", targets())
@pytest.mark.parametrize(("function", "count"), sm.VECTORS, ids=lambda x: getattr(x, "__name__", str(x)))
@given(data=st.data())
@examples(25)
def test_vectors(target: str, function: Function, count: int, data: st.DataObject) -> None:
    agrees(function, target, data.draw(sm.vectors(count)), data.draw(st.booleans()))


@pytest.mark.parametrize("target", targets())
@pytest.mark.parametrize("function", [sm.into_one, sm.into_scalar])
@given(data=st.data())
@examples(30)
def test_an_element_of_another_argument(target: str, function: Function, data: st.DataObject) -> None:
    agrees(function, target, data.draw(sm.with_element()), data.draw(st.booleans()))


@pytest.mark.parametrize("target", targets())
@given(views=sm.matrix_and_vectors())
@examples(50)
def test_parts_of_a_matrix(target: str, views: sm.Views) -> None:
    agrees(sm.matrix_vector, target, views, False)


@given(views=sm.records())
@examples(30)
def test_records(views: sm.Views) -> None:
    agrees(sm.fields_exchanged, "cpu", views, False)


def first_written(x, a, b):  # type: ignore[no-untyped-def]
    for i in range(x.shape[0] - 1):
        x[i + 1] = a[i] + b[i + 1]


def second_written(a, x, b):  # type: ignore[no-untyped-def]
    for i in range(x.shape[0] - 1):
        x[i + 1] = a[i] + b[i + 1]


def last_written(a, b, x):  # type: ignore[no-untyped-def]
    for i in range(x.shape[0] - 1):
        x[i + 1] = a[i] + b[i + 1]


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("target", targets())
@pytest.mark.parametrize("function", [first_written, second_written, last_written])
@pytest.mark.parametrize("which", [(0, 0, 0), (0, 0, 1), (0, 1, 0), (1, 0, 0)])
def test_several_arguments_are_the_same_array(target: str, function: Function, which: tuple[int, ...]) -> None:
    """Whichever of them is written, and wherever it stands: also two that are only read, and the same as that one."""
    expected, found = ([np.arange(5.0), np.arange(5.0, 10.0)] for _ in range(2))
    function(*(expected[n][:] for n in which))
    compiled(function, target)(*(found[n][:] for n in which))
    for a, b in zip(expected, found):
        np.testing.assert_array_equal(a, b)
