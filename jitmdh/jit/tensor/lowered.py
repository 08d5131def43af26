"""From the formulas of a kernel to a function that takes arrays: each step on the way is made when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property, partial
from math import prod
from types import BuiltinFunctionType, MappingProxyType
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakValueDictionary

from jitmdh.hca.drivers.native_code.cpu_callable import CallableObject
from jitmdh.jit.compilation.options import Options
from jitmdh.jit.compilation.pipeline import machine_of
from jitmdh.jit.programs import function_of_deferred
from jitmdh.jit.tensor.native_calls import NativeCalls
from jitmdh.jit.tensor.remembered import Made, Remembered, Values
from jitmdh.jit.tensor.reports import executed
from jitmdh.mdh.algebra.expr import Program, expressions
from jitmdh.mdh.algebra.index import shape_name
from jitmdh.mdh.algebra.rewrites.neighbours.together import together
from jitmdh.mdh.algebra.rewrites.shared_storage import with_shared_storage
from jitmdh.mdh.algebra.rewrites.specialise import specialise
from jitmdh.mdh.frontend.tensor.batches.batched import batched
from jitmdh.mdh.frontend.tensor.batches.listed import Lists
from jitmdh.mdh.frontend.tensor.check import Checked, check
from jitmdh.mdh.frontend.tensor.notation.expr import Array, Assignment
from jitmdh.mdh.frontend.tensor.notation.renaming import of_one_simulation
from jitmdh.mdh.frontend.tensor.notation.sizes import plain
from jitmdh.mdh.frontend.tensor.program import Lowered, given, lower
from jitmdh.mdh.lowering.model.locality import lanes_of_all, on_lanes, vectors_of
from jitmdh.mdh.tensor.vectors import Vectors

if TYPE_CHECKING:
    from jitmdh.jit.decorator import JitFunction

_SIMULATIONS = range(2, 5)  # vectors of them: more are a batch

Functions = WeakValueDictionary[str, "JitFunction[..., Any]"]
"""Compiled functions by the digests of their programs, as long as some kernel has them."""

_SAVED_ON_LANES = 0.046
"""What vectors of elements save of each multiply-add of one element, as a share of one of a vector: they have no idle
lanes, and need no masks. Measured on an AMD EPYC (Zen 4), batches of 64 elements on arrays, and read off those of an
Intel Emerald Rapids: one element after the other takes 0.3 to 0.9 of the time for all of ADER-DG with N = 3, 4 and 5 in
float64 but `element`; volume N=6 and `element` N=4 are at the border. With twice the lanes, so is volume N=5.
"""

NEAR_BYTES = 16 << 10  # of intermediate results: more leave too little of an L1 cache to what comes with a call


class LoweredKernel(CallableObject):
    """What a kernel is made of: from its formulas to a function that takes arrays."""

    def __init__(self, name: str, assignments: Sequence[Assignment], functions: Functions | None = None) -> None:
        """functions: those of kernels that may have the same program."""
        self.__name__, self._assignments = name, tuple(assignments)
        self.program: Checked = check(assignments)
        self._functions = WeakValueDictionary() if functions is None else functions
        self._prepare()

    _said: Values = MappingProxyType({})
    """For operands how their known zeros are left out, where the user says so."""
    _natives: tuple[NativeCalls, ...] = ()  # of what was chosen before: calls may be in them

    @property
    def _vectors(self) -> Vectors:
        return vectors_of(machine_of(Options()))

    def _prepare(self) -> None:
        """What each call looks at, made once."""
        self.tensors = given(self.program)
        self._read, self._written = ({t.name for t in ts} for ts in (self.program.inputs, self.program.outputs))
        self._names = (*(t.name for t in self.tensors), *(s.name for s in self.program.scalars))
        self._shapes = {t.name: plain(t.shape) for t in self.tensors}
        self._dtypes = {t.name: t.type.numpy for t in self.tensors}
        known = {t.name: t.pattern for t in self.tensors if t.pattern is not None and not t.pattern.is_dense}
        self._absent = {name: ~pattern.mask for name, pattern in known.items()}
        self._padded = {t.name for t in self.program.tensors if t.storage == "padded"}

    def _has_zeros(self, name: str) -> bool:
        """Whether some of an array is never written: known zeros, and what rows are padded by."""
        return name in self._absent or name in self._padded

    # What follows is made when it is first asked for: who calls batches only needs no code for one element.
    @cached_property
    def _of_formulas(self) -> Lowered:
        known = vars(self).get("lowered_for_batches")
        return known if known is not None and not known.zeros else self._lower(self.program, self._values_chosen)

    @property
    def lowered_alone(self) -> Lowered:
        """`lowered` where elements of batches are computed one after the other."""
        return self._of_formulas

    @cached_property
    def lowered_for_batches(self) -> Lowered:
        """`lowered`, where elements of batches are going to be on vector lanes: another one for known zeros."""
        known = vars(self).get("_of_formulas")
        return known if known is not None and not known.zeros else self._lower(self.program, self._said, True)

    def _lower(self, checked: Checked, said: Values, for_batches: bool = False) -> Lowered:
        return lower(checked, self.__name__, for_batches, said, self._vectors)

    @cached_property
    def _values_chosen(self) -> Values:
        """For operands how their known zeros are left out: as the user says, else as tuning has found."""
        return self._said or self._remembered.operands

    @cached_property
    def lowered(self) -> Lowered:
        """The formulas as a program, with what is known of their zeros, for one element."""
        lower = partial(self._lower, said=self._values_chosen, for_batches=True)
        return simulations_on_lanes(self._of_formulas, lower, self._assignments) or self._of_formulas

    @cached_property
    def _of_one(self) -> Program:
        return with_shared_storage(self._of_formulas.program, NEAR_BYTES)

    @cached_property
    def _remembered(self) -> Remembered:
        return Remembered(self.__name__, self._meaning(), self._of_arrays)

    def _meaning(self) -> object:
        """All that `_of_arrays` depends on."""
        said = tuple(sorted(self._said.items()))
        return "one", self.program, self._assignments, NEAR_BYTES, said, self._vectors

    def _of_arrays(self) -> Made:
        return with_shared_storage(self.lowered.program, NEAR_BYTES), self.lowered.constants

    @cached_property
    def constants(self) -> tuple[Array, ...]:
        """The numbers of tensors with known values, as the program takes them."""
        return self._remembered.constants

    @cached_property
    def function(self) -> JitFunction[..., Any]:
        """The compiled function for one element; it takes the arrays of `tensors`, scalars and `constants`."""
        return self._function_of(self._remembered)

    @cached_property
    def _native(self) -> NativeCalls | None:
        return self._native_calls()

    def _function_of(self, found: Remembered) -> JitFunction[..., Any]:
        made = self._functions.get(found.fingerprint)
        if made is None:
            known = not any(t.sizes for t in self.tensors)
            made = function_of_deferred(found.name, found.names, found.fingerprint, found.program, known)
            self._functions[found.fingerprint] = made
        return made

    def adopt_pattern(self, values: Values) -> None:
        """Takes over what tuning has found for operands, also for later processes."""
        made = self._copy()
        made.__dict__["_values_chosen"] = values
        made._remembered.remember(values)
        native, old = vars(self).get("_native"), vars(self).keys() - vars(made).keys()
        self.__class__ = made.__class__
        self.__dict__.update(vars(made), _natives=(*self._natives, *([] if native is None else [native])))
        for name in old:  # behind what they are made of: a call of another thread may make them again meanwhile
            self.__dict__.pop(name, None)

    def _copy(self) -> Self:
        """The same with nothing made yet."""
        made = copy(self)
        own = (c for c in type(self).__mro__ if not isinstance(vars(c).get("__call__"), BuiltinFunctionType))
        made.__class__ = next(own)
        for name in {n for c in type(self).__mro__ for n, v in vars(c).items() if isinstance(v, cached_property)}:
            made.__dict__.pop(name, None)
        return made

    def _native_calls(self) -> NativeCalls | None:
        raise NotImplementedError


def simulations_on_lanes(
    lowered: Lowered, lower: Callable[[Checked], Lowered], assignments: Sequence[Assignment]
) -> Lowered | None:  # fmt: skip
    """`lowered` with the first index of all results on vector lanes, where that fills a few of them: simulations that
    are computed at once. lower: as for batches. None where known zeros take no part, or there is no such index.

    One vector of them stays as it is: bringing it to lanes takes longer than lanes that idle.
    """
    found = of_one_simulation(assignments) if lowered.zeros else None
    if found is None:
        return None
    axis, one = found
    own = {a.target.tensor.name for a in assignments}
    machine, checked = machine_of(Options()), check(one)
    ranks = {t.name: t.rank for t in checked.tensors}
    led = [t for t in lowered.tensors if ranks[t.name] < t.rank]
    many = next(int(t.shape[0]) for t in lowered.tensors if t.name in own)
    lanes = lanes_of_all(lowered.program, machine)
    if many % lanes or many // lanes not in _SIMULATIONS:
        return None
    shared = [t.name for t in lowered.tensors if t not in led]
    made = batched(lower(checked), axis, shared)
    program = specialise(made.program, {shape_name(t.name, 0): many for t in led})
    on = on_lanes(program, axis, machine)
    return None if on is program else replace(lowered, program=on, constants=made.constants)


def in_batch(
    lowered: Lowered, axis: str, shared: Sequence[str], lists: Lists | None = None, one_by_one: bool = False
) -> Lowered:  # fmt: skip
    """`lowered` over elements; on vector lanes where known zeros take part, which leave none of them idle there.

    one_by_one: not even then, but all of one element before the next one.
    """
    made = batched(lowered, axis, shared, lists)
    if one_by_one:
        return replace(made, program=together(made.program, lambda t, _: t.dim.name == axis, least=1))
    return replace(made, program=on_lanes(made.program, axis, machine_of(Options()))) if made.zeros else made


def moves_more(lowered: Lowered, shared: Sequence[str]) -> bool:
    """Whether bringing elements to lanes and back takes longer than what they save of an element's arithmetic."""
    if any(t.sizes for t in lowered.tensors):  # one code is for all of them
        return False
    vectors, steps = vectors_of(machine_of(Options())), tuple(expressions(lowered.program.steps))
    read = {a.buffer for e in steps for a in (*e.inp_view, *(e.finish.inp_view if e.finish is not None else ()))}
    written = {a.buffer for e in steps for a in e.out_view}
    moved = 0.0
    for t in lowered.tensors:
        if t.name not in shared:
            count = int(prod(t.shape)) if t.pattern is None else t.pattern.count
            each = vectors.column(t.type) / vectors.lanes(t.type)
            moved += each * count * ((t.name in read) + (t.name in written))
    return moved > _SAVED_ON_LANES * executed(lowered.program, lowered.tensors) / 2
