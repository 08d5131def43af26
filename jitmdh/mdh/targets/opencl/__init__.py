"""Kernel IR as OpenCL C, and what stays on the host."""
