"""Remembered code: where it is kept, under which key, and why it was not found."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import os
import sys
from collections.abc import Iterator, Mapping
from math import prod
from typing import Any

from jitmdh.base.errors import ArgumentTypeError
from jitmdh.base.process.signals import pass_on
from jitmdh.base.records import dataclass
from jitmdh.base.settings import config
from jitmdh.base.storage.store import Store, StoreInfo, default_store
from jitmdh.jit.compilation.backend import backend_of
from jitmdh.jit.compilation.compiled import Compiled, Condition, from_bytes, within
from jitmdh.jit.compilation.options import Options
from jitmdh.jit.compilation.signature import Signature

FOR_MANY = "many"
SOURCES = ("base", "mdh", "hca", "jit")
"""The packages of jitmdh that have a part in code."""


@dataclass(frozen=True, slots=True)
class Key:
    """Under which compiled code is stored: all that it depends on, each part with a name.

    kind: "code", as the model chose it, "tuned", or "many", chosen for one call but serving very different ones.
    threads: that tuned code was measured with; None: it is not tuned, and serves whatever their number is.
    """

    function: str
    signature: str
    options: str
    versions: str
    processor: str
    kind: str = "code"
    threads: int | None = None

    def tuned(self, threads: int) -> Key:
        """Where what tuning found best for so many threads is kept."""
        return dataclasses.replace(self, kind="tuned", threads=threads)

    @property
    def for_many(self) -> Key:
        """Where code is kept that serves very different sizes, for processes that have codes for many already."""
        return dataclasses.replace(self, kind=FOR_MANY)

    def __str__(self) -> str:
        kind = self.kind if self.threads is None else f"{self.kind} {self.threads}"
        return "|".join((kind, self.function, self.signature, self.options, self.versions, self.processor))


def key_of(fingerprint: str, signature: Signature, options: Options) -> Key:
    """The key of a function, known by its fingerprint, for a signature and options."""
    machine = backend_of(options.target_name).identity()
    return Key(fingerprint, str(signature), options.numerics(), versions(), machine)


@functools.cache
def versions() -> str:
    """Versions of everything that has a say in the code or in how it is called."""
    from jitmdh.hca.drivers.native_code.cpu_compile import compiler_version

    return f"jitmdh {_own_sources()} llvmlite {compiler_version()} python {sys.version_info.major}"


def _own_sources() -> str:
    """A digest of the names, sizes and times of jitmdh's own files: no other version of it finds this one's code.

    Each process that calls a function looks at them all, so no folder is read twice and nothing is looked up twice.
    """
    root = next(iter(sys.modules["jitmdh"].__path__))
    found: list[str] = []
    folders = [os.path.join(root, folder) for folder in SOURCES]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.name.endswith((".py", ".ll")):
                    facts = entry.stat()
                    found.append(f"{entry.path[len(root) :]} {facts.st_size} {facts.st_mtime_ns}")
                elif entry.name != "__pycache__" and entry.is_dir():
                    folders.append(entry.path)
    return hashlib.blake2b(";".join(sorted(found)).encode(), digest_size=8).hexdigest()


def store_of(options: Options) -> Store | None:
    """The store to use, None if caching is off for the function or for the process."""
    return default_store() if options.cache and config.cache else None


def recall(store: Store | None, key: Key, name: str, sizes: Mapping[str, int]) -> tuple[Compiled | None, str]:
    """(remembered code, "") or (None, why not), for the function called `name` and a call of these sizes."""
    if store is None:
        return None, "caching is switched off"
    if config.line_tables:
        return None, "line tables are made of the source as it is now"
    variants = _variants(store, key)
    for variant in sorted(variants, key=_calls):
        if within(variant, sizes):
            value = store.get(_variant_key(key, variant))
            if value is None:
                return None, store.why(_variant_key(key, variant))
            compiled = from_bytes(value)
            return compiled, "" if compiled is not None else "it was stored in another format"
    if variants:
        return None, "it was compiled for other sizes only"
    reason = store.why(str(key)) or "it was stored in another format"
    changed = _changes(store, key, name)
    return None, f"{reason}: {changed}" if changed else reason


def recall_all(store: Store | None, key: Key, most: int) -> Iterator[Compiled]:
    """Remembered code for calls of whatever sizes, that which was kept last first."""
    if store is None or config.line_tables:
        return
    for variant in _variants(store, key)[:most]:
        value = store.get(_variant_key(key, variant))
        compiled = None if value is None else from_bytes(value)
        if compiled is not None:
            yield compiled


def remember(store: Store | None, key: Key, name: str, compiled: Compiled, settled: bool = False) -> None:
    """Keeps compiled code for later processes. settled: tuning need not look for better code."""
    if store is None or compiled.code is None or config.line_tables:
        return
    variants = [v for v in _variants(store, key) if v != compiled.conditions]
    store.put(_variant_key(key, compiled.conditions), compiled.to_bytes())
    if settled:
        store.put(_settled_key(key, compiled.conditions), compiled.digest)
    kept = (compiled.conditions, *variants[: _VARIANTS_KEPT - 1])
    store.put(str(key), json.dumps([[dataclasses.astuple(c) for c in variant] for variant in kept]).encode())
    known = [k for k in _known(store, name) if k != key]
    store.put(_index(name), json.dumps([dataclasses.astuple(k) for k in (key, *known[: _KEPT - 1])]).encode())


def is_settled(store: Store | None, key: Key, compiled: Compiled) -> bool:
    """Whether tuning has said of this very code that there is none better."""
    if store is None or key.threads is None:
        return False
    return store.get(_settled_key(key, compiled.conditions)) == compiled.digest


def _settled_key(key: Key, conditions: tuple[Condition, ...]) -> str:
    return f"settled|{_variant_key(key, conditions)}"


_VARIANTS_KEPT = 64  # codes per key, each for other sizes


def _variants(store: Store, key: Key) -> list[tuple[Condition, ...]]:
    """Under which conditions on sizes there is code for a key."""
    value = store.get(str(key))
    try:
        return [tuple(Condition(*c) for c in v) for v in json.loads(value)] if value is not None else []
    except (TypeError, ValueError) as error:
        pass_on(error)
        return []


def _calls(conditions: tuple[Condition, ...]) -> tuple[bool, int]:
    """Sorts codes by how many calls they are for, the fewest first."""
    return not conditions, -prod(c.multiple for c in conditions)


def _variant_key(key: Key, conditions: tuple[Condition, ...]) -> str:
    return f"{key}|{' '.join(f'{c.least}<={c.size}<={c.most}/{c.multiple}' for c in conditions)}"


# ---------------------------------------------------------------------------------------------- why not

_KEPT = 16  # keys remembered per function name, to tell what has changed
_MEANINGS = {
    "function": "the function, or something it calls or reads, has changed",
    "signature": "no call had these argument types before",
    "options": "the options have changed",
    "versions": "a version of jitmdh, llvmlite or Python has changed",
    "processor": "the processor, or what is asked of it, has changed",
}


def _index(name: str) -> str:
    return f"index|{name}"


def _known(store: Store, name: str) -> list[Key]:
    value = store.get(_index(name))
    try:
        return [Key(*parts) for parts in json.loads(value)] if value is not None else []
    except (TypeError, ValueError) as error:
        pass_on(error)
        return []


def _changes(store: Store, key: Key, name: str) -> str:
    """What is different from the most similar key stored for a function of this name; empty if there is none."""

    def differences(other: Key) -> list[str]:
        return [part for part in _MEANINGS if getattr(other, part) != getattr(key, part)]

    nearest = min((differences(k) for k in _known(store, name)), key=len, default=[])
    return "; ".join(_MEANINGS[part] for part in nearest)


# ---------------------------------------------------------------------------------------------- mdh.cache


class CacheInterface:
    """`mdh.cache`: what is kept on disk, and why something was compiled anew."""

    def info(self) -> StoreInfo:
        """Entries, bytes, directory, hits and misses of the cache in force."""
        return default_store().info()

    def clear(self) -> None:
        """Removes all code and tuning results that were kept."""
        default_store().clear()

    def why(self, function: Any, *args: Any, **kwargs: Any) -> str:
        """Why a call of a decorated function with these arguments was, or would be, compiled anew."""
        why = getattr(function, "why", None)
        if why is None:
            raise ArgumentTypeError(f"not a function decorated by jitmdh.jit: {function!r}")
        reason: str = why(*args, **kwargs)
        return reason


cache = CacheInterface()
