"""Is a high-level representation well-formed? What the docstrings of its nodes promise, as one checker.

A failure is a bug of whoever made the representation: an InternalError that states the facts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from jitmdh.base.dtype import ScalarType, bool_, int64
from jitmdh.base.errors import InternalError
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.check_scalar import (
    Complaint,
    check_constant,
    check_function,
    check_operator,
    check_scalar,
    require,
)
from jitmdh.mdh.algebra.combine import Concatenation, Scatter
from jitmdh.mdh.algebra.expr import (
    Access,
    Allocation,
    Between,
    Buffer,
    Expression,
    Finish,
    MdHom,
    Program,
    Return,
    Sequential,
    Step,
    Together,
    expressions,
    part_name,
)
from jitmdh.mdh.algebra.expr import ArrayParameter as Array
from jitmdh.mdh.algebra.independence import may_fail, shared_array, whole_name
from jitmdh.mdh.algebra.index import Affine, plain_values, shape_name
from jitmdh.mdh.algebra.scalar import Fetch, Put, Variable, instructions
from jitmdh.mdh.algebra.sizes import SizeConstant, SizeExpr, SizeName

CHECK_KINDS = ("bounds", "shape", "fallback", "zero", "value", "raise")
SIZE_OPERATIONS = ("add", "sub", "mul", "floordiv", "mod", "min", "max")


def check(program: Program) -> None:
    """InternalError unless `program` and all its expressions are well-formed."""
    try:
        _check_program(program)
    except Complaint as complaint:
        raise InternalError(f"program {program.name}: {complaint}", loc=program.loc) from None


def check_expression(expression: Expression, names: Iterable[str] | None = None) -> None:
    """InternalError unless `expression` is well-formed; `names`: the sizes it may use (None: any)."""
    sizes = None if names is None else frozenset(names)
    try:
        _check_expression(expression, _NameScope(sizes))
    except Complaint as complaint:
        raise InternalError(f"expression {expression.name}: {complaint}", loc=expression.loc) from None


@dataclass(frozen=True, slots=True)
class _NameScope:
    """Which names affine expressions may use: `sizes` (None: any but `hidden`) and `dims`."""

    sizes: frozenset[str] | None
    dims: frozenset[str] = frozenset()
    hidden: frozenset[str] = frozenset()

    def over(self, dims: Iterable[str], hidden: Iterable[str] = ()) -> _NameScope:
        return replace(self, dims=frozenset(dims), hidden=frozenset(hidden))

    def use(self, affine: Affine, what: str) -> None:
        names = [name for name, _ in affine.terms]
        canonical = names == sorted(set(names)) and all(c != 0 for _, c in affine.terms)
        require(canonical, f"{what}: {affine!r} is not canonical")
        bad = set(names) & self.hidden
        if self.sizes is not None:
            bad |= set(names) - self.dims - self.sizes
        require(not bad, f"{what} uses {', '.join(sorted(bad))}, which has no meaning there")

    def use_all(self, affines: Iterable[Affine], what: str) -> None:
        for affine in affines:
            self.use(affine, what)


def _unique(what: str, names: Sequence[str]) -> None:
    twice = sorted({n for n in names if names.count(n) > 1})
    require(not twice, f"{what} declared twice: {', '.join(twice)}")


def _types(types: Iterable[ScalarType]) -> str:
    return ", ".join(map(str, types))


# ------------------------------------------------------------------------------------------------------- programs


def _check_program(program: Program) -> None:
    unknown = (Affine(),)
    buffers = [Buffer(p.name, p.type, unknown * p.rank if isinstance(p, Array) else ()) for p in program.parameters] + [
        Buffer(a.name, a.type, a.shape) for a in program.allocations
    ]
    buffers += [Buffer(v.name, v.type, v.shape, v.of) for v in program.views]
    _unique("name", [b.name for b in buffers] + [d.name for d in program.definitions])
    scope = _NameScope(_sizes(program))
    for allocation in program.allocations:
        _check_fill(allocation)
    for call_check in program.checks:
        require(call_check.kind in CHECK_KINDS, f"no kind of check: {call_check.kind}")
        scope.use_all((call_check.value, *call_check.when), f"the check `{call_check.message}`")
    scalars = {p.name for p in program.parameters if not isinstance(p, Array)}
    arrays = {b.name for b in buffers} - scalars
    for result in program.returns or ():
        require(result.name in arrays, f"returns {result.name}, which is no array")
        _check_length(result, {a.name: a for a in program.allocations})
    for value in plain_values(program.values):
        of = value if isinstance(value, int) else value.of
        require(0 <= of < len(program.returns or ()), f"value {value} is none of what the program returns")
    _check_steps(program.steps, {b.name: b for b in buffers}, scalars, scope)


def _check_length(result: Return, made: Mapping[str, Allocation]) -> None:
    if not result.length:
        return
    cut, length = made.get(result.name), made.get(result.length)
    require(cut is not None and bool(cut.shape), f"returns a part of {result.name}, which is no array of its own")
    require(cut is None or not cut.fortran, f"returns the first rows of {result.name}, which do not lie together")
    require(
        length is not None and not length.shape and length.type == int64,
        f"returns as many rows as {result.length} says, which is no integer of its own",
    )


def _sizes(program: Program) -> frozenset[str]:
    """All names of sizes; Complaint where one is used before it is defined."""
    sizes: set[str] = set()
    for parameter in program.parameters:
        if isinstance(parameter, Array):
            sizes |= {shape_name(parameter.name, axis) for axis in range(parameter.rank)}
        elif parameter.type.is_integer:
            sizes.add(parameter.name)
    for definition in program.definitions:
        _check_size(definition.value, sizes)
        sizes.add(definition.name)
    for allocation in program.allocations:
        _NameScope(frozenset(sizes)).use_all(allocation.shape, f"the shape of {allocation.name}")
        sizes |= {shape_name(allocation.name, axis) for axis in range(len(allocation.shape))}
    return frozenset(sizes)


def _check_size(size: SizeExpr, sizes: set[str]) -> None:
    match size:
        case SizeConstant():
            pass
        case SizeName(name):
            require(name in sizes, f"a definition uses {name} before it is defined")
        case _:
            require(size.op in SIZE_OPERATIONS, f"no operation on sizes: {size.op}")
            _check_size(size.left, sizes)
            _check_size(size.right, sizes)


def _check_fill(allocation: Allocation) -> None:
    if allocation.fill is not None:
        check_constant(allocation.fill)
        facts = f"{allocation.name} of {allocation.type} is filled with {allocation.fill.type}"
        require(allocation.fill.type == allocation.type, facts)


def _check_steps(steps: Sequence[Step], buffers: dict[str, Buffer], scalars: set[str], scope: _NameScope) -> None:
    for step in steps:
        if isinstance(step, Expression):
            for used in step.buffers:
                _check_declared(used, buffers)
            written = {a.buffer for a in step.out_view} & scalars
            require(not written, f"{step.name} writes the scalar argument {', '.join(sorted(written))}")
            check_expression(step, scope.sizes)
        else:
            assert scope.sizes is not None
            require(step.dim.name not in scope.sizes, f"loop {step.dim.name} hides a size of that name")
            scope.use(step.dim.extent, f"the extent of loop {step.dim.name}")
            if isinstance(step, Sequential):
                _check_until(step, buffers)
            inside = {**buffers, **_check_together(step, buffers, scope)} if isinstance(step, Together) else buffers
            _check_steps(step.body, inside, scalars, _NameScope(scope.sizes | {step.dim.name}))


def _check_until(step: Sequential, buffers: dict[str, Buffer]) -> None:
    ends = {name for s in step.body for name in step.ends(s)}
    for name in step.until:
        require(name in ends, f"no step of loop {step.dim.name} writes {name}, which ends it")
        known = buffers.get(name)
        require(known is not None and known.type == bool_ and not known.shape, f"{name} is no boolean scalar")


def _check_together(step: Together, buffers: dict[str, Buffer], scope: _NameScope) -> dict[str, Buffer]:
    """The arrays that only `step` knows; Complaint where its points are not independent."""
    for allocation in step.local:
        require(allocation.name not in buffers, f"the local array {allocation.name} hides another")
        require(allocation.fill is None, f"the local array {allocation.name} is filled")
        scope.use_all(allocation.shape, f"the shape of {allocation.name}")
    _unique("local array", [a.name for a in step.local])
    require(not _has_together(step.body), f"some steps that are together over {step.dim.name} are together again")
    for expression in expressions(step.body):
        require(not may_fail(expression), f"{expression.name}, which may fail, is together with others")
        views = [b.name for b in expression.buffers if b.name in buffers and _is_view(buffers[b.name])]
        require(not views, f"the view {', '.join(views)} is used by steps together")
    shared = shared_array(step.body, step.dim.name, {a.name for a in step.local})
    require(shared is None, f"points of {step.dim.name} share {shared}, which one of them writes")
    return {a.name: Buffer(a.name, a.type, a.shape) for a in step.local}


def _has_together(steps: Sequence[Step]) -> bool:
    return any(isinstance(s, Together) or (not isinstance(s, Expression) and _has_together(s.body)) for s in steps)


def _is_view(buffer: Buffer) -> bool:
    return buffer.of is not None and whole_name(buffer) == buffer.name


def _check_declared(used: Buffer, buffers: dict[str, Buffer]) -> None:
    if used.of is not None and used.of in buffers and used.name not in buffers:
        whole = buffers[used.of]
        parts = {part_name(whole.name, name): type for name, type, _ in whole.type.parts}
        require(parts.get(used.name) == used.type, f"{used.of} has no part {used.name} of type {used.type}")
        require(whole.rank == used.rank, f"{used.name} has rank {used.rank}, {used.of} has {whole.rank}")
        return
    require(used.name in buffers, f"no buffer {used.name}")
    declared = buffers[used.name]
    facts = f"{declared.type} of rank {declared.rank}, used as {used.type} of rank {used.rank}"
    require(declared.type == used.type and declared.rank == used.rank, f"{used.name} is {facts}")


# ----------------------------------------------------------------------------------------------------- expressions


def _check_expression(expression: Expression, scope: _NameScope) -> None:
    """Each pass hands on most expressions as they are: what was checked is not checked again."""
    known = _checked.get(id(expression))
    if known is not None and known[0] is expression and known[1] == scope:
        return
    _check_new_expression(expression, scope)
    if len(_checked) >= _REMEMBERED:
        _checked.clear()
    _checked[id(expression)] = expression, scope


_REMEMBERED = 256
_checked: dict[int, tuple[Expression, _NameScope]] = {}
"""The last expressions that were found well-formed, by identity (they are kept, so that no other takes its place)."""


def _check_new_expression(expression: Expression, scope: _NameScope) -> None:
    md_hom, finish = expression.md_hom, expression.finish
    dims = [d.name for d in md_hom.dims]
    scope = _check_indirect(expression, scope)
    _unique("buffer", [b.name for b in expression.buffers])
    for buffer in expression.buffers:
        scope.over((), dims).use_all(buffer.shape, f"the shape of {buffer.name}")
    _check_md_hom(md_hom, scope)
    hidden = [n.name for n in expression.indirect if expression.indirect_depends(n) & set(expression.collapsed)]
    everywhere, remaining = scope.over(dims), scope.over(expression.remaining, (*expression.collapsed, *hidden))
    _check_inputs(expression, expression.inp_view, md_hom.function.parameters, "inp_view", everywhere)
    results = _check_operators(expression, scope)
    if finish is not None:
        _check_finish(expression, finish, results, remaining)
        results = finish.function.result_types
    facts = f"{len(results)} results for {len(expression.out_view)} accesses of out_view"
    require(len(expression.out_view) == len(results), facts)
    for access, type in zip(expression.out_view, results):
        _check_access(expression, access, type, "out_view", remaining)
        _check_injective(expression, access)
    _check_in_place(expression)
    _check_scatter(expression)
    _check_on_the_way(expression)


def _check_on_the_way(expression: Expression) -> None:
    """What procedures find on their way are elements of arrays that the expression knows, by their axes and types."""
    known = {b.name: b for b in expression.buffers}
    found = (i for p in expression.procedures for i in instructions(p.body) if isinstance(i, Fetch | Put))
    for part in found:
        what = f"{part.buffer}, on the way,"
        require(part.buffer in known, f"{what} is no buffer of {expression.name}")
        buffer, type = known[part.buffer], part.value.type if isinstance(part, Put) else part.variable.type
        require(len(part.index) == len(buffer.shape), f"{what} has {len(buffer.shape)} axes, {len(part.index)} named")
        require(type == buffer.type, f"{what} is {buffer.type}, used as {type}")


def _check_indirect(expression: Expression, scope: _NameScope) -> _NameScope:
    """`scope` with the indirect names; Complaint where one, or a dimension's extent, uses what has no meaning yet."""
    dims = [d.name for d in expression.md_hom.dims]
    _unique("indirect name", [n.name for n in expression.indirect])
    known = scope
    for indirect in expression.indirect:
        what = f"the indirect index {indirect.name}"
        require(len(indirect.function.results) == 1, f"{what} has {len(indirect.function.results)} values")
        require(indirect.function.results[0].type.kind in "iu", f"{what} is {indirect.function.results[0].type}")
        check_function(indirect.function, what, known.over(dims).use)
        _check_inputs(expression, indirect.inp_view, indirect.function.parameters, what, known.over(dims))
        plain = len(indirect.inp_view) == 1 and indirect.function.results == indirect.function.parameters
        require(not indirect.distinct or plain, f"{what} is more than one element of a list, and said to be distinct")
        if indirect.extent is not None:
            known.over((), dims).use(indirect.extent, f"the extent of {what}")
        if known.sizes is not None:
            known = replace(known, sizes=known.sizes | {indirect.name})
    for n, dim in enumerate(expression.md_hom.dims):
        deep = expression.depends(dim.extent) - set(dims[:n])
        require(not deep, f"the extent of {dim.name} depends on {', '.join(sorted(deep))}, which is not outside of it")
    return known


def _check_scatter(expression: Expression) -> None:
    combine = expression.md_hom.combine
    operators = [c.operator for c in combine if isinstance(c, Scatter)]
    if not operators:
        return
    require(all(isinstance(c, Scatter | Concatenation) for c in combine), "scatter beside other reductions")
    require(len(set(operators)) == 1, "scatter with different operators")
    require(operators[0].identity is not None and operators[0].commutative, "scatter needs an identity, any order")
    require(expression.finish is None, "scatter with a finish")
    require(operators[0].arity == 1 and len(expression.out_view) == 1, "scatter of several components")
    written = {a.buffer for a in expression.out_view}
    reads = {a.buffer for a in (*expression.inp_view, *(a for n in expression.indirect for a in n.inp_view))}
    require(not written & reads, f"scatter to {', '.join(sorted(written & reads))}, which is read")


def _check_md_hom(md_hom: MdHom, scope: _NameScope) -> None:
    dims = [d.name for d in md_hom.dims]
    _unique("dimension", dims)
    shadowed = set(dims) & (scope.sizes or frozenset())
    require(not shadowed, f"dimension {', '.join(sorted(shadowed))} hides a size of that name")
    for dim in md_hom.dims:
        scope.over((), dims).use(dim.extent, f"the extent of {dim.name}")
    require(len(dims) == len(md_hom.combine), f"{len(dims)} dimensions, {len(md_hom.combine)} combine operators")
    inside = scope.over(dims)
    inside.use_all(md_hom.guard, "the guard of md_hom")
    check_function(md_hom.function, "the function of md_hom", inside.use)


def _check_operators(expression: Expression, scope: _NameScope) -> tuple[ScalarType, ...]:
    """The operators and what stands between them, from the inside; the types of the state after the outermost."""
    md_hom = expression.md_hom
    state = md_hom.function.result_types
    depths = [b.depth for b in expression.between]
    require(depths == sorted(set(depths), reverse=True), f"functions between operators at depths {depths}")
    between = {b.depth: b for b in expression.between}
    operator_axes = [a for a, c in enumerate(md_hom.combine) if not isinstance(c, Concatenation | Scatter)]
    for axis in reversed(range(len(md_hom.dims))):
        if axis + 1 in between:
            b = between[axis + 1]
            next_depth = next((d for d in reversed(depths) if d > b.depth), len(md_hom.dims))
            inside = [a for a in operator_axes if b.depth <= a < next_depth]
            apart = inside and any(a < b.depth for a in operator_axes)
            require(bool(apart), f"the function at depth {b.depth} is not between two operators")
            dims = [d.name for d in md_hom.dims]
            own = scope.over(dims[: b.depth], dims[b.depth :])
            _check_takes_state(expression, b, state, f"the function at depth {b.depth}", own)
            state = b.function.result_types
        if not isinstance(combine := md_hom.combine[axis], Concatenation):
            operator = combine.operator
            check_operator(operator)
            facts = f"operator {operator.name} is on ({_types(operator.types)}), the state is ({_types(state)})"
            require(operator.types == state, facts)
    require(max(depths, default=0) <= len(md_hom.dims), "a function between operators is inside all dimensions")
    return state


def _check_takes_state(
    expression: Expression, taken: Finish | Between, state: tuple[ScalarType, ...], what: str, scope: _NameScope
) -> None:
    function = taken.function
    check_function(function, what, scope.use)
    given = tuple(p.type for p in function.parameters[: len(state)])
    require(given == state, f"{what} takes the state as ({_types(given)}), it is ({_types(state)})")
    _check_inputs(expression, taken.inp_view, function.parameters[len(state) :], what, scope)


def _check_finish(expression: Expression, finish: Finish, state: tuple[ScalarType, ...], scope: _NameScope) -> None:
    function = finish.function
    _check_takes_state(expression, finish, state, "finish", scope)
    inputs = function.parameters[len(state) :]
    if finish.empty is not None:
        for scalar in finish.empty:
            check_scalar(scalar, {p.name: p.type for p in inputs}, "finish.empty", scope.use)
        empty = tuple(e.type for e in finish.empty)
        facts = f"finish gives ({_types(function.result_types)}), but ({_types(empty)}) where empty"
        require(empty == function.result_types, facts)


def _check_inputs(
    expression: Expression, view: Sequence[Access], parameters: Sequence[Variable], what: str, scope: _NameScope
) -> None:
    require(len(view) == len(parameters), f"{what} has {len(view)} accesses for {len(parameters)} parameters")
    for access, parameter in zip(view, parameters):
        _check_access(expression, access, parameter.type, what, scope)


def _check_access(expression: Expression, access: Access, type: ScalarType, what: str, scope: _NameScope) -> None:
    found = [b for b in expression.buffers if b.name == access.buffer]
    require(bool(found), f"{what}: no buffer {access.buffer}")
    buffer = found[0]
    facts = f"{what}: {len(access.index)} subscripts of {access.buffer}, which has rank {buffer.rank}"
    require(len(access.index) == buffer.rank, facts)
    require(buffer.type == type, f"{what}: {access.buffer} holds {buffer.type}, not {type}")
    scope.use_all((*access.index, *access.guard), f"{what}, {access.buffer}")


def _check_injective(expression: Expression, access: Access) -> None:
    """As far as it can be told without solving: an unguarded output mentions every dimension of the result.

    Where an extent falls with a size or with a loop around, there may be one point at most, or none; and where it
    rises with a loop around, which no array's shape does, that loop may have one round.
    """
    if access.guard or expression.md_hom.guard or expression.scattered:
        return
    if any(c < 0 for dim in expression.md_hom.dims for _, c in dim.extent.terms):
        return
    used = {name for affine in access.index for name in affine.names}
    for indirect in expression.indirect:
        if indirect.distinct and indirect.name in used:
            used |= expression.indirect_depends(indirect)
    sizes = {name for buffer in expression.buffers for extent in buffer.shape for name in extent.names}
    for dim in expression.md_hom.dims:
        single = dim.extent.constant <= 1 and sizes.isdisjoint(dim.extent.names)
        present = dim.name in used or single or dim.name not in expression.remaining
        require(present, f"out_view: no subscript of {access.buffer} uses {dim.name}, so it is written repeatedly")


def _is_one_element(expression: Expression) -> bool:
    """Whether one element is written: a number, or all parts of a complex number or record."""
    whole = {b.name: b.of or b.name for b in expression.buffers}
    return len({(whole[a.buffer], a.index) for a in expression.out_view}) == 1


def _check_in_place(expression: Expression) -> None:
    if not expression.md_hom.dims and _is_one_element(expression):
        return  # at one point, all is read before anything is written
    written: dict[str, list[tuple[Affine, ...]]] = {}
    for access in expression.out_view:
        written.setdefault(access.buffer, []).append(access.index)
    varying = {d.name for d in expression.md_hom.dims} | {n.name for n in expression.indirect}
    for access in expression.reads:
        if access.buffer not in written or access.index in written[access.buffer]:
            continue
        apart = all(_are_apart(access.index, index, varying) for index in written[access.buffer])
        index = ", ".join(map(str, access.index))
        require(apart, f"{access.buffer}[{index}] is read, but {access.buffer} is written elsewhere")


def _are_apart(a: Sequence[Affine], b: Sequence[Affine], varying: Collection[str]) -> bool:
    """Whether no two points have the same element there: a row of one number and a row of another."""
    differences = ((x - y, {*x.names, *y.names}) for x, y in zip(a, b, strict=True))
    return any(d.is_constant and d.constant != 0 and names.isdisjoint(varying) for d, names in differences)
