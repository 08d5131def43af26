"""All targets by the name that users give. A new one is a package beside this file and a row here.

Its back end (driver, loading, calls) is a row of `jitmdh.jit.compilation.backend`.
"""

from __future__ import annotations

import functools
import importlib
from typing import TYPE_CHECKING

from jitmdh.base.records import dataclass

if TYPE_CHECKING:
    from jitmdh.mdh.targets.target import Target


@dataclass(frozen=True, slots=True)
class Row:
    """module: has the target as `TARGET`, and is imported when it is first used. stages: of its text, for `inspect`."""

    module: str
    stages: tuple[str, ...]


DEFAULT = "cpu"
TARGETS: dict[str, Row] = {
    "cpu": Row("jitmdh.mdh.targets.llvm.target", ("llvm", "asm")),
    "opencl": Row("jitmdh.mdh.targets.opencl.target", ("opencl",)),
    "cuda": Row("jitmdh.mdh.targets.cuda.target", ("cuda",)),
}
SHARED_STAGES = ("trace", "mdh", "lowlevel", "table", "kernel")
"""Stages of the compiler before its text, the same for all targets."""


@functools.cache
def find(name: str) -> Target:
    target: Target = importlib.import_module(TARGETS[name].module).TARGET
    return target


def stages() -> tuple[str, ...]:
    """The names of all stages that a program can be looked at."""
    return (*SHARED_STAGES, *(stage for row in TARGETS.values() for stage in row.stages))


def is_shared(stage: str) -> bool:
    """Whether a stage comes before the text of a target: one of all, or kernel IR after a pass ("kernel@fma")."""
    return stage.partition("@")[0] in SHARED_STAGES


def with_stage(stage: str, name: str) -> str:
    """The target whose stage is meant by a user of target `name`: this one, unless only another has the stage.

    >>> with_stage("kernel", "opencl"), with_stage("opencl", "cpu")
    ('opencl', 'opencl')
    """
    if is_shared(stage) or stage in TARGETS[name].stages:
        return name
    return next(other for other, row in TARGETS.items() if stage in row.stages)
