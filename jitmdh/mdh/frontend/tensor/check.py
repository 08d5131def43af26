"""The types of formulas: what makes an assignment well-formed, and what is wrong with others, before anything runs.

A typed formula has an extent for each index, an element type (NEP 50) and a pattern. The rules are those of the tensor
model language (its Figures 7 to 9), with indices in place of positions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace

import numpy as np

from jitmdh.base.errors import (
    AssignmentTypeError,
    DivisionError,
    ExpressionTypeError,
    RedeclarationError,
    UnboundError,
)
from jitmdh.base.records import dataclass
from jitmdh.base.source import Loc
from jitmdh.mdh.frontend.tensor.known_zeros import Extents, pattern, subscripts
from jitmdh.mdh.frontend.tensor.notation.expr import (
    Apply,
    Array,
    Assignment,
    Element,
    Expr,
    Scalar,
    Tensor,
    Total,
    children,
    elements,
    free,
    scalars,
)
from jitmdh.mdh.frontend.tensor.notation.renaming import with_tensors, without_shadows
from jitmdh.mdh.frontend.tensor.notation.sizes import is_open
from jitmdh.mdh.frontend.tensor.parts import fresh_names, with_storage, without_virtual
from jitmdh.mdh.frontend.tensor.scalar_functions import type_of
from jitmdh.mdh.frontend.tensor.summation import explicit
from jitmdh.mdh.tensor.pattern import Pattern, spread


@dataclass(frozen=True, slots=True)
class Statement:
    """A well-formed assignment.

    value: with its sums written out; extents: of all its indices; zeros: where the value may be other than zero, over
    the target's indices.
    """

    target: Element
    value: Expr
    extents: dict[str, int]
    zeros: Pattern
    loc: Loc | None = field(default=None, compare=False, repr=False)

    @property
    def covers(self) -> bool:
        """Whether every element of the target is written."""
        target = self.target
        plain = all(len(a.terms) == 1 and a.constant == 0 and a.terms[0][1] == 1 for a in target.subscripts)
        return plain and all(self.extents[n] == e for n, e in zip(free(target), target.tensor.shape))

    def __str__(self) -> str:
        return f"{self.target} <= {self.value}"


@dataclass(frozen=True, slots=True)
class Checked:
    """Well-formed statements. tensors, scalars: all that they name, in the order in which they are named.

    inputs: the tensors whose elements they may read before they write them; outputs: those that they write.
    """

    statements: tuple[Statement, ...]
    tensors: tuple[Tensor, ...]
    scalars: tuple[Scalar, ...]
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]


def check(assignments: Sequence[Assignment]) -> Checked:
    """The statements with their types.

    Raises RedeclarationError for two tensors of one name, AssignmentTypeError and ExpressionTypeError where extents or
    element types do not fit, UnboundError for a temporary that nothing has written, BoundsError for positions outside
    of a tensor, DivisionError for a division by a known zero.
    """
    tensors = _named(assignments)
    found = scalars(a.value for a in assignments)
    _apart(tensors, found)
    new = fresh_names({*(t.name for t in tensors), *(s.name for s in found)})
    statements = tuple(one for statement in _typed(assignments) for one in _parts(statement, new))
    own = {s.target.tensor.name: s.target.tensor for s in statements if s.target.tensor.temporary}
    tensors = tuple(own.pop(t.name, t) for t in tensors) + tuple(own.values())
    inputs: dict[Tensor, None] = {}
    written: dict[Tensor, Array | None] = {}  # which elements; None: all
    for statement in statements:
        for element in elements([statement.value]):
            if element.tensor.temporary:
                _has_values(element, statement.extents, written)
            elif element.tensor not in written:
                inputs[element.tensor] = None
        target = statement.target.tensor
        if not statement.covers and target not in written:
            inputs[target] = None
        written[target] = (
            None if target in written and written[target] is None else _marked(statement, written.get(target))
        )
    return Checked(statements, tensors, tuple(found), tuple(inputs), tuple(written))


def _marked(statement: Statement, before: Array | None) -> Array | None:
    """`before`, and what a statement writes of a temporary. None: all of it."""
    target = statement.target
    if statement.covers or not target.tensor.temporary or is_open((*target.tensor.shape, *statement.extents.values())):
        return None
    marks = np.zeros(target.tensor.shape, bool) if before is None else before.copy()
    marks[subscripts(target, statement.extents, free(target))] = True
    return None if marks.all() else marks


def _has_values(element: Element, extents: Extents, written: Mapping[Tensor, Array | None]) -> None:
    """What is read of a temporary has been written, or is known to be zero. UnboundError."""
    tensor = element.tensor
    if tensor not in written:
        raise UnboundError(f"`{tensor}` is read before anything is written to it", loc=element.loc)
    marks = written[tensor]
    if marks is None:
        return
    known = marks if tensor.pattern is None else marks | ~tensor.pattern.mask
    where = tuple(np.broadcast_arrays(*subscripts(element, extents, free(element))))
    if not (found := known[where]).all():
        first = tuple(int(axis[tuple(np.argwhere(~found)[0])]) for axis in where)
        facts = f"`{element}`: {tensor}[{', '.join(map(str, first))}] is read before anything is written to it"
        raise UnboundError(facts, loc=element.loc, hint=f"write all of {tensor} first, such as zeros")


def _named(assignments: Sequence[Assignment]) -> tuple[Tensor, ...]:
    """All tensors; no two have one name."""
    found: dict[str, Tensor] = {}
    for assignment in assignments:
        for element in (assignment.target, *elements([assignment.value])):
            tensor = found.setdefault(element.tensor.name, element.tensor)
            if tensor is not element.tensor and tensor != element.tensor:
                one, other = _described(tensor), _described(element.tensor)
                if one == other:
                    one, other = (f"{_described(t)[:-1]}, {_particulars(t)})" for t in (tensor, element.tensor))
                facts = f"two tensors have the name `{tensor}`: {one} and {other}"
                raise RedeclarationError(facts, loc=element.loc)
    return tuple(found.values())


def _apart(tensors: Iterable[Tensor], found: Sequence[Scalar]) -> None:
    names = {t.name for t in tensors}
    for scalar in found:
        if scalar.name in names or [s.name for s in found].count(scalar.name) > 1:
            raise RedeclarationError(f"the scalar `{scalar}` has the name of something else", loc=scalar.loc)


def _described(tensor: Tensor) -> str:
    return f"{tensor.name} ({'×'.join(map(str, tensor.shape)) or 'a single number'}, {tensor.type})"


def _particulars(tensor: Tensor) -> str:
    """What tells it from others of its name, shape and type."""
    said = ["a temporary"] * tensor.temporary
    if tensor.values is not None:
        said += ["a constant"]
    elif tensor.pattern is not None:
        said += [f"a pattern of {np.count_nonzero(tensor.pattern.mask)}"]
    said += [f"storage={tensor.storage!r}"] * (tensor.storage is not None)
    return ", ".join(said) or "any numbers"


def _typed(assignments: Sequence[Assignment]) -> Iterator[Statement]:
    """Each with what is known of it. Where a temporary that one statement writes is zero follows from that."""
    written = [a.target.tensor for a in assignments]
    known: dict[Tensor, Tensor] = {}
    for assignment in assignments:
        statement = _statement(with_tensors(assignment, known) if known else assignment)
        target = statement.target.tensor
        alone = target.temporary and target.pattern is None and written.count(target) == 1
        if alone and not is_open(target.shape) and statement.covers and not statement.zeros.is_dense:
            zeros = statement.zeros.mask
            known[target] = Tensor(
                target.name, target.shape, target.type.numpy, pattern=zeros, temporary=True, storage=target.storage
            )
            statement = replace(statement, target=replace(statement.target, tensor=known[target]))
        yield statement


def _parts(statement: Statement, new: Callable[[], str]) -> Iterator[Statement]:
    """A statement, after others for the parts of it that get storage."""
    parts, value = with_storage(without_virtual(statement.value), statement.extents, new)
    for target, part in parts:
        zeros = Pattern.dense(target.tensor.shape) if target.tensor.pattern is None else target.tensor.pattern
        yield Statement(target, part, statement.extents, zeros, statement.loc)
    yield replace(statement, value=value)


# --------------------------------------------------------------------------------------------------- one statement


def _statement(assignment: Assignment) -> Statement:
    target, value = assignment.target, assignment.value
    _assignable(assignment)
    extents = _extents(assignment)
    kept = free(target)
    missing = [n for n in kept if n not in free(value)]
    if missing and elements([value]):
        raise AssignmentTypeError(
            f"`{assignment}`: nothing on the right has the index {', '.join(missing)} of {_described(target.tensor)}",
            loc=assignment.loc,
            hint=f'.broadcast("{" ".join(missing)}") says that it is the same for all',
        )
    whole = without_shadows(explicit(value, kept), kept, extents)
    _element_types(assignment, whole)
    _divisors(whole, extents)
    zeros = Pattern(_over(pattern(whole, extents), free(whole), kept, extents))
    _within(assignment, zeros, extents)
    return Statement(target, whole, extents, zeros, assignment.loc)


def _over(found: Pattern, names: Sequence[str], order: Sequence[str], extents: dict[str, int]) -> Array:
    return np.broadcast_to(spread(found, names, order), tuple(extents[n] for n in order))


def _assignable(assignment: Assignment) -> None:
    target = assignment.target
    if target.tensor.values is not None:
        raise AssignmentTypeError(f"`{assignment}`: {target.tensor} is a constant", loc=target.loc)
    names = [n for axis in target.subscripts for n in axis.names]
    twice = [n for n in names if names.count(n) > 1]
    if twice:
        raise AssignmentTypeError(f"`{assignment}`: the index {twice[0]} is twice on the left side", loc=target.loc)
    sums = [a for a in target.subscripts if len(a.terms) > 1]
    if sums:
        raise AssignmentTypeError(f"`{assignment}`: {sums[0]} on the left side names several indices", loc=target.loc)


def _extents(assignment: Assignment) -> dict[str, int]:
    """The extent of every index. All elements agree on it, and stay inside their tensors."""
    found: dict[str, tuple[int, Element]] = {}
    every = [assignment.target, *elements([assignment.value])]
    for element in every:
        for name, extent in _own_extents(element):
            if name in found and found[name][0] != extent:
                _disagree(assignment, name, found[name], (extent, element))
            found.setdefault(name, (extent, element))
    extents = {name: extent for name, (extent, _) in found.items()}
    for name in (*free(assignment.target), *_all_names(assignment.value)):
        if name not in extents:
            raise ExpressionTypeError(
                f"`{assignment}`: nothing says how far the index {name} goes",
                loc=assignment.loc,
                hint=f"an axis with {name} alone does, or .at({name}=slice(…))",
            )
    for element in every:
        _inside(element, extents)
    return extents


def _own_extents(element: Element) -> list[tuple[str, int]]:
    """The indices whose extents an element says: those of whole axes, and those that `at` restricts."""
    restricted = dict(element.extents)
    found = [(name, extent) for name, extent in element.extents]
    for axis, extent in zip(element.subscripts, element.tensor.shape):
        if len(axis.terms) == 1 and axis.terms[0][1] == 1 and axis.constant == 0 and axis.names[0] not in restricted:
            found.append((axis.names[0], extent))
    return found


def _all_names(node: Expr) -> list[str]:
    own = [*node.names] if isinstance(node, Total) else []
    return [*own, *free(node), *(n for child in children(node) for n in _all_names(child))]


def _disagree(assignment: Assignment, name: str, one: tuple[int, Element], other: tuple[int, Element]) -> None:
    (first, a), (second, b) = one, other
    facts = f"`{assignment}`: {name} is {first} in {_described(a.tensor)} and {second} in {_described(b.tensor)}"
    if a is assignment.target:
        raise AssignmentTypeError(facts, loc=b.loc or assignment.loc)
    raise ExpressionTypeError(facts, loc=b.loc or assignment.loc)


def _inside(element: Element, extents: dict[str, int]) -> None:
    if any(extents[n] == 0 for n in free(element)) or is_open((*element.tensor.shape, *extents.values())):
        return
    for number, (axis, extent) in enumerate(zip(element.subscripts, element.tensor.shape)):
        low = axis.constant + sum(min(0, c * (extents[n] - 1)) for n, c in axis.terms)
        high = axis.constant + sum(max(0, c * (extents[n] - 1)) for n, c in axis.terms)
        if low < 0 or high >= extent:
            raise ExpressionTypeError(
                f"`{element}`: positions {low} to {high} of axis {number}, which has {extent}", loc=element.loc
            )


def _element_types(assignment: Assignment, value: Expr) -> None:
    """The value can be converted to the target's type, without a change of kind."""
    found, wanted = type_of(value), assignment.target.tensor.type
    order = "buifc"
    if order.index(found.kind) > order.index(wanted.kind):
        raise AssignmentTypeError(
            f"`{assignment}`: the right side is {found.concrete}, {assignment.target.tensor} is {wanted}",
            loc=assignment.loc,
        )


def _divisors(node: Expr, extents: dict[str, int]) -> None:
    for child in children(node):
        _divisors(child, extents)
    if isinstance(node, Apply) and node.op in ("truediv", "floordiv", "mod", "divide"):
        names = free(node)
        over = [_over(pattern(o, extents), free(o), names, extents) for o in node.operands]
        wrong = over[0] & ~over[1]
        if wrong.any():
            where = tuple(int(n) for n in np.argwhere(wrong)[0])
            raise DivisionError(
                f"`{node}`: a division by a known zero, at {', '.join(f'{n} = {p}' for n, p in zip(names, where))}",
                loc=node.loc,
            )


def _within(assignment: Assignment, zeros: Pattern, extents: dict[str, int]) -> None:
    """What the target knows to be zero, the value is."""
    target = assignment.target
    if target.tensor.pattern is None:
        return
    wrong = zeros.mask & ~pattern(target, extents).mask
    if wrong.any():
        where = tuple(int(n) for n in np.argwhere(wrong)[0])
        raise AssignmentTypeError(
            f"`{assignment}`: the right side may be other than zero at {where}, where {target.tensor} has a known zero",
            loc=assignment.loc,
        )
