"""What this machine can do at most, measured once in a process, when first asked for, by loops of vector instructions.

    arithmetic    independent fused multiply-adds on registers, on all threads at once
    operations    the same of any kind: additions, comparisons and logic may have units beside those of multiply-adds
    memory        reading, writing and copying (these plain and non-temporal, the better of the two) in an area as large
                  as asked for
    lines         the same of single cache lines of it that a list chooses, side by side: of elements that data choose

No computation that does `operations` vector-lane operations, `products` of them multiply-adds, and has to move
`bytes_read` and `bytes_written` can be faster than `Limits.seconds`. A multiply-add is one operation and two flops.
"""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Callable
from dataclasses import field
from typing import Any

import numpy as np

from jitmdh.base.records import dataclass
from jitmdh.hca.calibration.kernels import LINE, STEPS, chosen_lines, memory_text
from jitmdh.hca.calibration.loops import aligned_area, best, compiled, vector_bytes

_ACCUMULATORS = 12  # more than latency times issue width of today's processors
# Additions and logic may have more units than multiply-adds, or units beside theirs, for other accumulators.
_MIXTURES = (("add",), ("logic",), ("multiply-add", "add"), ("multiply-add", "multiply-add", "logic"))
_SECONDS_PER_SAMPLE = 0.004
_SMALLEST_AREA, _LARGEST_AREA, _STEPS_OF_AN_OCTAVE = 1 << 15, 256 << 20, 4
_VARIANTS = {"read": ("read",), "write": ("write", "stream"), "copy": ("copy", "copy streamed")}


@dataclass(frozen=True, slots=True)
class Limits:
    """Measured limits for `threads` threads.

    unit: what a thread is called. gflops: peak by element type, 10⁹ floating-point operations a second. gops: 10⁹
    operations a second, of any kind; without a type's own figure, as many as multiply-adds.
    """

    threads: int
    gflops: dict[str, float]
    _bandwidths: dict[tuple[str, int], float] = field(default_factory=dict, repr=False)
    gops: dict[str, float] = field(default_factory=dict)
    unit: str = "thread"

    def bandwidth(self, kind: str, area_bytes: int) -> float:
        """Bytes a second at which all threads together "read" or "write" an area of that many bytes, repeatedly, or
        "copy" one half of it to the other: read and written bytes together. "lines": lines of it, chosen at random.

        Measured for powers of ∜2; the nearest one stands for an area, since what fits a cache ends anywhere.
        """
        key = (kind, measured_area(area_bytes))
        if key not in self._bandwidths:
            self._bandwidths[key] = _bandwidth(kind, key[1], self.threads)
        return self._bandwidths[key]

    def measure_again(self) -> None:
        """Measures all that is known anew and keeps the better figures: other programs only ever make them worse."""
        for name, known in self.gflops.items():
            self.gflops[name] = max(known, _arithmetic_peak(name, self.threads) / 1e9)
        for name, known in self.gops.items():
            self.gops[name] = max(known, _operations_peak(name, self.threads) / 1e9)
        for (kind, area), known in self._bandwidths.items():
            self._bandwidths[kind, area] = max(known, _bandwidth(kind, area, self.threads))

    def seconds(
        self,
        operations: float,
        bytes_read: int,
        bytes_written: int,
        dtype: str = "float32",
        products: float | None = None,
    ) -> float:
        """The least time a computation can take: its arithmetic or its memory traffic, whichever takes longer.

        products: how many of the operations are multiply-adds, fused; None: all of them.
        """
        return max(self._seconds(operations, bytes_read, bytes_written, dtype, products))

    def binding(
        self,
        operations: float,
        bytes_read: int,
        bytes_written: int,
        dtype: str = "float32",
        products: float | None = None,
    ) -> str:
        """Which of the two it is: "flops" or "memory"."""
        arithmetic, memory = self._seconds(operations, bytes_read, bytes_written, dtype, products)
        return "flops" if arithmetic >= memory else "memory"

    def peak(self, dtype: str) -> float:
        """10⁹ operations a second on elements of this type, a fused multiply-add counting as two.

        Measured for float32 and float64; other types count by their size, as many as fit the same vectors. Complex
        ones count as their components: for them it is an upper bound.
        """
        return _for_type(self.gflops, dtype)

    def rate(self, dtype: str) -> float:
        """10⁹ operations a second on elements of this type, whatever they are: at least as many as multiply-adds."""
        multiply_adds = self.peak(dtype) / 2
        return max(multiply_adds, _for_type(self.gops, dtype)) if self.gops else multiply_adds

    def _seconds(
        self, operations: float, read: int, written: int, dtype: str, products: float | None
    ) -> tuple[float, float]:
        area = read + written
        both = min(read, written)  # caches take what is written while they hand out what is read
        apart = self._alone("read", both, area) + self._alone("write", both, area)
        memory = min(self._alone("copy", 2 * both, area), apart)
        memory += self._alone("read", read - both, area) + self._alone("write", written - both, area)
        multiplying = 2 * (operations if products is None else products) / (self.peak(dtype) * 1e9)
        return max(multiplying, operations / (self.rate(dtype) * 1e9)), memory

    def _alone(self, kind: str, moved: int, area: int) -> float:
        return moved / self.bandwidth(kind, area) if moved else 0.0


@dataclass(frozen=True, slots=True)
class StatedLimits(Limits):
    """Limits as a maker states them: memory moves `memory_bytes` in a second, whatever is done with it."""

    memory_bytes: float = math.inf

    def bandwidth(self, kind: str, area_bytes: int) -> float:
        return self.memory_bytes

    def measure_again(self) -> None:
        """There is nothing to measure."""


def measured_area(area_bytes: int) -> int:
    """The size that is measured in place of one: the nearest power of ∜2, of those neither tiny nor huge.

    >>> [measured_area(n) for n in (1, 1 << 20, 1_100_000, 48 << 20)]
    [32768, 1048576, 1048576, 47453133]
    """
    steps = round(_STEPS_OF_AN_OCTAVE * math.log2(max(1, area_bytes)))
    area: float = 2.0 ** (steps / _STEPS_OF_AN_OCTAVE)
    return min(max(_SMALLEST_AREA, round(area)), _LARGEST_AREA)


def _for_type(known: dict[str, float], dtype: str) -> float:
    if dtype in known:
        return known[dtype]
    base = np.dtype("bool" if dtype == "bool" else "uint16" if dtype == "bfloat16" else dtype)
    size = base.itemsize // (2 if base.kind == "c" else 1)
    return known["float32"] * 4 / size if size < 8 else known.get("float64", known["float32"] / 2)


@functools.cache
def measure(threads: int) -> Limits:
    """The limits for that many threads: the arithmetic peak at once (about 0.1 s), bandwidths when first asked for."""
    peaks = {name: _arithmetic_peak(name, threads) / 1e9 for name in ("float32", "float64")}
    return Limits(threads, peaks, gops={"float32": _operations_peak("float32", threads) / 1e9})


# ------------------------------------------------------------------------------------------------ the loops


def _arithmetic_text(element: str, lanes: int, mixture: tuple[str, ...]) -> str:
    """`count` steps of one operation for each accumulator, in turns those of the mixture."""
    vector, numbers = f"<{lanes} x {element}>", range(_ACCUMULATORS)
    bits = f"<{lanes} x i{32 if element == 'float' else 64}>"
    phis = "\n".join(f"  %a{n} = phi {vector} [ %s{n}, %entry ], [ %b{n}, %loop ]" for n in numbers)
    starts = "\n".join(f"  %s{n} = insertelement {vector} %x, {element} {n}.0, i32 0" for n in numbers)
    forms = {
        "multiply-add": f"  %m# = fmul contract {vector} %a#, %x\n  %b# = fadd contract {vector} %m#, %x",
        "add": f"  %b# = fadd {vector} %a#, %x",
        "logic": f"  %i# = bitcast {vector} %a# to {bits}\n  %l# = xor {bits} %i#, %x_bits\n"
        f"  %b# = bitcast {bits} %l# to {vector}",
    }
    steps = "\n".join(forms[mixture[n % len(mixture)]].replace("#", str(n)) for n in numbers)
    sums = "\n".join(
        f"  %t{n} = fadd {vector} {'%b0' if n == 1 else f'%t{n - 1}'}, %b{n}" for n in range(1, _ACCUMULATORS)
    )
    return f"""
define void @run(ptr %area, i64 %count, i64 %groups) {{
entry:
  %x0 = load {element}, ptr %area
  %x1 = insertelement {vector} poison, {element} %x0, i32 0
  %x = shufflevector {vector} %x1, {vector} poison, <{lanes} x i32> zeroinitializer
  %x_bits = bitcast {vector} %x to {bits}
{starts}
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
{phis}
{steps}
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %count
  br i1 %more, label %loop, label %done
done:
{sums}
  store {vector} %t{_ACCUMULATORS - 1}, ptr %area, align 64
  ret void
}}
"""


# ---------------------------------------------------------------------------------------------- measuring


def _arithmetic_peak(dtype: str, threads: int) -> float:
    """Flops a second of all threads together."""
    return 2.0 * _operations_rate(dtype, threads, ("multiply-add",))


def _operations_peak(dtype: str, threads: int) -> float:
    """Operations a second of all threads together, in the mixture of kinds that is fastest here."""
    return max(_operations_rate(dtype, threads, mixture) for mixture in _MIXTURES)


def _operations_rate(dtype: str, threads: int, mixture: tuple[str, ...]) -> float:
    element, size = {"float32": ("float", 4), "float64": ("double", 8)}[dtype]
    lanes = vector_bytes() // size
    function, _ = compiled(_arithmetic_text(element, lanes, mixture))
    areas = [aligned_area(4096, fill=1) for _ in range(threads)]
    count = 200_000
    seconds = best(threads, lambda thread: function(areas[thread].ctypes.data, count, 1))
    return float(lanes * _ACCUMULATORS * count * threads) / seconds


def _bandwidth(kind: str, area_bytes: int, threads: int) -> float:
    """Bytes a second. Each thread has its own part of the area and passes over it repeatedly."""
    if kind == "lines":
        return _chosen_lines(area_bytes, threads)
    group = vector_bytes() * STEPS
    moved = 2 * group if kind == "copy" else group  # in a step: read here, written there
    groups = max(1, area_bytes // threads // moved)
    areas = [aligned_area(groups * moved, fill=1) for _ in range(threads)]
    found = 0.0
    for variant in _VARIANTS[kind]:
        function, _ = compiled(memory_text(variant, vector_bytes() // 4))
        count, seconds = groups, _seconds(function, areas[0], groups, groups)
        while seconds < _SECONDS_PER_SAMPLE / 4:  # one pass over a small area is shorter than what its first call costs
            count *= 4
            seconds = _seconds(function, areas[0], count, groups)
        count = groups * max(1, round(count / groups * _SECONDS_PER_SAMPLE / seconds))

        def work(thread: int, run: Callable[[Any, int, int], None] = function, count: int = count) -> None:
            run(areas[thread].ctypes.data, count, groups)

        found = max(found, count * moved * threads / best(threads, work))
    return found


def _chosen_lines(area_bytes: int, threads: int) -> float:
    """Bytes a second of lines that are chosen at random, each thread in its own part of the area."""
    lines = max(1, area_bytes // threads // LINE)
    listed = max(STEPS, 1 << (lines - 1).bit_length())
    numbers = np.random.default_rng(0).integers(0, lines, listed, np.int32)
    areas = [aligned_area(4 * listed + lines * LINE, fill=1) for _ in range(threads)]
    for area in areas:
        area.view(np.int32)[:listed] = numbers
    function, _ = compiled(chosen_lines())
    count = listed // STEPS
    while (seconds := _seconds(function, areas[0], count, listed)) < _SECONDS_PER_SAMPLE / 4:
        count *= 4
    count = max(1, round(count * _SECONDS_PER_SAMPLE / seconds))
    seconds = best(threads, lambda thread: function(areas[thread].ctypes.data, count, listed))
    return float(count * STEPS * LINE * threads) / seconds


def _seconds(function: Callable[[Any, int, int], None], area: np.ndarray[Any, Any], count: int, groups: int) -> float:
    begin = time.perf_counter()
    function(area.ctypes.data, count, groups)
    return time.perf_counter() - begin
