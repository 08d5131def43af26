"""Arrays of a batch of tensors as vector lanes want them: blocks of elements, innermost in storage."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from jitmdh.base.calling.entry import entries, entry
from jitmdh.base.errors import ArgumentValueError
from jitmdh.jit.compilation.options import Options
from jitmdh.jit.compilation.pipeline import machine_of
from jitmdh.mdh.frontend.tensor.notation.expr import Array, Tensor
from jitmdh.mdh.frontend.tensor.notation.sizes import is_open
from jitmdh.mdh.tensor.pattern import Pattern
from jitmdh.mdh.tensor.storage import Storage

_LINE_BYTES = 64


def lanes_of(tensor: Tensor) -> int:
    """How many elements of a batch a block has: as many numbers of the tensor's type as a vector register."""
    return max(1, machine_of(Options()).vector_bits // tensor.type.bits)


@entries
class Elements:
    """`count` elements of a tensor, stored as `blocks[b, …, j]`: element lanes·b + j. Batches take it in place of an
    array `[count, …]`, and copy nothing. tensor: what an array for it is (`Tensor.stored`).

    blocks: an array of shape [⌈count/lanes⌉, *shape, lanes] that begins with a cache line, as each of its vectors does;
    what the last block has too many is zero at first, and undefined after a kernel has written it.
    """

    def __init__(self, tensor: Tensor, count: int) -> None:
        if is_open(tensor.shape):
            raise ArgumentValueError(
                f"elements of {tensor}: {', '.join(map(str, tensor.sizes))} comes with the call",
                hint=f"{tensor}.with_sizes({{{str(tensor.sizes[0])!r}: 8}})",
            )
        self.tensor, self.count = tensor.stored, count
        self.lanes = lanes_of(tensor)
        self.blocks: Array = _zeros((-(-count // self.lanes), *self.tensor.shape, self.lanes), tensor.type.numpy)

    def pack(self, array: Array) -> Elements:
        """Takes over `array`, of shape [count, *tensor.shape]; ArgumentValueError for another shape. Returns itself."""
        shape = (self.count, *self.tensor.shape)
        if array.shape != shape:
            raise ArgumentValueError(f"{self.tensor.name}: elements of shape {shape}, got {array.shape}")
        whole = self.count // self.lanes
        rows = array[: whole * self.lanes].reshape(whole, self.lanes, *self.tensor.shape)
        self.blocks[:whole] = np.moveaxis(rows, 1, -1)
        if whole < len(self.blocks):
            left = array[whole * self.lanes :]
            self.blocks[whole, ..., : len(left)] = np.moveaxis(left, 0, -1)
        return self

    def unpack(self) -> Array:
        """A new array of shape [count, *tensor.shape]."""
        rows = np.moveaxis(self.blocks, -1, 1).reshape(-1, *self.tensor.shape)
        return np.ascontiguousarray(rows[: self.count])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        if copy is False:
            raise ValueError("elements in blocks become an array by a copy only")
        return np.asarray(self.unpack(), dtype)

    def __repr__(self) -> str:
        return f"<{self.count} elements of {self.tensor.name} in blocks of {self.lanes}>"


def _zeros(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Zeros in C order from the beginning of a cache line on: NumPy's large arrays begin 16 bytes behind one, so that
    each vector of 64 bytes would lie in two."""
    size = prod(shape) * dtype.itemsize
    area = np.zeros(size + _LINE_BYTES, np.uint8)
    begin = -area.ctypes.data % _LINE_BYTES
    return area[begin : begin + size].view(dtype).reshape(shape)


@entry
def pack(tensor: Tensor, array: Array) -> Array:
    """An array as kernels take it for a tensor with `storage=…`, from one of the tensor's shape, or from many at once:
    [E, 9, 9] becomes [E, 24] for a list of 24 numbers. ArgumentValueError for another shape, and for a number where the
    tensor has a known zero."""
    return _layout(tensor).pack(array)


@entry
def unpack(tensor: Tensor, array: Array) -> Array:
    """The reverse of `pack`: an array with the known zeros. ArgumentValueError for another shape."""
    return _layout(tensor).unpack(array)


def _layout(tensor: Tensor) -> Storage:
    if is_open(tensor.shape):
        raise ArgumentValueError(f"{tensor}: {', '.join(map(str, tensor.sizes))} comes with the call")
    known = Pattern.dense(tensor.shape) if tensor.pattern is None else tensor.pattern
    return tensor.layout or Storage("dense", known, tensor.type.size_bytes)


@entry
def zeros(tensor: Tensor, batch: int) -> Elements:
    """Storage for `batch` elements of a tensor, all zero, in the layout that batched kernels compute in."""
    if batch < 0:
        raise ArgumentValueError(f"zeros({tensor.name}, batch={batch}): a negative number of elements")
    return Elements(tensor, batch)
