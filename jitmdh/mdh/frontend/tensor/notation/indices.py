"""The subscripts of a tensor in a formula: `"kl"`, `"elem k p"`, `"...ij"`, `"n c (h+a) (w+b)"`, or a tuple of indices
and numbers.

Each axis has an affine expression of named indices. A name alone stands for all positions of its axis.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from jitmdh.base.errors import ArgumentTypeError, ArgumentValueError
from jitmdh.base.records import dataclass
from jitmdh.base.source import Loc
from jitmdh.mdh.algebra.index import Affine, as_affine

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_TERM = re.compile(r"([+-]?)(?:(\d+)\*)?([A-Za-z][A-Za-z0-9]*|\d+)")


@dataclass(frozen=True, slots=True)
class Index:
    """An index by name, `Q[elem, k]`; sums and multiples of indices and integers are indices of an axis, too."""

    name: str

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not _NAME.fullmatch(self.name):
            raise ArgumentValueError(f"index({self.name!r}): a name is a letter, then letters and digits")

    def __add__(self, other: Index | Affine | int) -> Affine:
        return affine(self) + affine(other)

    __radd__ = __add__

    def __sub__(self, other: Index | Affine | int) -> Affine:
        return affine(self) - affine(other)

    def __mul__(self, factor: int) -> Affine:
        return affine(self) * factor

    __rmul__ = __mul__

    def __str__(self) -> str:
        return self.name


def affine(value: Index | Affine | int) -> Affine:
    """An index, or an integer, as an affine expression."""
    return Affine.of(value.name) if isinstance(value, Index) else as_affine(value)


def parse(given: object, rank: int, tensor: str, loc: Loc | None = None) -> tuple[Affine, ...]:
    """The subscript of each axis.

    ArgumentValueError where their number is not `rank`, ArgumentTypeError for other things.

    >>> [str(a) for a in parse("n (h+a) (2*w-1)", 3, "I")]
    ['n', 'a + h', '2*w - 1']
    >>> [str(a) for a in parse("...k", 3, "Q")]
    ['dots2', 'dots1', 'k']
    """
    if isinstance(given, str):
        axes = _of_text(given, rank, tensor, loc)
    else:
        axes = [_of_object(part, tensor, loc) for part in (given if isinstance(given, tuple) else (given,))]
    if len(axes) != rank:
        said = f'"{given}"' if isinstance(given, str) else ", ".join(map(str, axes))
        raise ArgumentValueError(
            f"{tensor}[{said}]: {tensor} has {rank} axes, the subscripts {len(axes)}", loc=loc, hint=_HINT
        )
    return tuple(axes)


_HINT = 'one letter for each axis, "ij"; longer names apart, "elem k"'


def _of_object(part: object, tensor: str, loc: Loc | None) -> Affine:
    if isinstance(part, Index | Affine) or (isinstance(part, int) and not isinstance(part, bool)):
        return affine(part)
    if isinstance(part, str) and _NAME.fullmatch(part):
        return Affine.of(part)
    raise ArgumentTypeError(f"{tensor}[…]: {part!r} is no index", loc=loc, hint=_HINT)


def _of_text(text: str, rank: int, tensor: str, loc: Loc | None) -> list[Affine]:
    parts = _parts(text, tensor, loc)
    if parts.count("...") > 1:
        raise ArgumentValueError(f'{tensor}["{text}"]: more than one `...`', loc=loc)
    missing = max(0, rank - (len(parts) - 1))
    axes: list[Affine] = []
    for part in parts:
        if part == "...":
            axes += [Affine.of(f"dots{n}") for n in range(missing, 0, -1)]
        else:
            axes.append(_sum_of(part, text, tensor, loc))
    return axes


def _parts(text: str, tensor: str, loc: Loc | None) -> list[str]:
    """One piece of `text` for each axis: names between spaces if there are any, else letters; sums in parentheses."""
    pieces = re.findall(r"\.\.\.|\([^()]*\)|[^\s()]+?(?=\.\.\.|[\s(]|$)", text)
    if "".join(pieces) != re.sub(r"\s+(?![^()]*\))", "", text):
        raise ArgumentValueError(f'{tensor}["{text}"]: parentheses do not match', loc=loc)
    apart = bool(re.search(r"\s(?![^()]*\))", text.strip()))
    return [p for piece in pieces for p in ([piece] if apart or piece[0] in ".(" else [*piece])]


def _sum_of(part: str, text: str, tensor: str, loc: Loc | None) -> Affine:
    body = part.strip("()").replace(" ", "")
    terms = list(_TERM.finditer(body))
    if not terms or "".join(t.group() for t in terms) != body or (part[0] != "(" and not _NAME.fullmatch(part)):
        raise ArgumentValueError(f'{tensor}["{text}"]: `{part}` is no index', loc=loc, hint=_HINT)
    total = Affine()
    for sign, factor, what in (t.groups() for t in terms):
        value = as_affine(int(what)) if what.isdigit() else Affine.of(what)
        total = total + value * (int(factor or 1) * (-1 if sign == "-" else 1))
    return total


def names(subscripts: Sequence[Affine]) -> tuple[str, ...]:
    """The indices in subscripts, each once, in the order of axes."""
    return tuple(dict.fromkeys(name for axis in subscripts for name in axis.names))
