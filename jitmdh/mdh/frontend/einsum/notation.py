"""einsum's notation, with NumPy's rules: what a subscripts string (or sublists) says about some operands.

`"...ij,jk"` for operands of 3 and 2 dimensions says: operand 0 has axes (e0, i, j), operand 1 (j, k), the result
(e0, i, k). Axes under an ellipsis are labelled e0, e1, … from the left, so that they match from the right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from operator import index
from string import ascii_letters, ascii_lowercase, ascii_uppercase
from typing import Any

from jitmdh.base.errors import ArgumentTypeError, ArgumentValueError
from jitmdh.base.records import dataclass

# The letters that the numbers of sublists stand for; sorted like the numbers.
_NUMBERED = ascii_uppercase + ascii_lowercase


@dataclass(frozen=True, slots=True)
class Subscripts:
    """The label of each axis of each operand, and those of the result."""

    inputs: tuple[tuple[str, ...], ...]
    output: tuple[str, ...]

    def __str__(self) -> str:
        """
        >>> str(parse("ij,jk", (2, 2)))
        'i j, j k -> i k'
        """
        return f"{', '.join(' '.join(labels) for labels in self.inputs)} -> {' '.join(self.output)}".rstrip()

    @property
    def summed(self) -> tuple[str, ...]:
        """Labels that the result does not have, in order of appearance."""
        every = dict.fromkeys(label for labels in self.inputs for label in labels)
        return tuple(label for label in every if label not in self.output)


@lru_cache(maxsize=1024)
def parse(text: str, ranks: tuple[int, ...]) -> Subscripts:
    """What `text` says about operands with `ranks` dimensions. ArgumentValueError, a ValueError, if it is wrong.

    >>> parse("ii", (2,))
    Subscripts(inputs=(('i', 'i'),), output=())
    >>> parse("...j,j->...", (3, 1)).output
    ('e0', 'e1')
    """
    left, arrow, right = text.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(ranks):
        raise ArgumentValueError(f"einsum: subscripts `{text}` are for {len(terms)} operands, got {len(ranks)}")
    pieces = [_letters(term, f"of operand {n}") for n, term in enumerate(terms)]
    hidden = [_hidden(term, rank, n) for n, (term, rank) in enumerate(zip(pieces, ranks))]
    depth = max(hidden, default=0)
    inputs = tuple(_expanded(term, depth, count) for term, count in zip(pieces, hidden))
    if arrow:
        output = _output(_letters(right, "of the result"), depth, inputs)
    else:
        counts = Counter(label for labels in inputs for label in labels if len(label) == 1)
        once = sorted(label for label, count in counts.items() if count == 1)
        output = (*_under_ellipsis(depth, depth), *once)
    return Subscripts(inputs, output)


def _letters(term: str, where: str) -> tuple[str, ...]:
    """The letters of a term; "..." stays one piece."""
    pieces: list[str] = []
    rest = term
    while rest:
        piece = "..." if rest.startswith("...") else rest[0]
        if piece == "..." and piece in pieces:
            raise ArgumentValueError(f"einsum: the subscripts {where}, `{term}`, have more than one ellipsis")
        if piece != "..." and piece not in ascii_letters:
            what = "`.` is not part of an ellipsis" if piece == "." else f"`{piece}` is no letter"
            raise ArgumentValueError(f"einsum: in the subscripts {where}, `{term}`, {what}")
        pieces.append(piece)
        rest = rest[len(piece) :]
    return tuple(pieces)


def _hidden(pieces: tuple[str, ...], rank: int, number: int) -> int:
    """How many axes the ellipsis of an operand stands for."""
    named = len(pieces) - ("..." in pieces)
    facts = f"einsum: operand {number} has {rank} dimensions, its subscripts name {named}"
    if named > rank:
        raise ArgumentValueError(facts)
    if named < rank and "..." not in pieces:
        raise ArgumentValueError(facts, hint="put `...` where the others are")
    return rank - named


def _under_ellipsis(depth: int, count: int) -> tuple[str, ...]:
    return tuple(f"e{n}" for n in range(depth - count, depth))


def _expanded(pieces: tuple[str, ...], depth: int, count: int) -> tuple[str, ...]:
    labels: list[str] = []
    for piece in pieces:
        labels += _under_ellipsis(depth, count) if piece == "..." else [piece]
    return tuple(labels)


def _output(pieces: tuple[str, ...], depth: int, inputs: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    known = {label for labels in inputs for label in labels}
    for piece in pieces:
        if pieces.count(piece) > 1:
            raise ArgumentValueError(f"einsum: the result has subscript `{piece}` more than once")
        if piece != "..." and piece not in known:
            raise ArgumentValueError(f"einsum: the result has subscript `{piece}`, which no operand has")
    if depth and "..." not in pieces:
        raise ArgumentValueError("einsum: operands have an ellipsis, the result has none")
    return _expanded(pieces, depth, depth)


def from_sublists(arguments: Sequence[Any]) -> tuple[str, list[Any]]:
    """`(a, [0, 1], b, [1, 2], [0, 2])` as a subscripts string and the operands.

    >>> from_sublists(["a", [0, 1], "b", [1, ...], [0, ...]])
    ('AB,B...->A...', ['a', 'b'])
    """
    rest = list(arguments)
    operands, terms = [], []
    while len(rest) >= 2:
        operands.append(rest.pop(0))
        terms.append(_sublist(rest.pop(0)))
    text = ",".join(terms)
    if not operands:
        raise ArgumentValueError("einsum: expected operands, each with its subscripts")
    return (f"{text}->{_sublist(rest[0])}" if rest else text), operands


def _sublist(items: Any) -> str:
    if isinstance(items, str) or not hasattr(items, "__iter__") or getattr(items, "ndim", 1) == 0:
        raise ArgumentTypeError(f"einsum: expected a list of subscripts, got {type(items).__name__}")
    text = ""
    for item in items:
        if item is Ellipsis:
            text += "..."
            continue
        try:
            number = -1 if isinstance(item, bool) else index(item)
        except TypeError:
            number = -1
            item = None
        if isinstance(item, bool) or item is None:
            raise ArgumentTypeError("einsum: each subscript must be an integer or an ellipsis")
        if not 0 <= number < len(_NUMBERED):
            raise ArgumentValueError(f"einsum: subscript {number} is not in [0, {len(_NUMBERED)})")
        text += _NUMBERED[number]
    return text


# -------------------------------------------------------------------------------------------------------- extents


def extents(subscripts: Subscripts, shapes: Sequence[tuple[int, ...]]) -> dict[str, int]:
    """The extent of each label; an axis of extent 1 fits any. ArgumentValueError where axes do not fit.

    >>> extents(parse("ij,jk", (2, 2)), [(2, 1), (5, 3)])
    {'i': 2, 'j': 5, 'k': 3}
    """
    found: dict[str, int] = {}
    for number, (labels, shape) in enumerate(zip(subscripts.inputs, shapes)):
        own: dict[str, int] = {}
        for label, extent in zip(labels, shape):
            if own.setdefault(label, extent) != extent:
                facts = f"subscript {label} stands for axes of extent {own[label]} and {extent}"
                raise ArgumentValueError(f"einsum: operand {number}: {facts}")
        for label, extent in own.items():
            before = found.get(label, 1)
            if 1 not in (before, extent) and before != extent:
                facts = f"subscript {label} has extent {extent} in operand {number}, {before} before"
                raise ArgumentValueError(f"einsum: operands do not fit: {facts}")
            found[label] = extent if before == 1 else before
    return found


def stretched(
    subscripts: Subscripts, shapes: Sequence[tuple[int, ...]], sizes: dict[str, int]
) -> tuple[tuple[bool, ...], ...]:
    """For each axis of each operand whether its one element stands for all of the label's extent."""
    return tuple(
        tuple(extent == 1 != sizes[label] for label, extent in zip(labels, shape))
        for labels, shape in zip(subscripts.inputs, shapes)
    )
