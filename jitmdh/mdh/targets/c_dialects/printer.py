"""The printer of kernels for devices: kernel IR -> OpenCL C, and what its dialects have in common.

Each node has one spelling.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field, replace

from jitmdh.base.dtype import ScalarType, bfloat16, bool_, float32
from jitmdh.base.records import dataclass
from jitmdh.mdh.kernel.arithmetic import integer
from jitmdh.mdh.kernel.free_variables import free_names
from jitmdh.mdh.kernel.ir import (
    Apply,
    Argument,
    Assign,
    Assume,
    Atomic,
    BufferArgument,
    Declare,
    Exchange,
    Fail,
    Failed,
    Fence,
    For,
    Grid,
    If,
    InOrder,
    Iota,
    Join,
    Kernel,
    Let,
    Literal,
    Load,
    Merge,
    Misalignment,
    Name,
    Parallel,
    Permute,
    Prefetch,
    PrefetchInputs,
    PrefetchResults,
    Scratch,
    Shuffle,
    Splat,
    Statement,
    Store,
    Thread,
    Threads,
    Value,
    View,
    Vote,
    While,
)
from jitmdh.mdh.kernel.printer import show_kernel
from jitmdh.mdh.kernel.rewrite import Rewriter, bound, statements
from jitmdh.mdh.targets.c_dialects import atomics
from jitmdh.mdh.targets.c_dialects.half_floats import is_short, widened
from jitmdh.mdh.targets.c_dialects.index_arithmetic import index_names, index_text
from jitmdh.mdh.targets.c_dialects.memory import CAccesses
from jitmdh.mdh.targets.c_dialects.operations import Operations
from jitmdh.mdh.targets.c_dialects.types import NoSpelling, literal, memory_type, value_type

_RESERVED = frozenset(
    "auto break case char const continue default do double else enum extern float for goto half if inline int long "
    "register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while bool "
    "true false kernel global local constant private uchar ushort uint ulong size_t status min max abs select clamp "
    "sqrt floor ceil trunc rint copysign fabs fmod isnan isinf isfinite mad task_number NAN INFINITY printf".split()
)

_NO_OFFSET = integer(0)
_SHARED_ALIGNED = 16  # bytes: the widest load of a thread

# Names of OpenCL's own functions, and of those that are written in front of kernels.
_FUNCTIONS = re.compile(
    r"(as|atom|atomic|convert|load|store|gather|scatter|join|to|add|sub|mul|neg|minimum|maximum|fmin|fmax|floordiv|mod|lshift|rshift"
    r"|pow|fused|mad|prefetch|fence|permute|write|combine|complete|lines)_\w+|__\w+"
)


@dataclass(frozen=True, slots=True)
class DeviceArgument:
    """An argument of a kernel behind the first, which is the status.

    kind: "array" (number: the slot of the frame with its address), "argument" (a scalar: its byte in the frame),
    "working" or "value" (word of what the host gives a launch). bytes: of the argument.
    """

    kind: str
    number: int
    bytes: int


@dataclass(slots=True)
class Output:
    """The text in the making. numbers: of the kernels, by the loops that they are."""

    operations: Operations = field(default_factory=Operations)
    kernels: dict[str, str] = field(default_factory=dict)
    places: list[tuple[DeviceArgument, ...]] = field(default_factory=list)


def host_part(kernel: Kernel) -> str:
    """The host's part as it is shown: what is launched, by the names of its kernels."""
    return show_kernel(_Bodiless().kernel(kernel))


class _Bodiless(Rewriter):
    def __init__(self) -> None:
        self.count = 0

    def statement(self, node: Statement) -> tuple[Statement, ...]:
        if not isinstance(node, Parallel | Grid):
            return tuple(super().statement(node))
        self.count += 1
        return (replace(node, body=(), comment=f"kernel_{self.count - 1}"),)


# ------------------------------------------------------------------------------------------------ the device


class Names:
    """Names of C in one kernel for those of the IR. names: of values, by block; spelled: of buffers in force."""

    def __init__(self) -> None:
        self.names: list[dict[str, str]] = [{}]
        self.spelled: dict[str, str] = {}
        self.taken: set[str] = {"status"}

    def _new(self, name: str) -> str:
        """A name of C that nothing else has in this kernel."""
        plain = re.sub(r"\W", lambda m: f"u{ord(m[0]):x}", name.replace(".", "_"), flags=re.ASCII)
        if plain in _RESERVED or _FUNCTIONS.fullmatch(plain):  # which do not end so
            plain += "_"
        while plain in self.taken:
            plain += "_"
        self.taken.add(plain)
        return plain

    def spell(self, buffer: str) -> str:
        """A name of C for a buffer, from here to the end of the block."""
        self.spelled[buffer] = self._new(buffer)
        return self.spelled[buffer]

    def bound(self, name: str) -> str:
        """A name of C for a name of the IR from here to the end of the block."""
        self.names[-1][name] = plain = self._new(name)
        return plain

    def named(self, name: str) -> str:
        for level in reversed(self.names):
            if name in level:
                return level[name]
        raise NoSpelling(f"the value {name}, which is computed by another kernel,")

    def buffer(self, name: str) -> str:
        return self.spelled[name]


class Device(Names):
    """One kernel in OpenCL C. given: the values and working buffers of the host that it gets, in order."""

    space = "global "
    """What pointers to the memory of the device begin with."""
    shared_space = "local "
    """What arrays that the threads of a block share begin with."""
    half_arrays = False
    """Whether there are arrays of `half`, of which OpenCL C has pointers only."""
    atomics = atomics.OPENCL
    """How memory is updated in one step."""
    whole_vectors = False
    """Whether vectors are loaded and stored by the compiler's own means, not by functions of a library."""

    def __init__(self, output: Output, name: str, kernel: Kernel, working: dict[str, ScalarType]) -> None:
        super().__init__()
        self.output, self.name, self.program, self.working = output, name, kernel, working
        self.buffers = {b.name: b for b in kernel.buffers}
        self.operations = output.operations
        self.memory = CAccesses(self)
        for buffer in (*self.buffers, *working):
            self.spell(buffer)
        self.parameters = [f"{self.space}int *status"]
        self.places: list[DeviceArgument] = []
        self.given: list[Name | str] = []
        self.indices: frozenset[str] = frozenset()
        self.declared: list[str] = []
        self.of_group: set[str] = set()  # names of arrays that the threads of a block share

    def kernel(self, loop: Parallel | Grid) -> str:
        free, body = free_names(loop.body), tuple(statements(loop.body))
        self.indices = index_names(loop.body)
        lines: list[str] = []
        own = {s.buffer for s in body if isinstance(s, View | Scratch)}
        for name in sorted(free.buffers - own):
            lines += self._array(self.buffers[name]) if name in self.buffers else self._working(name)
        inside = {loop.name.name} | {one.name for s in body if (one := bound(s)) is not None}
        for captured in sorted(free.names):
            if captured not in inside:
                lines += self._value(free.names[captured])
        task = self.bound(loop.name.name)
        lines += [f"const long {task} = {self.number(loop)};", *self.block(loop.body)]
        lines = [*self.declared, *lines]
        text = [f"{self.head(loop)}({', '.join(self.parameters)})", "{"]
        return "\n".join([*text, *("    " + line for line in lines), "}"])

    def head(self, loop: Parallel | Grid) -> str:
        """What stands before the parameters."""
        return f"kernel void {self.name}"

    def number(self, loop: Parallel | Grid) -> str:
        """That of the iteration."""
        return "get_global_id(0)" if isinstance(loop, Parallel) else "get_group_id(0)"

    def _array(self, buffer: BufferArgument) -> list[str]:
        """The parameter for an argument of the program, and what is before the kernel's own lines."""
        name, type = self.buffer(buffer.name), memory_type(buffer.type)
        if buffer.inline:
            self.places.append(DeviceArgument("argument", 8 * buffer.slot + buffer.offset, buffer.type.size_bytes))
            return self._scalar(name, type, buffer.type)
        self.places.append(DeviceArgument("array", buffer.slot, 8))
        pointer = f"{self.space}{'' if buffer.written else 'const '}{type} *"
        if not buffer.offset:
            self.parameters.append(f"{pointer}{name}")
            return []
        self.parameters.append(f"{pointer}{name}_of_all")  # a part of each element
        return [f"{pointer}{name} = ({pointer})(({self.space}const char *){name}_of_all + {buffer.offset});"]

    def _working(self, name: str) -> list[str]:
        type = self.working[name]
        self.buffers[name] = BufferArgument(name, type, -1, written=True)
        self.parameters.append(f"{self.space}{memory_type(type)} *{self.buffer(name)}")
        self.places.append(DeviceArgument("working", len(self.given), 8))
        self.given.append(name)
        return []

    def _scalar(self, name: str, c: str, type: ScalarType) -> list[str]:
        """The parameter for a number; floats of 16 bits come as their bits."""
        if not is_short(type):
            self.parameters.append(f"const {c} {name}")
            return []
        self.parameters.append(f"const ushort {name}_bits")
        bits = f"{name}_bits"
        value = widened(bits) if type == bfloat16 else f"vload_half(0, (const half *)&{bits})"
        return [f"const float {name} = {value};"]

    def _value(self, value: Name) -> list[str]:
        self.places.append(
            DeviceArgument("value", len(self.given), 4 if value.type == bool_ else value.type.size_bytes)
        )
        self.given.append(value)
        return self._scalar(self.bound(value.name), value_type(value.type), value.type)

    # ------------------------------------------------------------------------------------------ statements

    def block(self, body: tuple[Statement, ...]) -> list[str]:
        self.names.append({})
        spelled = self.spelled.copy()
        lines = [line for statement in body for line in self.statement(statement)]
        self.names.pop()
        self.spelled = spelled
        return lines

    def nested(self, head: str, body: tuple[Statement, ...]) -> list[str]:
        return [f"{head} {{", *("    " + line for line in self.block(body)), "}"]

    def statement(self, node: Statement) -> list[str]:
        match node:
            case Let() | Declare():
                value = self.index(node.value) if node.name.name in self.indices else self.value(node.value)
                constant = "const " if isinstance(node, Let) else ""
                return [f"{constant}{self.type(node.name)} {self.bound(node.name.name)} = {value};"]
            case Assign():
                return [f"{self.named(node.name.name)} = {self.value(node.value)};"]
            case Store():
                return self.memory.store(node)
            case For():
                return list(self.loop(node))
            case While():
                condition = self.value(node.condition)
                return self.nested(
                    f"while ({f'any({condition})' if node.condition.lanes > 1 else condition})", node.body
                )
            case If():
                return self._branch(node)
            case Fail():
                condition = self.value(node.condition)
                condition = f"any({condition})" if node.condition.lanes > 1 else condition
                return [f"if ({condition}) atomic_cmpxchg(status, 0, {node.code});"]  # the first of a call stays
            case Atomic():
                return self._atomic(node)
            case Fence():
                return self.memory.fence()
            case Prefetch():
                return self.memory.prefetch(node)
            case InOrder():
                return self.memory.in_order()
            case PrefetchInputs() | PrefetchResults() | Assume():
                return []
            case View():
                return [self._view(node)]
            case Scratch() if node.region == "SM":
                return self._shared(node)
        raise NoSpelling(f"{type(node).__name__} inside a kernel")

    def _branch(self, node: If) -> list[str]:
        """Conditions that nothing stands between are one; what nothing depends on is left out."""
        conditions, then = [node.condition], node.then
        while not node.otherwise and len(then) == 1 and isinstance(inner := then[0], If) and not inner.otherwise:
            conditions, then = [*conditions, inner.condition], inner.then
        holds = " && ".join(f"any({self.value(c)})" if c.lanes > 1 else self.value(c) for c in conditions)
        if then and node.otherwise:
            return [*self.nested(f"if ({holds})", then)[:-1], *self.nested("} else", node.otherwise)]
        if node.otherwise:
            return self.nested(f"if (!({holds}))", node.otherwise)
        return self.nested(f"if ({holds})", then) if then else []

    def _atomic(self, node: Atomic) -> list[str]:
        place = self.pointer(node.buffer, node.offset)
        shared, value = node.buffer in self.of_group, self.value(node.value)
        space = "" if not self.space else self.shared_space if shared else self.space
        text = self.atomics.update(node.op, place, value, node.value.type, space, self.operations, shared)
        if node.before is not None:
            return [f"const {self.type(node.before)} {self.bound(node.before.name)} = {text}"]
        return [text if node.mask is None else f"if ({self.value(node.mask)}) {text}"]

    def _shared(self, node: Scratch) -> list[str]:
        """An array of the block; OpenCL has such at the beginning of kernels only."""
        self.of_group.add(node.buffer)
        self.buffers[node.buffer] = BufferArgument(node.buffer, node.type, -1, written=True)
        size, type = self.value(node.count).rstrip("L"), memory_type(node.type)
        name, aligned = self.buffer(node.buffer), f"__attribute__((aligned({_SHARED_ALIGNED})))"
        if type == "half" and not self.half_arrays:
            self.declared.append(f"{self.shared_space}ushort {name}_bits[{size}] {aligned};")
            self.declared.append(f"{self.shared_space}half *{name} = ({self.shared_space}half *){name}_bits;")
        else:
            self.declared.append(f"{self.shared_space}{type} {name}[{size}] {aligned};")
        return self.block(node.body)

    def _view(self, node: View) -> str:
        whole, place = self.buffers[node.of], self.pointer(node.of, node.offset)
        name = self.spell(node.buffer)
        self.buffers[node.buffer] = replace(whole, name=name, inline=False)
        const = "" if whole.written else "const "
        pointer = f"{self.space}{const}{memory_type(whole.type)} *"
        return f"{pointer}{name} = {place};"

    def loop(self, node: For) -> Iterator[str]:
        begin, end, step = self.index(node.begin), self.index(node.end), self.index(node.step)
        if not isinstance(node.end, Literal | Name):  # C would compute it before each iteration
            name = self.bound(f"{node.name.name}_end")
            yield f"const long {name} = {end};"
            end = name
        self.names.append({})
        i = self.bound(node.name.name)
        lines = self.nested(f"for (long {i} = {begin}; {i} < {end}; {i} += {step})", node.body)
        self.names.pop()
        yield f"{lines[0]}  // {node.comment}" if node.comment else lines[0]
        yield from lines[1:]

    # ------------------------------------------------------------------------------------------ values

    def type(self, node: Value) -> str:
        return value_type(node.type, node.lanes)

    def index(self, node: Value, level: int = 0) -> str:
        """The text of an offset, a stride or a bound; level: 2 beside a `+`: no pointer lies before its array."""
        return index_text(node, self.value, level)

    def offset(self, node: Value, level: int = 0) -> str:
        """The text of a place in an array, for which small numbers need no type; level: as of `index`."""
        if isinstance(node, Literal) and 0 <= node.value < 2**31:  # type: ignore[operator]
            return str(int(node.value))  # type: ignore[arg-type]
        return self.index(node, level)

    def pointer(self, buffer: str, offset: Value) -> str:
        """The text of the address of an element."""
        name = self.buffer(buffer)
        return name if offset == _NO_OFFSET else f"{name} + {self.offset(offset, 2)}"

    def value(self, node: Value) -> str:
        match node:
            case Literal():
                return literal(node.value, node.type)
            case Name():
                return self.named(node.name)
            case Splat():
                one = self.value(node.value)
                return f"({self.type(node)})({f'-({one})' if node.type == bool_ else one})"
            case Iota():
                return f"({self.type(node)})({', '.join(map(str, range(node.lanes)))})"
            case Load():
                return self.memory.load(node)
            case Misalignment():
                return self.memory.misalignment(node)
            case Shuffle():
                return self._shuffle(node)
            case Merge():
                order = [divmod(pick, node.left.lanes) for pick in node.picks]
                both = [self.value(node.left), self.value(node.right)]
                return self.operations.joined(both, node.type, node.left.lanes, order)
            case Join():
                return self._join(node)
            case Apply():
                return self._apply(node)
            case Failed():
                return "(*status != 0)"
            case Threads() | Argument():
                raise NoSpelling("a look at the host's frame inside a kernel")
            case Permute():
                return self.permuted(node)
            case Thread():
                return "(long)get_local_id(0)"
            case Exchange() | Vote():
                raise NoSpelling("a value of another thread")

    def _apply(self, node: Apply) -> str:
        if node.op in ("add_product", "sub_product") and node.relaxed and node.type.kind == "f":
            total, a, b = map(self.value, node.operands)
            text = f"{self.multiply_add(node)}({f'-({a})' if node.op == 'sub_product' else a}, {b}, {total})"
            return self.operations.rounded(text, node.type, float32, node.lanes) if is_short(node.type) else text
        operand = self.index if node.op == "first_lanes" else self.value
        return self.operations.apply(node, [operand(o) for o in node.operands])

    def multiply_add(self, node: Apply) -> str:
        """The function that rounds a product and a sum once, where the device can."""
        return "mad"

    def permuted(self, node: Permute) -> str:
        """Lanes of two vectors by their numbers."""
        raise NoSpelling("a permutation by numbers of lanes")

    def _join(self, node: Join) -> str:
        values, lanes = [self.value(v) for v in node.values], node.values[0].lanes
        if lanes == 1:
            return f"({self.type(node)})({', '.join(f'-({v})' if node.type == bool_ else v for v in values)})"
        order = [(value, lane) for lane in range(lanes) for value in range(len(values))]
        return self.operations.joined(values, node.type, lanes, order)

    def _shuffle(self, node: Shuffle) -> str:
        source = self.value(node.value)
        if node.value.lanes == 1:
            return source
        picked = f"({source}).s{''.join(f'{pick:x}' for pick in node.picks)}"
        value_type(node.type, node.lanes)
        return f"(-{picked})" if node.type == bool_ and node.lanes == 1 else picked
