"""Which line of the user's source each instruction of object code comes from: DWARF's line tables, read.

Debuggers read them themselves; profilers that are told of code in memory want lines in a form of their own (`jitdump`).

Source: DWARF Debugging Information Format, version 4, section 6.2.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from jitmdh.hca.drivers.native_code.elf_object import RELOCATIONS, Image

_COPY, _ADVANCE_PC, _ADVANCE_LINE, _SET_FILE, _CONST_ADD_PC, _FIXED_ADVANCE_PC = 1, 2, 3, 4, 8, 9
_END_SEQUENCE, _SET_ADDRESS = 1, 2
_VERSION = 4


class Line(NamedTuple):
    """From `offset` bytes behind the beginning of its function on, instructions come from `file`, line `line`."""

    offset: int
    file: str
    line: int


class _Row(NamedTuple):
    """As `Line`, with the offset in a section, whose number is `section`. ends: nothing is known from here on."""

    section: int
    offset: int
    file: str
    line: int
    ends: bool


def lines_of_functions(image: Image) -> Mapping[str, list[Line]]:
    """The lines of each function of object code, by its name and in the order of its instructions."""
    rows = list(_rows(image))
    found: dict[str, list[Line]] = {}
    for name, index, value, _, size in image.symbols:
        if index and size:
            mine = [r for r in rows if r.section == index and value <= r.offset < value + size and not r.ends]
            found[name] = [Line(r.offset - value, r.file, r.line) for r in sorted(mine, key=lambda r: r.offset)]
    return found


def _rows(image: Image) -> Iterator[_Row]:
    for section in image.sections:
        if section.name == ".debug_line":
            places = _relocated(image, section.index)
            data = image.code[section.offset : section.offset + section.size]
            at = 0
            while at < len(data):
                (length,) = struct.unpack_from("<I", data, at)
                yield from _LineProgram(data, at, places).rows()
                at += 4 + length


def _relocated(image: Image, section: int) -> dict[int, tuple[int, int]]:
    """What the addresses in a section are, by where they stand: a section and an offset in it."""
    found: dict[int, tuple[int, int]] = {}
    for table in image.sections:
        if table.type == RELOCATIONS and table.info == section:
            part = image.code[table.offset : table.offset + table.size]
            for offset, info, addend in struct.iter_unpack("<QQq", part):
                _, index, value, *_ = image.symbols[info >> 32]
                found[offset] = index, value + addend
    return found


class _LineProgram:
    """The line number program of a compilation unit, whose header is at `begin`."""

    def __init__(self, data: bytes, begin: int, places: Mapping[int, tuple[int, int]]) -> None:
        self.data, self.places = data, places
        length, version, header = struct.unpack_from("<IHI", data, begin)
        self.end, self.version = begin + 4 + length, version
        self.at = begin + 10
        self.least, _, _, self.base, self.range, self.first_special = struct.unpack_from("<BBBbBB", data, self.at)
        self.at += 6
        self.operands = data[self.at : self.at + self.first_special - 1]
        self.at += self.first_special - 1
        self.files = [""]
        if version == _VERSION:
            folders = [""]
            while name := self._text():
                folders.append(name)
            while name := self._text():
                folder, _, _ = (self._number() for _ in range(3))
                self.files.append(f"{folders[folder]}/{name}" if folders[folder] else name)
        self.at = begin + 10 + header

    def rows(self) -> Iterator[_Row]:
        """None of a table of another version."""
        section, offset, file, line = 0, 0, 1, 1
        while self.version == _VERSION and self.at < self.end:
            op = self._byte()
            if op >= self.first_special:
                step = op - self.first_special
                offset, line = offset + step // self.range * self.least, line + self.base + step % self.range
                yield _Row(section, offset, self.files[file], line, False)
            elif op == 0:
                behind = self._number() + self.at
                kind = self._byte()
                if kind == _SET_ADDRESS:
                    section, offset = self.places.get(self.at, (0, 0))
                elif kind == _END_SEQUENCE:
                    yield _Row(section, offset, self.files[file], line, True)
                    section, offset, file, line = 0, 0, 1, 1
                self.at = behind
            elif op == _COPY:
                yield _Row(section, offset, self.files[file], line, False)
            elif op == _ADVANCE_PC:
                offset += self._number() * self.least
            elif op == _ADVANCE_LINE:
                line += self._signed()
            elif op == _SET_FILE:
                file = self._number()
            elif op == _CONST_ADD_PC:
                offset += (255 - self.first_special) // self.range * self.least
            elif op == _FIXED_ADVANCE_PC:
                offset += struct.unpack_from("<H", self.data, self.at)[0]
                self.at += 2
            else:
                for _ in range(self.operands[op - 1]):
                    self._number()

    def _byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def _number(self) -> int:
        """In groups of seven bits (LEB128)."""
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def _signed(self) -> int:
        begin, value = self.at, self._number()
        bits = 7 * (self.at - begin)
        return value - (1 << bits) if value >> (bits - 1) else value

    def _text(self) -> str:
        end = self.data.index(b"\0", self.at)
        text, self.at = self.data[self.at : end].decode(errors="replace"), end + 1
        return text
