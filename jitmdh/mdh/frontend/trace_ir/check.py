"""Is a trace well-formed? What the docstrings of `trace.py` and `value_graph.py` promise, as one checker.

A failure is a bug of whoever changed the trace: an InternalError that names the step and states the facts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from jitmdh.base.errors import InternalError
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.index import Affine, is_size
from jitmdh.mdh.algebra.operations.table import OPERATIONS
from jitmdh.mdh.algebra.scalar import Constant, IndexValue, Operation, Procedure, Scalar, Variable
from jitmdh.mdh.frontend.trace_ir.trace import Item, Repeated, Statement, Target, Trace, is_indirect
from jitmdh.mdh.frontend.trace_ir.value_graph import Carried, Component, LoopDim, Read, Reduction


def check(trace: Trace, items: Sequence[Item], after: str) -> None:
    """InternalError unless `items`, the outermost block of a trace whose loops are all closed, are well-formed.

    after: the step that made them, for the message.
    """
    _Checker(trace, after).block(items, ())


@dataclass(frozen=True, slots=True, eq=False)
class _Checker:
    trace: Trace
    after: str

    def require(self, holds: bool, message: str, item: Item | None = None) -> None:
        if not holds:
            loc = item.loc if isinstance(item, Statement) else item.dim.loc if item is not None else None
            raise InternalError(f"trace after {self.after}: {message}", loc=loc)

    # ------------------------------------------------------------------------------------------ statements

    def block(self, items: Sequence[Item], around: tuple[LoopDim, ...]) -> None:
        for item in items:
            if isinstance(item, Repeated):
                self.opened(item, (item.dim,), around)
                self.require(bool(item.items), f"the loop {item.dim.name} is empty", item)
                self.require(bool(item.reason), f"the loop {item.dim.name} is sequential for no reason", item)
                self.block(item.items, (*around, item.dim))
            else:
                self.opened(item, item.dims, around)
                self.statement(item, (*around, *item.dims))

    def opened(self, item: Item, dims: Sequence[LoopDim], around: Sequence[LoopDim]) -> None:
        """Loops are opened once, and their bounds know the loops around only."""
        names = [d.name for d in (*around, *dims)]
        self.require(len(set(names)) == len(names), f"a loop of {', '.join(names)} is opened twice", item)
        for n, dim in enumerate(dims):
            self.require(dim.stride > 0, f"the loop {dim.name} has the step {dim.stride}", item)
            outer = {d.name for d in (*around, *dims[:n], *dim.outer)}
            self.affine((dim.room, *(() if dim.length is None else (dim.length,))), outer, f"bound of {dim.name}", item)

    def statement(self, item: Statement, dims: tuple[LoopDim, ...]) -> None:
        names = {d.name for d in dims}
        self.require(bool(item.targets), "a statement without targets", item)
        self.affine(item.guard, names, "guard", item)
        spread = {id(d) for d in item.scattered}
        self.require(spread <= {id(d) for d in item.dims}, "it is scattered over loops that are not its own", item)
        self.require(bool(spread) <= (item.operator is not None), "a scatter without an operator", item)
        for target in item.targets:
            self.target(target, names, item)
        nests = {(r.dims, r.guard, r.scan) for t in item.targets for r in self.reductions(t.value)}
        self.require(len(nests) <= 1, "its reductions are over several sets of points", item)

    def reductions(self, value: Scalar) -> Iterable[Reduction]:
        for variable in self.trace.graph.leaves(value):
            leaf = self.trace.graph.described(variable)
            if isinstance(leaf, Component):
                yield leaf.reduction

    def target(self, target: Target, names: set[str], item: Statement) -> None:
        self.element(target.buffer, target.index, names, item)
        self.value(target.value, names, item)
        type = self.trace.buffers[target.buffer].type
        given = target.value.type
        self.require(given.concrete == type.concrete, f"{target.buffer} of {type} is given {given}", item)

    def element(self, buffer: str, index: tuple[Affine, ...], names: set[str], item: Item) -> None:
        """The array exists and has as many axes as there are subscripts."""
        info = self.trace.buffers.get(buffer)
        self.require(info is not None, f"there is no array {buffer}", item)
        assert info is not None
        rank = len(info.shape) + len(info.expanded or ())
        self.require(len(index) == rank, f"{buffer} has {rank} axes and {len(index)} subscripts", item)
        self.affine(index, names, f"subscript of {buffer}", item)

    def affine(self, parts: Iterable[Affine], names: set[str], what: str, item: Item) -> None:
        for part in parts:
            for name in part.names:
                self.require(self.known(name, names), f"{what} uses {name}, which has no meaning there", item)

    def known(self, name: str, loops: set[str]) -> bool:
        trace = self.trace
        if is_indirect(name):
            return name in trace.indirect
        return (
            name in loops or is_size(name) or name in trace.definitions or any(p.name == name for p in trace.parameters)
        )

    # ------------------------------------------------------------------------------------------ values

    def value(self, node: Scalar, names: set[str], item: Statement) -> None:
        """Operations have their operands; leaves are described, and none is the state of a loop that is closed."""
        seen: set[int] = set()
        left = [node]
        while left:
            part = left.pop()
            if id(part) in seen:
                continue
            seen.add(id(part))
            match part:
                case Operation("call", operands):
                    left.extend(operands)
                case Procedure():
                    pass
                case Operation(op, operands):
                    known = op in OPERATIONS and OPERATIONS[op].arity == len(operands)
                    self.require(known, f"{op} of {len(operands)} operands", item)
                    left.extend(operands)
                case IndexValue(index):
                    self.affine((index,), names, "index", item)
                case Variable():
                    self.leaf(part, names, item)
                case Constant():
                    pass

    def leaf(self, node: Variable, names: set[str], item: Statement) -> None:
        match self.trace.graph.described(node):
            case Read(buffer, index, guard):
                self.element(buffer, index, names, item)
                self.affine(guard, names, f"condition of {buffer}", item)
                type = self.trace.buffers[buffer].type
                self.require(node.type == type, f"{buffer} of {type} is read as {node.type}", item)
            case Component(reduction, number):
                self.require(0 <= number < reduction.operator.arity, f"component {number} of a reduction", item)
                self.reduction(reduction, names, item)
            case Carried(name):
                self.require(False, f"{name} is still carried by a loop that is closed", item)
            case None:
                self.require(False, f"{node.name} stands for nothing", item)

    def reduction(self, r: Reduction, names: set[str], item: Statement) -> None:
        """One body and one initial value for each component of the operator, in its types."""
        types, name = r.operator.types, r.operator.name
        self.require(r.scan in (None, "inclusive", "exclusive"), f"a scan of kind {r.scan}", item)
        self.require(bool(r.dims), f"{name} over no loop", item)
        for what, parts in (("body", r.body), ("initial state", r.init)):
            found = None if parts is None else tuple(p.type for p in parts)
            shown = "" if found is None else ", ".join(map(str, found))
            self.require(found is None or found == types, f"{name} has a {what} of ({shown})", item)
        inside = names | {d.name for d in r.dims}
        self.affine(r.guard, inside, f"points of {name}", item)
        for part in r.body:
            self.value(part, inside, item)
        for part in r.init or ():
            self.value(part, names, item)


__all__ = ["check"]
