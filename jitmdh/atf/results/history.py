"""Everything measured, in order; kept as JSON lines if asked, and read back to resume or to start warm."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, overload

from jitmdh.atf.results.outcome import Cost, Evaluation, Invalid, negative
from jitmdh.atf.space.space import SearchSpace
from jitmdh.base.errors import ConfigurationError

VERSION = 1


class History(Sequence[Evaluation]):
    """The evaluations of a tuning run, oldest first. Stores positions; makes configurations on access."""

    __slots__ = ("_rows", "_space", "maximised")

    def __init__(self, space: SearchSpace, maximised: bool = False) -> None:
        self._space = space
        self._rows: list[tuple[int, Cost | Invalid, float]] = []
        self.maximised = maximised
        """Whether more is better: rows hold the negative of each cost then."""

    def __repr__(self) -> str:
        invalid = sum(isinstance(outcome, Invalid) for _, outcome, _ in self._rows)
        return f"<history of {len(self._rows)} evaluations, {invalid} of them invalid>"

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> Evaluation: ...
    @overload
    def __getitem__(self, index: slice) -> list[Evaluation]: ...
    def __getitem__(self, index: int | slice) -> Evaluation | list[Evaluation]:
        """The evaluation at a position in time."""
        if isinstance(index, slice):
            return [self._made(row) for row in self._rows[index]]
        return self._made(self._rows[index])

    def _made(self, row: tuple[int, Cost | Invalid, float]) -> Evaluation:
        position, outcome, seconds = row
        configuration = self._space.configuration(position)
        if isinstance(outcome, Invalid):
            return Evaluation(configuration, None, outcome.reason, seconds)
        return Evaluation(configuration, negative(outcome) if self.maximised else outcome, "", seconds)

    @property
    def space(self) -> SearchSpace:
        """The space the configurations come from."""
        return self._space

    def best_first(self) -> list[Evaluation]:
        """Those that have a cost."""
        valid = [row for row in self._rows if not isinstance(row[1], Invalid)]
        return [self._made(row) for row in sorted(valid, key=lambda row: row[1])]  # type: ignore[arg-type, return-value]

    def as_maximised(self) -> History:
        """The same evaluations, of a quantity of which more is better."""
        found = History(self._space, maximised=True)
        found._rows = self._rows
        return found

    def append(self, position: int, outcome: Cost | Invalid, seconds: float) -> None:
        """Adds what one evaluation gave."""
        self._rows.append((position, outcome, seconds))

    def rows(self) -> list[tuple[int, Cost | Invalid, float]]:
        """(position in the space, outcome of which less is better, seconds) of each evaluation: the list itself, which
        grows."""
        return self._rows

    def save(self, path: str | Path) -> None:
        """Writes all evaluations as JSON lines."""
        writer = HistoryWriter(self._space, path, anew=True)
        for row in self._rows:
            writer.write(*row)


class HistoryWriter:
    """Appends evaluations to a file, a JSON object per line; opened per line, so a crash loses nothing."""

    __slots__ = ("_path", "_space")

    def __init__(self, space: SearchSpace, path: str | Path, *, anew: bool) -> None:
        self._space, self._path = space, Path(path)
        header = {"atf_history": VERSION, "space": fingerprint(space), "parameters": list(space.names)}
        try:
            # Appended, too: another process may have begun the same file a moment ago.
            with self._path.open("w" if anew else "a", encoding="utf-8") as file:
                if file.tell() == 0:
                    file.write(json.dumps(header) + "\n")
        except OSError as error:
            reason = f"{error.strerror or error}."
            raise ConfigurationError(f"{path}: no tuning history can be kept there", reason=reason) from error

    def write(self, position: int, outcome: Cost | Invalid, seconds: float) -> str:
        """Adds one line, and returns it."""
        configuration = self._space.configuration(position)
        line: dict[str, Any] = {"configuration": {n: encoded(v) for n, v in configuration.items()}}
        if isinstance(outcome, Invalid):
            line["invalid"] = outcome.reason
        else:
            line["cost"] = list(outcome) if isinstance(outcome, tuple) else outcome
        line["seconds"] = round(seconds, 6)
        return self.append(line)

    def append(self, line: Mapping[str, Any]) -> str:
        """Adds a line by one write, so that those of several processes do not mix, and returns it."""
        text = json.dumps(line)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(text + "\n")
        return text


def read(path: str | Path, space: SearchSpace, until: int | None = None) -> list[tuple[int, Cost | Invalid, float]]:
    """The evaluations in a file whose configurations lie in `space`; those of other spaces are left out.

    A half-written last line (the process was killed) is ignored; anything else that is no history, and a file
    that cannot be read, raises `ConfigurationError`. until: only so many bytes.
    """
    return [
        (position, outcome, seconds)
        for configuration, outcome, seconds in records(path, space, until)
        if (position := space.find(configuration)) is not None
    ]


def records(
    path: str | Path, space: SearchSpace, until: int | None = None
) -> Iterator[tuple[dict[str, Any], Cost | Invalid, float]]:
    """(configuration, outcome, seconds) of each line, whether or not it lies in `space`."""
    try:
        text = Path(path).read_bytes()[:until].decode(errors="replace")
    except OSError as error:
        raise ConfigurationError(
            f"{path}: no tuning history can be read there",
            reason=f"{error.strerror or error}.",
            hint="`tuner.history(path)` and `result.history.save(path)` write one.",
        ) from error
    read, lines = Reader(space), text.split("\n")
    for number, line in enumerate(lines, start=1):
        try:
            found = read.record(line) if line.strip() else None
        except UNREADABLE as error:
            if number == len(lines):  # no newline at its end: cut off while being written
                return
            raise ConfigurationError(
                f"{path}, line {number}: not a line of a tuning history",
                reason=f"{type(error).__name__}: {error}",
                hint="each line is an object with the keys configuration and cost or invalid.",
            ) from error
        if found is not None:
            yield found


UNREADABLE = ValueError, KeyError, TypeError, AttributeError
"""What is raised of a line that is none of a history."""


class Reader:
    """Reads lines of histories."""

    __slots__ = ("_decoders",)

    def __init__(self, space: SearchSpace) -> None:
        self._decoders = {p.name: _Decoder(p.domain) for p in space.parameters}

    def record(self, text: str) -> tuple[dict[str, Any], Cost | Invalid, float] | None:
        """(configuration, outcome, seconds); None of a line that holds no evaluation: the first one of a process, and
        what is only begun."""
        line = json.loads(text)
        if line.get("atf_history") == VERSION or "begun" in line:
            return None
        return self.configuration(line["configuration"]), _outcome(line), float(line.get("seconds", 0.0))

    def configuration(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Values as they were before they were written."""
        decoders = self._decoders
        return {name: decoders[name].decoded(value) if name in decoders else value for name, value in values.items()}


def _outcome(line: Mapping[str, Any]) -> Cost | Invalid:
    if "invalid" in line:
        return Invalid(str(line["invalid"]))
    cost = line["cost"]
    return tuple(map(float, cost)) if isinstance(cost, list) else cost + 0.0


def encoded(value: Any) -> Any:
    """Plain values as they are, others by their `repr`."""
    if value is None or type(value) in (bool, int, float, str):
        return value
    return {"repr": repr(value)}


class _Decoder:
    __slots__ = ("_by_repr", "_values")

    def __init__(self, values: Callable[[], Sequence[Any]]) -> None:
        self._values = values
        self._by_repr: dict[str, Any] | None = None

    def decoded(self, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        if self._by_repr is None:
            self._by_repr = {repr(v): v for v in self._values()}
        return self._by_repr.get(value["repr"], value)


def fingerprint(space: SearchSpace) -> str:
    """Names, ranges and size of a space as a short text."""
    described = "; ".join(f"{p.name} {p.range}" for p in space.parameters)
    return sha256(f"{described} {space.size}".encode()).hexdigest()[:16]
