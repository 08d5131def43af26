"""What several blocks have of the same results (R2, R3), combined by the last of them to end: no second grid.

parts[k_block * i_extent + i] = acc;                                 // each block writes its part
barrier();
if (thread == 0) { fence(); ended = atomic_add(&counters[i_block], 1); fence(); s[0] = ended; }
barrier();
if (s[0] == k_blocks - 1) {                                          // all others have written theirs
    for (part …) acc = acc + parts[part * i_extent + i];
    w[i] = acc;
    if (thread == 0) atomic_add(&counters[i_block], -k_blocks);      // zero again, for the next call
}

Parts are added up in the same order, whichever block is the last one: the results are the same in each run.
"""

from __future__ import annotations

from collections.abc import Sequence

from jitmdh.base.dtype import int32, int64
from jitmdh.mdh.codegen.context.scope import Scope
from jitmdh.mdh.kernel.arithmetic import compare, integer, subtract
from jitmdh.mdh.kernel.ir import (
    Apply,
    Atomic,
    Barrier,
    Fence,
    If,
    Literal,
    Load,
    Scratch,
    Statement,
    Store,
    Value,
)
from jitmdh.mdh.machine.blocks import SHARED, ZEROS


class LastBlock:
    """Finds out which block is the last one. group: the number of the results that it has parts of, of `groups`; count:
    how many blocks have parts of them."""

    def __init__(self, scope: Scope, group: Value, groups: Value, count: Value) -> None:
        self.scope, self.group, self.groups, self.count = scope, group, groups, count
        self.counters = scope.fresh("counters")

    def before(self, parts: Value, body: Sequence[Statement]) -> Sequence[Statement]:
        """What blocks do where there are any parts: the last one is there where there are none, too."""
        return body if isinstance(parts, Literal) else [If(compare("gt", parts, integer(0)), tuple(body))]

    def behind(self, thread: Value, combine: Sequence[Statement]) -> list[Statement]:
        """What all threads do behind the stores of their block's part; the last block goes on to `combine`."""
        seen, zero = self.scope.fresh("ended_shared"), integer(0)
        before = self.scope.name("ended", int32)
        one, all = Literal(1, int32), Apply("cast", (subtract(zero, self.count),), int32)
        first = compare("eq", thread, zero)
        tell = Fence(), Atomic("add", self.counters, self.group, one, before=before), Fence(), Store(seen, zero, before)
        ended = Apply("cast", (Load(seen, zero, int32),), int64)
        last = compare("eq", ended, subtract(self.count, integer(1)))
        again = If(first, (Atomic("add", self.counters, self.group, all),))
        body = If(first, tell), Barrier(), If(last, (*combine, again))
        return [Barrier(), Scratch(seen, int32, integer(1), body, SHARED)]

    def around(self, body: Sequence[Statement]) -> list[Statement]:
        """`body`, in which the counters are."""
        return [Scratch(self.counters, int32, self.groups, tuple(body), ZEROS)]
