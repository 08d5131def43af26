"""Loads and stores in OpenCL C: elements, vectors, masked, with strides."""

from __future__ import annotations

from typing import Protocol

from jitmdh.base.dtype import ScalarType, bfloat16, bool_
from jitmdh.mdh.kernel.ir import BufferArgument, Literal, Load, Misalignment, Prefetch, Store, Value
from jitmdh.mdh.targets.c_dialects.half_floats import is_short, shortened, widened
from jitmdh.mdh.targets.c_dialects.native_vectors import (
    FENCE,
    IN_ORDER,
    PREFETCH,
    STREAMED,
    WHOLE,
    masked_load,
    masked_store,
)
from jitmdh.mdh.targets.c_dialects.operations import Operations, narrowed
from jitmdh.mdh.targets.c_dialects.types import NoSpelling, memory_type, value_type


class KernelEmitter(Protocol):
    """The kernel in the making."""

    operations: Operations
    buffers: dict[str, BufferArgument]
    whole_vectors: bool

    def value(self, node: Value) -> str: ...

    def index(self, node: Value, level: int = 0) -> str: ...

    def offset(self, node: Value) -> str: ...

    def pointer(self, buffer: str, offset: Value) -> str: ...

    def buffer(self, name: str) -> str: ...


class CAccesses:
    """Spells accesses of one kernel."""

    def __init__(self, writer: KernelEmitter) -> None:
        self.w = writer

    def load(self, node: Load) -> str:
        name = self.w.buffer(node.buffer)
        if self.w.buffers[node.buffer].inline:
            return f"({name} != 0)" if node.type == bool_ else name
        mask = None if node.mask is None else self.w.value(node.mask)
        if node.lanes == 1:
            text = element_at(node.type, name, self.w.offset(node.offset))
            if mask is not None:
                text = narrowed(f"({mask} ? {text} : {_zero(node.type)})", node.type)
            return f"({text} != 0)" if node.type == bool_ else text
        place = name if node.offset.lanes > 1 else self.w.pointer(node.buffer, node.offset)
        if node.offset.lanes > 1:
            text = self._gather(node.type, node.lanes, place, self.w.value(node.offset), mask, apart=True)
        elif node.stride == Literal(1) and mask is None:
            text = self._vector(node.type, node.lanes, place)
        else:
            step = None if node.stride == Literal(1) else self.w.index(node.stride)
            text = self._gather(node.type, node.lanes, place, step, mask)
        value_type(node.type, node.lanes)
        wide = f"{memory_type(node.type)}{node.lanes}"
        return f"convert_int{node.lanes}({text} != ({wide})(0))" if node.type == bool_ else text

    def _vector(self, type: ScalarType, lanes: int, place: str) -> str:
        if self._whole(type, lanes):
            return f"load_next_{_wide(type, lanes)}({place})"
        return _vector(type, lanes, place)

    def _stored_vector(self, type: ScalarType, lanes: int, place: str, value: str) -> str:
        if self._whole(type, lanes):
            return f"store_next_{_wide(type, lanes)}({value}, {place})"
        return _stored_vector(type, lanes, place, value)

    def _whole(self, type: ScalarType, lanes: int) -> bool:
        """Whether a vector is one access of the compiler's own, which is declared then."""
        if not self.w.whole_vectors or is_short(type):
            return False
        wide, bytes = _wide(type, lanes), type.size_bytes
        text = WHOLE.format(type=wide, element_bytes=bytes, lanes=lanes)
        self.w.operations.functions[f"load_next_{wide}"] = text
        return True

    def _gather(
        self, type: ScalarType, lanes: int, place: str, step: str | None, mask: str | None, apart: bool = False
    ) -> str:  # fmt: skip
        """Elements a step apart, None: one after the other; or, where they lie apart, each at an offset of its own.

        Masks hold on all lanes mostly, which is seen at once.
        """
        element, wide, places = memory_type(type), _wide(type, lanes), _places(lanes, step, apart)
        kind = "gather" if apart else "load_next" if step is None else "load"
        one = [element_at(type, "p", at) for at in places]
        whole = self._vector(type, lanes, "p") if step is None else f"({wide})({', '.join(one)})"
        body = [f"return {whole};"]
        if mask is not None:
            chosen = ", ".join(f"m.s{n:x} ? {text} : {_zero(type)}" for n, text in enumerate(one))
            body = [f"if (all(m)) return {whole};", f"return ({wide})({chosen});"]
            if step is None:
                body = masked_load(type, lanes, body)
        function = f"{kind if mask is None else f'{kind}_masked'}_{element}{lanes}"
        parameters = [f"global const {element} *p", *_step(lanes, step, apart), *_masked(lanes, mask)]
        self.w.operations.functions[function] = _function(f"{wide} {function}", parameters, body)
        return f"{function}({', '.join(text for text in (place, step, mask) if text is not None)})"

    def store(self, node: Store) -> list[str]:
        argument = self.w.buffers.get(node.buffer)
        name, lanes = self.w.buffer(node.buffer), node.value.lanes
        if argument is None or argument.inline:
            raise NoSpelling("a store to a scalar argument")
        type, value = argument.type, self.w.value(node.value)
        if lanes == 1:
            guard = "" if node.mask is None else f"if ({self.w.value(node.mask)}) "
            return [f"{guard}{_stored(type, name, self.w.offset(node.offset), value)};"]
        if type == bool_:
            value = f"convert_uchar{lanes}(-({value}))"
        mask = None if node.mask is None else self.w.value(node.mask)
        if node.offset.lanes > 1:
            return [self._scatter(type, lanes, name, self.w.index(node.offset, 2), value, mask, apart=True)]
        place = self.w.pointer(node.buffer, node.offset)
        if node.stride == Literal(1) and mask is None:
            if node.streaming and node.aligned and not is_short(type) and type != bool_:
                self.w.operations.functions["store_streamed"] = STREAMED
                return [f"store_streamed({value}, (global {_wide(type, lanes)} *)({place}));"]
            return [f"{self._stored_vector(type, lanes, place, value)};"]
        step = None if node.stride == Literal(1) else self.w.index(node.stride)
        return [self._scatter(type, lanes, place, step, value, mask)]

    def _scatter(
        self, type: ScalarType, lanes: int, place: str, step: str | None, value: str, mask: str | None,
        apart: bool = False,
    ) -> str:  # fmt: skip
        element, wide, places = memory_type(type), _wide(type, lanes), _places(lanes, step, apart)
        kind = "scatter" if apart else "store_next" if step is None else "store"
        function = f"{kind if mask is None else f'{kind}_masked'}_{element}{lanes}"
        condition = "" if mask is None else "if (m.s{}) "
        body = [
            f"{condition.format(format(n, 'x'))}{_stored(type, 'p', at, f'v.s{n:x}')};" for n, at in enumerate(places)
        ]
        if step is None:
            body = [f"if (all(m)) {{ {self._stored_vector(type, lanes, 'p', 'v')}; return; }}", *body]
            body = masked_store(type, lanes, body)
        parameters = [f"global {element} *p", *_step(lanes, step, apart), f"{wide} v", *_masked(lanes, mask)]
        self.w.operations.functions[function] = _function(f"void {function}", parameters, body)
        return f"{function}({', '.join(text for text in (place, step, value, mask) if text is not None)});"

    def prefetch(self, node: Prefetch) -> list[str]:
        self.w.operations.functions["prefetch_line"] = PREFETCH
        return [f"prefetch_line({self.w.pointer(node.buffer, node.offset)}, {int(node.write)});"]

    def fence(self) -> list[str]:
        """Behind non-temporal stores."""
        self.w.operations.functions["fence_streamed"] = FENCE
        return ["fence_streamed();"]

    def in_order(self) -> list[str]:
        self.w.operations.functions["loads_in_order"] = IN_ORDER
        return ["loads_in_order();"]

    def misalignment(self, node: Misalignment) -> str:
        place = f"({self.w.pointer(node.buffer, node.offset)})"
        size = self.w.buffers[node.buffer].type.size_bytes
        return f"((long)((ulong){place} / {size}) & {node.count - 1}L)"


def _wide(type: ScalarType, lanes: int) -> str:
    """Of elements as they are loaded; truth values are bytes still."""
    return f"uchar{lanes}" if type == bool_ else value_type(type, lanes)


def _zero(type: ScalarType) -> str:
    return "0.0f" if is_short(type) else f"({memory_type(type)})0"


def element_at(type: ScalarType, place: str, at: str) -> str:
    """Of an array; truth values as the bytes that they are."""
    if not is_short(type):
        return f"{place}[{at}]"
    return widened(f"{place}[{at}]") if type == bfloat16 else f"vload_half({at}, {place})"


def _vector(type: ScalarType, lanes: int, place: str) -> str:
    if is_short(type) and type != bfloat16:
        return f"vload_half{lanes}(0, {place})"
    text = f"vload{lanes}(0, {place})"
    return widened(text, lanes) if type == bfloat16 else text


def _stored(type: ScalarType, place: str, at: str, value: str) -> str:
    if is_short(type) and type != bfloat16:
        return f"vstore_half({value}, {at}, {place})"
    return f"{place}[{at}] = {shortened(value) if type == bfloat16 else value}"


def _stored_vector(type: ScalarType, lanes: int, place: str, value: str) -> str:
    if is_short(type) and type != bfloat16:
        return f"vstore_half{lanes}({value}, 0, {place})"
    return f"vstore{lanes}({shortened(value, lanes) if type == bfloat16 else value}, 0, {place})"


def _places(lanes: int, step: str | None, apart: bool) -> list[str]:
    """Where the lanes lie from `p` on."""
    if step is None:
        return [str(n) for n in range(lanes)]
    return [f"step.s{n:x}" if apart else f"{n} * step" for n in range(lanes)]


def _step(lanes: int, step: str | None, apart: bool) -> list[str]:
    return [] if step is None else [f"long{lanes if apart else ''} step"]


def _masked(lanes: int, mask: str | None) -> list[str]:
    return [] if mask is None else [f"int{lanes} m"]


def _function(head: str, parameters: list[str], body: list[str]) -> str:
    return "\n".join([f"{head}({', '.join(parameters)})", "{", *("    " + line for line in body), "}"])
