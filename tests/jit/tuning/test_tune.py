"""`f.tune`: results stay, user data stays, the best configuration is kept, wrong candidates are not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.settings import config
from jitmdh.jit.execution import launch
from jitmdh.jit.execution.launch import Specialisation
from jitmdh.jit.tuning import tune
from tests.jit.programs import native_matvec

Array = np.ndarray[Any, Any]


@pytest.fixture
def own_cache(tmp_path: Path) -> Iterator[None]:
    with config(cache=True, cache_dir=str(tmp_path)):
        yield


def matmul(C: Array, A: Array, B: Array) -> None:
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


def moments(x: Array) -> tuple[Array, Array]:
    first = np.zeros(x.shape[0], x.dtype)
    second = np.zeros(x.shape[0], x.dtype)
    for i in range(x.shape[0]):
        for k in range(x.shape[1]):
            first[i] += x[i, k]
    for i in range(x.shape[0]):
        for k in range(x.shape[1]):
            second[i] += x[i, k] * x[i, k]
    return first, second


def arguments(kind: Any = np.float64) -> tuple[Array, Array, Array]:
    random = np.random.default_rng(0)
    return tuple(random.integers(-9, 9, shape).astype(kind) for shape in ((40, 50), (40, 60), (60, 50)))  # type: ignore[return-value]


@pytest.mark.parametrize("kind", [np.float32, np.int32])
def test_tuning_changes_neither_arguments_nor_results(own_cache: None, kind: Any) -> None:
    f = mdh.jit(matmul)
    C, A, B = arguments(kind)
    before = [a.copy() for a in (C, A, B)]
    report = f.tune(C, A, B, evaluations=8, progress=False)
    assert all(np.array_equal(a, b) for a, b in zip((C, A, B), before))
    assert report.evaluations == 8 == f.stats().tuning_steps and f.stats().tuning_seconds > 0
    assert not report.wrong and report.history[0].seconds is not None
    f(C, A, B)
    assert np.array_equal(C, before[0] + A @ B)  # small integers: exact in any order
    assert mdh.jit(schedule=report.best_configuration)(matmul)(C, A, B) is None
    assert f.config(C, A, B)["matmul"]["part_size"] == report.best_configuration["matmul"]["part_size"]


def forced_winner(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not the model's is measured as fast: the outcome does not hang on the machine's mood."""
    first: list[Specialisation] = []

    def sampled(specialisation: Specialisation, *rest: Any) -> list[float]:
        if not first:
            first.append(specialisation)
        return [1.0 if specialisation is first[0] else 0.5]

    monkeypatch.setattr(tune, "sampled", sampled)


def test_the_best_is_used_and_found_by_later_functions(own_cache: None, monkeypatch: pytest.MonkeyPatch) -> None:
    forced_winner(monkeypatch)
    f = mdh.jit(matmul)
    report = f.tune(*arguments(), evaluations=12, progress=False)
    assert report.changes and report.ratio == 2.0 and "2.00 times as fast" in str(report)
    chosen = f.config(*arguments())
    assert "tuned" in chosen["matmul"]["reasons"][0]
    later = mdh.jit(matmul)
    C, A, B = arguments()
    expected = C + A @ B
    later(C, A, B)
    assert np.array_equal(C, expected) and later.config(C, A, B) == chosen
    stats = later.stats()
    assert (stats.compiles, stats.cache_hits, stats.tuning_steps) == (0, 1, 0)
    assert mdh.jit(tune="off")(matmul).config(C, A, B) != chosen
    larger = tuple(np.ones((600, 600)) for _ in range(3))
    later(*larger)  # another class of sizes: the model's
    assert "tuned" not in later.config(*larger)["matmul"]["reasons"][0]
    mdh.cache.clear()
    assert mdh.jit(matmul).config(C, A, B) != chosen


def test_the_model_stays_where_nothing_is_faster(own_cache: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tune, "sampled", lambda *_: [1.0])
    f = mdh.jit(matmul)
    expected = mdh.jit(tune="off")(matmul).config(*arguments())
    report = f.tune(*arguments(), evaluations=6, progress=False)
    assert report.ratio == 1 and not report.changes and "nothing faster" in str(report)
    assert f.config(*arguments()) == expected


def test_a_wrong_candidate_is_quarantined(own_cache: None, monkeypatch: pytest.MonkeyPatch) -> None:
    forced_winner(monkeypatch)
    honest, seen = launch.run, list[Any]()

    def run(specialisation: Specialisation, prepared: Any, disjoint: bool) -> Any:
        result = honest(specialisation, prepared, disjoint)
        if specialisation not in seen:
            seen.append(specialisation)
        if specialisation is not seen[0]:
            prepared.arguments[0][3, 4] += 1
        return result

    f = mdh.jit(matmul)
    with monkeypatch.context() as patched:
        patched.setattr(launch, "run", run)
        report = f.tune(*arguments(), evaluations=8, progress=False)
    assert report.wrong and all(step.seconds is None for step in report.wrong)
    assert "wrong result" in report.invalid and "wrong result" in str(report) and not report.changes


def test_what_is_not_legal_is_said(own_cache: None) -> None:
    report = mdh.jit(matmul).tune(*arguments(), evaluations=25, technique="random", progress=False)
    assert report.invalid and all(report.invalid) and sum(report.invalid.values()) < 25
    assert next(iter(report.invalid)) in str(report)


def test_several_computations(own_cache: None) -> None:
    f = mdh.jit(moments)
    x = np.arange(1200.0).reshape(30, 40)
    report = f.tune(x, evaluations=6, progress=False)
    assert len({name.partition(".")[0] for name in report.history[0].values}) == 2
    assert np.allclose(f(x)[1], (x * x).sum(1))


def test_deterministic_functions_keep_their_bits(own_cache: None, monkeypatch: pytest.MonkeyPatch) -> None:
    forced_winner(monkeypatch)
    f = mdh.jit(deterministic=True)(matmul)
    A, B = np.random.default_rng(1).standard_normal((2, 50, 50))
    before, after = np.zeros((50, 50)), np.zeros((50, 50))
    f(before, A, B)
    f.tune(after, A, B, evaluations=20, progress=False)
    f(after, A, B)
    assert np.array_equal(before, after)


def test_interruption_keeps_the_best_so_far(own_cache: None, monkeypatch: pytest.MonkeyPatch) -> None:
    honest, calls = tune.Candidates.cost, list[int]()

    def cost(self: Any, point: Any) -> Any:
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return honest(self, point)

    monkeypatch.setattr(tune.Candidates, "cost", cost)
    monkeypatch.setattr(tune.Candidates, "_in_turns", lambda *_: 1 / 0)  # somebody waits: no last measurements
    report = mdh.jit(matmul).tune(*arguments(), evaluations=50, progress=False)
    assert report.interrupted and report.evaluations == 2 and "interrupted" in str(report)


def test_candidates_are_compiled_together(own_cache: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """By processes beside this one, and nothing is compiled while something is measured."""
    monkeypatch.setattr(tune, "_WORTH_HELPERS_SECONDS", 0.0)
    monkeypatch.setattr(tune, "usable_cores", lambda: 2)
    compiled: list[bytes | None] = []
    honest = tune.Job.loaded

    def loaded(self: Any, artifact: Any, code: bytes | None = None) -> Specialisation:
        compiled.append(code)
        return honest(self, artifact, code)

    monkeypatch.setattr(tune.Job, "loaded", loaded)
    C, A, B = arguments()
    report = mdh.jit(matmul).tune(C, A, B, seconds=3600, evaluations=12, progress=False)
    assert report.evaluations == 12 and not report.wrong and report.history[0].seconds is not None
    assert sum(code is not None for code in compiled) >= 5
    assert compiled[0] is None  # the model's configuration comes first, alone


def test_what_cannot_be_tuned_is_refused() -> None:
    with pytest.raises(mdh.errors.ConfigurationError, match="tune="):
        mdh.jit(tune="off")(matmul).tune(*arguments())
    with pytest.raises(mdh.errors.ConfigurationError, match="nothing to tune"):
        mdh.jit(schedule=mdh.jit(matmul).config(*arguments()))(matmul).tune(*arguments())
    with pytest.raises(mdh.errors.ConfigurationError, match="nothing to tune"):
        native_matvec().tune(np.zeros(2), np.zeros((2, 3)), np.zeros(3))
    with pytest.raises(IndexError):  # as the call would
        mdh.jit(matmul).tune(np.zeros((2, 2)), np.zeros((40, 60)), np.zeros((60, 50)), evaluations=2)


def test_how_results_are_compared() -> None:
    x = np.array([1.0, np.nan, 3.0])
    assert tune.agree(x, x, 1) and tune.agree(x, x * (1 + 4e-16), 100)
    assert not tune.agree(x, x * (1 + 4e-16), 1) and not tune.agree(x, x * 1.001, 100)
    assert not tune.agree(x, np.array([1.0, 2.0, 3.0]), 100)
    assert not tune.agree(np.array([1, 2]), np.array([1, 3]), 100)


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), "60", True])
def test_seconds_are_a_positive_number(seconds: Any) -> None:
    x = np.ones((4, 4))
    with pytest.raises(mdh.errors.ConfigurationError, match=f"tune: seconds is {seconds!r}") as found:
        mdh.jit(moments).tune(x, seconds=seconds)
    assert "positive" in found.value.hint
