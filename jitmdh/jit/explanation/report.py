"""What `f.explain(…)` returns: a report as data, as text, and as a table for notebooks."""

from __future__ import annotations

import html
from dataclasses import dataclass
from pathlib import Path

from jitmdh.base.text import INDENT


@dataclass(frozen=True, slots=True)
class Row:
    """One line: what it is about, what is said about it; depth: of loops around."""

    subject: str
    text: str
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Section:
    title: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Explanation:
    """A report on one function for one call.

    flops, bytes: what the call has to do and to move at least; seconds: measured; limit_seconds: the least this machine
    could take, bound by `limit`, "flops" or "memory". None where it was not asked for or cannot be known.
    """

    title: str
    sections: tuple[Section, ...]
    flops: float | None = None
    bytes: int | None = None
    seconds: float | None = None
    limit_seconds: float | None = None
    limit: str | None = None
    pictures: tuple[tuple[str, str], ...] = ()
    """A caption and SVG each: what a call took while it was tuned, switches marked."""

    @property
    def share(self) -> float | None:
        """The part of this machine's limit that is reached, 0 to about 1."""
        if not self.seconds or self.limit_seconds is None:
            return None
        return self.limit_seconds / self.seconds

    def __str__(self) -> str:
        lines = [self.title]
        for section in self.sections:
            lines += ["", section.title]
            lines += [
                INDENT * (1 + row.depth) + f"{row.subject}: {row.text}".removeprefix(": ") for row in section.rows
            ]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """A table; everything that comes from the user's program is escaped."""
        cell = 'style="text-align: left; vertical-align: top"'
        lines = ["<table>", f'<caption style="text-align: left"><b>{html.escape(self.title)}</b></caption>']
        for section in self.sections:
            lines.append(f'<tr><th colspan="2" {cell}>{html.escape(section.title)}</th></tr>')
            for row in section.rows:
                subject = "&emsp;" * row.depth + html.escape(row.subject)
                lines.append(f"<tr><td {cell}>{subject}</td><td {cell}>{html.escape(row.text)}</td></tr>")
        lines.append("</table>")
        for caption, picture in self.pictures:
            lines.append(f"<figure><figcaption>{html.escape(caption)}</figcaption>{picture}</figure>")
        return "\n".join(lines)

    def report(self, path: str | Path) -> Path:
        """Writes it as an HTML page without dependencies; returns where it is."""
        title = html.escape(self.title.partition("\n")[0])
        head = f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>'
        Path(path).write_text(f"{head}<body>{self._repr_html_()}</body></html>\n", encoding="utf-8")
        return Path(path)
