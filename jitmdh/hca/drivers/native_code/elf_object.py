"""Object code for x86-64 in ELF, read: its sections and its symbols."""

from __future__ import annotations

import struct
from dataclasses import field

from jitmdh.base.records import dataclass


class Unsupported(Exception):
    """Something that is not handled here; LLVM's loader does it."""


SYMBOLS, RELOCATIONS = 2, 4
"""Types of sections."""

_FUNCTION = 2  # type of a symbol


@dataclass(slots=True)
class Section:
    index: int
    name: str
    type: int
    flags: int
    offset: int
    size: int
    link: int
    info: int
    align: int
    address: int = 0


@dataclass(slots=True)
class Image:
    """An object file on its way into memory. `got`: slot of each symbol's address, `stubs`: jump to it."""

    code: bytes
    sections: list[Section]
    symbols: list[tuple[str, int, int, int, int]]  # name, section index, value, binding, size if it is a function
    got: dict[int, int] = field(default_factory=dict)
    stubs: dict[int, int] = field(default_factory=dict)
    outside: dict[int, int] = field(default_factory=dict)


def read_object(code: bytes) -> Image:
    """The sections and symbols of an object. Unsupported if it is another, or has symbols of unusual kinds."""
    if code[:6] != b"\x7fELF\x02\x01" or struct.unpack_from("<HH", code, 16) != (1, 62):
        raise Unsupported
    (table,) = struct.unpack_from("<Q", code, 40)
    entry, count, names = struct.unpack_from("<HHH", code, 58)
    rows = [struct.unpack_from("<IIQQQQIIQQ", code, table + entry * n) for n in range(count)]
    text = rows[names][4]
    sections = [
        Section(n, _name(code, text + r[0]), r[1], r[2], r[4], r[5], r[6], r[7], max(1, r[8]))
        for n, r in enumerate(rows)
    ]
    symbols: list[tuple[str, int, int, int, int]] = []
    for section in sections:
        if section.type == SYMBOLS:
            strings = sections[section.link].offset
            part = code[section.offset : section.offset + section.size]
            for name, info, _, index, value, size in struct.iter_unpack("<IBBHQQ", part):
                if index >= 0xFF00 and index != 0xFFF1:
                    raise Unsupported  # common symbols and the like
                code_bytes = size if info & 0xF == _FUNCTION else 0
                symbols.append((_name(code, strings + name), index, value, info >> 4, code_bytes))
    return Image(code, sections, symbols)


def _name(code: bytes, start: int) -> str:
    return code[start : code.index(b"\0", start)].decode()
