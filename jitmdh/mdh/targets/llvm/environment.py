"""What a task uses from outside: found while the task is written, passed in an array of 8-byte slots."""

from __future__ import annotations

from typing import Protocol

from jitmdh.mdh.kernel.ir import Name
from jitmdh.mdh.targets.llvm.lines import Line


class BodyEmitter(Protocol):
    """A function in the making."""

    entry: list[Line]
    lines: list[Line]
    pointers: dict[str, str]
    variables: set[str]
    status: str

    def fresh(self, hint: str = "v") -> str: ...
    def emit(self, text: str, hint: str = "v") -> str: ...
    def do(self, text: str) -> None: ...
    def type(self, node: Name) -> str: ...
    def named(self, node: Name) -> str: ...


class Pointers(dict[str, str]):
    """Of a task's buffers by their names. Those from outside come in when they are asked for."""

    def __init__(self, environment: Environment) -> None:
        super().__init__()
        self.environment = environment

    def __missing__(self, buffer: str) -> str:
        found = self[buffer] = self.environment.pointer(buffer)
        return found


class Environment:
    """values, buffers: what is asked for, and what the task calls it; begin: the task's first lines."""

    def __init__(self, task: BodyEmitter, outside: BodyEmitter) -> None:
        self.task, self.outside = task, outside
        self.values: dict[str, tuple[Name, str]] = {}
        self.buffers: dict[str, str] = {}
        self.begin: list[Line] = []
        task.pointers, task.status = Pointers(self), task.fresh("status")
        task.lines.append(self.begin)

    def value(self, name: Name) -> str:
        found = self.values.get(name.name)
        if found is None:
            found = self.values[name.name] = name, self.task.fresh(name.name)
        return found[1]

    def pointer(self, buffer: str) -> str:
        found = self.buffers.get(buffer)
        if found is None:
            found = self.buffers[buffer] = self.task.fresh(buffer)
        return found

    def passed(self) -> str:
        """The array, filled outside, and emptied at the beginning of the task, which is complete."""
        task, outside = self.task, self.outside
        slots: list[tuple[str, str, str]] = []
        for _, (name, inside) in sorted(self.values.items()):
            assert name.lanes == 1 and name.name not in outside.variables
            slots.append((outside.type(name), outside.named(name), inside))
        slots += [("ptr", outside.pointers[buffer], inside) for buffer, inside in sorted(self.buffers.items())]
        slots.append(("ptr", outside.status, task.status))
        env = outside.fresh("env")
        outside.entry.append(f"  {env} = alloca [{len(slots)} x i64], align 64")
        for slot, (type, value, inside) in enumerate(slots):
            here = outside.emit(f"getelementptr i64, ptr {env}, i64 {slot}")
            outside.do(f"store {type} {value}, ptr {here}")
            there = task.fresh()
            self.begin.append(f"  {there} = getelementptr i64, ptr %env, i64 {slot}")
            self.begin.append(f"  {inside} = load {type}, ptr {there}")
        return env
