"""CPUs: memory layers MM, L3, L2, L1, REG; core layers COR (threads) and SIMD (vector lanes)."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from jitmdh.mdh.machine.model import Machine, MemoryLayer

# Virtual machines report the L3 of the whole host; more than this per core is not ours.
_LARGEST_L3_BYTES = 32 << 20


def cpu(features: str, cores: int) -> Machine:
    """The model of this host for code that may use `features` ("+avx2,+fma,…", LLVM's names)."""
    enabled = {f[1:] for f in features.split(",") if f.startswith("+")}
    if "avx512f" in enabled and "avx512vl" in enabled:
        bits, registers, masked = 512, 32, True
    elif "avx2" in enabled:
        bits, registers, masked = 256, 16, True
    else:
        bits, registers, masked = 128, (32 if "neon" in enabled else 16), False
    l1, l2, l3 = cache_sizes()
    return Machine(
        name=f"cpu-{bits}",
        memory=(
            MemoryLayer("MM", 0),
            MemoryLayer("L3", min(l3, _LARGEST_L3_BYTES)),
            MemoryLayer("L2", l2),
            MemoryLayer("L1", l1),
            MemoryLayer("REG", registers * bits // 8),
        ),
        core_layers=("COR", "SIMD"),
        cores=cores,
        vector_bits=bits,
        registers=registers,
        masked=masked,
        fused_multiply_add="fma" in enabled or "neon" in enabled,
        features=features,
    )


@cache
def cache_sizes() -> tuple[int, int, int]:
    """Sizes of the data caches L1, L2, L3 in bytes as Linux reports them; common values where it does not."""
    found = {1: 32 << 10, 2: 512 << 10, 3: 8 << 20}
    base = Path("/sys/devices/system/cpu/cpu0/cache")
    if os.path.isdir(base):
        for entry in base.glob("index*"):
            try:
                if (entry / "type").read_text().strip() == "Instruction":
                    continue
                level = int((entry / "level").read_text())
                found[level] = parse_size(((entry / "size").read_text()).strip())
            except (OSError, ValueError):
                continue
    return found[1], found[2], found[3]


def parse_size(text: str) -> int:
    """
    >>> parse_size("48K"), parse_size("2M")
    (49152, 2097152)
    """
    factor = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}.get(text[-1:].upper())
    return int(text[:-1]) * factor if factor else int(text)
