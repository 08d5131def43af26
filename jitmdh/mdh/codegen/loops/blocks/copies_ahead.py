"""Copies in shared memory that are made some rounds of their loop ahead (software pipelining; D3: `SM*2` to `SM*4`).

    for (long k = 0; k < 2 * 32; k += 32) {              // SM*3: two of three copies are on their way
        if (k < K) …                                     // copy_ahead to place k / 32 of A_shared
        commit();
    }
    for (long k = 0; k < K; k += 32) {
        arrived(1);                                      // of this thread's batches, all but the newest
        barrier();                                       // so have those of the others, and none reads the oldest copy
        if (k + 64 < K) …                                // copy_ahead to where that was
        commit();
        …                                                // what is computed meanwhile
    }

One barrier a round is enough: what is copied goes to the place that all threads have left when they come to it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from jitmdh.base.records import dataclass
from jitmdh.mdh.codegen.context.packed_layout import Packed
from jitmdh.mdh.codegen.loops.blocks.shared_copies import SharedCopies
from jitmdh.mdh.kernel.arithmetic import add, compare, divide, integer, multiply, remainder
from jitmdh.mdh.kernel.ir import Arrived, Barrier, Commit, For, If, Scratch, Statement, Value
from jitmdh.mdh.lowlevel.expr import Copy, Part
from jitmdh.mdh.machine.blocks import SHARED, tiles_of


@dataclass(frozen=True, slots=True)
class CopiesAhead:
    """Of one loop, over `part`s up to `end`. copies: all that begin in it, with as many tiles; shared: writes copies of
    what the loop begins at."""

    part: Part
    copies: Sequence[Copy]
    end: Value
    shared: SharedCopies

    def loop(
        self, inside: Callable[[Value, Mapping[int, Packed], list[Statement]], None], comment: str, again: bool
    ) -> list[Statement]:
        """The loop. inside: appends what is done in a round, given where that begins and its copies; again: whether all
        this is itself in a loop."""
        scope, size, out = self.shared.scope, self.part.size, list[Statement]()
        tiles = tiles_of(self.copies[0].region)
        end = scope.named(f"{self.part.dim}_end", self.end, out)
        names = {copy: scope.fresh(f"{self._buffer(copy)}_shared") for copy in self.copies}
        first, number = scope.index(self.part.dim), scope.index(self.part.dim)
        rounds = integer((tiles - 1) * size)
        body: list[Statement] = [Arrived(tiles - 2), Barrier()]
        following = scope.named("following", add(number, rounds), body)
        body += self._copied(following, end, names)
        made, slot = self._round(number, body)
        packed = {copy.access: self._placed(made, copy, name, slot, body) for copy, name in names.items()}
        inside(made.uniform[self.part.dim], packed, body)
        before = tuple(self._copied(first, end, names))
        out += [
            For(first, integer(0), rounds, integer(size), before, f"first copies of {comment}"),
            For(number, integer(0), end, integer(size), tuple(body), comment),
        ]
        if again:  # the first copies of the next time go to the same places
            out.append(Barrier())
        for copy, name in reversed(names.items()):
            type, count = scope.types[self._buffer(copy)], integer(tiles * self.shared.stride(copy))
            out = [Scratch(name, type, count, tuple(out), SHARED)]
        return out

    def _copied(self, number: Value, end: Value, names: Mapping[Copy, str]) -> list[Statement]:
        """The copies of the round of this number, if there is one: a batch."""
        body: list[Statement] = []
        made, slot = self._round(number, body)
        for copy, name in names.items():
            made.fill(copy, self._placed(made, copy, name, slot, body), body, ahead=True)
        return [If(compare("lt", number, end), tuple(body)), Commit()]

    def _round(self, number: Value, out: list[Statement]) -> tuple[SharedCopies, Value]:
        """The copies of a round, and the number of the places that they have: these are taken in turns."""
        scope, dim, size = self.shared.scope, self.part.dim, self.part.size
        begin = scope.named(f"{dim}_begin", add(self.shared.uniform[dim], number), out)
        tiles = tiles_of(self.copies[0].region)
        slot = scope.named("slot", remainder(divide(number, size), tiles), out)
        return self.shared.moved(dim, begin), slot

    def _placed(self, made: SharedCopies, copy: Copy, name: str, slot: Value, out: list[Statement]) -> Packed:
        return made.placed(copy, name, multiply(slot, integer(made.stride(copy))), out)

    def _buffer(self, copy: Copy) -> str:
        return self.shared.nest.expression.inp_view[copy.access].buffer
