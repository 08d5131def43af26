"""Models of well-known processors, as data: what is decided for them can be seen, and tested, on any host.

>>> known("zen4", cores=2).capacity_bytes("L1")
32768
"""

from __future__ import annotations

from dataclasses import dataclass

from jitmdh.base.errors import ConfigurationError
from jitmdh.mdh.machine.cpu import Caches, cpu
from jitmdh.mdh.machine.model import Machine

_SSE = "+sse,+sse2,+sse3,+ssse3,+sse4.1,+sse4.2"
_AVX2 = f"{_SSE},+avx,+avx2,+fma,+f16c"
_AVX512 = f"{_AVX2},+avx512f,+avx512vl,+avx512dq,+avx512bw,+avx512cd"
_NEON = "+neon,+fp-armv8"
_KIB, _MIB = 1 << 10, 1 << 20


@dataclass(frozen=True, slots=True)
class Processor:
    """Facts from its maker's documents.

    level: the value of the setting `cpu_features` that comes nearest on an x86-64 host; features: what code for it may
    use, as LLVM names it; cores: of one socket, or of the fast ones where they differ.
    """

    title: str
    level: str
    features: str
    cores: int
    caches: Caches


PROCESSORS = {
    "sapphire-rapids": Processor(
        "Intel Xeon, Sapphire Rapids", "avx512", _AVX512, 56, Caches(48 * _KIB, 2 * _MIB, 105 * _MIB)
    ),
    "zen4": Processor("AMD EPYC, Zen 4", "avx512", _AVX512, 32, Caches(32 * _KIB, 1 * _MIB, 32 * _MIB)),
    "zen5": Processor("AMD EPYC, Zen 5", "avx512", _AVX512, 32, Caches(48 * _KIB, 1 * _MIB, 32 * _MIB)),
    "avx2-desktop": Processor("Intel Core, Skylake", "avx2", _AVX2, 4, Caches(32 * _KIB, 256 * _KIB, 8 * _MIB)),
    "x86-128": Processor("Intel Atom, Goldmont: no L3", "128", _SSE, 4, Caches(24 * _KIB, 1 * _MIB, 1 * _MIB)),
    "apple": Processor("Apple M1: large near caches, no L3", "128", _NEON, 4, Caches(128 * _KIB, 12 * _MIB, 12 * _MIB)),
    "neoverse": Processor("Arm Neoverse V2", "128", _NEON, 64, Caches(64 * _KIB, 2 * _MIB, 114 * _MIB)),
}


def processor(name: str) -> Processor:
    """Raises ConfigurationError if it is not known."""
    if name not in PROCESSORS:
        raise ConfigurationError(f"there is no machine `{name}`", hint=f"machines are host, {', '.join(PROCESSORS)}")
    return PROCESSORS[name]


def known(name: str, cores: int | None = None) -> Machine:
    """The model of a processor of `PROCESSORS`, with as many cores as asked for. Raises ConfigurationError."""
    found = processor(name)
    return cpu(found.features, found.cores if cores is None else cores, found.caches, name)
