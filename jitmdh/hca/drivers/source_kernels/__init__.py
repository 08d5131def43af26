"""Kernels given as source, as drivers launch them."""
