"""The dependency graph: as in one queue for whoever looks at memory, whatever lanes do when."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from jitmdh import hca
from jitmdh.hca.interface.device import Device
from jitmdh.hca.interface.graph import MAIN, DependencyGraph
from tests.hca.gates import shut


def ordered(events: dict[int, tuple[int, list[int]]]) -> dict[int, set[int]]:
    """Of each event, all that must have ended before it begins: what it waits for, and what is in its lane."""
    before: dict[int, set[int]] = {}
    tails: dict[int, int] = {}
    for event, (lane, waits) in events.items():
        direct = [*waits, *([tails[lane]] if lane in tails else [])]
        before[event] = set(direct).union(*(before[d] for d in direct))
        tails[lane] = event
    return before


@pytest.mark.parametrize("seed", range(20))
def test_what_uses_the_same_memory_keeps_its_order(seed: int) -> None:
    """In random programs of kernels and copies, with memory that overlaps; and much of the rest is not ordered."""
    chosen = random.Random(seed)
    graph = DependencyGraph(3, lambda event: False)
    names: list[Any] = ["a", "b", graph.range(0, 100), graph.range(50, 60), graph.range(90, 200), graph.range(200, 300)]
    events: dict[int, tuple[int, list[int]]] = {}
    main: list[int] = []
    uses: dict[int, Any] = {}
    for event in range(60):
        uses[event] = [(chosen.choice(names), chosen.random() < 0.4) for _ in range(chosen.randint(1, 2))]
        if event and chosen.random() < 0.3:  # the same again
            uses[event] = uses[event - 1]
        if chosen.random() < 0.1 and main:  # of another device, behind what has been started in the lane of copies
            uses[event] = [(name, False) for name, _ in uses[event]]
            lane, waits = graph.lane_of(chosen.choice("AB")), [*graph.before_main(uses[event]), main[-1]]
        elif chosen.random() < 0.2:
            main.append(event)
            lane, waits = MAIN, graph.before_main(uses[event])
        else:
            lane, waits = graph.lane_for(uses[event])
        graph.note(uses[event], lane, event)
        events[event] = lane, waits
    before, free = ordered(events), 0
    for late in events:
        for early in range(late):
            if conflict(uses[early], uses[late]):
                assert early in before[late], (early, late)
            free += early not in before[late]
    assert free > 100


def conflict(one: Any, other: Any) -> bool:
    return any((w or v) and overlap(a, b) for a, w in one for b, v in other)


def overlap(a: Any, b: Any) -> bool:
    same: bool = a == b if isinstance(a, str) or isinstance(b, str) else a[0] < b[1] and b[0] < a[1]
    return same


def test_a_fence_is_behind_all_and_before_all() -> None:
    over: set[str] = set()
    graph = DependencyGraph(2, over.__contains__)
    for name, event in (("a", "k1"), ("b", "k2")):
        lane, waits = graph.lane_for([(name, True)])
        graph.note([(name, True)], lane, event)
        assert not waits
    assert graph.all() == ["k1", "k2"]
    over.add("k1")
    assert graph.all() == ["k2"]
    graph.fence(lambda: "program")
    assert "program" in graph.lane_for([("c", False)])[1]
    over.add("program")
    assert graph.lane_for([("c", False)])[1] == []


def test_the_event_of_a_fence_is_made_for_who_waits_for_it() -> None:
    """Once, and not for work in MAIN, which is behind it anyway."""
    made: list[str] = []
    graph = DependencyGraph(2, lambda event: False)

    def event() -> str:
        made.append(f"program {len(made)}")
        return made[-1]

    for _ in range(3):
        graph.fence(event)
    assert not made
    for name in ("a", "b"):
        lane, waits = graph.lane_for([(name, True)])
        graph.note([(name, True)], lane, name)
        assert waits == ["program 0"]
    assert made == ["program 0"]


# ------------------------------------------------------------------------------------------------ on a device

ADD = "kernel void add(global int *x, global const int *y) { x[get_global_id(0)] += y[get_global_id(0)]; }"


@contextmanager
def held(device: Device, buffer: hca.Buffer) -> Iterator[threading.Timer]:
    """In the block, whatever writes the buffer does not begin."""
    cl = pytest.importorskip("pyopencl")
    driver: Any = device.driver
    gate = cl.UserEvent(driver.opened()[0])
    with shut(gate) as last:
        driver.graph.note(driver.accesses(((buffer.on(device, True), False),)), MAIN, gate)
        yield last


def ints(n: int) -> hca.Buffer:
    return hca.Buffer(np.full(n, 1, np.int32))


def test_independent_kernels_overlap(opencl: Device) -> None:
    """One that has to wait keeps no other from running, and comes before what needs its result."""
    add, (x, y, z, one) = hca.opencl_source(ADD), (ints(4) for _ in range(4))
    size = hca.nd_range((4,))
    with held(opencl, x) as last:
        opencl.run(add, hca.read_write(x), hca.read(one), launch=size)
        for _ in range(6):
            opencl.run(add, hca.read_write(y), hca.read(one), launch=size)
        assert y[0] == 7 and last.is_alive()
        opencl.run(add, hca.read_write(z), hca.read(x), launch=size)
    assert z[0] == 3 and x[0] == 2


def test_what_is_in_the_queue_of_others_keeps_its_order(opencl: Device) -> None:
    """Arrays of a buffer that were handed out, and decorated functions."""
    import jitmdh as mdh

    @mdh.jit(cache=False)
    def doubled(x):  # type: ignore[no-untyped-def]
        for i in range(x.shape[0]):
            x[i] = 2 * x[i]

    add, size, (x, y, one) = hca.opencl_source(ADD), hca.nd_range((1000,)), (ints(1000) for _ in range(3))
    lent = x.on_device(opencl)
    for _ in range(5):
        opencl.run(add, hca.read_write(x), hca.read(one), launch=size)
        lent += 1
        opencl.run(add, hca.read_write(y), hca.read(x), launch=size)
        doubled(y)
    expected, total = 1, 1
    for _ in range(5):
        expected += 2
        total = 2 * (total + expected)
    assert (x.host == expected).all() and (y.host == total).all()


def test_parts_and_wholes(opencl: Device) -> None:
    add, size, whole, one = hca.opencl_source(ADD), hca.nd_range((32,)), ints(64), ints(64)
    for n in range(9):
        part = whole if n % 3 == 0 else whole.part(16 * (n % 3), 32 + 16 * (n % 3))
        opencl.run(add, hca.read_write(part), hca.read(one), launch=size)
    expected = np.ones(64, np.int32)
    for begin in (0, 16, 32):
        expected[begin : begin + 32] += 3
    np.testing.assert_array_equal(whole.host, expected)
