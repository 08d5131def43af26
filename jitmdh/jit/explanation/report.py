"""What `f.explain(…)` returns: a report as data, as text, and as a page (`page`), which notebooks show, too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from pathlib import Path

from jitmdh.base.records import dataclass
from jitmdh.base.text import INDENT
from jitmdh.jit.explanation.listing import Line
from jitmdh.jit.explanation.parts import ReportRow, Roof, Section


def _no_stages() -> tuple[tuple[str, str], ...]:
    return ()


def _no_drawing() -> str:
    return ""


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
    listing: tuple[Line, ...] = ()
    """The source of the function, loops marked; empty where there is none."""
    roof: Roof | None = None
    stages: Callable[[], tuple[tuple[str, str], ...]] = field(default=_no_stages, compare=False)
    """Gives the name and text of each stage of compilation; asked when a page is made."""
    drawing: Callable[[], str] = field(default=_no_drawing, compare=False)
    """Gives the configuration as SVG, what `f.draw(…)` gives; asked when a page is made. Empty: there is none."""

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
        """What notebooks show. Everything that comes from the user's program is escaped."""
        from jitmdh.jit.explanation.page import body

        return body(self)

    def report(self, path: str | Path) -> Path:
        """Writes it as an HTML page without scripts or other files; returns where it is."""
        from jitmdh.jit.explanation.page import page

        Path(path).write_text(page(self), encoding="utf-8")
        return Path(path)


__all__ = ["Explanation", "ReportRow", "Roof", "Section"]
