"""A thread that imports modules lets others have the interpreter's lock between them."""

from __future__ import annotations

import importlib
import sys
import threading
from pathlib import Path

import pytest

from jitmdh.base.process import giving_way


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[int]:
    """The threads that have paused; there are modules `given_way_0` to 3, of which the first imports the second."""
    for number in range(4):
        text = "import given_way_1" if not number else ""
        (tmp_path / f"given_way_{number}.py").write_text(text)
        monkeypatch.delitem(sys.modules, f"given_way_{number}", raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))
    found: list[int] = []
    monkeypatch.setattr(giving_way, "sleep", lambda _: found.append(threading.get_ident()))
    return found


def test_a_pause_before_each_new_module(pauses: list[int]) -> None:
    before = list(sys.meta_path)
    with giving_way.giving_way():
        importlib.import_module("given_way_0")
        importlib.import_module("given_way_0")
        assert pauses == 2 * [threading.get_ident()]
        other = threading.Thread(target=importlib.import_module, args=("given_way_2",))
        other.start()
        other.join()
        assert len(pauses) == 2, "other threads are not held up"
    importlib.import_module("given_way_3")
    assert len(pauses) == 2 and sys.meta_path == before


def test_an_error_ends_it(pauses: list[int]) -> None:
    before = list(sys.meta_path)
    with pytest.raises(ModuleNotFoundError), giving_way.giving_way():
        importlib.import_module("given_way_9")
    assert sys.meta_path == before and pauses
