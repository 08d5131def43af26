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

import difflib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from jitmdh.atf.directives.parser import abort_condition, constraint, parameter_range, value
from jitmdh.atf.directives.syntax import Cursor, Token, tokens
from jitmdh.atf.space.constraint import expressions
from jitmdh.atf.space.expressions.symbolic import Expr, references
from jitmdh.atf.space.parameter import TuningParameter, tuning_parameter
from jitmdh.atf.techniques.registry import technique
from jitmdh.atf.tuning.abort import Condition
from jitmdh.base.calling.entry import entry
from jitmdh.base.errors import ConfigurationError
from jitmdh.base.records import dataclass
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
    other: tuple[DirectivePart, ...]
    directive_lines: frozenset[int]


@dataclass(frozen=True, slots=True)
class DirectivePart:
    """One directive or field: its name, its text, and where that stands."""

    name: str
    text: str
    loc: Loc


@entry
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


def _pieces(text: str, filename: str) -> tuple[list[DirectivePart], frozenset[int]]:
    pieces: list[DirectivePart] = []
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
            pieces.append(DirectivePart(name, "" if inside_tp else code, _at(filename, number, start, len(code))))
        if inside_tp:
            pieces += _fields(code, filename, number, start)
    return pieces, frozenset(lines)


def _fields(code: str, filename: str, number: int, start: int) -> list[DirectivePart]:
    """`name ... range ... constraint ...`, on one line or several."""
    marks = [m for m in re.finditer(r"(?<![\w:\"'])(name|range|constraint)(?=\s)", code)]
    if code.strip() and (not marks or code[: marks[0].start()].strip()):
        loc = _at(filename, number, start, len(code))
        raise ConfigurationError("a tuning parameter has the fields name, range and constraint", loc=loc)
    ends = [m.start() for m in marks[1:]] + [len(code)]
    return [
        DirectivePart(f"tp.{m[1]}", code[m.end() : end], _at(filename, number, start + m.end(), end - m.end()))
        for m, end in zip(marks, ends)
    ]


def _without_comment(code: str) -> str:
    """Up to a `//` or a closing comment mark outside quotes."""
    found = re.match(r"(?:\"[^\"]*\"|'[^']*'|(?!//|\*/|-->).)*", code)
    return found[0] if found else code


def _at(filename: str, line: int, column: int, length: int) -> Loc:
    return Loc(filename, line, column, line, column + max(1, length))


def _json_pieces(text: str, file: Path) -> list[DirectivePart]:
    """The same from a JSON object: tuning_parameters (a list), and the other directives by name."""
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise ConfigurationError(f"not JSON: {error.msg}", loc=Loc(str(file), error.lineno, error.colno - 1)) from error
    if not isinstance(data, dict):
        raise ConfigurationError("tuning directives in JSON are one object", loc=Loc(str(file), 1))
    listed, variables = data.get("tuning_parameters", []), data.get("variables", {})
    if not isinstance(listed, list) or not all(isinstance(p, dict) for p in listed) or not isinstance(variables, dict):
        raise ConfigurationError(
            "tuning_parameters is a list of objects, variables an object",
            loc=Loc(str(file), 1),
            hint='"tuning_parameters": [{"name": "T", "range": "interval<int>(1, 8)"}], "variables": {"N": "$1"}',
        )
    places, pieces = _JsonPlaces(text, str(file)), []
    for key, given in data.items():
        place = places.of(key)
        if key == "variables":
            pieces += [DirectivePart(f"var::{name}", str(v), places.of(name, v)) for name, v in given.items()]
        elif key == "tuning_parameters":
            for parameter in given:
                fields = [DirectivePart(f"tp.{n}", _json_field(n, v), places.of(n, v)) for n, v in parameter.items()]
                pieces += [DirectivePart("tp", "", fields[0].loc if fields else place), *fields]
        else:
            pieces.append(DirectivePart(key, str(given), place))
    return sorted(pieces, key=lambda piece: not piece.name.startswith("var::"))


def _json_field(name: str, given: object) -> str:
    """A field of a tuning parameter as it would stand in a directive."""
    if isinstance(given, list):
        return "values(" + ", ".join(json.dumps(v) for v in given) + ")"
    return json.dumps(given) if name == "name" else str(given)


class _JsonPlaces:
    """Finds where keys and their texts stand in JSON; asked for in their order."""

    def __init__(self, text: str, filename: str) -> None:
        self._text, self._filename, self._start = text, filename, 0

    def of(self, key: str, given: object = None) -> Loc:
        """The place of a text, or of its key where it is none or written otherwise."""
        place = Loc(self._filename, 1)
        for wanted in (key, given) if isinstance(given, str) else (key,):
            quoted = json.dumps(wanted)
            found = self._text.find(quoted, self._start)
            if found >= 0:
                self._start = found + len(quoted)
                line = self._text.count("\n", 0, found) + 1
                place = _at(self._filename, line, found - self._text.rfind("\n", 0, found) - 1, len(quoted))
        return place


_TEXT = frozenset({"compile_script", "run_script", "cost_file", "program_source"})
_KNOWN = _TEXT | {"tp", "var", "search_technique", "abort_condition"}


def _specification(
    file: Path, pieces: Sequence[DirectivePart], lines: frozenset[int], arguments: Sequence[str]
) -> Specification:
    variables: dict[str, Any] = {}
    parameters: list[dict[str, DirectivePart]] = []
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
            if piece.name in texts:
                raise ConfigurationError(f"#atf::{piece.name} stands twice", loc=piece.loc)
            texts[piece.name] = _unquoted(piece.text)
            if piece.name == "search_technique":
                texts[piece.name] = _technique(piece)
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
    names = [str(parsed(_needed(fields, "name"), {}, value)) for fields in parameters]
    return Specification(
        source=(file.parent / source) if source else file,
        parameters=tuple(_parameter(name, fields, variables, names) for name, fields in zip(names, parameters)),
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


def _technique(piece: DirectivePart) -> str:
    """A technique's name; the thesis's Listing 27 calls the bandit by where it comes from."""
    name = _unquoted(piece.text).removeprefix("atf::")
    name = {"open_tuner": "auc_bandit"}.get(name, name)
    try:
        technique(name)
    except ConfigurationError as error:
        raise ConfigurationError(error.message, loc=piece.loc, hint=error.hint) from None
    return name


def _variable(piece: DirectivePart, arguments: Sequence[str], variables: Mapping[str, Any]) -> Any:
    match = _ARGUMENT.match(piece.text.strip().lstrip("=").strip())
    if match is None:
        text = piece.text.replace("=", " ", 1) if piece.text.strip().startswith("=") else piece.text
        return parsed(DirectivePart(piece.name, text, piece.loc), variables, value)
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


def _add_field(parameters: list[dict[str, DirectivePart]], piece: DirectivePart) -> None:
    field = piece.name.removeprefix("tp.")
    if field not in ("name", "range", "constraint"):
        raise ConfigurationError(f"a tuning parameter has no field {field!r}", loc=piece.loc)
    if field in parameters[-1]:
        raise ConfigurationError(f"the tuning parameter has two fields {field!r}", loc=piece.loc)
    parameters[-1][field] = piece


def _needed(fields: Mapping[str, DirectivePart], field: str) -> DirectivePart:
    if field not in fields:
        raise ConfigurationError(f"the tuning parameter has no {field}", loc=fields["tp"].loc)
    return fields[field]


def _parameter(
    name: str, fields: Mapping[str, DirectivePart], variables: Mapping[str, Any], declared: Sequence[str]
) -> TuningParameter:
    piece = _needed(fields, "range")
    try:
        found = parsed(piece, variables, parameter_range)
        rule = None
        if "constraint" in fields:
            piece = fields["constraint"]
            rule = parsed(piece, variables, lambda cursor: constraint(cursor, name))
            for expr in expressions(rule):
                check_names(expr, declared, piece)
        return tuning_parameter(name, found, rule)
    except ConfigurationError as error:
        if error.loc is not None:
            raise
        raise ConfigurationError(error.message, loc=piece.loc, reason=error.reason, hint=error.hint) from error


def check_names(expr: Expr, declared: Sequence[str], piece: DirectivePart) -> None:
    """Raises `ConfigurationError` at a name in an expression that is neither a parameter nor a variable."""
    for name in references(expr):
        if name not in declared:
            close = difflib.get_close_matches(name, declared, n=1)
            start = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", piece.text)
            at = piece.loc.column + start.start() if start else piece.loc.column
            raise ConfigurationError(
                f"{name} is neither a tuning parameter nor a variable",
                loc=_at(piece.loc.filename, piece.loc.line, at, len(name)),
                hint=f"did you mean {close[0]}?" if close else f"declare it: #atf::var::{name} 1024 or $1",
            )


def parsed(piece: DirectivePart, variables: Mapping[str, Any], parse: Callable[[Cursor], T]) -> T:
    """What `parse` makes of all of a piece; `variables` are those of `#atf::var`."""
    found: list[Token] = tokens(piece.text, piece.loc.filename, piece.loc.line, piece.loc.column)
    end = piece.loc.end_column or piece.loc.column
    cursor = Cursor(found, Loc(piece.loc.filename, piece.loc.line, end, piece.loc.line, end + 1), variables)
    try:
        result = parse(cursor)
    except ConfigurationError as error:
        if error.loc is not None:
            raise
        raise ConfigurationError(error.message, loc=piece.loc, reason=error.reason, hint=error.hint) from error
    cursor.finished()
    return result
