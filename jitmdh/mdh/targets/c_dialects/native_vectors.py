"""What processors have and OpenCL C has no words for, as clang spells it: masked vectors of AVX-512, non-temporal
stores, prefetches.

All of it stands under conditions of the preprocessor, beside what any other compiler takes.
"""

from __future__ import annotations

from jitmdh.base.dtype import ScalarType

AVX512 = "defined(__clang__) && defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__)"
_NAMES = {("f", 32): "ups", ("f", 64): "upd", ("i", 32): "dqusi", ("i", 64): "dqudi"}
_KINDS = {"f": "f", "i": "i", "u": "i"}

STREAMED = """#if defined(__clang__) && defined(__has_builtin)
#if __has_builtin(__builtin_nontemporal_store)
#define store_streamed(value, p) __builtin_nontemporal_store(value, p)
#endif
#endif
#ifndef store_streamed
#define store_streamed(value, p) (*(p) = (value))
#endif"""
PREFETCH = """#if defined(__clang__) && defined(__x86_64__)
#define prefetch_line(p, writes) __builtin_prefetch((const void *)(ulong)(p), writes)
#else
#define prefetch_line(p, writes)
#endif"""
IN_ORDER = """#if defined(__clang__) && defined(__x86_64__)
#define loads_in_order() __asm__ volatile("" ::: "memory")
#else
#define loads_in_order()
#endif"""
FENCE = """void fence_streamed(void)
{
#if defined(__clang__) && defined(__SSE2__)
    __builtin_ia32_sfence();
#endif
}"""


WHOLE = """#if defined(__clang__)
typedef {type} next_{type} __attribute__((aligned({element_bytes})));
#define load_next_{type}(p) (*(global const next_{type} *)(p))
#define store_next_{type}(value, p) (*(global next_{type} *)(p) = (value))
#else
#define load_next_{type}(p) vload{lanes}(0, p)
#define store_next_{type}(value, p) vstore{lanes}(value, 0, p)
#endif"""
"""Vectors at any multiple of their elements' size. PoCL's library takes those of OpenCL to pieces of two elements."""


def masked_load(type: ScalarType, lanes: int, otherwise: list[str]) -> list[str]:
    """The body of a function of `p` and the mask `m`. otherwise: that for other compilers and processors."""
    native = _native(type, lanes)
    if native is None:
        return otherwise
    name, c, bits = native
    body = [
        f"union {{ {c}{lanes} of_opencl; native v; }} loaded = {{({c}{lanes})(0)}};",
        f"loaded.v = __builtin_ia32_load{name}_mask((const void *)(ulong)p, loaded.v, {bits});",
        "return loaded.of_opencl;",
    ]
    return _either(c, type.bits * lanes // 8, lanes, body, otherwise)


def masked_store(type: ScalarType, lanes: int, otherwise: list[str]) -> list[str]:
    """As `masked_load`, of a function that stores `v`."""
    native = _native(type, lanes)
    if native is None:
        return otherwise
    name, c, bits = native
    body = [
        f"union {{ {c}{lanes} of_opencl; native v; }} stored = {{v}};",
        f"__builtin_ia32_store{name}_mask((void *)(ulong)p, stored.v, {bits});",
    ]
    return _either(c, type.bits * lanes // 8, lanes, body, otherwise)


def permutation(type: ScalarType, lanes: int) -> list[str]:
    """The body of a function of two vectors and `picks`, numbers of lanes in both of them one behind the other."""
    otherwise = [f"return shuffle2(one, other, as_{'uint' if type.bits == 32 else 'ulong'}{lanes}(picks));"]
    native = _native(type, lanes)
    if native is None or type.bits * lanes != 512:
        return otherwise
    _, c, _ = native
    kind, numbers = {"f32": ("ps", "int"), "f64": ("pd", "long"), "i32": ("d", "int"), "i64": ("q", "long")}[
        f"{_KINDS[type.kind]}{type.bits}"
    ]
    body = [
        f"typedef {numbers} numbers __attribute__((vector_size(64)));",
        f"union {{ {c}{lanes} of_opencl; native v; }} left = {{one}}, right = {{other}};",
        f"union {{ {numbers}{lanes} of_opencl; numbers v; }} order = {{picks}};",
        f"left.v = __builtin_ia32_vpermi2var{kind}512(left.v, order.v, right.v);",
        "return left.of_opencl;",
    ]
    return [f"#if {AVX512}", f"typedef {c.removeprefix('u')} native __attribute__((vector_size(64)));", *body,
            "#else", *otherwise, "#endif"]  # fmt: skip


def _native(type: ScalarType, lanes: int) -> tuple[str, str, str] | None:
    """The name of the instruction, C's type of an element, and the mask as bits; None where there is no instruction."""
    kind, width = _KINDS.get(type.kind, ""), type.bits * lanes
    if (kind, type.bits) not in _NAMES or width not in (256, 512):
        return None
    c = {"f32": "float", "f64": "double", "i32": "int", "i64": "long"}[f"{kind}{type.bits}"]
    if type.kind == "u":
        c = f"u{c}"
    mask_width = 32 * lanes
    bits = f"({'ushort' if lanes == 16 else 'uchar'})__builtin_ia32_cvtd2mask{mask_width}(mask.v)"
    return f"{_NAMES[kind, type.bits]}{width}", c, bits


def _either(c: str, bytes: int, lanes: int, body: list[str], otherwise: list[str]) -> list[str]:
    signed = c.removeprefix("u")
    return [
        f"#if {AVX512}",
        f"typedef {signed} native __attribute__((vector_size({bytes})));",
        f"typedef int native_mask __attribute__((vector_size({4 * lanes})));",
        f"union {{ int{lanes} of_opencl; native_mask v; }} mask = {{m}};",
        *body,
        "#else",
        *otherwise,
        "#endif",
    ]
