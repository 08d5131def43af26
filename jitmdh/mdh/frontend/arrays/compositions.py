"""Functions of NumPy that are written in terms of others, in `numpy_functions`: inlined where they are called.

np.std(x, axis=0)     ->     sqrt(var(x, 0))     ->     …     errors are about the call, in the program's own line
"""

from __future__ import annotations

import ast
import copy
import functools
import inspect
from collections.abc import Mapping, Sequence

from jitmdh.mdh.frontend.arrays import numpy_functions
from jitmdh.mdh.frontend.python import inlining
from jitmdh.mdh.frontend.python.tracer import Frame, LocalFunction, Static, SymbolicValue, Tracer
from jitmdh.mdh.frontend.python.values import as_scalar
from jitmdh.mdh.frontend.source.library import function_name


@functools.cache
def definitions() -> Mapping[str, ast.FunctionDef]:
    """The functions, by their names."""
    tree = ast.parse(inspect.getsource(numpy_functions))
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


COMPOSED = {
    **{
        f"numpy.{name}": name
        for name, value in vars(numpy_functions).items()
        if inspect.isfunction(value) and value.__module__ == numpy_functions.__name__ and not name.startswith("_")
    },
    "numpy.trapz": "trapezoid",
}
"""What is written so, by the full name of NumPy's function."""

METHODS = ("var", "std", "trace")
"""Methods of arrays that are."""


def parameters(name: str) -> tuple[str, ...]:
    """Those of a function, behind the first one."""
    return tuple(a.arg for a in definitions()[name].args.args[1:])


def known(function: object) -> str | None:
    """The name of a function that is written here."""
    return COMPOSED.get(function_name(function) or "")


def call(
    t: Tracer, node: ast.Call, name: str, arguments: Sequence[SymbolicValue], keywords: Mapping[str, SymbolicValue]
) -> SymbolicValue:
    """`np.name(*arguments, **keywords)`."""
    return inlining.call_local(t, node, _placed(t, node, name), list(arguments), dict(keywords))


def grid(t: Tracer, node: ast.Subscript) -> SymbolicValue:
    """`np.mgrid[a:b, c:d]` of integers."""
    slices = node.slice.elts if isinstance(node.slice, ast.Tuple) else []
    if len(slices) != 2 or not all(isinstance(s, ast.Slice) and s.upper and not s.step for s in slices):
        t.error(node, f"`{ast.unparse(node)}` is not supported", hint="np.mgrid takes two slices without a step here")
    limits: list[ast.expr] = []
    for part in slices:
        assert isinstance(part, ast.Slice) and part.upper is not None
        limits += [part.lower or ast.copy_location(ast.Constant(0), part), part.upper]
    values = [t.evaluate(one) for one in limits]
    if any(as_scalar(t, one, value).type.kind not in "iu" for one, value in zip(limits, values)):
        t.error(node, f"`{ast.unparse(node)}` of other numbers than integers", hint="np.linspace has floats")
    return call(t, ast.copy_location(ast.Call(node.value, limits, []), node), "_mgrid", values, {})


def _placed(t: Tracer, node: ast.Call, name: str) -> LocalFunction:
    """One of the functions, as if it stood where it is called."""
    around = Frame(t.frame.source, {})
    for own, value in vars(numpy_functions).items():
        if own not in definitions() and not own.startswith("__"):
            around.env[own] = t.arithmetic.literal(value) if isinstance(value, float) else Static(value)
    for own in definitions():
        definition = copy.deepcopy(definitions()[own])
        for part in ast.walk(definition):
            if hasattr(part, "lineno"):
                ast.copy_location(part, node)
        spec = definition.args
        names = [a.arg for a in (*spec.posonlyargs, *spec.args)]
        defaults = dict(zip(names[len(names) - len(spec.defaults) :], spec.defaults))
        values = {n: t.evaluate(d) if isinstance(d, ast.Constant) else _type(d) for n, d in defaults.items()}
        values |= {n: t.evaluate(d) for n, d in defaults.items() if isinstance(d, ast.UnaryOp)}
        around.env[own] = LocalFunction(definition, around, values)
    found = around.env[name]
    assert isinstance(found, LocalFunction)
    return found


def _type(node: ast.expr) -> SymbolicValue:
    """A type that is a default."""
    name = node.id if isinstance(node, ast.Name) else ""
    return Static(float if name == "float" else vars(numpy_functions).get(name))
