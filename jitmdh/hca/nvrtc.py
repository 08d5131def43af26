"""NVIDIA's run-time compiler without a GPU: CUDA C++ to machine code of an architecture, and what the code needs."""

from __future__ import annotations

import ctypes
import functools
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from jitmdh.base.errors import DeviceError
from jitmdh.base.records import dataclass

_NAMES = ("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so")


@dataclass(frozen=True, slots=True)
class Resources:
    """What a thread of a kernel needs: registers of 32 bits, bytes of them that are spilled (stores and loads), bytes
    of shared memory a block."""

    registers: int
    spilled_bytes: int
    shared_bytes: int


@dataclass(frozen=True, slots=True)
class Compiled:
    """code: machine code (a cubin); kernels: what each needs; names: as they are in the code, for those asked for."""

    code: bytes
    kernels: Mapping[str, Resources]
    names: Mapping[str, str]
    log: str


def nvrtc_libraries(folders: Iterable[str]) -> list[Path]:
    """NVIDIA's run-time compiler as its wheels install it: those of CUDA 12 and before, and of CUDA 13.

    folders: in which packages lie, such as `sys.path`.
    """
    places = ("nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib")
    found = (path for folder in folders for place in places for path in Path(folder, place).glob("libnvrtc.so.*"))
    return sorted(path for path in found if ".alt." not in path.name)


@functools.cache
def library() -> ctypes.CDLL | None:
    """None: it is not installed."""
    for name in (*map(str, nvrtc_libraries(sys.path)), *_NAMES):
        try:
            # It asks for its built-in functions by name alone: what is loaded already is found wherever it lies.
            for builtins in sorted(Path(name).parent.glob("libnvrtc-builtins.so.*")) if "/" in name else ():
                with suppress(OSError):  # then it looks for them itself
                    ctypes.CDLL(str(builtins))
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


def compile_text(text: str, architecture: str, options: Sequence[str] = (), entries: Sequence[str] = ()) -> Compiled:
    """Machine code for an architecture ("sm_90").

    entries: kernels, by their names in C++, whose names in the code are wanted. DeviceError, with the compiler's
    messages as its reason, for text that does not compile, or if there is no compiler.
    """
    nvrtc = library()
    if nvrtc is None:
        raise DeviceError("NVRTC is not installed", hint="pip install 'jitmdh[cuda-check]'")
    program = ctypes.c_void_p()
    _done(nvrtc, nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"kernel.cu", 0, None, None))
    try:
        for entry in entries:
            _done(nvrtc, nvrtc.nvrtcAddNameExpression(program, entry.encode()))
        given = [o.encode() for o in (f"--gpu-architecture={architecture}", "--ptxas-options=-v", *options)]
        status = nvrtc.nvrtcCompileProgram(program, len(given), (ctypes.c_char_p * len(given))(*given))
        log = _text(nvrtc, "ProgramLog", program).decode(errors="replace").rstrip("\0\n")
        if status:
            raise DeviceError(f"the text does not compile for {architecture}", reason=log or _error(nvrtc, status))
        names = {entry: _lowered(nvrtc, program, entry) for entry in entries}
        return Compiled(_text(nvrtc, "CUBIN", program), resources(log), names, log)
    finally:
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))


def resources(log: str) -> dict[str, Resources]:
    """
    What `ptxas -v` says of each kernel.

    >>> resources("ptxas info    : Compiling entry function 'f' for 'sm_90'\\n"
    ...           "    0 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads\\n"
    ...           "ptxas info    : Used 32 registers, used 1 barriers, 1024 bytes smem, 400 bytes cmem[0]")
    {'f': Resources(registers=32, spilled_bytes=12, shared_bytes=1024)}
    """
    found = {}
    for part in re.split(r"Compiling entry function '", log)[1:]:
        spilled = [int(n) for n in re.findall(r"(\d+) bytes spill (?:stores|loads)", part)]
        used, shared = re.search(r"Used (\d+) registers", part), re.search(r"(\d+) bytes smem", part)
        if used is not None:
            needs = Resources(int(used[1]), sum(spilled[:2]), int(shared[1]) if shared is not None else 0)
            found[part.partition("'")[0]] = needs
    return found


def _text(nvrtc: ctypes.CDLL, what: str, program: ctypes.c_void_p) -> bytes:
    size = ctypes.c_size_t()
    _done(nvrtc, getattr(nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(size)))
    text = ctypes.create_string_buffer(size.value)
    _done(nvrtc, getattr(nvrtc, f"nvrtcGet{what}")(program, text))
    return text.raw


def _lowered(nvrtc: ctypes.CDLL, program: ctypes.c_void_p, entry: str) -> str:
    name = ctypes.c_char_p()
    _done(nvrtc, nvrtc.nvrtcGetLoweredName(program, entry.encode(), ctypes.byref(name)))
    return (name.value or b"").decode()


def _error(nvrtc: ctypes.CDLL, status: int) -> str:
    nvrtc.nvrtcGetErrorString.restype = ctypes.c_char_p
    text: bytes = nvrtc.nvrtcGetErrorString(status)
    return text.decode()


def _done(nvrtc: ctypes.CDLL, status: int) -> None:
    if status:
        raise DeviceError("NVRTC failed", reason=_error(nvrtc, status))
