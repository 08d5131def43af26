"""Scalar functions put together from others, with the accesses that feed them.

t = f(x[i]);  y = g(t, x[i])        ->        y = g(f(x), x)  with x = x[i]
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from jitmdh.base.names import unused
from jitmdh.mdh.algebra.combine import Concatenation
from jitmdh.mdh.algebra.expr import Access, Expression, Finish
from jitmdh.mdh.algebra.scalar import Operation, Scalar, ScalarFunction, Variable, substitute


class Composition:
    """A scalar function that grows: each access feeds one parameter, whoever reads it."""

    def __init__(self, states: Iterable[Variable] = ()) -> None:
        self.accesses: list[Access] = []
        self._states = tuple(states)
        self._inputs: list[Variable] = []
        self._bindings: list[tuple[Variable, Scalar]] = []
        self._taken = {v.name for v in self._states}

    def read(self, access: Access, parameter: Variable) -> Variable:
        """The parameter that `access` feeds, a new one like `parameter` where there is none."""
        for known, at in zip(self._inputs, self.accesses):
            if at == access:
                return known
        new = Variable(unused(parameter.name, self._taken), parameter.type)
        self._inputs.append(new)
        self.accesses.append(access)
        return new

    def reads(self, view: Sequence[Access], parameters: Sequence[Variable]) -> list[Scalar]:
        """`read` of each."""
        return [self.read(a, p) for a, p in zip(view, parameters, strict=True)]

    def applied(self, function: ScalarFunction, values: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """The results of a function on these values; what several of its places use is computed once."""
        env: dict[str, Scalar] = {}
        for parameter, value in zip(function.parameters, values, strict=True):
            shared = isinstance(value, Operation) and _uses(function, parameter.name) > 1
            env[parameter.name] = self._bound(parameter, value) if shared else value
        for variable, value in function.bindings:
            env[variable.name] = self._bound(variable, substitute(value, env))
        return tuple(substitute(r, env) for r in function.results)

    def function(self, results: Iterable[Scalar]) -> ScalarFunction:
        """The whole function: parameters are the states, then one for each of `accesses`."""
        return ScalarFunction((*self._states, *self._inputs), tuple(self._bindings), tuple(results))

    def shared(self, results: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """The same results; operations that stand in several of them, or have a name, are computed once."""
        of = [_operations(r) for r in results]
        several = {node for n, own in enumerate(of) for node in own if any(node in other for other in of[n + 1 :])}
        known: dict[Scalar, Scalar] = {value: variable for variable, value in self._bindings}

        def made(node: Scalar) -> Scalar:
            if isinstance(node, Operation) and node not in known:
                if node in several:
                    known[node] = self._bound(Variable("common", node.type), node)
                else:
                    known[node] = replace(node, operands=tuple(map(made, node.operands)))
            return known.get(node, node)

        return tuple(map(made, results))

    def _bound(self, variable: Variable, value: Scalar) -> Variable:
        for known, same in self._bindings:
            if same == value:
                return known
        new = Variable(unused(variable.name, self._taken), variable.type)
        self._bindings.append((new, value))
        return new


def states_of(e: Expression) -> tuple[Variable, ...]:
    """The parameters of a finish that stand for what the dimensions of `e` come to."""
    if e.finish is not None:
        return e.finish.function.parameters[: len(e.finish.function.parameters) - len(e.finish.inp_view)]
    types = e.between[-1].function.result_types if e.between else e.md_hom.function.result_types
    return tuple(Variable(f"state_{n}" if n else "state", type) for n, type in enumerate(types))


def finished(e: Expression, states: Sequence[Scalar], composition: Composition) -> tuple[Scalar, ...]:
    """The results of `e`, of what its dimensions come to."""
    if e.finish is None:
        return tuple(states)
    inputs = composition.reads(e.finish.inp_view, e.finish.function.parameters[len(states) :])
    return composition.applied(e.finish.function, (*states, *inputs))


def element_wise(e: Expression) -> Expression:
    """An expression of concatenated dimensions alone, its finish as a part of its function; any other as it is."""
    if e.finish is None or not all(isinstance(c, Concatenation) for c in e.md_hom.combine):
        return e
    made = Composition()
    states = made.applied(e.md_hom.function, made.reads(e.inp_view, e.md_hom.function.parameters))
    results = finished(e, states, made)
    md_hom = replace(e.md_hom, function=made.function(results))
    return replace(e, inp_view=tuple(made.accesses), md_hom=md_hom, finish=None)


def finish_of(composition: Composition, results: Sequence[Scalar], states: Sequence[Variable]) -> Finish | None:
    """A finish with these results; None where they are the states."""
    if tuple(results) == tuple(states) and not composition.accesses:
        return None
    return Finish(tuple(composition.accesses), composition.function(results))


def _uses(function: ScalarFunction, name: str) -> int:
    """How many places of a function have a parameter."""
    return sum(_count(node, name) for node in (*(value for _, value in function.bindings), *function.results))


def _count(node: Scalar, name: str) -> int:
    if isinstance(node, Operation):
        return sum(_count(o, name) for o in node.operands)
    return isinstance(node, Variable) and node.name == name


def _operations(value: Scalar) -> set[Operation]:
    """All of them in a value, itself included. Values share parts: each is looked at once."""
    found, waiting = set[Operation](), [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Operation) and node not in found:
            found.add(node)
            waiting += node.operands
    return found
