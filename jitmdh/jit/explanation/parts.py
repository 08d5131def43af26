"""What a report of `f.explain(…)` is made of."""

from __future__ import annotations

from jitmdh.base.records import dataclass


@dataclass(frozen=True, slots=True)
class ReportRow:
    """One line: what it is about, what is said about it; depth: of loops around."""

    subject: str
    text: str
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Section:
    title: str
    rows: tuple[ReportRow, ...]


@dataclass(frozen=True, slots=True)
class Roof:
    """What the machine can do at most: flop/s, and bytes/s where the data of the call are at home."""

    flops_per_second: float
    bytes_per_second: float
