"""Records are values: equal, hashed and copied by their fields, which nobody assigns."""

import copy
import dataclasses
import functools
import inspect
import pickle
from collections.abc import Iterator
from typing import Any, ClassVar

import pytest

from jitmdh.base.records import dataclass, record


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


OPTIONS = [
    {},
    {"frozen": True},
    {"slots": True},
    {"frozen": True, "slots": True},
    {"frozen": True, "slots": True, "eq": False},
    {"slots": True, "repr": False},
]


def _classes(options: dict[str, bool]) -> Iterator[tuple[Any, Any]]:
    """Classes as `dataclass` of this module makes them, beside those of the standard library."""
    for define in (_nothing, _plain, _of_its_own, _special, _inherited, _named_badly):
        yield (
            define(functools.partial(dataclass, **options)),
            define(functools.partial(dataclasses.dataclass, **options)),
        )


def _nothing(dataclass: Any) -> Any:
    @dataclass()
    class Nothing:
        pass

    return Nothing


def _plain(dataclass: Any) -> Any:
    @dataclass()
    class Plain:
        """What it is."""

        first: int
        second: "str" = "two"
        third: tuple[int, ...] = (3,)

        @property
        def doubled(self) -> int:
            return 2 * self.first

    return Plain


def _of_its_own(dataclass: Any) -> Any:
    @dataclass()
    class Own:
        first: int

        def __eq__(self, other: object) -> bool:
            return isinstance(other, type(self))

        def __repr__(self) -> str:
            return f"<{self.first}>"

    return Own


def _special(dataclass: Any) -> Any:
    @dataclass()
    class Special:
        first: int
        others: tuple[int, ...] = dataclasses.field(default_factory=tuple)
        count: ClassVar[int] = 7

    return Special


def _inherited(dataclass: Any) -> Any:
    @dataclass()
    class Base:
        first: int

    @dataclass()
    class Inherited(Base):
        second: int = 2

    return Inherited


def _named_badly(dataclass: Any) -> Any:
    @dataclass()
    class Bad:
        hash: int
        other: int = 0
        assign: int = 0
        _1: int = 0
        _0: int = 0

    return Bad


def _seen(of: Any) -> Iterator[object]:
    """What a class of fields can be asked."""
    yield of.__name__, of.__qualname__, of.__module__, of.__match_args__, hasattr(of, "__slots__")
    yield [(f.name, f.type, f.default) for f in dataclasses.fields(of)]
    signature = inspect.signature(of)
    yield str(signature)
    count = sum(p.default is p.empty for p in signature.parameters.values())
    one, same, other = of(*range(count)), of(*range(count)), of(*range(1, count + 1))
    yield repr(one).rpartition("object at")[1] or repr(one)
    yield one == same, one == other, one == 1, one != same
    yield of.__hash__ is None or of.__hash__ is object.__hash__ or hash(one) == hash(same)
    yield of.__hash__ is None or of.__hash__ is object.__hash__
    for copied in (copy.copy(one), copy.deepcopy(one), dataclasses.replace(one)):
        yield vars(type(copied)).keys() >= {"__init__"}, [getattr(copied, f.name) for f in dataclasses.fields(of)]
    for wrong in ([*range(9)], [], {"nobody": 1}):
        try:
            of(**wrong) if isinstance(wrong, dict) else of(*wrong)
        except TypeError as error:
            yield str(error)
    for name in ("first", "hash", "_0", "nobody"):
        for action in (lambda: setattr(one, name, 5), lambda: delattr(one, name)):  # noqa: B023
            try:
                action()
            except (AttributeError, TypeError) as error:
                yield (type(error), str(error)) if name in of.__match_args__ else "refused"  # in 3.11, by accident
        yield getattr(one, name, None)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_classes_are_what_the_standard_library_makes_of_them(options: dict[str, bool]) -> None:
    for found, expected in _classes(options):
        assert [*_seen(found)] == [*_seen(expected)], found


@dataclass(frozen=True, slots=True)
class Frozen:
    first: int
    second: "Frozen | None" = None


def test_frozen_ones_can_be_pickled_and_matched() -> None:
    whole = Frozen(1, Frozen(2))
    assert pickle.loads(pickle.dumps(whole)) == whole
    match whole:
        case Frozen(first, Frozen(second)):
            assert (first, second) == (1, 2)
