"""Kernel IR -> OpenCL C and the host's part of it, both as text.

Each node has one spelling. A relaxed multiply-add, which the pass `fma` makes, is spelt `mad`.

A `Parallel` loop becomes a kernel of one work-item per iteration, statements between parallel loops a kernel of one
work-item. What surrounds them (sizes, sequential loops, conditions on sizes, working buffers) stays on the host: two
Python functions over the frame, `guard(frame, threads)` and `kernel(frame, threads, launch, scratch)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from jitmdh.base.dtype import ScalarType, bool_
from jitmdh.mdh.kernel.free_variables import free_names
from jitmdh.mdh.kernel.ir import (
    Apply,
    Argument,
    Assign,
    BufferArgument,
    Declare,
    Fail,
    Failed,
    Fence,
    For,
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
    Return,
    Scratch,
    SetArgument,
    Shuffle,
    Splat,
    Statement,
    Store,
    Threads,
    Value,
    While,
)  # fmt: skip
from jitmdh.mdh.kernel.rewrite import statements
from jitmdh.mdh.targets.opencl.host_code import NotOnHost, host_value
from jitmdh.mdh.targets.opencl.memory import Memory
from jitmdh.mdh.targets.opencl.operations import Operations
from jitmdh.mdh.targets.opencl.types import literal, memory_type, refused, value_type

_PRAGMAS = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#pragma OPENCL FP_CONTRACT OFF\n"
_RESERVED = frozenset(
    "auto break case char const continue default do double else enum extern float for goto half if inline int long "
    "register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while bool "
    "true false kernel global local constant private uchar ushort uint ulong size_t status min max abs select clamp "
    "sqrt floor ceil trunc rint copysign fabs fmod isnan isinf isfinite mad task_number NAN INFINITY printf".split()
)


@dataclass(frozen=True, slots=True)
class OpenClText:
    """functions: what the kernels call; kernels: name and text of each; host: Python text of `guard` and `kernel`."""

    functions: str
    kernels: tuple[tuple[str, str], ...]
    host: str

    def sources(self) -> dict[str, str]:
        """For each kernel the text that its compiler needs."""
        return {name: f"{self.functions}\n\n{text}\n" for name, text in self.kernels}

    def __str__(self) -> str:
        device = "\n\n".join([self.functions, *(text for _, text in self.kernels)])
        return f"// on the device\n\n{device}\n\n# on the host\n\n{self.host}"


@dataclass(slots=True)
class _Output:
    """The text in the making."""

    operations: Operations = field(default_factory=Operations)
    kernels: dict[str, str] = field(default_factory=dict)


def emit(kernel: Kernel, guard: Kernel) -> OpenClText:
    """NotAnMdhError for what OpenCL has no spelling of."""
    output = _Output()
    if any(b.of for b in kernel.buffers):
        raise refused("arrays of complex numbers")
    host = ["def guard(frame, threads):", *_Host(output, guard).body(guard.body, 1), ""]
    if output.kernels:
        raise refused("a check of the arguments that needs their data")
    host += ["def kernel(frame, threads, launch, scratch):", *_Host(output, kernel).body(kernel.body, 1), ""]
    functions = "\n\n".join([_PRAGMAS.strip(), *output.operations.functions.values()])
    return OpenClText(functions, tuple(output.kernels.items()), "\n".join(host))


# ------------------------------------------------------------------------------------------------ the host


class _Host:
    """Splits a kernel into what the host does and what it launches."""

    def __init__(self, output: _Output, kernel: Kernel) -> None:
        self.output, self.kernel = output, kernel
        self.buffers = {b.name: b for b in kernel.buffers}
        self.known: dict[str, Name] = {}

    def body(self, body: tuple[Statement, ...], depth: int) -> list[str]:
        known = dict(self.known)
        lines: list[str] = []
        waiting: list[Statement] = []

        def flush() -> None:
            if waiting:
                lines.extend(self.launched(tuple(waiting), None))
                waiting.clear()

        for statement in body:
            if isinstance(statement, Let) and self.computed(statement, lines):
                continue
            if not (_has_parallel(statement) or isinstance(statement, SetArgument) or self.returns(statement)):
                waiting.append(statement)
                continue
            flush()
            lines += self.control(statement)
        flush()
        self.known = known
        return ["    " * depth + line for line in lines] or ["    " * depth + "pass"]

    def computed(self, statement: Let, lines: list[str]) -> bool:
        """Whether the host can compute a value: integers from the frame and from other such values."""
        if statement.name.type.kind != "i" or statement.name.type.bits < 64 or statement.name.lanes > 1:
            return False
        try:
            lines.append(f"{host_name(statement.name.name)} = {self.value(statement.value)}")
        except NotOnHost:
            return False
        self.known[statement.name.name] = statement.name
        return True

    def returns(self, statement: Statement) -> bool:
        """Whether the kernel may end in a condition, however deep: only the host can end it."""
        if not isinstance(statement, If):
            return isinstance(statement, Return)
        return any(map(self.returns, (*statement.then, *statement.otherwise)))

    def value(self, value: Value) -> str:
        return host_value(value, self.known)

    def needed(self, value: Value) -> str:
        try:
            return self.value(value)
        except NotOnHost:
            raise refused("a parallel loop whose extent is computed on the way") from None

    def control(self, statement: Statement) -> list[str]:
        match statement:
            case Return():
                return [f"return {self.needed(statement.value)}"]
            case SetArgument():
                return [f"frame[{statement.slot}] = {self.needed(statement.value)}"]
            case Parallel():
                return self.launched(statement.body, statement)
            case For():
                return self.loop(statement)
            case If():
                lines = [f"if {self.needed(statement.condition)}:", *self.body(statement.then, 1)]
                return [*lines, "else:", *self.body(statement.otherwise, 1)] if statement.otherwise else lines
            case Scratch():
                line = self.scratch(statement.buffer, statement.type, self.needed(statement.count))
                return [line, *self.body(statement.body, 0)]
        raise refused(f"{type(statement).__name__} around a parallel loop")

    def loop(self, node: For) -> list[str]:
        extent = ", ".join(self.needed(v) for v in (node.begin, node.end, node.step))
        before = dict(self.known)
        self.known[node.name.name] = node.name
        lines = self.body(node.body, 1)
        self.known = before
        return [f"for {host_name(node.name.name)} in range({extent}):", *lines]

    def scratch(self, buffer: str, type: ScalarType, count: str) -> str:
        self.buffers[buffer] = BufferArgument(buffer, type, -1, written=True)
        return f"scratch({buffer!r}, {type.name!r}, {count})"

    def launched(self, body: tuple[Statement, ...], parallel: Parallel | None) -> list[str]:
        """A kernel for these statements, and the lines of the host that start it."""
        name = f"{self.kernel.name}_{len(self.output.kernels)}"
        count = "1" if parallel is None else self.needed(parallel.count)
        lines = []
        for scratch in _scratches(body):  # a part for each iteration
            try:
                size = self.value(scratch.count)
            except NotOnHost:
                raise refused("a working buffer whose size is computed in a parallel loop") from None
            lines.append(self.scratch(scratch.buffer, scratch.type, f"{size} * {count}"))
        device = _Device(self.output, name, self.buffers, self.known)
        self.output.kernels[name] = device.kernel(body, parallel)
        used, passed = tuple(device.used), "".join(f"{value}, " for value in device.passed)
        return [*lines, f"launch({name!r}, {count}, {used!r}, ({passed}))"]


def _scratches(body: tuple[Statement, ...]) -> list[Scratch]:
    return [statement for statement in statements(body) if isinstance(statement, Scratch)]


def host_name(name: str) -> str:
    """A name of the IR on the host, where it is no word of Python's nor one of ours.

    >>> host_name("i_size")
    'i_size_'
    """
    return f"{name}_"


def _has_parallel(statement: Statement) -> bool:
    return any(isinstance(inner, Parallel) for inner in statements((statement,)))


# ------------------------------------------------------------------------------------------------ the device


class _Device:
    """One kernel in OpenCL C. used: its buffers in order; passed: the host's expressions for its numbers."""

    def __init__(self, output: _Output, name: str, buffers: dict[str, BufferArgument], known: dict[str, Name]) -> None:
        self.output, self.name, self.buffers, self.known = output, name, buffers, known
        self.operations = output.operations
        self.memory = Memory(self)
        self.names: list[dict[str, str]] = [{}]
        self.taken: set[str] = {self._plain(b) for b in buffers} | {"status"}
        self.task = "0"
        self.own: set[str] = set()
        self.used: list[str] = []
        self.passed: list[str] = []
        self.parameters: list[str] = []

    def kernel(self, body: tuple[Statement, ...], parallel: Parallel | None) -> str:
        self.own = {scratch.buffer for scratch in _scratches(body)}
        free = free_names(body)
        self.used = [b for b in self.buffers if b in free.buffers]
        for b in self.used:
            argument = self.buffers[b]
            pointer = "" if argument.inline else "*"
            space = "" if argument.inline else f"global {'' if argument.written else 'const '}"
            self.parameters.append(f"{space}{memory_type(argument.type)} {pointer}{self.place(b)}")
        for name in sorted(free.names):
            if name in self.known and (parallel is None or name != parallel.name.name):
                self._pass(self.bound(name), host_name(name), self.known[name].type)
        lines = []
        if parallel is not None:
            self.task = self.bound(parallel.name.name)
            lines.append(f"const long {self.task} = get_global_id(0);")
        lines += self.block(body)
        text = [f"kernel void {self.name}({', '.join(['global int *status', *self.parameters])})", "{"]
        return "\n".join([*text, *("    " + line for line in lines), "}"])

    def _pass(self, name: str, expression: str, type: ScalarType) -> None:
        self.parameters.append(f"const {value_type(type)} {name}")
        self.passed.append(expression)

    # ------------------------------------------------------------------------------------------ names

    def _plain(self, name: str) -> str:
        plain = re.sub(r"\W", lambda m: f"u{ord(m[0]):x}", name, flags=re.ASCII)
        reserved = plain in _RESERVED or re.fullmatch(r"(as|convert|load|store|gather|scatter)_\w+|__\w+", plain)
        return f"{plain}_" if reserved else plain

    def bound(self, name: str) -> str:
        """A name of C for a name of the IR from here to the end of the block."""
        plain = self._plain(name)
        while plain in self.taken:
            plain += "_"
        self.taken.add(plain)
        self.names[-1][name] = plain
        return plain

    def named(self, name: str) -> str:
        for level in reversed(self.names):
            if name in level:
                return level[name]
        raise refused(f"the value {name}, which is computed by another kernel,")

    def buffer(self, name: str) -> str:
        return self._plain(name)

    def place(self, name: str) -> str:
        """The parameter for a buffer; working buffers of iterations come in one for all of them."""
        return f"{self._plain(name)}_of_all" if name in self.own else self._plain(name)

    # ------------------------------------------------------------------------------------------ statements

    def block(self, body: tuple[Statement, ...]) -> list[str]:
        self.names.append({})
        lines = [line for statement in body for line in self.statement(statement)]
        self.names.pop()
        return lines

    def nested(self, head: str, body: tuple[Statement, ...]) -> list[str]:
        return [f"{head} {{", *("    " + line for line in self.block(body)), "}"]

    def statement(self, node: Statement) -> list[str]:
        match node:
            case Let() | Declare():
                value = self.value(node.value)
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
                lines = self.nested(f"if ({self.value(node.condition)})", node.then)
                return [*lines[:-1], *self.nested("} else", node.otherwise)] if node.otherwise else lines
            case Fail():
                condition = self.value(node.condition)
                return [f"if ({f'any({condition})' if node.condition.lanes > 1 else condition}) *status = {node.code};"]
            case Fence() | InOrder() | Prefetch():
                return []
            case Scratch():
                part = f"{self.place(node.buffer)} + {self.task} * ({self.value(node.count)})"
                pointer = f"global {memory_type(node.type)} *{self._plain(node.buffer)} = {part};"
                return ["{", *("    " + line for line in [pointer, *self.block(node.body)]), "}"]
        raise refused(f"{type(node).__name__} inside a kernel")

    def loop(self, node: For) -> Iterator[str]:
        begin, end, step = self.value(node.begin), self.value(node.end), self.value(node.step)
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

    def value(self, node: Value) -> str:
        match node:
            case Literal():
                return literal(node.value, node.type)
            case Name():
                return self.named(node.name)
            case Argument():
                return self._argument(node)
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
            case Threads() | Failed():
                raise refused("the number of threads, or a look at the status, inside a kernel")
            case Permute():
                raise refused("a permutation by numbers of lanes")

    def _apply(self, node: Apply) -> str:
        if node.op in ("add_product", "sub_product") and node.relaxed and node.type.kind == "f":
            total, a, b = map(self.value, node.operands)
            return f"mad({f'-({a})' if node.op == 'sub_product' else a}, {b}, {total})"
        return self.operations.apply(node, [self.value(o) for o in node.operands])

    def _argument(self, node: Argument) -> str:
        key = f"frame {node.slot} {node.type.name}"
        if key not in self.names[0]:
            if not node.type.is_integer:
                raise refused(f"an argument of type {node.type} outside a load")
            self.names[0][key] = f"frame_{node.slot}_{node.type.name}"
            self._pass(self.names[0][key], f"frame[{node.slot}]", node.type)
        return self.names[0][key]

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
