"""From a program and the sizes of a call to the text of its code: the whole generation wing in one function.

specialised program --choose, lower, build--> kernel IR --passes of the target--> kernel IR --emit--> text
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import field, replace
from math import lcm, prod
from time import perf_counter
from typing import Any

from jitmdh.base.errors import ConfigurationError, InternalError, NotAnMdhError
from jitmdh.base.log import logger
from jitmdh.base.records import dataclass
from jitmdh.base.settings import config
from jitmdh.base.text import duration, indent
from jitmdh.mdh.algebra.bounds import checkable_in_use
from jitmdh.mdh.algebra.check import check as check_algebra
from jitmdh.mdh.algebra.check import check_expression
from jitmdh.mdh.algebra.expr import Expression, Program, Sequential, Step, Together, expressions
from jitmdh.mdh.algebra.independence import whole_name
from jitmdh.mdh.algebra.parts.words import with_words
from jitmdh.mdh.algebra.rewrites.dimensions.joined_dimensions import (
    axes_of_views,
    with_joined_dimensions,
    with_products,
    without_rows,
)
from jitmdh.mdh.algebra.rewrites.size_facts import with_size_facts
from jitmdh.mdh.codegen.guard import build_guard
from jitmdh.mdh.codegen.loops.decomposition import core_parts
from jitmdh.mdh.codegen.program import build, fill_expression
from jitmdh.mdh.kernel.argument_frame import frame_layout
from jitmdh.mdh.kernel.ir import Kernel
from jitmdh.mdh.kernel.pass_manager import Passed, run_passes
from jitmdh.mdh.kernel.passes.memory_checks import accesses
from jitmdh.mdh.kernel.printer import show_kernel
from jitmdh.mdh.lowering.configuration.constraints import violation
from jitmdh.mdh.lowering.configuration.lower import lower, prepared
from jitmdh.mdh.lowering.configuration.shape_class import multiples
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration, uses_cores, without_copies, without_cores
from jitmdh.mdh.lowering.joins import Joining, alternatives, joined, not_joined
from jitmdh.mdh.lowering.model.analytic_model import Choice, choose
from jitmdh.mdh.lowering.model.blocks.alignment import aligned
from jitmdh.mdh.lowering.model.blocks.estimate import estimate
from jitmdh.mdh.lowering.model.locality import first_touched, written_in_all
from jitmdh.mdh.lowering.model.repeated_steps import courses, just_stored
from jitmdh.mdh.lowering.problem.traffic import Problem, known_steps, near_axes, problem, typical_iterations
from jitmdh.mdh.lowering.schedule import MERGED, TOGETHER, Join, Merge, Schedule, expression_names, plain
from jitmdh.mdh.lowering.tables.to_table import table
from jitmdh.mdh.lowering.transform.computation import loops_in_order
from jitmdh.mdh.lowlevel.check import check as check_lowlevel
from jitmdh.mdh.lowlevel.expr import LowLevel
from jitmdh.mdh.machine.model import Machine, Place
from jitmdh.mdh.targets import registry
from jitmdh.mdh.targets.target import Target


@dataclass(frozen=True, slots=True)
class Request:
    """What code is wanted for, and what it may rest on.

    program: specialised for its shape class; sizes: of the call that a configuration is chosen for (any others work,
    too); unit_axes: for array parameters, the axis known to have a stride of one element; threads: how many there will
    be; schedule: the user's, whole or partial ones; deterministic: the order in which results are combined depends on
    neither sizes nor threads; joined: what is under one loop, forced.
    """

    program: Program
    sizes: Mapping[str, int]
    unit_axes: Mapping[str, int | None]
    machine: Machine
    threads: int = field(kw_only=True)
    schedule: Schedule | None = field(default=None, kw_only=True)
    deterministic: bool = field(default=False, kw_only=True)
    target: Target = field(default_factory=lambda: registry.find(registry.DEFAULT), kw_only=True)
    joined: tuple[Join, ...] | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class Chosen:
    """The configurations of a program before there is any code.

    program: specialised for its shape class; steps: its steps as they are lowered, some of them together; choices: one
    per expression, fills of allocations first; problems: what each was chosen for. joined: what is under one loop;
    None: as the model or the schedule says.
    """

    program: Program
    steps: tuple[Step, ...]
    choices: tuple[Choice, ...]
    problems: tuple[Problem, ...]
    joined: tuple[Join, ...] | None = field(default=None, kw_only=True)

    def configuration(self) -> dict[str, Any]:
        """The configuration of each expression and the reasons for it, as plain data (JSON): what `schedule=` takes."""
        names, _ = expression_names(self.program)
        found: dict[str, Any] = {
            name: {**plain(choice.configuration), "reasons": list(choice.reasons)}
            for name, choice in zip(names, self.choices)
        }
        if self.program.merged:
            found[MERGED] = [Merge(*names).data() for names in self.program.merged]
        return found if self.joined is None else {**found, TOGETHER: [join.data() for join in self.joined]}


@dataclass(frozen=True, slots=True)
class Artifact(Chosen):
    """Generated code and how it came about.

    lowlevel: one per expression; text: what the target makes of `kernel` and `guard`; multiples: what sizes must be
    multiples of for it; passed: the guard and the kernel after each pass of the target; seconds: of each step.
    """

    lowlevel: tuple[LowLevel, ...]
    kernel: Kernel
    guard: Kernel
    text: Any = None
    multiples: Mapping[str, int] = field(default_factory=dict)
    passed: tuple[Passed, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)

    def kernel_text(self) -> str:
        """The kernel as readable C-like code."""
        return show_kernel(self.guard) + "\n" + show_kernel(self.kernel)

    def accesses(self) -> tuple[str, ...]:
        """The loads and stores that the code looks at before it touches memory; none, unless settings ask for that."""
        return accesses(self.passed[-1].kernels[1]) if self.passed else ()

    def lowlevel_text(self) -> str:
        own = len(expressions(self.steps))
        fills, steps = self.lowlevel[: len(self.lowlevel) - own], iter(self.lowlevel[len(self.lowlevel) - own :])
        return "\n\n".join([*map(str, fills), *_lowered_texts(self.steps, steps)])

    def table_text(self) -> str:
        """Each computation's configuration in the notation of the thesis's Figures 78 to 81."""
        names, _ = expression_names(self.program)
        rows = zip(names, self.choices, self.problems)
        return "\n\n".join(str(table(choice.configuration, p, name)) for name, choice, p in rows)


def generate_for(
    target: Target,
    place: Place,
    program: Program,
    sizes: Mapping[str, int],
    unit_axes: Mapping[str, int | None],
    *,
    schedule: Schedule | None = None,
    deterministic: bool = False,
    fitted: Collection[str] = (),
) -> Artifact:
    """Code of `target` for `program`: for the first machine model, with as few simplifications as the target accepts.

    Arguments as in `Request` and `generate`. NotAnMdhError if it accepts none, with the first reason.
    """
    target.require(program)
    refusal: NotAnMdhError | None = None
    for machine in target.machines(place):
        request = Request(program, sizes, unit_axes, machine, threads=machine.cores, schedule=schedule,
                          deterministic=deterministic, target=target)  # fmt: skip
        forced: dict[int, Configuration] | None = None
        while True:
            artifact = _built(request, forced, fitted)
            try:
                return _emitted(artifact, target, machine)
            except NotAnMdhError as error:
                refusal = refusal or error
            chosen = {number: choice.configuration for number, choice in enumerate(artifact.choices)}
            forced = {number: target.simpler(configuration) for number, configuration in chosen.items()}
            if schedule is not None or forced == chosen:
                break
    assert refusal is not None
    loc = refusal.loc or program.loc
    raise NotAnMdhError(refusal.message, loc=loc, reason=refusal.reason, hint=refusal.hint, code=refusal.code)


def generate(
    request: Request, configurations: Mapping[int, Configuration] | None = None, fitted: Collection[str] = ()
) -> Artifact:
    """Code for what is requested.

    configurations: forced ones, by number of the expression; fitted: names of sizes that may have to be multiples of
    tiles that those of the call are multiples of. Raises ConfigurationError for what is forced and not legal.
    """
    return _emitted(_built(request, configurations, fitted), request.target, request.machine)


def chosen(request: Request) -> Chosen:
    """What `generate` chooses, without generating anything."""
    call = _call(request)
    lowered = _Lowered(call, {}, request.schedule, ())
    for expression in _in_order(call.program):
        lowered.next(expression)
    made = tuple(lowered.choices), tuple(lowered.problems)
    return Chosen(request.program, call.program.steps, *made, joined=request.joined)


def other_joins(request: Request) -> tuple[tuple[Join, ...], tuple[tuple[Join, ...], ...]]:
    """What `generate` has under one loop, and what a search may have there instead: nothing where a schedule says."""
    call, schedule = _call(request), request.schedule
    closed = schedule is not None and not schedule.joins_are_open
    if request.deterministic or not request.target.runs_together or closed:
        return call.joined, ()
    return call.joined, alternatives(request.program, request.sizes, request.machine, request.threads, call.joined)


def problems(request: Request) -> tuple[tuple[Problem, ...], tuple[Join, ...]]:
    """What `generate` would choose configurations for, one per expression, fills of allocations first; and what would
    be under one loop."""
    call = _call(request)
    lowered = _Lowered(call, {}, request.schedule, ())
    return tuple(map(lowered.problem, _in_order(call.program))), call.joined


def _in_order(program: Program) -> Iterator[Expression]:
    """All expressions in the order of their code: fills of allocations first."""
    yield from (fill_expression(a) for a in program.allocations if a.fill is not None)
    yield from expressions(program.steps)


def _call(request: Request) -> _Call:
    program, machine, threads, forced = request.program, request.machine, request.threads, request.joined
    known: Mapping[str, int] = {} if request.deterministic else request.sizes
    said = forced if forced is not None else None if request.schedule is None else request.schedule.together
    if request.target.runs_together:
        made = joined(program, known, machine, threads, said, request.unit_axes)
    else:
        if isinstance(said, tuple) and said:
            raise not_joined(said[0], "this target runs one computation after the other")
        made = Joining(program, known)
    axes = request.unit_axes
    # Other devices load no words that begin between two.
    moved = with_words(made.program) if request.target.runs_together else made.program
    one = _in_rows(moved, axes, request.schedule)
    sizes, whole = with_products(made.sizes, one), with_size_facts(one)
    if config.check:
        check_algebra(program)
        check_algebra(whole)
    units = axes_of_views(program, axes)
    return _Call(whole, sizes, units, near_axes(whole, units), threads, request.deterministic, machine, made.joins,
                 request.target.runs_together)  # fmt: skip


def _in_rows(program: Program, unit_axes: Mapping[str, int | None], schedule: Schedule | None) -> Program:
    """With dimensions joined, unless a schedule speaks of none that is: it is for those that users named."""
    made = with_joined_dimensions(program, unit_axes)
    if schedule is None or made is program:
        return made
    own, new = ({d.name for e in expressions(p.steps) for d in e.md_hom.dims} for p in (program, made))
    return made if schedule.mentions(new - own) else with_joined_dimensions(without_rows(program), unit_axes)


def _built(request: Request, configurations: Mapping[int, Configuration] | None, fitted: Collection[str]) -> Artifact:
    """`generate` up to kernel IR."""
    program, machine, schedule = request.program, request.machine, request.schedule
    names, own = expression_names(program)
    if schedule is not None:
        schedule.require(names, own)
    call = _call(request)
    lowered = _Lowered(call, configurations or {}, schedule, fitted)

    def checking(expression: Expression) -> LowLevel:
        facts = problem(prepared(expression), call.sizes, call.near_axes, call.threads)
        return lower(facts.expression, choose(facts, machine).configuration)

    begin = perf_counter()
    kernel = build(
        call.program, lowered.next, machine, call.unit_axes, (checking, _briefly), lowered.multiples,
        frame_layout(program), call.sizes, not call.deterministic,
    )  # fmt: skip
    guard = build_guard(program, machine)
    seconds = {"build": perf_counter() - begin}
    made = tuple(lowered.choices), tuple(lowered.problems), tuple(lowered.expressions)
    return Artifact(program, call.program.steps, *made, kernel, guard, multiples=lowered.multiples, seconds=seconds,
                    joined=request.joined)  # fmt: skip


def _emitted(artifact: Artifact, target: Target, machine: Machine) -> Artifact:
    """With the target's passes on kernel IR, and its text. NotAnMdhError for what the target has no spelling of."""
    kernels = artifact.guard, artifact.kernel
    passed = run_passes(target.passes, kernels, machine) if target.passes else ()
    guard, kernel = passed[-1].kernels if passed else kernels
    begin = perf_counter()
    text = target.emit(kernel, guard, machine)
    seconds = {**artifact.seconds, **{p.name: p.seconds for p in passed}, "emit": perf_counter() - begin}
    logger().debug("%s: %s", artifact.program.name, ", ".join(f"{step} {duration(t)}" for step, t in seconds.items()))
    return replace(artifact, text=text, passed=passed, seconds=seconds)


@dataclass(frozen=True, slots=True)
class _Call:
    """What configurations are chosen for. sizes: empty where they must have no say; joined: what is under one loop.

    near_axes: see `traffic.near_axes`. shares_by_calling: whether work that one thread does is done by the one that
    calls, with no launch of a device.
    """

    program: Program
    sizes: Mapping[str, int]
    unit_axes: Mapping[str, int | None]
    near_axes: Mapping[str, int | None]
    threads: int
    deterministic: bool
    machine: Machine
    joined: tuple[Join, ...]
    shares_by_calling: bool


class _Lowered:
    """The expressions of a program in the order in which they are lowered, and what that rests on."""

    def __init__(
        self, call: _Call, forced: Mapping[int, Configuration], schedule: Schedule | None, fitted: Collection[str]
    ) -> None:
        self.call, self.forced, self.schedule, self.fitted = call, forced, schedule, fitted
        self.names, self.own = expression_names(call.program)
        self.in_use = checkable_in_use(call.program)
        self.few = frozenset(_too_small_to_share(call))
        self.around = {id(e): t for t in _togethers(call.program.steps) for e in expressions(t.body)}
        self.choices: list[Choice] = []
        self.problems: list[Problem] = []
        self.expressions: list[LowLevel] = []
        self.multiples: dict[str, int] = {}

    def problem(self, expression: Expression) -> Problem:
        """What a configuration of `expression` is chosen for."""
        whole, call = prepared(expression), self.call
        if config.check:
            check_expression(whole)
        threads = call.threads if id(expression) not in self.around and id(expression) not in self.few else 1
        sizes = {**typical_iterations(call.program.steps, expression, call.sizes), **call.sizes}
        facts = problem(whole, sizes, call.near_axes, threads, not call.deterministic)
        around = self.around.get(id(expression))
        in_all = {} if around is None else written_in_all(around, expression, call.sizes)
        passing = {} if around is None else first_touched(around, expression, call.sizes)
        in_use = any(e is expression for e in self.in_use)
        stored = just_stored(call.program.steps, expression)
        fresh = _fresh(call.program, expression)
        steps = known_steps(call.program)
        return replace(
            facts, checkable_in_use=in_use, in_all=in_all, passing=passing, fresh=fresh, just_stored=stored, steps=steps
        )  # fmt: skip

    def next(self, expression: Expression) -> LowLevel:
        facts, call, number = self.problem(expression), self.call, len(self.choices)
        whole, around = facts.expression, self.around.get(id(expression))
        forced = self.forced.get(number)
        choice = Choice(forced, ("forced",), True) if forced is not None else choose(facts, call.machine)
        if around is not None and forced is None:
            choice = _by_one_thread(choice, facts, call.machine)
        if self.schedule is not None and forced is None:
            sole = self.own == self.names[number:]
            in_order = loops_in_order(call.program.steps, expression)
            choice = _scheduled(self.schedule, self.names[number], sole, choice, facts, call.machine, in_order)
        elif choice.forced:
            _require_legal(facts, call.machine, choice.configuration, self.names[number])
        elif config.check and (reason := violation(facts, call.machine, choice.configuration)) is not None:
            raise InternalError(f"the model's choice for {self.names[number]}: {reason}", loc=expression.loc)
        if around is not None:
            choice = _inside(around, choice, self.names[number])
        low = lower(whole, choice.configuration)
        if low.in_blocks and call.machine.gpu is not None:
            low = aligned(facts, call.machine.gpu, low)
            expected = choice.expected or estimate(facts, call.machine.gpu, low)
            low = replace(low, resident=expected.held if expected is not None else 0)
        if config.check:
            check_lowlevel(low)
        self.choices.append(choice)
        self.problems.append(facts)
        self.expressions.append(low)
        for size, multiple in multiples(low, call.sizes, self.fitted).items():
            self.multiples[size] = lcm(multiple, self.multiples.get(size, 1))
        return low


def _fresh(program: Program, expression: Expression) -> frozenset[str]:
    """The buffers of an expression that the call makes anew and returns, and that nothing has written before."""
    made = {a.name for a in program.allocations if a.fill is None} & program.returned
    if made and any(isinstance(s, Sequential) and expression in expressions(s.body) for s in program.steps):
        return frozenset()
    return frozenset(b.name for b in expression.buffers if whole_name(b) in made)


def _too_small_to_share(call: _Call) -> Iterator[int]:
    """Steps, by identity, with less work than is worth a second thread: those of sequential loops whatever round it is,
    others if their extents are part of the code.

    They then do without what finds that out in each round, or in each call.
    """
    if not call.shares_by_calling:
        return
    for step in call.program.steps:
        if isinstance(step, Expression) and all(d.extent.is_constant for d in step.md_hom.dims):
            known = prod(max(0, d.extent.constant) for d in step.md_hom.dims)
            if known * core_parts.work_per_point(step) < core_parts.WORK_PER_THREAD:
                yield id(step)
    loops = [step for step in call.program.steps if isinstance(step, Sequential)]
    work = {key: each for loop in loops for key, each in core_parts.work_in_turns(loop.body).items()}
    for step, course in courses(call.program.steps, call.sizes):
        points, each = course.most_points(step, call.sizes), work.get(id(step)) or core_parts.work_per_point(step)
        if points is not None and points * each < core_parts.WORK_PER_THREAD:
            yield id(step)


def _lowered_texts(steps: Sequence[Step], lowered: Iterator[LowLevel]) -> Iterator[str]:
    """The low-level expressions of `steps`, those that are together under a line of their own."""
    for step in steps:
        if isinstance(step, Expression):
            yield str(next(lowered))
            continue
        inside = "\n\n".join(_lowered_texts(step.body, lowered))
        if isinstance(step, Together):
            local = "\n".join(f"local {array}" for array in step.local)
            inside = f"together for {step.dim}, by cores:\n" + indent(f"{local}\n\n{inside}" if local else inside)
        yield inside


def _togethers(steps: Sequence[Step]) -> Iterator[Together]:
    for step in steps:
        if isinstance(step, Together):
            yield step
        elif not isinstance(step, Expression):
            yield from _togethers(step.body)


def _by_one_thread(choice: Choice, p: Problem, machine: Machine) -> Choice:
    """The model's choice without cores; where that is not legal, without copies, or the plainest one."""
    c = without_cores(choice.configuration)
    for configuration in (c, without_copies(c)):
        if violation(p, machine, configuration) is None:
            return replace(choice, configuration=configuration)
    return Choice(Configuration(), ("one point after the other",))


def _inside(around: Together, choice: Choice, name: str) -> Choice:
    """The choice for a step of others together; ConfigurationError if it uses cores, which share the points."""
    if uses_cores(choice.configuration):
        text = f"configuration of {name} is not legal: cores share {around.dim.name}, which is around it"
        raise ConfigurationError(text, hint="leave the levels of layer COR out")
    local = ", ".join(a.name for a in around.local)
    kept = f"; {local} stay{'s' if len(around.local) == 1 else ''} in the core's caches" if local else ""
    reason = f"fused with its neighbours into one loop over {around.dim.name}, which threads share{kept}"
    return replace(choice, reasons=(*choice.reasons, reason))


def _briefly(expression: Expression) -> LowLevel:
    """The shortest code."""
    return lower(prepared(expression), Configuration())


def _require_legal(
    facts: Problem, machine: Machine, c: Configuration, name: str, hint: Callable[[], str] | None = None
) -> None:
    reason = violation(facts, machine, c)
    if reason is not None:
        raise ConfigurationError(f"configuration of {name} is not legal: {reason}", hint=hint() if hint else "")


def _scheduled(
    schedule: Schedule, name: str, sole: bool, choice: Choice, p: Problem, machine: Machine, in_order: Mapping[str, str]
) -> Choice:
    """The user's configuration, or the model's where the user gave none. in_order: as `loops_in_order` has them."""
    given = schedule.applied(name, sole, choice.configuration, p, machine, in_order)
    if given is None:
        if choice.forced:
            _require_legal(p, machine, choice.configuration, name)
        return choice

    def hint() -> str:
        """Which of the user's values stand in the way."""
        legal = []
        for left, less in schedule.shortened(name, sole):
            c = less.applied(name, sole, choice.configuration, p, machine, in_order)
            if c is not None and violation(p, machine, c) is None:
                legal.append(left)
        if len(legal) > 1:
            legal = [left for left in legal if left != "part_size"]  # one of its levels is enough
        if not legal:
            return "f.config(…) gives one that is legal, to begin with"
        return f"what is left without {' or without '.join(legal)} is legal"

    _require_legal(p, machine, given, name, hint)
    return Choice(given, ("as the schedule says",), True)
