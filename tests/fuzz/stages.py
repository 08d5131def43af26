"""How the fuzzer compiles: one trace for all ways to decorate a function, and machine code made as quickly as LLVM can.

A way to decorate and run (an option of a program) has, besides options of `@mdh.jit`: "threads"; "schedule", a seed of
random ones; "optimised" and "checked", whether LLVM optimises and whether each representation is checked;
"callers", how many threads call at once, each with arguments of its own: the first of them compiles;
"others", a seed of calls with other arguments behind it;
"narrowed", whether conditions that value ranges decide are left out;
"check_memory", whether compiled code looks at the bounds of each load and store;
"interpreted": kernel IR is carried out by its interpreter, which looks at every load and store; "algebra": what the
function is traced as, by the interpreter of the algebra.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from jitmdh.base.errors import MdhError
from jitmdh.base.settings import config
from jitmdh.hca.drivers.native_code import cpu_compile
from jitmdh.hca.drivers.opencl import OpenClDriver
from jitmdh.jit.compilation import pipeline
from jitmdh.jit.compilation.options import Options
from jitmdh.jit.compilation.pipeline import Pipeline, unit_axes_of
from jitmdh.jit.compilation.signature import Signature, overlaps, prepare
from jitmdh.jit.decorator import make
from jitmdh.mdh import compile as generation
from jitmdh.mdh.algebra.expr import Program
from jitmdh.mdh.codegen.loops.decomposition import core_parts
from jitmdh.mdh.codegen.packing import packing
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.kernel.ir import While
from jitmdh.mdh.kernel.rewrite import kinds
from jitmdh.mdh.machine.model import Machine
from jitmdh.mdh.targets import registry
from jitmdh.mdh.targets.llvm.target import Llvm
from jitmdh.mdh.targets.target import Target
from tests.laws.agreement import model
from tests.mdh.codegen.interpreted import Interpreted

OWN = {
    "threads": None,
    "callers": 1,
    "others": None,
    "schedule": None,
    "optimised": True,
    "checked": None,
    "narrowed": True,
    "check_memory": False,
    "interpreted": False,
    "algebra": False,
}


class Traces:
    """The programs that one function is traced as: each is traced when it is first asked for."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self._pipeline = Pipeline()
        self._of: dict[Any, Any] = {}

    def decorated(self, options: Mapping[str, Any]) -> Any:
        """The function, decorated; nothing of what it reads is watched."""
        given = Options(**({"cache": False, "tune": "off"} | dict(options)))
        return make(self.function, given, Pipeline(trace=self.of, fingerprint=lambda _: "fuzzed"))

    @contextmanager
    def shared(self, anew: bool) -> Iterator[None]:
        """Loops that are compiled in place, which are functions of their own in each way, are traced once meanwhile.
        anew: whatever is known of them."""
        front = pipeline._frontend

        def noting(
            function: Any, signature: Signature, options: Options, environment: Any, blocks: bool = False
        ) -> Program:
            key = capture(function).digest, blocks, *_key(signature, options)
            if anew or key not in self._of:
                try:
                    self._of[key] = front(function, signature, options, environment, blocks)
                except MdhError as error:
                    self._of[key] = error
            return _or_raised(self._of[key])

        pipeline._frontend = noting
        try:
            yield
        finally:
            pipeline._frontend = front

    def once(self, what: str, find: Callable[[], Any]) -> Any:
        """What `find` gives, asked once."""
        if what not in self._of:
            self._of[what] = find()
        return self._of[what]

    def of(self, function: Any, signature: Signature, options: Options) -> Program:
        """The program; raises the same error each time if it is none."""
        key = _key(signature, options)
        if key not in self._of:
            try:
                self._of[key] = self._pipeline.program(function, signature, options)
            except MdhError as error:
                self._of[key] = error
        return _or_raised(self._of[key])

    def interpreted(self, arguments: Sequence[Any]) -> Callable[..., Any] | None:
        """The function as kernel IR, with tasks in any order; None where calls take another way than that."""
        try:
            prepared = prepare(tuple(inspect.signature(self.function).parameters), arguments)
            program = self.of(self.function, prepared.signature, Options())
            axes = dict(unit_axes_of(program, prepared.signature))
            made = Interpreted(program, model(program, tuple(prepared.arguments), axes), unit_axes=axes)
        except Exception:  # whatever it is, the decorated function has it, too
            return None
        returned = {r.name for r in program.returns or ()}
        if prepared.copied or overlaps(prepared) or returned.intersection(p.name for p in program.parameters):
            return None
        made.seed = 0
        return made


class Codes:
    """What the kernels and the texts of one program become: ways that come to the same ones are compiled once."""

    def __init__(self) -> None:
        self._emitted: dict[Any, generation.Artifact] = {}
        self._objects: dict[Any, bytes] = {}

    def emitted(
        self, artifact: generation.Artifact, target: Target, machine: Machine,
        emit: Callable[[generation.Artifact, Target, Machine], generation.Artifact] = generation._emitted,
    ) -> generation.Artifact:  # fmt: skip
        loops = While in kinds(artifact.kernel.body)  # which value ranges are for
        passes = tuple(p.name for p in target.passes if loops or p.name != "value_ranges")
        key = type(target), machine, passes, config.check, config.check_memory, artifact.guard, artifact.kernel
        made = self._emitted.get(key)
        if made is None:
            made = self._emitted[key] = emit(artifact, target, machine)
        return replace(artifact, text=made.text, passed=made.passed, seconds=made.seconds)

    def compiled(
        self, text: str | Sequence[str], features: str | None = None, thorough: bool = False,
        compile: Callable[..., bytes] = cpu_compile.compile_ir,
    ) -> bytes:  # fmt: skip
        key = text if isinstance(text, str) else tuple(text), features, thorough, cpu_compile._optimise
        if key not in self._objects:
            self._objects[key] = compile(text, features, thorough)
        return self._objects[key]


def _key(signature: Signature, options: Options) -> tuple[Signature, bool, bool]:
    """What a trace depends on."""
    return signature, options.reassociate, options.target_name == registry.DEFAULT


def _or_raised(found: Any) -> Program:
    """A program; the error that was found in its place is raised."""
    if isinstance(found, MdhError):
        raise found.with_traceback(None)
    made: Program = found
    return made


@contextmanager
def as_asked(option: Mapping[str, Any], codes: Codes | None = None) -> Iterator[None]:
    """What an option says of threads, LLVM and checks holds inside. Several threads: small work is shared, too."""
    own = {**OWN, **option}
    before = core_parts.WORK_PER_THREAD, packing.COPIED_PER_TASK, cpu_compile._target_machine, cpu_compile._optimise
    passes, emitted, compiled = Llvm.passes, generation._emitted, cpu_compile.compile_ir
    codes = codes or Codes()
    generation._emitted, cpu_compile.compile_ir = codes.emitted, codes.compiled
    threads = own["threads"] or 2
    if own["threads"] is not None:
        core_parts.WORK_PER_THREAD = packing.COPIED_PER_TASK = 1
    if not own["optimised"]:
        cpu_compile._target_machine, cpu_compile._optimise = _hasty_machine, _as_it_is
        OpenClDriver._built = _built_hastily
    if not own["narrowed"]:
        Llvm.passes = tuple(p for p in passes if p.name != "value_ranges")
    try:
        checks = {} if own["checked"] is None else {"check": own["checked"]}
        with config(**checks, check_memory=own["check_memory"], num_threads=threads):
            yield
    finally:
        Llvm.passes, generation._emitted, cpu_compile.compile_ir = passes, emitted, compiled
        OpenClDriver._built = _built
        (core_parts.WORK_PER_THREAD, packing.COPIED_PER_TASK,
         cpu_compile._target_machine, cpu_compile._optimise) = before  # fmt: skip


@functools.cache
def _hasty_machine(features: str) -> Any:
    llvm = cpu_compile._llvm()
    target = llvm.Target.from_default_triple()
    cpu = llvm.get_host_cpu_name()
    return target.create_target_machine(cpu=cpu, features=features, opt=0, reloc="pic", codemodel="small")


_built = OpenClDriver._built


def _built_hastily(driver: OpenClDriver, name: str, options: tuple[str, ...], *rest: Any) -> Any:
    return _built(driver, name, (*options, "-cl-opt-disable"), *rest)


def _as_it_is(module: Any, machine: Any, effort: int) -> None:
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
