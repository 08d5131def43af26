"""The helper process: right candidates come back with code and times, and whatever others do, they do it there."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import DeviceError
from jitmdh.jit.compilation.signature import Prepared
from jitmdh.jit.execution import launch
from jitmdh.jit.online import helper_process
from jitmdh.jit.online.candidate import Candidate, Outcome, Task, Verdict, task_for
from jitmdh.jit.online.first_run import RunnerHere
from jitmdh.jit.online.helper_process import Helper
from jitmdh.jit.online.shared_call import SharedCall
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
from tests.jit.online import broken_helper
from tests.waiting import PATIENCE

Array = np.ndarray[Any, Any]
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes of Linux")


def matvec(w: Array, M: Array, v: Array) -> None:
    for i in range(M.shape[0]):
        for k in range(M.shape[1]):
            w[i] += M[i, k] * v[k]


def moments(x: Array) -> tuple[Array, Array]:
    first = np.zeros(x.shape[0], x.dtype)
    second = np.zeros(x.shape[0], x.dtype)
    for i in range(x.shape[0]):
        for k in range(x.shape[1]):
            first[i] += x[i, k]
            second[i] += x[i, k] * x[i, k]
    return first, second


def doubled(x: Array) -> None:
    for i in range(x.shape[0]):
        x[i] = 2 * x[i]


class Case:
    """A call, as the helper gets it."""

    def __init__(self, function: Any, *arguments: Any, **options: Any) -> None:
        self.arguments = arguments
        f = self.function = mdh.jit(**options)(function)
        self.incumbent, self.prepared, self.disjoint = f._compiled_for(arguments, {})
        program = f._pipeline.program(f, self.incumbent.signature, f.options)
        self.task: Task = task_for(program, self.incumbent, f.options, SharedCall(self.prepared), self.disjoint)

    def candidate(self, configurations: dict[int, Configuration] | None = None) -> Candidate:
        return Candidate(self.task, configurations or {}, self.incumbent.compiled)


def data(kind: Any = np.float64) -> tuple[Array, Array, Array]:
    random = np.random.default_rng(0)
    return tuple(random.integers(1, 9, shape).astype(kind) for shape in ((40,), (40, 70), (70,)))  # type: ignore[return-value]


@pytest.fixture
def helper() -> Iterator[Callable[..., Helper]]:
    made: list[Helper] = []

    def start(**given: Any) -> Helper:
        made.append(Helper(**{"idle": False, **given}))
        made[-1].start()
        return made[-1]

    yield start
    for each in made:
        each.stop()


def outcomes(helper: Helper, count: int) -> list[Outcome]:
    found: list[Outcome] = []
    end = time.monotonic() + PATIENCE
    while len(found) < count:
        found += helper.poll()
        assert time.monotonic() < end, f"{len(found)} of {count} outcomes"
        time.sleep(0.002)
    return found


def gone(process: int) -> bool:
    """Whether a process is no more, or a zombie, in the end."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            if Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.002)
    return False


@pytest.mark.parametrize(
    ("function", "arguments"),
    [(matvec, data()), (matvec, data(np.int32)), (moments, data()[1:2]), (doubled, data()[:1])],
)
def test_a_right_candidate_comes_back_with_its_code(
    helper: Callable[..., Helper], function: Any, arguments: tuple[Array, ...]
) -> None:
    before = [a.copy() for a in arguments]
    case = Case(function, *arguments)
    there = helper()
    number = there.submit(case.candidate())
    (found,) = outcomes(there, 1)
    assert (found.number, found.verdict, found.reason) == (number, Verdict.RIGHT, "")
    assert found.seconds and found.incumbent_seconds and found.cpu_seconds > 0
    assert set(found.costs) == {"generate", "compile", "run"} and 0 < found.cpu_seconds < there.cpu_seconds()
    assert all(np.array_equal(a, b) for a, b in zip(arguments, before))  # the user's arrays are nobody's business
    assert found.compiled is not None and all(c.multiple == 1 for c in found.compiled.conditions)
    loaded = launch.load(case.prepared.signature, found.compiled)
    copies = tuple(a.copy() for a in arguments)
    expected = launch.run(case.incumbent, case.prepared, False)
    result = launch.run(loaded, Prepared(copies, case.prepared.signature), False)
    assert all(np.array_equal(a, b) for a, b in zip(copies, arguments))
    assert expected is None or all(np.array_equal(a, b) for a, b in zip(result, expected))


def test_the_same_array_twice_is_the_same_there(helper: Callable[..., Helper]) -> None:
    def shifted(a: Array, b: Array) -> None:
        for i in range(a.shape[0]):
            a[i] = a[i] + b[i]

    x = np.arange(50.0)
    there = helper()
    there.submit(Case(shifted, x, x).candidate())
    assert outcomes(there, 1)[0].verdict is Verdict.RIGHT and np.array_equal(x, np.arange(50.0))


@pytest.mark.in_turns(2)
@pytest.mark.parametrize(
    ("kind", "verdict"),
    [
        ("wrong", Verdict.WRONG),
        ("fails", Verdict.WRONG),
        ("segfault", Verdict.CRASHED),
        ("illegal instruction", Verdict.CRASHED),
        ("abort", Verdict.CRASHED),
        ("spins", Verdict.HUNG),
        ("sleeps", Verdict.HUNG),
        ("hog", Verdict.MEMORY),
    ],
)
def test_what_is_wrong_with_a_candidate_ends_there(helper: Callable[..., Helper], kind: str, verdict: Verdict) -> None:
    case, there = Case(matvec, *data()), helper(program=broken_helper.program(kind))
    there.submit(case.candidate())
    there.submit(case.candidate({0: Configuration()}))
    process = there.process_id
    bad, good = outcomes(there, 2)
    assert (bad.verdict, bad.compiled, bad.seconds) == (verdict, None, None) and bad.reason
    assert bad.verdict.quarantined and not good.verdict.quarantined
    assert good.verdict is Verdict.RIGHT and there.process_id == process


def test_candidates_run_in_one_process_until_one_is_not_right(helper: Callable[..., Helper]) -> None:
    def runners(of: Helper) -> list[str]:
        return Path(f"/proc/{of.process_id}/task/{of.process_id}/children").read_text().split()

    found: list[list[str]] = []
    case, there = Case(matvec, *data()), helper(program=broken_helper.program("wrong"))
    for configurations in ({0: Configuration()}, {}):  # the first one is broken
        there.submit(case.candidate(configurations))
        outcomes(there, 1)
        found.append(runners(there))
    assert [len(own) for own in found] == [0, 1]
    there.forget(case.task)
    there.submit(Case(matvec, *data()).candidate())
    outcomes(there, 1)
    assert not {*found[1]} & {*runners(there)}, "it ends with its task"


def test_candidates_go_on_in_their_process_when_other_code_is_in_force(helper: Callable[..., Helper]) -> None:
    """What they are compared with is the new code; a new process would have to find out anew what is expected."""
    case, there = Case(matvec, *data()), helper()
    there.submit(case.candidate())
    (first,) = outcomes(there, 1)
    children = Path(f"/proc/{there.process_id}/task/{there.process_id}/children")
    before = children.read_text().split()
    assert first.compiled is not None
    there.submit(replace(case.candidate({0: Configuration()}), incumbent=first.compiled))
    (second,) = outcomes(there, 1)
    assert second.verdict is Verdict.RIGHT and second.incumbent_seconds and children.read_text().split() == before != []
    here = RunnerHere(case.task, case.incumbent, case.arguments)
    assert here.run(first.compiled, 70)["verdict"] is Verdict.RIGHT
    place, other = here._runs.place, launch.load(case.prepared.signature, first.compiled)
    assert place is not None
    here.compare_with(other)
    assert here._runs.place is not None and here._runs.place.present is other
    assert here._runs.place.expected is place.expected
    assert here.run(second.compiled or first.compiled, 70)["verdict"] is Verdict.RIGHT


def test_the_same_code_again_is_not_made_again(helper: Callable[..., Helper]) -> None:
    case, there = Case(matvec, *data()), helper(program=broken_helper.program("wrong"))
    for _ in range(2):
        there.submit(case.candidate())
    assert [(o.verdict, "compile" in o.costs) for o in outcomes(there, 2)] == [
        (Verdict.WRONG, True),
        (Verdict.WRONG, False),
    ]


def test_a_candidate_that_ends_the_helper_is_the_only_one_lost(helper: Callable[..., Helper]) -> None:
    case, there = Case(matvec, *data()), helper(program=broken_helper.program("dies"))
    numbers = [there.submit(case.candidate()) for _ in range(2)]
    first = there.process_id
    found = outcomes(there, 2)  # in each new process the first one that it compiles ends it
    assert [o.number for o in found] == numbers and {o.verdict for o in found} == {Verdict.CRASHED}
    assert there.process_id != first


def test_helpers_that_end_again_and_again_are_given_up(helper: Callable[..., Helper]) -> None:
    case, there = Case(matvec, *data()), helper(program="raise SystemExit")
    for _ in range(6):
        there.submit(case.candidate())
    assert [o.verdict for o in outcomes(there, 6)] == [Verdict.CRASHED] * 4 + [Verdict.UNKNOWN] * 2
    assert not there.alive


def test_an_illegal_configuration_is_no_code(helper: Callable[..., Helper]) -> None:
    from jitmdh.mdh.lowering.configuration.tuning_parameters import Level

    there = helper()
    twice = (Level("L1", "i"), Level("L1", "i"))
    there.submit(Case(matvec, *data()).candidate({0: Configuration(decomposition_order=twice)}))
    (found,) = outcomes(there, 1)
    assert found.verdict is Verdict.ILLEGAL and "not legal" in found.reason and not found.verdict.quarantined


def test_a_paused_helper_stands_still(helper: Callable[..., Helper]) -> None:
    case, there = Case(matvec, *data()), helper()
    there.submit(case.candidate())
    outcomes(there, 1)
    there.pause()
    there.submit(case.candidate())
    before = there.cpu_seconds()
    time.sleep(0.2)
    assert not there.poll() and there.waiting == 1 and there.cpu_seconds() - before < 0.05
    there.resume()
    assert outcomes(there, 1)[0].verdict is Verdict.RIGHT


OWNER = """
import sys, time
sys.path[:0] = {path!r}
from tests.jit.online import broken_helper
from tests.jit.online.test_helper_process import Case, Helper, data, matvec, outcomes
if __name__ == "__main__":
    there = Helper(idle=False, program=broken_helper.program("spins"))
    there.start()
    case = Case(matvec, *data())
    while there.cpu_seconds() < {after}:
        if not there.waiting:
            there.submit(case.candidate())
        there.poll()
        time.sleep(0.001)
    if {stopped}:
        there.pause()
    print(there.process_id, flush=True)
    {then}
"""


@pytest.mark.in_turns(2)
@pytest.mark.parametrize(
    ("end", "after", "stopped"),
    [("kill", 0.01, False), ("kill", 0.6, False), ("kill", 0.6, True), ("interrupt", 0.2, False), ("exit", 0.2, True)],
)
def test_no_helper_outlives_its_process(tmp_path: Path, end: str, after: float, stopped: bool) -> None:
    """Whatever either of them is doing."""
    script = tmp_path / "owner.py"
    then = "pass" if end == "exit" else "while True: time.sleep(0.05)"  # no long one: signals may come just before it
    script.write_text(OWNER.format(path=sys.path, after=after, stopped=stopped, then=then))
    command = [sys.executable, str(script)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as owner:
        assert owner.stdout is not None
        process = int(owner.stdout.readline())
        if end != "exit":
            owner.send_signal(signal.SIGKILL if end == "kill" else signal.SIGINT)
        owner.wait(PATIENCE)
    assert gone(process), "the helper is still there"
    for path in Path("/proc").glob("[0-9]*/stat"):  # nor is anything that it has started
        with suppress(OSError):
            state, _, group, *_ = path.read_text().rpartition(")")[2].split()
            assert state == "Z" or int(group) != process


def test_the_child_of_a_fork_has_no_helper(helper: Callable[..., Helper]) -> None:
    case, there = Case(matvec, *data()), helper()
    there.submit(case.candidate())
    child = os.fork()
    if not child:
        with suppress(BaseException):
            ok = not there.alive and there.waiting == 0 and there.poll() == []
            there.pause()  # reaches nobody
            there.stop()
            os._exit(0 if ok else 1)
        os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert outcomes(there, 1)[0].verdict is Verdict.RIGHT


def test_where_no_process_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "")
    with pytest.raises(DeviceError, match="interpreter is not known"):
        Helper().start()
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(DeviceError, match="No such file"):
        Helper().start()
    assert len(os.listdir("/proc/self/fd")) == before


def test_it_gives_way_and_leaves_nothing_open(helper: Callable[..., Helper]) -> None:
    case = Case(matvec, *data())  # opens the store
    before = len(os.listdir("/proc/self/fd"))
    there = helper(idle=True)
    there.submit(case.candidate())
    process, end = there.process_id, time.monotonic() + PATIENCE
    assert process is not None
    while os.sched_getscheduler(process) != os.SCHED_IDLE and time.monotonic() < end:
        time.sleep(0.01)
    assert os.sched_getscheduler(process) == os.SCHED_IDLE
    spent = there.cpu_seconds()
    there.forget(case.task)
    there.stop()
    assert gone(process) and there.cpu_seconds() >= spent > 0
    assert len(os.listdir("/proc/self/fd")) == before
    case.task.call.close()
    assert len(os.listdir("/proc/self/fd")) == before - 1


def test_nothing_is_started_by_importing() -> None:
    assert not helper_process.Helper(idle=True).alive
