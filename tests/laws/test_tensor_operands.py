"""P10: however the known zeros of operands are left out, values are the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jitmdh import tensor as mt
from jitmdh.base.errors import ArgumentTypeError, ArgumentValueError
from jitmdh.jit.tensor import in_batch, kernels
from jitmdh.jit.tensor.operand_search import Share, cheapest, shares
from jitmdh.mdh.frontend.tensor.interp import run
from jitmdh.mdh.frontend.tensor.operands import VALUES
from jitmdh.mdh.frontend.tensor.program import lower
from tests.laws.examples import examples
from tests.laws.tensor_programs import Program, programs
from tests.laws.test_tensor_schedules import run_native
from tests.laws.test_tensor_schedules import small_work_is_shared as small_work_is_shared


@given(program=programs(), data=st.data())
@examples(30)
def test_values_are_the_same(program: Program, data: st.DataObject) -> None:
    expected = run(program.checked, program.values)
    said = {t.name: data.draw(st.sampled_from(VALUES)) for t in program.checked.tensors}
    for batch in (False, True):
        lowered, arrays = lower(program.checked, "program", batch, said), program.arrays()
        if batch:
            lowered = in_batch(lowered, "e", ())
            arrays = {n: np.repeat(a[None], 3, axis=0) for n, a in arrays.items()}
        run_native(lowered, arrays, data)
        for name, array in arrays.items():
            np.testing.assert_array_equal(array, np.broadcast_to(expected[name], array.shape), err_msg=str(said))


def star(n: int = 20) -> Any:
    """Some of each row, of several lengths."""
    return np.random.default_rng(3).random((n, n)) < np.linspace(0.05, 0.4, n)[:, None]


@pytest.mark.parametrize("value", VALUES)
def test_each_value_can_be_had(value: str) -> None:
    known = np.where(star(), np.arange(400.0).reshape(20, 20) % 7 + 1, 0)
    K, I, Q = mt.Tensor("K", values=known), mt.Tensor("I", (20, 9)), mt.Tensor("Q", (20, 9))
    kernel = mt.kernel("product", Q["kp"] <= K["kl"] * I["lp"]).with_pattern(K=value)
    assert kernel.pattern == {"K": value}
    given = np.random.default_rng(1).random((20, 9))
    np.testing.assert_allclose(kernel(I=given), known @ given)
    np.testing.assert_allclose(kernel.batched()(I=given[None]), known @ given[None])


def test_mistakes_are_named() -> None:
    K, I, Q = mt.Tensor("K", (9, 9), pattern=star(9)), mt.Tensor("I", (9,)), mt.Tensor("Q", (9,))
    kernel = mt.kernel("product", Q["k"] <= K["kl"] * I["l"])
    for wrong in ({"K": "boxes"}, {"other": "box"}):
        with pytest.raises(ArgumentValueError, match="with_pattern"):
            kernel.with_pattern(wrong)


def test_the_cheapest_is_chosen_and_kept() -> None:
    seconds = {"unrolled": 3.0, "blocks": 2.0, "box": 1.0, "loop": 0.99}
    times: list[Any] = []

    def seconds_of(values: Any) -> float | None:
        times.append(dict(values))
        return sum(seconds[v] for v in values.values())

    found = cheapest({"A": "unrolled", "B": "box"}, seconds_of, Share(None, None), {})
    assert found == {"A": "box", "B": "box"}  # 0.01 less of a second is noise
    assert times[0] == {"A": "unrolled", "B": "box"}
    assert cheapest({"A": "unrolled"}, seconds_of, Share(None, 1), {}) == {"A": "unrolled"}


def test_operands_of_a_kind_change_together() -> None:
    """One alone costs more here, since the terms of a sum are then computed in two ways."""

    def seconds_of(values: Any) -> float | None:
        return {0: 2.0, 2: 1.0}.get(sum(values[name] == "blocks" for name in ("S0", "S1")), 3.0)

    found = cheapest(dict.fromkeys(("S0", "S1", "K"), "unrolled"), seconds_of, Share(None, None), {"S0": 9, "S1": 9})
    assert found == {"S0": "blocks", "S1": "blocks", "K": "unrolled"}


def test_tuning_takes_what_operands_are_found_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever that is: here the search says that rows are cheapest."""
    known = np.where(star(), 2.0, 0)
    K, I, Q = mt.Tensor("K", values=known), mt.Tensor("I", (20, 9)), mt.Tensor("Q", (20, 9))
    kernel = mt.kernel("product", Q["kp"] <= K["kl"] * I["lp"])
    given = np.random.default_rng(1).random((20, 9))
    monkeypatch.setattr(kernels, "cheapest", lambda *_: {"K": "loop"})
    assert kernel.pattern != {"K": "loop"}
    kernel.tune(I=given, evaluations=3, progress=False)
    assert kernel.pattern == {"K": "loop"}
    np.testing.assert_allclose(kernel(I=given), known @ given)


def test_tuning_tries_operands_first() -> None:
    known = np.where(star(), 2.0, 0)
    K, I, Q = mt.Tensor("K", values=known), mt.Tensor("I", (20, 9)), mt.Tensor("Q", (20, 9))
    kernel = mt.kernel("product", Q["kp"] <= K["kl"] * I["lp"])
    given = np.random.default_rng(1).random((20, 9))
    kernel.tune(I=given, evaluations=8, progress=False)
    assert set(kernel.pattern) == {"K"} and kernel.pattern["K"] in VALUES
    np.testing.assert_allclose(kernel(I=given), known @ given)


def test_what_gives_other_results_is_not_chosen() -> None:
    def seconds_of(values: Any) -> float | None:
        return {"unrolled": 3.0, "loop": 2.0}.get(values["A"])

    assert cheapest({"A": "unrolled"}, seconds_of, Share(None, None), {}) == {"A": "loop"}


def test_a_search_that_nothing_limits_ends() -> None:
    own, rest = shares(None, None)
    assert own.seconds is not None and rest.seconds is not None and own.seconds < rest.seconds
    own, rest = shares(None, 10)
    assert (own.seconds, own.evaluations, rest.evaluations) == (None, 3, 7)


def test_elements_in_blocks_go_by_what_tuning_has_found() -> None:
    """Also where they have been computed before."""
    known = np.where(star(), 2.0, 0)
    K, I, Q = mt.Tensor("K", values=known), mt.Tensor("I", (20, 9)), mt.Tensor("Q", (20, 9))
    batch = mt.kernel("product", Q["kp"] <= K["kl"] * I["lp"]).batched()
    given = np.random.default_rng(1).random((9, 20, 9))
    stored, found = mt.zeros(I, batch=9).pack(given), mt.zeros(Q, batch=9)
    for value in ("unrolled", "loop", "box"):
        batch.adopt_pattern({"K": value})
        batch(I=stored, Q=found)
        np.testing.assert_allclose(found.unpack(), known @ given)
        np.testing.assert_allclose(batch(I=given), known @ given)


def test_sizes_that_come_with_the_call_have_a_pattern_each() -> None:
    n = mt.size("n")
    L, u, v = mt.Tensor("L", (n, n), pattern=mt.lower), mt.Tensor("u", (n,)), mt.Tensor("v", (n,))
    kernel = mt.kernel("product", u["i"] <= L["ij"] * v["j"])
    matrix, vector = np.tril(np.ones((20, 20))), np.arange(20.0)
    with pytest.raises(ArgumentTypeError, match="depends on the sizes n"):
        _ = kernel.pattern
    with pytest.raises(ArgumentTypeError, match="depends on the sizes n"):
        kernel.with_pattern(L="box")
    assert kernel.at(n=20).with_pattern(L="box").pattern == {"L": "box"}
    assert "pattern" in str(kernel.explain(L=matrix, v=vector, measure=False))
    kernel.tune(L=matrix, v=vector, evaluations=4, progress=False)
    np.testing.assert_allclose(kernel(L=matrix, v=vector), matrix @ vector)
