"""Figure 20, subfigure 5: Probabilistic Record Linkage, a scalar function and a combine operator of the user's own.

For each new record N[i] the existing record E[j] that most probably is the same person: its weight and its number.
"""

from __future__ import annotations

import numpy as np

import jitmdh
from docs.figure20.row import Array, Row
from jitmdh.dsl import CC, PW, Buffer, Computation, ScalarType, inp, inp_view, int64, md_hom, mdh, out, out_view, where

TITLE = "Probabilistic record linkage"


def wght(n_name, n_year, e_name, e_year):
    """What two fields say about two records being the same person."""
    by_name = 5 if n_name == e_name else -2
    by_year = 3 if n_year == e_year else -1
    return by_name + by_year


@jitmdh.operator(identity=(-(2**62), -1), commutative=False)
def max_prl(a, b):
    return b if b[0] > a[0] else a


def prl(n_name, n_year, e_name, e_year, e_id):
    weight, match = np.empty(n_name.shape[0], np.int64), np.empty(n_name.shape[0], np.int64)
    for i in range(n_name.shape[0]):
        best = (-(2**62), -1)
        for j in range(e_name.shape[0]):
            best = max_prl(best, (wght(n_name[i], n_year[i], e_name[j], e_year[j]), e_id[j]))
        weight[i] = best[0]
        match[i] = best[1]
    return weight, match


def prl_explicit(T: ScalarType, I: int, J: int) -> Computation:
    @mdh(
        out(weight=Buffer[int64, [I]], match=Buffer[int64, [I]]),
        inp(
            n_name=Buffer[T, [I]], n_year=Buffer[T, [I]],
            e_name=Buffer[T, [J]], e_year=Buffer[T, [J]], e_id=Buffer[int64, [J]],
        ),
    )  # fmt: skip
    def prl():
        def wght(out, inp):
            by_name = where(inp["n_name"] == inp["e_name"], 5, -2)
            by_year = where(inp["n_year"] == inp["e_year"], 3, -1)
            out["weight"] = by_name + by_year
            out["match"] = inp["e_id"]

        def max_prl(res, lhs, rhs):
            better = rhs["weight"] > lhs["weight"]
            res["weight"] = where(better, rhs["weight"], lhs["weight"])
            res["match"] = where(better, rhs["match"], lhs["match"])

        return (
            out_view[int64, int64](weight=[lambda i, j: i], match=[lambda i, j: i]),
            md_hom[I, J](wght, (CC, PW(max_prl, identity=(-(2**62), -1)))),
            inp_view[T, T, T, T, int64](
                n_name=[lambda i, j: i],
                e_name=[lambda i, j: j],
                n_year=[lambda i, j: i],
                e_year=[lambda i, j: j],
                e_id=[lambda i, j: j],
            ),
        )

    return prl


def _records(rng: np.random.Generator, dtype: np.dtype, I: int, J: int) -> tuple[Array, ...]:
    fields = [rng.integers(0, 4, n).astype(dtype) for n in (I, I, J, J)]
    return (*fields, np.arange(100, 100 + J))


ROWS = (
    Row("PRL", "The best match of each record: a maximum that carries a payload along.", prl, prl_explicit, None,
        {"I": 11, "J": 29}, lambda I, J: ((I,), (I,), (J,), (J,), (J,)), _records, types=("int64", "int32")),
)  # fmt: skip
