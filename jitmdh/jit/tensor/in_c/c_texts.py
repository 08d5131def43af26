"""The header of kernels that C calls, and the test of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from jitmdh.base.records import dataclass
from jitmdh.jit.execution.object_code import FramedCode
from jitmdh.jit.tensor.in_c.naive_c import c_type, naive
from jitmdh.mdh.frontend.tensor.check import Checked
from jitmdh.mdh.frontend.tensor.notation.expr import Array, Scalar, Tensor

REFUSED, FAILED = 1, 2
"""What a function returns instead of 0."""

_ELEMENTS = (0, 1, 7, 8, 9, 100)  # of the batches in tests


@dataclass(frozen=True, slots=True)
class CFunction:
    """A kernel as C calls it. each: the tensors of which each element of a batch has its own; none: one element."""

    name: str
    program: Checked
    parameters: tuple[Tensor | Scalar, ...]
    each: Sequence[str]
    code: FramedCode
    constants: tuple[Array, ...]

    @property
    def count(self) -> str:
        """The name of the number of elements."""
        name = "elements"
        while any(p.name == name for p in self.parameters):
            name += "_"
        return name

    @property
    def declaration(self) -> str:
        """In C, without the semicolon."""
        written = {t.name for t in self.program.outputs}
        said = [f"int64_t {self.count}"] if self.each else []
        for p in self.parameters:
            constant = "" if p.name in written else "const "
            said.append(
                f"{c_type(p.type)} {p.name}" if isinstance(p, Scalar) else f"{constant}{c_type(p.type)} *{p.name}"
            )
        return f"int {self.name}({', '.join(said) or 'void'})"

    def shape(self, tensor: Tensor) -> str:
        """Of the array, in words."""
        leading = [self.count] if tensor.name in self.each else []
        return "".join(f"[{extent}]" for extent in [*leading, *tensor.shape]) or " (a single number)"


def header(library: str, functions: Sequence[CFunction]) -> str:
    """Declarations, sizes, and where the elements are that may be other than zero."""
    guard = f"{library.upper()}_H"
    lines = [
        f"/* Kernels of tensors, compiled by jitmdh for the processor of the machine that it ran on: link {library}.o,",
        " * -lm and -lpthread.",
        " *",
        " * Arrays are in C order, aligned as their elements; what is written shares no memory with anything else.",
        f" * Functions return 0; {REFUSED}: a number of elements is negative; {FAILED}: the kernel failed, for lack of",
        " * memory or by a division of integers by zero. `..._size` is how many numbers an array has, in a batch each",
        " * element of it; `..._nonzeros` has the positions that may be other than zero. All others hold zeros. */",
        f"#ifndef {guard}", f"#define {guard}", "", "#include <stdint.h>", "",
        "#ifdef __cplusplus", 'extern "C" {', "#endif", "",
        "/* How many threads a call may use; 1 at first. */",
        f"void {library}_set_num_threads(int64_t count);",
    ]  # fmt: skip
    for f in functions:
        lines += ["", *_comment(f), f"{f.declaration};"]
        tensors = [p for p in f.parameters if isinstance(p, Tensor)]
        if tensors:
            lines.append(f"enum {{ {', '.join(f'{f.name}_{t.name}_size = {math.prod(t.shape)}' for t in tensors)} }};")
        for t in tensors:
            if t.pattern is not None:
                places = np.flatnonzero(t.pattern.mask).tolist()
                lines.append(f"enum {{ {f.name}_{t.name}_nonzeros_count = {len(places)} }};")
                listed = ", ".join(map(str, places)) or "0"
                lines.append(f"static const int64_t {f.name}_{t.name}_nonzeros[] = {{{listed}}};")
    lines += ["", "#ifdef __cplusplus", "}", "#endif", "", "#endif", ""]
    return "\n".join(lines)


def _comment(f: CFunction) -> list[str]:
    said = [str(s).replace("*/", "* /") for s in f.program.statements]
    arrays = [f"{p.name}{f.shape(p)}" for p in f.parameters if isinstance(p, Tensor)]
    return ["/* " + "\n * ".join(said), f" * {', '.join(arrays)} */"]


def test(library: str, functions: Sequence[CFunction]) -> str:
    """A program that compares each function with plain loops over numbers made up; its status is that of the test."""
    lines = [
        f"/* Compares the kernels of {library}.h with plain loops: cc test_{library}.c {library}.o -lm -lpthread */",
        "#include <math.h>", "#include <stdint.h>", "#include <stdio.h>", "#include <stdlib.h>", "#include <string.h>",
        "", f'#include "{library}.h"', "", *_HELP,
    ]  # fmt: skip
    for f in functions:
        lines += ["", naive(f.program, f"{f.name}_naive", f.parameters), "", *_driver(f)]
    lines += ["", "int main(void)", "{", "    int wrong = 0;"]
    lines += ["    for (int threads = 1; threads < 3; threads++) {", f"        {library}_set_num_threads(threads);"]
    for f in functions:
        for count in _ELEMENTS if f.each else (1,):
            lines.append(f"        wrong += test_{f.name}({count});")
    lines.append("    }")
    lines += [
        '    printf(wrong ? "%d differences\\n" : "all kernels agree\\n", wrong);',
        "    return wrong != 0;",
        "}",
        "",
    ]
    return "\n".join(lines)


_HELP = """\
static uint64_t state = 1;

/* Between 0.5 and 1.5. */
static double number(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return 0.5 + (double)(state >> 11) / 9007199254740992.0;
}

static int differs(double found, double wanted, double bound)
{
    if (found == wanted || (found != found && wanted != wanted))
        return 0;
    return !(fabs(found - wanted) <= bound * (1 + fabs(wanted)));
}""".splitlines()


def _driver(f: CFunction) -> Iterator[str]:
    """A function that runs a kernel and plain loops on the same numbers, and counts what differs."""
    yield f"static int test_{f.name}(int64_t count)"
    yield "{"
    yield "    int wrong = 0;"
    written = {t.name for t in f.program.outputs}
    given, wanted = ["count"] if f.each else [], []
    for p in f.parameters:
        type = c_type(p.type)
        if isinstance(p, Scalar):
            yield f"    const {type} {p.name} = ({type}){'number()' if p.type.kind == 'f' else '2'};"
            given.append(p.name)
            wanted.append(p.name)
            continue
        size, elements = math.prod(p.shape), "count" if p.name in f.each else "1"
        yield f"    {type} *{p.name} = calloc({elements} * {size} + 1, sizeof({type}));"
        yield f"    for (int64_t e = 0; e < {elements}; e++)"
        made = (
            f"({type})number()" if p.type.kind == "f" else f"({type})(number() * {'2' if p.type.kind == 'b' else '4'})"
        )
        made = f"({type})(number() < 1)" if p.type.kind == "b" else made
        places = f"{f.name}_{p.name}_nonzeros"
        last, place = (f"{places}_count", f"{places}[n]") if p.pattern is not None else (str(size), "n")
        yield f"        for (int64_t n = 0; n < {last}; n++)"
        yield f"            {p.name}[e * {size} + {place}] = {made};"
        offset = f" + e * {size}" if p.name in f.each else ""
        given.append(p.name)
        if p.name in written:
            yield f"    {type} *wanted_{p.name} = calloc({elements} * {size} + 1, sizeof({type}));"
            yield f"    memcpy(wanted_{p.name}, {p.name}, {elements} * {size} * sizeof({type}));"
        wanted.append(f"{'wanted_' if p.name in written else ''}{p.name}{offset}")
    yield "    for (int64_t e = 0; e < count; e++)"
    yield f"        {f.name}_naive({', '.join(wanted)});"
    yield f"    if ({f.name}({', '.join(given)})) {{"
    yield f'        printf("{f.name}: failed\\n");'
    yield "        wrong++;"
    yield "    }"
    for p in f.parameters:
        if not isinstance(p, Scalar) and p.name in written:
            bound = {"f": 1e-10 if p.type.bits == 64 else 1e-4}.get(p.type.kind, 0)
            yield f"    for (int64_t n = 0; n < {'count * ' if p.name in f.each else ''}{math.prod(p.shape)}; n++)"
            yield f"        if (differs((double){p.name}[n], (double)wanted_{p.name}[n], {bound}) && !wrong++)"
            yield (
                f'            printf("{f.name}: {p.name}[%lld] is %g, not %g\\n", (long long)n, (double){p.name}[n], '
                f"(double)wanted_{p.name}[n]);"
            )
    for p in f.parameters:
        if not isinstance(p, Scalar):
            yield f"    free({p.name});"
            if p.name in written:
                yield f"    free(wanted_{p.name});"
    yield "    return wrong;"
    yield "}"
