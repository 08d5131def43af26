"""Extents that come with the call: `size("n")`.

A size that is open stands for any extent. Until arrays say which, it counts as a number of its own, a prime that no
other size has, so that formulas are checked and ordered as for all other extents.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import count

from jitmdh.base.calling.entry import entry
from jitmdh.base.errors import ArgumentValueError
from jitmdh.mdh.frontend.tensor.notation.places import place

_FIRST = 53  # small, since patterns are computed at it; larger than most extents that are written as numbers
_known: dict[str, int] = {}


class Size(int):
    """An extent with a name; as an integer what the call gives, or the prime that stands for it."""

    name: str
    is_open: bool

    def at(self, sizes: Mapping[str, int]) -> Size:
        """With the extent that `sizes` has for its name; without one, itself."""
        return self if self.name not in sizes else _made(self.name, sizes[self.name], False)

    def __str__(self) -> str:
        return self.name if self.is_open else int.__repr__(self)

    def __repr__(self) -> str:
        return f"size({self.name!r})" if self.is_open else int.__repr__(self)

    def __reduce__(self) -> tuple[object, ...]:
        return _made, (self.name, int(self), self.is_open)


@entry
def size(name: str) -> Size:
    """An extent that is given with each call, by the arrays that have it: `Tensor("A", (size("n"), 9))`.

    One name is one extent everywhere in a kernel. ArgumentValueError for what is no name.
    """
    if not isinstance(name, str) or not name.isidentifier():
        raise ArgumentValueError(f"size({name!r}): a name is one that Python allows", loc=place())
    if name not in _known:
        taken = _known.values()
        _known[name] = next(n for n in count(_FIRST, 2) if n not in taken and all(n % d for d in range(3, n, 2)))
    return _made(name, _known[name], True)


def _made(name: str, value: int, is_open: bool) -> Size:
    found = Size(value)
    found.name, found.is_open = name, is_open
    return found


def is_open(extents: Iterable[int]) -> bool:
    """Whether one of them is not known before the call."""
    return any(isinstance(e, Size) and e.is_open for e in extents)


def plain(extents: Sequence[int]) -> tuple[int, ...]:
    """The extents as numbers without names."""
    return tuple(map(int, extents))
