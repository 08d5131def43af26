"""Kernels given as source: names, parameters, and what is passed for them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from jitmdh.base.errors import ConfigurationError
from jitmdh.hca.interface.buffer import Buffer
from jitmdh.hca.interface.kernel import Kernel, Launch, Local, dim3, nd_range, read
from jitmdh.hca.interface.source import cuda_source, kernel_names, opencl_source, parameters, typed

ATTRIBUTED = """
/* kernel void not_this(int x) */ // __kernel void nor_this(int x)
#define real float
typedef unsigned int index_t;
float scaled(float x) { return 2 * x; }
__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel __attribute__((vec_type_hint(float4))) void f(
    const int N, __global const real* restrict x /* in, out */, __global float4 *y, index_t n,
    __local double *scratch, ulong seed, struct pair p, half h, __constant uchar *table, float z[], real *__restrict w)
{ }
"""
TEMPLATED = """
template <typename T> __device__ T twice(T x) { return x + x; }
extern "C" __global__ void __launch_bounds__(256, 2) g(float *__restrict__ a, const unsigned long long n,
    unsigned char c, long l, int64_t i, bool b, float2 *pairs, my<int, 2> m, float &r, double **rows, __half h) { }
static __global__ void reduceKernel(float *d_Result, float *d_Input, int N) { }
"""


def test_names() -> None:
    assert kernel_names(ATTRIBUTED, "opencl") == ("f",)
    assert kernel_names(TEMPLATED, "cuda") == ("g", "reduceKernel")
    assert opencl_source(ATTRIBUTED).entry == "f"
    assert cuda_source(TEMPLATED, "g", options=["-lineinfo"]) == Kernel(TEMPLATED, "g", "cuda", ("-lineinfo",))
    with pytest.raises(ConfigurationError, match=r"which kernel is meant.*\n  it has g, reduceKernel"):
        cuda_source(TEMPLATED)
    with pytest.raises(ConfigurationError, match="no kernel was found"):
        opencl_source("void f(int x) {}")
    with pytest.raises(ConfigurationError, match="cannot replace 'A B'"):
        opencl_source(ATTRIBUTED, defines={"A B": 1})
    with pytest.raises(ConfigurationError, match="cannot replace 'A' by"):
        opencl_source(ATTRIBUTED, defines={"A": "1\n2"})


def test_parameters_in_opencl() -> None:
    found = parameters(opencl_source(ATTRIBUTED))
    assert found is not None
    types = [(p.name, None if p.dtype is None else p.dtype.name, p.lanes, p.is_pointer) for p in found]
    assert types == [
        ("N", "int32", 1, False), ("x", "float32", 1, True), ("y", "float32", 4, True), ("n", "uint32", 1, False),
        ("scratch", "float64", 1, True), ("seed", "uint64", 1, False), ("p", None, 1, False),
        ("h", "float16", 1, False), ("table", "uint8", 1, True), ("z", "float32", 1, True), ("w", "float32", 1, True),
    ]  # fmt: skip
    assert [p.name for p in found if p.local] == ["scratch"]
    assert [p.name for p in found if p.constant and p.is_pointer] == ["x", "table"]
    assert str(found[1]) == "__global const float* restrict x"


def test_parameters_in_cuda() -> None:
    found = parameters(cuda_source(TEMPLATED, "g"))
    assert found is not None
    types = [(p.name, None if p.dtype is None else p.dtype.name, p.lanes) for p in found]
    assert types == [
        ("a", "float32", 1), ("n", "uint64", 1), ("c", "uint8", 1), ("l", np.dtype("l").name, 1), ("i", "int64", 1),
        ("b", "bool", 1), ("pairs", "float32", 2), ("m", None, 1), ("r", None, 1), ("rows", None, 1),
        ("h", "float16", 1),
    ]  # fmt: skip


def test_macros_of_the_options_count_and_those_with_two_meanings_do_not() -> None:
    text = "#ifdef A\n#define T float\n#else\n#define T double\n#endif\nkernel void f(T x, U y, V z) {}"
    found = parameters(opencl_source(text, options=["-DU=int"], defines={"V": "uint"}))
    assert found is not None
    assert [p.dtype for p in found] == [None, np.dtype("int32"), np.dtype("uint32")]
    twice = "#ifdef A\nkernel void f(int x) {}\n#else\nkernel void f(float x) {}\n#endif"
    assert parameters(opencl_source(twice)) is None
    assert parameters(opencl_source("kernel void f(void) {}")) == ()
    assert parameters(opencl_source("MAKE(f)", "f")) is None


def test_numbers_become_what_the_kernel_declares() -> None:
    kernel = opencl_source("kernel void f(int a, float b, uchar c, double d, global float *x, local int *t) {}")
    x = read(Buffer(np.zeros(2, np.float32)))
    given = typed(kernel, (3, 2, np.uint8(7), 0.1, x, Local(64)))
    assert [type(v) for v in given[:4]] == [np.int32, np.float32, np.uint8, np.float64]
    assert given[3:] == (0.1, x, Local(64))
    assert typed(kernel, (True, True, 1, 1, x, Local(64)))[:2] == (1, 1.0)


def test_vectors_are_tuples_of_their_components(tmp_path: Path) -> None:
    file = tmp_path / "f.cl"
    file.write_text("kernel void f(float4 a, int3 b) {}")
    kernel = opencl_source(file)
    a, b = typed(kernel, ((1, 2.5, 3, 4), np.arange(3, dtype=np.int32)))
    assert isinstance(a, np.void) and np.frombuffer(a.tobytes(), np.float32).tolist() == [1, 2.5, 3, 4]
    assert isinstance(b, np.void) and np.frombuffer(b.tobytes(), np.int32).tolist() == [0, 1, 2, 0]
    assert typed(kernel, (a, b)) == (a, b)
    for given, message in (
        ((1, 2, 3), "argument 0 of f, `float4 a`: .* is no vector of 4 float32.*\\n  hint: give 4 numbers in a tuple"),
        ((1, 2, 3, 1j), "is no vector of 4 float32"),
        (1.0, "1.0 is no vector"),
    ):
        with pytest.raises(ConfigurationError, match=message):
            typed(kernel, (given, b))
    with pytest.raises(ConfigurationError, match="it is a number, but"):
        typed(opencl_source("kernel void f(int a) {}"), ((1, 2),))


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ((2.5, 0, "X"), "argument 0 of f, `int a`: 2.5 is no int32"),
        ((2**31, 0, "X"), "2147483648 is no int32"),
        ((1, np.float64(2), "X"), r"`float b`: .*2.0.* is no float32.*\n  hint: give np.float32"),
        ((1, 1j, "X"), "1j is no float32"),
        ((1, 2.0, 3.0), "it is a pointer, but 3.0 was given"),
        (("X", 2.0, "X"), "it is no pointer, but a buffer was given"),
        ((1, 2.0, "D"), "a buffer of float64 was given"),
        ((1, 2.0, Local(8)), "not in local memory"),
        ((1, 2.0), "f takes 3 arguments, 2 were given.*\n  it is declared f.int a, float b, global float \\*x"),
    ],
)
def test_what_does_not_fit_is_refused(argument: tuple[object, ...], message: str) -> None:
    kernel = opencl_source("kernel void f(int a, float b, global float *x) {}")
    buffers = {"X": read(Buffer(np.zeros(2, np.float32))), "D": read(Buffer(np.zeros(2)))}
    given = tuple(buffers.get(a, a) if isinstance(a, str) else a for a in argument)
    with pytest.raises(ConfigurationError, match=message):
        typed(kernel, given)  # type: ignore[arg-type]


def test_what_the_text_does_not_tell_is_left_to_the_caller() -> None:
    kernel = opencl_source("kernel void f(T a, local int *t, global float2 *z, global uchar *b, global int *r) {}")
    z, b = read(Buffer(np.zeros(2, np.complex64))), read(Buffer(np.zeros(2, bool)))
    records = read(Buffer(np.zeros(2, [("k", "i4"), ("v", "f4")])))
    given = (np.int16(3), Local(8), z, b, records)
    assert typed(kernel, given) == given
    with pytest.raises(ConfigurationError, match=r"does not tell its type.*\n  hint: give a NumPy scalar"):
        typed(kernel, (3, Local(8), z, b, records))
    with pytest.raises(ConfigurationError, match="it is in local memory, but 64 was given"):
        typed(kernel, (np.int16(3), 64, z, b, records))
    hidden = opencl_source("MAKE(f)", "f")
    assert typed(hidden, (np.int32(1), z)) == (1, z)
    with pytest.raises(ConfigurationError, match="does not tell its type"):
        typed(hidden, (1.5,))


def test_the_compiler_counts_the_lines_of_the_text() -> None:
    kernel = opencl_source("kernel void f() {}", defines={"W": 4, "T": "unsigned int"})
    assert kernel.program_text() == '#define W 4\n#define T unsigned int\n#line 1 "f"\nkernel void f() {}'


def test_sizes() -> None:
    assert nd_range((8, 6)).grid_size() is None
    assert nd_range((8, 6), (4, 4)).grid_size() is None and nd_range((8,), (2, 2)).grid_size() is None
    assert nd_range((8, 6), (0, 1)).grid_size() is None
    assert dim3((2, 3), (4, 2), 16) == Launch((8, 6), (4, 2), 16)
