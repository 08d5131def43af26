"""Parts of complex numbers and records that lie interleaved in memory: wide loads and stores, lanes sorted by shuffles.

memory    re₀ im₀ re₁ im₁ re₂ im₂ …        one load of 2·lanes elements, two shuffles
"""

from __future__ import annotations

from collections.abc import Sequence

from jitmdh.base.dtype import ScalarType
from jitmdh.base.records import dataclass
from jitmdh.mdh.kernel.arithmetic import integer, subtract
from jitmdh.mdh.kernel.ir import Join, Load, Shuffle, Store, Value


@dataclass(frozen=True, slots=True)
class Interleaved:
    """A buffer that holds part number `position` of elements which consist of equally large `parts`, in this order.

    alike: all parts have one type, so that one load serves them all.
    """

    parts: tuple[str, ...]
    position: int
    alike: bool = True

    @property
    def first(self) -> str:
        return self.parts[0]

    @property
    def period(self) -> int:
        """Distance from one element to the next, in parts."""
        return len(self.parts)

    def wide(self, offset: Value, type: ScalarType, lanes: int, mask: Value | None) -> Load:
        """All parts of the `lanes` elements from `offset` (in parts) on; lanes of elements outside `mask` give 0."""
        buffer = self.first
        if not self.alike:  # through the buffer of this part, which has its type
            buffer, offset = self.parts[self.position], subtract(offset, integer(self.position))
        return Load(buffer, offset, type, lanes * self.period, integer(1), self._widened(mask, lanes))

    def picked(self, wide: Value, lanes: int) -> Shuffle:
        """This part of each element that `wide` holds."""
        return Shuffle(wide, tuple(self.position + self.period * n for n in range(lanes)), wide.type)

    def stored(self, offset: Value, values: Sequence[Value], mask: Value | None) -> Store:
        """One store of all parts of neighbouring elements."""
        return Store(self.first, offset, Join(tuple(values)), integer(1), self._widened(mask, values[0].lanes))

    def _widened(self, mask: Value | None, lanes: int) -> Value | None:
        if mask is None:
            return None
        return Shuffle(mask, tuple(n for n in range(lanes) for _ in range(self.period)), mask.type)
