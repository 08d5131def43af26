"""The tuning directives for kernels (Listing 24): from `#atf::ocl::...` or `#atf::cuda::...` to a cost function.

    #atf::ocl::platform "NVIDIA"                  part of the name, or number; may be left out, as device may
    #atf::ocl::device   "Tesla K20"
    #atf::ocl::input    scalar<int>( N )          one for each parameter of the kernel, in order: with the value,
    #atf::ocl::input    buffer<float>( N )        or random; data from a file: buffer<float>( file_name("x.txt") )
    #atf::ocl::global_size N/WPT                  expressions of tuning parameters, separated by commas
    #atf::ocl::local_size  LS
    #atf::ocl::kernel   "saxpy"                   only where the file has several kernels
    #atf::ocl::options  "-cl-fast-relaxed-math"   for the compiler
    #atf::ocl::expected y, file_name("y.txt")     results are checked against a file; tolerance as a number behind it

The same with `cuda`, which has no platforms; it takes grid_size and block_size instead of global and local size, too.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from jitmdh.atf.directives.directives import DirectivePart, Specification, check_names, parsed
from jitmdh.atf.directives.parser import value
from jitmdh.atf.directives.syntax import Cursor, expression
from jitmdh.atf.space.expressions.symbolic import Expr, as_expr
from jitmdh.base.errors import ConfigurationError
from jitmdh.hca.interface.source import dtype_named
from jitmdh.kernels.arguments import BufferData, Scalar, buffer, scalar
from jitmdh.kernels.cost import KernelCost
from jitmdh.kernels.sources import cuda_kernel, opencl_kernel

LANGUAGES: Mapping[str, str] = {"ocl": "opencl", "cuda": "cuda"}
_SIZES = ("global_size", "local_size", "grid_size", "block_size")
_ONCE = {"ocl": (*_SIZES[:2], "platform"), "cuda": _SIZES}


def cost_function(found: Specification) -> KernelCost:
    """The cost function that the directives of a file describe. ConfigurationError at the place of a mistake."""
    kind = found.other[0].name.split("::")[0]
    reader = _Reader(LANGUAGES[kind], found)
    known = {"device", "kernel", "options", "input", "expected", *_ONCE[kind]}
    for piece in found.other:
        name = piece.name.removeprefix(f"{kind}::")
        if name not in known:
            raise ConfigurationError(
                f"there is no tuning directive #atf::{piece.name}",
                loc=piece.loc,
                hint=f"known: {', '.join(sorted(known))}",
            )
        reader.read(name, piece)
    given = reader.given
    needed = [("global_size",)] if kind == "ocl" else [("grid_size", "block_size"), ("global_size", "local_size")]
    if not any(all(name in given for name in names) for names in needed):
        raise ConfigurationError(f"{found.source} does not say the size: #atf::{kind}::{needed[0][0]} is missing",
                                 loc=found.other[0].loc)  # fmt: skip
    lines = found.source.read_text(encoding="utf-8", errors="surrogateescape").splitlines(keepends=True)
    text = "".join("\n" if n in found.directive_lines else line for n, line in enumerate(lines, start=1))
    make: Callable[..., KernelCost] = opencl_kernel if kind == "ocl" else cuda_kernel
    return make(text, given.pop("kernel", None), *reader.inputs, expected=reader.expected, **given)


class _Reader:
    """Takes the directives one by one."""

    def __init__(self, language: str, found: Specification) -> None:
        self.language, self.variables, self.folder = language, found.variables, found.source.parent
        self.names = [p.name for p in found.parameters]
        self.given: dict[str, Any] = {}
        self.inputs: list[Scalar | BufferData] = []
        self.expected: dict[str | int, Any] = {}

    def read(self, name: str, piece: DirectivePart) -> None:
        if name in self.given:
            raise ConfigurationError(f"#atf::{piece.name} stands twice", loc=piece.loc)
        if name == "input":
            self.inputs.append(parsed(piece, self.variables, self._input))
            given = self.inputs[-1]
            sizes = given.size if isinstance(given, BufferData) else (given.value,)
            for size in sizes:
                check_names(as_expr(size), self.names, piece)
        elif name == "expected":
            parsed(piece, self.variables, self._expected)
        elif name in _SIZES:
            self.given[name] = parsed(piece, self.variables, _expressions)
            for size in self.given[name]:
                check_names(size, self.names, piece)
        elif name == "options":
            self.given[name] = tuple(shlex.split(str(parsed(piece, self.variables, value))))
        else:
            self.given[name] = parsed(piece, self.variables, value)

    def _input(self, cursor: Cursor) -> Scalar | BufferData:
        start = cursor.token
        word = cursor.name().removeprefix("atf::").removeprefix("ocl::").removeprefix("cuda::")
        if word not in ("scalar", "buffer"):
            cursor.fail(f"{start.text!r} is no input", at=start, hint="scalar<int>(N), buffer<float>(N)")
        dtype = self._dtype(cursor)
        cursor.expect("(")
        if cursor.taken(")"):
            if word == "buffer":
                cursor.fail("a buffer needs a size", at=start, hint="buffer<float>(N)")
            return scalar(dtype)
        if word == "buffer" and cursor.lookahead("file_name", "("):
            content = buffer(self._file(cursor, dtype))
            cursor.expect(")")
            return content
        size = expression(cursor)
        cursor.expect(")")
        return scalar(dtype, size) if word == "scalar" else buffer(dtype, size)

    def _dtype(self, cursor: Cursor) -> np.dtype[Any]:
        cursor.expect("<")
        start = cursor.token
        words = [cursor.name().removeprefix("std::")]
        while cursor.token.kind == "name":
            words.append(cursor.name())
        cursor.expect(">")
        found = dtype_named(" ".join(words), self.language)
        if found is None:
            cursor.fail(f"{' '.join(words)!r} is no type of numbers", at=start, hint="int, size_t, float, double, ...")
        return found

    def _file(self, cursor: Cursor, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
        """`file_name("path")`: the numbers in a text file, line by line."""
        start = cursor.next()
        cursor.expect("(")
        path = self.folder / str(value(cursor))
        cursor.expect(")")
        try:
            return np.loadtxt(Path(path), dtype=dtype, ndmin=1)
        except (OSError, ValueError) as error:
            cursor.fail(f"{path} cannot be read: {error}", at=start)

    def _expected(self, cursor: Cursor) -> None:
        start = cursor.token
        key = value(cursor)
        cursor.expect(",")
        if not cursor.lookahead("file_name", "("):
            cursor.fail("expected file_name(...) here")
        self.expected[key if isinstance(key, int) else str(key)] = self._file(cursor, np.dtype("float64"))
        if cursor.taken(","):
            if "tolerance" in self.given:
                cursor.fail("the tolerance stands twice", at=start)
            self.given["tolerance"] = float(value(cursor))


def _expressions(cursor: Cursor) -> tuple[Expr, ...]:
    found = [expression(cursor)]
    while cursor.taken(","):
        found.append(expression(cursor))
    return tuple(found)
