"""Steps that compute what another step has computed already: gone (common subexpressions, of whole arrays).

t = min_i x[i];  u = max_i x[i];  v = min_i x[i]                    t = min_i x[i];  u = max_i x[i]
y[i] = (x[i] - t) / (u - v)                             ->          y[i] = (x[i] - t) / (u - t)

Of two equal steps the first one stays. Requires results in arrays of the program's own that nothing else writes, and
that nobody writes in between to what both read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from jitmdh.mdh.algebra.expr import Access, Expression, Program, Sequential, Step, expressions
from jitmdh.mdh.algebra.independence import may_fail, whole_name
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.rewrites.accesses import with_accesses
from jitmdh.mdh.algebra.rewrites.specialise import specialise_expression
from jitmdh.mdh.algebra.scalar import Scalar, ScalarFunction, Variable, substitute


def with_equal_results_once(program: Program) -> Program:
    """`program` without the steps whose results others have already, and without their arrays.

    ensures: the same meaning, bit by bit. Steps inside of loops that run in order stay: at the next iteration, what
    they have read may have changed.
    """
    own, names, kept = _own(program), dict[str, str](), list[_Kept]()
    for step in program.steps:
        step = _reading(step, names) if names else step
        key = _key(step, own)
        first = None if key is None else _equal(kept, step, key)
        if first is None:
            kept.append((step, key))
            continue
        names |= {o.buffer: n.buffer for o, n in zip(_results(step), _results(first))}
    if not names:
        return program
    allocations = tuple(a for a in program.allocations if a.name not in names)
    return replace(program, steps=tuple(step for step, _ in kept), allocations=allocations)


_Kept = tuple[Step, str | None]
"""A step, and its key."""


def _own(program: Program) -> dict[str, Any]:
    """Type and shape of the arrays that one expression writes and nobody outside sees, by name."""
    found = expressions(program.steps)
    writers = Counter(whole_name(e.buffer(name)) for e in found for name in e.written)
    seen = {*program.returned, *(view.of for view in program.views), *_ends(program.steps)}
    seen = seen.union(*(p.fetched for e in found for p in e.procedures))
    return {
        a.name: (a.type, a.shape, a.fortran)
        for a in program.allocations
        if a.fill is None and a.name not in seen and writers[a.name] == 1
    }


def _ends(steps: tuple[Step, ...]) -> set[str]:
    """What decides that loops are over."""
    loops = [s for s in steps if not isinstance(s, Expression)]
    own = {name for s in loops if isinstance(s, Sequential) for name in s.until}
    return own.union(*(_ends(s.body) for s in loops))


def _equal(before: Sequence[_Kept], step: Step, key: str) -> Step | None:
    """An earlier step that has computed the same, of what nobody has changed since then."""
    read = {whole_name(e.buffer(a.buffer)) for e in expressions((step,)) for a in e.reads}
    for other, its in reversed(before):
        if its == key:
            return other
        if any(whole_name(e.buffer(name)) in read for e in expressions((other,)) for name in e.written):
            return None
    return None


def _results(step: Step) -> tuple[Access, ...]:
    return step.out_view if isinstance(step, Expression) else ()


def _key(step: Step, own: Mapping[str, Any]) -> str | None:
    """Equal for steps that compute the same, whatever dimensions, parameters and results are called; None: it has to be
    computed. As text, in which 0.0 and -0.0, 1 and True differ."""
    if not isinstance(step, Expression) or step.indirect or step.scattered or may_fail(step):
        return None
    written = {a.buffer for a in step.out_view}
    if not written <= own.keys() or any(a.buffer in written for a in step.reads):
        return None
    e = specialise_expression(step, {d.name: Affine.of(f"#{n}") for n, d in enumerate(step.md_hom.dims)})
    m, finish = e.md_hom, e.finish
    return repr((
        [d.extent for d in m.dims], m.combine, m.guard, e.inp_view, _function(m.function),
        [(b.depth, b.inp_view, _function(b.function)) for b in e.between],
        finish and (finish.inp_view, _function(finish.function), _empty(finish.function, finish.empty)),
        [(own[a.buffer], a.index, a.guard) for a in e.out_view],
    ))  # fmt: skip


def _function(f: ScalarFunction) -> Any:
    """The types of parameters, and results of parameters by their places."""
    values, bindings = _places(f), []
    for n, (variable, value) in enumerate(f.bindings):
        bindings.append(substitute(value, values))
        values[variable.name] = Variable(f"#bound {n}", variable.type)
    return [p.type for p in f.parameters], bindings, [substitute(r, values) for r in f.results]


def _places(f: ScalarFunction) -> dict[str, Scalar]:
    return {p.name: Variable(f"#{n}", p.type) for n, p in enumerate(f.parameters)}


def _empty(f: ScalarFunction, empty: tuple[Scalar, ...] | None) -> Any:
    return None if empty is None else [substitute(value, _places(f)) for value in empty]


def _reading(step: Step, names: Mapping[str, str]) -> Step:
    """`step` with other arrays in place of those that it reads."""
    if not isinstance(step, Expression):
        return replace(step, body=tuple(_reading(s, names) for s in step.body))
    if not any(b.name in names for b in step.buffers):
        return step

    return with_accesses(
        step,
        lambda a: replace(a, buffer=names.get(a.buffer, a.buffer)),
        lambda b: replace(b, name=names.get(b.name, b.name)),
    )
