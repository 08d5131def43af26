"""Kernels of tensors as files for programs in C."""
