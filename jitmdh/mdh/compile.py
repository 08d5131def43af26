"""From a program and the sizes of a call to the text of its code: the whole generation wing in one function.

    specialised program --choose, lower, build--> kernel IR --PASSES--> kernel IR --emit--> LLVM IR
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from math import lcm
from time import perf_counter

from jitmdh.base.errors import ConfigurationError
from jitmdh.base.log import logger
from jitmdh.base.settings import config
from jitmdh.base.text import duration
from jitmdh.mdh.algebra.bounds import checkable_in_use
from jitmdh.mdh.algebra.check import check as check_algebra
from jitmdh.mdh.algebra.check import check_expression
from jitmdh.mdh.algebra.expr import Expression, Program
from jitmdh.mdh.codegen.guard import build_guard
from jitmdh.mdh.codegen.program import build
from jitmdh.mdh.kernel.ir import Kernel
from jitmdh.mdh.kernel.pass_manager import Pass, Passed, run_passes
from jitmdh.mdh.kernel.passes.multiply_add import fuse_multiply_adds
from jitmdh.mdh.kernel.printer import show_kernel
from jitmdh.mdh.lowering.configuration.constraints import violation
from jitmdh.mdh.lowering.configuration.lower import lower, prepared
from jitmdh.mdh.lowering.configuration.shape_class import multiples
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
from jitmdh.mdh.lowering.model.analytic_model import Choice, choose
from jitmdh.mdh.lowering.problem.traffic import Problem, problem
from jitmdh.mdh.lowering.schedule import Schedule, expression_names, plain
from jitmdh.mdh.lowlevel.check import check as check_lowlevel
from jitmdh.mdh.lowlevel.expr import LowLevel
from jitmdh.mdh.machine.model import Machine
from jitmdh.mdh.targets.llvm.emitter import emit

PASSES = (Pass("fma", fuse_multiply_adds),)
"""What is done to kernel IR before the LLVM emitter spells it, in this order."""


@dataclass(frozen=True, slots=True)
class Artifact:
    """Generated code and how it came about.

    program: as compiled (specialised for its shape class); choices and lowlevel: one per expression, fills of
    allocations first; problems: what each was chosen for; llvm: the module with `kernel` and `guard`; multiples: what
    sizes must be multiples of for it; passed: the guard and the kernel after each of PASSES; seconds: of each step.
    """

    program: Program
    choices: tuple[Choice, ...]
    problems: tuple[Problem, ...]
    lowlevel: tuple[LowLevel, ...]
    kernel: Kernel
    guard: Kernel
    llvm: str
    multiples: Mapping[str, int] = field(default_factory=dict)
    passed: tuple[Passed, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)

    def configuration(self) -> dict[str, object]:
        """The configuration of each expression and the reasons for it, as plain data (JSON)."""
        names, _ = expression_names(self.program)
        return {
            name: {**plain(choice.configuration), "reasons": list(choice.reasons)}
            for name, choice in zip(names, self.choices)
        }

    def kernel_text(self) -> str:
        """The kernel as readable C-like code."""
        return show_kernel(self.guard) + "\n" + show_kernel(self.kernel)


def generate(
    program: Program,
    sizes: Mapping[str, int],
    unit_axes: Mapping[str, int | None],
    machine: Machine,
    *,
    threads: int,
    configurations: Mapping[int, Configuration] | None = None,
    schedule: Schedule | None = None,
    deterministic: bool = False,
    fitted: Collection[str] = (),
) -> Artifact:
    """Code for `program`.

    sizes: of the call the configuration is chosen for (any others work, too); unit_axes: for array parameters, the
    axis known to have a stride of one element; threads: how many there will be; configurations: forced ones, by
    number of the expression; schedule: the user's, whole or partial ones; deterministic: the order in which results
    are combined depends on neither sizes nor threads; fitted: names of sizes that may have to be multiples of tiles
    that those of the call are multiples of. Raises ConfigurationError for what is forced
    and not legal.
    """
    names, own = expression_names(program)
    if schedule is not None:
        schedule.require(names, own)
    if config.check:
        check_algebra(program)
    call = _Call(program, {} if deterministic else sizes, unit_axes, threads, deterministic, machine)
    lowered = _Lowered(call, configurations or {}, schedule, fitted)

    def checking(expression: Expression) -> LowLevel:
        facts = problem(prepared(expression), call.sizes, unit_axes, threads)
        return lower(facts.expression, choose(facts, machine).configuration)

    times = [perf_counter()]
    kernel = build(program, lowered.next, machine, unit_axes, (checking, _briefly), lowered.multiples)
    guard = build_guard(program, machine)
    times.append(perf_counter())
    passed = run_passes(PASSES, (guard, kernel))
    times.append(perf_counter())
    features = machine.features.split(",")
    x86 = "+sse2" in features
    text = emit(passed[-1].kernels[::-1], machine.vector_bits, x86, not x86 or "+f16c" in features)
    times.append(perf_counter())
    seconds = {"build": times[1] - times[0], **{p.name: p.seconds for p in passed}, "emit": times[3] - times[2]}
    logger().debug("%s: %s", program.name, ", ".join(f"{step} {duration(t)}" for step, t in seconds.items()))
    made = tuple(lowered.choices), tuple(lowered.problems), tuple(lowered.expressions)
    return Artifact(program, *made, kernel, guard, text, lowered.multiples, passed, seconds)


@dataclass(frozen=True, slots=True)
class _Call:
    """What configurations are chosen for. sizes: empty where they must have no say."""

    program: Program
    sizes: Mapping[str, int]
    unit_axes: Mapping[str, int | None]
    threads: int
    deterministic: bool
    machine: Machine


class _Lowered:
    """The expressions of a program in the order in which they are lowered, and what that rests on."""

    def __init__(
        self, call: _Call, forced: Mapping[int, Configuration], schedule: Schedule | None, fitted: Collection[str]
    ) -> None:
        self.call, self.forced, self.schedule, self.fitted = call, forced, schedule, fitted
        self.names, self.own = expression_names(call.program)
        self.in_use = checkable_in_use(call.program)
        self.choices: list[Choice] = []
        self.problems: list[Problem] = []
        self.expressions: list[LowLevel] = []
        self.multiples: dict[str, int] = {}

    def next(self, expression: Expression) -> LowLevel:
        whole, call, number = prepared(expression), self.call, len(self.choices)
        if config.check:
            check_expression(whole)
        facts = problem(whole, call.sizes, call.unit_axes, call.threads, not call.deterministic)
        facts = replace(facts, checkable_in_use=any(e is expression for e in self.in_use))
        forced = self.forced.get(number)
        choice = Choice(forced, ("forced",), True) if forced is not None else choose(facts, call.machine)
        if self.schedule is not None:
            sole = self.own == self.names[number:]
            choice = _scheduled(self.schedule, self.names[number], sole, choice, facts, call.machine)
        elif choice.forced:
            _require_legal(facts, call.machine, choice.configuration, self.names[number])
        low = lower(whole, choice.configuration)
        if config.check:
            check_lowlevel(low)
        self.choices.append(choice)
        self.problems.append(facts)
        self.expressions.append(low)
        for size, multiple in multiples(low, call.sizes, self.fitted).items():
            self.multiples[size] = lcm(multiple, self.multiples.get(size, 1))
        return low


def _briefly(expression: Expression) -> LowLevel:
    """The shortest code."""
    return lower(prepared(expression), Configuration())


def _require_legal(
    facts: Problem, machine: Machine, c: Configuration, name: str, hint: Callable[[], str] | None = None
) -> None:
    reason = violation(facts, machine, c)
    if reason is not None:
        raise ConfigurationError(f"configuration of {name} is not legal: {reason}", hint=hint() if hint else "")


def _scheduled(schedule: Schedule, name: str, sole: bool, choice: Choice, p: Problem, machine: Machine) -> Choice:
    """The user's configuration, or the model's where the user gave none."""
    given = schedule.applied(name, sole, choice.configuration, p)
    if given is None:
        if choice.forced:
            _require_legal(p, machine, choice.configuration, name)
        return choice

    def hint() -> str:
        """Which of the user's values stand in the way."""
        legal = []
        for left, less in schedule.shortened(name, sole):
            c = less.applied(name, sole, choice.configuration, p)
            if c is not None and violation(p, machine, c) is None:
                legal.append(left)
        if len(legal) > 1:
            legal = [left for left in legal if left != "part_size"]  # one of its levels is enough
        if not legal:
            return "f.config(…) gives one that is legal, to begin with"
        return f"what is left without {' or without '.join(legal)} is legal"

    _require_legal(p, machine, given, name, hint)
    return Choice(given, ("as the schedule says",), True)
