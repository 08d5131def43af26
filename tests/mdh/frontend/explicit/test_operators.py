"""Operators that `@operator` declares, in the explicit representation."""

from __future__ import annotations

import math

import numpy as np

import jitmdh
from jitmdh.dsl import *  # noqa: F403


@jitmdh.operator(identity=0.0)
def rooted(a, b):
    return math.sqrt(a) + b if a < 0.0 else a + b


def test_numbers_without_a_result_are_numpys() -> None:
    """An expression has no errors of Python's numbers: the square root of a negative number is NaN."""

    @mdh(out(w=Buffer[fp64, [1]]), inp(x=Buffer[fp64, [3]]))  # noqa: F405
    def computation():
        def get(o, i):
            o["w"] = i["x"]

        return (
            out_view[fp64](w=[lambda i: 0]),  # noqa: F405
            md_hom[3](get, (PW(rooted),)),  # noqa: F405
            inp_view[fp64](x=[lambda i: i]),  # noqa: F405
        )

    assert computation(np.array([1.0, 2.0, 3.0]))[0] == 6.0
    assert np.isnan(computation(np.array([-1.0, 2.0, 3.0]))[0])
