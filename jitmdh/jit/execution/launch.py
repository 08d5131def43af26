"""From compiled code to calls: a `Specialisation` runs one signature by the back end of its target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from jitmdh.base.errors import (
    ArgumentValueError,
    BoundsError,
    DeviceError,
    DivisionError,
    InternalError,
    MdhError,
    OutOfMemoryError,
)
from jitmdh.base.records import dataclass
from jitmdh.base.status import Status
from jitmdh.hca.drivers import cpu_runtime
from jitmdh.hca.interface.device import not_after_fork
from jitmdh.jit.compilation.backend import Loaded, backend_of
from jitmdh.jit.compilation.compiled import CheckFact, Compiled, narrower
from jitmdh.jit.compilation.pipeline import Uncovered, check_types, interpret
from jitmdh.jit.compilation.signature import Prepared, Signature
from jitmdh.mdh.algebra.semantics.argument_binding import FAULTS, FallbackSignal, fault_error
from jitmdh.mdh.algebra.semantics.returned_views import remade, values_of

if TYPE_CHECKING:
    from jitmdh.hca.drivers.cpu_entry import Plan


@dataclass(frozen=True, slots=True, eq=False)
class Specialisation:
    """A function compiled for a signature. loaded: None if there is no code and the program is interpreted.

    remembered: the code was compiled by an earlier process. threads: of tuned code, how many it was measured with; it
    serves calls with so many only. settled: nothing better has been found in a whole search. general: it serves calls
    of very different sizes; some of them may get code for their class.
    """

    signature: Signature
    compiled: Compiled
    loaded: Loaded | None
    remembered: bool = False
    threads: int | None = None
    settled: bool = False
    general: bool = False

    @property
    def plan(self) -> Plan | None:
        """For the native call path, where the code can be called by it: it makes tuples, but no lists and no views."""
        made = self.compiled.returns_list or self.compiled.values
        return None if self.loaded is None or made else self.loaded.plan

    @property
    def written(self) -> frozenset[int]:
        """Positions of the arguments that the function stores to."""
        return frozenset(n for n, p in enumerate(self.compiled.parameters) if p.written)


def load(signature: Signature, compiled: Compiled, remembered: bool = False) -> Specialisation:
    """Code into memory, bound to a description of its calls. DeviceError or KeyError if it cannot be placed."""
    check_types(compiled, signature)
    if compiled.code is None and compiled.text is None:
        return Specialisation(signature, compiled, None)
    loaded = backend_of(compiled.target).load(signature, compiled)
    return Specialisation(signature, compiled, loaded, remembered)


def run(specialisation: Specialisation, prepared: Prepared, disjoint: bool) -> Any:
    """One call. disjoint: arrays whose extents overlap have been found to share no element.

    Raises what the program's checks and status codes mean; `Uncovered` where the undecorated function must run.
    """
    loaded, compiled = specialisation.loaded, specialisation.compiled
    if loaded is None:
        result = _interpreted(compiled, prepared)
    else:
        failed, status, result = loaded.run(prepared.arguments, disjoint)
        if failed:
            raise failed_check(compiled, failed - 1)
        if status:
            raise failed_kernel(status, compiled)
    if compiled.values:  # views of the user's own arrays
        made = values_of(originals(result, prepared), compiled.values)
        result = made if compiled.returns_tuple else made[0]
    return list(result) if compiled.returns_list else result


def _interpreted(compiled: Compiled, prepared: Prepared) -> Any:
    program = compiled.program
    if program.values:
        program = replace(program, values=(), returns_tuple=True, returns_list=False)
    return interpret(program, prepared.arguments)


def failed_check(compiled: Compiled, number: int) -> Exception:
    """The error that check `number` stands for; one behind the last: see `mdh.codegen.guard`."""
    if number == len(compiled.checks):
        return Uncovered("numbers of this call are too large for compiled code")
    if not 0 <= number < len(compiled.checks):
        return InternalError(f"{compiled.name}: the guard reports check {number}, which does not exist")
    return _meaning(compiled.checks[number])


def _meaning(check: CheckFact) -> Exception:
    if check.kind in ("fallback", "raise"):
        return Uncovered(check.message, raises=check.kind == "raise")
    error: type[MdhError] = BoundsError if check.kind == "bounds" else FAULTS.get(check.kind, ArgumentValueError)
    return error(check.message, loc=check.loc)


def failed_kernel(status: int, compiled: Compiled) -> BaseException:
    """The error that a kernel's status stands for."""
    name = compiled.name
    if status == Status.INTERRUPTED:
        lost = RuntimeError(f"{name}: a signal's handler forked while the call ran, and this is the child process")
        return cpu_runtime.runtime().interruption() or lost
    fault, data = Status.of_fault(status), Status.of_data(status)
    if fault is not None:
        known = compiled.faults[fault]
        error = fault_error(known.kind, known.message, known.loc)
        return Uncovered(known.message, raises=True) if isinstance(error, FallbackSignal) else error
    if data is not None:
        found = compiled.data_checks[data:]
        return _meaning(found[0]) if found else BoundsError(f"{name}: an index read from data is out of bounds")
    if (access := Status.of_access(status)) is not None:
        return InternalError(f"{name}: `{compiled.accesses[access]}` was to leave its array")
    if status == Status.DIVISION_BY_ZERO:
        return DivisionError(f"{name}: integer division or remainder by zero")
    if status == Status.NEGATIVE_POWER:
        return ArgumentValueError(f"{name}: integers to negative integer powers are not allowed")
    if (errors := backend_of(compiled.target).errors) is not None:
        if status == Status.NOT_AFTER_FORK:
            return not_after_fork(errors.driver)
        if (reported := Status.of_driver(status)) is not None:
            number = errors.sign * abs(reported)
            kind = OutOfMemoryError if number in errors.out_of_memory else DeviceError
            return kind(f"{name}: the device failed", reason=f"its driver reports error {number}")
    if status == Status.OUT_OF_MEMORY:
        return OutOfMemoryError(f"{name}: not enough memory for its working buffers")
    return InternalError(f"{name}: the kernel failed with status {status}")


def copy_back(prepared: Prepared, written: frozenset[int]) -> None:
    """Results from aligned copies into the user's misaligned arrays."""
    for position, original in prepared.copied:
        if position in written:
            np.copyto(original, prepared.arguments[position])


def check_outputs(names: Sequence[str], prepared: Prepared, written: frozenset[int]) -> None:
    """ArgumentValueError if an array that the function stores to cannot take it."""
    from jitmdh.jit.compilation.signature import overlaps_itself

    given = prepared.given
    for position in written:
        array = given[position]
        if not isinstance(array, np.ndarray):
            continue
        if not array.flags.writeable:
            raise ArgumentValueError(
                f"argument `{names[position]}` is written by the function, but the array is read-only",
                hint="pass a writeable array, such as a copy",
            )
        if overlaps_itself(array):
            raise ArgumentValueError(
                f"argument `{names[position]}` is written by the function, but its elements share memory "
                f"(strides {array.strides})",
                hint="pass a copy: broadcast arrays have many indices for one element",
            )


def placed(found: Specialisation, known: tuple[Specialisation, ...]) -> tuple[Specialisation, ...]:
    """`found` among the codes of its signature: behind those that serve some of its calls only."""
    before = [narrower(k.compiled.conditions, found.compiled.conditions) for k in known]
    at = max((n + 1 for n, is_narrower in enumerate(before) if is_narrower), default=0)
    return *known[:at], found, *known[at:]


def originals(result: Any, prepared: Prepared) -> Any:
    """Returned arguments are the user's own arrays, not aligned copies of them."""
    for position, original in prepared.copied:
        copy = prepared.arguments[position]
        if result is copy:
            return original
        if isinstance(result, tuple | list):
            result = remade(result, (original if r is copy else r for r in result))
    return result


def as_given(result: Any, prepared: Prepared) -> Any:
    """As `originals`, and arrays of other libraries as the objects that they came as."""
    given = prepared.given
    objects = {id(given[position]): original for position, original in prepared.foreign}

    def as_it_came(result: Any) -> Any:
        if isinstance(result, tuple | list):
            return remade(result, map(as_it_came, result))
        return objects.get(id(result), result)

    return as_it_came(originals(result, prepared))
