"""Kernels of tensor formulas, and storage for batches of them: what `jitmdh.tensor` hands on."""

from jitmdh.jit.tensor.definitions import Annotation, kernel
from jitmdh.jit.tensor.families import Family, MemberBatch
from jitmdh.jit.tensor.kernels import Batch, Kernel, ListedBatch, in_batch
from jitmdh.jit.tensor.native_calls import trust
from jitmdh.jit.tensor.storage import Elements, pack, unpack, zeros
from jitmdh.jit.tensor.writing import Written, write

__all__ = [
    "Annotation",
    "Batch",
    "Elements",
    "Family",
    "Kernel",
    "ListedBatch",
    "MemberBatch",
    "Written",
    "in_batch",
    "kernel",
    "pack",
    "trust",
    "unpack",
    "write",
    "zeros",
]
