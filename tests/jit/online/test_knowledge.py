"""What is remembered: each evaluation as it is made, for whoever asks, and nothing that breaks if it is damaged."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jitmdh.base.errors import JitWarning
from jitmdh.base.storage import entries
from jitmdh.base.storage.store import Store
from jitmdh.jit.online import knowledge
from jitmdh.jit.online.knowledge import Knowledge, Observation, Subject, digest_of, evaluation
from tests.waiting import PATIENCE

SUBJECT = Subject("f00", "module.f", "float64[1@0]", "cpu", "x.shape[0] 32..127", 2, "zen")
SIZES = {"x.shape[0]": 100}


def found(number: int, ratio: float | None = 0.9, **rest: Any) -> Observation:
    configuration = {"f": {"part_size": {"(L1,i)": number}}}
    seconds = None if ratio is None else ratio * 1e-3
    return Observation(configuration, {"tile": number}, SIZES, seconds, 1e-3, **rest)


def test_what_one_process_has_seen_the_next_one_knows(tmp_path: Path) -> None:
    store = Store(tmp_path)
    one = Knowledge(store)
    one.record(SUBJECT, found(1), found(2, 0.5, chosen=True))
    one.record(SUBJECT, found(3, None, reason="crashed", quarantined=True))
    other = Knowledge(Store(tmp_path))
    assert other.of(SUBJECT) == [
        found(1),
        found(2, 0.5, chosen=True),
        found(3, None, reason="crashed", quarantined=True),
    ]
    assert other.chosen(SUBJECT, SIZES) == found(2, 0.5, chosen=True)
    assert other.chosen(SUBJECT, {"x.shape[0]": 101}) is None
    assert other.quarantined(SUBJECT) == {found(3).digest}
    assert {d: e.ratio for d, e in other.times(SUBJECT, SIZES).items()} == pytest.approx(
        {found(1).digest: 0.9, found(2).digest: 0.5, found(3).digest: None}
    )
    assert other.subjects() == [SUBJECT]
    assert other.of(replace(SUBJECT, threads=1)) == [] == other.of(replace(SUBJECT, machine="skylake"))
    assert other.of(replace(SUBJECT, name="moved.f")) == other.of(SUBJECT)  # the name is for people


def test_the_model_is_chosen_again_where_nothing_is_faster_any_more() -> None:
    known = Knowledge(None)
    known.record(SUBJECT, found(2, chosen=True))
    known.record(SUBJECT, Observation({}, {}, SIZES, chosen=True))
    assert known.chosen(SUBJECT, SIZES) is None


def test_first_guesses_are_the_nearest_first() -> None:
    known = Knowledge(None)
    known.record(replace(SUBJECT, machine="old"), found(1, 0.1, chosen=True))
    known.record(replace(SUBJECT, sizes="x.shape[0] 128..511"), found(2, 0.5, chosen=True))
    known.record(replace(SUBJECT, signature="float32[1@0]"), found(9, 0.5, chosen=True))
    known.record(SUBJECT, replace(found(3, 0.7), sizes={"x.shape[0]": 50}), found(4, 0.8), found(5, 0.6))
    known.record(SUBJECT, found(6, 1.2), found(7, 0.3), found(7, None, reason="wrong", quarantined=True))
    assert [e.values["tile"] for e in known.first_guesses(SUBJECT, SIZES)] == [5, 4, 3, 2, 1]
    assert [e.values["tile"] for e in known.first_guesses(SUBJECT, SIZES, most=2)] == [5, 4]


text = st.text('aZ09 _|\\"\n\t\0{}[]:,é☃\U0001f600')
plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False) | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=6,
)
names = st.sampled_from(["configuration", "values", "sizes", "seconds", "reason", "chosen", "where", "code", "other"])


@given(st.dictionaries(names, plain, max_size=5))
def test_lines_by_another_hand_are_left_out_or_understood(line: dict[str, Any]) -> None:
    known = Knowledge(None)
    known.record(SUBJECT, found(1))
    foreign = b"\n" + json.dumps(line).encode() + b"\n{]"
    known.store.update(f"{SUBJECT.key}|0", lambda present: (present or b"") + foreign)
    known.record(SUBJECT, found(2))
    read = known.of(SUBJECT)
    assert read[0] == found(1) and read[-1] == found(2) and len(read) in (2, 3)
    assert known.chosen(SUBJECT, SIZES) is None or line.get("chosen")
    known.first_guesses(SUBJECT, SIZES), known.quarantined(SUBJECT), known.times(SUBJECT, SIZES)
    for e in read:
        assert evaluation(json.loads(json.dumps(e.line()))) == e


def test_configurations_are_the_same_whatever_is_said_about_them() -> None:
    one = {"f": {"part_size": {"a": 1, "b": 2}, "reasons": ["the model's"]}}
    assert digest_of(one) == digest_of({"f": {"part_size": {"b": 2, "a": 1}}})
    assert digest_of(one) != digest_of({"f": {"part_size": {"b": 1, "a": 2}}})


def _write(place: Path, begin: int) -> None:
    known = Knowledge(Store(place))
    for number in range(begin, begin + 25):
        known.record(SUBJECT, found(number))


def _write_beside_others(place: Path, begin: int) -> None:
    """In a process of its own. On a busy machine the other one may stand still for longer than a store waits."""
    entries.LOCK_SECONDS = PATIENCE
    _write(place, begin)


def test_processes_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    _write(tmp_path, 0)
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write_beside_others, args=(tmp_path, begin)) for begin in (100, 200)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(PATIENCE)
    assert len({e.digest for e in Knowledge(Store(tmp_path)).of(SUBJECT)}) == 75


def test_a_candidate_is_claimed_by_one_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = Knowledge(Store(tmp_path)), Knowledge(Store(tmp_path))
    assert one.claim(SUBJECT, found(1).configuration) and one.claim(SUBJECT, found(1).configuration)
    present = os.getpid()
    monkeypatch.setattr(os, "getpid", lambda: present + 1)
    other.store._process = os.getpid()
    assert not other.claim(SUBJECT, found(1).configuration) and other.claim(SUBJECT, found(2).configuration)
    assert other.claim(SUBJECT, found(1).configuration, seconds=0.0)  # who had it is thought to be no more
    other.record(SUBJECT, found(2))
    assert one.claim(SUBJECT, found(2).configuration)  # its time is known: no need for a claim


WRITER = """
from pathlib import Path
from tests.jit.online.test_knowledge import SUBJECT, Knowledge, Store, found
known = Knowledge(Store(Path({place!r})))
for number in range(10**6):
    known.record(SUBJECT, found(number))
    print(number, flush=True)
"""


def test_a_killed_process_loses_at_most_one(tmp_path: Path) -> None:
    last = 0
    for _ in range(4):
        command = [sys.executable, "-c", WRITER.format(place=str(tmp_path))]
        with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[3]) as writer:
            assert writer.stdout is not None
            for _ in range(3):
                last = max(last, int(writer.stdout.readline()))
            time.sleep(0.01)
            writer.send_signal(signal.SIGKILL)
            last = max([last, *map(int, writer.stdout.read().split())])
        read = [e.values["tile"] for e in Knowledge(Store(tmp_path)).of(SUBJECT)]
        assert set(range(last + 1)) <= set(read) and max(read) <= last + 1


def test_a_store_that_cannot_be_written_is_one_warning(tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.write_text("no directory")
    known = Knowledge(Store(place))
    with pytest.warns(JitWarning, match="is not used") as warned:
        known.record(SUBJECT, found(1))
    known.record(SUBJECT, found(2, 0.5, chosen=True))
    assert len(warned) == 1 and len(known.of(SUBJECT)) == 2
    assert known.chosen(SUBJECT, SIZES) == found(2, 0.5, chosen=True)


def test_old_lines_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(knowledge, "_LINES", 4)
    monkeypatch.setattr(knowledge, "_ENTRIES", 2)
    known = Knowledge(None)
    for number in range(15):
        known.record(SUBJECT, found(number))
    assert [e.values["tile"] for e in known.of(SUBJECT)] == list(range(4, 15))
    assert known.store.info().entries == 5  # three of lines, which is the last of them, and the index


class TimeIsUp(ValueError):
    """Of a program whose errors are its own kind of ValueError."""


@pytest.mark.parametrize("read", [
    lambda: list(knowledge._evaluations(b"{}")),
    lambda: Knowledge.subjects(SimpleNamespace(store={knowledge._INDEX: b"[]"})),  # type: ignore[arg-type]
    lambda: knowledge._is_number(_Interrupted("1")),
], ids=["evaluations", "subjects", "numbers"])  # fmt: skip
def test_time_outs_are_no_damaged_lines(read: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a signal's handler raises while lines are read is for the program: it was taken for a line that is bad."""

    def up(*_: object) -> None:
        raise TimeIsUp

    before = signal.signal(signal.SIGUSR1, up)
    monkeypatch.setattr(knowledge.json, "loads", lambda _: signal.raise_signal(signal.SIGUSR1))
    try:
        with pytest.raises(TimeIsUp):
            read()
    finally:
        signal.signal(signal.SIGUSR1, before)


class _Interrupted(str):
    def __float__(self) -> float:
        signal.raise_signal(signal.SIGUSR1)
        return float(str(self))
