"""Common subexpressions: what is computed more than once has a name.

Before:   y[(i * s) + j] = a * b;           after:   const long common.1 = (i * s) + j;
          y[((i * s) + j) + 8] = c + (a * b);        auto *y.at2 = &y[common.1];
          z[(i * s) + j] = d;                        const float16 common.3 = a * b;
                                                     y.at2[0] = common.3;
                                                     y.at2[8] = c + common.3;
                                                     z[common.1] = d;

Requires: nothing.
Ensures: no value of constants and of names that keep theirs is computed twice in a block, or in it and in a block
around it; addresses that differ by a constant begin at the same pointer. Loads, and what is made of variables, stay as
they are. Every value stays what it was.

Values have numbers by what they are computed from (value numbering, of blocks and those around them): equal ones are
found without comparing whole trees. The kernel is gone through twice in the same order, first to number values and to
count their uses, then to name those of several uses where the first of these is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeVar

from jitmdh.base.dtype import int64
from jitmdh.base.records import dataclass
from jitmdh.mdh.kernel.arithmetic import add, integer
from jitmdh.mdh.kernel.ir import (
    Apply,
    Atomic,
    CombineEnds,
    Declare,
    Iota,
    Kernel,
    Let,
    Literal,
    Load,
    Misalignment,
    Name,
    Parallel,
    Scratch,
    Splat,
    Statement,
    Store,
    Value,
    View,
    While,
)
from jitmdh.mdh.kernel.rewrite import (
    FIELDS,
    Body,
    bodies,
    bound,
    children,
    is_flat,
    map_bodies,
    map_children,
    same,
    with_fields,
)

Key = tuple[object, ...]
Access = Load | Store | Misalignment | CombineEnds | View

A = TypeVar("A", bound=Access)

_ONE = integer(1)
_ACCESSES: frozenset[type] = frozenset((Load, Store, Misalignment, CombineEnds, View))


def share(kernel: Kernel) -> Kernel:
    numbering = _Numbering()
    numbering.body(kernel.body)
    if not any(known.uses > 1 for known in numbering.trace):
        return kernel
    body = _Naming(numbering.trace).body(kernel.body)
    return kernel if body is kernel.body else replace(kernel, body=body)


@dataclass(slots=True, eq=False)
class _Known:
    """A value or a pointer. uses: how many statements and other values need it; name: what it is called, once it is."""

    number: int
    uses: int = 0
    name: str = ""


_NOTHING = _Known(0)


class _Numbering:
    """trace: what is met, in the order of `_Naming`; known: by what it is computed from, in the present block and those
    around it; keys: of the present block; numbers, buffers: of names; naming: whether there is a place for names."""

    def __init__(self) -> None:
        self.trace: list[_Known] = []
        self.known: dict[Key, _Known] = {}
        self.keys: list[Key] = []
        self.numbers: dict[str, int] = {}
        self.buffers: dict[str, object] = {}
        self.variables: set[str] = set()
        self.naming = True
        self.count = self.last = 0

    # --------------------------------------------------------------------------------------- statements

    def body(self, body: Body) -> None:
        keys, numbers, buffers, variables = self.keys, self.numbers.copy(), self.buffers.copy(), self.variables.copy()
        self.keys = []
        for node in body:
            self.statement(node)
        for key in self.keys:
            self.known.pop(key, None)
        self.keys, self.numbers, self.buffers, self.variables = keys, numbers, buffers, variables

    def statement(self, node: Statement) -> None:
        if type(node) is Let:
            self.binds(node.name, self.value(node.value))
            self.variables.discard(node.name.name)
            return
        if type(node) in _ACCESSES:
            number = self.access(node)  # type: ignore[arg-type]
            if isinstance(node, View):
                self.places(node.buffer, self.fresh() if node.opaque else number)
            return
        if isinstance(node, While):
            with self.without_names():
                self.value(node.condition)
        else:
            for child in children(node):
                self.value(child)
            if isinstance(node, Declare):
                self.binds(node.name, self.fresh())
                self.variables.add(node.name.name)
            elif isinstance(node, Scratch):
                self.places(node.buffer, self.fresh())
            elif (FIELDS[type(node)].bodies or type(node) is Atomic) and (name := bound(node)) is not None:
                self.binds(name, self.fresh())
        if isinstance(node, Parallel):  # a function of its own
            known, self.known = self.known, {}
            self.body(node.body)
            self.known = known
        else:
            for body in bodies(node):
                self.body(body)

    def binds(self, name: Name, number: int) -> None:
        if name.name in self.numbers:  # something that is known may be called so
            self.known.clear()
        self.numbers[name.name] = number

    def places(self, buffer: str, number: object) -> None:
        if buffer in self.buffers:
            self.known.clear()
        self.buffers[buffer] = number

    def fresh(self) -> int:
        self.count += 1
        return self.count

    @contextmanager
    def without_names(self) -> Iterator[None]:
        naming, self.naming = self.naming, False
        yield
        self.naming = naming

    # ------------------------------------------------------------------------------------------- values

    def value(self, node: Value) -> int:
        """Its number: equal ones of equal values."""
        kind = type(node)
        if kind is Name:
            if node.name in self.variables:  # type: ignore[union-attr]
                return self.fresh()
            return self.numbers[node.name]  # type: ignore[union-attr]
        if kind is Literal:
            return self.constant("literal", node.type.name, repr(node.value))  # type: ignore[union-attr]
        if type(node) is Apply:  # most of a kernel
            at, operands = self.begin(), node.operands
            return self.end(
                at,
                (node.op, node.type.name, node.lanes, operands[0].type.name, node.relaxed, *map(self.value, operands)),
            )
        if kind is Iota:
            return self.constant("iota", node.type.name, node.lanes)
        if isinstance(node, Splat):
            if type(node.value) is Literal:  # no name: it is a part of what needs it
                return self.fresh()
            at = self.begin()
            return self.end(at, ("splat", node.type.name, node.lanes, self.value(node.value)))
        if kind in _ACCESSES:
            self.access(node)  # type: ignore[arg-type]
        else:
            for child in children(node):
                self.value(child)
        return self.fresh()

    def constant(self, *key: object) -> int:
        known = self.known.get(key)
        if known is None:
            self.count += 1
            known = self.known[key] = _Known(self.count)
            self.keys.append(key)
        return known.number

    def begin(self) -> int:
        """The place in the trace of a value whose parts come next."""
        self.trace.append(_NOTHING)
        return len(self.trace) - 1

    def end(self, at: int, key: Key) -> int:
        """Of the value at this place. The parts of one that is known already are not needed."""
        known = self.known.get(key)
        if known is None:
            self.count += 1
            known = _Known(self.count)
            if self.naming:
                self.known[key] = known
                self.keys.append(key)
        else:
            for part in self.trace[at + 1 :]:
                part.uses -= 1
            del self.trace[at + 1 :]
        self.trace[at] = known
        known.uses += 1
        return known.number

    # ---------------------------------------------------------------------------------------- addresses

    def access(self, node: Access) -> object:
        """The number of its pointer; all values in it are met."""
        if isinstance(node, Store):
            self.value(node.value)
        if isinstance(node, (Load, Store)) and node.mask is not None:
            self.value(node.mask)
        if isinstance(node, Store) and node.mask is not None and node.value.lanes == 1:
            with self.without_names():  # the address is computed in a branch
                return self.place(node)
        pointer = self.place(node)
        if isinstance(node, CombineEnds):
            self.value(node.head)
            self.value(node.tail)
        return pointer

    def place(self, node: Access) -> object:
        if node.offset.lanes > 1:
            return self.value(node.offset)
        steps = _steps(node)
        common = _common(node, steps)
        pointer = self.pointer(node.of if isinstance(node, View) else node.buffer, common)
        if steps is not None:
            if common is not None:
                self.trace[self.last].uses += 1  # a vector of offsets begins at a pointer
            self.value(steps)
        return pointer

    def pointer(self, buffer: str, offset: Value | None) -> object:
        if offset is None:
            return self.buffers.get(buffer, buffer)
        at = self.begin()
        common, step = _parts(offset)
        before = self.pointer(buffer, common)
        number = self.end(at, ("pointer", before, self.value(step)))
        self.last = at
        return number


class _Naming:
    """The second time. trace: what is met, in order; out: statements of the present body."""

    def __init__(self, trace: Sequence[_Known]) -> None:
        self.trace = iter(trace)
        self.out: list[Statement] = []
        self.count = 0

    def body(self, body: Body) -> Body:
        out, self.out = self.out, []
        for node in body:
            self.out.append(self.statement(node))
        new, self.out = self.out, out
        return body if same(new, body) else tuple(new)

    def statement(self, node: Statement) -> Statement:
        if type(node) is Let:
            return self.let(node)
        if type(node) in _ACCESSES:
            return self.access(node)  # type: ignore[type-var]
        node = map_children(node, self.value)
        return map_bodies(node, self.body) if FIELDS[type(node)].bodies else node

    def let(self, node: Let) -> Let:
        """The name that there is serves all."""
        if not _is_shared(node.value):
            value = self.value(node.value)
        else:
            known = next(self.trace)
            if known.name:
                value = Name(known.name, node.name.type, node.name.lanes)
            else:
                whole = type(node.value) is Apply and is_flat(node.value)
                value = node.value if whole else map_children(node.value, self.value)
                known.name = node.name.name
        return node if value is node.value else Let(node.name, value)

    def value(self, node: Value) -> Value:
        kind = type(node)
        if kind is Name or kind is Literal or kind is Iota:
            return node
        if not _is_shared(node):
            return self.access(node) if kind in _ACCESSES else map_children(node, self.value)  # type: ignore[type-var]
        known = next(self.trace)
        if known.name:
            return Name(known.name, node.type, node.lanes)
        new = node if kind is Apply and is_flat(node) else map_children(node, self.value)  # type: ignore[arg-type]
        if known.uses == 1:
            return new
        known.name = self.fresh("common.")
        name = Name(known.name, node.type, node.lanes)
        self.out.append(Let(name, new))
        return name

    def fresh(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    # ---------------------------------------------------------------------------------------- addresses

    def access(self, node: A) -> A:
        """Loads, stores and the like, from the pointers that several have in common."""
        changed: dict[str, object] = {}
        if isinstance(node, Store):
            changed["value"] = self.value(node.value)
        if isinstance(node, (Load, Store)) and node.mask is not None:
            changed["mask"] = self.value(node.mask)
        changed.update(self.place(node))
        if isinstance(node, CombineEnds):
            changed["head"], changed["tail"] = self.value(node.head), self.value(node.tail)
        if all([getattr(node, part) is new for part, new in changed.items()]):
            return node
        return with_fields(node, changed)

    def place(self, node: Access) -> dict[str, object]:
        """Fields that say where it is."""
        if node.offset.lanes > 1:
            return {"offset": self.value(node.offset)}
        of = "of" if isinstance(node, View) else "buffer"
        steps = _steps(node)
        common = _common(node, steps)
        if common is None:
            return {} if steps is None else {"offset": self.value(steps), "stride": integer(1)}
        called = node.buffer if isinstance(node, View) and not node.opaque else ""
        buffer, offset = self.pointer(getattr(node, of), common, called)
        if steps is not None:
            return {of: buffer, "offset": self.value(steps), "stride": integer(1)}
        if offset is common:
            return {of: buffer}
        rest = integer(0) if common is node.offset else node.offset.operands[1]  # type: ignore[union-attr]
        return {of: buffer, "offset": rest if offset is None else add(offset, rest)}

    def pointer(self, buffer: str, offset: Value, called: str = "") -> tuple[str, Value | None]:
        """A buffer and an offset in it. called: the name that a view gives it anyway."""
        known = next(self.trace)
        if known.name:
            return known.name, None
        common, step = _parts(offset)
        before, rest = (buffer, None) if common is None else self.pointer(buffer, common)
        new = self.value(step)
        if rest is None:
            whole = new
        else:
            whole = offset if rest is common and new is step else add(rest, new)
        if known.uses == 1:
            return before, whole
        known.name = called or self.fresh(f"{buffer.partition('.')[0]}.at")
        if called:
            return before, whole
        self.out.append(View(known.name, before, whole))
        return known.name, None


def _is_shared(node: Value) -> bool:
    """Whether a value is worth a name: an operation, or a vector of a value."""
    return type(node) is Apply or (type(node) is Splat and type(node.value) is not Literal)


def _common(node: Access, steps: Value | None) -> Value | None:
    """What the offset of an access has in common with those of its neighbours; None: nothing. steps: as of `_steps`.

    A constant in the offset belongs to the pointer of a view, or of lanes that are apart.
    """
    offset = node.offset
    whole = steps is not None or isinstance(node, View)
    if isinstance(offset, Literal) and (offset.value == 0 or not whole):
        return None
    if not whole and isinstance(offset, Apply) and offset.op == "add" and isinstance(offset.operands[1], Literal):
        return offset.operands[0]
    return offset


def _parts(offset: Value) -> tuple[Value | None, Value]:
    """What comes first in a sum that several share, and what is added to it."""
    if isinstance(offset, Apply) and offset.op == "add":
        common, step = offset.operands
        if isinstance(step, Literal) or isinstance(common, Name):
            return common, step
    return None, offset


def _steps(node: Access) -> Value | None:
    """From the first lane to each, in elements, where they are apart."""
    if isinstance(node, Load):
        lanes = node.lanes
    elif isinstance(node, Store):
        lanes = node.value.lanes
    else:
        return None
    if lanes == 1 or node.offset.lanes > 1 or node.stride == _ONE:
        return None
    return Apply("mul", (Iota(lanes), Splat(node.stride, node.stride.type, lanes)), int64, lanes)
