"""What README.md promises: an example that runs as pasted, and two commands. The page of the settings."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from jitmdh.base.settings import Config

pytestmark = pytest.mark.in_turns(1)  # every day

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


def command(name: str) -> str:
    found = re.findall(rf"<!-- command: {name} -->\n```sh\n(.*?)\n```", README, re.DOTALL)
    assert len(found) == 1
    return str(found[0])


def test_the_first_example_runs_as_pasted(tmp_path: Path) -> None:
    (example,) = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    (tmp_path / "pasted.py").write_text(example)
    done = subprocess.run([sys.executable, tmp_path / "pasted.py"], capture_output=True, text=True, check=True)
    assert "matvec" in done.stdout and not done.stderr


def test_it_runs_where_little_is_as_usual(tmp_path: Path) -> None:
    """One core, one thread, no HOME, and a folder whose name has spaces and letters that are not ASCII."""
    (example,) = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    folder = tmp_path / "Größe und 大小"
    folder.mkdir()
    (folder / "ä b.py").write_text(f"import os; os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])\n{example}")
    environment = {name: value for name, value in os.environ.items() if name != "HOME" and not name.startswith("XDG_")}
    environment |= {"MDH_NUM_THREADS": "1", "MDH_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run([sys.executable, "ä b.py"], cwd=folder, env=environment, capture_output=True, check=True)
    assert b"matvec" in done.stdout and not done.stderr
    assert list((folder / "cache").iterdir())


def test_it_fits_on_two_screens() -> None:
    assert README.count("\n") < 100 and max(map(len, README.splitlines())) < 200


def test_both_commands_start_from_nothing() -> None:
    for name in ("demo", "test"):
        assert command(name).startswith("python3 -m venv .venv && .venv/bin/pip install -q -e ")
    assert command("demo").endswith(" .venv/bin/python -m jitmdh demo")


def test_continuous_integration_runs_the_second_one_verbatim() -> None:
    printed = subprocess.run([ROOT / ".ci" / "run", "--print"], capture_output=True, text=True, check=True).stdout
    assert printed == command("test") + "\n"


def test_every_setting_is_listed_with_its_variable() -> None:
    page = (ROOT / "docs" / "settings.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| `(MDH_\w+)` \|", page, re.MULTILINE)
    assert dict(rows) == {name: setting.variable for name, setting in Config.table().items()}


def test_every_setting_is_read_by_the_compiler() -> None:
    """And every variable that a page or a message names is that of a setting."""
    texts = {path: path.read_text() for path in (ROOT / "jitmdh").rglob("*.py")}
    code = "".join(text for path, text in texts.items() if path.name != "settings.py")
    assert [name for name in Config.table() if not re.search(rf"\bconfig\.{name}\b", code)] == []
    pages = "".join(
        path.read_text() for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")) if path.name != "CHANGELOG.md"
    )
    known = {setting.variable for setting in Config.table().values()}
    assert set(re.findall(r"\bMDH_[A-Z_]+\b", pages + "".join(texts.values()))) - known <= {"MDH_NAME"}
