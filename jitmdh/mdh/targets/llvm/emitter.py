"""Kernel IR -> LLVM IR as text, for CPUs: each node has one spelling, and what is equal is spelt once.

Decided here, while values are spelt: common subexpressions (`numbered`) and loop-invariant integers (`licm.py`).

External symbols the code may call (the execution wing provides them): `jitmdh_parallel(task, env, count, status)`,
`jitmdh_ask(count, full)`, `jitmdh_interrupted()`, `jitmdh_num_threads()`, `jitmdh_scratch_acquire(bytes)`,
`jitmdh_scratch_release(address)`, and libm's functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from jitmdh.base.dtype import ScalarType, bool_
from jitmdh.base.errors import InternalError
from jitmdh.base.status import Status
from jitmdh.mdh.kernel.free_variables import free_names
from jitmdh.mdh.kernel.ir import (
    Apply,
    Argument,
    Assign,
    BufferArgument,
    CombineEnds,
    CombiningBuffer,
    Declare,
    Exchange,
    Fail,
    Failed,
    Fence,
    Flush,
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
    Poll,
    Prefetch,
    Return,
    Scratch,
    SetArgument,
    Shuffle,
    Splat,
    Statement,
    Store,
    StoreRun,
    Thread,
    Threads,
    Value,
    View,
    Vote,
    While,
)
from jitmdh.mdh.targets.llvm.intrinsics import fence, in_order, prefetch
from jitmdh.mdh.targets.llvm.licm import Line, Loop, Loops, flat, is_number
from jitmdh.mdh.targets.llvm.loops import RARE, SAVES_ALL, begin, loop, poll, repeated, way_out
from jitmdh.mdh.targets.llvm.operations import Operations, fuses
from jitmdh.mdh.targets.llvm.scratch import scratch
from jitmdh.mdh.targets.llvm.shuffles import merged, one_by_one, permuted, shuffled
from jitmdh.mdh.targets.llvm.types.names import literal, llvm_type, memory_type, vector_type
from jitmdh.mdh.targets.llvm.write_combining import combine_ends, complete, table

_RUNTIME = """declare i64 @jitmdh_parallel(ptr, ptr, i64, ptr)
declare void @jitmdh_interrupted()
declare i64 @jitmdh_num_threads()
declare ptr @jitmdh_scratch_acquire(i64)
declare void @jitmdh_scratch_release(ptr)"""


@dataclass(slots=True)
class Module:
    """One LLVM module: functions, declarations, metadata of the buffers that do not overlap."""

    vector_bits: int
    x86: bool = True
    converts_half: bool = True
    functions: list[str] = field(default_factory=list)
    declarations: set[str] = field(default_factory=set)
    scopes: dict[str, int] = field(default_factory=dict)
    memories: dict[str, int] = field(default_factory=dict)
    counter: int = 0

    def scope(self, buffer: str, memory: str | None = None) -> None:
        """`buffer` lies in the memory that `memory` names (None: its own), apart from all others."""
        self.scopes.setdefault(buffer, self.memories.setdefault(memory or buffer, len(self.memories)))

    def text(self) -> str:
        runtime = _RUNTIME.splitlines()
        attributes = (
            f'attributes #0 = {{ nounwind "prefer-vector-width"="{self.vector_bits}" "no-trapping-math"="true" }}'
        )
        zero = "@zero = private constant [64 x i8] zeroinitializer, align 64"
        lines = [*runtime, *sorted(self.declarations), zero, attributes, SAVES_ALL, *self.functions, *self._metadata()]
        return "\n".join(lines) + "\n"

    def _metadata(self) -> list[str]:
        lines = ['!0 = distinct !{!0, !"buffers"}', "!1 = !{i32 1}", '!2 = !{!"branch_weights", i32 1, i32 1000}']
        count = len(self.memories)
        for name, n in self.memories.items():
            lines.append(f'!{3 + n} = distinct !{{!{3 + n}, !0, !"{name}"}}')
        for n in range(count):
            lines.append(f"!{3 + count + n} = !{{!{3 + n}}}")
            others = ", ".join(f"!{3 + m}" for m in range(count) if m != n)
            lines.append(f"!{3 + 2 * count + n} = !{{{others}}}")
        return lines


def emit(kernels: Iterable[Kernel], vector_bits: int, x86: bool = True, converts_half: bool = True) -> str:
    """LLVM IR of `i64 @<kernel name>(ptr frame)` for each kernel, and of the tasks they start.

    converts_half: the processor has instructions between float16 and float32.
    """
    module = Module(vector_bits, x86, converts_half)
    for kernel in kernels:
        Function(module, kernel.name, kernel.buffers).kernel(kernel)
    text = module.text()
    count = len(module.memories)
    for name, n in module.scopes.items():  # metadata numbers are known only now
        text = text.replace(f"!scope:{name}!", f"!alias.scope !{3 + count + n}, !noalias !{3 + 2 * count + n}")
    return text


class Function:
    """One LLVM function in the making."""

    def __init__(self, module: Module, name: str, buffers: tuple[BufferArgument, ...]) -> None:
        self.module, self.name, self.buffers = module, name, buffers
        self.entry: list[str] = []
        self.lines: list[Line] = []
        self.loops = Loops()
        self.values: dict[str, str] = {}
        self.variables: set[str] = set()
        self.pointers: dict[str, str] = {}
        self.types: dict[str, ScalarType] = {}
        self.viewed: dict[str, str] = {}
        self.rooms: list[str] = []
        self.nested = 0
        self.status = "%status"
        self.here = "entry"
        self.tables: dict[str, str] = {}
        self.leaving, self.left = ["leave"], set[str]()
        self.counter = 0
        self.cache: list[dict[tuple[object, ...], str]] = [{}]
        self.operations = Operations(self)

    # ----------------------------------------------------------------------------------------- plumbing

    def fresh(self, hint: str = "v") -> str:
        self.counter += 1
        return f"%{hint}.{self.counter}"

    def emit(self, text: str, hint: str = "v") -> str:
        name = self.fresh(hint)
        self.lines.append(f"  {name} = {text}")
        self.loops.made(name)
        return name

    def do(self, text: str) -> None:
        self.lines.append(f"  {text}")

    def label(self, hint: str) -> str:
        self.counter += 1
        return f"{hint}.{self.counter}"

    def place(self, label: str) -> None:
        self.lines.append(f"{label}:")
        self.here = label

    def kernel(self, kernel: Kernel) -> None:
        self.entry.append("  %status = alloca i64")
        self.do("store i64 0, ptr %status")
        for b in kernel.buffers:
            slot = self.emit(f"getelementptr i64, ptr %frame, i64 {b.slot}")
            self.types[b.name] = b.type
            pointer = slot if b.inline else self.emit(f"load ptr, ptr {slot}", b.name)
            if b.offset:
                pointer = self.emit(f"getelementptr inbounds i8, ptr {pointer}, i64 {b.offset}", b.name)
            self.pointers[b.name] = pointer
            self.module.scope(b.name, b.of or b.name)
        begin(self, kernel.body)
        self.block(kernel.body)
        if self.left:
            self.place("leave")
            self.do("call void @jitmdh_interrupted()")
            self.do(f"ret i64 {Status.INTERRUPTED}")
        text = "\n".join(["entry:", *self.entry, *flat(self.lines)])
        self.module.functions.append(f"define i64 @{self.name}(ptr noalias nocapture %frame) #0 {{\n{text}\n}}")

    def block(self, body: tuple[Statement, ...]) -> None:
        """Names bound inside end with the block; the same statements may stand in several places."""
        values, variables = self.values.copy(), self.variables.copy()
        self.cache.append({})
        for statement in body:
            self.statement(statement)
        self.cache.pop()
        self.values, self.variables = values, variables

    # --------------------------------------------------------------------------------------- statements

    def statement(self, node: Statement) -> None:
        match node:
            case Let():
                self.values[node.name.name] = self.value(node.value)
                self.variables.discard(node.name.name)
            case Declare():
                slot = self.fresh(node.name.name)
                self.entry.append(f"  {slot} = alloca {self.type(node.name)}")
                self.values[node.name.name] = slot
                self.variables.add(node.name.name)
                self.do(f"store {self.typed(node.value)}, ptr {slot}")
            case Assign():
                self.do(f"store {self.typed(node.value)}, ptr {self.values[node.name.name]}")
            case Store():
                self.store(node)
            case StoreRun():
                raise InternalError("the pass coalesced_stores leaves no runs")
            case CombiningBuffer():
                self.tables[node.name] = table(self)
            case CombineEnds():
                there = self.address(node.buffer, node.offset)
                head, tail = self.typed(node.head), self.typed(node.tail)
                combine_ends(self, self.tables[node.into], there, head, tail, node.lines)
            case Flush():
                complete(self, self.tables[node.name])
            case For():
                loop(self, node)
            case While():
                repeated(self, node)
            case Parallel():
                self.parallel(node)
            case If():
                self.branch(node)
            case Scratch():
                self.types[node.buffer] = node.type
                self.module.scope(node.buffer)
                scratch(self, node)
            case View():
                self.pointers[node.buffer], self.types[node.buffer] = "", self.types[node.of]
                self.viewed[node.buffer] = self.viewed.get(node.of, node.of)
                address = self.address(node.of, node.offset)
                self.pointers[node.buffer] = self.emit(f"freeze ptr {address}") if node.settled else address
            case Fail():
                self.failed(self.any_lane(node.condition), node.code)
            case SetArgument():
                slot = self.emit(f"getelementptr i64, ptr %frame, i64 {node.slot}")
                self.do(f"store i64 {self.value(node.value)}, ptr {slot}")
            case Return():
                self.returning(node)
            case Fence() if self.module.x86:
                fence(self)
            case InOrder():
                in_order(self)
            case Poll():
                poll(self, node)
            case Prefetch():
                type, pointer = memory_type(self.types[node.buffer]), self.pointers[node.buffer]
                address = self.emit(f"getelementptr {type}, ptr {pointer}, i64 {self.value(node.offset)}")
                prefetch(self, address, node.write)

    def returning(self, node: Return) -> None:
        if node.value == Literal(0):
            status = self.emit("load i64, ptr %status")
            self.do(f"ret i64 {status}")
        else:
            self.do(f"ret i64 {self.value(node.value)}")
        self.place(self.label("after"))
        if node.value == Literal(0):
            self.do("unreachable")

    def branch(self, node: If) -> None:
        then, otherwise, after = self.label("then"), self.label("else"), self.label("end")
        condition, weights = self.any_lane(node.condition), ", !prof !2" if node.rare else ""
        self.do(f"br i1 {condition}, label %{then}, label %{otherwise if node.otherwise else after}{weights}")
        self.place(then)
        self.block(node.then)
        self.do(f"br label %{after}")
        if node.otherwise:
            self.place(otherwise)
            self.block(node.otherwise)
            self.do(f"br label %{after}")
        self.place(after)

    def any_lane(self, condition: Value) -> str:
        """Whether a condition holds in any of its lanes."""
        return self.some_lane(self.value(condition), condition.lanes)

    def some_lane(self, value: str, lanes: int) -> str:
        if lanes == 1:
            return value
        self.module.declarations.add(f"declare i1 @llvm.vector.reduce.or.v{lanes}i1(<{lanes} x i1>)")
        return self.emit(f"call i1 @llvm.vector.reduce.or.v{lanes}i1(<{lanes} x i1> {value})")

    def failed(self, condition: str, code: int) -> None:
        """The status becomes `code` where `condition` holds, unless there is one already."""
        bad, after = self.label("fail"), self.label("end")
        self.do(f"br i1 {condition}, label %{bad}, label %{after}")
        self.place(bad)
        earlier = self.emit(f"load i64, ptr {self.status}")
        none = self.emit(f"icmp eq i64 {earlier}, 0")
        status = self.emit(f"select i1 {none}, i64 {code}, i64 {earlier}")
        self.do(f"store i64 {status}, ptr {self.status}")
        self.do(f"br label %{after}")
        self.place(after)

    def parallel(self, node: Parallel) -> None:
        """The body becomes a function; what it uses from outside travels in an array of 8-byte slots."""
        free = free_names(node.body)
        values = [n for n in sorted(free.names) if n in self.values and n != node.name.name]
        pointers = [b for b in sorted(free.buffers) if b in self.pointers]
        count = self.value(node.count)
        env = self.fresh("env")
        self.entry.append(f"  {env} = alloca [{len(values) + len(pointers) + 1} x i64], align 64")
        task = Function(self.module, f"{self.name}_task{self.module.counter}", self.buffers)
        self.module.counter += 1
        task.counter = self.counter
        for slot, (kind, item) in enumerate([*(("v", v) for v in values), *(("p", p) for p in pointers), ("s", "")]):
            here = self.emit(f"getelementptr i64, ptr {env}, i64 {slot}")
            there = task.emit(f"getelementptr i64, ptr %env, i64 {slot}")
            if kind == "v":
                name = free.names[item]
                assert name.lanes == 1 and item not in self.variables
                self.do(f"store {self.type(name)} {self.values[item]}, ptr {here}")
                task.values[item] = task.emit(f"load {self.type(name)}, ptr {there}", item)
            elif kind == "p":
                self.do(f"store ptr {self.pointers[item]}, ptr {here}")
                task.pointers[item] = task.emit(f"load ptr, ptr {there}", item)
                task.types[item] = self.types[item]
                if item in self.viewed:
                    task.viewed[item] = self.viewed[item]
            else:
                self.do(f"store ptr {self.status}, ptr {here}")
                task.status = task.emit(f"load ptr, ptr {there}", "status")
        task.values[node.name.name] = "%index"
        stopped = self.emit(f"call i64 @jitmdh_parallel(ptr @{task.name}, ptr {env}, i64 {count}, ptr {self.status})")
        ends, after = self.emit(f"icmp ne i64 {stopped}, 0"), self.label("after")
        self.do(f"br i1 {ends}, label %{way_out(self)}, label %{after}{RARE}")
        self.place(after)
        begin(task, node.body)
        task.block(node.body)
        task.do("ret void")
        if task.left:
            task.place("leave")
            task.do("ret void")
        text = "\n".join(["entry:", *task.entry, *flat(task.lines)])
        self.module.functions.append(
            f"define internal void @{task.name}(ptr noalias nocapture %env, i64 %index) #0 {{\n{text}\n}}"
        )

    # ------------------------------------------------------------------------------------------- values

    def type(self, node: Value) -> str:
        return vector_type(llvm_type(node.type), node.lanes)

    def typed(self, node: Value) -> str:
        return f"{self.type(node)} {self.value(node)}"

    def value(self, node: Value) -> str:
        """The LLVM operand for a value; what a block has computed is not computed again (value numbering)."""
        match node:
            case Name():
                held = self.values[node.name]
                return self.emit(f"load {self.type(node)}, ptr {held}") if node.name in self.variables else held
            case Literal():
                return literal(node.value, node.type)
            case Iota():
                scalar = llvm_type(node.type)
                return "<" + ", ".join(f"{scalar} {n}" for n in range(node.lanes)) + ">"
            case Apply() if fuses(node):
                operands = [self.value(node.operands[n]) for n in (1, 2, 0)]
                key = ("muladd", node.type.name, node.lanes, node.op[:3], True, *operands)  # plus or minus a product
                return self.numbered(key, lambda: self.operations.multiply_add(node, operands))
            case Apply():
                operands = [self.value(o) for o in node.operands]
                key = (node.op, node.type.name, node.lanes, node.operands[0].type.name, node.relaxed, *operands)
                if is_number(node) and (loop := self.loops.around(operands)) is not None:
                    return self.before(loop, key, lambda: self.operations.apply(node, operands))
                return self.numbered(key, lambda: self.operations.apply(node, operands))
            case Splat():
                if isinstance(node.value, Literal):
                    return f"splat ({llvm_type(node.type)} {literal(node.value.value, node.type)})"
                one = self.value(node.value)
                return self.numbered(("splat", node.type.name, node.lanes, one), lambda: self._splat(node, one))
            case Argument():
                slot = self.emit(f"getelementptr i64, ptr %frame, i64 {node.slot}")
                return self.emit(f"load {memory_type(node.type)}, ptr {slot}")
            case Load():
                return self.load(node)
            case Shuffle():
                return shuffled(self, node)
            case Merge():
                return merged(self, node)
            case Permute():
                return permuted(self, node)
            case Join():
                return one_by_one(self, node)
            case Misalignment():
                return self._misalignment(node)
            case Failed():
                status = self.emit(f"load i64, ptr {self.status}")
                return self.emit(f"icmp ne i64 {status}, 0")
            case Threads():
                return self.emit("call i64 @jitmdh_num_threads()")
            case Thread() | Exchange() | Vote():
                raise InternalError(f"kernel {self.name}: a thread of a grid on a processor")

    def numbered(self, key: tuple[object, ...], compute: Callable[[], str]) -> str:
        """The value known in this block or one around it by `key`, else computed now."""
        if (found := self.known(key)) is not None:
            return found
        text = self.cache[-1][key] = compute()
        return text

    def known(self, key: tuple[object, ...]) -> str | None:
        for level in reversed(self.cache):
            found = level.get(key)
            if found is not None:
                return found
        return None

    def before(self, loop: Loop, key: tuple[object, ...], compute: Callable[[], str]) -> str:
        """The value known there by `key`, else computed before the loop."""
        if (found := self.known(key)) is not None:
            return found
        here, self.lines = self.lines, loop.before
        with self.loops.outside(loop):
            text = loop.known[key] = compute()
        self.lines = here
        return text

    def _splat(self, node: Splat, one: str) -> str:
        vector = f"<{node.lanes} x {llvm_type(node.type)}>"
        first = self.emit(f"insertelement {vector} poison, {llvm_type(node.type)} {one}, i64 0")
        return self.emit(f"shufflevector {vector} {first}, {vector} poison, <{node.lanes} x i32> zeroinitializer")

    # ------------------------------------------------------------------------------------------- memory

    def scope(self, buffer: str) -> str:
        """What tells LLVM which accesses cannot meet."""
        return f", !scope:{self.viewed.get(buffer, buffer)}!"

    def address(self, buffer: str, offset: Value) -> str:
        """A pointer; neighbours share that to the part of the offset that they have in common."""
        if offset == Literal(0):
            return self.pointers[buffer]
        if isinstance(offset, Apply) and offset.op == "add":
            common, step = offset.operands
            if isinstance(step, Literal) or isinstance(common, Name):
                return self.behind(buffer, self.address(buffer, common), self.value(step))
        return self.behind(buffer, self.pointers[buffer], self.value(offset))

    def behind(self, buffer: str, pointer: str, step: str) -> str:
        """Not `inbounds`: what neighbours have in common may lie before the first element."""
        type = memory_type(self.types[buffer])
        key = ("address", type, pointer, step)
        return self.numbered(key, lambda: self.emit(f"getelementptr {type}, ptr {pointer}, i64 {step}"))

    def lane_addresses(self, buffer: str, offset: Value, stride: Value, lanes: int) -> str:
        type = memory_type(self.types[buffer])
        if offset.lanes > 1:
            return self.emit(f"getelementptr {type}, ptr {self.pointers[buffer]}, <{lanes} x i64> {self.value(offset)}")
        steps = self.value(Apply("mul", (Iota(lanes), Splat(stride, stride.type, lanes)), stride.type, lanes))
        base = self.address(buffer, offset)
        return self.emit(f"getelementptr {type}, ptr {base}, <{lanes} x i64> {steps}")

    def _misalignment(self, node: Misalignment) -> str:
        size = self.types[node.buffer].size_bytes
        address = self.emit(f"ptrtoint ptr {self.address(node.buffer, node.offset)} to i64")
        behind = self.emit(f"and i64 {address}, {node.count * size - 1}")
        return self.emit(f"udiv exact i64 {behind}, {size}")

    def load(self, node: Load) -> str:
        type, scope = memory_type(node.type), self.scope(node.buffer)
        align = node.type.size_bytes
        if node.lanes == 1:
            address = self.address(node.buffer, node.offset)
            if node.mask is not None:
                address = self.emit(f"select i1 {self.value(node.mask)}, ptr {address}, ptr @zero")
                scope = ""
            raw = self.emit(f"load {type}, ptr {address}, align {align}{scope}")
        else:
            raw = self._load_vector(node, type, align, scope)
        if node.type == bool_:
            return self.emit(f"icmp ne {vector_type(type, node.lanes)} {raw}, zeroinitializer"
                             if node.lanes > 1 else f"icmp ne {type} {raw}, 0")  # fmt: skip
        return raw

    def _load_vector(self, node: Load, type: str, align: int, scope: str) -> str:
        lanes, vector = node.lanes, vector_type(type, node.lanes)
        mask = self.value(node.mask) if node.mask is not None else "splat (i1 true)"
        suffix = f"v{lanes}{_suffix(type)}"
        if node.stride == Literal(1) and node.offset.lanes == 1:
            address = self.address(node.buffer, node.offset)
            if node.mask is None:
                return self.emit(f"load {vector}, ptr {address}, align {align}{scope}")
            call = f"@llvm.masked.load.{suffix}.p0"
            self.module.declarations.add(f"declare {vector} {call}(ptr, i32, <{lanes} x i1>, {vector})")
            return self.emit(
                f"call {vector} {call}(ptr {address}, i32 {align}, <{lanes} x i1> {mask}, "
                f"{vector} zeroinitializer){scope}"
            )
        addresses = self.lane_addresses(node.buffer, node.offset, node.stride, lanes)
        call = f"@llvm.masked.gather.{suffix}.v{lanes}p0"
        self.module.declarations.add(f"declare {vector} {call}(<{lanes} x ptr>, i32, <{lanes} x i1>, {vector})")
        return self.emit(
            f"call {vector} {call}(<{lanes} x ptr> {addresses}, i32 {align}, <{lanes} x i1> {mask}, "
            f"{vector} zeroinitializer){scope}"
        )

    def store(self, node: Store) -> None:
        type, scope = memory_type(self.types[node.buffer]), self.scope(node.buffer)
        lanes, align = node.value.lanes, self.types[node.buffer].size_bytes
        value = self.value(node.value)
        if self.types[node.buffer] == bool_:
            value = self.emit(f"zext {self.type(node.value)} {value} to {vector_type(type, lanes)}")
        if lanes > 1:
            self._store_vector(node, value, type, lanes, align, scope)
            return
        after = ""
        if node.mask is not None:
            then, after = self.label("then"), self.label("end")
            self.do(f"br i1 {self.value(node.mask)}, label %{then}, label %{after}")
            self.place(then)
            self.cache.append({})
        self.do(f"store {type} {value}, ptr {self.address(node.buffer, node.offset)}, align {align}{scope}")
        if after:
            self.cache.pop()
            self.do(f"br label %{after}")
            self.place(after)

    def _store_vector(self, node: Store, value: str, type: str, lanes: int, align: int, scope: str) -> None:
        vector = vector_type(type, lanes)
        mask = self.value(node.mask) if node.mask is not None else "splat (i1 true)"
        suffix = f"v{lanes}{_suffix(type)}"
        if node.stride == Literal(1) and node.offset.lanes == 1:
            address = self.address(node.buffer, node.offset)
            if node.aligned and node.mask is None:
                past = ", !nontemporal !1" if node.streaming else ""
                self.do(f"store {vector} {value}, ptr {address}, align {lanes * align}{past}{scope}")
            elif node.mask is None:
                self.do(f"store {vector} {value}, ptr {address}, align {align}{scope}")
            else:
                call = f"@llvm.masked.store.{suffix}.p0"
                self.module.declarations.add(f"declare void {call}({vector}, ptr, i32, <{lanes} x i1>)")
                self.do(f"call void {call}({vector} {value}, ptr {address}, i32 {align}, <{lanes} x i1> {mask}){scope}")
            return
        addresses = self.lane_addresses(node.buffer, node.offset, node.stride, lanes)
        call = f"@llvm.masked.scatter.{suffix}.v{lanes}p0"
        self.module.declarations.add(f"declare void {call}({vector}, <{lanes} x ptr>, i32, <{lanes} x i1>)")
        self.do(
            f"call void {call}({vector} {value}, <{lanes} x ptr> {addresses}, i32 {align}, "
            f"<{lanes} x i1> {mask}){scope}"
        )


def _suffix(type: str) -> str:
    return {"float": "f32", "double": "f64"}.get(type, type)
