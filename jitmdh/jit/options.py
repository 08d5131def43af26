"""The options of `@jit`, checked when they are given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from jitmdh.base.errors import ConfigurationError, DeviceError

Fallback = Literal["error", "numba", "python"]
_CHOICES: Mapping[str, tuple[object, ...]] = {
    "target": (None, "cpu", "opencl", "cuda"),
    "tune": ("online", "off"),
    "fallback": ("error", "numba", "python"),
    "deterministic": (False, True),
    "reassociate": (False, True),
    "cache": (False, True),
}


@dataclass(frozen=True, slots=True)
class Options:
    """What a user may ask of a decorated function; see `jitmdh.jit`."""

    target: str | None = None
    tune: str = "online"
    combine: Mapping[str, Any] = field(default_factory=dict)
    schedule: Any = None
    deterministic: bool = False
    reassociate: bool = True
    fallback: Fallback = "error"
    cache: bool = True

    def __post_init__(self) -> None:
        for name, choices in _CHOICES.items():
            value = getattr(self, name)
            if not any(value is c or (value == c and type(value) is type(c)) for c in choices):
                expected = ", ".join(repr(c) for c in choices)
                raise ConfigurationError(f"@jit: option {name}={value!r} is not one of {expected}")
        if not isinstance(self.combine, Mapping):
            raise ConfigurationError(
                f"@jit: combine={self.combine!r} is not a mapping of loop variables to combine operators",
                hint='for example combine={"k": mdh.pw(op)}',
            )
        if self.target in ("opencl", "cuda"):
            raise DeviceError(
                f"@jit: target {self.target!r} is not there yet", hint="leave target out, or use target='cpu'"
            )

    def numerics(self) -> str:
        """The part of a cache key that stands for the options; those which change no code are left out."""
        combine = sorted((name, repr(operator)) for name, operator in self.combine.items())
        return f"{self.target or 'cpu'} {combine} {self.schedule!r} {self.deterministic:d} {self.reassociate:d}"
