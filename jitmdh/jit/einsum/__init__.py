"""`mdh.einsum`, of arrays and of tensors whose zeros are known."""

from jitmdh.jit.einsum.arrays import einsum

__all__ = ["einsum"]
