"""The native runtime: thread pool, scratch memory, call path. Compiled once per machine, then loaded from the store.

Written in C, shipped as LLVM IR (`hca/runtime`); generated code finds its functions by name (`symbols()`).
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import os
import sys
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from jitmdh.base.cores import usable_cores
from jitmdh.base.process.forks import ProcessLock, Rank, in_child
from jitmdh.base.settings import config
from jitmdh.hca.drivers.native_code.cpu_compile import (
    compile_alone,
    compile_ir,
    compiler_version,
    features_named,
    host_identity,
)
from jitmdh.hca.drivers.native_code.elf_loader import LoadedCode, load_object, process_symbol


class CodeStore(Protocol):
    """Where compiled code is kept: `base.store.Store`."""

    def get(self, key: str) -> bytes | None: ...
    def put(self, key: str, value: bytes) -> None: ...


_lock = ProcessLock(Rank.RUNTIME)
_SOURCES = Path(__file__).parents[1] / "runtime"
_HOST_FEATURES = "+host-features"  # stands in texts for what only the compiler knows, and who finds code need not load
_EXPORTS = (
    "jitmdh_parallel", "jitmdh_ask", "jitmdh_interrupted", "jitmdh_num_threads", "jitmdh_scratch_acquire",
    "jitmdh_scratch_release",
)  # fmt: skip


def _machine() -> str:
    return os.uname().machine if hasattr(os, "uname") else ""


def _is_x86() -> bool:
    return _machine() in ("x86_64", "AMD64", "i686")


def _platform() -> str:
    """The facts that `platform.h` asks for, as functions that LLVM inlines."""
    macos = sys.platform == "darwin"
    relax = "pause" if _is_x86() else "yield" if _machine() in ("aarch64", "arm64") else "nop"
    huge = "  call i32 @madvise(ptr %block, i64 %bytes, i32 14)\n" if sys.platform == "linux" else ""
    facts = f"""
declare i32 @madvise(ptr, i64, i32)
define i32 @platform_clock_monotonic() alwaysinline {{
  ret i32 {6 if macos else 1}
}}
define i32 @platform_sig_setmask() alwaysinline {{
  ret i32 {3 if macos else 2}
}}
define void @platform_relax() alwaysinline {{
  call void asm sideeffect "{relax}", ""()
  ret void
}}
define void @platform_advise_huge(ptr %block, i64 %bytes) alwaysinline {{
{huge}  ret void
}}
"""
    if sys.platform != "linux":  # processors cannot be chosen
        for name in ("places_forget", "places_register", "places_keep_away", "places_note", "places_give_way"):
            facts += f"define void @{name}() alwaysinline {{\n  ret void\n}}\n"
    return facts


def _ask() -> str:
    """`jitmdh_poll` for code that keeps values in any register.

    count: how much may be done until the next question, the address of the call's status, by which it is known, and
    the answer (where LLVM does not optimise, it restores the register of a result, too); full: what the first of them
    becomes. C has no such functions that call others. Without `vzeroupper`, which LLVM would put behind what restores
    vectors.
    """
    features = f'"target-features"="{_HOST_FEATURES},-vzeroupper"' if _is_x86() else ""
    return f"""
declare i64 @jitmdh_poll(ptr)
define void @jitmdh_ask(ptr %count, i64 %full) noinline nounwind "no_caller_saved_registers" {features} {{
  store i64 %full, ptr %count
  %where = getelementptr i64, ptr %count, i64 1
  %call = load ptr, ptr %where
  %ends = call i64 @jitmdh_poll(ptr %call)
  %answer = getelementptr i64, ptr %count, i64 2
  store i64 %ends, ptr %answer
  ret void
}}
"""


def source(module: str) -> tuple[str, ...]:
    """The LLVM IR of a module of the runtime, for this platform: texts to be linked."""
    names = (module, "places") if module == "threads" and sys.platform == "linux" else (module,)
    texts = tuple((_SOURCES / f"{name}.ll").read_text() for name in names)
    if module == "threads":
        texts = *texts, _ask()
    return texts if module == "places" else (*texts, _platform())


def cached_code(store: CodeStore | None, name: str, texts: Sequence[str]) -> bytes:
    """Object code of `texts`, from the store if it is there."""
    digest = hashlib.blake2b("\0".join(texts).encode(), digest_size=16).hexdigest()
    key = f"runtime/{name}/{digest}/{host_identity()}/{compiler_version()}"
    code = store.get(key) if store is not None else None
    if code is None:
        code = compile_ir([t.replace(_HOST_FEATURES, features_named("host")) for t in texts], "host")
        if store is not None:
            store.put(key, code)
    return code


class Runtime:
    """The loaded thread pool. One per process; its state starts anew in the child of a fork."""

    def __init__(self, code: LoadedCode) -> None:
        self.code = code
        self._reset = self._function("jitmdh_reset", None)
        self._set_threads = self._function("jitmdh_set_num_threads", None, ctypes.c_int64)
        self._get_threads = self._function("jitmdh_num_threads", ctypes.c_int64)
        self._workers = self._function("jitmdh_num_workers", ctypes.c_int64)
        self._trim = self._function("jitmdh_scratch_trim", None)
        self._raise = self._function("jitmdh_raise", None)
        self._reset()
        # Runs kernels, so that it lets Python go on meanwhile
        self._repeat = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)(
            code.address_of("jitmdh_repeat")
        )
        self._function("jitmdh_set_main_thread", None, ctypes.c_uint64)(threading.main_thread().ident)
        in_child(self._reset)

    def _function(self, name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
        # PyDLL-style: none of these blocks, so none releases the GIL
        return ctypes.PYFUNCTYPE(result, *arguments)(self.code.address_of(name))

    @property
    def shared_work(self) -> tuple[int, int]:
        """Addresses of what the native call path shares work among threads by: `Pool` in `runtime/plan.h`."""
        return self.code.address_of("jitmdh_parallel"), self.code.address_of("jitmdh_raise_ended")

    @property
    def num_threads(self) -> int:
        """Threads that one call may use, the calling one included."""
        return int(self._get_threads())

    @num_threads.setter
    def num_threads(self, count: int) -> None:
        self._set_threads(count)

    @property
    def num_workers(self) -> int:
        """Threads started so far, in this process."""
        return int(self._workers())

    def interruption(self) -> BaseException | None:
        """What a signal's handler raised, so that the kernel that ran ended. None: nothing, or it was taken."""
        try:
            self._raise()
        except BaseException as raised:
            return raised
        return None

    def repeat(self, kernel: int, frame: int, count: int) -> int:
        """Executes a kernel `count` times on one frame, without Python in between; the first status that is not 0.

        kernel, frame: addresses. Signals are looked for as in a call.
        """
        return int(self._repeat(kernel, frame, count))

    def trim(self) -> None:
        """Gives scratch memory that is not in use back to the system."""
        self._trim()


_store: CodeStore | None = None
_runtime: Runtime | None = None


def use_store(store: CodeStore | None) -> None:
    """From now on keep the runtime's code in `store`."""
    global _store
    _store = store


def own_code(name: str) -> bytes:
    """The code of a part of the runtime (`source`), from the store in use."""
    return cached_code(_store, name, source(name))


def runtime() -> Runtime:
    """The runtime of this process, loaded (if need be compiled) when first asked for."""
    global _runtime
    if _runtime is None:
        with _lock:
            if _runtime is None:
                loaded = Runtime(load_object(own_code("threads")))
                loaded.num_threads = min(config.num_threads, usable_cores())
                _runtime = loaded
                config.listen("num_threads", _follow_setting)
    return _runtime


def set_num_threads(count: int) -> None:
    """Threads that each call may use from now on; never more than there are cores.

    Raises ConfigurationError unless `count` is a positive integer.
    """
    config.num_threads = count


def _follow_setting() -> None:
    """The pool is one for the process: `with config(num_threads=…)` holds for all threads while the block runs."""
    if _runtime is not None:
        _runtime.num_threads = min(config.num_threads, usable_cores())


def get_num_threads() -> int:
    """Threads that each call may use."""
    if _runtime is not None:
        return _runtime.num_threads
    return min(config.num_threads, usable_cores())


@functools.cache
def symbols() -> Mapping[str, int]:
    """What generated code may call, beside the C library's functions."""
    code = runtime().code
    return {name: code.address_of(name) for name in _EXPORTS}


def load_kernel(code: bytes, name: str = "kernel") -> LoadedCode:
    """Generated code, bound to the runtime. name: of the function that it is the code of."""
    return load_object(code, symbols(), name)


# ---------------------------------------------------------------------------------------------- without Python

_PYTHON = """
define i32 @PyGILState_Ensure() {
  ret i32 0
}
define void @PyGILState_Release(i32 %state) {
  ret void
}
define i32 @PyErr_CheckSignals() {
  ret i32 0
}
define void @PyErr_Fetch(ptr %type, ptr %value, ptr %traceback) {
  ret void
}
define void @PyErr_Restore(ptr %type, ptr %value, ptr %traceback) {
  ret void
}
define void @Py_DecRef(ptr %object) {
  ret void
}
"""
"""What the runtime asks of Python; where there is none, no signal has a handler in it."""

_BEGIN = """
declare void @jitmdh_reset()
declare void @jitmdh_set_main_thread(ptr)
define void @jitmdh_begin() {
  call void @jitmdh_reset()
  call void @jitmdh_set_main_thread(ptr null)
  call void @jitmdh_set_num_threads(i64 1)
  ret void
}
%constructor = type { i32, ptr, ptr }
@llvm.global_ctors = appending global [1 x %constructor] [%constructor { i32 65535, ptr @jitmdh_begin, ptr null }]
declare void @jitmdh_set_num_threads(i64)
"""
"""When the program that the object is part of begins: no worker, and one thread for each call."""


def standalone(texts: Sequence[str], exported: Collection[str]) -> bytes:
    """The object code of `texts` with the runtime inside, for this machine's processor. It needs libc, libm, threads.

    exported: the functions that are seen from outside; several such objects can be linked into one program.
    """
    threads = [text.replace(_HOST_FEATURES, features_named("host")) for text in source("threads")]
    return compile_alone([*texts, *threads, _PYTHON, _BEGIN], exported)


__all__ = [
    "CodeStore",
    "Runtime",
    "cached_code",
    "get_num_threads",
    "load_kernel",
    "own_code",
    "process_symbol",
    "runtime",
    "set_num_threads",
    "source",
    "standalone",
    "symbols",
    "use_store",
]
