"""Instruction scheduling for few registers: sums that need the same vectors go on side by side.

Before:   const double8 a = load8(&t[0]);           after:   const double8 a = load8(&t[0]);
          …                                                  const double8 x.1 = (x0 + 2.0 * a);
          const double8 z = load8(&t[200]);                  const double8 y.1 = (y0 + 5.0 * a);
          const double8 x = (((x0 + 2.0 * a) + …) + 3.0 * z);   …
          const double8 y = (((y0 + 5.0 * a) + …) + 4.0 * z);   const double8 z = load8(&t[200]);
                                                             const double8 x = (x.25 + 3.0 * z);
                                                             const double8 y = (y.25 + 4.0 * z);

Sums that are written out need more vectors than there are registers. One sum after the other, each vector comes from
memory again for each sum, beside the coefficient, which does anyway. Side by side, as many sums as registers hold, it
comes once for all of these.

Requires: nothing.
Ensures: each sum adds up what it did in the order in which it did, from its first term to its last; nothing that is not
a sum of products, a vector that only such sums need, or made of one of them, has changed its place among the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from jitmdh.base.records import dataclass
from jitmdh.mdh.kernel.ir import Apply, Kernel, Let, Literal, Load, Name, Splat, Statement, Value
from jitmdh.mdh.kernel.rewrite import NESTED, Body, Rewriter, map_bodies, same, values

_LEAST_TERMS = 3
_OTHER_REGISTERS = 6  # for the vector at hand, for coefficients, and for what is needed later


def schedule_sums(kernel: Kernel, registers: int) -> Kernel:
    """registers: how many vectors they hold."""
    return _Sums(registers).kernel(kernel)


@dataclass(frozen=True, slots=True)
class _Sum:
    """`start` and then each of `terms`: sums of a product, without what it is added to. uses: the vector of each."""

    name: Name
    start: Value
    terms: tuple[Apply, ...]
    uses: tuple[str, ...]


class _Sums(Rewriter):
    kinds = NESTED

    def __init__(self, registers: int) -> None:
        self.registers = registers

    def body(self, body: Body) -> Body:
        new: list[Statement] = []
        for is_let, run in groupby(body, key=lambda node: type(node) is Let):
            if is_let:
                new += self.scheduled([node for node in run if isinstance(node, Let)])
            else:
                new += [map_bodies(node, self.body) if type(node) in NESTED else node for node in run]
        return body if same(new, body) else tuple(new)

    def scheduled(self, run: Sequence[Let]) -> Sequence[Let]:
        """Names one behind the other, in an order that keeps fewer vectors at a time where they are too many."""
        if len(run) <= self.registers:
            return run
        sums = _independent([s for let in run if (s := _sum(let)) is not None])
        every = {s.name.name for s in sums}
        needed = Counter(n for let in run if let.name.name not in every for n in _names(let.value))
        read = {n for s in sums for n in (*s.uses, *_names(s.start))}
        loads = {
            let.name.name: let
            for let in run
            if isinstance(let.value, Load) and let.name.name in read and not needed[let.name.name]
        }
        if len(sums) < 2 or len(loads) + _OTHER_REGISTERS <= self.registers:
            return run
        behind, after = set(every), list[Let]()
        before = list[Let]()
        for let in run:
            if let.name.name in every or let.name.name in loads:
                continue
            if behind.isdisjoint(_names(let.value)):
                before.append(let)
            else:
                behind.add(let.name.name)
                after.append(let)
        if any(not behind.isdisjoint(_names(s.start, *(o for t in s.terms for o in t.operands[1:]))) for s in sums):
            return run
        if any(not behind.isdisjoint(_names(load.value)) for load in loads.values()):
            return run
        side_by_side = -(-len(sums) // -(-len(sums) // max(2, self.registers - _OTHER_REGISTERS)))
        groups = [sums[n : n + side_by_side] for n in range(0, len(sums), side_by_side)]
        return [*before, *(let for group in groups for let in _interleaved(group, loads)), *after]


def _interleaved(sums: Sequence[_Sum], loads: dict[str, Let]) -> Iterator[Let]:
    """The terms of all `sums`; those that need the same vector one after the other, where their orders allow that.

    loads: vectors that are not there yet; those that have come are taken out.
    """
    left = Counter(name for s in sums for name in s.uses)
    value: list[Value] = [s.start for s in sums]
    at = [0] * len(sums)
    while open := [n for n, s in enumerate(sums) if at[n] < len(s.terms)]:
        first = Counter(sums[n].uses[at[n]] for n in open)
        # One that no sum needs later as well; else the one that most sums need now.
        chosen = max(first, key=lambda name: (first[name] == left[name], first[name]))
        for n in (n for n in open if sums[n].uses[at[n]] == chosen):
            one, term = sums[n], sums[n].terms[at[n]]
            if at[n] == 0:
                yield from (loads.pop(name) for name in _names(one.start) if name in loads)
            yield from (loads.pop(name) for name in _own_names(term) if name in loads)
            at[n] += 1
            last = at[n] == len(one.terms)
            name = one.name if last else Name(f"{one.name.name}.{at[n]}", one.name.type, one.name.lanes)
            yield Let(name, Apply(term.op, (value[n], *term.operands[1:]), term.type, term.lanes, term.relaxed))
            value[n] = name
        left[chosen] -= first[chosen]


def _sum(let: Let) -> _Sum | None:
    """The sum of products that a name stands for, if each needs one vector that has a name.

    A long one comes as the sum of several, each from zero: it becomes one, from what the first of them begins with.
    """
    terms, value = _products(let.value)
    while isinstance(value, Apply) and value.op == "add" and value.relaxed:
        more, start = _products(value.operands[1])
        if not more or not _is_zero(start):
            break
        further, value = _products(value.operands[0])
        terms += [*more, *further]
    if len(terms) < _LEAST_TERMS or let.name.lanes == 1:
        return None
    uses = [next((o.name for o in t.operands[1:] if isinstance(o, Name) and o.lanes > 1), "") for t in terms]
    return _Sum(let.name, value, tuple(reversed(terms)), tuple(reversed(uses))) if all(uses) else None


def _products(value: Value) -> tuple[list[Apply], Value]:
    """The products that are added one after the other, the last one first, and what they are added to."""
    terms = list[Apply]()
    while isinstance(value, Apply) and value.op in ("add_product", "sub_product"):
        terms.append(value)
        value = value.operands[0]
    return terms, value


def _is_zero(value: Value) -> bool:
    one = value.value if isinstance(value, Splat) else value
    return isinstance(one, Literal) and one.value == 0


def _independent(sums: Sequence[_Sum]) -> list[_Sum]:
    """Those that no sum is part of."""
    every = {s.name.name for s in sums}
    return [s for s in sums if every.isdisjoint({*s.uses, *_names(s.start)})]


def _names(*given: Value) -> tuple[str, ...]:
    """Each name in the values once, in an order that is the same in every process."""
    return tuple(dict.fromkeys(v.name for value in given for v in values(value) if isinstance(v, Name)))


def _own_names(term: Apply) -> tuple[str, ...]:
    """Those of what a term adds, without all that it is added to."""
    return _names(*term.operands[1:])
