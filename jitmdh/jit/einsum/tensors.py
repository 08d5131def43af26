"""`mdh.einsum` of tensors whose zeros or numbers are known: a kernel for each text and kinds of operands."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, reduce
from operator import mul
from string import ascii_letters
from typing import Any

import numpy as np

from jitmdh.base.dtype import from_numpy
from jitmdh.base.errors import ArgumentTypeError, ArgumentValueError
from jitmdh.jit.tensor.definitions import kernel
from jitmdh.jit.tensor.kernels import Kernel
from jitmdh.mdh.frontend.einsum.notation import Subscripts, parse
from jitmdh.mdh.frontend.tensor.notation.expr import Array, Assignment, Expr, Filled, Tensor


def einsum_of_tensors(text: str, operands: Sequence[Any], out: Array | None) -> Any:
    """The product of arrays, tensors with values and tensors that are filled with numbers, summed as `text` says.

    Raises ArgumentTypeError for a tensor without numbers, and what a kernel does for extents that do not fit, numbers
    where there is a known zero, and another `out`.
    """
    tensors: list[Tensor] = []
    arrays: dict[str, Array] = {}
    for number, operand in enumerate(operands):
        name = f"operand_{number}"
        if isinstance(operand, Tensor):
            if operand.values is None:
                facts = f"einsum: operand {number}, the tensor {operand}, has no numbers"
                raise ArgumentTypeError(facts, hint=f"{operand}.filled(array)")
            tensors.append(Tensor(name, values=operand.values))
            continue
        array = arrays[name] = operand.array if isinstance(operand, Filled) else np.asarray(operand)
        pattern = operand.tensor.pattern if isinstance(operand, Filled) else None
        tensors.append(Tensor(name, array.shape, from_numpy(array.dtype), pattern=pattern))
    made = _kernel(text, tuple(tensors))
    if out is not None:
        made(**arrays, result=out)
        return out
    result = made(**arrays)
    return result if result.ndim else result[()]


@lru_cache(maxsize=256)
def _kernel(text: str, operands: tuple[Tensor, ...]) -> Kernel:
    """The kernel for operands of these kinds."""
    subscripts = _with_letters(parse(text, tuple(t.rank for t in operands)))
    extents = {n: e for names, t in zip(subscripts.inputs, operands) for n, e in zip(names, t.shape)}
    factors: list[Expr] = [t["".join(names)] for t, names in zip(operands, subscripts.inputs)]
    dtype = np.result_type(*(t.type.numpy for t in operands))
    result = Tensor("result", [extents[name] for name in subscripts.output], dtype)
    made: Kernel = kernel("einsum", Assignment(result["".join(subscripts.output)], reduce(mul, factors)))
    return made


def _with_letters(subscripts: Subscripts) -> Subscripts:
    """With letters for axes under an ellipsis, too."""
    names = dict.fromkeys(n for labels in (*subscripts.inputs, subscripts.output) for n in labels)
    left = [letter for letter in ascii_letters if letter not in names]
    long = [n for n in names if len(n) > 1]
    if len(long) > len(left):
        raise ArgumentValueError(f"einsum: {len(names)} indices of tensors, of at most {len(ascii_letters)}")
    letter = {n: n for n in names} | dict(zip(long, left))
    inputs = tuple(tuple(letter[n] for n in labels) for labels in subscripts.inputs)
    return Subscripts(inputs, tuple(letter[n] for n in subscripts.output))
