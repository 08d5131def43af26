"""Arrays of records, in NumPy's own layouts: through loops, array expressions and explicit expressions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import jitmdh as mdh
from jitmdh import dsl
from jitmdh.base.dtype import from_numpy
from jitmdh.base.errors import ArgumentTypeError
from jitmdh.mdh.algebra.semantics import interp
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
from tests.laws.agreement import assert_agree, legal, model, native, outcome, run_low, threads, traced, unit_axes
from tests.laws.test_programs import random_configuration
from tests.mdh.codegen.native import host

Array = np.ndarray[Any, Any]

POINT = np.dtype([("x", "f4"), ("y", "f4")])
COLOUR = np.dtype([("x", "f8"), ("y", "f8"), ("z", "f8"), ("w", "f8")])
SAME_SIZE = np.dtype([("x", "f4"), ("n", "i4"), ("y", "f4")])
ALIGNED = np.dtype([("n", "i4"), ("x", "f8"), ("y", "f8"), ("ok", "?")], align=True)
WITH_GAPS = np.dtype({"names": ["y", "x"], "formats": ["f4", "f8"], "offsets": [12, 0], "itemsize": 32})
COMPLEX = np.dtype([("x", "c8"), ("y", "c8")])
PACKED = np.dtype([("n", "i1"), ("x", "f8"), ("y", "f4")])
NATURAL = (POINT, COLOUR, SAME_SIZE, ALIGNED, WITH_GAPS, COMPLEX)
"""Layouts whose fields lie at multiples of their sizes."""


def records(dtype: np.dtype[Any], *shape: int, seed: int = 0) -> Array:
    random = np.random.default_rng(seed)
    made = np.zeros(shape, dtype)
    assert dtype.names is not None
    for name in dtype.names:
        kind = dtype[name].kind
        made[name] = (
            random.integers(0, 2 if kind == "b" else 99, shape) if kind in "bi" else random.standard_normal(shape)
        )
        if kind == "c":
            made[name] += 1j * random.standard_normal(shape)
    return made


def norms(out, p):
    for i in range(p.shape[0]):
        out[i] = p[i]["x"] * p[i]["x"] + p["y"][i] * p["y"][i]


def moved(p, q):
    for i in range(len(p)):
        p[i]["x"] += q[i]["y"]
        p[i]["y"] = p[i]["y"] - q[i]["x"]


def turned(p, q):
    for i in range(len(p)):
        r = q[i]
        p[i]["x"], p[i]["y"] = r["y"], r["x"]


def copied(p, q):
    for i in range(len(p)):
        p[i] = q[len(p) - 1 - i]


def products(out, p, q):
    for i in range(p.shape[0]):
        for j in range(q.shape[0]):
            out[i] += p[i]["x"] * q[j]["y"]


def farthest(best, p):
    size, at = -1.0, 0
    for i in range(p.shape[0]):
        if abs(p[i]["x"]) > size:
            size, at = abs(p[i]["x"]), i
    best[0] = at


@mdh.operator(identity=(-np.inf, np.inf), commutative=False)
def extent(a, b):
    return b if b["x"] - b["y"] > a["x"] - a["y"] else a


@mdh.operator
def later(a, b):
    return (b[0], a[1] + b[1])


def widest_of_rows(p, q):
    for i in range(p.shape[0]):
        for j in range(1, q.shape[0]):
            p[i] = extent(p[i], q[j])


def widest(p, q):
    best = q[0]
    for i in range(1, q.shape[0]):
        best = extent(best, q[i])
    p[2] = best


def last_and_sum(p, q):
    state = q[0]
    for i in range(q.shape[0]):
        state = later(state, q[i])
        p[i] = state


def from_tuples(p, q):
    for i in range(len(p)):
        p[i] = 1, q[i][1]


def positive_widest(p, q):
    best = p[0]
    for i in range(q.shape[0]):
        if q[i]["y"] > 0:
            best = extent(best, q[i])
    p[1]["x"] = best["x"]
    p[1]["y"] = best[1]


WITH_OPERATORS = [widest_of_rows, widest, last_and_sum, positive_widest, from_tuples]
TURNED = np.dtype({"names": ["x", "y"], "formats": ["f4", "f8"], "offsets": [12, 0], "itemsize": 32})
"""The first field lies behind the second."""


@pytest.mark.parametrize("dtype", [POINT, TURNED], ids=["together", "turned"])
@pytest.mark.parametrize("function", WITH_OPERATORS, ids=lambda f: f.__name__)
def test_operators_over_records(function: Any, dtype: np.dtype[Any]) -> None:
    """Loops whose state is a record, by an operator over records: as Python, in the order of fields that NumPy has."""
    decorated = mdh.jit(cache=False)(function)
    for threads_ in (1, 2):
        with threads(threads_):
            assert_agree(
                outcome(function, arguments(function, dtype)), outcome(decorated, arguments(function, dtype)),
                f"{threads_} threads", "nearly",
            )  # fmt: skip
    text = decorated.inspect(*arguments(function, dtype), stage="mdh")
    assert not decorated.stats().fallbacks
    assert "for i" not in text and ("(extent)" in text or function in (last_and_sum, from_tuples)), text


def arguments(function: Any, dtype: np.dtype[Any]) -> tuple[Array, ...]:
    p, q = records(dtype, 67), records(dtype, 67, seed=1)
    first = np.zeros(67, (p["x"] * p["y"]).dtype)
    return {
        norms: (first, p),
        products: (first, p, q[:13]),
        farthest: (np.zeros(1, np.int64), p),
    }.get(function, (p, q))


@pytest.mark.in_turns(6)
@pytest.mark.parametrize("dtype", NATURAL, ids=lambda d: "_".join(d.names) + str(d.itemsize))
@pytest.mark.parametrize("function", [norms, moved, turned, copied, products, farthest], ids=lambda f: f.__name__)
@given(data=st.data())
@settings(max_examples=1, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
def test_loops_over_records(data: st.DataObject, function: Any, dtype: np.dtype[Any]) -> None:
    """Python ≡ both interpreters ≡ compiled code under the model's, the default and a random configuration."""
    first = arguments(function, dtype)
    program = traced(function, first)
    axes = unit_axes(program, [first])
    drawn = legal(axes, random_configuration(data))
    expected = outcome(function, arguments(function, dtype))
    assert expected.error is None
    found = outcome(lambda *a: interp.run(program, *a), arguments(function, dtype))
    assert_agree(expected, found, "interpreter", "nearly")
    found = outcome(lambda *a: run_low(program, drawn, host(), *a), arguments(function, dtype))
    assert_agree(expected, found, "low-level interpreter", "nearly")
    for name, chooser in {
        "model": model(program, first, axes),
        "default": lambda *_: Configuration(),
        "random": drawn,
    }.items():
        code = native(program, chooser, axes)
        for count in (1, 2):
            with threads(count):
                found = outcome(code, arguments(function, dtype))
                assert_agree(expected, found, f"{name}, {count} threads", "nearly")


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("dtype", [*NATURAL, PACKED], ids=lambda d: "_".join(d.names) + str(d.itemsize))
@pytest.mark.parametrize("function", [norms, moved, turned, copied, farthest], ids=lambda f: f.__name__)
def test_decorated_functions(function: Any, dtype: np.dtype[Any]) -> None:
    """Also packed layouts, whose fields lie anywhere; first and later calls, and arrays that are no whole ones."""
    decorated = mdh.jit(cache=False)(function)
    for step in (1, 1, 2, -1):

        def part(dtype: np.dtype[Any] = dtype, step: int = step) -> tuple[Array, ...]:
            return tuple(a[::step] for a in arguments(function, dtype))

        assert_agree(outcome(function, part()), outcome(decorated, part()), f"step {step}", "nearly")
    assert not decorated.stats().fallbacks


def test_large_arrays_of_records_in_parallel() -> None:
    p, q = records(POINT, 300_007), records(POINT, 300_007, seed=1)
    expected = p.copy()
    expected["x"] += q["y"]
    expected["y"] -= q["x"]
    mdh.jit(cache=False)(moved)(p, q)
    assert np.array_equal(p, expected)


def test_fields_are_arrays() -> None:
    @mdh.jit(cache=False)
    def total(p: Array) -> Any:
        return (p["x"] * p["y"]).sum(), p["x"].max()

    p = records(ALIGNED, 1003)
    found = total(p)
    assert found[0] == pytest.approx((p["x"] * p["y"]).sum())
    assert found[1] == p["x"].max()


def test_records_as_operator_state() -> None:
    """The thesis's record linkage: a scalar function and an operator over records, fields written in their layout."""
    match = np.dtype([("id", "i8"), ("weight", "f8")])

    def weight(out: Any, inp: Any) -> None:
        dx, dy = inp["a"]["x"] - inp["b"]["x"], inp["a"]["y"] - inp["b"]["y"]
        out["match"]["weight"] = 0.0 - (dx * dx + dy * dy)
        out["match"]["id"] = inp["id"]

    def better(res: Any, lhs: Any, rhs: Any) -> None:
        later = rhs["match"]["weight"] > lhs["match"]["weight"]
        res["match"] = [dsl.where(later, rhs["match"][f], lhs["match"][f]) for f in ("id", "weight")]

    @dsl.mdh(
        dsl.out(match=dsl.Buffer[match]),
        dsl.inp(a=dsl.Buffer[POINT, [101]], b=dsl.Buffer[POINT, [203]], id=dsl.Buffer[np.int64, [203]]),
    )
    def linkage() -> Any:
        return (
            dsl.out_view[match](match=[lambda n, i: n]),
            dsl.md_hom[101, 203](weight, (dsl.CC, dsl.PW(better, identity=(-1, float("-inf"))))),
            dsl.inp_view[POINT, POINT, np.int64](a=[lambda n, i: n], b=[lambda n, i: i], id=[lambda n, i: i]),
        )

    a, b, ids = records(POINT, 101), records(POINT, 203, seed=1), np.arange(203) * 7
    found = linkage(a, b, ids)
    distance = (a["x"][:, None] - b["x"]) ** 2 + (a["y"][:, None] - b["y"]) ** 2
    assert found.dtype == match
    np.testing.assert_array_equal(found["id"], ids[distance.argmin(axis=1)])
    np.testing.assert_allclose(found["weight"], -distance.min(axis=1), rtol=1e-6)


@pytest.mark.parametrize(
    ("dtype", "message"),
    [
        ([("p", POINT)], "field `p` of a record is a record itself"),
        ([("v", "f4", (3,))], "field `v` of a record is an array"),
        ([("name", "U5")], "no support for dtype <U5"),
        (
            {"names": ["a", "b"], "formats": ["f4", "i4"], "offsets": [0, 2]},
            "field `b` of a record overlaps another one",
        ),
        ([("two words", "f4")], "field 'two words' of a record"),
    ],
)
def test_records_that_are_refused(dtype: Any, message: str) -> None:
    with pytest.raises(ArgumentTypeError) as raised:
        from_numpy(np.dtype(dtype))
    assert raised.value.message == message
