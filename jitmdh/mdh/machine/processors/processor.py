"""A processor as a table: what is known of it before anything is measured, and how it is recognised."""

from __future__ import annotations

from typing import NamedTuple

from jitmdh.base.records import dataclass
from jitmdh.mdh.machine.processors.figures import Figures

SSE = "+sse,+sse2,+sse3,+ssse3,+sse4.1,+sse4.2"
AVX2 = f"{SSE},+avx,+avx2,+fma,+f16c"
AVX512 = f"{AVX2},+avx512f,+avx512vl,+avx512dq,+avx512bw,+avx512cd"
NEON = "+neon,+fp-armv8"
KIB, MIB = 1 << 10, 1 << 20


class Caches(NamedTuple):
    """Sizes of the data caches in bytes, as an operating system reports them; without an L3, that of the L2 again."""

    l1: int
    l2: int
    l3: int


class Kind(NamedTuple):
    """What a processor says of itself: by CPUID (vendor, family, model), or an Arm implementer, 0 and its part."""

    vendor: str
    family: int
    model: int


@dataclass(frozen=True, slots=True)
class Processor:
    """Facts from its maker's documents, and figures whose sources its file names.

    level: the value of the setting `cpu_features` that comes nearest on an x86-64 host; features: what code for it may
    use, as LLVM names it; cores: of one socket, or of the fast ones where they differ. kinds: vendor, family, and the
    models that are the same core.
    """

    title: str
    level: str
    features: str
    cores: int
    caches: Caches
    kinds: tuple[tuple[str, int, tuple[int, ...]], ...]
    figures: Figures

    def is_of(self, kind: Kind) -> bool:
        return any(kind[:2] == own[:2] and kind.model in own[2] for own in self.kinds)
