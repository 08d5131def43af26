"""The options of `@jit`, checked when they are given."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, Literal

from jitmdh.base.errors import ConfigurationError, DeviceError
from jitmdh.base.records import dataclass
from jitmdh.base.source import here
from jitmdh.mdh.targets import registry

Fallback = Literal["error", "numba", "python"]
_CHOICES: Mapping[str, tuple[object, ...]] = {
    "tune": ("online", "off"),
    "fallback": (None, "error", "numba", "python"),
    "deterministic": (False, True),
    "reassociate": (False, True),
    "cache": (False, True),
}


@dataclass(frozen=True, slots=True)
class Options:
    """What a user may ask of a decorated function; see `jitmdh.jit`.

    static: given as one name or several.
    schedule: given as plain data or as the path of a JSON file; kept as plain data of its own.
    """

    target: str | None = None
    tune: str = "online"
    combine: Mapping[str, Any] = field(default_factory=dict)
    schedule: Any = None
    deterministic: bool = False
    reassociate: bool = True
    fallback: Fallback | None = None
    static: tuple[str, ...] = ()
    cache: bool = True

    def __post_init__(self) -> None:
        targets = (None, *registry.TARGETS)
        for name, choices in {"target": targets, **_CHOICES}.items():
            value = getattr(self, name)
            if not any(value is c or (type(value) is type(c) and value == c) for c in choices):
                expected = ", ".join(repr(c) for c in choices)
                raise ConfigurationError(f"@jit: option {name}={value!r} is not one of {expected}")
        if not isinstance(self.combine, Mapping):
            raise ConfigurationError(
                f"@jit: combine={self.combine!r} is not a mapping of loop variables to combine operators",
                hint='for example combine={"k": mdh.pw(op)}',
            )
        object.__setattr__(self, "combine", dict(self.combine))  # what the caller changes later is not ours
        object.__setattr__(self, "static", _names(self.static))
        if self.schedule is not None:
            object.__setattr__(self, "schedule", _schedule(self.schedule))
        if self.target_name not in registry.TARGETS:
            there = " or ".join(f"target={name!r}" for name in registry.TARGETS)
            raise DeviceError(f"@jit: target {self.target!r} is not there yet", hint=there)

    @property
    def target_name(self) -> str:
        """The row of the registry of targets."""
        return self.target or registry.DEFAULT

    def numerics(self) -> str:
        """The part of a cache key that stands for the options; those which change no code are left out."""
        combine = sorted((name, repr(operator)) for name, operator in self.combine.items())
        schedule = json.dumps(_meaning(self.schedule), sort_keys=True)
        return f"{self.target_name} {combine} {schedule} {self.deterministic:d} {self.reassociate:d}"


def _names(given: Any) -> tuple[str, ...]:
    names = (given,) if isinstance(given, str) else tuple(given) if isinstance(given, Iterable) else (given,)
    if not all(isinstance(n, str) for n in names):
        raise ConfigurationError(f"@jit: static={given!r} names no arguments", hint='for example static=("k",)')
    return names


def _schedule(given: Any) -> Any:
    """The plain data of a schedule, read from its file where a path is given. ConfigurationError if it is none, with
    the line where it is given."""
    try:
        return _read(given)
    except ConfigurationError as error:
        error.loc = error.loc or here("jit")
        raise


def _read(given: Any) -> Any:
    from jitmdh.mdh.lowering.schedule import parse

    if isinstance(given, (str, os.PathLike)):
        try:
            given = json.loads(Path(given).read_text())
        except OSError as error:
            raise ConfigurationError(f"@jit: schedule {os.fspath(given)!r} cannot be read: {error.strerror}") from None
        except ValueError as error:
            raise ConfigurationError(f"@jit: schedule {os.fspath(given)!r} is no JSON: {error}") from None
    given = _plain(given)
    parse(given)
    try:
        return json.loads(json.dumps(given, default=_built_in))  # what the caller changes later is not ours
    except (TypeError, ValueError):
        raise ConfigurationError(
            f"@jit: schedule={given!r} is no plain data", hint="give what f.config(…) gives, or part of it"
        ) from None


def _plain(given: Any) -> Any:
    """Nests and transformations as plain data; also by computation."""
    from jitmdh.mdh.lowering.nest.chain import Transformation
    from jitmdh.mdh.lowering.nest.nest import Nest, data_of
    from jitmdh.mdh.lowering.nests import Nests

    if isinstance(given, (Nest, Transformation)):
        return data_of(given)
    if isinstance(given, Nests):
        return given.data()
    return {name: _plain(entry) for name, entry in given.items()} if isinstance(given, Mapping) else given


def _meaning(schedule: Any) -> Any:
    """A schedule without the lines where it was written."""
    if schedule is None:
        return None
    from jitmdh.mdh.lowering.nest.steps import without_places

    return without_places(schedule)


def _built_in(value: Any) -> Any:
    """NumPy's numbers and other mappings as JSON has them."""
    if isinstance(value, Mapping):
        return dict(value)
    return value.item()
