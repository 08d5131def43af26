"""The decorators `vectorize` and `guvectorize`, in the forms of NumPy and of Numba."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from typing import Any, overload

from jitmdh.base.calling.entry import entry
from jitmdh.base.errors import ConfigurationError
from jitmdh.jit.compilation.decorated import require_function, require_option
from jitmdh.jit.compilation.options import Fallback, Options
from jitmdh.jit.ufuncs.gufunc import GeneralizedFunction
from jitmdh.jit.ufuncs.ufunc import NOT_REORDERABLE, UniversalFunction

_OPTIONS = ("target", "tune", "deterministic", "reassociate", "fallback", "cache")


@overload
def vectorize(function: Callable[..., Any], /) -> UniversalFunction: ...
@overload
def vectorize(
    listed: str | Iterable[Any] | None = None, /, *, types: str | Iterable[Any] | None = None, nout: int = 1,
    identity: Any = NOT_REORDERABLE, target: str | None = None, tune: str = "online", deterministic: bool = False,
    reassociate: bool = True, fallback: Fallback | None = None, cache: bool = True,
) -> Callable[[Callable[..., Any]], UniversalFunction]: ...  # fmt: skip
@entry
def vectorize(
    function: Any = None, /, *, types: Any = None, nout: int = 1, identity: Any = NOT_REORDERABLE, **options: Any
) -> Any:
    """Makes a function of numbers a function of arrays, with the broadcasting and the keywords of NumPy's ufuncs.

    Write `@mdh.vectorize` above a function, or `@mdh.vectorize(types=…, option=value)`. The function may have branches
    and loops. The result is a `UniversalFunction`: `f(x, y, out=…, where=…, dtype=…)`, `f.reduce`, `f.accumulate`,
    `f.outer`.

    types: the loops there are, as NumPy writes them ("ff->f") or as Numba does ("float32(float32, float32)"), one or
        several. A call takes the first one to which its operands can be cast safely. None (default): each combination
        of types has a loop, whose results have the type that the function gives.
        `@mdh.vectorize(types=["ff->f", "dd->d"])`, or as Numba has it `@mdh.vectorize(["float64(float64, float64)"])`
    nout: how many results the function has; default 1. Several are returned as a tuple.
        `@mdh.vectorize(nout=2)`
    identity: where it is given, the function is associative and commutative, and this is its neutral element (None: it
        has none). Then `reduce` takes several axes, runs in parallel and in any order. Default: not declared.
        `@mdh.vectorize(identity=0)`
    options: target, tune, deterministic, reassociate, fallback and cache, as for `jit`.

    Raises ConfigurationError for what cannot be read. Calls raise TypeError where there is no loop for their types or
    a cast is not allowed, ValueError where shapes do not fit, NotAnMdhError for what cannot be compiled.

    >>> import numpy as np
    >>> @vectorize
    ... def clipped(x, limit):
    ...     return limit if x > limit else x
    >>> clipped(np.array([[1.0, 5.0], [7.0, 2.0]]), np.array([3.0, 4.0]))
    array([[1., 4.],
           [3., 2.]])
    """
    if _is_types(function):
        if types is not None:
            raise ConfigurationError("vectorize: types are given twice")
        function, types = None, function
    given = _options("vectorize", options)

    @entry
    def decorate(of: Any) -> UniversalFunction:
        return UniversalFunction(_plain(of), given, types, nout, identity)

    return decorate if function is None else decorate(function)


@overload
def guvectorize(
    signature: str, /, *, types: str | Iterable[Any] | None = None, target: str | None = None, tune: str = "online",
    deterministic: bool = False, reassociate: bool = True, fallback: Fallback | None = None, cache: bool = True,
) -> Callable[[Callable[..., Any]], GeneralizedFunction]: ...  # fmt: skip
@overload
def guvectorize(
    types: Iterable[Any], signature: str, /, *, target: str | None = None, tune: str = "online",
    deterministic: bool = False, reassociate: bool = True, fallback: Fallback | None = None, cache: bool = True,
) -> Callable[[Callable[..., Any]], GeneralizedFunction]: ...  # fmt: skip
@entry
def guvectorize(*given: Any, signature: Any = None, types: Any = None, **options: Any) -> Any:
    """Makes a function of arrays a function of arrays of any higher rank, after NumPy's generalised ufuncs.

    `@mdh.guvectorize("(m,k),(k,n)->(m,n)")`: the signature names the core dimensions, which are the last axes of each
    array; the function is called for each point of all other axes, which are broadcast. A number in place of a name is
    an extent; a name with "?" may be missing. The function takes an array for each argument, or a number where there
    are no core dimensions, and either returns the results, or takes an array for each result, too, and fills it as with
    Numba (a result without core dimensions has one element: `out[0] = …`). It becomes a `GeneralizedFunction`:
    `f(*arrays, out=…, axes=…, axis=…, dtype=…)`.

    types: the loops there are, as for `vectorize`: "dd->d" or "void(float64[:], float64[:])". None (default): every
        type; then the types of results that are filled are those of `out` or `dtype`, which must be given.
        `@mdh.guvectorize("(n)->()", types="d->d")`, or as Numba has it
        `@mdh.guvectorize(["void(float64[:], float64[:])"], "(n)->()")`
    options: target, tune, deterministic, reassociate, fallback and cache, as for `jit`.

    Raises ConfigurationError for what cannot be read. Calls raise ValueError where core dimensions or loops do not fit.

    >>> import numpy as np
    >>> @guvectorize("(n),(n)->()")
    ... def distance(x, y):
    ...     return np.sqrt(np.sum((x - y) ** 2))
    >>> distance(np.array([[3.0, 4.0], [6.0, 8.0]]), np.zeros(2))
    array([ 5., 10.])
    """
    texts = [g for g in given if isinstance(g, str) and "(" in g and "->" in g and types is not g]
    if signature is None and texts:
        signature = texts[-1]
    listed = [g for g in given if g is not signature]
    if signature is None or len(listed) > 1 or (listed and (types is not None or not _is_types(listed[0]))):
        raise ConfigurationError(
            "guvectorize needs a signature of core dimensions", hint='write @mdh.guvectorize("(n),(n)->()")'
        )
    given_types = listed[0] if listed else types
    chosen = _options("guvectorize", options)

    @entry
    def decorate(of: Any) -> GeneralizedFunction:
        return GeneralizedFunction(_plain(of), chosen, signature, given_types)

    return decorate


def _is_types(value: Any) -> bool:
    """Whether a first argument is not a function, but types in one of Numba's forms."""
    return (value is not None and not callable(value)) or type(value).__module__.startswith("numba.")


def _options(decorator: str, options: dict[str, Any]) -> Options:
    if isinstance(target := options.get("target"), str) and target in ("parallel", "cpu"):
        options = {**options, "target": None}  # Numba's: each loop that can be is run in parallel
    for name in options:
        require_option(name, _OPTIONS)
    return Options(**options)


def _plain(function: Any) -> Any:
    """The function itself, where it is decorated already. ConfigurationError for what is none."""
    require_function(function)
    return getattr(function, "py_func", function)


def _signature(of: Any, names: Sequence[str], result: str) -> inspect.Signature:
    """The parameters of a decorator with the options it has, their types and defaults."""
    own = [p for p in inspect.signature(of).parameters.values() if p.kind is not p.VAR_KEYWORD]
    options = [inspect.Parameter(f.name, inspect.Parameter.KEYWORD_ONLY, annotation=f.type, default=f.default)
               for f in fields(Options) if f.name in names]  # fmt: skip
    return inspect.Signature([*own, *options], return_annotation=result)


vectorize.__signature__ = _signature(vectorize, _OPTIONS, "UniversalFunction | Callable")  # type: ignore[attr-defined]
guvectorize.__signature__ = _signature(guvectorize, _OPTIONS, "Callable")  # type: ignore[attr-defined]

__all__ = ["guvectorize", "vectorize"]
