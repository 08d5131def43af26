"""Wisdom: what was found here is found elsewhere, or an error names the line, and nothing was taken."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import jitmdh as mdh
from jitmdh.base.errors import ArgumentTypeError, ConfigurationError
from jitmdh.base.settings import config
from jitmdh.base.storage.store import default_store
from jitmdh.jit.online import wisdom as wisdom_file
from jitmdh.jit.online.knowledge import Knowledge
from jitmdh.jit.online.wisdom import knowledge_of
from tests.jit.online.test_knowledge import SIZES, SUBJECT, found

OTHER = replace(SUBJECT, name="module.g", function="ba4")


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Callable[[str], Any]]:
    """A context with a cache of its own for each name."""
    yield lambda name: config(cache=True, cache_dir=str(tmp_path / name), wisdom=None)


@pytest.fixture
def file(tmp_path: Path, fresh: Callable[[str], Any]) -> Path:
    """What one process has found."""
    path = tmp_path / "wise"
    with fresh("here"):
        known = knowledge_of(default_store())
        known.record(SUBJECT, found(1), found(2, 0.5, chosen=True), found(2, 0.52))
        known.record(SUBJECT, found(3, None, reason="wrong result", quarantined=True))
        known.record(OTHER, found(4, 0.6))
        assert mdh.wisdom.export(path) == 4
    return path


def test_what_was_exported_is_loaded(file: Path, fresh: Callable[[str], Any]) -> None:
    with fresh("there"):
        assert str(mdh.wisdom.load(file)) == "4 results of 2 functions"
        known = knowledge_of(default_store())
        assert set(known.subjects()) == {SUBJECT, OTHER} and {e.where for e in known.of(SUBJECT)} == {"wisdom"}
        chosen = known.chosen(SUBJECT, SIZES)
        assert chosen is not None and (chosen.values, chosen.ratio) == ({"tile": 2}, 0.52)
        assert known.quarantined(SUBJECT) == {found(3).digest}
        assert [e.values["tile"] for e in known.first_guesses(SUBJECT, SIZES)] == [2, 1]
        mdh.wisdom.load(file)  # once more: nothing new
        assert len(known.of(SUBJECT)) == 3


def test_only_some_functions(file: Path, fresh: Callable[[str], Any], tmp_path: Path) -> None:
    class Function:
        full_name = "module.g"

    with fresh("here"):
        assert mdh.wisdom.export(tmp_path / "some", functions=[Function()]) == 1
        assert mdh.wisdom.export(tmp_path / "none", functions=[]) == 0
        with pytest.raises(ArgumentTypeError, match="not a function decorated"):
            mdh.wisdom.export(tmp_path / "bad", functions=[len])
    with fresh("there"):
        assert mdh.wisdom.load(tmp_path / "some").functions == 1
        assert mdh.wisdom.load(tmp_path / "none").results == 0


def edited(number: int, change: Callable[[dict[str, Any]], object]) -> Callable[[list[str]], list[str]]:
    def edit(lines: list[str]) -> list[str]:
        data = json.loads(lines[number])
        change(data)
        return [*lines[:number], json.dumps(data), *lines[number + 1 :]]

    return edit


DAMAGES: dict[str, tuple[Callable[[list[str]], list[str]], str]] = {
    "empty": (lambda lines: [], "line 1: this is no wisdom of jitmdh"),
    "foreign": (lambda lines: ["(fftw-3.3.10 fftw_wisdom #x3c273403", ")"], "line 1: this is no wisdom of jitmdh"),
    "another JSON": (lambda lines: ['{"columns": []}', ""], "line 1: this is no wisdom of jitmdh"),
    "newer": (
        edited(0, lambda d: d.update(version=2)),
        "line 1: wisdom of version 2; this jitmdh reads up to version 1",
    ),
    "cut off in a line": (lambda lines: [*lines[:2], lines[2][:40]], "line 3: 1 of 4 results are there"),
    "cut off after a line": (lambda lines: [*lines[:3], ""], "line 4: 2 of 4 results are there"),
    "longer": (lambda lines: [*lines[:-1], lines[1], ""], "line 6: 4 of 4 results are there"),
    "a line that is none": (lambda lines: [*lines[:2], "{]", *lines[3:]], "line 3: this is no result of tuning"),
    "a text for a number": (edited(1, lambda d: d.update(threads="2")), "line 2: this is no result of tuning"),
    "a number for a text": (edited(2, lambda d: d.update(name=2)), "line 3: this is no result of tuning"),
    "no configuration": (edited(3, lambda d: d.pop("configuration")), "line 4: this is no result of tuning"),
    "something else": (edited(4, lambda d: d.update(os="system")), "line 5: this is no result of tuning"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_names_the_line_and_nothing_is_taken(
    damage: str, file: Path, fresh: Callable[[str], Any]
) -> None:
    change, message = DAMAGES[damage]
    file.write_text("\n".join(change(file.read_text().split("\n"))))
    with fresh("there"):
        with pytest.raises(ConfigurationError) as error:
            mdh.wisdom.load(file)
        assert f"{file}, {message}" in str(error.value)
        assert knowledge_of(default_store()).subjects() == []


def test_files_that_cannot_be_read_or_written(tmp_path: Path, fresh: Callable[[str], Any]) -> None:
    with fresh("here"):
        with pytest.raises(ConfigurationError, match="no wisdom can be read there: No such file"):
            mdh.wisdom.load(tmp_path / "nowhere")
        with pytest.raises(ConfigurationError, match="no wisdom can be written there: No such file"):
            mdh.wisdom.export(tmp_path / "nowhere" / "file")
        (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
        with pytest.raises(ConfigurationError, match="line 1: this is no wisdom"):
            mdh.wisdom.load(tmp_path / "bytes")
        assert not list(tmp_path.glob(".wisdom-*"))


def test_configurations_without_meaning_are_skipped_with_the_reason(file: Path, fresh: Callable[[str], Any]) -> None:
    change = edited(1, lambda d: d.update(configuration={"f": {"part_size": {"(L1,i)": "four"}}}))
    file.write_text("\n".join(change(file.read_text().split("\n"))))
    with fresh("there"):
        loaded = mdh.wisdom.load(file)
        assert loaded.results == 3 and list(loaded.skipped.values()) == [1] and "part_size" in str(loaded)


def test_the_file_that_a_setting_names(file: Path, fresh: Callable[[str], Any], tmp_path: Path) -> None:
    with fresh("there"), config(wisdom=file):
        assert knowledge_of(default_store()).chosen(SUBJECT, SIZES) is not None
        assert knowledge_of(None).chosen(SUBJECT, SIZES) is not None  # without a cache, too
    with fresh("elsewhere"), config(wisdom=tmp_path / "nowhere"):
        with pytest.raises(ConfigurationError, match="no wisdom can be read"):
            knowledge_of(default_store())
        assert knowledge_of(default_store()).subjects() == []  # once


def test_results_of_a_function_that_has_changed_are_skipped(
    file: Path, fresh: Callable[[str], Any], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = replace(SUBJECT, function="c4a")
    with fresh("there"):
        mdh.wisdom.load(file)
        known: Knowledge = knowledge_of(default_store())
        with caplog.at_level(logging.INFO):
            assert known.first_guesses(changed, SIZES) == [] == known.first_guesses(changed, SIZES)
    assert [r.getMessage() for r in caplog.records if "skipped" in r.getMessage()] == [
        "wisdom: 3 results of module.f are skipped: the function has changed since"
    ]


def test_versions_are_not_the_files_business() -> None:
    assert wisdom_file.VERSION == 1 and mdh.wisdom is wisdom_file.wisdom
