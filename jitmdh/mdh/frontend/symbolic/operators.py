"""Declaring combine operators: `@operator`, `pw`, `ps`, `cc`; and `sequential`, for loops without one.

Their types are found when they are used in a trace.
"""

from __future__ import annotations

import operator as python_operator
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any, overload

import numpy as np

from jitmdh.base.dtype import ScalarType
from jitmdh.base.errors import ConfigurationError
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.combine import Operator
from jitmdh.mdh.algebra.combine import cc as cc
from jitmdh.mdh.algebra.operations.table import ASSOCIATIVE, OF_OPERATOR, OPERATIONS
from jitmdh.mdh.algebra.scalar import Scalar
from jitmdh.mdh.frontend.source.library import function_name

_NAMES = {
    **{name: op for op in ASSOCIATIVE if OPERATIONS[op].numpy for name in (op, *OPERATIONS[op].numpy)},
    **{name: op for name, op in OF_OPERATOR.items() if op in ASSOCIATIVE},
    "+": "add", "sum": "add", "iadd": "add", "*": "mul", "prod": "mul", "imul": "mul", "max": "fmax", "min": "fmin",
    "logical_and": "and", "logical_or": "or",
}  # fmt: skip


class DeclaredOperator:
    """A Python function `(state, state) -> state` that its author declares associative. Calls like the function.

    identity: the neutral state, if there is one; commutative: whether the order of parts may change.
    """

    def __init__(self, function: Callable[..., Any], identity: object = None, commutative: bool = True) -> None:
        if not isinstance(function, FunctionType):
            raise ConfigurationError("an operator must be a plain Python function of two states")
        self.py_func = function
        self.identity, self.commutative = identity, commutative
        self.__name__, self.__doc__ = function.__name__, function.__doc__
        self.__wrapped__ = function

    def __call__(self, lhs: Any, rhs: Any) -> Any:
        return self.py_func(lhs, rhs)

    def __repr__(self) -> str:
        return f"<operator {self.__name__}>"


@overload
def operator(function: Callable[..., Any], /) -> DeclaredOperator: ...
@overload
def operator(
    *, identity: object = None, commutative: bool = True
) -> Callable[[Callable[..., Any]], DeclaredOperator]: ...
def operator(
    function: Callable[..., Any] | None = None, /, *, identity: object = None, commutative: bool = True
) -> DeclaredOperator | Callable[[Callable[..., Any]], DeclaredOperator]:
    """Declare a function of two states, scalars or tuples of scalars, to be an associative combine operator.

    >>> @operator(identity=(float("-inf"), -1), commutative=False)
    ... def better(a, b):
    ...     return b if b[0] > a[0] else a
    >>> better((1.0, 0), (2.0, 1))
    (2.0, 1)
    """
    if function is not None:
        return DeclaredOperator(function, identity, commutative)
    return lambda f: DeclaredOperator(f, identity, commutative)


@dataclass(frozen=True, slots=True)
class Declared:
    """`pw(op)` or `ps(op)`: an operator whose types are not known yet. operation: the algebra's name of a known one."""

    kind: str
    operation: str | None = None
    function: DeclaredOperator | None = None


def functions_of(combine: Mapping[str, object]) -> dict[str, DeclaredOperator]:
    """The Python functions among the directives for loops."""
    return {name: d.function for name, d in combine.items() if isinstance(d, Declared) and d.function is not None}


@dataclass(frozen=True, slots=True)
class Ordered:
    """The directive that a loop's iterations follow each other as Python's do: nothing in it is a reduction."""

    def __repr__(self) -> str:
        return "sequential"


sequential = Ordered()

prange = range
"""Numba's name for `range`. It promises nothing: which iterations are independent is found out for every loop."""


def pw(op: object) -> Declared:
    """Point-wise combination with `op`: a name, a function of `operator` or NumPy, or an `@operator`."""
    return _declared("pw", op)


def ps(op: object) -> Declared:
    """Prefix sum with `op`."""
    return _declared("ps", op)


def _declared(kind: str, op: object) -> Declared:
    if isinstance(op, DeclaredOperator):
        return Declared(kind, function=op)
    if isinstance(op, FunctionType):
        return Declared(kind, function=DeclaredOperator(op))
    library = function_name(op)
    known = isinstance(op, (str, np.ufunc)) or (library or "").startswith(("builtins.", "_operator."))
    known = known and (isinstance(op, str) or library is not None)
    name = op if isinstance(op, str) else (library or str(getattr(op, "__name__", ""))).rpartition(".")[2]
    if known and name in _NAMES:
        return Declared(kind, operation=_NAMES[name])
    reason = "it is not associative" if hasattr(python_operator, name) else "it is no known operator"
    raise ConfigurationError(
        f"combine operator `{name or repr(op)}`: {reason}",
        reason="md_hom needs (a ⊗ b) ⊗ c == a ⊗ (b ⊗ c)",
        hint="declare a function of two states with @mdh.operator, or name one of add, mul, max, min, and, or",
    )


@dataclass(frozen=True, slots=True, eq=False)
class DeclaredCall:
    """A call of a declared operator during tracing: operator(types) gives the algebra's operator."""

    results: tuple[Scalar, ...]
    left: tuple[Scalar, ...]
    right: tuple[Scalar, ...]
    commutative: bool
    operator: Callable[[tuple[ScalarType, ...]], Operator]
