"""The tensor model language as text: declarations, then assignments of formulas without indices (its Figure 1).

    prog ::= decl* stmt*              decl ::= var [in | out] id : [ int* ]        stmt ::= id = expr
    expr ::= id | ( expr ) | expr (+ | - | * | /) expr | expr # expr | expr . [int int] | expr ^ [int int]

All operators associate to the left and have one precedence; positions count from 1. A line break ends nothing; `--`
begins a comment.
"""

from __future__ import annotations

import linecache
import re
import zlib
from collections.abc import Iterator

from jitmdh.base.dtype import ScalarType, float64
from jitmdh.base.errors import (
    ArgumentValueError,
    AssignmentTypeError,
    ExpressionTypeError,
    RedeclarationError,
    UndeclaredAssignmentError,
    UndeclaredError,
)
from jitmdh.base.records import dataclass
from jitmdh.base.source import Loc
from jitmdh.mdh.frontend.tensor.notation.expr import Assignment, Tensor
from jitmdh.mdh.frontend.tensor.notation.index_free import Whole, entrywise, outer, trace, transpose, whole

_TOKEN = re.compile(r"--[^\n]*|[A-Za-z][A-Za-z0-9]*|\d+|[-+*/#.^=:()\[\]]|\S")
_ENTRYWISE = {"+": "add", "-": "sub", "*": "mul", "/": "truediv"}


@dataclass(frozen=True, slots=True)
class Declared:
    """A variable: kind is "in", "out" or "" for one without a qualifier."""

    tensor: Tensor
    kind: str


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    loc: Loc


def parse(text: str, type: ScalarType = float64) -> list[Assignment]:
    """The assignments of a program over tensors of `type`.

    If some variable is qualified, those that are not are temporaries. Raises RedeclarationError,
    UndeclaredAssignmentError, UndeclaredError (use), AssignmentTypeError and ExpressionTypeError, the report's five;
    ArgumentValueError for what is no program.
    """
    return _Parser(text, type).program()


class _Parser:
    def __init__(self, text: str, type: ScalarType) -> None:
        self.type = type
        self.file = f"<tensor program {zlib.crc32(text.encode()):08x}>"
        linecache.cache[self.file] = (len(text), None, text.splitlines(keepends=True), self.file)
        self.tokens = list(_tokens(text, self.file))
        self.at = 0
        self.context: dict[str, Declared] = {}

    def program(self) -> list[Assignment]:
        """Rule ok-prog: first the context, then the statements in it."""
        while self._next() == "var":
            self._declaration()
        qualified = any(d.kind for d in self.context.values())
        if qualified:
            for name, d in self.context.items():
                hidden = Tensor(name, d.tensor.shape, self.type, temporary=True)
                self.context[name] = d if d.kind else Declared(hidden, "")
        statements = []
        while self.at < len(self.tokens):
            statements.append(self._statement())
        return statements

    def _declaration(self) -> None:
        """Rule s-var: a name that the context does not have."""
        self._take("var")
        kind = ""
        if self._next() in ("in", "out") and self._next(1) != ":":
            kind = self._take().text
        name = self._name()
        self._take(":")
        self._take("[")
        extents = []
        while self._next() != "]":
            extents.append(self._number())
        self._take("]")
        if name.text in self.context:
            raise RedeclarationError(f"`{name.text}` is declared twice", loc=name.loc)
        if 0 in extents:
            raise ArgumentValueError(f"`{name.text}`: extents are positive", loc=name.loc)
        self.context[name.text] = Declared(Tensor(name.text, extents, self.type), kind)

    def _statement(self) -> Assignment:
        """Rule ok-stmt: a declared variable, and a formula of its type."""
        name = self._name()
        equals = self._take("=")
        if name.text not in self.context:
            raise UndeclaredAssignmentError(f"`{name.text}` is assigned to, but not declared", loc=name.loc)
        declared = self.context[name.text]
        value = self._expression()
        if declared.kind == "in":
            raise AssignmentTypeError(f"`{name.text}` is declared `in`", loc=name.loc)
        if declared.tensor.shape != value.shape:
            facts = f"`{name.text}` has shape {declared.tensor.shape}, what is assigned to it {value.shape}"
            raise AssignmentTypeError(facts, loc=equals.loc)
        target = whole(declared.tensor, name.loc)
        element = declared.tensor[target.axes]
        return Assignment(element, value[target.axes], name.loc)

    # ------------------------------------------------------------------------------------------ formulas

    def _expression(self) -> Whole:
        value = self._operand()
        while (op := self._next()) is not None and op in "+-*/#.^":
            at = self._take().loc
            if op == "#":
                value = outer(value, self._operand(), at)
            elif op in _ENTRYWISE:
                value = entrywise(_ENTRYWISE[op], value, self._operand(), at)
            else:
                self._take("[")
                first, second = self._position(value), self._position(value)
                self._take("]")
                value = trace(value, first, second, at) if op == "." else transpose(value, (first, second), at)
        return value

    def _operand(self) -> Whole:
        """Rules t-var and t-paren."""
        if self._next() == "(":
            self._take()
            value = self._expression()
            self._take(")")
            return value
        name = self._name()
        if name.text not in self.context:
            raise UndeclaredError(f"`{name.text}` is used, but not declared", loc=name.loc)
        return whole(self.context[name.text].tensor, name.loc)

    # ------------------------------------------------------------------------------------------ tokens

    def _next(self, ahead: int = 0) -> str | None:
        at = self.at + ahead
        return self.tokens[at].text if at < len(self.tokens) else None

    def _take(self, wanted: str | None = None) -> _Token:
        if self.at == len(self.tokens):
            last = self.tokens[-1].loc if self.tokens else None
            raise ArgumentValueError(f"the program ends where {wanted or 'more'} was expected", loc=last)
        token = self.tokens[self.at]
        if wanted is not None and token.text != wanted:
            raise ArgumentValueError(f"`{token.text}`, where `{wanted}` was expected", loc=token.loc)
        self.at += 1
        return token

    def _name(self) -> _Token:
        token = self._take()
        if not token.text[0].isalpha() or token.text == "var":
            raise ArgumentValueError(f"`{token.text}`, where a name was expected", loc=token.loc)
        return token

    def _position(self, value: Whole) -> int:
        """A position of an axis, which counts from 1, as one that counts from 0."""
        token, axes = self._digits(), len(value.axes)
        if not 1 <= int(token.text) <= axes:
            facts = f"a tensor of shape {value.shape} has no axis {token.text}"
            raise ExpressionTypeError(facts, loc=token.loc, hint=f"positions are from 1 to {axes}" if axes else "")
        return int(token.text) - 1

    def _number(self) -> int:
        return int(self._digits().text)

    def _digits(self) -> _Token:
        token = self._take()
        if not token.text.isdigit():
            raise ArgumentValueError(f"`{token.text}`, where a number was expected", loc=token.loc)
        return token


def _tokens(text: str, file: str) -> Iterator[_Token]:
    for number, line in enumerate(text.splitlines(), 1):
        for match in _TOKEN.finditer(line):
            if not match.group().startswith("--"):
                start, end = (len(line[:n].encode()) for n in match.span())
                yield _Token(match.group(), Loc(file, number, start, number, end))
