"""Kernels of tensor formulas, and storage for batches of them: what `jitmdh.tensor` hands on."""

from jitmdh.jit.tensor.definitions import Annotation, kernel
from jitmdh.jit.tensor.families import Family, MemberBatch
from jitmdh.jit.tensor.in_c.writing import Written, write
from jitmdh.jit.tensor.kernels import Batch, Kernel, ListedBatch
from jitmdh.jit.tensor.lowered import in_batch
from jitmdh.jit.tensor.native_calls import trust
from jitmdh.jit.tensor.storage import Elements, pack, unpack, zeros

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
