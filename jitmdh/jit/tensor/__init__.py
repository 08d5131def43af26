"""Kernels of tensor formulas, and storage for batches of them: what `jitmdh.tensor` hands on."""

from jitmdh.jit.tensor.kernels import Annotation, Batch, Family, Kernel, in_batch, kernel, trust
from jitmdh.jit.tensor.storage import Elements, zeros

__all__ = ["Annotation", "Batch", "Elements", "Family", "Kernel", "in_batch", "kernel", "trust", "zeros"]
