"""Intel Atom, Goldmont: vectors of 128 bits, no multiply-adds (a product and a sum take two instructions), no L3.

Sources. Instructions and latencies: uops.info and Agner Fog's instruction tables (Goldmont); the latency is that of a
product. Caches and TLBs: Intel's optimization reference manual (248966). Memory: two channels of LPDDR3-1600; streams
as of Skylake.
"""

from jitmdh.mdh.machine.processors.figures import Bandwidth, Cache, Figures, Vectors
from jitmdh.mdh.machine.processors.processor import KIB, MIB, SSE, Caches, Processor

PROCESSOR = Processor(
    title="Intel Atom, Goldmont: no L3",
    level="128",
    features=SSE,
    cores=4,
    caches=Caches(24 * KIB, 1 * MIB, 1 * MIB),
    kinds=(("GenuineIntel", 6, (92, 95)),),
    figures=Figures(
        gigahertz=2.2,
        vectors=(Vectors(128, 1.0, 1.0, 1.0, 1.0, 2.0, 2.0),),
        latency=4.0,
        forwarding=5.0,
        l2=Cache(19.0, 12.0),
        l3=Cache(19.0, 12.0),
        memory=(Bandwidth(1, 6.0, 3.0, 6.0, 6.0), Bandwidth(2, 10.0, 5.0, 10.0, 10.0)),
        memory_latency=90.0,
        pages=512,
        page_walk=30.0,
        streams=8,
        per_stream=0.03,
        line_crossing=2.0,
        page_crossing=4.0,
        aliasing=5.0,
        handover=60.0,
    ),
)
