"""Names of a kernel: each once, whatever the hints."""

from __future__ import annotations

from jitmdh.mdh.codegen.context.scope import Scope


def test_hints_that_look_like_numbered_names() -> None:
    scope = Scope(None)  # type: ignore[arg-type]
    names = [scope.fresh(hint) for hint in "t t t_1 t t_1 t_2 u_1 u u u_1 1 x[0]".split()]
    assert len(set(names)) == len(names)
    assert names[:3] == ["t", "t_1", "t_1_1"]
