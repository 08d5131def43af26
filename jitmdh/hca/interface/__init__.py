"""Devices, kernels and buffers as the host code sees them (6.2)."""
