"""In which order a space is generated, and what each step has to remember.

The order follows the dependencies, keeps groups together and remembers as little as possible. What a step
remembers are the *live terms*: the values of the largest subexpressions of later constraints that are
already known, for example `N // WPT` and not `WPT`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from itertools import pairwise
from math import log2
from typing import assert_never

from jitmdh.atf.space.constraint import (
    Alias,
    And,
    Constraint,
    Holds,
    Not,
    Or,
    as_condition,
    as_constraint,
    conjuncts,
    expressions,
    map_expressions,
    names,
    understood,
    written_at,
)
from jitmdh.atf.space.expressions.symbolic import VALUE, AppliedCallable, Expr, Ref, children, references, resolve
from jitmdh.atf.space.expressions.symmetry import Group, in_order, is_unchanged
from jitmdh.atf.space.parameter import TuningParameter
from jitmdh.base.errors import ConfigurationError
from jitmdh.base.records import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """One conjunct of the specification: what it reads and who owns it (None: the whole space).

    written: as the user wrote it, for messages; several conjuncts may come from one callable.
    """

    constraint: Constraint
    reads: frozenset[str]
    owner: str | None
    written: Constraint

    def __str__(self) -> str:
        return f"{self.owner}: {self.written}" if self.owner else str(self.written)


@dataclass(frozen=True, slots=True)
class Level:
    """One parameter in generation order: its rules and the terms remembered before it."""

    parameter: TuningParameter
    rules: tuple[Rule, ...]
    known: tuple[Expr, ...] = field(default=())
    when: Rule | None = None
    """Where this does not hold, the parameter has its other value; its own rules do not apply."""
    optional: frozenset[str] = frozenset()
    """The parameters that some configurations do not have: there, what reads them is not tested."""


def rules_of(
    parameters: Sequence[TuningParameter], constraints: Sequence[object], *, read: bool = True
) -> tuple[Rule, ...]:
    """All conjuncts, with their dependencies checked against the declared parameters.

    read: callables are read as expressions where possible; otherwise they are all opaque.
    """
    declared = {p.name for p in parameters}
    optional = {p.name for p in parameters if p.optional}
    found: list[Rule] = []
    for p in parameters:
        if p.constraint is not None:
            for part in conjuncts(p.constraint):
                owned = map_expressions(part, lambda e, own=p.name: resolve(e, own, declared))  # type: ignore[misc]
                found += _rules(owned, p.name, declared, optional, read)
    for given in constraints:
        for part in conjuncts(as_constraint(given)):
            resolved = map_expressions(part, lambda e: resolve(e, VALUE, declared))
            if _has_alias(resolved) or any(VALUE in references(e) for e in expressions(resolved)):
                raise ConfigurationError(
                    f"search space: the constraint {part} belongs to no parameter",
                    hint="give it to a parameter, or name what it reads: lambda A, B: A * B <= 64",
                )
            found += _rules(resolved, None, declared, optional, read)
    return tuple(found)


def conditions_of(parameters: Sequence[TuningParameter], *, read: bool = True) -> dict[str, Rule]:
    """When conditional parameters are there, by name."""
    declared = {p.name for p in parameters}
    found = {}
    for p in parameters:
        if p.when is None:
            continue
        condition = map_expressions(p.when, lambda e: resolve(e, VALUE, declared))
        read_by = {n for e in expressions(condition) for n in references(e)}
        if not names(condition) or _has_alias(condition) or {p.name, VALUE} & read_by:
            raise ConfigurationError(
                f"parameter {p.name}: its when= is about other parameters, and {p.when} is not",
                hint="when=ALGORITHM == 2, or when=lambda ALGORITHM: ALGORITHM == 2",
            )
        (rule,) = _rules(condition, p.name, declared, declared, read)
        found[p.name] = rule
    return found


def _has_alias(constraint: Constraint) -> bool:
    match constraint:
        case Alias():
            return True
        case Holds():
            return False
        case Not():
            return _has_alias(constraint.operand)
        case And() | Or():
            return _has_alias(constraint.left) or _has_alias(constraint.right)
        case _:
            assert_never(constraint)


def _rules(constraint: Constraint, owner: str | None, declared: set[str], optional: set[str], read: bool) -> list[Rule]:
    """optional: where one of these that the constraint reads is not there, no part of the constraint applies."""
    named = names(constraint)
    for name in sorted(named - declared):
        where = f"parameter {owner}" if owner else "search space"
        close = difflib.get_close_matches(name, declared, n=1)
        hint = f"did you mean {close[0]}?" if close else f"the parameters are {', '.join(sorted(declared))}."
        raise ConfigurationError(
            f"{where}: its constraint {constraint} names {name}, which is no tuning parameter of this space",
            loc=written_at(constraint),
            reason="the names in a constraint's signature are the parameters it depends on.",
            hint=hint,
        )
    if owner is None and not named:
        raise ConfigurationError(f"search space: the constraint {constraint} reads no parameter")
    own = {owner} if owner else set()
    parts = [*conjuncts(understood(constraint))] if read else [constraint]
    if named & optional:
        parts = [understood(constraint)] if read else [constraint]
    if owner is None and not all(map(names, parts)):
        parts = [constraint]
    return [Rule(part, names(part) | own, owner, constraint) for part in parts]


def symmetric_rules(
    parameters: Sequence[TuningParameter], rules: Sequence[Rule], conditions: Mapping[str, Rule],
    symmetric: Sequence[Sequence[Group]],
) -> tuple[Rule, ...]:  # fmt: skip
    """The rules by which one configuration stays of those that differ by the exchange of symmetric parameters."""
    ranges = {p.name: p.range.sequence() for p in parameters}
    held = [as_condition(rule.constraint, Ref(rule.owner or "")) for rule in rules]
    found = []
    for groups in symmetric:
        for first, second in pairwise(groups):
            for name, rule in conditions.items():
                if not is_unchanged(as_condition(rule.constraint, Ref(name)), first, second):
                    raise ConfigurationError(
                        f"{' and '.join(map(', '.join, (first, second)))} are not symmetric: "
                        f"whether {name} is there goes by {rule.written}"
                    )
        for condition in in_order(groups, held, ranges):
            constraint = Holds(condition)
            found.append(Rule(constraint, names(constraint), None, constraint))
    return tuple(found)


def groups_of(parameters: Sequence[TuningParameter], rules: Iterable[Rule]) -> tuple[tuple[str, ...], ...]:
    """The interdependent parameter groups (thesis 5.3.2), in order of declaration."""
    group = {p.name: {p.name} for p in parameters}
    for rule in rules:
        merged = set().union(*(group[name] for name in rule.reads))
        for name in merged:
            group[name] = merged
    done: dict[int, tuple[str, ...]] = {}
    for p in parameters:
        members = group[p.name]
        done.setdefault(id(members), tuple(q.name for q in parameters if q.name in members))
    return tuple(done.values())


def generation_order(parameters: Sequence[TuningParameter], rules: Sequence[Rule]) -> tuple[TuningParameter, ...]:
    """Group by group, dependencies first; among the possible next ones, the one that leaves least alive."""
    by_name = {p.name: p for p in parameters}
    needs: dict[str, set[str]] = {p.name: set() for p in parameters}
    for rule in rules:
        if rule.owner is not None:
            needs[rule.owner] |= rule.reads - {rule.owner}
    weight = {p.name: log2(1 + len(p.range.sequence())) for p in parameters}
    order: list[str] = []
    for group in groups_of(parameters, rules):
        concerned = [rule for rule in rules if rule.reads & set(group) and len(rule.reads) > 1]
        rest = list(group)
        while rest:
            ready = [name for name in rest if needs[name] <= set(order)]
            if not ready:
                _raise_cycle(needs, rest)
            chosen = min(ready, key=lambda name: (_alive(concerned, {*order, name}, weight), group.index(name)))
            order.append(chosen)
            rest.remove(chosen)
    return tuple(by_name[name] for name in order)


def _alive(rules: Sequence[Rule], assigned: set[str], weight: Mapping[str, float]) -> float:
    """How much has to be remembered (bits) once these parameters are assigned."""
    live = {name for rule in rules if not rule.reads <= assigned for name in rule.reads & assigned}
    return sum(weight[name] for name in live)


def _raise_cycle(needs: Mapping[str, set[str]], rest: Sequence[str]) -> None:
    name = rest[0]
    path = [name]
    while True:
        name = next(n for n in rest if n in needs[name])
        if name in path:
            cycle = [*path[path.index(name) :], name]
            break
        path.append(name)
    raise ConfigurationError(
        f"parameter {cycle[0]}: the constraints depend on each other in a circle: {' -> '.join(cycle)}",
        reason="a parameter's values are filtered by the values of the parameters its constraint names.",
        hint=f"move one of the constraints to the other parameter, or give it to the space: "
        f"search_space(..., constraints=[...]); {cycle[0]} names {cycle[1]}.",
    )


def levels_of(
    parameters: Sequence[TuningParameter], rules: Sequence[Rule], conditions: Mapping[str, Rule] = {}
) -> tuple[Level, ...]:
    """The generation order with each rule at the first level where all it reads is known."""
    order = generation_order(parameters, (*rules, *conditions.values()))
    optional = frozenset(p.name for p in parameters if p.optional)
    place = {p.name: i for i, p in enumerate(order)}
    at: list[list[Rule]] = [[] for _ in order]
    for rule in rules:
        at[max(place[name] for name in rule.reads)].append(rule)
    levels: list[Level] = []
    for i, parameter in enumerate(order):
        assigned = {p.name for p in order[:i]}
        terms: dict[Expr, None] = {}
        for later, p in zip(at[i:], order[i:]):
            for rule in (*later, *([conditions[p.name]] if p.name in conditions else ())):
                for expr in expressions(rule.constraint):
                    _closed(expr, assigned, terms)
        older = [term for term in (levels[-1].known if levels else ()) if term in terms]
        newer = [term for term in terms if term not in older]
        known = (*older, *newer)
        levels.append(Level(parameter, tuple(at[i]), known, conditions.get(parameter.name), optional))
    return tuple(levels)


def _closed(expr: Expr, assigned: set[str], terms: dict[Expr, None]) -> None:
    """Collects the largest subexpressions of `expr` whose parameters are all assigned."""
    reads = set(references(expr))
    if not reads & assigned:
        return
    opaque = isinstance(expr, AppliedCallable)  # a user's callable runs only where its constraint is tested
    if reads <= assigned and not opaque:
        terms[expr] = None
        return
    for child in children(expr):
        _closed(child, assigned, terms)
