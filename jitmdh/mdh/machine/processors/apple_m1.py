"""Apple M1, its fast cores (Firestorm): four units of 128 bits, large near caches.

Sources. Instructions and latencies: Dougall Johnson's measurements of Firestorm. Caches, memory and TLBs: Chips and
Cheese and AnandTech on the M1 (2020). Pages are of 16 KiB there: their reach is given in pages of 4 KiB. Hand-over:
about as of other clusters of four cores.
"""

from jitmdh.mdh.machine.processors.figures import Bandwidth, Cache, Figures, Vectors
from jitmdh.mdh.machine.processors.processor import KIB, MIB, NEON, Caches, Processor

PROCESSOR = Processor(
    title="Apple M1: large near caches, no L3",
    level="128",
    features=NEON,
    cores=4,
    caches=Caches(128 * KIB, 12 * MIB, 12 * MIB),
    kinds=(("0x61", 0, (0x23, 0x25, 0x29)),),
    figures=Figures(
        gigahertz=3.2,
        vectors=(Vectors(128, 4.0, 3.0, 2.0, 4.0, 0.7, 0.7),),
        latency=4.0,
        forwarding=5.0,
        l2=Cache(18.0, 32.0),
        l3=Cache(18.0, 32.0),
        memory=(Bandwidth(1, 58.0, 33.0, 55.0, 33.0), Bandwidth(2, 60.0, 40.0, 60.0, 40.0)),
        memory_latency=100.0,
        pages=12288,
        page_walk=30.0,
        streams=16,
        per_stream=0.02,
        line_crossing=2.0,
        page_crossing=3.0,
        aliasing=1.0,
        handover=40.0,
    ),
)
