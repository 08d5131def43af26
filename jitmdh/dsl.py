"""The explicit high-level representation: `from jitmdh.dsl import *` (thesis Figure 12, Listing 45).

>>> def matvec(T: ScalarType, I: int, K: int):
...     @mdh(out(w=Buffer[T, [I]]), inp(M=Buffer[T, [I, K]], v=Buffer[T, [K]]))
...     def mdh_matvec():
...         def mul(out, inp):
...             out['w'] = inp['M'] * inp['v']
...         def scalar_plus(res, lhs, rhs):
...             res['w'] = lhs['w'] + rhs['w']
...         return (out_view[T](w=[lambda i, k: (i)]),
...                 md_hom[I, K](mul, (CC, PW(scalar_plus))),
...                 inp_view[T, T](M=[lambda i, k: (i, k)], v=[lambda i, k: (k)]))
...     return mdh_matvec
>>> f = matvec(fp32, 2, 3)
>>> print(f)
mdh_matvec =
  out_view[float32]( w : (i, k) ↦ (i) ) ∘
  md_hom[2, 3]( (M, v) ↦ M * v, (++, •(add)) ) ∘
  inp_view[float32, float32]( M : (i, k) ↦ (i, k), v : (i, k) ↦ (k) )
>>> f(np.ones((2, 3), np.float32), np.ones(3, np.float32))
array([3., 3.], dtype=float32)
"""

from __future__ import annotations

import operator as python_operator
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

import jitmdh
from jitmdh.base.calling.entry import entry
from jitmdh.base.dtype import (
    ScalarType,
    bfloat16,
    bool_,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    from_numpy,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from jitmdh.base.errors import ArgumentTypeError, ArgumentValueError, ConfigurationError, UserError
from jitmdh.base.records import dataclass
from jitmdh.jit.programs import function_of
from jitmdh.mdh.algebra.combine import Concatenation, Operator, Scatter
from jitmdh.mdh.algebra.expr import Buffer as AlgebraBuffer
from jitmdh.mdh.algebra.expr import Expression, Program
from jitmdh.mdh.algebra.semantics.argument_binding import bind
from jitmdh.mdh.algebra.semantics.operations import Array
from jitmdh.mdh.frontend.explicit.data_subscripts import at
from jitmdh.mdh.frontend.explicit.error_places import place_of
from jitmdh.mdh.frontend.explicit.expressions import BufferType, CombineTerm, MdHomTerm, ViewTerm, build, is_covered
from jitmdh.mdh.frontend.explicit.source import source_of
from jitmdh.mdh.frontend.symbolic import operators
from jitmdh.mdh.frontend.symbolic.values import constant, operation, where

if TYPE_CHECKING:
    from jitmdh.jit.explanation.report import Explanation
    from jitmdh.jit.stats import Stats
    from jitmdh.jit.tuning.report import TuningReport

__all__ = [
    "CC",
    "PS",
    "PW",
    "SC",
    "Buffer",
    "ScalarType",
    "at",
    "bf16",
    "bool_",
    "complex64",
    "complex128",
    "constant",
    "fp16",
    "fp32",
    "fp64",
    "inp",
    "inp_view",
    "int8",
    "int16",
    "int32",
    "int64",
    "md_hom",
    "mdh",
    "operation",
    "out",
    "out_view",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "where",
]  # fmt: skip

fp16, fp32, fp64, bf16 = float16, float32, float64, bfloat16


# --------------------------------------------------------------------------------------------------------- the terms


class _BufferFactory:
    """`Buffer[T, [I, K]]`: an array of `T` with these sizes; `Buffer[T]`: with the sizes its index functions need."""

    def __getitem__(self, key: Any) -> BufferType:
        type, *sizes = key if isinstance(key, tuple) else (key,)
        if not sizes:
            return BufferType(_scalar_type(type))
        shape = sizes[0] if isinstance(sizes[0], list | tuple) else sizes
        return BufferType(_scalar_type(type), tuple(_size(n) for n in shape))


@dataclass(frozen=True, slots=True)
class _ViewFactory:
    """`out_view[T](w=[…])`, `inp_view[T, T](M=[…], v=[…])`: for each buffer its index functions."""

    types: tuple[ScalarType, ...] = ()

    def __getitem__(self, types: Any) -> _ViewFactory:
        return _ViewFactory(tuple(_scalar_type(t) for t in (types if isinstance(types, tuple) else (types,))))

    def __call__(self, **index_functions: Any) -> ViewTerm:
        lists = {b: f if isinstance(f, list | tuple) else [f] for b, f in index_functions.items()}
        return ViewTerm(self.types, lists)


@dataclass(frozen=True, slots=True)
class _MdHomFactory:
    """`md_hom[I, K](f, (CC, PW(op)))`."""

    sizes: tuple[int, ...] = ()

    def __getitem__(self, sizes: Any) -> _MdHomFactory:
        return _MdHomFactory(tuple(_size(n) for n in (sizes if isinstance(sizes, tuple) else (sizes,))))

    def __call__(self, function: Callable[..., Any], combine: Any) -> MdHomTerm:
        given = combine if isinstance(combine, list | tuple) else (combine,)
        return MdHomTerm(self.sizes, function, tuple(map(_declared, given)))


Buffer = _BufferFactory()
out_view = inp_view = _ViewFactory()
md_hom = _MdHomFactory()

CC = CombineTerm("CC")
"""Concatenation, `++`."""


def PW(op: Any, *, identity: Any = None, commutative: bool = False, name: str = "") -> CombineTerm:
    """Point-wise combination.

    op: a function `(res, lhs, rhs)` that sets `res` for each output, an operator that `jitmdh.operator` declares, of
    scalars or of tuples with a scalar for each output, or the name of an operation ("add", "maximum", …).
    identity: the neutral value (for several outputs, a tuple); commutative: whether parts may change places. For single
    operations both are known. name: that of the function if not given.
    """
    return CombineTerm("PW", _operator(op), _values(identity), commutative, name=name)


def PS(
    op: Any, *, identity: Any = None, commutative: bool = False, exclusive: bool = False, reverse: bool = False,
    name: str = "",
) -> CombineTerm:  # fmt: skip
    """Prefix sum with `op` as for `PW`; exclusive: without the element itself; reverse: from the end."""
    return CombineTerm("PS", _operator(op), _values(identity), commutative, exclusive, reverse, name)


def SC(op: Any, *, identity: Any = None, name: str = "") -> CombineTerm:
    """Scatter: points whose output index is the same, `at(…)` of data, are combined with `op`, which must be
    commutative, as for `PW`; with what the output holds, too."""
    return CombineTerm("SC", _operator(op), _values(identity), True, name=name)


def _declared(combine: Any) -> CombineTerm:
    """`CC`, `PW(…)` and `PS(…)`, also as the decorator takes them: `jitmdh.cc`, `jitmdh.pw(…)`, `jitmdh.ps(…)`."""
    match combine:
        case CombineTerm():
            return combine
        case Concatenation():
            return CC
        case operators.Declared(kind, operation, function):
            return CombineTerm(kind.upper(), operation if function is None else function)
    raise ConfigurationError("combine operators are CC, PW(…) and PS(…)")


def _operator(op: Any) -> Operator | str | Callable[..., Any]:
    if isinstance(op, Operator | str):
        return op
    if not callable(op):
        raise ConfigurationError(f"no combine operator: {op!r}")
    function: Callable[..., Any] = op
    return function


def _values(identity: Any) -> tuple[Any, ...] | None:
    return identity if identity is None or isinstance(identity, tuple) else (identity,)


def _size(value: Any) -> int:
    try:
        return python_operator.index(value)
    except TypeError:
        raise ConfigurationError(f"a size must be an integer, not {value!r}") from None


def _scalar_type(type: Any) -> ScalarType:
    return type if isinstance(type, ScalarType) else from_numpy(type)


@dataclass(frozen=True, slots=True)
class _Buffers:
    kind: str
    types: Mapping[str, BufferType]


def out(**buffers: BufferType) -> _Buffers:
    """The output buffers of an expression."""
    return _Buffers("out", buffers)


def inp(**buffers: BufferType) -> _Buffers:
    """The input buffers of an expression."""
    return _Buffers("inp", buffers)


# ------------------------------------------------------------------------------------------------------ computations


class _Mdh:
    """`@mdh(out(…), inp(…))`; and since a star import takes the place of `import jitmdh as mdh`, its names, too."""

    @entry
    def __call__(self, *buffers: _Buffers, name: str = "") -> Callable[[Callable[[], Any]], Computation]:
        """Decorates a function that returns `(out_view(…), md_hom(…), inp_view(…))`; the result is callable.

        name: of the computation, if not that of the function.
        """
        return _decorator(buffers, name)

    def __getattr__(self, name: str) -> Any:
        return getattr(jitmdh, name)

    def __dir__(self) -> list[str]:
        return dir(jitmdh)


mdh = _Mdh()


def _decorator(buffers: tuple[_Buffers, ...], name: str) -> Callable[[Callable[[], Any]], Computation]:
    found = {b.kind: b.types for b in buffers}
    if set(found) != {"out", "inp"} or len(buffers) != 2:
        raise ConfigurationError("mdh takes out(…) and inp(…)")
    both = sorted(set(found["out"]) & set(found["inp"]))
    if both:
        raise ConfigurationError(f"{', '.join(both)} is output and input", hint="give the output a name of its own")

    def decorate(function: Callable[[], Any]) -> Computation:
        match function():
            case (ViewTerm() as written, MdHomTerm() as term, ViewTerm() as read):
                terms = (written, term, read)
            case _:
                facts = f"{function.__name__} must return (out_view(…), md_hom(…), inp_view(…))"
                raise ConfigurationError(facts, loc=place_of(function))
        try:
            program = build(name or function.__name__, found["out"], found["inp"], terms)
        except UserError as error:
            if error.loc is not None:
                raise
            kind, place = type(error), place_of(function)
            raise kind(error.message, loc=place, reason=error.reason, hint=error.hint, code=error.code) from None
        return Computation(program, len(found["out"]), function.__doc__)

    return decorate


class Computation:
    """A multi-dimensional homomorphism that can be called: `f(M, v) -> w`, or `f(M, v, out=(w,))`.

    Inputs are arrays of the declared types and shapes, in the order of `inp` or by name. Raises ArgumentTypeError and
    ArgumentValueError (shapes). What no index function writes in an output is 0; given outputs keep it. It is compiled
    when it is first called, like a decorated function, and has the same members to look inside.
    """

    def __init__(self, program: Program, outputs: int, doc: str | None = None) -> None:
        self.program = program
        self.__name__, self.__doc__ = program.name, doc
        self._outputs = self.expression.buffers[:outputs]
        self._inputs = self.expression.buffers[outputs : len(program.parameters)]
        self._function = function_of(program, "dsl")

    @property
    def expression(self) -> Expression:
        """The algebraic expression."""
        expression = self.program.steps[0]
        assert isinstance(expression, Expression)
        return expression

    def __call__(self, *args: Any, out: Any = None, **named: Any) -> Any:
        inputs, results = self._buffers(args, named, out)
        self._function(*results, *(_apart(a, results) for a in inputs))
        returned = [r[()] if out is None and not r.shape else r for r in results]
        return returned[0] if len(returned) == 1 else tuple(returned)

    # ------------------------------------------------------------------------------------------ as of `jit`

    def inspect(self, *args: Any, stage: str = "mdh", **named: Any) -> str:
        """The computation as it looks at a stage of the compiler: mdh, lowlevel, table, kernel, llvm or asm."""
        if stage == "mdh":
            return str(self)
        return self._function.inspect(*self._call(args, named), stage=stage)

    def explain(self, *args: Any, measure: bool = True, **named: Any) -> Explanation:
        """A report for these arguments, as `f.explain` of a decorated function."""
        return self._function.explain(*self._call(args, named), measure=measure)

    def config(self, *args: Any, **named: Any) -> Mapping[str, Any]:
        """The configuration in force for these arguments, as plain data."""
        return self._function.config(*self._call(args, named))

    def tune(self, *args: Any, seconds: float | None = None, evaluations: int | None = None, technique: Any = None,
             progress: bool | None = None) -> TuningReport:  # fmt: skip
        """Searches a faster configuration for these arguments; keeps the best, also for later processes."""
        return self._function.tune(
            *self._call(args, {}), seconds=seconds, evaluations=evaluations, technique=technique, progress=progress
        )

    def stats(self) -> Stats:
        """Counts since the computation was made: calls, compilations, cache hits and misses."""
        return self._function.stats()

    # ------------------------------------------------------------------------------------------ arguments

    def _call(self, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Array, ...]:
        """A call as the compiled function takes it."""
        inputs, results = self._buffers(args, named, None)
        return (*results, *inputs)

    def _buffers(self, args: tuple[Any, ...], named: dict[str, Any], out: Any) -> tuple[list[Array], list[Array]]:
        """Inputs and outputs, checked."""
        inputs = [_input(b, a) for b, a in zip(self._inputs, self._ordered(args, named), strict=True)]
        results = self._made() if out is None else self._given(out)
        pairs = zip((*self._outputs, *self._inputs), (*results, *inputs))
        if not all(a.dtype == b.type.numpy and a.ndim == b.rank for b, a in pairs):
            bind(self.program, (*results, *inputs))  # says which is wrong
        return inputs, results

    def _ordered(self, args: tuple[Any, ...], named: dict[str, Any]) -> list[Any]:
        names = [b.name for b in self._inputs]
        values = dict(zip(names, args)) | named
        if len(args) + len(named) != len(names) or set(values) != set(names):
            raise ArgumentTypeError(f"{self.__name__} takes {', '.join(names)}")
        return [values[n] for n in names]

    def _made(self) -> list[Array]:
        made = []
        for buffer in self._outputs:
            new = np.empty if is_covered(buffer, self.expression) else np.zeros
            made.append(new(tuple(n.constant for n in buffer.shape), buffer.type.numpy))
        for combine in self.expression.md_hom.combine:
            if isinstance(combine, Scatter) and combine.operator.identity is not None:
                made[0].fill(combine.operator.identity[0].value or 0)  # 0.0 for -0.0, which sums begin with
        return made

    def _given(self, out: Any) -> list[Array]:
        given = list(out.values()) if isinstance(out, dict) else list(out) if isinstance(out, list | tuple) else [out]
        if isinstance(out, dict):
            given = [out.get(b.name) for b in self._outputs]
        if len(given) != len(self._outputs) or not all(isinstance(a, np.ndarray) for a in given):
            raise ArgumentTypeError(f"out must be arrays for {', '.join(b.name for b in self._outputs)}")
        return given

    # ------------------------------------------------------------------------------------------ as a value

    def __eq__(self, other: object) -> bool:
        """Whether both are the same expression over the same buffers."""
        if not isinstance(other, Computation):
            return NotImplemented
        return (self.program, len(self._outputs)) == (other.program, len(other._outputs))

    def __hash__(self) -> int:
        return hash((self.program, len(self._outputs)))

    def __str__(self) -> str:
        return str(self.expression)

    def __repr__(self) -> str:
        """What makes the computation: `eval(repr(f)) == f` where this module's names are known."""
        return source_of(self.expression, len(self._outputs))


def _input(buffer: AlgebraBuffer, value: Any) -> Array:
    """An argument as an array; only scalars and lists are converted."""
    if isinstance(value, np.ndarray):
        return value
    try:
        return np.asarray(value, buffer.type.numpy)
    except OverflowError as error:
        raise ArgumentValueError(f"{buffer.name}: {error}") from None
    except (TypeError, ValueError):
        raise ArgumentTypeError(f"{buffer.name}: expected {buffer}, got {type(value).__name__}") from None


def _apart(array: Array, results: Sequence[Array]) -> Array:
    """`array`, or a copy if it may share memory with a result: all inputs are read before anything is written."""
    return array.copy() if any(np.may_share_memory(array, r) for r in results) else array
