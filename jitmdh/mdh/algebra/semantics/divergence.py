"""Divergence analysis: which values of a procedure may differ between points that execute it side by side.

A loop counter is the same for all points that are still in the loop, however different the rounds are after which they
leave. So what it subscripts is one element for all of them, not a gather.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from jitmdh.base.dtype import int64
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import (
    Bind,
    Constant,
    Fetch,
    IndexValue,
    Instruction,
    Iterate,
    Operation,
    Procedure,
    Put,
    Scalar,
    ScalarFunction,
    Variable,
    instructions,
)


def divergent(procedure: Procedure, varying: Iterable[str]) -> frozenset[str]:
    """The variables of a procedure that may differ between points, if only these of its parameters do.

    Of a loop's states: between points that are in the loop; of its results: once all have left. The mask of who is in a
    loop counts as different.
    """
    analysis = _Analysis(set(varying))
    while analysis.grows(procedure.body):
        pass
    return frozenset(analysis.found)


def gathers(
    function: ScalarFunction, varying: Iterable[str], index_differs: Callable[[IndexValue], bool]
) -> tuple[Fetch, ...]:
    """What procedures that a function calls read at different places: these of its parameters and indices differ."""
    outside = _Analysis(set(varying), index_differs)
    for variable, value in function.bindings:
        outside.note(variable, outside.differs(value))
    for value in function.results:
        outside.differs(value)
    found: list[Fetch] = []
    for procedure, differing in outside.called:
        inside = _Analysis(set(divergent(procedure, differing)))
        read = (part for part in instructions(procedure.body) if isinstance(part, Fetch))
        found += [part for part in read if any(map(inside.differs, part.index))]
    return tuple(found)


def side_by_side(
    function: ScalarFunction, varying: Iterable[str], dim: str, differs: Callable[[IndexValue], bool]
) -> bool:
    """Whether points along `dim` that execute procedures side by side take neighbours along the last axis of what they
    write, and of what they read, or one element for all of them. varying, differs: as of `gathers`, along `dim`."""
    outside = _Analysis(set(varying), differs)
    for variable, value in function.bindings:
        outside.note(variable, outside.differs(value))
    for value in function.results:
        outside.differs(value)
    for procedure, differing in outside.called:
        counted = {name for name, index in outside.counters[procedure] if index.coefficient(dim) == 1}
        inside = _Analysis(set(divergent(procedure, differing)))
        for part in instructions(procedure.body):
            if not isinstance(part, (Fetch, Put)) or (
                isinstance(part, Fetch) and not any(map(inside.differs, part.index))
            ):
                continue
            *rows, last = part.index or (_NOWHERE,)
            neighbours = isinstance(last, Variable) and last.name in counted and not part.extent
            if not neighbours or any(map(inside.differs, rows)):
                return False
    return True


_NOWHERE = Constant(0, int64)


def _always(index: IndexValue) -> bool:
    return True


class _Analysis:
    """found: the variables that differ; called: procedures, each with its parameters that do; counters: those of its
    parameters that are affine expressions."""

    def __init__(self, found: set[str], index_differs: Callable[[IndexValue], bool] = _always) -> None:
        self.found = found
        self.called: list[tuple[Procedure, list[str]]] = []
        self.counters: dict[Procedure, tuple[tuple[str, Affine], ...]] = {}
        self._index_differs = index_differs
        self._same: set[int] = set()
        self._differing: set[int] = set()

    def grows(self, body: tuple[Instruction, ...]) -> bool:
        """One look at all instructions; whether more values than before turned out to differ."""
        before = len(self.found)
        self._same.clear()
        self._look(body, None)
        return len(self.found) > before

    def _look(self, body: tuple[Instruction, ...], active: str | None) -> None:
        for part in body:
            match part:
                case Bind(variable, value):
                    self.note(variable, self.differs(value))
                case Fetch():
                    self.note(part.variable, any(map(self.differs, part.index)) or not _for_all(part.where, active))
                case Iterate():
                    self._loop(part, active)

    def _loop(self, loop: Iterate, around: str | None) -> None:
        self.found.add(loop.active.name)
        self._look(loop.head, loop.active.name)
        self._look(loop.body, loop.active.name)
        leaves_alone = self.differs(loop.condition) or self.differs(loop.leave) or not _for_all(loop.where, around)
        for state, result, *values in zip(loop.states, loop.results, loop.initial, loop.following, strict=True):
            self.note(state, any(map(self.differs, values)))
            self.note(result, leaves_alone or state.name in self.found)

    def note(self, variable: Variable, differs: bool) -> None:
        if differs:
            self.found.add(variable.name)

    def differs(self, node: Scalar) -> bool:
        """Each node is asked once a look: values may be shared many times over."""
        match node:
            case Constant():
                return False
            case Variable():
                return node.name in self.found
            case IndexValue():
                return self._index_differs(node)
            case Procedure():
                return True
            case Operation("call", (Procedure() as procedure, _, *arguments)):
                differing = [p.name for p, a in zip(procedure.parameters, arguments, strict=True) if self.differs(a)]
                self.called.append((procedure, differing))
                given = zip(procedure.parameters, arguments, strict=True)
                self.counters[procedure] = tuple((p.name, a.index) for p, a in given if isinstance(a, IndexValue))
                return True
            case Operation():
                if id(node) in self._differing:
                    return True
                if id(node) in self._same:
                    return False
                differs = any(map(self.differs, node.operands))
                (self._differing if differs else self._same).add(id(node))
                return differs


def _for_all(where: Scalar, active: str | None) -> bool:
    """Whether an instruction is executed for all points that are in the loop around it."""
    if isinstance(where, Constant):
        return bool(where.value)
    return isinstance(where, Variable) and where.name == active
