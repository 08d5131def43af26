"""Tokens and expressions of the tuning directives: a small C-like language, parsed, never run as code."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from jitmdh.atf.space.expressions.symbolic import FUNCTIONS, Binary, Const, Expr, FunctionCall, Ref
from jitmdh.base.errors import ConfigurationError
from jitmdh.base.records import dataclass
from jitmdh.base.source import Loc

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?)|(?P<string>\"[^\"]*\"|'[^']*')"
    r"|(?P<name>[A-Za-z_][A-Za-z_0-9]*(?:::[A-Za-z_][A-Za-z_0-9]*)*)"
    r"|(?P<mark>&&|\|\||==|!=|<=|>=|[-+*/%<>!(){},;=:\[\]]))"
)


@dataclass(frozen=True, slots=True)
class Token:
    """kind: number, string, name, mark or end."""

    kind: str
    text: str
    loc: Loc


def tokens(text: str, filename: str, line: int, column: int) -> list[Token]:
    """The tokens of one piece of a line; raises `ConfigurationError` pointing at what is none."""
    found, place = [], 0
    stripped = text.rstrip()
    while place < len(stripped):
        match = _TOKEN.match(stripped, place)
        if match is None:
            start = place + len(stripped[place:]) - len(stripped[place:].lstrip())
            loc = Loc(filename, line, column + start, line, column + start + 1)
            raise ConfigurationError(f"{stripped[start]!r} has no meaning in a tuning directive", loc=loc)
        kind = match.lastgroup
        assert kind is not None
        start, end = match.span(kind)
        found.append(Token(kind, match[kind], Loc(filename, line, column + start, line, column + end)))
        place = match.end()
    return found


class Cursor:
    """Reads tokens one by one; `variables` are the values of `#atf::var`."""

    def __init__(self, found: Sequence[Token], end: Loc, variables: Mapping[str, Any]) -> None:
        self._tokens = [*found, Token("end", "the end of the directive", end)]
        self._place = 0
        self.variables = variables

    @property
    def token(self) -> Token:
        """The next token."""
        return self._tokens[self._place]

    def next(self) -> Token:
        """Consumes a token."""
        token = self.token
        self._place += token.kind != "end"
        return token

    def taken(self, *texts: str) -> str | None:
        """Consumes the next token if it is one of these marks or names."""
        if self.token.text in texts and self.token.kind in ("mark", "name"):
            return self.next().text
        return None

    def expect(self, text: str) -> None:
        """Consumes this mark or raises."""
        if self.taken(text) is None:
            self.fail(f"expected {text!r} here, found {self.token.text!r}")

    def name(self) -> str:
        """Consumes a name or raises."""
        if self.token.kind != "name":
            self.fail(f"expected a name here, found {self.token.text!r}")
        return self.next().text

    def finished(self) -> None:
        """Raises if something is left."""
        if self.token.kind != "end":
            self.fail(f"{self.token.text!r} is left over")

    def fail(self, message: str, *, hint: str = "", at: Token | None = None) -> NoReturn:
        """Raises `ConfigurationError` at a token."""
        raise ConfigurationError(message, loc=(at or self.token).loc, hint=hint)

    def lookahead(self, *texts: str) -> bool:
        """Whether the next tokens are these."""
        following = [t.text for t in self._tokens[self._place : self._place + len(texts)]]
        return following == list(texts)

    def lambda_follows(self) -> bool:
        """Whether `(int i) {` or `(i) {` comes next."""
        following = [t for t in self._tokens[self._place : self._place + 5]]
        texts = [t.text for t in following]
        return bool(texts) and texts[0] == "(" and ("{" in texts[3:5]) and ")" in texts[2:4]


_LEVELS: tuple[tuple[str, ...], ...] = (
    ("||",),
    ("&&",),
    ("==", "!="),
    ("<", "<=", ">", ">="),
    ("+", "-"),
    ("*", "/", "%"),
)
_OPERATORS = {"||": "or", "&&": "and"}


def expression(cursor: Cursor, bound: frozenset[str] = frozenset(), level: int = 0) -> Expr:
    """A C-like expression; names are variables, or parameters. `/` between integers gives an integer."""
    if level == len(_LEVELS):
        return _unary(cursor, bound)
    left = expression(cursor, bound, level + 1)
    while (op := cursor.taken(*_LEVELS[level])) is not None:
        right = expression(cursor, bound, level + 1)
        left = FunctionCall("quotient", (left, right)) if op == "/" else Binary(_OPERATORS.get(op, op), left, right)
        left = _folded(left)
    return left


def _folded(expr: Expr) -> Expr:
    """Arithmetic on constants is done at once."""
    if isinstance(expr, FunctionCall) and all(isinstance(a, Const) for a in expr.arguments):
        return Const(FUNCTIONS[expr.function](*(a.value for a in expr.arguments if isinstance(a, Const))))
    if isinstance(expr, Binary) and isinstance(expr.left, Const) and isinstance(expr.right, Const):
        from jitmdh.atf.space.expressions.symbolic import evaluate

        return Const(evaluate(expr, {}))
    return expr


def _unary(cursor: Cursor, bound: frozenset[str]) -> Expr:
    if cursor.taken("-"):
        return _folded(Binary("-", Const(0), _unary(cursor, bound)))
    if cursor.taken("!"):
        return _folded(FunctionCall("not", (_unary(cursor, bound),)))
    if cursor.taken("("):
        inner = expression(cursor, bound)
        cursor.expect(")")
        return inner
    token = cursor.next()
    match token.kind:
        case "number":
            is_float = any(mark in token.text for mark in ".eE")
            return Const(float(token.text) if is_float else int(token.text))
        case "string":
            return Const(token.text[1:-1])
        case "name":
            return _named(cursor, token, bound)
        case _:
            cursor.fail(f"expected a value here, found {token.text!r}", at=token)


def _named(cursor: Cursor, token: Token, bound: frozenset[str]) -> Expr:
    name = token.text.removeprefix("atf::").removeprefix("std::")
    if cursor.taken("("):
        if name not in FUNCTIONS:
            cursor.fail(f"there is no function {name}", at=token, hint=f"known: {', '.join(sorted(FUNCTIONS))}")
        arguments = [expression(cursor, bound)]
        while cursor.taken(","):
            arguments.append(expression(cursor, bound))
        cursor.expect(")")
        return _folded(FunctionCall(name, tuple(arguments)))
    if name in ("true", "false"):
        return Const(name == "true")
    if name in bound:
        return Ref(name)
    return Const(cursor.variables[name]) if name in cursor.variables else Ref(name)
