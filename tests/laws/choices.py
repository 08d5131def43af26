"""Where generators of programs take their choices from: hypothesis, which shrinks them, or a seed, which is fast."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, Protocol

from hypothesis import strategies as st


class Choices(Protocol):
    def pick(self, options: Sequence[Any]) -> Any: ...

    def number(self, low: int, high: int) -> int: ...


class Drawn:
    """Choices of hypothesis."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw

    def pick(self, options: Sequence[Any]) -> Any:
        return self.draw(st.sampled_from(options))

    def number(self, low: int, high: int) -> int:
        return self.draw(st.integers(low, high))


class Seeded:
    """Choices of a seed: the same ones in every process and version."""

    def __init__(self, seed: int | str) -> None:
        self.random = Random(seed)

    def pick(self, options: Sequence[Any]) -> Any:
        return options[int(self.random.random() * len(options))]

    def number(self, low: int, high: int) -> int:
        return low + int(self.random.random() * (high - low + 1))
