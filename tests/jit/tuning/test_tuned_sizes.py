"""What was tuned at one size and number of threads serves those calls; all others run what they would without it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import jitmdh as mdh
from jitmdh.base import cores
from jitmdh.base.settings import config
from jitmdh.jit import tuned_codes
from jitmdh.jit.compilation.compiled import Condition, narrower, within
from jitmdh.jit.tuning import candidates
from tests.jit.prepared_store import with_native_runtime
from tests.jit.tuning.test_tune import forced_winner, matmul

Array = np.ndarray[Any, Any]
Sizes = tuple[int, int, int]


@pytest.fixture
def own_cache(tmp_path: Path) -> Iterator[None]:
    with config(cache=True, cache_dir=str(with_native_runtime(tmp_path))):
        yield


def operands(sizes: Sizes) -> tuple[Array, Array, Array]:
    m, n, k = sizes
    random = np.random.default_rng(m + n + k)
    shapes = ((m, n), (m, k), (k, n))
    return tuple(random.integers(-9, 9, shape).astype(np.float32) for shape in shapes)  # type: ignore[return-value]


def chosen(f: Any, sizes: Sizes) -> dict[str, Any]:
    """The configuration of the code that a call takes, once it has taken it and was right."""
    C, A, B = operands(sizes)
    expected = C + A @ B
    f(C, A, B)
    assert np.array_equal(C, expected)
    return dict(f.config(C, A, B))


TUNED_AT = (40, 50, 60)
OTHERS = [(40, 50, 61), (96, 96, 96), (127, 127, 127), (32, 32, 32), (33, 50, 60)]  # of the same class
ELSEWHERE = [(400, 50, 60), (40, 600, 60)]


@pytest.mark.in_turns(3)
@pytest.mark.parametrize("forced", [True, False], ids=["another wins", "the model stays"])
def test_other_sizes_run_what_they_would_without_tuning(
    own_cache: None, monkeypatch: pytest.MonkeyPatch, forced: bool
) -> None:
    """In whichever order sizes come; in the process that tuned, and in later ones."""
    untuned = mdh.jit(tune="off", cache=False)(matmul)
    expected = {sizes: chosen(untuned, sizes) for sizes in (TUNED_AT, *OTHERS, *ELSEWHERE)}
    f = mdh.jit(matmul)
    with monkeypatch.context() as patched:
        if forced:
            forced_winner(patched)
        else:
            patched.setattr(candidates, "sampled", lambda *_: [1.0])
        f.tune(*operands(TUNED_AT), evaluations=8, progress=False)
    for function, order in (
        (f, OTHERS + ELSEWHERE),
        (mdh.jit(matmul), OTHERS),
        (mdh.jit(matmul), [*ELSEWHERE, *OTHERS]),
    ):
        assert {sizes: chosen(function, sizes) for sizes in order} == {sizes: expected[sizes] for sizes in order}
        assert (chosen(function, TUNED_AT) != expected[TUNED_AT]) == forced, "whatever came before it"


def test_with_another_number_of_threads_tuned_code_steps_back(own_cache: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuned_codes, "usable_cores", lambda: 2)
    with config(num_threads=2):
        model = chosen(mdh.jit(tune="off", cache=False)(matmul), TUNED_AT)
        f = mdh.jit(matmul)
        with monkeypatch.context() as patched:
            forced_winner(patched)
            f.tune(*operands(TUNED_AT), evaluations=8, progress=False)
        later = mdh.jit(matmul)
        for function in (f, later):
            assert chosen(function, TUNED_AT) != model
            with config(num_threads=1):
                assert chosen(function, TUNED_AT) == model
                assert function.codes.table is None or function.codes.table.plans[0].description.conditions != ()
            assert chosen(function, TUNED_AT) != model
    with config(num_threads=1):
        assert chosen(mdh.jit(matmul), TUNED_AT) == model
    assert cores.usable_cores() >= 1


conditions = st.tuples(st.integers(0, 12), st.integers(0, 12), st.integers(1, 4)).map(
    lambda c: Condition("n", min(c[:2]), max(c[:2]), c[2])
)


limits = st.tuples(st.integers(0, 4), st.integers(0, 4)).map(sorted)


@given(limits, limits, st.tuples(st.integers(0, 16), st.integers(0, 16)).map(sorted), st.booleans())
def test_ranges_of_sizes_are_narrower_than_limits_of_their_product(
    m: list[int], n: list[int], both: list[int], own: bool
) -> None:
    one = [Condition("m", *m), Condition("n", *n), *([Condition("m*n", 2, 9)] if own else [])]
    other = [Condition("m", 0, 4), Condition("m*n", *both)]
    every = [{"m": a, "n": b} for a in range(6) for b in range(6)]
    ones, others = ([sizes for sizes in every if within(c, sizes)] for c in (one, other))
    if narrower(one, other):
        assert all(sizes in others for sizes in ones)
    if m[0] == m[1] and n[0] == n[1] and ones and all(sizes in others for sizes in ones):
        assert narrower(one, other) or own
    assert not within(other, {"m": 2})


@settings(max_examples=200)
@given(conditions | st.integers(0, 12).map(lambda n: Condition("n", n, n)), conditions)
def test_narrower_conditions_hold_for_fewer_calls(one: Condition, other: Condition) -> None:
    ones, others = ({n for n in range(13) if within([c], {"n": n})} for c in (one, other))
    if narrower([one], [other]):
        assert ones <= others
    if one.least == one.most and ones and ones < others:
        assert narrower([one], [other]), "code for one size comes before all that serve it, too"
