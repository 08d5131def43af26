"""Processes that compile the same programs at the same time, here or elsewhere: each code is made by one of them.

Who compiles what nobody has compiled yet has a turn at it; the others wait, and take what was made. Codes are named by
all that they depend on, the processor and the contents of jitmdh included, and framed as in the store (`unframe`): what
is damaged, or of another machine, is nobody's. There are peers where somebody says so (`use`): on a cluster's workers.
"""

from __future__ import annotations

import functools
import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from jitmdh.base.errors import MdhError
from jitmdh.base.process.signals import pass_on
from jitmdh.base.storage.store import frame, unframe
from jitmdh.jit.compilation import code_cache
from jitmdh.jit.compilation.code_cache import Key
from jitmdh.jit.compilation.compiled import from_bytes, within

if TYPE_CHECKING:
    from jitmdh.base.storage.store import Store
    from jitmdh.jit.compilation.compiled import Compiled
    from jitmdh.jit.compilation.signature import Signature
    from jitmdh.jit.execution.launch import Specialisation

_MOST = 16  # codes under one name, each for other sizes


class Peers(Protocol):
    """What is needed of them. No method raises: who cannot be reached has nothing."""

    def turn(self, name: str) -> AbstractContextManager[object]:
        """While it lasts no peer has a turn of that name, unless this one takes unusually long or is gone."""
        ...

    def known(self, name: str) -> list[bytes]: ...
    def keep(self, name: str, values: list[bytes]) -> None: ...


class CodesToShare(Protocol):
    """What is needed of `Specialisations`."""

    @property
    def store(self) -> Store | None: ...
    @property
    def full_name(self) -> str: ...
    def remembered(self, signature: Signature, compiled: Compiled, key: Key) -> Specialisation: ...


_peers: list[Peers] = []


def use(peers: Peers | None) -> None:
    """From now on codes are exchanged with these; None: with nobody."""
    _peers[:] = [] if peers is None else [peers]


def made_once(
    codes: CodesToShare, signature: Signature, key: Key, sizes: Mapping[str, int], make: Callable[[], Specialisation]
) -> Specialisation:
    """A peer's code for a call of these sizes, which the own store keeps, too; or else `make`'s, for all of them."""
    if not _peers or codes.store is None:
        return make()
    with _peers[0].turn(_name(key)):
        there = list(known(key))
        for compiled in there:
            if within(compiled.conditions, sizes):
                try:
                    found = codes.remembered(signature, compiled, key)
                except (MdhError, KeyError) as error:
                    pass_on(error)
                    continue  # it cannot be loaded here
                code_cache.remember(codes.store, key, codes.full_name, compiled)
                return found
        made = make()
        _keep(key, made.compiled, there)
    return made


def known(key: Key) -> Iterator[Compiled]:
    """What peers have under a key, that which was offered last first."""
    if not _peers:
        return  # and nothing is read for the name
    name = _name(key)
    for framed in _peers[0].known(name):
        value = unframe(name.encode(), framed)
        compiled = None if value is None else from_bytes(value)
        if compiled is not None:
            yield compiled


def offer(key: Key, compiled: Compiled) -> None:
    """Peers have this code from now on."""
    if _peers and compiled.code is not None:
        _keep(key, compiled, known(key))


def _keep(key: Key, compiled: Compiled, there: Iterable[Compiled]) -> None:
    """there: what peers have under the key."""
    if compiled.code is None:
        return
    name = _name(key)
    kept = [compiled, *(c for c in there if c.conditions != compiled.conditions)]
    _peers[0].keep(name, [frame(name.encode(), c.to_bytes()) for c in kept[:_MOST]])


def _name(key: Key) -> str:
    """The same on all machines with the same jitmdh, whenever it was installed."""
    from jitmdh.hca.drivers.native_code.cpu_compile import compiler_version

    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    return str(replace(key, versions=f"jitmdh {_contents()} llvmlite {compiler_version()} python {python}"))


@functools.cache
def _contents() -> str:
    """A digest of what jitmdh's files say that have a part in code."""
    state = hashlib.blake2b(digest_size=16)
    root = Path(next(iter(sys.modules["jitmdh"].__path__)))
    files = (p for folder in code_cache.SOURCES for p in (root / folder).rglob("*") if p.suffix in (".py", ".ll"))
    for path in sorted(files):
        state.update(f"{path.relative_to(root).as_posix()} ".encode() + path.read_bytes())
    return state.hexdigest()
