"""From the statements of a trace to expressions of the algebra."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from jitmdh.base.dtype import ScalarType
from jitmdh.base.errors import NotAnMdhError
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
    Buffer,
    Dim,
    Expression,
    Finish,
    Indirect,
    MdHom,
    Sequential,
    Step,
    index_values,
)
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import (
    Constant,
    IndexValue,
    Operation,
    Procedure,
    Scalar,
    ScalarFunction,
    Variable,
    called,
)
from jitmdh.mdh.algebra.sizes import SizeConstant, SizeOperation
from jitmdh.mdh.frontend.loops.extrema import Form, form
from jitmdh.mdh.frontend.python.iteration.for_loops import strided_length
from jitmdh.mdh.frontend.python.values import size_expr
from jitmdh.mdh.frontend.trace_ir.domain import Domain, is_size
from jitmdh.mdh.frontend.trace_ir.store_forwarding import components_of, index_reads, reads_of
from jitmdh.mdh.frontend.trace_ir.trace import Item, Repeated, Statement, Trace, has_indirect
from jitmdh.mdh.frontend.trace_ir.value_graph import Graph, LoopDim, Read, Reduction, Touched


class FunctionBuilder:
    """A scalar function under construction: reads become parameters, shared values bindings, weak types concrete."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.parameters: list[Variable] = []
        self.reads: list[Read] = []
        self._known: dict[int, Scalar] = {}
        self._names: set[str] = set()

    def parameter(self, node: Scalar, name: str) -> None:
        """Make a leaf a parameter of its own."""
        variable = Variable(self._fresh(name), node.type.concrete)
        self.parameters.append(variable)
        self._known[id(node)] = variable

    def _fresh(self, name: str) -> str:
        found, n = name, 0
        while found in self._names:
            n += 1
            found = f"{name}_{n}"
        self._names.add(found)
        return found

    def build(self, results: Sequence[Scalar]) -> ScalarFunction:
        for variable in dict.fromkeys(v for r in results for v in self.graph.leaves(r)):
            leaf = self.graph.described(variable)
            if isinstance(leaf, Read) and not isinstance(leaf, Touched) and id(variable) not in self._known:
                self.parameter(variable, leaf.buffer)
                self.reads.append(leaf)
        uses: dict[int, int] = {}
        for r in results:
            self._count(r, uses)
        bindings: list[tuple[Variable, Scalar]] = []
        done = tuple(self._concrete(r, uses, bindings, False) for r in results)
        return ScalarFunction(tuple(self.parameters), tuple(bindings), done)

    def plain(self, results: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """Further results over the same parameters, without bindings."""
        names = {p.name for p in self.parameters}
        known = self._known
        self._known = {k: v for k, v in known.items() if isinstance(v, Variable) and v.name in names}
        done = tuple(self._concrete(r, {}, [], False) for r in results)
        self._known = known
        return done

    def _count(self, node: Scalar, uses: dict[int, int]) -> None:
        uses[id(node)] = uses.get(id(node), 0) + 1
        if uses[id(node)] == 1 and isinstance(node, Operation):
            for o in node.operands:
                self._count(o, uses)

    def _concrete(
        self, node: Scalar, uses: dict[int, int], bindings: list[tuple[Variable, Scalar]], inner: bool
    ) -> Scalar:
        known = self._known.get(id(node))
        if known is not None:
            return known
        type = node.type.concrete
        match node:
            case Constant(value, _):
                return Constant(_as(value, type), type)
            case IndexValue(index, _):
                return IndexValue(index, type)
            case Variable(name, _):
                return Variable(name, type)
            case Procedure():
                return node
        given = node.operands
        if node.op == "call" and isinstance(given[0], Procedure):
            given = given[: 2 + len(given[0].parameters)]  # what follows are elements that it touches
        operands = tuple(self._concrete(o, uses, bindings, True) for o in given)
        if node.op == "cast" and operands[0].type == type:
            return operands[0]
        new: Scalar = Operation(node.op, operands, type)
        if uses.get(id(node), 0) > 1:
            variable = Variable(self._fresh("t"), type)
            bindings.append((variable, new))
            new = variable
        self._known[id(node)] = new
        return new


def _as(value: bool | int | float | complex, type: ScalarType) -> bool | int | float | complex:
    match type.kind:
        case "b":
            return bool(value)
        case "f" if not isinstance(value, complex):
            return float(value)
        case "c":
            return complex(value)
    return value


def concrete_operator(graph: Graph, operator: Operator) -> Operator:
    """The operator with shared values as bindings."""
    if operator.function.bindings or (operator.arity == 1 and _is_simple(operator)):
        return operator
    function = FunctionBuilder(graph)
    nodes = [graph.variable(p.name, p.type) for p in operator.function.parameters]
    for node, p in zip(nodes, operator.function.parameters):
        function.parameter(node, p.name)
    results = [graph.intern(r) for r in operator.function.results]
    return Operator(operator.name, function.build(results), operator.identity, operator.commutative)


def _is_simple(operator: Operator) -> bool:
    (result,) = operator.function.results
    return isinstance(result, Operation) and all(isinstance(o, Variable) for o in result.operands)


def combined(graph: Graph, operator: Operator, left: Sequence[Scalar], right: Sequence[Scalar]) -> tuple[Scalar, ...]:
    """`left ⊕ right` as values of the graph."""
    f = operator.function
    env: dict[str, Scalar] = {p.name: v for p, v in zip(f.parameters, (*left, *right))}

    def rec(node: Scalar) -> Scalar:
        if isinstance(node, Variable):
            return env[node.name]
        if isinstance(node, Operation):
            return graph.operation(node.op, tuple(rec(o) for o in node.operands), node.type)
        return graph.intern(node)

    for variable, value in f.bindings:
        env[variable.name] = rec(value)
    return tuple(rec(r) for r in f.results)


@dataclass(frozen=True, slots=True)
class Site:
    """An access as emitted, with where it happens and whether only the data decide that it does."""

    access: Access
    dims: tuple[LoopDim, ...]
    guard: tuple[Affine, ...]
    speculative: bool
    needs: tuple[Affine, ...] = ()


@dataclass(slots=True, eq=False)
class Emitter:
    """Turns items into steps; collects the accesses for the checks."""

    trace: Trace
    function: str
    sites: list[Site] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    contracted: dict[str, set[int]] = field(default_factory=dict)
    named: set[str] = field(default_factory=set)  # numbers from data that some expression uses

    def steps(self, items: Iterable[Item], path: tuple[LoopDim, ...] = ()) -> tuple[Step, ...]:
        result: list[Step] = []
        for item in items:
            if isinstance(item, Repeated):
                dim = Dim(item.dim.name, self.extent(item.dim, path), item.dim.loc)
                if has_indirect(dim.extent):
                    text = "a loop with bounds from data is sequential"
                    raise NotAnMdhError(text, loc=item.dim.loc, reason=item.reason)
                body = self.steps(item.items, (*path, item.dim))
                result.append(Sequential(dim, body, item.reason, item.dim.loc))
            else:
                result.append(self.expression(item, path))
        return tuple(result)

    def indirect(
        self, dims: tuple[LoopDim, ...], guard: tuple[Affine, ...], used: Iterable[Affine]
    ) -> tuple[Indirect, ...]:
        """The names for numbers from data in `used`, each after those that it uses itself."""
        found: dict[str, Indirect] = {}

        def visit(affine: Affine) -> None:
            for name in affine.names:
                if name in found or name not in self.trace.indirect:
                    continue
                known = self.trace.indirect[name]
                function = FunctionBuilder(self.trace.graph)
                built = function.build([known.value])
                for affine in (*index_values(built), *(i for r in function.reads for i in r.index)):
                    visit(affine)
                around = tuple(d for d in dims if any(d.name == o.name for o in known.around))
                inputs = tuple(self._access(r, (), around, guard) for r in function.reads)
                found[name] = Indirect(name, inputs, built, known.extent, known.loc)

        for affine in used:
            visit(affine)
        self.named.update(found)
        return tuple(found.values())

    def extent(self, dim: LoopDim, path: tuple[LoopDim, ...] = ()) -> Affine:
        """The greatest number of iterations; exact where only the sequential loops of `path` are around."""
        if dim.length is None:
            room = Domain(dim.outer).greatest(dim.room)
            assert room is not None
            return strided_length(self.trace, dim.name, room, dim.stride)
        greatest = Domain(tuple(d for d in dim.outer if d not in path)).greatest(dim.length)
        assert greatest is not None
        return greatest

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
        kept = self._alone(around, collapsed)
        loose = any(collapsed.intersection(g.names) for g in guard)
        function = FunctionBuilder(self.trace.graph)
        finish: Finish | None = None
        if nests:
            body = function.build([b for f in forms for b in f.body])
            finish = self._finish(item, forms, out_guard, kept, loose)
        else:
            body = function.build([t.value for t in item.targets if not t.effect])
        inputs = tuple(self._access(r, (), self._alone(around), guard) for r in function.reads)
        outputs = self._outputs(item, kept, out_guard, out_guard if collapsed else guard + on_write, loose)
        extents = tuple(Dim(d.name, self.extent(d, path), d.loc) for d in dims)
        accesses = (*inputs, *(finish.inp_view if finish else ()), *outputs)
        functions = (body, *((finish.function,) if finish else ()))
        used = [i for a in accesses for i in (*a.index, *a.guard)] + [i for f in functions for i in index_values(f)]
        indirect = self.indirect(self._alone(around), guard, (*(d.extent for d in extents), *used, *guard))
        accesses = (*accesses, *(a for n in indirect for a in n.inp_view))
        on_the_way = {b for p in called(body) for b in (*p.fetched, *p.written)}
        self.used |= on_the_way
        return Expression(
            self.function,
            self.buffers(accesses, sorted(on_the_way)),
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
    ) -> tuple[Access, ...]:
        needs = tuple(self.extent(d) for d in item.needs)
        loose = loose or any(d.guard for d in item.needs)
        found = []
        for t in item.targets:
            if t.effect:
                continue
            access = Access(t.buffer, self.index(t.buffer, t.index), guard, t.loc)
            found.append(self._site(access, dims, domain, t.speculative or loose, needs))
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
        loose: bool,
    ) -> Finish | None:  # fmt: skip
        graph = self.trace.graph
        function = FunctionBuilder(graph)
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
        if len(results) == len(flat) and all(a is b for a, b in zip(results, flat)):
            return None
        built = function.build(results)
        if built.results == built.parameters[: len(flat)] and not function.reads and len(built.results) == len(flat):
            return None
        needs = tuple(self.extent(d) for d in item.needs)
        loose = loose or any(d.guard for d in item.needs)
        inputs = tuple(self._access(r, out_guard, dims, out_guard, needs, loose) for r in function.reads)
        return Finish(inputs, built, self._empty(item, forms, function))

    def _empty(self, item: Statement, forms: list[Form], function: FunctionBuilder) -> tuple[Scalar, ...] | None:
        """The results of an empty reduction whose operator has no identity: what was there before."""
        if all(f.operator.identity is not None for f in forms) or any(f.reduction.init is None for f in forms):
            return None
        values = {
            id(variable): (component.reduction.init or ())[component.number]
            for t in item.targets for variable, component in components_of(self.trace, t.value)
        }  # fmt: skip
        return function.plain([self.trace.graph.replace(t.value, values) for t in item.targets])

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
        return combined(self.trace.graph, r.operator, r.init, state)

    # ------------------------------------------------------------------------------------------------ accesses

    def _access(
        self, read: Read, extra: tuple[Affine, ...], dims: tuple[LoopDim, ...], guard: tuple[Affine, ...],
        needs: tuple[Affine, ...] = (), loose: bool = False,
    ) -> Access:  # fmt: skip
        own = tuple(dict.fromkeys(g for g in (*read.guard, *extra) if g not in guard or g in extra))
        access = Access(read.buffer, self.index(read.buffer, read.index), own, read.loc)
        return self._site(access, dims, guard + own, read.speculative or loose, needs)

    def _site(
        self, access: Access, dims: tuple[LoopDim, ...], guard: tuple[Affine, ...], speculative: bool,
        needs: tuple[Affine, ...] = (),
    ) -> Access:  # fmt: skip
        self.used.add(access.buffer)
        self.sites.append(Site(access, dims, guard, speculative, needs))
        return access

    def index(self, buffer: str, index: tuple[Affine, ...]) -> tuple[Affine, ...]:
        gone = self.contracted.get(buffer)
        return index if not gone else tuple(x for n, x in enumerate(index) if n not in gone)

    def shape(self, buffer: str) -> tuple[Affine, ...]:
        info = self.trace.buffers[buffer]
        if info.expanded is None:
            return info.shape
        gone = self.contracted.get(buffer, set())
        for d in info.expanded:
            if has_indirect(self.extent(d)):
                text = "a loop with bounds from data needs memory for a value of each iteration"
                raise NotAnMdhError(text, loc=d.loc, hint="update arrays or a sum directly in the loop")
        kept = [(n, d) for n, d in enumerate(info.expanded) if n not in gone]
        return (*(self._length(d.name, self.extent(d)) for n, d in kept), *info.shape)

    def _length(self, name: str, extent: Affine) -> Affine:
        """`extent`, but not below 0."""
        certain = all(c > 0 and is_size(n) for n, c in extent.terms) and extent.constant >= 0
        if certain:
            return extent
        return self.trace.define(f"{name}_length", SizeOperation("max", SizeConstant(0), size_expr(extent)))

    def _alone(self, dims: Sequence[LoopDim], collapsed: Iterable[str] = ()) -> tuple[LoopDim, ...]:
        """The dimensions that remain, with bounds that mention none but these."""
        kept: list[LoopDim] = []
        left = [d for d in dims if d.name not in collapsed]
        for d in left:
            gone = tuple(o for o in d.outer if o not in left)
            if {o.name for o in gone}.intersection(d.room.names):
                room = Domain(gone).greatest(d.room) or d.room
                length = None if d.length is None else Domain(gone).greatest(d.length)
                guard = (room - 1 - Affine.of(d.name) * d.stride,)
                d = LoopDim(d.name, room, d.stride, length, d.serial, guard, d.loc, d.outer)
            kept.append(d)
        return tuple(kept)

    def buffers(self, accesses: Iterable[Access], others: Iterable[str] = ()) -> tuple[Buffer, ...]:
        names = dict.fromkeys((*(a.buffer for a in accesses), *others))
        return tuple(self._buffer(n) for n in names)

    def _buffer(self, name: str) -> Buffer:
        info = self.trace.buffers[name]
        return Buffer(name, info.type.concrete, self.shape(name), info.of, info.apart)

    def contract(self, items: Iterable[Item]) -> None:
        """Temporaries need no axis for a loop that is sequential around all their uses."""
        paths: dict[str, list[tuple[Repeated, ...]]] = {}

        def visit(items: Iterable[Item], path: tuple[Repeated, ...]) -> None:
            for item in items:
                if isinstance(item, Repeated):
                    visit(item.items, (*path, item))
                    continue
                for target in item.targets:
                    paths.setdefault(target.buffer, []).append(path)
                    deciding = (r.buffer for r in index_reads(self.trace, target.index))
                    for name in (*self._buffers_in(target.value), *deciding):
                        paths.setdefault(name, []).append(path)

        visit(items, ())
        for name, found in paths.items():
            expanded = self.trace.buffers[name].expanded
            if expanded:
                common = {r.dim for r in found[0] if all(r in p for p in found)}
                self.contracted[name] = {n for n, d in enumerate(expanded) if d in common}

    def _buffers_in(self, value: Scalar) -> Iterable[str]:
        return {r.buffer for r in reads_of(self.trace, value)}
