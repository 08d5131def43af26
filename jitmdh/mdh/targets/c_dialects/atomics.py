"""Updates of memory in one step, in OpenCL C and CUDA C++.

Integers of 32 and 64 bits have functions of the language, and sums of floats in CUDA, but for those of float32 in
global memory, where that function takes what is nearly zero for zero (PTX, `atom.add`). All other floats of these sizes
are compared and exchanged until nobody has come in between. Narrower numbers, which lie in one word with others, have
no spelling.
"""

from __future__ import annotations

from collections.abc import Callable

from jitmdh.base.dtype import ScalarType
from jitmdh.base.records import dataclass
from jitmdh.mdh.kernel.ir import Apply, Name
from jitmdh.mdh.targets.c_dialects.half_floats import is_short
from jitmdh.mdh.targets.c_dialects.operations import Operations
from jitmdh.mdh.targets.c_dialects.types import NoSpelling

_EXTENSIONS = "\n".join(
    f"#pragma OPENCL EXTENSION cl_khr_int64_{kind}_atomics : enable" for kind in ("base", "extended")
)
_SHORT = {"minimum": "min", "maximum": "max"}
_FUNCTION = """void atomic_{op}_{type}{suffix}({space}{type} *at, {type} value)
{{
    {word} seen = *(volatile {space}{word} *)at, was;
    do {{
        was = seen;
        const {type} old = as_{type}(was);
        seen = {exchange};
    }} while (seen != was);
}}"""


@dataclass(frozen=True, slots=True)
class Atomics:
    """How a language spells them.

    integers: of an operation, on what a pointer points to and a value, of a type; compare_exchange: of a word in a
    space, of so many bits, if it is one value, for another; extensions: what 64 bits need in front of all; float_sums:
    whether there are functions of the language for these.
    """

    integers: Callable[[str, str, str, ScalarType], str]
    compare_exchange: Callable[[str, int, str, str], str]
    extensions: str = ""
    float_sums: bool = False

    def update(
        self, op: str, place: str, value: str, type: ScalarType, space: str, operations: Operations, shared: bool,
    ) -> str:  # fmt: skip
        """`*place = op(*place, value)`; shared: in memory that a block shares, of pointers to `space`."""
        if type.kind not in "iuf" or is_short(type) or type.bits < 32:
            raise NoSpelling(f"an update of {type} in one step")
        if type.bits == 64 and self.extensions:
            operations.functions["atomics of 64 bits"] = self.extensions
        if type.is_integer or (self.float_sums and op == "add" and (shared or type.bits == 64)):
            return f"{self.integers(_SHORT.get(op, op), place, value, type)};"
        word, c = ("ulong", "double") if type.bits == 64 else ("uint", "float")
        suffix = f"_{space.strip()}" if space else ""
        new = operations.apply(Apply(op, (Name("old", type), Name("value", type)), type), ["old", "value"])
        exchange = self.compare_exchange(space, type.bits, "was", f"as_{word}({new})")
        name = f"atomic_{op}_{c}{suffix}"
        operations.functions[name] = _FUNCTION.format(
            op=op, type=c, suffix=suffix, space=space, word=word, exchange=exchange
        )
        return f"{name}({place}, {value});"


def _of_opencl(op: str, place: str, value: str, type: ScalarType) -> str:
    return f"{'atom' if type.bits == 64 else 'atomic'}_{op}({place}, {value})"


def _of_cuda(op: str, place: str, value: str, type: ScalarType) -> str:
    """Sums and bits are the same whether there is a sign; CUDA has them of 64 bits without one only."""
    name = f"atomic{op.capitalize()}"
    if type.bits == 32 or not type.is_integer:
        return f"{name}({place}, {value})"
    word = "long long" if op in ("min", "max") and type.kind == "i" else "unsigned long long"
    return f"{name}(({word} *)({place}), ({word})({value}))"


def _exchanged_by_opencl(space: str, bits: int, was: str, new: str) -> str:
    name, word = ("atom_cmpxchg", "ulong") if bits == 64 else ("atomic_cmpxchg", "uint")
    return f"{name}((volatile {space}{word} *)at, {was}, {new})"


def _exchanged_by_cuda(space: str, bits: int, was: str, new: str) -> str:
    if bits == 32:
        return f"atomicCAS((uint *)at, {was}, {new})"
    return f"atomicCAS((unsigned long long *)at, {was}, {new})"


OPENCL = Atomics(_of_opencl, _exchanged_by_opencl, _EXTENSIONS)
CUDA = Atomics(_of_cuda, _exchanged_by_cuda, float_sums=True)
