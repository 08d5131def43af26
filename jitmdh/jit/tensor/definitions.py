"""How kernels are written down: from assignments, or as a decorated function whose parameters have types."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from jitmdh.base.dtype import ScalarType
from jitmdh.base.errors import ArgumentTypeError, ArgumentValueError
from jitmdh.jit.tensor.kernels import Kernel
from jitmdh.jit.tensor.sized import SizedKernel
from jitmdh.mdh.frontend.tensor.notation.expr import Assignment, Element, Scalar, Tensor, elements, lift
from jitmdh.mdh.frontend.tensor.notation.places import place


def kernel(name: Any, assignments: Any = None) -> Any:
    """A kernel from one assignment or a list of them; as a decorator, from a function whose parameters have types.

    The function runs once, with tensors for its parameters: `Q["kp"] += …` is noted as an assignment.
    """
    if callable(name) and assignments is None:
        return _of_function(name)
    if not isinstance(name, str) or not name.isidentifier():
        raise ArgumentTypeError(f"kernel({name!r}, …): the first argument is a name", loc=place())
    given = [assignments] if isinstance(assignments, Assignment) else list(assignments or ())
    for one in given:
        if not isinstance(one, Assignment):
            raise ArgumentTypeError(f"kernel({name!r}, …): {one!r} is no assignment", loc=place(), hint='C["ij"] <= …')
    if not given:
        raise ArgumentValueError(f"kernel({name!r}, …): there is no assignment", loc=place(), hint='C["ij"] <= …')
    return _kernel(name, given)


def _kernel(name: str, assignments: Sequence[Assignment]) -> Kernel:
    tensors = [e.tensor for a in assignments for e in (a.target, *elements([a.value]))]
    return (SizedKernel if any(t.sizes for t in tensors) else Kernel)(name, assignments)


class Annotation:
    """`f64["k p", 56, 9]`: the type of a parameter of a decorated function. Indices are a remark for the reader."""

    def __init__(self, dtype: ScalarType, shape: tuple[int, ...] | None = None, pattern: Any = None,
                 storage: str | None = None) -> None:  # fmt: skip
        self.dtype, self.shape, self.pattern, self.storage = dtype, shape, pattern, storage

    def __getitem__(self, given: Any) -> Annotation:
        shape = [n for n in (given if isinstance(given, tuple) else (given,)) if not isinstance(n, str)]
        return Annotation(self.dtype, tuple(shape), self.pattern, self.storage)

    def __repr__(self) -> str:
        size = "" if self.shape is None else f"[{', '.join(map(str, self.shape))}]"
        return f"{self.dtype.kind}{self.dtype.bits}{size}"

    def with_pattern(self, pattern: Any) -> Annotation:
        """The same with known zeros."""
        return Annotation(self.dtype, self.shape, pattern, self.storage)

    def with_storage(self, storage: str) -> Annotation:
        """The same with another storage of arrays, as of `Tensor`."""
        return Annotation(self.dtype, self.shape, self.pattern, storage)

    def parameter(self, name: str, notes: list[Assignment]) -> _Recorder | Scalar:
        """What stands for a parameter of this type; without a shape it is a number."""
        if self.shape is None:
            return Scalar(name, self.dtype)
        return _Recorder(Tensor(name, self.shape, self.dtype, pattern=self.pattern, storage=self.storage), notes)


class _Recorder:
    """A tensor in a decorated function: what is assigned to its elements is noted."""

    def __init__(self, tensor: Tensor, notes: list[Assignment]) -> None:
        self.tensor, self._notes = tensor, notes

    def __getitem__(self, subscripts: object) -> Element:
        return self.tensor[subscripts]

    def __setitem__(self, subscripts: object, value: object) -> None:
        self._notes.append(Assignment(self.tensor[subscripts], lift(value), place()))


def _of_function(function: Callable[..., Any]) -> Kernel:
    notes: list[Assignment] = []
    given: dict[str, Any] = {}
    hints = inspect.get_annotations(function, eval_str=True)
    for name in inspect.signature(function).parameters:
        hint = hints.get(name)
        if isinstance(hint, list) and hint and all(isinstance(h, Annotation) for h in hint):
            given[name] = [h.parameter(f"{name}{n}", notes) for n, h in enumerate(hint)]
        elif isinstance(hint, Annotation):
            given[name] = hint.parameter(name, notes)
        else:
            raise ArgumentTypeError(
                f"{function.__name__}: the parameter {name} has no type of a tensor", hint=f"{name}: f64[56, 9]"
            )
    function(**given)
    made = _kernel(function.__name__, notes)
    made.__doc__ = function.__doc__
    return made
