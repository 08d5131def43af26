"""Asynchronous copies from global to shared memory in CUDA C++: instructions of sm_80 and later, else plain copies.

The clobbered memory keeps the compiler from taking shared memory for something that nobody writes.
"""

from __future__ import annotations

from jitmdh.mdh.kernel.ir import Arrived, Commit, CopyAhead

_WORDS = {4: "int", 8: "int2", 16: "int4"}
"""Types of as many bytes."""

_COPY = """void {name}(void *to, const void *from)
{{
#if __CUDA_ARCH__ >= 800
    const uint place = (uint)__cvta_generic_to_shared(to);
    asm volatile("cp.async.{cache}.shared.global [%0], [%1], {n};" ::"r"(place), "l"(from) : "memory");
#else
    *({words} *)to = *(const {words} *)from;
#endif
}}"""
_COMMIT = """void {name}(void)
{{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}}"""
_ARRIVED = """void {name}(void)
{{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group {n};" ::: "memory");
#endif
}}"""

_TEXTS = {CopyAhead: _COPY, Commit: _COMMIT, Arrived: _ARRIVED}


def function(kind: type[CopyAhead | Commit | Arrived], name: str, n: int) -> str:
    """Its text. n: the bytes that are copied, or the batches that are not waited for. 16 bytes bypass the first-level
    cache."""
    return _TEXTS[kind].format(name=name, n=n, cache="cg" if n == 16 else "ca", words=_WORDS.get(n))
