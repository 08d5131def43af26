"""How long threads have waited for a processor."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from jitmdh.base.process.processor_time import waited_seconds, worked_seconds
from tests.waiting import wait_until


@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="needs Linux with scheduler statistics")
def test_threads_that_wait_for_a_processor_are_seen() -> None:
    before, stop = waited_seconds(), threading.Event()

    def spin() -> None:
        while not stop.is_set():
            sum(range(1000))

    threads = [threading.Thread(target=spin) for _ in range(3)]
    for thread in threads:
        thread.start()
    time.sleep(0.2)
    without, found = waited_seconds(threading.get_native_id()), waited_seconds()
    stop.set()
    assert before is not None and found is not None and without is not None
    assert found >= before and without <= found
    for thread in threads:
        thread.join()


def test_what_all_threads_work_is_counted() -> None:
    stop = threading.Event()

    def spin() -> None:
        while not stop.is_set():
            sum(range(1000))

    thread = threading.Thread(target=spin)
    thread.start()
    begin, own = worked_seconds(), time.thread_time()
    wait_until(lambda: worked_seconds() - begin > 0.05 + time.thread_time() - own)  # more than this thread alone
    stop.set()
    thread.join()
