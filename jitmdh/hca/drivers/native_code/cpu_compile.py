"""LLVM IR text to object code, for this processor or a lesser one.

    text --parse, verify--> module --pipeline--> optimised module --code generation--> ELF (or Mach-O) object

llvmlite is imported when something is compiled, not before: running code that came from the cache needs no LLVM.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import importlib.util
import os
import platform
import sys
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from jitmdh.base.errors import InternalError
from jitmdh.base.process.forks import AdoptedLock, ProcessLock, Rank
from jitmdh.base.process.signals import pass_on
from jitmdh.base.settings import config

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

P = ParamSpec("P")
R = TypeVar("R")

_lock = ProcessLock(Rank.LLVM)  # LLVM's global context is not safe to use from several threads

# What the names of lesser processors switch off, by the beginning of LLVM's feature names.
_LEVELS: dict[str, tuple[str, ...]] = {
    "host": (),
    "avx512": ("amx",),
    "avx2": ("amx", "avx512", "avx10", "evex512"),
    "128": (
        "amx", "avx", "evex512", "fma", "f16c", "vaes", "vpclmulqdq", "xop", "sm3", "sm4", "sha512", "movrs",
    ),
}  # fmt: skip
_VECTOR_FEATURES = (("avx512f", 512), ("avx", 256), ("sve", 128))

SPEED_LEVEL = 1  # of code generation; 2 only schedules once more, behind register allocation, on some processors

# Characters of IR from which on it is compiled without what its order and addresses have no need of: straight-line code
# of ten thousand instructions. Each tensor kernel that long takes within 2 % of the time that it takes with that (AMD
# Zen 4); shorter ones up to 8 % longer.
_LONG = 3 << 20


class _Effort(IntEnum):
    """What LLVM does before it generates code."""

    LITTLE = 0
    THOROUGH = 1
    VECTORS = 2


def features_named(features: str | None = None) -> str:
    """LLVM's feature string, all features with + or -, for `features`.

    features: None (the setting `cpu_features`, else the host), a level ("host", "avx512", "avx2", "128"), or such a
    string itself. Features the host does not have are never switched on by a level.
    """
    wanted = features or config.cpu_features or "host"
    if wanted not in _LEVELS:
        return wanted
    return _level(wanted)


@functools.cache
def _level(name: str) -> str:
    dropped = _LEVELS[name]
    parts = []
    for part in _host_features().split(","):
        off = part[1:].startswith(dropped) if dropped else False
        parts.append("-" + part[1:] if off else part)
    return ",".join(parts)


@functools.cache
def _host_features() -> str:
    """What the host has, without what only old instructions exist for: those of SSE4a (`insertq`, `extrq`, which LLVM
    makes of shuffles of a few bytes) have no form of AVX, and between instructions that do, each takes a hundred times
    as long: a sum of every second byte 304 µs instead of 23 (AMD Zen 3)."""
    text: str = _llvm().get_host_cpu_features().flatten()
    return text.replace("+sse4a", "-sse4a")


def vector_bits(features: str | None = None) -> int:
    """Width of the widest vector registers under `features` (see `features_named`)."""
    present = set(features_named(features).split(","))
    return next((bits for name, bits in _VECTOR_FEATURES if f"+{name}" in present), 128)


@functools.cache
def host_identity() -> str:
    """A short text that differs wherever code compiled for this machine may not run elsewhere. Needs no LLVM."""
    facts = [sys.platform, platform.machine()]
    try:
        with Path("/proc/cpuinfo").open("rb") as file:
            block = file.read(8192).split(b"\n\n")[0].decode("ascii", "replace")
        kept = ("vendor_id", "cpu family", "flags", "Features", "CPU implementer", "CPU part")
        facts += [line for line in block.splitlines() if line.startswith(kept)]
    except OSError as error:
        pass_on(error)
        facts.append(features_named("host"))
    return hashlib.blake2b("\n".join(facts).encode(), digest_size=12).hexdigest()


def target_identity() -> str:
    """`host_identity` with what the user asks of it: the part of a cache key that stands for the processor."""
    pretended = "" if config.machine == "host" else config.machine
    wanted = (config.cpu_features, pretended, *(("checked memory",) if config.check_memory else ()))
    return "/".join((host_identity(), *wanted)) if any(wanted) else host_identity()


@functools.cache
def compiler_version() -> str:
    """The version of llvmlite, which fixes that of LLVM; found without importing it."""
    return installed_version("llvmlite") or "unknown"


def installed_version(package: str) -> str | None:
    """The version of an installed package, from the name of its metadata directory.

    `importlib.metadata` says the same, but takes 10 ms to import; it is asked only where that name says nothing.
    """
    spec = importlib.util.find_spec(package)
    for place in (spec.submodule_search_locations or ()) if spec is not None else ():
        for entry in os.listdir(os.path.dirname(place)):
            if entry.startswith(f"{package}-") and entry.endswith(".dist-info"):
                return entry[len(package) + 1 : -len(".dist-info")]
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None


@functools.cache
def _llvm() -> Any:
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.initialize_native_asmparser()
    # When the process ends, LLVM's global data are destroyed: who is in it is waited for, and nobody enters any more.
    atexit.register(_llvmlites_lock().__enter__)
    return llvm


@functools.cache
def _llvmlites_lock() -> AdoptedLock:
    """llvmlite holds it during each call of LLVM, also where a thread frees a module without knowing.

    The child of a fork needs it free, and LLVM between two calls.
    """
    from llvmlite.binding import ffi

    return AdoptedLock(ffi.lib._lock, Rank.LLVMLITE)


def _alone(function: Callable[P, R]) -> Callable[P, R]:
    """`function`, by one thread at a time. What it makes and does not return is freed before the next one begins."""

    @functools.wraps(function)
    def alone(*args: P.args, **kwargs: P.kwargs) -> R:
        with _lock:
            try:
                return function(*args, **kwargs)
            except BaseException:  # of a handler, maybe in llvmlite's Python code that takes its lock or frees it
                _llvmlites_lock().give_back()
                raise

    return alone


@contextlib.contextmanager
def _with_option(option: str, meanwhile: str, usually: str) -> Iterator[None]:
    """LLVM's options are for all of a process: what others compile meanwhile is compiled so, too, and is as right.

    LLVM 20 to 22 take an option again; the bounds of llvmlite keep others out.
    """
    _llvm().set_option("jitmdh", f"{option}={meanwhile}")
    try:
        yield
    finally:
        _llvm().set_option("jitmdh", f"{option}={usually}")


def _without_loop_strength_reduction() -> AbstractContextManager[None]:
    """Code is generated in an eighth to two fifths less time: kernel IR has its addresses reduced already."""
    return _with_option("-disable-lsr", "true", "false")


def without_scheduling() -> AbstractContextManager[None]:
    """Meanwhile code is compiled in a tenth to a quarter less time. For processes that compile candidates, whose speed
    is measured.

    Kernel IR has its instructions in order: without LLVM's scheduler of machine code, 57 configurations of nineteen
    loops took as long as with it.
    """
    return _with_option("-enable-misched", "false", "true")


@contextlib.contextmanager
def _in_little_time(text: str | Sequence[str]) -> Iterator[None]:
    """Long text is compiled in a quarter less time meanwhile: without scheduling, and without the pass that looks at
    each instruction for what another block could compute with less."""
    with contextlib.ExitStack() as options:
        if sum(map(len, (text,) if isinstance(text, str) else text)) >= _LONG:
            options.enter_context(without_scheduling())
            options.enter_context(_with_option("-disable-cgp", "true", "false"))
        yield


@functools.lru_cache(maxsize=8)
def _target_machine(features: str) -> Any:
    """Small code model and position-independent: what `cpu_load` places, and what LLVM's own loader takes too."""
    llvm = _llvm()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=features, opt=SPEED_LEVEL, reloc="pic", codemodel="small"
    )


def _parsed(text: str | Sequence[str]) -> Any:
    """The module of one text, or of several linked together."""
    llvm = _llvm()
    texts = (text,) if isinstance(text, str) else tuple(text)
    try:
        module, *others = (llvm.parse_assembly(t) for t in texts)
        for other in others:
            module.link_in(other)
        module.verify()
    except RuntimeError as error:
        pass_on(error)
        raise InternalError(f"LLVM refuses the generated code: {str(error).strip()}") from None
    return module


def _optimise(module: Any, machine: Any, effort: _Effort) -> None:
    """In place: always-inline functions, variables into registers, branches tidied; then code generation's own passes.

    The generated code has its vectors, unrolled loops and shared subexpressions already. THOROUGH: LLVM's whole
    function simplification pipeline of level 2, which numbers values in whole functions, without unroller and
    vectorisers, and jumps that know where the next ones go.
    Measured on matrix products, stencils and convolutions, it takes 10 to 80 ms more and gives code of the same speed.
    VECTORS: all of level 2 with the vectoriser of loops, whose checks of overlaps kernel IR has not.
    """
    llvm = _llvm()
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    thorough = effort is _Effort.THOROUGH
    options = llvm.create_pipeline_tuning_options(1 if effort is _Effort.LITTLE else 2)
    options.slp_vectorization = options.loop_unrolling = options.loop_interleaving = False
    options.loop_vectorization = effort is _Effort.VECTORS
    builder = llvm.create_pass_builder(machine, options)
    if effort is _Effort.VECTORS:
        builder.getModulePassManager().run(module, builder)
        return
    passes = llvm.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    if not thorough:
        passes.add_sroa_pass()
        passes.add_simplify_cfg_pass()
        passes.add_dead_code_elimination_pass()
    passes.run(module, builder)
    if thorough:
        whole = builder.getFunctionPassManager()
        for function in module.functions:
            if not function.is_declaration:
                whole.run(function, builder)
        behind = llvm.create_new_module_pass_manager()
        behind.add_jump_threading_pass()
        behind.add_instruction_combine_pass()
        behind.add_simplify_cfg_pass()
        behind.run(module, builder)


def _effort(text: str | Sequence[str]) -> _Effort:
    """More where there are data-dependent loops: their bodies follow the source, nothing has been moved out of them."""
    texts = (text,) if isinstance(text, str) else text
    if any("\nindependent." in t for t in texts):
        return _Effort.VECTORS
    as_written = any(label in t for t in texts for label in ("\nwhile.", "\ncounted."))
    return _Effort.THOROUGH if as_written else _Effort.LITTLE


def _strength_reduction(text: str | Sequence[str]) -> AbstractContextManager[None]:
    """Only where innermost loops count and follow the source: their addresses are reduced by nobody else.

    In loops around loops that data end, LLVM's pass keeps a variable for each address of the inner ones and each way to
    compute it, more than there are registers.
    """
    texts = (text,) if isinstance(text, str) else text
    reduced = any(label in t for t in texts for label in ("\ncounted.", "\nindependent."))
    return contextlib.nullcontext() if reduced else _without_loop_strength_reduction()


def _object(module: Any, features: str, text: str | Sequence[str]) -> bytes:
    with _strength_reduction(text), _in_little_time(text):
        code: bytes = _target_machine(features).emit_object(module)
    return code


@_alone
def compile_ir(text: str | Sequence[str], features: str | None = None, thorough: bool = False) -> bytes:
    """Object code of a module, or of several linked into one. Raises InternalError if LLVM refuses the text."""
    features = features_named(features)
    module, effort = _parsed(text), _effort(text)
    least = _Effort.THOROUGH if thorough else _Effort.LITTLE
    _optimise(module, _target_machine(features), max(effort, least))
    return _object(module, features, text)


@_alone
def compile_alone(texts: Sequence[str], exported: Collection[str]) -> bytes:
    """Object code of texts linked into one, of which only the functions `exported` are seen from outside."""
    features = features_named()
    machine = _target_machine(features)
    module, effort = _parsed(texts), _effort(texts)
    for value in (*module.functions, *module.global_variables):
        if not value.is_declaration and value.name not in exported and not value.name.startswith("llvm."):
            value.linkage = "internal"
    _optimise(module, machine, effort)
    llvm = _llvm()
    passes = llvm.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(module, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(1)))
    return _object(module, features, texts)


@_alone
def optimised(text: str | Sequence[str], features: str | None = None) -> str:
    """The LLVM IR that code is generated from."""
    module = _parsed(text)
    _optimise(module, _target_machine(features_named(features)), _effort(text))
    return str(module)


@_alone
def assembly(text: str | Sequence[str], features: str | None = None) -> str:
    """The assembly text of what `compile_ir` returns."""
    machine = _target_machine(features_named(features))
    module, effort = _parsed(text), _effort(text)
    _optimise(module, machine, effort)
    with _strength_reduction(text), _in_little_time(text):
        shown: str = machine.emit_assembly(module)
    return shown


@_alone
def llvm_engine(code: bytes, symbols: Mapping[str, int]) -> Any:
    """`code` placed by LLVM's own loader; has `get_function_address`. `symbols` become known to all such loads."""
    llvm = _llvm()
    for name, address in symbols.items():
        llvm.add_symbol(name, address)
    machine = llvm.Target.from_default_triple().create_target_machine(reloc="pic", codemodel="small", jit=True)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine
