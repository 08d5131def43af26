"""Which local names of a function a loop needs, and which of those it assigns are used after it.

    n = x.shape[0]
    total = 0.0
    for i in range(n):          needs n, x, total; gives total
        y = x[i] * x[i]         y and i are not used after the loop
        total += y
    return total

Classic liveness, backwards over structured statements, and names that certainly have a value, forwards.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import field

from jitmdh.base.records import dataclass

Loop = ast.For | ast.While
Names = frozenset[str]
NONE: Names = frozenset()
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp,
           ast.GeneratorExp)  # fmt: skip


@dataclass(slots=True)
class LiveNames:
    """after: for each loop, by `id`, the names that are used after it; bound: those that have a value before it.

    fragile: loops whose exceptions may be caught, so that what they have assigned until then is seen.
    """

    after: dict[int, Names] = field(default_factory=dict)
    bound: dict[int, Names] = field(default_factory=dict)
    fragile: set[int] = field(default_factory=set)

    @staticmethod
    def of(definition: ast.FunctionDef) -> LiveNames:
        found = LiveNames()
        captured = frozenset(n for s in _inner_scopes(definition) for n in names_in(s))
        found.before(definition.body, captured, _Exits(captured, captured, captured))
        arguments = definition.args
        every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg)
        found.forward(definition.body, frozenset(a.arg for a in every if a is not None))
        return found

    # ------------------------------------------------------------------------------------------ backwards

    def before(self, body: Sequence[ast.stmt], after: Names, exits: _Exits) -> Names:
        """The names whose values are used from the beginning of `body` on."""
        for statement in reversed(body):
            after = self._statement(statement, after, exits) | exits.caught
        return after

    def _statement(self, s: ast.stmt, after: Names, exits: _Exits) -> Names:
        match s:
            case ast.For() | ast.While():
                return self._loop(s, after, exits)
            case ast.If():
                then, orelse = self.before(s.body, after, exits), self.before(s.orelse, after, exits)
                return loaded(s.test) | then | orelse
            case ast.Return() | ast.Raise():
                return loaded(s) | exits.caught
            case ast.Break():
                return exits.broken
            case ast.Continue():
                return exits.continued
            case ast.Try() | ast.TryStar():
                return self._try(s, after, exits)
            case ast.With():
                inner = _Exits(exits.broken | after, exits.continued | after, exits.caught | after)
                items = frozenset(n for i in s.items for n in loaded(i))
                return items | self.before(s.body, after, inner) | after
            case ast.Match():
                cases = [self.before(c.body, after, exits) | loaded(c.pattern) for c in s.cases]
                return loaded(s.subject) | after.union(*cases)
            case ast.Assign() | ast.AnnAssign():
                killed = frozenset(n for t in _targets(s) for n in _names_of(t))
                return (after - killed) | loaded(s)
            case ast.AugAssign(ast.Name(name)):
                return after | loaded(s) | {name}
        return after | loaded(s)

    def _loop(self, loop: Loop, after: Names, exits: _Exits) -> Names:
        self.after[id(loop)] = self.after.get(id(loop), NONE) | after | exits.caught
        ended = self.before(loop.orelse, after, exits)
        head = loaded(loop.test) if isinstance(loop, ast.While) else NONE
        assigned = frozenset(_names_of(loop.target)) if isinstance(loop, ast.For) else NONE
        again = ended | head
        while True:
            body = self.before(loop.body, again, _Exits(after, again, exits.caught))
            target = loaded(loop.target) if isinstance(loop, ast.For) else NONE
            more = again | (body - assigned) | target
            if more == again:
                break
            again = more
        return again | (loaded(loop.iter) if isinstance(loop, ast.For) else NONE)

    def _try(self, s: ast.Try | ast.TryStar, after: Names, exits: _Exits) -> Names:
        last = self.before(s.finalbody, after, exits)
        leaving = last | exits.broken | exits.continued | exits.caught
        around = _Exits(exits.broken | last, exits.continued | last, exits.caught | last)
        caught = leaving
        for handler in s.handlers:
            caught |= self.before(handler.body, last, around) | (NONE if handler.type is None else loaded(handler.type))
        ended = self.before(s.orelse, last, around)
        inner = _Exits(around.broken | caught, around.continued | caught, caught)
        return self.before(s.body, ended, inner) | caught

    # ------------------------------------------------------------------------------------------ forwards

    def forward(self, body: Sequence[ast.stmt], bound: Names | None, fragile: bool = False) -> Names | None:
        """The names that have a value after `body`, whatever way it was taken; None: its end is not reached."""
        for s in body:
            if bound is None:
                return None
            bound = self._bound_after(s, bound, fragile)
        return bound

    def _bound_after(self, s: ast.stmt, bound: Names, fragile: bool) -> Names | None:
        match s:
            case ast.For() | ast.While():
                self.bound[id(s)] = bound
                if fragile:
                    self.fragile.add(id(s))
                inside = bound | (frozenset(_names_of(s.target)) if isinstance(s, ast.For) else NONE)
                self.forward(s.body, inside, fragile)
                self.forward(s.orelse, bound, fragile)
                return bound
            case ast.If():
                ends = [self.forward(s.body, bound, fragile), self.forward(s.orelse, bound, fragile)]
                reached = [e for e in ends if e is not None]
                return frozenset.intersection(*reached) if reached else None
            case ast.Return() | ast.Raise() | ast.Break() | ast.Continue():
                return None
            case ast.Try() | ast.TryStar():
                for part in (s.body, *(h.body for h in s.handlers), s.orelse):
                    self.forward(part, bound, True)
                return self.forward(s.finalbody, bound, True)
            case ast.With():
                self.forward(s.body, bound, True)
                return bound
            case ast.Match():
                for c in s.cases:
                    self.forward(c.body, bound, fragile)
                return bound
            case ast.Assign() | ast.AnnAssign(value=ast.expr()):
                return bound | frozenset(n for t in _targets(s) for n in _names_of(t))
            case ast.FunctionDef() | ast.ClassDef():
                return bound | {s.name}
            case ast.Delete():
                return bound - frozenset(n for t in s.targets for n in names_in(t))
        return bound


@dataclass(frozen=True, slots=True)
class _Exits:
    """What is used after `break`, after `continue`, and after an exception."""

    broken: Names
    continued: Names
    caught: Names


def exposed(loop: Loop) -> Names:
    """The names that a loop uses before it assigns them, if it does."""
    return LiveNames().before([loop], NONE, _Exits(NONE, NONE, NONE))


def stored(node: ast.AST) -> Names:
    """The names that a node assigns."""
    return frozenset(n.id for n in ast.walk(node) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load))


def loaded(node: ast.AST) -> Names:
    """The names that a node uses, whatever it is inside of."""
    return frozenset(n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))


def names_in(node: ast.AST) -> Names:
    return frozenset(n.id for n in ast.walk(node) if isinstance(n, ast.Name))


def _inner_scopes(definition: ast.FunctionDef) -> Iterable[ast.AST]:
    return (n for n in ast.walk(definition) if isinstance(n, _SCOPES) and n is not definition)


def _targets(s: ast.Assign | ast.AnnAssign) -> Sequence[ast.expr]:
    return s.targets if isinstance(s, ast.Assign) else [s.target]


def _names_of(target: ast.expr) -> Iterable[str]:
    """The names that an assignment to `target` certainly gives a value."""
    match target:
        case ast.Name(name):
            yield name
        case ast.Tuple(elements) | ast.List(elements):
            for element in elements:
                yield from _names_of(element)
        case ast.Starred(value):
            yield from _names_of(value)
