"""The explicit representation: the thesis's listing, other computations of Figure 20, and one-mistake programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh
from docs.figure20 import ROWS
from docs.figure20.row import Row
from jitmdh.base.dtype import from_numpy
from jitmdh.base.errors import ArgumentTypeError, ArgumentValueError, ConfigurationError, MdhError, NotAnMdhError
from jitmdh.dsl import (
    CC,
    PS,
    PW,
    Buffer,
    ScalarType,
    fp32,
    fp64,
    inp,
    inp_view,
    int64,
    md_hom,
    mdh,
    out,
    out_view,
    where,
)

rng = np.random.default_rng(3)


def matvec(T: ScalarType, I: int, K: int):
    @mdh(out(w=Buffer[T, [I]]), inp(M=Buffer[T, [I, K]], v=Buffer[T, [K]]))
    def mdh_matvec():
        def mul(out, inp):
            out["w"] = inp["M"] * inp["v"]

        def scalar_plus(res, lhs, rhs):
            res["w"] = lhs["w"] + rhs["w"]

        return (
            out_view[T](w=[lambda i, k: i]),
            md_hom[I, K](mul, (CC, PW(scalar_plus))),
            inp_view[T, T](M=[lambda i, k: (i, k)], v=[lambda i, k: k]),
        )

    return mdh_matvec


def test_listing_45() -> None:
    f = matvec(fp32, 5, 7)
    M, v = rng.random((5, 7), dtype=np.float32), rng.random(7, dtype=np.float32)
    w = f(M, v)
    assert w.dtype == np.float32
    np.testing.assert_allclose(w, M @ v, rtol=1e-5)
    mine = np.ones(5, np.float32)
    assert f(v=v, M=M, out=(mine,)) is mine
    np.testing.assert_array_equal(mine, w)
    assert matvec(fp32, 0, 7)(np.empty((0, 7), "f"), v).shape == (0,)
    assert matvec(fp32, 2, 0)(np.empty((2, 0), "f"), v[:0]).tolist() == [0, 0]


def test_everything_the_listing_needs_is_exported() -> None:
    import inspect

    names: dict[str, Any] = {}
    exec("from __future__ import annotations\nfrom jitmdh.dsl import *\n" + inspect.getsource(matvec), names)
    f = names["matvec"](names["fp32"], 2, 2)
    assert f.expression == matvec(fp32, 2, 2).expression


def times(out, inp) -> None:
    out["C"] = inp["A"] * inp["B"]


def test_transposed_matmul_with_a_named_operator() -> None:
    @mdh(out(C=Buffer[fp64, [4, 3]]), inp(A=Buffer[fp64], B=Buffer[fp64]))
    def matmul_t():
        return (
            out_view[fp64](C=[lambda i, j, k: (j, i)]),
            md_hom[3, 4, 5](times, (CC, CC, PW("add"))),
            inp_view[fp64, fp64](A=[lambda i, j, k: (k, i)], B=[lambda i, j, k: (j, k)]),
        )

    A, B = rng.random((5, 3)), rng.random((4, 5))
    np.testing.assert_allclose(matmul_t(A, B), (A.T @ B.T).T)


def jacobi(accesses: Callable[[Any], Any]):
    @mdh(out(y=Buffer[fp32, [10]]), inp(x=Buffer[fp32, [10]]))
    def jacobi1d():
        def f(out, inp):
            a, b, c = accesses(inp)
            out["y"] = 0.25 * (a + b + c)

        return (
            out_view[fp32](y=[lambda i: i + 1]),
            md_hom[8](f, (CC,)),
            inp_view[fp32](x=[lambda i: i, lambda i: i + 1, lambda i: i + 2]),
        )

    return jacobi1d


def test_several_accesses_of_one_buffer() -> None:
    x = rng.random(10, dtype=np.float32)
    y = np.zeros(10, np.float32)
    y[1:-1] = np.float32(0.25) * (x[:-2] + x[1:-1] + x[2:])
    by_pair = jacobi(lambda inp: (inp["x", 0], inp["x", 1], inp["x", 2]))
    by_number = jacobi(lambda inp: inp["x"])
    np.testing.assert_array_equal(by_pair(x), y)
    np.testing.assert_array_equal(by_number(x), y)
    assert by_pair.expression == by_number.expression


def test_record_linkage() -> None:
    @mdh(
        out(score=Buffer[fp64, [6]], index=Buffer[int64, [6]]),
        inp(a=Buffer[fp64, [6]], b=Buffer[fp64, [9]], n=Buffer[int64, [9]]),
    )
    def linkage():
        def f(out, inp):
            distance = abs(inp["a"] - inp["b"])
            out["score"] = np.where(distance < 0.5, -distance, -1)
            out["index"] = inp["n"]

        def best(res, lhs, rhs):
            better = rhs["score"] > lhs["score"]
            res["score"] = where(better, rhs["score"], lhs["score"])
            res["index"] = where(better, rhs["index"], lhs["index"])

        return (
            out_view[fp64, int64](score=[lambda i, j: i], index=[lambda i, j: i]),
            md_hom[6, 9](f, (CC, PW(best, identity=(-np.inf, -1)))),
            inp_view[fp64, fp64, int64](a=[lambda i, j: i], b=[lambda i, j: j], n=[lambda i, j: j]),
        )

    a, b, n = rng.random(6), rng.random(9), np.arange(9)
    score, index = linkage(a, b, n)
    d = abs(a[:, None] - b)
    expected = np.where(d < 0.5, -d, -1)
    np.testing.assert_array_equal(score, expected.max(1))
    np.testing.assert_array_equal(index, expected.argmax(1))


def test_two_reductions_and_scalars() -> None:
    """Figure 20: double reduction; outputs of rank 0."""

    @mdh(out(total=Buffer[fp64, []], most=Buffer[fp64, []]), inp(x=Buffer[fp64], s=Buffer[fp64, []]))
    def both():
        def f(out, inp):
            out["total"] = out["most"] = inp["x"] * inp["s"]

        def op(res, lhs, rhs):
            res["total"] = lhs["total"] + rhs["total"]
            res["most"] = np.maximum(lhs["most"], rhs["most"])

        return (
            out_view[fp64, fp64](total=[lambda i: ()], most=[lambda i: ()]),
            md_hom[11](f, PW(op)),
            inp_view[fp64, fp64](x=[lambda i: i], s=[lambda i: ()]),
        )

    x = rng.random(11)
    total, most = both(x, 2)
    assert isinstance(total, np.float64)
    np.testing.assert_allclose((total, most), (2 * x.sum(), 2 * x.max()))


@pytest.mark.parametrize(("options", "expected"), [({}, [1, 3, 6, 10]), ({"exclusive": True}, [0, 1, 3, 6])])
def test_prefix_sums(options: dict[str, bool], expected: list[int]) -> None:
    @mdh(out(y=Buffer[int64]), inp(x=Buffer[int64]))
    def scan():
        def f(out, inp):
            out["y"] = inp["x"]

        return out_view[int64](y=[lambda i: i]), md_hom[4](f, PS("add", **options)), inp_view[int64](x=[lambda i: i])

    assert scan([1, 2, 3, 4]).tolist() == expected


def test_types_follow_numpy() -> None:
    @mdh(out(y=Buffer[fp64]), inp(x=Buffer[int64]))
    def f():
        def g(out, inp):
            x = inp["x"]
            t = np.sqrt(x) + x // 2 + x % 3 + (x > 2) + x**2 + (x << 1) + np.square(x) / 2 + x.astype(np.int8)
            out["y"] = -t + np.logical_and(x > 1, x < 3) + (~x & 3) - np.where(x == 2, x, 0.5)

        return out_view[fp64](y=[lambda i: i]), md_hom[4](g, CC), inp_view[int64](x=[lambda i: i])

    x = np.arange(4)
    t = np.sqrt(x) + x // 2 + x % 3 + (x > 2) + x**2 + (x << 1) + np.square(x) / 2 + x.astype(np.int8)
    np.testing.assert_array_equal(f(x), -t + np.logical_and(x > 1, x < 3) + (~x & 3) - np.where(x == 2, x, 0.5))


# ------------------------------------------------------------------------------------------------- one mistake each


def one_d(**changes: Any) -> Any:
    """`y[i] = x[i]`, with parts replaced."""

    def copy(out, inp):
        out["y"] = inp["x"]

    parts: dict[str, Any] = {
        "y": Buffer[fp32, [4]], "x": Buffer[fp32, [4]], "write": lambda i: (i), "read": lambda i: (i), "f": copy,
        "combine": (CC,), "types": fp32, "size": 4,
    }  # fmt: skip
    p = parts | changes

    @mdh(out(y=p["y"]), inp(x=p["x"]))
    def one():
        return (
            out_view[p["types"]](y=[p["write"]]),
            md_hom[p["size"]](p["f"], p["combine"]),
            inp_view[fp32](x=[p["read"]]),
        )

    return one


def branching(out, inp):
    out["y"] = inp["x"] if inp["x"] > 0 else 0


def nothing(out, inp):
    pass


def unknown(out, inp):
    out["y"] = inp["z"]


def minus(res, lhs, rhs):
    res["y"] = lhs["y"] - rhs["y"]


MISTAKES: list[tuple[dict[str, Any], type[MdhError], str]] = [
    (
        {"read": lambda i: i + 1},
        ConfigurationError,
        "with size 4 in dimension 0, index i \\+ 1 reaches 4",
    ),
    ({"read": lambda i: i - 1}, NotAnMdhError, "x: index i - 1 in dimension 0 reaches -1"),
    ({"read": lambda i: i * i}, NotAnMdhError, "an index function of x is not affine"),
    ({"read": lambda i: i // 2}, NotAnMdhError, "an index function of x is not affine"),
    ({"read": lambda i: 0.5}, NotAnMdhError, "it gives 0.5"),
    ({"read": lambda i: (i, i)}, ConfigurationError, "x has 1 or 2 dimensions"),
    ({"read": lambda i, j: i}, ConfigurationError, "an index function of 1 dimensions takes 2 indices"),
    ({"write": lambda i, j: i}, ConfigurationError, "an index function of y takes 2 indices, there are 1"),
    ({"write": lambda i: 0}, NotAnMdhError, "no index of y uses i, so results would overwrite others"),
    ({"combine": (PW("add"),)}, NotAnMdhError, "y is indexed by i, which PW has combined"),
    ({"combine": (CC, CC)}, ConfigurationError, "md_hom has 1 size and 2 combine operators"),
    ({"combine": (PW(minus),), "write": lambda i: 0}, NotAnMdhError, "dimension i: combine operator `sub` is not"),
    ({"combine": (PW("truediv"),)}, NotAnMdhError, "combine operator `truediv` is not associative"),
    ({"combine": ("add",)}, ConfigurationError, "combine operators are CC"),
    ({"f": branching}, NotAnMdhError, "the truth of `x > 0.0` is not known before it runs"),
    ({"f": nothing}, NotAnMdhError, r"out\['y'\] is never set"),
    ({"f": unknown}, NotAnMdhError, "inp has no 'z'"),
    ({"types": fp64}, ArgumentTypeError, r"out_view\[float64\] is of buffers declared as float32"),
    ({"size": 4.0}, ConfigurationError, "a size must be an integer, not 4.0"),
]


@pytest.mark.parametrize(("changes", "error", "message"), MISTAKES, ids=range(len(MISTAKES)))
def test_mistakes(changes: dict[str, Any], error: type[MdhError], message: str) -> None:
    with pytest.raises(error, match=message):
        one_d(**changes)


def test_calls_are_checked() -> None:
    f = matvec(fp32, 2, 3)
    M, v = np.ones((2, 3), np.float32), np.ones(3, np.float32)
    with pytest.raises(ArgumentValueError, match="v must have size 3 in dimension 0"):
        f(M, np.ones(4, np.float32))
    with pytest.raises(ArgumentTypeError, match="argument M: expected float32 with 2 dimensions, got float64 with 2"):
        f(M.astype(float), v)
    with pytest.raises(ArgumentTypeError, match="mdh_matvec takes M, v"):
        f(M)
    with pytest.raises(ArgumentTypeError, match="out must be arrays for w"):
        f(M, v, out=3)
    with pytest.raises(ArgumentValueError, match="w must have size 2"):
        f(M, v, out=(v,))


NAMES: dict[str, Any] = {}
exec("from jitmdh.dsl import *", NAMES)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_repr_evaluates_back(row: Row) -> None:
    for type in row.types:
        computation = row.computation(from_numpy(np.dtype(type)))
        again = eval(repr(computation), dict(NAMES))
        assert again == computation
        assert str(again) == str(computation)


def test_repr_of_odd_functions() -> None:
    @mdh(out(y=Buffer[fp32, [4]], z=Buffer[int64, [4]]), inp(x=Buffer[fp32, [9]], k=Buffer[int64, [4]]))
    def odd():
        def f(out, inp):
            shared = np.sqrt(abs(inp["x", 0])) + np.float64(0.1)
            out["y"] = where(shared > inp["x", 1], -shared, np.inf) + np.fmax(inp["x", 0], 2) * shared
            out["z"] = (inp["k"] << 3) % 7 + ~inp["k"]

        def best(res, lhs, rhs):
            better = rhs["z"] > lhs["z"]
            res["y"], res["z"] = where(better, rhs["y"], lhs["y"]), where(better, rhs["z"], lhs["z"])

        return (
            out_view[fp32, int64](y=[lambda a, b: a], z=[lambda a, b: 3 - a]),
            md_hom[4, 1](f, (PS(best, identity=(-np.inf, -(2**63)), exclusive=True), CC)),
            inp_view[fp32, int64](x=[lambda a, b: 8 - 2 * a, lambda a, b: a + b + 3], k=[lambda a, b: a]),
        )

    again = eval(repr(odd), dict(NAMES))
    assert again == odd
    x, k = rng.random(9, dtype=np.float32), np.arange(4)
    for mine, theirs in zip(again(x, k), odd(x, k), strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_the_thesis_notation() -> None:
    """Figure 12, with our spelling of angle brackets and of the operators."""
    assert str(matvec(fp32, 512, 4096)) == (
        "mdh_matvec =\n"
        "  out_view[float32]( w : (i, k) ↦ (i) ) ∘\n"
        "  md_hom[512, 4096]( (M, v) ↦ M * v, (++, •(add)) ) ∘\n"
        "  inp_view[float32, float32]( M : (i, k) ↦ (i, k), v : (i, k) ↦ (k) )"
    )


def test_computations_have_the_members_of_functions() -> None:
    f = matvec(fp32, 33, 65)
    M, v = rng.random((33, 65), dtype=np.float32), rng.random(65, dtype=np.float32)
    assert f.inspect(M, v) == str(f)
    assert "for" in f.inspect(M, v, stage="kernel")
    assert "mdh_matvec" in f.config(M, v)
    assert "configuration" in str(f.explain(M, v, measure=False))
    w = f(M, v)
    report = f.tune(M, v, evaluations=3, progress=False)
    assert report.evaluations <= 3
    np.testing.assert_allclose(f(M, v), w, rtol=1e-5)
    assert f.stats().compiles + f.stats().cache_hits >= 1


def test_inputs_that_share_memory_with_the_output_are_read_first() -> None:
    f = jacobi(lambda inp: inp["x"])
    x = rng.random(10, dtype=np.float32)
    expected = f(x, out=(np.zeros(10, np.float32),))
    mine = x.copy()
    f(mine, out=(mine,))
    np.testing.assert_array_equal(mine[1:-1], expected[1:-1])


@jitmdh.operator(identity=(-np.inf, -1), commutative=False)
def better(a, b):
    return b if b[0] > a[0] else a


def test_operators_as_the_decorator_takes_them() -> None:
    def of_pairs(*combine: Any):
        @mdh(out(score=Buffer[fp64, [3]], index=Buffer[int64, [3]]), inp(a=Buffer[fp64, [3, 7]], n=Buffer[int64, [7]]))
        def best():
            def f(out, inp):
                out["score"], out["index"] = inp["a"], inp["n"]

            return (
                out_view[fp64, int64](score=[lambda i, j: i], index=[lambda i, j: i]),
                md_hom[3, 7](f, combine),
                inp_view[fp64, int64](a=[lambda i, j: (i, j)], n=[lambda i, j: j]),
            )

        return best

    a = rng.random((3, 7))
    for computation in (of_pairs(CC, PW(better)), of_pairs(jitmdh.cc, jitmdh.pw(better))):
        score, index = computation(a, np.arange(7))
        np.testing.assert_array_equal(score, a.max(axis=1))
        np.testing.assert_array_equal(index, a.argmax(axis=1))
        assert eval(repr(computation), dict(NAMES)) == computation
