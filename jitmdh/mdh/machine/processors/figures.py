"""What a processor does in a cycle, and how far its data are: the figures that the cost model computes with.

They come from a table (`processors`, a file for each) or from a calibration (`python -m jitmdh calibrate`).

>>> Figures.of(SERVER_512.plain()) == SERVER_512
True
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from jitmdh.base.errors import ConfigurationError
from jitmdh.base.records import dataclass


@dataclass(frozen=True, slots=True)
class Vectors:
    """Instructions on registers of `bits` bits, data in L1.

    multiply_adds, loads, stores, shuffles: how many begin in a cycle, independent of each other. gather, scatter:
    cycles for each element of 32 bits that is loaded from, or stored to, an address of its own.
    """

    bits: int
    multiply_adds: float
    loads: float
    stores: float
    shuffles: float
    gather: float
    scatter: float


@dataclass(frozen=True, slots=True)
class Cache:
    """latency: cycles of a load that depends on the one before. bytes_per_cycle: read from it by one core, in order."""

    latency: float
    bytes_per_cycle: float


@dataclass(frozen=True, slots=True)
class Bandwidth:
    """Of main memory, in 10⁹ bytes a second, by so many threads together. copy: read and written bytes together.

    streamed: written by non-temporal stores.
    """

    threads: int
    read: float
    write: float
    copy: float
    streamed: float


@dataclass(frozen=True, slots=True)
class Figures:
    """Of one core, but for `memory`. Cycles are those of its clock.

    gigahertz: the clock. vectors: narrow registers first. latency: cycles of a multiply-add whose result the next one
    needs; forwarding: of a vector load from where the last store went. memory: few threads first; memory_latency: in
    nanoseconds. pages: of 4 KiB that the TLBs reach; page_walk: cycles for a page beyond. streams: rows that are read
    side by side from memory as fast as one; per_stream: the share that each further one adds. line_crossing,
    page_crossing: how many loads within a line a load across two takes. aliasing: cycles of a load 4 KiB behind a
    store. handover: nanoseconds until another core sees a store.
    """

    gigahertz: float
    vectors: tuple[Vectors, ...]
    latency: float
    forwarding: float
    l2: Cache
    l3: Cache
    memory: tuple[Bandwidth, ...]
    memory_latency: float
    pages: int
    page_walk: float
    streams: int
    per_stream: float
    line_crossing: float
    page_crossing: float
    aliasing: float
    handover: float

    def wide(self, bits: int) -> Vectors:
        """The figures of registers of that width; wider ones than there are take several of the widest."""
        found = next((v for v in self.vectors if v.bits >= bits), self.vectors[-1])
        if found.bits >= bits:
            return found
        share = found.bits / bits
        multiply_adds, loads, stores = share * found.multiply_adds, share * found.loads, share * found.stores
        return Vectors(bits, multiply_adds, loads, stores, share * found.shuffles, found.gather, found.scatter)

    def bandwidth(self, threads: int) -> Bandwidth:
        """That of the most threads measured that are not more than these."""
        return max((m for m in self.memory if m.threads <= threads), key=lambda m: m.threads, default=self.memory[0])

    def plain(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return asdict(self)

    @staticmethod
    def of(plain: Mapping[str, Any]) -> Figures:
        """What `plain` gave. ConfigurationError if it is something else."""
        try:
            parts: dict[str, Any] = dict(plain)
            parts["vectors"] = tuple(Vectors(**v) for v in plain["vectors"])
            parts["memory"] = tuple(Bandwidth(**m) for m in plain["memory"])
            parts["l2"], parts["l3"] = Cache(**plain["l2"]), Cache(**plain["l3"])
            found = Figures(**parts)
            numbers = [n for part in (found, found.l2, found.l3, *found.vectors, *found.memory) for n in _numbers(part)]
            if not found.vectors or not found.memory or not all(0 < n < 1e9 for n in numbers):
                raise ValueError("a figure is missing or not positive")
        except (KeyError, TypeError, ValueError) as error:
            raise ConfigurationError(f"these are no figures of a processor: {error}") from None
        return found


def _numbers(part: object) -> list[float]:
    """Of all fields but parts that have fields themselves; ValueError, TypeError if one is something else."""
    values = (getattr(part, field.name) for field in fields(part))  # type: ignore[arg-type]
    return [float(v) for v in values if not isinstance(v, (tuple, Cache))]


# Processors that nobody has measured: what most of their kind have in common. Rounded; calibration replaces them.
_SERVER_MEMORY = (Bandwidth(1, 17.0, 10.0, 15.0, 26.0), Bandwidth(2, 33.0, 20.0, 28.0, 50.0))

SERVER_512 = Figures(
    gigahertz=3.0,
    vectors=(
        Vectors(128, 2.0, 3.0, 2.0, 2.0, 1.0, 1.5),
        Vectors(256, 2.0, 2.0, 1.0, 1.0, 1.0, 1.5),
        Vectors(512, 2.0, 2.0, 1.0, 1.0, 1.0, 1.5),
    ),
    latency=4.0,
    forwarding=6.0,
    l2=Cache(15.0, 40.0),
    l3=Cache(70.0, 12.0),
    memory=_SERVER_MEMORY,
    memory_latency=110.0,
    pages=2048,
    page_walk=30.0,
    streams=10,
    per_stream=0.03,
    line_crossing=2.0,
    page_crossing=4.0,
    aliasing=6.0,
    handover=80.0,
)
