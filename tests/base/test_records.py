"""Records are values: equal, hashed and copied by their fields, which nobody assigns."""

import copy
import dataclasses
import pickle

import pytest

from jitmdh.base.records import record


@record(frozen=True, slots=True, order=True)
class Pair:
    left: int
    right: tuple["Pair", ...] = ()


@record(frozen=True, slots=True)
class Same:
    """Equal to all others."""

    number: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same)

    def __hash__(self) -> int:
        return 7


def test_values() -> None:
    one, other = Pair(1, (Pair(2),)), Pair(1, (Pair(2),))
    assert one == other and hash(one) == hash(other) and one < Pair(2)
    assert one != Pair(1) and repr(Pair(1)) == "Pair(left=1, right=())"
    for copied in (pickle.loads(pickle.dumps(one)), copy.deepcopy(one), dataclasses.replace(one)):
        assert copied == one and copied is not one
    with pytest.raises(AttributeError):
        one.middle = 1  # type: ignore[attr-defined]


def test_own_equality_stays() -> None:
    assert Same(1) == Same(2) and len({Same(1), Same(2)}) == 1
