"""Bounds: the extremes of every subscript against the shapes, as checks before a call writes anything."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from jitmdh.mdh.algebra.expr import Access, Check
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.sizes import SizeExpr, SizeOperation, size_expr
from jitmdh.mdh.frontend.to_algebra.accesses import Site
from jitmdh.mdh.frontend.to_algebra.expressions import Emitter
from jitmdh.mdh.frontend.trace_ir.domain import Domain
from jitmdh.mdh.frontend.trace_ir.trace import Trace, has_indirect
from jitmdh.mdh.frontend.trace_ir.value_graph import LoopDim


def before_data(check: Check) -> Check:
    """A condition that is looked at before data are: a loop whose length they decide is taken for one that runs."""
    when = tuple(e for e in check.when if not has_indirect(e))
    if len(when) == len(check.when):
        return check
    return replace(check, when=when, kind="fallback")


def bounds_checks(trace: Trace, emitter: Emitter) -> tuple[Check, ...]:
    """The checks that are not certain to hold, each once."""
    found: dict[tuple[Affine, tuple[Affine, ...]], Check] = {}
    done: set[object] = set()
    for site in (*emitter.accesses.sites, *_unused(trace, emitter)):
        key = (
            site.access.buffer,
            site.access.index,
            site.dims,
            site.guard,
            site.access.guard,
            site.speculative,
            site.needs,
            site.skipped,
        )
        if trace.buffers[site.access.buffer].expanded is not None or key in done:
            continue
        done.add(key)
        for check in _of_site(trace, emitter, site):
            known = found.get((check.value, check.when))
            if known is None or (known.kind == "fallback" and check.kind == "bounds"):
                found[check.value, check.when] = check
    return tuple(c for c in found.values() if not _implied(c, found.values()))


def _implied(check: Check, others: Iterable[Check]) -> bool:
    """Whether another check asks for the same, under fewer conditions."""
    when = set(check.when)
    return any(o.value == check.value and o.kind in ("bounds", check.kind) and set(o.when) < when for o in others)


def _unused(trace: Trace, emitter: Emitter) -> Iterable[Site]:
    """What the source reads without using it: no expression does, but Python raises where it does not exist."""
    certain = [s for s in emitter.accesses.sites if not (s.speculative or s.access.guard or s.guard or s.needs)]
    emitted = {(s.access.buffer, s.access.index, frozenset(s.dims)) for s in certain}
    for touch in trace.touched:
        if touch.buffer is not None and (touch.buffer, touch.index, frozenset(touch.dims)) not in emitted:
            yield Site(Access(touch.buffer, touch.index, (), touch.loc), touch.dims, touch.guard, touch.speculative)


def unused_indirect(trace: Trace, emitter: Emitter) -> Iterable[Check]:
    """Elements chosen by data that the source reads without using them: Python reads them, where the loops run."""
    emitted = {(s.access.buffer, s.access.index) for s in emitter.accesses.sites}
    for touch in trace.touched:
        names = {n for i in touch.index for n in i.names}
        seen = all(n in emitter.named for n in names if n in trace.indirect)
        ragged = any(d.name in names and has_indirect(emitter.accesses.extent(d)) for d in touch.dims)
        if seen and (touch.buffer is None or not ragged or (touch.buffer, touch.index) in emitted):
            continue
        when = [e for d in touch.dims if not has_indirect(e := emitter.accesses.extent(d))]
        whose = "" if touch.buffer is None else f" of `{touch.buffer}`"
        text = f"an element{whose} that the data choose is read and not used"
        yield Check(Affine((), -1), "fallback", text, tuple(when), touch.loc)


def _of_site(trace: Trace, emitter: Emitter, site: Site) -> Iterable[Check]:
    if site.access.buffer in {view for view, _ in trace.rows.values()}:
        yield from _of_rows(trace, emitter, site)
        return
    facts = tuple(c.value for c in trace.checks if c.kind == "fallback" and not c.when)
    points, sizes = _split(dict.fromkeys(site.guard + site.access.guard), site.dims)
    domain = Domain(site.dims, points, (*facts, *sizes))
    shape = trace.buffers[site.access.buffer].shape
    ragged = {d.name for d in site.dims if has_indirect(emitter.accesses.extent(d))}
    for axis, index in enumerate(site.access.index):
        if has_indirect(index) or ragged.intersection(index.names):
            if site.needs and (site.speculative or any(has_indirect(e) for e in site.needs)):
                text = f"axis {axis} of `{site.access.buffer}` is empty, and data choose whether it is looked at"
                when = tuple(dict.fromkeys(_extents(emitter, domain)))
                yield Check(shape[axis] - 1, "fallback", text, when, site.access.loc)
            continue  # `algebra.bounds` checks what depends on data
        for value, text in (
            (index, f"index {index} is out of bounds for axis {axis} of `{site.access.buffer}`: it is negative"),
            (shape[axis] - 1 - index, f"index {index} is out of bounds for axis {axis} of `{site.access.buffer}`"),
        ):
            if domain.proves(value):
                continue
            least = _least(domain, value)
            exact = domain.is_box and not site.speculative and least is not None and not ragged
            if least is None:
                least = _over_hull(emitter, domain, value)
            if least.is_constant and least.constant >= 0:
                continue
            when = tuple(dict.fromkeys((*_extents(emitter, domain), *(g + 1 for g in sizes))))
            needs = [e for e in site.needs if not has_indirect(e)]
            needed = tuple(e for e in needs if e not in when and not (e.is_constant and e.constant > 0))
            exact = exact and len(needs) == len(site.needs)
            yield Check(least, "bounds" if exact else "fallback", text, (*when, *needed), site.access.loc)
            if needed and not site.skipped:
                yield Check(least, "fallback", text, when, site.access.loc)


def _split(guard: Iterable[Affine], dims: Iterable[LoopDim]) -> tuple[tuple[Affine, ...], tuple[Affine, ...]]:
    """Conditions on points, and those that sizes decide alone: where they hold all points are accessed, else none."""
    names = {d.name for d in dims}
    sizes = tuple(g for g in guard if not names.intersection(g.names) and not has_indirect(g))
    return tuple(g for g in guard if g not in sizes), sizes


def _of_rows(trace: Trace, emitter: Emitter, site: Site) -> Iterable[Check]:
    """An element of a view of rows is inside its row already: the last one of all must be inside the array."""
    (name,) = (name for name, (view, _) in trace.rows.items() if view == site.access.buffer)
    domain = Domain(site.dims, tuple(dict.fromkeys(site.guard + site.access.guard)))
    last: SizeExpr | None = None
    shown = ""
    for index, extent in zip(site.access.index, trace.buffers[site.access.buffer].shape):
        greatest = domain.greatest(index)
        if greatest is None:
            greatest = -_over_hull(emitter, domain, -index)
        own = size_expr(greatest)
        last = own if last is None else SizeOperation("add", SizeOperation("mul", last, size_expr(extent)), own)
        shown = f"({shown}) * {extent} + {index}" if shown else str(index)
    assert last is not None
    (length,) = trace.buffers[name].shape
    value = length - 1 - trace.define(f"{name}_last", last)
    used = [d.name for index in site.access.index for d in site.dims if d.name in index.names]
    exact = domain.is_box and not site.speculative and not site.needs and len(used) == len(set(used))
    text = f"index {shown} is out of bounds for axis 0 of `{name}`"
    when = tuple(dict.fromkeys(_extents(emitter, domain)))
    yield Check(value, "bounds" if exact else "fallback", text, when, site.access.loc)


def _least(domain: Domain, value: Affine) -> Affine | None:
    """A lower bound of `value`: of the box around the points, or what a guard gives at once, where that is greater."""
    least = domain.least(value)
    names = {d.name for d in domain.dims}.intersection(value.names)
    if domain.is_box:
        return least
    for fact in (*domain.guard, *(g for d in domain.dims for g in d.guard)):
        rest = value - fact  # the guard is ≥ 0
        if names.intersection(fact.names) and not any(d.name in rest.names for d in domain.dims):
            gain = None if least is None else rest - least
            if len(names) > 1 or gain is None or (gain.is_constant and gain.constant > 0):
                return rest
    return least


def _extents(emitter: Emitter, domain: Domain) -> Iterable[Affine]:
    for d in domain.dims:
        extent = emitter.accesses.extent(d)
        if not (extent.is_constant and extent.constant > 0) and not has_indirect(extent):
            yield extent


def _over_hull(emitter: Emitter, domain: Domain, value: Affine) -> Affine:
    for d in reversed(domain.dims):
        c = value.coefficient(d.name)
        rest = value.without((d.name,))
        value = rest + c * domain.first(d) if c > 0 else rest + (emitter.accesses.extent(d) - 1) * c
    return value
