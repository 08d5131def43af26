"""Intel Xeon, Sapphire Rapids and Emerald Rapids (Golden Cove cores with two 512-bit multiply-add units).

Sources. Instructions and latencies: uops.info (Alder Lake P, the same core) and Intel's optimization reference manual
(248966). Gathers, scatters, streams and memory for one and two threads: measured by this project in a virtual machine
of two cores (arrays of 512 MB). L2, L3, TLBs and hand-over: the same manual; Chips and Cheese,
"A Peek at Sapphire Rapids" (2023). The clock: 215 Gflop/s of 64 a cycle.
"""

from jitmdh.mdh.machine.processors.figures import Bandwidth, Cache, Figures, Vectors
from jitmdh.mdh.machine.processors.processor import AVX512, KIB, MIB, Caches, Processor

PROCESSOR = Processor(
    title="Intel Xeon, Sapphire Rapids",
    level="avx512",
    features=AVX512,
    cores=56,
    caches=Caches(48 * KIB, 2 * MIB, 105 * MIB),
    kinds=(("GenuineIntel", 6, (143, 207)),),
    figures=Figures(
        gigahertz=3.36,
        vectors=(
            Vectors(128, 2.0, 3.0, 2.0, 2.0, 1.0, 1.5),
            Vectors(256, 2.0, 3.0, 2.0, 1.0, 1.0, 1.5),
            Vectors(512, 2.0, 2.0, 1.0, 1.0, 1.0, 1.5),
        ),
        latency=4.0,
        forwarding=6.0,
        l2=Cache(15.0, 40.0),
        l3=Cache(110.0, 9.0),
        memory=(Bandwidth(1, 17.0, 10.0, 15.0, 26.0), Bandwidth(2, 33.0, 20.0, 28.0, 50.0)),
        memory_latency=120.0,
        pages=2048,
        page_walk=30.0,
        streams=10,
        per_stream=0.03,
        line_crossing=2.0,
        page_crossing=3.0,
        aliasing=6.0,
        handover=70.0,
    ),
)
