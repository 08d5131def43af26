"""`f.explain(...)`: what the compiler made of a function, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jitmdh.base.text import indent

if TYPE_CHECKING:
    from jitmdh.jit.launch import Specialisation
    from jitmdh.mdh.algebra.expr import Program, Step


def explain(specialisation: Specialisation, program: Program) -> str:
    """Loops and their combine operators, loops that stayed sequential and why, checks, configuration."""
    lines = [f"{program.name}({specialisation.signature})"]
    for step in program.steps:
        lines += _step(step)
    if program.checks:
        lines.append(f"checked before anything is written: {len(program.checks)} conditions")
        lines += [f"  {check.message}" for check in program.checks]
    lines.append("configuration:")
    lines += [f"  {name} = {value}" for name, value in specialisation.compiled.configuration.items()]
    return "\n".join(lines)


def _step(step: Step) -> list[str]:
    from jitmdh.mdh.algebra.expr import Sequential

    if isinstance(step, Sequential):
        reason = f": {step.reason}" if step.reason else ""
        inner = "\n".join(line for s in step.body for line in _step(s))
        return [f"for {step.dim.name} in [0, {step.dim.extent}), one after the other{reason}", indent(inner, 2)]
    lines = [f"{step.name}: writes {', '.join(sorted({a.buffer for a in step.out_view}))}"]
    for dim, combine in zip(step.md_hom.dims, step.md_hom.combine):
        lines.append(f"  {dim.name} in [0, {dim.extent}): {combine}")
    return lines
