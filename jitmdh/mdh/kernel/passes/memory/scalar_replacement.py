"""Scalar replacement (Callahan, Carr, Kennedy 1990): elements that are known already are not loaded again.

In a block, what has been loaded or stored:

Before:   const float a = t[0];              after:   const float a = t[0];
          y[i] = a * 2;                               y[i] = a * 2;
          const float b = t[0];                       const float b = a;

In a loop in order, what the rounds before have stored, by the last of all stores to the element, where the first
round loads all of that:

Before:   for (i = 1; i < n; i += 1) {       after:   float carried.1 = y[0] ? 1 < n;
              const float a = y[i - 1];               for (i = 1; i < n; i += 1) {
              const float b = a * c + x[i];               const float a = carried.1;
              y[i] = b;                                   const float b = a * c + x[i];
          }                                               y[i] = b;
                                                          carried.1 = b;
                                                      }

Requires: no two statements of a function bind the same name, or these names are loaded as before.
Ensures: where a single element is named, and it is certain which name its value has, that name is what it is, or what
is chosen where it is loaded under a condition; kernels that load nothing where they store it, in one block or around
it, stay as they are. Stores stay. A processor takes as long for an element that it has just stored as for two or three
operations, in each round.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Set
from dataclasses import field, replace

from jitmdh.base.dtype import ScalarType, bool_
from jitmdh.base.records import dataclass
from jitmdh.mdh.kernel.arithmetic import add, compare, integer, multiply, negated
from jitmdh.mdh.kernel.ir import (
    Apply,
    Assign,
    Assume,
    Declare,
    Fail,
    Failed,
    For,
    If,
    Kernel,
    Let,
    Literal,
    Load,
    Name,
    Poll,
    Prefetch,
    Return,
    Scratch,
    Statement,
    Store,
    Value,
    View,
    While,
)
from jitmdh.mdh.kernel.passes.offloading.linear import Indices, Linear, Terms
from jitmdh.mdh.kernel.rewrite import NESTED, Body, bodies, bound, map_bodies, same, statements, values, with_fields

_MOST_ROUNDS = 4
"""How far back an element may have been stored."""

_MOST_ROUNDS_OF_ROWS = 1
"""Integers of several rows: the registers for them are soon used up, and stay with what each round waits for."""

_HARMLESS = (Let, Declare, Assign, Assume, Fail, Poll, Prefetch, Return, View)
"""Statements that write to no memory."""

_NESTED = (For, While, If, Scratch)


def replace_scalars(kernel: Kernel) -> Kernel:
    if not _meet(kernel.body, frozenset(), frozenset()):
        return kernel
    known = list(statements(kernel.body))
    buffers = {b.name: b.of or b.name for b in kernel.buffers}
    for node in known:
        if isinstance(node, View):
            buffers[node.buffer] = buffers.get(node.of, node.of)
    once = Counter(name.name for s in known if (name := bound(s)) is not None)
    changing = frozenset(n.name.name for n in known if isinstance(n, Declare)) | {n for n in once if once[n] > 1}
    names = _Known(buffers, changing)
    body = names.body(kernel.body)
    return kernel if body is kernel.body else replace(kernel, body=body)


def _meet(body: Body, loaded: frozenset[str], stored: frozenset[str]) -> bool:
    """Whether an element of a buffer is loaded behind a statement that stores one, or stored behind one that loads one:
    both in one body, or one around the other. loaded, stored: buffers of which elements are, around this body."""
    loads, stores = set(loaded), set(stored)
    for node in body:
        if isinstance(node, Let):
            if isinstance(node.value, Load) and _is_one(node.value):
                if node.value.buffer in stores:
                    return True
                if node.value.mask is None:
                    loads.add(node.value.buffer)
        elif isinstance(node, Store):
            if _is_single(node):
                if node.buffer in loads:
                    return True
                stores.add(node.buffer)
        elif type(node) in NESTED:
            around = frozenset(loads), frozenset(stores)
            if any(_meet(inner, *around) for inner in bodies(node)):
                return True
    return False


def _is_single(node: Load | Store) -> bool:
    return _is_one(node) and node.mask is None


def _is_one(node: Load | Store) -> bool:
    """Whether it is an element, maybe under a condition."""
    return (node.value if isinstance(node, Store) else node).lanes == 1 and node.offset.lanes == 1


def _where(mask: Value, known: Value) -> Value:
    """What a load under a condition gives of an element that has a name."""
    nothing = Literal(known.type.numpy.type(0).item(), known.type)
    return Apply("select", (mask, known, nothing), known.type)


def _in_other_rows(one: Terms, other: Terms, strides: Set[str]) -> bool:
    """Whether places differ by rows, whatever the number is that is added to each."""
    apart = list(Linear(one, 0).plus(Linear(other, 0), -1).terms)
    return len(apart) == 1 and isinstance(apart[0][0], Name) and apart[0][0].name in strides


def _each_time(node: For) -> Body:
    """What is done in each round, unless something has failed before."""
    match node.body:
        case (If(condition, then, ()),) if condition == negated(Failed()):
            return then
    return node.body


@dataclass(slots=True)
class _Known:
    """What elements are known by, at one place.

    memories: in which memory a buffer lies; changing: names that have several values; elements: by buffer and offset;
    count: of variables made.
    """

    memories: dict[str, str]
    changing: frozenset[str]
    elements: dict[tuple[str, Linear], Value] = field(default_factory=dict)
    count: int = 0
    indices: Indices = field(init=False)

    def __post_init__(self) -> None:
        self.indices = Indices(self.changing)

    def memory(self, buffer: str) -> str:
        return self.memories.get(buffer, buffer)

    def forget(self, memory: str) -> None:
        self.elements = {key: v for key, v in self.elements.items() if self.memory(key[0]) != memory}

    def written(self, body: Body) -> set[str] | None:
        """The memories that statements write to; None: any."""
        found: set[str] = set()
        for node in statements(body):
            if isinstance(node, Store):
                found.add(self.memory(node.buffer))
            elif isinstance(node, Scratch):
                found.add(node.buffer)
            elif not isinstance(node, (*_HARMLESS, *_NESTED)):
                return None
        return found

    # --------------------------------------------------------------------------------------- statements

    def body(self, body: Body) -> Body:
        new: list[Statement] = []
        with self.indices.inside():
            for node in body:
                new += self.statement(node)
        return body if same(new, body) else tuple(new)

    def statement(self, node: Statement) -> list[Statement]:
        if isinstance(node, Let):
            node = self.let(node)
        elif isinstance(node, Store):
            self.store(node)
        elif isinstance(node, For):
            return self.loop(node)
        elif isinstance(node, _NESTED):
            return [self.nested(node)]
        elif not isinstance(node, _HARMLESS):
            self.elements = {}
            node = map_bodies(node, self.body) if bodies(node) else node
            self.elements = {}
        return [node]

    def let(self, node: Let) -> Let:
        value = node.value
        if isinstance(value, Load) and _is_one(value) and self.indices.is_fixed(value.offset):
            key = value.buffer, self.indices.of(value.offset)
            known = self.elements.get(key)
            if known is not None and known.type == value.type:
                node = Let(node.name, known if value.mask is None else _where(value.mask, known))
            elif value.mask is None and node.name.name not in self.changing:
                self.elements[key] = node.name
        self.indices.bind(node)
        return node

    def store(self, node: Store) -> None:
        """Of its buffer, elements that are a fixed number of elements away stay known."""
        memory, apart = self.memory(node.buffer), dict[tuple[str, Linear], Value]()
        if node.value.lanes == 1 and node.offset.lanes == 1 and self.indices.is_fixed(node.offset):
            place = self.indices.of(node.offset)
            others = [key for key in self.elements if key[0] == node.buffer and key[1].terms == place.terms]
            apart = {key: self.elements[key] for key in others if key[1] != place}
        self.forget(memory)
        self.elements |= apart
        fixed = isinstance(node.value, Literal) or (isinstance(node.value, Name) and self.indices.is_fixed(node.value))
        if _is_single(node) and fixed and self.indices.is_fixed(node.offset):
            self.elements[node.buffer, self.indices.of(node.offset)] = node.value

    def nested(self, node: Statement) -> Statement:
        """Names made inside end with it; what is written inside is not known behind it, or in the next round."""
        around = self.elements
        written = [self.written(body) for body in bodies(node)] if around else []
        if isinstance(node, For | While | Scratch):
            around = self.without(around, written)

        def inside(body: Body) -> Body:
            self.elements = dict(around)
            return self.body(body)

        if isinstance(node, For):
            self.indices.bind(node)
        node = map_bodies(node, inside)
        self.elements = self.without(around, written)
        return node

    def without(
        self, elements: dict[tuple[str, Linear], Value], written: list[set[str] | None]
    ) -> dict[tuple[str, Linear], Value]:  # fmt: skip
        if not elements or None in written:
            return {}
        gone = {memory for some in written if some is not None for memory in some}
        return {key: value for key, value in elements.items() if self.memory(key[0]) not in gone}

    # -------------------------------------------------------------------------------------------- loops

    def loop(self, node: For) -> list[Statement]:
        before: list[Statement] = []
        if (
            isinstance(node.step, Literal)
            and node.name.name not in self.changing
            and self.written(node.body) is not None
        ):
            stored = [s.buffer for s in _each_time(node) if isinstance(s, Store) and _is_single(s)]
            for buffer in dict.fromkeys(stored):
                node = self.carried(node, buffer, before)
        inner = self.nested(node)
        return [*before, inner]

    def carried(self, node: For, buffer: str, before: list[Statement]) -> For:
        """The loop, with variables for what the rounds before have stored there."""
        some: Value = compare("lt", node.begin, node.end)
        if _each_time(node) is not node.body:
            some = Apply("and", (some, negated(Failed())), bool_)
        new: dict[int, list[Statement]] = {}
        body = list(_each_time(node))
        for at, found in self.sources(node, buffer).items():
            store, variables = body[at], dict[int, Name]()
            assert isinstance(store, Store)
            for position, distance, first in found:
                if distance not in variables:
                    self.count += 1
                    variable = variables[distance] = Name(f"carried.{self.count}", store.value.type)
                    before.append(Declare(variable, Load(buffer, first, variable.type, mask=some)))
                load = body[position]
                assert isinstance(load, Let)
                body[position] = Let(load.name, variables[distance])
            behind = new.setdefault(max(at, max(position for position, _, _ in found)), [])
            behind += (Assign(variables[n], variables[n - 1]) for n in range(len(variables), 1, -1))
            behind.append(Assign(variables[1], store.value))
        if not new:
            return node
        rounds = tuple(s for position, one in enumerate(body) for s in (one, *new.get(position, ())))
        if _each_time(node) is not node.body:
            rounds = (with_fields(node.body[0], {"then": rounds}),)
        return with_fields(node, {"body": rounds})

    def sources(self, node: For, buffer: str) -> dict[int, list[tuple[int, int, Value]]]:
        """Which store of the rounds before is the last at the element of a load.

        By positions in what is done each time: of a store, loads, each with its distance in rounds and its offset in
        the first round. All distances from one on: what a variable holds first is loaded anyway.
        """
        loads, stores = self.places(node, buffer)
        memory = self.memory(buffer)
        here = [s for s in statements(node.body) if isinstance(s, Store) and self.memory(s.buffer) == memory]
        if not loads or not stores or len(stores) != len(here):
            return {}
        rows = list(dict.fromkeys(place.terms for place in stores.values()))
        strides = {stride for of, stride in node.rows if of == buffer}
        if not all(_in_other_rows(one, other, strides) for n, one in enumerate(rows) for other in rows[:n]):
            return {}
        found: dict[int, list[tuple[int, int, Value]]] = {}
        for terms in rows:
            own = [{at: place for at, place in some.items() if place.terms == terms} for some in (loads, stores)]
            found |= self.sources_in_row(node, terms, *own)
        return found

    def sources_in_row(
        self, node: For, terms: Terms, loads: dict[int, Linear], stores: dict[int, Linear]
    ) -> dict[int, list[tuple[int, int, Value]]]:
        """`sources`, of places that differ by a number of elements."""
        body = _each_time(node)
        inside = {name.name for s in statements(node.body) if (name := bound(s)) is not None}
        inside.add(node.name.name)
        first = sorted(((value, factor) for value, factor in terms if value != node.name), key=repr)
        each = dict(terms).get(node.name, 0)
        if not each or any(isinstance(v, Name) and v.name in inside for value, _ in first for v in values(value)):
            return {}
        stored = body[next(iter(stores))]
        assert isinstance(stored, Store)
        few = node.rows and not stored.value.type.is_floating
        farthest = _MOST_ROUNDS_OF_ROWS if few else _MOST_ROUNDS
        found: dict[int, list[tuple[int, int, Value]]] = {}
        for position, place in loads.items():
            apart = {at: divmod(stored.constant - place.constant, each) for at, stored in stores.items()}
            if any(apart[at] == (0, 0) for at in apart if at < position):
                continue
            distance, at = min(((n, -at) for at, (n, rest) in apart.items() if not rest and n > 0), default=(0, 0))
            if 0 < distance <= farthest and (position < -at or self.is_kept(body[-at])):
                offset: Value = integer(place.constant)
                for part, factor in first:
                    offset = add(multiply(part, integer(factor)), offset)
                found.setdefault(-at, []).append((position, distance, offset))
        rounds = {at: {distance for _, distance, _ in some} for at, some in found.items()}
        return {at: some for at, some in found.items() if max(rounds[at]) == len(rounds[at])}

    def is_kept(self, store: Statement) -> bool:
        """Whether what is stored is still known at the end of the round."""
        return isinstance(store, Store) and (isinstance(store.value, Literal) or self.indices.is_fixed(store.value))

    def places(self, node: For, buffer: str) -> tuple[dict[int, Linear], dict[int, Linear]]:
        """The elements of a buffer that each round loads and stores one at a time, by positions; all of one type."""
        indices, loads, stores = Indices(self.changing, bool(node.rows)), dict[int, Linear](), dict[int, Linear]()
        kinds = set[ScalarType]()
        indices.bind(node)
        for position, s in enumerate(_each_time(node)):
            if isinstance(s, Let):
                load = s.value
                if (
                    isinstance(load, Load)
                    and load.buffer == buffer
                    and _is_single(load)
                    and indices.is_fixed(load.offset)
                ):
                    loads[position] = indices.of(load.offset)
                    kinds.add(load.type)
                indices.bind(s)
            elif isinstance(s, Store) and s.buffer == buffer and _is_single(s) and indices.is_fixed(s.offset) \
                    and isinstance(s.value, Name | Literal):  # fmt: skip
                stores[position] = indices.of(s.offset)
                kinds.add(s.value.type)
        return (loads, stores) if len(kinds) == 1 else ({}, {})
