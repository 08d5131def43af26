"""LLVM IR as it is emitted: each statement and value of kernel IR in small kernels, and the instructions that each
operation takes. What programs compute is tested elsewhere; here is seen what takes longer, or is not said to LLVM any
more: another alignment, accesses that may meet, a store that does not bypass caches, an instruction too many.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from jitmdh.base.dtype import ScalarType, bool_, complex128, float32, float64, int64
from jitmdh.base.errors import InternalError, NotAnMdhError
from jitmdh.hca.drivers.native_code import cpu_compile
from jitmdh.mdh.algebra.operations.table import OPERATIONS
from jitmdh.mdh.kernel.arithmetic import integer
from jitmdh.mdh.kernel.ir import (
    Apply,
    BufferArgument,
    For,
    Kernel,
    Let,
    Literal,
    Load,
    Name,
    Return,
    Splat,
    Store,
    StoreRun,
    Value,
)
from jitmdh.mdh.kernel.verify import verify
from jitmdh.mdh.machine.known import PROCESSORS as KNOWN
from jitmdh.mdh.machine.known import known
from jitmdh.mdh.targets.llvm import target
from jitmdh.mdh.targets.llvm.emitter import emit
from jitmdh.mdh.targets.llvm.instructions import vector_functions
from jitmdh.mdh.targets.llvm.instructions.operations import SPELLED
from tests.golden.llvm_forms import FORMS
from tests.mdh.targets.llvm.instructions.test_operations import TYPES, I, computed, kernel

Golden = Callable[[str, str], None]


@pytest.mark.parametrize("name", FORMS)
def test_kernels(name: str, golden: Golden) -> None:
    made, options = FORMS[name]
    verify(made)
    text = emit([made], **options)
    cpu_compile._llvm().parse_assembly(text).verify()
    golden(f"llvm/{name}", text.rstrip("\n"))


PROCESSORS = {
    "AVX-512": {"vector_bits": 512},
    "AVX2": {"vector_bits": 256},
    "SSE, no instructions of float16": {"vector_bits": 128, "converts_half": False},
}
"""The options of `emit`."""


@pytest.mark.parametrize("lanes", [1, 4])
def test_instructions_of_operations(lanes: int, golden: Golden) -> None:
    """Which ones, in each type: one line for all types that take the same; of further processors, what differs."""
    lines, first = [], set[str]()
    for processor, options in PROCESSORS.items():
        found: dict[tuple[str, str], list[str]] = defaultdict(list)
        for type in TYPES:
            for value, _ in computed(type, lanes):
                found[_shown(value), _instructions(value, type, lanes, options)].append(str(type))
        shown = [f"  {name} of {', '.join(types)}: {taken}" for (name, taken), types in found.items()]
        lines += [f"{processor}:", *(line for line in shown if line not in first)]
        first = first or set(shown)
    golden(f"llvm/operations_{lanes}", "\n".join(lines))


@pytest.mark.parametrize("lanes", [1, 4])
def test_functions(lanes: int, golden: Golden) -> None:
    """Exponentials and the like: what is called, and with how many lanes."""
    lines = []
    for processor, options in PROCESSORS.items():
        lines.append(f"{processor}:")
        for op, row in OPERATIONS.items():
            for type in (float32, float64) if row.c and op not in SPELLED else ():
                value = Apply(op, tuple(Name(n, type, lanes) for n in ("a", "b")[: row.arity]), type, lanes)
                lines.append(f"  {op} of {type}: {_instructions(value, type, lanes, options)}")
    golden(f"llvm/functions_{lanes}", "\n".join(lines))


def test_complex_numbers_are_refused() -> None:
    """They are real and imaginary parts before."""
    body = Store("y", integer(0), Load("y", integer(1), complex128)), Return(integer(0))
    with pytest.raises(NotAnMdhError, match="values of type complex128 are not supported"):
        emit([Kernel("kernel", (BufferArgument("y", complex128, 0),), body)], 512)


def test_runs_of_stores_are_none_of_the_emitter() -> None:
    value = Splat(Literal(1.0, float64), float64, 8)
    with pytest.raises(InternalError, match="coalesced_stores"):
        emit([Kernel("kernel", (BufferArgument("y", float64, 0),), (StoreRun("y", integer(0), (value,)),))], 512)


@pytest.mark.parametrize("type", [float32, float64])
def test_without_a_method_it_is_the_library_s(type: ScalarType, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a new row of the table of operations is; of each lane then."""
    monkeypatch.setattr(vector_functions, "method", lambda _: None)
    letter, spelled = ("f", "float") if type is float32 else ("", "double")
    for lanes in (1, 3):
        value = Apply("arctan2", (Name("a", type, lanes), Name("b", type, lanes)), type, lanes)
        text = _text(value, type, lanes, {"vector_bits": 256})
        assert f"declare {spelled} @atan2{letter}({spelled}, {spelled}) memory(none)\n" in text
        assert text.count(f"call {spelled} @atan2{letter}({spelled} %") == lanes


@pytest.mark.parametrize("op", ["matmul", "first", "floordiv_", "sin"])
def test_what_has_no_spelling_is_refused(op: str) -> None:
    """A function of integers, and what is none."""
    value = Apply(op, (Name("a", int64),), int64)
    with pytest.raises(NotAnMdhError, match=f"operation {op} on int64 is not supported"):
        _instructions(value, int64, 1, {"vector_bits": 256})


def test_processors(golden: Golden) -> None:
    """What passes and the emitter ask of each."""
    asked = (target.is_x86, target.line_bytes, target.has_masks, target.masked_bytes, target.gathers, target.registers)
    machines = {name: known(name) for name in KNOWN}
    machines["neoverse with longer vectors"] = replace(known("neoverse"), vector_bits=512)
    lines = [f"{name}: " + ", ".join(f"{ask.__name__} {ask(m)}" for ask in asked) for name, m in machines.items()]
    golden("llvm/processors", "\n".join(lines))


def _shown(value: Value) -> str:
    """An operation, with the numbers that it is given."""
    assert isinstance(value, Apply)
    literals = [o.value if isinstance(o, Splat) else o for o in value.operands]
    inner = [o.op for o in value.operands if isinstance(o, Apply) and value.op != "cast"]
    numbers = [str(o.value) for o in literals if isinstance(o, Literal)]
    return " ".join([value.op, *numbers, *inner, *([f"to {value.type}"] if value.op == "cast" else [])])


def _text(value: Value, type: ScalarType, lanes: int, options: Mapping[str, Any]) -> str:
    """A kernel that stores one value of a, b and a divisor, which are loaded."""
    (loop, _) = kernel(type, lanes, lanes, [(value, False)]).body
    assert isinstance(loop, For)
    given = [*((name, type) for name in "xyd"), ("z0", value.type)]
    buffers = tuple(BufferArgument(name, of, n) for n, (name, of) in enumerate(given))
    return emit([Kernel("kernel", buffers, (Let(I, integer(0)), *loop.body, Return(integer(0))))], **options)


def _instructions(value: Value, type: ScalarType, lanes: int, options: Mapping[str, Any]) -> str:
    """In their order, with their flags and numbers, without names and types."""
    text = _text(value, type, lanes, options).partition("define i64 @kernel(")[2].partition("load i64, ptr %status")[0]
    words = []
    for line in text.splitlines()[1:-1]:
        bare = re.sub(r"%[\w.]+|, align \d+|, !.*$", "", line.strip()).removeprefix(" = ")
        bare = re.sub(rf"<{lanes} x |\b(i\d+|half|float|double|ptr)\b|[<>(),]", " ", bare)
        words.append(" ".join(bare.split()))
    begin = [n for n, word in enumerate(words) if word == "load"][-1] + 1
    return "; ".join(w for w in words[begin + (type == bool_) :] if w not in ("store", "getelementptr 0"))
