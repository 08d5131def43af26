"""How the known zeros of each operand are left out: the values of the tuning parameter `pattern`, one for each operand.

    unrolled   sums are written out: the terms at known zeros are not in the code
    blocks     a nest for each part of the results, over the range of terms that holds the non-zeros of this part
    box        one nest, over the range of terms that holds all non-zeros; masked inside
    loop       one nest over compressed rows: as many terms as the longest has, whose positions come from a table

Operands are tensors. What no value is given for is done as the model says; so is what a value cannot be had for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain

from jitmdh.mdh.frontend.tensor.masks import RangeOf, Ranges, boxes, mask_tensor, points_in, smallest_box
from jitmdh.mdh.frontend.tensor.notation.expr import Element, Expr, Tensor, Total
from jitmdh.mdh.frontend.tensor.scalar_functions import type_of
from jitmdh.mdh.frontend.tensor.written_out import masks_of_terms
from jitmdh.mdh.tensor.pattern import Pattern
from jitmdh.mdh.tensor.vectors import Vectors

VALUES = ("unrolled", "blocks", "box", "loop")


class Operands:
    """The masks of a program's operands, what is said of them, and what becomes of it."""

    def __init__(self, said: Mapping[str, str], new: Callable[[str], str]) -> None:
        """said: one of `VALUES` by the names of tensors. new: a name that nothing has, from how it begins."""
        self._said, self._new = said, new
        self._masks: dict[tuple[Pattern, str | None], Tensor] = {}
        self._names: dict[str, dict[str, None]] = {}  # of operands, by masks
        self._values: dict[str, str] = {}  # by masks
        self._found: dict[str, str] = {}  # by masks

    def __bool__(self) -> bool:
        """Whether there is any mask."""
        return bool(self._masks)

    def mask(self, zeros: Pattern, factor: Expr | None = None) -> Tensor:
        """The mask of a factor's known zeros; operands with the same zeros, and of which the same is said, share it."""
        name = factor.tensor.name if isinstance(factor, Element) else None
        value = None if name is None else self._said.get(name)
        key = zeros, value
        if key not in self._masks:
            self._masks[key] = mask_tensor(self._new("mask"), zeros)
        mask = self._masks[key]
        if name is not None:
            self._names.setdefault(mask.name, {})[name] = None
        if value is not None:
            self._values[mask.name] = value
        return mask

    def said(self, mask: Expr) -> str | None:
        """What is said of the operands that a mask is of; None: nothing."""
        return self._values.get(mask.tensor.name) if isinstance(mask, Element) else None

    @property
    def in_loops(self) -> Collection[str]:
        """The names of the masks of which "loop" is said."""
        return [name for name, value in self._values.items() if value == "loop"]

    def note(self, mask: str, value: str) -> None:
        """That sums leave a mask's zeros out in this way, somewhere; what takes the place of "box" counts alone."""
        if self._found.get(mask) in (None, "box"):
            self._found[mask] = value

    def unrolled(self, masks: Iterable[Iterable[str]]) -> None:
        """That sums with these masks are written out."""
        for mask in chain.from_iterable(masks):
            self._found[mask] = "unrolled"

    def compressed(self, masks: Iterable[str]) -> None:
        """That there are sums over compressed rows by these masks."""
        for mask in masks:
            self._found[mask] = "loop"

    @property
    def found(self) -> dict[str, str]:
        """For each operand whose zeros sums leave out how that is done; where it is done in several ways, that which
        comes first in `VALUES`."""
        return {name: value for mask, value in self._found.items() for name in self._names.get(mask, ())}


def in_boxes(
    main: Total | None, names: Sequence[str], range_of: RangeOf, operands: Operands, vectors: Vectors
) -> list[Ranges]:  # fmt: skip
    """The parts in which the sum that a nest over `names` computes has few terms, by the masks of its terms: by what is
    said of these, then by the one that leaves the fewest terms."""
    masks = masks_of_terms(main) if main is not None and main.operator == "add" else []
    for mask, _ in masks:
        operands.note(mask.tensor.name, "box")
    found = [(mask, known) for mask, known in masks if len(known[0]) == 2]
    if main is None or not found or any(operands.said(mask) == "loop" for mask, _ in masks):
        return [{}]
    lanes = vectors.lanes(type_of(main.body).concrete)
    parts = [boxes(known, names, main.names, range_of, lanes, vectors.half) for _, known in found]
    said = [operands.said(mask) not in ("blocks", "box") for mask, _ in found]
    least = min(range(len(found)), key=lambda n: (said[n], points_in(parts[n], range_of)))
    mask, known = found[least]
    if operands.said(mask) == "box":
        return smallest_box(known, names, main.names, range_of)
    if len(parts[least]) > 1:
        operands.note(mask.tensor.name, "blocks")
    return parts[least]
