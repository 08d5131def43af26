"""What a `for` of a procedure counts.

for i in range(a, b, s):      ->      i, trips = a, …           trips only where data decide `s`: else i < b tells
    …                                 while trips > 0:
                                          …
                                          i, trips = i + s, trips - 1
"""

from __future__ import annotations

from collections.abc import Iterator

from jitmdh.base.dtype import int64, uint64
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.index import is_size
from jitmdh.mdh.algebra.scalar import Constant, Scalar, Variable
from jitmdh.mdh.frontend.procedures.recorder import Recorder
from jitmdh.mdh.frontend.procedures.rows import known_range
from jitmdh.mdh.frontend.python.tracer import Tracer
from jitmdh.mdh.frontend.trace_ir.arithmetic import affine


@dataclass(frozen=True, slots=True)
class Counter:
    """What a `for` counts: its variable, from, to, by how much."""

    name: str
    start: Scalar
    stop: Scalar
    step: Scalar


def goes_on(t: Tracer, counter: Counter, number: Scalar) -> Scalar:
    """Whether there is an iteration for `number`."""
    apply, zero = t.arithmetic.apply, t.arithmetic.literal(0)
    if isinstance(counter.step, Constant):
        return apply("lt" if int(counter.step.value) > 0 else "gt", number, counter.stop)  # type: ignore[arg-type]
    up = t.arithmetic.both(apply("gt", counter.step, zero), apply("lt", number, counter.stop))
    down = t.arithmetic.both(apply("lt", counter.step, zero), apply("gt", number, counter.stop))
    return t.arithmetic.either(up, down)


class Counting:
    """The states by which one loop counts. whole: it is not left before its end.

    trips: how many iterations there are from here on, where data decide the step; else None.
    """

    def __init__(self, t: Tracer, recorder: Recorder, counter: Counter, whole: bool) -> None:
        self.t, self.counter = t, counter
        self.count = recorder.variable(counter.name, counter.start.type)
        self.trips: Variable | None = None
        start, stop, step = counter.start, counter.stop, counter.step
        if not isinstance(step, Constant):
            self.trips = recorder.variable("trips", int64)
            return
        above = stop if int(step.value.real) > 0 else t.arithmetic.apply("add", start, t.arithmetic.literal(1))
        ends = known_range(t, start, stop, step, recorder.ranges) if whole else None
        within = ends or known_range(t, start, stop, step, recorder.within)
        recorder.bounded(self.count, above, within, ends)

    def goes_on(self) -> Scalar:
        """Whether there is another iteration."""
        if self.trips is None:
            return goes_on(self.t, self.counter, self.count)
        return self.t.arithmetic.apply("gt", self.trips, self.t.arithmetic.literal(0))

    def states(self) -> Iterator[tuple[Variable, Scalar, Scalar]]:
        """Each with what it is before the loop, and after an iteration."""
        graph, count = self.t.trace.graph, self.count
        if self.trips is None:
            yield count, self.counter.start, _next(self.t, count, self.counter)
            return
        by = self.t.arithmetic.cast(self.counter.step, count.type)
        yield count, self.counter.start, graph.operation("add", (count, by), count.type)
        left = graph.operation("sub", (self.trips, graph.constant(1, int64)), int64)
        yield self.trips, _trips(self.t, self.counter), left


def _next(t: Tracer, count: Scalar, counter: Counter) -> Scalar:
    """The number of the next iteration; an end of 64 bits, where no range goes on, if it is beyond."""
    graph, step = t.trace.graph, t.arithmetic.cast(counter.step, count.type)
    assert isinstance(step, Constant)
    size, by = abs(int(step.value.real)), int(step.value.real)
    stop = affine(counter.stop)
    near = stop is not None and all(map(is_size, stop.names)) and max(abs(stop.constant), size) < 2**61
    if size != 1 and not near:
        least, most = int64.limits()
        count = graph.operation("minimum", (count, graph.constant(most - max(by, 0), step.type)), count.type)
        count = graph.operation("maximum", (count, graph.constant(least - min(by, 0), step.type)), count.type)
    return graph.operation("add", (count, step), count.type)


def _trips(t: Tracer, counter: Counter) -> Scalar:
    """How many iterations a range has whose step data decide: exactly, as unsigned numbers."""
    apply, select, cast, word = t.arithmetic.apply, t.arithmetic.select, t.arithmetic.cast, t.trace.graph.constant
    start, stop, step = (cast(n, int64) for n in (counter.start, counter.stop, counter.step))
    up = apply("gt", step, word(0, int64))
    first, last = select(up, start, stop), select(up, stop, start)
    size = cast(select(up, step, apply("sub", word(0, int64), step)), uint64)
    more = cast(apply("sub", apply("sub", last, first), word(1, int64)), uint64)
    count = apply("floordiv", more, apply("maximum", size, word(1, uint64)))
    count = cast(apply("minimum", count, word(int64.limits()[1] - 1, uint64)), int64)
    return select(apply("lt", first, last), apply("add", count, word(1, int64)), word(0, int64))
