"""Which computations are under one loop is a parameter of the search."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh import schedule as s
from jitmdh.jit.compilation.pipeline import chosen_of
from jitmdh.jit.explanation.drawing import program_of_call
from jitmdh.jit.search.spaces import SAME, TOGETHER, Choices, Spaces, choices_of
from jitmdh.mdh.lowering.joins import MOST_ALTERNATIVES

# mypy: disable-error-code="no-untyped-def"

E, N = 20_000, 4


def chain(v, A, u):
    t = np.zeros(v.shape)
    for e in range(v.shape[0]):
        for i in range(v.shape[1]):
            for j in range(v.shape[2]):
                for l in range(A.shape[1]):
                    t[e, i, j] += A[i, l] * u[e, l, j]
    for e in range(v.shape[0]):
        for i in range(v.shape[1]):
            for j in range(v.shape[2]):
                for l in range(A.shape[1]):
                    v[e, i, j] += A[j, l] * t[e, i, l]


def blur(y, x):
    t = np.empty((x.shape[0], x.shape[1] - 2))
    for i in range(x.shape[0]):
        for j in range(x.shape[1] - 2):
            t[i, j] = (x[i, j] + x[i, j + 1] + x[i, j + 2]) / 3
    for i in range(x.shape[0] - 2):
        for j in range(x.shape[1] - 2):
            y[i, j] = (t[i, j] + t[i + 1, j] + t[i + 2, j]) / 3


def arguments(function: Any = chain) -> tuple[Any, ...]:
    random = np.random.default_rng(0)
    if function is blur:
        return np.zeros((2046, 510)), random.random((2048, 512))
    return np.zeros((E, N, N)), random.random((N, N)), random.random((E, N, N))


def wanted(function: Any, arrays: tuple[Any, ...]) -> Any:
    if function is blur:
        across = (arrays[1][:, :-2] + arrays[1][:, 1:-1] + arrays[1][:, 2:]) / 3
        return (across[:-2] + across[1:-1] + across[2:]) / 3
    return np.einsum("il,jm,elm->eij", arrays[1], arrays[1], arrays[2])


def choices(jitted: Any, arrays: tuple[Any, ...]) -> Choices:
    call = program_of_call(jitted, arrays, {})
    given = call.program, call.sizes, call.unit_axes, jitted.options, {}
    return choices_of(chosen_of(*given), *given)


@pytest.mark.parametrize("function", [chain, blur])
def test_every_alternative_is_right_and_no_two_are_the_same(function: Any) -> None:
    arrays = arguments(function)
    found = choices(mdh.jit(cache=False)(function), arrays)
    assert 1 <= len(found.others) <= MOST_ALTERNATIVES and found.name not in found.others and "apart" in found.all
    configurations = []
    for chosen in found.others.values():
        data = chosen.configuration()
        configurations.append(data)
        arrays[0][:] = 0
        again = mdh.jit(cache=False, tune="off", schedule=data)(function)
        again(*arrays)
        np.testing.assert_allclose(arrays[0], wanted(function, arrays), rtol=1e-12)
    assert all(a != b for n, a in enumerate(configurations) for b in configurations[:n])


def test_parameters_of_other_values_say_nothing() -> None:
    """They are changed by nobody, count for nothing, and give no configuration twice."""
    jitted = mdh.jit(cache=False)(chain)
    space = Spaces(choices(jitted, arguments()), jitted.options)
    first, guide = space.values(space.first), space.guide()
    other = next(v for v in space.parameters[TOGETHER].values if v != first[TOGETHER])
    idle = next(n for n, p in space.parameters.items() if str(other) in n and len(p.values) > 1)
    assert not guide.applies(idle, first) and guide.applies(idle, {**first, TOGETHER: other})
    parameter = space.parameters[idle]
    changed = next(v for v in parameter.values if v != parameter.model)
    assert space.changes({**first, idle: changed}) == {}
    assert space.configurations({**first, idle: changed}) == SAME
    assert space.changes({**first, TOGETHER: other, idle: changed}) == {TOGETHER: other, idle: changed}
    assert space.size < space.size * len(parameter.values)


def test_tuning_finds_what_the_model_does_not_choose(monkeypatch: pytest.MonkeyPatch) -> None:
    """Told that together is bad, the model stays apart: the search finds it, and it is what serves calls then."""
    monkeypatch.setattr("jitmdh.mdh.lowering.joins.apart", lambda *_: "so it is said here")
    arrays = arguments()
    jitted = mdh.jit(cache=False)(chain)
    report = jitted.tune(*arrays, evaluations=12, progress=False)
    tried = {step.values[TOGETHER]: step.seconds for step in report.history}
    assert len(tried) > 1 and any(t is not None for n, t in tried.items() if n != "apart"), report.history
    found = jitted.config(*arrays)
    arrays[0][:] = 0
    jitted(*arrays)
    np.testing.assert_allclose(arrays[0], wanted(chain, arrays))
    if TOGETHER in report.changes:
        assert found[TOGETHER] == [{"chain": "e", "chain 2": "e"}]


@pytest.mark.parametrize("said", [True, False, [{"chain": "e", "chain 2": "e"}]])
def test_what_a_schedule_says_is_not_searched(said: Any) -> None:
    assert not choices(mdh.jit(cache=False, schedule={"together": said})(chain), arguments()).others
    assert choices(mdh.jit(cache=False, schedule={"together": "any"})(chain), arguments()).others


def test_left_open_by_nests() -> None:
    arrays = arguments()
    nests = s.build(chain, *arrays)
    opened = nests.together(s.any)
    assert opened != nests and hash(opened) != hash(nests) and opened.data() == {"together": "any"}
    assert choices(mdh.jit(cache=False, schedule=opened)(chain), arrays).others
    assert not choices(mdh.jit(cache=False, schedule=nests)(chain), arrays).others
    some = opened | {"chain": opened["chain"].parallelize("e")}  # there is no e inside of a loop over it
    found = choices(mdh.jit(cache=False, schedule=some)(chain), arrays)
    assert found.name == "apart" and not found.others
    with pytest.raises(mdh.errors.ScheduleError, match="left open by"):
        nests.together(True)
    with pytest.raises(mdh.errors.ScheduleError, match="under one loop already"):
        nests["chain"].compute_at(nests["chain 2"], "e").together(s.any)
