"""A configuration: one value per tuning parameter."""

from __future__ import annotations

from typing import Any, NoReturn

from jitmdh.base.errors import ConfigurationError


class Configuration(dict[str, Any]):
    """A read-only dict from parameter name to value; `dict(configuration)` is a copy to change.

    Read-only, because the tuner remembers which configuration it handed out.
    """

    __slots__ = ("index", "space")
    index: int
    """Its position in the space it came from."""
    space: object
    """The space it came from."""

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        """Raises ConfigurationError: a configuration cannot be changed."""
        raise ConfigurationError(
            "a configuration cannot be changed",
            reason="the cost told for it would be stored for another one.",
            hint="dict(configuration) is a copy to change; tuner.tell takes it, too.",
        )

    __setitem__ = __delitem__ = __ior__ = update = pop = popitem = clear = setdefault = _refuse

    def __missing__(self, name: str) -> NoReturn:
        raise KeyError(f"there is no parameter {name!r}; the configuration has {', '.join(map(str, self))}")

    def __getattr__(self, name: str) -> NoReturn:
        hint = f"; the value of the parameter is configuration[{name!r}]" if name in self else ""
        raise AttributeError(f"a configuration has no attribute {name!r}{hint}", name=name, obj=self)

    def __reduce__(self) -> tuple[object, ...]:
        return (dict, (dict(self),))

    def copy(self) -> Configuration:
        """Itself: it never changes."""
        return self

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))
