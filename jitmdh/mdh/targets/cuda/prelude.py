"""What CUDA C++ is given in front of kernels, so that it reads like the OpenCL C of the other dialect.

Types by their short names, conversions of bits, and functions that C++ has under another name or for `int` only. All
of it is ours: nothing is included, so that NVRTC needs no header.
"""

from __future__ import annotations

PRELUDE = """typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef ushort half;
template <class T, int N> struct alignas(N * sizeof(T)) Lanes { T s[N]; };
#define DEVICE static __device__ __forceinline__
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)
DEVICE int as_int(uint x) { return (int)x; }
DEVICE int as_int(float x) { return __float_as_int(x); }
DEVICE uint as_uint(int x) { return (uint)x; }
DEVICE uint as_uint(float x) { return __float_as_uint(x); }
DEVICE long as_long(ulong x) { return (long)x; }
DEVICE long as_long(double x) { return __double_as_longlong(x); }
DEVICE ulong as_ulong(long x) { return (ulong)x; }
DEVICE ulong as_ulong(double x) { return (ulong)__double_as_longlong(x); }
DEVICE float as_float(int x) { return __int_as_float(x); }
DEVICE float as_float(uint x) { return __uint_as_float(x); }
DEVICE double as_double(long x) { return __longlong_as_double(x); }
DEVICE double as_double(ulong x) { return __longlong_as_double((long)x); }
DEVICE uint convert_uint(ushort x) { return x; }
DEVICE ushort convert_ushort(uint x) { return (ushort)x; }
DEVICE float half_as_float(half h) { float x; asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(h)); return x; }
DEVICE float vload_half(long at, const half *p) { return half_as_float(p[at]); }
DEVICE void vstore_half(float x, long at, half *p) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(p[at]) : "f"(x)); }
DEVICE float convert_float(double x) { return (float)x; }
DEVICE double convert_double(float x) { return (double)x; }
DEVICE float mad(float a, float b, float c) { return __fmaf_rn(a, b, c); }
DEVICE double mad(double a, double b, double c) { return __fma_rn(a, b, c); }
template <class T> DEVICE bool isunordered(T a, T b) { return a != a || b != b; }"""
"""Before all functions and kernels."""

ROUNDED = {
    "to_float16_from_float32": """float to_float16_from_float32(float x)
{
    half rounded;
    vstore_half(x, 0, &rounded);
    return vload_half(0, &rounded);
}""",
    "to_bfloat16_from_float32": """float to_bfloat16_from_float32(float x)
{
    ushort rounded;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(rounded) : "f"(x));
    return as_float(convert_uint(rounded) << 16);
}""",
}
"""Functions that are instructions of GPUs from sm_80 on, by name; see `c_dialects.half_floats.rounding`."""

OPTIONS = ("--std=c++17", "--fmad=false")
"""Products and sums are one rounding only where kernel IR says so."""
