"""The thread pool and scratch memory."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from jitmdh.base.cores import usable_cores
from jitmdh.base.errors import ConfigurationError
from jitmdh.base.settings import config
from jitmdh.hca.drivers import cpu_runtime
from jitmdh.hca.drivers.native_code.cpu_compile import compile_ir
from jitmdh.hca.drivers.native_code.elf_loader import LoadedCode
from tests.waiting import PATIENCE, wait_until

TEXT = """
declare i64 @jitmdh_parallel(ptr, ptr, i64, ptr)
declare ptr @jitmdh_scratch_acquire(i64)
declare void @jitmdh_scratch_release(ptr)
define void @increment(ptr %env, i64 %i) {
  %p = getelementptr i64, ptr %env, i64 %i
  %v = load i64, ptr %p
  %w = add i64 %v, 1
  store i64 %w, ptr %p
  ret void
}
define void @run(ptr %env, i64 %count) {
  call i64 @jitmdh_parallel(ptr @increment, ptr %env, i64 %count, ptr %env)
  ret void
}
define void @row(ptr %env, i64 %i) {
  %offset = mul i64 %i, 100
  %p = getelementptr i64, ptr %env, i64 %offset
  call i64 @jitmdh_parallel(ptr @increment, ptr %p, i64 100, ptr %env)
  ret void
}
define void @nested(ptr %env, i64 %count) {
  call i64 @jitmdh_parallel(ptr @row, ptr %env, i64 %count, ptr %env)
  ret void
}
define void @fill(ptr %env, i64 %i) {
entry:
  %small = mul i64 %i, 1000
  %bytes = add i64 %small, 64
  %s = call ptr @jitmdh_scratch_acquire(i64 %bytes)
  store i64 %i, ptr %s
  %v = load volatile i64, ptr %s
  call void @jitmdh_scratch_release(ptr %s)
  %p = getelementptr i64, ptr %env, i64 %i
  store i64 %v, ptr %p
  ret void
}
declare ptr @pthread_self()
define void @meet(ptr %env, i64 %i) {
entry:
  %self = call ptr @pthread_self()
  %mine = getelementptr ptr, ptr %env, i64 %i
  store atomic ptr %self, ptr %mine seq_cst, align 8
  %j = xor i64 %i, 1
  %other = getelementptr ptr, ptr %env, i64 %j
  br label %wait
wait:
  %k = phi i64 [ 0, %entry ], [ %k1, %wait ]
  %k1 = add i64 %k, 1
  %there = load atomic ptr, ptr %other seq_cst, align 8
  %none = icmp eq ptr %there, null
  %patient = icmp slt i64 %k, 10000000000
  %again = and i1 %none, %patient
  br i1 %again, label %wait, label %out
out:
  ret void
}
define void @meeting(ptr %env, i64 %count) {
  call i64 @jitmdh_parallel(ptr @meet, ptr %env, i64 %count, ptr %env)
  ret void
}
declare i32 @gettid()
declare i32 @usleep(i32)
define void @stand_still(ptr %env, i64 %i) {
entry:
  %at = getelementptr i64, ptr %env, i64 %i
  %came = getelementptr i64, ptr %env, i64 1
  %caller = icmp eq i64 %i, 0
  br i1 %caller, label %wait, label %worker
wait:
  %there = load atomic i64, ptr %came seq_cst, align 8
  %none = icmp eq i64 %there, 0
  br i1 %none, label %wait, label %out
worker:
  %tid = call i32 @gettid()
  %wide = sext i32 %tid to i64
  store atomic i64 %wide, ptr %at seq_cst, align 8
  call i32 @usleep(i32 10000)
  br label %out
out:
  ret void
}
define void @standing(ptr %env, i64 %count) {
  call i64 @jitmdh_parallel(ptr @stand_still, ptr %env, i64 %count, ptr %env)
  ret void
}
define void @scratch(ptr %env, i64 %count) {
  call i64 @jitmdh_parallel(ptr @fill, ptr %env, i64 %count, ptr %env)
  ret void
}
"""


@pytest.fixture(scope="module")
def code() -> LoadedCode:
    return cpu_runtime.load_kernel(compile_ir(TEXT))


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    """Eight threads, whatever the machine has: more workers than cores must be right, if slow."""
    runtime = cpu_runtime.runtime()
    before = runtime.num_threads
    runtime.num_threads = 8
    yield
    runtime.num_threads = before


def call(code: LoadedCode, name: str, array: np.ndarray, count: int) -> None:
    ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)(code.address_of(name))(array.ctypes.data, count)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 7, 8, 9, 1000])
def test_every_index_once(code: LoadedCode, count: int) -> None:
    array = np.zeros(1001, np.int64)
    for _ in range(200):
        call(code, "run", array, count)
    assert (array[:count] == 200).all() and (array[count:] == 0).all()


def test_a_thread_begins_with_the_same_indices_each_time(code: LoadedCode) -> None:
    """What it worked on before is in its caches. Both indices wait for each other: each has a thread of its own."""
    cpu_runtime.runtime().num_threads = 2
    for _ in range(50):
        array = np.zeros(2, np.int64)
        call(code, "meeting", array, 2)
        assert array[0] == threading.get_ident() != array[1]


def test_threads_sleep_soon_after_a_job(code: LoadedCode) -> None:
    """They wait awake for the next one, but not for long: other programs want the processors."""
    array = np.zeros(2_000_000, np.int64)
    call(code, "run", array, array.size)  # so many tasks that the clock is read, for milliseconds
    after = [time.process_time()]

    def asleep() -> bool:
        time.sleep(0.05)
        after.append(time.process_time())
        return after[-1] - after[-2] < 0.01

    wait_until(asleep)
    assert after[-1] - after[0] < 0.05, "of the processor, however long others have it meanwhile"


def test_nested_regions(code: LoadedCode) -> None:
    array = np.zeros(50 * 100, np.int64)
    for _ in range(20):
        call(code, "nested", array, 50)
    assert (array == 20).all()


def test_several_python_threads_at_once(code: LoadedCode) -> None:
    arrays = [np.zeros(500, np.int64) for _ in range(6)]

    def work(array: np.ndarray) -> None:
        for _ in range(300):
            call(code, "run", array, 500)

    started = [threading.Thread(target=work, args=(a,)) for a in arrays]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join(PATIENCE)
    assert all((a == 300).all() for a in arrays)


def test_changing_the_number_of_threads(code: LoadedCode) -> None:
    array = np.zeros(100, np.int64)
    for n in range(200):
        cpu_runtime.runtime().num_threads = 1 + n % 9
        call(code, "run", array, 100)
    assert (array == 200).all()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_child_gets_a_pool_of_its_own(code: LoadedCode) -> None:
    array = np.zeros(100, np.int64)
    call(code, "run", array, 100)
    assert cpu_runtime.runtime().num_workers > 0
    child = os.fork()
    if child == 0:
        status = 1
        try:
            ok = cpu_runtime.runtime().num_workers == 0
            for _ in range(50):
                call(code, "run", array, 100)
            status = 0 if ok and (array == 51).all() else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    call(code, "run", array, 100)
    assert (array == 2).all()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_fork_while_another_thread_is_computing(code: LoadedCode) -> None:
    stop = threading.Event()

    def work() -> None:
        array = np.zeros(200, np.int64)
        while not stop.is_set():
            call(code, "scratch", array, 200)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        for _ in range(10):
            child = os.fork()
            if child == 0:
                status = 1
                try:
                    array = np.zeros(200, np.int64)
                    call(code, "scratch", array, 200)
                    status = 0 if (array == np.arange(200)).all() else 2
                finally:
                    os._exit(status)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    finally:
        stop.set()
        thread.join(PATIENCE)


def test_an_interpreter_with_workers_exits() -> None:
    program = (
        "import ctypes, numpy as np\n"
        "from jitmdh.hca.drivers import cpu_runtime\n"
        "from jitmdh.hca.drivers.native_code.cpu_compile import compile_ir\n"
        f"code = cpu_runtime.load_kernel(compile_ir({TEXT!r}))\n"
        "cpu_runtime.runtime().num_threads = 4\n"
        "a = np.zeros(100, np.int64)\n"
        "run = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)(code.address_of('run'))\n"
        "run(a.ctypes.data, 100)\n"
        "assert cpu_runtime.runtime().num_workers == 3\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], timeout=PATIENCE, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_number_of_threads() -> None:
    before = config.num_threads
    try:
        cpu_runtime.set_num_threads(1)
        assert cpu_runtime.get_num_threads() == 1
        cpu_runtime.set_num_threads(10_000)
        assert cpu_runtime.get_num_threads() == usable_cores()
        with pytest.raises(ConfigurationError):
            cpu_runtime.set_num_threads(0)
    finally:
        config.num_threads = before


def test_the_pool_follows_the_setting() -> None:
    cpu_runtime.runtime()
    before = config.num_threads
    try:
        config.num_threads = 1
        assert cpu_runtime.get_num_threads() == 1
        config.num_threads = usable_cores()
        with config(num_threads=1):
            assert cpu_runtime.get_num_threads() == 1
        assert cpu_runtime.get_num_threads() == usable_cores()
    finally:
        config.num_threads = before


# ------------------------------------------------------------------------------------------------ scratch


def test_scratch_from_many_tasks(code: LoadedCode) -> None:
    array = np.zeros(2000, np.int64)
    for _ in range(20):
        array[:] = -1
        call(code, "scratch", array, 2000)
        assert (array == np.arange(2000)).all()


@pytest.mark.parametrize(
    ("size", "alignment"), [(1, 64), (1000, 64), (2**21 - 1, 64), (2**21, 2**21), (5_000_000, 2**21)]
)
def test_scratch_is_aligned_and_used_again(size: int, alignment: int) -> None:
    symbols = cpu_runtime.symbols()
    acquire = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int64)(symbols["jitmdh_scratch_acquire"])
    release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(symbols["jitmdh_scratch_release"])
    cpu_runtime.runtime().trim()
    blocks = [acquire(size) for _ in range(3)]
    assert len(set(blocks)) == 3
    for block in blocks:
        assert block is not None and block % alignment == 0
        ctypes.memset(block, 1, size)
        release(block)
    assert acquire(size) in blocks
    for block in blocks:
        release(block)
    cpu_runtime.runtime().trim()


def test_more_blocks_than_slots() -> None:
    symbols = cpu_runtime.symbols()
    acquire = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int64)(symbols["jitmdh_scratch_acquire"])
    release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(symbols["jitmdh_scratch_release"])
    blocks = [acquire(4096) for _ in range(200)]
    assert len(set(blocks)) == 200
    for block in blocks:
        release(block)
    cpu_runtime.runtime().trim()


def test_no_memory_is_null() -> None:
    acquire = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int64)(cpu_runtime.symbols()["jitmdh_scratch_acquire"])
    assert acquire(2**60) is None


@pytest.mark.skipif(sys.platform != "linux", reason="processors are chosen on Linux only")
@pytest.mark.skipif(usable_cores() < 2, reason="needs two processors")
def test_a_worker_that_does_not_run_may_go_on_where_its_caller_waits(code: LoadedCode) -> None:
    """Another program may be at work on its processor, for milliseconds."""
    mine = os.sched_getaffinity(0)
    cpu_runtime.runtime().num_threads = 2
    for _ in range(2):  # from its second job on a worker keeps away from its caller
        call(code, "meeting", np.zeros(2, np.int64), 2)

    def may_run_here() -> bool:
        array = np.zeros(2, np.int64)
        call(code, "standing", array, 2)  # one index here; in the other a worker stands still
        return os.sched_getaffinity(int(array[1])) == mine

    assert any(may_run_here() for _ in range(20)), "unless others have kept it from standing still"


@pytest.mark.skipif(sys.platform != "linux", reason="processors are chosen on Linux only")
@pytest.mark.skipif(usable_cores() < 2, reason="needs two processors")
def test_workers_leave_the_caller_its_processor(tmp_path: Path) -> None:
    """A worker that is woken may run anywhere but where its caller is."""
    program = (
        "import os, time, numpy as np, jitmdh as mdh\n"
        "mdh.set_num_threads(2)\n"
        "@mdh.jit(tune='off', cache=False)\n"
        "def double(y, x):\n"
        "    for i in range(x.shape[0]):\n"
        "        y[i] = x[i] * 2\n"
        "before = {int(t) for t in os.listdir('/proc/self/task')}\n"
        "mine = sorted(os.sched_getaffinity(0))\n"
        "x = np.ones(1 << 20)\n"
        "kept = []\n"
        "while not kept:\n"  # a worker that is still awake, or not there yet, is not woken, and stays where it is
        "    for here in (mine[0], mine[-1]):\n"
        "        os.sched_setaffinity(0, {here})\n"
        "        os.sched_setaffinity(0, mine)\n"
        "        double(np.empty_like(x), x)\n"
        "        time.sleep(0.01)\n"
        "    workers = {int(t) for t in os.listdir('/proc/self/task')} - before\n"
        "    kept = [os.sched_getaffinity(t) for t in workers if os.sched_getaffinity(t) != set(mine)]\n"
        "assert len(kept) == 1 and len(kept[0]) == len(mine) - 1, (kept, mine)\n"
    )
    file = tmp_path / "double.py"
    file.write_text(program)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    subprocess.run([sys.executable, str(file)], check=True, timeout=PATIENCE, env=environment)
