"""Intel Core, Skylake and those after it with the same core, for laptops and desktops.

Sources. Instructions and latencies: uops.info and Agner Fog's instruction tables (Skylake). Caches, TLBs, crossings and
aliasing: Intel's optimization reference manual (248966), Agner Fog's microarchitecture manual. Memory: two channels of
DDR4-2400, of which a core reaches about two thirds. Streams as of Sapphire Rapids.
"""

from jitmdh.mdh.machine.processors.figures import Bandwidth, Cache, Figures, Vectors
from jitmdh.mdh.machine.processors.processor import AVX2, KIB, MIB, Caches, Processor

PROCESSOR = Processor(
    title="Intel Core, Skylake",
    level="avx2",
    features=AVX2,
    cores=4,
    caches=Caches(32 * KIB, 256 * KIB, 8 * MIB),
    kinds=(("GenuineIntel", 6, (78, 94, 142, 158, 165, 166)),),
    figures=Figures(
        gigahertz=4.0,
        vectors=(
            Vectors(128, 2.0, 2.0, 1.0, 1.0, 1.0, 1.5),
            Vectors(256, 2.0, 2.0, 1.0, 1.0, 0.7, 1.5),
        ),
        latency=4.0,
        forwarding=6.0,
        l2=Cache(12.0, 30.0),
        l3=Cache(42.0, 18.0),
        memory=(Bandwidth(1, 25.0, 13.0, 25.0, 25.0), Bandwidth(2, 30.0, 16.0, 30.0, 30.0)),
        memory_latency=70.0,
        pages=1536,
        page_walk=25.0,
        streams=10,
        per_stream=0.03,
        line_crossing=2.0,
        page_crossing=4.0,
        aliasing=5.0,
        handover=40.0,
    ),
)
