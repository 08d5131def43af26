"""Functions that a computation would repeat for equal numbers: computed once each, into an array.

y[i, j] = Σ_k tanh(x[i, k]) * w[k, j]               t[i, k] = tanh(x[i, k])
                                            ->      y[i, j] = Σ_k t[i, k] * w[k, j]

y[i, j] = x[i, j] / √(v[j] + c)                     t[j] = √(v[j] + c)
                                            ->      y[i, j] = x[i, j] / t[j]

A choice by places, such as a triangle of a matrix, counts as a long function where it would be repeated.

What varies with outer loops alone stays: it is computed before the inner ones (`invariant_functions`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from math import prod

from jitmdh.base.names import unused
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.combine import cc
from jitmdh.mdh.algebra.expr import (
    Access,
    Allocation,
    Buffer,
    Check,
    Expression,
    MdHom,
    Program,
    Step,
    expressions,
)
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.operations.table import OPERATIONS
from jitmdh.mdh.algebra.rewrites.reassociation import Dims, dims_of
from jitmdh.mdh.algebra.rewrites.size_facts import inside_everywhere
from jitmdh.mdh.algebra.scalar import Operation, Scalar, ScalarFunction, Variable, index_values, map_children

_EXPENSIVE = 8
"""Instructions as long as a multiply-add that an element takes at least, to go through memory: a quotient is worth it,
a sum or two are not, since nobody knows here how often each would be computed again."""

_FEW = 4
"""Times that an element is computed at most, by extents that are numbers, where it stays as it is."""


def with_functions_computed_once(program: Program) -> Program:
    """`program` with arrays of what its computations would compute again and again.

    requires: the checks of the program hold. ensures: the same meaning; roundings differ where a product and a sum are
    no longer one instruction. An array is no larger than one that the function reads, and has its axes in that one's
    order. Calls in which nothing was to be computed from it are left to the undecorated function where subscripts are
    checked for others only.
    """
    made = _Rewrite(program)
    steps = made.steps(program.steps, ())
    if not made.arrays:
        return program
    checks = tuple(dict.fromkeys((*program.checks, *made.checks)))
    return replace(program, steps=steps, allocations=(*program.allocations, *made.arrays), checks=checks)


@dataclass(slots=True)
class _Rewrite:
    """arrays: those that are new; checks: that the calls have points for them."""

    program: Program
    arrays: list[Allocation] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        p = self.program
        self.taken |= {x.name for x in (*p.parameters, *p.allocations, *p.definitions, *p.views)}
        for e in expressions(p.steps):
            self.taken |= {e.name, *(b.name for b in e.buffers), *(d.name for d in e.md_hom.dims)}

    def steps(self, steps: Sequence[Step], around: tuple[str, ...]) -> tuple[Step, ...]:
        """around: names of the loops outside."""
        found: list[Step] = []
        for step in steps:
            if isinstance(step, Expression):
                found += self.computed_once(step, around)
            else:
                body = self.steps(step.body, (*around, step.dim.name))
                same = all(a is b for a, b in zip(body, step.body)) and len(body) == len(step.body)
                found.append(step if same else replace(step, body=body))
        return tuple(found)

    def computed_once(self, e: Expression, around: tuple[str, ...]) -> Iterator[Expression]:
        """What makes arrays for an expression, and the expression that reads them."""
        if e.indirect or e.scattered or e.procedures or e.md_hom.guard:
            yield e
            return
        places = [_Place(e, e.md_hom.function, e.inp_view, tuple(d.name for d in e.md_hom.dims), around)]
        if e.finish is not None:
            places.append(_Place(e, e.finish.function, e.finish.inp_view, e.remaining, around))
        new: list[Buffer] = []
        for place in places:
            while (node := place.repeated()) is not None:
                maker = self._maker(e, place, node)
                self._require_points(e, maker)
                buffer = maker.buffers[-1]
                new.append(buffer)
                place.take(node, maker.out_view[0])
                yield maker
        if new:
            e = replace(
                e, buffers=(*e.buffers, *new), inp_view=tuple(places[0].view),
                md_hom=replace(e.md_hom, function=places[0].function),
            )  # fmt: skip
            if e.finish is not None:
                e = replace(e, finish=replace(e.finish, inp_view=tuple(places[1].view), function=places[1].function))
            used = {a.buffer for a in (*e.reads, *e.out_view)}
            e = replace(e, buffers=tuple(b for b in e.buffers if b.name in used))
        yield e

    def _maker(self, e: Expression, place: _Place, node: Operation) -> Expression:
        """The computation of a new array's elements."""
        own = place.dims_of(node)
        function, view = place.alone(node)
        whole = next(a for a in view if _is_whole(a, own))
        of = {d.name: d for d in e.md_hom.dims}
        order = dict.fromkeys(name for index in whole.index for name in index.names if name in own)
        dims = tuple(of[name] for name in order)  # once each, though a diagonal names one on several axes
        name = unused(f"{node.op}_{view[0].buffer}".replace(".", "_"), self.taken)
        array = Buffer(name, node.type, tuple(d.extent for d in dims))
        self.arrays.append(Allocation(name, node.type, array.shape))
        read = {a.buffer for a in view}
        out = Access(name, tuple(Affine.of(d.name) for d in dims))
        md_hom = MdHom(dims, function, (cc,) * len(dims))
        buffers = (*(b for b in e.buffers if b.name in read), array)
        return Expression(name, buffers, view, md_hom, None, (out,), loc=e.loc)

    def _require_points(self, e: Expression, maker: Expression) -> None:
        """Subscripts are checked for calls that have points of all dimensions, those gone included."""
        if all(inside_everywhere(maker, access) for access in maker.inp_view):
            return
        own = {d.name for d in maker.md_hom.dims}
        gone = [d.extent for d in e.md_hom.dims if d.name not in own]
        message = "a loop without iterations around what is computed once for all of them"
        some = [extent for extent in gone if any(extent in c.when for c in self.program.checks)]
        self.checks += [Check(extent - 1, "fallback", message, (), e.loc) for extent in some]


@dataclass(slots=True)
class _Place:
    """A scalar function of an expression, with the accesses that feed its last parameters and the dimensions that it
    is computed over."""

    e: Expression
    function: ScalarFunction
    view: Sequence[Access]
    dims: tuple[str, ...]
    around: tuple[str, ...]

    def repeated(self) -> Operation | None:
        """The largest value that is worth an array, if any."""
        varying, bound = self._varying(), dict((v.name, value) for v, value in self.function.bindings)
        waiting, seen = list(self.function.results), set[str]()
        while waiting:
            node = waiting.pop()
            if isinstance(node, Variable) and node.name in bound and node.name not in seen:
                seen.add(node.name)
                waiting.append(bound[node.name])
            if not isinstance(node, Operation):
                continue
            if self._is_worth(node, varying, bound):
                return node
            waiting += node.operands
        return None

    def dims_of(self, node: Scalar) -> Dims:
        """The dimensions that a value varies with."""
        return dims_of(node, self._varying(), self.e)

    def alone(self, node: Operation) -> tuple[ScalarFunction, tuple[Access, ...]]:
        """A function that computes this one value, and what feeds it."""
        names = _names_in(node, dict((v.name, value) for v, value in self.function.bindings))
        pairs = [(p, a) for p, a in zip(self._inputs(), self.view, strict=True) if p.name in names]
        bindings = tuple(b for b in self.function.bindings if b[0].name in names)
        return ScalarFunction(tuple(p for p, _ in pairs), bindings, (node,)), tuple(a for _, a in pairs)

    def take(self, node: Operation, element: Access) -> None:
        """Reads the array in place of computing `node`; what nothing else needs is gone."""
        f = self.function
        taken = {p.name for p in f.parameters} | {v.name for v, _ in f.bindings}
        new = Variable(unused(element.buffer, taken), node.type)

        def read(n: Scalar) -> Scalar:
            return new if n == node else map_children(n, read)

        results = tuple(map(read, f.results))
        bindings = [(v, read(value)) for v, value in f.bindings]
        bound = {v.name: value for v, value in bindings}
        names = set[str]().union(*(_names_in(r, bound) for r in results))
        states = f.parameters[: len(f.parameters) - len(self.view)]
        pairs = [(p, a) for p, a in zip(self._inputs(), self.view, strict=True) if p.name in names]
        self.view = (*(a for _, a in pairs), element)
        kept = tuple(b for b in bindings if b[0].name in names)
        self.function = ScalarFunction((*states, *(p for p, _ in pairs), new), kept, results)

    def _inputs(self) -> tuple[Variable, ...]:
        return self.function.parameters[len(self.function.parameters) - len(self.view) :]

    def _varying(self) -> dict[str, Dims]:
        """Of each variable; a state varies with all dimensions."""
        every = frozenset(self.dims)
        found: dict[str, Dims] = {p.name: every for p in self.function.parameters}
        for parameter, access in zip(self._inputs(), self.view, strict=True):
            found[parameter.name] = self.e.varying(access)
        for variable, value in self.function.bindings:
            found[variable.name] = dims_of(value, found, self.e)
        return found

    def _is_worth(self, node: Operation, varying: dict[str, Dims], bound: dict[str, Scalar]) -> bool:
        """Whether computing `node` once for each of its points saves much, and may be done beforehand."""
        own = dims_of(node, varying, self.e)
        extents = {d.name: d.extent for d in self.e.md_hom.dims}
        gone = [extents[name] for name in self.dims if name not in own]
        if not own or (all(n.is_constant for n in gone) and prod(n.constant for n in gone) < _FEW):
            return False
        left = [name for name in self.dims if name in self.e.remaining]
        reduced = own.intersection(self.e.collapsed)
        if not reduced and (self.around or left[-1] not in own):
            return False
        if any({*self.around, *extents}.intersection(extents[name].names) for name in own):
            return False
        names = _names_in(node, bound)
        accesses = [a for p, a in zip(self._inputs(), self.view, strict=True) if p.name in names]
        inside = [node, *(bound[n] for n in names if n in bound)]
        return (
            node.type.kind == "f"
            and not any(a.guard for a in accesses)
            and any(_is_whole(a, own) for a in accesses)
            and not any(op in ("call", "faulted") for value in inside for op in _operations(value))
            and self._cost(inside, varying, own) >= _EXPENSIVE
        )

    def _cost(self, nodes: Sequence[Scalar], varying: dict[str, Dims], own: Dims) -> int:
        """Instructions that vary with all of these dimensions; others are computed less often already."""
        total, waiting = 0, list(nodes)
        while waiting:
            node = waiting.pop()
            if isinstance(node, Operation):
                row = OPERATIONS.get(node.op)
                if row is not None and node.type.kind == "f" and dims_of(node, varying, self.e) == own:
                    total += _EXPENSIVE if _by_places(node) else row.cost
                waiting += node.operands
        return total


def _by_places(node: Operation) -> bool:
    """Whether it chooses by where the point is: a triangle of a matrix. Vectors of places are compared, and what is
    read is not copied into panels as it is."""
    return node.op == "select" and any(True for _ in index_values(ScalarFunction((), (), node.operands[:1])))


def _is_whole(access: Access, dims: Dims) -> bool:
    """Whether the array that is read has at least as many elements as there are points: each has another."""
    axes = [frozenset(i.names) & dims for i in access.index]
    return all(len(names) <= 1 for names in axes) and dims <= frozenset[str]().union(*axes)


def _names_in(node: Scalar, bound: dict[str, Scalar]) -> set[str]:
    """The variables that a value is computed from, bound ones included."""
    found, waiting = set[str](), [node]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Variable) and value.name not in found:
            found.add(value.name)
            waiting += [bound[value.name]] if value.name in bound else []
        waiting += value.operands if isinstance(value, Operation) else ()
    return found


def _operations(node: Scalar) -> Iterator[str]:
    if isinstance(node, Operation):
        yield node.op
        for operand in node.operands:
            yield from _operations(operand)
