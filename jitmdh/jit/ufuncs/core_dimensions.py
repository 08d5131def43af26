"""Core dimensions: the last axes of arrays, which a function of arrays takes whole.

They are written as in NumPy's generalised universal functions: "(m,k),(k,n)->(m,n)", see
https://numpy.org/doc/stable/reference/c-api/generalized-ufuncs.html.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from jitmdh.base.errors import ArgumentValueError, ConfigurationError
from jitmdh.base.records import dataclass
from jitmdh.jit.ufuncs.operands import Array


@dataclass(frozen=True, slots=True)
class CoreDimension:
    """A dimension of the arrays that a function of arrays takes.

    extent: where the signature gives it; optional: an array may come without it, and it counts as one of extent 1.
    """

    name: str
    extent: int | None = None
    optional: bool = False


@dataclass(frozen=True, slots=True)
class CoreSignature:
    """The core dimensions of each argument and result.

    >>> [[d.name for d in core] for core in core_signature("(m,k),(k)->(m)").inputs]
    [['m', 'k'], ['k']]
    """

    text: str
    inputs: tuple[tuple[CoreDimension, ...], ...]
    outputs: tuple[tuple[CoreDimension, ...], ...]


_ARGUMENT = r"\([\w\s,?]*\)"
_LIST = rf"{_ARGUMENT}(?:\s*,\s*{_ARGUMENT})*"


def core_signature(text: str) -> CoreSignature:
    """A signature of core dimensions, read. ConfigurationError where it is none."""
    parts = str(text).split("->")
    if len(parts) != 2 or not all(re.fullmatch(rf"\s*{_LIST}\s*", part) for part in parts):
        raise ConfigurationError(
            f"{text!r} is no signature of core dimensions", hint='for example "(m,k),(k,n)->(m,n)", or "(n)->()"'
        )
    inputs, outputs = (tuple(_core(a, text) for a in re.findall(_ARGUMENT, part)) for part in parts)
    return CoreSignature("".join(text.split()), inputs, outputs)


def _core(argument: str, text: str) -> tuple[CoreDimension, ...]:
    names: Sequence[str] = [name.strip() for name in argument.strip("()").split(",")]
    if names == [""]:
        return ()
    found = []
    for name in names:
        plain = name.removesuffix("?").strip()
        if not (plain.isidentifier() or (plain.isdigit() and int(plain) > 0)):
            raise ConfigurationError(f"{name!r} in {text!r} is neither the name of a dimension nor an extent")
        found.append(CoreDimension(plain, int(plain) if plain.isdigit() else None, name.endswith("?")))
    return tuple(found)


def extents(
    function: str, signature: CoreSignature, operands: Sequence[Array], targets: Sequence[Array | None]
) -> tuple[dict[str, int], set[str]]:
    """The extents of core dimensions by name, and which of the optional ones are missing.

    targets: the arrays given for results. ArgumentValueError where they contradict each other, or leave one open.
    """
    listed = [(f"operand {n}", a, core) for n, (a, core) in enumerate(zip(operands, signature.inputs))]
    missing = {d.name for _, array, core in listed if array.ndim < len(core) for d in core if d.optional}
    results = enumerate(zip(targets, signature.outputs))
    listed += [(f"result {n}", a, core) for n, (a, core) in results if a is not None]
    known: dict[str, int] = {}
    for what, array, core in listed:
        there = [d for d in core if d.name not in missing]
        if array.ndim < len(there):
            few = f"{what} has {array.ndim} dimensions, {signature.text} needs {len(there)}"
            raise ArgumentValueError(f"{function}: {few}")
        for dimension, extent in zip(there, array.shape[array.ndim - len(there) :]):
            wanted = known.setdefault(dimension.name, dimension.extent or extent)
            if extent != wanted:
                differ = f"`{dimension.name}` of {signature.text} is {extent} in {what}, and {wanted} before"
                raise ArgumentValueError(f"{function}: core dimension {differ}")
    known |= dict.fromkeys(missing, 1)
    known |= {d.name: d.extent for core in signature.outputs for d in core if d.extent is not None}
    for dimension in (d for core in signature.outputs for d in core):
        if dimension.name not in known:
            raise ArgumentValueError(f"{function}: `{dimension.name}` of {signature.text} follows from no argument",
                                     hint="pass out=")  # fmt: skip
    return known, missing


def loop_shape(
    function: str,
    signature: CoreSignature,
    operands: Sequence[Array],
    targets: Sequence[Array | None],
    missing: set[str],
) -> tuple[int, ...]:
    """The shape that the other dimensions are broadcast to. ArgumentValueError where they do not fit.

    operands have an axis for each core dimension, targets for those that are not missing.
    """
    before = [a.shape[: a.ndim - len(core)] for a, core in zip(operands, signature.inputs)]
    there = [sum(d.name not in missing for d in core) for core in signature.outputs]
    given = [a.shape[: a.ndim - count] for a, count in zip(targets, there) if a is not None]
    try:
        shape: tuple[int, ...] = np.broadcast_shapes(*before, *given)
    except ValueError as problem:
        raise ArgumentValueError(f"{function}: {problem}") from None
    for loops in given:
        if loops != shape:
            raise ArgumentValueError(f"{function}: out has loop dimensions {loops}, the result {shape}")
    return shape


def with_core(array: Array, core: Sequence[CoreDimension], missing: set[str]) -> Array:
    """`array` with an axis of extent 1 for each core dimension that is missing."""
    there = [slice(None) if d.name not in missing else None for d in core]
    return array[(..., *there)] if None in there else array


def without(array: Array, core: Sequence[CoreDimension], missing: set[str]) -> Array:
    """A result without the axes of core dimensions that are missing."""
    there = [slice(None) if d.name not in missing else 0 for d in core]
    return array[(..., *there)] if 0 in there else array


__all__ = ["CoreDimension", "CoreSignature", "core_signature", "extents", "loop_shape", "with_core", "without"]
