"""One LLVM function in the making: each node of kernel IR has one spelling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jitmdh.base.dtype import ScalarType
from jitmdh.base.errors import InternalError
from jitmdh.base.source import Loc
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
    MaskedStores,
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
from jitmdh.mdh.targets.llvm.environment import Environment
from jitmdh.mdh.targets.llvm.instructions.intrinsics import fence, in_order
from jitmdh.mdh.targets.llvm.instructions.operations import Operations, fuses
from jitmdh.mdh.targets.llvm.instructions.shuffles import merged, one_by_one, permuted, shuffled
from jitmdh.mdh.targets.llvm.lines import Line, flat
from jitmdh.mdh.targets.llvm.loops import (
    ANSWERS,
    RARE,
    begin,
    failed,
    leave,
    loop,
    poll,
    repeated,
    returned,
    way_out,
)
from jitmdh.mdh.targets.llvm.memory import LlvmAccesses
from jitmdh.mdh.targets.llvm.module import Module
from jitmdh.mdh.targets.llvm.number_tables import NumberTable, has_many_numbers, is_of_a_table
from jitmdh.mdh.targets.llvm.scratch import scratch
from jitmdh.mdh.targets.llvm.types.names import literal, llvm_type, memory_type, vector_type
from jitmdh.mdh.targets.llvm.write_combining import combine_ends, complete, table


class FunctionEmitter:
    """One LLVM function in the making.

    environment: what a task has from outside; held: what slots of variables hold, as far as the present block tells;
    unsaved: those of them of which a store waits for the end of the block; count: where a count of work is made; table:
    of numbers, of the present block. source: where its code comes from, and from_: the part that is being written.
    """

    def __init__(self, module: Module, name: str, buffers: tuple[BufferArgument, ...]) -> None:
        self.module, self.name, self.buffers = module, name, buffers
        self.entry: list[Line] = []
        self.lines: list[Line] = []
        self.environment: Environment | None = None
        self.held: dict[str, str] = {}
        self.unsaved: dict[str, str] = {}
        self.count: tuple[list[Line], list[Line]] = [], []
        self.values: dict[str, str] = {}
        self.variables: set[str] = set()
        self.pointers: dict[str, str] = {}
        self.types: dict[str, ScalarType] = {}
        self.viewed: dict[str, str] = {}
        self.rooms: list[str] = []
        self.kept_bytes = 0
        self.nested = 0
        self.branchless = False
        self.status = "%status"
        self.here = "entry"
        self.tables: dict[str, str] = {}
        self.leaving, self.left = ["leave"], set[str]()
        self.counter = 0
        self.table: NumberTable | None = None
        self.operations, self.memory = Operations(self), LlvmAccesses(self)
        self.spelled: dict[tuple[str, int], str] = {}
        self.source = None if module.line_table is None else module.line_table.function()
        self.from_ = "" if self.source is None else self.source.first

    # ----------------------------------------------------------------------------------------- plumbing

    def fresh(self, hint: str = "v") -> str:
        self.counter += 1
        return f"%{hint}.{self.counter}"

    def emit(self, text: str, hint: str = "v") -> str:
        self.counter += 1
        name = f"%{hint}.{self.counter}"
        self.lines.append(f"  {name} = {text}{self.from_}")
        return name

    def do(self, text: str) -> None:
        self.lines.append(f"  {text}{self.from_}")

    def at(self, loc: Loc | None) -> None:
        """What is written next comes from there; None: from where the last one does."""
        if loc is not None and self.source is not None:
            self.from_ = self.source.at(loc)

    def label(self, hint: str) -> str:
        self.counter += 1
        return f"{hint}.{self.counter}"

    def place(self, label: str) -> None:
        """A new block; what ends the present one has been written."""
        if self.unsaved:
            self.lines[-1:-1] = [f"  store {value}, ptr {slot}" for slot, value in self.unsaved.items()]
            self.unsaved.clear()
        self.held.clear()
        if self.table is not None:
            self.table.forget()
        self.lines.append(f"{label}:")
        self.here = label

    def keep(self, name: Name, node: Value) -> None:
        """A variable gets a value: a block reads what it has written itself, and stores the last value only. Raises
        InternalError if it is of another type: LLVM would store it, and leave the other lanes as they are."""
        slot, type, value = self.values[name.name], self.type(node), self.value(node)
        if type != self.type(name):
            raise InternalError(f"`{name.name}` is {self.type(name)}, its value {type}")
        self.held[slot], self.unsaved[slot] = value, f"{type} {value}"

    def kernel(self, kernel: Kernel) -> None:
        self.entry.append("  %status = alloca [2 x i64]")  # behind it: when the call looked for signals last
        self.do("store [2 x i64] zeroinitializer, ptr %status")
        for b in kernel.buffers:
            slot = self.emit(f"getelementptr i64, ptr %frame, i64 {b.slot}")
            self.types[b.name] = b.type
            pointer = slot if b.inline else self.emit(f"load ptr, ptr {slot}", b.name)
            if b.offset:
                pointer = self.emit(f"getelementptr inbounds i8, ptr {pointer}, i64 {b.offset}", b.name)
            self.pointers[b.name] = pointer
            self.module.scope(b.name, b.of or b.name)
        begin(self)
        self.block(kernel.body)
        if self.left:
            leave(self)
        text = "\n".join(["entry:", *flat(self.entry), *flat(self.lines)])
        head = f"define i64 @{self.name}(ptr noalias nocapture %frame) #0{self.attachment}"
        self.module.functions.append(f"{head} {{\n{text}\n}}")

    @property
    def attachment(self) -> str:
        return "" if self.source is None else self.source.attachment

    def block(self, body: tuple[Statement, ...]) -> None:
        """Names bound inside end with the block; the same statements may stand in several places."""
        values, variables, table = self.values.copy(), self.variables.copy(), self.table
        self.table = None
        if has_many_numbers(body):
            self.table = NumberTable(self.module, self.fresh, [])
            self.lines.append(self.table.head)
        for statement in body:
            self.statement(statement)
        self.values, self.variables, self.table = values, variables, table

    # --------------------------------------------------------------------------------------- statements

    def statement(self, node: Statement) -> None:
        match node:
            case Let():
                self.values[node.name.name] = self.value(node.value)
                self.variables.discard(node.name.name)
                if node.name.lanes > 1:
                    self.memory.note(node.name.name, node.value)
            case Declare():
                slot = self.fresh(node.name.name)
                self.entry.append(f"  {slot} = alloca {self.type(node.name)}")
                self.values[node.name.name] = slot
                self.variables.add(node.name.name)
                self.keep(node.name, node.value)
            case Assign():
                self.keep(node.name, node.value)
            case Store():
                self.memory.store(node)
            case MaskedStores():
                self.memory.store_together(node)
            case StoreRun():
                raise InternalError("the pass coalesced_stores leaves no runs")
            case CombiningBuffer():
                self.tables[node.name] = table(self)
            case CombineEnds():
                there = self.memory.address(node.buffer, node.offset)
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
                address = self.memory.address(node.of, node.offset)
                self.pointers[node.buffer] = self.emit(f"freeze ptr {address}") if node.opaque else address
            case Fail():
                failed(self, node)
            case SetArgument():
                self.set_argument(node)
            case Return():
                returned(self, node)
            case Fence() if self.module.x86:
                fence(self)
            case InOrder():
                in_order(self)
            case Poll():
                poll(self, node)
            case Prefetch():
                self.memory.prefetch(node)

    def set_argument(self, node: SetArgument) -> None:
        slot = self.emit(f"getelementptr i64, ptr %frame, i64 {node.slot}")
        self.do(f"store i64 {self.value(node.value)}, ptr {slot}")

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

    def parallel(self, node: Parallel) -> None:
        """The body becomes a function; what it uses from outside travels in an array of 8-byte slots."""
        count = self.value(node.count)
        task = FunctionEmitter(self.module, f"{self.name}_task{self.module.counter}", self.buffers)
        self.module.counter += 1
        task.counter = self.counter
        task.types, task.viewed = self.types.copy(), self.viewed.copy()
        task.environment = Environment(task, self)
        task.values[node.name.name] = "%index"
        begin(task)
        task.block(node.body)
        task.do("ret void")
        if task.left:
            task.place("leave")
            task.do("ret void")
        env = task.environment.passed()
        stopped = self.emit(f"call i64 @jitmdh_parallel(ptr @{task.name}, ptr {env}, i64 {count}, ptr {self.status})")
        ends, after = self.emit(f"icmp ne i64 {stopped}, 0"), self.label("after")
        self.do(f"br i1 {ends}, label %{way_out(self)}, label %{after}{RARE}")
        self.place(after)
        text = "\n".join(["entry:", *flat(task.entry), *flat(task.lines)])
        head = f"define internal void @{task.name}(ptr noalias nocapture %env, i64 %index) #0{task.attachment}"
        self.module.functions.append(f"{head} {{\n{text}\n}}")

    # ------------------------------------------------------------------------------------------- values

    def type(self, node: Value) -> str:
        key = node.type.name, node.lanes
        found = self.spelled.get(key)
        if found is None:
            found = self.spelled[key] = vector_type(llvm_type(node.type), node.lanes)
        return found

    def typed(self, node: Value) -> str:
        return f"{self.type(node)} {self.value(node)}"

    def value(self, node: Value) -> str:
        """The LLVM operand for a value."""
        return _VALUES[type(node)](self, node)

    def named(self, node: Name) -> str:
        found = self.values.get(node.name)
        if found is None:
            if self.environment is None:
                raise InternalError(f"{self.name}: {node.name} has no value")
            return self.environment.value(node)
        if node.name not in self.variables:
            return found
        value = self.held.get(found)
        if value is None:
            value = self.held[found] = self.emit(f"load {self.type(node)}, ptr {found}")
        return value

    def apply(self, node: Apply) -> str:
        if node.relaxed and fuses(node):  # plus or minus a product
            operands = [self.value(node.operands[n]) for n in (1, 2, 0)]
            self.at(node.loc)
            return self.operations.multiply_add(node, operands)
        operands = [self.value(o) for o in node.operands]
        self.at(node.loc)
        return self.operations.apply(node, operands)

    def splat(self, node: Splat) -> str:
        scalar = llvm_type(node.type)
        if isinstance(node.value, Literal):
            if self.table is not None and is_of_a_table(node):
                return self.table.splat(node, self.emit)
            return f"splat ({scalar} {literal(node.value.value, node.type)})"
        one, vector = self.value(node.value), f"<{node.lanes} x {scalar}>"
        first = self.emit(f"insertelement {vector} poison, {scalar} {one}, i64 0")
        picks = f"<{node.lanes} x i32> zeroinitializer"
        return self.emit(f"shufflevector {vector} {first}, {vector} poison, {picks}")

    def iota(self, node: Iota) -> str:
        scalar = llvm_type(node.type)
        return "<" + ", ".join(f"{scalar} {n}" for n in range(node.lanes)) + ">"

    def argument(self, node: Argument) -> str:
        slot = self.emit(f"getelementptr i64, ptr %frame, i64 {node.slot}")
        return self.emit(f"load {memory_type(node.type)}, ptr {slot}")

    def has_failed(self, node: Failed) -> str:
        status = self.emit(f"load i64, ptr {self.status}{self.scope(ANSWERS)}")
        return self.emit(f"icmp ne i64 {status}, 0")

    def no_grid(self, node: Value) -> str:
        raise InternalError(f"kernel {self.name}: a thread of a grid on a processor")

    def scope(self, buffer: str) -> str:
        """What tells LLVM which accesses cannot meet."""
        return f", !scope:{self.viewed.get(buffer, buffer)}!"


_VALUES: dict[type, Callable[[FunctionEmitter, Any], str]] = {
    Name: FunctionEmitter.named,
    Literal: lambda f, node: literal(node.value, node.type),
    Iota: FunctionEmitter.iota,
    Apply: FunctionEmitter.apply,
    Splat: FunctionEmitter.splat,
    Argument: FunctionEmitter.argument,
    Load: lambda f, node: f.memory.load(node),
    Shuffle: shuffled,
    Merge: merged,
    Permute: permuted,
    Join: one_by_one,
    Misalignment: lambda f, node: f.memory.misalignment(node),
    Failed: FunctionEmitter.has_failed,
    Threads: lambda f, node: f.emit("call i64 @jitmdh_num_threads()"),
    Thread: FunctionEmitter.no_grid,
    Exchange: FunctionEmitter.no_grid,
    Vote: FunctionEmitter.no_grid,
}
