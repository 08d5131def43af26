"""The store in ordinary use. What can go wrong is in test_store_faults.py."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jitmdh.base.settings import config
from jitmdh.base.storage.store import Store, default_directory, default_store, frame, unframe
from tests.base.storage.store_cases import CODE, stored


def test_what_was_put_is_got(store: Store, place: Path) -> None:
    store.put("k", CODE)
    store.put("empty", b"")
    assert store.get("k") == CODE
    assert store.get("empty") == b""
    store.put("k", b"other")
    assert store.get("k") == b"other"
    assert Store(place).get("k") == b"other"


def test_delete_and_clear(store: Store) -> None:
    for key in ("a", "b", "c"):
        store.put(key, CODE)
    store.delete("a")
    store.delete("never there")
    assert store.get("a") is None and store.get("b") == CODE
    store.clear()
    assert store.get("b") is None
    assert store.info().entries == 0


def test_info_counts(store: Store, place: Path) -> None:
    store.put("k", CODE)
    store.get("k")
    store.get("none")
    info = store.info()
    assert (info.entries, info.hits, info.misses, info.directory) == (1, 1, 1, place)
    assert info.bytes >= len(CODE)
    assert str(info) == f"1 entries, {info.bytes} bytes in {place}; 1 hits, 1 misses"


def test_why_says_why_the_last_get_missed(store: Store) -> None:
    assert store.why("k") == ""
    store.get("k")
    assert store.why("k") == "never stored, or dropped since"
    store.put("k", CODE)
    store.get("k")
    assert store.why("k") == ""


def test_only_text_to_bytes(store: Store) -> None:
    for key, value in ((b"k", b"v"), ("k", "v"), ("k", bytearray(b"v")), (("k",), b"v"), (1, b"v")):
        with pytest.raises(TypeError, match="a store maps str to bytes"):
            store.put(key, value)  # type: ignore[arg-type]
    with pytest.raises(UnicodeEncodeError):
        store.put("\ud800", b"v")
    with pytest.raises(UnicodeEncodeError):
        store.get("\ud800")
    assert store.info().memory_only_reason is None


def test_what_was_stored_first_is_dropped_first(place: Path) -> None:
    limit = 2**20
    store = Store(place, size_limit=limit)
    value = os.urandom(50_000)
    for number in range(60):
        store.put(f"k{number}", value)
    assert store.info().bytes <= limit + 10 * len(value)
    assert store.get("k59") == value
    assert store.get("k0") is None
    store.put("huge", bytes(limit + 1))
    assert store.get("huge") is None
    assert store.why("huge") == "its 1048577 bytes are more than the store may hold"


def test_without_a_directory_it_is_a_bounded_dictionary() -> None:
    store = Store(None, size_limit=1000)
    for number in range(30):
        store.put(f"k{number}", bytes(100))
    assert store.get("k29") == bytes(100) and store.get("k0") is None
    info = store.info()
    assert (info.entries, info.bytes, info.memory_only_reason) == (10, 1000, "no directory")
    store.delete("k29")
    assert store.info().bytes == 900


def test_a_get_takes_well_below_a_millisecond(store: Store) -> None:
    store.put("k", CODE)
    times = []
    for _ in range(50):
        start = time.perf_counter()
        store.get("k")
        times.append(time.perf_counter() - start)
    assert sorted(times)[len(times) // 2] < 1e-3


def test_reading_writes_nothing(place: Path) -> None:
    stored(place, k=CODE)
    before = {path: path.stat() for path in place.rglob("*")}
    assert Store(place).get("k") == CODE
    assert {path: path.stat() for path in place.rglob("*")} == before


@given(st.text(st.characters(exclude_categories=["Cs"])), st.binary(), st.data())
def test_a_frame_opens_only_unchanged_and_under_its_key(key: str, value: bytes, data: st.DataObject) -> None:
    name = key.encode()
    framed = frame(name, value)
    assert unframe(name, framed) == value
    assert unframe(name + b"x", framed) is None
    assert unframe(name, framed[: data.draw(st.integers(0, len(framed) - 1))]) is None
    assert unframe(name, framed + b"\0") is None
    position, bit = data.draw(st.integers(0, len(framed) - 1)), data.draw(st.integers(0, 7))
    flipped = bytearray(framed)
    flipped[position] ^= 1 << bit
    assert unframe(name, bytes(flipped)) is None


def test_the_default_store_follows_the_settings(tmp_path: Path) -> None:
    with config(cache_dir=tmp_path / "one", cache_size="1MB"):
        store = default_store()
        assert store is default_store()
        assert store.directory is not None and store.directory.parent == tmp_path / "one"
        assert store.size_limit == 1_000_000
    with config(cache_dir=tmp_path / "two"):
        assert default_store() is not store
    with config(cache=False):
        assert default_store().directory is None


def test_nothing_is_opened_before_the_first_use(place: Path) -> None:
    Store(place)
    assert not place.exists()


def test_61_a_directory_per_host(monkeypatch: pytest.MonkeyPatch) -> None:
    first = default_directory()
    uname = os.uname()
    monkeypatch.setattr(os, "uname", lambda: os.uname_result(("Linux", "../other host", *uname[2:])))
    second = default_directory()
    assert second.parent == first.parent and second.name == ".._other_host"


def test_an_update_is_one_step(store: Store, place: Path) -> None:
    assert store.update("k", lambda present: b"a" if present is None else None) == b"a"
    assert store.update("k", lambda present: None) == b"a" == store.get("k")
    other = Store(place)
    assert other.update("k", lambda present: (present or b"") + b"b") == b"ab"
    assert store.get("k") == b"ab" and store.update("none", lambda present: None) is None

    def broken(present: bytes | None) -> bytes:
        raise KeyError("of the caller")

    with pytest.raises(KeyError, match="of the caller"):
        store.update("k", broken)
    assert store.get("k") == b"ab" and store.info().memory_only_reason is None
    memory = Store(None)
    assert memory.update("k", lambda present: b"a") == b"a" == memory.get("k")
    assert memory.update("k", lambda present: (present or b"") + b"b") == b"ab" == memory.get("k")
