"""Tensor formulas in index notation: `from jitmdh import tensor as mt`.

>>> import numpy as np
>>> A, B, C = Tensor("A", (2, 3)), Tensor("B", (3, 2)), Tensor("C", (2, 2))
>>> matmul = kernel("matmul", C["ij"] <= A["ik"] * B["kj"])
>>> matmul(A=np.ones((2, 3)), B=np.ones((3, 2)))
array([[3., 3.],
       [3., 3.]])

What `repr` prints of a formula evaluates to it with the names of this module: `eval(repr(e), vars(mt)) == e`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from jitmdh.base.calling.entry import entry
from jitmdh.base.dtype import (
    bool_,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from jitmdh.jit.tensor import Annotation, Elements, Family, Kernel, Written, kernel, pack, trust, unpack, write, zeros
from jitmdh.mdh.algebra.index import Affine as Affine
from jitmdh.mdh.frontend.symbolic.operators import pw
from jitmdh.mdh.frontend.tensor.check import Checked as _Checked
from jitmdh.mdh.frontend.tensor.check import check as _check
from jitmdh.mdh.frontend.tensor.notation import language
from jitmdh.mdh.frontend.tensor.notation.expr import Apply as Apply
from jitmdh.mdh.frontend.tensor.notation.expr import Assignment, Expr, Scalar, Tensor, index_names, lift
from jitmdh.mdh.frontend.tensor.notation.expr import Broadcast as Broadcast
from jitmdh.mdh.frontend.tensor.notation.expr import Constants as Constants
from jitmdh.mdh.frontend.tensor.notation.expr import Element as Element
from jitmdh.mdh.frontend.tensor.notation.expr import Literal as Literal
from jitmdh.mdh.frontend.tensor.notation.expr import Total as Total
from jitmdh.mdh.frontend.tensor.notation.index_free import (
    contract,
    entrywise_add,
    entrywise_div,
    entrywise_mul,
    entrywise_sub,
    outer,
    transpose,
)
from jitmdh.mdh.frontend.tensor.notation.indices import Index as index
from jitmdh.mdh.frontend.tensor.notation.iterators import eq, op, outerproduct, vop
from jitmdh.mdh.frontend.tensor.notation.matrix_files import read_matrices
from jitmdh.mdh.frontend.tensor.notation.places import place
from jitmdh.mdh.frontend.tensor.notation.sizes import Size, size
from jitmdh.mdh.tensor.pattern import Pattern, banded, blocks, diagonal, lower, upper

__all__ = [
    "Annotation",
    "Assignment",
    "Elements",
    "Family",
    "Kernel",
    "Pattern",
    "Scalar",
    "Size",
    "Tensor",
    "Written",
    "b8",
    "banded",
    "blocks",
    "c64",
    "c128",
    "check",
    "contract",
    "diagonal",
    "entrywise_add",
    "entrywise_div",
    "entrywise_mul",
    "entrywise_sub",
    "eq",
    "f16",
    "f32",
    "f64",
    "family",
    "i8",
    "i16",
    "i32",
    "i64",
    "index",
    "kernel",
    "lower",
    "op",
    "outer",
    "outerproduct",
    "pack",
    "parse",
    "read_matrices",
    "size",
    "temporary",
    "total",
    "transpose",
    "trust",
    "u8",
    "u16",
    "u32",
    "u64",
    "unpack",
    "upper",
    "vop",
    "write",
    "zeros",
]

# Types of the parameters of a decorated function: `f64["k p", 56, 9]`, a tensor; `f64`, a number.
f16, f32, f64 = Annotation(float16), Annotation(float32), Annotation(float64)
c64, c128, b8 = Annotation(complex64), Annotation(complex128), Annotation(bool_)
i8, i16, i32, i64 = Annotation(int8), Annotation(int16), Annotation(int32), Annotation(int64)
u8, u16, u32, u64 = Annotation(uint8), Annotation(uint16), Annotation(uint32), Annotation(uint64)


@entry
def temporary(name: str, shape: Sequence[int], dtype: Any = None, *, storage: str | None = None) -> Tensor:
    """A tensor that exists inside of a kernel only. storage: "dense", "box" or "padded", as of `Tensor`."""
    return Tensor(name, shape, dtype, temporary=True, storage=storage)


@entry
def check(formulas: Kernel | Assignment | Sequence[Assignment]) -> _Checked:
    """The statements of a kernel, or of assignments that are to become one, with their types: of each the extents of
    its indices and where its value may be other than zero; and which tensors are read and written.

    Raises RedeclarationError for two tensors of one name, AssignmentTypeError and ExpressionTypeError where extents or
    element types do not fit, UnboundError for a temporary that nothing has written, BoundsError for positions outside
    of a tensor, DivisionError for a division by a known zero.
    """
    if isinstance(formulas, Kernel):
        return formulas.program
    return _check([formulas] if isinstance(formulas, Assignment) else formulas)


@entry
def total(operator: Any, names: str, value: Expr | float) -> Expr:
    """`value` combined over the indices `names` by an operator: `total(mdh.max, "k", A["ik"] + B["kj"])`.

    operator: the name of an operation, Python's or NumPy's function, or one that `jitmdh.operator` declares.
    """
    declared = pw(operator)
    by = declared.operation if declared.function is None else declared.function
    assert by is not None
    return Total(by, index_names(names), lift(value), place())


@entry
def family(name: str, shape: tuple[int, ...], member: Callable[..., Any]) -> Family:
    """Kernels `name[i, j, …]`, for numbers below those of `shape`; `member(i, j, …)` gives the assignments of one."""
    return Family(name, (shape,) if isinstance(shape, int) else tuple(shape), member)


@entry
def parse(text: str, name: str = "program", dtype: Any = None) -> Kernel:
    """A kernel from a program of the tensor model language.

    >>> print(parse("var A : [2 3]  var B : [3 2]  var C : [2 2]  C = (A # B) . [2 3]").parameters)
    ('C', 'A', 'B')
    """
    type = Tensor("any", (), dtype).type
    return Kernel(name, language.parse(text, type))
