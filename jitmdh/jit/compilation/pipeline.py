"""The table of contents of the compiler, as named steps:

    capture → trace → check → specialise → choose configuration → lower → build → emit → compile → load

`Pipeline` is what the decorator drives. Each step is imported when it is first taken; none of them is when the code
of a call comes from the store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal, Protocol

from jitmdh.base.errors import ConfigurationError, InternalError, NotAnMdhError
from jitmdh.base.process.forks import ProcessLock, Rank
from jitmdh.base.process.stack import with_stack
from jitmdh.base.records import dataclass
from jitmdh.base.settings import config
from jitmdh.jit.compilation.backend import backend_of
from jitmdh.jit.compilation.compiled import AllocationFact, CheckFact, Compiled, Condition, ParameterFact
from jitmdh.jit.compilation.options import Options
from jitmdh.jit.compilation.signature import ArrayKey, Detour, Signature, argument_types, signed
from jitmdh.jit.compilation.static_arguments import StaticKey
from jitmdh.mdh.targets import registry

if TYPE_CHECKING:
    from jitmdh.mdh.algebra.expr import Program, Step
    from jitmdh.mdh.compile import Artifact, Chosen, Request
    from jitmdh.mdh.frontend.source.environment import Environment
    from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
    from jitmdh.mdh.lowering.schedule import Join, Schedule
    from jitmdh.mdh.machine.model import Machine
    from jitmdh.mdh.targets.target import Target

# Which sizes code must be for: those in the range of a call's that are multiples of tiles as these are, all in this
# range, all in a wide one, all small ones, or all there are; call: the very sizes of the call.
SizeSpecialisation = Literal["multiples", "range", "wide", "small", "all", "call"]


def require_stage(stage: str, options: Options) -> None:
    """ConfigurationError for what is neither a stage of some target nor kernel IR after a pass of this one."""
    if stage in registry.stages():
        return
    stages = (*registry.stages(), *(f"kernel@{step.name}" for step in registry.find(options.target_name).passes))
    if stage not in stages:
        raise ConfigurationError(f"there is no stage {stage!r}", hint=f"stages are {', '.join(stages)}")


compile_lock = ProcessLock(Rank.COMPILE)
"""Held while anything is compiled: one compilation per key whoever asks, and none half done when a process forks."""


@dataclass(frozen=True, slots=True)
class Generated:
    """A program as the text of its target, with the configuration as plain data and the texts of the stages before.

    program: as it was compiled, if that is not the one given (None): its checks are those that `guard` counts.
    conditions: the sizes the code is for, where it has some as constants. seconds: what each step took. accesses: the
    loads and stores that the code looks at.
    """

    text: Any
    configuration: Mapping[str, Any]
    texts: Mapping[str, str]
    program: Program | None = None
    conditions: tuple[Condition, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)
    accesses: tuple[str, ...] = ()


class Generator(Protocol):
    """The steps from `specialise` to `emit`: what `jitmdh.mdh.codegen` does.

    sizes: of the call that the configuration is chosen for; empty: not known, the code must be for any. unit_axes:
    for each array parameter the axis whose stride is one element (None: no axis is known to be). serving: which sizes
    the code must be for, though its configuration is chosen for these.
    """

    def __call__(
        self,
        program: Program,
        sizes: Mapping[str, int],
        unit_axes: Mapping[str, int | None],
        options: Options,
        serving: SizeSpecialisation = "multiples",
    ) -> Generated | None: ...


@dataclass(frozen=True, slots=True)
class Pipeline:
    """The steps, exchangeable for tests. generate None: that of `jitmdh.mdh.codegen`.

    interpretable: what the code generator refuses runs in the interpreter of the algebra. extents_known: arrays have
    the same extents in all calls, so that code may rest on their strides.
    """

    trace: Callable[[Any, Signature, Options], Program] | None = None
    generate: Generator | None = None
    fingerprint: Callable[[Any], str] | None = None
    interpretable: bool = False
    extents_known: bool = False

    # ------------------------------------------------------------------------------------------ steps

    def environment(self, function: Any, signature: Signature, options: Options) -> Environment | None:
        """The record of what tracing will read; None where no Python function is traced."""
        if self.fingerprint is not None:
            return None
        from jitmdh.mdh.frontend.source.capture import python_function
        from jitmdh.mdh.frontend.source.environment import Environment
        from jitmdh.mdh.frontend.symbolic.operators import functions_of

        plain = python_function(function)
        if plain is None:
            return None
        statics = {n: key.value for n, key in enumerate(signature.keys) if isinstance(key, StaticKey)}
        return Environment(plain, functions_of(options.combine), statics)

    def identity(self, function: Any) -> str:
        """A digest of what `function` itself says, without what it reads. NotAnMdhError if it has no source."""
        if self.fingerprint is not None:
            return self.fingerprint(function)
        from jitmdh.mdh.frontend.source.capture import capture

        return capture(function).digest

    @with_stack
    def program(
        self, function: Any, signature: Signature, options: Options, environment: Environment | None = None,
        blocks: bool = False,
    ) -> Program:  # fmt: skip
        """capture → trace → check: the function as a program. NotAnMdhError if it is none.

        environment: records what is read. blocks: whether its arrays are in blocks, which rows of vectors are not.
        """
        from jitmdh.mdh.algebra.subscript_ranges import decide_from_sizes

        if environment is not None:
            environment.source(environment.function)
        if self.trace is not None:
            program = self.trace(function, signature, options)
        else:
            program = _frontend(function, signature, options, environment, blocks)
        program = decide_from_sizes(program)
        program = _with_steps(_with_merges(program, options), signature, options)
        if config.check:
            _check(program)
        return program

    def generated(
        self,
        program: Program,
        signature: Signature,
        options: Options,
        arguments: Sequence[Any] | None,
        serving: SizeSpecialisation = "multiples",
        known: Sequence[tuple[Condition, ...]] = (),
    ) -> Generated | None:
        """specialise → … → emit; None: there is no code, the interpreter runs it."""
        axes = unit_axes_of(program, signature)
        sizes = {} if arguments is None else sizes_of(program, arguments)
        if serving in ("small", "all") and known:
            from jitmdh.mdh.lowering.configuration.shape_class import typical_sizes

            sizes = typical_sizes(sizes, [{c.size: (c.least, c.most) for c in conditions} for conditions in known])
        try:
            return (self.generate or generate)(program, sizes, axes, options, serving)
        except NotAnMdhError:
            if self.interpretable:
                return None
            raise

    def compile(
        self,
        function: Any,
        signature: Signature,
        options: Options,
        arguments: Sequence[Any] | None = None,
        serving: SizeSpecialisation = "multiples",
        environment: Environment | None = None,
        known: Sequence[tuple[Condition, ...]] = (),
    ) -> Compiled:
        """All steps up to `compile`.

        arguments: of the call to compile for, None = of any; serving: see `SizeSpecialisation`. known: for which sizes
        there is code already, where this one is to serve very different ones.
        """
        program = self.program(function, signature, options, environment)
        generated = self.generated(program, signature, options, arguments, serving, known)
        if generated is None:
            return facts(program, {"backend": "interpreter"}, None)
        return made_of(program, generated, options)

    def seconds(
        self, function: Any, signature: Signature, options: Options, arguments: Sequence[Any] | None = None
    ) -> dict[str, float]:
        """What each step takes, in seconds: all of them taken once more."""
        begin = perf_counter()
        program = self.program(function, signature, options)
        traced = perf_counter()
        generated = self.generated(program, signature, options, arguments)
        if generated is None:
            return {"trace": traced - begin}
        emitted = perf_counter()
        backend = backend_of(options.target_name)
        backend.compiled(generated.text)
        return {"trace": traced - begin, **generated.seconds, backend.compiler: perf_counter() - emitted}

    def text(
        self, function: Any, signature: Signature, options: Options, stage: str, arguments: Sequence[Any] | None = None
    ) -> str:
        """What the function looks like at `stage` (see `require_stage`)."""
        if stage == "trace" and self.trace is None:
            return _trace_text(function, signature, options)
        program = self.program(function, signature, options)
        if stage == "mdh":
            return str(program)
        options = replace(options, target=registry.with_stage(stage, options.target_name))
        generated = self.generated(program, signature, options, arguments)
        if generated is None:
            return f"there is no {stage} stage: the program is interpreted"
        if registry.is_shared(stage):
            *_, step = stage.partition("@")
            return generated.texts.get(stage, f"the pass {step} is not run with these settings")
        return backend_of(options.target_name).shown(generated.text, stage)


def made_of(program: Program, generated: Generated, options: Options) -> Compiled:
    """compile: the text as object code, with what calls need to know."""
    code = backend_of(options.target_name).compiled(generated.text)
    made = facts(generated.program or program, generated.configuration, code, generated.conditions, generated.accesses)
    return replace(made, target=options.target_name, text=generated.text if code is None else None)


def unit_axes_of(program: Program, signature: Signature) -> Mapping[str, int | None]:
    """For each array parameter the axis known to have a stride of one element; and for results in Fortran's order."""
    given = {p.name: key.unit_axis for p, key in zip(program.parameters, signature.keys) if isinstance(key, ArrayKey)}
    return given | {a.name: 0 for a in program.allocations if a.fortran}


def sizes_of(program: Program, arguments: Sequence[Any]) -> Mapping[str, int]:
    from jitmdh.mdh.algebra.semantics import argument_binding

    try:
        return {name: signed(size) for name, size in argument_binding.sizes_of(program, arguments).items()}
    except argument_binding.FallbackSignal as signal:
        raise Detour(signal.message) from None


def _frontend(
    function: Any, signature: Signature, options: Options, environment: Environment | None, blocks: bool
) -> Program:
    from jitmdh.mdh.frontend.source.capture import capture
    from jitmdh.mdh.frontend.trace import trace

    types, aliases = argument_types(signature, options.target_name == registry.DEFAULT)
    return trace(
        capture(function),
        types,
        combine=options.combine,
        aliases=aliases,
        reassociate=options.reassociate,
        environment=environment,
        delinearise=options.target_name == registry.DEFAULT,
        structure=signature.structure,
        outside=signature.outside,
        leaving=options.target_name == registry.DEFAULT,
        otherwise=frozenset(signature.otherwise),
        blocks=blocks,
    )


def _trace_text(function: Any, signature: Signature, options: Options) -> str:
    from jitmdh.mdh.frontend.source.capture import capture
    from jitmdh.mdh.frontend.trace import execute

    types, aliases = argument_types(signature)
    executed = execute(
        capture(function), types, options.combine, aliases, options.reassociate,
        structure=signature.structure, outside=signature.outside, otherwise=frozenset(signature.otherwise),
    )  # fmt: skip
    return str(executed)


def _with_merges(program: Program, options: Options) -> Program:
    """With computations inside of others: where the schedule says so, or there is none and that is no work."""
    from jitmdh.mdh.algebra.expr import expressions
    from jitmdh.mdh.lowering.merges import with_merges, with_reductions_merged, with_single_uses
    from jitmdh.mdh.lowering.schedule import MERGED, parse

    if options.schedule is None:
        return with_single_uses(with_reductions_merged(program)) if len(expressions(program.steps)) > 1 else program
    said = isinstance(options.schedule, dict) and MERGED in options.schedule
    return with_merges(program, parse(options.schedule).merged) if said else program


def _with_steps(program: Program, signature: Signature, options: Options) -> Program:
    """With the strides that the signature says, where calls are looked at for them (see `native_call.describe`)."""
    from jitmdh.mdh.algebra.expr import ArrayParameter

    pairs = zip(program.parameters, signature.keys)
    known = {p.name: k for p, k in pairs if isinstance(k, ArrayKey) and (k.steps or k.rows)}
    if options.target_name != registry.DEFAULT or not known:
        return program
    return replace(
        program,
        parameters=tuple(
            replace(p, steps=known[p.name].steps, rows=known[p.name].rows)
            if isinstance(p, ArrayParameter) and p.name in known
            else p
            for p in program.parameters
        ),
    )


def without_steps(program: Program) -> Program:
    """For calls that nobody looks at for them."""
    from jitmdh.mdh.algebra.expr import ArrayParameter

    return replace(
        program,
        parameters=tuple(
            replace(p, steps=(), rows=False) if isinstance(p, ArrayParameter) else p for p in program.parameters
        ),
    )


def _check(program: Program) -> None:
    from jitmdh.mdh.algebra.check import check

    check(program)


def generate(
    program: Program,
    sizes: Mapping[str, int],
    unit_axes: Mapping[str, int | None],
    options: Options,
    serving: SizeSpecialisation = "multiples",
) -> Generated:
    """specialise → choose configuration → lower → build → emit, for the target of the options."""
    from jitmdh.mdh.compile import generate_for
    from jitmdh.mdh.lowering.configuration.shape_class import footprints, known_ranges
    from jitmdh.mdh.lowering.schedule import parse

    target, place = registry.find(options.target_name), backend_of(options.target_name).place()
    schedule = None if options.schedule is None else parse(options.schedule)
    alike = serving == "all" or options.deterministic
    ranges = known_ranges(program) if alike else _served(program, sizes, serving)
    artifact = generate_for(
        target, place, _for_ranges(program, ranges, target, schedule), sizes, unit_axes, schedule=schedule,
        deterministic=options.deterministic,
        fitted=ranges if serving == "multiples" and target.fits_multiples else (),
    )  # fmt: skip
    passed = {f"kernel@{passed.name}": passed.text for passed in artifact.passed}
    texts = {"lowlevel": artifact.lowlevel_text, "table": artifact.table_text, "kernel": artifact.kernel_text, **passed}
    if serving in ("multiples", "range") and target.runs_together:
        ranges = {**ranges, **footprints(program, ranges, sizes, target.machines(place)[0])}
    configuration, conditions = artifact.configuration(), conditions_of(ranges, artifact.multiples)
    return Generated(artifact.text, configuration, _Texts(texts), artifact.program, conditions, artifact.seconds,
                     artifact.accesses())  # fmt: skip


def ranges_of(program: Program, sizes: Mapping[str, int], wide: bool = False) -> Mapping[str, tuple[int, int]]:
    """Between which values each size of a call may be, for code that is chosen for this one."""
    from jitmdh.mdh.lowering.configuration.shape_class import shape_class

    return shape_class(program, sizes, wide)


def ranges_at(program: Program, sizes: Mapping[str, int]) -> Mapping[str, tuple[int, int]]:
    """As `ranges_of`, for code that serves calls of these very sizes: each is a constant in it.

    That takes half the time to compile, since whole tiles are known to be whole.
    """
    found = ranges_of(program, sizes)
    return {name: (sizes[name], sizes[name]) if sizes[name] > 0 else own for name, own in found.items()}


def _served(program: Program, sizes: Mapping[str, int], serving: SizeSpecialisation) -> Mapping[str, tuple[int, int]]:
    if serving == "small":
        from jitmdh.mdh.lowering.configuration.shape_class import small_class

        return small_class(program, sizes)
    return ranges_at(program, sizes) if serving == "call" else ranges_of(program, sizes, serving == "wide")


class _Texts(Mapping[str, str]):
    """Texts that are written when somebody reads them."""

    def __init__(self, write: Mapping[str, Callable[[], str]]) -> None:
        self.write = write

    def __getitem__(self, stage: str) -> str:
        return self.write[stage]()

    def __iter__(self) -> Iterator[str]:
        return iter(self.write)

    def __len__(self) -> int:
        return len(self.write)


def conditions_of(
    ranges: Mapping[str, tuple[int, int]], multiples: Mapping[str, int] | None = None
) -> tuple[Condition, ...]:
    of = multiples or {}
    return tuple(Condition(name, least, most, of.get(name, 1)) for name, (least, most) in ranges.items())


def conditions_at(program: Program, sizes: Mapping[str, int]) -> tuple[Condition, ...]:
    """The conditions of code that is for calls of these sizes only, as far as they have a say in its work."""
    return tuple(Condition(name, sizes[name], sizes[name]) for name in ranges_of(program, sizes))


@with_stack
def artifact_of(
    program: Program,
    sizes: Mapping[str, int],
    unit_axes: Mapping[str, int | None],
    options: Options,
    ranges: Mapping[str, tuple[int, int]],
    configurations: Mapping[int, Configuration] | None = None,
    joined: tuple[Join, ...] | None = None,
) -> Artifact:
    """The program in code for sizes in these ranges, with these configurations or none of them; see `generate` there.

    For the first machine model of the target: a configuration that it refuses is refused.
    """
    from jitmdh.mdh.compile import generate

    return generate(request_of(program, sizes, unit_axes, options, ranges, joined), configurations)


@with_stack
def chosen_of(
    program: Program,
    sizes: Mapping[str, int],
    unit_axes: Mapping[str, int | None],
    options: Options,
    ranges: Mapping[str, tuple[int, int]],
    joined: tuple[Join, ...] | None = None,
) -> Chosen:
    """What the model chooses for `artifact_of`, without code."""
    from jitmdh.mdh.compile import chosen

    return chosen(request_of(program, sizes, unit_axes, options, ranges, joined))


@with_stack
def request_of(
    program: Program,
    sizes: Mapping[str, int],
    unit_axes: Mapping[str, int | None],
    options: Options,
    ranges: Mapping[str, tuple[int, int]],
    joined: tuple[Join, ...] | None = None,
) -> Request:
    """What is asked of the compiler: the program for sizes in these ranges, on the first machine of the target."""
    from jitmdh.mdh.compile import Request
    from jitmdh.mdh.lowering.schedule import parse

    schedule, machine = None if options.schedule is None else parse(options.schedule), machine_of(options)
    target = registry.find(options.target_name)
    whole = _for_ranges(program, ranges, target, schedule)
    return Request(whole, sizes, unit_axes, machine, threads=machine.cores, schedule=schedule,
                   deterministic=options.deterministic, target=target, joined=joined)  # fmt: skip


def _for_ranges(
    program: Program, ranges: Mapping[str, tuple[int, int]], target: Target, schedule: Schedule | None
) -> Program:
    """The program for calls with sizes in these ranges. A schedule is for the computations that it names."""
    from jitmdh.mdh.lowering.configuration.shape_class import specialised, with_halves

    known = specialised(program, ranges)
    if not target.runs_together:  # each step is a launch
        return known
    return with_halves(known, ranges, None if schedule is None else schedule.entries)


def machine_of(options: Options) -> Machine:
    """The abstract system model of what code is compiled for."""
    return registry.find(options.target_name).machines(backend_of(options.target_name).place())[0]


def interpret(program: Program, arguments: tuple[Any, ...]) -> Any:
    """Runs a program without code; a check of kind "fallback" that fails comes out as `Uncovered`."""
    from jitmdh.mdh.algebra.semantics import interp

    try:
        return interp.run(program, *arguments)
    except interp.FallbackSignal as signal:
        raise Uncovered(str(signal), signal.raises) from None


def of_program(
    program: Program, kind: str, extents_known: bool = False
) -> tuple[Callable[..., Any], Pipeline]:  # fmt: skip
    """A function of the program's parameters, and what compiles it in place of its source.

    kind: which front end the program comes from, part of its identity in the store. extents_known: see `Pipeline`.
    """
    names = [p.name for p in program.parameters]
    return of_deferred(program.name, names, fingerprint_of(program, kind), lambda: program, extents_known)


def of_deferred(
    name: str, names: Sequence[str], fingerprint: str, program: Callable[[], Program], extents_known: bool = False
) -> tuple[Callable[..., Any], Pipeline]:
    """As `of_program`, of a program that is made when it is first asked for. names: of its parameters."""
    import inspect

    def run(*arguments: Any) -> Any:
        return interpret(program(), arguments)

    parameters = [inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD) for n in names]
    run.__name__ = run.__qualname__ = name
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run, Pipeline(lambda *_: program(), None, lambda _: fingerprint, True, extents_known)


def fingerprint_of(program: Program, kind: str) -> str:
    """What stands for a program in the store. kind: which front end it comes from."""
    import hashlib

    return f"{kind} {hashlib.sha256(repr(program).encode()).hexdigest()}"


class Uncovered(Exception):
    """The compiled form does not cover this call though Python may. raises: the function raises an error of its own."""

    def __init__(self, message: str, raises: bool = False) -> None:
        super().__init__(message)
        self.raises = raises


# ---------------------------------------------------------------------------------------------- facts


def facts(
    program: Program, configuration: Mapping[str, Any], code: bytes | None, conditions: tuple[Condition, ...] = (),
    accesses: tuple[str, ...] = (),
) -> Compiled:  # fmt: skip
    """What calls need to know about a program."""
    from jitmdh.mdh.algebra.bounds import data_checks
    from jitmdh.mdh.algebra.expr import ArrayParameter

    written = written_buffers(program.steps)
    weak = {r.name: r.weak for r in program.returns or ()}
    parameters = tuple(
        ParameterFact(p.name, p.type, p.rank if isinstance(p, ArrayParameter) else None, p.name in written)
        for p in program.parameters
    )
    return Compiled(
        program.name,
        parameters,
        tuple(AllocationFact(a.name, weak.get(a.name) or a.type, len(a.shape), a.fortran) for a in program.allocations),
        tuple(CheckFact(c.kind, c.message, c.loc) for c in program.checks),
        None if program.returns is None else tuple(r.name for r in program.returns),
        program.returns_tuple,
        configuration,
        code,
        conditions,
        program.loc,
        tuple(CheckFact(c.kind, c.message, c.loc) for c in data_checks(program)),
        tuple(CheckFact(f.kind, f.message, f.loc) for f in program.faults),
        program,
        returns_list=program.returns_list,
        accesses=accesses,
        lengths={r.name: r.length for r in program.returns or () if r.length},
        values=program.values,
    )


def written_buffers(steps: tuple[Step, ...]) -> frozenset[str]:
    """Names of the buffers that the steps store to."""
    from jitmdh.mdh.algebra.expr import expressions

    found = (e.buffer(name) for e in expressions(steps) for name in e.written)
    return frozenset(b.of or b.name for b in found)


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
