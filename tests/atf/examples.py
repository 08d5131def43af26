"""A small space with a constraint, and a cost with one minimum."""

from __future__ import annotations

from typing import Any

from jitmdh import atf


def square_space() -> atf.SearchSpace:
    A = atf.tuning_parameter("A", atf.interval(1, 24), atf.divides(24))
    B = atf.tuning_parameter("B", atf.interval(1, 24), atf.divides(24 // A))
    return atf.search_space(A, B)


def distance(c: Any) -> float:
    return abs(c["A"] - 4) + abs(c["B"] - 3) + 1.0
