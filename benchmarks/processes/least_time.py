"""The least time that a call can take on this machine, by what its program has to do: the limits of `random_kinds`.

    call         what a call of as many arguments costs that computes nothing, measured
    memory       the bytes that have to be read and written, each once, in whole cache lines: at the rates measured on
                 an area of so many bytes, as the caches that it finds are what is left of them, on virtual machines
    operations   operations on elements, functions such as exp as so many simple ones, at their type's measured rate;
                 products of integers, and what is done with complex numbers, as the instructions that it takes
    elements     elements that data choose, each loaded or stored alone: cycles by the machine model, and their cache
                 lines, at the rate of lines chosen at random, where their array is larger than the nearest cache

The call comes before the others, of which the longest counts: they may overlap. One thread.
"""

from __future__ import annotations

import functools
import linecache
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

import jitmdh as mdh
from jitmdh.hca import roofline
from jitmdh.jit.explanation.drawing import program_of_call
from jitmdh.mdh.algebra.expr import Access, Expression, Program
from jitmdh.mdh.algebra.scalar import Operation
from jitmdh.mdh.algebra.semantics import argument_binding
from jitmdh.mdh.lowering.problem.op_costs import ExpressionRun, Work, operations, runs, work
from jitmdh.mdh.lowering.problem.traffic import beyond_one
from jitmdh.mdh.machine.model import Machine

_LINE_BYTES = 64
_CALLS = 2000


@dataclass(frozen=True)
class LeastTime:
    """Seconds that each part takes at least."""

    call: float
    memory: float
    operations: float
    elements: float

    @property
    def seconds(self) -> float:
        """Of all of it."""
        return self.call + max(self.memory, self.operations, self.elements)

    @property
    def bound(self) -> str:
        """The name of the part that takes longest."""
        return max(("call", "memory", "operations", "elements"), key=lambda part: float(getattr(self, part)))


@dataclass(frozen=True)
class Needs:
    """What a call has to do at least: how long that takes is for rates to say, which may be measured better later.

    instructions, products: on vectors of this type, and how many of them are multiply-adds; element_seconds: of
    elements that data choose; lines: how many of them come from an array of so many bytes, each in a cache line of its
    own.
    """

    arguments: int
    bytes_read: int
    bytes_written: int
    instructions: float
    products: float
    type: str
    element_seconds: float
    lines: tuple[tuple[float, int], ...]

    def least(self) -> LeastTime:
        """By the rates that are known now."""
        limits = roofline.measure(1)
        operations = limits.seconds(self.instructions, 0, 0, self.type, self.products)
        lines = sum(count * _LINE_BYTES / limits.bandwidth("lines", far) for count, far in self.lines)
        memory = _memory(self.bytes_read, self.bytes_written)
        return LeastTime(call_seconds(self.arguments), memory, operations, max(self.element_seconds, lines))


def least_time(function: Any, arguments: tuple[Any, ...]) -> LeastTime:
    """Of a call of a decorated function. NotAnMdhError where it cannot be compiled."""
    return needs(function, arguments).least()


def needs(function: Any, arguments: tuple[Any, ...]) -> Needs:
    """Of a call of a decorated function. NotAnMdhError where it cannot be compiled."""
    call = program_of_call(function, arguments, {})
    sizes = argument_binding.sizes_of(call.program, arguments)
    done, chosen = work(call.program, sizes), list(_chosen(call.program, sizes))
    alone = [c for c in chosen if c.alone]
    cycles = sum(_cycles(c, call.machine) for c in alone) / (1e9 * call.machine.figures.gigahertz)
    every = list(runs(call.program, sizes))
    parts = [run.points * run.times * np.array(_of_complex(run.expression)) for run in every]
    beyond, multiplied = sum(parts, np.zeros(2)).tolist()
    instructions = done.instructions + beyond + sum(_of_products(run, call.machine) for run in every)
    shares = {c.array: c.share for c in chosen if not c.stored}
    given = zip(call.program.parameters, arguments)
    between = sum(_between(a) * shares.get(p.name, 1.0) for p, a in given if isinstance(a, np.ndarray))
    return Needs(
        len(arguments), round(_read(done, chosen) + between), done.bytes_written, instructions,
        done.products + multiplied, done.type.name, cycles, tuple(_lines(c, call.machine) for c in alone),
    )  # fmt: skip


def _of_products(run: ExpressionRun, machine: Machine) -> float:
    """Instructions beyond one each that vectors of products of integers take, as no one multiplies bytes, nor, without
    AVX-512, 64 bits. One by one, the same take about as long."""
    lanes = machine.vector_bits // max(8, run.expression.md_hom.function.result_types[0].bits)
    return run.points * run.times * beyond_one(run.expression, machine.features, lanes)[0]


def _of_complex(e: Expression) -> tuple[int, int]:
    """Instructions beyond one each that operations on complex numbers take at a point, and how many of all these
    multiply: four of a product, with which a sum takes no more, two of another sum."""
    beyond = multiplied = 0
    f, operator = e.md_hom.function, next((c.operator for c in e.md_hom.combine[::-1] if hasattr(c, "operator")), None)
    summed = [f.results] if operator is not None and operator.name == "add" else []
    for node in operations(f):
        if node.type.kind == "c" and node.op == "mul":
            beyond, multiplied = beyond + 3, multiplied + 4
        elif node.type.kind == "c" and node.op in ("add", "sub"):
            summed.append(node.operands)
    for operands in summed:
        products = any(isinstance(o, Operation) and o.op == "mul" for o in operands)
        beyond += 0 if operands[0].type.kind != "c" else -1 if products else 1
    return beyond, multiplied


def _between(array: np.ndarray[Any, Any]) -> int:
    """Bytes that come with its elements since they are in the same cache lines."""
    nearest = min((abs(step) for n, step in zip(array.shape, array.strides) if n > 1), default=array.itemsize)
    return array.size * max(0, min(nearest, _LINE_BYTES) - array.itemsize)


def _memory(read: float, written: float) -> float:
    """Seconds to read and to write so many bytes of an area that is as large as both, again and again."""
    return roofline.measure(1).seconds(0, round(read), round(written))


@functools.cache
def call_seconds(arguments: int) -> float:
    """A call with so many small arrays that returns a new one: the least of some thousand."""
    names = ", ".join("xyzuvw"[:arguments])
    text, file = f"def f({names}):\n    return np.zeros(2)\n", f"<call of {arguments}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    known: dict[str, Any] = {"np": np}
    exec(compile(text, file, "exec"), known)
    function: Callable[..., Any] = mdh.jit(tune="off", cache=False)(known["f"])
    given = [np.ones(2) for _ in range(arguments)]
    best = float("inf")
    for _ in range(5):
        begin = time.perf_counter()
        for _ in range(_CALLS):
            function(*given)
        best = min(best, (time.perf_counter() - begin) / _CALLS)
    return best


@dataclass(frozen=True)
class _Chosen:
    """Elements of an array that data choose. count: accesses; stored: written, too; alone: one by one, not in rows."""

    array: str
    count: float
    item_bytes: int
    array_bytes: int
    stored: bool
    alone: bool

    @property
    def share(self) -> float:
        """At most so much of the array."""
        return min(1.0, self.count * self.item_bytes / max(1, self.array_bytes))


def _chosen(program: Program, sizes: Mapping[str, int]) -> Iterator[_Chosen]:
    for run in runs(program, sizes):
        indirect = {n.name for n in run.expression.indirect}
        for stored, view in enumerate((run.expression.inp_view, run.expression.out_view) if indirect else ()):
            for access in view:
                if any(indirect & set(index.names) for index in access.index):
                    yield _elements(run, access, bool(stored), bool(indirect & set(access.index[-1].names)))


def _elements(run: ExpressionRun, access: Access, stored: bool, alone: bool) -> _Chosen:
    """alone: neighbours along the last axis are none in memory."""
    buffer = run.expression.buffer(access.buffer)
    count = run.times * prod(run.extents[d] for d in run.expression.varying(access) if d in run.extents)
    size = buffer.type.size_bytes
    whole = size * prod(max(0, n.evaluate(run.sizes)) for n in buffer.shape)
    return _Chosen(access.buffer, count, size, whole, stored, alone)


def _cycles(chosen: _Chosen, machine: Machine) -> float:
    """Cycles of the accesses by instructions for vectors of them, or one by one: then a subscript is loaded for each,
    and what is stored is loaded, too, while others are stored."""
    vectors, one = machine.figures.wide(machine.vector_bits), machine.figures.wide(128)
    together = vectors.scatter + vectors.gather if chosen.stored else vectors.gather
    return chosen.count * min(together, max(2 / one.loads, chosen.stored / one.stores))


def _lines(chosen: _Chosen, machine: Machine) -> tuple[float, int]:
    """How many of the accesses find nothing in the nearest cache, if data choose at random, and of how many bytes."""
    outside = max(0.0, 1 - machine.capacity_bytes("L1") / max(1, chosen.array_bytes))
    return outside * chosen.count, max(chosen.array_bytes, machine.capacity_bytes("L1") + 1)


def _read(done: Work, chosen: list[_Chosen]) -> int:
    """Bytes: of an array that data choose from no more than they choose."""
    spared = sum(c.array_bytes * (1 - c.share) for c in chosen if not c.stored)
    return max(0, round(done.bytes_read - spared))
