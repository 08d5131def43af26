"""From the statements of a trace to expressions of the algebra."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import field, replace

from jitmdh.base.errors import NotAnMdhError
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.combine import (
    CombineOperator,
    Operator,
    PointWise,
    PrefixSum,
    Scatter,
    cc,
    product,
)
from jitmdh.mdh.algebra.expr import (
    Access,
    Dim,
    Expression,
    Finish,
    Indirect,
    MdHom,
    Sequential,
    Step,
)
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import (
    Scalar,
    called,
    index_values,
)
from jitmdh.mdh.frontend.loops.extrema import Form, form
from jitmdh.mdh.frontend.to_algebra.accesses import Accesses, alone
from jitmdh.mdh.frontend.to_algebra.scalar_functions import FunctionBuilder, concrete_operator
from jitmdh.mdh.frontend.trace_ir.domain import Domain
from jitmdh.mdh.frontend.trace_ir.store_forwarding import components_of
from jitmdh.mdh.frontend.trace_ir.trace import Item, Repeated, Statement, Trace, has_indirect
from jitmdh.mdh.frontend.trace_ir.value_graph import LoopDim, Reduction


@dataclass(frozen=True, slots=True)
class ReductionLoops:
    """Loops that a reduction is over, those that remain, and when the reduction's points and its results exist."""

    trace: Trace
    loops: tuple[LoopDim, ...]
    kept: tuple[LoopDim, ...]
    points: tuple[Affine, ...]
    guard: tuple[Affine, ...]

    def entered(self, names: Collection[str]) -> tuple[Affine, ...]:
        """What is ≥ 0 where those of the loops of these names have points: no loop occurs in it.

        Where several conditions are about the points, each of them holds somewhere, perhaps nowhere together.
        """
        loops = tuple(d for d in self.loops if d.name in names)
        inside = {d.name for d in loops}
        found = [d.room - 1 for d in loops]
        found += [g for g in self.points if inside.intersection(g.names)]
        greatest = [Domain(loops).greatest(g) for g in found]
        certain = (g for g in greatest if g is not None and not (g.is_constant and g.constant >= 0))
        return tuple(dict.fromkeys(g for g in certain if not self._varies(g)))

    def _varies(self, condition: Affine) -> bool:
        return any(self.trace.varies(condition, d.name) for d in self.loops)


@dataclass(slots=True, eq=False)
class Emitter:
    """Turns items into steps; collects the accesses for the checks."""

    trace: Trace
    function: str
    accesses: Accesses
    named: set[str] = field(default_factory=set)  # numbers from data that some expression uses

    def steps(self, items: Iterable[Item], path: tuple[LoopDim, ...] = ()) -> tuple[Step, ...]:
        result: list[Step] = []
        for item in items:
            if isinstance(item, Repeated):
                dim = Dim(item.dim.name, self.accesses.extent(item.dim, path), item.dim.loc)
                if has_indirect(dim.extent):
                    text = "a loop with bounds from data is sequential"
                    raise NotAnMdhError(text, loc=item.dim.loc, reason=item.reason)
                body = self.steps(item.items, (*path, item.dim))
                result.append(Sequential(dim, body, item.reason, item.dim.loc, self._until(item)))
            else:
                result.append(self.expression(item, path))
        return tuple(result)

    def _until(self, loop: Repeated) -> tuple[str, ...]:
        targets = (t.buffer for item in loop.items if isinstance(item, Statement) for t in item.targets)
        return tuple(dict.fromkeys(b for b in targets if self.trace.buffers[b].leaves == loop.dim.name))

    def indirect(
        self, dims: tuple[LoopDim, ...], guard: tuple[Affine, ...], used: Iterable[Affine],
        late: Iterable[Affine] = (), over: ReductionLoops | None = None,
    ) -> tuple[Indirect, ...]:  # fmt: skip
        """The names for numbers from data in `used`, each after those that it uses itself.

        late: what is used once the loops `over` are combined, whether they have had iterations or not.
        """
        found: dict[str, Indirect] = {}

        def visit(affine: Affine, over: ReductionLoops | None) -> None:
            for name in affine.names:
                if name in found or name not in self.trace.indirect:
                    continue
                known = self.trace.indirect[name]
                function = FunctionBuilder(self.trace.graph, self.accesses.contracted)
                built = function.build([known.value])
                inside = {o.name for o in known.around}
                entered = () if over is None else over.entered(inside)
                for affine in (*index_values(built), *(i for r in function.reads for i in r.index), *entered):
                    visit(affine, over)
                around = tuple(d for d in dims if d.name in inside)
                inputs = tuple(self.accesses.access(r, (), around, guard) for r in function.reads)
                if over is not None:
                    inputs = tuple(self._late(a, over, entered, inside) for a in inputs)
                found[name] = Indirect(name, inputs, built, known.extent, known.loc, decided=known.certain)

        for affine in late:
            visit(affine, over)
        for affine in used:
            visit(affine, None)
        self.named.update(found)
        return tuple(found.values())

    def _late(self, access: Access, over: ReductionLoops, entered: tuple[Affine, ...], inside: set[str]) -> Access:
        """An access that happens once the loops `over` are combined: it stays inside its array there, too."""
        access = replace(access, guard=tuple(dict.fromkeys((*access.guard, *entered))))
        dims = tuple(d for d in over.kept if d.name in inside)
        guard = tuple(dict.fromkeys((*over.guard, *access.guard)))
        needs = tuple(g + 1 for g in entered if not any(d.name in g.names for d in dims))
        return self.accesses.site(access, dims, guard, True, needs, skipped=True)

    def _read_inside(self, subscripts: Iterable[Affine]) -> set[str]:
        """The loops that read the numbers of subscripts: where these have no iterations, the numbers need not exist."""
        numbers = (self.trace.indirect[n] for i in subscripts for n in i.names if n in self.trace.indirect)
        return {dim.name for number in numbers for dim in number.around}

    # ------------------------------------------------------------------------------------------- one expression

    def expression(self, item: Statement, path: tuple[LoopDim, ...]) -> Expression:
        nests = self._reductions(item)
        own: set[LoopDim] = set(item.dims) | {d for r in nests for d in r.dims}
        dims = tuple(sorted(own - set(path), key=lambda d: d.serial))
        forms = self._forms(nests)
        operators = [concrete_operator(self.trace.graph, f.operator) for f in forms]
        combine = self._combine(dims, nests, operators)
        if item.operator is not None:
            scatter = Scatter(concrete_operator(self.trace.graph, item.operator))
            combine = tuple(scatter if d in item.scattered else cc for d in dims)
        collapsed = {d.name for d, c in zip(dims, combine) if isinstance(c, PointWise)}
        scanned = {d.name for r in nests if r.scan for d in r.dims}
        # About what is written, not about what is combined.
        on_write = tuple(g for g in item.guard if scanned.intersection(g.names))
        guard = tuple(g for g in self._guard(item, nests, dims, path) if g not in on_write)
        around = sorted((*path, *dims), key=lambda d: d.serial)
        out_guard = tuple(g for g in guard if not collapsed.intersection(g.names)) if collapsed else on_write
        kept = alone(around, collapsed)
        loose = any(collapsed.intersection(g.names) for g in guard)
        chosen = collapsed and has_indirect(*(i for t in item.targets for i in t.index))
        loops = tuple(d for d in dims if d.name in collapsed)
        over = ReductionLoops(self.trace, loops, kept, guard, out_guard) if chosen else None
        entered = () if over is None else over.entered(self._read_inside(i for t in item.targets for i in t.index))
        function = FunctionBuilder(self.trace.graph, self.accesses.contracted)
        finish: Finish | None = None
        if nests:
            body = function.build([b for f in forms for b in f.body])
            finish = self._finish(item, forms, out_guard, kept, loose, over)
        else:
            body = function.build([t.value for t in item.targets if not t.effect])
        inputs = tuple(self.accesses.access(r, (), alone(around), guard) for r in function.reads)
        domain = out_guard if collapsed else guard + on_write
        outputs = self._outputs(item, kept, out_guard, domain, loose, skipped=over is not None)
        outputs = tuple(replace(a, guard=(*a.guard, *entered)) for a in outputs)
        extents = tuple(Dim(d.name, self.accesses.extent(d, path), d.loc) for d in dims)
        accesses = (*inputs, *(finish.inp_view if finish else ()), *outputs)
        functions = (body, *((finish.function,) if finish else ()))
        used = [i for a in accesses for i in (*a.index, *a.guard)] + [i for f in functions for i in index_values(f)]
        late = [] if over is None else [i for a in accesses[len(inputs) :] for i in (*a.index, *a.guard)]
        late += index_values(finish.function) if over is not None and finish is not None else ()
        indirect = self.indirect(alone(around), guard, (*(d.extent for d in extents), *used, *guard), late, over)
        accesses = (*accesses, *(a for n in indirect for a in n.inp_view))
        on_the_way = {b for p in called(body) for b in (*p.fetched, *p.written)}
        self.accesses.used |= on_the_way
        return Expression(
            self.function,
            self.accesses.buffers(accesses, sorted(on_the_way)),
            inputs,
            MdHom(extents, body, combine, guard),
            finish,
            outputs,
            item.loc,
            indirect=indirect,
        )

    def _outputs(
        self,
        item: Statement,
        dims: tuple[LoopDim, ...],
        guard: tuple[Affine, ...],
        domain: tuple[Affine, ...],
        loose: bool,
        skipped: bool,
    ) -> tuple[Access, ...]:
        needs = tuple(self.accesses.extent(d) for d in item.needs)
        loose = loose or any(d.guard for d in item.needs)
        found = []
        for t in item.targets:
            if t.effect:
                continue
            access = Access(t.buffer, self.accesses.index(t.buffer, t.index), guard, t.loc)
            found.append(self.accesses.site(access, dims, domain, t.speculative or loose, needs, skipped))
        return tuple(found)

    def _reductions(self, item: Statement) -> list[Reduction]:
        found: dict[int, Reduction] = {}
        for target in item.targets:
            for _, component in components_of(self.trace, target.value):
                found[id(component.reduction)] = component.reduction
        return list(found.values())

    def _forms(self, nests: list[Reduction]) -> list[Form]:
        """Reductions with the operators they are emitted with: all have an identity, or none has."""
        forms = [form(self.trace.graph, r) for r in nests]
        mixed = len({f.operator.identity is None for f in forms}) > 1
        return [Form(r, r.operator, r.body) for r in nests] if mixed else forms

    def _combine(
        self, dims: tuple[LoopDim, ...], nests: list[Reduction], operators: list[Operator]
    ) -> tuple[CombineOperator, ...]:  # fmt: skip
        if not nests:
            return (cc,) * len(dims)
        operator = product(tuple(operators))
        first = nests[0]
        over: CombineOperator
        over = PointWise(operator) if first.scan is None else PrefixSum(operator, first.scan == "exclusive")
        return tuple(over if d in first.dims else cc for d in dims)

    def _guard(
        self, item: Statement, nests: list[Reduction], dims: tuple[LoopDim, ...], path: tuple[LoopDim, ...]
    ) -> tuple[Affine, ...]:  # fmt: skip
        known = {d.name for d in path}
        loops = {d.name for d in (*dims, *path)}
        found = [*item.guard, *(g for r in nests for g in r.guard)]
        for d in (*path, *dims):
            for g in d.guard:
                others = loops.intersection(d.room.names)
                if not others <= known or d.length is None:
                    found.append(g)
        return tuple(dict.fromkeys(found))

    # -------------------------------------------------------------------------------------------------- finish

    def _finish(
        self, item: Statement, forms: list[Form], out_guard: tuple[Affine, ...], dims: tuple[LoopDim, ...],
        loose: bool, over: ReductionLoops | None,
    ) -> Finish | None:  # fmt: skip
        graph = self.trace.graph
        function = FunctionBuilder(graph, self.accesses.contracted)
        states: dict[int, list[Scalar]] = {}
        count = sum(f.operator.arity for f in forms)
        for f in forms:
            nodes = []
            for type in f.operator.types:
                name = f"%state{len(function.parameters)}"
                node = graph.variable(name, type)
                function.parameter(node, "state" if count == 1 else f"state{len(function.parameters)}")
                nodes.append(node)
            states[id(f.reduction)] = nodes
        by_reduction = {id(f.reduction): f for f in forms}
        values: dict[int, Scalar] = {}
        for target in item.targets:
            for variable, component in components_of(self.trace, target.value):
                key = id(component.reduction)
                values[id(variable)] = self._completed(by_reduction[key], states[key])[component.number]
        results = [graph.replace(t.value, values) for t in item.targets]
        flat = [n for nodes in states.values() for n in nodes]
        initial = self._initial(item, forms)
        if initial is None and len(results) == len(flat) and all(a is b for a, b in zip(results, flat)):
            return None
        built = function.build(results, initial or ())
        if built.results == built.parameters and not function.reads and initial is None:
            return None
        needs = tuple(self.accesses.extent(d) for d in item.needs)
        loose = loose or any(d.guard for d in item.needs)
        skipped = over is not None
        reads = (self.accesses.access(r, out_guard, dims, out_guard, needs, loose, skipped) for r in function.reads)
        inside = self._read_inside(i for r in function.reads for i in r.index)
        entered = () if over is None else over.entered(inside)
        inputs = tuple(replace(a, guard=(*a.guard, *entered)) for a in reads)
        return Finish(inputs, built, None if initial is None else function.plain(initial))

    def _initial(self, item: Statement, forms: list[Form]) -> list[Scalar] | None:
        """The results of an empty reduction whose operator has no identity: what was there before."""
        if all(f.operator.identity is not None for f in forms) or any(f.reduction.init is None for f in forms):
            return None
        values = {
            id(variable): (component.reduction.init or ())[component.number]
            for t in item.targets for variable, component in components_of(self.trace, t.value)
        }  # fmt: skip
        return [self.trace.graph.replace(t.value, values) for t in item.targets]

    def _completed(self, f: Form, state: list[Scalar]) -> tuple[Scalar, ...]:
        """`init ⊕ state`."""
        r = f.reduction
        if r.init is None:
            return tuple(state)
        if f.compare is not None:
            return f.completed(self.trace.graph, r.init, state)
        identity = r.operator.identity
        if r.init == identity:
            return tuple(state)
        return self.trace.graph.combined(r.operator, r.init, state)
