"""Abstract system models (thesis Definition 13): the layers of a machine's memories and cores, as facts."""

from __future__ import annotations

from jitmdh.base.errors import ConfigurationError
from jitmdh.base.records import dataclass
from jitmdh.mdh.machine.multiprocessors import Gpu
from jitmdh.mdh.machine.processors.figures import Figures


@dataclass(frozen=True, slots=True)
class Place:
    """Where code will run, as far as its driver says. features: those of the processor, as LLVM names them.

    figures: calibrated ones; None where there are none, or where they are not to be used. vector_bits: of the vectors
    that a device works on at once; 0: it does not say.
    """

    features: str
    cores: int
    figures: Figures | None = None
    vector_bits: int = 0


@dataclass(frozen=True, slots=True)
class MemoryLayer:
    """A memory region: its name and its capacity per core in bytes (0: as much as there is)."""

    name: str
    capacity_bytes: int


@dataclass(frozen=True, slots=True)
class Machine:
    """Memory layers from far to near, core layers from coarse to fine, and the figures the cost model needs.

    vector_bits: width of the widest vector register that is used; registers: how many there are.
    gather: whether lanes can be loaded from unrelated addresses by one instruction.
    early_loads: registers that the target's compiler fills with loads which it moves before the arithmetic of their
    block, for each component of a value.
    masked: whether loads and stores of some lanes of a vector are one instruction.
    longest_vector: registers that one value may take: LLVM makes several vectors of a longer one.
    figures: what instructions, caches and memory take.
    warps: of a block, where lanes are threads that run in blocks; else 0. gpu: what it is then.
    """

    name: str
    memory: tuple[MemoryLayer, ...]
    core_layers: tuple[str, ...]
    cores: int
    vector_bits: int
    registers: int
    masked: bool
    fused_multiply_add: bool
    figures: Figures
    features: str = ""
    warps: int = 0
    gpu: Gpu | None = None
    early_loads: int = 0
    longest_vector: int = 1

    def capacity_bytes(self, layer: str) -> int:
        for memory in self.memory:
            if memory.name == layer:
                return memory.capacity_bytes
        raise ConfigurationError(f"a machine {self.name} has no memory layer {layer!r}")

    @property
    def layers(self) -> tuple[str, ...]:
        """All layers on which a dimension can be split, outermost first."""
        memory = tuple(m.name for m in self.memory)
        return (self.core_layers[0], *memory, *self.core_layers[1:])
