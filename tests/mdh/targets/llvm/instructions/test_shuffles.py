"""Shuffles of a transposition are kept as they are: LLVM does not look for shorter ways through all of its steps."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from jitmdh.base.dtype import ScalarType, float32, float64, int32
from jitmdh.mdh.kernel.ir import Literal, Merge, Name, Splat, Value
from jitmdh.mdh.targets.llvm.instructions.shuffles import merged


def written(left: Value, right: Value) -> tuple[list[str], set[str]]:
    lines: list[str] = []
    declarations: set[str] = set()

    def emit(text: str) -> str:
        lines.append(text)
        return f"%{len(lines)}"

    f: Any = SimpleNamespace(emit=emit, typed=lambda node: "v", module=SimpleNamespace(declarations=declarations))
    assert merged(f, Merge(left, right, (0, left.lanes) * (left.lanes // 2))) == f"%{len(lines)}"
    return lines, declarations


@pytest.mark.parametrize(("type", "lanes", "kept"), [
    (float32, 16, True), (float64, 8, True), (float32, 8, False), (float64, 4, False), (int32, 16, False),
])  # fmt: skip
def test_long_vectors_of_floats_are_kept(type: ScalarType, lanes: int, kept: bool) -> None:
    lines, declarations = written(Name("a", type, lanes), Name("b", type, lanes))
    assert [line.split()[0] for line in lines] == ["shufflevector", *(["call"] if kept else [])]
    assert any("llvm.arithmetic.fence" in d for d in declarations) == kept
    nothing = Splat(Literal(0, type), type, lanes)
    assert len(written(Name("a", type, lanes), nothing)[0]) == 1, "constants may well be looked through"
