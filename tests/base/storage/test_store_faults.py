"""The store under damage, attack and faults of the machine. Numbers are those of the fault catalogue."""

from __future__ import annotations

import errno
import os
import pickle
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from jitmdh.base.errors import JitWarning
from jitmdh.base.storage import database as database_module
from jitmdh.base.storage.store import Store, frame
from tests.base.storage.store_cases import CODE, database_file, sql, stored, works_on_disk

IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0

# ---------------------------------------------------------------------------------------------- damage: 48 to 51


def test_48_truncated_database(tmp_path: Path) -> None:
    for number, share in enumerate((0.0, 0.001, 0.1, 0.3, 0.5, 0.9, 0.999)):
        place = tmp_path / str(number)
        stored(place, a=CODE, b=bytes(50_000))
        size = database_file(place).stat().st_size
        os.truncate(database_file(place), int(size * share))
        store = Store(place)
        assert store.get("a") in (None, CODE)
        assert store.get("b") in (None, bytes(50_000))
        store.put("c", b"new")
        assert store.get("c") == b"new"
        assert store.info().memory_only_reason is None
        store.close()
        works_on_disk(place)


def test_48_database_truncated_while_open(place: Path, store: Store) -> None:
    for number in range(40):
        store.put(f"k{number}", CODE)
    os.truncate(database_file(place), 5000)
    for number in range(40):
        assert store.get(f"k{number}") in (None, CODE)
    store.put("new", b"new")
    assert store.get("new") == b"new"
    store.close()
    works_on_disk(place)


def test_49_every_flipped_bit_is_a_miss_or_harmless(place: Path) -> None:
    stored(place, a=CODE)
    intact = database_file(place).read_bytes()
    for position in range(17, len(intact), max(1, len(intact) // 150)):
        flipped = bytearray(intact)
        flipped[position] ^= 1 << (position % 8)
        database_file(place).write_bytes(flipped)
        store = Store(place)
        assert store.get("a") in (None, CODE), position
        store.close()
    works_on_disk(place)


def test_49_a_damaged_entry_is_removed_and_named(place: Path) -> None:
    stored(place, a=CODE, b=CODE)
    sql(place, "UPDATE Cache SET value = substr(value, 1, 100) WHERE key = 'a'")
    store = Store(place)
    assert store.get("a") is None
    assert store.why("a") == "its entry was damaged, and is removed"
    assert store.get("b") == CODE
    assert store.info().entries == 1
    store.close()


@pytest.mark.parametrize("content", [b"", b"not a database", b"SQLite format 3\0" + bytes(500)])
def test_50_malformed_database_is_set_aside_and_rebuilt(place: Path, content: bytes) -> None:
    stored(place, a=CODE)
    database_file(place).write_bytes(content)
    store = Store(place)
    assert store.get("a") is None
    store.put("a", b"new")
    assert store.get("a") == b"new"
    assert store.info().memory_only_reason is None
    store.close()
    assert (place / "store-1.damaged" / "cache.db").exists()
    works_on_disk(place)


def test_50_other_tables(place: Path) -> None:
    stored(place, a=CODE)
    sql(place, "DROP TABLE Cache")
    store = Store(place)
    assert store.get("a") is None
    store.close()
    works_on_disk(place)


def test_51_orphans_of_killed_processes_are_swept(place: Path) -> None:
    stored(place, a=CODE)
    old, young = place / "store-1.new-0", place / "store-1.new-1"
    for orphan in (old, young):
        orphan.mkdir()
        (orphan / "cache.db").write_bytes(b"")
    os.utime(old, (0, 0))
    database_file(place).write_bytes(b"")
    works_on_disk(place)
    assert not old.exists() and young.exists()


# ------------------------------------------------------------------------------------ the machine: 52 to 56, 62


def test_52_disk_full(place: Path, store: Store) -> None:
    store.put("a", CODE)
    assert store._database is not None
    store._database._execute("PRAGMA max_page_count = 40")
    with pytest.warns(JitWarning, match="is not used: the disk is full; compiled code is kept in memory only") as log:
        for number in range(40):
            store.put(f"k{number}", CODE)
            assert store.get(f"k{number}") == CODE
    assert len(log) == 1


def test_52_disk_full_while_building(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(database_module, "_build", full)
    store = Store(place)
    with pytest.warns(JitWarning, match="No space left on device"):
        store.put("a", CODE)
    assert store.get("a") == CODE


@pytest.mark.skipif(IS_ROOT, reason="root may write everywhere")
def test_53_read_only_home(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        store = Store(tmp_path / "cache")
        with pytest.warns(JitWarning, match="Permission denied"):
            store.put("a", CODE)
        assert store.get("a") == CODE
    finally:
        tmp_path.chmod(0o700)


def test_53_read_only_file_system(place: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def read_only(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(os, "mkdir", read_only)
    with pytest.warns(JitWarning, match="Read-only file system") as log:
        store.put("a", CODE)
        store.put("b", CODE)
    assert len(log) == 1
    assert store.get("a") == CODE
    assert store.info().memory_only_reason == "Read-only file system"


def test_53_read_only_database(place: Path, store: Store) -> None:
    store.put("a", CODE)
    assert store._database is not None
    store._database._execute("PRAGMA query_only = 1")
    with pytest.warns(JitWarning, match="the directory is read-only"):
        store.put("b", CODE)
    assert store.get("b") == CODE


def test_53_a_file_where_the_directory_should_be(place: Path) -> None:
    place.write_text("")
    with pytest.warns(JitWarning, match="it is not a directory"):
        assert Store(place).get("a") is None


def test_53_foreign_owner(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored(place, a=CODE)
    monkeypatch.setattr(os, "geteuid", lambda: os.stat(place).st_uid + 1)
    with pytest.warns(JitWarning, match="belongs to another user"):
        assert Store(place).get("a") is None


def test_54_locked_database(place: Path) -> None:
    stored(place, a=CODE)
    with closing(sqlite3.connect(database_file(place), isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        store = Store(place)
        assert store.get("a") == CODE  # readers are not kept out
        start = time.perf_counter()
        with pytest.warns(JitWarning, match="another process held a lock for more than 100 ms"):
            store.put("b", CODE)
        assert time.perf_counter() - start < 0.4  # 100 ms and what a busy machine adds
        assert store.get("b") == CODE
        start = time.perf_counter()
        store.put("c", CODE)
        assert time.perf_counter() - start < 0.1
        other.execute("ROLLBACK")


def test_54_locked_against_readers(place: Path) -> None:
    stored(place, a=CODE)
    with closing(sqlite3.connect(database_file(place), isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        store = Store(place)
        start = time.perf_counter()
        with pytest.warns(JitWarning, match="another process held a lock"):
            assert store.get("a") is None
        assert time.perf_counter() - start < 0.4
        assert store.why("a") == "another process held a lock for more than 100 ms"


forks = pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")  # that is what is tested

WRITER = """
import sys, itertools, pathlib
from jitmdh.base.storage.store import Store
store = Store(pathlib.Path(sys.argv[1]))
print("ready", flush=True)
for number in itertools.count():
    store.put(f"k{number % 20}", bytes([number % 251]) * 60000)
"""


def python(program: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-W", "error", "-c", program, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_55_killed_at_any_write(place: Path) -> None:
    for number in range(6):
        with python(WRITER, place) as writer:
            assert writer.stdout is not None and writer.stdout.readline() == "ready\n"
            time.sleep(0.01 + 0.013 * number)
            writer.kill()
        store = Store(place)
        for key in range(20):
            value = store.get(f"k{key}")
            assert value is None or (len(value) == 60000 and len(set(value)) == 1)
            assert store.why(f"k{key}") in ("", "never stored, or dropped since")
        store.close()
        works_on_disk(place)


SHARER = """
import sys, pathlib
from jitmdh.base.storage.store import Store
store, me = Store(pathlib.Path(sys.argv[1])), int(sys.argv[2])
sys.stdin.readline()
for round in range(5):
    store.put(f"own {me} {round}", bytes([me]) * 20000)
    store.put("shared", bytes([me]) * 20000)
    value = store.get("shared")
    assert value is not None and len(value) == 20000 and len(set(value)) == 1
    assert store.get(f"own {me} {round}") == bytes([me]) * 20000
print(store.info().memory_only_reason)
"""


def test_56_many_processes_on_an_empty_cache(place: Path) -> None:
    """Every process gets right answers. On a very busy machine one may wait too long for its turn, and say so."""
    count = 12
    command = [sys.executable, "-c", SHARER, str(place)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    sharers = [subprocess.Popen([*command, str(me)], **pipes) for me in range(count)]  # type: ignore[call-overload]
    for sharer in sharers:  # all at once
        sharer.stdin.write("\n")
        sharer.stdin.flush()
    outputs = [sharer.communicate() for sharer in sharers]
    assert all(sharer.returncode == 0 for sharer in sharers), outputs
    reasons = [output.strip() for output, _ in outputs]
    assert set(reasons) <= {"None", "another process held a lock for more than 100 ms"}, outputs
    store = Store(place)
    for me, reason in enumerate(reasons):
        if reason == "None":
            assert [store.get(f"own {me} {round}") for round in range(5)] == [bytes([me]) * 20000] * 5
    assert reasons.count("None") >= count // 2
    store.close()


def test_57_removed_between_two_uses(place: Path, store: Store) -> None:
    store.put("a", CODE)
    other = Store(place)
    other.clear()
    assert store.get("a") is None
    other.close()


@forks
def test_62_fork(place: Path, store: Store) -> None:
    store.put("a", CODE)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            good = store.get("a") == CODE
            store.put("from child", CODE)
            status = 0 if good and store.info().memory_only_reason is None else 2
        finally:
            os._exit(status)
    store.put("from parent", CODE)
    assert os.waitpid(child, 0)[1] == 0
    assert store.get("a") == store.get("from child") == store.get("from parent") == CODE


@forks
def test_62_fork_while_another_thread_uses_the_store(place: Path, store: Store) -> None:
    stop = threading.Event()

    def use() -> None:
        while not stop.is_set():
            store.put("a", CODE)
            assert store.get("a") == CODE

    thread = threading.Thread(target=use)
    thread.start()
    try:
        for number in range(5):
            child = os.fork()
            if child == 0:
                status = 1
                try:
                    signal.alarm(60)
                    store.put(f"child {number}", CODE)
                    status = 0 if store.get(f"child {number}") == CODE else 2
                finally:
                    os._exit(status)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        stop.set()
        thread.join()


def test_63_threads(place: Path, store: Store) -> None:
    failures: list[str] = []

    def use(me: int) -> None:
        for number in range(30):
            store.put(f"{me} {number}", bytes([me]) * 1000)
            if store.get(f"{me} {number}") != bytes([me]) * 1000:
                failures.append(f"{me} {number}")

    threads = [threading.Thread(target=use, args=(me,)) for me in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert store.info().entries == 180


def test_an_interrupt_within_a_transaction_leaves_none_open(place: Path, store: Store) -> None:
    store.put("a", CODE)

    def interrupted(database: object) -> None:
        assert store._database is not None
        store._database._execute("BEGIN IMMEDIATE")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store._on_disk(interrupted)
    works_on_disk(place)
    assert store.get("a") == CODE


# ----------------------------------------------------------------------------------------------- attacks: 59 to 61


class Bomb:
    """Would leave a file, were it ever unpickled."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> tuple[object, ...]:
        return (Path.touch, (self.file,))


def test_59_planted_pickle_in_a_value(place: Path, tmp_path: Path) -> None:
    stored(place, a=CODE)
    exploded = tmp_path / "exploded"
    bomb = pickle.dumps(Bomb(exploded))
    sql(place, "UPDATE Cache SET mode = 4, value = ? WHERE key = 'a'", bomb)
    store = Store(place)
    assert store.get("a") is None
    store.clear()
    store.close()
    assert not exploded.exists()


def test_59_planted_pickle_in_a_key_and_in_the_settings(place: Path, tmp_path: Path) -> None:
    stored(place, a=CODE)
    exploded = tmp_path / "exploded"
    bomb = pickle.dumps(Bomb(exploded))
    sql(place, "UPDATE Cache SET key = ?, raw = 0", bomb)
    sql(place, "INSERT OR REPLACE INTO Settings VALUES ('disk_min_file_size', ?), ('get', ?)", bomb, bomb)
    sql(place, "INSERT INTO Settings VALUES ('sqlite_user_version', 77)")
    store = Store(place)
    assert store.get("a") is None
    store.put("b", CODE)
    assert store.get("b") == CODE
    store.clear()
    store.close()
    assert not exploded.exists()
    works_on_disk(place)


@pytest.mark.parametrize("mode", [1, 2, 3, 4])
def test_59_planted_file_names_are_neither_read_nor_removed(place: Path, tmp_path: Path, mode: int) -> None:
    stored(place, a=CODE, b=CODE)
    victim = tmp_path / "victim"
    victim.write_bytes(frame(b"a", b"planted"))
    for name in ("../../victim", str(victim)):
        sql(place, "UPDATE Cache SET mode = ?, filename = ?, value = NULL", mode, name)
        store = Store(place)
        assert store.get("a") is None
        store.put("b", b"new")
        store.delete("a")
        store.clear()
        store.close()
        assert victim.exists()
        stored(place, a=CODE, b=CODE)


def test_59_swapped_entries(place: Path) -> None:
    stored(place, a=b"code of a", b=b"code of b")
    sql(place, "UPDATE Cache SET key = CASE key WHEN 'a' THEN 'b ' ELSE 'a ' END")
    sql(place, "UPDATE Cache SET key = trim(key)")
    store = Store(place)
    assert store.get("a") is None
    assert store.get("b") is None
    assert store.why("b") == "its entry was damaged, and is removed"
    store.close()


@pytest.mark.parametrize("value", [None, 7, 1.5, "text"])
def test_59_values_of_other_types(place: Path, value: object) -> None:
    stored(place, a=CODE)
    sql(place, "UPDATE Cache SET value = ?", value)
    store = Store(place)
    assert store.get("a") is None
    store.close()


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o755, 0o701])
def test_60_a_directory_open_to_others_is_refused(place: Path, mode: int) -> None:
    stored(place, a=CODE)
    place.chmod(mode)
    with pytest.warns(JitWarning, match=rf"other users have access to the directory \(mode {mode:o} instead of 700\)"):
        assert Store(place).get("a") is None


def test_60_a_directory_that_anyone_can_replace_is_refused(tmp_path: Path) -> None:
    public = tmp_path / "public"
    public.mkdir()
    public.chmod(0o777)
    with pytest.warns(JitWarning, match=f"any user can replace it, since {public} is writable by all"):
        assert Store(public / "cache").get("a") is None
    public.chmod(0o1777)  # sticky, like /tmp
    works_on_disk(public / "other")


@pytest.mark.skipif(not IS_ROOT, reason="only root may give a directory to another group")
def test_60_a_directory_that_a_group_can_replace_is_refused(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    os.chown(shared, -1, 54321)  # a group of others
    shared.chmod(0o775)
    with pytest.warns(JitWarning, match=f"a user of its group can replace it, since {shared} is writable by the group"):
        assert Store(shared / "host").get("a") is None
    os.chown(shared, -1, 0)  # a group that only the user is in
    works_on_disk(shared / "host")


@pytest.mark.skipif(not IS_ROOT, reason="only root may give a directory to another user")
def test_60_a_base_directory_of_another_user_is_refused(tmp_path: Path) -> None:
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "host").mkdir(mode=0o700)
    os.chown(foreign, 54321, -1)
    with pytest.warns(JitWarning, match=f"another user can replace it, since {foreign} belongs to one") as caught:
        store = Store(foreign / "host")
        store.put("a", CODE)
        assert store.get("a") == CODE and store.get("b") is None  # it goes on in memory
    assert len(caught) == 1
    assert not list((foreign / "host").iterdir())


def test_a_store_that_is_deleted_is_not_named(place: Path, store: Store) -> None:
    """It begins anew, or in memory; what was there is gone, and nothing is written to files without a name."""
    store.put("a", CODE)
    shutil.rmtree(place)
    assert store.get("a") is None
    assert store.info().directory == place and place.is_dir()
    store.put("a", CODE)
    assert stored_elsewhere(place, "a") == CODE


def test_info_names_no_directory_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    store = Store(tmp_path / "file" / "cache")
    with pytest.warns(JitWarning, match="is not used"):
        assert store.info().directory is None


def stored_elsewhere(place: Path, key: str) -> bytes | None:
    """What another process would find."""
    other = Store(place)
    found = other.get(key)
    other.close()
    return found


def test_60_what_it_creates_is_private(place: Path) -> None:
    stored(place, a=CODE)
    for path in (place, place / "store-1"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
