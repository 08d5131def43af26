"""Nests of several computations: which are under one loop, as a value and in calls; `test_together` has the law."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh import schedule as s
from jitmdh.base.errors import ConfigurationError, ScheduleError

RANDOM = np.random.default_rng(0)
X = RANDOM.random((2000, 40))


def chain(y: Any, x: Any) -> None:
    m = np.empty(x.shape[0])
    t = np.empty(x.shape)
    for i in range(x.shape[0]):
        m[i] = 0.0
        for k in range(x.shape[1]):
            m[i] += x[i, k]
    for i in range(x.shape[0]):
        for k in range(x.shape[1]):
            t[i, k] = x[i, k] - m[i]
    for i in range(x.shape[0]):
        y[i] = 0.0
        for k in range(x.shape[1]):
            y[i] += t[i, k] * t[i, k]


def wanted() -> Any:
    return ((X - X.sum(axis=1, keepdims=True)) ** 2).sum(axis=1)


def test_a_third_one_joins_two() -> None:
    y = np.zeros(2000)
    apart = s.build(chain, y, X)
    first, second, third = apart
    two = apart[first].compute_at(apart[second], "i")
    three = two[second].compute_at(two[third], "i")
    assert [len(join) for join in (*two.joined, *three.joined)] == [2, 3]
    assert three == two[second].fuse_outer(two[third]) != two and hash(three) != hash(two)
    jitted = mdh.jit(schedule=three)(chain)
    assert jitted.inspect(y, X, stage="lowlevel").count("local") == 2
    jitted(y, X)
    np.testing.assert_allclose(y, wanted())
    with pytest.raises(ScheduleError, match="under a loop over i already"):
        two[first].compute_at(two[second], "k")


def test_as_plain_data() -> None:
    y = np.zeros(2000)
    apart = s.build(chain, y, X)
    first, second, _ = apart
    joined = apart[first].compute_at(apart[second], "i")
    joined |= {second: joined[second].vectorize("k", 4)}
    data = json.loads(json.dumps(joined.data()))
    mdh.jit(schedule=data)(chain)(y, X)
    np.testing.assert_allclose(y, wanted())
    assert s.of(data, chain, y, X).joined == joined.joined
    with pytest.raises(ConfigurationError, match="no one loop around"):
        mdh.jit(schedule={"together": [{first: "i", apart["chain 3"].computation.name: "i"}]})(chain)(y, X)
    with pytest.raises(ConfigurationError, match="together is"):
        mdh.jit(schedule={"together": [{first: "i"}]})


def test_what_the_model_puts_under_one_loop_is_a_script_too() -> None:
    y = np.zeros(2000)
    jitted = mdh.jit(schedule={"together": True})(chain)
    made = s.of({"together": True, **jitted.config(y, X)}, chain, y, X)
    assert made.joined and all(nest.space.size == 1 for nest in made.values())
    mdh.jit(schedule=made)(chain)(y, X)
    np.testing.assert_allclose(y, wanted())


def test_they_belong_to_one_function() -> None:
    y = np.zeros(2000)
    one, other = s.build(chain, y, X), s.build(chain, y, X)
    with pytest.raises(ScheduleError, match="two computations of one function"):
        one["chain"].compute_at(other["chain 2"], "i")
    with pytest.raises(ScheduleError, match="transformed by themselves"):
        one["chain"].vectorize("k").compute_at(one["chain 2"], "i")
    with pytest.raises(ScheduleError, match="is not under one loop"):
        one.distribute("chain")
