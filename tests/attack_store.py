"""Random damage to the store on disk: `python -m tests.attack_store --seed 0 --seconds 60`, or `--count 1000`.

Each case has a store with some entries, does something to its files, links, owners, limits or writers, and uses it
again. Wrong: a value that was never stored under its key; an exception; a second warning; anything outside that has
been touched. Lost: an entry that nothing was done to, what was stored afterwards, or what a process that was killed had
been told to be stored, and is not there.
"""

from __future__ import annotations

import argparse
import grp  # noqa: F401  # while it may be read: a case becomes another user
import math
import os
import pwd  # noqa: F401
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from jitmdh.base.storage.entries import Entries
from jitmdh.base.storage.store import Store, frame
from tests.rights import is_superuser

Draw = random.Random
WRITERS = 8
STRANGER, USER = 12345, 23456  # users that are nobody
LARGEST = 40_000  # bytes of a value
LIMIT = 1 << 22


def value_of(key: str, version: int) -> bytes:
    """The value that `version` of `key` is: whoever reads it can tell."""
    draw = random.Random(f"{key} {version}")
    return f"{key}/{version}/".encode() + draw.randbytes(draw.choice((0, 9, 500, LARGEST)))


def is_value(key: str, value: bytes, most: int) -> bool:
    name, _, rest = value.partition(b"/")
    number = rest.partition(b"/")[0]
    return name == key.encode() and number.isdigit() and int(number) <= most and value == value_of(key, int(number))


class Case:
    """A store in `folder`/store, beside what must not be touched."""

    def __init__(self, folder: Path, draw: Draw) -> None:
        self.folder, self.draw, self.problems = folder, draw, list[str]()
        self.directory = folder / "store"
        self.outside = folder / "outside"
        self.outside.mkdir()
        (self.outside / "kept").write_bytes(b"kept")
        self.keys = [f"key {n}" for n in range(draw.choice((1, 5, 20)))]
        self.touched: set[Path] = set()  # files that something is done to; a directory: all that are in it
        self.rights = False  # whether they are changed: who has opened a directory may go on, and others not begin
        self.store = Store(self.directory, LIMIT)
        for key in self.keys:
            self.store.put(key, value_of(key, 0))
        self.store.update("count", lambda present: b"0")
        self.files = {key: self.file(key) for key in self.keys}

    @property
    def entries(self) -> Path:
        return self.directory / "store-2"

    def file(self, key: str) -> Path:
        return Path(Entries(self.entries, 0)._path(key))

    def used(self, store: Store, what: str) -> None:
        """Reads all, stores something, reads that, here and as another process: at most one warning, nothing wrong."""
        with warnings.catch_warnings(record=True) as given:
            warnings.simplefilter("always")
            try:
                self._used(store, what)
            except Exception as error:
                self.problems.append(f"{what}: {type(error).__name__}: {error}")
        if len(given) > 1:
            self.problems.append(f"{what}: {len(given)} warnings: {[str(w.message) for w in given]}")

    def finish(self, what: str) -> None:
        self.folder.chmod(0o700)
        if [p.name for p in self.outside.iterdir()] != ["kept"] or (self.outside / "kept").read_bytes() != b"kept":
            self.problems.append(f"{what}: something outside was touched")

    def _used(self, store: Store, what: str) -> None:
        for key in self.keys:
            value = store.get(key)
            if value is not None and not is_value(key, value, 1):
                self.problems.append(f"{what}: a wrong value for {key}: {value[:40]!r}")
            untouched = self.touched.isdisjoint((self.files[key], *self.files[key].parents))
            if value is None and untouched and store.info().memory_only_reason is None:
                self.problems.append(f"{what}: lost {key}, which nothing was done to: {store.why(key)}")
        for key in (self.keys[0], "new"):
            store.put(key, value_of(key, 1))
            self._found(store, key, what)
        store.update("count", lambda present: b"%d" % (int(present or 0) + 1))
        if store.get("count") not in (b"1", b"2", b"3"):
            self.problems.append(f"{what}: a wrong count: {store.get('count')!r}")
        store.info()

    def _found(self, store: Store, key: str, what: str) -> None:
        if store.get(key) != value_of(key, 1):
            self.problems.append(f"{what}: lost what was stored afterwards: {store.why(key)}")
        with warnings.catch_warnings():  # one of another process
            warnings.simplefilter("ignore")
            other = Store(self.directory, LIMIT)
            value, refused = other.get(key), other.info().memory_only_reason
        if store.info().memory_only_reason is None and refused and not self.rights:
            self.problems.append(f"{what}: not usable for another process: {refused}")
        elif store.info().memory_only_reason is None and not refused and value != value_of(key, 1):
            self.problems.append(f"{what}: lost for another process: {other.why(key)}")


# ------------------------------------------------------------------------------------------------- files


def flip(data: bytearray, draw: Draw) -> None:
    for _ in range(draw.choice((1, 1, 2, 50))):
        data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)


def overwrite(data: bytearray, draw: Draw) -> None:
    at, size = draw.randrange(len(data)), draw.choice((1, 16, 512, 4096, 20_000))
    data[at : at + size] = draw.choice((bytes(size), draw.randbytes(size), b"\xff" * size))[: len(data) - at]


def shorten(data: bytearray, draw: Draw) -> None:
    del data[draw.choice((0, draw.randrange(len(data)), len(data) // 4096 * 4096, len(data) // 2)) :]


def lengthen(data: bytearray, draw: Draw) -> None:
    data += draw.randbytes(draw.choice((1, 4096, 10_000)))


def exchange(data: bytearray, draw: Draw) -> None:
    """Two pages change places."""
    pages = max(1, len(data) // 4096)
    a, b = (4096 * draw.randrange(pages) for _ in range(2))
    data[a : a + 4096], data[b : b + 4096] = data[b : b + 4096], data[a : a + 4096]


BYTES: tuple[Callable[[bytearray, Draw], None], ...] = (flip, flip, overwrite, shorten, lengthen, exchange)


def damage_file(case: Case) -> None:
    """A file of the store, other bytes in place or as another file."""
    files = sorted(p for p in case.directory.rglob("*") if p.is_file())
    path = case.draw.choice(files)
    case.touched.add(path)
    data = bytearray(path.read_bytes())
    if data:
        case.draw.choice(BYTES)(data, case.draw)
    if case.draw.random() < 0.5:
        path.unlink()
    path.write_bytes(data)


def replace_path(case: Case) -> None:
    """A file or directory is removed, or something else stands in its place."""
    draw = case.draw
    path = draw.choice([case.directory, case.entries, *sorted(case.entries.iterdir())])
    case.touched.add(path)
    moved = path.with_name("moved")
    path.rename(moved)
    way = draw.randrange(8)
    if way == 1:
        path.mkdir(mode=0o700)
    elif way == 2:
        path.write_bytes(b"something else")
    elif way == 3:
        path.symlink_to(draw.choice((moved, case.outside / "kept", case.outside, case.folder / "nowhere", path)))
    elif way == 4:
        path.mkdir(mode=0o700)
        (path / "something").write_bytes(b"else")
    elif way == 5:
        os.mkfifo(path)
    elif way == 6:
        os.link(case.outside / "kept", path)
    elif way == 7:
        shutil.copytree(moved, path) if moved.is_dir() else shutil.copy(moved, path)


def change_rights(case: Case) -> None:
    """Modes and owners: of the directory, of what is in it, of what it is in."""
    path = case.draw.choice([case.folder, case.directory, case.entries, *sorted(case.entries.iterdir())])
    case.touched.add(path)
    case.rights = True
    if is_superuser() and case.draw.random() < 0.5:
        os.chown(path, STRANGER, STRANGER)
    else:
        path.chmod(case.draw.choice((0o000, 0o400, 0o500, 0o777, 0o770, 0o600, 0o1777)))


def as_user(case: Case) -> None:
    """As before, for somebody whom rights do keep out."""
    if not is_superuser():
        return change_rights(case)
    reader, writer = os.pipe()

    def use() -> None:
        os.setgroups([])
        os.setgid(USER)
        os.setuid(USER)
        change_rights(case)
        case.used(case.store, "as a user, open")
        case.used(Store(case.directory, LIMIT), "as a user")
        os.write(writer, "\n".join(case.problems).encode())

    for path in (case.folder, *case.folder.rglob("*")):
        os.chown(path, USER, USER)
    _, status = os.waitpid(in_child(use), 0)
    os.close(writer)
    with os.fdopen(reader) as lines:
        case.problems += lines.read().splitlines()
    if status:
        case.problems.append(f"a process of another user ended with {status}")
    case.used = lambda *_: None  # type: ignore[method-assign]  # to root, that is all a stranger's


def exchange_entries(case: Case) -> None:
    """An entry stands in the place of another one, or one that is intact is planted under the name of another key."""
    names = [*case.keys, "new", "count"]
    one = case.draw.choice(case.keys)
    other = case.draw.choice([name for name in names if name != one])
    path = case.file(other)
    case.touched.add(path)
    if case.draw.random() < 0.5:
        shutil.copy(case.file(one), path)
    else:
        path.write_bytes(frame(one.encode(), value_of(one, 0)))
    if case.draw.random() < 0.5:
        case.touched.add(case.file(one))
        case.file(one).rename(case.file("neither"))


def clutter(case: Case) -> None:
    """Files that are no entries, of other layouts, and what killed processes have left."""
    name = case.draw.choice(("lock", "looked", "x", f"{'0' * 40}", f"{'0' * 40}.new-1", "../store-1", "../store-3"))
    path = case.entries / name
    path.unlink(missing_ok=True)
    path.write_bytes(case.draw.randbytes(100))
    moment = case.draw.choice((0, 1e9, 4e9))
    os.utime(path, (moment, moment))


# ------------------------------------------------------------------------------------------------- processes


def in_child(action: Callable[[], None]) -> int:
    """The number of a process that does this and nothing else."""
    process = os.fork()
    if not process:
        status = 1
        try:
            action()
            status = 0
        except Exception:
            traceback.print_exc()
        finally:
            os._exit(status)
    return process


def limited(case: Case) -> None:
    """A process writes until files may not grow any more, as on a full disk."""
    limit = case.draw.choice((0, 100, 4096, 20_000, LARGEST))

    def write() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        with warnings.catch_warnings(record=True) as given:
            warnings.simplefilter("always")
            store = Store(case.directory, LIMIT)
            for n in range(30):
                store.put(f"more {n}", value_of(f"more {n}", 0))
                if store.get(f"more {n}") != value_of(f"more {n}", 0):
                    os._exit(3)
        os._exit(4 if len(given) > 1 else 0)

    _, status = os.waitpid(in_child(write), 0)
    if status:
        case.problems.append(f"a process with files of at most {limit} bytes ended with {status}")


def killed_writers(case: Case) -> None:
    """Several processes store and are killed in the middle; what one of them was told to be stored must be there."""
    reader, writer = os.pipe()
    keys = [f"shared {n}" for n in range(6)]

    def write(own: int) -> None:
        warnings.simplefilter("ignore")
        draw, store = random.Random(case.draw.random() + own), Store(case.directory, 1 << 24)
        for version in range(100_000):
            key = draw.choice([*keys, f"own {own}", "sum"])
            if key == "sum":
                store.update(key, lambda present: b"%d" % (int(present or 0) + 1))
            else:
                store.put(key, value_of(key, version))
            if store.info().memory_only_reason is not None:
                os._exit(0)
            if key.startswith(("own", "sum")):
                os.write(writer, f"{key}={version}\n".encode())

    processes = [in_child(lambda own=own: write(own)) for own in range(WRITERS)]  # type: ignore[misc]
    time.sleep(case.draw.random() * 0.4)
    for process in processes:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
    os.close(writer)
    with os.fdopen(reader) as lines:
        told = [line.strip().split("=") for line in lines if line.endswith("\n")]
    store = Store(case.directory, 1 << 24)
    for key in keys:
        value = store.get(key)
        if value is not None and not is_value(key, value, 100_000):
            case.problems.append(f"killed writers: a wrong value for {key}")
    for key, version in dict(told).items():
        value = store.get(key)
        if key == "sum":
            least = sum(name == "sum" for name, _ in told)
            if not least <= int(value or 0) <= least + WRITERS:
                case.problems.append(f"killed writers: {least} were added, and there are {value!r}")
        elif value is None or not is_value(key, value, 100_000) or int(value.split(b"/")[1]) < int(version):
            case.problems.append(f"killed writers: version {version} of {key} is lost: {store.why(key)}")


# ------------------------------------------------------------------------------------------------- the whole

ATTACKS: tuple[tuple[Callable[[Case], None], int], ...] = (
    (damage_file, 40), (replace_path, 12), (change_rights, 6), (as_user, 6), (exchange_entries, 8), (clutter, 6),
    (limited, 4), (killed_writers, 1),
)  # fmt: skip
"""With how often each is drawn, of their sum."""


def attacked(seed: int, chosen: Callable[[Case], None] | None = None) -> tuple[str, list[str]]:
    """The name of what case `seed` does, unless that is chosen, and what was wrong afterwards."""
    draw = random.Random(seed)
    attack = chosen or draw.choices([a for a, _ in ATTACKS], [w for _, w in ATTACKS])[0]
    folder = Path(tempfile.mkdtemp(prefix="jitmdh-attack-"))
    try:
        case = Case(folder, draw)
        open_still = draw.random() < 0.4
        attack(case)
        if open_still:
            case.used(case.store, f"{attack.__name__}, open")
        case.used(Store(case.directory, LIMIT), attack.__name__)
        case.finish(attack.__name__)
        return attack.__name__, case.problems
    finally:
        folder.chmod(0o700)
        shutil.rmtree(folder, ignore_errors=True)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.attack_store", description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="of the first case")
    parser.add_argument("--count", type=int, default=None, help="cases")
    parser.add_argument("--seconds", type=float, default=math.inf, help="end after so long")
    given = parser.parse_args(arguments)
    count = given.count if given.count is not None else (1000 if given.seconds == math.inf else sys.maxsize)
    counts, wrong, begin, seed = Counter[str](), 0, time.monotonic(), given.seed
    for seed in range(given.seed, given.seed + count):
        if time.monotonic() - begin > given.seconds:
            break
        name, problems = attacked(seed)
        counts[name] += 1
        wrong += bool(problems)
        for problem in problems:
            print(f"seed {seed}: {problem}", flush=True)
    for name, n in sorted(counts.items()):
        print(f"{n:7} {name}")
    print(f"seeds {given.seed} to {seed}, {wrong} cases wrong, {time.monotonic() - begin:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
