"""The table: every scalar operation by its name, and by the names that NumPy and Python's modules have for it."""

from __future__ import annotations

from collections.abc import Mapping

from jitmdh.base.errors import ArgumentTypeError
from jitmdh.mdh.algebra.operations.arithmetic import ARITHMETIC, BITS, CHOICES, COMPARING, EXACT
from jitmdh.mdh.algebra.operations.functions import FUNCTIONS
from jitmdh.mdh.algebra.operations.scalar_op import ScalarOp

ROWS = (*ARITHMETIC, *CHOICES, *COMPARING, *BITS, *EXACT, *FUNCTIONS)

OPERATIONS: Mapping[str, ScalarOp] = {row.name: row for row in ROWS}
ASSOCIATIVE = tuple(row.name for row in ROWS if row.associative)
COMPARISONS = frozenset(row.name for row in ROWS if row.is_comparison)
TRUTHS = frozenset(row.name for row in ROWS if row.result == "bool")
"""Operations whose result is a bool, whatever they are applied to."""

OF_NUMPY: Mapping[str, str] = {name: row.name for row in ROWS for name in row.numpy}
OF_MATH: Mapping[str, ScalarOp] = {row.math.name: row for row in ROWS if row.math is not None}
OF_OPERATOR: Mapping[str, str] = {row.python.__name__: row.name for row in ROWS if row.python is not None}
"""From the names of NumPy's functions, of those of `math` and of those of the module `operator`."""


def operation(name: str) -> ScalarOp:
    """The operation of that name, here, in NumPy or in `operator`; ArgumentTypeError where there is none.

    >>> operation("multiply").name, operation("and_").name, operation("sqrt").name
    ('mul', 'and', 'sqrt')
    """
    own = name if name in OPERATIONS else OF_NUMPY.get(name) or OF_OPERATOR.get(name)
    if own is None:
        raise ArgumentTypeError(f"no scalar operation `{name}`")
    return OPERATIONS[own]
