"""What `@jit` decorates, and with which options: everything else is refused where it is written, with what to do."""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Iterable
from types import FunctionType
from typing import Any

from jitmdh.base.errors import ConfigurationError

_NUMBA_OPTIONS = {
    "nopython": "leave it out: code is always compiled without Python; what cannot be is an error, or see fallback=",
    "forceobj": 'leave it out, or give fallback="python"',
    "looplift": "leave it out: where a function cannot be compiled, its loops are",
    "fastmath": "leave it out: sums are re-associated unless reassociate=False, and values are never assumed finite",
    "parallel": "leave it out: loops without dependences run in parallel; mdh.config.num_threads says how many",
    "nogil": "leave it out: the GIL is released in every call",
    "boundscheck": "leave it out: bounds are always checked, before anything is written",
    "error_model": "leave it out: divisions by zero are errors where Python's are",
    "inline": "leave it out: functions that a compiled function calls are inlined",
    "locals": "leave it out: types follow from the arguments",
    "debug": "leave it out: f.explain() and f.inspect(stage=…) show what was compiled",
    "signature": "leave it out: a function is compiled for the types of each call",
    "static_argnums": "leave it out, or see static=",
    "static_argnames": "leave it out, or see static=",
    "donate_argnums": "leave it out: arrays are updated in place",
}


def require_option(name: str, known: Iterable[str]) -> None:
    """ConfigurationError for what is no option of `@jit`, with what users of Numba or JAX should write instead."""
    known = tuple(known)
    if name in known:
        return
    near = difflib.get_close_matches(name, known, n=1)
    hint = _NUMBA_OPTIONS.get(name) or (f"did you mean `{near[0]}`?" if near else f"options are {', '.join(known)}")
    raise ConfigurationError(f"@jit has no option `{name}`", hint=hint)


def require_function(function: Any) -> None:
    """ConfigurationError for what is no plain Python function."""
    if isinstance(function, str) or (isinstance(function, list | tuple) and all(isinstance(f, str) for f in function)):
        raise ConfigurationError("@jit takes no signature", hint=f"{_NUMBA_OPTIONS['signature']}; write @mdh.jit")
    what, hint = "", ""
    if isinstance(function, type):
        what, hint = f"class `{function.__name__}`", "decorate its methods, or a function"
    elif isinstance(function, functools.partial):
        name = getattr(function.func, "__name__", "f")
        what = f"functools.partial of `{name}`"
        hint = f"decorate `{name}` first: functools.partial(mdh.jit({name}), …)"
    elif isinstance(function, staticmethod | classmethod | property):
        what, hint = f"{type(function).__name__}", f"write @{type(function).__name__} above @mdh.jit"
    elif inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        what, hint = f"async function `{function.__name__}`", "compute in a plain function, and await around it"
    elif inspect.isgeneratorfunction(function):
        what, hint = f"generator `{function.__name__}`", "write a function that fills an array"
    elif not isinstance(getattr(function, "py_func", function), FunctionType):
        name = getattr(function, "__name__", "")
        what = f"`{name}`, which is no Python function" if name else f"an object of type `{type(function).__name__}`"
        hint = "decorate a function that is defined with def"
    if what:
        raise ConfigurationError(f"@jit cannot compile {what}", hint=hint)


def require_parameters(function: Any, names: Iterable[str]) -> None:
    """ConfigurationError for an argument that the option `static` names and the function does not have."""
    known = tuple(inspect.signature(function).parameters)
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean `{near[0]}`?" if near else f"its arguments are {', '.join(known)}"
            raise ConfigurationError(f"@jit: static names `{name}`, no argument of `{function.__name__}`", hint=hint)


def bound(
    function: str, signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...]:
    """The arguments in the order of the parameters, defaults filled in. TypeError as Python words it."""
    try:
        found = signature.bind(*args, **kwargs)
    except TypeError as error:
        raise TypeError(f"{function}() {_as_python(str(error), signature, args)}") from None
    found.apply_defaults()
    return tuple(found.arguments[name] for name in signature.parameters)


def _as_python(message: str, signature: inspect.Signature, args: tuple[Any, ...]) -> str:
    if message == "too many positional arguments":
        kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        count = sum(p.kind in kinds for p in signature.parameters.values())
        return f"takes {count} positional argument{'s' * (count != 1)} but {len(args)} were given"
    return message
