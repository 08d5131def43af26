"""Indentation and alignment for printers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

INDENT = "  "


def indent(text: str, levels: int = 1) -> str:
    """`text` with every non-empty line moved right by `levels`.

    >>> indent("a\\n\\nb")
    '  a\\n\\n  b'
    """
    return "\n".join(INDENT * levels + line if line else line for line in text.split("\n"))


def hang(head: str, body: str) -> str:
    """`head` followed by `body`, whose further lines are aligned under its first.

    >>> print(hang("w = ", "a +\\nb"))
    w = a +
        b
    """
    return head + body.replace("\n", "\n" + " " * len(head))


def columns(rows: Iterable[Sequence[str]], gap: str = "  ") -> str:
    """Rows of cells as a table: every column as wide as its widest cell, no trailing blanks.

    >>> print(columns([("i", "++"), ("key", "pw(add)")]))
    i    ++
    key  pw(add)
    """
    cells = [tuple(row) for row in rows]
    count = max((len(row) for row in cells), default=0)
    widths = [max((len(row[i]) for row in cells if i < len(row)), default=0) for i in range(count)]
    return "\n".join(gap.join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in cells)


def listing(items: Iterable[object], last: str = "and") -> str:
    """Items as an English enumeration.

    >>> listing(["i", "j", "k"])
    'i, j and k'
    """
    words = [str(item) for item in items]
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def duration(seconds: float) -> str:
    """Seconds in the unit that suits them, with three digits.

    >>> duration(0.00012345), duration(0.5), duration(83.2), duration(4000)
    ('123 µs', '500 ms', '83.2 s', '1.1 h')
    """
    if seconds >= 3600:
        return f"{seconds / 3600:.1f} h"
    if seconds >= 600:
        return f"{seconds / 60:.0f} min"
    for factor, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= factor:
            return f"{three_digits(seconds / factor)} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def three_digits(number: float) -> str:
    """
    >>> three_digits(1.2345), three_digits(12.345), three_digits(1234.5), three_digits(1234567)
    ('1.23', '12.3', '1234', '1,234,567')
    """
    if number >= 10_000:
        return f"{number:,.0f}"
    return f"{number:.0f}" if number >= 100 else f"{number:.1f}" if number >= 10 else f"{number:.2f}"


def amount(number: float, unit: str) -> str:
    """A count with a decimal prefix.

    >>> amount(4_210_000, "flop"), amount(512, "B"), amount(33.1e9, "B/s")
    ('4.21 Mflop', '512 B', '33.1 GB/s')
    """
    for factor, prefix in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(number) >= factor:
            return f"{three_digits(number / factor)} {prefix}{unit}"
    return f"{number:.0f} {unit}"


class BlockWriter:
    """Collects lines of a block-structured text.

    >>> out = BlockWriter()
    >>> out.line("for i:")
    >>> with out.block():
    ...     out.line("w[i] = 0")
    >>> print(out)
    for i:
      w[i] = 0
    """

    def __init__(self, step: str = INDENT) -> None:
        self._lines: list[str] = []
        self._step, self._depth = step, 0

    def line(self, text: str = "") -> None:
        """Appends `text`, which may have several lines, at the current depth."""
        prefix = self._step * self._depth
        self._lines.extend(prefix + part if part else part for part in text.split("\n"))

    def block(self) -> BlockWriter:
        """A context manager: lines written inside stand one level deeper."""
        return self

    def __enter__(self) -> BlockWriter:
        self._depth += 1
        return self

    def __exit__(self, *exception: object) -> None:
        self._depth -= 1

    def __str__(self) -> str:
        return "\n".join(self._lines)
