"""Steps gone that write only what nothing reads.

    t: f64[20, 9];  t[k + 10, p] = 0.0 for k < 10;  Q[k, p] = t[k, p] for k < 10        the first step is gone

Requires arrays of the program's own, which it does not return, and subscripts that do not depend on data.
"""

from __future__ import annotations

from collections.abc import Sequence

from jitmdh.mdh.algebra.expr import Access, Allocation, Expression

Box = tuple[tuple[int, int] | None, ...]
"""For each axis the first and the last subscript; None: any."""


def without_unread(steps: Sequence[Expression], own: Sequence[Allocation]) -> list[Expression]:
    """The steps but those all of whose results lie where no other step reads. own: arrays that only `steps` see."""
    names, left = {a.name for a in own}, list(steps)
    while True:
        read: dict[str, dict[int, list[Box]]] = {}
        for number, e in enumerate(left):
            for access in e.reads:
                if access.buffer in names:
                    read.setdefault(access.buffer, {}).setdefault(number, []).append(_box(e, access))
        kept = [e for n, e in enumerate(left) if not _is_unread(e, n, names, read)]
        if len(kept) == len(left):
            return kept
        left = kept


def _is_unread(e: Expression, number: int, names: set[str], read: dict[str, dict[int, list[Box]]]) -> bool:
    if e.indirect or e.procedures or not {a.buffer for a in e.out_view} <= names:
        return False
    for access in e.out_view:
        others = [box for n, boxes in read.get(access.buffer, {}).items() if n != number for box in boxes]
        written = _box(e, access)
        if any(_meet(written, box) for box in others):
            return False
    return True


def _meet(a: Box, b: Box) -> bool:
    return all(x is None or y is None or (x[0] <= y[1] and y[0] <= x[1]) for x, y in zip(a, b))


def _box(e: Expression, access: Access) -> Box:
    last = {d.name: d.extent.constant - 1 for d in e.md_hom.dims if d.extent.is_constant}
    found: list[tuple[int, int] | None] = []
    for index in access.index:
        if not all(name in last for name in index.names):
            found.append(None)
            continue
        ends = [(c * last[name], 0) for name, c in index.terms]
        found.append((index.constant + sum(map(min, ends)), index.constant + sum(map(max, ends))))
    return tuple(found)
