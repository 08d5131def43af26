"""Stores that lie one behind the other for some strides are joined; which strides decides at run time."""

from __future__ import annotations

from dataclasses import replace

from jitmdh.base.dtype import float32
from jitmdh.mdh.codegen.microkernel.store_coalescing import coalesced
from jitmdh.mdh.kernel.arithmetic import add, integer, multiply
from jitmdh.mdh.kernel.ir import If, Literal, Name, Statement, Store, StoreRun, Value

AT, STRIDE = Name("at"), Name("stride")


def stores(*offsets: Value, buffer: str = "y", lanes: int = 16) -> list[Statement]:
    return [Store(buffer, o, Name(f"v{n}", float32, lanes)) for n, o in enumerate(offsets)]


def test_neighbouring_vectors_are_one_run() -> None:
    found = coalesced(stores(*(add(AT, integer(16 * n)) for n in range(5))))
    assert found == [StoreRun("y", AT, tuple(Name(f"v{n}", float32, 16) for n in range(5)))]


def test_rows_are_a_run_where_they_are_as_long_as_a_vector() -> None:
    single = stores(*(add(AT, multiply(STRIDE, integer(n))) for n in range(4)))
    (choice,) = coalesced(single)
    assert isinstance(choice, If)
    assert str(choice.condition.operands[0].name) == "stride"  # type: ignore[union-attr]
    assert choice.condition.operands[1] == Literal(16)  # type: ignore[union-attr]
    assert choice.otherwise == tuple(single)
    assert isinstance(choice.then[0], StoreRun)


def test_what_is_no_run_stays() -> None:
    short = stores(AT, add(AT, integer(16)), add(AT, integer(32)))
    assert coalesced(short) == short
    gaps = stores(*(add(AT, integer(32 * n)) for n in range(6)))
    assert coalesced(gaps) == gaps
    scalars = stores(*(add(AT, integer(n)) for n in range(6)), lanes=1)
    assert coalesced(scalars) == scalars


def test_other_buffers_end_a_run() -> None:
    first, second = stores(*(add(AT, integer(16 * n)) for n in range(4))), stores(AT, buffer="z")
    assert [type(s) for s in coalesced([*first, *second])] == [StoreRun, Store]


def test_streams_are_runs_of_their_own() -> None:
    offsets = [add(AT, integer(16 * n)) for n in range(8)]
    single = stores(*offsets)
    mixed = [replace(s, streaming=n >= 4) if isinstance(s, Store) else s for n, s in enumerate(single)]
    first, second = coalesced(mixed)
    assert isinstance(first, StoreRun) and isinstance(second, StoreRun)
    assert (first.streaming, second.streaming) == (False, True)


def rows(vectors: int, streaming: bool) -> list[Statement]:
    offsets = [add(add(AT, multiply(STRIDE, integer(i))), integer(16 * n)) for i in range(2) for n in range(vectors)]
    return [replace(s, streaming=streaming) for s in stores(*offsets) if isinstance(s, Store)]


def test_rows_of_several_vectors() -> None:
    """The next row follows where the stride is as long as all vectors of a row; for streams this is worth code."""
    (choice,) = coalesced(rows(2, True))
    assert isinstance(choice, If) and isinstance(choice.then[0], StoreRun)
    assert choice.condition.operands[1] == Literal(32)  # type: ignore[union-attr]
    assert coalesced(rows(2, False)) == rows(2, False)


def test_rows_that_are_runs_stay_apart() -> None:
    assert [type(s) for s in coalesced(rows(4, True))] == [StoreRun, StoreRun]
    assert [type(s) for s in coalesced(rows(4, False))] == [StoreRun, StoreRun]


def test_single_vectors_are_streamed_only_where_they_may_be() -> None:
    past = [replace(s, streaming=True) for s in stores(AT, add(AT, integer(16))) if isinstance(s, Store)]
    assert coalesced(past) == past
    assert coalesced(past, alone=False) == [replace(s, streaming=False) for s in past]
