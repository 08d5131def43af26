"""`f.tune`: results stay, user data stays, the best configuration is kept, wrong candidates are not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.settings import config
from jitmdh.jit.compilation import code_cache
from jitmdh.jit.execution import launch
from jitmdh.jit.execution.agreement import agree
from jitmdh.jit.execution.launch import Specialisation
from jitmdh.jit.online import helper_process
from jitmdh.jit.online.helper_process import Helper
from jitmdh.jit.online.knowledge import Knowledge, Observation
from jitmdh.jit.tuning import candidates, final_comparison, tune
from jitmdh.jit.tuning.final_comparison import Winner
from tests.jit.online import broken_helper
from tests.jit.prepared_store import with_native_runtime
from tests.jit.programs import native_matvec

Array = np.ndarray[Any, Any]


@pytest.fixture
def own_cache(tmp_path: Path) -> Iterator[None]:
    with config(cache=True, cache_dir=str(with_native_runtime(tmp_path))):
        yield


def matmul(C: Array, A: Array, B: Array) -> None:
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


def moments(x: Array) -> tuple[Array, Array]:
    first = np.zeros(x.shape[0], x.dtype)
    second = np.zeros(x.shape[1], x.dtype)
    for i in range(x.shape[0]):
        for k in range(x.shape[1]):
            first[i] += x[i, k]
    for i in range(x.shape[0]):
        for k in range(x.shape[1]):
            second[k] += x[i, k] * x[i, k]
    return first, second


def arguments(kind: Any = np.float64) -> tuple[Array, Array, Array]:
    random = np.random.default_rng(0)
    return tuple(random.integers(-9, 9, shape).astype(kind) for shape in ((40, 50), (40, 60), (60, 50)))  # type: ignore[return-value]


@pytest.mark.in_turns(2)
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

    monkeypatch.setattr(candidates, "sampled", sampled)


def test_the_best_is_used_and_found_by_later_functions(own_cache: None, monkeypatch: pytest.MonkeyPatch) -> None:
    forced_winner(monkeypatch)
    f = mdh.jit(matmul)
    report = f.tune(*arguments(), evaluations=12, progress=False)
    assert report.changes and report.ratio == 2.0 and "2.00 times as fast" in str(report)
    assert ".draw(…)" in str(report)
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
    monkeypatch.setattr(candidates, "sampled", lambda *_: [1.0])
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
    assert np.allclose(f(x)[1], (x * x).sum(0))


@pytest.mark.in_turns(2)
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
    honest, calls = candidates.Candidates.cost, list[int]()

    def cost(self: Any, point: Any) -> Any:
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return honest(self, point)

    monkeypatch.setattr(candidates.Candidates, "cost", cost)
    monkeypatch.setattr(final_comparison, "_in_turns", lambda *_: 1 / 0)  # somebody waits: no last measurements
    report = mdh.jit(matmul).tune(*arguments(), evaluations=50, progress=False)
    assert report.interrupted and report.evaluations == 3 and "interrupted" in str(report)


@pytest.mark.in_turns(2)
def test_candidates_are_made_by_several_helpers(own_cache: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """And nothing is made while something is measured here."""
    monkeypatch.setattr(tune, "_WORTH_HELPERS_SECONDS", 0.0)
    monkeypatch.setattr(tune, "usable_cores", lambda: 2)
    made: dict[Any, int] = {}
    standing: set[Any] = set()
    submit, pause, resume, measured = Helper.submit, Helper.pause, Helper.resume, candidates.Candidates._measured

    def counted(self: Helper, candidate: Any) -> int:
        made[self] = made.get(self, 0) + 1
        return submit(self, candidate)

    def checked(self: Any, *given: Any) -> Any:
        assert standing == set(made)
        return measured(self, *given)

    monkeypatch.setattr(Helper, "submit", counted)

    def stands(self: Helper) -> None:
        standing.add(self)
        pause(self)

    def goes_on(self: Helper) -> None:
        standing.discard(self)
        resume(self)

    monkeypatch.setattr(Helper, "pause", stands)
    monkeypatch.setattr(Helper, "resume", goes_on)
    monkeypatch.setattr(candidates.Candidates, "_measured", checked)
    report = mdh.jit(matmul).tune(*arguments(), seconds=3600, evaluations=12, progress=False)
    assert report.evaluations == 12 and not report.wrong and not standing
    assert len(made) == 2 and min(made.values()) >= 4
    assert not any(helper.alive for helper in made)
    assert sum(step.seconds is not None for step in report.history) >= 6


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("kind", ["wrong", "segfault", "spins", "hog"])
def test_bad_candidates_never_run_here_and_are_never_tried_again(
    own_cache: None, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(helper_process, "_PROGRAM", broken_helper.program(kind))
    monkeypatch.setattr(Helper.__init__, "__defaults__", (True, broken_helper.program(kind)))
    C, A, B = arguments()
    before = C.copy()
    f = mdh.jit(matmul)
    report = f.tune(C, A, B, evaluations=5, progress=False)
    bad = [step for step in report.history if step.seconds is None]
    assert bad and len(report.invalid) == 1 and report.evaluations == 5 and np.array_equal(C, before)
    f(C, A, B)
    assert np.array_equal(C, before + A @ B)
    monkeypatch.undo()
    again = mdh.jit(matmul).tune(C, A, B, evaluations=5, progress=False)
    assert again.known >= len(bad)
    assert not {str(s.values) for s in bad} & {str(s.values) for s in again.history}


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("stays", ["the fastest", "what was there"])
def test_a_second_run_goes_on_where_the_first_stopped(
    own_cache: None, monkeypatch: pytest.MonkeyPatch, stays: str
) -> None:
    if stays == "what was there":  # though others seemed faster, as happens on a busy machine
        forced_winner(monkeypatch)
        monkeypatch.setattr(tune, "decide", lambda found, *_: Winner(found.job.specialisation, 1.0, 1.0, None))
    first = mdh.jit(matmul).tune(*arguments(), evaluations=9, progress=False)
    second = mdh.jit(matmul).tune(*arguments(), evaluations=9, progress=False)
    tried = [[str(step.values) for step in report.history[1:]] for report in (first, second)]
    assert second.known == first.evaluations - 1 and "more known before" in str(second)
    assert len(tried[1]) == 8 and not set(tried[0]) & set(tried[1])
    other = mdh.jit(matmul).tune(*arguments(np.float32), evaluations=3, progress=False)
    assert other.known == 0  # of another signature


def test_after_an_upgrade_code_is_made_again_with_what_was_chosen(
    own_cache: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        forced_winner(patched)
        report = mdh.jit(matmul).tune(*arguments(), evaluations=8, progress=False)
    assert report.changes
    monkeypatch.setattr(code_cache, "versions", lambda: "of another day")
    f = mdh.jit(matmul)
    C, A, B = arguments()
    expected = C + A @ B
    f(C, A, B)
    assert np.array_equal(C, expected) and f.stats().compiles == 2
    chosen = f.config(C, A, B)["matmul"]
    assert chosen.pop("reasons") == ["tuned: chosen before this code was made"]
    assert chosen == report.best_configuration["matmul"]
    later = mdh.jit(matmul)
    later(C, A, B)
    assert later.stats().compiles == 0 and later.config(C, A, B)["matmul"]["part_size"] == chosen["part_size"]
    assert mdh.jit(tune="off")(matmul).config(C, A, B)["matmul"]["part_size"] != chosen["part_size"]
    monkeypatch.setattr(Knowledge, "chosen", lambda *_: Observation(
        {"matmul": {**report.best_configuration["matmul"], "decomposition_order": ["(L1,i)", "(L1,i)"]}}, {}, {}
    ))  # fmt: skip
    monkeypatch.setattr(code_cache, "versions", lambda: "of yet another")
    f = mdh.jit(matmul)
    f(C, A, B)  # not legal any more
    assert f.stats().compiles == 1


def test_what_was_good_at_another_size_is_tried_first(own_cache: None, monkeypatch: pytest.MonkeyPatch) -> None:
    forced_winner(monkeypatch)
    first = mdh.jit(matmul).tune(*arguments(), evaluations=6, progress=False)
    # with the same tiles to choose from: one of ten rows, good for 40 of them, is not among those for 48
    larger = np.zeros((80, 100)), np.ones((80, 120)), np.ones((120, 100))
    second = mdh.jit(matmul).tune(*larger, evaluations=2, progress=False)
    assert first.changes and second.known == 0
    assert {**second.history[1].values, **first.changes} == second.history[1].values


def test_without_helpers_candidates_run_here(own_cache: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "")
    report = mdh.jit(matmul).tune(*arguments(), evaluations=6, progress=False)
    assert report.evaluations == 6 and not report.wrong and sum(s.seconds is not None for s in report.history) >= 3


def test_the_time_is_kept_even_if_it_is_too_short_for_anything(own_cache: None) -> None:
    compiled = mdh.jit(matmul)
    model = compiled.config(*arguments())
    report = compiled.tune(*arguments(), seconds=1e-6, progress=False)
    assert report.evaluations == 1 and not report.interrupted
    assert report.ratio >= 1 and compiled.config(*arguments()) == model  # of its codes for these sizes, the faster one


def scaled(x: Array, y: Array) -> Any:
    return (x - y) * y


@pytest.mark.parametrize("shape", [(1, 6), (5, 1)])
def test_before_its_first_call_a_function_is_tuned_for_axes_of_extent_1(own_cache: None, shape: Any) -> None:
    """The code for such calls is made when that for others does not cover them, which the search is as good for."""
    x, y = np.arange(30.0).reshape(5, 6), np.arange(6.0)[: shape[0] * shape[1]].reshape(shape)
    f = mdh.jit(scaled)
    assert f.tune(x, y, evaluations=2).evaluations >= 1
    np.testing.assert_array_equal(f(x, y), scaled(x, y))


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
    assert agree(x, x, 1) and agree(x, x * (1 + 4e-16), 100)
    assert not agree(x, x * (1 + 4e-16), 1) and not agree(x, x * 1.001, 100)
    assert not agree(x, np.array([1.0, 2.0, 3.0]), 100)
    assert not agree(np.array([1, 2]), np.array([1, 3]), 100)


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), "60", True])
def test_seconds_are_a_positive_number(seconds: Any) -> None:
    x = np.ones((4, 4))
    with pytest.raises(mdh.errors.ConfigurationError, match=f"tune: seconds is {seconds!r}") as found:
        mdh.jit(moments).tune(x, seconds=seconds)
    assert "positive" in found.value.hint
