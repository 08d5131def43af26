"""Kernel IR -> LLVM IR as text, for CPUs: each node has one spelling.

External symbols the code may call (the execution wing provides them): `jitmdh_parallel(task, env, count, status)`,
`jitmdh_ask(count, full)`, `jitmdh_interrupted()`, `jitmdh_num_threads()`, `jitmdh_scratch_acquire(bytes)`,
`jitmdh_scratch_release(address)`, and libm's functions.
"""

from __future__ import annotations

from collections.abc import Sequence

from jitmdh.mdh.kernel.ir import Kernel
from jitmdh.mdh.targets.llvm.function import FunctionEmitter
from jitmdh.mdh.targets.llvm.line_tables import LineTable
from jitmdh.mdh.targets.llvm.module import Module


def emit(
    kernels: Sequence[Kernel],
    vector_bits: int,
    x86: bool = True,
    converts_half: bool = True,
    line_tables: bool = False,
    gathers: bool = True,
) -> str:
    """LLVM IR of `i64 @<kernel name>(ptr frame)` for each kernel, and of the tasks they start.

    converts_half: the processor has instructions between float16 and float32. line_tables: with where code comes from.
    gathers: it has an instruction for elements that lie apart, which takes less time than as many loads.
    """
    module = Module(vector_bits, x86, converts_half, gathers)
    first = kernels[0]
    if line_tables and first.loc is not None:
        module.line_table = LineTable(first.title, first.loc)
    for kernel in kernels:
        FunctionEmitter(module, kernel.name, kernel.buffers).kernel(kernel)
    text = module.text()
    count = len(module.memories)
    for name, n in module.scopes.items():  # metadata numbers are known only now
        text = text.replace(f"!scope:{name}!", f"!alias.scope !{3 + count + n}, !noalias !{3 + 2 * count + n}")
    return text
