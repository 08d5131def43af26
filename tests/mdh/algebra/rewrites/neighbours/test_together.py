"""What goes under one loop, what must not, and what the checker says of what should not have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import ConfigurationError, InternalError
from jitmdh.mdh.algebra import independence
from jitmdh.mdh.algebra.check import check
from jitmdh.mdh.algebra.expr import Expression, Program, Together, expressions
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.rewrites.neighbours.together import together
from jitmdh.mdh.compile import Request, chosen, generate
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.trace import trace
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration, Level
from jitmdh.mdh.lowering.schedule import parse
from jitmdh.mdh.machine.known import known
from tests.mdh.frontend.test_programs import argument_type

X = np.ones((40, 30, 20))


def product(x, K, S, y):
    for e in range(x.shape[0]):
        t = K @ x[e]
        y[e] += t @ S


def neighbour(x, K, S, y):
    t = x * 2.0
    for e in range(x.shape[0] - 1):
        for i in range(30):
            for j in range(20):
                y[e, i, j] = t[e + 1, i, j] + t[e, i, j]


def shared(x, K, S, y):
    for e in range(x.shape[0]):
        for i in range(30):
            s = 0.0
            for j in range(20):
                s += x[e, i, j]
            K[0, i] += s
        for i in range(30):
            for j in range(20):
                y[e, i, j] = x[e, i, j]


def fails(x, K, S, y):
    for e in range(x.shape[0]):
        for i in range(30):
            for j in range(20):
                y[e, i, j] = int(x[e, i, j]) // int(x[e, j, i // 30])
        for i in range(30):
            for j in range(20):
                y[e, i, j] += x[e, i, j]


def returned(x, K, S, y):
    t = np.exp(x)
    y += t.sum(axis=2)[:, :, None]
    return t


def turned(x, K, S, y):
    t = np.empty(30)
    for i in range(30):
        t[i] = K[i, 0] * 2.0
    c = np.empty((30, 30))
    for i in range(30):
        for j in range(30):
            c[i, j] = K[j, i] + 1.0
    return t, c


def program_of(f: Callable[..., Any]) -> Program:
    arguments = (X, np.ones((30, 30)), np.ones((20, 20)), X.copy())
    return trace(capture(f), tuple(map(argument_type, arguments)))


def found(program: Program) -> list[Together]:
    return [s for s in together(program, lambda *_: True).steps if isinstance(s, Together)]


def test_a_product_of_three_has_a_local_array() -> None:
    (step,) = found(program_of(product))
    assert step.dim.name == "e"
    assert str(step.local[0]).startswith("t: float64[")
    assert all(len(a.shape) == 2 for a in step.local)
    assert str(step).startswith("together for e ∈ [0, x.shape[0]):\n  local t: float64[")


def test_what_points_share_keeps_steps_apart() -> None:
    assert all(step.dim.name != "e" for step in found(program_of(neighbour)))
    assert found(program_of(fails)) == []
    assert all(
        "K" not in {b.name for e in expressions(step.body) for b in e.buffers} for step in found(program_of(shared))
    )


def test_steps_meet_where_they_read_the_same_rows() -> None:
    """Both dimensions of the second step are legal; along one of them it reads what the first one reads."""
    (step,) = found(program_of(turned))
    second = list(expressions(step.body))[-1]
    assert [str(access) for access in second.reads] == [f"K[{step.dim.name}, {second.md_hom.dims[0].name}]"]


def test_what_is_returned_is_not_local() -> None:
    assert "t" not in {a.name for step in found(program_of(returned)) for a in step.local}


def test_the_checker_knows_what_is_not_independent() -> None:
    program = together(program_of(product), lambda *_: True)
    check(program)
    (step,) = [s for s in program.steps if isinstance(s, Together)]
    last = step.body[-1]
    assert isinstance(last, Expression)
    out = last.out_view[0]
    first = replace(last, out_view=(replace(out, index=(Affine(), *out.index[1:])),))
    local = step.local[0]
    for wrong, message in (
        (replace(step, body=(*step.body[:-1], first)), "points of e share y, which one of them writes"),
        (replace(step, local=(*step.local, replace(local, name="x"))), "the local array x hides another"),
        (replace(step, local=(*step.local, local)), "local array declared twice: t"),
        (replace(step, local=step.local[1:]), "points of e share t,"),
        (replace(step, body=(step,)), "together again"),
    ):
        with pytest.raises(InternalError, match=message):
            check(replace(program, steps=(wrong,)))


def test_cores_share_the_points_and_nothing_else() -> None:
    """The model's blocks for a product may have levels for cores, which steps together must not have."""

    def chain(x, A, B, y):
        for e in range(x.shape[0]):
            y[e] = (A @ x[e]) @ B

    rng = np.random.default_rng(0)
    x, A, B = rng.random((24, 20, 9)), rng.random((400, 20)), rng.random((9, 90))
    y = np.zeros((24, 400, 90))
    compiled = mdh.jit(schedule={"together": True}, tune="off")(chain)
    compiled(x, A, B, y)
    np.testing.assert_allclose(y, A @ x @ B, rtol=1e-12)
    assert "COR" not in compiled.inspect(x, A, B, y, stage="lowlevel").split("together", 1)[1]


@pytest.mark.parametrize("by_d2", (False, True))
def test_steps_that_are_forced_to_have_cores_are_refused(by_d2: bool) -> None:
    """By the level's name, or by D2, which gives a level of another name to cores."""
    program = program_of(product)
    sizes = {f"{n}.shape[{k}]": size for n, shape in (("x", X.shape), ("K", (30, 30)), ("S", (20, 20)), ("y", X.shape))
             for k, size in enumerate(shape)}  # fmt: skip
    request = Request(program, sizes, {}, known("zen4", cores=2), threads=2, schedule=parse({"together": True}))
    first = chosen(request).problems[0].expression.md_hom.dims[1].name
    level = Level("L3" if by_d2 else "COR", first)
    cores = Configuration(decomposition_order=(level,), decomposition_assignment=((level, "COR"),) * by_d2)
    with pytest.raises(ConfigurationError, match="cores share e, which is around it"):
        generate(request, {0: cores})


def test_the_model_and_the_schedule_decide() -> None:
    """The model puts rows of a softmax together; a schedule may say otherwise, in both directions."""

    def softmax(x):
        y = np.exp(x - x.max(axis=1, keepdims=True))
        return y / y.sum(axis=1, keepdims=True)

    rows, few = np.ones((2000, 333)), np.ones((3, 33))
    text = mdh.jit(softmax).inspect(rows, stage="lowlevel")
    assert text.count("together for i ∈ [0, x.shape[0]), by cores:") == 1
    assert "local y_1: float64[x.shape[1]]" in text
    assert "stay in the core's caches" in str(mdh.jit(softmax).config(rows))
    assert "together" not in mdh.jit(schedule={"together": False})(softmax).inspect(rows, stage="lowlevel")
    assert "together" not in mdh.jit(softmax).inspect(few, stage="lowlevel")
    assert "together" in mdh.jit(schedule={"together": True})(softmax).inspect(few, stage="lowlevel")
    with pytest.raises(mdh.errors.ConfigurationError, match="together is 1"):
        mdh.jit(schedule={"together": 1})(softmax)(rows)


def test_twice_as_many_steps_are_twice_as_much_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a step touches is looked at by itself, not again with each of those behind it."""
    program, places = program_of(product), independence._places

    def work(times: int) -> int:
        looked_at: list[object] = []
        monkeypatch.setattr(independence, "_places", lambda *given: looked_at.append(given) or places(*given))
        (step,) = found(replace(program, steps=program.steps * times))
        assert len(step.body) == len(program.steps) * times
        return len(looked_at)

    assert work(12) < 2.2 * work(6)
