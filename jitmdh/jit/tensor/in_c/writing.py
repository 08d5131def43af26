"""Kernels for programs in C: an object file, a header, and a test that compares them with plain loops."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import product
from pathlib import Path

import numpy as np

from jitmdh.base.calling.entry import entry
from jitmdh.base.errors import ArgumentTypeError, ArgumentValueError
from jitmdh.base.records import dataclass
from jitmdh.hca.drivers.cpu_runtime import standalone
from jitmdh.jit.execution.object_code import FramedCode, framed_code
from jitmdh.jit.tensor.families import Family
from jitmdh.jit.tensor.in_c import c_texts
from jitmdh.jit.tensor.kernels import Batch, Kernel, ListedBatch
from jitmdh.jit.tensor.sized import SizedBatch, SizedKernel
from jitmdh.mdh.algebra.index import shape_name
from jitmdh.mdh.frontend.tensor.notation.expr import Array, Scalar, Tensor

_ELEMENTS = 64  # of the batch that code is chosen for; it serves all others, too


@dataclass(frozen=True, slots=True)
class Written:
    """The files that were written."""

    object: Path
    header: Path
    test: Path | None


@entry
def write(folder: str | Path, kernels: Kernel | Family | Iterable[Kernel | Family], *, test: bool = True) -> Written:
    """Writes kernels as `NAME.o`, `NAME.h` and `test_NAME.c`, where NAME is that of the folder, which is made.

    The header declares for each kernel a function for one element and one for a batch of them; for a batch that is
    given itself, only that; for a family the functions of all its members. Arrays are in C order. The object is for
    this machine's processor and has all that it calls but libc, libm and threads. test=False: no test is written.

    Raises ArgumentTypeError for kernels whose sizes come with the call, batches by lists, complex and 16-bit numbers,
    and where the test needs what C has no function for, or storage that is not that of an array; ArgumentValueError for
    two functions of one name.
    """
    place = Path(folder)
    library = re.sub(r"\W", "_", place.resolve().name)
    functions = [f for kernel in _members(kernels) for f in _functions(kernel)]
    names = [f.name for f in functions]
    twice = next((n for n in names if names.count(n) > 1), None)
    if twice is not None:
        raise ArgumentValueError(f"write: two functions have the name {twice}")
    texts = [text for f in functions for text in _of_function(f)]
    threads = f"{library}_set_num_threads"
    texts.append(
        f"declare void @jitmdh_set_num_threads(i64)\ndefine void @{threads}(i64 %count) {{\n"
        "  call void @jitmdh_set_num_threads(i64 %count)\n  ret void\n}\n"
    )
    elsewhere = next(
        (t for f in functions for t in f.program.tensors if t.layout and t.values is None and not t.temporary), None
    )
    if test and elsewhere is not None:
        facts = f"write: the plain loops of a test know no storage={elsewhere.storage!r}, which {elsewhere} has"
        raise ArgumentTypeError(facts, hint="test=False")
    header = c_texts.header(library, functions)
    tested = c_texts.test(library, functions) if test else None
    code = standalone(texts, {*names, threads})
    place.mkdir(parents=True, exist_ok=True)
    written = Written(
        place / f"{library}.o", place / f"{library}.h", place / f"test_{library}.c" if tested is not None else None
    )
    written.object.write_bytes(code)
    written.header.write_text(header, encoding="utf-8")
    if written.test is not None and tested is not None:
        written.test.write_text(tested, encoding="utf-8")
    return written


def _members(kernels: Kernel | Family | Iterable[Kernel | Family]) -> list[Kernel]:
    given = [kernels] if isinstance(kernels, Kernel | Family) else list(kernels)
    found: list[Kernel] = []
    for one in given:
        if isinstance(one, Family):
            found += [one[number] for number in product(*map(range, one.shape))]
        elif isinstance(one, SizedKernel | SizedBatch):
            raise ArgumentTypeError(f"write: the sizes of {one.__name__} come with the call", hint="write k.at(n=…)")
        elif isinstance(one, ListedBatch):
            raise ArgumentTypeError(f"write: {one!r} is a batch by lists", hint="write k.batched()")
        elif isinstance(one, Kernel):
            found.append(one)
        else:
            raise ArgumentTypeError(f"write: {one!r} is no kernel")
    batches = {k.__name__ for k in found if isinstance(k, Batch)}
    own = [k.batched() for k in found if not isinstance(k, Batch) and k.__name__ not in batches and k.tensors]
    return [*found, *own]


def _functions(kernel: Kernel) -> list[c_texts.CFunction]:
    each = kernel.each if isinstance(kernel, Batch) else ()
    name = f"{kernel.__name__}_batch" if isinstance(kernel, Batch) else kernel.__name__
    given: tuple[Tensor | Scalar, ...] = (*kernel.tensors, *kernel.program.scalars)
    return [c_texts.CFunction(name, kernel.program, given, each, _code(kernel, each), kernel.constants)]


def _code(kernel: Kernel, each: Sequence[str]) -> FramedCode:
    values = {
        t.name: np.zeros((_ELEMENTS, *t.shape) if t.name in each else t.shape, t.type.numpy) for t in kernel.tensors
    }
    values |= {s.name: s.type.numpy.type(1) for s in kernel.program.scalars}
    function = kernel.function
    prepared = function.prepared((*(values[n] for n in kernel.parameters), *kernel.constants))
    fixed = [
        shape_name(name, axis)
        for name, value in zip(function.parameter_names, prepared.arguments)
        for axis in range(np.ndim(value))
        if axis or name not in each
    ]
    return framed_code(function.traced(prepared), prepared, fixed)


# ------------------------------------------------------------------------------------------------------ LLVM IR


def _of_function(f: c_texts.CFunction) -> list[str]:
    """The texts of a kernel, under names of its own, and of the function that C calls."""
    text = f.code.text if isinstance(f.code.text, str) else "\n".join(f.code.text)
    guarded = "@guard(" in text
    own = re.sub(r"@(kernel|guard)(?=\()", rf"@{f.name}.\1", text)
    return [own, _wrapper(f, guarded)]


def _wrapper(f: c_texts.CFunction, guarded: bool) -> str:
    """Lays out the frame: what is the same in all calls, addresses, numbers, and how many elements there are."""
    declared = [f"declare i64 @{f.name}.kernel(ptr)"] + [f"declare i64 @{f.name}.guard(ptr)"] * guarded
    parameters, stored = [], dict[int, str]()
    for slot, word in enumerate(f.code.words):
        stored[slot] = f"i64 {word}"
    for parameter, start in zip(f.parameters, f.code.starts):
        if isinstance(parameter, Scalar):
            kind = {"f": "double" if parameter.type.bits == 64 else "float"}.get(
                parameter.type.kind, f"i{8 * parameter.type.size_bytes}"
            )
            parameters.append(f"{kind} %{parameter.name}")
            stored[start] = f"{kind} %{parameter.name}"
            continue
        parameters.append(f"ptr %{parameter.name}")
        stored[start] = f"ptr %{parameter.name}"
        if parameter.name in f.each:
            stored[start + 1] = f"i64 %{f.count}"
    for number, (constant, start) in enumerate(zip(f.constants, f.code.starts[len(f.parameters) :])):
        declared.append(f"@{f.name}.constant{number} = internal constant {_bytes(constant)}, align 64")
        stored[start] = f"ptr @{f.name}.constant{number}"
    if f.each:
        parameters.insert(0, f"i64 %{f.count}")
    lines = [f"define i32 @{f.name}({', '.join(parameters)}) {{", f"  %frame = alloca [{len(stored)} x i64], align 16"]
    for slot, value in stored.items():
        lines.append(f"  %slot.{slot} = getelementptr i64, ptr %frame, i64 {slot}")
        if not value.startswith(("i64", "ptr", "double")):
            lines.append(f"  store i64 0, ptr %slot.{slot}")
        lines.append(f"  store {value}, ptr %slot.{slot}")
    if f.each:
        lines += [
            f"  %negative = icmp slt i64 %{f.count}, 0",
            "  br i1 %negative, label %refused, label %fits",
            "fits:",
        ]
    if guarded:
        lines += [f"  %check = call i64 @{f.name}.guard(ptr %frame)", "  %fine = icmp eq i64 %check, 0"]
        lines += ["  br i1 %fine, label %run, label %refused", "run:"]
    lines += [f"  %status = call i64 @{f.name}.kernel(ptr %frame)", "  %failed = icmp ne i64 %status, 0"]
    lines += [f"  %result = select i1 %failed, i32 {c_texts.FAILED}, i32 0", "  ret i32 %result"]
    if f.each or guarded:
        lines += ["refused:", f"  ret i32 {c_texts.REFUSED}"]
    return "\n".join([*declared, *lines, "}", ""])


def _bytes(array: Array) -> str:
    data = array.tobytes() or b"\0"
    spelled = "".join(f"\\{byte:02X}" for byte in data)
    return f'[{len(data)} x i8] c"{spelled}"'
