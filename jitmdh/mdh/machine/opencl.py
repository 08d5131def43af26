"""OpenCL devices: compute units as cores, vectors of the language's own types (up to 16 lanes)."""

from __future__ import annotations

from dataclasses import replace

from jitmdh.mdh.machine.host import host
from jitmdh.mdh.machine.model import Machine


def machines(compute_units: int) -> tuple[Machine, ...]:
    """The models to try: with wide vectors first, of which narrow types have more lanes than OpenCL has."""
    return tuple(opencl(compute_units, bits) for bits in (512, 256, 128))


def opencl(compute_units: int, vector_bits: int) -> Machine:
    """The model of a processor as an OpenCL device: its caches are those of the host."""
    device = replace(host("", compute_units), cores=compute_units, name=f"opencl-{vector_bits}")
    return replace(device, vector_bits=vector_bits, fused_multiply_add=True)
