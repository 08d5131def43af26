"""The tuning directives of the thesis (Listing 24) in any text file, and as JSON (Listing 27).

    // #atf::var::N $1
    // #atf::tp name       "WPT"
    //          range      interval<size_t>( 1,N )
    //          constraint divides( N )
    // #atf::search_technique auc_bandit
    // #atf::abort_condition  duration<minutes>( 10 )

Comment marks before `#atf::` do not matter, text after `//` is ignored.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from jitmdh.atf.abort import Condition
from jitmdh.atf.param import TuningParameter, tuning_parameter
from jitmdh.atf.phrases import abort_condition, constraint, parameter_range, value
from jitmdh.atf.syntax import Cursor, Token, tokens
from jitmdh.base.errors import ConfigurationError
from jitmdh.base.source import Loc

T = TypeVar("T")
_DIRECTIVE = re.compile(r"#atf::(?P<name>[a-z_]+(?:::[A-Za-z_][A-Za-z_0-9]*)*)(?:<[a-z_]+>)?")
_FIELD = re.compile(r"^[^A-Za-z0-9_#]*(?P<name>range|constraint|name)\b")
_ARGUMENT = re.compile(r"^\$(\d+)$")


@dataclass(frozen=True, slots=True)
class Specification:
    """What the directives of a file say. `other` holds directives for modules above (`ocl::device`, ...), in order."""

    source: Path
    parameters: tuple[TuningParameter, ...]
    variables: Mapping[str, Any]
    search_technique: str | None
    abort_condition: Condition | None
    compile_script: str | None
    run_script: str | None
    cost_file: str | None
    other: tuple[Piece, ...]
    directive_lines: frozenset[int]


@dataclass(frozen=True, slots=True)
class Piece:
    """One directive or field: its name, its text, and where that stands."""

    name: str
    text: str
    loc: Loc


def read_directives(path: str | Path, arguments: Sequence[str] = ()) -> Specification:
    """The directives of a file; `arguments` are what `$1`, `$2`, ... stand for.

    Raises `ConfigurationError` at the line and column of a mistake.
    """
    file = Path(path)
    text = file.read_text(encoding="utf-8", errors="surrogateescape")
    if file.suffix == ".json":
        pieces, lines = _json_pieces(text, file), frozenset[int]()
    else:
        pieces, lines = _pieces(text, str(file))
    if not pieces:
        raise ConfigurationError(
            f"{file} has no tuning directives",
            hint='add lines such as  // #atf::tp name "T" range interval<int>(1, 8)',
        )
    return _specification(file, pieces, lines, arguments)


def _pieces(text: str, filename: str) -> tuple[list[Piece], frozenset[int]]:
    pieces: list[Piece] = []
    lines: set[int] = set()
    inside_tp = False
    for number, line in enumerate(text.splitlines(), start=1):
        match = _DIRECTIVE.search(line)
        if match is not None:
            name, start = match["name"], match.end()
            inside_tp = name == "tp"
        elif inside_tp and (match := _FIELD.match(line)) is not None:
            name, start = "", match.start("name")
        else:
            inside_tp = False
            continue
        lines.add(number)
        code = _without_comment(line[start:])
        if name:
            pieces.append(Piece(name, "" if inside_tp else code, _at(filename, number, start, len(code))))
        if inside_tp:
            pieces += _fields(code, filename, number, start)
    return pieces, frozenset(lines)


def _fields(code: str, filename: str, number: int, start: int) -> list[Piece]:
    """`name ... range ... constraint ...`, on one line or several."""
    marks = [m for m in re.finditer(r"(?<![\w:\"'])(name|range|constraint)(?=\s)", code)]
    if code.strip() and (not marks or code[: marks[0].start()].strip()):
        loc = _at(filename, number, start, len(code))
        raise ConfigurationError("a tuning parameter has the fields name, range and constraint", loc=loc)
    ends = [m.start() for m in marks[1:]] + [len(code)]
    return [
        Piece(f"tp.{m[1]}", code[m.end() : end], _at(filename, number, start + m.end(), end - m.end()))
        for m, end in zip(marks, ends)
    ]


def _without_comment(code: str) -> str:
    """Up to a `//` or a closing comment mark outside quotes."""
    found = re.match(r"(?:\"[^\"]*\"|'[^']*'|(?!//|\*/|-->).)*", code)
    return found[0] if found else code


def _at(filename: str, line: int, column: int, length: int) -> Loc:
    return Loc(filename, line, column, line, column + max(1, length))


def _json_pieces(text: str, file: Path) -> list[Piece]:
    """The same from a JSON object: tuning_parameters (a list), and the other directives by name."""
    loc = Loc(str(file), 1)
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise ConfigurationError(
            f"not JSON: {error.msg}", loc=Loc(str(file), error.lineno, error.colno - 1)
        ) from error
    if not isinstance(data, dict):
        raise ConfigurationError("tuning directives in JSON are one object", loc=loc)
    pieces = [Piece(f"var::{name}", str(given), loc) for name, given in data.pop("variables", {}).items()]
    for parameter in data.pop("tuning_parameters", []):
        pieces.append(Piece("tp", "", loc))
        for name, given in parameter.items():
            if isinstance(given, list):
                given = "values(" + ", ".join(json.dumps(v) for v in given) + ")"
            quoted = json.dumps(given) if name == "name" else str(given)
            pieces.append(Piece(f"tp.{name}", quoted, loc))
    return pieces + [Piece(name, str(given), loc) for name, given in data.items()]


_TEXT = frozenset({"compile_script", "run_script", "cost_file", "program_source"})
_KNOWN = _TEXT | {"tp", "var", "search_technique", "abort_condition"}


def _specification(
    file: Path, pieces: Sequence[Piece], lines: frozenset[int], arguments: Sequence[str]
) -> Specification:
    variables: dict[str, Any] = {}
    parameters: list[dict[str, Piece]] = []
    texts: dict[str, str] = {}
    conditions: list[Condition] = []
    other = []
    for piece in pieces:
        if piece.name.startswith("var::"):
            variables[piece.name.removeprefix("var::")] = _variable(piece, arguments, variables)
        elif piece.name == "tp":
            parameters.append({"tp": piece})
        elif piece.name.startswith("tp."):
            _add_field(parameters, piece)
        elif piece.name == "abort_condition":
            conditions.append(parsed(piece, variables, abort_condition))
        elif piece.name in _TEXT or piece.name == "search_technique":
            texts[piece.name] = _unquoted(piece.text)
        elif "::" in piece.name:
            other.append(piece)
        else:
            raise ConfigurationError(
                f"there is no tuning directive #atf::{piece.name}",
                loc=piece.loc,
                hint=f"known: {', '.join(sorted(_KNOWN))}",
            )
    if not parameters:
        raise ConfigurationError(
            f"{file} declares no tuning parameter", hint='#atf::tp name "T" range interval<int>(1, 8)'
        )
    source = texts.get("program_source")
    return Specification(
        source=(file.parent / source) if source else file,
        parameters=tuple(_parameter(fields, variables) for fields in parameters),
        variables=variables,
        search_technique=texts.get("search_technique"),
        abort_condition=conditions[0] if conditions else None,
        compile_script=texts.get("compile_script"),
        run_script=texts.get("run_script"),
        cost_file=texts.get("cost_file"),
        other=tuple(other),
        directive_lines=lines if source is None else frozenset(),
    )


def _unquoted(text: str) -> str:
    """Without quotes around all of it; quotes inside belong to a shell command."""
    stripped = text.strip()
    whole = re.fullmatch(r"\"([^\"]*)\"", stripped)
    return whole[1] if whole else stripped


def _variable(piece: Piece, arguments: Sequence[str], variables: Mapping[str, Any]) -> Any:
    match = _ARGUMENT.match(piece.text.strip().lstrip("=").strip())
    if match is None:
        text = piece.text.replace("=", " ", 1) if piece.text.strip().startswith("=") else piece.text
        return parsed(Piece(piece.name, text, piece.loc), variables, value)
    number = int(match[1])
    if not 1 <= number <= len(arguments):
        raise ConfigurationError(
            f"{piece.name.removeprefix('var::')} is argument ${number}, but {len(arguments)} were given",
            loc=piece.loc,
            hint=f"python -m jitmdh atf FILE {' '.join(f'ARG{k}' for k in range(1, number + 1))}",
        )
    given = arguments[number - 1]
    for kind in (int, float):
        try:
            return kind(given)
        except ValueError:
            continue
    return given


def _add_field(parameters: list[dict[str, Piece]], piece: Piece) -> None:
    field = piece.name.removeprefix("tp.")
    if field not in ("name", "range", "constraint"):
        raise ConfigurationError(f"a tuning parameter has no field {field!r}", loc=piece.loc)
    if field in parameters[-1]:
        raise ConfigurationError(f"the tuning parameter has two fields {field!r}", loc=piece.loc)
    parameters[-1][field] = piece


def _parameter(fields: Mapping[str, Piece], variables: Mapping[str, Any]) -> TuningParameter:
    for field in ("name", "range"):
        if field not in fields:
            raise ConfigurationError(f"the tuning parameter has no {field}", loc=fields["tp"].loc)
    name = str(parsed(fields["name"], {}, value))
    try:
        found = parsed(fields["range"], variables, parameter_range)
        rule = None
        if "constraint" in fields:
            rule = parsed(fields["constraint"], variables, lambda cursor: constraint(cursor, name))
        return tuning_parameter(name, found, rule)
    except ConfigurationError as error:
        if error.loc is not None:
            raise
        raise ConfigurationError(
            error.message, loc=fields["tp"].loc, reason=error.reason, hint=error.hint
        ) from error


def parsed(piece: Piece, variables: Mapping[str, Any], parse: Callable[[Cursor], T]) -> T:
    """What `parse` makes of all of a piece; `variables` are those of `#atf::var`."""
    found: list[Token] = tokens(piece.text, piece.loc.filename, piece.loc.line, piece.loc.column)
    end = piece.loc.end_column or piece.loc.column
    cursor = Cursor(found, Loc(piece.loc.filename, piece.loc.line, end, piece.loc.line, end + 1), variables)
    result = parse(cursor)
    cursor.finished()
    return result
