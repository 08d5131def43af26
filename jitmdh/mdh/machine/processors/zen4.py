"""AMD EPYC 9004 and Ryzen 7000 (Zen 4: units of 256 bits, which take registers of 512 bits in two cycles).

Sources. Instructions and latencies: AMD's optimization guide for Zen 4 (57647), uops.info (Zen 4). All else: `python -m
jitmdh calibrate` on a virtual machine of two cores of an EPYC 9004, the medians of several runs, rounded; it also gives
the guide's throughputs within 5 %.
"""

from jitmdh.mdh.machine.processors.figures import Bandwidth, Cache, Figures, Vectors
from jitmdh.mdh.machine.processors.processor import AVX512, KIB, MIB, Caches, Processor

PROCESSOR = Processor(
    title="AMD EPYC, Zen 4",
    level="avx512",
    features=AVX512,
    cores=32,
    caches=Caches(32 * KIB, 1 * MIB, 32 * MIB),
    kinds=(("AuthenticAMD", 25, (*range(0x10, 0x20), *range(0x60, 0x80), *range(0xA0, 0xB0))),),
    figures=Figures(
        gigahertz=3.7,
        vectors=(
            Vectors(128, 2.0, 2.0, 1.0, 2.0, 1.5, 1.7),
            Vectors(256, 2.0, 2.0, 1.0, 2.0, 1.4, 1.6),
            Vectors(512, 1.0, 1.0, 0.5, 1.0, 1.4, 1.5),
        ),
        latency=4.0,
        forwarding=12.0,
        l2=Cache(14.0, 31.0),
        l3=Cache(50.0, 25.0),
        memory=(Bandwidth(1, 16.0, 12.5, 17.0, 15.0), Bandwidth(2, 32.0, 25.0, 29.0, 26.0)),
        memory_latency=110.0,
        pages=2048,
        page_walk=70.0,
        streams=16,
        per_stream=0.04,
        line_crossing=1.5,
        page_crossing=1.5,
        aliasing=0.3,
        handover=53.0,
    ),
)
