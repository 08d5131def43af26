"""The search in the helper process: what it has seen is known to later ones, and to those beside it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.settings import config
from jitmdh.base.storage.store import default_store
from jitmdh.jit.compilation.pipeline import (
    artifact_of,
    chosen_of,
    conditions_of,
    facts,
    sizes_of,
    unit_axes_of,
)
from jitmdh.jit.online import knowledge, warm_start
from jitmdh.jit.online.candidate import FIRST_CODE, Outcome, Task, Verdict, task_for
from jitmdh.jit.online.knowledge import Knowledge, Subject
from jitmdh.jit.online.shared_call import SharedCall
from jitmdh.jit.online.wisdom import knowledge_in
from jitmdh.jit.search.spaces import Proposal
from jitmdh.jit.trials import helper_search
from jitmdh.jit.trials.helper_search import Search
from tests.jit.prepared_store import with_native_runtime
from tests.jit.search.test_together import arguments, chain

Array = np.ndarray[Any, Any]


def matmul(C: Array, A: Array, B: Array) -> None:
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


SUBJECT = Subject("f00", "module.matmul", "three", "cpu", "a class", 2, "zen")


@contextmanager
def opened(tmp_path: Path, function: Any, arguments: tuple[Any, ...]) -> Iterator[Task]:
    with config(cache=True, cache_dir=str(with_native_runtime(tmp_path))):
        f = mdh.jit(function)
        incumbent, prepared, _ = f._compiled_for(arguments, {})
        program = f._pipeline.program(f, incumbent.signature, f.options)
        call = SharedCall(prepared)
        yield replace(task_for(program, incumbent, f.options, call), subject=SUBJECT)
        call.close()


@pytest.fixture
def task(tmp_path: Path) -> Iterator[Task]:
    with opened(tmp_path, matmul, (np.zeros((40, 50)), np.ones((40, 60)), np.ones((60, 50)))) as found:
        yield found


def known() -> Knowledge:
    return knowledge_in(default_store())


def made(task: Task, proposal: Proposal, number: int, ratio: float) -> Outcome:
    axes = unit_axes_of(task.program, task.signature)
    given = task.program, task.sizes, axes, task.options, task.ranges
    artifact = artifact_of(*given, proposal.configurations, proposal.joined)
    compiled = facts(artifact.program, artifact.configuration(), b"code", conditions_of(task.ranges))
    return Outcome(number, Verdict.RIGHT, compiled, ratio * 1e-3, 1e-3)


def run(search: Search, task: Task, count: int, ratio: float = 1.1) -> list[str]:
    """The configurations that are proposed, each of which takes so many times the incumbent's time."""
    found = []
    for number in range(count):
        proposed = search.proposed()
        assert proposed is not None
        point, proposal = proposed
        found.append(str(sorted(dict(point).items(), key=str)))
        search.learned(point, made(task, proposal, number, ratio))
    return found


def test_a_later_search_goes_on_where_one_stopped(task: Task) -> None:
    first, second = run(Search(task), task, 12), run(Search(task), task, 12)
    assert len({*first, *second}) == 24 and len(known().of(SUBJECT)) == 24
    assert all(e.where == "helper" and e.ratio == pytest.approx(1.1) for e in known().of(SUBJECT))


def test_code_for_the_sizes_alone_has_its_turn_by_what_is_expected_of_it(
    task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody needs it once a change of it has won."""
    same = str(sorted(dict(Search(task).space.first).items(), key=str))
    monkeypatch.setattr(helper_search, "FOR_OWN_SIZES", 9.9)
    assert run(Search(task), task, 1) == [same]
    monkeypatch.setattr(helper_search, "FOR_OWN_SIZES", 0.0)
    search = Search(replace(task, subject=None))
    assert same not in run(search, task, 3)
    search.won(2, 0.9)
    monkeypatch.setattr(helper_search, "FOR_OWN_SIZES", 9.9)
    assert same not in run(search, task, 3)
    assert run(Search(replace(task, subject=None)), task, 1) == [same]


def test_beside_a_busy_program_the_walk_goes_on_from_what_calls_have_found_faster(task: Task) -> None:
    """Of seven candidates for a product of 6 ms, three were changes of one that seemed to take 0.96 of the time; of
    twelve for one of 0.2 ms, five of one that seemed to take 0.78 there, and took 1.36 in calls."""

    def from_there(ratio: float, disturbed: bool, tried: float | None = None) -> bool:
        search = Search(replace(task, subject=None))
        search._for_own_sizes = True
        (proposed, first), number = (search.proposed(), search.space.first), 5
        assert proposed is not None
        search.learned(proposed[0], replace(made(task, proposed[1], number, ratio), disturbed=disturbed))
        if tried is not None:
            search.tried(number, tried)
        after = search.proposed()
        assert after is not None
        return sum(after[0][name] != first[name] for name in first) > 1

    assert from_there(0.95, False) and not from_there(0.95, True) and not from_there(0.5, True)
    assert from_there(0.95, True, tried=0.95) and not from_there(0.5, True, tried=1.36)


def test_what_was_promising_when_the_process_ended_is_proposed_again_first(task: Task) -> None:
    search = Search(task)
    run(search, task, 5)
    (good,) = run(search, task, 1, ratio=0.5)
    assert run(Search(task), task, 1, ratio=0.5) == [good]


def test_what_was_good_is_proposed_again_once_calls_take_a_different_time(task: Task) -> None:
    search = Search(task)
    run(search, task, 5, ratio=1.3)
    good = run(search, task, 3, ratio=0.98)  # not so good that it must be looked at again anyway
    assert not {*good} & {*run(Search(task), task, 3, ratio=1.3)}
    assert {*good} <= {*run(Search(replace(task, moved=True)), task, 9)}


def test_what_has_won_is_written_down_and_all_else_is_decided(task: Task) -> None:
    search = Search(task)
    run(search, task, 3, ratio=0.9)
    proposed = search.proposed()
    assert proposed is not None
    search.learned(proposed[0], made(task, proposed[1], 77, 0.5))
    search.won(77, 0.6)
    chosen = known().chosen(SUBJECT, task.sizes)
    assert chosen is not None and chosen.ratio == pytest.approx(0.6) and chosen.where == "calls"
    assert known().undecided(SUBJECT, task.sizes) == []
    again = run(Search(task), task, 5)
    assert str(sorted(dict(proposed[0]).items(), key=str)) not in again
    run(search, task, 1, ratio=0.5)  # half of the new incumbent's time, which is 0.6 of the model's
    assert known().of(SUBJECT)[-1].ratio == pytest.approx(0.3)


def test_code_that_is_in_force_again_is_written_down(task: Task) -> None:
    search = Search(task)
    first, second = search.proposed(), search.proposed()
    assert first is not None and second is not None
    for number, proposed in ((1, first), (2, second)):
        search.learned(proposed[0], made(task, proposed[1], number, 0.9))
    search.won(1, 0.9)
    digest = known().chosen(SUBJECT, task.sizes)
    search.won(2, 0.95)
    search.won(1, 1 / 0.95)
    again = known().chosen(SUBJECT, task.sizes)
    assert digest is not None and again is not None and again.digest == digest.digest
    assert again.ratio == pytest.approx(0.9)
    search.won(FIRST_CODE, 1 / 0.9)
    model = known().chosen(SUBJECT, task.sizes)
    assert model is not None and model.values == {} and model.ratio == pytest.approx(1.0)


@pytest.mark.parametrize("verdict", [v for v in Verdict if v.quarantined])
def test_quarantined_candidates_are_not_proposed_again_whatever_the_version(
    task: Task, verdict: Verdict, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = Search(task)
    proposed = search.proposed()
    assert proposed is not None
    search.learned(proposed[0], Outcome(1, verdict, reason="as it was"))
    assert len(known().quarantined(SUBJECT)) == 1
    monkeypatch.setattr(warm_start, "versions", lambda: "of another day")
    assert str(sorted(dict(proposed[0]).items(), key=str)) not in run(Search(task), task, 8)


def test_processes_that_tune_the_same_share_the_work(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    one = Search(task)
    mine = one.proposed()
    assert mine is not None
    present = os.getpid()
    with monkeypatch.context() as patched:
        patched.setattr(knowledge.os, "getpid", lambda: present + 1)
        other = Search(task)
        theirs = other.proposed()
        assert theirs is not None and dict(theirs[0]) != dict(mine[0])
        other_too = Search(task)  # begins before the first result
    slow = one.proposed()
    assert slow is not None
    one.learned(slow[0], made(task, slow[1], 2, 1.5))
    with monkeypatch.context() as patched:
        patched.setattr(knowledge.os, "getpid", lambda: present + 1)
        tried = run(other_too, task, 6, ratio=1.2)
        assert str(sorted(dict(slow[0]).items(), key=str)) not in tried
        assert str(sorted(dict(mine[0]).items(), key=str)) not in tried
    one.learned(mine[0], made(task, mine[1], 1, 0.5))
    assert known().undecided(SUBJECT, task.sizes)
    with monkeypatch.context() as patched:
        patched.setattr(knowledge.os, "getpid", lambda: present + 2)
        third = Search(task).proposed()  # fast elsewhere: made here, too
        assert third is not None and dict(third[0]) == dict(mine[0])


def softmax(y: Array, x: Array) -> None:
    e = np.exp(x - x.max(axis=1, keepdims=True))
    y[:] = e / e.sum(axis=1, keepdims=True)


def counted(at: Array) -> Array:
    count = np.zeros(64)
    for n in range(at.shape[0]):
        count[at[n]] += 1.0
    return count / count.sum()


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (matmul, (np.zeros((40, 50)), np.ones((40, 60)), np.ones((60, 50)))),
        (softmax, (np.zeros((33, 100)), np.ones((33, 100)))),
        (counted, (np.arange(500) % 64,)),
    ],
)
def test_a_search_begins_with_what_code_is_generated_for(function: Any, arguments: tuple[Array, ...]) -> None:
    f = mdh.jit(cache=False)(function)
    found, _, _ = f._compiled_for(arguments, {})
    program = f.codes.program(found)
    given = sizes_of(program, arguments), unit_axes_of(program, found.signature), f.options, {}
    chosen, generated = chosen_of(program, *given), artifact_of(program, *given)
    assert len(chosen.choices) == len(generated.choices) >= (function is not matmul) + 1
    assert chosen.configuration() == generated.configuration()
    assert (chosen.problems, chosen.steps) == (generated.problems, generated.steps)


def test_what_is_under_one_loop_is_proposed_and_remembered(tmp_path: Path) -> None:
    """Apart, too, where the model has it together; a later search knows what became of it."""
    with opened(tmp_path, chain, arguments()) as task:
        search = Search(task)
        apart = None
        for number in range(40):
            proposed = search.proposed()
            assert proposed is not None
            outcome = made(task, proposed[1], number, 1.1)
            assert outcome.compiled is not None
            search.learned(proposed[0], outcome)
            if proposed[1].joined == ():
                apart = dict(proposed[0])
                assert outcome.compiled.configuration["together"] == []
                break
        assert apart is not None, "it is never tried"
        later = Search(task)
        assert later.tuner is not None and later.past is not None
        known = later.past.decided(later.space.values(apart))
        assert known is not None and known.ratio == pytest.approx(1.1) and known.values == {"together": "apart"}
