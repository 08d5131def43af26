"""What CUDA C++ is given in front of kernels, so that it reads like the OpenCL C of the other dialect.

Types by their short names, conversions of bits, and functions that C++ has under another name or for `int` only. All
of it is ours: nothing is included, so that NVRTC needs no header.
"""

from __future__ import annotations

PRELUDE = """typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
#define DEVICE static __device__ __forceinline__
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)
DEVICE int as_int(uint x) { return (int)x; }
DEVICE int as_int(float x) { return __float_as_int(x); }
DEVICE uint as_uint(int x) { return (uint)x; }
DEVICE long as_long(ulong x) { return (long)x; }
DEVICE long as_long(double x) { return __double_as_longlong(x); }
DEVICE ulong as_ulong(long x) { return (ulong)x; }
DEVICE float as_float(int x) { return __int_as_float(x); }
DEVICE double as_double(long x) { return __longlong_as_double(x); }
DEVICE float convert_float(double x) { return (float)x; }
DEVICE double convert_double(float x) { return (double)x; }
DEVICE float mad(float a, float b, float c) { return __fmaf_rn(a, b, c); }
DEVICE double mad(double a, double b, double c) { return __fma_rn(a, b, c); }
template <class T> DEVICE bool isunordered(T a, T b) { return a != a || b != b; }"""
"""Before all functions and kernels."""

OPTIONS = ("--std=c++17", "--fmad=false")
"""Products and sums are one rounding only where kernel IR says so."""
