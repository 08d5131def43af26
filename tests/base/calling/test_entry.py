"""What users see of an error: their own frames, hardly one of ours."""

from __future__ import annotations

import traceback
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh import tensor as mt
from jitmdh.base.calling import entry
from jitmdh.base.errors import ArgumentTypeError, MdhError


@mdh.jit
def refused(x):  # type: ignore[no-untyped-def]
    for i in range(x.shape[0]):
        x[i] = print(x[i])  # type: ignore[func-returns-value]


@mdh.jit
def out_of_bounds(x):  # type: ignore[no-untyped-def]
    for i in range(5):
        x[i] = i


def entries() -> list[Any]:
    return [
        lambda: refused(np.ones(3)),
        lambda: refused(x=np.ones(3)),
        lambda: out_of_bounds(np.ones(3)),
        lambda: (out_of_bounds(np.ones(7)), out_of_bounds(np.ones(3))),
        lambda: refused.inspect(np.ones(3)),
        lambda: refused.explain(np.ones(3)),
        lambda: refused.tune(np.ones(3)),
        lambda: mdh.jit(nopython=True),
        lambda: mdh.jit(3),  # type: ignore[call-overload]
    ]


def frames_of_ours(call: Any) -> int:
    with pytest.raises(MdhError) as caught:
        call()
    text = "".join(traceback.format_exception(caught.value))
    return text.count(f'File "{entry._PACKAGE}')


@pytest.mark.parametrize("number", range(9))
def test_frames_of_ours_are_hidden(number: int) -> None:
    few = frames_of_ours(entries()[number])
    assert few <= 2  # that of the entry, and of the package when it is called
    with mdh.config(traceback="full"):
        assert frames_of_ours(entries()[number]) > few


def test_what_users_functions_raise_is_not_taken_for_what_their_arguments_are() -> None:
    with pytest.raises(ZeroDivisionError):
        mt.Tensor("A", (3, 4), pattern=lambda i, j: 1 // 0, temporary=7)  # type: ignore[arg-type]
    with pytest.raises(ArgumentTypeError, match=r"parse\(\): `text` is 7 \(int\), and takes str"):
        mt.parse(7)  # type: ignore[arg-type]
