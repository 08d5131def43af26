"""A program in which computations are parts of others, as a schedule says: before anything else is chosen for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from jitmdh.base.errors import ConfigurationError
from jitmdh.mdh.algebra.expr import Expression, Program, Step, expressions
from jitmdh.mdh.algebra.rewrites.neighbours.inlining import inlined
from jitmdh.mdh.algebra.rewrites.neighbours.merging import merged, merged_reductions
from jitmdh.mdh.algebra.rewrites.neighbours.single_use import is_used_once
from jitmdh.mdh.lowering.schedule import Merge, expression_names


def with_merges(program: Program, merges: Sequence[Merge]) -> Program:
    """`program` with these computations inlined, or made one. ConfigurationError where that is not legal.

    The others keep the names that they have in `program`.
    """
    for merge in merges:
        made = with_merge(program, merge)
        if isinstance(made, str):
            raise ConfigurationError(f"schedule: {merge}: {made}")
        program = replace(made, merged=(*program.merged, merge.names))
    return program


def with_single_uses(program: Program) -> Program:
    """`program` with the computations inlined that one element-wise computation takes in (`neighbours.single_use`):
    a bias and a maximum behind a product are computed where it is in registers.

    Always worth it: each result is computed once, as before, and neither written nor read.
    """
    of = _by_names(program)
    for name in list(of)[:-1]:
        if is_used_once(program, of[name]):
            made = with_merge(program, Merge(name))
            if not isinstance(made, str):
                program = replace(made, merged=(*program.merged, (name,)))
                of = _by_names(program)
    return program


def with_reductions_merged(program: Program) -> Program:
    """`program` with reductions over the same points of the same arrays as one, which reads them once: a minimum and a
    maximum, sums of numbers and of their squares."""
    while True:
        named = replace(program, steps=_named(program.steps, iter(expression_names(program)[1])))
        found = merged_reductions(named)
        if found is None:
            return program
        first, second, made = found
        program = replace(made, merged=(*program.merged, (first.name, second.name)))


def _by_names(program: Program) -> dict[str, Expression]:
    return dict(zip(expression_names(program)[1], expressions(program.steps)))


def with_merge(program: Program, merge: Merge) -> Program | str:
    """The same for one of them; or why it is not legal, as text."""
    own = expression_names(program)[1]
    missing = [name for name in merge.names if name not in own]
    if missing:
        return f"there is no computation `{missing[0]}`; computations are {', '.join(own)}"
    named = replace(program, steps=_named(program.steps, iter(own)))
    of = dict(zip(own, expressions(named.steps)))
    taking = [of[name] for name in merge.names]
    return inlined(named, taking[0]) if merge.into is None else merged(named, taking[0], taking[1])


def _named(steps: Sequence[Step], names: Iterator[str]) -> tuple[Step, ...]:
    """Steps whose expressions have these names, in their order."""
    return tuple(
        replace(s, name=next(names)) if isinstance(s, Expression) else replace(s, body=_named(s.body, names))
        for s in steps
    )
