"""What is known of configurations, apart from code: times, verdicts, what must never run again. Survives an upgrade.

A *subject* is a function as it is written, a signature, options, a class of sizes, a number of threads and a kind of
machine; the store holds a JSON line per evaluation of it. Code dies with the version of jitmdh
that has made it; what is written here does not, since configurations are plain data (as `f.config` gives them).
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any

from jitmdh.base.log import logger
from jitmdh.base.process.signals import pass_on
from jitmdh.base.records import dataclass
from jitmdh.base.storage.store import Store
from jitmdh.jit.compilation.code_cache import Key, versions

if TYPE_CHECKING:
    from jitmdh.jit.compilation.compiled import Compiled

_INDEX = "knowledge|subjects"
_LINES, _ENTRIES = 64, 31  # lines in an entry of the store, and how many full ones are kept
_CLEARLY = 0.97  # times what is chosen
_CLAIM_SECONDS = 60.0  # after which the process that claimed a candidate is thought to be no more


@dataclass(frozen=True, slots=True)
class Subject:
    """What evaluations are about. function: a digest of what it says and reads; name: for people.

    sizes: the class of sizes, as `shape_class_text` writes it; machine: the cache key of the processor.
    """

    function: str
    name: str
    signature: str
    options: str
    sizes: str
    threads: int
    machine: str

    @property
    def key(self) -> str:
        """Where it is kept; the name is not part of it."""
        parts = [getattr(self, f.name) for f in dataclasses.fields(self) if f.name != "name"]
        return f"knowledge|{hashlib.blake2b(json.dumps(parts).encode(), digest_size=16).hexdigest()}"


def subject_of(key: Key, name: str, ranges: Mapping[str, tuple[int, int]], threads: int) -> Subject:
    """The subject of calls whose code has this key."""
    return Subject(key.function, name, key.signature, key.options, shape_class_text(ranges), threads, key.processor)


def shape_class_text(ranges: Mapping[str, tuple[int, int]]) -> str:
    """
    >>> shape_class_text({"M.shape[1]": (512, 2**63 - 1), "M.shape[0]": (4, 4)})
    'M.shape[0] 4..4, M.shape[1] 512..'
    """
    most = 2**63 - 1
    ends = ((n, low if low > -most else "", high if high < most else "") for n, (low, high) in ranges.items())
    shown = (f"{name} {low}..{high}" for name, low, high in ends)
    return ", ".join(sorted(shown))


@dataclass(frozen=True, slots=True)
class Observation:
    """What is known of one configuration, from one look at it.

    configuration: of all computations, plain data; values: the tuning parameters that are not the model's, by name.
    sizes: of the call. seconds, reference_seconds: of a call with it, and with the model's configuration in the same
    place at the same time; None: there is no time. where: "helper", "calls", "tune" or "wisdom". reason: why it has no
    time; quarantined: and must never run in a call. chosen: it serves calls of these sizes. code: the versions that
    made its code.
    """

    configuration: Mapping[str, Any]
    values: Mapping[str, Any]
    sizes: Mapping[str, int]
    seconds: float | None = None
    reference_seconds: float | None = None
    where: str = "tune"
    reason: str = ""
    quarantined: bool = False
    chosen: bool = False
    code: str = field(default_factory=versions)

    @property
    def digest(self) -> str:
        return digest_of(self.configuration)

    @property
    def ratio(self) -> float | None:
        """Its time, as a multiple of the model's; None if one is not known."""
        if self.seconds is None or not self.reference_seconds:
            return None
        return self.seconds / self.reference_seconds

    def line(self) -> dict[str, Any]:
        """As it is written: without what says nothing."""
        data = dataclasses.asdict(self)
        return {n: v for n, v in data.items() if n == "configuration" or (v not in (None, "", False) and v != {})}


def without_reasons(configuration: Mapping[str, Any]) -> dict[str, Any]:
    """A configuration without what is said about it for readers: that of each computation, and what is under one
    loop."""
    return {
        name: {k: v for k, v in entry.items() if k != "reasons"} if isinstance(entry, Mapping) else entry
        for name, entry in configuration.items()
    }


def digest_of(configuration: Mapping[str, Any]) -> str:
    """What two configurations have in common if and only if they are equal, whatever is said about them for readers."""
    bare = without_reasons(configuration)
    return hashlib.blake2b(json.dumps(bare, sort_keys=True).encode(), digest_size=12).hexdigest()


_TYPES: Mapping[str, tuple[type, ...]] = {
    "configuration": (dict,), "values": (dict,), "sizes": (dict,), "seconds": (float, int), "where": (str,),
    "reference_seconds": (float, int), "reason": (str,), "quarantined": (bool,), "chosen": (bool,), "code": (str,),
}  # fmt: skip


def evaluation(line: Mapping[str, Any]) -> Observation:
    """What `Observation.line` wrote. ValueError if it is not that."""
    for name, value in line.items():
        if name not in _TYPES or not isinstance(value, _TYPES[name]):
            raise ValueError(f"{name} is {value!r}")
    configuration = line.get("configuration")
    if not isinstance(configuration, dict) or not all(isinstance(e, (dict, list)) for e in configuration.values()):
        raise ValueError(f"configuration is {configuration!r}")
    return Observation(**{"values": {}, "sizes": {}, **line})


class Knowledge:
    """Reads and writes what is known, in a store (None: in memory, for this process).

    No method raises for what is wrong with the disk, and none waits for more than 100 ms: see `base.store`.
    """

    def __init__(self, store: Store | None) -> None:
        self.store = Store(None) if store is None else store
        self._read: dict[str, tuple[bytes, list[Observation]]] = {}
        self._indexed: set[Subject] = set()
        self._told: set[str] = set()
        self._claimed: set[str] = set()

    # ------------------------------------------------------------------------------------------------ writing

    def record(self, subject: Subject, *found: Observation) -> None:
        """Adds evaluations: on disk when it returns."""
        for e in found:
            self._append(subject.key, json.dumps(e.line(), separators=(",", ":"), default=_built_in).encode())
        if subject not in self._indexed:
            self._indexed.add(subject)
            own = json.dumps(dataclasses.astuple(subject)).encode()
            self.store.update(_INDEX, lambda present: None if own in _lines(present) else _with(present, own))
        for e in found:
            if (claim := _claim(subject, e.configuration)) in self._claimed:
                self._claimed.remove(claim)
                self.store.delete(claim)

    def _append(self, key: str, line: bytes) -> None:
        """Adds a line to the last of the entries that hold the lines of a key: entries stay small, and so do writes."""
        last = self._last(key)
        value = self.store.update(f"{key}|{last}", lambda present: _with(present, line))
        if len(_lines(value)) >= _LINES:
            self.store.update(key, lambda present: b"%d" % max(last + 1, _number(present)))
            if last >= _ENTRIES:
                self.store.delete(f"{key}|{last - _ENTRIES}")

    def _last(self, key: str) -> int:
        return _number(self.store.get(key))

    def claim(self, subject: Subject, configuration: Mapping[str, Any], seconds: float = _CLAIM_SECONDS) -> bool:
        """Whether this process may look at a candidate: no other is at it, or that has been so for too long."""
        own, now, got = f"{os.getpid()}", time.time(), [False]

        def change(present: bytes | None) -> bytes | None:
            owner, _, since = (present or b"").decode("ascii", "replace").partition(" ")
            got[0] = not present or owner == own or not _is_number(since) or not 0 <= now - float(since) < seconds
            return f"{own} {now}".encode() if got[0] else None

        self.store.update(_claim(subject, configuration), change)
        if got[0]:
            self._claimed.add(_claim(subject, configuration))
        return got[0]

    # ------------------------------------------------------------------------------------------------ reading

    def of(self, subject: Subject) -> list[Observation]:
        """All evaluations, in order."""
        last = self._last(subject.key)
        found: list[Observation] = []
        for number in range(max(0, last - _ENTRIES), last + 1):
            key = f"{subject.key}|{number}"
            value, known = self.store.get(key) or b"", self._read.get(key)
            if known is None or known[0] != value:
                known = self._read[key] = value, list(_evaluations(value))
            found += known[1]
        return found

    def chosen(self, subject: Subject, sizes: Mapping[str, int]) -> Observation | None:
        """What serves calls of these sizes, as was decided last; None: the model's, or nothing was."""
        found: Observation | None = None
        for e in self.of(subject):
            if e.chosen and e.sizes == sizes:
                found = e
        return found if found is not None and found.configuration else None

    def quarantined(self, subject: Subject) -> frozenset[str]:
        """Digests of the configurations that must not run in a call."""
        return frozenset(e.digest for e in self.of(subject) if e.quarantined)

    def times(self, subject: Subject, sizes: Mapping[str, int]) -> dict[str, Observation]:
        """By digest, the last word on how fast each configuration runs at these sizes, or why it has no time."""
        return {e.digest: e for e in self.of(subject) if e.sizes == sizes and (e.ratio is not None or e.reason)}

    def undecided(self, subject: Subject, sizes: Mapping[str, int]) -> list[Observation]:
        """What was clearly faster at these sizes than what is chosen, and has come to no verdict; the fastest first.

        Its process ended before: a verdict that anything is chosen is one on all that was known by then.
        """
        found: dict[str, Observation] = {}
        best = 1.0
        for e in self.of(subject):
            if e.sizes != sizes:
                continue
            if e.chosen:
                found.clear()
                best = (e.ratio or 1.0) if e.configuration else 1.0
            elif e.quarantined:
                found.pop(e.digest, None)
            elif e.ratio is not None and e.ratio < _CLEARLY * best:
                found[e.digest] = e
        bad = self.quarantined(subject)
        return sorted((e for e in found.values() if e.digest not in bad), key=lambda e: e.ratio or 1.0)

    def first_guesses(self, subject: Subject, sizes: Mapping[str, int], most: int = 8) -> list[Observation]:
        """What is worth trying first: the best at these sizes, then at others of the class, then of other subjects.

        Of other subjects those come first that differ in the class of sizes only, then in threads, then in the machine.
        """
        groups = [[e for e in self.of(subject) if e.sizes == sizes], [e for e in self.of(subject) if e.sizes != sizes]]
        alike = subject.signature, subject.options
        others = [s for s in self.subjects() if s.key != subject.key and (s.signature, s.options) == alike]
        self._tell_of_changes(subject, [s for s in others if s.name == subject.name and s.function != subject.function])
        others = [s for s in others if s.function == subject.function]
        others.sort(key=lambda s: (s.machine != subject.machine, s.threads != subject.threads))
        groups += [self.of(s) for s in others]
        bad, found = self.quarantined(subject), dict[str, Observation]()
        for group in groups:
            good = [e for e in group if (e.chosen or (e.ratio or 1.0) < 1.0) and e.configuration and not e.quarantined]
            for e in sorted(good, key=lambda e: (not e.chosen, e.ratio or 1.0)):
                if e.digest not in bad:
                    found.setdefault(e.digest, e)
        return list(found.values())[:most]

    def _tell_of_changes(self, subject: Subject, changed: list[Subject]) -> None:
        """Says once how much of what was loaded is about another text of a function."""
        count = sum(e.where == "wisdom" for s in changed for e in self.of(s))
        if count and subject.name not in self._told:
            self._told.add(subject.name)
            logger().info("wisdom: %d results of %s are skipped: the function has changed since", count, subject.name)

    def subjects(self) -> list[Subject]:
        """All that anything is known of."""
        found = []
        for line in _lines(self.store.get(_INDEX)):
            try:
                found.append(Subject(*json.loads(line)))
            except (TypeError, ValueError) as error:
                pass_on(error)
        return found


def _claim(subject: Subject, configuration: Mapping[str, Any]) -> str:
    return f"claim|{subject.key}|{digest_of(configuration)}"


def _lines(value: bytes | None) -> list[bytes]:
    return (value or b"").splitlines()


def _with(present: bytes | None, line: bytes) -> bytes:
    return line if not present else present + b"\n" + line


def _number(value: bytes | None) -> int:
    return int(value) if value is not None and value.isdigit() else 0


def _evaluations(value: bytes) -> Iterator[Observation]:
    """What is written there; lines of another version, or by another hand, are left out."""
    for line in value.splitlines():
        try:
            yield evaluation(json.loads(line))
        except (TypeError, ValueError) as error:
            pass_on(error)


def _built_in(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else value.item()


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError as error:
        pass_on(error)
        return False
    return True


def evaluated(compiled: Compiled, values: Mapping[str, Any], sizes: Mapping[str, int], **rest: Any) -> Observation:
    """The evaluation of code that was made; see `Observation`."""
    return Observation(without_reasons(compiled.configuration), dict(values), dict(sizes), **rest)


__all__ = [
    "Knowledge",
    "Observation",
    "Subject",
    "digest_of",
    "evaluated",
    "evaluation",
    "shape_class_text",
    "subject_of",
    "without_reasons",
]
