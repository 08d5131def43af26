"""Kernels given as source (thesis 6.2.1, step 2): their names and parameters, read from the text.

Compilers for OpenCL and CUDA take a kernel's arguments as untyped bytes: a Python float for a `float` parameter, or an
array of doubles for a `float *`, gives wrong results without a word. So the types that the text declares are read
from it, Python's numbers are converted to them, and what does not fit is refused. A type that cannot be told (a
struct, a template's parameter, a macro with two definitions) is left to the caller, who then passes NumPy scalars.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from jitmdh.base.calling.entry import entry
from jitmdh.base.errors import ConfigurationError, DeviceError
from jitmdh.base.records import dataclass
from jitmdh.hca.interface import included
from jitmdh.hca.interface.kernel import Kernel, KernelArgument, KernelTuner, Local, Use
from jitmdh.hca.interface.tuning import as_tuner

LANGUAGES = ("opencl", "cuda")
"""Those whose kernels are given as source."""

_MARKS = {"opencl": r"(?<!\w)(?:__)?kernel(?!\w)", "cuda": r"(?<!\w)__global__(?!\w)"}
_ATTRIBUTES = frozenset({"__attribute__", "__launch_bounds__", "__cluster_dims__"})
_QUALIFIERS = frozenset(
    "const volatile restrict __restrict __restrict__ __global global __local local __constant constant __private "
    "private __generic generic __grid_constant__ struct register".split()
)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"", re.DOTALL)
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+([^\n]*\S)[ \t]*$", re.MULTILINE)
_TYPEDEF = re.compile(r"\btypedef\s+([\w\s]+?)\s+(\w+)\s*;")
_SIZES = {"char": 8, "short": 16, "int": 32}
_FLOATS = {"half": "float16", "__half": "float16", "float": "float32", "double": "float64"}


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a kernel as its text declares it: `const __global float *x`.

    dtype: of the value, or of what the pointer points to, for vector types of a component; None where it cannot be
    told. lanes: components of a vector type. constant: the kernel cannot write what the pointer points to.
    """

    text: str
    name: str
    dtype: np.dtype[Any] | None
    lanes: int
    is_pointer: bool
    constant: bool
    local: bool

    def __str__(self) -> str:
        return self.text


@entry
def opencl_source(
    text: str | os.PathLike[str], name: str | None = None, *, defines: Mapping[str, object] | None = None,
    options: Sequence[str] = (), tune: KernelTuner | Sequence[Mapping[str, Any]] | None = None,
) -> Kernel:  # fmt: skip
    """A kernel in OpenCL C: a text, or the path (`Path`) of a file that has it; `#include "..."` is found beside the
    file. `name` may be left out where it is the only one.

    defines: names that the preprocessor replaces by the text of a value, as `-D name=value` does; options: for the
    compiler, such as "-cl-fast-relaxed-math". tune: finds values for other names, such as `atf.tuner(space)`: once for
    each device and size, when the kernel is run there first; of a bare space, or a list of configurations, each is
    tried. Raises ConfigurationError if there is no such kernel, or `tune` is none of these.

    >>> opencl_source("kernel void scale(global float *x, float a) { x[get_global_id(0)] *= a; }").entry
    'scale'
    """
    return _source("opencl", text, name, defines or {}, options, tune)


@entry
def cuda_source(
    text: str | os.PathLike[str], name: str | None = None, *, defines: Mapping[str, object] | None = None,
    options: Sequence[str] = (), tune: KernelTuner | Sequence[Mapping[str, Any]] | None = None,
) -> Kernel:  # fmt: skip
    """A kernel in CUDA C++, with or without `extern "C"`; otherwise as `opencl_source`.

    >>> kernel = cuda_source("__global__ void f(float *x) { x[threadIdx.x] += STEP; }", defines={"STEP": 2})
    >>> kernel.entry, kernel.defines
    ('f', (('STEP', '2'),))
    """
    return _source("cuda", text, name, defines or {}, options, tune)


def _source(
    language: str, text: str | os.PathLike[str], name: str | None, defines: Mapping[str, object],
    options: Sequence[str], tune: KernelTuner | Sequence[Mapping[str, Any]] | None,
) -> Kernel:  # fmt: skip
    if not isinstance(text, str):
        text = included.read(Path(text))  # what compilers say names the file
    if name is None:
        found = kernel_names(text, language)
        if len(found) != 1:
            these = f"it has {', '.join(found)}" if found else "no kernel was found in it"
            hint = "give the kernel's name" if len(text.split()) > 1 else f"of a file, give Path({text!r})"
            raise ConfigurationError("the source does not say which kernel is meant", reason=f"{these}.", hint=hint)
        (name,) = found
    for key, value in defines.items():
        if not key.isidentifier() or "\n" in str(value):
            raise ConfigurationError(f"the preprocessor cannot replace {key!r} by {str(value)!r}")
    replaced = tuple((key, str(value)) for key, value in defines.items())
    return Kernel(text, name, language, tuple(options), replaced, as_tuner(tune))


def kernel_names(text: str, language: str) -> tuple[str, ...]:
    """The kernels of a source text, in order, each once."""
    return tuple(dict.fromkeys(name for name, _ in _heads(_without_comments(text), language)))


@functools.lru_cache(maxsize=256)
def parameters(kernel: Kernel) -> tuple[Parameter, ...] | None:
    """The parameters of a kernel given as source; None where the text does not tell them for certain."""
    text = _without_comments(kernel.text)
    lists = {inner for name, inner in _heads(text, kernel.language) if name == kernel.entry}
    if len(lists) != 1:
        return None
    inner = _replaced(lists.pop(), _replacements(kernel, text)).strip()
    if inner in ("", "void"):
        return ()
    return tuple(_parameter(part, kernel.language) for part in _split(inner))


def dtype_named(text: str, language: str) -> np.dtype[Any] | None:
    """The NumPy type of a number whose type in the language is `text`; None if it is none.

    >>> dtype_named("unsigned int", "opencl"), dtype_named("long", "opencl"), dtype_named("float4", "opencl")
    (dtype('uint32'), dtype('int64'), None)
    """
    dtype, lanes = _type(text.split(), language)
    return dtype if lanes == 1 else None


# ------------------------------------------------------------------------------------------------ reading the text


def _without_comments(text: str) -> str:
    joined = text.replace("\\\n", " ")
    return _COMMENT.sub(lambda m: m[0] if m[0].startswith('"') else " ", joined)


def _heads(text: str, language: str) -> Iterator[tuple[str, str]]:
    """The name of each kernel, and what stands between the parentheses behind it."""
    for mark in re.finditer(_MARKS[language], text):
        at = mark.end()
        while (call := re.compile(r"[^;{}()]*?(\w+)\s*\(").match(text, at)) is not None:
            end = _closing(text, call.end())
            if call[1] not in _ATTRIBUTES:
                yield call[1], text[call.end() : end - 1]
                break
            at = end


def _closing(text: str, start: int) -> int:
    """Behind the parenthesis that closes the one before `start`."""
    depth = 1
    while depth and start < len(text):
        depth += {"(": 1, ")": -1}.get(text[start], 0)
        start += 1
    return start


def _replacements(kernel: Kernel, text: str) -> dict[str, str]:
    """What macros and simple typedefs stand for; those with two meanings are left out."""
    found = list(kernel.defines)
    for option in kernel.options:
        if match := re.fullmatch(r"-D\s*(\w+)=(.*)", option):
            found.append((match[1], match[2]))
    found += _DEFINE.findall(text)
    found += [(name, meaning) for meaning, name in _TYPEDEF.findall(text)]
    meanings: dict[str, set[str]] = {}
    for name, meaning in found:
        meanings.setdefault(name, set()).add(meaning)
    return {name: given.pop() for name, given in meanings.items() if len(given) == 1}


def _replaced(text: str, replacements: Mapping[str, str]) -> str:
    for _ in range(8):
        changed = re.sub(r"\w+", lambda m: replacements.get(m[0], m[0]), text)
        if changed == text:
            break
        text = changed
    return text


def _split(inner: str) -> list[str]:
    """At the commas that are in no brackets."""
    parts, depth = [""], 0
    for sign in inner:
        depth += {"(": 1, "<": 1, "[": 1, ")": -1, ">": -1, "]": -1}.get(sign, 0)
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return parts


def _parameter(text: str, language: str) -> Parameter:
    shown = " ".join(text.split())
    plain = re.sub(r"__attribute__\s*\(\(.*?\)\)", " ", shown)
    is_pointer = "*" in plain or "[" in plain
    before, _, after = plain.replace("[", "*").partition("*")
    words = re.findall(r"\w+", before)
    if is_pointer:
        names = [word for word in re.findall(r"[A-Za-z_]\w*", after) if word not in _QUALIFIERS]
        if not names and len([w for w in words if w not in _QUALIFIERS]) > 1:  # float x[]
            names = [words.pop()]
    else:
        names = [words.pop()] if len([w for w in words if w not in _QUALIFIERS]) > 1 else []
    told = "<" not in plain and "&" not in plain and plain.count("*") <= 1
    dtype, lanes = _type([w for w in words if w not in _QUALIFIERS], language) if told else (None, 1)
    spaces = set(words)
    return Parameter(
        shown, names[-1] if names else "", dtype, lanes, is_pointer,
        constant=bool(spaces & {"const", "__constant", "constant"}), local=bool(spaces & {"__local", "local"}),
    )  # fmt: skip


def _type(words: Sequence[str], language: str) -> tuple[np.dtype[Any] | None, int]:
    """The type that words such as `unsigned int` or `float4` name, and its components."""
    known = {
        **_FLOATS,
        "bool": "bool",
        "size_t": "uint64",
        **{f"{u}int{n}_t": f"{u}int{n}" for u in ("", "u") for n in (8, 16, 32, 64)},
        **({"uchar": "uint8", "ushort": "uint16", "uint": "uint32", "ulong": "uint64"} if language == "opencl" else {}),
    }
    if len(words) == 1:
        (word,) = words
        vector = re.fullmatch(r"([a-z]+?)(2|3|4|8|16)", word)
        if vector and vector[1] in (*_SIZES, "long", "longlong", *known, "uchar", "ushort", "uint", "ulong"):
            component = {"ulonglong": "ulong", "longlong": "long"}.get(vector[1], vector[1])
            unsigned = component.startswith("u")
            dtype, _ = _type(["unsigned", component[1:]] if unsigned else [component], language)
            return dtype, int(vector[2])
        if word in known:
            return np.dtype(known[word]), 1
    if not words or not set(words) <= {"signed", "unsigned", "char", "short", "int", "long"}:
        return None, 1
    bits = next((_SIZES[word] for word in ("char", "short") if word in words), 32)
    if "long" in words:
        plain = language == "cuda" and words.count("long") == 1
        bits = np.dtype("l").itemsize * 8 if plain else 64
    return np.dtype(f"{'u' if 'unsigned' in words else ''}int{bits}"), 1


def compile_error(kernel: str, device: str, log: str) -> DeviceError:
    """That the kernel of this name does not compile, with what the compiler says about it."""
    lines = [line.rstrip() for line in log.splitlines() if line.strip()]
    return DeviceError(f"the kernel {kernel} does not compile for {device}", reason="\n  ".join(lines))


# ------------------------------------------------------------------------------------------------ what is passed


def typed(kernel: Kernel, arguments: Sequence[KernelArgument]) -> tuple[KernelArgument, ...]:
    """The arguments of a kernel given as source, numbers as NumPy scalars of the types that it declares.

    Raises ConfigurationError for arguments that its parameters cannot take.
    """
    declared = parameters(kernel)
    if declared is None:
        return tuple(_untold(kernel, place, argument) for place, argument in enumerate(arguments))
    if len(declared) != len(arguments):
        raise ConfigurationError(
            f"{kernel.entry} takes {len(declared)} arguments, {len(arguments)} were given",
            reason=f"it is declared {kernel.entry}({', '.join(map(str, declared))}).",
        )
    return tuple([
        argument if isinstance(argument, Use) and _is_plainly(p, argument) else _typed(kernel, place, p, argument)
        for place, (p, argument) in enumerate(zip(declared, arguments))
    ])  # fmt: skip


class TypedArguments:
    """As `typed`, for one kernel many times: numbers that were given in the last call are not converted again."""

    __slots__ = ("_declared", "_given", "_kernel", "_numbers")

    def __init__(self, kernel: Kernel) -> None:
        self._kernel, self._declared = kernel, parameters(kernel)
        self._numbers: dict[int, tuple[KernelArgument, KernelArgument]] = {}

    def of(self, arguments: Sequence[KernelArgument]) -> Sequence[KernelArgument]:
        """What `typed` gives."""
        declared, numbers = self._declared, self._numbers
        if declared is None or len(declared) != len(arguments):
            return typed(self._kernel, arguments)
        found: list[KernelArgument] = []
        for place, argument in enumerate(arguments):
            parameter = declared[place]
            if type(argument) is Use:
                if not _is_plainly(parameter, argument):
                    _typed(self._kernel, place, parameter, argument)
                found.append(argument)
                continue
            known = numbers.get(place)
            if known is None or known[0] is not argument:
                known = argument, _typed(self._kernel, place, parameter, argument)
                if type(argument) in _UNCHANGING:
                    numbers[place] = known
            found.append(known[1])
        return found


_UNCHANGING = (int, float, bool)


def _is_plainly(parameter: Parameter, argument: Use) -> bool:
    """Whether a buffer is what the parameter points to: most are."""
    return parameter.is_pointer and not parameter.local and parameter.dtype == argument.buffer.dtype


def _untold(kernel: Kernel, place: int, argument: KernelArgument) -> KernelArgument:
    if isinstance(argument, Use | Local | np.generic):
        return argument
    if isinstance(argument, tuple | list | np.ndarray):
        raise ConfigurationError(f"argument {place} of {kernel.entry}: the source does not tell its type",
                                 hint="give a NumPy scalar of the type it has, np.void of a structure")  # fmt: skip
    raise ConfigurationError(
        f"argument {place} of {kernel.entry}: the source does not tell its type",
        hint=f"give a NumPy scalar of the type it has, such as np.{np.min_scalar_type(argument)}({argument})",
    )


def _typed(kernel: Kernel, place: int, parameter: Parameter, argument: KernelArgument) -> KernelArgument:
    def refused(why: str, hint: str = "") -> ConfigurationError:
        return ConfigurationError(f"argument {place} of {kernel.entry}, `{parameter}`: {why}", hint=hint)

    if isinstance(argument, Local):
        if not parameter.local:
            raise refused("it is not in local memory, but Local(...) was given")
        return argument
    if parameter.local:
        raise refused(f"it is in local memory, but {_shown(argument)} was given", "give Local(bytes)")
    if isinstance(argument, Use):
        if not parameter.is_pointer:
            raise refused("it is no pointer, but a buffer was given")
        if parameter.dtype is not None and not _fits(parameter, argument.buffer.dtype):
            raise refused(f"a buffer of {argument.buffer.dtype} was given")
        return argument
    if parameter.is_pointer:
        raise refused(f"it is a pointer, but {_shown(argument)} was given", "give read(Buffer(array)) or the like")
    if parameter.dtype is None or isinstance(argument, np.void):
        return _untold(kernel, place, argument)
    if parameter.lanes > 1:
        vector = _vector(parameter, argument, kernel.language)
        if vector is None:
            raise refused(f"{_shown(argument)} is no vector of {parameter.lanes} {parameter.dtype}",
                          f"give {parameter.lanes} numbers in a tuple")  # fmt: skip
        return vector
    if isinstance(argument, tuple | list | np.ndarray):
        raise refused(f"it is a number, but {_shown(argument)} was given")
    converted = exact_scalar(parameter.dtype, argument)
    if converted is None:
        raise refused(f"{_shown(argument)} is no {parameter.dtype}", f"give np.{parameter.dtype}(...)")
    return converted


def _vector(parameter: Parameter, argument: KernelArgument, language: str) -> np.void | None:
    """The bytes of a vector, such as a `float4`; None for what is none. Three of OpenCL's take the place of four."""
    if not isinstance(argument, tuple | list | np.ndarray) or len(argument) != parameter.lanes:
        return None
    assert parameter.dtype is not None
    lanes: list[Any] = [exact_scalar(parameter.dtype, number) for number in argument]
    if any(lane is None for lane in lanes):
        return None
    room = 4 if parameter.lanes == 3 and language == "opencl" else parameter.lanes
    memory = np.zeros(room, parameter.dtype)
    memory[: parameter.lanes] = lanes
    found: np.void = memory.view(np.dtype((np.void, memory.nbytes)))[0]
    return found


def _shown(argument: KernelArgument) -> str:
    return "a buffer" if isinstance(argument, Use) else repr(argument)


def _fits(parameter: Parameter, given: np.dtype[Any]) -> bool:
    assert parameter.dtype is not None
    if given.kind == "c":
        return parameter.lanes == 2 and parameter.dtype.kind == "f" and parameter.dtype.itemsize * 2 == given.itemsize
    if given.kind == "V":  # records: the caller knows their layout
        return True
    if given.kind == "b":
        return parameter.dtype.itemsize == 1
    return given == parameter.dtype


def exact_scalar(dtype: np.dtype[Any], number: bool | int | float | complex | np.generic) -> np.generic | None:
    """A NumPy scalar of exactly this type; None where the number is none."""
    if isinstance(number, np.generic):
        return number if number.dtype == dtype else None
    if isinstance(number, complex) or (isinstance(number, float) and dtype.kind not in "f"):
        return None
    try:
        scalar: np.generic = dtype.type(number)
    except (OverflowError, ValueError, TypeError):
        return None
    return scalar
