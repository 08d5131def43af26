"""Builds the DAG of a space, parameter by parameter, sharing every subspace whose live terms agree.

Forward: from each distinct tuple of live terms, the values of the next parameter that satisfy its rules, and
the tuple each leads to. Backward: dead ends are dropped and equal subspaces become one node. Both passes are
loops, so the number of parameters is not limited by the stack.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from math import prod
from operator import itemgetter
from typing import Any, NoReturn

from jitmdh.atf.space.constraint import expressions, written_at
from jitmdh.atf.space.expressions.symbolic import Expr, Ref, bind, children, place_of, references
from jitmdh.atf.space.filters import WORTH_A_COLUMN, Select, selector
from jitmdh.atf.space.generation_order import Level, Rule
from jitmdh.atf.space.node import LEAF, Node, Unique
from jitmdh.atf.space.parameter import TuningParameter
from jitmdh.atf.space.tabulated import MAX_POINTS, Table, table_of, tabulated
from jitmdh.base.errors import ConfigurationError, MdhError
from jitmdh.base.process.collection import without_collection
from jitmdh.base.records import dataclass
from jitmdh.base.source import Loc

State = tuple[Any, ...]
Edges = list[tuple[Sequence[Any], list[int] | int]]
"""Per state: the values that hold and the state each leads to (one number: all lead there)."""
Filter = tuple[Rule, Select, Callable[[State], bool]]
"""A rule, the values that satisfy it, and whether it does not apply."""

MAX_STATES = 4_000_000


@dataclass(frozen=True, slots=True)
class LevelStep:
    """A level, ready to run: which values hold in a state, and what is remembered after choosing one."""

    allowed: Callable[[State], Sequence[Any]]
    keep: Callable[[State], State]
    add: tuple[Callable[[State], Any], ...]
    own_only: bool


def generate(levels: Sequence[Level]) -> tuple[Node, int]:
    """The root of the DAG for these levels, and its number of nodes. Raises if no configuration is valid."""
    frontier: dict[State, int] = {(): 0}
    edges_of: list[Edges | Table] = []
    i = 0
    while i < len(levels):
        level = levels[i]
        end = tabulated(levels, i)
        if end > i and (found := _from_table(levels, i, end)):
            edges_of.append(found)
            i = end
            continue
        step = _step(level, levels[i + 1].known if i + 1 < len(levels) else ())
        reached: dict[State, int] = {}
        edges: Edges = []
        for state in frontier:
            edges.append(_edges(step, state, reached))
            if len(reached) > MAX_STATES:
                _raise_too_many(levels, i)
        if not reached:
            _raise_unsatisfiable(level, next(iter(frontier)))
        edges_of.append(edges)
        frontier = reached
        i += 1
    with without_collection():  # hundreds of thousands of nodes, all of them kept
        return _backward(edges_of, len(frontier))


def _from_table(levels: Sequence[Level], start: int, end: int) -> Table | None:
    """A group that an opaque callable reads as a whole; None where the states are the cheaper way."""
    group = levels[start:end]
    own = [replace(level, rules=tuple(rule for rule in level.rules if len(rule.reads) == 1)) for level in group]
    values = [_allowed(level, Ref(level.parameter.name))(()) for level in own]
    for level, left in zip(own, values):
        if len(left) == 0:
            _raise_unsatisfiable(level, ())
    states = prod(map(len, values[:-1]))
    if states > MAX_STATES:
        _raise_too_many(levels, end - 2)
    if states * len(values[-1]) > MAX_POINTS or len(values[-1]) >= WORTH_A_COLUMN:
        return None
    rules = [rule for level in group for rule in level.rules if len(rule.reads) > 1]
    names = [level.parameter.name for level in group]

    def failed(rule: Rule, point: State, error: Exception) -> ConfigurationError:
        state = tuple(point[names.index(term.name)] for term in group[-1].known if isinstance(term, Ref))
        return _failed(group[-1], str(rule.written), state, error, written_at(rule.written))

    table = table_of(rules, names, values, failed)
    if not table.any():
        _raise_unsatisfiable(group[-1], tuple(v[0] for v in values[:-1]))
    return Table(tuple(values), table)


def _backward(edges_of: list[Edges | Table], width: int) -> tuple[Node, int]:
    nodes: list[Node | None] = [LEAF] * width
    total = 0
    while edges_of:
        edges = edges_of.pop()
        if isinstance(edges, Table):  # it begins with one state, and ends with one
            assert nodes[0] is not None
            nodes[0], count = edges.nodes(nodes[0])
            total += count
            continue
        unique = Unique()
        level: list[Node | None] = []
        for values, targets in edges:
            if isinstance(targets, int):
                level.append(unique.uniform(values, nodes[targets] if len(values) else None))
            elif targets:
                level.append(unique.node(values, [nodes[t] for t in targets]))
            else:
                level.append(None)
        total += len({id(n) for n in level if n is not None})
        nodes = level
    root = nodes[0]
    assert root is not None, "a state was reached after the last parameter"
    return root, total


def _edges(step: LevelStep, state: State, reached: dict[State, int]) -> tuple[Sequence[Any], list[int] | int]:
    values = step.allowed(state)
    if len(values) == 0:
        return (), 0
    base = step.keep(state)
    number = reached.setdefault
    if not step.add:
        return values, number(base, len(reached))
    try:
        if step.own_only:
            return values, [number((*base, v), len(reached)) for v in values]
        return values, [number((*base, *[f((*state, v)) for f in step.add]), len(reached)) for v in values]
    except TypeError:  # an unhashable value: by identity, ranges own their values
        return values, [number((*base, *[_Same(f((*state, v))) for f in step.add]), len(reached)) for v in values]


class _Same:
    """An unhashable value as part of a state; unwrapped by the reader."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


def _unwrapped(state: State) -> State:
    return tuple(x.value if type(x) is _Same else x for x in state)


def _step(level: Level, remembered: tuple[Expr, ...]) -> LevelStep:
    own = Ref(level.parameter.name)
    kept = [term for term in remembered if term in level.known]
    new = [term for term in remembered if term not in level.known]
    slots: dict[Expr, int] = {term: i for i, term in enumerate(level.known)} | {own: len(level.known)}
    places = [slots[term] for term in kept]
    assert remembered == (*kept, *new), "levels_of puts the terms known longest first"
    return LevelStep(
        allowed=_allowed(level, own),
        keep=_picker(places),
        add=tuple(_named(level, _where_there(level, term, slots), term) for term in new),
        own_only=new == [own],
    )


def _where_there(level: Level, term: Expr, slots: dict[Expr, int]) -> Callable[[State], Any]:
    """The value of a term; None where a parameter that it reads is not there."""
    value = bind(term, slots)
    places = [p for known, p in slots.items() if _optional(level, known) and _occurs(term, known)]
    if not places or isinstance(term, Ref):
        return value
    return lambda state: None if any(state[p] is None for p in places) else value(state)


def _optional(level: Level, term: Expr) -> bool:
    return not level.optional.isdisjoint(references(term))


def _named(level: Level, value: Callable[[State], Any], term: Expr) -> Callable[[State], Any]:
    if isinstance(term, Ref):
        return value

    def computed(state: State) -> Any:
        try:
            return value(_unwrapped(state))
        except Exception as error:
            raise _failed(level, str(term), state, error, place_of(term)) from error

    return computed


def _picker(places: Sequence[int]) -> Callable[[State], State]:
    if not places:
        return lambda state: ()
    if len(places) == 1:
        place = places[0]
        return lambda state: (state[place],)
    return itemgetter(*places)


def _allowed(level: Level, own: Ref) -> Callable[[State], Sequence[Any]]:
    """The values that satisfy the level's rules; computed once per tuple of the terms that the rules read."""
    parameter, when = level.parameter, level.when
    values = parameter.range.sequence()
    tested = level.rules if when is None else (*level.rules, when)
    if not tested:
        return lambda state: values
    read = [term for term in level.known if any(_reads(rule, term) for rule in tested)]
    slots: dict[Expr, int] = {term: i for i, term in enumerate(read)} | {own: len(read)}
    filters = [(rule, selector(rule.constraint, slots, own), _absent(level, rule, read)) for rule in level.rules]
    others = [] if parameter.optional else [f for f in filters if f[0].owner != parameter.name]
    is_there = None if when is None else (when, selector(when.constraint, slots, own), _absent(level, when, read))
    pick = _picker([level.known.index(term) for term in read])
    cache: dict[State, Sequence[Any]] = {}

    def allowed(state: State) -> Sequence[Any]:
        key = pick(state)
        found = cache.get(key)
        if found is None:
            known = _unwrapped(key)
            found, applied = values, filters
            if is_there is not None and (is_there[2](known) or not filtered(is_there, (None,), known, state)):
                found, applied = (parameter.otherwise,), others
            for rule in applied:
                if not rule[2](known):
                    found = filtered(rule, found, known, state)
            cache[key] = found
        return found

    def filtered(test: Filter, found: Sequence[Any], known: State, state: State) -> Sequence[Any]:
        rule, select, _ = test
        try:
            return select(found, known)
        except Exception as error:
            raise _failed(level, str(rule.written), state, error, written_at(rule.written)) from error

    return allowed


def _absent(level: Level, rule: Rule, read: Sequence[Expr]) -> Callable[[State], bool]:
    """Whether a parameter that the rule reads is not there."""
    places = [p for p, term in enumerate(read) if _optional(level, term) and _reads(rule, term)]
    return (lambda known: any(known[p] is None for p in places)) if places else (lambda known: False)


def _reads(rule: Rule, term: Expr) -> bool:
    """Whether the term occurs in the rule's constraint, not merely inside a larger known term."""
    return any(_occurs(expr, term) for expr in expressions(rule.constraint))


def _occurs(expr: Expr, term: Expr) -> bool:
    return expr == term or any(_occurs(child, term) for child in children(expr))


def _described(known: Iterable[Expr], state: State) -> str:
    return ", ".join(f"{term} = {value!r}" for term, value in zip(known, _unwrapped(state)))


def _failed(level: Level, what: str, state: State, error: Exception, loc: Loc | None) -> ConfigurationError:
    given = _described(level.known, state)
    if isinstance(error, MdhError):
        told, reason, hint = f"cannot be tested: {error.message}", error.reason, error.hint
    else:
        told, reason = f"raised {type(error).__name__}: {error}", f"given {given}." if given else ""
        hint = "a constraint must answer for every value of the range; guard it: x != 0 and n % x == 0."
    message = f"parameter {level.parameter.name}: the constraint {what} {told}"
    return ConfigurationError(message, loc=loc, reason=reason, hint=hint)


def _raise_unsatisfiable(level: Level, state: State) -> None:
    given = _described(level.known, state)
    rules = " & ".join(dict.fromkeys(str(rule.written) for rule in level.rules))
    raise ConfigurationError(
        f"parameter {level.parameter.name}: no value of {level.parameter.range} satisfies {rules}",
        loc=next((place for rule in level.rules if (place := written_at(rule.written)) is not None), None),
        reason=f"whatever the parameters before it are, for example {given}." if given else "",
        hint="widen the range or relax the constraint; no configuration of the space is valid.",
    )


def _raise_too_many(levels: Sequence[Level], i: int) -> NoReturn:
    raise ConfigurationError(
        f"parameter {levels[i].parameter.name}: the space needs more than {MAX_STATES} states",
        reason=f"later constraints read {', '.join(map(str, levels[i + 1].known))}.",
        hint="write such constraints with expressions of parameters, A * B * C <= 1024: "
        "then only the value of A * B is remembered.",
    )


def from_rows(parameters: Sequence[TuningParameter], rows: Iterable[Sequence[Any]]) -> tuple[Node, int]:
    """The DAG of exactly these configurations (values in the order of the parameters)."""
    places = [{v: k for k, v in enumerate(p.range.sequence())} for p in parameters]
    trie: dict[Any, Any] = {}
    for row in rows:
        branch = trie
        for place, value in zip(places, row):
            branch = branch.setdefault(place[value], {})
    uniques = [Unique() for _ in parameters]
    sequences = [p.range.sequence() for p in parameters]

    def build(branch: dict[Any, Any], depth: int) -> Node | None:
        if depth == len(parameters):
            return LEAF
        keys = sorted(branch)
        found = tuple(sequences[depth][k] for k in keys)
        return uniques[depth].node(found, [build(branch[k], depth + 1) for k in keys])

    root = build(trie, 0)
    if root is None:
        raise ConfigurationError("a space needs at least one configuration")
    return root, sum(len(u) for u in uniques)
