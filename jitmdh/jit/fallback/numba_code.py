"""What Numba makes of a function that cannot be compiled here; Python where Numba cannot, either."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class NumbaCode:
    """`function` by Numba, until Numba refuses a call: by Python from then on."""

    def __init__(self, function: Callable[..., Any]) -> None:
        import numba
        from numba.core.errors import NumbaError

        self._function, self._refusal = function, NumbaError
        self._compiled: Callable[..., Any] | None = numba.njit(function)

    @property
    def serves(self) -> bool:
        """Whether Numba has not refused yet."""
        return self._compiled is not None

    def compiles(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Whether Numba takes a call. It compiles, and runs nothing."""
        import numba

        if kwargs or self._compiled is None:
            return self.serves
        try:
            self._compiled.compile(tuple(map(numba.typeof, args)))  # type: ignore[attr-defined]
        except (self._refusal, ValueError):  # ValueError: an argument has no type in Numba
            self._compiled = None
        return self.serves

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._compiled is not None:
            try:
                return self._compiled(*args, **kwargs)
            except self._refusal:  # while compiling: nothing has been run
                self._compiled = None
        return self._function(*args, **kwargs)
