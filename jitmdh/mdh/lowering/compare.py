"""Two nests beside each other, what differs marked: as text, and as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from html import escape
from textwrap import wrap

from jitmdh.base.calling.entry import entry
from jitmdh.base.errors import ScheduleError
from jitmdh.base.records import dataclass
from jitmdh.mdh.lowering.nest.nest import Nest
from jitmdh.mdh.lowlevel.draw import LETTER, STYLE, WIDTH, Canvas

_SIZE, _ROW, _MARGIN, _MIDDLE = 11, 16, 12, WIDTH // 2
_COMMENT = "//\N{NO-BREAK SPACE}"
_FEWEST = 16  # letters of a line, however far it stands in

_ROOM = _MIDDLE - 2 * _MARGIN

Row = tuple[str, str, bool]
"""A line of the one, a line of the other, whether they are the same."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Lines of two nests, row by row: `str(comparison)` is text, in a notebook it is a picture.

    Lines that differ have `|` between them in the text, a frame in the picture.
    """

    name: str
    rows: tuple[Row, ...]

    @property
    def same(self) -> bool:
        """Whether nothing differs."""
        return all(same for _, _, same in self.rows)

    def __str__(self) -> str:
        width = max((len(left) for left, _, _ in self.rows), default=0)
        lines = (f"{left:{width}} {' ' if same else '|'} {right}".rstrip() for left, right, same in self.rows)
        return "\n".join(lines)

    @property
    def svg(self) -> str:
        """SVG text, in one self-contained piece."""
        canvas, y = Canvas(), _MARGIN
        for left, right, same in self.rows:
            columns = [(x, *_wrapped(text)) for x, text in ((_MARGIN, left), (_MIDDLE + _MARGIN, right))]
            height = _ROW * max(1, *(len(lines) for *_, lines in columns))
            if not same:
                canvas.begin(f"differs: {left.strip() or 'nothing'}, {right.strip() or 'nothing'}")
                canvas.box(_MARGIN / 2, y, WIDTH - _MARGIN, height - 1, "user")
            for x, inset, lines in columns:
                for n, line in enumerate(lines):
                    at = inset + (2 * LETTER * _SIZE if n else 0)
                    canvas.text(x + at, y + n * _ROW + _SIZE, line, _ROOM - at, size=_SIZE, kind="soft" if same else "")
            if not same:
                canvas.end()
            y += height
        height = y + _MARGIN
        title = escape(f"Two nests of {self.name}", False)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="jitmdh" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
            f'role="img"><title>{title}</title><style>{STYLE}</style>'
            f'<rect class="paper" x="0" y="0" width="{WIDTH}" height="{height}"/>{"".join(canvas.parts)}</svg>'
        )

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        return self.svg


def _wrapped(text: str) -> tuple[float, list[str]]:
    """How far a line stands in, and what of it fits beside each other; what follows stands in further, by two letters.

    It stands in by half of what it does in the text, for room, and so far that some letters are left.
    """
    bare = text.lstrip(" ")
    letter = LETTER * _SIZE
    inset = min((len(text) - len(bare)) * letter / 2, _ROOM - _FEWEST * letter)
    lines = wrap(bare.replace("// ", _COMMENT), int((_ROOM - inset) / letter) - 2, break_on_hyphens=False)
    return inset, [line.replace(_COMMENT, "// ") for line in lines]


@entry
def compare(a: Nest, b: Nest) -> Comparison:
    """Two nests of one computation beside each other. ScheduleError if they are of different ones."""
    reason = a.computation.difference(b.computation)
    if reason is not None:
        raise ScheduleError(f"two nests of different computations are compared: {reason}")
    return Comparison(a.computation.name, _rows(str(a).split("\n"), str(b).split("\n")))


def _rows(a: Sequence[str], b: Sequence[str]) -> tuple[Row, ...]:
    """Lines side by side. A line that only stands further in, as what is inside of one more loop does, is the same."""
    found: list[Row] = []
    one, other = ([line.strip() for line in lines] for lines in (a, b))
    for kind, i, i_end, j, j_end in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        left, right = a[i:i_end], b[j:j_end]
        for n in range(max(len(left), len(right))):
            row = (left[n] if n < len(left) else "", right[n] if n < len(right) else "")
            found.append((*row, kind == "equal"))
    return tuple(found)
