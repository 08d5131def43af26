"""A helper process in which every second candidate is broken: by what is put before the first of its instructions."""

from __future__ import annotations

from typing import Any

from jitmdh.base.status import Status
from jitmdh.jit.execution.native_call import BACKEND
from jitmdh.jit.online import helper_main

SPIN = 'br label %spin\nspin:\n  call void asm sideeffect "", ""()\n  br label %spin'
HOG = f"""%block = call ptr @jitmdh_scratch_acquire(i64 8589934592)
  %none = icmp eq ptr %block, null
  br i1 %none, label %give_up, label %touch
give_up:
  ret i64 {int(Status.OUT_OF_MEMORY)}
touch:
  %at = phi i64 [ 0, %begin ], [ %next, %touch ]
  %place = getelementptr i8, ptr %block, i64 %at
  store volatile i8 1, ptr %place
  %next = add i64 %at, 4096
  %more = icmp slt i64 %next, 8589934592
  br i1 %more, label %touch, label %done
done:
  ret i64 0"""
BREAKS = {
    "wrong": "ret i64 0",
    "fails": f"ret i64 {int(Status.DIVISION_BY_ZERO)}",
    "segfault": "store volatile i64 1, ptr inttoptr (i64 8 to ptr)\n  ret i64 0",
    "illegal instruction": "call void @llvm.trap()\n  unreachable",
    "abort": "call void @abort()\n  unreachable",
    "spins": SPIN,
    "sleeps": "%woken = call i32 @pause()\n  ret i64 0",
    "hog": HOG,
    "dies": None,  # the helper itself, while it compiles
}
DECLARED = "declare void @llvm.trap()\ndeclare void @abort()\ndeclare i32 @pause()\n"


def program(kind: str) -> str:
    """What such a helper executes."""
    return f"from tests.jit.online.broken_helper import serve; serve({kind!r}, {{end}})"


def serve(kind: str, end: int) -> None:
    honest, count = type(BACKEND).compiled, [0]

    def compiled(self: Any, text: str) -> bytes:
        count[0] += 1
        if count[0] % 2:
            return honest(self, broken(text, kind))
        return honest(self, text)

    type(BACKEND).compiled = compiled  # type: ignore[method-assign]
    helper_main.serve(end)


def broken(text: str, kind: str) -> str:
    code = BREAKS[kind]
    if code is None:
        import os

        os.abort()
    begin = text.index("define i64 @kernel(")
    at = text.index("{\n", begin) + 2
    assert text[at:].startswith("entry:")
    return f"{text[:at]}begin:\n  {code}\n{text[at:]}\n{DECLARED}"
