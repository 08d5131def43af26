"""AMD EPYC 9005 (Zen 5: units of 512 bits).

Sources. Instructions and latencies: AMD's optimization guide for Zen 5 (58455), uops.info (Zen 5); gathers are as many
loads. Copies by one thread and reads by two, L3's size: measured by this project in a virtual machine of two cores.
TLBs: AMD at Hot Chips 2024. L3, hand-over and the other bandwidths: as of Zen 4, whose fabric it has.
"""

from jitmdh.mdh.machine.processors.figures import Bandwidth, Cache, Figures, Vectors
from jitmdh.mdh.machine.processors.processor import AVX512, KIB, MIB, Caches, Processor

PROCESSOR = Processor(
    title="AMD EPYC, Zen 5",
    level="avx512",
    features=AVX512,
    cores=32,
    caches=Caches(48 * KIB, 1 * MIB, 32 * MIB),
    kinds=(("AuthenticAMD", 26, tuple(range(0x80))),),
    figures=Figures(
        gigahertz=3.4,
        vectors=(
            Vectors(128, 2.0, 2.0, 2.0, 2.0, 1.0, 1.5),
            Vectors(256, 2.0, 2.0, 2.0, 2.0, 1.0, 1.5),
            Vectors(512, 2.0, 2.0, 1.0, 2.0, 1.0, 1.5),
        ),
        latency=4.0,
        forwarding=7.0,
        l2=Cache(14.0, 56.0),
        l3=Cache(50.0, 24.0),
        memory=(Bandwidth(1, 26.0, 15.0, 28.5, 26.0), Bandwidth(2, 46.0, 28.0, 50.0, 50.0)),
        memory_latency=110.0,
        pages=4096,
        page_walk=30.0,
        streams=12,
        per_stream=0.03,
        line_crossing=2.0,
        page_crossing=3.0,
        aliasing=6.0,
        handover=30.0,
    ),
)
