"""The explicit representation, `out_view(…) ∘ md_hom(…) ∘ inp_view(…)` as a user writes it, -> an algebra program.

Index functions are run on symbols, scalar functions and operators on traced values. Sizes of buffers follow from the
index functions (thesis Definition 32) and are checked against those declared.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from jitmdh.base.dtype import ScalarType
from jitmdh.base.error_codes import EXPLICIT
from jitmdh.base.errors import ArgumentTypeError, ConfigurationError, NotAnMdhError
from jitmdh.base.records import dataclass
from jitmdh.base.source import Loc
from jitmdh.base.text import listing
from jitmdh.mdh.algebra.check import check
from jitmdh.mdh.algebra.combine import (
    CombineOperator,
    Concatenation,
    Operator,
    PointWise,
    PrefixSum,
    Scatter,
    cc,
    elementwise,
    product,
)
from jitmdh.mdh.algebra.expr import Access, ArrayParameter, Buffer, Check, Dim, Expression, MdHom, Program, part_name
from jitmdh.mdh.algebra.index import Affine, as_affine, shape_name
from jitmdh.mdh.algebra.operations.result_types import neutral_element
from jitmdh.mdh.algebra.operations.table import ASSOCIATIVE
from jitmdh.mdh.algebra.scalar import Constant, Operation, Scalar, ScalarFunction, Variable, substitute
from jitmdh.mdh.frontend.explicit.data_subscripts import Element, Elements
from jitmdh.mdh.frontend.explicit.error_places import place_of, place_of_error
from jitmdh.mdh.frontend.explicit.operators import typed
from jitmdh.mdh.frontend.symbolic.operators import DeclaredOperator
from jitmdh.mdh.frontend.symbolic.values import Traced, convert, lift, straight_line


@dataclass(frozen=True, slots=True)
class BufferType:
    """`Buffer[T, [I, K]]`; shape None: to be inferred."""

    type: ScalarType
    shape: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class ViewTerm:
    """`out_view[T…](w=[f…])` or `inp_view`: for each buffer its index functions."""

    types: tuple[ScalarType, ...]
    index_functions: Mapping[str, Sequence[Callable[..., Any]]]


@dataclass(frozen=True, slots=True)
class CombineTerm:
    """`CC`, `PW(op)`, `PS(op)` or `SC(op)`, whose types are not known yet.

    operator: an operation's name or a function.
    """

    kind: str
    operator: Operator | str | Callable[..., Any] | None = None
    identity: tuple[bool | int | float | complex, ...] | None = None
    commutative: bool = False
    exclusive: bool = False
    reverse: bool = False
    name: str = ""


@dataclass(frozen=True, slots=True)
class MdHomTerm:
    """`md_hom[I, K](f, (CC, PW(op)))`."""

    sizes: tuple[int, ...]
    function: Callable[..., Any]
    combine: tuple[CombineTerm, ...]


Terms = tuple[ViewTerm, MdHomTerm, ViewTerm]
Key = tuple[str, int]
"""A buffer and the number of one of its accesses."""


def build(name: str, out: Mapping[str, BufferType], inp: Mapping[str, BufferType], terms: Terms) -> Program:
    """The program of one expression: its parameters are the outputs, then the inputs; all sizes are constants."""
    out_view, term, inp_view = terms
    loc = place_of(term.function)
    if len(term.sizes) != len(term.combine):
        sizes, operators = len(term.sizes), len(term.combine)
        facts = f"md_hom has {sizes} size{'s' * (sizes != 1)} and {operators} combine operator{'s' * (operators != 1)}"
        raise ConfigurationError(facts, hint="one of each for every dimension")
    names = _dim_names(inp_view, out_view, len(term.sizes))
    declared = {b: t.shape for b, t in (*out.items(), *inp.items())}
    elements = Elements({b: t.type for b, t in inp.items()}, declared)
    reads, writes = _accesses(inp_view, names, elements), _accesses(out_view, names, elements)
    deciding = {a.buffer for _, a in elements.accesses()}
    _check_types("out_view", out_view, out)
    _check_types("inp_view", inp_view, {b: t for b, t in inp.items() if b in inp_view.index_functions or
                                        b not in deciding})  # fmt: skip
    own_inputs, own_outputs = _fields(reads, inp), _fields(writes, out)
    outputs = {key: type for key, type, _ in own_outputs}
    function = _scalar_function(term.function, {key: type for key, type, _ in own_inputs}, outputs)
    combine = _combine(term.combine, outputs, names)
    dims = tuple(Dim(n, as_affine(size)) for n, size in zip(names, term.sizes))
    buffers = [
        Buffer(b, types[b].type, tuple(map(as_affine, _shape(b, types[b], accesses, dims))))
        for types, accesses in ((out, writes), (inp, [*reads, *elements.accesses()]))
        for b in types
    ]
    md_hom = MdHom(dims, function, combine)
    parts = [
        Buffer(part_name(b.name, field), type, b.shape, b.name, not b.type.is_uniform)
        for b in buffers
        for field, type, _ in b.type.fields
    ]
    inputs, results = tuple(a for _, _, a in own_inputs), tuple(a for _, _, a in own_outputs)
    expression = Expression(
        name, (*buffers, *parts), inputs, md_hom, None, results, loc, indirect=elements.indirect
    )  # fmt: skip
    _check_writes(expression)
    program = Program(
        name,
        tuple(ArrayParameter(b.name, b.type, b.rank) for b in buffers),
        (),
        (),
        tuple(c for b in buffers for c in _shape_checks(b)),
        (expression,),
        loc=loc,
    )
    check(program)
    return program


# ---------------------------------------------------------------------------------------------------------- views


def _check_types(what: str, view: ViewTerm, buffers: Mapping[str, BufferType]) -> None:
    unknown = [b for b in view.index_functions if b not in buffers]
    missing = [b for b in buffers if b not in view.index_functions]
    if unknown or missing:
        which = f"{what} names {listing(view.index_functions)}, the buffers are {listing(buffers)}"
        raise ConfigurationError(which, hint="every buffer has its index functions in the view")
    expected = tuple(buffers[b].type for b in view.index_functions)
    if view.types and view.types != expected:
        facts = f"{what}[{_types(view.types)}] is of buffers declared as {_types(expected)}"
        raise ArgumentTypeError(facts, hint="one type for each buffer, in the order of the view")


def _dim_names(inp_view: ViewTerm, out_view: ViewTerm, count: int) -> tuple[str, ...]:
    """Names of the dimensions: those the first index function gives its parameters."""
    for view in (inp_view, out_view):
        for functions in view.index_functions.values():
            for function in functions:
                names = tuple(inspect.signature(function).parameters)
                if len(names) == count:
                    return names
                facts = f"an index function of {count} dimensions takes {len(names)} indices"
                raise ConfigurationError(facts, loc=place_of(function))
    return tuple(f"i{n}" for n in range(count))


def _accesses(view: ViewTerm, names: tuple[str, ...], elements: Elements) -> list[tuple[Key, Access]]:
    return [
        ((buffer, n), _access(buffer, function, names, elements))
        for buffer, functions in view.index_functions.items()
        for n, function in enumerate(functions)
    ]


def _fields(
    accesses: Iterable[tuple[Key, Access]], buffers: Mapping[str, BufferType]
) -> list[tuple[Key, ScalarType, Access]]:
    """Accesses with the types of what they access; of a buffer of records, one for each field."""
    found: list[tuple[Key, ScalarType, Access]] = []
    for (name, n), access in accesses:
        type = buffers[name].type
        if not type.fields:
            found.append(((name, n), type, access))
        for field, field_type, _ in type.fields:
            part = part_name(name, field)
            found.append(((part, n), field_type, replace(access, buffer=part)))
    return found


def _access(buffer: str, function: Callable[..., Any], names: tuple[str, ...], elements: Elements) -> Access:
    loc = place_of(function)
    if len(inspect.signature(function).parameters) != len(names):
        facts = f"an index function of {buffer} takes {len(inspect.signature(function).parameters)} indices"
        raise ConfigurationError(f"{facts}, there are {len(names)} dimensions", loc=loc)
    try:
        result = function(*(Affine.of(n) for n in names))
    except (TypeError, AttributeError) as error:
        known = "Affine" in str(error)  # an operation that affine expressions do not have
        raise _not_affine(buffer, place_of_error(error, function), "" if known else str(error)) from None
    index = result if isinstance(result, tuple) else (result,)
    index = tuple(elements.named(buffer, n, i, loc) if isinstance(i, Element) else i for n, i in enumerate(index))
    if not all(isinstance(i, Affine) or (isinstance(i, int) and not isinstance(i, bool)) for i in index):
        raise _not_affine(buffer, loc, f"it gives {result!r}")
    return Access(buffer, tuple(as_affine(i) for i in index), (), loc)


def _not_affine(buffer: str, loc: Loc | None, reason: str) -> NotAnMdhError:
    hint = "indices may be added, subtracted, and multiplied by integers"
    return NotAnMdhError(
        f"an index function of {buffer} is not affine", loc=loc, reason=reason, hint=hint, code=EXPLICIT
    )


def _shape(
    buffer: str, declared: BufferType, accesses: Iterable[tuple[Key, Access]], dims: Sequence[Dim]
) -> tuple[int, ...]:
    """Definition 32: in each dimension one more than the greatest index, which must not exceed what is declared."""
    own = [access for (name, _), access in accesses if name == buffer]
    ranks = {len(a.index) for a in own} | ({len(declared.shape)} if declared.shape is not None else set())
    if len(ranks) != 1:
        facts = f"{buffer} has {listing(sorted(ranks), 'or')} dimensions: its index functions and declaration differ"
        raise ConfigurationError(facts, loc=own[0].loc if own else None)
    empty = any(d.extent.constant <= 0 for d in dims)
    needed = [0] * ranks.pop()
    for access in own:
        for axis, index in enumerate(access.index):
            data = any(n.startswith("@") for n in index.names)  # then the size is declared, and data are checked
            low, high = (0, -1) if empty or data else _range(index, dims)
            if low < 0:
                raise NotAnMdhError(
                    f"{buffer}: index {index} in dimension {axis} reaches {low}", loc=access.loc, code=EXPLICIT
                )
            needed[axis] = max(needed[axis], high + 1)
            if declared.shape is not None and high >= declared.shape[axis]:
                facts = f"{buffer} is declared with size {declared.shape[axis]} in dimension {axis}"
                raise ConfigurationError(f"{facts}, index {index} reaches {high}", loc=access.loc)
    return tuple(needed) if declared.shape is None else declared.shape


def _range(index: Affine, dims: Sequence[Dim]) -> tuple[int, int]:
    """Least and greatest value of `index`."""
    low = high = index.constant
    for dim in dims:
        reach = index.coefficient(dim.name) * (dim.extent.constant - 1)
        low, high = low + min(0, reach), high + max(0, reach)
    return low, high


def _check_writes(expression: Expression) -> None:
    for access in expression.out_view:
        data = any(expression.named(n) is not None for i in access.index for n in i.names)
        if data and not expression.scattered:
            facts = f"out_view: an index of {access.buffer} depends on data, so several results may have one place"
            hint = "combine the dimensions that it depends on by SC(…)"
            raise NotAnMdhError(facts, loc=access.loc, hint=hint, code=EXPLICIT)
        used = {name for index in access.index for name in index.names}
        reduced = sorted(used & set(expression.collapsed))
        if reduced:
            facts = f"out_view: {access.buffer} is indexed by {listing(reduced)}, which PW has combined"
            raise NotAnMdhError(facts, loc=access.loc, code=EXPLICIT)
        kept = [n for n in expression.remaining if n not in expression.scattered]
        unused = [n for n in kept if n not in used and _extent(expression, n) > 1]
        if unused:
            facts = f"out_view: no index of {access.buffer} uses {listing(unused)}, so results would overwrite others"
            raise NotAnMdhError(facts, loc=access.loc, hint=f"combine {listing(unused)} by PW(…)", code=EXPLICIT)


def _extent(expression: Expression, name: str) -> int:
    return next(d.extent.constant for d in expression.md_hom.dims if d.name == name)


def _shape_checks(buffer: Buffer) -> list[Check]:
    checks = []
    for axis, extent in enumerate(buffer.shape):
        difference = Affine.of(shape_name(buffer.name, axis)) - extent
        message = f"{buffer.name} must have size {extent} in dimension {axis}"
        checks += [Check(difference, "shape", message), Check(-difference, "shape", message)]
    return checks


# ------------------------------------------------------------------------------------------ functions and operators


class RecordArgument:
    """A record among what scalar functions are handed: its fields by name."""

    def __init__(self, record: Record, buffer: str, number: int) -> None:
        self._record, self._buffer, self._number = record, buffer, number

    def __getitem__(self, field: str) -> Any:
        return self._record[part_name(self._buffer, field), self._number]

    def __setitem__(self, field: str, value: Any) -> None:
        self._record[part_name(self._buffer, field), self._number] = value


class Record:
    """What scalar functions are handed: scalars by the name of their buffer; `x[name, n]` for its n-th access."""

    def __init__(
        self, what: str, types: Mapping[Key, ScalarType], values: Mapping[Key, Variable] | None = None
    ) -> None:
        self._what, self._types = what, types
        self._values: dict[Key, Traced] = {k: Traced(v) for k, v in (values or {}).items()}

    def __getitem__(self, name: str | Key) -> Any:
        buffer, n = name if isinstance(name, tuple) else (name, 0)
        if any(k[0].startswith(f"{buffer}.") for k in self._types):
            return RecordArgument(self, buffer, n)
        key = self._key(name, reading=True)
        if isinstance(key, tuple):
            if key not in self._values:
                raise NotAnMdhError(f"{self._what}[{name!r}] is read before it is set", code=EXPLICIT)
            return self._values[key]
        return [self[k] for k in self._types if k[0] == key]

    def __setitem__(self, name: str | Key, value: Any) -> None:
        buffer, n = name if isinstance(name, tuple) else (name, 0)
        fields = [k[0].partition(".")[2] for k in self._types if k[0].startswith(f"{buffer}.") and k[1] == n]
        if fields:
            values = [value[f] for f in fields] if isinstance(value, RecordArgument) else value
            if not isinstance(values, list | tuple) or len(values) != len(fields):
                raise NotAnMdhError(
                    f"{self._what}[{name!r}] is a record of {listing(map(repr, fields))}", code=EXPLICIT
                )
            for field, one in zip(fields, values):
                self[part_name(buffer, field), n] = one
            return
        key = self._key(name, reading=False)
        assert isinstance(key, tuple)
        self._values[key] = Traced(convert(lift(value), self._types[key]))

    def update(self, values: Mapping[str | Key, Any]) -> None:
        """Set several, as a dictionary does."""
        for name, value in values.items():
            self[name] = value

    def _key(self, name: str | Key, reading: bool) -> Key | str:
        keys = [k for k in self._types if k == name or k[0] == name]
        if not keys or (len(keys) > 1 and not reading):
            known = listing(repr(k[0]) if k[1] == 0 else f"{k[0]!r}, {k[1]}" for k in self._types)
            raise NotAnMdhError(f"{self._what} has no {name!r}", hint=f"there is {known}", code=EXPLICIT)
        return keys[0] if len(keys) == 1 else keys[0][0]

    def results(self) -> tuple[Scalar, ...]:
        missing = [k for k in self._types if k not in self._values]
        if missing:
            raise NotAnMdhError(f"{self._what}[{missing[0][0]!r}] is never set", code=EXPLICIT)
        return tuple(self._values[k].node for k in self._types)


def _variables(types: Mapping[Key, ScalarType], prefix: str = "") -> dict[Key, Variable]:
    several = {name for name, n in types if n > 0}
    return {k: Variable(f"{prefix}{k[0]}{f'_{k[1]}' if k[0] in several else ''}", t) for k, t in types.items()}


def _scalar_function(
    function: Callable[..., Any], inputs: Mapping[Key, ScalarType], outputs: Mapping[Key, ScalarType]
) -> ScalarFunction:
    """`function(out, inp)` as a scalar function."""
    parameters = _variables(inputs)
    out = Record("out", outputs)
    _run(function, out, Record("inp", inputs, parameters))
    return straight_line(tuple(parameters.values()), out.results())


def _run(function: Callable[..., Any], *records: Record) -> None:
    try:
        function(*records)
    except NotAnMdhError as error:
        if error.loc is not None:
            raise
        place = place_of_error(error, function)
        raise NotAnMdhError(error.message, loc=place, reason=error.reason, hint=error.hint, code=error.code) from None


def _combine(
    declared: Sequence[CombineTerm], outputs: Mapping[Key, ScalarType], names: Sequence[str]
) -> tuple[CombineOperator, ...]:
    """The algebra's combine operators."""
    result: list[CombineOperator] = []
    for d, name in zip(declared, names):
        if d.operator is None:
            result.append(cc)
        elif d.kind == "PW":
            result.append(PointWise(_operator(d, outputs, name)))
        elif d.kind == "SC":
            result.append(Scatter(_operator(d, outputs, name)))
        else:
            result.append(PrefixSum(_operator(d, outputs, name), d.exclusive, d.reverse))
    return tuple(result)


def _operator(declared: CombineTerm, outputs: Mapping[Key, ScalarType], dim: str) -> Operator:
    given = declared.operator
    types = tuple(outputs.values())
    if isinstance(given, Operator):
        if given.types != types:
            facts = f"operator `{given.name}` combines {_types(given.types)}, the results are {_types(types)}"
            raise ArgumentTypeError(f"dimension {dim}: {facts}")
        return given
    if isinstance(given, DeclaredOperator):
        return _over(typed(given, types), outputs)
    if isinstance(given, str):
        return product(tuple(_elementary(given, t, dim, None) for t in types))
    assert given is not None
    left, right = _variables(outputs, "lhs_"), _variables(outputs, "rhs_")
    results = Record("res", outputs)
    _run(given, results, Record("lhs", outputs, left), Record("rhs", outputs, right))
    parameters = (*left.values(), *right.values())
    known = [_known(r, a, b, dim, place_of(given)) for r, a, b in zip(results.results(), left.values(), right.values())]
    if declared.identity is None and all(k is not None for k in known):
        return product(tuple(k for k in known if k is not None))
    identity = None if declared.identity is None else _identity(declared.identity, types)
    function = straight_line(parameters, results.results())
    return Operator(declared.name or given.__name__, function, identity, declared.commutative)


def _over(operator: Operator, outputs: Mapping[Key, ScalarType]) -> Operator:
    """The operator with the names that a function `(res, lhs, rhs)` gets."""
    function = operator.function
    parameters = (*_variables(outputs, "lhs_").values(), *_variables(outputs, "rhs_").values())
    values: dict[str, Scalar] = {p.name: new for p, new in zip(function.parameters, parameters)}
    for variable, value in function.bindings:
        values[variable.name] = substitute(value, values)
    return replace(operator, function=straight_line(parameters, [substitute(r, values) for r in function.results]))


def _known(result: Scalar, left: Variable, right: Variable, dim: str, loc: Loc | None) -> Operator | None:
    """The operator that is one scalar operation on `left` and `right`, if that is what `result` is."""
    if not isinstance(result, Operation) or set(result.operands) != {left, right} or len(result.operands) != 2:
        return None
    if result.op not in ASSOCIATIVE:
        return _elementary(result.op, result.type, dim, loc)
    if result.op in ("fmin", "fmax") and result.operands != (left, right):
        return None
    return _elementary(result.op, result.type, dim, loc)


def _elementary(op: str, type: ScalarType, dim: str, loc: Loc | None) -> Operator:
    if op not in ASSOCIATIVE:
        raise NotAnMdhError(
            f"dimension {dim}: combine operator `{op}` is not associative",
            loc=loc,
            reason="md_hom needs (a ⊗ b) ⊗ c == a ⊗ (b ⊗ c)",
            hint=f"one of {listing(map(repr, ASSOCIATIVE), 'or')}, or a function of your own that is",
        )
    return elementwise(op, type, neutral_element(op, type))


def _identity(values: tuple[bool | int | float | complex, ...], types: tuple[ScalarType, ...]) -> tuple[Constant, ...]:
    if len(values) != len(types):
        raise ConfigurationError(f"an identity of {len(values)} scalars for a state of {len(types)}")
    constants = [convert(lift(v), t) for v, t in zip(values, types)]
    return tuple(c for c in constants if isinstance(c, Constant))


# ---------------------------------------------------------------------------------------------------------- places


def is_covered(buffer: Buffer, expression: Expression) -> bool:
    """Whether an output is certainly written everywhere: some access runs through it by one dimension per axis."""
    operators = [c.operator for c in expression.md_hom.combine if not isinstance(c, Concatenation)]
    if any(o.identity is None for o in operators):
        return False
    extents = {d.name: d.extent for d in expression.md_hom.dims}
    written = [(expression.buffer(a.buffer).of or a.buffer, a) for a in expression.out_view]
    for name, access in written:
        names = [i.names[0] for i in access.index if i.names and i == Affine.of(i.names[0])]
        whole = tuple(extents.get(n) for n in names) == buffer.shape and len(set(names)) == len(names)
        if name == buffer.name and whole:
            return True
    return False


def _types(types: Iterable[ScalarType]) -> str:
    return ", ".join(map(str, types))
