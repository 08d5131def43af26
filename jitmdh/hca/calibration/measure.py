"""A calibration: times of the loops of `kernels`, and what they say of the processor, as plain data with units.

No counter is read, which a virtual machine may not have or make up: a chain of integer operations of one cycle each is
the clock, and the least of a few times is taken, since other programs only ever make them longer. What is then still
out of all proportion is replaced by the nearest sensible figure, and named.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import field
from itertools import accumulate
from typing import Any

import numpy as np

from jitmdh.base.records import dataclass
from jitmdh.hca.calibration import kernels
from jitmdh.hca.calibration.kernels import CHAIN, LINE, PAGE, STEPS, memory_text
from jitmdh.hca.calibration.loops import aligned_area, compiled, together, vector_bytes

Array = np.ndarray[Any, Any]
Step = Callable[[str], None]

_SECONDS = 0.0008  # of one time
_TIMES = 4
_PASSES = 3  # over all that is near, one behind the other: who else uses the processor does so for some 10 ms
_TIMES_OF_MEMORY = 3
_AREA = 64 << 20  # of main memory; several times the share of L3 that one virtual machine gets
_ROWS = (1, 2, 4, 6, 8, 12, 16, 24, 32)
_AS_FAST = 1.15  # times what a row takes alone
_HANDOVERS = 4000

# What today's processors have, generously: cycles, numbers in a cycle, 10⁹ bytes a second, nanoseconds.
_SENSIBLE: dict[str, tuple[float, float]] = {
    "gigahertz": (0.8, 7.0), "multiply_adds": (0.25, 8.0), "loads": (0.25, 8.0), "stores": (0.25, 8.0),
    "shuffles": (0.25, 8.0), "gather": (0.2, 10.0), "scatter": (0.2, 20.0), "latency": (2.0, 12.0),
    "forwarding": (1.0, 30.0), "l2.latency": (8.0, 40.0), "l2.bytes_per_cycle": (4.0, 128.0),
    "l3.latency": (8.0, 400.0), "l3.bytes_per_cycle": (1.5, 128.0), "read": (1.0, 2000.0), "write": (0.5, 2000.0),
    "copy": (0.5, 2000.0), "streamed": (0.5, 2000.0), "memory_latency": (40.0, 400.0),
    "page_walk": (5.0, 200.0), "per_stream": (0.01, 0.1), "line_crossing": (1.0, 8.0),
    "page_crossing": (1.0, 60.0), "aliasing": (0.1, 30.0), "handover": (10.0, 1000.0),
}  # fmt: skip


@dataclass(slots=True)
class Calibration:
    """figures: plain data as `Figures` has them. replaced: what was out of proportion: name, as measured, instead."""

    figures: dict[str, Any]
    replaced: list[tuple[str, float, float]] = field(default_factory=list)


def calibrated(threads: int, l2_bytes: int, l3_bytes: int, step: Step = lambda name: None) -> Calibration:
    """Measures for at most two seconds. threads: the most that memory is measured with; step: is told what is next."""
    found = Calibration({})
    widths = [bits for bits in (128, 256, 512) if bits <= 8 * vector_bytes()]
    at = _Timer(0.0, found)
    for _ in range(_PASSES):  # the last one has the least times of all
        found.replaced.clear()
        step("clock")
        at.gigahertz = ghz = max(at.gigahertz, _gigahertz())
        step("arithmetic, loads and stores")
        vectors = [_vectors(at, bits) for bits in widths]
        latency = at.sensible("latency", at.cycles(kernels.multiply_adds(widths[-1], 1)))
        step("crossings and forwarding")
        near = _near(at, widths[-1])
        step("caches")
        caches = _caches(at, l2_bytes, max(l3_bytes, 2 * l2_bytes))
    step("memory")
    memory = _memory(at, widths[-1], threads)
    step("hand-over between threads")
    handover = at.sensible("handover", _handover(threads))
    found.figures = {
        "gigahertz": at.sensible("gigahertz", ghz), "vectors": vectors, "latency": latency, **near, **caches, **memory,
        "handover": handover,
    }  # fmt: skip
    return found


@dataclass(slots=True)
class _Timer:
    """Cycles of loops over an area that L1 holds. least: seconds of what has been timed, by what it was."""

    gigahertz: float
    found: Calibration
    area: Array = field(default_factory=lambda: aligned_area(4 * PAGE + 2 * LINE, fill=1))
    least: dict[tuple[object, ...], float] = field(default_factory=dict)

    def cycles(self, text: str, area: Array | None = None, groups: int = 1, *places: int) -> float:
        """Of one time through the body of a loop, the least of all. places: what the area says, if that matters."""
        function, _ = compiled(text)
        address, count = (self.area if area is None else area).ctypes.data, 200
        seconds = _once(function, address, count, groups)
        while seconds < _SECONDS / 4 and count < 1 << 30:
            count *= 4
            seconds = _once(function, address, count, groups)
        count = max(1, int(count * _SECONDS / seconds))
        found = min(_once(function, address, count, groups) for _ in range(_TIMES)) / count
        key = text, area is None, groups, *places
        found = self.least[key] = min(found, self.least.get(key, found))
        return found * self.gigahertz * 1e9

    def sensible(self, name: str, figure: float) -> float:
        """The figure to three digits, or the nearest sensible one."""
        low, high = _SENSIBLE[name]
        kept = min(high, max(low, figure))
        if kept != figure:
            self.found.replaced.append((name, figure, kept))
        return float(f"{kept:.3g}")


def _once(function: Callable[[Any, int, int], None], address: int, count: int, groups: int) -> float:
    return together(1, lambda thread: function(address, count, groups))


def _gigahertz() -> float:
    timer = _Timer(1.0, Calibration({}))
    return max(CHAIN / timer.cycles(kernels.clock()) for _ in range(3))


def _vectors(at: _Timer, bits: int) -> dict[str, float]:
    lanes, lines = bits // 32, [n * LINE for n in range(STEPS)]
    chains = 12 if bits < 512 and vector_bytes() > 16 else 24  # as many registers as there are for sure
    found = {
        "multiply_adds": chains / at.cycles(kernels.multiply_adds(bits, chains)),
        "loads": STEPS / at.cycles(kernels.loads(bits, lines)),
        "stores": STEPS / at.cycles(kernels.stores(bits, lines)),
        "shuffles": STEPS / at.cycles(kernels.shuffles(bits)),
        "gather": at.cycles(kernels.gathers(bits)) / lanes,
        "scatter": at.cycles(kernels.scatters(bits)) / lanes,
    }
    return {"bits": bits, **{name: at.sensible(name, figure) for name, figure in found.items()}}


def _near(at: _Timer, bits: int) -> dict[str, float]:
    lines, pages = [n * LINE for n in range(STEPS)], [n * PAGE for n in range(1, 4)]
    whole = at.cycles(kernels.loads(bits, lines)) / STEPS
    torn = at.cycles(kernels.loads(bits, [n + LINE - 4 for n in lines])) / STEPS
    apart = at.cycles(kernels.loads(bits, [n - 4 for n in pages])) / len(pages)
    aliased = at.cycles(kernels.behind(PAGE)) - at.cycles(kernels.behind(PAGE + 8 * LINE))
    return {
        "forwarding": at.sensible("forwarding", at.cycles(kernels.forwarding(bits)) / STEPS),
        "line_crossing": at.sensible("line_crossing", max(1.0, torn / whole)),
        "page_crossing": at.sensible("page_crossing", max(1.0, apart / whole)),
        "aliasing": at.sensible("aliasing", max(0.1, aliased / STEPS)),
    }


# ------------------------------------------------------------------------------------------------ caches


def _caches(at: _Timer, l2: int, l3: int) -> dict[str, Any]:
    size = min(l3 // 2, 4 * l2)
    # What TLBs reach is asked apart from what caches hold: a line in each page, pages of 4 KiB only.
    pages = [1 << n for n in range(5, 15)]
    area = _small_pages(max(pages) * PAGE)
    dense = _chase(at, area, l2 // 4, LINE)
    spread = [_chase(at, area, n * PAGE, PAGE + LINE) for n in pages if n * LINE <= l2 // 2]
    walk = max(spread) - dense
    reached = [n for n, cycles in zip(pages, accumulate(spread, max)) if cycles - dense <= walk / 2]
    vectors = LINE * STEPS // LINE * vector_bytes()
    found = {}
    for name, latency, bytes_read in (("l2", dense, l2 // 2), ("l3", _chase(at, area, size, LINE), size)):
        groups = bytes_read // vectors
        per_cycle = vectors / at.cycles(memory_text("read", vector_bytes() // 4), aligned_area(bytes_read, 1), groups)
        found[name] = {
            "latency": at.sensible(f"{name}.latency", latency),
            "bytes_per_cycle": at.sensible(f"{name}.bytes_per_cycle", per_cycle),
        }
    far = _chase(at, area, len(area) * 4, LINE) - walk  # most pages are beyond the TLBs there
    return {
        **found,
        "memory_latency": at.sensible("memory_latency", far / at.gigahertz),
        "pages": max(reached, default=pages[0]),
        "page_walk": at.sensible("page_walk", walk),
    }


def _small_pages(size: int) -> Array:
    """Memory in pages of 4 KiB: large ones would hide what TLBs do."""
    block = mmap.mmap(-1, size)
    with suppress(AttributeError, OSError):
        block.madvise(mmap.MADV_NOHUGEPAGE)
    area = np.frombuffer(block, np.float32)
    area[:: PAGE // 4] = 0  # the pages are there from now on
    return area


def _chase(at: _Timer, area: Array, size: int, apart: int) -> float:
    """Cycles of a load that waits for the one before: places so far apart in so many bytes, in random order."""
    places = np.arange(0, size - LINE, apart, dtype=np.int64)
    order = places[np.random.default_rng(0).permutation(len(places))] + area.ctypes.data
    words = area.view(np.int64)
    words[(order - area.ctypes.data) // 8] = np.roll(order, -1)
    words[1] = order[0]
    return at.cycles(kernels.chase(), area, 1, size, apart) / STEPS


# ------------------------------------------------------------------------------------------------ memory


def _memory(at: _Timer, bits: int, threads: int) -> dict[str, Any]:
    numbers = sorted({1, min(2, threads), threads})
    whole = aligned_area(_AREA, fill=1)
    bandwidths = [{"threads": n, **dict(_bandwidths(at, whole, bits, n))} for n in numbers]
    times = {n: _rows(whole, bits, n) / n for n in _ROWS}
    streams = max(n for n in _ROWS if times[n] <= _AS_FAST * times[1])
    slower = [(times[n] / times[streams] - 1) / (n - streams) for n in _ROWS if n > streams]
    return {
        "memory": bandwidths,
        "streams": streams,
        "per_stream": at.sensible("per_stream", max(slower, default=0.01)),
    }


def _bandwidths(at: _Timer, whole: Array, bits: int, threads: int) -> Iterator[tuple[str, float]]:
    share = len(whole) // threads // (4 * PAGE) * (4 * PAGE)  # in elements: whole pages
    step, vectors = 4 * share, 8 * (bits // 8)
    for name in ("read", "write", "streamed", "copy"):
        if name == "copy":
            function, _ = compiled(kernels.copies(bits))
            count, groups = step // 2 // (STEPS * LINE), step // 2
        else:
            function, _ = compiled(memory_text({"streamed": "stream"}.get(name, name), bits // 32))
            count = groups = step // vectors

        def work(
            thread: int, run: Callable[[Any, int, int], None] = function, count: int = count, groups: int = groups
        ) -> None:
            run(whole[thread * share :].ctypes.data, count, groups)

        seconds = min(together(threads, work) for _ in range(_TIMES_OF_MEMORY))
        yield name, at.sensible(name, threads * step / seconds / 1e9)


def _rows(whole: Array, bits: int, number: int) -> float:
    """Seconds for a line of each of so many rows, that lie apart in main memory."""
    pitch = 4 * len(whole) // number // PAGE * PAGE - (0 if number == 1 else PAGE - 5 * LINE)
    function, _ = compiled(kernels.rows(bits, number))
    count = min(pitch // LINE, (16 << 20) // LINE // number)
    return min(_once(function, whole.ctypes.data, count, pitch) for _ in range(_TIMES_OF_MEMORY)) / count


def _handover(threads: int) -> float:
    """Nanoseconds until a thread sees what another one has written; with one thread alone, a common figure."""
    if threads < 2:
        return 60.0
    function, _ = compiled(kernels.ping_pong())
    best = float("inf")
    for _ in range(_TIMES):
        area = np.zeros(64, np.int64)
        seconds = together(2, lambda thread, area=area: function(area.ctypes.data, _HANDOVERS, thread))  # type: ignore[misc]
        done = int(area[0])
        if done > _HANDOVERS:  # nobody gave up early
            best = min(best, seconds / done * 1e9)
    return best if best < float("inf") else 60.0
