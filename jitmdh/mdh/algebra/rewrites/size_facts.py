"""What the checks of a call promise about sizes, told to each computation that it may be of use to.

    check A.shape[0] - N ≥ 0 if N > 0        md_hom[N, N](…, (++, ++) if i - j ≥ 0) reads A[j]

No code runs unless the checks hold, so all rows of A up to N exist, and may be read as a whole, those too that the
guard leaves out: `Expression.inside_everywhere`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from jitmdh.mdh.algebra.expr import Check, Expression, Program, Step


def with_size_facts(program: Program) -> Program:
    """`program` with the facts in each expression that reads under a guard.

    before: facts of no expression. after: those whose value names a size of an array that the expression reads.
    requires: that the checks hold wherever code of the program runs. ensures: the same meaning.
    """
    return replace(program, steps=tuple(_told(s, program.checks) for s in program.steps)) if program.checks else program


def _told(step: Step, checks: Sequence[Check]) -> Step:
    if not isinstance(step, Expression):
        body = tuple(_told(s, checks) for s in step.body)
        return step if all(a is b for a, b in zip(body, step.body)) else replace(step, body=body)
    if not step.md_hom.guard:
        return step
    read = {a.buffer for a in step.inp_view}
    sizes = {n for b in step.buffers if b.name in read for axis in b.shape for n in axis.names}
    facts = tuple((c.value, c.when) for c in checks if not sizes.isdisjoint(c.value.names))
    return replace(step, facts=facts) if facts else step
