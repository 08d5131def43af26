"""Data-dependent subscripts in the explicit representation: what is refused, and with which words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from jitmdh.base.errors import BoundsError, ConfigurationError, NotAnMdhError
from jitmdh.dsl import CC, PW, SC, Buffer, at, fp64, inp, inp_view, int32, md_hom, mdh, out, out_view

Index = Callable[[Any], Any]


def made(read: Index = lambda j: at("index", j), written: Index = lambda j: j, combine: Any = CC, sizes: Any = (10,)):
    declared = Buffer[fp64, list(sizes)] if sizes else Buffer[fp64]

    @mdh(out(y=Buffer[fp64, [3]]), inp(x=declared, index=Buffer[int32, [3]]))
    def chosen():
        def f(out: Any, inp: Any) -> None:
            out["y"] = inp["x"]

        return out_view(y=[written]), md_hom[3](f, (combine,)), inp_view(x=[read])

    return chosen


def test_elements_are_chosen() -> None:
    index = np.array([1, -1, 1], np.int32)
    assert made()(np.arange(10.0), index).tolist() == [1.0, 9.0, 1.0]
    assert made(combine=SC("add"), written=lambda j: at("index", j))(np.arange(10.0), index).tolist() == [0.0, 2.0, 9.0]


def test_one_out_of_bounds_is_an_error_and_nothing_is_written() -> None:
    y = np.ones(3)
    with pytest.raises(BoundsError, match="axis 0 of `x`"):
        made()(np.arange(10.0), np.array([1, 10, 0], np.int32), out=y)
    assert y.all()


MISTAKES: tuple[tuple[dict[str, Any], type[Exception], str], ...] = (
    ({"read": lambda j: at("nothing", j)}, ConfigurationError, r"at\('nothing', …\) reads none of the inputs x, index"),
    ({"read": lambda j: at("x", j)}, NotAnMdhError, r"at\('x', …\) is float64, in an index function of x"),
    ({"read": lambda j: at("index", 0.5)}, NotAnMdhError, r"an index of at\('index', …\) is not affine"),
    ({"read": lambda j: at("index", j) + 1}, NotAnMdhError, "an index function of x is not affine"),
    ({"read": lambda j: at("index", j, j)}, ConfigurationError, "index has 1 or 2 dimensions"),
    ({"read": lambda j: at("index", j + 1)}, ConfigurationError, "index is declared with size 3 in dimension 0"),
    ({"sizes": ()}, ConfigurationError, "the size of x does not follow from data"),
    ({"written": lambda j: at("index", j)}, NotAnMdhError, "an index of y depends on data, so several results may"),
    ({"written": lambda j: at("index", j), "combine": PW("add")}, NotAnMdhError, "an index of y depends on data"),
)


@pytest.mark.parametrize(("how", "error", "message"), MISTAKES, ids=range(len(MISTAKES)))
def test_one_mistake(how: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        made(**how)
