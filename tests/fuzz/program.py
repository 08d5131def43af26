"""A program of the fuzzer: its text and what it is called with, as plain data that a file can hold."""

from __future__ import annotations

import ast
import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tests.laws import program_data, weak_programs
from tests.source_text import function_in

Values = np.ndarray[Any, Any]
MARGIN = 64
LAYOUTS = ("C", "F", "reversed", "strided", "inner", "misaligned", "broadcast", "swapped", "readonly")
_numbers = itertools.count()


@dataclass(frozen=True)
class Array:
    """An argument: an array.

    dtype: NumPy's name, or a list of fields. fill: "small", "powers" (of 2), "special", "extremes", "zeros", "ones",
    "cells N" (subscripts of N cells), "rising N" (from 0 to N, as rows begin in lists) or "ends" (small numbers beside
    the ends of 64 bits). layout: one of LAYOUTS. of, shift: it lies so many bytes behind that argument.
    """

    dtype: str
    shape: tuple[int, ...]
    fill: str = "small"
    seed: int = 0
    layout: str = "C"
    of: str = ""
    shift: int = 0

    @property
    def type(self) -> np.dtype[Any]:
        found = np.dtype(ast.literal_eval(self.dtype) if self.dtype.startswith("[") else self.dtype)
        return found.newbyteorder() if self.layout == "swapped" else found


@dataclass(frozen=True)
class Program:
    """arguments: arrays, and numbers as Python writes them. options: of the decorated functions to compare with."""

    text: str
    arguments: Mapping[str, Array | str]
    options: tuple[Mapping[str, Any], ...] = ({},)

    def plain(self) -> dict[str, Any]:
        given = {name: a if isinstance(a, str) else asdict(a) for name, a in self.arguments.items()}
        return {"text": self.text, "arguments": given, "options": [dict(o) for o in self.options]}

    @staticmethod
    def of(data: Mapping[str, Any]) -> Program:
        def argument(a: Any) -> Array | str:
            return a if isinstance(a, str) else Array(**{**a, "shape": tuple(a["shape"])})

        return Program(data["text"], {n: argument(a) for n, a in data["arguments"].items()}, tuple(data["options"]))

    def function(self) -> Callable[..., Any]:
        """The plain function, with a source that `inspect` finds.

        In its module there are arrays called as its attributes and parameters are: it reads none of them.
        """
        name = f"<fuzzed program {next(_numbers)}>"
        space = {n: np.arange(3.0) for n in _own_names(self.text)}
        return function_in(self.text, name, {**space, "__name__": "fuzzed_program"}, called="program")

    def call(self) -> Call:
        return Call(self.arguments)


class Call:
    """Arguments made anew, with the memory around them."""

    def __init__(self, given: Mapping[str, Array | str]) -> None:
        self.blocks: dict[str, Values] = {}
        self.made: dict[str, Any] = {}
        for name, a in given.items():
            self.made[name] = number(a) if isinstance(a, str) else self._array(name, a)

    @property
    def arguments(self) -> tuple[Any, ...]:
        return tuple(self.made.values())

    @property
    def arrays(self) -> dict[str, Values]:
        return {name: a for name, a in self.made.items() if isinstance(a, np.ndarray)}

    def outside(self) -> list[bytes]:
        """The memory that no argument covers: nobody may write it."""
        kept = []
        for name, block in self.blocks.items():
            room = block.copy()
            begin = block.ctypes.data
            for a in self.arrays.values():
                if begin <= a.ctypes.data < begin + len(block) and a.size:
                    view = np.ndarray(a.shape, a.dtype, room.data, a.ctypes.data - begin, a.strides)
                    if 0 not in view.strides:
                        view[...] = np.zeros((), a.dtype)
            kept.append(name.encode() + room.tobytes())
        return kept

    def _array(self, name: str, a: Array) -> Values:
        dtype = a.type
        if a.of in self.blocks:
            block, begin = self.blocks[a.of], self.made[a.of]
            at = begin.ctypes.data - block.ctypes.data + a.shift
            room = at + dtype.itemsize * max(1, math.prod(a.shape))
            if at >= 0 and room <= len(block):
                return np.ndarray(a.shape, dtype, block.data, at)
        shape = tuple(2 * n if a.layout == "strided" else n + 3 if a.layout == "inner" else n for n in a.shape)
        shape = tuple(min(n, 1) for n in shape) if a.layout == "broadcast" else shape
        size = dtype.itemsize * math.prod(shape)
        block = np.zeros(size + 2 * MARGIN + 64, np.uint8)
        block = block[-block.ctypes.data % 64 :][: size + 2 * MARGIN]
        block[:] = 85
        self.blocks[name] = block
        base = np.ndarray(
            shape, dtype, block.data, MARGIN + (a.layout == "misaligned"), order="F" if a.layout == "F" else "C"
        )
        view = {
            "strided": lambda: base[(..., *(slice(None, None, 2) for _ in shape))],
            "inner": lambda: base[(..., *(slice(1, n + 1) for n in a.shape))],
            "reversed": lambda: base[(..., *(slice(None, None, -1) for _ in shape))],
            "broadcast": lambda: np.ndarray(a.shape, dtype, block.data, MARGIN, (0,) * len(shape)),
        }.get(a.layout, lambda: base)()
        if base.size:
            base[...] = filled(dtype, base.shape, a.fill, a.seed + 1)
            if a.layout not in ("F", "C", "broadcast"):
                view[...] = filled(dtype, a.shape, a.fill, a.seed)
        view.flags.writeable = a.layout not in ("readonly", "broadcast")
        return view


def _own_names(text: str) -> set[str]:
    """Attributes that nothing else is called, and parameters."""
    nodes = list(ast.walk(ast.parse(text)))
    read = {n.id for n in nodes if isinstance(n, ast.Name)}
    attributes = {n.attr for n in nodes if isinstance(n, ast.Attribute)}
    return (attributes - read) | {n.arg for n in nodes if isinstance(n, ast.arg)}


def number(text: str) -> Any:
    with np.errstate(all="ignore"):
        return eval(text, {"np": np, "inf": math.inf, "nan": math.nan})


def filled(dtype: np.dtype[Any], shape: tuple[int, ...], fill: str, seed: int) -> Values:
    rng = np.random.default_rng(seed)
    if dtype.names is not None:
        made = np.zeros(shape, dtype)
        for n, name in enumerate(dtype.names):
            made[name] = filled(dtype[name], shape, fill, seed + n)
        return made
    if fill in ("zeros", "ones"):
        return np.full(shape, fill == "ones").astype(dtype)
    if fill.startswith("cells"):
        cells = int(fill.split()[1])
        return np.asarray(rng.integers(0 if dtype.kind == "u" else -cells, cells, shape)).astype(dtype)
    if fill.startswith("rising"):
        return np.sort(rng.integers(0, int(fill.split()[1]) + 1, shape), axis=-1).astype(dtype)
    if fill == "ends":
        ends = [-(2**63), 2**63 - 1, -(2**62), 2**62, -1, 0, 1, 2, 3]
        return np.asarray(rng.choice(np.array(ends), shape)).astype(dtype)
    if fill == "extremes" and dtype.kind in "iuf":
        return np.asarray(weak_programs.values(rng, dtype, math.prod(shape))).reshape(shape)
    return program_data._values(rng, dtype, shape, fill == "powers", fill in ("special", "extremes"))
