"""OpenCL devices: compute units as cores, vectors of the language's own types (up to 16 lanes)."""

from __future__ import annotations

from dataclasses import replace

from jitmdh.mdh.machine.host import host
from jitmdh.mdh.machine.model import Machine, MemoryLayer

_WIDTHS = (512, 256, 128)
_REGISTERS = {512: 32}  # x86's; others have 16, or may have
_FEWEST_REGISTERS = 16
# A share of the registers, chosen by the vectors that PoCL's compilers spilled with the tiles chosen without it, and
# with it (512 bits, Zen 5): mcc_strided 57 and 5, complex128 matrix times vector 57 and 0; LLVM 21 for these 55 and 0.
_EARLY_SHARE = 6


def machines(compute_units: int, vector_bits: int = 0) -> tuple[Machine, ...]:
    """The models to try, with the device's own vectors first (0: the language's widest): narrow types have more lanes
    in these than OpenCL has."""
    fitting = [bits for bits in _WIDTHS if not vector_bits or bits <= max(vector_bits, _WIDTHS[-1])]
    return tuple(opencl(compute_units, bits, vector_bits) for bits in fitting)


def opencl(compute_units: int, vector_bits: int, own_bits: int = 0) -> Machine:
    """The model of a processor as an OpenCL device: its caches are those of the host. own_bits: of its vectors."""
    device, registers = host("", compute_units), _REGISTERS.get(own_bits, _FEWEST_REGISTERS)
    memory = (*device.memory[:-1], MemoryLayer("REG", registers * vector_bits // 8))
    return replace(device, cores=compute_units, name=f"opencl-{vector_bits}", memory=memory, vector_bits=vector_bits,
                   registers=registers, early_loads=registers // _EARLY_SHARE, masked=own_bits == 512,
                   fused_multiply_add=True, longest_vector=1)  # fmt: skip
