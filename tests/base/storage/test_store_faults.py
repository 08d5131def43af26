"""The store under damage, attack and faults of the machine. Numbers are those of the fault catalogue."""

from __future__ import annotations

import errno
import fcntl
import os
import pickle
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from jitmdh.base.errors import JitWarning
from jitmdh.base.storage.entries import Entries
from jitmdh.base.storage.store import Store, frame
from tests.base.storage.store_cases import CODE, entry_file, stored, works_on_disk
from tests.rights import is_superuser

IS_ROOT = is_superuser()
forks = pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")  # that is what is tested

# ---------------------------------------------------------------------------------------------- damage: 48 to 51


@pytest.mark.parametrize("share", [0.0, 0.001, 0.1, 0.5, 0.999])
def test_48_truncated(place: Path, store: Store, share: float) -> None:
    """Closed or in use, for this process or another one: the entry is a miss, and can be stored again."""
    store.put("a", CODE)
    store.put("b", CODE)
    os.truncate(entry_file(place, "a"), int(entry_file(place, "a").stat().st_size * share))
    for each in (store, Store(place)):
        assert each.get("a") is None and each.why("a") == "its entry is damaged"
        assert each.get("b") == CODE
    store.put("a", b"new")
    assert store.get("a") == stored_elsewhere(place, "a") == b"new"


def test_49_every_flipped_bit_is_a_miss(place: Path, store: Store) -> None:
    store.put("a", CODE)
    file = entry_file(place, "a")
    intact = file.read_bytes()
    for position in [*range(120), *range(120, len(intact), 97)]:
        flipped = bytearray(intact)
        flipped[position] ^= 1 << (position % 8)
        file.write_bytes(flipped)
        assert store.get("a") is None, position
    file.write_bytes(intact)
    assert store.get("a") == CODE


def something_else(path: Path, what: str) -> None:
    """Puts it in the place of what is there."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    match what:
        case "file":
            path.write_bytes(b"something else")
        case "directory":
            path.mkdir()
            (path / "kept").write_bytes(b"")
        case "pipe":
            os.mkfifo(path)
        case "link":
            path.symlink_to(path.parent.parent / "outside")
        case "link to itself":
            path.symlink_to(path)


@pytest.mark.parametrize("what", ["file", "directory", "pipe", "link", "link to itself", "nothing"])
@pytest.mark.parametrize("which", ["entry", "lock", "looked", "store-2"])
def test_50_something_else_in_its_place(tmp_path: Path, which: str, what: str) -> None:
    """An entry, the file that is locked, the one whose time is looked at, all of them."""
    place, outside = tmp_path / "cache", tmp_path / "outside"
    stored(place, a=CODE)
    outside.write_bytes(b"outside")
    path = {"entry": entry_file(place, "a"), "store-2": place / "store-2"}.get(which, place / "store-2" / which)
    for store in (Store(place), Store(place)):
        something_else(path, what)
        assert store.get("a") == (CODE if which in ("lock", "looked") else None)
        store.put("a", b"new")
        store.put("b", bytes(200))
        assert store.update("a", lambda present: (present or b"") + b"er") == b"newer"
        assert store.get("a") == stored_elsewhere(place, "a") == b"newer"
        store.put("a", CODE)
        assert store.info().entries == 2 and store.info().memory_only_reason is None
    assert outside.read_bytes() == b"outside"


def test_51_orphans_of_killed_processes_are_swept(place: Path) -> None:
    stored(place, a=CODE)
    old, young = (place / "store-2" / f"{'0' * 40}.new-{n}" for n in range(2))
    for orphan in (old, young):
        orphan.write_bytes(b"")
    os.utime(old, (0, 0))
    works_on_disk(place)
    assert not old.exists() and young.exists()


def test_51_older_layouts_are_removed(place: Path) -> None:
    older = place / "store-1"
    older.mkdir(parents=True, mode=0o700)
    place.chmod(0o700)
    (older / "cache.db").write_bytes(b"")
    works_on_disk(place)
    assert not older.exists()


# ------------------------------------------------------------------------------------ the machine: 52 to 56, 62


LIMITED = """
import pathlib, resource, signal, sys, warnings
from jitmdh.base.storage.store import Store
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
store = Store(pathlib.Path(sys.argv[1]))
store.put("before", bytes(10_000))
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
with warnings.catch_warnings(record=True) as log:
    warnings.simplefilter("always")
    for number in range(10):
        store.put(f"k{number}", bytes(10_000))
        assert store.get(f"k{number}") == bytes(10_000)
print(*(warning.message for warning in log), sep=";")
"""


def test_52_files_that_may_not_grow(place: Path) -> None:
    with python(LIMITED, place) as writer:
        output, errors = writer.communicate()
    assert not errors and output.count(";") == 1 and "is not used: File too large; compiled code is kept in" in output
    assert stored_elsewhere(place, "before") == bytes(10_000)
    assert sorted(path.name for path in (place / "store-2").iterdir()) == sorted(
        [entry_file(place, "before").name, "looked"]
    )


def test_52_disk_full(place: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "replace", full)
    with pytest.warns(JitWarning, match="No space left on device; compiled code is kept in memory only") as log:
        store.put("a", CODE)
        store.put("b", CODE)
    assert store.get("a") == store.get("b") == CODE and len(log) == 1
    assert not list((place / "store-2").iterdir())


def as_a_user(folder: Path, action: Callable[[], None]) -> None:
    """Does this in a process whom rights keep out, as they do not keep the administrator."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            if IS_ROOT:
                os.chown(folder, 23456, 23456)
                os.setuid(23456)
            action()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0


@forks
@pytest.mark.parametrize("mode", [0o500, 0o400, 0o000])
def test_53_read_only_home(mode: int) -> None:
    """It may not be written, listed, or entered; before anything was stored there, or afterwards."""

    def use(begun: bool) -> None:
        store, errors = Store(folder / "cache"), 0
        if begun:
            store.put("before", CODE)
            (folder / "cache" / "store-2").chmod(mode)
        folder.chmod(mode)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for each in (store, Store(folder / "cache")):
                each.put("a", CODE)
                assert each.get("a") == CODE
                errors += each.info().memory_only_reason == "Permission denied"
                assert begun or each.info().directory is None
        folder.chmod(0o700)
        if begun:
            (folder / "cache" / "store-2").chmod(0o700)
        assert len(caught) == errors == 2

    for begun in (False, True):
        folder = Path(tempfile.mkdtemp())  # the directories of pytest are closed to others
        try:
            as_a_user(folder, lambda begun=begun: use(begun))  # type: ignore[misc]
        finally:
            shutil.rmtree(folder)


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


def test_53_a_file_where_the_directory_should_be(place: Path) -> None:
    place.write_text("")
    with pytest.warns(JitWarning, match="it is not a directory"):
        assert Store(place).get("a") is None


def test_53_foreign_owner(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored(place, a=CODE)
    monkeypatch.setattr(os, "geteuid", lambda: os.stat(place).st_uid + 1)
    with pytest.warns(JitWarning, match="belongs to another user"):
        assert Store(place).get("a") is None


def test_54_a_clock_that_jumps_takes_no_lock_away(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hours = iter(range(0, 10**9, 3600))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(hours)))
    entries = Entries(place, 10**6)
    with entries.locked():
        pass


def test_54_locked(place: Path, store: Store) -> None:
    """Reading and storing wait for nobody; what is one step for all processes waits for 100 ms at most."""
    store.update("a", lambda present: CODE)
    with (place / "store-2" / "lock").open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        store.put("b", CODE)
        assert store.get("a") == stored_elsewhere(place, "b") == CODE
        with pytest.warns(JitWarning, match="another process held a lock for more than 100 ms") as log:
            assert store.update("b", lambda present: b"new") == b"new"
            assert store.update("b", lambda present: (present or b"") + b"er") == b"newer"
        assert store.get("b") == b"newer" and len(log) == 1
    assert stored_elsewhere(place, "b") == CODE


def test_54_a_lock_that_nobody_holds_is_got(place: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether a handler of a signal raised while it was held, or its file was removed."""
    store.put("a", CODE)

    def interrupted(entries: Entries) -> None:
        with entries.locked():
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store._on_disk(interrupted)
    other = Store(place)
    assert other.update("a", lambda present: b"other") == b"other"
    (place / "store-2" / "lock").unlink()
    assert store.update("a", lambda present: b"one") == b"one" == other.get("a")


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


@pytest.mark.in_turns(2)
def test_56_many_processes_on_an_empty_cache(place: Path) -> None:
    """Every process gets right answers, and nothing that one of them was told to be stored is lost."""
    count = 12
    command = [sys.executable, "-W", "error", "-c", SHARER, str(place)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    sharers = [subprocess.Popen([*command, str(me)], **pipes) for me in range(count)]  # type: ignore[call-overload]
    for sharer in sharers:  # all at once
        sharer.stdin.write("\n")
        sharer.stdin.flush()
    outputs = [sharer.communicate() for sharer in sharers]
    assert outputs == [("None\n", "")] * count
    store = Store(place)
    for me in range(count):
        assert [store.get(f"own {me} {round}") for round in range(5)] == [bytes([me]) * 20000] * 5


def test_57_removed_between_two_uses(place: Path, store: Store) -> None:
    store.put("a", CODE)
    other = Store(place)
    other.clear()
    assert store.get("a") is None


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


# ----------------------------------------------------------------------------------------------- attacks: 59 to 61


class Bomb:
    """Would leave a file, were it ever unpickled."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> tuple[object, ...]:
        return (Path.touch, (self.file,))


def test_59_planted_pickles(place: Path, tmp_path: Path) -> None:
    stored(place, a=CODE)
    exploded = tmp_path / "exploded"
    entry_file(place, "a").write_bytes(pickle.dumps(Bomb(exploded)))
    assert Store(place).get("a") is None
    works_on_disk(place)
    assert not exploded.exists()


def test_59_swapped_entries(place: Path, store: Store) -> None:
    stored(place, a=b"code of a", b=b"code of b")
    a, b, c = (entry_file(place, key) for key in "abc")
    a.rename(c)
    b.rename(a)
    c.rename(b)
    assert store.get("a") is None and store.get("b") is None
    assert store.why("b") == "its entry is damaged"


@pytest.mark.parametrize("link", [os.symlink, os.link], ids=["symbolic", "hard"])
def test_59_links_lead_nowhere(place: Path, tmp_path: Path, link: object) -> None:
    """A symbolic one is not read, and neither is written through."""
    stored(place, a=CODE)
    victim = tmp_path / "victim"
    victim.write_bytes(frame(b"b", b"planted"))
    for key in "ab":
        entry_file(place, key).unlink(missing_ok=True)
        link(victim, entry_file(place, key))  # type: ignore[operator]
    store = Store(place)
    assert store.get("a") is None
    assert store.get("b") == (b"planted" if link is os.link else None)  # it is what was stored under this key
    store.put("a", CODE)
    store.put("b", CODE)
    store.delete("a")
    store.clear()
    assert victim.read_bytes() == frame(b"b", b"planted")


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o755, 0o701])
def test_60_a_directory_open_to_others_is_refused(place: Path, mode: int) -> None:
    stored(place, a=CODE)
    place.chmod(mode)
    with pytest.warns(JitWarning, match=rf"other users have access to the directory \(mode {mode:o} instead of 700\)"):
        assert Store(place).get("a") is None


def test_60_a_directory_that_is_opened_to_others_meanwhile(place: Path, store: Store) -> None:
    store.put("a", CODE)
    place.chmod(0o777)
    with pytest.warns(JitWarning, match="other users have access"):
        assert store.get("a") is None


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
    return Store(place).get(key)


def test_60_what_it_creates_is_private(place: Path) -> None:
    stored(place, a=CODE)
    for path in (place, place / "store-2"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
    assert stat.S_IMODE(entry_file(place, "a").stat().st_mode) == 0o600
