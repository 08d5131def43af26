"""Kernels of tensor formulas: what `jitmdh.tensor` makes, compiled like decorated functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NoReturn, Self

import numpy as np

from jitmdh.base.calling.entry import entries
from jitmdh.base.errors import ArgumentTypeError, ArgumentValueError
from jitmdh.hca.drivers.native_code.formulas import Blocks, FormalScalar, FormalTensor
from jitmdh.jit.compilation.backend import backend_of
from jitmdh.jit.compilation.options import Options
from jitmdh.jit.execution.agreement import agree
from jitmdh.jit.execution.native_loop import seconds_of_execution
from jitmdh.jit.execution.trial import results_of
from jitmdh.jit.tensor import reports
from jitmdh.jit.tensor.listed import RowLists
from jitmdh.jit.tensor.lowered import NEAR_BYTES, LoweredKernel, in_batch, moves_more
from jitmdh.jit.tensor.native_calls import NativeCalls, trust, trusting
from jitmdh.jit.tensor.operand_search import cheapest, shares
from jitmdh.jit.tensor.remembered import Made, Remembered, Values
from jitmdh.jit.tensor.storage import Elements, lanes_of, zeros
from jitmdh.mdh.algebra.expr import Program
from jitmdh.mdh.algebra.rewrites.shared_storage import with_shared_storage
from jitmdh.mdh.frontend.tensor.batches.batched import batched
from jitmdh.mdh.frontend.tensor.batches.listed import found_by_lists
from jitmdh.mdh.frontend.tensor.notation.expr import Array, Scalar, Tensor
from jitmdh.mdh.frontend.tensor.operands import VALUES
from jitmdh.mdh.frontend.tensor.program import Lowered
from jitmdh.mdh.lowering.model.locality import stored_on_lanes
from jitmdh.mdh.tensor.least_work import operations

if TYPE_CHECKING:
    from jitmdh.jit.decorator import JitFunction
    from jitmdh.jit.explanation.report import Explanation
    from jitmdh.jit.stats import Stats
    from jitmdh.jit.tuning.report import TuningReport

_MEASURED = 0.02
"""Seconds of measuring for each value of an operand."""


@entries
class Kernel(LoweredKernel):
    """Assignments of tensors as one function: `k(Q=Qa, I=Ia, dt=0.1)`, or in the order of `k.parameters`.

    Arrays have their tensors' shapes and types, in any memory order. What the kernel writes it writes in place; tensors
    that it writes completely may be left out, and are then made and returned (several as a tuple). Known zeros of what
    it writes are not written: they are there before. Raises ArgumentTypeError and ArgumentValueError before anything is
    written: for a missing or unknown argument, another type or shape, an output that shares memory with another
    argument, and a number where a tensor that it reads or writes has a known zero.
    """

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of what it is called with: tensors, then scalars, in the order in which they are named."""
        return self._names

    def __call__(self, *args: Any, **named: Any) -> Any:
        """A call that native code did not take: the first ones, those with errors, and what is rare."""
        values = self._values(args, named)
        made = [t for t in self.tensors if t.name not in values]
        values |= {t.name: self._made(t, values) for t in made}
        function, arguments = self._prepared(values)
        function(*arguments)
        if self._native is not None:
            stored = function is not vars(self).get("function")
            self._native.install(self, function, arguments[len(self.parameters) :], stored)
        returned = [values[t.name] for t in made]
        return None if not returned else returned[0] if len(returned) == 1 else tuple(returned)

    def batched(
        self, axis: str = "e", shared: Sequence[str] = (), *, elements: Any = None,
        gathered: Mapping[str, Any] | None = None,
    ) -> Batch:  # fmt: skip
        """The same for many elements, which threads share: arrays get a leading axis, called `axis` in reports.

        shared: names of tensors that are the same for all elements; constants are anyway. With Q: f64[56, 9],
        `k.batched(shared=("I",))(Q=Qs, I=I)` takes Qs: f64[E, 56, 9] and gives what E calls of the kernel give.

        elements: the numbers of those that are computed, int[n], each once; None: all. gathered: for names of tensors
        that are read only, which row of its array each element takes, int[E]: `k.batched(gathered={"I": neighbour})`
        computes `k(Q=Q[e], I=I[neighbour[e]])` for each e. Nothing is copied for it; lists are taken as they are now.

        ArgumentValueError for a name that is no tensor of the kernel, or that the kernel writes; ArgumentTypeError and
        ArgumentValueError for other lists; IndexError for a number that no element has: in the call, before anything is
        written, or at once where both lists are given.
        """
        if elements is None and not gathered:
            return Batch(self, axis, shared)
        return ListedBatch(self, axis, shared, elements, gathered or {})

    # ------------------------------------------------------------------------------------------ what it is made of

    @property
    def steps(self) -> tuple[str, ...]:
        """The contractions in the order in which they are computed, each with its operations on non-zeros."""
        return reports.contractions(self.lowered)

    @property
    def nonzero_flops(self) -> int:
        """Multiplications and additions of one call on elements that are not known to be zero, in sums of products."""
        return sum(sum(operations(tree)) for tree, _ in self.lowered.trees)

    @property
    def flops(self) -> int:
        """Scalar operations that the code of one call executes: those of `nonzero_flops`, additions to what sums begin
        with, choices where known zeros are left out element by element, and what stands beside sums of products."""
        return reports.executed(self._of_one, self.tensors)

    @property
    def storage(self) -> dict[str, str]:
        """For each tensor that does not come with the call or is not stored as it is, and each intermediate result,
        where its numbers are."""
        return reports.places(self.program, self.lowered, self._of_one)

    @property
    def pattern(self) -> dict[str, str]:
        """For each operand whose known zeros are left out of sums, how: "unrolled", "blocks", "box" or "loop".

        As the model says, unless tuning or `with_pattern` says otherwise.
        """
        return dict(self.lowered.operands)

    def with_pattern(self, said: Values | None = None, /, **more: str) -> Self:
        """The same kernel with known zeros left out as is said, by names of operands.

        Values are "unrolled" (sums are written out), "blocks" (a nest for each part of the
        results), "box" (one nest, masked inside) or "loop" (compressed rows).

        Values do not depend on it, up to the order of sums. What cannot be had is as the model says; `pattern` shows
        what is. ArgumentValueError for an operand that it has not, or another word.
        """
        values = {**self._said, **(said or {}), **more}
        for name, value in values.items():
            if name not in {t.name for t in self.program.tensors} | self.pattern.keys() or value not in VALUES:
                raise ArgumentValueError(
                    f"{self.__name__}.with_pattern: {name}={value!r}",
                    hint=f"operands are {', '.join(self.pattern) or 'none'}; values {', '.join(VALUES)}",
                )
        made = self._copy()
        made._said = values
        return made

    def _alternatives(self) -> dict[str, str]:
        """For each operand the value of `pattern` that it has, and the others, for a report."""
        return {n: f"{v}, or {', '.join(o for o in VALUES if o != v)}" for n, v in self.pattern.items()}

    @property
    def patterns(self) -> dict[str, Array]:
        """For each tensor with known zeros, and for each that is assigned such a value, a mask: True where it may be
        other than zero."""
        return reports.patterns(self.program)

    def inspect(self, *args: Any, stage: str = "formula", **named: Any) -> str:
        """The kernel at a stage: formula, patterns or steps; or, for arguments, one of a decorated function's."""
        match stage:
            case "formula":
                return "\n".join(map(str, self.program.statements))
            case "patterns":
                masks = self.patterns.items()
                return "\n".join(f"{n}: {int(m.sum())} of {m.size} may be other than zero" for n, m in masks)
            case "steps":
                return "\n".join(self.steps)
            case "mdh":
                return str(self.lowered.program)
        function, arguments = self._given(args, named)
        return function.inspect(*arguments, stage=stage)

    def explain(self, *args: Any, measure: bool = True, **named: Any) -> Explanation:
        """A report for these arguments, as `f.explain` of a decorated function, with `storage` and `pattern`."""
        function, arguments = self._given(args, named)
        report = function.explain(*arguments, measure=measure)
        return reports.with_rows(reports.with_rows(report, "storage", self.storage), "pattern", self._alternatives())

    def config(self, *args: Any, **named: Any) -> Mapping[str, Any]:
        """The configuration in force for these arguments, as plain data."""
        function, arguments = self._given(args, named)
        return function.config(*arguments)

    def tune(
        self, *args: Any, seconds: float | None = None, evaluations: int | None = None, technique: Any = None,
        progress: bool | None = None, **named: Any,
    ) -> TuningReport:  # fmt: skip
        """Searches a faster configuration for these arguments; keeps the best, also for later processes.

        Before that, unless `technique` is given, other ways to leave known zeros out (see `pattern`), for a third
        of the time.
        """
        if technique is None and not self._said and backend_of(Options().target_name).errors is None and self.pattern:
            own, rest = shares(seconds, evaluations)
            seconds, evaluations = rest.seconds, rest.evaluations
            shapes = {t.name: t.shape for t in self.program.tensors}
            found = cheapest(self.pattern, _measured(self, args, named), own, shapes)
            if found != self.pattern:
                self.adopt_pattern(found)
        function, arguments = self._given(args, named)
        return function.tune(
            *arguments, seconds=seconds, evaluations=evaluations, technique=technique, progress=progress
        )

    def time(self, *args: Any, seconds: float = 0.1, **named: Any) -> float:
        """Seconds of one execution for these arguments: the median of many in a native loop, without Python.

        seconds: what measuring may take, about. What the kernel writes are copies; arguments are checked as in a call,
        but not timed.
        """
        function, arguments = self._given(args, named)
        specialisation, prepared, _ = function.select(function.prepared(arguments))
        return seconds_of_execution(specialisation, prepared, seconds)

    def stats(self) -> Stats:
        """Counts since the kernel was made: calls, compilations, cache hits and misses."""
        counts: Stats = self.function.stats()
        return counts

    def wait(self, seconds: float | None = None) -> None:
        """Blocks until background work for this kernel is done, or for at most so many seconds."""
        self.function.wait(seconds)

    def __repr__(self) -> str:
        return f"<tensor kernel {self.__name__}({', '.join(self.parameters)})>"

    def __str__(self) -> str:
        return self.inspect()

    # ------------------------------------------------------------------------------------------ arguments

    def _native_calls(self) -> NativeCalls | None:
        """None: all calls are Python's."""
        return NativeCalls(self._formals(), self._in_blocks())

    def _formals(self) -> list[FormalTensor | FormalScalar]:
        """What native calls look at."""
        found: list[FormalTensor | FormalScalar] = []
        for tensor in self.tensors:
            name, shape, dtype = tensor.name, self._shapes[tensor.name], self._dtypes[tensor.name]
            absent, left_out = self._absent.get(name), name not in self._read
            found.append(FormalTensor(name, shape, dtype, absent, self._is_each(name), left_out, self._has_zeros(name)))
        return [*found, *(FormalScalar(s.name, s.type.numpy) for s in self.program.scalars)]

    def _is_each(self, name: str) -> bool:
        """Whether a tensor has a leading axis, of elements of a batch."""
        return False

    def _in_blocks(self) -> Blocks | None:
        """How elements are held that lie in blocks."""
        return None

    def _given(self, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[JitFunction[..., Any], tuple[Any, ...]]:
        """A call as a compiled function takes it, and that function."""
        values = self._values(args, named)
        made = {t.name: self._made(t, values) for t in self.tensors if t.name not in values}
        return self._prepared(values | made)

    def _prepared(self, values: Mapping[str, Any]) -> tuple[JitFunction[..., Any], tuple[Any, ...]]:
        return self.function, (*(values[n] for n in self.parameters), *self.constants)

    def _made(self, tensor: Tensor, values: Mapping[str, Any]) -> Any:
        """An array for a tensor that a call leaves out, zero where nothing is written."""
        made = np.zeros if self._has_zeros(tensor.name) else np.empty
        return made(self._shape(tensor, values), tensor.type.numpy)

    def _values(self, args: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
        """The arguments by name, checked."""
        if len(args) > len(self.parameters):
            raise ArgumentTypeError(f"{self!r} takes {len(self.parameters)} arguments, got {len(args)}")
        values = dict(zip(self.parameters, args))
        for name, value in named.items():
            if name not in self.parameters or name in values:
                what = "twice" if name in values else f"which {self!r} does not take"
                raise ArgumentTypeError(f"{self.__name__}: the argument {name} was given, {what}")
            values[name] = value
        for tensor in self.tensors:
            if tensor.name in values:
                self._fits(tensor, values[tensor.name], self._shape(tensor, values))
            elif tensor.name in self._read:
                raise ArgumentTypeError(f"{self.__name__}: the tensor {tensor.name} was not given")
        for scalar in self.program.scalars:
            values[scalar.name] = self._number(scalar, values)
        self._apart(values)
        return values

    def _shape(self, tensor: Tensor, values: Mapping[str, Any]) -> tuple[int, ...]:
        """Of the array for a tensor in a call with these values."""
        return self._shapes[tensor.name]

    def _fits(self, tensor: Tensor, value: Any, shape: tuple[int, ...]) -> None:
        if not isinstance(value, np.ndarray) or value.dtype != self._dtypes[tensor.name] or value.shape != shape:
            self._refuse(tensor, value, shape)
        if tensor.name in self._written and not value.flags.writeable:
            raise ArgumentValueError(f"{self.__name__}: {tensor.name} is written, but the array is read-only")
        if tensor.name in self._absent:
            self._within_pattern(tensor, value)

    def _refuse(self, tensor: Tensor, value: Any, shape: tuple[int, ...]) -> NoReturn:
        """Says what about an array is not that of its tensor."""
        wanted = f"{self.__name__}: {tensor.name} is an array of {tensor.type} with shape {shape}"
        if not isinstance(value, np.ndarray):
            raise ArgumentTypeError(f"{wanted}, got {type(value).__name__}")
        if value.dtype != tensor.type.numpy:
            raise ArgumentTypeError(f"{wanted}, got {value.dtype}")
        kind = ArgumentValueError if value.ndim == len(shape) else ArgumentTypeError
        raise kind(f"{wanted}, got {value.shape}")

    def _within_pattern(self, tensor: Tensor, value: Array, rows: Array | None = None) -> None:
        """No number where the tensor, or each element of a batch, has a known zero. rows: of which elements; all."""
        if not trusting():
            wrong = np.logical_and(value, self._absent[tensor.name])
            if rows is not None:
                used = np.zeros(len(value), bool)
                used[rows] = True
                wrong &= used.reshape(-1, *[1] * tensor.rank)
            if wrong.any():
                where = tuple(int(n) for n in np.argwhere(wrong)[0])
                raise ArgumentValueError(
                    f"{self.__name__}: {tensor.name}{[*where]} is {value[where]}, where {tensor.name} has a known zero",
                    hint="jitmdh.tensor.trust() leaves this check out",
                )

    def _number(self, scalar: Scalar, values: Mapping[str, Any]) -> Any:
        if scalar.name not in values:
            raise ArgumentTypeError(f"{self.__name__}: the scalar {scalar.name} was not given")
        value = values[scalar.name]
        if np.ndim(value) or not isinstance(value, bool | int | float | complex | np.number | np.bool_):
            raise ArgumentTypeError(f"{self.__name__}: {scalar.name} is a number, got {type(value).__name__}")
        if not np.can_cast(np.asarray(value).dtype, scalar.type.numpy, "same_kind"):
            raise ArgumentTypeError(f"{self.__name__}: {scalar.name} is {scalar.type}, got {np.asarray(value).dtype}")
        return scalar.type.numpy.type(value)

    def _apart(self, values: Mapping[str, Any]) -> None:
        """No output shares memory with another argument: all is read as if before anything is written."""
        for output in self.program.outputs:
            for other in self.tensors:
                if other.name == output.name or not {other.name, output.name} <= values.keys():
                    continue
                if np.may_share_memory(values[output.name], values[other.name]):
                    raise ArgumentValueError(f"{self.__name__}: {output.name} shares memory with {other.name}")


def _measured(kernel: Kernel, args: tuple[Any, ...], named: dict[str, Any]) -> Callable[[Values], float | None]:
    """The seconds of a call with some values of `pattern`; None where its results are not those of `kernel`."""

    def results(of: Kernel) -> list[Array]:
        function, arguments = of._given(args, named)
        specialisation, prepared, disjoint = function.select(function.prepared(arguments))
        return results_of(specialisation, prepared, disjoint)

    expected, terms = results(kernel), max(2, kernel.nonzero_flops)
    made: dict[tuple[tuple[str, str], ...], Kernel | None] = {tuple(kernel.pattern.items()): kernel}

    def seconds_of(values: Values) -> float | None:
        key = tuple(values.items())
        if key not in made:
            other = kernel.with_pattern(values)
            same = all(agree(r, e, terms) for r, e in zip(results(other), expected, strict=True))
            made[key] = other if same else None
        tried = made[key]
        return None if tried is None else tried.time(*args, **named, seconds=_MEASURED)

    return seconds_of


class Batch(Kernel):
    """A kernel for many elements; see `Kernel.batched`. Counts of operations are those of one element."""

    def __init__(self, kernel: Kernel, axis: str, shared: Sequence[str]) -> None:
        self.__name__, self.program, self._functions = kernel.__name__, kernel.program, kernel._functions
        shared = (shared,) if isinstance(shared, str) else tuple(shared)
        known = {t.name for t in kernel.tensors}
        written = {t.name for t in self.program.outputs}
        for name in shared:
            if name not in known or name in written:
                what = "writes it" if name in written else "has no such tensor"
                raise ArgumentValueError(f"{self.__name__}.batched: {name} cannot be shared, since the kernel {what}")
        self.each = tuple(t.name for t in kernel.tensors if t.name not in shared)
        self._kernel, self._axis, self._shared, self._said = kernel, axis, shared, kernel._said
        self._prepare()

    @cached_property
    def lowered(self) -> Lowered:
        return in_batch(self._basis, self._axis, self._shared, one_by_one=self._one_by_one)

    @cached_property
    def _of_element(self) -> Lowered:
        return self._of_values.lowered_for_batches

    @property
    def _of_values(self) -> Kernel:
        """The kernel of one element, with what is said or known of its operands."""
        values = self._values_chosen
        return self._kernel if values == self._kernel._said else self._kernel.with_pattern(values)

    @cached_property
    def _one_by_one(self) -> bool:
        """Whether arrays of elements are computed like one element after the other."""
        return self._of_element.zeros and moves_more(self._of_element, self._shared)

    @property
    def _basis(self) -> Lowered:
        """Of an element, as `lowered` has it for many."""
        return self._of_values.lowered_alone if self._one_by_one else self._of_element

    @cached_property
    def _of_one(self) -> Program:
        return with_shared_storage(self._of_element.program, NEAR_BYTES)

    def _meaning(self) -> object:
        said = tuple(sorted(self._said.items()))
        return "batch", self.program, self._axis, self._shared, NEAR_BYTES, said, self._vectors

    def check_elements(self, named: Mapping[str, Any], count: int, elements: slice | Array) -> tuple[Tensor, ...]:
        """Raises what a call for some `elements` of arrays of `count` would; the tensors that it leaves out."""
        for name, value in named.items():
            if isinstance(value, Elements):
                raise ArgumentTypeError(f"{self.__name__}: {name} is {value}, where an array is wanted")
        for tensor in self.tensors:
            if tensor.name in self.each and tensor.name in named:
                with trust():
                    self._fits(tensor, named[tensor.name], (count, *tensor.shape))
                if tensor.name in self._absent:
                    self._within_pattern(tensor, named[tensor.name], np.arange(count)[elements])
        with trust():
            self._values((), dict(named))
        return tuple(t for t in self.tensors if t.name not in named)

    def batched(self, *given: Any, **named: Any) -> NoReturn:
        """ArgumentTypeError: it is one."""
        raise ArgumentTypeError(f"{self.__name__} is a batch of a kernel; call batched of the kernel itself")

    def _shape(self, tensor: Tensor, values: Mapping[str, Any]) -> tuple[int, ...]:
        if tensor.name not in self.each:
            return self._shapes[tensor.name]
        for name in self.each:
            array = values.get(name)
            if isinstance(array, Elements):
                return (array.count, *self._shapes[tensor.name])
            if isinstance(array, np.ndarray) and array.ndim:
                return (array.shape[0], *self._shapes[tensor.name])
        raise ArgumentTypeError(f"{self.__name__}: no argument says how many elements there are")

    # ------------------------------------------------------------------------------------------ elements in blocks

    def _is_each(self, name: str) -> bool:
        return name in self.each

    def _in_blocks(self) -> Blocks | None:
        one = {t.type.bits: t for t in self.tensors if t.name in self.each}
        return Blocks(Elements, "blocks", "count", partial(lanes_of, *one.values())) if len(one) == 1 else None

    def _fits(self, tensor: Tensor, value: Any, shape: tuple[int, ...]) -> None:
        if not isinstance(value, Elements) or tensor.name not in self.each:
            super()._fits(tensor, value, shape)
        elif value.tensor.shape != tensor.shape or value.blocks.dtype != tensor.type.numpy:
            raise ArgumentTypeError(f"{self.__name__}: {tensor.name} has shape {tensor.shape}, got {value}")
        elif value.count != shape[0]:
            raise ArgumentValueError(f"{self.__name__}: {shape[0]} elements, but {value} for {tensor.name}")
        elif tensor.name in self._absent:
            super()._fits(tensor, value.unpack(), shape)

    def _apart(self, values: Mapping[str, Any]) -> None:
        super()._apart({n: v.blocks if isinstance(v, Elements) else v for n, v in values.items()})

    def _made(self, tensor: Tensor, values: Mapping[str, Any]) -> Any:
        shape = self._shape(tensor, values)
        stored = tensor.name in self.each and any(isinstance(v, Elements) for v in values.values())
        return zeros(tensor, shape[0]) if stored else super()._made(tensor, values)

    def _prepared(self, values: Mapping[str, Any]) -> tuple[JitFunction[..., Any], tuple[Any, ...]]:
        stored = [n for n in self.each if isinstance(values[n], Elements)]
        if not stored:
            return super()._prepared(values)
        if len(stored) < len(self.each):
            other = next(n for n in self.each if n not in stored)
            raise ArgumentTypeError(f"{self.__name__}: {stored[0]} is stored in blocks of elements, {other} is not")
        given = {n: v.blocks if isinstance(v, Elements) else v for n, v in values.items()}
        function, constants = self._of_stored
        return function, (*(given[n] for n in self.parameters), *constants)

    @cached_property
    def _of_stored(self) -> tuple[JitFunction[..., Any], tuple[Array, ...]]:
        """The compiled function for elements in blocks, and its constants."""
        lanes = lanes_of(next(t for t in self.tensors if t.name in self.each))

        def made() -> Made:
            whole = batched(self._of_element, self._axis, self._shared)
            program = stored_on_lanes(whole.program, self._axis, lanes, self.each)
            if program is None:
                raise ArgumentTypeError(
                    f"{self.__name__}: some step of it cannot be computed on elements in blocks", hint="pass arrays"
                )
            return with_shared_storage(program, NEAR_BYTES), whole.constants

        meaning = "blocks", lanes, self.each, self._values_chosen, self._meaning()
        found = Remembered(self.__name__, meaning, made)
        return self._function_of(found), found.constants


class ListedBatch(Batch):
    """A kernel for some elements of many, or with operands of other elements; see `Kernel.batched`."""

    def __init__(
        self, kernel: Kernel, axis: str, shared: Sequence[str], elements: Any, gathered: Mapping[str, Any]
    ) -> None:
        super().__init__(kernel, axis, shared)
        written = {t.name for t in self.program.outputs}
        self.lists = RowLists(self.__name__, self.each, written, elements, gathered)

    @cached_property
    def lowered(self) -> Lowered:
        lowered = self._basis
        taken = {p.name for p in lowered.program.parameters} | {a.name for a in lowered.program.allocations}
        names, arrays = self.lists.parameters(taken)
        made = in_batch(lowered, self._axis, self._shared, names, self._one_by_one)
        return replace(made, program=found_by_lists(made.program, names), constants={**made.constants, **arrays})

    def _meaning(self) -> None:
        """None: the arrays of its lists are no constants for other processes."""

    def _native_calls(self) -> None:
        """Native calls know no lists."""

    def _prepared(self, values: Mapping[str, Any]) -> tuple[JitFunction[..., Any], tuple[Any, ...]]:
        for name, value in values.items():
            if isinstance(value, Elements):
                raise ArgumentTypeError(f"{self.__name__}: {name} is {value}, where an array is wanted")
        return super()._prepared(values)

    def _shape(self, tensor: Tensor, values: Mapping[str, Any]) -> tuple[int, ...]:
        if tensor.name not in self.each:
            return self._shapes[tensor.name]
        own = values.get(tensor.name)
        if tensor.name in self.lists.gathered:
            return (len(own) if isinstance(own, np.ndarray) and own.ndim else 0, *self._shapes[tensor.name])
        if self.lists.count is not None:
            return (self.lists.count, *self._shapes[tensor.name])
        return super()._shape(tensor, values)

    def _fits(self, tensor: Tensor, value: Any, shape: tuple[int, ...]) -> None:
        with trust():
            super()._fits(tensor, value, shape)
        if tensor.name in self.each:
            self.lists.check(tensor.name, len(value))
        if tensor.name in self._absent:
            self._within_pattern(tensor, value, self.lists.rows.get(tensor.name))

    def _made(self, tensor: Tensor, values: Mapping[str, Any]) -> Any:
        if self.lists.elements is not None and tensor.name in self.each:
            raise ArgumentTypeError(
                f"{self.__name__}: the tensor {tensor.name} was not given", hint="elements are computed in place"
            )
        return super()._made(tensor, values)

    def __repr__(self) -> str:
        return f"<tensor kernel {self.__name__}({', '.join(self.parameters)}), {self.lists}>"
