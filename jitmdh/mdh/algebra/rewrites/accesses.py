"""The one door for rewrites by which an expression sees arrays otherwise: under other names, with other subscripts.

before:  y[i] = x[p[i]] finished by t[i], x seen as x2[0, i]      after:  y[i] = x2[0, p[i]] finished by t[i]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from jitmdh.base.errors import InternalError
from jitmdh.mdh.algebra.expr import Access, Buffer, Expression


def with_accesses(
    e: Expression, access: Callable[[Access], Access], buffer: Callable[[Buffer], Buffer]
) -> Expression:  # fmt: skip
    """`e` with `access(a)` in place of each access, and `buffer(b)` of each buffer, once where two become one.

    All accesses that read, those of subscripts from data, of finishes and in between included, and all that write.
    requires: arrays whose elements a procedure finds on its way are left as they are. InternalError otherwise.
    """

    def view(accesses: tuple[Access, ...]) -> tuple[Access, ...]:
        return tuple(map(access, accesses))

    on_the_way = touched_on_the_way(e)
    buffers: dict[str, Buffer] = {}
    for b in e.buffers:
        made = buffer(b)
        if b.name in on_the_way and made != b:
            raise InternalError(f"{e.name}: a loop that data end finds `{b.name}` on its way, which is {made} now")
        buffers.setdefault(made.name, made)
    finish = e.finish
    return replace(
        e,
        buffers=tuple(buffers.values()),
        inp_view=view(e.inp_view),
        finish=None if finish is None else replace(finish, inp_view=view(finish.inp_view)),
        out_view=view(e.out_view),
        between=tuple(replace(b, inp_view=view(b.inp_view)) for b in e.between),
        indirect=tuple(replace(n, inp_view=view(n.inp_view)) for n in e.indirect),
    )


def touched_on_the_way(e: Expression) -> frozenset[str]:
    """The buffers of which procedures of `e` read or write elements that no access names."""
    return frozenset[str]().union(*(p.fetched | p.written for p in e.procedures))
