"""CPUs: memory layers MM, L3, L2, L1, REG; core layers COR (threads) and SIMD (vector lanes)."""

from __future__ import annotations

from jitmdh.mdh.machine.model import Machine, MemoryLayer
from jitmdh.mdh.machine.processors.figures import SERVER_512, Figures
from jitmdh.mdh.machine.processors.processor import Caches

# Virtual machines report the L3 of the whole host; more than this per core is not ours.
_LARGEST_L3_BYTES = 32 << 20
# Registers of one value: enough for what waits longest, and LLVM takes longer to make instructions of longer ones.
_LONGEST_VECTOR = 4


def cpu(features: str, cores: int, caches: Caches, figures: Figures = SERVER_512, name: str = "") -> Machine:
    """The model of a processor with these caches for code that may use `features` ("+avx2,+fma,…", LLVM's names).

    figures: without any, those that most processors of servers have about.
    """
    enabled = {f[1:] for f in features.split(",") if f.startswith("+")}
    if "avx512f" in enabled and "avx512vl" in enabled:
        bits, registers, masked = 512, 32, True
    elif "avx2" in enabled:
        bits, registers, masked = 256, 16, True
    else:
        bits, registers, masked = 128, (32 if "neon" in enabled else 16), False
    return Machine(
        name=name or f"cpu-{bits}",
        memory=(
            MemoryLayer("MM", 0),
            MemoryLayer("L3", min(caches.l3, _LARGEST_L3_BYTES)),
            MemoryLayer("L2", caches.l2),
            MemoryLayer("L1", caches.l1),
            MemoryLayer("REG", registers * bits // 8),
        ),
        core_layers=("COR", "SIMD"),
        cores=cores,
        vector_bits=bits,
        registers=registers,
        masked=masked,
        fused_multiply_add="fma" in enabled or "neon" in enabled,
        figures=figures,
        features=features,
        longest_vector=_LONGEST_VECTOR,
    )
