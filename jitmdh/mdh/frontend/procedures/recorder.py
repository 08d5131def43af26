"""What is executed symbolically inside of a data-dependent loop: instructions, in the order of the program.

Elements whose subscripts the loops outside decide, of arrays that the procedure does not write, are read before it, as
anywhere else, and become its arguments. All others are read and written on the way.

    d = p[i] - p[j]                   loop k < p.shape[1]:
    s += (d * d).sum()       ->           d[k] = p[i, k] - p[j, k]
                                      loop k < p.shape[1], with state t:
                                          t = t + d[k] * d[k]

Operations on whole arrays are the front end's own, as functions of the index. Here what stores or combines their
elements is a nest of loops of the procedure, over numbers that it computes: these have names, so that they may stand in
affine expressions of subscripts and lengths. What an array needs that is known before its elements are touched (a row
that is there, axes of one length) is required once, in front of the nest. New arrays are scratch, as large as they may
become.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field

from jitmdh.base.dtype import ScalarType, bool_, int64
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.expr import Fault
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import (
    Bind,
    Constant,
    Fetch,
    Instruction,
    Iterate,
    Operation,
    Put,
    Require,
    Scalar,
    Variable,
)
from jitmdh.mdh.algebra.sizes import SizeOperation, size_expr
from jitmdh.mdh.frontend.procedures import rows
from jitmdh.mdh.frontend.procedures.known_elements import Conditions, known_element
from jitmdh.mdh.frontend.python.subscripts import element
from jitmdh.mdh.frontend.python.tracer import ArrayRef, Tracer
from jitmdh.mdh.frontend.trace_ir.arithmetic import affine
from jitmdh.mdh.frontend.trace_ir.conditions import as_condition
from jitmdh.mdh.frontend.trace_ir.trace import Trace, has_indirect

Pattern = tuple[Affine | None, ...]
"""The subscripts of an element, as far as the loops outside of the procedure decide them."""

Patterns = dict[tuple[str, Pattern], None]
"""Elements by arrays and subscripts, in order."""

RecorderMark = tuple[int, int, int, Patterns, Patterns]
"""How many lists, instructions and reads there are, and what is stored and fetched."""

Index = tuple[Affine, ...]
Body = Callable[[Index, Sequence[Scalar]], Sequence[Scalar]]
"""What an iteration of a nest makes of its states; it executes the iteration at an index."""


class WrittenLater(Exception):
    """An array whose elements were taken as they were before the procedure is written by it. Never reaches the user."""

    def __init__(self, buffer: str) -> None:
        super().__init__(buffer)
        self.buffer = buffer


def is_own(name: str) -> bool:
    """Whether a name in an affine expression stands for a number that a procedure computes."""
    return name.startswith("@'")


def _binds(instruction: Instruction, variable: Scalar) -> bool:
    return isinstance(instruction, Bind) and instruction.variable is variable


def _maximum(one: Affine, other: Affine) -> SizeOperation:
    return SizeOperation("max", size_expr(one), size_expr(other))


@dataclass(slots=True, eq=False)
class Recorder:
    """written: the arrays that the procedure is known to write; before: those that were read before it; made: its own.

    numbers: what it computes and calls by a name in affine expressions; none is negative; most: how large these, and
    variables, are at most, where that is known; ranges, counters: of loops, from where to where they go, by name;
    within: the same of those that may be left on the way, too.
    reads: elements in the order in which they were read; places: for numbers, what they are and which instruction
    computes them.
    """

    t: Tracer
    written: frozenset[str]
    guards: tuple[Affine, ...]
    bodies: list[list[Instruction]] = field(default_factory=lambda: [[]])
    fetched: Patterns = field(default_factory=dict)
    put: Patterns = field(default_factory=dict)
    before: set[str] = field(default_factory=set)
    made: set[str] = field(default_factory=set)
    variables: int = 0
    numbers: dict[str, Scalar] = field(default_factory=dict)
    most: dict[str, Affine] = field(default_factory=dict)
    ranges: dict[str, tuple[Affine, Affine]] = field(default_factory=dict)
    within: dict[str, tuple[Affine, Affine]] = field(default_factory=dict)
    counters: dict[str, Variable] = field(default_factory=dict)
    reads: list[tuple[str, Index]] = field(default_factory=list)
    places: dict[str, tuple[Scalar, list[Instruction], int]] = field(default_factory=dict)
    conditions: Conditions = field(default_factory=Conditions)

    @property
    def body(self) -> list[Instruction]:
        return self.bodies[-1]

    @contextmanager
    def into(self) -> Iterator[list[Instruction]]:
        """Meanwhile instructions go to a list of their own."""
        self.bodies.append([])
        yield self.bodies[-1]
        self.bodies.pop()

    def variable(self, hint: str, type: ScalarType) -> Variable:
        """A new variable of the procedure."""
        self.variables += 1
        made = self.t.trace.graph.new_variable(f"{hint}'{self.variables}", type)
        assert isinstance(made, Variable)
        return made

    def condition(self) -> Scalar:
        """Under which conditions the code at hand is executed, beyond those of the procedure."""
        trace = self.t.trace
        own = as_condition(trace, tuple(g for g in trace.guards if g not in self.guards))
        both = own if trace.condition is None else self.t.arithmetic.both(own, trace.condition)
        return self.t.arithmetic.cast(both, bool_)

    # ------------------------------------------------------------------------------------- elements by subscripts

    def read(self, node: ast.AST, array: ArrayRef) -> Scalar | None:
        """The value of an element; None if it is one that can be read before the procedure."""
        known = [affine(value) for _, value in array.prefix]
        buffer = array.buffer
        if buffer in self.t.trace.rows:
            return self.element(*self._in_rows(node, array))
        if all(k is not None and not has_indirect(k) for k in known) and not self._is_written(buffer):
            self.before.add(buffer)
            return None
        place, extent, pattern = self._place(array)
        return self._fetch(buffer, place, extent, pattern, self._fault(node, buffer))

    def write(self, targets: Sequence[tuple[ast.AST, ArrayRef, Scalar]]) -> None:
        """Assign to elements; all values have been computed."""
        t = self.t
        for at, array, given in targets:
            type = t.trace.buffers[array.buffer].type
            value = element(t, at, array.buffer, given)
            if type.kind != "c" and value.type.kind == "c":
                t.error(
                    at, f"a complex value does not fit into `{array.buffer}`, which is {type}", hint="take its .real"
                )
            value = t.arithmetic.stored(value, type)
            if array.buffer in t.trace.rows:
                self.assign(*self._in_rows(at, array), value)
                continue
            index, extent, pattern = self._place(array)
            self._store(array.buffer, index, extent, pattern, value, self._fault(at, array.buffer))

    def _is_written(self, buffer: str) -> bool:
        return buffer in self.written or buffer in self.made

    def _fetch(
        self, buffer: str, index: tuple[Scalar, ...], extent: tuple[Scalar, ...], pattern: Pattern, fault: int
    ) -> Scalar:  # fmt: skip
        self.fetched[buffer, pattern] = None
        where, written = self.condition(), self._is_written(buffer)
        known = known_element(self.t.trace, self.bodies, self.conditions, written, buffer, index, where)
        if known is not None:
            return known
        variable = self.variable(buffer, self.t.trace.buffers[buffer].type)
        self.body.append(Fetch(variable, buffer, index, extent, where, fault, self.t.trace.graph.place()))
        return variable

    def _store(
        self, buffer: str, index: tuple[Scalar, ...], extent: tuple[Scalar, ...], pattern: Pattern, value: Scalar,
        fault: int,
    ) -> None:  # fmt: skip
        if not self._is_written(buffer):
            raise WrittenLater(buffer)
        self.put[buffer, pattern] = None
        if isinstance(value, Operation):
            kept = self.variable(buffer, value.type)
            self.body.append(Bind(kept, value))
            value = kept
        self.body.append(Put(buffer, index, extent, value, self.condition(), fault, self.t.trace.graph.place()))

    def _place(self, array: ArrayRef) -> tuple[tuple[Scalar, ...], tuple[Scalar, ...], Pattern]:
        t = self.t
        index: list[Scalar] = []
        pattern: list[Affine | None] = []
        info = t.trace.buffers[array.buffer]
        shape = (
            *(Affine.of(d.name) + 1 for d in info.expanded or ()),
            *info.shape,
        )  # its own element in each iteration
        for node, value in array.prefix:
            if value.type.kind not in "iu":
                text = f"subscript `{ast.unparse(node)}` of `{array.buffer}` is {value.type.concrete}, not an integer"
                t.error(node, text, hint="divide with //, or convert with int")
            index.append(t.arithmetic.word(value))
            known = affine(value)
            negative = known is None or has_indirect(known) or not t.trace.domain().proves(known)
            pattern.append(None if negative else known)
        extents = () if t.frame.source.inside else tuple(map(self._size, shape))
        return tuple(index), extents, tuple(pattern)

    def _in_rows(self, node: ast.AST, array: ArrayRef) -> tuple[str, Index]:
        """An element of a flat array that is seen as rows, by its place in these."""
        index = rows.place(self.t, node, array, self.ranges)
        names = {n: self.number(self.counters[n]) for i in index for n in i.names if n in self.counters}
        return self.t.trace.rows[array.buffer][0], tuple(i.substitute(names) for i in index)

    def _size(self, extent: Affine) -> Scalar:
        return self.t.arithmetic.cast(self.t.arithmetic.index(extent), int64)

    def _fault(self, node: ast.AST, buffer: str) -> int:
        """The number of the error that a subscript outside of its axis is."""
        message = f"a subscript of {buffer} is out of bounds"
        return self.t.trace.fault_number(Fault("index", message, self.t.loc(node)))

    # --------------------------------------------------------------------------------- elements that are known to be

    def element(self, buffer: str, index: Index) -> Scalar | None:
        """The value of an element that exists; None if it can be read before the procedure."""
        self.reads.append((buffer, index))
        if not has_indirect(*index) and not self._is_written(buffer):
            self.before.add(buffer)
            return None
        return self._fetch(buffer, tuple(map(self._size, index)), (), self._pattern(index), 0)

    def assign(self, buffer: str, index: Index, value: Scalar) -> None:
        """Assign to an element that exists."""
        self._store(buffer, tuple(map(self._size, index)), (), self._pattern(index), value, 0)

    @staticmethod
    def _pattern(index: Index) -> Pattern:
        return tuple(None if has_indirect(i) else i for i in index)

    @property
    def moment(self) -> int:
        return len(self.reads)

    def read_since(self, buffer: str, moment: int) -> Sequence[Index]:
        """The elements of a buffer that have been read since then."""
        return [index for name, index in self.reads[moment:] if name == buffer]

    # ------------------------------------------------------------------------------------------------ numbers

    def number(self, value: Scalar, most: Affine | None = None) -> Affine:
        """An integer that is not negative, and not above `most`, in affine expressions."""
        known = affine(value)
        if known is not None:
            return known
        value = self.t.arithmetic.word(value)
        name = self._known(value) or self._bound(value)
        most = _most(self, value) if most is None else most
        if most is not None:
            self.most.setdefault(name, most)
        return Affine.of(name)

    def _known(self, value: Scalar) -> str | None:
        """The name of a number that has been computed in this loop or in one around it."""
        for name, (known, body, place) in self.places.items():
            inside = known is value and any(body is around for around in self.bodies)
            if inside and place < len(body) and _binds(body[place], self.numbers[name]):
                return name
        return None

    def _bound(self, value: Scalar) -> str:
        """A name for a number, which is computed here and now: not again in each iteration of what follows."""
        name = f"@'{len(self.numbers)}"
        if isinstance(value, Variable):
            known = next((n for n, v in self.numbers.items() if v is value), name)
            self.numbers[known] = value
            return known
        variable = self.numbers[name] = self.variable("number", int64)
        self.places[name] = value, self.body, len(self.body)
        self.body.append(Bind(variable, value))
        return name

    def bounded(
        self, variable: Variable, stop: Scalar, within: tuple[Affine, Affine] | None, ends: tuple[Affine, Affine] | None
    ) -> None:
        """A counter stays below `stop`. within: from where to where it goes at most; ends: it comes to both."""
        if within is not None:
            self.within[variable.name] = within
        if ends is not None:
            self.ranges[variable.name], self.counters[variable.name] = ends, variable
        most = _most(self, stop)
        if most is not None:
            self.most[variable.name] = most - 1

    def greatest(self, extent: Affine) -> Affine | None:
        """What an affine expression is at most, in terms of what is known before the procedure; None: nobody knows."""
        for name in reversed(self.numbers):
            factor = extent.coefficient(name)
            if not factor:
                continue
            extent = extent.without((name,))
            if factor > 0:
                if name not in self.most:
                    return None
                extent = extent + self.most[name] * factor
        return extent

    def position(self, node: ast.AST, value: Scalar, extent: Affine, message: str) -> Affine:
        """A subscript as the number of the element, which is required to exist."""
        a = self.t.arithmetic
        number, size, zero = a.word(value), self._size(extent), a.cast(a.literal(0), int64)
        number = a.select(a.apply("lt", number, zero), a.apply("add", number, size), number)
        inside = a.both(a.apply("ge", number, zero), a.apply("lt", number, size))
        self.require(node, inside, message, "index")
        return self.number(number, extent - 1)

    def require(self, node: ast.AST, holds: Scalar, message: str, kind: str = "value") -> None:
        """An error where something does not hold."""
        wrong = self.t.arithmetic.cast(self.t.arithmetic.negated(holds), bool_)
        if not isinstance(wrong, Constant) or wrong.value:
            fault = self.t.trace.fault_number(Fault(kind, message, self.t.loc(node)))
            self.body.append(Require(wrong, self.condition(), fault))

    # -------------------------------------------------------------------------------------------------- nests

    def scratch(self, buffer: str) -> None:
        """A buffer that the procedure has for itself."""
        self.made.add(buffer)

    def nest(self, extents: Sequence[Affine], body: Body, initial: Sequence[Scalar] = ()) -> Sequence[Scalar]:
        """Loops over all points from 0, and what their states are in the end."""
        return self._loop(tuple(extents), body, tuple(initial), ())

    def _loop(self, extents: Index, body: Body, initial: tuple[Scalar, ...], index: Index) -> Sequence[Scalar]:
        if not extents:
            return body(index, initial)
        trace, a = self.t.trace, self.t.arithmetic
        zero, one = (a.cast(a.literal(n), int64) for n in (0, 1))
        count, where, around = self.variable("k", int64), self.condition(), trace.condition
        states = [self.variable("state", v.type) for v in initial]
        active = self.variable("active", bool_)
        self.conditions.enter(active, where)
        here = self.number(count, extents[0] - 1)
        trace.condition = active
        with self.into() as inner:
            ends = self._loop(extents[1:], body, tuple(states), (*index, here))
        trace.condition = around
        ends = [a.cast(end, state.type) for end, state in zip(ends, states, strict=True)]
        following = (trace.graph.operation("add", (count, one), int64), *ends)
        goes_on = a.cast(a.apply("lt", count, self._size(extents[0])), bool_)
        results = [self.variable("after", v.type) for v in (count, *states)]
        self.body.append(
            Iterate(
                (count, *states), (zero, *initial), active, (), goes_on, tuple(inner), following,
                a.cast(a.literal(False), bool_), tuple(results), where,
            )
        )  # fmt: skip
        return results[1:]

    def mark(self) -> RecorderMark:
        """What `rollback` needs to forget everything that follows. Numbers stay, unused."""
        return len(self.bodies), len(self.body), len(self.reads), dict(self.put), dict(self.fetched)

    def rollback(self, mark: RecorderMark) -> None:
        depth, length, reads, put, fetched = mark
        del self.bodies[depth:], self.body[length:], self.reads[reads:]
        self.put, self.fetched = dict(put), dict(fetched)  # of arrays that may be gone, too

    def attempt(self, body: Callable[[], bool]) -> bool:
        """Execute something that says whether it may stay; else it leaves no instructions."""
        mark = self.mark()
        done = body()
        if not done:
            self.rollback(mark)
        return done


def _most(recorder: Recorder, value: Scalar) -> Affine | None:
    """What an integer is at most, in terms of what is known before the procedure; below 0 it may be more."""
    known = affine(value)
    if known is not None:
        return recorder.greatest(known)
    match value:
        case Variable(name):
            return recorder.most.get(name)
        case Operation("cast", (operand,)) if operand.type.kind in "iu":
            return _most(recorder, operand)
        case Operation("minimum" | "fmin", (one, other)):
            found = _most(recorder, one)
            return _most(recorder, other) if found is None else found
        case Operation("maximum" | "fmax", (one, other)) | Operation("select", (_, one, other)):
            return _larger(recorder.t.trace, _most(recorder, one), _most(recorder, other))
        case Operation("add", (one, other)):
            left, right = _most(recorder, one), _most(recorder, other)
            return None if left is None or right is None else left + right
        case Operation("sub", (one, other)):
            left, right = _most(recorder, one), affine(other)
            return None if left is None or right is None or has_indirect(right) else left - right
        case Operation("floordiv", (one, Constant(int(divisor)))) if divisor > 0:
            return _most(recorder, one)
    return None


def _larger(trace: Trace, one: Affine | None, other: Affine | None) -> Affine | None:
    one, other = (None if e is None else trace.domain().greatest(e) for e in (one, other))
    if one is None or other is None:
        return None
    if one == other or trace.domain().proves(one - other):
        return one
    return other if trace.domain().proves(other - one) else trace.define("most", _maximum(one, other))
