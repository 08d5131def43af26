"""Cost functions for OpenCL and CUDA kernels given as source: the tuner above the devices (thesis 5.6)."""

from jitmdh.kernels.arguments import buffer, local_memory, scalar
from jitmdh.kernels.cost import KernelCost
from jitmdh.kernels.sources import cuda_kernel, opencl_kernel

__all__ = ["KernelCost", "buffer", "cuda_kernel", "local_memory", "opencl_kernel", "scalar"]
