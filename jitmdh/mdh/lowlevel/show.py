"""How the low-level representation looks in print: the three phases of the thesis's Figure 21, from top to bottom.

Knows text only, no nodes: the nodes' `__str__` hand their parts to these functions.
"""

from __future__ import annotations

from collections.abc import Sequence

from jitmdh.base.text import columns, indent
from jitmdh.mdh.lowlevel.layout import PADDING, next_block, whole

WAYS = {"core": "cores", "loop": "loop", "unroll": "unrolled", "lane": "lanes", "block": "blocks", "thread": "threads"}


def operator(combine: str, layer: str, dim: str) -> str:
    """A combine operator with its tag (Definition 16).

    >>> operator("++", "L2", "i")
    '++^(L2,i)'
    """
    return f"{combine}^({layer},{dim})"


def parts(size: int, way: str) -> tuple[str, str]:
    """How many elements the parts of a level have and who takes them.

    >>> parts(8, "loop"), parts(0, "core")
    (('parts of 8', 'loop'), ('even parts', 'cores'))
    """
    if size < 0:
        return f"{-size} even parts for each core", WAYS[way]
    return (f"parts of {size}" if size else "even parts"), WAYS[way]


def layout(rank: int, digits: Sequence[tuple[int, int]]) -> str:
    """Axes from slow to fast, counted from 1; `1/8` counts blocks of 8 along axis 1, `1%8` steps inside one, `+4` is
    padding.

    >>> layout(2, ((1, 1), (0, 1))), layout(2, ((0, 8), (1, 1), (0, 1))), layout(2, ())
    ('[2, 1]', '[1/8, 2, 1%8]', '[1, 2]')
    >>> layout(2, ((0, 1), (-1, 4), (1, 1)))
    '[1, +4, 2]'
    """
    shown = []
    for axis, block in whole(tuple(digits), rank):
        larger = next_block(tuple(digits), axis, block)
        text = f"{axis + 1}" + (f"%{larger}" if larger else "") + (f"/{block}" if block > 1 else "")
        shown.append(f"+{block}" if axis == PADDING else text)
    return f"[{', '.join(shown)}]"


def region(buffer: str, name: str, places: str) -> str:
    """Where a phase reads a buffer from or writes it to.

    >>> region("M", "L2", "[1, 2]")
    '→ M: L2[1, 2]'
    """
    return f"→ {buffer}: {name}{places}"


def phases(
    name: str,
    before: Sequence[str],
    down: Sequence[Sequence[str]],
    scalar: str,
    up: Sequence[Sequence[str]],
    after: Sequence[str],
) -> str:
    """The whole: rows of (operator, parts, who, regions) for the way down and (operator, regions) for the way up."""
    descent = columns([("↓ " + row[0], *row[1:]) for row in down])
    ascent = columns([("↑ " + row[0], *row[1:]) for row in up])
    body = "\n".join([*before, *filter(None, [descent]), f"f {scalar}", *filter(None, [ascent]), *after])
    return f"{name} =\n" + indent(body)
