"""Calls of programs that run on a CUDA device: on copies of NumPy arrays, or on arrays that lie there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jitmdh.base.errors import DeviceError
from jitmdh.base.records import dataclass
from jitmdh.base.settings import config
from jitmdh.hca.drivers.cpu_entry import make_plan
from jitmdh.hca.drivers.native_code import cpu_compile
from jitmdh.hca.drivers.opencl_program import LoadedProgram, from_bytes
from jitmdh.hca.interface.statistics import Statistics
from jitmdh.hca.registry import find_device
from jitmdh.jit.compilation.backend import DriverErrors, Loaded
from jitmdh.jit.compilation.compiled import Compiled
from jitmdh.jit.compilation.signature import Signature
from jitmdh.jit.execution.device_call import ByCopies, frame_arrays, returns, with_host_code
from jitmdh.jit.execution.lent_arrays import QueuedCalls, call, lent_now
from jitmdh.jit.execution.native_call import PlannedCalls, describe
from jitmdh.mdh.machine.model import Place
from jitmdh.mdh.machine.multiprocessors import GPUS, described
from jitmdh.mdh.targets.cuda.prelude import OPTIONS

if TYPE_CHECKING:
    from jitmdh.mdh.targets.c_dialects.program import DeviceText

ARCHITECTURE = "sm_90"  # for which code is shown where there is no device, and the setting `machine` names none


def _shown() -> str:
    return config.machine if config.machine in GPUS else ARCHITECTURE


class CudaDevice:
    """The first CUDA device as a back end."""

    errors = DriverErrors("CUDA", frozenset({2}), 1)  # CUDA_ERROR_OUT_OF_MEMORY; see `runtime/cuda.c`
    on_device = staticmethod(call)
    offers = frozenset({"explain", "tune"})
    runs_in_forks = False
    first_launch_seconds = 20.0
    compiler = "LLVM"

    def place(self) -> Place:
        try:
            driver: Any = find_device("cuda").driver
        except DeviceError:  # code can be looked at
            return Place(_shown(), 1)
        return Place(described(driver.architecture, *driver.facts), driver.facts[0])

    def identity(self) -> str:
        try:
            driver: Any = find_device("cuda").driver
        except DeviceError:
            return f"{cpu_compile.target_identity()}|{_shown()}"
        return f"{cpu_compile.target_identity()}|{driver.identity}"

    def compiled(self, text: DeviceText) -> bytes:
        """Of the device, the text: CuPy keeps what NVRTC makes of it."""
        return with_host_code(text, OPTIONS).to_bytes()

    def shown(self, text: DeviceText, stage: str) -> str:
        return str(text)

    def load(self, signature: Signature, compiled: Compiled) -> Loaded:
        assert compiled.code is not None
        device = find_device("cuda")
        description, copied = describe(signature, compiled), Statistics()
        driver: Any = device.driver
        arrays, program = frame_arrays(description), from_bytes(compiled.code)
        loaded: LoadedProgram = driver.load(program, arrays, True)
        for_lent: LoadedProgram = driver.load_for(loaded, arrays, returns(program, compiled))

        def calls_of(one: LoadedProgram) -> PlannedCalls:
            return PlannedCalls(compiled.name, make_plan(description, one.code, compiled))

        def statistics() -> Statistics:
            return copied + Statistics(allocations=loaded.allocations, launches=loaded.launches)

        queued = QueuedCalls(for_lent, calls_of(for_lent), driver, compiled)
        copies = ByCopies(calls_of(loaded), description, copied, device)
        return Loaded(_Calls(copies, queued, driver), None, statistics, queued.settle)


BACKEND = CudaDevice()


@dataclass(frozen=True, slots=True)
class _Calls:
    """Of one program. copies: its calls on NumPy arrays; queued: those on arrays of the device."""

    copies: ByCopies
    queued: QueuedCalls
    driver: Any

    def __call__(self, arguments: tuple[Any, ...], disjoint: bool) -> tuple[int, int, Any]:
        lent = lent_now()
        if lent is None:
            with self.driver.running(None):
                return self.copies(arguments, disjoint)
        with self.driver.running(lent.stream):
            return self.queued(arguments, lent, self.copies.copied)
