"""What is executed symbolically inside of a data-dependent loop: instructions, in the order of the program.

Elements whose subscripts the loops outside decide, of arrays that the procedure does not write, are read before it, as
anywhere else, and become its arguments. All others are read and written on the way, one by one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field

from jitmdh.base.dtype import ScalarType, bool_, int64
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.expr import Fault
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import Fetch, Instruction, Put, Scalar, Variable
from jitmdh.mdh.frontend.python.subscripts import element
from jitmdh.mdh.frontend.python.tracer import ArrayRef, Tracer
from jitmdh.mdh.frontend.trace_ir.arithmetic import affine
from jitmdh.mdh.frontend.trace_ir.conditions import as_condition
from jitmdh.mdh.frontend.trace_ir.trace import has_indirect

Pattern = tuple[Affine | None, ...]
"""The subscripts of an element, as far as the loops outside of the procedure decide them."""


class WrittenLater(Exception):
    """An array whose elements were taken as they were before the procedure is written by it. Never reaches the user."""

    def __init__(self, buffer: str) -> None:
        super().__init__(buffer)
        self.buffer = buffer


@dataclass(slots=True, eq=False)
class Recorder:
    """written: the arrays that the procedure is known to write; before: those that were read before it."""

    t: Tracer
    written: frozenset[str]
    guards: tuple[Affine, ...]
    bodies: list[list[Instruction]] = field(default_factory=lambda: [[]])
    fetched: dict[tuple[str, Pattern], None] = field(default_factory=dict)
    put: dict[tuple[str, Pattern], None] = field(default_factory=dict)
    before: set[str] = field(default_factory=set)
    variables: int = 0

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
        made = self.t.trace.graph.variable(f"{hint}'{self.variables}", type)
        assert isinstance(made, Variable)
        return made

    def condition(self) -> Scalar:
        """Under which conditions the code at hand is executed, beyond those of the procedure."""
        trace = self.t.trace
        own = as_condition(trace, tuple(g for g in trace.guards if g not in self.guards))
        both = own if trace.condition is None else self.t.arithmetic.both(own, trace.condition)
        return self.t.arithmetic.cast(both, bool_)

    # ---------------------------------------------------------------------------------------------- elements

    def read(self, node: ast.AST, array: ArrayRef) -> Scalar | None:
        """The value of an element; None if it is one that can be read before the procedure."""
        known = [affine(value) for _, value in array.prefix]
        if all(k is not None and not has_indirect(k) for k in known) and array.buffer not in self.written:
            self.before.add(array.buffer)
            return None
        index, extent, pattern = self._place(array)
        self.fetched[array.buffer, pattern] = None
        variable = self.variable(array.buffer, self.t.trace.buffers[array.buffer].type)
        fault = self._fault(node, array)
        self.body.append(Fetch(variable, array.buffer, index, extent, self.condition(), fault))
        return variable

    def write(self, targets: Sequence[tuple[ast.AST, ArrayRef, Scalar]]) -> None:
        """Assign to elements; all values have been computed."""
        t = self.t
        for at, array, given in targets:
            if array.buffer not in self.written:
                raise WrittenLater(array.buffer)
            type = t.trace.buffers[array.buffer].type
            value = element(t, at, array.buffer, given)
            if type.kind != "c" and value.type.kind == "c":
                t.error(
                    at, f"a complex value does not fit into `{array.buffer}`, which is {type}", hint="take its .real"
                )
            index, extent, pattern = self._place(array)
            self.put[array.buffer, pattern] = None
            value = t.arithmetic.stored(value, type)
            where = self.condition()
            self.body.append(Put(array.buffer, index, extent, value, where, self._fault(at, array)))

    def _place(self, array: ArrayRef) -> tuple[tuple[Scalar, ...], tuple[Scalar, ...], Pattern]:
        t = self.t
        index: list[Scalar] = []
        pattern: list[Affine | None] = []
        shape = t.trace.buffers[array.buffer].shape
        for node, value in array.prefix:
            if value.type.kind not in "iu":
                text = f"subscript `{ast.unparse(node)}` of `{array.buffer}` is {value.type.concrete}, not an integer"
                t.error(node, text, hint="divide with //, or convert with int")
            index.append(t.arithmetic.cast(value, int64))
            known = affine(value)
            negative = known is None or has_indirect(known) or not t.trace.domain().proves(known)
            pattern.append(None if negative else known)
        extents = tuple(t.arithmetic.cast(t.arithmetic.index(e), int64) for e in shape)
        return tuple(index), extents, tuple(pattern)

    def _fault(self, node: ast.AST, array: ArrayRef) -> int:
        """The number of the error that a subscript outside of its axis is."""
        message = f"a subscript of {array.buffer} is out of bounds"
        return self.t.trace.fault_number(Fault("index", message, self.t.loc(node)))
