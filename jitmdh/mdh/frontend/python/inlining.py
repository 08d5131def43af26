"""Calls of the user's own functions: executed in a frame of their own."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import replace

from jitmdh.base.dtype import ScalarType
from jitmdh.base.errors import MeaningError
from jitmdh.mdh.algebra.combine import Operator
from jitmdh.mdh.algebra.scalar import Constant, Scalar, ScalarFunction, Variable
from jitmdh.mdh.frontend.python.records import fields
from jitmdh.mdh.frontend.python.records import like as kept_kind
from jitmdh.mdh.frontend.python.tracer import Activation, LocalFunction, Static, SymbolicValue, Tracer, is_scalar
from jitmdh.mdh.frontend.python.values import constant
from jitmdh.mdh.frontend.source.capture import Source
from jitmdh.mdh.frontend.symbolic.operators import DeclaredCall, DeclaredOperator


def call(
    t: Tracer, node: ast.Call, function: object, arguments: list[SymbolicValue], keywords: dict[str, SymbolicValue]
) -> SymbolicValue:
    """The value of `function(*arguments, **keywords)`."""
    plain = t.environment.python_function(function)
    assert plain is not None
    declared = function if isinstance(function, DeclaredOperator) else t.declared.get(plain)
    if any(f.source.function is plain for f in t.frames):
        t.error(node, f"recursive call of `{plain.__name__}`", hint="write it as a loop")
    combines = isinstance(declared, DeclaredOperator) and len(arguments) == 2 and not keywords
    if combines:
        arguments = [fields(t, node, a) for a in arguments]
        _check_states(t, node, plain.__name__, arguments)
    result = execute(t, node, t.environment.source(plain), arguments, keywords)
    if isinstance(declared, DeclaredOperator) and combines:
        left, right, results = (flattened(v) for v in (arguments[0], arguments[1], result))
        if left and right and results:
            make = operator_maker(t, node, declared, arguments[0])
            t.calls.append(DeclaredCall(results, left, right, declared.commutative, make))
    return result


def _check_states(t: Tracer, node: ast.Call, name: str, states: list[SymbolicValue]) -> None:
    sizes = [len(flattened(s)) for s in states]
    if all(sizes) and sizes[0] != sizes[1]:
        shown = " and ".join(f"{n} component{'s' * (n != 1)}" for n in sizes)
        t.error(
            node,
            f"operator `{name}` is given states of {shown}",
            "a combine operator takes two states of one kind and gives another",
            "give it what one iteration contributes as a whole state",
        )


def execute(
    t: Tracer, node: ast.AST, source: Source, arguments: list[SymbolicValue], keywords: dict[str, SymbolicValue]
) -> SymbolicValue:
    return _run(t, Activation(source, _bound(t, node, source, arguments, keywords), node))


def call_local(
    t: Tracer, node: ast.Call, function: LocalFunction, arguments: list[SymbolicValue],
    keywords: dict[str, SymbolicValue],
) -> SymbolicValue:  # fmt: skip
    """The value of a call of a function that is defined inside of the one that calls it."""
    if any(f.source.definition is function.definition for f in t.frames):
        t.error(node, f"recursive call of `{ast.unparse(node.func)}`", hint="write it as a loop")
    source = replace(function.frame.source, definition=function.definition)
    env = _bound(t, node, source, arguments, keywords, function.defaults, ast.unparse(node.func))
    return _run(t, Activation(source, env, node, closure=function.frame))


def define(t: Tracer, definition: ast.FunctionDef | ast.Lambda) -> LocalFunction:
    """A function that is defined here; its defaults are evaluated now."""
    spec = definition.args
    positional = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    given = dict(zip(positional[len(positional) - len(spec.defaults) :], spec.defaults))
    given |= {a.arg: d for a, d in zip(spec.kwonlyargs, spec.kw_defaults) if d is not None}
    return LocalFunction(definition, t.frame, {name: t.evaluate(value) for name, value in given.items()})


def _run(t: Tracer, frame: Activation) -> SymbolicValue:
    source = frame.source
    t.frames.append(frame)
    try:
        if isinstance(source.definition, ast.Lambda):
            return t.evaluate(source.definition.body)
        result = t.run(source.definition.body)
    finally:
        t.frames.pop()
    return Static(None) if result is None else result


def _bound(
    t: Tracer, node: ast.AST, source: Source, arguments: list[SymbolicValue], keywords: dict[str, SymbolicValue],
    defaults: Mapping[str, SymbolicValue] | None = None, called: str = "",
) -> dict[str, SymbolicValue]:  # fmt: skip
    spec, called = source.definition.args, called or source.name
    if spec.vararg or spec.kwarg:
        t.error(node, f"`{called}` takes *args or **kwargs", hint="name its parameters")
    names = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    if len(arguments) > len(names):
        s = "s" * (len(names) != 1)
        t.error(node, f"`{called}` takes {len(names)} argument{s}, {len(arguments)} given")
    env: dict[str, SymbolicValue] = dict(zip(names, arguments))
    for name, given in keywords.items():
        if name not in names and name not in [a.arg for a in spec.kwonlyargs]:
            t.error(node, f"`{called}` has no parameter `{name}`")
        env[name] = given
    everything = [*names, *(a.arg for a in spec.kwonlyargs)]
    if len(env) < len(everything):
        env = {**(_defaults(t, node, source, names) if defaults is None else defaults), **env}
    missing = [name for name in everything if name not in env]
    if missing:
        t.error(node, f"`{called}` is called without its argument `{missing[0]}`")
    return env


def _defaults(t: Tracer, node: ast.AST, source: Source, names: list[str]) -> dict[str, SymbolicValue]:
    defaults = t.environment.defaults(source.function)
    given = dict(zip(names[len(names) - len(defaults) :], defaults))
    given.update(t.environment.keyword_defaults(source.function))
    return {name: constant(t, node, value) for name, value in given.items()}


def flattened(value: SymbolicValue) -> tuple[Scalar, ...]:
    """The scalars of a value; empty if it holds anything else."""
    if isinstance(value, tuple):
        parts = [flattened(v) for v in value]
        return tuple(s for p in parts for s in p) if all(parts) else ()
    return (value,) if is_scalar(value) else ()  # type: ignore[return-value]


def unflattened(like: SymbolicValue, scalars: list[Scalar]) -> SymbolicValue:
    """`scalars` in the shape of `like`; consumes them."""
    if isinstance(like, tuple):
        return kept_kind(like, [unflattened(part, scalars) for part in like])
    return scalars.pop(0)


def operator_maker(
    t: Tracer, node: ast.AST, declared: DeclaredOperator, like: SymbolicValue
) -> Callable[[tuple[ScalarType, ...]], Operator]:  # fmt: skip
    def make(types: tuple[ScalarType, ...]) -> Operator:
        graph = t.trace.graph
        lefts = [graph.variable(f"lhs{n}" if len(types) > 1 else "lhs", x) for n, x in enumerate(types)]
        rights = [graph.variable(f"rhs{n}" if len(types) > 1 else "rhs", x) for n, x in enumerate(types)]
        states = [unflattened(like, list(side)) for side in (lefts, rights)]
        plain = t.environment.python_function(declared)
        assert plain is not None
        results = flattened(execute(t, node, t.environment.source(plain), states, {}))
        if len(results) != len(types):
            t.error(node, f"operator `{declared.__name__}` does not return a state like the ones it takes")
        results = tuple(t.arithmetic.cast(r, x) for r, x in zip(results, types))
        parameters = tuple(v for v in (*lefts, *rights) if isinstance(v, Variable))
        function = ScalarFunction(parameters, (), results)
        identity = _identity(t, node, declared, types)
        return Operator(declared.__name__, function, identity, declared.commutative)

    return make


def _identity(
    t: Tracer, node: ast.AST, declared: DeclaredOperator, types: tuple[ScalarType, ...]
) -> tuple[Constant, ...] | None:  # fmt: skip
    if declared.identity is None:
        return None
    parts = flattened(constant(t, node, declared.identity))
    if len(parts) != len(types):
        text = f"the identity of operator `{declared.__name__}` is no state of {len(types)} components"
        raise MeaningError(text, loc=t.loc(node))
    cast = [t.arithmetic.cast(p, x) for p, x in zip(parts, types)]
    return tuple(c for c in cast if isinstance(c, Constant))
