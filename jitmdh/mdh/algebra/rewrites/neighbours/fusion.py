"""Two expressions as one: a reduction whose results nothing but another reduction or prefix sum takes in.

    t[i] = Σ_j x[i, j];   m = max_i √t[i]        ->        m = max_i √(Σ_j x[i, j])

The array between them is gone: each of its elements is combined as soon as it is known.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from jitmdh.base.names import unused
from jitmdh.mdh.algebra.combine import Concatenation
from jitmdh.mdh.algebra.expr import Access, Between, Expression, MdHom, Program, Step
from jitmdh.mdh.algebra.groups import passing
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.rewrites.specialise import specialise_expression
from jitmdh.mdh.algebra.rewrites.zero_initialisation import initialise_from_zero
from jitmdh.mdh.algebra.scalar import Operation, Scalar, ScalarFunction, Variable


def fused_program(program: Program) -> Program:
    """`program` with the expressions made one that can be, without the arrays that are not needed any more.

    ensures: the same meaning.
    """
    returned = program.returned
    local = {a.name for a in program.allocations if a.fill is None} - returned
    uses = Counter(name for e in _all(program.steps) for name in (*_read(e), *_written(e)))
    steps = _composed(program.steps, frozenset(n for n in local if uses[n] == 2))
    if steps == program.steps:
        return program
    left = {b.name for e in _all(steps) for b in e.buffers}
    kept = tuple(a for a in program.allocations if a.name in left or a.name in returned or a.fill is not None)
    return replace(program, steps=steps, allocations=kept)


def _all(steps: tuple[Step, ...]) -> list[Expression]:
    return [e for s in steps for e in ([s] if isinstance(s, Expression) else _all(s.body))]


def _read(e: Expression) -> set[str]:
    return {a.buffer for a in e.reads}.union(*(p.fetched for p in e.procedures))


def _written(e: Expression) -> set[str]:
    return set(e.written)


def _composed(steps: tuple[Step, ...], once: frozenset[str]) -> tuple[Step, ...]:
    """once: arrays that one expression writes and one reads, and nobody else."""
    found: list[Step] = []
    for step in steps:
        if not isinstance(step, Expression):
            found.append(replace(step, body=_composed(step.body, once)))
            continue
        place = _producer(found, step, once)
        while place is not None:
            producer = found[place]
            assert isinstance(producer, Expression) and isinstance(step, Expression)
            joined = fuse(producer, step)
            if joined is None:
                break
            del found[place]
            step = joined
            place = _producer(found, step, once)
        found.append(step)
    return tuple(found)


def _producer(before: list[Step], step: Expression, once: frozenset[str]) -> int | None:
    """The place of the expression whose results only `step` reads, if it may run as late as `step` does."""
    inputs = {a.buffer for a in step.inp_view}
    inputs -= {a.buffer for a in step.reads[len(step.inp_view) :]}
    changed = _written(step)
    for place in reversed(range(len(before))):
        other = before[place]
        if not isinstance(other, Expression):
            return None
        written = _written(other)
        if written <= once and written <= inputs:
            return None if _read(other) & changed else place
        changed |= written
    return None


def fuse(producer: Expression, consumer: Expression) -> Expression | None:
    """`consumer ∘ producer`; None where the two are no one expression.

    requires: everything that `producer` writes is read by `consumer` only, and none of what it reads is written by
    `consumer`. It has to collapse dimensions, without a prefix sum, and `consumer` to read its results at the same
    indices once each: an element for each of its points.
    """
    if producer.indirect or consumer.indirect or producer.scattered or consumer.scattered:
        return None
    if producer.procedures or consumer.procedures:
        return None
    operators = [c for c in consumer.md_hom.combine if not isinstance(c, Concatenation)]
    if not operators or not producer.collapsed or producer.has_prefix_sum or consumer.md_hom.dims == ():
        return None
    made = initialise_from_zero(producer)
    if any(a.guard for a in made.out_view) or (made.finish is not None and made.finish.empty is not None):
        return None
    names = _matched(made, consumer)
    if names is None:
        return None
    made = _renamed(made, names, {d.name for d in consumer.md_hom.dims})
    return _joined(made, consumer)


def _matched(producer: Expression, consumer: Expression) -> dict[str, str] | None:
    """The dimension of `consumer` that stands for each that remains of `producer`."""
    written = {a.buffer: a for a in producer.out_view}
    reads = [a for a in consumer.inp_view if a.buffer in written]
    outer = {d.name: d.extent for d in consumer.md_hom.dims}
    own = {d.name: d.extent for d in producer.md_hom.dims}
    names: dict[str, str] = {}
    for access in reads:
        source = written[access.buffer]
        for a, b in zip(source.index, access.index, strict=True):
            if a != Affine.of(*a.names[:1] or ("",)) or b != Affine.of(*b.names[:1] or ("",)):
                return None
            if names.setdefault(a.names[0], b.names[0]) != b.names[0]:
                return None
    if len(reads) != len(written) or len({*names.values()}) != len(names):
        return None
    if set(names) != set(producer.remaining) or set(names.values()) != set(outer):
        return None
    return names if all(own[a] == outer[b] for a, b in names.items()) else None


def _renamed(e: Expression, names: dict[str, str], taken: set[str]) -> Expression:
    """`e` with its dimensions named as `names` say, and the others unlike all of `taken`."""
    new = dict(names)
    for dim in e.md_hom.dims:
        name = dim.name
        while dim.name not in names and name in taken:
            name += "_"
        new.setdefault(dim.name, name)
    renamed = specialise_expression(e, {a: Affine.of(b) for a, b in new.items() if a != b})
    dims = tuple(replace(d, name=new[d.name]) for d in renamed.md_hom.dims)
    return replace(renamed, md_hom=replace(renamed.md_hom, dims=dims))


def _joined(producer: Expression, consumer: Expression) -> Expression | None:
    inner, outer = producer.md_hom, consumer.md_hom
    own = tuple(g for g in inner.guard if not set(g.names).intersection(producer.collapsed))
    if not set(own) <= set(outer.guard):
        return None  # the consumer would read elements that were never written
    pairs = [(d, c) for d, c in zip(inner.dims, inner.combine) if d.name in producer.collapsed]
    depth = len(outer.dims)
    moved = []
    for b in producer.between:
        outside = {d.name for d in inner.dims[: b.depth]}
        moved.append(replace(b, depth=depth + sum(d.name in outside for d, _ in pairs)))
    buffers = {b.name: b for b in (*producer.buffers, *consumer.buffers)}
    for name in _written(producer):
        del buffers[name]
    return Expression(
        consumer.name,
        tuple(buffers.values()),
        producer.inp_view,
        MdHom(
            (*outer.dims, *(d for d, _ in pairs)),
            inner.function,
            (*outer.combine, *(c for _, c in pairs)),
            tuple(dict.fromkeys((*outer.guard, *inner.guard))),
        ),
        consumer.finish,
        consumer.out_view,
        consumer.loc,
        (*moved, *_passed(producer, consumer, depth), *consumer.between),
    )


def _passed(producer: Expression, consumer: Expression, depth: int) -> tuple[Between, ...]:
    """What stands between the two: the finish of the one, then the function of the other."""
    state = producer.md_hom.function.result_types
    for b in producer.between:
        state = b.function.result_types
    finish = producer.finish
    first = passing(state) if finish is None else finish.function
    function = consumer.md_hom.function
    env: dict[str, Scalar] = {}
    taken = {p.name for p in first.parameters} | {v.name for v, _ in first.bindings}
    bindings = list(first.bindings)
    parameters = list(first.parameters)
    inputs: list[Access] = list(finish.inp_view if finish is not None else ())
    results = {a.buffer: r for a, r in zip(producer.out_view, first.results)}
    for parameter, access in zip(function.parameters, consumer.inp_view):
        if access.buffer in results:
            env[parameter.name] = results[access.buffer]
            continue
        new = Variable(unused(parameter.name, taken), parameter.type)
        env[parameter.name] = new
        parameters.append(new)
        inputs.append(access)
    for variable, value in function.bindings:
        new = Variable(unused(variable.name, taken), variable.type)
        bindings.append((new, _substituted(value, env)))
        env[variable.name] = new
    done = ScalarFunction(tuple(parameters), tuple(bindings), tuple(_substituted(r, env) for r in function.results))
    if not inputs and not bindings and done.results == done.parameters and done.results == first.parameters:
        return ()
    return (Between(depth, tuple(inputs), done),)


def _substituted(node: Scalar, env: dict[str, Scalar]) -> Scalar:
    match node:
        case Variable(name, _):
            return env[name]
        case Operation(op, operands, type):
            return Operation(op, tuple(_substituted(o, env) for o in operands), type)
    return node
