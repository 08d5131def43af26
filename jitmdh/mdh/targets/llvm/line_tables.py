"""Which line of the user's source an instruction comes from, as metadata of LLVM: it makes DWARF's line tables of them.

    %sum = fadd double %a, %b, !dbg !1000005        !1000005 = !DILocation(line: 7, column: 9, scope: !1000004)

With the setting `line_tables` only. The instructions are the same without: a value knows where it comes from
(`kernel.ir.Apply.loc`), and what knows nothing comes from where the one before it does.
"""

from __future__ import annotations

from jitmdh.base.source import Loc

_FIRST = 1_000_000
"""The numbers of this metadata begin here; those of buffers are below."""

_DWARF_VERSION = 4


class LineTable:
    """Of a module whose code comes from the function called `title` at `loc`."""

    def __init__(self, title: str, loc: Loc) -> None:
        self.title, self.loc = title, loc
        self._numbers: dict[object, int] = {}
        self._lines: list[str] = []
        self._unit = self._add(
            f"distinct !DICompileUnit(language: DW_LANG_Python, file: !{self._file(loc.filename)}, "
            'producer: "jitmdh", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug)'
        )
        self._type = self._add("!DISubroutineType(types: !{})")

    def function(self) -> FunctionLines:
        """A function of the module: they all have the name of what they come from."""
        number = self._add(
            f'distinct !DISubprogram(name: "{_escaped(self.title)}", file: !{self._file(self.loc.filename)}, '
            f"line: {self.loc.line}, type: !{self._type}, scopeLine: {self.loc.line}, "
            f"spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !{self._unit})"
        )
        return FunctionLines(self, number)

    def place(self, scope: int, loc: Loc) -> int:
        """The number of a place in a function; what is inlined may be in another file."""
        if loc.filename != self.loc.filename:
            file = self._file(loc.filename)
            scope = self._once(f"!DILexicalBlockFile(scope: !{scope}, file: !{file}, discriminator: 0)")
        return self._once(f"!DILocation(line: {loc.line}, column: {loc.column + 1}, scope: !{scope})")

    def metadata(self) -> list[str]:
        """Behind the functions of the module."""
        flags = [
            self._once('!{i32 2, !"Debug Info Version", i32 3}'),
            self._once(f'!{{i32 7, !"Dwarf Version", i32 {_DWARF_VERSION}}}'),
        ]
        named = f"!llvm.dbg.cu = !{{!{self._unit}}}", f"!llvm.module.flags = !{{{', '.join(f'!{n}' for n in flags)}}}"
        return [*named, *self._lines]

    def _file(self, name: str) -> int:
        """Under its whole name: those who read a table of lines alone know no folders."""
        return self._once(f'!DIFile(filename: "{_escaped(name)}", directory: "")')

    def _once(self, text: str) -> int:
        number = self._numbers.get(text)
        if number is None:
            number = self._numbers[text] = self._add(text)
        return number

    def _add(self, text: str) -> int:
        number = _FIRST + len(self._lines)
        self._lines.append(f"!{number} = {text}")
        return number


class FunctionLines:
    """Of one function in the making. attachment: of its definition; first: of instructions that nothing is known of."""

    def __init__(self, table: LineTable, number: int) -> None:
        self._table, self._number = table, number
        self.attachment = f" !dbg !{number}"
        self.first = self.at(table.loc)

    def at(self, loc: Loc) -> str:
        """What is written behind an instruction that comes from `loc`."""
        return f", !dbg !{self._table.place(self._number, loc)}"


def _escaped(text: str) -> str:
    """As in a string of LLVM's: bytes of UTF-8, of which quotes, backslashes and all but ASCII in hexadecimal."""
    return "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:02X}" for b in text.encode(errors="replace"))
