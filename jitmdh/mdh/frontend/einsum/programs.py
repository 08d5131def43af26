"""einsum -> algebra: a contraction of any number of operands as a program, each step one expression.

"ij,jk,k->i"  with the order ((1, 2), (0, 1))

t0[j] = Σ_k in1[j, k] * in2[k]
out[i] = Σ_j in0[i, j] * t0[j]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from math import prod
from typing import Any

from jitmdh.base.dtype import ScalarType, bool_, promote
from jitmdh.base.errors import ArgumentTypeError, ConfigurationError, NotAnMdhError
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.combine import Operator, PointWise, cc, elementwise
from jitmdh.mdh.algebra.expr import (
    Access,
    Allocation,
    ArrayParameter,
    Buffer,
    Check,
    Dim,
    Expression,
    Finish,
    MdHom,
    Program,
    Return,
)
from jitmdh.mdh.algebra.index import Affine, shape_name
from jitmdh.mdh.algebra.operations.result_types import neutral_element
from jitmdh.mdh.algebra.operations.table import OPERATIONS
from jitmdh.mdh.algebra.scalar import Constant, Operation, Scalar, ScalarFunction, Variable, cast
from jitmdh.mdh.frontend.einsum.notation import Subscripts, extents, parse, stretched
from jitmdh.mdh.frontend.source.library import function_name
from jitmdh.mdh.frontend.symbolic.operators import DeclaredOperator, pw
from jitmdh.mdh.frontend.symbolic.values import Traced, lift, straight_line
from jitmdh.mdh.frontend.symbolic.values import apply as apply_symbolically

Order = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Semiring:
    """What replaces the sum and the product. Either is the name of an operation or a function of two scalars."""

    combine: str | DeclaredOperator = "add"
    scalar: str | Callable[[Any, Any], Any] = "mul"

    @property
    def distributes(self) -> bool:
        """Whether operands can be contracted one by one: the scalar operation distributes over the combination."""
        known = OPERATIONS.get(self.scalar) if isinstance(self.scalar, str) else None
        return known is not None and self.combine in known.distributes_over

    @property
    def is_ordinary(self) -> bool:
        return (self.combine, self.scalar) == ("add", "mul")


_USUAL = Semiring()


def semiring(combine: Any = None, scalar: Any = None) -> Semiring:
    """From what a user names: Python's and NumPy's functions, names, or functions of two scalars.

    >>> semiring(min, "add")
    Semiring(combine='fmin', scalar='add')
    """
    declared = pw("add" if combine is None else combine)
    known = declared.operation if declared.function is None else declared.function
    assert known is not None
    return Semiring(known, "mul" if scalar is None else _scalar_operation(scalar))


def _scalar_operation(scalar: Any) -> str | Callable[[Any, Any], Any]:
    named = {min: "fmin", max: "fmax"}.get(scalar) if callable(scalar) else None
    if named is not None:
        return named
    if isinstance(scalar, str):
        return scalar
    name = (function_name(scalar) or "").rpartition(".")[2]
    if name:
        return {"multiply": "mul"}.get(name, name)
    if callable(scalar):
        return getattr(scalar, "py_func", scalar)  # type: ignore[no-any-return]
    raise ConfigurationError(
        f"einsum: scalar={scalar!r} is no function of two scalars", hint="for example scalar=mdh.add"
    )


@dataclass(frozen=True, slots=True)
class Contraction:
    """All that the program of an einsum depends on; the key under which it is remembered.

    types: of the operands; stretched: their axes whose one element stands for all; result: the type that is computed
    in; out: the type of the array given for the result, None if the program makes one; order: which operands each
    step takes, results put at the end.
    """

    subscripts: Subscripts
    types: tuple[ScalarType, ...]
    stretched: tuple[tuple[bool, ...], ...]
    result: ScalarType
    out: ScalarType | None = None
    semiring: Semiring = Semiring()
    order: Order = ()

    @property
    def labels(self) -> tuple[tuple[str | None, ...], ...]:
        """The label of each axis of each operand; None for those that are stretched."""
        pairs = zip(self.subscripts.inputs, self.stretched)
        return tuple(tuple(None if s else label for label, s in zip(*pair)) for pair in pairs)

    def program(self) -> Program:
        """The contraction as a program over `in0`, `in1`, … and `out`."""
        return _EinsumProgram(self).program()


def contraction(
    text: str,
    shapes: Sequence[tuple[int, ...]],
    types: Sequence[ScalarType],
    *,
    result: ScalarType | None = None,
    out: ScalarType | None = None,
    semiring: Semiring = _USUAL,
    optimize: Any = None,
) -> Contraction:
    """What `text` says about operands of these shapes and types, with a contraction order for these extents.

    result: the type to compute in, None for that of the operands together. ArgumentValueError, a ValueError, where
    subscripts and operands do not fit.
    """
    subscripts = parse(text, tuple(len(shape) for shape in shapes))
    sizes = extents(subscripts, shapes)
    flat = stretched(subscripts, shapes, sizes)
    type = reduce(promote, types) if result is None else result
    whole = Contraction(subscripts, tuple(types), flat, type, out, semiring)
    return replace(whole, order=contraction_order(whole, sizes, optimize))


def contraction_order(contraction: Contraction, sizes: Mapping[str, int], optimize: Any = None) -> Order:
    """The cheapest order for these extents; () where there is nothing to choose."""
    if len(contraction.types) < 2 or not contraction.semiring.distributes or optimize is False:
        return ()
    kept = [tuple(dict.fromkeys(label for label in labels if label is not None)) for labels in contraction.labels]
    output = tuple(label for label in contraction.subscripts.output if any(label in labels for labels in kept))
    if isinstance(optimize, Sequence) and not isinstance(optimize, str) and optimize and optimize[0] == "einsum_path":
        return tuple(tuple(step) for step in optimize[1:])
    alone, kept = _summed_alone(kept, output, sizes)
    if len(kept) < 3:
        return (*alone, (0, 1)) if alone else ()
    import opt_einsum

    symbols = {label: opt_einsum.get_symbol(n) for n, label in enumerate(sizes)}
    terms = ["".join(symbols[label] for label in labels) for labels in [*kept, output]]
    shapes = [tuple(max(1, sizes[label]) for label in labels) for labels in kept]
    how = "auto" if optimize is None or optimize is True else optimize
    equation = f"{','.join(terms[:-1])}->{terms[-1]}"
    path, _ = opt_einsum.contract_path(equation, *shapes, shapes=True, optimize=how)
    return (*alone, *(tuple(step) for step in path))


def _summed_alone(
    kept: list[tuple[str, ...]], output: tuple[str, ...], sizes: Mapping[str, int]
) -> tuple[Order, list[tuple[str, ...]]]:
    """Steps of one operand each, for labels that only it has, where that saves work; and the labels left.

    "ij,kl->jl": Σ_i of operand 0 first, then Σ_k of operand 1, instead of all four loops in one nest.
    """
    steps: list[tuple[int, ...]] = []
    points = prod(sizes[label] for label in dict.fromkeys(label for labels in kept for label in labels))
    for labels in list(kept):
        others = {label for other in kept for label in other if other is not labels} | set(output)
        shared = tuple(label for label in labels if label in others)
        if len(shared) < len(labels) and points > prod(sizes[label] for label in labels):
            number = next(n for n, other in enumerate(kept) if other is labels)
            steps.append((number,))
            kept = [*kept[:number], *kept[number + 1 :], shared]
    return tuple(steps), kept


# ------------------------------------------------------------------------------------------------------- programs


@dataclass(frozen=True, slots=True)
class _Term:
    """An array on the way: its axes' labels (None: an axis of one element)."""

    name: str
    type: ScalarType
    labels: tuple[str | None, ...]


class _EinsumProgram:
    def __init__(self, contraction: Contraction) -> None:
        self.contraction = contraction
        self.output = contraction.subscripts.output
        self.terms = [
            _Term(f"in{n}", type, labels) for n, (type, labels) in enumerate(zip(contraction.types, contraction.labels))
        ]
        self.extents: dict[str, Affine] = {}
        for term in self.terms:
            for axis, label in enumerate(term.labels):
                if label is not None:
                    self.extents.setdefault(label, Affine.of(shape_name(term.name, axis)))
        self.allocations: list[Allocation] = []

    def program(self) -> Program:
        c = self.contraction
        parameters = [ArrayParameter(t.name, t.type, len(t.labels)) for t in self.terms]
        checks = self._checks()
        steps: list[Expression] = []
        terms = list(self.terms)
        for taken in c.order:
            chosen = [terms[n] for n in sorted(taken)]
            terms = [t for n, t in enumerate(terms) if n not in taken]
            if terms:
                steps.append(self._step(chosen, terms))
                terms.append(_Term(steps[-1].name, self._state_type(), self._kept(chosen, terms)))
            else:
                terms = chosen
        steps.append(self._last(terms))
        if c.out is None:
            shape = tuple(self.extents[label] for label in self.output)
            self.allocations.append(Allocation("out", c.result, shape))
        else:
            parameters.append(ArrayParameter("out", c.out, len(self.output)))
        allocations = tuple(self.allocations)
        return Program("einsum", tuple(parameters), (), allocations, checks, tuple(steps), (Return("out"),))

    def _checks(self) -> tuple[Check, ...]:
        """Every axis has the extent of its label."""
        checks = []
        given = [(t.name, t.labels) for t in self.terms]
        if self.contraction.out is not None:
            given.append(("out", self.output))
        for name, labels in given:
            for axis, label in enumerate(labels):
                extent = Affine((), 1) if label is None else self.extents[label]
                own = Affine.of(shape_name(name, axis))
                message = f"einsum: axis {axis} of {name} does not have the extent of its subscript"
                if own != extent:
                    checks += [Check(own - extent, "shape", message), Check(extent - own, "shape", message)]
        return tuple(checks)

    def _kept(self, chosen: Sequence[_Term], others: Sequence[_Term]) -> tuple[str, ...]:
        """The labels of an intermediate result: those that are needed later, the result's in its order first."""
        have = dict.fromkeys(label for t in chosen for label in t.labels if label is not None)
        later = {label for t in others for label in t.labels} | set(self.output)
        first = [label for label in self.output if label in have]
        return (*first, *(label for label in have if label in later and label not in first))

    def _step(self, chosen: Sequence[_Term], others: Sequence[_Term]) -> Expression:
        labels = self._kept(chosen, others)
        name = f"t{len(self.allocations)}"
        self.allocations.append(Allocation(name, self._state_type(), tuple(self.extents[label] for label in labels)))
        return self._expression(name, chosen, labels, self._state_type())

    def _last(self, terms: Sequence[_Term]) -> Expression:
        return self._expression("out", terms, self.output, self.contraction.out or self.contraction.result)

    # ------------------------------------------------------------------------------------------ expressions

    def _expression(self, name: str, terms: Sequence[_Term], output: tuple[str, ...], type: ScalarType) -> Expression:
        every = dict.fromkeys(label for t in terms for label in t.labels if label is not None)
        summed = [label for label in every if label not in output]
        dims = tuple(Dim(label, self.extents[label]) for label in (*output, *summed))
        function = self._function(terms, None if summed else type)
        md_hom = MdHom(dims, function, (cc,) * len(output))
        finish = None
        if summed:
            operator = self._operator(function.result_types[0])
            md_hom = MdHom(dims, function, (*md_hom.combine, *(PointWise(operator) for _ in summed)))
            finish = self._finish(operator, type)
        buffers = {t.name: self._buffer(t) for t in terms}
        buffers[name] = self._buffer(_Term(name, type, output))
        views = tuple(Access(t.name, self._index(t.labels)) for t in terms)
        out = Access(name, self._index(output))
        return Expression(name, tuple(buffers.values()), views, md_hom, finish, (out,))

    def _buffer(self, term: _Term) -> Buffer:
        shape = (Affine.of(shape_name(term.name, axis)) for axis in range(len(term.labels)))
        return Buffer(term.name, term.type, tuple(shape))

    def _index(self, labels: Sequence[str | None]) -> tuple[Affine, ...]:
        return tuple(Affine() if label is None else Affine.of(label) for label in labels)

    def _compute_type(self) -> ScalarType:
        return self.contraction.result.accumulator

    def _state_type(self) -> ScalarType:
        """The type of intermediate results: what the scalar operation gives for operands of the result's type."""
        type = self._compute_type()
        if len(self.contraction.types) < 2:
            return type
        return self._product(Variable("a", type), Variable("b", type)).type

    def _function(self, terms: Sequence[_Term], type: ScalarType | None) -> ScalarFunction:
        """The product of the terms' elements, as `type` if that is given."""
        parameters = [Variable(f"x{n}", t.type) for n, t in enumerate(terms)]
        value = reduce(self._product, (cast(p, self._compute_type()) for p in parameters))
        return straight_line(parameters, (value if type is None else cast(value, type),))

    def _product(self, left: Scalar, right: Scalar) -> Scalar:
        scalar = self.contraction.semiring.scalar
        if scalar == "mul" and left.type == bool_:
            return Operation("and", (left, right), bool_)
        if isinstance(scalar, str):
            return lift(apply_symbolically(scalar, Traced(left), Traced(right)))
        return lift(scalar(Traced(left), Traced(right)))

    def _operator(self, type: ScalarType) -> Operator:
        return combine_operator(self.contraction.semiring.combine, type)

    def _finish(self, operator: Operator, type: ScalarType) -> Finish | None:
        """Sums start from 0, not from the identity -0.0; what is kept in a wider type is narrowed."""
        (state,) = (Variable("state", t) for t in operator.types)
        value: Scalar = state
        if operator.name == "add" and state.type.kind in "fc":
            zero = Constant(0.0 if state.type.kind == "f" else 0j, state.type)
            value = Operation("add", (zero, state), state.type)
        value = cast(value, type)
        return None if value is state else Finish((), ScalarFunction((state,), (), (value,)))


def combine_operator(combine: str | DeclaredOperator, type: ScalarType) -> Operator:
    """What a semiring combines results of `type` with. ArgumentTypeError where there is no such operation."""
    if isinstance(combine, DeclaredOperator):
        return _declared_operator(combine, type)
    if combine == "add" and type == bool_:
        combine = "or"
    try:
        return elementwise(combine, type, neutral_element(combine, type))
    except ArgumentTypeError:
        raise ArgumentTypeError(f"einsum: cannot combine {type} by `{combine}`") from None


def _declared_operator(declared: DeclaredOperator, type: ScalarType) -> Operator:
    left, right = Variable("lhs", type), Variable("rhs", type)
    try:
        result = lift(declared.py_func(Traced(left), Traced(right)))
    except TypeError as error:
        raise NotAnMdhError(f"`{declared.__name__}` is no function of two scalars", reason=str(error)) from None
    if result.type != type:
        raise NotAnMdhError(f"operator `{declared.__name__}` gives {result.type} for states of {type}")
    identity = None
    if declared.identity is not None:
        value: Any = type.numpy.type(declared.identity).item()
        identity = (Constant(value, type),)
    return Operator(declared.__name__, straight_line((left, right), (result,)), identity, declared.commutative)
