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

Where a coefficient is no operand of a multiply-add but has to be brought to all lanes before, sums of other vectors by
the same coefficients, such as those of the next columns, go with it: it is brought there once for all of them.

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
from jitmdh.mdh.kernel.rewrite import NESTED, Body, Rewriter, is_flat, map_bodies, same, values

_LEAST_TERMS = 3
_OTHER_REGISTERS = 6  # for the vector at hand, for coefficients, and for what is needed later
_COEFFICIENTS = 2  # registers for those at hand, beside their vectors


def schedule_sums(kernel: Kernel, registers: tuple[int, bool]) -> Kernel:
    """registers: how many vectors they hold, and whether what is the same for all lanes has to be in one of them before
    anything is multiplied by it."""
    return _Sums(*registers).kernel(kernel)


@dataclass(frozen=True, slots=True)
class _Sum:
    """`start` and then each of `terms`: sums of a product, without what it is added to. uses: the vector of each."""

    name: Name
    start: Value
    terms: tuple[Apply, ...]
    uses: tuple[str, ...]

    @property
    def coefficients(self) -> tuple[Value, ...]:
        """What its vectors are multiplied by, where that is the same for all lanes; of others, its own name."""
        every = [o for t, use in zip(self.terms, self.uses) for o in t.operands[1:] if not _is(o, use)]
        same = len(every) == len(self.terms) and all(isinstance(o, Splat | Literal) for o in every)
        return tuple(every) if same else (self.name,)


@dataclass(frozen=True, slots=True)
class _Alike:
    """Sums by the same coefficients. uses: the vectors of each of their terms."""

    sums: tuple[_Sum, ...]

    @property
    def uses(self) -> tuple[tuple[str, ...], ...]:
        return tuple(zip(*(s.uses for s in self.sums)))


class _Sums(Rewriter):
    kinds = NESTED

    def __init__(self, registers: int, broadcasts: bool) -> None:
        self.registers, self.broadcasts = registers, broadcasts

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
        alike = self._alike(sums)
        if len(sums) < 2 or (len(alike) == len(sums) and len(loads) + _OTHER_REGISTERS <= self.registers):
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
        groups = self._side_by_side(alike)
        return [*before, *(let for group in groups for let in _interleaved(group, loads)), *after]

    def _alike(self, sums: Sequence[_Sum]) -> list[_Alike]:
        """Sums by the same coefficients together, as many as leave room for another, where that saves broadcasts."""
        if not self.broadcasts:
            return [_Alike((s,)) for s in sums]
        found: dict[tuple[Value, ...], list[_Sum]] = {}
        for one in sums:
            found.setdefault(one.coefficients, []).append(one)
        most = max(1, (self.registers - _COEFFICIENTS) // 4)  # vectors and sums of two
        return [_Alike(tuple(every[n : n + most])) for every in found.values() for n in range(0, len(every), most)]

    def _side_by_side(self, alike: Sequence[_Alike]) -> list[Sequence[_Alike]]:
        """As many as registers hold."""
        width = max(len(a.sums) for a in alike)
        others = _OTHER_REGISTERS if width == 1 else width + _COEFFICIENTS
        most = max(2 // width, 1, (self.registers - others) // width)
        size = -(-len(alike) // -(-len(alike) // most))
        return [alike[n : n + size] for n in range(0, len(alike), size)]


def _interleaved(alike: Sequence[_Alike], loads: dict[str, Let]) -> Iterator[Let]:
    """The terms of all sums; those that need the same vectors one after the other, where their orders allow that.

    loads: vectors that are not there yet; those that have come are taken out.
    """
    uses = [a.uses for a in alike]
    left = Counter(names for every in uses for names in every)
    value: dict[str, Value] = {s.name.name: s.start for a in alike for s in a.sums}
    at = [0] * len(alike)
    while open := [n for n, every in enumerate(uses) if at[n] < len(every)]:
        first = Counter(uses[n][at[n]] for n in open)
        # One that no sum needs later as well; else the one that most sums need now.
        chosen = max(first, key=lambda names: (first[names] == left[names], first[names]))
        for n in (n for n in open if uses[n][at[n]] == chosen):
            for one in alike[n].sums:
                yield from _next_term(one, at[n], value, loads)
            at[n] += 1
        left[chosen] -= first[chosen]


def _next_term(one: _Sum, at: int, value: dict[str, Value], loads: dict[str, Let]) -> Iterator[Let]:
    """The sum of a term and of those before it, which `value` has; behind vectors that are not there yet."""
    term = one.terms[at]
    if at == 0:
        yield from (loads.pop(name) for name in _names(one.start) if name in loads)
    yield from (loads.pop(name) for name in _own_names(term) if name in loads)
    last = at == len(one.terms) - 1
    name = one.name if last else Name(f"{one.name.name}.{at + 1}", one.name.type, one.name.lanes)
    before = value[one.name.name]
    yield Let(name, Apply(term.op, (before, *term.operands[1:]), term.type, term.lanes, term.relaxed))
    value[one.name.name] = name


def _is(operand: Value, name: str) -> bool:
    return isinstance(operand, Name) and operand.name == name


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
    if is_flat(term):
        return tuple(dict.fromkeys([o.name for o in term.operands[1:] if isinstance(o, Name)]))
    return _names(*term.operands[1:])
