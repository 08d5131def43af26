"""Object code into memory: `load_object(code) -> LoadedCode`.

Objects for x86-64 ELF are placed by the small loader below, in well under a millisecond and without LLVM, so that a
process that finds its code in the cache never imports llvmlite. All else goes through LLVM's own loader.
"""

from __future__ import annotations

import ctypes
import functools
import mmap
import platform
import struct
import sys
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from jitmdh.base.errors import DeviceError
from jitmdh.base.process.signals import pass_on
from jitmdh.base.settings import config
from jitmdh.hca.drivers.native_code import perf_map
from jitmdh.hca.drivers.native_code.elf_object import RELOCATIONS, Image, Section, Unsupported, read_object
from jitmdh.hca.drivers.native_code.perf_map import NativeFunction

_PAGE = mmap.PAGESIZE


class LoadedCode:
    """Code in memory, for as long as this object lives. functions: those whose place is known."""

    __slots__ = ("__weakref__", "_owner", "_symbols", "functions")

    def __init__(self, symbols: Mapping[str, int], owner: object, functions: Sequence[NativeFunction] = ()) -> None:
        self._symbols, self._owner, self.functions = symbols, owner, functions

    def address_of(self, name: str) -> int:
        """Where a function or variable of the object is; KeyError if it has none of this name."""
        return self._symbols[name]

    def __contains__(self, name: str) -> bool:
        return name in self._symbols


def load_object(code: bytes, symbols: Mapping[str, int] | None = None, name: str = "jitmdh") -> LoadedCode:
    """Places `code` and resolves what it refers to, first in `symbols`, then in this process (libm, libc, Python).

    name: of what it is the code, for profilers. Raises DeviceError if something is not found.
    """
    loaded = _load(code, symbols or {})
    if config.perf_map:
        perf_map.note(name, loaded.functions)
        if config.line_tables:
            _note_lines(code, name, loaded.functions)
    return loaded


def _load(code: bytes, given: Mapping[str, int]) -> LoadedCode:
    if _own_loader_serves() and not (config.line_tables and _LINES in code):  # of LLVM's, debuggers are told
        try:
            return _load_elf(code, given)
        except Unsupported:
            pass
    return _load_llvm(code, given)


_LINES = b".debug_line"
"""The section of an object that says which lines it comes from."""


def _note_lines(code: bytes, name: str, functions: Sequence[NativeFunction]) -> None:
    from jitmdh.hca.drivers.native_code import jitdump
    from jitmdh.hca.drivers.native_code.line_tables import lines_of_functions

    with suppress(Unsupported):
        jitdump.note(name, functions, lines_of_functions(read_object(code)))


def _own_loader_serves() -> bool:
    return sys.platform == "linux" and platform.machine() == "x86_64" and struct.calcsize("P") == 8


# ---------------------------------------------------------------------------------------------- symbols


@functools.cache
def _libraries() -> list[ctypes.CDLL]:
    """Where external symbols are looked for: the process, then (glibc) the vector functions of libm."""
    found = [ctypes.CDLL(None)]
    for name in ("libm.so.6", "libmvec.so.1") if sys.platform == "linux" else ():
        try:
            found.append(ctypes.CDLL(name))
        except OSError as error:
            pass_on(error)
    return found


@functools.cache
def process_symbol(name: str) -> int | None:
    """The address of `name` in this process, or None."""
    for library in _libraries():
        try:
            return ctypes.cast(getattr(library, name), ctypes.c_void_p).value
        except AttributeError:
            continue
    return None


def _resolve(name: str, given: Mapping[str, int]) -> int:
    address = given.get(name) or process_symbol(name)
    if not address:
        raise DeviceError(f"generated code needs the function `{name}`, which this system does not have")
    return address


# ---------------------------------------------------------------------------------------------- ELF


_ALLOC, _EXEC, _NOBITS = 2, 4, 8
_UNWIND = 0x70000001
_ABS64, _PC32, _PLT32, _GOTPCREL, _PC64, _GOTPCRELX, _REX_GOTPCRELX = 1, 2, 4, 9, 24, 41, 42
_GOT_KINDS = (_GOTPCREL, _GOTPCRELX, _REX_GOTPCRELX)
_STUB = b"\xff\x25"  # jmp *offset(%rip)


def _wanted(section: Section) -> bool:
    return bool(section.flags & _ALLOC) and section.type != _UNWIND and not section.name.startswith(".eh_frame")


def _relocations(image: Image) -> list[tuple[Section, int, int, int, int]]:
    """(section, offset, kind, symbol, addend) of every relocation that applies to a wanted section."""
    found = []
    for table in image.sections:
        if table.type == RELOCATIONS and _wanted(image.sections[table.info]):
            part = image.code[table.offset : table.offset + table.size]
            for offset, info, addend in struct.iter_unpack("<QQq", part):
                found.append((image.sections[table.info], offset, info & 0xFFFFFFFF, info >> 32, addend))
    return found


def _load_elf(code: bytes, given: Mapping[str, int]) -> LoadedCode:
    image = read_object(code)
    relocations = _relocations(image)
    for _, _, kind, symbol, _ in relocations:
        if kind not in (_ABS64, _PC32, _PLT32, _PC64, *_GOT_KINDS):
            raise Unsupported
        if image.symbols[symbol][1] == 0:
            image.outside.setdefault(symbol, _resolve(image.symbols[symbol][0], given))
            if kind == _PLT32:
                image.stubs.setdefault(symbol, 0)
        if kind in _GOT_KINDS or image.symbols[symbol][1] == 0:
            image.got.setdefault(symbol, 0)
    text_size, total = _lay_out(image)
    region = _Region(total)
    _fill(image, region)
    for section, offset, kind, symbol, addend in relocations:
        _relocate(image, region, section.address + offset, kind, symbol, addend)
    region.protect(text_size)
    table = {
        name: region.start + _offset_of(image, n)
        for n, (name, index, _, binding, _) in enumerate(image.symbols)
        if index != 0 and binding != 0
    }
    functions = [
        NativeFunction(name, region.start + _offset_of(image, n), size)
        for n, (name, index, _, _, size) in enumerate(image.symbols)
        if index != 0 and size
    ]
    return LoadedCode(table, region, functions)


def _lay_out(image: Image) -> tuple[int, int]:
    """Gives every section, stub and slot its offset: code first, data from the next page on. (code, total) bytes."""
    at = 0
    wanted = [s for s in image.sections if _wanted(s)]
    for section in (s for s in wanted if s.flags & _EXEC):
        section.address = at = -(-at // section.align) * section.align
        at += section.size
    for symbol in image.stubs:
        at = -(-at // 8) * 8
        image.stubs[symbol], at = at, at + 8
    text_size = at = -(-at // _PAGE) * _PAGE
    for section in (s for s in wanted if not s.flags & _EXEC):
        if section.flags & 0x400:
            raise Unsupported  # thread-local
        section.address = at = -(-at // section.align) * section.align
        at += section.size
    for symbol in image.got:
        at = -(-at // 8) * 8
        image.got[symbol], at = at, at + 8
    return text_size, max(_PAGE, -(-at // _PAGE) * _PAGE)


def _offset_of(image: Image, symbol: int) -> int:
    _, index, value, *_ = image.symbols[symbol]
    return image.sections[index].address + value


def _fill(image: Image, region: _Region) -> None:
    for section in image.sections:
        if _wanted(section) and section.type != _NOBITS:
            region.write(section.address, image.code[section.offset : section.offset + section.size])
    for symbol, slot in image.got.items():
        inside = image.symbols[symbol][1] != 0
        address = region.start + _offset_of(image, symbol) if inside else image.outside[symbol]
        region.write(slot, struct.pack("<Q", address))
    for symbol, stub in image.stubs.items():
        region.write(stub, _STUB + struct.pack("<i", image.got[symbol] - (stub + 6)))


def _relocate(image: Image, region: _Region, place: int, kind: int, symbol: int, addend: int) -> None:
    inside = image.symbols[symbol][1] != 0
    if kind == _ABS64:
        target = region.start + _offset_of(image, symbol) if inside else image.outside[symbol]
        region.write(place, struct.pack("<Q", (target + addend) & 0xFFFFFFFFFFFFFFFF))
        return
    if kind in _GOT_KINDS:
        target = image.got[symbol]
    elif inside:
        target = _offset_of(image, symbol)
    elif kind == _PLT32:
        target = image.stubs[symbol]
    else:
        raise Unsupported  # data outside within 2 GiB: not in position-independent code
    region.write(place, struct.pack("<q" if kind == _PC64 else "<i", target + addend - place))


@functools.cache
def _libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, *(ctypes.c_int,) * 3, ctypes.c_long)
    libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    libc.munmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
    return libc


class _Region:
    """Pages of memory, written first and made executable (and read-only) afterwards; never both."""

    def __init__(self, size: int) -> None:
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        start = _libc().mmap(None, size, mmap.PROT_READ | mmap.PROT_WRITE, flags, -1, 0)
        if start is None or start == ctypes.c_void_p(-1).value:
            raise DeviceError(f"no memory for code ({size} bytes)")
        self.start: int = start
        finalizer = weakref.finalize(self, _libc().munmap, start, size)
        finalizer.atexit = False  # other threads may run it until the very end

    def write(self, offset: int, data: bytes) -> None:
        ctypes.memmove(self.start + offset, data, len(data))

    def protect(self, text_size: int) -> None:
        if text_size and _libc().mprotect(self.start, text_size, mmap.PROT_READ | mmap.PROT_EXEC) != 0:
            raise DeviceError("this system does not let a process make code executable")


# ---------------------------------------------------------------------------------------------- LLVM's loader


def _load_llvm(code: bytes, given: Mapping[str, int]) -> LoadedCode:
    from jitmdh.hca.drivers.native_code.cpu_compile import llvm_engine

    image = _image(code)
    if image is not None:
        outside = [name for name, index, _, binding, _ in image.symbols if name and binding and not index]
        found = {name: given.get(name) or process_symbol(name) for name in outside}
        given = {name: address for name, address in found.items() if address}
    engine: Any = llvm_engine(code, given)
    return LoadedCode(_EngineSymbols(engine), engine, () if image is None else _functions(image, engine))


def _image(code: bytes) -> Image | None:
    """The object, if it can be read here."""
    with suppress(Unsupported):
        return read_object(code) if _own_loader_serves() else None
    return None


def _functions(image: Image, engine: Any) -> list[NativeFunction]:
    """Where functions are: sections stay in one piece, and LLVM says where those are that are seen from outside."""
    begins: dict[int, int] = {}
    for name, index, value, binding, size in image.symbols:
        if index and binding and size and index not in begins:
            begins[index] = engine.get_function_address(name) - value
    return [
        NativeFunction(name, begins[index] + value, size)
        for name, index, value, _, size in image.symbols
        if index in begins and size
    ]


class _EngineSymbols(Mapping[str, int]):
    """The symbols of LLVM's loader, looked up when asked for."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine

    def __getitem__(self, name: str) -> int:
        address: int = self._engine.get_function_address(name) or self._engine.get_global_value_address(name)
        if not address:
            raise KeyError(name)
        return address

    def __iter__(self) -> Any:
        raise TypeError("the symbols of this loader cannot be listed")

    def __len__(self) -> int:
        raise TypeError("the symbols of this loader cannot be counted")
