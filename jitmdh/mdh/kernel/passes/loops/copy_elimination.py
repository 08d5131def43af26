"""Copy elimination: what is computed into a temporary array and then copied is stored where it goes.

Before:   for (i = 0; i < n; i += 8)                   after:   for (i = 0; i < n; i += 8)
              store8(&t[i], load8(&v[i + 1]) * a);                  store8(&v[i], load8(&v[i + 1]) * a);
          for (i = 0; i < n; i += 8)
              store8(&v[i], load8(&t[i]));

So are rows of which each element needs those behind it as they were, updated in ascending order: option prices on a
tree, a row of Pascal's triangle, elements that move up.

Requires: nothing. Loops of several tasks are left alone: their rounds do not follow each other.
Ensures: each element gets what it got. Rounds load, of what is written, only elements that rounds before have not
stored, before they store themselves. The temporary array is used nowhere else, and is gone. What is written only where
nothing has failed is computed only there, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from jitmdh.base.records import dataclass
from jitmdh.mdh.kernel.arithmetic import negated
from jitmdh.mdh.kernel.ir import (
    Apply,
    Fail,
    Failed,
    For,
    If,
    InOrder,
    Kernel,
    Let,
    Literal,
    Load,
    Name,
    Prefetch,
    Scratch,
    Statement,
    Store,
    Value,
    View,
)
from jitmdh.mdh.kernel.passes.offloading.linear import Indices, Linear
from jitmdh.mdh.kernel.rewrite import FIELDS, NESTED, Body, Rewriter, kinds, map_children, same, statements, values

_ONE = Literal(1)
_MOST_PARTS = 64
"""Of an offset or an end of a loop, written out."""


def eliminate_copies(kernel: Kernel) -> Kernel:
    if not {Scratch, For, Store} <= kinds(kernel.body):
        return kernel
    known = list(statements(kernel.body))
    scratch = {s.buffer for s in known if isinstance(s, Scratch)}
    if not any(isinstance(s, For) and _may_copy(s, scratch) for s in known):
        return kernel
    shared = {s.of for s in known if isinstance(s, View)} | {b.of for b in kernel.buffers if b.of}
    uses = Counter(name for s in known if not isinstance(s, Scratch) for name in _buffers(s))
    return _Elimination(scratch - shared, shared, uses).kernel(kernel)


def _may_copy(loop: For, temporary: set[str]) -> bool:
    """Whether all that a loop stores has been loaded in it, from a temporary array."""
    loaded = {
        s.name for s in loop.body if isinstance(s, Let) and isinstance(s.value, Load) and s.value.buffer in temporary
    }
    return bool(loaded) and all(s.value in loaded for s in loop.body if isinstance(s, Store))


def _buffers(statement: Statement) -> list[str]:
    own = [getattr(statement, name) for name in ("buffer", "of") if name in FIELDS[type(statement)].names]
    return own + [v.buffer for v in values(statement) if isinstance(v, Load)]


@dataclass(frozen=True, slots=True)
class _Move:
    """Elements that one statement of a round writes. mask: of the lanes that it writes."""

    offset: Value
    lanes: int
    mask: Value | None


@dataclass(frozen=True, slots=True)
class _Copy:
    """A loop that only copies. moves: where its elements come from, and where they go."""

    loop: For
    source: str
    target: str
    moves: tuple[tuple[_Move, Value], ...]


class _Elimination(Rewriter):
    """temporary: arrays that may go; shared: whose memory has another name; uses: accesses to each."""

    kinds = NESTED

    def __init__(self, temporary: set[str], shared: set[str], uses: Counter[str]) -> None:
        self.temporary, self.shared, self.uses = temporary, shared, uses
        self.gone: set[str] = set()

    def statement(self, node: Statement) -> Sequence[Statement]:
        (new,) = super().statement(node)
        return new.body if isinstance(new, Scratch) and new.buffer in self.gone else (new,)

    def body(self, body: Body) -> Body:
        inside = super().body(body)
        new = list(inside)
        for position in range(len(inside) - 1, 0, -1):
            if position < len(new):
                new = self.copied(new, position) or new
        return inside if same(new, inside) else tuple(new)

    def copied(self, body: list[Statement], position: int) -> list[Statement] | None:
        """The body without the copy at `position`."""
        copying = body[position]
        match copying:
            case If(condition, inside, ()) if condition == negated(Failed()):
                last = position
            case For():
                inside = tuple(body[position:])
                end = next(
                    (n for n, s in enumerate(inside) if not isinstance(s, For) and not _is_number(s)), len(inside)
                )
                inside, last = inside[:end], position + end - 1
            case _:
                return None
        if not all(isinstance(s, For) or _is_number(s) for s in inside):
            return None
        around = {s.name.name: s.value for s in (*body[:position], *inside) if isinstance(s, Let)}
        copies = [_copy(s, around) for s in inside if not isinstance(s, Let)]
        known = [c for c in copies if c is not None]
        if not known or len(known) < len(copies) or len({(c.source, c.target) for c in known}) > 1:
            return None
        places = self.makers(body, position, known[0].source, len(known))
        if places is None or known[0].source not in self.temporary or known[0].target in self.shared:
            return None
        made = _made([body[n] for n in places], known, around)  # type: ignore[misc]
        if made is None or self.uses[known[0].source] != 2 * sum(len(c.moves) for c in known):
            return None
        self.gone.add(known[0].source)
        self.uses[known[0].source] = 0
        lets = [s for s in inside if isinstance(s, Let)]
        rest = [s for n, s in enumerate(body[:position]) if n not in places]
        if isinstance(copying, If):
            return [*rest, replace(copying, then=(*lets, *made)), *body[last + 1 :]]
        return [*rest, *lets, *made, *body[last + 1 :]]

    def makers(self, body: list[Statement], position: int, source: str, count: int) -> list[int] | None:
        """Where the loops are that compute what is copied; between them, nothing but names and faults."""
        found: list[int] = []
        while position and len(found) < count:
            position -= 1
            one = body[position]
            if isinstance(one, For) and any(isinstance(s, Store) and s.buffer == source for s in one.body):
                found.insert(0, position)
            elif not isinstance(one, Let) and not (isinstance(one, If) and kinds((one,)) <= {If, Fail}):
                return None
        return found if len(found) == count else None


def _is_number(statement: Statement) -> bool:
    """Whether it names what no array says, so that it may stand before loops that write."""
    return isinstance(statement, Let) and not any(isinstance(v, Load) for v in values(statement))


def _copy(loop: Statement, around: Mapping[str, Value]) -> _Copy | None:
    if not isinstance(loop, For):
        return None
    named = {**around, **{s.name.name: s.value for s in loop.body if isinstance(s, Let)}}
    moves: list[tuple[_Move, Value]] = []
    buffers = set[tuple[str, str]]()
    for s in loop.body:
        if isinstance(s, Let):
            continue
        if not isinstance(s, Store) or not isinstance(s.value, Name) or s.stride != _ONE or s.offset.lanes > 1:
            return None
        load = named.get(s.value.name)
        if not isinstance(load, Load) or load.stride != _ONE or load.offset.lanes > 1:
            return None
        parts = [None if v is None else _written(v, named) for v in (load.offset, s.offset, load.mask, s.mask)]
        if parts[0] is None or parts[1] is None or parts[2] != parts[3]:
            return None
        moves.append((_Move(parts[0], load.lanes, parts[2]), parts[1]))
        buffers.add((load.buffer, s.buffer))
    if len(buffers) != 1 or sum(isinstance(s, Let) and isinstance(s.value, Load) for s in loop.body) != len(moves):
        return None
    return _Copy(loop, *buffers.pop(), tuple(moves))


def _written(value: Value, named: Mapping[str, Value]) -> Value | None:
    """With what names stand for in their places; None: that is long, or depends on memory."""

    def new(part: Value) -> Value:
        if isinstance(part, Name):
            return new(named[part.name]) if part.name in named else part
        return map_children(part, new)

    found = new(value)
    parts = list(values(found))
    return None if len(parts) > _MOST_PARTS or any(isinstance(p, Load) for p in parts) else found


def _made(loops: Sequence[For], copies: Sequence[_Copy], around: Mapping[str, Value]) -> list[For] | None:
    """Loops that store where the copies do; None: they may not."""
    made: list[For] = []
    reach: int | None = None
    for number, (loop, copy) in enumerate(zip(loops, copies)):
        found = _round(loop, copy, around)
        if found is None or not isinstance(loop.step, Literal):
            return None
        new, first, last = found
        step = int(loop.step.value)  # type: ignore[arg-type]
        if first + step < last or (reach is not None and first < reach):
            return None
        if number + 1 < len(loops) and not _is_whole(loop, loops[number + 1], around):
            return None
        reach = last - step if reach is None else max(last - step, reach)
        made.append(new)
    return made


def _is_whole(loop: For, then: For, around: Mapping[str, Value]) -> bool:
    """Whether `then` goes on where the last round of `loop` ends: it begins at a multiple of its step."""
    end, begin = _written(loop.end, around), _written(then.begin, around)
    match end:
        case Apply("sub", (whole, Apply("urem" | "mod", (same, step)))):
            return end == begin and whole == same and step == loop.step and loop.begin == Literal(0)
    return False


def _round(loop: For, copy: _Copy, around: Mapping[str, Value]) -> tuple[For, int, int] | None:
    """The loop with stores to where the copy goes, the first element that a round loads there, and the one behind the
    last that it stores, both beside its index."""
    named = {**around, **{s.name.name: s.value for s in loop.body if isinstance(s, Let)}}
    for end in ("begin", "end", "step"):
        one, other = (_written(getattr(n, end), around) for n in (loop, copy.loop))
        if one is None or one != other:
            return None
    renamed = {copy.loop.name.name: loop.name}
    moves = [(_renamed(m.offset, renamed), m, _renamed(to, renamed)) for m, to in copy.moves]
    body: list[Statement] = []
    stored: list[tuple[Linear, int]] = []
    loaded: list[tuple[Linear, int]] = []
    indices = Indices()
    for s in loop.body:
        if not isinstance(s, Let | Store | Prefetch | InOrder):
            return None
        for v in values(s):
            if isinstance(v, Load) and v.buffer == copy.target:
                offset = _written(v.offset, named)
                if offset is None or v.stride != _ONE or v.offset.lanes > 1 or stored:
                    return None
                loaded.append((indices.of(offset), v.lanes))
        if isinstance(s, Store):
            offset, mask = _written(s.offset, named), None if s.mask is None else _written(s.mask, named)
            if s.buffer != copy.source or len(stored) == len(moves) or s.stride != _ONE:
                return None
            at, move, to = moves[len(stored)]
            if (offset, s.value.lanes, mask) != (
                at,
                move.lanes,
                None if move.mask is None else _renamed(move.mask, renamed),
            ):
                return None
            stored.append((indices.of(to), s.value.lanes))
            s = replace(s, buffer=copy.target, offset=to, aligned=False, streaming=False)
        body.append(s)
    if len(stored) != len(moves) or len({place.terms for place, _ in (*stored, *loaded)}) != 1:
        return None
    if dict(stored[0][0].terms).get(loop.name) != 1:
        return None
    first = min((place.constant for place, _ in loaded), default=max(p.constant + n for p, n in stored))
    return replace(loop, body=tuple(body)), first, max(place.constant + lanes for place, lanes in stored)


def _renamed(value: Value, names: Mapping[str, Name]) -> Value:
    return (
        names.get(value.name, value) if isinstance(value, Name) else map_children(value, lambda v: _renamed(v, names))
    )
