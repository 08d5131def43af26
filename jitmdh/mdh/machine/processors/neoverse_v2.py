"""Arm Neoverse V2 (Graviton 4, Grace): four units of 128 bits.

Sources. Instructions and latencies: Arm's software optimization guide for Neoverse V2. Caches, TLBs and hand-over:
Chips and Cheese, "Arm's Neoverse V2, in AWS's Graviton 4" (2024). Memory, streams: estimated from
Neoverse V1, rounded.
"""

from jitmdh.mdh.machine.processors.figures import Bandwidth, Cache, Figures, Vectors
from jitmdh.mdh.machine.processors.processor import KIB, MIB, NEON, Caches, Processor

PROCESSOR = Processor(
    title="Arm Neoverse V2",
    level="128",
    features=NEON,
    cores=64,
    caches=Caches(64 * KIB, 2 * MIB, 114 * MIB),
    kinds=(("0x41", 0, (0xD4F,)),),
    figures=Figures(
        gigahertz=2.8,
        vectors=(Vectors(128, 4.0, 3.0, 2.0, 4.0, 0.7, 0.7),),
        latency=4.0,
        forwarding=6.0,
        l2=Cache(11.0, 32.0),
        l3=Cache(70.0, 14.0),
        memory=(Bandwidth(1, 30.0, 25.0, 35.0, 25.0), Bandwidth(2, 55.0, 45.0, 65.0, 45.0)),
        memory_latency=115.0,
        pages=2048,
        page_walk=30.0,
        streams=12,
        per_stream=0.03,
        line_crossing=2.0,
        page_crossing=3.0,
        aliasing=1.0,
        handover=45.0,
    ),
)
