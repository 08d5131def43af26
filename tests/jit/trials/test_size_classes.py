"""Classes of sizes: no call waits once any code serves it; those in which time is spent get code beside the program."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.settings import config
from jitmdh.hca.drivers.cpu_entry import native_call_path
from jitmdh.jit.trials import observe, proposals, size_classes, worker
from jitmdh.mdh.lowering.configuration.shape_class import size_class
from tests.jit.test_online_faults import gone, soon, started
from tests.jit.trials.stand_in import InProcess, hurried, until
from tests.waiting import PATIENCE

__all__ = ["hurried"]
Sizes = tuple[int, int, int]
pytestmark = [
    pytest.mark.skipif(native_call_path() is None, reason="no native call path on this Python"),
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
]


@pytest.fixture
def beside(hurried: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Classes are worth code after a few calls; no size is searched."""
    monkeypatch.setattr(size_classes, "WORTH_SECONDS", 1e-6)
    monkeypatch.setattr(size_classes, "_LEAST_SECONDS", 0.0)
    monkeypatch.setattr(observe, "_MOST_SITES", 0)


def product(C, A, B):
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


def operands(sizes: Sizes, dtype: str = "f8") -> tuple[Any, Any, Any]:
    rows, columns, depth = sizes
    chance = np.random.default_rng(sizes)
    A, B = chance.integers(-9, 9, (rows, depth)), chance.integers(-9, 9, (depth, columns))
    return np.zeros((rows, columns), dtype), A.astype(dtype), B.astype(dtype)


def check(f: Any, *sizes: Sizes) -> None:
    for each in sizes:
        C, A, B = operands(each)
        f(C, A, B)
        assert np.array_equal(C, A @ B), each


def drawn(count: int, most: int) -> list[Sizes]:
    return [tuple(map(int, row)) for row in np.random.default_rng(5).integers(2, most + 1, (count, 3))]  # type: ignore


def in_force(f: Any, sizes: Sizes) -> Any:
    specialisation, _, _ = f.select(f.prepared(operands(sizes)))
    return specialisation


@pytest.mark.usefixtures("beside")
@pytest.mark.parametrize("most", [60, 300])
def test_many_random_sizes_are_compiled_for_a_few_times_only(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the calls: for the first, for small sizes and for all. One size more never adds to that."""
    monkeypatch.setattr(size_classes, "WORTH_SECONDS", 1e9)
    f = mdh.jit(cache=False)(product)
    check(f, *drawn(100, most))
    assert f.stats().compiles <= 3 and f.stats().slow_calls == f.stats().compiles
    assert f.stats().background_compiles == 0


@pytest.mark.usefixtures("beside")
def test_classes_that_are_called_get_their_code_beside_the_program() -> None:
    f = mdh.jit(cache=False)(product)
    check(f, (64, 64, 64), (70, 33, 40))
    wanted: list[Sizes] = [(40, 100, 3), (40, 100, 5), (12, 13, 14)]
    for sizes in wanted:
        assert in_force(f, sizes).general
        until(f, lambda sizes=sizes: check(f, sizes), lambda sizes=sizes: not in_force(f, sizes).general)
        f.wait()
        own = {c.size: (c.least, c.most) for c in in_force(f, sizes).compiled.conditions}
        assert own["A.shape[1]"] == ((sizes[2],) * 2 if sizes[2] <= 8 else (8, 31)), "a short extent is a constant"
    stats = f.stats()
    assert stats.compiles == 2 == stats.slow_calls, "natively, and none in a call"
    assert stats.background_compiles == len(wanted)
    check(f, *drawn(30, 120), *wanted)


@pytest.mark.usefixtures("beside")
@pytest.mark.parametrize("inside", [True, False])
def test_a_size_with_a_code_of_its_own_runs_what_its_class_gets(inside: bool) -> None:
    """That code was the very code for all sizes, until its search finds another: the code of the class took up to 0.7
    of its time, and never served the size. Other classes keep theirs."""
    f = mdh.jit(cache=False)(product)
    check(f, (64, 64, 64), (70, 33, 40))
    sizes: Sizes = (40, 100, 3)
    alone: Sizes = sizes if inside else (12, 13, 14)
    general = in_force(f, alone)
    call = {f"{name}.shape[{axis}]": n for name, a in zip("CAB", operands(alone)) for axis, n in enumerate(a.shape)}
    copy = f.codes.tuned.narrowed(general, call)
    assert in_force(f, alone) is copy and in_force(f, alone).compiled.code == general.compiled.code
    other: Sizes = (sizes[0] + 1, sizes[1], sizes[2])
    until(f, lambda: check(f, other), lambda: not in_force(f, other).general)
    f.wait()
    assert (in_force(f, alone) is in_force(f, other)) is inside
    assert (in_force(f, alone) is copy) is not inside
    check(f, sizes, other, alone)


@pytest.mark.usefixtures("beside")
def test_a_class_is_asked_for_again_after_calls_that_have_code_by_now(monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls that are counted while their code arrives ask in vain: that is no answer for others of their class."""
    asked, ask = [], size_classes._ask
    monkeypatch.setattr(size_classes, "_ask", lambda *given: asked.append(given) or ask(*given))
    f = mdh.jit(cache=False)(product)
    check(f, (64, 64, 64), (70, 33, 40))
    until(f, lambda: check(f, (40, 100, 3)), lambda: not in_force(f, (40, 100, 3)).general)
    f.wait()
    present, _, _, own, *_ = asked[0]
    own.asked = present
    ask(*asked[0])  # what a call does that was counted just before
    assert own.asked is None


@pytest.mark.usefixtures("beside")
def test_calls_that_code_of_another_signature_serves_count_for_their_class() -> None:
    """Columns of one element fit into code for rows; each such call had hidden what a second of others took."""
    f = mdh.jit(cache=False)(product)
    check(f, (64, 64, 64), (70, 33, 40))
    until(f, lambda: check(f, (48, 1, 34)), lambda: f.stats().background_compiles > 0)
    assert f.stats().compiles == 2 == f.stats().slow_calls


@pytest.mark.usefixtures("beside")
def test_code_for_very_different_sizes_is_not_chosen_for_one_call() -> None:
    """The second call is a row times a matrix: for it alone, rows of the result would be computed one by one."""
    f = mdh.jit(cache=False)(product)
    check(f, (13, 3, 1), (1, 28, 42))
    found = in_force(f, (50, 50, 50))
    assert found.general
    assert found.compiled.configuration["product"]["part_size"].get("(L1,i)", 1) > 1


@pytest.mark.usefixtures("beside")
def test_code_for_a_class_is_remembered(tmp_path: Path) -> None:
    with config(cache_dir=tmp_path):
        f = mdh.jit(product)
        check(f, (64, 64, 64), (70, 33, 40))
        until(f, lambda: check(f, (40, 100, 3)), lambda: not in_force(f, (40, 100, 3)).general)
        again = mdh.jit(product)
        check(again, (40, 100, 3))
        assert (again.stats().compiles, again.stats().cache_hits) == (0, 1)
        assert not in_force(again, (40, 100, 3)).general


@pytest.mark.usefixtures("beside")
@pytest.mark.parametrize("options", [{"tune": "off"}, {"deterministic": True}])
def test_code_of_a_call_that_is_to_have_the_same_bits_does_not_change(options: dict[str, Any]) -> None:
    """Whatever else is called meanwhile: what is made beside would add in another order."""
    f = mdh.jit(cache=False, **options)(product)
    calls = [(64, 64, 64), (70, 33, 40), (31, 50, 90), (200, 150, 129)]
    chance, before = np.random.default_rng(3), []
    given = [(np.zeros((m, n)), chance.random((m, k)), chance.random((k, n))) for m, n, k in calls]
    for C, A, B in given:
        f(C, A, B)
        before.append(C.copy())
    for _ in range(50):
        check(f, *drawn(4, 60))
    f.wait()
    for (C, A, B), expected in zip(given, before):
        C[:] = 0
        f(C, A, B)
        assert np.array_equal(C, expected)
    assert f.stats().background_compiles == 0
    assert options == {"tune": "off"} or f.stats().compiles == 1


@pytest.mark.usefixtures("beside")
def test_threads_share_what_serves_them() -> None:
    f, failed = mdh.jit(cache=False)(product), []

    def calls(seed: int) -> None:
        try:
            for _ in range(20):
                check(f, *drawn(40, 60)[seed::4])
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=calls, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert not failed and f.stats().compiles <= 2


class Silent(InProcess):
    """Has not answered yet."""

    def poll(self) -> list[Any]:
        return []


@pytest.mark.usefixtures("beside")
def test_a_child_asks_for_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proposals, "Proposals", Silent)
    f = mdh.jit(cache=False)(product)
    check(f, (64, 64, 64), (70, 33, 40))
    until(f, lambda: check(f, (40, 100, 3)), lambda: bool(worker.worker().requests))
    child = os.fork()
    if not child:
        status = 1
        try:
            proposals.Proposals = InProcess  # type: ignore[misc]
            until(f, lambda: check(f, (40, 100, 3)), lambda: not in_force(f, (40, 100, 3)).general)
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    check(f, (40, 100, 3))
    assert in_force(f, (40, 100, 3)).general
    worker.worker().requests.clear()


def test_what_was_never_made_is_not_asked_for_again(beside: None, monkeypatch: pytest.MonkeyPatch) -> None:
    f = mdh.jit(cache=False)(product)
    check(f, (64, 64, 64), (70, 33, 40))
    monkeypatch.setattr(InProcess, "submit", refused)
    for _ in range(300):
        check(f, (40, 100, 3))
    f.wait()
    check(f, (40, 100, 3))
    assert in_force(f, (40, 100, 3)).general and f.stats().background_compiles <= 1


def refused(self: InProcess, request: Any) -> int:
    from jitmdh.jit.online.candidate import Outcome, Verdict

    self.numbers += 1
    self.done.append(Outcome(self.numbers, Verdict.ILLEGAL, reason="not now"))
    return self.numbers


def test_a_program_ends_while_code_is_made_beside_it(tmp_path: Path) -> None:
    """With a helper process: code comes from there; then the program ends in the middle of the next request."""
    program = """
from jitmdh.jit.trials import size_classes
size_classes.WORTH_SECONDS, size_classes._LEAST_SECONDS, observe._MOST_SITES = 1e-6, 0.0, 0

def of(*sizes):
    A, B = np.ones((sizes[0], sizes[2])), np.ones((sizes[2], sizes[1]))
    C = np.zeros(sizes[:2])
    product(C, A, B)
    assert (C == sizes[2]).all()

of(64, 64, 64), of(70, 33, 40)
while not product.stats().background_compiles:
    of(40, 100, 3)
stats = product.stats()
assert stats.compiles + stats.cache_hits == 2, stats
while not (worker.known_worker().requests or product.stats().background_compiles > 1):  # answered between two looks
    of(40, 100, 5)
print(helper(), flush=True)
sys.exit(3)
"""
    with started(tmp_path, program) as process:
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 3 and not err, err
    assert soon(lambda: gone(int(out)))


def test_classes_are_those_of_the_compiler() -> None:
    """They are told apart without importing it."""
    for size in range(1200):
        same = size_class(size) == size_class(size + 1)
        assert (size_classes._size_class(size) == size_classes._size_class(size + 1)) is same, size
