"""The CUDA driver: its logic on a stand-in for CuPy, its compiler where NVRTC is installed, the rest on a GPU."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jitmdh import atf
from jitmdh.base.errors import ConfigurationError, DeviceError, OutOfMemoryError
from jitmdh.cli import main
from jitmdh.hca import nvrtc
from jitmdh.hca.drivers import cuda
from jitmdh.hca.interface.buffer import Buffer
from jitmdh.hca.interface.device import Device
from jitmdh.hca.interface.host_memory import PinnedBuffer, UnifiedBuffer
from jitmdh.hca.interface.kernel import Kernel, Launch, Local, dim3, nd_range, read, read_write, write
from jitmdh.hca.interface.source import cuda_source
from jitmdh.kernels import buffer, cuda_kernel, scalar
from tests.hca.fake_cupy import FakeArray, FakeCupy, FakeFunction
from tests.nvrtc_there import require_nvrtc

SAXPY = """
__global__ void saxpy(const int N, const float a, const float* x, float* y)
{
    for (int w = 0; w < WPT; ++w) {
        const int index = w * gridDim.x * blockDim.x + blockIdx.x * blockDim.x + threadIdx.x;
        y[index] += a * x[index];
    }
}
"""


def saxpy(grid: Any, block: Any, n: Any, a: Any, x: Any, y: Any) -> None:
    assert isinstance(n, np.int32) and isinstance(a, np.float32)
    y.view(np.float32)[:] += a * x.view(np.float32)


@pytest.fixture
def cupy() -> FakeCupy:
    return FakeCupy({"saxpy": saxpy, "f": lambda grid, block, x: x.view(np.int32).__iadd__(1)})


@pytest.fixture
def gpu(cupy: FakeCupy) -> Device:
    return cuda.device(cupy, 0)


def test_saxpy(cupy: FakeCupy, gpu: Device) -> None:
    assert str(gpu) == "cuda: Fake GPU (gpu, 3 cores, 0.0 GiB)" and gpu.platform == "NVIDIA"
    x, y = Buffer(np.arange(64, dtype=np.float32)), Buffer(np.ones(64, np.float32))
    kernel = cuda_source(SAXPY, defines={"WPT": 2})
    runs = [gpu.run(kernel, 64, 2.0, read(x), read_write(y), launch=nd_range((32,), (8,), 16)) for _ in range(3)]
    assert cupy.log == ["stream True", "in", "in", "stream True", *["saxpy (4,) (8,) 16"] * 3]
    np.testing.assert_array_equal(y.host, 1 + 6 * np.arange(64))
    assert cupy.log[-1] == "out" and runs[0].status == 0 and runs[2].nanoseconds >= 0
    x.host[:] = 0
    x.release()


def test_independent_kernels_are_in_streams_of_their_own(gpu: Device) -> None:
    """One that follows from both waits for both; nothing is carried out before someone looks."""
    kernel = cuda_source(SAXPY, defines={"WPT": 1})
    x, y, z = (Buffer(np.full(8, n, np.float32)) for n in (1, 2, 3))
    one, size = Buffer(np.ones(8, np.float32)), nd_range((8,), (8,))
    first = gpu.run(kernel, 8, 1.0, read(one), read_write(x), launch=size)
    second = gpu.run(kernel, 8, 1.0, read(one), read_write(y), launch=size)
    assert second.nanoseconds >= 0  # it has ended, and the other one has not begun
    waiting = [stream for stream in gpu.driver._lanes.values() if stream.waiting]  # type: ignore[attr-defined]
    assert len(waiting) == 1 and len(gpu.driver._lanes) == 2  # type: ignore[attr-defined]
    gpu.run(kernel, 8, 1.0, read(x), read_write(y), launch=size)
    gpu.run(kernel, 8, 1.0, read(y), read_write(z), launch=size)
    assert z.host.tolist() == [8] * 8 and x.host.tolist() == [2] * 8 and y.host.tolist() == [5] * 8
    assert first.nanoseconds >= 0


def test_pinned_and_managed_memory(cupy: FakeCupy, gpu: Device) -> None:
    kernel = cuda_source("__global__ void f(int *x) { x[0] += 1; }")
    for kind, seen in ((PinnedBuffer, ["pinned 12", "in", "f", "out"]), (UnifiedBuffer, ["managed 12", "f"])):
        cupy.log.clear()
        x = kind(np.zeros(3, np.int32), gpu)
        gpu.run(kernel, read_write(x), launch=dim3((1,), (1,)))
        x.host[:] += 1
        assert x.host.tolist() == [2, 2, 2]
        assert [entry.partition(" (")[0] for entry in cupy.log if not entry.startswith("stream")] == seen


def test_devices_copy_to_each_other() -> None:
    """Behind what writes the memory, and before what overwrites it; the host waits where it looks."""
    cupy = FakeCupy({"f": lambda grid, block, x: x.view(np.int32).__iadd__(1)}, devices=2)
    kernel, once = cuda_source("__global__ void f(int *x) { x[0] += 1; }"), dim3((1,), (1,))
    one, other = cuda.device(cupy, 0), cuda.device(cupy, 1)
    for looks in (True, False):
        cupy.log.clear()
        x = Buffer(np.zeros(3, np.int32))
        for where in (one, other, one, one, other):
            lent = x.on_device(where)  # then kernels are in the stream of copies
            where.run(kernel, read_write(x), launch=once)
            if looks:
                assert lent.array.shape == (3,)
        assert [entry.partition(" (")[0] for entry in cupy.log if not entry.startswith("stream")] == [
            "in", "f", "0 to 1: 12", "f", "1 to 0: 12", "f", "f", "0 to 1: 12", "f",
        ]  # fmt: skip
        assert x.host.tolist() == [5, 5, 5] and cupy.log[-1] == "out"
        x.release()


@pytest.mark.parametrize("is_lent", [False, True])
def test_a_copy_to_another_device_is_read_before_it_is_overwritten(is_lent: bool) -> None:
    def copied(grid: Any, block: Any, y: Any, x: Any) -> None:
        y[:] = x

    cupy = FakeCupy({"f": copied}, devices=2)
    kernel, once = cuda_source("__global__ void f(int *y, const int *x) { *y = *x; }"), dim3((1,), (1,))
    one, other = cuda.device(cupy, 0), cuda.device(cupy, 1)
    x, y, z = (Buffer(np.full(3, n, np.int32)) for n in range(3))
    one.run(kernel, write(x), read(z), launch=once)
    if is_lent:
        lent, stream = x.on_device(one), one.driver._stream  # type: ignore[attr-defined]
        other.run(kernel, write(y), read(x), launch=once)
        stream.waiting.append(lambda: lent.array.fill(9))
        stream.synchronize()
    else:
        other.run(kernel, write(y), read(x), launch=once)
        assert one.run(kernel, write(x), read(Buffer(np.full(3, 9, np.int32))), launch=once).nanoseconds >= 0
        assert x.host.tolist() == [9, 9, 9]
    assert y.host.tolist() == [2, 2, 2]


def test_a_copy_must_be_made_before_main_memory_is_written(gpu: Device) -> None:
    kernel = cuda_source("__global__ void f(int *x) { x[0] += 1; }")
    x = Buffer(np.zeros(3, np.int32))
    gpu.run(kernel, read_write(x), launch=dim3((1,), (1,)))
    x.overwrite(np.full(3, 7, np.int32))
    gpu.run(kernel, read_write(x), launch=dim3((1,), (1,)))
    assert x.host.tolist() == [8, 8, 8]


@pytest.mark.parametrize(
    ("launch", "reason"),
    [
        (Launch((8,), None), "CUDA needs the size of a block"),
        (nd_range((8,), (3,)), r"the block size \(3,\) does not divide the global size \(8,\)"),
        (nd_range((0,), (1,)), r"the global size \(0,\) is not positive"),
        (nd_range((33,), (33,)), "a block of 33 threads; for this kernel the device has at most 32"),
        (nd_range((1, 1, 8), (1, 1, 8)), r"the block size \(1, 1, 8\) is beyond the device's \(64, 64, 4\)"),
        (nd_range((1, 9), (1, 1)), r"the grid size \(1, 9\) is beyond the device's \(1024, 8, 8\)"),
        (nd_range((8,), (8,), 100 << 10), "CUDA_ERROR_INVALID_VALUE"),
    ],
)
def test_sizes_that_cannot_be_run(gpu: Device, launch: Launch, reason: str) -> None:
    kernel = cuda_source("__global__ void f(int *x) { x[0] += 1; }")
    with pytest.raises(DeviceError, match=f"f cannot be launched.*\n  {reason}"):
        gpu.run(kernel, write(Buffer(np.zeros(1, np.int32))), launch=launch)


def test_more_shared_memory_than_a_kernel_has_by_itself_is_asked_for(cupy: FakeCupy, gpu: Device) -> None:
    kernel = cuda_source("__global__ void f(int *x) { x[0] += 1; }")
    gpu.run(kernel, write(Buffer(np.zeros(1, np.int32))), launch=nd_range((1,), (1,), 64 << 10))
    assert cupy.log[-1] == f"f (1,) (1,) {64 << 10}"


def test_what_goes_wrong_is_told(gpu: Device) -> None:
    with pytest.raises(DeviceError, match=r"f does not compile for Fake GPU.*\n  f\(1\): error: .*\n  1 error"):
        gpu.compiled(cuda_source("__global__ void f() { undeclared = 1; }"))
    with pytest.raises(DeviceError, match=r"cannot be loaded on Fake GPU.*\n  CUDA_ERROR_INVALID_PTX"):
        gpu.compiled(cuda_source("__global__ void f() { unloadable; }"))
    kernel = cuda_source("__global__ void f(int *x) { x[0] += 1; }")
    with pytest.raises(OutOfMemoryError, match="no memory for a buffer of 8388608 bytes on Fake GPU"):
        gpu.run(kernel, read(Buffer(np.zeros(1 << 21, np.int32))), launch=dim3((1,), (1,)))
    with pytest.raises(ConfigurationError, match="CUDA kernels have no arguments in local memory"):
        gpu.run(cuda_source("MAKE(f)", "f"), Local(8), launch=dim3((1,), (1,)))


def test_empty_buffers(cupy: FakeCupy, gpu: Device) -> None:
    buffer = Buffer(np.zeros((0, 2), np.int32))
    gpu.run(cuda_source("__global__ void f(int *x) {}"), read_write(buffer), launch=dim3((1,), (1,)))
    cupy.kernels["f"] = lambda grid, block, x: None
    assert buffer.host.shape == (0, 2) and "in" not in cupy.log and "out" not in cupy.log


def test_the_child_of_a_fork_is_told(gpu: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.getpid", lambda: -1)
    with pytest.raises(DeviceError, match="CUDA cannot be used in the child of a fork"):
        gpu.compiled(cuda_source("__global__ void f() {}"))


def test_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "cupy", FakeCupy({}, 2))
    assert [d.name for d in cuda.devices()] == ["Fake GPU"] * 2
    monkeypatch.setitem(__import__("sys").modules, "cupy", FakeCupy({}, 0))
    with pytest.raises(DeviceError, match=r"there is no CUDA driver.*\n  cudaErrorNoDevice"):
        cuda.devices()


def test_a_cuda_kernel_is_tuned(cupy: FakeCupy, gpu: Device) -> None:
    n = 64
    WPT = atf.tuning_parameter("WPT", [1, 2, 3, 4])
    BS = atf.tuning_parameter("BS", [8, 64])
    expected = {"y": lambda a, x, y: a * x + y}
    cost = cuda_kernel(SAXPY, "saxpy", n, scalar("float32"), buffer("float32", n), buffer("float32", n), device=gpu,
                       grid_size=n // WPT // BS, block_size=BS, local_bytes=4 * BS, expected=expected)  # fmt: skip
    result = atf.tuner(WPT, BS).search_technique("exhaustive").tune(cost)
    reasons = {(e.configuration["WPT"], e.configuration["BS"]): e.reason for e in result.history}
    assert reasons[1, 8] == reasons[4, 8] == "" and reasons[2, 64] == "the grid size is 0"
    assert reasons[1, 64].endswith("a block of 64 threads; for this kernel the device has at most 32.")
    assert "saxpy (8,) (8,) 32" in cupy.log and "#define WPT" in cost.kernel({"WPT": 4}).program_text()
    whole = cuda_kernel(SAXPY, "saxpy", n, 1.0, np.ones(n, np.float32), np.ones(n, np.float32), device=gpu,
                        global_size=n // WPT, local_size=BS, expected={"y": np.full(n, 2)})  # fmt: skip
    assert isinstance(whole({"WPT": 1, "BS": 8}), float)  # type: ignore[arg-type]
    other = cuda_kernel(SAXPY, "saxpy", n, 1.0, np.ones(n, np.float32), np.ones(n, np.float32), device=gpu,
                        grid_size=(n // WPT, 1), block_size=BS)  # fmt: skip
    outcome = other({"WPT": 1, "BS": 8})  # type: ignore[arg-type]
    assert isinstance(outcome, atf.Invalid) and "different dimensions" in outcome.reason


def test_the_directives_of_a_cuda_kernel_are_those_of_listing_24(
    cupy: FakeCupy, gpu: Device, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("jitmdh.hca.registry.devices", lambda target=None: (gpu,))
    path = tmp_path / "saxpy.cu"
    path.write_text(
        """#atf::var::N $1
#atf::tp name "WPT"
         range interval<size_t>( 1,N )
         constraint divides( N )
#atf::tp name "LS"
         range interval<size_t>( 1,N )
         constraint divides( N/WPT )
#atf::cuda::device "Fake GPU"
#atf::cuda::input scalar<int>( N )
#atf::cuda::input scalar<float>()
#atf::cuda::input buffer<float>( N )
#atf::cuda::input buffer<float>( N )
#atf::cuda::global_size N/WPT
#atf::cuda::local_size LS
#atf::search_technique auc_bandit
#atf::abort_condition evaluations( 100 )
"""
        + SAXPY
    )
    assert main(["atf", str(path), "8", "--quiet"]) == 0
    assert "10 evaluations (0 invalid) of 10 configurations" in capsys.readouterr().out
    assert "saxpy (2,) (4,) 0" in cupy.log and "saxpy (1,) (1,) 0" in cupy.log
    assert set(json.loads((tmp_path / "saxpy.cu.best.json").read_text())) == {"WPT", "LS"}


# ------------------------------------------------------------------------------------------------ the real ones


def test_the_stand_in_has_the_names_and_signatures_of_cupy() -> None:
    real = pytest.importorskip("cupy", reason="CuPy is not installed")
    fake = FakeCupy({})
    for path in ("cuda.Device", "cuda.Stream", "cuda.Event", "cuda.get_elapsed_time", "cuda.driver.CUDADriverError",
                 "cuda.runtime.CUDARuntimeError", "cuda.runtime.getDeviceCount", "cuda.runtime.getDeviceProperties",
                 "cuda.memory.OutOfMemoryError", "cuda.compiler.CompileException", "RawModule", "empty"):  # fmt: skip
        ours: Any = fake
        theirs: Any = real
        for name in path.split("."):
            ours, theirs = getattr(ours, name), getattr(theirs, name)
        if isinstance(ours, type) and issubclass(ours, Exception):
            assert issubclass(theirs, Exception)
    for ours, theirs in ((FakeArray.set, real.ndarray.set), (FakeArray.get, real.ndarray.get)):
        wanted = list(inspect.signature(ours).parameters)[1:]
        assert all(f"{name}" in theirs.__doc__ for name in wanted)
    for name in ("kernel", "max_threads_per_block", "max_dynamic_shared_size_bytes"):
        assert (hasattr(real.RawKernel, name) and hasattr(FakeFunction, name)) or name.startswith("max_dynamic")
    assert "shared_mem" in real.RawKernel.__call__.__doc__


@pytest.mark.parametrize("place", ["nvidia/cu13/lib/libnvrtc.so.13", "nvidia/cuda_nvrtc/lib/libnvrtc.so.12"])
def test_nvrtc_is_found_where_its_wheels_put_it(place: str, tmp_path: Path) -> None:
    for path in (tmp_path / place, tmp_path / place.replace(".so", ".alt.so"), tmp_path / "nvidia/other/libnvrtc.so.1"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert nvrtc.nvrtc_libraries(["/no/such/folder", str(tmp_path)]) == [tmp_path / place]


def compiled(kernel: Kernel) -> nvrtc.Compiled:
    require_nvrtc()
    return nvrtc.compile_text(kernel.program_text(), "sm_80", cuda.nvrtc_options(kernel), [kernel.entry])


@pytest.mark.parametrize("linkage", ["", 'extern "C" ', "static "])
def test_nvrtc_compiles_what_the_driver_gives_it(linkage: str) -> None:
    kernel = cuda_source(SAXPY.replace("__global__", f"{linkage}__global__"), defines={"WPT": 4})
    made = compiled(kernel)
    assert "saxpy" in made.names[kernel.entry] and made.code.startswith(b"\x7fELF")
    (needs,) = made.kernels.values()
    assert 1 <= needs.registers <= 255 and needs.spilled_bytes == needs.shared_bytes == 0
    with pytest.raises(DeviceError, match="does not compile for sm_80") as caught:
        compiled(cuda_source("\n\n__global__ void f(int *x) { *x = undeclared_name; }", defines={"A": 1}))
    assert caught.value.reason and "f(3): error" in caught.value.reason and "undeclared_name" in caught.value.reason
