"""One LLVM module in the making."""

from __future__ import annotations

from dataclasses import field

from jitmdh.base.records import dataclass
from jitmdh.mdh.targets.llvm.line_tables import LineTable
from jitmdh.mdh.targets.llvm.loops import ANSWERS, SAVES_ALL

_RUNTIME = """declare i64 @jitmdh_parallel(ptr, ptr, i64, ptr)
declare void @jitmdh_interrupted()
declare i64 @jitmdh_num_threads()
declare ptr @jitmdh_scratch_acquire(i64)
declare void @jitmdh_scratch_release(ptr)"""


@dataclass(slots=True)
class Module:
    """One LLVM module: functions, declarations, metadata of the buffers that do not overlap.

    tables: of numbers, each with its name, and the type of its elements. gathers: elements that lie apart come by an
    instruction sooner than by as many loads. line_table: None if none is wanted.
    """

    vector_bits: int
    x86: bool = True
    converts_half: bool = True
    gathers: bool = True
    functions: list[str] = field(default_factory=list)
    declarations: set[str] = field(default_factory=set)
    scopes: dict[str, int] = field(default_factory=lambda: {ANSWERS: 0})
    memories: dict[str, int] = field(default_factory=lambda: {"": 0})
    tables: list[tuple[str, str, list[str]]] = field(default_factory=list)
    counter: int = 0
    line_table: LineTable | None = None

    @property
    def has_masks(self) -> bool:
        """Whether comparisons of vectors give masks (AVX-512)."""
        return self.x86 and self.vector_bits == 512

    @property
    def masked_bytes(self) -> int:
        """Of the smallest elements that one instruction loads under a mask; more than there are if there is none."""
        return 16 if not self.x86 or self.vector_bits < 256 else 4 if self.vector_bits < 512 else 1

    def scope(self, buffer: str, memory: str | None = None) -> None:
        """`buffer` lies in the memory that `memory` names (None: its own), apart from all others."""
        self.scopes.setdefault(buffer, self.memories.setdefault(memory or buffer, len(self.memories)))

    def text(self) -> str:
        runtime = _RUNTIME.splitlines()
        attributes = (
            f'attributes #0 = {{ nounwind "prefer-vector-width"="{self.vector_bits}" "no-trapping-math"="true" }}'
        )
        zero = "@zero = private constant [64 x i8] zeroinitializer, align 64"
        tables = [
            f"{name} = private constant [{len(numbers)} x {type}] [{', '.join(numbers)}], align 64"
            for name, type, numbers in self.tables
        ]
        head = [*runtime, *sorted(self.declarations), zero, *tables, attributes, SAVES_ALL]
        lines = [*head, *self.functions, *self._metadata()]
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
        return lines if self.line_table is None else [*lines, *self.line_table.metadata()]
