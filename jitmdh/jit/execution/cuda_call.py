"""CUDA as a back end: code can be looked at without a GPU. Calls are not there yet, and say so."""

from __future__ import annotations

from jitmdh.base.errors import DeviceError
from jitmdh.hca.registry import find_device
from jitmdh.jit.compilation.backend import Loaded
from jitmdh.jit.compilation.compiled import Compiled
from jitmdh.jit.compilation.signature import Signature
from jitmdh.mdh.machine.model import Place
from jitmdh.mdh.targets.cuda.emitter import CudaText

ARCHITECTURE = "sm_90"  # for which code is shown where there is no device


class CudaDevice:
    """The first CUDA device as a back end."""

    offers: frozenset[str] = frozenset()
    compiler = "nvrtc"

    def place(self) -> Place:
        return Place(ARCHITECTURE, 1)

    def identity(self) -> str:
        return ARCHITECTURE

    def compiled(self, text: CudaText) -> None:
        """Text is compiled when it is loaded."""

    def shown(self, text: CudaText, stage: str) -> str:
        return str(text)

    def load(self, signature: Signature, compiled: Compiled) -> Loaded:
        device = find_device("cuda")
        raise DeviceError(
            f"decorated functions do not run on {device.name} yet",
            hint='f.inspect(…, stage="cuda") shows their code; target="opencl" runs on OpenCL devices',
        )


BACKEND = CudaDevice()
