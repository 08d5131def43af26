"""Vectors, as far as it depends on them how sums over known zeros are computed."""

from __future__ import annotations

from math import log2

from jitmdh.base.dtype import ScalarType
from jitmdh.base.records import dataclass

# Measured on an Intel Emerald Rapids with eight lanes, nine quantities: a column is worth it from 3.7 terms on, a
# column of sums that were shared out before from 2.2 more. Boxes take 0.75 of the time for 10 rows of an array (volume
# N=4), 1.06 for 20 (N=5), 1.08 for 35 (N=6); for sums they take 0.78 (all of derivative N=5) to 0.9 (N=7).
_LOADED, _SHARED = 0.7, 0.75
_SHUFFLED = 8  # lanes of a block of rows that need not be whole
# A product, a choice and an addition. Measured on an AMD Milan (AVX2), four lanes: without masks I·S of `volume` N=4
# takes 0.39 of the time that it takes in boxes, all of volume 0.73 to 0.88 (N=4 to 6), all of derivative 0.65 to 0.73.
_WITHOUT_MASKS = 3.0


@dataclass(frozen=True, slots=True)
class Vectors:
    """Of a processor. size: in bytes; masked: whether instructions leave lanes out; half: the cost of half of one;
    apart: that of an element that is loaded, or stored, by itself; streamed: that of a vector that an L2 cache has.

    Costs are in multiply-adds of one vector.
    """

    size: int = 64
    masked: bool = True
    half: float = 1.0
    apart: float = 1.5
    streamed: float = 3.2

    def lanes(self, type: ScalarType) -> int:
        """How many elements one has."""
        return max(1, self.size // type.size_bytes)

    @property
    def choice(self) -> float:
        """What a multiply-add costs of which a mask leaves lanes out."""
        return 1.0 if self.masked else _WITHOUT_MASKS

    def column(self, type: ScalarType) -> float:
        """What it costs to collect a column of a block of rows in a vector, or to share it out to them: shuffles, each
        in the place of a multiply-add, and a load or a store beside."""
        return log2(self.lanes(type)) + _LOADED

    def short_column(self, type: ScalarType) -> float:
        """What it costs to collect a column of fewer rows than lanes: of many lanes, each is loaded by itself."""
        lanes = self.lanes(type)
        return self.column(type) if lanes <= _SHUFFLED else lanes * self.apart

    def shared(self, type: ScalarType) -> float:
        """What a column costs beside that into which a sum was shared out before."""
        return _SHARED * log2(self.lanes(type))


ANY = Vectors()
"""Where nothing is known of the processor."""
