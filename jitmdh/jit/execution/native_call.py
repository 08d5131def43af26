"""Code for the processor: LLVM IR compiled, loaded, and called natively where this machine allows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from jitmdh.base.cores import usable_cores
from jitmdh.base.errors import InternalError
from jitmdh.base.records import dataclass
from jitmdh.hca.drivers import cpu_frame, cpu_runtime
from jitmdh.hca.drivers.cpu_entry import (
    DONE,
    FAILED,
    REFUSED,
    AllocatedArray,
    Argument,
    ArrayArgument,
    CallDescription,
    Plan,
    Result,
    ScalarArgument,
    SizeCondition,
    StaticArgument,
    make_plan,
    native_call_path,
)
from jitmdh.hca.drivers.native_code import cpu_compile
from jitmdh.jit.compilation.backend import Loaded
from jitmdh.jit.compilation.compiled import Compiled, Condition
from jitmdh.jit.compilation.signature import ArrayKey, Signature
from jitmdh.jit.compilation.static_arguments import StaticKey
from jitmdh.jit.execution.calibration import digest_of, figures_in_use
from jitmdh.mdh.machine.model import Place
from jitmdh.mdh.targets.registry import DEFAULT


class Processor:
    """This machine's processor as a back end."""

    errors = None
    on_device = None
    offers = frozenset({"explain", "tune", "online"})
    runs_in_forks = True
    first_launch_seconds = 0.0
    compiler = "LLVM"

    def place(self) -> Place:
        return Place(cpu_compile.features_named(), usable_cores(), figures_in_use())

    def identity(self) -> str:
        figures, target = figures_in_use(), cpu_compile.target_identity()
        return target if figures is None else f"{target}/{digest_of(figures)}"

    def compiled(self, text: str) -> bytes:
        return cpu_compile.compile_ir(text)

    def shown(self, text: str, stage: str) -> str:
        """llvm: as optimised; asm: what becomes of it."""
        return cpu_compile.assembly(text) if stage == "asm" else cpu_compile.optimised(text)

    def load(self, signature: Signature, compiled: Compiled) -> Loaded:
        assert compiled.code is not None
        plan = make_plan(describe(signature, compiled), cpu_runtime.load_kernel(compiled.code, compiled.name), compiled)
        return Loaded(PlannedCalls(compiled.name, plan), plan)


BACKEND = Processor()


@dataclass(frozen=True, slots=True)
class PlannedCalls:
    """Calls by a plan, in the form that `Loaded` has."""

    name: str
    plan: Plan

    def __call__(self, arguments: tuple[Any, ...], disjoint: bool) -> tuple[int, int, Any]:
        native = native_call_path()
        path = cpu_frame if native is None or disjoint else native
        return self.meant(*path.call(self.plan, arguments))

    def meant(self, status: int, result: Any) -> tuple[int, int, Any]:
        """What the call path returned, in the words of `Loaded.run`."""
        if status & 0xFF == REFUSED:
            return status >> 8, 0, None
        if status & 0xFF == FAILED:
            return 0, status >> 8, None
        if status & 0xFF != DONE:
            raise InternalError(f"{self.name}: the call path refuses arguments that it was made for")
        return 0, 0, result


def describe(signature: Signature, compiled: Compiled) -> CallDescription:
    """What the call path has to know about calls of this signature."""
    arguments: list[Argument] = []
    for position, (parameter, key) in enumerate(zip(compiled.parameters, signature.keys)):
        if isinstance(key, ArrayKey):
            alias = position if key.alias is None else key.alias
            rows = key.rows and compiled.target == DEFAULT
            arguments.append(ArrayArgument(key.type, key.rank, key.unit_axis, parameter.written, alias, rows))
        elif isinstance(key, StaticKey):
            arguments.append(StaticArgument(key.value))
        else:
            arguments.append(ScalarArgument(key.type))
    returned = frozenset([*(compiled.returns or ()), *compiled.lengths.values()])
    places = {a.name: n for n, a in enumerate(compiled.allocations)}
    allocations = tuple(
        AllocatedArray(a.type, a.rank, a.name in returned, places.get(compiled.lengths.get(a.name, "")), a.fortran)
        for a in compiled.allocations
    )
    is_tuple = compiled.returns_tuple or bool(compiled.values)
    bare = CallDescription(tuple(arguments), allocations, _results(compiled), is_tuple)
    slots = _size_slots(compiled, bare.argument_slots)
    conditions = [_size_condition(c, slots) for c in compiled.conditions]
    if compiled.target == DEFAULT:
        conditions += _strides(signature, bare.argument_slots)
    return replace(bare, conditions=tuple(conditions))


def size_slots(compiled: Compiled, plan: Plan) -> dict[str, int]:
    """Where each size of a call stands in the frame: shapes and integers, by their names in expressions."""
    slots = _size_slots(compiled, plan.description.argument_slots)
    others = {
        p.name
        for p, argument in zip(compiled.parameters, plan.description.arguments)
        if isinstance(argument, StaticArgument) or (p.rank is None and not p.type.is_integer)
    }
    return {name: slot for name, slot in slots.items() if name not in others}


def _size_condition(condition: Condition, slots: Mapping[str, int]) -> SizeCondition:
    first, *factors = (slots[name] for name in condition.factors)
    return SizeCondition(first, condition.least, condition.most, condition.multiple, tuple(factors))


def _strides(signature: Signature, starts: tuple[int, ...]) -> Iterator[SizeCondition]:
    """The strides that code for this signature rests on, in bytes."""
    for key, start in zip(signature.keys, starts):
        if isinstance(key, ArrayKey):
            for axis, step in key.steps:
                stride = step * key.type.size_bytes
                yield SizeCondition(start + 1 + key.rank + axis, stride, stride)


def _size_slots(compiled: Compiled, starts: tuple[int, ...]) -> dict[str, int]:
    """Where each size stands in the frame."""
    slots: dict[str, int] = {}
    for parameter, start in zip(compiled.parameters, starts):
        if parameter.rank is None:
            slots[parameter.name] = start
        else:
            slots |= {f"{parameter.name}.shape[{axis}]": start + 1 + axis for axis in range(parameter.rank)}
    return slots


def _results(compiled: Compiled) -> tuple[Result, ...] | None:
    if compiled.returns is None:
        return None
    allocated = {a.name: n for n, a in enumerate(compiled.allocations)}
    given = {p.name: n for n, p in enumerate(compiled.parameters)}
    return tuple(Result(True, allocated[r]) if r in allocated else Result(False, given[r]) for r in compiled.returns)
