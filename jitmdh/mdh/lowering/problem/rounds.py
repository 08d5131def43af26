"""How many vectors go through the loop of a procedure side by side, so that none waits for its own round before.

    while active:                      what a round computes needs what the round before has computed: of one vector a
        p, q = p*p - q*q + x, …   ->   core does a few operations in the time that they wait for each other; of four
        active &= p*p + q*q < 4        together it does the others' meanwhile

A vector may be longer than a register (`Machine.longest_vector`): its lanes leave together, when the last one has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from jitmdh.mdh.algebra.expr import Expression
from jitmdh.mdh.algebra.operations.table import COMPARISONS, OPERATIONS
from jitmdh.mdh.algebra.scalar import (
    Bind,
    Fetch,
    Instruction,
    Iterate,
    Operation,
    Procedure,
    Put,
    Scalar,
    Variable,
    used,
)
from jitmdh.mdh.algebra.semantics.divergence import divergent
from jitmdh.mdh.lowering.problem.prices import Prices
from jitmdh.mdh.machine.model import Machine

# About the generated code: a select or an operation on masks; a comparison, until its mask can be used; an element that
# is loaded, until it can be used. In cycles, the same on all machines within one or two.
_STEP, _COMPARED, _FETCHED = 1, 5, 8
_BEYOND = 2
"""How much more work there is to be than fills the wait: a round ends with a branch on who is still in the loop. With
just as much, loops of Newton's and of z² + c take 1.2 times as long (AMD Zen 4)."""
_PASSING = 3  # registers of a round for what is used at once


def vectors_at_once(e: Expression, price: Prices, machine: Machine) -> int:
    """One, or a power of two, which registers have room for."""
    procedures = [p for p in e.procedures if not p.written]
    loops = [(p, loop) for p in procedures for loop in _innermost(p.body)]
    if len(procedures) < len(e.procedures) or not loops:
        return 1
    return min(_of_loop(p, loop, price, machine) for p, loop in loops)


def _innermost(body: Iterable[Instruction]) -> Iterator[Iterate]:
    for part in body:
        if isinstance(part, Iterate):
            inner = [*_innermost(part.head), *_innermost(part.body)]
            yield from inner or [part]


def _of_loop(procedure: Procedure, loop: Iterate, price: Prices, machine: Machine) -> int:
    differing = divergent(procedure, [v.name for v in procedure.parameters])
    of_one = _Round(loop, differing, price, machine.figures.latency)
    held = sum(v.name in differing for v in loop.states)  # what is not changed can come from the stack
    count = 1
    while 2 * count <= machine.longest_vector and count * of_one.work < _BEYOND * of_one.wait:
        if 2 * count * held + _PASSING > machine.registers:
            break
        count *= 2
    return count


class _Round:
    """One round of a loop, for one vector. work: cycles that its operations take; wait: those from a state to the next
    one, of the state that waits longest."""

    def __init__(self, loop: Iterate, differing: frozenset[str], price: Prices, latency: float) -> None:
        self._differing, self._price, self._latency = differing, price, latency
        self._known: dict[int, tuple[float, bool]] = {}
        self._ready = dict.fromkeys((v.name for v in loop.states), 0.0)
        self.work = 0.0
        self._take(loop.head)
        condition = self._at(loop.condition)
        self._take(loop.body)
        following = [self._at(value)[0] for value in loop.following]
        leave = self._at(loop.leave)
        self.wait = max(following, default=0.0)
        if condition[1] or leave[1]:  # who left keeps what there was
            self.wait = max(self.wait, condition[0] + _STEP, leave[0] + _STEP) + _STEP
            self.work += price.operation * sum(v.name in differing for v in loop.states)

    def _take(self, body: Iterable[Instruction]) -> None:
        for part in body:
            ready = max((self._at(node)[0] for node in used(part)), default=0.0)
            match part:
                case Bind(variable):
                    self._ready[variable.name] = ready
                case Fetch(variable):
                    self._ready[variable.name] = ready + _FETCHED
                    self.work += self._price.load
                case Put():
                    self.work += self._price.store

    def _at(self, node: Scalar) -> tuple[float, bool]:
        """When a value is there, and whether lanes may differ in it; its work is done once."""
        if isinstance(node, Variable):
            return self._ready.get(node.name, 0.0), node.name in self._differing
        if not isinstance(node, Operation):
            return 0.0, False
        if id(node) not in self._known:
            product = next((o for o in node.operands if _takes_product(node, o)), None)
            begins = [b for o in node.operands for b in (o.operands if o is product else (o,))]  # type: ignore[union-attr]
            found = [self._at(b) for b in begins]
            differs = any(differs for _, differs in found)
            cost = OPERATIONS[node.op].cost if node.op in OPERATIONS else 1
            self.work += cost * self._price.operation * differs
            self._known[id(node)] = max((t for t, _ in found), default=0.0) + self._waits(node, cost), differs
        return self._known[id(node)]

    def _waits(self, node: Operation, cost: int) -> float:
        if node.op in COMPARISONS:
            return _COMPARED
        if cost > 1 or (node.type.kind == "f" and node.op != "select"):
            return self._latency + (cost - 1) * self._price.operation
        return _STEP


def _takes_product(node: Operation, operand: Scalar) -> bool:
    """Whether a product is a part of the sum that it goes to: one multiply-add."""
    is_sum = node.op in ("add", "sub") and node.type.kind == "f"
    return is_sum and isinstance(operand, Operation) and operand.op == "mul"
