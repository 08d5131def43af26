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


def numba_twin(function: Any, loop: str | None = "") -> Callable[..., Any]:
    """`function`, a plain one or one decorated by `jitmdh`, compiled by Numba.

    loop: the variable of the loop that becomes a `prange`; "": the outermost of each nest; None: no loop, for a nest
    whose outermost loop carries a state that Numba's `prange` would get wrong, such as an arg-max.
    """
    import numba

    plain = plain_function(function)
    space: dict[str, Any] = {name: _for_numba(plain, value) for name, value in _outside(plain).items()}
    space["prange"] = numba.prange
    tree = _definition(plain) if loop is None else _parallel(plain, loop)
    exec(compile(ast.unparse(tree), f"<{plain.__name__} for Numba>", "exec"), space)
    compiled: Callable[..., Any] = numba.njit(parallel=loop is not None, fastmath=True)(space[plain.__name__])
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


def _parallel(function: FunctionType, loop: str) -> ast.Module:
    tree = _definition(function)
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    for node in ast.walk(tree) if loop else definition.body:
        if isinstance(node, ast.For) and isinstance(node.target, ast.Name) and loop in ("", node.target.id):
            assert isinstance(node.iter, ast.Call) and isinstance(node.iter.func, ast.Name)
            node.iter.func.id = "prange"
    return tree
