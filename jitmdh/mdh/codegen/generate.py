"""From a program and the sizes of a call to the text of its code: the whole generation wing in one function."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from jitmdh.base.errors import ConfigurationError, NotAnMdhError
from jitmdh.base.settings import config
from jitmdh.mdh.algebra.check import check as check_algebra
from jitmdh.mdh.algebra.check import check_expression
from jitmdh.mdh.algebra.combine import Concatenation
from jitmdh.mdh.algebra.expr import Expression, Program
from jitmdh.mdh.codegen.build import build, build_guard
from jitmdh.mdh.codegen.c_like import show_kernel
from jitmdh.mdh.codegen.cpu import emit
from jitmdh.mdh.codegen.kernel_ir import Kernel
from jitmdh.mdh.lowering.constraints import violation
from jitmdh.mdh.lowering.lower import lower, prepared
from jitmdh.mdh.lowering.model import Choice, choose
from jitmdh.mdh.lowering.params import Configuration
from jitmdh.mdh.lowering.traffic import problem
from jitmdh.mdh.lowlevel.check import check as check_lowlevel
from jitmdh.mdh.lowlevel.expr import LowLevel
from jitmdh.mdh.machine.model import Machine


@dataclass(frozen=True, slots=True)
class Artifact:
    """Generated code and how it came about.

    program: as compiled (specialised for its shape class); choices and lowlevel: one per expression, fills of
    allocations first; llvm: the module with `kernel` and `guard`.
    """

    program: Program
    choices: tuple[Choice, ...]
    lowlevel: tuple[LowLevel, ...]
    kernel: Kernel
    guard: Kernel
    llvm: str

    def configuration(self) -> dict[str, object]:
        """The configuration of each expression and the reasons for it, as plain data (JSON)."""
        found: dict[str, object] = {}
        for low, choice in zip(self.lowlevel, self.choices):
            name, count = low.expression.name, 1
            while name in found:
                count += 1
                name = f"{low.expression.name} {count}"
            c = choice.configuration
            found[name] = {
                "part_size": {str(level): size for level, size in c.part_size},
                "order": [str(level) for level in c.decomposition_order],
                "late": [str(l) for l in c.recomposition_order if l.layer == "REG"],
                "copies": [f"{low.expression.inp_view[n].buffer} to {region} at {level}: layout {layout}"
                           for (n, level, region), (_, layout) in zip(c.input_region, c.input_layout)],
                "results": "past the caches" if c.scalar_output_region == "MM" else "through the caches",
                "reasons": list(choice.reasons),
            }  # fmt: skip
        return found

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
) -> Artifact:
    """Code for `program`.

    sizes: of the call the configuration is chosen for (any others work, too); unit_axes: for array parameters, the
    axis known to have a stride of one element; threads: how many there will be; configurations: forced ones, by
    number of the expression. Raises ConfigurationError for a forced one that is not legal.
    """
    forced = configurations or {}
    choices: list[Choice] = []
    lowered: list[LowLevel] = []

    def lowering(expression: Expression) -> LowLevel:
        _require_one_operator(expression)
        whole = prepared(expression)
        if config.check:
            check_expression(whole)
        facts = problem(whole, sizes, unit_axes, threads)
        number = len(choices)
        if number in forced:
            reason = violation(facts, machine, forced[number])
            if reason is not None:
                raise ConfigurationError(f"configuration of {expression.name} is not legal: {reason}")
            choice = Choice(forced[number], ("forced",))
        else:
            choice = choose(facts, machine)
        choices.append(choice)
        low = lower(whole, choice.configuration)
        if config.check:
            check_lowlevel(low)
        lowered.append(low)
        return low

    if config.check:
        check_algebra(program)

    kernel = build(program, lowering, machine, unit_axes)
    guard = build_guard(program, machine)
    x86 = "+sse2" in machine.features.split(",")
    text = emit((kernel, guard), machine.vector_bits, x86)
    return Artifact(program, tuple(choices), tuple(lowered), kernel, guard, text)


def _require_one_operator(expression: Expression) -> None:
    operators = {c.operator: c for c in expression.md_hom.combine if not isinstance(c, Concatenation)}
    if len(operators) > 1:
        shown = " and ".join(o.name for o in operators)
        raise NotAnMdhError(
            f"{expression.name}: different combine operators in one expression: {shown}",
            loc=expression.loc,
            reason="one loop nest combines its results with one operator",
            hint="compute the inner combination first, into an array of its own",
        )
