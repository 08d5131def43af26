"""Kernels given as source in OpenCL C for CUDA devices, and the other way round (thesis 6.3: interoperability).

What both languages have is translated token by token, line by line, so that what compilers say names the lines of the
source: kernels and functions of numbers, arrays of global and shared (local) memory, indices of threads, barriers,
atomic operations on integers, mathematical functions, vectors of up to four components without operators. All else is
refused by name, with its line: C++ (templates, references, casts), pointers beside parameters of kernels, local memory
as an argument, warps, images, file inclusion. `docs/opencl.md` has the table.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from jitmdh.base.calling.entry import entry
from jitmdh.base.errors import ConfigurationError
from jitmdh.base.records import dataclass
from jitmdh.hca.interface.kernel import Kernel

_TOKEN = re.compile(
    r"(?P<space>\s+|\\\n|//[^\n]*|/\*.*?\*/)|(?P<string>\"(?:\\.|[^\"\\\n])*\")"
    r"|(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)|(?P<word>[A-Za-z_]\w*)|(?P<sign>::|->|<<<|>>>|.)",
    re.DOTALL,
)
_NUMBERS = "char uchar short ushort int uint long ulong float double size_t bool".split()
_WORDS = {*_NUMBERS, "unsigned", "signed", "void"}
_VECTOR = re.compile(r"(u?char|u?short|u?int|u?long|float|double)([234])$")
_FUNCTIONS = (
    "sqrt rsqrt cbrt exp exp2 exp10 expm1 log log2 log10 log1p sin cos tan asin acos atan atan2 sinh cosh tanh pow "
    "fabs fmin fmax fma fmod floor ceil round trunc rint hypot erf erfc"
).split()
_ATOMICS = {"Add": "add", "Sub": "sub", "Exch": "xchg", "Min": "min", "Max": "max", "And": "and", "Or": "or",
            "Xor": "xor", "CAS": "cmpxchg"}  # fmt: skip
_AXES = {"x": 0, "y": 1, "z": 2}

# ------------------------------------------------------------------------------------------------- the languages

_PLACES = {"threadIdx": "get_local_id", "blockIdx": "get_group_id", "blockDim": "get_local_size",
           "gridDim": "get_num_groups"}  # fmt: skip
_TO_OPENCL = {
    "__global__": "kernel", "__device__": "", "__host__": "", "__forceinline__": "", "__shared__": "local",
    "__restrict__": "restrict", "__restrict": "restrict", "__ldg": "*",
    **{f"{name}f": name for name in _FUNCTIONS},
    **{f"__{name}f": f"native_{name}" for name in ("exp", "log", "sin", "cos")},
    **{f"atomic{name}": f"atomic_{other}" for name, other in _ATOMICS.items()},
}  # fmt: skip
_NO_OPENCL = frozenset(
    "template typename class auto namespace using constexpr static_cast reinterpret_cast const_cast dynamic_cast new "
    "delete operator this nullptr extern asm assert printf warpSize cooperative_groups decltype virtual friend try "
    "half global local constant private kernel generic pipe".split()  # the last ones are OpenCL C's own
)
_TO_CUDA = {
    "kernel": 'extern "C" __global__', "__kernel": 'extern "C" __global__', "global": "", "__global": "",
    "private": "", "__private": "", "local": "__shared__", "__local": "__shared__", "restrict": "__restrict__",
    **{f"native_{name}": f"__{name}f" for name in ("exp", "log", "sin", "cos")},
    **{f"atomic_{other}": f"atomic{name}" for name, other in _ATOMICS.items()},
}  # fmt: skip
_INDICES = {
    "get_local_id": "((size_t)threadIdx.{0})", "get_group_id": "((size_t)blockIdx.{0})",
    "get_local_size": "((size_t)blockDim.{0})", "get_num_groups": "((size_t)gridDim.{0})",
    "get_global_id": "((size_t)blockIdx.{0} * blockDim.{0} + threadIdx.{0})",
    "get_global_size": "((size_t)gridDim.{0} * blockDim.{0})", "get_global_offset": "((size_t)0)",
}  # fmt: skip
_NO_CUDA = re.compile(
    r"(async_work_group\w*|wait_group_events|event_t|vload\w*|vstore\w*|image\w*|read_image\w*|write_image\w*|sampler_t"
    r"|sub_group\w*|work_group_\w*|pipe|generic|__generic|printf|half\d*|shuffle2?|select|as_\w+|convert_\w+"
    r"|u?(?:char|short|int|long)(?:8|16)|(?:float|double)(?:8|16)|get_work_dim|get_enqueued\w*|__local_\w+)$"
)
_WORDS_OF_CPP = frozenset("class template new delete this public friend operator virtual try namespace".split())
_CUDA_PRELUDE = (
    "typedef unsigned char uchar; typedef unsigned short ushort; typedef unsigned int uint;"
    " typedef unsigned long ulong;"
    " template <class T> __device__ T mad(T a, T b, T c) { return a * b + c; }"
    " template <class T> __device__ T clamp(T x, T low, T high) { return x < low ? low : x > high ? high : x; }"
)
_OPTIONS: dict[str, tuple[str, ...]] = {"cuda": ("-default-device",), "opencl": ()}
"""Functions of OpenCL C are the device's without saying so."""
_OPENCL_PRELUDE = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable"


@entry
@functools.lru_cache(maxsize=256)
def translated(kernel: Kernel, language: str) -> Kernel:
    """A kernel in the other language of source kernels. ConfigurationError, with the line, for what it has no words of.

    Options of the compiler are left out: they are the language's own, but for names that they define.
    """
    if kernel.language == language:
        return kernel
    own = (*kernel.defines, *_defined(kernel.options))
    text = _Translation(kernel.text, kernel.entry, language).text()
    prelude = _CUDA_PRELUDE if language == "cuda" else _OPENCL_PRELUDE
    defines = tuple((name, _Translation(value, kernel.entry, language, part=True).text()) for name, value in own)
    return replace(kernel, text=f'{prelude}\n#line 1 "{kernel.entry}"\n{text}', language=language,
                   options=_OPTIONS[language], defines=defines)  # fmt: skip


def _defined(options: Sequence[str]) -> tuple[tuple[str, str], ...]:
    found = (re.fullmatch(r"-D\s*(\w+)(?:=(.*))?", option) for option in options)
    return tuple((match[1], match[2] or "1") for match in found if match)


@dataclass(slots=True)
class _Token:
    kind: str
    text: str
    at: int


class _Translation:
    """One text. part: it is none of whole kernels, but what a name stands for."""

    def __init__(self, text: str, entry: str, language: str, part: bool = False) -> None:
        self.source, self.entry, self.language, self.part = text, entry, language, part
        self.tokens = [_Token(m.lastgroup or "sign", m[0], m.start()) for m in _TOKEN.finditer(text)]
        self.depth = 0

    def text(self) -> str:
        self._directives()
        step = self._for_opencl if self.language == "opencl" else self._for_cuda
        out: list[str] = []
        at = 0
        while at < len(self.tokens):
            token = self.tokens[at]
            if token.kind in ("space", "string", "number"):
                out.append(token.text)
                at += 1
                continue
            self.depth += {"{": 1, "}": -1}.get(token.text, 0)
            found, at = step(token, at)
            out.append(found)
        return "".join(out)

    def _refuse(self, token: _Token, what: str = "") -> ConfigurationError:
        line = self.source.count("\n", 0, token.at)
        first = self.source.rfind("\n", 0, token.at) + 1
        shown = self.source.splitlines()[line]
        other = {"opencl": "OpenCL C", "cuda": "CUDA"}[self.language]
        return ConfigurationError(
            f"{self.entry} cannot be translated to {other}: {what or f'`{token.text}`'}",
            reason=f"line {line + 1}: {shown}\n  {' ' * (len(f'line {line + 1}: ') + token.at - first)}^",
            hint=f"give its source in {other}",
        )

    def _directives(self) -> None:
        for at, token in enumerate(self.tokens):
            if token.text == "#" and (word := self._next(at)) is not None and self.tokens[word].text == "include":
                raise self._refuse(self.tokens[word], "it includes a file")

    def _next(self, at: int) -> int | None:
        """Where the token behind this one is."""
        return next((n for n in range(at + 1, len(self.tokens)) if self.tokens[n].kind != "space"), None)

    def _seen(self, at: int, *texts: str) -> int | None:
        """Where the last of these tokens is, if they follow; None: they do not."""
        for text in texts:
            found = self._next(at)
            if found is None or (text and self.tokens[found].text != text):
                return None
            at = found
        return at

    def _closed(self, at: int) -> int:
        """Behind the parenthesis that closes the next one."""
        depth, n = 0, at
        while n < len(self.tokens):
            depth += {"(": 1, ")": -1}.get(self.tokens[n].text, 0)
            n += 1
            if depth == 0 and self.tokens[n - 1].text == ")":
                break
        return n

    # ---------------------------------------------------------------------------------------- to OpenCL C

    def _for_opencl(self, token: _Token, at: int) -> tuple[str, int]:
        word = token.text
        if word in _NO_OPENCL and not self._is_extern_c(at):
            raise self._refuse(token)
        if word in ("::", "<<<", ">>>"):
            raise self._refuse(token)
        if self._is_extern_c(at):
            behind = self._next(at)
            assert behind is not None
            return "", behind + 1
        if word in _PLACES:
            axis = self._seen(at, ".", "")
            if axis is None or self.tokens[axis].text not in _AXES:
                raise self._refuse(token, f"`{word}` as a whole")
            return f"((uint){_PLACES[word]}({_AXES[self.tokens[axis].text]}))", axis + 1
        if word == "__launch_bounds__":
            return "", self._closed(at)
        if word == "__syncthreads":
            return "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)", self._closed(at)
        if word == "__global__":
            return self._kernel_for_opencl(at)
        if word.startswith("atomic") and word != "atomicExch" and (type := self._float_of(at)):
            raise self._refuse(token, f"`{word}` of `{type}`")
        if word in _TO_OPENCL:
            return _TO_OPENCL[word], at + 1
        if word == "long" and (second := self._seen(at, "long")) is not None:
            return "long", second + 1
        if word.startswith("make_") and _VECTOR.match(word[5:]):
            return f"({word[5:]})", at + 1
        if word.startswith("__") and token.kind == "word":
            raise self._refuse(token)
        self._require_no_pointer(token, at)
        return word, at + 1

    def _float_of(self, at: int) -> str:
        """The type of floats that the first argument of a call points at, where it is declared so; else nothing."""
        name = next((t.text for t in self.tokens[at + 1 : self._closed(at)] if t.kind == "word"), "")
        words = [t.text for t in self.tokens if t.kind != "space" and t.text not in ("*", "const", "__restrict__")]
        return next((type for type, word in pairwise(words) if word == name and type in ("float", "double")), "")

    def _is_extern_c(self, at: int) -> bool:
        behind = self._next(at)
        return self.tokens[at].text == "extern" and behind is not None and self.tokens[behind].text == '"C"'

    def _require_no_pointer(self, token: _Token, at: int) -> None:
        """Of which memory it would be, CUDA does not say."""
        star = self._next(at)
        is_type = token.text in _WORDS or _VECTOR.match(token.text)
        if is_type and star is not None and self.tokens[star].text in ("*", "&"):
            what = "a pointer" if self.tokens[star].text == "*" else "a reference"
            raise self._refuse(self.tokens[star], f"{what} that is no parameter of a kernel")

    def _kernel_for_opencl(self, at: int) -> tuple[str, int]:
        """The head of a kernel: pointers are to global memory."""
        begin = at
        while self.tokens[begin].text != "(" or self._is_bounds(begin):
            begin += 1
            if begin == len(self.tokens):
                raise self._refuse(self.tokens[at])
        end = self._closed(begin)
        inner = self.tokens[begin + 1 : end - 1]
        head = "".join("" if n in self._bounds(at, begin) else t.text for n, t in enumerate(self.tokens[at:begin], at))
        parts: list[str] = [""]
        for token in inner:
            if token.text in ("&", "<"):
                raise self._refuse(token, "a reference" if token.text == "&" else "a template")
            if token.text == ",":
                parts.append("")
            else:
                parts[-1] += _TO_OPENCL.get(token.text, token.text)
        parts = [f"global {part.strip()}" if "*" in part or "[" in part else part for part in parts]
        long = [re.sub(r"\blong\s+long\b", "long", part) for part in parts]
        return f"{head.replace('__global__', 'kernel', 1)}({', '.join(long)})", end

    def _bounds(self, at: int, end: int) -> range:
        """Where the launch bounds between two places are."""
        for n in range(at, end):
            if self.tokens[n].text == "__launch_bounds__":
                return range(n, self._closed(n))
        return range(0)

    def _is_bounds(self, at: int) -> bool:
        before = next((n for n in range(at - 1, -1, -1) if self.tokens[n].kind != "space"), None)
        return before is not None and self.tokens[before].text == "__launch_bounds__"

    # -------------------------------------------------------------------------------------------- to CUDA

    def _for_cuda(self, token: _Token, at: int) -> tuple[str, int]:
        word = token.text
        if word == "__attribute__":
            return "", self._closed(at)
        if word == "#" and self._seen(at, "pragma", "OPENCL") is not None:
            end = next((n for n in range(at, len(self.tokens)) if "\n" in self.tokens[n].text), len(self.tokens))
            return "", end
        if token.kind == "word" and (_NO_CUDA.match(word) or word in _WORDS_OF_CPP):
            raise self._refuse(token)
        if word in _INDICES:
            axis = self._seen(at, "(", "")
            if axis is None or self.tokens[axis].text not in ("0", "1", "2") or self._seen(axis, ")") is None:
                raise self._refuse(token, f"`{word}` of a dimension that is no literal")
            return _INDICES[word].format("xyz"[int(self.tokens[axis].text)]), self._closed(at)
        if word == "barrier":
            return "__syncthreads()", self._closed(at)
        if word in ("constant", "__constant"):
            return ("const" if self.depth or not self._is_array(at) else "__constant__ const"), at + 1
        if word in ("local", "__local") and not self.depth and not self.part:
            raise self._refuse(token, "local memory as an argument")
        if word in ("atomic_inc", "atomic_dec"):
            raise self._refuse(token, f"`{word}`: write atomic_{'add' if word == 'atomic_inc' else 'sub'}(…, 1)")
        if word in _TO_CUDA:
            return _TO_CUDA[word], at + 1
        if word == "(" and (closing := self._seen(at, "", ")", "(")) is not None:
            name = self._next(at)
            assert name is not None
            if _VECTOR.match(self.tokens[name].text):  # a vector of these components
                return f"make_{self.tokens[name].text}(", closing + 1
        if (
            word == "."
            and (name := self._next(at)) is not None
            and re.match(r"s[\da-fA-F]+$|[xyzw]{2,}$|lo$|hi$|even$|odd$", self.tokens[name].text)
        ):
            raise self._refuse(self.tokens[name], f"the components `.{self.tokens[name].text}`")
        return word, at + 1

    def _is_array(self, at: int) -> bool:
        """Whether this declares an array of the program, and no parameter."""
        for token in self.tokens[at:]:
            if token.text in ("=", ";", "["):
                return True
            if token.text in (",", ")", "*"):
                return False
        return False
