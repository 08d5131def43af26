"""Lines that are put before others later."""

from __future__ import annotations

from jitmdh.mdh.targets.llvm.lines import Line, flat


def test_lines_before_others() -> None:
    before = list[Line]()
    lines: list[Line] = ["a", before, "c"]
    before.append("b")
    assert list(flat(lines)) == ["a", "b", "c"]
