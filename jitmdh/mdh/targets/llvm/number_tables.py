"""Numbers of long straight-line code in a table beside it, in the order in which they are needed.

    fma(x, splat (double 0.25), s)   ->   %numbers = call ptr asm "", "=r,0"(ptr @numbers.0)     where the block begins
                                          %n = load double, ptr (%numbers + 17)
                                          fma(x, splat %n, s)

LLVM takes a constant for something to keep: it moves thousands of them in front of the loop, one vector register each,
and register allocation, which has to bring all of them back, took longer than the rest of the compiler. Each constant
also is an entry of a list that is searched from its beginning, and each use a relocation. A number that is loaded where
it is needed is an operand in memory of its multiply-add, and nothing else. That the pointer is that of the table,
code generation is not told: it would know the numbers again. Long tables have another pointer for each 256 numbers:
instructions that reach one by a byte are seven bytes long, and not ten, and what is executed once comes from L2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

from jitmdh.base.records import dataclass
from jitmdh.mdh.kernel.ir import Let, Literal, Splat
from jitmdh.mdh.kernel.rewrite import Body, values
from jitmdh.mdh.targets.llvm.lines import Line
from jitmdh.mdh.targets.llvm.module import Module
from jitmdh.mdh.targets.llvm.types.names import literal, llvm_type

_MANY = 48  # more than registers hold, with what else is in them
_KEPT = 16  # so many different ones registers hold, however often each is needed
_NEAR = 128  # numbers before and behind a pointer that an instruction with wide vectors reaches by one byte
_RECENT = 4  # numbers of which several vectors are multiples, one after the other


def has_many_numbers(body: Body) -> bool:
    """Whether the statements of `body` themselves, not those inside of others, need more numbers than it is worth to
    keep: often, and many different ones."""
    count, different = 0, set[tuple[object, object]]()
    for node in body:
        if isinstance(node, Let):
            for value in values(node.value):
                if isinstance(value, Splat) and is_of_a_table(value):
                    count += 1
                    different.add((value.type, value.value))
                    if count > _MANY and len(different) > _KEPT:
                        return True
    return False


def is_of_a_table(node: Splat) -> bool:
    """Whether a vector is a number that a table may hold; zeros need no memory."""
    number = node.value
    return isinstance(number, Literal) and node.type.kind == "f" and node.type.bits >= 32 and number.value != 0


@dataclass(slots=True)
class NumberTable:
    """The numbers of one block. head: lines where it begins; pointers: to where the tables begin, by type; near:
    another one of each, and what it points to; recent: vectors of the last ones, by type and number.

    Equal ones that are needed far from each other are there twice: code generation would keep one in a register.
    """

    module: Module
    fresh: Callable[[str], str]
    head: list[Line]
    pointers: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, list[str]] = field(default_factory=dict)
    near: dict[str, tuple[str, int]] = field(default_factory=dict)
    recent: dict[tuple[str, str], str] = field(default_factory=dict)

    def forget(self) -> None:
        """What was made since the block began may be on another way than what follows."""
        self.near.clear()
        self.recent.clear()

    def splat(self, node: Splat, emit: Callable[[str], str]) -> str:
        """The vector, loaded here. emit: writes an instruction, and gives what its result is called."""
        assert isinstance(node.value, Literal)
        scalar, number = llvm_type(node.type), literal(node.value.value, node.type)
        key = f"<{node.lanes} x {scalar}>", number
        if (known := self.recent.get(key)) is not None:
            return known
        if scalar not in self.pointers:
            self.begin(scalar)
        numbers = self.numbers[scalar]
        pointer, begin = self.near.get(scalar, (self.pointers[scalar], 0))
        if not -_NEAR <= len(numbers) - begin < _NEAR:
            begin = len(numbers) + _NEAR
            there = emit(f"getelementptr {scalar}, ptr {self.pointers[scalar]}, i64 {begin}")
            pointer = emit(f'call ptr asm "", "=r,0"(ptr {there})')
            self.near[scalar] = pointer, begin
        place = emit(f"getelementptr {scalar}, ptr {pointer}, i64 {len(numbers) - begin}")
        numbers.append(f"{scalar} {number}")
        one = emit(f"load {scalar}, ptr {place}, align {node.type.bits // 8}")
        first = emit(f"insertelement {key[0]} poison, {scalar} {one}, i64 0")
        picks = f"<{node.lanes} x i32> zeroinitializer"
        self.recent[key] = emit(f"shufflevector {key[0]} {first}, {key[0]} poison, {picks}")
        if len(self.recent) > _RECENT:
            del self.recent[next(iter(self.recent))]
        return self.recent[key]

    def begin(self, scalar: str) -> None:
        """A table of one type."""
        name, self.numbers[scalar] = f"@numbers.{len(self.module.tables)}", []
        self.module.tables.append((name, scalar, self.numbers[scalar]))
        self.pointers[scalar] = self.fresh("numbers")
        self.head.append(f'  {self.pointers[scalar]} = call ptr asm "", "=r,0"(ptr {name})')
