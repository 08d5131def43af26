"""Procedures as code: loops that go on until all lanes have left, each lane with the states that it left with.

while x > 1:            double8 x = …;  bool8 active = x > 1.0;
    x = x / 2    ->     while (any(active)) {
                            x = active ? x * 0.5 : x;
                            active = active & x > 1.0;
                        }

With one lane there is no mask: the loop's condition decides. Points that do not exist are in no loop. A fault ends the
loops of its lane. What cannot differ between lanes, such as a loop's counter, is one number for all of them, and what
it subscripts is one load (`algebra/semantics/divergence.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from typing import assert_never

from jitmdh.base.dtype import bool_, int64
from jitmdh.base.records import dataclass
from jitmdh.base.status import Status
from jitmdh.mdh.algebra.scalar import (
    Bind,
    Constant,
    Fetch,
    Instruction,
    Iterate,
    Operation,
    Procedure,
    Put,
    Require,
    Scalar,
    Variable,
    instructions,
    used,
)
from jitmdh.mdh.algebra.semantics.divergence import divergent
from jitmdh.mdh.codegen.microkernel.quotients import first_of
from jitmdh.mdh.codegen.microkernel.tile_code import TileCode
from jitmdh.mdh.kernel.arithmetic import FALSE, TRUE, both, either, spread
from jitmdh.mdh.kernel.ir import (
    Apply,
    Assign,
    Declare,
    Fail,
    If,
    Literal,
    Load,
    Name,
    Statement,
    Store,
    Value,
    While,
)

Faults = tuple[tuple[int, Value], ...]
Evaluated = tuple[Value, Faults]
Evaluate = Callable[[Scalar, Mapping[str, Evaluated]], Evaluated]
_ALWAYS = Constant(True, bool_)


def may_fail(body: Sequence[Instruction]) -> bool:
    """Whether something in a procedure may be an error."""

    def scalar(node: Scalar) -> bool:
        if not isinstance(node, Operation):
            return False
        integer = node.op in ("floordiv", "mod", "pow") and node.type.kind in "iu"
        return node.op == "faulted" or integer or any(map(scalar, node.operands))

    for part in body:
        match part:
            case Fetch() | Put():
                if part.extent or any(map(scalar, used(part))):
                    return True
            case Require():
                return True
            case Bind(_, value):
                if scalar(value):
                    return True
            case Iterate():
                scalars = (*part.initial, part.condition, *part.following, part.leave, part.where)
                if any(map(scalar, scalars)) or may_fail(part.head) or may_fail(part.body):
                    return True
    return False


def takes_faults(node: Iterate, values: Mapping[str, Evaluated]) -> bool:
    """Whether a loop uses values from outside that may be an error."""

    def known(value: Scalar) -> bool:
        if isinstance(value, Variable):
            return value.name in values and bool(values[value.name][1])
        return isinstance(value, Operation) and any(map(known, value.operands))

    return any(known(value) for part in instructions((node,)) for value in used(part))


@dataclass(frozen=True, slots=True)
class LoopState:
    """A variable that a loop carries. now: in this round; left: what each lane left with, where that is another one."""

    now: Name
    left: Name | None = None


@dataclass(slots=True)
class ProcedureCode:
    """Writes one execution of a procedure into `code`.

    evaluate: of scalars; lanes: how many points at once; faults: the variables that remember where a fault happened,
    by status. divergent: the variables that may differ between lanes; wanted: those that anything uses; certain: a mask
    that holds in some lane. counters: parameters that are one more from lane to lane, and what they are in the first.
    """

    code: TileCode
    evaluate: Evaluate
    lanes: int
    values: dict[str, Evaluated] = field(default_factory=dict)
    faults: dict[int, Name] = field(default_factory=dict)
    stopped: Name | None = None
    divergent: frozenset[str] = frozenset()
    wanted: frozenset[str] = frozenset()
    certain: Value | None = None
    counters: dict[str, Value] = field(default_factory=dict)

    def run(self, procedure: Procedure, arguments: Sequence[Evaluated], inside: Value | None) -> list[Evaluated]:
        """The results, at the points of `inside` (None: all)."""
        for parameter, argument in zip(procedure.parameters, arguments, strict=True):
            if argument[0].lanes > 1 and (base := first_of(argument[0])) is not None:
                self.counters[parameter.name] = self.named(parameter.name, base)
            self.values[parameter.name] = self.named(parameter.name, argument[0]), argument[1]
        if self.lanes > 1:
            self.divergent = divergent(procedure, [n for n, (value, _) in self.values.items() if value.lanes > 1])
            self.wanted = variables(procedure)
        inside = None if inside is None else self.wide(inside)
        if may_fail(procedure.body):
            self.stopped = self.code.scope.name("stopped", bool_, self.lanes)
        written: list[Statement] = []
        with self.code.into(written):
            self.body(procedure.body, inside)
            results = [self.evaluate(result, self.values) for result in procedure.results]
            results = [(self.named("result", value), faults) for value, faults in results]
        names = (*self.faults.values(), *([self.stopped] if self.stopped else ()))
        self.code.out.extend(Declare(name, self.wide(FALSE)) for name in names)
        self.code.out.extend(written)
        self.code.out.extend(Fail(name, status) for status, name in self.faults.items())
        return results

    # ------------------------------------------------------------------------------------------------ values

    def wide(self, value: Value) -> Value:
        return spread(value, self.lanes)

    def named(self, hint: str, value: Value) -> Value:
        """`value` under a name: what variables hold changes."""
        return self.code.bound(hint.partition("'")[0], value)

    def used(self, node: Scalar, where: Value | None) -> Value:
        """The value of `node`, whose faults count where `where` holds (None: everywhere)."""
        value, faults = self.evaluate(node, self.values)
        for status, fault in faults:
            self.remember(status, fault, where)
        return value

    def condition(self, node: Scalar, where: Value | None) -> Value | None:
        """`node` and `where`; None: always."""
        if isinstance(node, Constant):
            return where if node.value else spread(FALSE, 1 if where is None else where.lanes)
        if isinstance(node, Operation) and node.op == "and":
            left = self.condition(node.operands[0], where)
            return self.condition(node.operands[1], left)
        if isinstance(node, Variable) and self.values[node.name][0] in (TRUE, where):
            return where
        holds = both(where, self.used(node, where))
        return None if holds is None else self.named("where", holds)

    def remember(self, status: int, fault: Value, where: Value | None) -> None:
        """A fault, where it counts."""
        bad = self.named("bad", self.wide(both(where, fault) or fault))
        then: list[Statement] = []
        with self.code.into(then):
            self.note(status, bad)
        self.code.out.append(If(bad, tuple(then), rare=True))

    def note(self, status: int, bad: Value) -> None:
        if status not in self.faults:
            self.faults[status] = self.code.scope.name("faulty", bool_, self.lanes)
        for name in (self.faults[status], self.stopped):
            if name is not None:
                either = bad if self.lanes == 1 else Apply("or", (name, bad), bool_, self.lanes)
                self.code.out.append(Assign(name, either))

    def going(self, where: Value | None) -> Value | None:
        """`where`, without the lanes that have had a fault."""
        if self.stopped is None:
            return where
        fine = Apply("not", (self.stopped,), bool_, self.lanes)
        return self.named("fine", both(where, fine) or fine)

    # ------------------------------------------------------------------------------------------- instructions

    def body(self, body: Sequence[Instruction], where: Value | None) -> None:
        for part in body:
            match part:
                case Bind(variable, bound):
                    made, faults = self.evaluate(bound, self.values)
                    self.values[variable.name] = self.named(variable.name, made), faults
                case Fetch():
                    self.fetch(part, where)
                case Put():
                    self.put(part, where)
                case Require(wrong, condition, fault):
                    here = self.condition(condition, where)
                    self.remember(Status.FIRST_FAULT + fault, self.used(wrong, here), here)
                case Iterate():
                    self.iterate(part, where)
                case _:
                    assert_never(part)

    def fetch(self, node: Fetch, where: Value | None) -> None:
        where = self.condition(node.where, where)
        type, hint = self.code.scope.types[node.buffer], node.variable.name.partition("'")[0]
        if self.lanes == 1:
            variable = self.code.scope.name(hint, type)
            self.code.out.append(Declare(variable, Literal(type.numpy.type(0).item(), type)))
            self.one(node, where, lambda offset: Assign(variable, Load(node.buffer, offset, type, loc=node.loc)))
            self.values[node.variable.name] = self.snapshot(variable), ()
            return
        if (first := first_place(self, node)) is not None:
            mask = None if where is None else self.wide(where)
            load = Load(node.buffer, first, type, self.lanes, mask=mask, loc=node.loc)
            self.values[node.variable.name] = self.named(hint, load), ()
            return
        offset, outside = self.place(node, where)
        if offset.lanes == 1:
            self.values[node.variable.name] = self.for_all(node, offset, outside, where), ()
            return
        mask = self.existing(where, outside, Status.FIRST_FAULT + node.fault)
        lanes = max(offset.lanes, 1 if mask is None else mask.lanes)
        mask = None if mask is None else spread(mask, lanes)
        load = Load(node.buffer, spread(offset, lanes), type, lanes, mask=mask, loc=node.loc)
        self.values[node.variable.name] = self.named(hint, load), ()

    def for_all(self, node: Fetch, offset: Value, outside: Value | None, where: Value | None) -> Value:
        """One element for all lanes: a scalar load, if it is for any of them."""
        type, hint = self.code.scope.types[node.buffer], node.variable.name.partition("'")[0]
        variable = self.code.scope.name(hint, type)
        self.code.out.append(Declare(variable, zero := Literal(type.numpy.type(0).item(), type)))
        access: Statement = Assign(variable, Load(node.buffer, offset, type, loc=node.loc))
        if outside is not None:
            wrong: list[Statement] = []
            with self.code.into(wrong):
                self.note(Status.FIRST_FAULT + node.fault, self.wide(TRUE if where is None else where))
            access = If(outside, tuple(wrong), (access,), rare=True)
        self.code.out.append(access if where in (None, self.certain) else If(where, (access,)))
        loaded = self.snapshot(variable)
        if node.variable.name not in self.divergent:
            return loaded
        chosen = (self.wide(TRUE if where is None else where), self.wide(loaded), self.wide(zero))
        return self.named(hint, Apply("select", chosen, type, self.lanes))

    def put(self, node: Put, where: Value | None) -> None:
        where = self.condition(node.where, where)
        value = self.named("value", self.used(node.value, where))
        where = self.going(where)
        if self.lanes == 1:
            self.one(node, where, lambda offset: Store(node.buffer, offset, value, loc=node.loc))
            return
        if (first := first_place(self, node)) is not None:
            mask = None if where is None else self.wide(where)
            self.code.out.append(Store(node.buffer, first, self.wide(value), mask=mask, loc=node.loc))
            return
        offset, outside = self.place(node, where)
        mask = self.existing(where, outside, Status.FIRST_FAULT + node.fault)
        lanes = max(offset.lanes, value.lanes, 1 if mask is None else mask.lanes)
        mask = None if mask is None else spread(mask, lanes)
        self.code.out.append(Store(node.buffer, spread(offset, lanes), spread(value, lanes), mask=mask, loc=node.loc))

    def one(self, node: Fetch | Put, where: Value | None, access: Callable[[Value], Statement]) -> None:
        """An access at one point: it is an error, or it happens."""
        out: list[Statement] = []
        with self.code.into(out):
            offset, outside = self.place(node, None)
            happens = access(offset)
            if outside is None:
                out.append(happens)
            else:
                wrong: list[Statement] = []
                with self.code.into(wrong):
                    self.note(Status.FIRST_FAULT + node.fault, TRUE)
                out.append(If(outside, tuple(wrong), (happens,), rare=True))
        self.code.out.extend(out if where is None else [If(where, tuple(out))])

    def existing(self, where: Value | None, outside: Value | None, status: int) -> Value | None:
        """The lanes in which an element exists; in the others it is an error."""
        if outside is None:
            return where
        self.remember(status, outside, where)
        inside = Apply("not", (outside,), bool_, outside.lanes)
        return self.named("exists", both(where, inside) or inside)

    def place(self, node: Fetch | Put, where: Value | None) -> tuple[Value, Value | None]:
        """The offset of an element, and where it does not exist."""
        offset: Value | None = None
        nowhere: Value | None = None
        extents = node.extent or (None,) * len(node.index)
        for index, extent, stride in zip(node.index, extents, self.code.scope.strides[node.buffer]):
            resolved, outside = self.used(index, where), None
            if extent is not None:
                resolved, outside = resolved_from_end(self.code, resolved, self.used(extent, where))
            if outside is not None:
                nowhere = outside if nowhere is None else either(nowhere, outside)
            term = arithmetic("mul", resolved, stride)
            offset = term if offset is None else arithmetic("add", offset, term)
        return self.named("at", offset if offset is not None else Literal(0)), nowhere

    # -------------------------------------------------------------------------------------------------- loops

    def iterate(self, node: Iterate, where: Value | None) -> None:
        where = self.going(self.condition(node.where, where))
        scope = self.code.scope
        states = [self.declared(node, n, where) for n in range(len(node.states))]
        together = (
            self.stopped is None
            and where in (None, self.certain)
            and self.lanes > 1
            and not differs(self.divergent, node.condition, node.leave)
        )
        active = scope.name("active", bool_, 1 if together else self.lanes)
        self.code.out.append(Declare(active, spread(FALSE, active.lanes)))
        stopped, certain = self.stopped, self.certain
        if not may_fail((replace(node, initial=(), where=_ALWAYS),)) and not takes_faults(node, self.values):
            self.stopped = None  # nobody who is in the loop has had a fault, or will have one
        begin: list[Statement] = []
        with self.code.into(begin):
            self.look(node, states, active, where)
        if self.lanes == 1 and where is not None:
            self.code.out.append(If(where, tuple(begin)))
        else:
            self.code.out.extend(begin)
        body: list[Statement] = []
        with self.code.into(body):
            self.round(node, states, active, where)
        self.stopped, self.certain = stopped, certain
        self.code.out.append(While(active, tuple(body), "until all lanes have left" if self.lanes > 1 else ""))
        for result, state in zip(node.results, states):
            self.values[result.name] = self.snapshot(state.left or state.now), ()

    def declared(self, node: Iterate, n: int, where: Value | None) -> LoopState:
        """LoopState n of a loop, with what it begins with."""
        state, result = node.states[n], node.results[n]
        hint, differs = state.name.partition("'")[0], self.lanes > 1 and state.name in self.divergent
        begin = self.used(node.initial[n], where)
        now = self.code.scope.name(hint, state.type, self.lanes if differs else 1)
        self.code.out.append(Declare(now, self.wide(begin) if differs else begin))
        if differs or result.name not in self.divergent or result.name not in self.wanted:
            return LoopState(now)
        left = self.code.scope.name(hint, state.type, self.lanes)
        self.code.out.append(Declare(left, self.wide(begin)))
        return LoopState(now, left)

    def snapshot(self, variable: Name) -> Name:
        return self.code.let(f"{variable.name}_now", variable)

    def look(self, node: Iterate, states: list[LoopState], active: Name, where: Value | None) -> None:
        """Is there another round? where: who was in the loop so far."""
        known = None if self.lanes == 1 else where
        self.enter(node, states, known)
        self.body(node.head, known)
        holds = self.going(self.condition(node.condition, None if active.lanes < self.lanes else known))
        self.code.out.append(Assign(active, spread(TRUE if holds is None else holds, active.lanes)))

    def enter(self, node: Iterate, states: list[LoopState], mask: Value | None) -> None:
        """Whoever is in the loop, with what the states are now."""
        self.values[node.active.name] = (TRUE if mask is None else mask), ()
        for variable, state in zip(node.states, states):
            self.values[variable.name] = self.snapshot(state.now), ()

    def round(self, node: Iterate, states: list[LoopState], active: Name, where: Value | None) -> None:
        """where: who goes through all rounds of a loop that no lane leaves before the others."""
        mask = where if active.lanes < self.lanes else None if self.lanes == 1 else self.snapshot(active)
        self.certain = mask
        self.enter(node, states, mask)
        self.body(node.body, mask)
        following = [self.named("next", self.used(value, mask)) for value in node.following]
        left = None if node.leave == Constant(False, bool_) else self.named("leave", self.used(node.leave, mask))
        for state, value in zip(states, following):
            for variable in filter(None, (state.now, state.left)):
                kept = spread(value, variable.lanes)  # the same for all lanes, although not what they began with
                if mask is not None and variable.lanes > 1:
                    kept = Apply("select", (mask, kept, variable), variable.type, self.lanes)
                self.code.out.append(Assign(variable, kept))
        if left is not None:
            stays: Value = Apply("not", (left,), bool_, left.lanes)
            mask = self.named("stays", stays if active.lanes < self.lanes else self.wide(both(mask, stays) or stays))
        if left is None or active.lanes > 1:
            if active.lanes == self.lanes:
                self.certain = None
            self.look(node, states, active, mask)
            return
        again: list[Statement] = []
        with self.code.into(again):
            self.look(node, states, active, where if self.lanes > 1 else None)
        assert mask is not None
        self.code.out.append(If(mask, tuple(again), (Assign(active, FALSE),)))


def first_place(execution: ProcedureCode, node: Fetch | Put) -> Value | None:
    """The offset in the first lane, where the others are at the elements behind it, which all exist."""
    code, index = execution.code, node.index
    strides = code.scope.strides[node.buffer]
    last = index[-1] if index else None
    offset = execution.counters.get(last.name) if isinstance(last, Variable) else None
    if node.extent or offset is None or strides[-1] != Literal(1):
        return None
    for part, stride in zip(index[:-1], strides):
        row, faults = execution.evaluate(part, execution.values)
        if row.lanes > 1 or faults:
            return None
        offset = arithmetic("add", arithmetic("mul", row, stride), offset)
    return code.bound("at", offset)


def resolved_from_end(code: TileCode, number: Value, size: Value) -> tuple[Value, Value | None]:
    """A subscript counted from the beginning, and where it is outside of its axis."""
    number = code.bound("index", number)
    zero = Literal(0, int64)
    if isinstance(number, Literal) and isinstance(size, Literal):
        whole = int(number.value) + (int(size.value) if int(number.value) < 0 else 0)  # type: ignore[arg-type]
        if 0 <= whole < int(size.value):  # type: ignore[arg-type]
            return Literal(whole, int64), None
    negative = code.bound("negative", compared("lt", number, zero))
    from_end = arithmetic("add", number, size)
    lanes = max(number.lanes, from_end.lanes)
    parts = tuple(spread(v, lanes) for v in (negative, from_end, number))
    chosen = code.bound("index", Apply("select", parts, int64, lanes))
    below, above = compared("lt", chosen, zero), compared("ge", chosen, size)
    lanes = max(below.lanes, above.lanes)
    return chosen, code.bound("outside", Apply("or", (spread(below, lanes), spread(above, lanes)), bool_, lanes))


def differs(divergent: frozenset[str], *nodes: Scalar) -> bool:
    """Whether one of these values may differ between lanes, if these variables do."""

    def own(node: Scalar) -> bool:
        if isinstance(node, Operation):
            return any(map(own, node.operands))
        return not isinstance(node, Constant) and not (isinstance(node, Variable) and node.name not in divergent)

    return any(map(own, nodes))


def variables(procedure: Procedure) -> frozenset[str]:
    """The variables that something in a procedure uses, or that it returns."""
    found: set[str] = set()
    seen: set[int] = set()

    def visit(node: Scalar) -> None:
        if isinstance(node, Variable):
            found.add(node.name)
        elif isinstance(node, Operation) and id(node) not in seen:
            seen.add(id(node))
            for operand in node.operands:
                visit(operand)

    for part in instructions(procedure.body):
        for node in used(part):
            visit(node)
    for node in procedure.results:
        visit(node)
    return frozenset(found)


def arithmetic(op: str, left: Value, right: Value) -> Value:
    if op == "mul" and right == Literal(1):
        return left
    lanes = max(left.lanes, right.lanes)
    return Apply(op, (spread(left, lanes), spread(right, lanes)), int64, lanes)


def compared(op: str, left: Value, right: Value) -> Value:
    lanes = max(left.lanes, right.lanes)
    return Apply(op, (spread(left, lanes), spread(right, lanes)), bool_, lanes)
