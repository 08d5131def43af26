"""Programs of kernels, which are not made again where an earlier process has made them from the same formulas.

    formulas, how they are computed, versions, machine  ->  digest of the program, names, constants  ->  code

Making a program takes longer than loading code. So the store keeps what calls need of it; the program itself is made
when it is asked for: where there is no code, by tuning, by reports.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, fields
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from jitmdh.base.cores import usable_cores
from jitmdh.base.errors import InternalError
from jitmdh.base.process.signals import pass_on
from jitmdh.base.records import dataclass
from jitmdh.base.settings import config
from jitmdh.base.source import Loc
from jitmdh.jit.compilation.backend import backend_of
from jitmdh.jit.compilation.code_cache import store_of, versions
from jitmdh.jit.compilation.options import Options
from jitmdh.jit.compilation.pipeline import fingerprint_of
from jitmdh.mdh.algebra.expr import Program
from jitmdh.mdh.frontend.tensor.notation.expr import Array, Constants
from jitmdh.mdh.frontend.tensor.notation.sizes import Size
from jitmdh.mdh.machine.host import host_caches, kind
from jitmdh.mdh.tensor.pattern import Pattern

KIND = "tensor"
"""The front end, in the identity of programs in the store."""

Made = tuple[Program, Mapping[str, Array]]
"""A program, and its last arguments by name, which are the same in all calls."""

Values = Mapping[str, str]
"""What is chosen for operands with known zeros, by their names (see `jitmdh.mdh.frontend.tensor.operands`)."""


@dataclass(frozen=True, slots=True)
class _Facts:
    """What calls need to know of a program: its digest, the names of its parameters, and constants."""

    fingerprint: str
    names: tuple[str, ...]
    constants: Mapping[str, Array]
    operands: Values = field(default_factory=dict)  # chosen by tuning


class Remembered:
    """A program that is made when it is asked for, with what calls need of it."""

    def __init__(self, name: str, meaning: object, make: Callable[[], Made]) -> None:
        """meaning: all that the program depends on but versions, the machine and what tuning has chosen for operands:
        formulas, names, numbers, arrays; None: other processes have no use for it."""
        self.name, self._meaning, self._make = name, meaning, make

    @cached_property
    def _made(self) -> tuple[Program, _Facts]:
        program, constants = self._make()
        names = tuple(p.name for p in program.parameters)
        return program, _Facts(fingerprint_of(program, KIND), names, constants, self.operands)

    def program(self) -> Program:
        """InternalError if it is not the one whose code calls run."""
        self._require(self._facts)
        return self._made[0]

    def _require(self, facts: _Facts) -> None:
        if facts.fingerprint != self._made[1].fingerprint:
            raise InternalError(f"{self.name}: the program of its formulas is not the one that the store remembers")

    @property
    def fingerprint(self) -> str:
        return self._facts.fingerprint

    @property
    def names(self) -> tuple[str, ...]:
        """Of its parameters."""
        return self._facts.names

    @property
    def constants(self) -> tuple[Array, ...]:
        return tuple(self._facts.constants.values())

    @property
    def operands(self) -> Values:
        """What tuning has chosen for operands: where nothing is said, that is what `make` has to go by."""
        return {} if self._stored is None else self._stored.operands

    def remember(self, operands: Values) -> None:
        """That tuning has chosen this: for whoever asks for `operands` from now on, also in later processes.

        requires: nothing has been asked of this object; what it makes goes by `operands`.
        """
        self.__dict__["_stored"] = _Facts("", (), {}, operands)
        self.__dict__["_facts"] = found = self._made[1]
        self._put(found)

    @cached_property
    def _facts(self) -> _Facts:
        found = self._stored
        if found is None:
            found = self._made[1]
            self._put(found)
        elif config.check:
            self._require(found)
        return found

    @cached_property
    def _key(self) -> str | None:
        store = store_of(Options())
        return None if store is None or self._meaning is None else _key(self.name, self._meaning)

    @cached_property
    def _stored(self) -> _Facts | None:
        store = store_of(Options())
        stored = None if store is None or self._key is None else store.get(self._key)
        return None if stored is None else _from_bytes(stored)

    def _put(self, found: _Facts) -> None:
        store = store_of(Options())
        if store is not None and self._key is not None:
            store.put(self._key, _to_bytes(found))


def _key(name: str, meaning: object) -> str | None:
    """Under which the facts of a program are kept; None for formulas with something that has no digest."""
    try:
        digest = _Digests().of(meaning)
    except (_CannotBeKept, RecursionError):
        return None
    options = Options()
    backend = backend_of(options.target_name)
    machine = f"{backend.identity()} {usable_cores()} {kind()} {host_caches()}"
    return f"program|{name}|{digest.hex()}|{options.numerics()}|{versions()} numpy {np.__version__}|{machine}"


# ------------------------------------------------------------------------------------------------- digests


class _CannotBeKept(Exception):
    """An object of a kind whose meaning cannot be told by its parts."""


_PLAIN = (str, int, float, complex, bool, bytes, type(None), np.generic)


class _Digests:
    """Digests of formulas, by value; of each object once, however often it is in them. Places in files do not count."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[object, bytes]] = {}

    def of(self, value: object) -> bytes:
        """_CannotBeKept for what is neither a number, a text, an array, nor made of such."""
        known = self._known.get(id(value))
        if known is None:
            known = self._known[id(value)] = value, self._of(value)
        return known[1]

    def _of(self, value: object) -> bytes:
        kind = type(value)
        if kind in _PLAIN or isinstance(value, np.generic):
            said = value.tobytes() if isinstance(value, np.generic) else repr(value).encode()
            return _joined([kind.__name__.encode(), said])
        if isinstance(value, Constants | Pattern):
            array = value.array if isinstance(value, Constants) else value.mask
            return _joined([kind.__name__.encode(), array.dtype.str.encode(), repr(array.shape).encode(),
                            array.tobytes()])  # fmt: skip
        if isinstance(value, Size):
            return _joined([b"size", value.name.encode(), repr((int(value), value.is_open)).encode()])
        if kind in (tuple, list):
            return _joined([b"tuple", *map(self.of, value)])  # type: ignore[call-overload]
        if kind is dict:
            return _joined([b"dict", *(self.of(one) for item in value.items() for one in item)])  # type: ignore
        if hasattr(kind, "__dataclass_fields__"):
            parts = ((f.name, getattr(value, f.name)) for f in fields(value))  # type: ignore[arg-type]
            named = (part for n, v in parts if not isinstance(v, Loc) for part in (n.encode(), self.of(v)))
            return _joined([kind.__qualname__.encode(), *named])
        raise _CannotBeKept(kind.__name__)


def _joined(parts: Iterable[bytes]) -> bytes:
    state = hashlib.blake2b(digest_size=20)
    for part in parts:
        state.update(len(part).to_bytes(8, "little"))
        state.update(part)
    return state.digest()


# ------------------------------------------------------------------------------------------------- stored


def _to_bytes(facts: _Facts) -> bytes:
    """A line of JSON, then the numbers of the constants."""
    constants = [(name, a.dtype.str, a.shape) for name, a in facts.constants.items()]
    head = json.dumps([facts.fingerprint, facts.names, constants, dict(facts.operands)]).encode()
    return b"\n".join([head, b"".join(np.ascontiguousarray(a).tobytes() for a in facts.constants.values())])


def _from_bytes(value: bytes) -> _Facts | None:
    """What `_to_bytes` wrote; None if it is of another format."""
    head, _, numbers = value.partition(b"\n")
    try:
        fingerprint, names, listed, operands = json.loads(head)
        found: dict[str, Any] = {}
        start = 0
        for name, type, shape in listed:
            count = prod(shape)
            found[name] = np.frombuffer(numbers, np.dtype(type), count, start).reshape(shape).copy()
            start += found[name].nbytes
        return _Facts(fingerprint, tuple(names), found, operands)
    except (TypeError, ValueError) as error:
        pass_on(error)
        return None
