"""The pages of `docs/contributing`, followed literally in a copy of the repository.

A block ```` ```python FILE ```` is a new file. ```` ```diff FILE ```` is changes of one: lines with a blank in front
have to be there, next to each other; `@@` stands for what is between. A block `sh` is run, unless it says `no-test`.
The table on the page names every file that changes, and no other one does. A page whose example is in the repository by
now says so: it is taken out first, and put back is what is there.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted((ROOT / "docs" / "contributing").glob("*.md"))
BLOCK = re.compile(r"^```(python|diff|sh) ?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COPIED = ("jitmdh", "tests", "benchmarks", "docs", "pyproject.toml", "README.md", "CHANGELOG.md")
THERE = "first takes them out of a copy"
LEFT_BEHIND = shutil.ignore_patterns(".*_cache", "*.svg", "data")  # what is compiled comes along: many processes start


def contents(folder: Path) -> dict[str, str]:
    """All files that somebody wrote, with their text."""
    return {
        path.relative_to(folder).as_posix(): path.read_text(errors="replace")
        for path in folder.rglob("*")
        if path.is_file() and not any(part.startswith((".", "__pycache__")) for part in path.relative_to(folder).parts)
    }


def changed(text: str, change: str, back: bool = False) -> str:
    """The text with a change made, whose lines are found in one place only; `…` stands for the rest of a line.

    back: the change is taken back.
    """
    for hunk in re.split(r"^@@.*\n", change, flags=re.MULTILINE):
        lines = hunk.splitlines(keepends=True)
        assert all(line[0] in " +-" for line in lines), f"a line of a change has no mark: {hunk}"
        old = "".join(line[1:] for line in lines if line[0] != "+-"[back])
        new = "".join(line[1:] for line in lines if line[0] != "-+"[back])
        found = list(re.finditer("^" + re.escape(old).replace("…", "(.*)"), text, re.MULTILINE))
        assert len(found) == 1, f"{len(found)} times, not once:\n{old}"
        for rest in found[0].groups():
            new = new.replace("…", rest, 1)
        text = text[: found[0].start()] + new + text[found[0].end() :]
    return text


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("original")
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=LEFT_BEHIND)
        else:
            shutil.copy(ROOT / name, folder / name)
    return folder


def there(page: Path) -> bool:
    """Whether the example of a page is in the repository."""
    return THERE in " ".join(page.read_text().split())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_changes_find_their_places(page: Path) -> None:
    """Of all pages every day: files that the page makes are new, and lines that it changes are there."""
    texts: dict[str, str] = {}
    blocks = BLOCK.findall(page.read_text())
    for back in (True, False) if there(page) else (False,):
        for language, file, block in blocks:
            if language == "diff":
                texts[file] = changed(texts.get(file) or (ROOT / file).read_text(), block, back)
    assert texts
    assert not there(page) or all(text == (ROOT / file).read_text() for file, text in texts.items())
    assert not any((ROOT / file).exists() for language, file, _ in blocks if language == "python" and file)


@pytest.mark.in_turns(6)
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_followed_literally(page: Path, original: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(original, tmp_path / "copy")
    blocks = BLOCK.findall(page.read_text())
    complete = contents(copy)
    if there(page):
        take_out(blocks, copy)
    before, commands = contents(copy), []
    for language, file, block in blocks:
        if language == "sh":
            commands += [] if file == "no-test" else block.splitlines()
        elif language == "diff":
            (copy / file).write_text(changed((copy / file).read_text(), block))
        elif file:
            assert not (copy / file).exists(), f"{file} is there already"
            (copy / file).parent.mkdir(exist_ok=True)
            (copy / file).write_text(block)
    assert commands
    for command in commands:
        run(command, copy)
    after = contents(copy)
    named = re.findall(r"^\| `([\w/.]+)` \|", page.read_text(), re.MULTILINE)
    assert sorted(named) == sorted(file for file in after if after[file] != before.get(file))
    assert before.keys() <= after.keys()
    assert not there(page) or after == complete


def take_out(blocks: list[tuple[str, str, str]], copy: Path) -> None:
    """The example of a page, out of the code and of what scripts write of it."""
    for language, file, block in blocks:
        if language == "diff":
            (copy / file).write_text(changed((copy / file).read_text(), block, back=True))
    for command in (line for language, _, block in blocks if language == "sh" for line in block.splitlines()):
        if "docs/generate_" in command:
            run(command, copy)


def run(command: str, folder: Path) -> None:
    """A command of the page, with this Python, on the copy."""
    words = shlex.split(command)
    assert words[0] == ".venv/bin/python"
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    arguments = [*words[1:], "-p", "no:cacheprovider"] if words[1:3] == ["-m", "pytest"] else words[1:]
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"


def test_the_files_of_each_representation() -> None:
    """What CONTRIBUTING.md says of representations: the files are there; a dash stands for what is not written yet."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    rows = re.findall(r"^\| ([\w ]+) \| (`jitmdh/mdh.*) \|$", text, re.MULTILINE)
    assert len(rows) == 4
    for name, row in rows:
        cells = row.split(" | ")
        assert len(cells) == 4
        assert all(cell == "–" or (ROOT / cell.strip("`")).is_file() for cell in cells), name
        folder = (ROOT / cells[0].strip("`")).parent
        for cell, forgotten in zip(cells[1:], (("check.py", "verify.py"), ("show.py", "printer.py"), ("interp.py",))):
            assert cell != "–" or not any((folder / file).exists() for file in forgotten), f"{name}: not a dash"
