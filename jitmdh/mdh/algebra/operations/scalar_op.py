"""A scalar operation: what a row of the table says of it.

Types, checks, interpreters, printers, costs and the names that users write are taken from the row. A target computes
what is no instruction of its own by the polynomials of `targets/math`, which are functions with the name of the
operation, or by the function of C's library.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from jitmdh.base.dtype import ScalarType
from jitmdh.base.records import dataclass

Number = bool | int | float | complex


@dataclass(frozen=True, slots=True)
class MathFunction:
    """The function of Python's `math` that is this operation on floats.

    outside, overflow: of its result and its operands, where it is a ValueError and an OverflowError; NumPy expressions
    with comparisons, `&`, `|`, `~`, `abs`, and functions of the table. whole: the result is an `int`.
    """

    name: str
    outside: Callable[..., Any] | None = None
    overflow: Callable[..., Any] | None = None
    whole: bool = False


@dataclass(frozen=True, slots=True)
class ScalarOp:
    """One operation. Its operands share a type, but for `cast`, `select` and `faulted`.

    meaning: NumPy's function on arrays, to which the interpreters and all targets are compared; None where the
    interpreter of the algebra has to know more than the operands. kinds: of types that it is defined for: `b`ool,
    `i`nteger, `u`nsigned, `f`loat, `c`omplex. Operands of a lesser kind are lifted to the least of these, bools only if
    `bools`. result: the operands' type, bool, the real type of a complex one, or the complex one of reals. python:
    Python's own operator; weak:
    what Python's numbers among themselves give, as they do not become NumPy's: their common type, at least an int, at
    least a float; "": it is a function of NumPy, which gives them NumPy's types. numpy: names of NumPy's functions;
    math: the function of Python's `math`. symbol: Python's operator and how tightly it binds (see `show`); c: the
    operator of C, or the name of C's function. cost: how many instructions as long as a multiply-add one vector of
    results takes at least. Of functions: counted in machine code; of quotients and roots: the least on processors of
    the last years. units: the greatest error of a float32 and a float64 result, in units in the last place; None:
    exactly rounded. associative: it may combine the parts of a reduction; neutral: the neutral element of a type, None
    if it has none. negation: the comparison that is true where this one is false (but for NaN); mirror: that with the
    operands swapped. of_bools: what NumPy takes it for on bools; distributes_over: a∘(b⊕c) = (a∘b)⊕(a∘c) for these ⊕.
    in_kernels: False for what is something else before there is a kernel.
    """

    name: str
    kinds: str = ""
    meaning: Callable[..., Any] | None = None
    arity: int = 1
    result: Literal["same", "bool", "real", "complex"] = "same"
    bools: bool = True
    python: Callable[..., Any] | None = None
    weak: Literal["", "common", "int", "float"] = ""
    numpy: tuple[str, ...] = ()
    math: MathFunction | None = None
    symbol: tuple[str, int] | None = None
    c: str = ""
    cost: int = 1
    units: tuple[float, float] | None = None
    associative: bool = False
    neutral: Callable[[ScalarType], Number | None] | None = None
    negation: str = ""
    mirror: str = ""
    of_bools: str = ""
    distributes_over: tuple[str, ...] = ()
    in_kernels: bool = True

    @property
    def is_comparison(self) -> bool:
        return bool(self.mirror)
