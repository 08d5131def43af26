"""`mdh.wisdom`: what is known of configurations as a file that people can read, to take to other machines.

    {"jitmdh": "wisdom", "version": 1, "results": 2}
    {"name": "kernels.matvec", "machine": …, "threads": 8, "sizes": {…}, "seconds": …, "configuration": {…}, …}

One JSON object a line, no code. Nothing is taken from a file that is damaged anywhere.
"""

from __future__ import annotations

import dataclasses
import json
import os
import tempfile
import weakref
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from jitmdh.base.errors import ArgumentTypeError, ConfigurationError
from jitmdh.base.log import logger
from jitmdh.base.records import dataclass
from jitmdh.base.settings import config
from jitmdh.base.storage.store import Store, default_store
from jitmdh.jit.online.knowledge import Knowledge, Observation, Subject, evaluation

VERSION = 1
_SUBJECT = {f.name: "class" if f.name == "sizes" else f.name for f in dataclasses.fields(Subject)}
_HINT = "mdh.wisdom.export(path) writes such files"


@dataclass(frozen=True, slots=True)
class Loaded:
    """What `load` has taken over: how many results, of how many functions. skipped: how many not, by reason."""

    results: int
    functions: int
    skipped: Mapping[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        lines = [f"{self.results} results of {self.functions} functions"]
        return "\n".join([*lines, *(f"  {count} skipped: {reason}" for reason, count in self.skipped.items())])


class WisdomInterface:
    """`mdh.wisdom`."""

    def export(self, path: str | os.PathLike[str], functions: Iterable[Any] | None = None) -> int:
        """Writes all that is known of functions (None: of all) to a file; the number of results.

        ConfigurationError if it cannot be written.
        """
        names = None if functions is None else {_name(f) for f in functions}
        known = knowledge_in(default_store() if config.cache else None)
        lines = [
            {**{_SUBJECT[k]: v for k, v in dataclasses.asdict(subject).items()}, **found.line()}
            for subject in known.subjects()
            if names is None or subject.name in names
            for found in _latest(known.of(subject))
        ]
        head = {"jitmdh": "wisdom", "version": VERSION, "results": len(lines)}
        text = "".join(json.dumps(line) + "\n" for line in (head, *lines))
        _written(Path(path), text)
        return len(lines)

    def load(self, path: str | os.PathLike[str]) -> Loaded:
        """Takes over what another process, or another machine, has found.

        Results of this kind of machine are candidates before all others, once their result has been checked; those of
        others are first guesses. ConfigurationError, and nothing is taken over, for a file that cannot be read, is
        damaged, or of a later version.
        """
        return _load(Path(path), knowledge_in(default_store() if config.cache else None))


def knowledge_of(store: Store | None) -> Knowledge:
    """What is known in a store, with what the file holds that the setting `wisdom` names, if it does.

    ConfigurationError for what is wrong with that file; once, then it is left out.
    """
    known, path = knowledge_in(store), config.wisdom
    if path is not None and (path, known) not in _taken:
        _taken.add((path, known))
        _load(path, known)
    return known


_taken: set[tuple[Path, Knowledge]] = set()
_of_stores: weakref.WeakKeyDictionary[Store, Knowledge] = weakref.WeakKeyDictionary()
_in_memory = Knowledge(None)


def knowledge_in(store: Store | None) -> Knowledge:
    """What is known in a store; None: in this process."""
    if store is None:
        return _in_memory
    return _of_stores.setdefault(store, Knowledge(store))


def _name(function: Any) -> str:
    name = getattr(function, "full_name", None)
    if not isinstance(name, str):
        raise ArgumentTypeError(f"wisdom: not a function decorated by jitmdh.jit: {function!r}")
    return name


def _latest(found: Iterable[Observation]) -> list[Observation]:
    """The last word on each configuration at each size; a verdict that something is chosen outlasts times."""
    last: dict[tuple[str, str], Observation] = {}
    for e in found:
        if not e.configuration:
            continue
        key = e.digest, json.dumps(e.sizes, sort_keys=True)
        before = last.pop(key, None)
        last[key] = replace(e, chosen=e.chosen or (before is not None and before.chosen and not e.quarantined))
    return list(last.values())


def _written(path: Path, text: str) -> None:
    """All or nothing: whoever reads at the same time sees the file of before, or this one."""
    new: str | None = None
    try:
        with tempfile.NamedTemporaryFile(
            "w", dir=path.parent, prefix=".wisdom-", encoding="utf-8", delete=False
        ) as file:
            new = file.name
            file.write(text)
        os.chmod(new, 0o644)
        os.replace(new, path)
    except OSError as error:
        if new is not None:
            with suppress(OSError):
                os.unlink(new)
        raise ConfigurationError(f"{path}: no wisdom can be written there: {error.strerror or error}") from error


def _load(path: Path, known: Knowledge) -> Loaded:
    found = _read(path)
    skipped: Counter[str] = Counter()
    taken: dict[Subject, list[Observation]] = {}
    for subject, e in found:
        reason = _refused(e)
        if reason:
            skipped[reason] += 1
        else:
            taken.setdefault(subject, []).append(e)
    for subject, evaluations in taken.items():
        present = set(map(_facts, known.of(subject)))
        known.record(subject, *(replace(e, where="wisdom") for e in evaluations if _facts(e) not in present))
    loaded = Loaded(sum(map(len, taken.values())), len({s.name for s in taken}), dict(skipped))
    logger().info("wisdom of %s: %s", path, loaded)
    return loaded


def _facts(e: Observation) -> tuple[object, ...]:
    """What makes two evaluations the same, wherever they come from."""
    return e.digest, json.dumps(e.sizes, sort_keys=True), e.seconds, e.chosen, e.quarantined


def _refused(e: Observation) -> str:
    """Why a configuration is none; empty if it may be one: whether it is legal, the program will say."""
    from jitmdh.mdh.lowering.schedule import parse

    try:
        parse(e.configuration)
    except ConfigurationError as error:
        return error.message
    return ""


def _read(path: Path) -> list[tuple[Subject, Observation]]:
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise ConfigurationError(
            f"{path}: no wisdom can be read there: {error.strerror or error}", hint=_HINT
        ) from error
    except UnicodeDecodeError:
        raise ConfigurationError(f"{path}, line 1: this is no wisdom of jitmdh", hint=_HINT) from None
    lines = text.split("\n")
    count = _head(path, lines[0])
    if lines[-1] or len(lines) - 2 != count:
        complete = min(count, len(lines) - 2)
        raise ConfigurationError(
            f"{path}, line {complete + 2}: {complete} of {count} results are there, then it ends or goes on otherwise"
        )
    return [_result(path, number, line) for number, line in enumerate(lines[1:-1], start=2)]


def _head(path: Path, line: str) -> int:
    try:
        head = json.loads(line)
        kind, version, count = head["jitmdh"], head["version"], head["results"]
        if kind != "wisdom" or type(version) is not int or type(count) is not int:
            raise ValueError(line)
    except (ValueError, KeyError, TypeError):
        raise ConfigurationError(f"{path}, line 1: this is no wisdom of jitmdh", hint=_HINT) from None
    if version > VERSION:
        raise ConfigurationError(
            f"{path}, line 1: wisdom of version {version}; this jitmdh reads up to version {VERSION}"
        )
    return count


def _result(path: Path, number: int, line: str) -> tuple[Subject, Observation]:
    try:
        data = json.loads(line)
        given = {name: data.pop(shown) for name, shown in _SUBJECT.items()}
        if any(type(v) is not (int if name == "threads" else str) for name, v in given.items()):
            raise ValueError(str(given))
        return Subject(**given), evaluation(data)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigurationError(
            f"{path}, line {number}: this is no result of tuning", reason=f"{type(error).__name__}: {error}"
        ) from None


wisdom = WisdomInterface()
