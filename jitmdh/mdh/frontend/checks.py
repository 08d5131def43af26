"""Bounds: the extremes of every subscript against the shapes, as checks before a call writes anything."""

from __future__ import annotations

from collections.abc import Iterable

from jitmdh.mdh.algebra.expr import Check
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.frontend.domain import Domain
from jitmdh.mdh.frontend.emit import Emitter, Site
from jitmdh.mdh.frontend.state import State


def bounds_checks(state: State, emitter: Emitter) -> tuple[Check, ...]:
    """The checks that are not certain to hold, each once."""
    found: dict[tuple[Affine, tuple[Affine, ...]], Check] = {}
    done: set[object] = set()
    for site in emitter.sites:
        key = (
            site.access.buffer,
            site.access.index,
            site.dims,
            site.guard,
            site.access.guard,
            site.speculative,
            site.needs,
        )
        if state.buffers[site.access.buffer].expanded is not None or key in done:
            continue
        done.add(key)
        for check in _of_site(state, emitter, site):
            known = found.get((check.value, check.when))
            if known is None or (known.kind == "fallback" and check.kind == "bounds"):
                found[check.value, check.when] = check
    return tuple(found.values())


def _of_site(state: State, emitter: Emitter, site: Site) -> Iterable[Check]:
    domain = Domain(site.dims, tuple(dict.fromkeys(site.guard + site.access.guard)))
    shape = state.buffers[site.access.buffer].shape
    for axis, index in enumerate(site.access.index):
        for value, text in (
            (index, f"index {index} is out of bounds for axis {axis} of `{site.access.buffer}`: it is negative"),
            (shape[axis] - 1 - index, f"index {index} is out of bounds for axis {axis} of `{site.access.buffer}`"),
        ):
            if domain.proves(value):
                continue
            least = domain.least(value)
            exact = domain.is_box and not site.speculative and least is not None
            if least is None:
                least = _over_hull(emitter, domain, value)
            if least.is_constant and least.constant >= 0:
                continue
            when = tuple(dict.fromkeys(_extents(emitter, domain)))
            needed = tuple(e for d in site.needs for e in _extents(emitter, Domain((*domain.dims, d))) if e not in when)
            yield Check(least, "bounds" if exact else "fallback", text, (*when, *needed), site.access.loc)
            if needed:
                yield Check(least, "fallback", text, when, site.access.loc)


def _extents(emitter: Emitter, domain: Domain) -> Iterable[Affine]:
    for n, d in enumerate(domain.dims):
        extent = emitter.extent(d, domain.dims[:n], ())
        if not (extent.is_constant and extent.constant > 0):
            yield extent


def _over_hull(emitter: Emitter, domain: Domain, value: Affine) -> Affine:
    for n, d in reversed(tuple(enumerate(domain.dims))):
        c = value.coefficient(d.name)
        rest = value.without((d.name,))
        value = rest if c > 0 else rest + (emitter.extent(d, domain.dims[:n], ()) - 1) * c
    return value
