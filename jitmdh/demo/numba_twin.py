"""The same loop nest for Numba, as someone who knows Numba would write it.

    for i in range(n): for j in range(m): …   ->   @njit(parallel=True, fastmath=True), for i in prange(n): …

The text of the function is the same but for that one word, so both compilers are given the same program. Plain scalar
functions and operators that it calls are compiled with `@njit(fastmath=True)`.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from types import FunctionType
from typing import Any


def available() -> bool:
    """Whether Numba is installed."""
    from importlib.util import find_spec

    return find_spec("numba") is not None


def numba_twin(function: Any, parallel: bool = True) -> Callable[..., Any]:
    """`function`, a plain one or one decorated by `jitmdh`, compiled by Numba.

    parallel: the outermost loop of each nest is over `prange`; not for nests whose outermost loop carries a state
    that Numba's `prange` would get wrong, such as an arg-max.
    """
    import numba

    plain = plain_function(function)
    space: dict[str, Any] = {name: _for_numba(plain, value) for name, value in _outside(plain).items()}
    space["prange"] = numba.prange
    tree = _parallel(plain) if parallel else _definition(plain)
    exec(compile(ast.unparse(tree), f"<{plain.__name__} for Numba>", "exec"), space)
    compiled: Callable[..., Any] = numba.njit(parallel=parallel, fastmath=True)(space[plain.__name__])
    return compiled


def plain_function(function: Any) -> FunctionType:
    """What a decorator of ours wraps, or the function itself."""
    plain = getattr(function, "py_func", function)
    assert isinstance(plain, FunctionType), function
    return plain


def _outside(function: FunctionType) -> dict[str, object]:
    return {name: function.__globals__[name] for name in function.__code__.co_names if name in function.__globals__}


def _for_numba(caller: FunctionType, value: object) -> object:
    """A callee as Numba takes it; everything else as it is."""
    inner = getattr(value, "py_func", value)
    if not isinstance(inner, FunctionType) or inner is caller or inner.__module__.partition(".")[0] == "numpy":
        return value
    import numba

    space: dict[str, Any] = {name: _for_numba(inner, outer) for name, outer in _outside(inner).items()}
    exec(compile(ast.unparse(_definition(inner)), f"<{inner.__name__} for Numba>", "exec"), space)
    compiled: object = numba.njit(fastmath=True)(space[inner.__name__])
    return compiled


def _definition(function: FunctionType) -> ast.Module:
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    definition.decorator_list, definition.returns = [], None
    for argument in definition.args.args:
        argument.annotation = None
    return tree


def _parallel(function: FunctionType) -> ast.Module:
    tree = _definition(function)
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    for statement in definition.body:
        if isinstance(statement, ast.For) and isinstance(statement.iter, ast.Call):
            assert isinstance(statement.iter.func, ast.Name) and statement.iter.func.id == "range"
            statement.iter.func.id = "prange"
    return tree
