"""Kernel IR in dialects of C: what OpenCL C and CUDA C++ have in common."""
