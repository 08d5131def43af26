"""The table of contents of the compiler, as named steps:

    capture → trace → check → specialise → choose configuration → lower → build → emit → compile → load

`Pipeline` is what the decorator drives. Each step is imported when it is first taken; none of them is when the code
of a call comes from the store.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from jitmdh.base.errors import InternalError
from jitmdh.base.settings import config
from jitmdh.jit.compiled import AllocationFact, CheckFact, Compiled, ParameterFact
from jitmdh.jit.options import Options
from jitmdh.jit.signature import ArrayKey, Signature

if TYPE_CHECKING:
    from jitmdh.mdh.algebra.expr import Program, Step
    from jitmdh.mdh.frontend.names import ArgumentType

STAGES = ("mdh", "lowlevel", "kernel", "llvm", "asm")

compile_lock = threading.RLock()
"""Held while anything is compiled: one compilation per key whoever asks, and none half done when a process forks."""

_watching = False


def watch_forks() -> None:
    """Arranges, once, that no fork happens in the middle of a compilation."""
    global _watching
    if not _watching and hasattr(os, "register_at_fork"):
        _watching = True
        os.register_at_fork(
            before=compile_lock.acquire, after_in_parent=compile_lock.release, after_in_child=compile_lock.release
        )


@dataclass(frozen=True, slots=True)
class Generated:
    """A program as LLVM IR text, with the chosen configuration as plain data and the texts of the stages before."""

    llvm: str
    configuration: Mapping[str, Any]
    texts: Mapping[str, str]


class Generator(Protocol):
    """The steps from `choose configuration` to `emit`: `jitmdh.mdh.codegen`'s part.

    unit_axes: for each array parameter the axis whose stride is one element (None: no axis is known to be); sizes: of
    the call that the configuration is chosen for.
    """

    def __call__(
        self, program: Program, unit_axes: Mapping[str, int | None], sizes: Mapping[str, int], options: Options
    ) -> Generated | None: ...


def no_generator(
    program: Program, unit_axes: Mapping[str, int | None], sizes: Mapping[str, int], options: Options
) -> Generated | None:
    """No code: programs run in the interpreter of the high-level representation."""
    return None


@dataclass(frozen=True, slots=True)
class Pipeline:
    """The steps, exchangeable for tests. generate None: that of `jitmdh.mdh.codegen`."""

    trace: Callable[[Any, Signature, Options], Program] | None = None
    generate: Generator | None = None
    fingerprint: Callable[[Any], str] | None = None

    # ------------------------------------------------------------------------------------------ steps

    def identity(self, function: Any) -> str:
        """A digest of what `function` means. NotAnMdhError where its source cannot be had."""
        if self.fingerprint is not None:
            return self.fingerprint(function)
        from jitmdh.mdh.frontend.capture import fingerprint

        return fingerprint(function)

    def program(self, function: Any, signature: Signature, options: Options) -> Program:
        """capture → trace → check: the function as a program. NotAnMdhError if it is none."""
        if self.trace is not None:
            program = self.trace(function, signature, options)
        else:
            program = _frontend(function, signature, options)
        if config.check:
            _check(program)
        return program

    def for_class(self, program: Program, signature: Signature) -> Program:
        """specialise: short extents as constants, and a guard that only sizes of the class pass."""
        if not signature.shapes:
            return program
        from jitmdh.mdh.algebra.index import shape_name
        from jitmdh.mdh.lowering.shape_class import specialised

        ranges = {
            shape_name(p.name, axis): extents
            for p, shape in zip(program.parameters, signature.shapes)
            for axis, extents in enumerate(shape)
        }
        return specialised(program, ranges)

    def generated(self, program: Program, signature: Signature, options: Options) -> Generated | None:
        """specialise → … → emit; None: there is no code, the interpreter runs it."""
        axes = {
            p.name: key.unit_axis for p, key in zip(program.parameters, signature.keys) if isinstance(key, ArrayKey)
        }
        return (self.generate or generate_for_cpu)(program, axes, example_sizes(program, signature), options)

    def compile(self, function: Any, signature: Signature, options: Options) -> Compiled:
        """All steps up to `compile`."""
        program = self.for_class(self.program(function, signature, options), signature)
        generated = self.generated(program, signature, options)
        if generated is None:
            return facts(program, {"backend": "interpreter"}, None)
        from jitmdh.hca.devices.cpu_compile import compile_ir

        return facts(program, generated.configuration, compile_ir(generated.llvm))

    def text(self, function: Any, signature: Signature, options: Options, stage: str) -> str:
        """What the function looks like at `stage`, one of STAGES."""
        program = self.program(function, signature, options)
        if stage == "mdh":
            return str(program)
        program = self.for_class(program, signature)
        generated = self.generated(program, signature, options)
        if generated is None:
            return f"there is no {stage} stage: the program is interpreted"
        if stage not in ("llvm", "asm"):
            return generated.texts.get(stage, f"the code generator gives no text for stage {stage}")
        from jitmdh.hca.devices import cpu_compile

        return cpu_compile.optimised(generated.llvm) if stage == "llvm" else cpu_compile.assembly(generated.llvm)


def _frontend(function: Any, signature: Signature, options: Options) -> Program:
    from jitmdh.mdh.frontend.capture import capture
    from jitmdh.mdh.frontend.trace import trace

    source, types = capture(function), argument_types(signature)
    aliases = tuple(
        (key.alias, n) for n, key in enumerate(signature.keys) if isinstance(key, ArrayKey) and key.alias is not None
    )
    return trace(source, types, combine=options.combine, aliases=aliases, reassociate=options.reassociate)


def argument_types(signature: Signature) -> tuple[ArgumentType, ...]:
    """A signature as the frontend takes it."""
    from jitmdh.mdh.frontend.names import ArrayType, ScalarKind

    return tuple(
        ArrayType(key.type, key.rank) if isinstance(key, ArrayKey) else ScalarKind(key.type.concrete, key.type.is_weak)
        for key in signature.keys
    )


def _check(program: Program) -> None:
    from jitmdh.mdh.algebra.check import check

    check(program)


def generate_for_cpu(
    program: Program, unit_axes: Mapping[str, int | None], sizes: Mapping[str, int], options: Options
) -> Generated:
    """choose configuration → lower → build → emit, for this host."""
    from jitmdh.base.cores import usable_cores
    from jitmdh.hca.devices.cpu_compile import features_named
    from jitmdh.mdh.codegen.generate import generate
    from jitmdh.mdh.machine.cpu import cpu

    machine = cpu(features_named(), usable_cores())
    artifact = generate(program, sizes, unit_axes, machine, threads=usable_cores())
    texts = {
        "lowlevel": "\n\n".join(str(low) for low in artifact.lowlevel),
        "kernel": artifact.kernel_text(),
    }
    return Generated(artifact.llvm, artifact.configuration(), texts)


def example_sizes(program: Program, signature: Signature) -> dict[str, int]:
    """Values of size names for the call that a signature was made from, definitions included."""
    from jitmdh.mdh.algebra.index import shape_name
    from jitmdh.mdh.algebra.sizes import evaluate_size

    sizes: dict[str, int] = {}
    for parameter, given in zip(program.parameters, signature.example):
        if isinstance(given, tuple):
            sizes |= {shape_name(parameter.name, axis): extent for axis, extent in enumerate(given)}
        elif given is not None:
            sizes[parameter.name] = given
    for definition in program.definitions:
        try:
            sizes[definition.name] = evaluate_size(definition.value, sizes)
        except (KeyError, ZeroDivisionError):
            continue
    return sizes


def interpret(program: Program, arguments: tuple[Any, ...]) -> Any:
    """Runs a program without code; a check of kind "fallback" that fails comes out as `Uncovered`."""
    from jitmdh.mdh.algebra import interp

    try:
        return interp.run(program, *arguments)
    except interp.FallbackSignal as signal:
        raise Uncovered(str(signal)) from None


class Uncovered(Exception):
    """The compiled form does not cover this call though Python may."""


# ---------------------------------------------------------------------------------------------- facts


def facts(program: Program, configuration: Mapping[str, Any], code: bytes | None) -> Compiled:
    """What calls need to know about a program."""
    from jitmdh.mdh.algebra.expr import ArrayParameter

    written = written_buffers(program.steps)
    parameters = tuple(
        ParameterFact(p.name, p.type, p.rank if isinstance(p, ArrayParameter) else None, p.name in written)
        for p in program.parameters
    )
    return Compiled(
        program.name,
        parameters,
        tuple(AllocationFact(a.name, a.type, len(a.shape)) for a in program.allocations),
        tuple(CheckFact(c.kind, c.message, c.loc) for c in program.checks),
        None if program.returns is None else tuple(r.name for r in program.returns),
        program.returns_tuple,
        configuration,
        code,
        program.loc,
        program,
    )


def written_buffers(steps: tuple[Step, ...]) -> frozenset[str]:
    """Names of the buffers that the steps store to."""
    from jitmdh.mdh.algebra.expr import expressions

    return frozenset(access.buffer for e in expressions(steps) for access in e.out_view)


def check_types(compiled: Compiled, signature: Signature) -> None:
    """The program's parameters are of the types it was traced for: an invariant of the frontend."""
    for parameter, key in zip(compiled.parameters, signature.keys):
        rank = key.rank if isinstance(key, ArrayKey) else None
        if parameter.type.concrete != key.type.concrete or parameter.rank != rank:
            raise InternalError(
                f"parameter {parameter.name} was traced as {parameter.type} of rank {parameter.rank}, "
                f"but called with {key}",
                loc=compiled.loc,
            )
