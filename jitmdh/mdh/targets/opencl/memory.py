"""Loads and stores in OpenCL C: elements, vectors, masked, with strides."""

from __future__ import annotations

from typing import Protocol

from jitmdh.base.dtype import bool_
from jitmdh.mdh.kernel.ir import BufferArgument, Literal, Load, Misalignment, Store, Value
from jitmdh.mdh.targets.opencl.operations import Operations, narrowed
from jitmdh.mdh.targets.opencl.types import memory_type, refused, value_type


class Writer(Protocol):
    """The kernel in the making."""

    operations: Operations
    buffers: dict[str, BufferArgument]

    def value(self, node: Value) -> str: ...

    def index(self, node: Value, level: int = 0) -> str: ...

    def buffer(self, name: str) -> str: ...


class Memory:
    """Spells accesses of one kernel."""

    def __init__(self, writer: Writer) -> None:
        self.w = writer

    def load(self, node: Load) -> str:
        name = self.w.buffer(node.buffer)
        if self.w.buffers[node.buffer].inline:
            return f"({name} != 0)" if node.type == bool_ else name
        mask = None if node.mask is None else self.w.value(node.mask)
        element = memory_type(node.type)
        if node.lanes == 1:
            text = f"{name}[{self.w.index(node.offset)}]"
            if mask is not None:
                text = narrowed(f"({mask} ? {text} : ({element})0)", node.type)
            return f"({text} != 0)" if node.type == bool_ else text
        wide = f"{element}{node.lanes}"
        place = name if node.offset.lanes > 1 else f"{name} + {self.w.index(node.offset, 2)}"
        if node.offset.lanes > 1:
            text = self._gather(element, node.lanes, place, self.w.value(node.offset), mask, apart=True)
        elif node.stride == Literal(1) and mask is None:
            text = f"vload{node.lanes}(0, {place})"
        else:
            text = self._gather(element, node.lanes, place, self.w.index(node.stride), mask)
        value_type(node.type, node.lanes)
        return f"convert_int{node.lanes}({text} != ({wide})(0))" if node.type == bool_ else text

    def _gather(
        self, element: str, lanes: int, place: str, stride: str, mask: str | None, apart: bool = False
    ) -> str:  # fmt: skip
        """Elements a stride apart; or, where they lie apart, each at an offset of its own."""
        kind = "gather" if apart else "load"
        function = f"{kind if mask is None else f'{kind}_masked'}_{element}{lanes}"
        wide = f"{element}{lanes}"
        lane = [f"p[step.s{n:x}]" if apart else f"p[{n} * step]" for n in range(lanes)]
        if mask is not None:
            lane = [f"m.s{n:x} ? {text} : ({element})0" for n, text in enumerate(lane)]
        masked = "" if mask is None else f", int{lanes} m"
        head = f"{wide} {function}(global const {element} *p, long{lanes if apart else ''} step{masked})"
        self.w.operations.functions[function] = f"{head}\n{{\n    return ({wide})({', '.join(lane)});\n}}"
        return f"{function}({place}, {stride}{'' if mask is None else f', {mask}'})"

    def store(self, node: Store) -> list[str]:
        argument = self.w.buffers.get(node.buffer)
        name, lanes = self.w.buffer(node.buffer), node.value.lanes
        if argument is None or argument.inline:
            raise refused("a store to a scalar argument")
        element, value = memory_type(argument.type), self.w.value(node.value)
        if lanes == 1:
            guard = "" if node.mask is None else f"if ({self.w.value(node.mask)}) "
            return [f"{guard}{name}[{self.w.index(node.offset)}] = {value};"]
        offset = self.w.index(node.offset, 2)
        if argument.type == bool_:
            value = f"convert_uchar{lanes}(-({value}))"
        mask = None if node.mask is None else self.w.value(node.mask)
        masked = "" if mask is None else f", {mask}"
        if node.offset.lanes > 1:
            function = self._scatter(element, lanes, mask is not None, apart=True)
            return [f"{function}({name}, {offset}, {value}{masked});"]
        if node.stride == Literal(1) and mask is None:
            return [f"vstore{lanes}({value}, 0, {name} + {offset});"]
        function = self._scatter(element, lanes, mask is not None)
        return [f"{function}({name} + {offset}, {self.w.index(node.stride)}, {value}{masked});"]

    def _scatter(self, element: str, lanes: int, masked: bool, apart: bool = False) -> str:
        kind = "scatter" if apart else "store"
        function = f"{f'{kind}_masked' if masked else kind}_{element}{lanes}"
        places = [f"step.s{n:x}" if apart else f"{n} * step" for n in range(lanes)]
        lane = [f"{f'if (m.s{n:x}) ' if masked else ''}p[{place}] = v.s{n:x};" for n, place in enumerate(places)]
        mask = f", int{lanes} m" if masked else ""
        head = f"void {function}(global {element} *p, long{lanes if apart else ''} step, {element}{lanes} v{mask})"
        self.w.operations.functions[function] = "\n".join([head, "{", *("    " + line for line in lane), "}"])
        return function

    def misalignment(self, node: Misalignment) -> str:
        place = f"({self.w.buffer(node.buffer)} + {self.w.index(node.offset, 2)})"
        size = self.w.buffers[node.buffer].type.size_bytes
        return f"((long)((ulong){place} / {size}) & {node.count - 1}L)"
