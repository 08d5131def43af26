"""AMD EPYC 9005 (Zen 5: units of 512 bits).

Sources. All figures but the sizes of caches and the streams: `python -m jitmdh calibrate` on a virtual machine of two
cores of an EPYC 9005, the medians of five runs with nothing else running, rounded; AMD's optimization guide for Zen 5
(58455) gives the same throughputs. Latencies of L3 and of memory: the same chase in large pages, 4 and 24 MiB. Memory
is shared with other virtual machines: one thread read 23 to 37 · 10⁹ bytes a second. Streams: as of Zen 4; one thread
reads 32 rows as fast as one, but two threads read matrices 5 % slower by 12 rows each than by 4.
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
        gigahertz=4.2,
        vectors=(
            Vectors(128, 2.0, 2.0, 2.0, 4.0, 1.0, 1.5),
            Vectors(256, 2.0, 2.0, 2.0, 2.0, 0.76, 1.15),
            Vectors(512, 2.0, 2.0, 1.0, 1.6, 0.79, 1.07),
        ),
        latency=4.0,
        forwarding=11.0,
        l2=Cache(14.0, 61.0),
        l3=Cache(52.0, 27.0),
        memory=(Bandwidth(1, 35.0, 26.0, 34.0, 38.0), Bandwidth(2, 40.0, 27.0, 36.0, 38.0)),
        memory_latency=150.0,
        pages=2048,
        page_walk=58.0,
        streams=12,
        per_stream=0.03,
        line_crossing=2.0,
        page_crossing=2.0,
        aliasing=0.25,
        handover=41.0,
    ),
)
