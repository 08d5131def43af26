"""AMD EPYC 7003 and Ryzen 5000 (Zen 3: units of 256 bits, no AVX-512).

Sources. All figures but those named here: `python -m jitmdh calibrate` on a virtual machine of two cores of an EPYC
7003, the medians of nine runs with nothing else running, rounded; AMD's optimization guide for family 19h (56665) gives
the same throughputs. Shuffles of 256 bits: two a cycle inside of halves, by the guide, 0.7 across them, as measured.
Memory is shared with other virtual machines: two threads read 21 to 34 · 10⁹ bytes a second, and L3 gave 15 to 22 bytes
a cycle. Streams: as of Zen 4; one thread reads 32 rows as fast as one.
"""

from jitmdh.mdh.machine.processors.figures import Bandwidth, Cache, Figures, Vectors
from jitmdh.mdh.machine.processors.processor import AVX2, KIB, MIB, Caches, Processor

PROCESSOR = Processor(
    title="AMD EPYC, Zen 3",
    level="avx2",
    features=AVX2,
    cores=32,
    caches=Caches(32 * KIB, 512 * KIB, 32 * MIB),
    kinds=(("AuthenticAMD", 25, (*range(0x10), *range(0x20, 0x60))),),
    figures=Figures(
        gigahertz=3.24,
        vectors=(
            Vectors(128, 2.0, 2.0, 1.0, 2.0, 1.5, 2.0),
            Vectors(256, 2.0, 2.0, 1.0, 1.0, 1.4, 2.0),
        ),
        latency=4.0,
        forwarding=10.0,
        l2=Cache(12.0, 31.0),
        l3=Cache(50.0, 20.0),
        memory=(Bandwidth(1, 22.5, 15.0, 19.5, 21.7), Bandwidth(2, 31.0, 23.5, 29.8, 21.7)),
        memory_latency=117.0,
        pages=2048,
        page_walk=73.0,
        streams=16,
        per_stream=0.03,
        line_crossing=2.0,
        page_crossing=2.0,
        aliasing=0.1,
        handover=57.0,
    ),
)
