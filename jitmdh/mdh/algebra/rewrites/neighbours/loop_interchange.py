"""Loop interchange: steps in time whose points do not look at each other, as a loop at each point.

    for t:                                           for i at once:
        v[i] = v[i] - h * x[i]   for all i    ->         for t: v, x = v - h*x, x + h*(v - h*x)
        x[i] = x[i] + h * v[i]   for all i               v[i], x[i] = v, x

What each step would load and store, in each array, stays in registers from the first step to the last one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from jitmdh.base.dtype import ScalarType, bool_, int64
from jitmdh.base.names import unused
from jitmdh.mdh.algebra.combine import Concatenation, cc
from jitmdh.mdh.algebra.expr import Access, Buffer, Dim, Expression, MdHom, Program, Sequential, Step, expressions
from jitmdh.mdh.algebra.independence import may_fail
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.rewrites.neighbours.composition import element_wise
from jitmdh.mdh.algebra.rewrites.specialise import specialise_expression
from jitmdh.mdh.algebra.scalar import (
    Bind,
    Constant,
    Fetch,
    IndexValue,
    Instruction,
    Iterate,
    Operation,
    Procedure,
    Scalar,
    ScalarFunction,
    Variable,
    cast,
    map_children,
)

_MOST_STATES = 12  # arrays of a loop: more would not stay in registers
_MOST_OPERATIONS = 200  # of a round: what takes longer hides loads and stores anyway


def with_steps_at_points(program: Program) -> Program:
    """`program` with each sequential loop of such steps as one expression.

    requires: the checks of the program hold; fills of allocations are expressions, or happen before all steps.
    ensures: the same operations on the same values for each element, in the same order.
    """
    uses = Counter(name for e in expressions(program.steps) for name in {a.buffer for a in (*e.reads, *e.out_view)})
    own = {a.name for a in program.allocations if a.fill is None} - program.returned
    steps = tuple(_at_points(program, step, own, uses) for step in program.steps)
    if all(a is b for a, b in zip(steps, program.steps)):
        return program
    left = {b.name for e in expressions(steps) for b in e.buffers}
    kept = tuple(a for a in program.allocations if a.name in left or a.name not in own)
    return replace(program, steps=steps, allocations=kept)


def _at_points(program: Program, step: Step, own: set[str], uses: Mapping[str, int]) -> Step:
    if not isinstance(step, Sequential):
        return step
    body = tuple(_at_points(program, inner, own, uses) for inner in step.body)
    if any(a is not b for a, b in zip(body, step.body)):
        return replace(step, body=body)
    steps = [element_wise(e) for e in body if isinstance(e, Expression) and _is_plain(e, step.dim.name)]
    if step.until or len(steps) < len(body) or not steps or not steps[0].md_hom.dims:
        return step
    alike = _over_the_same(program, step.dim, steps)
    if alike is None:
        return step
    inside = Counter(name for e in alike for name in {a.buffer for a in (*e.reads, *e.out_view)})
    made = _Loop(step.dim, alike, {name for name in own if uses[name] == inside[name]}).expression()
    return step if made is None else made


def _is_plain(e: Expression, dim: str) -> bool:
    """Whether an expression computes each element by itself, of elements that no data choose."""
    special = (
        e.indirect or e.between or e.md_hom.guard or may_fail(e) or any(dim in d.extent.names for d in e.md_hom.dims)
    )
    guards = any(a.guard for a in (*e.reads, *e.out_view))
    return not (special or guards) and all(isinstance(c, Concatenation) for c in e.md_hom.combine)


def _over_the_same(program: Program, loop: Dim, steps: Sequence[Expression]) -> list[Expression] | None:
    """The steps with the dimensions of the first one, if all of them have as many points along each, as long as the
    loop has iterations at all."""
    first = steps[0].md_hom.dims
    certain = {c.value for c in program.checks if all(when == loop.extent for when in c.when)}
    found = []
    for e in steps:
        if len(e.md_hom.dims) != len(first):
            return None
        for own, other in zip(e.md_hom.dims, first):
            more = own.extent - other.extent
            if more != Affine() and not {more, -more} <= certain:
                return None
        names = {own.name: Affine.of(other.name) for own, other in zip(e.md_hom.dims, first) if own.name != other.name}
        others = {d.name for d in e.md_hom.dims} - names.keys()
        if any(name in others for value in names.values() for name in value.names):
            return None
        renamed = specialise_expression(e, names) if names else e
        found.append(replace(renamed, md_hom=replace(renamed.md_hom, dims=first)))
    return found


class _Loop:
    """Steps over the same points. local: arrays that nobody else uses."""

    def __init__(self, dim: Dim, steps: Sequence[Expression], local: set[str]) -> None:
        self._dim, self._steps, self._local = dim, steps, local
        self._points = steps[0].md_hom.dims
        self._written = {a.buffer: a for e in steps for a in e.out_view}
        self._taken: set[str] = set()
        self._counter = self._new(dim.name, int64)
        self._parameters: list[Variable] = []
        self._arguments: list[Scalar] = []
        self._inputs: dict[Access, Variable] = {}
        self._at_start: dict[str, Variable] = {}  # what states are at the beginning of a round, by array
        self._now: dict[str, Scalar] = {}
        self._body: list[Instruction] = []
        self._operations = 0

    def expression(self) -> Expression | None:
        if not all(map(self._is_own, self._written.values())):
            return None
        for e in self._steps:
            if not self._take(e):
                return None
        carried = list(self._at_start)
        stored = [name for name in self._written if name not in self._local or name in carried]
        if not stored or len(self._written) > _MOST_STATES or self._operations > _MOST_OPERATIONS:
            return None
        return self._made(carried, stored)

    def _is_own(self, access: Access) -> bool:
        """Whether each point has an element of its own of an array that is written, the same in all rounds."""
        names = [name for index in access.index for name in index.names]
        dims = {d.name for d in self._points}
        return self._dim.name not in names and all(names.count(name) == 1 for name in dims)

    # ----------------------------------------------------------------------------------------------- a round

    def _take(self, e: Expression) -> bool:
        """The instructions of a step; False where a point looks at others, or at more than it can have beforehand."""
        if any(a.index != self._written[a.buffer].index for a in e.out_view):
            return False
        values: dict[str, Scalar] = {}
        for parameter, access in zip(e.md_hom.function.parameters, e.inp_view, strict=True):
            value = self._read(e, access, parameter)
            if value is None:
                return False
            values[parameter.name] = value
        for variable, value in e.md_hom.function.bindings:
            values[variable.name] = self._bound(variable.name, self._inside(value, values))
        results = [self._inside(r, values) for r in e.md_hom.function.results]
        for access, result in zip(e.out_view, results, strict=True):
            self._now[access.buffer] = self._bound(access.buffer, cast(result, e.buffer(access.buffer).type))
        return True

    def _read(self, e: Expression, access: Access, parameter: Variable) -> Scalar | None:
        if access.buffer in self._written:
            if access.index != self._written[access.buffer].index:
                return None
            if access.buffer not in self._now:
                start = self._new(access.buffer, e.buffer(access.buffer).type)
                self._at_start[access.buffer] = self._now[access.buffer] = start
            return self._now[access.buffer]
        moving = [index for index in access.index if index.coefficient(self._dim.name)]
        if not moving:
            return self._given(access, parameter)
        dims = {d.name for d in self._points}
        if any(dims.intersection(index.names) for index in access.index):
            return None  # each point would go through a row of its own
        variable = self._new(parameter.name, parameter.type)
        index = tuple(map(self._place, access.index))
        self._body.append(Fetch(variable, access.buffer, index, (), Constant(True, bool_), 0))
        return variable

    def _given(self, access: Access, parameter: Variable) -> Variable:
        """What a point has before its loop."""
        if access not in self._inputs:
            self._inputs[access] = Variable(f"a{len(self._inputs)}", parameter.type)
        return self._parameter(self._inputs[access])

    def _parameter(self, argument: Scalar) -> Variable:
        if argument not in self._arguments:
            self._arguments.append(argument)
            self._parameters.append(Variable(f"p{len(self._parameters)}", argument.type))
        return self._parameters[self._arguments.index(argument)]

    def _place(self, index: Affine) -> Scalar:
        """A number that may vary with the loop."""
        times, rest = index.coefficient(self._dim.name), index.without((self._dim.name,))
        moved: Scalar = self._counter
        if times == 0:
            return self._number(rest)
        if times != 1:
            moved = Operation("mul", (moved, Constant(times, int64)), int64)
        return moved if rest == Affine() else Operation("add", (moved, self._number(rest)), int64)

    def _number(self, index: Affine) -> Scalar:
        return Constant(index.constant, int64) if index.is_constant else self._parameter(IndexValue(index, int64))

    def _inside(self, node: Scalar, values: Mapping[str, Scalar]) -> Scalar:
        match node:
            case Variable(name):
                return values[name]
            case IndexValue(index, type):
                return cast(self._place(index), type)
            case Operation():
                self._operations += 1
        return map_children(node, lambda child: self._inside(child, values))

    def _bound(self, name: str, value: Scalar) -> Scalar:
        if not isinstance(value, Operation):
            return value
        variable = self._new(name, value.type)
        self._body.append(Bind(variable, value))
        return variable

    def _new(self, name: str, type: ScalarType) -> Variable:
        """A variable that nothing else is called; names of procedures are one of the program, and a number."""
        own, _, _ = name.partition("'")
        return Variable(unused(f"{own}'{len(self._taken)}", self._taken), type)

    # ------------------------------------------------------------------------------------------------- the whole

    def _made(self, carried: Sequence[str], stored: Sequence[str]) -> Expression:
        """carried: arrays whose elements a round takes over from the one before; stored: those that others may read."""
        late = [name for name in stored if name not in carried]  # no round reads what the one before has written
        buffers = {b.name: b for e in self._steps for b in e.buffers}
        states = [*(self._at_start[n] for n in carried), *(self._new(n, buffers[n].type) for n in late)]
        begin: list[Scalar] = [self._given(self._written[n], Variable(n, buffers[n].type)) for n in carried]
        begin += [Constant(type.numpy.type(0).item(), type) for type in (buffers[n].type for n in late)]
        count = self._place(self._dim.extent)
        after = [self._new(v.name, v.type) for v in (self._counter, *states)]
        loop = Iterate(
            (self._counter, *states), (Constant(0, int64), *begin), self._new("active", bool_), (),
            Operation("lt", (self._counter, count), bool_), tuple(self._body),
            (Operation("add", (self._counter, Constant(1, int64)), int64), *(self._now[n] for n in (*carried, *late))),
            Constant(False, bool_), tuple(after), Constant(True, bool_),
        )  # fmt: skip
        results = dict(zip((*carried, *late), after[1:]))
        procedure = Procedure(tuple(self._parameters), (loop,), tuple(results[name] for name in stored))
        calls = [
            Operation("call", (procedure, Constant(n, int64), *self._arguments), results[name].type)
            for n, name in enumerate(stored)
        ]
        function = ScalarFunction(tuple(self._inputs.values()), (), tuple(calls))
        guard = () if self._dim.extent.is_constant and self._dim.extent.constant > 0 else (self._dim.extent - 1,)
        return replace(
            self._steps[-1],
            buffers=tuple(self._used(buffers, procedure)),
            inp_view=tuple(self._inputs),
            md_hom=MdHom(self._points, function, (cc,) * len(self._points), guard),
            out_view=tuple(self._written[name] for name in stored),
            loc=self._dim.loc or self._steps[-1].loc,
            facts=tuple(dict.fromkeys(f for e in self._steps for f in e.facts)),
            existing=tuple(dict.fromkeys(x for e in self._steps for x in e.existing)),
        )

    def _used(self, buffers: Mapping[str, Buffer], procedure: Procedure) -> list[Buffer]:
        names = {a.buffer for a in self._inputs} | set(self._written) - (self._local - set(self._at_start))
        return [b for name, b in buffers.items() if name in names | procedure.fetched]
