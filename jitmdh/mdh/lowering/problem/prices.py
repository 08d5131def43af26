"""What the terms of the cost model take on one machine, in cycles of one core: derived from the machine's figures.

A figure is of one instruction or one cache (`Figures`); a price is of what the generated code does with them. What is
written as a number here is about that code, the same on every machine, and says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import ceil, log2

from jitmdh.base.records import dataclass
from jitmdh.mdh.machine.model import Machine
from jitmdh.mdh.machine.processors.figures import Figures

LINE_BYTES = 64
PAGE_BYTES = 4096  # addresses so far apart are in one set of the nearest cache, and nowhere else in it
SHORT_ROWS_ARRAYS = 2  # of rows shorter than a tile that the last cache is shared by: what is read, and a result

# How much of the time of each layer is added to computing: more than all of it where vectors come one by one from rows
# far apart, less where prefetchers fetch ahead. Those that rank 1,200 measured configurations of 47 contractions best
# on one core of an AMD EPYC (Zen 4); shares, so that the machine's figures say how long that is elsewhere.
_EXPOSED: Mapping[str, float] = {"L2": 1.5, "L3": 0.5, "MM": 2.0}
# Loads that no prefetcher has asked for which a core waits for at the same time: writes are few a tile, and between two
# rows of an input are the multiply-adds of a tile.
_IN_FLIGHT = 2
# Hand-overs between cores until all threads have begun a round, and until the next part is handed out: wake-ups,
# counters and the results' lines, as the runtime's pool does them. A part is to take 150 times what its handing out
# takes: half a percent of the time of two threads.
_HANDOVERS_OF_A_ROUND, _HANDOVERS_OF_A_PART, _WORTH_HANDING_OUT = 40, 4, 150
# Cycles of a loop around a vector: counter, addresses, branch.
_LOOP = 2.0


@dataclass(frozen=True, slots=True)
class Prices:
    """Cycles, of vectors that are as wide as registers are used, or of single elements.

    operation, load, store: one that is not waited for. independent: accumulators that hide the latency of a
    multiply-add. extract: an element out of a vector. apart, scattered: an element of a vector that is loaded from, or
    stored to, a line of its own. line: a vector that is moved alone from a line, or to one. copied: an element.
    lanes_step: two vectors in line and combined, where lanes collapse. scan_step: a vector combined with itself,
    shifted. spilled: a vector that no register is left for.
    same_cell: until what was just stored is loaded again. streams: rows of memory walked at the same time; per_stream:
    the share that each further one adds. through_caches: what a
    vector of results takes more if its line is read before; ends: the lines at the two ends of a non-temporal run.
    jump: until a row has come that no prefetcher has asked for; page_walk: longer, if more than so many pages were met
    since it was last. aligned_copy: a vector copied into whole
    lines. round: until all threads have begun. part_bytes: to be read by a thread until it asks for more.
    stalls, exposed: bytes in a cycle from each layer; if nothing is computed meanwhile, and with what computing hides.
    """

    operation: float
    independent: int
    load: float
    store: float
    extract: float
    apart: float
    scattered: float
    line: float
    copied: float
    lanes_step: float
    scan_step: float
    spilled: float
    same_cell: float
    streams: int
    per_stream: float
    through_caches: float
    ends: float
    jump: float
    page_walk: float
    pages: int
    aligned_copy: float
    round: float
    part_bytes: int
    stalls: Mapping[str, float]
    exposed: Mapping[str, float]
    line_crossing: float
    shuffle: float

    def shifted(self, vector_bytes: int, element_bytes: int) -> float:
        """A vector that begins at any element: some lie in two lines."""
        torn = min(1.0, (vector_bytes - element_bytes) / LINE_BYTES)
        return self.load * (1 + torn * (self.line_crossing - 1))

    def columns(self, lanes: int, rows: int) -> float:
        """A vector that is stored as parts of columns, one to a line, which so many rows have in common."""
        width = 1 << max(1, (rows - 1).bit_length())
        each = log2(width) * self.shuffle + self.line
        return lanes / rows * each + (lanes / min(width, lanes) - 1) * self.shuffle

    def transposed(self, lanes: int) -> float:
        """An element of rows that become columns in registers: each vector goes through log2(lanes) shuffles."""
        return (log2(max(2, lanes)) * self.shuffle + self.load + self.store) / lanes


def prices(machine: Machine, threads: int = 1, lanes: int = 2, bits: int = 0) -> Prices:
    """Those of a machine of which that many threads read memory at once. lanes: 1 for elements one by one; bits: of
    what is in a vector, if it does not fill the widest ones."""
    figures, width = machine.figures, machine.vector_bits if lanes > 1 else 128
    key = id(figures), min(width, max(128, bits or width), machine.vector_bits), threads
    known = _KNOWN.get(key)
    if known is None:
        if len(_KNOWN) >= _MOST_KNOWN:
            _KNOWN.clear()
        known = _KNOWN[key] = figures, _prices(figures, *key[1:])
    return known[1]


_KNOWN: dict[tuple[int, int, int], tuple[Figures, Prices]] = {}
"""By the identity of figures, which nobody else gets as long as they are here: they are asked for thousands of times
for one choice, and have dozens of numbers to hash."""
_MOST_KNOWN = 256


def _prices(figures: Figures, bits: int, threads: int) -> Prices:
    vector, element = figures.wide(bits), figures.wide(min(bits, 128))
    memory = figures.bandwidth(threads)
    share = 1 / (figures.gigahertz * min(threads, memory.threads))  # 10⁹ bytes a second to bytes a cycle of one core
    load, store, shuffle = 1 / vector.loads, 1 / vector.stores, 1 / vector.shuffles
    layers = {"L2": figures.l2.bytes_per_cycle, "L3": figures.l3.bytes_per_cycle, "MM": memory.read * share}
    part = figures.handover * _HANDOVERS_OF_A_PART * _WORTH_HANDING_OUT * figures.bandwidth(1).read
    return Prices(
        operation=1 / vector.multiply_adds,
        independent=ceil(figures.latency * vector.multiply_adds),
        load=load,
        store=store,
        extract=shuffle,
        apart=vector.gather,
        scattered=max(vector.scatter, LINE_BYTES / figures.l2.bytes_per_cycle),  # the line comes from L2, and goes
        line=max(store, LINE_BYTES / figures.l2.bytes_per_cycle),
        copied=vector.gather + 1 / element.stores,
        lanes_step=2 * shuffle + figures.latency / 2,  # both are shuffled; of two sums, one hides the other's latency
        scan_step=shuffle + 3 / vector.multiply_adds,  # shifted, masked, combined
        spilled=load + store + figures.forwarding / 2,  # stored and loaded: half of the way is hidden
        same_cell=figures.forwarding / 2,  # the same
        streams=figures.streams,
        per_stream=figures.per_stream,
        through_caches=bits / 8 / layers["MM"],  # read before it is written; with non-temporal stores it is not
        ends=LINE_BYTES / (memory.streamed * share),
        jump=figures.l3.latency / _IN_FLIGHT,
        page_walk=figures.page_walk / _IN_FLIGHT,
        pages=figures.pages,
        aligned_copy=figures.line_crossing * load + store + _LOOP,
        round=_HANDOVERS_OF_A_ROUND * figures.handover * figures.gigahertz,
        part_bytes=int(part),
        stalls=layers,
        exposed={layer: speed / _EXPOSED[layer] for layer, speed in layers.items()},
        line_crossing=figures.line_crossing,
        shuffle=shuffle,
    )


def masked_cycles(machine: Machine, element_bytes: int) -> tuple[float, float]:
    """What a load and what a store of first lanes alone takes more than one of all lanes: where no instruction does it,
    a vector is loaded if it lies in one page, and stored in parts. In either case some instructions and jumps.

    >>> from jitmdh.mdh.machine.known import known
    >>> [masked_cycles(known(name), 4) for name in ("zen4", "zen3", "x86-128")]
    [(0.0, 0.0), (0.0, 4.0), (2.0, 4.0)]
    """
    if machine.warps or machine.vector_bits == 8 * LINE_BYTES:
        return 0.0, 0.0
    return 0.0 if machine.masked and element_bytes >= _MASKED_BYTES else 2.0, 4.0


_MASKED_BYTES = 4
"""Of the smallest elements that vectors of 256 bits are loaded of under a mask."""

# What LLVM makes of a product of vectors of integers of so many bits, but for what it does before a loop: x86
# multiplies 16 bits, and the other widths with the features that are named. Each byte is widened, or the even and the
# odd ones are multiplied on their own; halves of longer ones are.
_PRODUCTS: Mapping[int, tuple[tuple[str, int], ...]] = {
    8: (("avx512bw", 4), ("ssse3", 6), ("sse2", 9)),
    32: (("sse4.1", 1), ("sse2", 7)),
    64: (("avx512dq", 1), ("sse2", 8), ("neon", 5)),
}


@lru_cache(maxsize=256)
def product_instructions(features: str, bits: int, lanes: int) -> int:
    """Instructions of a product of integers of so many bits, in so many lanes.

    >>> [product_instructions("+sse2,+ssse3,+sse4.1,+avx2", bits, 4) for bits in (8, 16, 32, 64)]
    [6, 1, 1, 8]
    >>> product_instructions("+sse2", 8, 1), product_instructions("+neon", 8, 16)
    (1, 1)
    """
    if lanes == 1:
        return 1
    enabled = {feature[1:] for feature in features.split(",") if feature.startswith("+")}
    return next((count for feature, count in _PRODUCTS.get(bits, ()) if feature in enabled), 1)
